"""A claim about a kernel that is not proved, in the words of the source: three to six lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from symlayout.checks.fixes import SENTENCE, alternatives
from symlayout.checks.kernel_values import values_at, variables
from symlayout.checks.report.style import sizes_text
from symlayout.checks.result import RESTS, Place, Result
from symlayout.layouts.claim import names_in
from symlayout.programs.kernels.contract import NOTHING_ASSUMED
from symlayout.programs.kernels.forms import RESERVED
from symlayout.programs.kernels.policy import COPIED
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.programs.kernels.access import Span
    from symlayout.programs.kernels.written import Code, Overflow

AT = regex(r"at \([^()]*\) ")
COORDINATE = regex(r"(block(?:Idx|Dim)|threadIdx|gridDim)_([xyz])")
CAST = regex(r"\bu?int(?:32|64)\(((\w+)|[^()]*)\)")
TYPE = regex(r"\bno (u?int\d+)\b")
LIMIT = regex(r"launch limit: (.+) is at most ")
OF_LOOP = regex(r"(the counter|an end) of the loop")
LANE = regex(r"lane\d*")
AGAIN = regex(r"_\d+\Z")  # what a name of the source gets where it is used again
BOUND = regex(r"^\w+ (?:<|<=|==) ")
ROW = regex(r"\(\d+(?:, \d+)+\)")
UNPROVED = "it is not proved for all sizes, and no counterexample was found (-v shows all)"
CORES = "GetBlockIdx"  # how AscendC calls the number of a core
LENGTH = 200  # of a value's line
VERBS = {"store": "store to", "atomic": "add to", "load": "read"}


def place_of(r: Result) -> Place | None:
    """The place of the expression that fails, else that of the claim."""
    span, code, place = _span(r), r.task.code, r.task.place
    if code is None or place is None:
        return place
    span = span or code.span
    column, end = span.column, span.end
    if not end:  # a statement
        line = code.text.encode().split(b"\n")[span.line - 1]
        column, end = len(line) - len(line.lstrip()), len(line.rstrip())
    return Place.of_bytes(place.file, code.text, span.line, column, end)


def _span(r: Result) -> Span | None:
    code, c = r.task.code, r.outcome.counterexample
    if code is None or not code.accesses:
        return None
    if code.kind == "blocks":
        return code.span if code.span.end else None
    if code.kind == "divisor":
        return code.divisor()
    if (division := _divides(r)) is not None:
        return division
    if c is not None and code.kind == "fits":
        over = code.overflow(values_at(r, c["coords"]))
        if over is not None:
            return over.span
    return code.address(code.accesses[-1])


def lines(r: Result) -> Iterator[str]:
    """The sizes and the thread with the value that fails, then what to write instead."""
    code, c = r.task.code, r.outcome.counterexample
    assert code is not None
    if r.outcome.status != "refuted" or c is None:
        reason = r.outcome.reason.partition(": in the case ")[0]
        yield UNPROVED if reason.startswith("in the case ") else _cut(reason)
    else:
        at, what = _call(r, c), _what(r, code, c)
        yield f"{at}: {what}" if at else what
    if r.task.because:
        yield f"because: {r.task.because}"
    yield from help_lines(r)
    if r.outcome.status == "unknown" and (facts := _bounds(r)):
        yield f"help: bound the sizes in the contract: `where {', '.join(facts)}`"


def larger_sizes(results: Iterable[Result]) -> Iterator[list[str]]:
    """A note for each kernel that fails where sizes are larger than is assumed: the least of them."""
    kernels: dict[tuple[str, str], list[Result]] = {}
    for r in results:
        if r.outcome.beyond is not None and r.task.code is not None and r.task.place is not None:
            kernel = r.task.place.file, r.task.name.partition(": ")[0]
            kernels.setdefault(kernel, []).append(r)
    for (_, name), own in kernels.items():
        least = min(own, key=_rank)
        c = least.outcome.beyond or {}
        outcome = replace(least.outcome, status="refuted", reason=c["note"], counterexample=c)
        failure = replace(least, outcome=outcome)
        assert least.task.code is not None
        many = "1 claim fails" if len(own) == 1 else f"{len(own)} claims fail"
        head = f"{place_of(failure)}: note: {name}: {many} where sizes are larger than assumed"
        at, what = _call(failure, c), _what(failure, least.task.code, c)
        yield [head, f"  {_cut(f'{at}: {what}' if at else what)}"]


def _rank(r: Result) -> tuple[bool, int]:
    """The order of failures: those of launches last, then by the product of sizes."""
    code, c = r.task.code, r.outcome.beyond
    return code is None or code.kind == "launch", prod((c or {})["sizes"].values())


def _bounds(r: Result) -> list[str]:
    """Bounds for the sizes of a claim that no fact and no assumption bounds from above."""
    code, reason = r.task.code, r.outcome.reason
    if code is None or reason.startswith((RESTS, "not understood")) or not r.task.claim.word:
        return []
    arrays = {a.array for a in code.kernel.accesses}
    names = names_in(*r.task.claim.texts) - RESERVED - arrays
    facts = (*map(str, r.task.claim.facts), *r.task.may_be_assumed)
    known = {f.split()[0] for f in facts if BOUND.search(f)}
    constants = code.kernel.constants
    assumes = not any(NOTHING_ASSUMED.search(t) for t, _ in code.contract)
    free = [n for n in code.kernel.parameters if n in names - known and n not in constants]
    texts = [f"{n} <= 1024" for n in constants if n in names - known]
    return [*([] if assumes else [f"{n} <= {1 << 30}" for n in free]), *texts]


def help_lines(r: Result) -> Iterator[str]:
    """What to write instead: changes of the code that were checked, else facts for the contract."""
    facts = alternatives(r.hint) if r.outcome.status == "refuted" else []
    programs = () if r.task.code is None else r.task.code.kernel.programs.values()
    facts = [f for f in facts if names_in(f).isdisjoint(programs)]  # no contract has these
    rest = "" if SENTENCE.fullmatch(r.hint) else r.hint
    edits = [f for f in r.changes if not f.title.startswith("require ")]
    ways: list[str] = []
    if edits:
        at, here = edits[0].place.line, place_of(r)
        other = here is not None and at != here.line and edits[0].last is None
        where = f" in line {at}" if other else ""  # changes of several lines name each
        ways.append(f"{edits[0].title}{where}")
    elif r.task.code is not None and r.task.code.kind == "blocks":
        lengths = _whole_lengths(r, r.task.code)
        ways.append(
            f"{lengths or 'pad the rows'}, or use DataCopyPad, which copies any number of bytes"
        )
        facts = [] if lengths else facts  # else they say that nothing is copied
    if not (facts or rest or edits) and r.task.code is not None and r.task.code.kind == "launch":
        facts = [t for t in r.task.claim.texts if names_in(t).isdisjoint(programs)]
    if facts:
        text = " or ".join(f"`where {f}`" for f in facts)
        strength = "sufficient, not necessary" if r.hint.startswith("it holds if") else "exact"
        ways.append(f"require {text} ({strength})")
    ways = ways or [rest] * bool(rest)
    for k, way in enumerate(ways):
        yield _cut(f"{'or' if k else 'help:'} {way}")


def _whole_lengths(r: Result, code: Code) -> str:
    """The numbers of elements next to a length that are whole blocks."""
    place, c = code.accesses[-1], r.outcome.counterexample
    beside = (a.array for a in code.kernel.accesses if a.span.line == place.span.line)
    size = code.kernel.elements.get(next(beside, ""), 0) // 8
    value = code.value(place, values_at(r, c["coords"])) if c is not None else None
    if place.kind != "length" or not value or not size or COPIED % size:
        return ""
    less = value // COPIED * COPIED // size
    return f"copy {f'{less} or ' if less else ''}{less + COPIED // size} elements"


def expression_of(r: Result) -> dict[str, Any] | None:
    """The expression that a claim about a kernel fails in, as plain data."""
    place = place_of(r)
    if place is None or r.task.code is None:
        return None
    at = place.column - 1 - place.cut
    text = place.source[at : at + place.width]
    return {"text": text, "line": place.line, "column": place.column}


def _cut(text: str) -> str:
    return text if len(text) <= LENGTH else f"{text[:LENGTH]} ... (-v shows all)"


def _call(r: Result, c: Mapping[str, Any]) -> str:
    """The sizes and the thread: `M = 32769, N = 65536, pid = 32768, lane 0`."""
    sizes = [text] if (text := sizes_text(r.task, c)) else []
    rows = _rows(r, c)
    threads = [t for words, values in rows if (t := _thread(r.task.code, words, values, c))]
    return ", ".join([*sizes, " and ".join(threads)] if threads else sizes)


def _rows(r: Result, c: Mapping[str, Any]) -> list[tuple[list[str], tuple[int, ...]]]:
    """The names and values of each of the threads that a counterexample is about."""
    words = variables(r.task)
    second = _second(words) if _is_of_two(r) else 0
    if second:
        parts = [(words[:second], c["coords"][:second]), (words[second:], c["coords"][second:])]
        return [(w, tuple(v)) for w, v in parts]
    return [(words, tuple(x)) for x in (c["coords"], c.get("other")) if x]


def _is_of_two(r: Result) -> bool:
    """Whether a claim says that two threads do not meet: its map has a thread after the other."""
    c, code = r.outcome.counterexample, r.task.code
    return (
        code is not None
        and code.kind in ("race", "once")
        and c is not None
        and _number(c["right"]) == 0
    )


def _second(words: list[str]) -> int:
    """Where the names of the second thread begin."""
    own = (k for k, w in enumerate(words) if k and AGAIN.sub("", w) == words[0])
    return next(own, 0)


def _thread(
    code: Code | None, words: list[str], values: tuple[int, ...], c: Mapping[str, Any]
) -> str:
    rows = [(w, v) for w, v in zip(words, values) if w != "store"]
    lanes = [str(v) for w, v in rows if LANE.fullmatch(w)]
    env = {**c["sizes"], **dict(rows)}
    parts = [_variable(code, w, v, env) for w, v in rows if not LANE.fullmatch(w)]
    on_cores = code is not None and CORES in code.text
    if lanes:
        word = "element" if on_cores else "lane"
        parts.append(f"{word} {lanes[0]}" if len(lanes) == 1 else f"{word} ({', '.join(lanes)})")
    text = ", ".join(parts)
    return text.replace("blockIdx.x", f"{CORES}()") if on_cores else text


def without_casts(text: str) -> str:
    """A formula without the conversions of its parts, which its author did not write.

    >>> without_casts("int64(int32(uint32(i)*256 + 1)) + int64(k) is 5")
    '(i*256 + 1) + k is 5'
    """
    while CAST.search(text) is not None:
        text = CAST.sub(lambda m: m[1] if m[2] else f"({m[1]})", text)
        text = regex(r"\(\(([^()]*)\)\)").sub(r"(\1)", text)
    return text


def _variable(code: Code | None, word: str, value: int, env: Mapping[str, int]) -> str:
    """A variable by its name in the source; of a counter of turns its value, too."""
    name = word
    while code is not None and AGAIN.search(name) and not re.search(rf"\b{name}\b", code.text):
        name = AGAIN.sub("", name)
    if code is not None and (number := _counter(code, name, word, env)) not in (None, value):
        return f"{name} = {number} (iteration {value})"
    return f"{c_names(name)} = {value}"


def _counter(code: Code, name: str, word: str, env: Mapping[str, int]) -> int | None:
    """The value that a loop's variable has in a turn, where it is not the number of the turn."""
    for access in code.accesses:
        own = next((r.word for r in access.ranges if word in (r.word, f"{r.word}_2")), None)
        for span, node in code.kernel.written.items() if own else ():
            if own in node.names and code.source(span) == name:
                return code.number(access, node, {**env, own: env[word]})
    return None


