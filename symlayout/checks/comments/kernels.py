"""Contracts above kernels: each obligation of the kernel below becomes a task at its own line."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from symlayout.checks.comments.clauses import BECAUSE, Comment
from symlayout.checks.comments.decorated import contracts, is_decorated, names
from symlayout.checks.kernel_files import Reader
from symlayout.checks.reading import Within
from symlayout.checks.relevance import about, introduced
from symlayout.checks.result import EXPECTED, UNSAID, Origin, Outcome, Place, Problem, Result, Task
from symlayout.errors import LayoutError, did_you_mean, place_of
from symlayout.expr.choices import CASES, combinations, split_choices
from symlayout.expr.facts import Facts
from symlayout.expr.reader import check_powers
from symlayout.expr.term import Term
from symlayout.layouts.claim import Claim, names_in
from symlayout.programs.kernels.access import Span, put_numbers
from symlayout.programs.kernels.assumptions import Assumptions, assumptions, is_open, powers
from symlayout.programs.kernels.contract import Contract, Element, element_of, read_contract
from symlayout.programs.kernels.contract_names import (
    Part,
    UnknownName,
    array_sizes,
    check_names,
    known_names,
    launch_sizes,
    size_note,
)
from symlayout.programs.kernels.coordinates import Array, read_array
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.launches import Launch
from symlayout.programs.kernels.nodes import binary, most, num
from symlayout.programs.kernels.obligations import Obligation, Reading, obligations
from symlayout.programs.kernels.policy import USUAL, Settings
from symlayout.programs.kernels.written import Code
from symlayout.text.brackets import split_commas
from symlayout.text.lines import lines_of, starts_of
from symlayout.text.patterns import regex

WORDS = frozenset({"and", "or", "in", "symbol", "ceildiv", "cdiv", "min", "max"})
TIED = regex(r"==|\bin\b")
HEAD = regex(r"[\s#/*]*")
ALONE = regex(r"[\s#/*!<]*symlayout:\s*")
EXPECT = regex(
    r"""\s*expect\s+(\w+)\s*("[^"]*"(?:\s*,\s*"[^"]*")*)?(?:\s*because\s*"([^"]*)")?\s*\Z"""
)


@dataclass
class Expectation:
    """`expect refuted "in bounds" because "..."`: of the claims in that line with such names."""

    line: int
    status: str
    texts: tuple[str, ...]
    place: Place
    because: str = ""
    used: bool = False


class Policy(NamedTuple):
    """What is assumed of a kernel: facts, what holds without those about sizes, and blocks' sizes."""

    facts: Collection[str]
    types: Mapping[str, str]
    blocks: tuple[tuple[str, tuple[str, ...]], ...]
    launch: tuple[str, ...]


class Source:
    """A file's text with the places of its lines."""

    file: str
    text: str
    starts: list[int]

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.starts = starts_of(lines_of(text))

    def line(self, at: int) -> int:
        """The number of the line that a character stands in, from 1."""
        return bisect_right(self.starts, at)

    def place(self, span: Span) -> Place:
        """The place of a span, whose columns count bytes."""
        return Place.of_bytes(self.file, self.text, span.line, span.column, span.end)

    def lines(self, comment: Comment) -> list[tuple[str, int]]:
        """The lines of a contract without the comment's signs, and where each begins."""
        first = self.line(comment.at)
        lines = [(comment.text.split("\n")[0], comment.at)]
        for number in range(first + 1, comment.after + 1):
            start = self.starts[number - 1]
            raw = self.text[start : self.starts[number]].rstrip()
            match = HEAD.match(raw)
            shift = match.end() if match else 0
            if line := raw[shift:].removesuffix("*/").rstrip():
                lines.append((line, start + shift))
        return lines


