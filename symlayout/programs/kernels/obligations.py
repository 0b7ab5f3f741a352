"""What a kernel owes to its contract: claims about its accesses, each with the place it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain, combinations
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.machine import INT64, UINT64
from symlayout.expr.term import DIVISIONS, SHIFTS, Term, unknown_name
from symlayout.expr.terms import product, put
from symlayout.expr.ties import ties
from symlayout.expr.tree import Expr, expand
from symlayout.hooks import hook
from symlayout.layouts.claim import Claim, definitions, names_in, with_names
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.terms import MapText, Part
from symlayout.layouts.notation import parse
from symlayout.programs.kernels.access import NOT_ZERO, Access, Demand, Hint, Kernel, Span
from symlayout.programs.kernels.assumptions import Assumptions, blocks_of
from symlayout.programs.kernels.contract import Contract, Promise
from symlayout.programs.kernels.coordinates import Array, equalities, holding, parts_of, read_array
from symlayout.programs.kernels.forms import THREADS, Form, form_of
from symlayout.programs.kernels.launch_limits import Limit, wider
from symlayout.programs.kernels.nodes import (
    TRUE,
    binary,
    both,
    compare,
    conjuncts,
    differences,
    least,
    name,
    narrow_parts,
    negation,
    nonnegative,
    num,
    wide,
)
from symlayout.programs.kernels.policy import BLOCK, COPIED, Remember, at_once
from symlayout.programs.kernels.rolling import pair_classes, rolled
from symlayout.programs.kernels.turns import (
    by_two_threads,
    is_of_one_thread,
    threads_of,
    with_a_thread,
    with_most_turns,
    without_idle_turns,
)
from symlayout.text.names import unused
from symlayout.text.patterns import regex

PAIRS = 300  # of stores to one array, each with a claim
IN_STEP = "threads of one warp may run in step, and no others are known to meet"
WARP = 32
PROGRAMS = frozenset(["pid", "pid1", "pid2"])  # of axes that the kernel does not name
NAME = regex(r"[A-Za-z_]\w*")
UNUSED = "it does no harm where what is shifted is not used"
BELOW = "a divisor that may be below 0 is not followed"
UNMASKED = "it does no harm where a mask leaves out the lanes that divide by 0"
OPEN = "how many turns a loop has depends on what is not known here"
LEFT_OUT = "a mask is left out"
APART = "one thread may store to a place twice, two may not"
READ = "a thread reads what another one stores, and no barrier is between the two"
PADDED = "not every place of the buffer is an element's, and which are stored to is not known"
COUNTED = ("once", "at most once")  # what is promised of an array where every store counts
ALONE = " by one thread"
HINTS = {"assume": "assume", "multiple": "multiple_of", "equal": "blocks of one size"}


@dataclass(frozen=True)
class Obligation:
    """A claim with its name and place; `claim` is None where `unknown` says why there is none.

    `doubt` is why a refutation of the claim would be none of the kernel, `because` says what it says;
    it `rests` on claims, each with its name: that what it is about is computed as in mathematics.
    `accesses` are those that it is about, or has the value of which it is as that of an offset.
    """

    name: str
    kind: str  # bounds, once, race, layout, fits, hint, launch
    span: Span
    claim: Claim | None
    unknown: str = ""
    doubt: str = ""
    because: str = ""
    rests: tuple[tuple[str, Claim], ...] = ()
    accesses: tuple[Access, ...] = ()


@dataclass
class Reading:
    """A kernel under its contract; `grid` are the sizes of the grid as nodes.

    `launch` is where these are said.  `masked`: threads of one block keep masks that ask for the block,
    whose number is then any one.
    """

    kernel: Kernel
    contract: Contract
    grid: tuple[Term, ...] | None
    facts: Facts
    assumed: Assumptions = field(default_factory=Assumptions)
    launch: Span = field(default_factory=lambda: Span(1))
    masked: bool = False
    remember: Remember = at_once

    def form(self, access: Access) -> Form:
        """The access over all programs of the grid."""
        return form_of(self.kernel, access, self.grid)

    def together(self, access: Access) -> tuple[Form, tuple[str, ...]]:
        """The access over all that may write at once: of shared memory the threads of one block."""
        access = with_most_turns(access)
        form = self.form(access)
        if access.array not in self.kernel.shared:
            return form, ()
        blocks = [w for k, w in self.kernel.programs.items() if k < THREADS]
        unnamed = [w for w, _, _ in form.variables if w in PROGRAMS]
        one_value = {*blocks, *unnamed, *access.turns}
        one_value -= form.each_of_its_own(one_value)
        section, facts = form.fixed(one_value)
        section = section if section.variables else with_a_thread(section)
        known = {w for w, _, _ in section.variables} | {*self.kernel.parameters}
        own = tuple(c for c in section.guard if {x.word for x in c.leaves} <= known)
        if (
            own != section.guard and not self.masked
        ):  # what holds without a mask that asks for the block holds with it
            variables, programs = section.variables, section.programs
            section, facts = replace(form, guard=own).fixed(one_value)
            section = replace(section, variables=variables, programs=programs)
        return section, facts

    def at_once(self, access: Access, p: Promise) -> tuple[Form, tuple[str, ...]]:
        """The access over all that may write one place; a thread does not race with itself."""
        form, facts = self.together(access)
        if p.written in COUNTED:
            return form, facts
        form, more = without_idle_turns(form, access)
        return form if form.variables else with_a_thread(form), (*facts, *more)

    def no_barrier_between(self, a: Access, b: Access) -> bool:
        """Whether there may be none between two accesses of several phases, in a way around it."""
        first, then = sorted((a, b), key=self._place)
        return (first.phase, then.phase) in self.kernel.meet

    def _place(self, access: Access) -> int:
        """Where an access stands in the order of the code, of several in a loop the first."""
        alike = (access.span, access.kind, access.array, access.phase)
        every = enumerate(self.kernel.accesses)
        return next(k for k, a in every if (a.span, a.kind, a.array, a.phase) == alike)

    def doubt(self, access: Access) -> str:
        """Why two lanes that meet may be none of the kernel's."""
        access = with_most_turns(access)
        form, section = self.form(access), self.together(access)[0]
        if access.open_turns:
            return access.doubt or OPEN
        why = LEFT_OUT if {*form.guard} - {*section.guard} else ""
        if {*access.turns} & {w for w, _, _ in section.variables}:
            why = "threads come to a barrier in turns that begin at different values"
        loose = self.kernel.loose & {w for w, _, _ in section.variables}
        if access.array in self.kernel.shared and loose:
            why = "a barrier may stand between two turns"
        return access.doubt or why


