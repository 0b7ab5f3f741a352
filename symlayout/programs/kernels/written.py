"""Which expression of the source a refuted claim is about: the expressions there are evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from symlayout.expr.machine import INT64
from symlayout.expr.term import DIVISIONS, Term
from symlayout.programs.kernels.access import Access, Kernel, Span
from symlayout.programs.kernels.forms import form_of
from symlayout.programs.kernels.nodes import name
from symlayout.programs.kernels.scan.witness import Env, run_of

ARITHMETIC = frozenset(
    ["+", "-", "*", "//", "/", "%", "rem", "cdiv", "min", "max", "<<", "where", "cast"]
)


class Overflow(NamedTuple):
    """An expression of the source whose value does not fit in its type."""

    span: Span
    node: Term
    value: int
    type: str
    limit: int


@dataclass(frozen=True)
class Code:
    """What a claim about a kernel is about: the accesses, of one or of two places that conflict.

    `text` is the file's, `kind` that of the claim, `contract` the lines of the contract with their
    places; `grid` has the sizes of the grid.
    """

    text: str
    kernel: Kernel
    accesses: tuple[Access, ...]
    kind: str
    span: Span
    grid: tuple[Term, ...] | None = None
    contract: tuple[tuple[str, int], ...] = ()

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return _nothing, ()

    @property
    def language(self) -> str:
        """The language of the kernel's file: `triton` or `c`."""
        return self.kernel.language

    def source(self, span: Span) -> str:
        """The text of a span."""
        line = self.text.split("\n")[span.line - 1].encode()
        return line[span.column : span.end].decode(errors="replace")

    def overflow(self, values: Mapping[str, int]) -> Overflow | None:
        """The innermost expression of the accesses whose value does not fit in its type."""
        rows = []
        for access in self.accesses:
            number = self._evaluator(access, values)
            for span, node in self._parts(access):
                kind, value = node.type, number(node)
                if kind is not None and value is not None and not kind.holds(value):
                    limit = kind.low if value < kind.low else kind.high
                    rows.append(Overflow(span, node, value, str(kind), limit))
        inner = [r for r in rows if not any(self._inside(o, r) for o in rows)]

        def order(r: Overflow) -> tuple[bool, int, int, int]:
            near = self._distance(r.span)
            return near[0] > 0 and not self._is_of_address(r.span), *near

        return min(inner, key=order, default=None)

    def _is_of_address(self, span: Span) -> bool:
        """Whether it is part of an address of the accesses' arrays: two may be computed alike."""
        pointers = {name(a.array, INT64) for a in self.accesses if a.array}
        around = (n for s, n in self.kernel.written.items() if _within(span, s))
        return any(n.contains(p) for n in around for p in pointers)

    @staticmethod
    def _inside(a: Overflow, b: Overflow) -> bool:
        return a.node != b.node and b.node.contains(a.node)

    def _parts(self, access: Access) -> Iterator[tuple[Span, Term]]:
        """The expressions of 32 and 64 bits that an access is computed of."""
        for span, node in self.kernel.written.items():
            typed = node.op in ARITHMETIC and node.type is not None
            if typed and any(n.contains(node) for n in access.nodes):
                yield span, node

    def _env(self, access: Access, values: Mapping[str, int]) -> Env:
        """The values of all names, the sizes of the grid as well."""
        env = dict(values)
        for axis, size in enumerate(self.grid or ()):
            word = self.kernel.grids.get(axis)
            if word is not None:
                with suppress(KeyError, ZeroDivisionError):
                    env[word] = run_of(size)(env)
        return env

    def _distance(self, span: Span) -> tuple[int, int, int]:
        """How far an expression is from the access: inside, then above it, the nearest first."""
        inside = any(_within(span, a.span) for a in self.accesses)
        line = self.span.line
        return (0 if inside else 1 if span.line <= line else 2, abs(line - span.line), span.column)

    def value(self, access: Access, values: Mapping[str, int]) -> int | None:
        """The value of an access's offset."""
        return self.number(access, access.offset, values)

    def number(self, access: Access, node: Term, values: Mapping[str, int]) -> int | None:
        """The value of a node by the names of an access."""
        return self._evaluator(access, values)(node)

    def _evaluator(self, access: Access, values: Mapping[str, int]) -> Callable[[Term], int | None]:
        """What gives the value of a node by the names of an access; None where it has none."""
        env, lanes = self._env(access, values), form_of(self.kernel, access).lanes

        def number(node: Term) -> int | None:
            with suppress(KeyError, ZeroDivisionError, TypeError, IndexError):
                return run_of(node, lanes)(env)
            return None

        return number

    def division(self, values: Mapping[str, int]) -> Span | None:
        """The innermost expression of the accesses that divides by 0."""
        hits = []
        for access in self.accesses:
            number = self._evaluator(access, values)
            parts = self._parts(access)
            hits += [s for s, n in parts if n.op in DIVISIONS and number(n.args[1]) == 0]
        return min(hits, key=lambda s: (self._distance(s), s.end - s.column), default=None)

    def divisor(self) -> Span | None:
        """The expression that is divided or shifted by, in the line of the claim."""
        value = self.accesses[-1].offset
        hits = [
            span
            for span, node in self.kernel.written.items()
            if node == value and span.line == self.span.line
        ]
        return min(hits, key=lambda s: s.end - s.column, default=None)

    def address(self, access: Access) -> Span | None:
        """The expression that is the address of an access: the longest one with its pointer in it."""
        pointer = name(access.array, INT64)
        hits = [
            span
            for span, node in self.kernel.written.items()
            if _within(span, access.span) and node.contains(pointer)
        ]
        return max(hits, key=lambda s: s.end - s.column, default=None)


def _within(inner: Span, outer: Span) -> bool:
    return (
        inner.line == outer.line and outer.column <= inner.column and inner.end <= max(outer.end, 1)
    )


def _nothing() -> None:
    """What a copy in another process is: claims are judged without their code."""