def entries(
    file: str,
    text: str,
    comments: Sequence[Comment],
    within: Within,
    only: Collection[str] | None = None,
    settings: Settings = USUAL,
) -> Iterator[Task | Result | dict[str, Any] | str]:
    """What the contracts among the comments ask, and those of decorators; the launches they rest on.

    A text is a note.  With `only` they are those of the kernels of these names.
    Raises `LayoutError` (SL509) where the language's grammar is not installed.
    """
    source = Source(file, text)
    expected = []
    for c in comments:
        if c.text.split(None, 1)[0] == "expect":
            try:
                expected.append(_expectation(source, c))
            except LayoutError as error:
                yield _failure("expect", error, source, c)
    reader: Reader | None = None
    kernels = [c for c in comments if c.text.split(None, 1)[0] == "kernel"]
    for c in kernels:
        lines, function = list[tuple[str, int]](), None
        try:
            reader = reader or Reader(file, text, within)
            functions = reader.of_contract(c.after, [x.after for x in kernels])
            if not functions:
                raise LayoutError("SL505", "no kernel follows the contract")
            for function in (f for f in functions if only is None or f.name in only):
                lines = source.lines(c)
                yield from _tasks(source, reader, lines, function, expected, settings)
        except LayoutError as error:
            if error.code == "SL509":
                raise
            others = _further(source, reader, lines, function, error, settings)
            rows = [_failure("kernel", error, source, c), *others]
            yield from sorted(rows, key=lambda r: r.task.place or Place(file, 0))
    if is_decorated(text):
        reader = reader or Reader(file, text, within)
        for function, lines in contracts(reader.functions(), source.starts, names(text)):
            if only is not None and function.name not in only:
                continue
            try:
                if not reader.is_kernel(function):
                    reason = f"{function.name} is no kernel of Triton's at the top of the file"
                    raise LayoutError("SL505", reason)
                yield from _tasks(source, reader, lines, function, expected, settings)
            except LayoutError as error:
                yield _failure("kernel", error, source, Comment("", lines[0][1], 0))
    for e in expected:
        if not e.used and only is None:
            message = f"no claim of a contract is about this line: {', '.join(e.texts) or 'any'}"
            problem = Problem("SL502", message, e.place)
            yield Result(Task("expect", Claim(""), place=e.place), Outcome.failed(problem))


def _further(
    source: Source,
    reader: Reader | None,
    lines: Sequence[tuple[str, int]],
    function: ast.FunctionDef | None,
    error: LayoutError,
    settings: Settings,
) -> Iterator[Result]:
    """The other mistakes of a contract: those that are left without the parts that have one."""
    reported = {error.message}
    while reader is not None and function is not None and error.at is not None:
        rest = _without(lines, error.at)
        if rest == lines:
            return
        lines = rest
        try:
            for _ in _tasks(source, reader, lines, function, [], settings):
                pass
            return
        except LayoutError as other:
            if other.at == lines[0][1] or other.at is None:  # what is left out is missed
                return
            if other.message not in reported:
                yield _failure("kernel", other, source, Comment("", other.at, 0))
            reported.add(other.message)
            error = other


def _without(lines: Sequence[tuple[str, int]], at: int) -> Sequence[tuple[str, int]]:
    """The lines of a contract without the line, or the fact, that has a character of the file."""
    rows = []
    for text, start in lines[1:]:
        if not start <= at <= start + len(text):
            rows.append((text, start))
        elif text.strip().startswith("where"):
            parts = [p for p in split_commas(text) if not _is_at(text, p, at - start)]
            rest = ",".join(parts)
            word = "" if rest.strip().startswith("where") else "  where"
            rows += [(f"{word}{rest}", start)] if rest.strip() not in ("", "where") else []
    head = lines[0]
    if head[1] <= at <= head[1] + len(head[0]):
        head = ("kernel grid (1,) block (1,)", head[1])
    return [head, *rows]


def _is_at(text: str, part: str, at: int) -> bool:
    start = text.find(part)
    return start <= at <= start + len(part)


def _failure(name: str, error: LayoutError, source: Source, comment: Comment) -> Result:
    at = comment.at if error.at is None or error.text is not None else error.at
    place = Place.of(source.file, source.text, at, at + len(source.text[at:].split("\n")[0]))
    problem = Problem(error.code, error.message, place, error.help)
    return Result(Task(name, Claim(""), place=place), Outcome.failed(problem))