def obligations(reading: Reading) -> Iterator[Obligation]:
    """Every obligation, in the order of the code.

    Raises `LayoutError` for a layout that cannot be read; `at` is then its place in the file.
    """
    reading = replace(reading, kernel=rolled(reading.kernel))
    kernel, promises = reading.kernel, {**_shared_arrays(reading), **reading.contract.arrays}
    arrays = {n: _array(p) for n, p in promises.items()}
    rests = _rests(reading)
    for access in kernel.accesses:
        if access.array in arrays:
            yield replace(_bounds(reading, access, arrays[access.array]), rests=rests(access))
        else:
            title = f"in bounds: {_title(access)}"
            why = f"the contract says nothing of {access.array}: `{access.array} is LAYOUT`"
            yield Obligation(title, "bounds", access.span, None, why)
    for word, p in promises.items():
        own = _accesses(reading, word)
        beside = tuple(dict.fromkeys(r for a in own for r in rests(a)))
        for o in _writes(reading, p, arrays[word], own):
            yield o if o.kind == "layout" else replace(o, rests=beside)
    seen: set[str] = set()
    typed = (o for a in kernel.accesses for o in (*_fits(reading, a), *_wraps(reading, a)))
    for o in chain(typed, (o for place in kernel.ends for o in _end(reading, place))):
        if o.claim is not None and o.claim.key not in seen:
            seen.add(o.claim.key)
            yield o
    for line, why in sorted(kernel.skipped.items()):
        yield Obligation(f"understood: line {line}", "understood", Span(line), None, why)
    yield from (_divisor(reading, d) for d in kernel.divisors.values() if _may_be_bad(reading, d))
    yield from (_shift(reading, *shift, span) for shift, span in kernel.shifts.items())
    yield from (_demand(reading, d) for d in kernel.demands)
    yield from (_hint(reading, hint) for hint in kernel.hints)
    yield from (_launch(reading, limit) for limit in reading.assumed.demands)


def _launch(reading: Reading, limit: Limit) -> Obligation:
    """A launch keeps a limit; where that is not shown as it is, at the least divisors."""
    title = f"launch limit: {limit.what} is at most {limit.most:,}"
    sizes = [limit.size, wider(limit.size, lambda word: reading.facts.domain(word).first)]
    texts = dict.fromkeys(f"{n.text({})} <= {limit.most}" for n in sizes)
    claims = [_claim(reading, "holds", text, sized=True) for text in texts]
    claim = claims[0]
    if len(claims) > 1 and not _is_proved(reading, claim) and _is_proved(reading, claims[1]):
        claim = claims[1]
    return Obligation(title, "launch", reading.launch, claim)


def _rests(reading: Reading) -> Callable[[Access], tuple[tuple[str, Claim], ...]]:
    """On which claims those about an access rest: that nothing it is computed of wraps."""
    kernel, known = reading.kernel, dict[int, tuple[Access, tuple[tuple[str, Claim], ...]]]()
    divisors = [_divisor(reading, d) for d in kernel.divisors.values() if d.kind != NOT_ZERO]
    common = [*divisors, *[o for place in kernel.ends for o in _end(reading, place)]]

    def of_access(access: Access) -> tuple[tuple[str, Claim], ...]:
        if id(access) not in known:
            every = [*_fits(reading, access), *_wraps(reading, access), *common]
            claims = tuple((o.name, o.claim) for o in every if o.claim is not None)
            known[id(access)] = access, claims
        return known[id(access)][1]

    return of_access


