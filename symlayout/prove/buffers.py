"""`reinterpret`: two buffers with the same bytes and holes, and what becomes of the order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import permutations
from math import prod
from typing import Any, NamedTuple

from symlayout.digits.context import Context
from symlayout.digits.placement import Attempt, prove_onto
from symlayout.digits.poly import ZERO, Poly
from symlayout.digits.radix import Digit, decompose
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_expr, value
from symlayout.layouts.emptiness import HOLLOW, hollow
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.casts import prove_bitcast
from symlayout.prove.decide import claim_maps, map_names, polynomials
from symlayout.prove.holes import Same, units
from symlayout.prove.numbers import of_numbers, same_places
from symlayout.prove.question import Known, Question
from symlayout.prove.run import Effort
from symlayout.prove.statement import Statement
from symlayout.prove.subject import Buffers
from symlayout.prove.verdict import Verdict
from symlayout.prove.word import states

PERMUTED_RANK = 5  # every transpose up to this rank is tried


@states
def reinterpret(a: Any, b: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """The two buffers have the same bytes and padding holes; reports what happens to the order."""
    shapes = [of_numbers(x, where) for x in (a, b)] if budget is None else []
    if len(shapes) == 2 and shapes[0] is not None and shapes[1] is not None:
        how = same_places(shapes[0], shapes[1])
        if how is not None:
            return Known(Verdict("proved", "", how, _details={"how": how}))
    facts, (left, right) = claim_maps("reinterpret", where, a, b)
    same = Same(left, right, facts)

    def prove(ctx: Context, effort: Effort) -> Attempt:
        if hollow(left, facts) or hollow(right, facts):
            return Attempt(False, HOLLOW)
        return prove_reinterpret(ctx, left, right)

    return Statement(
        map_names(left, right),
        facts,
        images=[same],
        shape=left._shape,
        weight=500,  # one assignment after the other is looked at
        demands=(*left.demanded, *right.demanded),
        strategy=prove,
        about=Buffers((left, right), same.unit),
    )


def prove_reinterpret(ctx: Context, a: IndexMap, b: IndexMap) -> Attempt:
    """The same offsets are occupied: by an order-keeping bitcast, a transpose, or the same digits."""
    u, v = units(a, b)
    if ctx.poly(as_expr(a._size)) * u != ctx.poly(as_expr(b._size)) * v:
        return Attempt(False, f"buffers of {a._size} and {b._size} elements")
    if u == v:
        how = _order(ctx, a, b)
        if how is not None:
            return Attempt(True, how, details={"how": how})
    first, second = _image(ctx, a, u), _image(ctx, b, v)
    if first is None or second is None:
        return Attempt(False, "the occupied offsets have no mixed-radix form")
    full = [m.bits is not None and _is_full(ctx, m) for m in (a, b)]
    if first == second or all(full):
        how = _words(ctx, a, b) if u == v else "the same bytes seen as other element types"
        return Attempt(True, how, details={"how": how})
    return Attempt(False, "the occupied offsets are not proved to be the same")


def _order(ctx: Context, a: IndexMap, b: IndexMap) -> str | None:
    """The reshape or transpose that B is of A, when it is one."""
    if not _refuted(ctx, a, b) and prove_bitcast(ctx, a, b, False).proved:
        if _same_shape(ctx, a._shape, b._shape):
            return "the same elements in the same places"
        return f"a reshape from {_list(a._shape)} to {_list(b._shape)}"
    if a.rank != b.rank or a.rank > PERMUTED_RANK:
        return None
    for perm in permutations(range(a.rank)):
        if not _same_shape(ctx, [a._shape[p] for p in perm], b._shape):
            continue
        turned = a.transpose(perm)
        if perm == tuple(range(a.rank)) or _refuted(ctx, turned, b):
            continue
        if prove_bitcast(ctx, turned, b, False).proved:
            return f"a transpose with the permutation {_list(perm)}"
    return None


def _refuted(ctx: Context, a: IndexMap, b: IndexMap) -> bool:
    """Whether at some sample of the sizes B is not a bitcast of A: then no proof of it is tried."""
    for sizes in ctx.sampled_sizes({*map_names(a, b)}):
        with suppress(LayoutError):  # no value there, which says nothing
            if not _same_at(a, b, sizes):
                return True
    return False


def _same_at(a: IndexMap, b: IndexMap, sizes: dict[str, int]) -> bool:
    """Whether the elements near the first one, and the last, have the same offsets."""
    shape, other = ([value(d, sizes) for d in m._shape] for m in (a, b))
    if min((*shape, *other), default=1) < 1:
        return True
    if prod(shape) != prod(other):
        return False
    rank = range(len(shape))
    places = [*[tuple(int(k == j) for k in rank) for j in rank], tuple(d - 1 for d in shape)]
    for place in (p for p in places if all(x < d for x, d in zip(p, shape))):
        number, there = 0, list[int]()
        for x, d in zip(place, shape):
            number = number * d + x
        for d in reversed(other):
            number, x = divmod(number, d)
            there.insert(0, x)
        if _offset(a, place, sizes) != _offset(b, there, sizes):
            return False
    return True


def _offset(m: IndexMap, place: Sequence[int], sizes: dict[str, int]) -> int:
    return value(m._raw, {**sizes, **{c.name: int(x) for c, x in zip(m._coords, place)}})


def _same_shape(ctx: Context, a: Sequence[Size], b: Sequence[Size]) -> bool:
    return len(a) == len(b) and all(
        ctx.poly(as_expr(d)) == ctx.poly(as_expr(e)) for d, e in zip(a, b)
    )


def _list(values: Sequence[Any]) -> str:
    return "[" + ",".join(map(str, values)) + "]"


class _Image(NamedTuple):
    """The set of occupied offsets: where it starts, independent digits, and ragged groups."""

    start: Poly
    digits: frozenset[tuple[Poly, Poly]]
    groups: tuple[Any, ...]


def _offset_poly(ctx: Context, m: IndexMap) -> Poly:
    env = coordinate_atoms(ctx, m._coords, m._shape, False)
    return polynomials(ctx, [(m._raw, env)])[0]


def _image(ctx: Context, m: IndexMap, unit: int) -> _Image | None:
    """A canonical form of the occupied offsets, in units; equal forms are equal sets."""
    radix = decompose(ctx, _offset_poly(ctx, m))
    if radix is None:
        return None
    ragged: dict[int, list[Digit]] = {}
    loose: list[Digit] = []
    for d in radix.digits:
        root = _ragged_root(ctx, d.atom)
        if root is None:
            loose.append(d)
        else:
            ragged.setdefault(root, []).append(d)
    if unit > 1:
        loose = [Digit(d.atom, d.stride * unit, d.count, d.flipped) for d in loose]
        loose.append(Digit(-1, Poly.of(1), Poly.of(unit)))
    union = _merge(loose)
    if union is None:
        return None
    groups = []
    for root, digits in ragged.items():
        weights = ctx.roots[root].weights
        places = {a: k for k, a in enumerate(ctx.roots[root].digits)}
        high = ctx.high(root)
        if any(d.atom not in places or d.flipped for d in digits) or high is None:
            return None
        rows = ((weights[places[d.atom]], d.stride * unit, d.count) for d in digits)
        groups.append((high, frozenset((ctx.resolve(w), s, n) for w, s, n in rows)))
    return _Image(radix.start * unit, frozenset(union), tuple(sorted(groups, key=repr)))


def _ragged_root(ctx: Context, number: int) -> int | None:
    """The root of a digit whose symbol's last tile is partial."""
    info = ctx.atoms[number]
    root = info.definition[0] if info.kind == "window" else info.root
    if number in ctx.replaced or root is None or (root == number and number not in ctx.roots):
        return None
    if root == number or root not in ctx.roots or ctx.roots[root].exact:
        return None
    return int(root)


