"""Laws: each result of the algebra is held against its law before it is returned.

Concrete layouts of reasonable size are compared at every coordinate; others go to the prover.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import as_expr
from symlayout.expr.tree import ONE
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout
from symlayout.tla.known import Known, tied_to
from symlayout.tla.values import LARGEST

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.prove.verdict import Verdict


def require_same_offsets(operation: str, result: Layout, source: Layout, where: Any = ()) -> None:
    """Raises `LayoutError` (SL800) unless both have the same offset for every linear index."""
    if result._leaves == source._leaves:
        return
    facts = Facts.read(where)
    alike = Known(facts).same if facts.relations else it.same
    if not alike(result._size, source._size):
        raise LayoutError(
            "SL800", f"{operation}: the sizes {result._size} and {source._size} differ"
        )
    require_equal(operation, result.linear_map(), source.linear_map(), where)


def require_equal(operation: str, result: IndexMap, law: IndexMap, where: Any = ()) -> None:
    """Raises `LayoutError` (SL800) unless the prover finds the two maps equal under the facts."""
    from dataclasses import replace

    from symlayout import prove

    same_shape = replace(result, _shape=law._shape, text="", reference=None, symbols=())
    facts = tied_to(Facts.read(where), (*same_shape.symbols, *law.symbols))
    require(operation, prove.equal(same_shape, law, where=facts))


def require(operation: str, verdict: Verdict) -> None:
    """Raises `LayoutError` unless the law was proved: SL800 when refuted, else SL801."""
    if verdict.proved:
        return
    text = {
        "refuted": "the law does not hold",
        "unknown": "the law could be neither proved nor refuted",
        "vacuous": "the facts contradict each other",
    }[verdict.status]
    where = f" at {verdict.counterexample}" if verdict.counterexample else ""
    code = "SL800" if verdict.refuted else "SL801"
    raise LayoutError(code, f"{operation}: {text}{where}: {verdict.reason}")


def check_not_empty(operation: str, layout: Layout, where: Any = ()) -> None:
    """Raises `LayoutError` for a layout without elements, where 0 has no place.

    SL800 when it has none, SL801 when the facts do not say that it has one.
    """
    if layout._size == 0:
        raise LayoutError("SL800", f"{operation}: {layout} has no elements")
    symbolic = [n for n, _ in layout._leaves if not isinstance(n, int)]
    if not symbolic:
        return
    known = Known(Facts.read(where))
    open_ = [n for n in symbolic if not known.at_most(1, n)]
    if open_:
        needs = tuple(str(Relation(">=", as_expr(n), ONE)) for n in open_)
        message = f"{operation} is undecided: {layout} has no elements unless {' and '.join(needs)}"
        help = "give the condition as a fact: --where FACT, or where=[FACT] in Python"
        raise LayoutError("SL801", message, help=help, needs=(" and ".join(needs),))


def too_large(operation: str, layout: Layout) -> LayoutError:
    """The error for a question that is only answered coordinate by coordinate."""
    message = f"{operation} of {layout} is undecided: more than {LARGEST} coordinates to look at"
    return LayoutError("SL801", message)