def _shared_arrays(reading: Reading) -> dict[str, Promise]:
    """The arrays in shared memory whose sizes the kernel says."""
    promises = {}
    for n, sizes in reading.kernel.shared.items():
        if sizes:
            promises[n] = Promise(n, f"u8[{','.join(s.text({}) for s in sizes)}]")
    return promises


def _array(p: Promise) -> Array:
    try:
        return read_array(p.layout)
    except LayoutError as error:
        message = f"the layout of {p.name}: {error.message}"
        raise LayoutError(error.code, message, at=p.at, help=error.help) from None


def _function(reading: Reading, form: Form) -> IndexFunction:
    """The offset as an index function, sizes that are equal by the facts written alike."""
    f: Any = parse(form.map([form.part(form.offset)], form.guard))
    table = equalities(reading.facts)
    (offset,) = f._outputs
    changed = put(offset, table) if table else offset
    return IndexFunction(f.variables, (changed,), None, f._guard)


def _equal(reading: Reading, array: Array) -> Array:
    """The array, sizes that are equal by the facts written alike."""
    table = equalities(reading.facts)

    def change(e: Expr) -> Expr:
        return put(e, table)

    strides = None if array.strides is None else tuple(map(change, array.strides))
    return Array(array.text, array.sizes, strides, change(array.start), array.size)


def _map(reading: Reading, form: Form, array: Array) -> tuple[MapText, str]:
    """The map into the array, and its box: the results are coordinates, or else the offset."""
    coords = _coordinates(reading, form, array)
    if coords is None:
        f = _function(reading, form)
        parts, box = parts_of((f._outputs[0],)), parts_of((array.size,))
        return form.map(parts, form.guard, box), str(array.size)
    return form.map(parts_of(coords), form.guard, parts_of(array.sizes)), array.box


def _coordinates(reading: Reading, form: Form, array: Array) -> tuple[Expr, ...] | None:
    """The offset as coordinates that are proved to lie in the array.

    Others say nothing of a place: what is behind the end of a row may be in the next one.
    """
    coords = holding(
        _function(reading, form), _equal(reading, array), reading.facts, reading.remember
    )
    if coords is None or (len(coords) == 1 and array.sizes[0] == array.size):
        return coords
    text = form.map(parts_of(coords), form.guard, parts_of(array.sizes))
    claim = _claim(reading, "bounded", text)
    return coords if _is_proved(reading, claim) else None


def _is_proved(reading: Reading, claim: Claim) -> bool:
    return _answer(reading, claim, 0) == "proved"


def _answer(reading: Reading, claim: Claim, threads: int) -> str:
    """What the verdict is under the contract's facts; a cache keeps the answer.

    Of two coordinates that collide it tells whether they are `ALONE` of one thread: so many numbers.
    """
    own = {*NAME.findall(" ".join(claim.texts))}
    facts = (*[str(r) for r in reading.facts.relations if r.names <= own], *claim.facts)
    under = replace(claim, facts=tuple(dict.fromkeys(facts)))

    def answer() -> str:
        try:
            verdict = hook("verdict")(under)
        except LayoutError:
            return "error"
        c = verdict.counterexample
        alone = c is not None and c.other is not None and c.coords[:threads] == c.other[:threads]
        return f"{verdict.status}{ALONE if alone else ''}"

    return reading.remember(f"verdict\0{under} {threads}", answer)


def _whole(array: Array) -> bool:
    """Whether every place of the buffer is an element's."""
    return expand(array.size - product(array.sizes)) == 0


def _title(access: Access) -> str:
    return f"{access.kind} of {access.array} in {_lines(access)}"


def _lines(access: Access) -> str:
    line = access.span.line
    return f"lines {line} to {access.last}" if access.last > line else f"line {line}"


def _bounds(reading: Reading, access: Access, array: Array) -> Obligation:
    title = f"in bounds: {_title(access)}"
    bare = {x.word for x in access.offset.unknowns - access.guard.leaves}
    doubt = access.doubt
    for r in access.ranges:
        if r.word in bare and r.high.op == "num" and r.low.op == "num":
            why = f"the place depends on what was {r.loaded}: the contract may say `below SIZE`"
            doubt = doubt or f"{why} of it"
    try:
        text, _ = _map(reading, reading.form(_with_turns(access)), array)
    except LayoutError as error:
        return Obligation(title, "bounds", access.span, None, error.message)
    claim = _claim(reading, "bounded", text)
    return Obligation(title, "bounds", access.span, claim, doubt=doubt, accesses=(access,))


def _with_turns(access: Access) -> Access:
    """The access with what the conditions of its loops say: true in every turn."""
    return replace(access, guard=reduce(both, [r.within for r in access.ranges], access.guard))


# -- what is written -------------------------------------------------------------------------------


def _accesses(reading: Reading, array: str) -> list[Access]:
    """The accesses of an array that may write it; in shared memory those that read it as well."""
    kernel = reading.kernel
    reads = array in kernel.shared
    return [a for a in kernel.accesses if a.array == array and (reads or a.kind != "load")]


