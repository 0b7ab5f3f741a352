"""Where C is defined: divisors that are not 0, and shifts by less than the bits of what is shifted.

Each operation is noted as it is written, before anything folds: also where its result is multiplied
by 0, stays unused, or is a condition of nothing.  What is never evaluated is not noted.
"""

from __future__ import annotations

import ast

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Demand, Span
from symlayout.programs.kernels.nodes import FALSE, conjuncts, number_of
from symlayout.programs.kernels.syntax import OPERATORS
from symlayout.programs.kernels.triton.statements import Statements
from symlayout.programs.kernels.values import Block, Constant, Opaque, Value

DIVIDING = frozenset(["//", "%", "cdiv"])
SHIFTING = frozenset(["<<", ">>"])
NARROWEST = 32  # bits of the narrowest type that anything is shifted in


class Definedness(Statements):
    """Notes what divides and shifts."""

    def operation(self, node: ast.BinOp, a: Value, b: Value) -> Value:
        """The operation; what is not followed is divided and shifted, too, unless it is a float."""
        op = OPERATORS.get(type(node.op), "")
        if op in DIVIDING | SHIFTING and not getattr(node, "floating", False):
            self._note_unknown(op, a, b)
        return super().operation(node, a, b)

    def _note_unknown(self, op: str, a: Value, b: Value) -> None:
        """Notes an operation of which one side is not followed."""
        if any(isinstance(v, Constant) and not isinstance(v.value, bool) for v in (a, b)):
            return  # a number that is no integer
        if isinstance(a, Block) and isinstance(b, Opaque) and not b.data:
            self._note("division" if op in DIVIDING else "shift", self.block(b, self.line).node)
        elif isinstance(b, Block) and isinstance(a, Opaque) and not a.data:
            self._demand(op, b.node, NARROWEST, a.why)

    def computed(self, op: str, a: Block, b: Block, known: bool) -> Value:
        if op in DIVIDING | SHIFTING and not b.shape:
            self._demand(op, number_of(b.node), number_of(a.node).bits)
        return super().computed(op, a, b, known)

    def _demand(self, op: str, by: Term, bits: int, doubt: str = "") -> None:
        """Notes what an operation is undefined for."""
        bits = max(bits, NARROWEST)
        if op in DIVIDING and not by.value:
            self._note("division", by, doubt=doubt)
        elif op in SHIFTING and (by.value is None or not 0 <= by.value < bits):
            self._note("shift", by, bits, doubt)

    def _note(
        self, kind: str, by: Term, bits: int = 0, doubt: str = "", span: Span | None = None
    ) -> None:
        if not self.recording or self.alive == FALSE:
            return
        words = self._unknown_in(by, self.alive)
        doubts = [self.doubts[w] for w in sorted(words) if w in self.doubts]
        loaded = [f"it was {self.unknowns[x.word].loaded}" for x in by.unknowns]
        why = next(iter([doubt] * bool(doubt) + doubts + sorted(loaded)), self.inexact)
        span, ranges = span or Span(self.line), self.around(by, self.alive)
        demand = Demand(kind, by, span, bits, ranges, self.alive, why)
        if demand not in self.kernel.demands:
            self.kernel.demands.append(demand)

    def _divisor(self, y: Term) -> None:
        """What is claimed not to be below 0, where it is evaluated."""
        if self.recording:
            words = self._unknown_in(y, self.alive)
            doubts = [self.doubts[w] for w in sorted(words) if w in self.doubts]
            ranges, doubt = self.around(y, self.alive), next(iter(doubts), self.inexact)
            place = Access("", "", y, (), Span(self.line), self.alive, ranges, doubt)
            self.kernel.divisors.setdefault((y, self.alive), place)

    def note_divisor(self, y: Term, shape: tuple[Term, ...]) -> None:
        """What a division demands is noted already."""

    def note_shift(self, count: Term, bits: int) -> None:
        """What a shift demands is noted already."""

    def settle_demands(self) -> None:
        """Leaves out divisors that are parameters of which nothing says that they may be 0."""
        alive, self.alive = self.alive, FALSE
        claimed = {(n, *conjuncts(c)) for n, c in self.kernel.divisors}
        self.kernel.demands = [
            d
            for d in self.kernel.demands
            if d.kind != "division"
            or (self.least(d.value) < 1 and (d.value, *conjuncts(d.guard)) not in claimed)
        ]
        self.alive = alive
