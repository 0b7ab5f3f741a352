"""A proof of goals by what is known of every operation: of bits what two numbers have in common,
of an extreme of sizes which of them it is.

Proofs by cases write operations on bits in digits, which says more where a digit is met; but what
bounds prove, as that `a ^ b` is at most `a + b`, is lost there.  This is tried after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symlayout.digits.context import Undecided
from symlayout.expr.conditions import Less
from symlayout.expr.printing import sort_key
from symlayout.expr.terms import Max, Min, Operation
from symlayout.expr.tree import Expr
from symlayout.prove.maps.cases import Case, Move, Open, World, root_of, successors
from symlayout.prove.maps.choice import outermost, what_both_have
from symlayout.prove.maps.goals import Proof, Script
from symlayout.prove.maps.view import View

MOVES = 16  # of one root
SIZES = 10  # cases of sizes


@dataclass
class Bounding(Proof):
    """A proof in which every operation on bits is bounded, and every extreme of sizes decided."""

    def taken_apart(self, world: World, root: Case, script: Script) -> list[Case]:
        """The cases of a root, with its conditions as they are given."""
        waiting, leaves, many = [root_of(root)], list[Case](), 0
        while waiting:
            case, many = waiting.pop(0), many + 1
            if many > MOVES or self.steps > SIZES:
                raise Undecided("it takes too many steps")
            move = next_move(world, case)
            script.append((move or ("leaf",), case))
            if move is None:
                leaves.append(case)
            else:
                waiting = successors(case, move) + waiting
        return leaves


def next_move(world: World, case: Case) -> Move | None:
    """A condition is kept or taken apart, an operation on bits is bounded; None where none is left."""
    if case.guard:
        return ("keep",) if isinstance(case.guard[0], Less) else ("or",)
    w = outermost(case.values)
    if w is not None:
        return ("if", w.args[0], w.args[1])
    tell_apart(world, case.results)
    view = View(world, case)
    move = what_both_have(view)
    if move is None and any(e.has(Operation) for e in case.results):
        raise Undecided("the sign of an operand is not proved")
    return move


def tell_apart(world: World, values: Sequence[Expr]) -> None:
    """Raises `Open` with the sizes that decide an extreme, unless the facts do."""
    own, ctx = set(world.names), world.context()
    for node in sorted({n for e in values for n in e.atoms(Min, Max)}, key=sort_key):
        a, b = node.args
        if (a - b).has(Min, Max, Operation) or not {s.name for s in node.free_symbols} <= own:
            continue
        gap = ctx.poly(a) - ctx.poly(b)
        if not (ctx.nonneg(gap) or ctx.nonneg(-gap)):
            raise Open(f"which is less in {node}", ("sizes", a - b))