def _writes(reading: Reading, p: Promise, array: Array, own: list[Access]) -> Iterator[Obligation]:
    """No place twice, all places where that is promised, and nothing is read while it is written."""
    stores = [a for a in own if a.kind == "store"]
    once = p.written == "once"
    if p.written in COUNTED:
        stores = [a for a in own if a.kind != "load"]
    yield from _reads(reading, p, own)
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
        yield _with_masks(reading, lambda r, words=words: _alone(r, *words))  # type: ignore[misc]
        if whole and not seen:
            yield _alone(reading, access, array, f"{title}all of {p.name}, ", "onto", p)
    atomics = [a for a in own if a.kind == "atomic" and a not in stores]
    pairs = [*combinations(stores, 2), *((a, b) for a in stores for b in atomics)]
    yield from _pairs(reading, pairs, title, p)
    if once and len(stores) > 1:
        yield _all_of_it(reading, stores, array, f"{title}all of {p.name}")
    if array.strides is not None and p.name not in reading.kernel.shared:
        claim = _claim(reading, "injective", array.text, as_map=array.map)
        label = f"{title}{p.name} has a place for each element"
        yield Obligation(label, "layout", stores[0].span, claim)


def _reads(reading: Reading, p: Promise, own: list[Access]) -> Iterator[Obligation]:
    """No thread reads of shared memory what another one writes, with no barrier between the two."""
    writes, loads = ([a for a in own if (a.kind == "load") == is_load] for is_load in (False, True))
    yield from _pairs(reading, [(w, r) for w in writes for r in loads], "no race: ", p)


def _pairs(
    reading: Reading, pairs: list[tuple[Access, Access]], title: str, p: Promise
) -> Iterator[Obligation]:
    """Every two stores, of many pairs that are alike the first one."""
    shared = p.name in reading.kernel.shared
    close = [
        (a, b)
        for a, b in pairs
        if not (shared and a.phase != b.phase) or reading.no_barrier_between(a, b)
    ]  # no barrier stands between them
    classes = [[pair] for pair in close] if len(close) <= PAIRS else pair_classes(close)
    if len(classes) > PAIRS:
        why = f"{len(classes):,} pairs of stores may meet, which are more than {PAIRS:,}"
        yield Obligation(f"{title}stores of {p.name}", _kind(p), close[0][0].span, None, why)
        return
    for (a, b), *others in classes:
        more = f" ({len(others) + 1:,} such pairs)" if others else ""
        yield from _apart(reading, a, b, title, p, more)


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
        places = [_coordinates(reading, f, array) for f in forms]
        functions = [_function(reading, f)._outputs[0] for f in forms]
    except LayoutError as error:
        return Obligation(title, "once", span, None, error.message)
    whole = [p for p in places if p is not None]
    if len(whole) < len(forms) and not _whole(_equal(reading, array)):
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
    claim, doubt = _claim(reading, "bijective", text), _unseen(reading)
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
    title, all_of_it, kind = title + _title(access), word != "injective", _kind(p)
    access = access if all_of_it else _without_unknowns(access)
    if access.unknowns:
        ranges = {r.word: r.loaded for r in access.ranges}
        first = min(x.word for x in access.unknowns)
        why = f"the place or the mask depends on what is not known here: {ranges[first]}"
        return Obligation(title, kind, access.span, None, why)
    form, facts = reading.at_once(access, p)
    try:
        text, box = _map(reading, form, array)
    except LayoutError as error:
        return Obligation(title, kind, access.span, None, error.message)
    if all_of_it and (access.doubt or access.open_turns):
        return Obligation(title, kind, access.span, None, access.doubt or OPEN)
    if all_of_it and box != array.box and not _whole(_equal(reading, array)):
        return Obligation(title, kind, access.span, None, PADDED)
    claim = _of_any_grid(reading, access, array, word, p)
    claim = claim or _claim(reading, word, text, more=facts)
    doubt = _unseen(reading) if word == "onto" else reading.doubt(access)
    obligation = Obligation(title, kind, access.span, claim, doubt=doubt, accesses=(access,))
    if word == "injective" and p.written not in COUNTED:
        return _of_two_threads(reading, obligation, form, form, facts)
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
    text, _ = _map(wider_reading, form, array)
    claim = _claim(wider_reading, word, text, more=facts)
    return claim if _is_proved(wider_reading, claim) else None


def _without_unknowns(access: Access) -> Access:
    """The access without conditions of what is not known: no two places that meet need them."""
    parts = conjuncts(access.guard)
    known = [c for c in parts if not c.unknowns]
    if access.offset.unknowns or len(known) == len(parts):
        return access
    doubt = access.doubt or "a condition of what is not known here is left out"
    return replace(access, guard=reduce(both, known, TRUE), doubt=doubt)


def _kind(p: Promise) -> str:
    return "once" if p.written == "once" else "race"