def _expectation(source: Source, comment: Comment) -> Expectation:
    line = source.line(comment.at)
    match = EXPECT.match(comment.text)
    if match is None or match[1] not in EXPECTED:
        usage = 'expect refuted "part of a claim\'s name" because "a reason"'
        raise LayoutError("SL502", f"expected: {usage}")
    if match[1] == "refuted" and not (match[3] or "").strip():
        raise LayoutError("SL508", UNSAID, help=BECAUSE)
    start = source.starts[line - 1]
    if ALONE.fullmatch(source.text, start, comment.at):
        line = comment.after + 1  # lines of its own: it speaks of the next
    place = Place.of(source.file, source.text, comment.at, comment.at + len(comment.text.rstrip()))
    texts = tuple(re.findall(r'"([^"]*)"', match[2] or ""))
    return Expectation(line, match[1], texts, place, match[3] or "")


def _tasks(
    source: Source,
    reader: Reader,
    lines: Sequence[tuple[str, int]],
    function: ast.FunctionDef,
    expected: Sequence[Expectation],
    settings: Settings,
) -> Iterator[Task | Result | dict[str, Any] | str]:
    contract = _read(source, lines).put(reader.constants(function))
    contract = contract.respell(reader.spellings(function))
    tuned = _tuned(reader, function, contract, settings)
    contract = replace(contract, facts=[*contract.facts, *[(text, contract.at) for text in tuned]])
    origins = [Origin(f, Place.of(source.file, source.text, at), False) for f, at in contract.facts]
    launches = _launches(reader, function, contract)
    has_tasks = has_names = False
    for launch in launches:
        name, facts = function.name, origins
        if launch is not None:
            name += f" (launch in line {launch.line})" if len(launches) > 1 else ""
            facts = [*origins, *_own_facts(source, launch, {f.text for f in origins})]
            yield {"file": source.file, "function": function.name, **launch.to_json()}
            if launch.why:
                has_tasks = True
                title = f"{name}: launch in line {launch.line}"
                blank = Task(title, Claim(""), place=source.place(Span(launch.line)))
                why = f"the launch is not understood: {launch.why}"
                yield Result(blank, Outcome("unknown", why))
                continue
        left = dict.fromkeys(facts)
        line = launch.line if launch is not None else source.line(contract.at)
        reading = _reading(reader, function, contract, launch, settings)
        launched = launch is not None and contract.grid is None
        assumed_sizes = _assumed(reader, reading, launched, settings)
        reading = replace(reading, launch=Span(line), assumed=assumed_sizes)
        if not has_names:
            yield from _sizes(source, reader, function, reading, launches)
        has_names = True
        every = list(obligations(reading))
        broken = {
            o.claim.key
            for o in every
            if o.claim is not None and _expected(expected, o, name)[0] == "refuted"
        }
        blocks = _blocks(reader, function, reading, tuned, settings)
        policy = Policy(
            {*reading.assumed.texts, *tuned}, reading.assumed.types, blocks, reading.assumed.launch
        )
        for o in every:
            has_tasks = True
            for task in _task(source, o, facts, name, expected, policy, broken):
                yield _with_code(task, o, reading, source.text, lines)
                for f in task.origins if isinstance(task, Task) else ():
                    left.pop(f, None)
        if has_tasks and left:
            yield _together(name, facts, next(iter(left)).place)
    if not has_tasks:
        raise LayoutError("SL505", f"{function.name} has no access that is understood")


def _own_facts(source: Source, launch: Launch, texts: Collection[str]) -> Iterator[Origin]:
    """The facts of a launch that the contract does not have."""
    own = [f for f in launch.facts if f.text not in texts]
    yield from (Origin(f.text, source.place(Span(f.line)), False) for f in own)


def _read(source: Source, lines: Sequence[tuple[str, int]]) -> Contract:
    """The contract, in a file of C's with C's spellings."""
    contract = read_contract(lines)
    if source.file.endswith(".py"):
        return contract
    own = contract.in_c()
    facts = _facts(own)
    contract.check_slashes({n for n in facts.names if facts.domain(n).first < 0})
    return own


