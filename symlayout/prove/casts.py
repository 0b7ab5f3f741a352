"""`bitcast` and `reinterpret`: one buffer, two shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from math import gcd, prod
from typing import Any

from sympy import Symbol

from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt, prove_onto
from symlayout.digits.poly import ZERO, Poly
from symlayout.digits.radix import Digit, Radix, decompose
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Size, as_expr, coordinate_symbols, value
from symlayout.layouts.emptiness import HOLLOW, hollow
from symlayout.layouts.indexmap import (
    IndexMap,
    check_permutation,
    row_major_coords,
    row_major_number,
)
from symlayout.prove.decide import (
    Problem,
    claim_maps,
    decide,
    map_names,
    offset_at,
    polynomials,
)
from symlayout.prove.mixed import mixed
from symlayout.prove.numbers import of_numbers, same_places
from symlayout.prove.search import (
    ARRAY_SAFE,
    WHOLE,
    Arrays,
    Found,
    Numeric,
    Unsafe,
    as_arrays,
    environment,
    length,
    points,
    sides_of,
    sizes_of,
)
from symlayout.prove.statement import Goal, Offset, Plain, Statement, let
from symlayout.prove.subject import Buffers
from symlayout.prove.verdict import Counterexample, Verdict, certified

PERMUTED_RANK = 5  # reinterpret tries every transpose up to this rank
REPLAYED = 20_000
MOST_UNITS = 1 << 20  # occupied units of two buffers that are listed at a time


def read_perm(perm: Any, rank: int) -> tuple[int, ...]:
    """A permutation from numbers or a text such as "1,0"."""
    try:
        text = re.sub(r"[(){}\[\],]", " ", perm) if isinstance(perm, str) else ""
        numbers = [int(p) for p in (text.split() if isinstance(perm, str) else perm)]
    except (TypeError, ValueError):
        hint = f"write the numbers 0 to {rank - 1} in the order that is meant, such as 1,0"
        raise LayoutError("SL403", f"{perm!r} is no permutation", help=hint) from None
    numbers = [p + rank if -rank <= p < 0 else p for p in numbers]
    check_permutation(numbers, rank)
    return tuple(numbers)


@certified
def bitcast(
    a: Any, b: Any, *, perm: Any = None, where: Any = (), budget: int | None = None
) -> Verdict:
    """The element with the same row-major number lies at the same place; padding and bits count.

    With `perm`, dimension k of B is dimension perm[k] of A: the bitcast is a transpose.
    """
    facts, (left, right) = claim_maps("bitcast", where, a, b)
    names = map_names(left, right)
    if perm is not None:
        order = read_perm(perm, left.rank)
        left = replace(left.transpose(order), demands=left.demanded)
    return _bitcast(left, right, names, facts).decided(budget)


def _bitcast(a: IndexMap, b: IndexMap, sizes: tuple[str, ...], facts: Facts) -> Statement:
    """Elements, buffers and bits agree, and so does the place of each row-major number."""
    coords = coordinate_symbols(a.rank, {*a.symbols, *b.symbols, *facts.names})
    target = row_major_coords(row_major_number(coords, a.shape), b.shape)
    totals = [("elements", a.elements, b.elements), ("buffer sizes", a.size, b.size)]
    if a.bits is not None and b.bits is not None:
        totals.append(("bits of an element", a.bits, b.bits))

    def note(words: Plain) -> str:
        here, there = words["here"], words["there"]
        shape = [value(d, words["sizes"]) for d in a.shape]
        number = int(row_major_number(here.place, shape))
        return f"element {number} lies at {here} as {here.place} and at {there} as {there.place}"

    differ = "differ: {left} and {right}"
    return Statement(
        sizes,
        facts,
        [Goal(let("here"), "==", let("there"), note, other="there")],
        sizes=[Goal(x, "==", y, f"the {what} {differ}") for what, x, y in totals],
        coords=coords,
        shape=a.shape,
        offsets={"here": Offset(a, coords), "there": Offset(b, target)},
        demands=(*a.demanded, *b.demanded),
        strategy=lambda ctx: prove_bitcast(ctx, a, b),
    )


def prove_bitcast(ctx: Context, a: IndexMap, b: IndexMap, nonempty: bool = True) -> Attempt:
    """Equal sizes, and one polynomial for both once the row-major number is in digits."""
    if a.bits is not None and b.bits is not None and a.bits != b.bits:
        return Attempt(False, f"elements of {a.bits} and of {b.bits} bits")
    for x, y in ((a.elements, b.elements), (a.size, b.size)):
        if ctx.poly(as_expr(x)) != ctx.poly(as_expr(y)):
            return Attempt(False, f"the sizes {x} and {y} are not proved equal")
    goals = None
    reason = "the offsets are not proved equal"
    for left, right in ((a, b), (b, a)):
        try:
            p, q = _both(ctx, left, right, nonempty)
        except Undecided as why:
            reason = str(why)
            continue
        if p == q:
            return Attempt(True, f"in digits both sides are {ctx.text(p)}")
        goals = [(p - q, "==")]
        reason = f"in digits the difference is {ctx.text(p - q)}"
    return Attempt(False, reason, goals)


def _both(ctx: Context, a: IndexMap, b: IndexMap, nonempty: bool) -> tuple[Poly, Poly]:
    """Both offsets over the coordinates of `a`."""
    env = coordinate_atoms(ctx, a.coords, a.shape, nonempty)
    number = ctx.poly(row_major_number(a.coords, a.shape), env)
    for _ in range(3):
        before = len(ctx.replaced)
        target: dict[Symbol, Poly] = {}
        rest = ctx.resolve(number)
        for k in range(b.rank - 1, -1, -1):
            if k == 0:
                target[b.coords[0]] = rest
            else:
                rest, target[b.coords[k]] = ctx.divmod(rest, ctx.poly(b.shape[k]))
        here = {c: ctx.resolve(p) for c, p in env.items()}
        left = ctx.poly(a.raw, here)
        right = ctx.poly(b.raw, {c: ctx.resolve(p) for c, p in target.items()})
        if len(ctx.replaced) == before:
            break
        ctx.forget()
    return ctx.resolve(left), ctx.resolve(right)


# -- reinterpret --------------------------------------------


@certified
def reinterpret(a: Any, b: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """The two buffers have the same bytes and padding holes; reports what happens to the order."""
    shapes = [of_numbers(x, where) for x in (a, b)] if budget is None else []
    if len(shapes) == 2 and shapes[0] is not None and shapes[1] is not None:
        how = same_places(shapes[0], shapes[1])
        if how is not None:
            return Verdict("proved", "", how, details={"how": how})
    facts, (left, right) = claim_maps("reinterpret", where, a, b)
    names = tuple(dict.fromkeys([*map_names(left, right), *sorted(facts.names)]))
    unit = _unit(left, right)

    def prove(ctx: Context) -> Attempt:
        if hollow(left, facts) or hollow(right, facts):
            return Attempt(False, HOLLOW)
        return prove_reinterpret(ctx, left, right)

    def search(chosen: Arrays) -> Found | None:
        return _search_holes(chosen, names, left, right, unit)

    def replay(found: Found) -> Counterexample | None:
        return _replay_holes(found, left, right)

    return decide(
        Problem(
            map_names(left, right),
            facts,
            prove,
            search,
            replay,
            shape=left.shape,
            weight=500,  # one assignment after the other is looked at
            demands=(*left.demanded, *right.demanded),
            about=Buffers((left, right), unit),
        ),
        budget,
    )


def _unit(a: IndexMap, b: IndexMap) -> tuple[int, int]:
    """How many units an element of each has, the unit being the largest that divides both."""
    if a.bits is None or b.bits is None:
        return 1, 1
    g = gcd(a.bits, b.bits)
    return a.bits // g, b.bits // g


def prove_reinterpret(ctx: Context, a: IndexMap, b: IndexMap) -> Attempt:
    """The same offsets are occupied: by an order-keeping bitcast, a transpose, or the same digits."""
    u, v = _unit(a, b)
    if ctx.poly(as_expr(a.size)) * u != ctx.poly(as_expr(b.size)) * v:
        return Attempt(False, f"buffers of {a.size} and {b.size} elements")
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
    if prove_bitcast(ctx, a, b, False).proved:
        if _same_shape(ctx, a.shape, b.shape):
            return "the same elements in the same places"
        return f"a reshape from {_list(a.shape)} to {_list(b.shape)}"
    if a.rank != b.rank or a.rank > PERMUTED_RANK:
        return None
    for perm in permutations(range(a.rank)):
        if not _same_shape(ctx, [a.shape[p] for p in perm], b.shape):
            continue
        if perm != tuple(range(a.rank)) and prove_bitcast(ctx, a.transpose(perm), b, False).proved:
            return f"a transpose with the permutation {_list(perm)}"
    return None


def _same_shape(ctx: Context, a: Sequence[Size], b: Sequence[Size]) -> bool:
    return len(a) == len(b) and all(
        ctx.poly(as_expr(d)) == ctx.poly(as_expr(e)) for d, e in zip(a, b)
    )


def _list(values: Sequence[Any]) -> str:
    return "[" + ",".join(map(str, values)) + "]"


@dataclass(frozen=True)
class _Image:
    """The set of occupied offsets: where it starts, independent digits, and ragged groups."""

    start: Poly
    digits: frozenset[tuple[Poly, Poly]]
    groups: tuple[Any, ...]


def _digits(ctx: Context, m: IndexMap) -> Radix | None:
    env = coordinate_atoms(ctx, m.coords, m.shape, False)
    f = polynomials(ctx, [(m.raw, env)])[0]
    return decompose(ctx, f)


def _image(ctx: Context, m: IndexMap, unit: int) -> _Image | None:
    """A canonical form of the occupied offsets, in units; equal forms are equal sets."""
    radix = _digits(ctx, m)
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
    merged = _merge(ctx, loose)
    if merged is None:
        return None
    groups = []
    for root, digits in ragged.items():
        weights = ctx.roots[root].weights
        places = {a: k for k, a in enumerate(ctx.roots[root].digits)}
        high = ctx.high(root)
        if any(d.atom not in places or d.flipped for d in digits) or high is None:
            return None
        groups.append(
            (
                high,
                frozenset(
                    (ctx.resolve(weights[places[d.atom]]), d.stride * unit, d.count) for d in digits
                ),
            )
        )
    return _Image(radix.start * unit, frozenset(merged), tuple(sorted(groups, key=repr)))


def _ragged_root(ctx: Context, number: int) -> int | None:
    """The root of a digit whose symbol's last tile is partial."""
    info = ctx.atoms[number]
    root = info.definition[0] if info.kind == "window" else info.root
    if number in ctx.replaced or root is None or (root == number and number not in ctx.roots):
        return None
    if root == number or root not in ctx.roots or ctx.roots[root].exact:
        return None
    return int(root)