def _merge(digits: list[Digit]) -> list[tuple[Poly, Poly]] | None:
    """(stride, count) pairs with neighbours joined: stride_b == stride_a * count_a (R11)."""
    pairs = [(d.stride, d.count) for d in digits if d.count != 1 and d.stride != ZERO]
    joined = True
    while joined:
        joined = False
        for x in pairs:
            for y in pairs:
                if x is not y and x[0] * x[1] == y[0]:
                    pairs.remove(x)
                    pairs.remove(y)
                    pairs.append((x[0], x[1] * y[1]))
                    joined = True
                    break
            if joined:
                break
    if len(set(pairs)) != len(pairs):
        return None
    return pairs


def _is_full(ctx: Context, m: IndexMap) -> bool:
    return prove_onto(ctx, _offset_poly(ctx, m), ctx.poly(as_expr(m._size))).proved


def _words(ctx: Context, a: IndexMap, b: IndexMap) -> str:
    """The change of order as reshape, transpose, reshape, when both have the same digits."""
    steps = [_places(ctx, m) for m in (a, b)]
    first, second = steps
    if first is not None and second is not None and set(first) == set(second):
        perm = [first.index(x) for x in second]
        if len(set(perm)) == len(perm) == len(first):
            if perm == sorted(perm):
                return f"a reshape from {_list(a._shape)} to {_list(b._shape)} (padding kept)"
            counts = [ctx.text(x[1]) for x in first]
            return (
                f"a reshape to {_list(counts)}, a transpose with the permutation {_list(perm)}, "
                f"a reshape to {_list(b._shape)}"
            )
    return "the same occupied offsets in another order"


def _places(ctx: Context, m: IndexMap) -> list[tuple[Poly, Poly]] | None:
    """The digits (stride, count) in the order of the row-major number, most significant first."""
    env = coordinate_atoms(ctx, m._coords, m._shape, False)
    radix = decompose(ctx, polynomials(ctx, [(m._raw, env)])[0])
    if radix is None:
        return None
    by_atom = {d.atom: (d.stride, d.count) for d in radix.digits}
    order: list[tuple[Poly, Poly]] = []
    for c in m._coords:
        number = env[c].single()
        if number in by_atom:
            order.append(by_atom.pop(number))
        elif number is not None and number in ctx.roots:
            digits = reversed(ctx.roots[number].digits)
            order += [by_atom.pop(d) for d in digits if d in by_atom]
    return None if by_atom else order