def _sizes(
    source: Source,
    reader: Reader,
    function: ast.FunctionDef,
    reading: Reading,
    launches: Sequence[Launch | None],
) -> Iterator[str]:
    """A note on the sizes that only layouts have; raises `LayoutError` (SL301) for other names."""
    contract = reading.contract

    def part(text: str, at: int) -> Part:
        return Part(text, _node(reader, function, text, at), at)

    parts = [part(t, contract.at) for t in (*(contract.grid or ()), *(contract.block or ()))]
    known = known_names(reading.kernel, reading.facts) | launch_sizes(parts)
    parts += [part(p.below, p.at) for p in contract.arrays.values() if p.below]
    for one in launches:
        nodes = (*(one.grid or ()), *(one.block or ())) if one is not None else ()
        known.update(*(n.names for n in nodes))
        known.update(*(Facts.read(f.text).names for f in one.facts) if one is not None else ())
    sizes = array_sizes(contract, known)
    try:
        check_names(contract, parts, known | {*sizes})
    except UnknownName as error:
        at = error.at or 0
        word = place_of(error.name, source.text[at:].split("\n")[0])
        at += word.start() if word is not None else 0
        raise LayoutError(error.code, error.message, at=at, help=error.help) from None
    if sizes:
        place = source.place(Span(function.lineno))
        yield f"{place.file}:{place.line}: {size_note(function.name, sizes)}"


def _together(name: str, facts: Sequence[Origin], place: Place | None) -> Task:
    """All of the facts can be true at once, those as well of which no claim speaks."""
    texts = tuple(f.text for f in facts)
    plain, choices = split_choices(texts)
    names = sorted({n for c in choices for n in c.names})  # what has alternatives is a fact alone
    relation = " and ".join([*map(str, plain), *(f"{n} == {n}" for n in names)])
    claim = Claim("holds", (relation,), (), texts)
    return Task(f"{name}: the facts", claim, place=place, origins=tuple(facts))


def _launches(
    reader: Reader, function: ast.FunctionDef, contract: Contract
) -> Sequence[Launch | None]:
    """The launches in the file, where the contract leaves the grid or the block out."""
    if contract.grid is not None and (contract.block is not None or not reader.has_threads):
        return (None,)
    kernel = reader.read(function)
    threads = contract.block is None and any(k >= THREADS for k in kernel.programs)
    launches: Sequence[Launch | None] = ()
    if contract.grid is None or threads:
        launches = reader.launches(function, kernel)
    return launches or (None,)


def _reading(
    reader: Reader,
    function: ast.FunctionDef,
    contract: Contract,
    launch: Launch | None,
    settings: Settings,
) -> Reading:
    facts = _facts(contract).and_([f.text for f in launch.facts] if launch is not None else [])
    cases = _cases(contract, facts)
    signed = {n for f in cases for n in f.names if f.domain(n).first < 0}
    grid = launch.grid if launch is not None else None
    block = launch.block if launch is not None else None
    if contract.grid is not None:
        grid = tuple(_node(reader, function, text, contract.at) for text in contract.grid)
    if contract.block is not None:
        block = tuple(_node(reader, function, text, contract.at) for text in contract.block)
    if block is not None:
        one = num(1)
        grid = (*(grid or (one,)), one, one)[:3] + (*block, one, one)[:3]
    below = {
        n: _node(reader, function, p.below, p.at) for n, p in contract.arrays.items() if p.below
    }
    below = {
        n: _of_type(node, element_of(contract.arrays[n].layout), facts) for n, node in below.items()
    }
    types = {n: element_of(p.layout) for n, p in contract.arrays.items()}
    zero = {n for f in cases for n in f.names if f.domain(n).first < 1}
    kernel = reader.read(
        function, signed=signed, zero=zero, arrays=contract.arrays, below=below, widths=types
    )
    if block is None and any(k >= THREADS for k in kernel.programs):
        help = "say it behind the grid: grid (cdiv(n, 256),) block (256,)"
        message = f"{function.name} has threads, and the contract does not say how many"
        raise LayoutError("SL502", message, at=contract.at, help=help)
    for word in kernel.symbols:
        if word not in facts.names:
            message = f"{word} is defined elsewhere, and no fact of the contract speaks of it"
            kernel.skipped.setdefault(function.lineno, message)
    for n, p in contract.arrays.items():
        if n not in kernel.parameters and n not in kernel.shared:
            known = [*kernel.parameters, *kernel.shared]
            help = did_you_mean(n, known) or f"its parameters: {', '.join(known) or 'none'}"
            raise LayoutError(
                "SL504", f"{function.name} has no parameter {n!r}", at=p.at, help=help
            )
        bits, element = types[n].bits, kernel.elements.get(n, 0)
        element *= any(a.array == n for a in kernel.accesses) or kernel.language != "c"
        if bits and element and bits != element:
            message = (
                f"{n} has elements of {bits} bits in the contract, and of {element} in the code"
            )
            help = "the layout counts the elements that the code's pointer has"
            raise LayoutError("SL502", message, at=p.at, help=help)
    numbers = launch.numbers if launch is not None else {}
    if numbers:
        kernel = kernel.put(numbers)
        grid = grid and tuple(put_numbers(n, numbers) for n in grid)
    return Reading(kernel, contract, grid, facts, remember=settings.remember)