def _merge(ctx: Context, digits: list[Digit]) -> list[tuple[Poly, Poly]] | None:
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
    env = coordinate_atoms(ctx, m.coords, m.shape, False)
    f = polynomials(ctx, [(m.raw, env)])[0]
    return prove_onto(ctx, f, ctx.poly(as_expr(m.size))).proved


def _words(ctx: Context, a: IndexMap, b: IndexMap) -> str:
    """The change of order as reshape, transpose, reshape, when both have the same digits."""
    steps = [_places(ctx, m) for m in (a, b)]
    first, second = steps
    if first is not None and second is not None and set(first) == set(second):
        perm = [first.index(x) for x in second]
        if len(set(perm)) == len(perm) == len(first):
            if perm == sorted(perm):
                return f"a reshape from {_list(a.shape)} to {_list(b.shape)} (padding kept)"
            counts = [ctx.text(x[1]) for x in first]
            return (
                f"a reshape to {_list(counts)}, a transpose with the permutation {_list(perm)}, "
                f"a reshape to {_list(b.shape)}"
            )
    return "the same occupied offsets in another order"


def _places(ctx: Context, m: IndexMap) -> list[tuple[Poly, Poly]] | None:
    """The digits (stride, count) in the order of the row-major number, most significant first."""
    env = coordinate_atoms(ctx, m.coords, m.shape, False)
    radix = decompose(ctx, polynomials(ctx, [(m.raw, env)])[0])
    if radix is None:
        return None
    by_atom = {d.atom: (d.stride, d.count) for d in radix.digits}
    order: list[tuple[Poly, Poly]] = []
    for c in m.coords:
        number = env[c].single()
        if number in by_atom:
            order.append(by_atom.pop(number))
        elif number is not None and number in ctx.roots:
            digits = reversed(ctx.roots[number].digits)
            order += [by_atom.pop(d) for d in digits if d in by_atom]
    return None if by_atom else order


