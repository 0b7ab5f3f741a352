"""The claim `broadcast`: legal for all sizes, or the smallest sizes that break a rule.

A dialect's rules come as checks, each a disjunction of equalities of sizes.  Their conjunction is
the condition; under the facts it is true (proved), false (never legal), or something in between,
which is then made short and proved equivalent in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, permutations
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import Size, free_names, symbol
from symlayout.expr.tree import Integer
from symlayout.layouts.demands import Demand
from symlayout.layouts.demands import extents as demanded_extents
from symlayout.layouts.notation import parse
from symlayout.programs.hlo.broadcast import Check, Extent, Plan, extents, plan, type_fault
from symlayout.programs.hlo.broadcast.rules import Dialect
from symlayout.programs.hlo.broadcast.types import element_type
from symlayout.prove.demands import Checked, OfSizes, clauses_of, reasoner
from symlayout.prove.question import Question
from symlayout.prove.run import Run
from symlayout.prove.word import states

RANK_PROMOTION = ("allow", "warn", "raise")
MOST_REPAIRS = 200


@states
def broadcast(
    A: Any,
    B: Any,
    dims: Sequence[int] | str | None = None,
    dialect: Dialect = "xla",
    where: Any = (),
    *,
    budget: int | None = None,
    rank_promotion: str = "allow",
) -> Question:
    """Whether A and B may be broadcast together for all sizes, and what comes out.

    For "xla" and "numpy" A and B are the operands; for "stablehlo" (`broadcast_in_dim`) and "hlo"
    (the instruction `broadcast`) A is the operand and B the result.  `dims` are the
    broadcast_dimensions (a text such as "1,2" too).  `rank_promotion` is JAX's setting for operands
    of different rank under "numpy".  `details` has `result` (text), `shape` (sizes), `condition`,
    `code` (the rule that fails) and `repair` (the broadcast_dimensions that would be legal).

    >>> made = broadcast("f32[M,N]", "f32[K]", [1])
    >>> made.status, made.details["condition"], made.counterexample.sizes
    ('refuted', 'K == 1 or K == N or N == 1', {'M': 1, 'N': 2, 'K': 3})
    >>> broadcast("f32[M,1]", "f32[1,N]").details["result"]
    'f32[M,N]'

    Raises `LayoutError`: SL700 for a dialect or dims that mean nothing, SL300 and SL301 for facts,
    and what `extents` raises for A and B.
    """
    operands = _Operands.read(A, B, dims, dialect, where)
    return OfSizes(lambda run: _Answer(operands, run).checked(rank_promotion))


class _Operands(NamedTuple):
    """The claim, read: shapes, facts, and the names of the sizes in order of appearance."""

    a: tuple[Extent, ...]
    b: tuple[Extent, ...]
    dims: tuple[int, ...] | None
    dialect: str
    facts: Facts
    dtype: str
    types: Check | None
    hidden: frozenset[str]
    names: tuple[str, ...]
    demands: tuple[Demand, ...]

    @staticmethod
    def read(
        A: Any,
        B: Any,
        dims: Sequence[int] | str | None,
        dialect: str,
        where: Any,
    ) -> _Operands:
        a, b = extents(A), extents(B)
        hidden: frozenset[str] = frozenset()
        facts = Facts.read(where)
        if dialect == "numpy":  # it has no sizes known only later: they are names like others
            used = {*free_names(*[e.size for e in (*a, *b) if e.size is not None]), *facts.names}
            (a, first), (b, second) = _size_names(a, "A", used), _size_names(b, "B", used)
            hidden = frozenset(n for r in (*first, *second) for n in r.names if n not in used)
            facts = facts.and_((*first, *second))
        demands = (*_demands(A, a), *_demands(B, b))
        values = [e.size for e in (*a, *b) if e.size is not None]
        values += [e for d in demands for e in d.sides]
        facts = facts.with_least(*values)
        entries = _entries(dims)
        return _Operands(
            a,
            b,
            entries,
            dialect,
            facts,
            element_type(A),
            type_fault(A, B, dialect),
            hidden,
            tuple(free_names(*values)),
            demands,
        )


def _demands(operand: Any, shape: Sequence[Extent]) -> tuple[Demand, ...]:
    """What the layout demands where it is one, else that no size is negative."""
    result = getattr(parse(operand) if isinstance(operand, str) else operand, "demands", None)
    own = [e.size for e in shape if e.size is not None]
    return result if isinstance(result, tuple) else demanded_extents(own)


def _entries(dims: Any) -> tuple[int, ...] | None:
    """The broadcast_dimensions as given in Python or on a command line."""
    if dims is None:
        return None
    if not isinstance(dims, str):
        if not isinstance(dims, Iterable):
            raise LayoutError("SL700", f"dims are integers in a list or a text, not {dims!r}")
        return tuple(dims)
    inner = dims.strip().strip("[]{}()")
    words = [w.strip() for w in inner.split(",")] if inner.strip() else []
    if not all(w.removeprefix("-").isdigit() for w in words):
        message = f"dims are integers with commas between, not {dims!r}"
        raise LayoutError("SL700", message, text=dims, at=0)
    return tuple(map(int, words))


def _size_names(
    shape: Sequence[Extent], side: str, used: set[str]
) -> tuple[tuple[Extent, ...], tuple[Relation, ...]]:
    """The shape with a name for each size known only at run time, and what is known of it.

    Size k of side A is A_k, with more underscores where that is a size's name already.
    """
    while any(f"{side}_{k}" in used for k in range(len(shape))):
        side += "_"
    out, relations = [], []
    for k, e in enumerate(shape):
        if not e.dynamic:
            out.append(e)
            continue
        name = symbol(f"{side}_{k}")
        relations.append(Relation(">=", name, Integer(0)))
        if e.size is not None:
            size = Integer(e.size) if isinstance(e.size, int) else e.size
            relations.append(Relation("<=", name, size))
        out.append(Extent(name))
    return tuple(out), tuple(relations)


class _Answer:
    """What is checked of operands, with what the run allows to know of their sizes."""

    def __init__(self, operands: _Operands, run: Run) -> None:
        self.q = operands
        self.sizes = reasoner(operands.facts, operands.names, run)

    def checked(self, rank_promotion: str) -> Checked:
        """The dialect's checks, with what is reported beside the verdict."""
        result = self.plan(self.q.dims)
        if self.q.types is not None:  # which every dialect looks at before the sizes
            result = replace(result, checks=(self.q.types, *result.checks))
        result = _promotion(result, len(self.q.a), len(self.q.b), rank_promotion)
        details: dict[str, Any] = {"dialect": self.q.dialect}
        if not any(not c.needs for c in result.checks):
            details |= {"result": self.result_text(result), "shape": self.shape(result)}
            details |= intermediate(result, self.q.dtype)
        scope = "by the dialect's rules" if result.runtime else "for all sizes"
        good = f"legal {scope}; the result is {self.result_text(result)}"
        return Checked(
            result.checks, self.sizes, good, details, result.runtime, self.q.demands, self.repair
        )

    def plan(self, dims: Sequence[int] | None) -> Plan:
        """The plan, with the result as short as facts and legality make it."""
        first = plan(self.q.a, self.q.b, dims, self.q.dialect)
        if any(not c.needs for c in first.checks):
            return first
        known = self.sizes.under([c.needs for c in first.checks])
        return plan(self.q.a, self.q.b, dims, self.q.dialect, known)

    def repair(self) -> tuple[dict[str, Any], str]:
        """The broadcast_dimensions that are legal for all sizes under the facts, in order."""
        legal, defined = [], clauses_of(self.q.demands)
        candidates = _candidates(self.q) if self.q.types is None else ()
        for dims in islice(candidates, MOST_REPAIRS):
            clauses = [c.needs for c in plan(self.q.a, self.q.b, dims, self.q.dialect).checks]
            if all(clauses) and self.sizes.entails([*defined, *clauses]):
                legal.append(list(dims))
        return {"repair": legal}, f"legal with broadcast_dimensions {_or(legal)}" if legal else ""

    def result_text(self, plan: Plan) -> str:
        return f"{self.q.dtype}[{','.join(map(str, self.shape(plan)))}]"

    def shape(self, plan: Plan) -> tuple[Size | str, ...]:
        """The result's sizes: numbers, expressions, and text for what run time decides."""
        return tuple(_size_text(e, self.q) for e in plan.result)