def _apart(
    reading: Reading, a: Access, b: Access, title: str, p: Promise, more: str = ""
) -> Iterator[Obligation]:
    """Two stores never write one place; of one thread they may where stores do not count."""
    kind, reads = _kind(p), b.kind == "load"
    a, b = map(_without_unknowns, (a, b))
    forms = [reading.at_once(access, p)[0] for access in (a, b)]
    other = _title(b) if reads else f"in {_lines(b)}"
    title += f"{_title(a)} and {other}{more}"
    if a.unknowns or b.unknowns:
        why = "a place depends on what is not known here"
        yield Obligation(title, kind, b.span, None, why)
        return
    if a.array in reading.kernel.shared and reading.no_barrier_between(a, b):
        why = (
            "a barrier may not stand between them: two turns of a loop, or a branch, lead around it"
        )
        yield Obligation(title, kind, b.span, None, why)
    elif p.written in COUNTED or not is_of_one_thread(forms[0], forms[1], either=b.kind == "store"):
        yield _with_masks(reading, lambda r: _met(r, a, b, title, p))


def _met(reading: Reading, a: Access, b: Access, title: str, p: Promise) -> Obligation:
    """The claim that two accesses, one of them perhaps a load, have no place in common."""
    (x, own), (y, others) = (reading.at_once(access, p) for access in (a, b))
    facts, forms = tuple(dict.fromkeys((*own, *others))), [x, y]
    claim = _claim(
        reading, "disjoint", *(f.map([f.part(f.offset)], f.guard) for f in forms), more=facts
    )
    doubt = reading.doubt(a) or reading.doubt(b)
    doubt = doubt or _parted(reading, (a, b), forms, facts)
    obligation = Obligation(title, _kind(p), b.span, claim, doubt=doubt, accesses=(a, b))
    if p.written not in COUNTED:
        obligation = _of_two_threads(reading, obligation, x, y, facts)
    return _of_two_warps(reading, obligation, forms, facts) if b.kind == "load" else obligation


def _with_masks(reading: Reading, claimed: Callable[[Reading], Obligation]) -> Obligation:
    """The claim about threads of a block without masks that ask for the block, else with these."""
    o = claimed(reading)
    if o.claim is None or o.doubt != LEFT_OUT:
        return o
    if not _answer(reading, o.claim, 0).startswith("refuted"):
        return o
    return claimed(replace(reading, masked=True))


def _parted(
    reading: Reading, pair: tuple[Access, Access], forms: list[Form], facts: tuple[str, ...]
) -> str:
    """Why two stores that meet may be none: threads may come to a barrier between them.

    None does where they meet also if the conditions of those barriers, of parameters alone, are false.
    """
    kernel = reading.kernel
    first, last = sorted(a.joins for a in pair)
    if pair[0].array not in kernel.shared or first == last:
        return ""
    joined = [kernel.joined.get(k, TRUE) for k in range(first + 1, last + 1)]
    if TRUE not in joined and {x.word for c in joined for x in c.leaves} <= {
        *kernel.parameters,
        "",
    }:
        without = [negation(c) for c in joined]
        maps = [f.map([f.part(f.offset)], (*f.guard, *without)) for f in forms]
        claim = _claim(reading, "disjoint", *maps, more=facts)
        if _answer(reading, claim, len(threads_of(forms[0]))) == "refuted":
            return ""
    return "a barrier may stand between them"


def _of_two_threads(
    reading: Reading, obligation: Obligation, a: Form, b: Form, facts: tuple[str, ...]
) -> Obligation:
    """The claim about two threads instead, where one alone reaches a place of it twice."""
    count = len(threads_of(a))
    alone = a is b and count == len(a.variables)
    if reading.grid is not None:
        a, b = map(with_a_thread, (a, b))
    threads = threads_of(a)
    if obligation.claim is None or alone or not threads or threads != threads_of(b):
        return obligation
    if not _answer(reading, obligation.claim, count).endswith(ALONE):
        return obligation
    numbers = [name(w) for w in threads]
    texts = [by_two_threads(a, b, numbers, in_parts) for in_parts in (False, True)]
    claims = [_claim(reading, "bounded", t, more=facts) for t in dict.fromkeys(texts)]
    claim = next((c for c in claims if _answer(reading, c, 0) != "unknown"), claims[0])
    loads = any(a.kind == "load" for a in obligation.accesses)
    return replace(obligation, claim=claim, because=READ if loads else APART)


def _of_two_warps(
    reading: Reading, obligation: Obligation, forms: list[Form], facts: tuple[str, ...]
) -> Obligation:
    """The claim; its refutation is doubtful where only threads of one warp meet."""
    assert obligation.claim is not None
    if not _answer(reading, obligation.claim, 0).startswith("refuted"):
        return obligation
    a, b = forms
    thread, stride = num(0), num(1)
    for word, _, size in a.variables[: a.programs]:
        thread = binary("+", thread, binary("*", name(word), stride))
        stride = binary("*", stride, size)
    if threads_of(a) == threads_of(b) and threads_of(a):
        text = by_two_threads(a, b, [binary("//", thread, num(WARP))])
        if _answer(reading, _claim(reading, "bounded", text, more=facts), 0) == "refuted":
            return obligation
    return replace(obligation, doubt=obligation.doubt or IN_STEP)