def c_names(text: str) -> str:
    """Names of coordinates as C has them.

    >>> c_names("blockIdx_x*256")
    'blockIdx.x*256'
    """
    return COORDINATE.sub(r"\1.\2", text)


def _what(r: Result, code: Code, c: Mapping[str, Any]) -> str:
    """The value that fails, with its limit."""
    reason = c_names(without_casts(AT.sub("", r.outcome.reason, 1)))
    span = _span(r)
    source = f"`{code.source(span)}`" if span is not None else ""
    if code.kind == "divisor" and source:
        value = code.value(code.accesses[-1], values_at(r, c["coords"]))
        return f"{source} is {value}" if value is not None else f"{source} may be 0"
    if code.kind == "blocks" and source:
        return f"{source} {_of_blocks(r, code, c)}, not a multiple of {COPIED}"
    if c["left"] == "undefined":
        return f"{source} divides by 0" if _divides(r) else _cut(reason)
    if (limit := LIMIT.search(r.task.name)) is not None and _number(c["left"]) is not None:
        return f"{limit[1]} is {c['left']}; it is at most {c['right']}"
    if (loop := OF_LOOP.search(r.task.name)) is not None and _number(c["left"]) is not None:
        side = "most" if c["left"] > c["right"] else "least"
        type = m[1] if (m := TYPE.search(r.outcome.reason)) is not None else "it"
        return f"{loop[0]} is {c['left']}; {type} is at {side} {c['right']}"
    if code.kind == "fits":
        over = code.overflow(values_at(r, c["coords"]))
        return _cut(reason) if over is None else _overflows(source, over)
    if code.accesses and (text := _of_element(r, code, c, source)):
        return text
    return _cut(f"{source}: {reason}" if source else reason)


