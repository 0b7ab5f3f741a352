"""Written once: no place twice, all places where that is promised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from symlayout.errors import LayoutError
from symlayout.expr.term import Term
from symlayout.layouts.claim import Claim
from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.contract import Promise
from symlayout.programs.kernels.coordinates import Array
from symlayout.programs.kernels.forms import Form
from symlayout.programs.kernels.nodes import TRUE, binary, name, num
from symlayout.programs.kernels.obligations.beneath import beneath
from symlayout.programs.kernels.obligations.claims import claim_about, is_proved
from symlayout.programs.kernels.obligations.pairs import (
    about_pairs,
    about_reads,
    of_two_threads,
    with_masks,
)
from symlayout.programs.kernels.obligations.places import (
    coordinates_of,
    is_dense,
    kind_of,
    map_of,
    offset_of,
    title_of,
    with_equal_sizes,
    without_unknowns,
)
from symlayout.programs.kernels.obligations.reading import COUNTED, OPEN, Obligation, Reading
from symlayout.text.names import unused

PADDED = "not every place of the buffer is an element's, and which are stored to is not known"


def writers(reading: Reading, array: str) -> list[Access]:
    """The accesses of an array that may write it; in shared memory those that read it as well."""
    kernel = reading.kernel
    reads = array in kernel.shared
    return [a for a in kernel.accesses if a.array == array and (reads or a.kind != "load")]


def about_writes(
    reading: Reading, p: Promise, array: Array, own: list[Access]
) -> Iterator[Obligation]:
    """No place twice, all places where that is promised, and nothing is read while it is written."""
    stores = [a for a in own if a.kind == "store"]
    once = p.written == "once"
    if p.written in COUNTED:
        stores = [a for a in own if a.kind != "load"]
    yield from about_reads(reading, p, own)
    if not stores:
        if once:
            why = f"no store to {p.name} is seen"
            yield Obligation(f"written once: {p.name}", "once", reading.kernel.span, None, why)
        return
    title = f"written {p.written}: " if p.written not in ("", "accumulated") else "no race: "
    for access in stores:
        whole = once and len(stores) == 1
        seen = whole and not reading.kernel.skipped
        words = access, array, title, "bijective" if seen else "injective", p
        yield with_masks(reading, lambda r, words=words: _alone(r, *words))  # type: ignore[misc]
        if whole and not seen:
            yield _alone(reading, access, array, f"{title}all of {p.name}, ", "onto", p)
    atomics = [a for a in own if a.kind == "atomic" and a not in stores]
    pairs = [*combinations(stores, 2), *((a, b) for a in stores for b in atomics)]
    yield from about_pairs(reading, pairs, title, p)
    if once and len(stores) > 1:
        yield _all_of_it(reading, stores, array, f"{title}all of {p.name}")
    if array.strides is not None and p.name not in reading.kernel.shared:
        claim = claim_about(reading, "injective", array.text, as_map=array.map)
        label = f"{title}{p.name} has a place for each element"
        yield Obligation(label, "layout", stores[0].span, claim)


def _all_of_it(reading: Reading, stores: list[Access], array: Array, title: str) -> Obligation:
    """Several stores together write every element: one map, with the number of the store first."""
    lines = ", ".join(str(a.span.line) for a in stores)
    span, why = stores[0].span, f"whether the stores in lines {lines} write all of it is not known"
    doubts = [a.doubt for a in stores if a.doubt]
    if doubts or any(a.unknowns | a.open_turns for a in stores):
        return Obligation(title, "once", span, None, doubts[0] if doubts else why)
    forms = [reading.form(a) for a in stores]
    variables: dict[str, tuple[str, Term, Term]] = {}
    for v in [v for f in forms for v in f.variables]:
        if variables.setdefault(v[0], v) != v:
            return Obligation(title, "once", span, None, f"{why}: {v[0]} has several ranges")
    try:
        places = [coordinates_of(reading, f, array) for f in forms]
        functions = [offset_of(reading, f)._outputs[0] for f in forms]
    except LayoutError as error:
        return Obligation(title, "once", span, None, error.message)
    whole = [p for p in places if p is not None]
    if len(whole) < len(forms) and not is_dense(with_equal_sizes(reading, array)):
        return Obligation(title, "once", span, None, f"{why}: {PADDED}")
    rows = whole if len(whole) == len(forms) else [(e,) for e in functions]
    box = array.box if len(whole) == len(forms) else str(array.size)
    which = unused("store", {*variables, *reading.kernel.parameters})
    some = {w for w, v in variables.items() if _is_of_some(v, forms)}
    guards = [_mask(f, variables, some) for f in forms]
    ranges = tuple(_never_empty(v, forms) for v in variables.values())
    domain = replace(forms[0], variables=ranges).domain()
    text = f"map {which} < {len(forms)}, {domain}"
    text += _masks(which, guards)
    results = ", ".join(_by_number(which, list(map(str, parts))) for parts in zip(*rows))
    text += f": ({results}) in {box}" if len(rows[0]) > 1 else f": {results} in {box}"
    claim, doubt = claim_about(reading, "bijective", text), _unseen(reading)
    return Obligation(title, "once", span, claim, doubt=doubt, accesses=tuple(stores))


def _unseen(reading: Reading) -> str:
    """Why what no store writes may be written all the same: a line is not understood."""
    return next((f"line {n}: {why}" for n, why in sorted(reading.kernel.skipped.items())), "")


def _mask(form: Form, variables: Mapping[str, tuple[str, Term, Term]], some: set[str]) -> str:
    """The mask of one of several stores; a variable that it does not have is at its first value.

    Of those that only some stores have the ends are said by these.
    """
    own = {w for w, _, _ in form.variables}
    parts = [f"{w} == {form.text(v[1])}" for w, v in variables.items() if w not in own]
    parts += [f"{w} < {form.text(high)}" for w, _, high in form.variables if w in some]
    guard = form.condition(form.guard).removeprefix(" if ")
    return " and ".join([*parts, guard] if guard else parts)


def _never_empty(v: tuple[str, Term, Term], forms: list[Form]) -> tuple[str, Term, Term]:
    """A range that only some stores have: at its first value are the others, also where it is empty."""
    word, low, high = v
    if not _is_of_some(v, forms):
        return v
    return word, low, binary("max", high, binary("+", low, num(1)))


def _is_of_some(v: tuple[str, Term, Term], forms: list[Form]) -> bool:
    """Whether it is a range of some stores alone, and may be empty."""
    low, high = v[1].value, v[2].value
    return not (low is not None and high is not None and low < high) and not all(
        v in f.variables for f in forms
    )


def _masks(which: str, guards: list[str]) -> str:
    """The masks of several stores, each for its own number."""
    if len(set(guards)) == 1:
        return f" if {guards[0]}" if guards[0] else ""
    parts = [f"({which} == {k}{f' and {g}' if g else ''})" for k, g in enumerate(guards)]
    return f" if {' or '.join(parts)}"


def _by_number(which: str, parts: list[str]) -> str:
    """The result of each store by its number."""
    if len(set(parts)) == 1:
        return parts[0]
    head, *rest = parts
    for k, p in enumerate(rest, 1):
        head = f"({head} if {which} < {k} else {p})"
    return head


def _alone(
    reading: Reading, access: Access, array: Array, title: str, word: str, p: Promise
) -> Obligation:
    """Of one store that it writes no place twice, all places, or both."""
    title, all_of_it, kind = title + title_of(access), word != "injective", kind_of(p)
    access = access if all_of_it else without_unknowns(access)
    if access.unknowns:
        ranges = {r.word: r.loaded for r in access.ranges}
        first = min(x.word for x in access.unknowns)
        why = f"the place or the mask depends on what is not known here: {ranges[first]}"
        return Obligation(title, kind, access.span, None, why)
    form, facts = reading.at_once(access, p)
    try:
        text, box = map_of(reading, form, array)
    except LayoutError as error:
        return Obligation(title, kind, access.span, None, error.message)
    if all_of_it and (access.doubt or access.open_turns):
        return Obligation(title, kind, access.span, None, access.doubt or OPEN)
    if all_of_it and box != array.box and not is_dense(with_equal_sizes(reading, array)):
        return Obligation(title, kind, access.span, None, PADDED)
    claim = _of_any_grid(reading, access, array, word, p)
    claim = claim or claim_about(reading, word, text, more=facts)
    doubt = _unseen(reading) if word == "onto" else reading.doubt(access)
    obligation = Obligation(title, kind, access.span, claim, doubt=doubt, accesses=(access,))
    if word == "injective" and p.written not in COUNTED:
        return of_two_threads(reading, obligation, form, form, facts)
    return obligation


def _of_any_grid(
    reading: Reading, access: Access, array: Array, word: str, p: Promise
) -> Claim | None:
    """The claim about a store in a loop that steps by the grid, for any grid, if that is proved.

    A step that is a number or a choice is harder to see through than one that is a name.
    """
    grids = reading.kernel.grids
    if reading.grid is None or all(r.within == TRUE for r in access.ranges):
        return None
    sizes = enumerate(reading.grid)
    grid = tuple(name(grids[k]) if k in grids and n.op != "name" else n for k, n in sizes)
    if grid == reading.grid or reading.facts.names & {*grids.values()}:
        return None
    wider_reading = replace(reading, grid=grid)
    form, facts = wider_reading.at_once(access, p)
    text, _ = map_of(wider_reading, form, array)
    claim = claim_about(wider_reading, word, text, more=facts)
    return claim if is_proved(wider_reading, claim) else None


def every(reading: Reading) -> Iterator[Obligation]:
    """That each array is written as its contract says."""
    for word, p in reading.promises.items():
        own = writers(reading, word)
        beside = tuple(dict.fromkeys(r for a in own for r in beneath(reading, a)))
        for o in about_writes(reading, p, reading.arrays[word], own):
            yield o if o.kind == "layout" else replace(o, rests=beside)