# -- types, divisors, hints ------------------------------------------------------------------------


def _fits(reading: Reading, access: Access) -> Iterator[Obligation]:
    """No 32-bit expression overflows where it is used: of a mask behind what is asked before it.

    What a product of 64 bits could leave is no place in a memory.  A loop's counter is below its end.
    """
    turns = [wide(r.within) for r in access.ranges if not r.within.unknowns]
    form = reading.form(replace(access, guard=reduce(both, [*turns, access.guard])))
    masks = [
        ((*form.guard[:k], *tests), n, bool(tests))
        for k, c in enumerate(form.guard)
        for tests, n in narrow_parts(c)
    ]
    own = [(tests, n, bool(tests)) for tests, n in narrow_parts(form.offset)]
    done: set[str] = set()
    of_mask = f"mask of the {_title(access)}"
    for subject, parts, guard in ((of_mask, masks, ()), (_title(access), own, form.guard)):
        results = dict[str, Part]()
        for tests, n, conditional in parts:
            text = form.text(n, True)
            if text not in done:
                part = _condition_on(reading, form, tests, n)
                results.setdefault(part.text, part)
                done |= set() if conditional else {text}
        if results:
            where = _typed_guard(reading, form, guard)
            text = form.map([*results.values()], where, typed=True)
            claim = _claim(reading, "fits", text, typed=True)
            title = f"no overflow: {subject}"
            nodes = [s for c in form.guard for s in _sides(c)] if parts is masks else [form.offset]
            harmless = any(_shifts(n, unused=parts is own) for n in nodes)
            doubt = access.doubt or (UNUSED if harmless else "")
            yield Obligation(title, "fits", access.span, claim, doubt=doubt, accesses=(access,))


def _typed_guard(reading: Reading, form: Form, guard: Iterable[Term]) -> list[Term]:
    """The conditions without those in which sizes of 64 bits may leave their types.

    What is claimed is about 32 bits, and `fits` judges every part of a condition.
    """
    return [c for c in guard if not _leaves_64(reading, form, c)]


def _leaves_64(reading: Reading, form: Form, node: Term) -> bool:
    """Whether it computes in 64 bits with what nothing bounds.

    The difference of two numbers that are not below 0 is in the type that both have.
    """
    ends = {w: (low, high) for w, low, high in form.variables}
    signed = {n for n in reading.facts.names if reading.facts.domain(n).first < 0}

    def is_open(x: Term) -> bool:
        """Whether it is a name or an unknown of 64 bits that no number bounds."""
        if x.bits < 64:
            return False
        if x.op == "unknown":
            low, high = ends.get(unknown_name(x, form.lanes), (x, x))
            return low.value is None or low.value < 0 or any(map(is_open, high.leaves))
        return x.word in reading.kernel.wide and reading.facts.domain(x.word).high is None

    def above(x: Term) -> bool:
        word = unknown_name(x, form.lanes) if x.op == "unknown" else x.word
        low = ends[word][0].value if word in ends else None
        return x.op == "lane" or (word not in signed if low is None else low >= 0)

    def leaves(n: Term) -> bool:
        own = n.op in ("+", "-", "*") and n.bits >= 64 and any(map(is_open, n.leaves))
        if own and not (n.op == "-" and all(nonnegative(a, above) for a in n.args)):
            return True
        return any(map(leaves, n.args))

    return leaves(node)


def _condition_on(reading: Reading, form: Form, tests: tuple[Term, ...], node: Term) -> Part:
    """A part that is computed where conditions hold."""
    part, guard = form.part(node, True), _typed_guard(reading, form, dict.fromkeys(tests))
    if not guard or not isinstance(part.says, Term):
        return part
    text = f"({part.text}{form.condition(guard, typed=True)} else 0)"
    c = reduce(_and, [c.written(form.lanes, True) for c in guard])
    return Part(text, Term("where", (c, part.says, num(0).written())))


def _and(a: Term, b: Term) -> Term:
    return Term("and", (a, b))


def _end(reading: Reading, place: Access) -> Iterator[Obligation]:
    """What a loop runs to does not overflow, nor does its counter; of what was loaded no one knows."""
    if place.unknowns:
        return
    form = reading.form(place)
    line = place.span.line
    parts = [_condition_on(reading, form, tests, n) for tests, n in narrow_parts(form.offset)]
    title = f"{'the counter' if place.kind == 'counter' else 'an end'} of the loop in line {line}"
    if parts:
        where = _typed_guard(reading, form, form.guard)
        claim = _claim(reading, "fits", form.map(parts, where, typed=True), typed=True)
        title = f"no overflow: {title}"
        yield Obligation(title, "fits", place.span, claim, doubt=place.doubt, accesses=(place,))
    yield from _above(reading, form, form.offset, form.guard, place, title)


def _zero(form: Form, c: Term, guard: Iterable[Term], text: str = "") -> MapText:
    """A map in a box of one place: to 0 where the condition is true, else to 1; `text` is its text."""
    case = Term("where", (c.written(form.lanes), num(0).written(), num(1).written()))
    result = Part(f"(0 if {text or form.text(c)} else 1)", case)
    return form.map([result], guard, [form.part(num(1))])


