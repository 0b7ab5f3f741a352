"""What fails of index functions, told again by their own definitions in plain integers."""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.layouts.doors.tv import ThreadValue
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps.ranks import whole
from symlayout.prove.maps.walk import UNDEFINED, Walk, undefined_at
from symlayout.prove.search import Found
from symlayout.prove.verdict import Counterexample


def undefinedness(hit: Found, *functions: IndexFunction) -> Counterexample | None:
    """That one of them has no value there."""
    for f in functions:
        note = undefined_at(f, hit.coords, hit.sizes)
        if note:
            return Counterexample(hit.sizes, hit.coords, "undefined", None, note=note)
    return None


def replay(functions: Sequence[IndexFunction], hit: Found) -> Counterexample | None:
    """The failure of one function, or of two; None where there is none."""
    if hit.kind == UNDEFINED:
        return undefinedness(hit, *functions)
    f, g = functions[0], functions[-1]
    match hit.kind:
        case "gap":
            return _gap(f, hit)
        case "collision" if hit.coords != hit.other:
            return _meeting(f, f, hit, "{} and {} both have the result {}")
        case "meeting":
            return _meeting(f, g, hit, "{} of the one and {} of the other both reach {}")
        case "outside":
            here, box = f.at(hit.coords, hit.sizes), Walk(f).sizes_of_box(hit.sizes)
            if is_inside(here, box):
                return None
            left, right = place_text(here), place_text(box)
            note = f"at {hit.coords} the result is {left}, outside of the box {right}"
            return Counterexample(hit.sizes, hit.coords, left, right, note=note)
        case "differ":
            return _difference(f, g, hit)
        case "F":
            return _way(f, g, hit)
        case "G":
            return _way(g, f, hit)
    return None


def _gap(f: IndexFunction, hit: Found) -> Counterexample | None:
    linear = whole(f)
    if linear is None:
        reached = any(f.at(p, hit.sizes) == hit.coords for p in f.points(hit.sizes))
    else:
        reached = linear.span.combination(linear.number(hit.coords)) is not None
    note = f"no point of the domain has the result {place_text(hit.coords)}"
    if isinstance(f, ThreadValue):
        note = f"no thread holds element {place_text(hit.coords)}"
    if reached:
        return None
    return Counterexample(hit.sizes, (), place_text(hit.coords), None, note=note)


def _meeting(f: IndexFunction, g: IndexFunction, hit: Found, note: str) -> Counterexample | None:
    p, q, sizes = hit.coords, hit.other, hit.sizes
    if q is None or f.at(p, sizes) != g.at(q, sizes):
        return None
    text = place_text(f.at(p, sizes))
    if isinstance(f, ThreadValue) and f is g:
        one, other = (f"thread {t}, value {v}" for t, v in (p, q))
        note = f"{one} and {other} both hold element {text}"
    return Counterexample(sizes, p, text, text, q, note.format(p, q, text))


def _difference(f: IndexFunction, g: IndexFunction, hit: Found) -> Counterexample | None:
    p, sizes = hit.coords, hit.sizes
    here, there = (x.at(p, sizes) if x.has(p, sizes) else None for x in (f, g))
    if here == there:
        return None
    if here is None or there is None:
        note = f"{p} is in the domain of one of them alone"
        return Counterexample(sizes, p, None, None, note=note)
    left, right = place_text(here), place_text(there)
    note = f"at {p} the results are {left} and {right}"
    return Counterexample(sizes, p, left, right, note=note)


def _way(f: IndexFunction, g: IndexFunction, hit: Found) -> Counterexample | None:
    """A point that f and then g do not bring back."""
    p, sizes = hit.coords, hit.sizes
    there = f.at(p, sizes)
    if not g.has(there, sizes):
        note = f"{p} goes to {there}, which is not in the other map's domain"
        return Counterexample(sizes, p, str(there), None, note=note)
    back = g.at(there, sizes)
    if back == p:
        return None
    note = f"{p} goes to {there}, and that to {back}"
    return Counterexample(sizes, p, str(back), str(p), note=note)


def is_inside(place: tuple[int, ...], box: tuple[int, ...]) -> bool:
    """Whether a place is in the box."""
    return all(0 <= x < d for x, d in zip(place, box))


def place_text(place: tuple[int, ...]) -> str:
    """A place, as a number where it has one coordinate."""
    return str(place[0]) if len(place) == 1 else str(place)