def _search_holes(
    chosen: Arrays, names: tuple[str, ...], a: IndexMap, b: IndexMap, unit: tuple[int, int]
) -> Found | None:
    """The first sizes at which bytes or holes differ, and the first such unit."""
    import numpy as np

    count = length(chosen)
    units = sum(float(u * sides_of(chosen, names, m.shape)[2].sum()) for m, u in zip((a, b), unit))
    if units > MOST_UNITS:
        if count == 1:
            return _hole_of_one(sizes_of(chosen), a, b, unit)
        parts = ({n: c[at] for n, c in chosen.items()} for at in np.array_split(range(count), 2))
        searched = (_search_holes(part, names, a, b, unit) for part in parts)
        return next((f for f in searched if f is not None), None)
    totals = []
    for m, u in zip((a, b), unit):
        size, _ = Numeric(m.size, names)(chosen)
        totals.append(np.broadcast_to(np.asarray(size, dtype=np.int64) * u, (count,)))
    unlike = totals[0] != totals[1]
    stop = int(np.argmax(unlike)) if unlike.any() else count
    if stop:
        before = {n: c[:stop] for n, c in chosen.items()}
        span = int(totals[0][:stop].max()) + 1
        if span * stop > ARRAY_SAFE:
            raise Unsafe
        one, two = (_occupied(m, before, names, u, span) for m, u in zip((a, b), unit))
        wrong = np.setxor1d(one, two, assume_unique=True)
        if len(wrong):
            n, at = divmod(int(wrong[0]), span)
            return Found({k: int(c[n]) for k, c in chosen.items()}, (at,), kind="hole")
    if stop < count:
        return Found({k: int(c[stop]) for k, c in chosen.items()}, (), kind="sizes")
    return None