def _wraps(reading: Reading, access: Access) -> Iterator[Obligation]:
    """No difference without a sign is below 0 where it is used; what has 32 bits `_fits` tells."""
    form = reading.form(access)
    for k, c in enumerate(form.guard):
        title = f"mask of the {_title(access)}"
        yield from _above(reading, form, c, form.guard[:k], access, title)
    yield from _above(reading, form, form.offset, form.guard, access, _title(access))


def _above(
    reading: Reading, form: Form, node: Term, guard: tuple[Term, ...], place: Access, title: str
) -> Iterator[Obligation]:
    """The differences of 64 bits without a sign that a node has in it are not below 0."""
    for tests, n in dict.fromkeys(differences(node)):
        sides = n.args if n.op == "-" else (n, num(0))
        text = _zero(form, compare(">=", *sides), (*guard, *tests))
        claim = _claim(reading, "bounded", text)
        label = f"no wrap below 0: {form.text(n)[:60]} in the {title}"
        yield Obligation(label, "fits", place.span, claim, doubt=place.doubt, accesses=(place,))


def _sides(c: Term) -> list[Term]:
    if c.op in ("and", "or", "not"):
        return [s for a in c.args for s in _sides(a)]
    return list(c.args)


def _may_be_bad(reading: Reading, divisor: Access) -> bool:
    """Whether a claim is needed that a divisor is not 0.

    Not of a parameter that is at least 1, nor where an access with the quotient claims it: that asks
    for the lanes of its mask alone.
    """
    y = divisor.offset
    if divisor.kind != NOT_ZERO:
        return True
    kernel, facts = reading.kernel, reading.facts
    alone = {n for r in facts.relations if len(r.names) == 1 for n in r.names}
    maybe = {n for n in facts.names if facts.domain(n).first < 1} | (kernel.flags - alone)
    positive = {*kernel.parameters, *kernel.symbols, *kernel.grids.values()} - maybe
    if least(y, positive.__contains__, lambda x: x.op == "lane" or x.word in positive) > 0:
        return False
    lanes = any(x.op == "lane" for x in y.leaves)
    return not (lanes and any(_divides_by(n, y) for a in kernel.accesses for n in a.nodes))


def _divides_by(node: Term, y: Term) -> bool:
    """Whether it has a quotient or a remainder by a divisor in it."""
    own = node.op in DIVISIONS and node.args[1] == y
    return own or any(_divides_by(a, y) for a in node.args)


def _divisor(reading: Reading, place: Access) -> Obligation:
    form = reading.form(place)
    text, line = form.text(form.offset), f"line {place.span.line}"
    title = f"no {place.kind or 'divisor'} below 1: {text[:60]} in {line}"
    needed, not_zero = (Term(op, (form.offset, num(n))) for op, n in ((">=", 1), ("!=", 0)))
    words = f"{text} >= 1"
    if place.kind == NOT_ZERO:
        title, needed = f"no division by 0: {text[:60]} in {line}", not_zero
        words = f"{text} != 0"
    claim = _claim(reading, "bounded", _zero(form, needed, form.guard, words))
    doubt = place.doubt or (UNMASKED if place.shape else "")
    if reading.kernel.language == "c" and not place.kind and not doubt:
        zero = _claim(reading, "bounded", _zero(form, not_zero, form.guard, f"{text} != 0"))
        doubt = "" if _answer(reading, zero, 0) == "refuted" else BELOW
    return Obligation(title, "divisor", place.span, claim, doubt=doubt, accesses=(place,))


def _demand(reading: Reading, d: Demand) -> Obligation:
    """What the language leaves undefined otherwise."""
    place = Access(d.kind, "", d.value, (), d.span, d.guard, ranges=d.ranges)
    form, kind = reading.form(place), "divisor"
    text = form.text(form.offset)  # with the sizes of the grid
    end, line = text[:60], d.span.line
    if d.kind == "division":
        title = f"no division by 0: by {end} in line {line}"
        demand, words = Term("!=", (form.offset, num(0))), f"{text} != 0"
    elif d.kind == "shift":
        title = f"no shift out of range: by {end} in line {line}"
        low, high = (Term(op, (form.offset, num(n))) for op, n in ((">=", 0), ("<", d.bits)))
        demand, words = _and(low, high), f"{text} >= 0 and {text} < {d.bits}"
    else:
        title, kind = f"whole blocks of {COPIED} bytes: {d.kind} in line {line}", "blocks"
        demand = Term("==", (Term("%", (form.offset, num(COPIED))), num(0)))
        words = f"({text})%{COPIED} == 0"
    if d.value.unknowns - d.guard.unknowns:  # nothing is asked of it
        return Obligation(title, kind, d.span, None, d.doubt)
    claim = _claim(reading, "bounded", _zero(form, demand, form.guard, words))
    return Obligation(title, kind, d.span, claim, doubt=d.doubt, accesses=(place,))