def _of_blocks(r: Result, code: Code, c: Mapping[str, Any]) -> str:
    """What a copy of AscendC's does that is not of whole blocks."""
    place = code.accesses[-1]
    value = code.value(place, values_at(r, c["coords"]))
    number = "a number" if value is None else value
    if place.kind == "length":
        return f"copies {number} bytes"
    where = "local" if place.kind.startswith("local") else "global"
    return f"begins at byte {number} of the {where} tensor"


def _of_element(r: Result, code: Code, c: Mapping[str, Any], source: str) -> str:
    """Which element of which array an access reaches that it should not, or that none reaches."""
    access = code.accesses[-1]
    array, left, right = access.array, _number(c["left"]), _number(c["right"])
    two = _is_of_two(r)
    element = c["left"] if left is None and ROW.fullmatch(str(c["left"])) else left
    if (two or c.get("other") is not None) and element is not None:
        verbs = dict.fromkeys(VERBS.get(a.kind, "reach") for a in code.accesses)
        who = f"lines {_lines(code)}" if len({a.span.line for a in code.accesses}) > 1 else "both"
        return f"{who} {' and '.join(verbs)} element {element} of {array}"
    if not c["coords"] and element is not None:
        who = "core" if CORES in code.text else "program"
        return f"no {who} stores to element {element} of {array}"
    if c.get("other") is not None or left is None:
        return ""
    if right is None or r.task.claim.word not in ("bounded", "bijective", "injective"):
        return ""
    return f"{source or array} is element {left} of {array}, which has {right}"


def _lines(code: Code) -> str:
    numbers = sorted({a.span.line for a in code.accesses})
    return " and ".join([", ".join(map(str, numbers[:-1])), str(numbers[-1])])


def _number(value: Any) -> int | None:
    """A number, also as text."""
    return int(value) if re.fullmatch(r"-?\d+", str(value)) else None


def _overflows(source: str, over: Overflow) -> str:
    side = "most" if over.value > over.limit else "least"
    return f"{source} is {over.value}; an {over.type} is at {side} {over.limit}"


def _divides(r: Result) -> Span | None:
    """The division by 0 that a counterexample shows."""
    code, c = r.task.code, r.outcome.counterexample
    if code is None or c is None or c["left"] != "undefined":
        return None
    return code.division(values_at(r, c["coords"]))