def intermediate(plan: Plan, dtype: str) -> dict[str, str]:
    """The shape between the InDim step and the degenerate one, where both are taken."""
    if plan.stretched is None or plan.dims == tuple(range(len(plan.result))):
        return {}
    return {"intermediate": f"{dtype}[{','.join(map(str, plan.stretched))}]"}


def _size_text(e: Extent, q: _Operands) -> Size | str:
    """The result's size; where it hangs on a size known only later, how that one was written."""
    if e.dynamic:
        return str(e)
    own = [n for n in free_names(e.bound) if n in q.hidden]
    if not own:
        return e.bound
    for high in q.facts.relations:
        if str(e.bound) == own[0] and high.op == "<=" and str(high.left) == own[0]:
            return f"<={high.right}"
    return "?"


def _candidates(q: _Operands) -> Iterator[tuple[int, ...]]:
    """The broadcast_dimensions that the structure allows."""
    a, b = len(q.a), len(q.b)
    if q.dialect == "xla":
        small, large = sorted((a, b))
        yield from [()] if a == b else combinations(range(large), small)
    elif q.dialect in ("stablehlo", "hlo"):
        yield from permutations(range(b), a)


def _promotion(plan: Plan, a: int, b: int, setting: str) -> Plan:
    """JAX's setting for arrays of different rank, neither of them a scalar."""
    if setting not in RANK_PROMOTION:
        message = f"rank_promotion is one of {', '.join(RANK_PROMOTION)}, not {setting!r}"
        raise LayoutError("SL700", message)
    if plan.dialect != "numpy" or a == b or not (a and b) or setting == "allow":
        return plan
    text = f"operands of {a} and {b} dimensions are promoted to one rank"
    if setting == "warn":
        return replace(plan, runtime=(*plan.runtime, f"warning: {text}"))
    return replace(plan, checks=(Check("SL716", text), *plan.checks))


def _or(repairs: Sequence[Sequence[int]]) -> str:
    texts = [str(list(r)) for r in repairs[:4]]
    return " or ".join(texts) + (" ..." if len(repairs) > 4 else "")