def _shift(reading: Reading, count: Term, bits: int, span: Span) -> Obligation:
    text = count.text({})
    claim = _claim(reading, "holds", f"{text} >= 0{f' and {text} < {bits}' if bits else ''}")
    title = f"no shift out of range: by {text} in line {span.line}"
    return Obligation(title, "divisor", span, claim, doubt=UNUSED)


def _shifts(node: Term, unused: bool = False) -> bool:
    """Whether it shifts by a name; `unused`: only in what a choice may leave unused."""
    if node.op == "where" and unused:
        return any(_shifts(a) for a in node.args[1:]) or _shifts(node.args[0], True)
    return (node.op in SHIFTS and not unused) or any(_shifts(a, unused) for a in node.args)


def _hint(reading: Reading, hint: Hint) -> Obligation:
    """What the kernel tells the compiler is true."""
    node = hint.node
    if hint.kind == "multiple":
        remainder = Term("%", (node, num(hint.number)))
        node = compare("==", remainder, num(0))
    form = reading.form(Access("", "", node, (), hint.span, hint.guard, ranges=hint.ranges))
    own = {w for w, _, _ in form.variables}
    title = f"{HINTS[hint.kind]} in line {hint.span.line}"
    doubt = ""
    if hint.kind == "equal":
        title = f"{title}: {form.text(node)}"
        doubt = "blocks of these sizes meet: the contract may say that they are equal"
    if node == TRUE or node.unknowns:
        return Obligation(title, "hint", hint.span, None, "it speaks of what is not known here")
    parts = conjuncts(node)
    simple = not form.guard and all(c.op in ("<", "<=", ">", ">=", "==") for c in parts)
    if simple and own.isdisjoint(x.word for x in node.leaves):
        claim = _claim(reading, "holds", " and ".join(form.text(c) for c in parts))
    else:
        claim = _claim(reading, "bounded", _zero(form, node, form.guard))
    return Obligation(title, "hint", hint.span, claim, doubt=doubt)


# -- facts -----------------------------------------------------------------------------------------


def _claim(
    reading: Reading,
    word: str,
    *texts: str,
    typed: bool = False,
    sized: bool = False,
    more: tuple[str, ...] = (),
    as_map: str = "",
) -> Claim:
    """The claim with what is known of its names beside the contract's own facts.

    A name that facts tie to the claim's own is named in it, so that those facts count: of a layout
    in the map that it is.  What is `typed` or `sized` is claimed under the assumptions as well.
    """
    kernel, own, assumed = reading.kernel, reading.facts, reading.assumed
    blocks = blocks_of(kernel)
    names = {n for t in (*texts, *more) for n in NAME.findall(t)}
    zero = [n for n in kernel.flags if not any(r.names == {n} for r in own.relations)]

    def limit(n: str) -> int | None:
        """The most that a name can be, where no fact says so: `fits` asks alone."""
        high = own.domain(n).high
        if n in kernel.most:
            return kernel.most[n] if high is None or high > kernel.most[n] else None
        if not (typed or sized) or high is not None:
            return None
        ends = [assumed.sizes.get(n), kernel.most_of(n), BLOCK if n in blocks else None]
        return min((e for e in ends if e is not None), default=None)

    links = ties(names, own.at_least((n, 0) for n in zero), limit)
    names |= links.others | links.equal
    facts = [*more, *links.consequences]
    for n in dict.fromkeys((*kernel.parameters, *assumed.sizes)):
        if n not in names:
            continue
        if n in zero:
            facts.append(f"{n} >= 0")
        if (most := limit(n)) is not None:
            facts.append(f"{n} <= {most}")
    text_names = {n for t in texts for n in names_in(t)}
    others = sorted(links.others | {n for t in more for n in names_in(t)} - text_names)
    unseen = [n for n in others if typed and n not in kernel.parameters]
    open_names = [n for n in unseen if own.domain(n).high is None and limit(n) is None]
    facts += [f"{n} <= {2**63 - 1}" for n in open_names]
    if typed:
        facts += assumed.of_launch(texts[0], names)
    if sized:
        facts += [f for f in assumed.arrays if names_in(f) <= names]
    if others and as_map:
        texts = (as_map,)
    mentions = {n: name(n) for n in others}
    for n in [n for n in others if typed and (n in unseen or n in kernel.wide)]:
        mentions[n] = name(n, UINT64 if n in kernel.unsigned else INT64)
    return Claim(word, _with_mentions(word, texts, mentions), (), tuple(facts))


def _with_mentions(
    word: str, texts: tuple[str, ...], mentions: Mapping[str, Term]
) -> tuple[str, ...]:
    """The texts of a claim with these names mentioned in their types, in maps of terms as terms."""
    lets = definitions(texts, {n: t.text(typed=True) for n, t in mentions.items()})
    first, *rest = with_names(word, texts, {n: t for n, (_, t) in lets.items()})
    if mentions and isinstance(texts[0], MapText):
        own = [(lets[n][0], t.written(typed=True)) for n, t in mentions.items()]
        first = texts[0].with_lets(first, own)
    return (first, *rest)