def _tuned(
    reader: Reader, function: ast.FunctionDef, contract: Contract, settings: Settings
) -> list[str]:
    """The ends of the values of parameters that are tuned, where the contract gives no upper bound."""
    if contract.grid is None or not (contract.assume and settings.sizes):
        return []
    cases = _all_cases(contract, _facts(contract), settings)
    texts, own = [], {x.arg for x in ast.walk(function.args) if isinstance(x, ast.arg)}
    for n, (low, high) in reader.tuned(function).items():
        if n in own and is_open(n, int(high.text.split()[-1]), cases):
            texts += [low.text, high.text]
    return texts


def _blocks(
    reader: Reader,
    function: ast.FunctionDef,
    reading: Reading,
    ends: Sequence[str],
    settings: Settings,
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What is known of the sizes of Triton's blocks: the values that are tuned, or powers of two."""
    contract = reading.contract
    if not (contract.assume and settings.sizes):
        return ()
    cases = _all_cases(contract, reading.facts, settings)
    own = [*(f for f, _ in contract.facts if f not in ends), *settings.facts]
    alone = [names_in(f) - WORDS for f in own]
    bounds = {n for names in alone if len(names) == 1 for n in names}
    tuned = {n: (f,) for n, f in reader.tuned_values(function).items() if n not in bounds}
    return tuple({**dict(powers(reading.kernel, cases)), **tuned}.items())


def _assumed(reader: Reader, reading: Reading, launched: bool, settings: Settings) -> Assumptions:
    """What is assumed where the contract and the launch give no bound."""
    arrays, contract = list[Array](), reading.contract
    for p in contract.arrays.values():
        with suppress(LayoutError):  # which is told with its place
            arrays.append(read_array(p.layout))
    cases = _all_cases(contract, reading.facts, settings)
    assume = contract.assume and settings.sizes
    return assumptions(
        reading.kernel, arrays, cases, reading.grid, reader.dialect, assume, launched
    )


def _of_type(below: Term, element: Element, facts: Facts) -> Term:
    """What numbers of that type are below: no number is larger than its type lets it be."""

    def high(word: str) -> int:
        known = facts.domain(word).high
        return (1 << 31) - 1 if known is None else known

    largest = most(below, high)
    if element.numbers is None or (largest is not None and largest <= element.numbers.stop):
        return below
    return binary("min", below, num(element.numbers.stop))


def _node(reader: Reader, function: ast.FunctionDef, text: str, at: int) -> Term:
    try:
        check_powers(text)
        return reader.scalar(function, text)
    except LayoutError as error:
        raise LayoutError(error.code, error.message, at=at, help=error.help) from None


def _cases(contract: Contract, facts: Facts) -> list[Facts]:
    """The facts with one alternative of each fact that has any."""
    choices = split_choices([text for text, _ in contract.facts])[1]
    return [facts.and_(case) for case in combinations(choices)]


def _all_cases(contract: Contract, facts: Facts, settings: Settings) -> list[Facts]:
    """The same with what `--where` and the settings say about one name: it replaces assumptions too."""
    cases = _cases(contract, facts)
    for text in settings.facts:
        with suppress(LayoutError):  # which is told where the fact is put into claims
            if len(names_in(text) - WORDS) == 1 and len(cases) <= CASES:  # no claim has more
                plain, choices = split_choices([text])
                cases = [f.and_([*plain, *c]) for f in cases for c in combinations(choices)]
    return cases


def _facts(contract: Contract) -> Facts:
    """The facts, and what those with alternatives say in every case."""
    facts = Facts()
    for text, at in contract.facts:
        try:
            plain, choices = split_choices([text])
            facts = facts.and_([*plain, *(r for c in choices for r in c.consequences)])
        except LayoutError as error:
            raise LayoutError(error.code, error.message, at=at, help=error.help) from None
    return facts


def _task(
    source: Source,
    o: Obligation,
    facts: Sequence[Origin],
    name: str,
    expected: Sequence[Expectation],
    policy: Policy,
    broken: Collection[str],
) -> Iterator[Task | Result]:
    place, title = source.place(o.span), f"{name}: {o.name}"
    expect, because = _expected(expected, o, name)
    if not expect:
        resting = any(c.key in broken for _, c in o.rests)
        expect, because = "unknown" if resting else "proved", o.because
    if o.claim is None:
        blank = Task(title, Claim(""), expect, because, place=place)
        yield Result(blank, Outcome("unknown", o.unknown))
        return
    where = _of_claim(facts, o.claim)
    names = {f.text for f in where}
    more = tuple(Origin(f, place, False) for f in o.claim.facts if f not in names)
    where = (*where, *introduced(where, more, o.claim.texts))
    claim = replace(o.claim, facts=tuple(f.text for f in (*where, *more)))
    origins = (*where, *more)
    rests = tuple((n, replace(c, facts=(*_texts(facts, c), *c.facts))) for n, c in o.rests)
    assumed, types, blocks, limits = policy
    beside = () if o.kind in ("fits", "launch") else _about_sizes(assumed, o.claim)
    rest_texts = [t for _, c in rests for t in c.texts]
    own = {*beside, *map(str, claim.facts), *(str(f) for _, c in rests for f in c.facts)}
    rows = tuple((f, t) for f, t in types.items() if f in own)
    yield Task(
        title,
        claim,
        expect,
        because,
        place=place,
        origins=origins,
        doubt=o.doubt,
        derived=True,
        rests=rests,
        assumed=tuple(f for f in dict.fromkeys(map(str, claim.facts)) if f in assumed),
        may_be_assumed=beside,
        types=rows if o.kind == "launch" or not rows else (*rows, *(("", f) for f in limits)),
        blocks=tuple(row for row in blocks if row[0] in names_in(*claim.texts, *rest_texts)),
    )


def _with_code(
    entry: Task | Result,
    o: Obligation,
    reading: Reading,
    text: str,
    lines: Sequence[tuple[str, int]],
) -> Task | Result:
    """The entry with what a report says of it in the words of the source."""
    code = Code(text, reading.kernel, o.accesses, o.kind, o.span, reading.grid, tuple(lines))
    if isinstance(entry, Task):
        return replace(entry, code=code)
    return replace(entry, task=replace(entry.task, code=code))


def _about_sizes(assumed: Collection[str], claim: Claim) -> tuple[str, ...]:
    """The assumptions about the names of a claim's texts alone."""
    own = names_in(*claim.texts) - WORDS
    facts = (f for f in sorted(assumed) if f not in claim.facts)
    return tuple(f for f in facts if (names := names_in(f)) and names <= own)


def _expected(expected: Sequence[Expectation], o: Obligation, name: str) -> tuple[str, str]:
    """The status that a comment expects of a claim, and why; "" where none does."""
    status, because, title = "", "", f"{name}: {o.name}"
    for e in expected:
        if e.line == o.span.line and (not e.texts or any(t in title for t in e.texts)):
            e.used, status, because = True, e.status, e.because
    return status, because


def _texts(facts: Sequence[Origin], claim: Claim) -> Iterator[str]:
    """The facts that count for a claim and are none of its own."""
    return (f.text for f in _of_claim(facts, claim) if f.text not in claim.facts)


def _of_claim(facts: Sequence[Origin], claim: Claim) -> tuple[Origin, ...]:
    """The facts about the claim's own names, and about those that equalities tie to them.

    What facts about other names say of them stands in the claim already.
    """
    spoken = [names_in(f.text) - WORDS for f in facts if TIED.search(f.text)]
    own = set(names_in(*claim.texts))
    while tied := [n for n in spoken if n & own and not n <= own]:
        own.update(*tied)
    return tuple(about(facts, own))
