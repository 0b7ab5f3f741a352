"""What each dialect demands of a broadcast, in the dialect's own order, and what comes out.

With numbers a demand is true or false, with symbols a condition.  The demands of a dialect
are a list in the order in which the dialect looks at them: the first one that fails is
the one that it reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from symlayout.errors import LayoutError
from symlayout.programs.hlo.broadcast.check import (
    Broken,
    Check,
    Demands,
    first_failing,
    is_one,
    same,
)
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.broadcast.result import Known, certainly, common_size

Dialect = Literal["xla", "stablehlo", "numpy", "hlo"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


@dataclass(frozen=True)
class Plan:
    """A broadcast read by a dialect's rules: the demands that are not met as a matter of course.

    `result` is the result's shape where the demands hold; `stretched` the smaller operand after the
    InDim step (for XLA); `dims[k]` the result dimension of dimension k of the smaller operand;
    `runtime` what the dialect leaves to run time.
    """

    dialect: str
    checks: tuple[Check, ...]
    result: tuple[Extent, ...]
    dims: tuple[int, ...]
    stretched: tuple[Extent, ...] | None = None
    runtime: tuple[str, ...] = ()

    def failure(self, sizes: Mapping[str, int] | None = None) -> Check | None:
        """The first demand that these sizes break, with the sizes in its message."""
        return first_failing(self.checks, sizes or {})


@dataclass
class _Reading(Demands):
    """The demands of one broadcast, and what is known of its sizes."""

    known: Known = certainly


def _entries(r: _Reading, dims: Sequence[int], rank: int, what: str) -> None:
    if len(dims) != rank:
        r.fail("SL702", f"{len(dims)} broadcast_dimensions for the {rank} dimensions of {what}")


def _entry(r: _Reading, k: int, d: int, rank: int, what: str) -> None:
    """Entry k names a dimension of the shape of that rank."""
    if d < 0:
        r.fail("SL703", f"entry {k} of broadcast_dimensions is {d}: it must not be negative")
    if d >= rank:
        r.fail("SL704", f"entry {k} of broadcast_dimensions is {d}: {what} has {rank} dimensions")


# -- XLA's binary operations ----------------------------------------------------------------------


def _xla(r: _Reading, a: Sequence[Extent], b: Sequence[Extent], dims: Sequence[int] | None) -> Plan:
    if len(a) == len(b):
        identity = list(range(len(a)))
        if dims and list(dims) != identity:
            r.fail(
                "SL708",
                f"broadcast_dimensions {list(dims)} for two operands of {len(a)} dimensions: "
                f"leave it away or write {identity}",
            )
        return _finish(r, "xla", a, b, tuple(identity), tuple(a))
    small, large = (a, b) if len(a) < len(b) else (b, a)
    if small and not dims:
        r.fail(
            "SL701",
            f"operands of {len(small)} and {len(large)} dimensions need broadcast_dimensions: "
            f"nothing says which dimension of {_text(large)} each one of {_text(small)} matches",
        )
    return _finish(r, "xla", large, small, tuple(dims or ()), _in_dim(r, small, large, dims or ()))


def _in_dim(
    r: _Reading, small: Sequence[Extent], large: Sequence[Extent], dims: Sequence[int]
) -> tuple[Extent, ...]:
    """The InDim step: the larger shape with the matched sizes taken from the smaller operand."""
    _entries(r, dims, len(small), "the smaller operand")
    out = list(large)
    for k, d in enumerate(dims):
        _entry(r, k, d, len(large), "the larger operand")
        x, y = small[k], large[d]
        places = f"dimension {k} of the smaller operand and dimension {d} of the larger"
        needs = (is_one(x), same(x, y), is_one(y))
        r.one_of("SL705", f"{places} have sizes neither equal nor 1", x, y, *needs)
        if x.dynamic != y.dynamic:
            static = y if x.dynamic else x
            r.one_of(
                "SL706",
                f"{places} are static and dynamic: a bound is not a size (XLA accepts equal "
                f"numbers; at run time the dynamic one may have fewer elements)",
                x,
                y,
                is_one(static),
            )
        if k and dims[k - 1] >= d:
            r.fail("SL707", f"broadcast_dimensions must increase: {d} comes after {dims[k - 1]}")
        out[d] = x
    return tuple(out)


def _finish(
    r: _Reading,
    dialect: str,
    a: Sequence[Extent],
    b: Sequence[Extent],
    dims: tuple[int, ...],
    stretched: tuple[Extent, ...],
) -> Plan:
    """The degenerate step between the larger operand and the stretched smaller one."""
    other = b if len(a) == len(b) else a
    result = []
    for k, (x, y) in enumerate(zip(stretched, other)):
        if k in dims:  # elsewhere both are one size, that of the larger operand
            _at_run_time(r, x, y, k)
        result.append(_degenerate(r, "SL709", f"dimension {k} has", x, y))
    return Plan(dialect, tuple(r.checks), tuple(result), dims, stretched, tuple(r.runtime))


def _at_run_time(r: _Reading, x: Extent, y: Extent, k: int) -> None:
    """What sizes that are known later must turn out to be, where neither is certainly 1."""
    if x.dynamic and y.dynamic:
        r.runtime.append(f"{x} and {y} in dimension {k} must turn out equal, or one of them 1")
    elif x.dynamic or y.dynamic:
        later, static = (x, y) if x.dynamic else (y, x)
        if is_one(static) is not True:
            r.runtime.append(f"{later} in dimension {k} must turn out to be 1 or {static}")


def _degenerate(r: _Reading, code: str, where: str, x: Extent, y: Extent) -> Extent:
    """One dimension of shapes of the same rank: equal sizes, or one of them 1."""
    if x.unbounded != y.unbounded:
        size = y if x.unbounded else x
        if size.dynamic:
            r.one_of(
                "SL710",
                f"{where} a bounded size and ?: XLA accepts it and keeps the bound, but at run "
                f"time 1 may meet more than the bound",
                x,
                y,
                is_one(size),
            )
    else:
        r.one_of(code, f"{where} sizes neither equal nor 1", x, y, is_one(x), same(x, y), is_one(y))
    return common_size(x, y, r.known)


def _text(shape: Sequence[Extent]) -> str:
    return f"[{','.join(map(str, shape))}]"


# -- the others -----------------------------------------------------------------------------------


def _stablehlo(
    r: _Reading, a: Sequence[Extent], b: Sequence[Extent], dims: Sequence[int] | None
) -> Plan:
    """`broadcast_in_dim` of operand `a` to result `b`."""
    dims = tuple(dims or ())
    _entries(r, dims, len(a), "the operand")
    for k, d in enumerate(dims):
        _entry(r, k, d, len(b), "the result")
    for k, d in enumerate(dims):
        if d in dims[:k]:
            r.fail("SL711", f"dimension {d} occurs twice in broadcast_dimensions")
    for k, d in enumerate(dims):
        x, y = a[k], b[d]
        if x.dynamic:
            r.runtime.append(f"{x} in dimension {k} must turn out to be 1 or {y}")
        elif y.dynamic and is_one(x) is not True:
            r.runtime.append(f"{y} in dimension {d} of the result must turn out to be {x}")
        if x.unbounded and not y.unbounded:
            continue
        message = f"dimension {k} of the operand and dimension {d} of the result have sizes"
        r.one_of("SL713", f"{message} neither equal nor the first 1", x, y, is_one(x), same(x, y))
    if sum(e.dynamic for e in b) > 1 or any(e.unbounded for e in b):
        r.fail("SL712", f"the result {_text(b)} must be static or have one bounded dimension")
    return Plan("stablehlo", tuple(r.checks), tuple(b), dims, runtime=tuple(r.runtime))


def _hlo(r: _Reading, a: Sequence[Extent], b: Sequence[Extent], dims: Sequence[int] | None) -> Plan:
    """The instruction `broadcast`, which expands no size 1: operand `a`, result `b`."""
    dims = tuple(dims or ())
    _entries(r, dims, len(a), "the operand")
    for k, d in enumerate(dims):
        _entry(r, k, d, len(b), "the result")
        if d in dims[:k]:
            r.fail("SL711", f"dimension {d} occurs twice in dimensions")
        message = f"dimension {k} of the operand and dimension {d} of the result have sizes"
        r.one_of("SL715", f"{message} that differ", a[k], b[d], same(a[k], b[d]))
    return Plan("hlo", tuple(r.checks), tuple(b), dims, runtime=tuple(r.runtime))


def _numpy(
    r: _Reading, a: Sequence[Extent], b: Sequence[Extent], dims: Sequence[int] | None
) -> Plan:
    """Aligned at the right; a missing dimension is 1."""
    if dims:
        raise LayoutError(
            "SL700",
            f"NumPy aligns shapes at the right and takes no broadcast_dimensions, not {list(dims)}",
        )
    rank = max(len(a), len(b))
    one = Extent(1)
    left = (*[one] * (rank - len(a)), *a)
    right = (*[one] * (rank - len(b)), *b)
    result = []
    for k, (x, y) in enumerate(zip(left, right)):
        needs = (is_one(x), same(x, y), is_one(y))
        place = f"dimension {k - rank} has sizes neither equal nor 1"
        r.one_of("SL714", place, x, y, *needs)
        result.append(common_size(x, y, r.known))
    small = min(len(a), len(b))
    return Plan("numpy", tuple(r.checks), tuple(result), tuple(range(rank - small, rank)))


_Rules = Callable[[_Reading, Sequence[Extent], Sequence[Extent], Sequence[int] | None], Plan]
_RULES: dict[str, _Rules] = {"xla": _xla, "stablehlo": _stablehlo, "numpy": _numpy, "hlo": _hlo}


def plan(
    a: Sequence[Extent],
    b: Sequence[Extent],
    dims: Sequence[int] | None = None,
    dialect: str = "xla",
    known: Known = certainly,
) -> Plan:
    """The demands and the result of broadcasting `a` with `b` (or to `b`, for the last two).

    `dialect` is "xla" (a binary operation), "numpy", "stablehlo" (`broadcast_in_dim`) or "hlo" (the
    instruction `broadcast`); `known` answers whether a relation between sizes holds for all sizes.

    >>> from symlayout.programs.hlo.broadcast import extents
    >>> made = plan(extents("f32[2,3]"), extents("f32[3]"), [0])
    >>> made.failure().code, made.failure().message.rpartition(": ")[2]
    ('SL705', '3 and 2')

    Raises `LayoutError` (SL700) for a dialect that does not exist or entries that are no integers.
    """
    if dialect not in _RULES:
        raise LayoutError("SL700", f"the dialect is one of {', '.join(DIALECTS)}, not {dialect!r}")
    entries = None if dims is None else tuple(_integer(d) for d in dims)
    reading = _Reading(known=known)
    try:
        return _RULES[dialect](reading, a, b, entries)
    except Broken:
        return Plan(dialect, tuple(reading.checks), (), entries or ())


def _integer(d: Any) -> int:
    if isinstance(d, bool) or not hasattr(d, "__index__"):
        raise LayoutError("SL700", f"an entry of broadcast_dimensions is an integer, not {d!r}")
    return int(d.__index__())


def broadcast(
    a: Any, b: Any, dims: Sequence[int] | None = None, dialect: str = "xla"
) -> tuple[Extent, ...]:
    """The result's shape; for symbolic sizes under the condition that the broadcast is legal.

    >>> [str(e) for e in broadcast("f32[2,1]", "f32[1,3]")]
    ['2', '3']

    Raises `LayoutError` with the code of the first rule that certainly fails.
    """
    result = plan(extents(a), extents(b), dims, dialect)
    for check in result.checks:
        if not check.needs:
            raise LayoutError(check.code, check.message)
    return result.result