def _hole_of_one(
    sizes: dict[str, int], a: IndexMap, b: IndexMap, unit: tuple[int, int]
) -> Found | None:
    """The same for one assignment with too many units to list: the least gaps, by the digits."""
    totals = [value(m.size, sizes) * u for m, u in zip((a, b), unit)]
    if totals[0] != totals[1]:
        return Found(sizes, (), kind="sizes")
    digits = [mixed(m, sizes) for m in (a, b)]
    gaps = [None if d is None else d.gap() for d in digits]
    for gap, u in zip(gaps, unit):
        at = 0 if gap is None else gap * u
        found = Found(sizes, (at,), kind="hole", first=False)
        if gap is not None and _replay_holes(found, a, b) is not None:
            return found
    raise Unsafe


def _occupied(
    m: IndexMap, chosen: Arrays, names: tuple[str, ...], unit: int = 1, span: int = ARRAY_SAFE
) -> Any:
    """The units that an element lies in, `span` apart from one assignment to the next, in order.

    They are listed, since a buffer may be far larger than what it holds.
    """
    import numpy as np

    m = m.apart_from(names)
    offset = Numeric(as_expr(m.raw), (*names, *[c.name for c in m.coords]))
    whole = Numeric(m.size, names)
    found, first = [np.zeros(0, dtype=np.int64)], 0
    for window, batch in points(chosen, names, m.shape, most=WHOLE):
        at = np.broadcast_to(offset(environment(batch, m.coords))[0], (len(batch.owner),))
        inside = (at >= 0) & (at < whole(batch.env)[0])
        found.append(((first + batch.owner) * span + at * unit)[inside])
        first += length(window)
    every = np.unique(np.concatenate(found))
    return (every[:, None] + np.arange(unit)).ravel()


def _replay_holes(found: Found, a: IndexMap, b: IndexMap) -> Counterexample | None:
    unit = _unit(a, b)
    total = [value(m.size, found.sizes) * u for m, u in zip((a, b), unit)]
    if total[0] != total[1]:
        return Counterexample(
            found.sizes, (), total[0], total[1], note=f"buffers of {total[0]} and {total[1]} units"
        )
    if found.kind != "hole":
        return None
    (at,) = found.coords
    sides = [_has(m, at // u, found.sizes) for m, u in zip((a, b), unit)]
    if sides[0] == sides[1] or None in sides:
        return None
    words = ["an element" if s else "padding" for s in sides]
    note = f"at offset {at} the one buffer has {words[0]}, the other {words[1]}"
    return Counterexample(found.sizes, (), words[0], words[1], note=note)


def _has(m: IndexMap, offset: int, sizes: dict[str, int]) -> bool | None:
    """Whether an element lies at the offset: in plain integers, beyond a size in arrays, or in digits.

    None where that is not decided.
    """
    shape = [value(d, sizes) for d in m.shape]
    if prod(shape) <= REPLAYED:
        return any(offset_at(m, c, sizes) == offset for c in product(*[range(d) for d in shape]))
    if prod(shape) <= MOST_UNITS:
        return offset in _occupied(m, as_arrays(sizes), tuple(sizes))
    digits = mixed(m, sizes)
    return None if digits is None else digits.hit(offset)
