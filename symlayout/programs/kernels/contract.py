"""What a comment above a kernel promises: the grid, the layouts of its arrays, what is written, facts.

# symlayout: kernel grid (cdiv(n, B),)
#   x_ptr is f32[n]
#   y_ptr is f32[n] written once
#   where n <= 1073741824, B <= 65536
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.machine import BOOL, INT, Machine
from symlayout.text.brackets import split_commas
from symlayout.text.patterns import regex

ARRAY = regex(r"([A-Za-z_]\w*)\s+is\s+(.+)", re.S)
NEXT_ARRAY = regex(r"\s*,\s*(?=[A-Za-z_]\w*\s+is\s)")
PROMISE = regex(r"\s+written\s+(once|at\s+most\s+once)\s*$|\s+(accumulated)\s*$")
PROMISE_LIKE = regex(r"[\])}]\s+((?:writ|accum)[a-z]*\b.*)", re.S)
PROMISES = ["written once", "written at most once", "accumulated"]
WORDS = ["grid", "block", "where", "symbol", "assume"]
STRIDES_LIKE = regex(r"\]\s*([A-Za-z]+)\s*\(")
BELOW = regex(r"\s+below\s+(.+)$", re.S)
TYPED = regex(r"(?:strided\s+)?(?:(bf|[fsuc])(\d+)(?:e\d+m\d+\w*)?|(pred))\[")
INTEGER = regex(r"(?<![\w])i(8|16|32|64)(?=\[)")
BLOCK = regex(r"\bblock\s*(?=\()")
BLOCK_LIKE = regex(r"\)\s*([A-Za-z_]\w*)\s*(?=\()")
NAME = regex(r"(?<![\w.])[A-Za-z_]\w*")
# a name that no call follows, and not the word of `BLOCK in {64, 128}`
PLAIN_NAME = regex(r"(?<![\w.])(?!in\s*\{)[A-Za-z_]\w*(?!\w|\s*\()")
SYMBOLS = regex(r"symbol\s+(?!is\b)[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*")
NOTHING_ASSUMED = regex(r"assume\s+none")
SLASH = regex(r"(?<!/)/(?!/)")
C_TYPE = regex(r"(strided\s+)?((?:[A-Za-z_]\w*\s+)*[A-Za-z_]\w*)\s*(?=\[)")
C_TYPES = {
    **{"float": "f32", "double": "f64", "half": "f16", "__half": "f16", "bool": "pred"},
    **{"__nv_bfloat16": "bf16", "bfloat16_t": "bf16", "float16_t": "f16", "size_t": "u64"},
    **{f"int{n}_t": f"s{n}" for n in (8, 16, 32, 64)},
    **{f"uint{n}_t": f"u{n}" for n in (8, 16, 32, 64)},
}
MODULES = regex(r"\b(?:tl|triton|pl|math)\.(?=[a-z])")


@dataclass(frozen=True)
class Promise:
    """An array's layout, what is promised of it, and below what the numbers in it are.

    `written` is "once", "at most once", "accumulated" or "".
    """

    name: str
    layout: str
    written: str = ""
    below: str = ""
    at: int = 0


@dataclass(frozen=True)
class Element:
    """The type of an array's elements: its bits, and that of integers.

    >>> element_of("u8[n]").numbers, element_of("f32[n]").numbers, element_of("(8):(1)").bits
    (range(0, 256), None, 0)
    """

    bits: int
    machine: Machine | None = None

    @property
    def numbers(self) -> range | None:
        """The numbers of an integer type."""
        kind = self.machine
        return None if kind is None else range(kind.low, kind.high + 1)

    @property
    def type(self) -> Machine:
        """What its numbers are computed in."""
        return (self.machine or Machine(max(self.bits, INT.bits))).promoted


def element_of(layout: str) -> Element:
    """The type that a layout's text begins with; of 0 bits where it names none."""
    match = TYPED.match(layout)
    if match is None:
        return Element(0)
    if match[3]:
        return Element(8, BOOL)
    bits = int(match[2])
    return Element(bits, Machine(bits, match[1] == "s") if match[1] in ("s", "u") else None)


@dataclass
class Contract:
    """A contract that was read; places count from the beginning of the file."""

    grid: tuple[str, ...] | None = None
    block: tuple[str, ...] | None = None
    arrays: dict[str, Promise] = field(default_factory=dict)
    facts: list[tuple[str, int]] = field(default_factory=list)
    at: int = 0
    assume: bool = True  # of sizes that have no bound here; `assume none` says otherwise

    def put(self, constants: Mapping[str, int]) -> Contract:
        """The contract with the numbers that the file gives names."""

        def change(text: str) -> str:
            return NAME.sub(lambda m: str(constants.get(m[0], m[0])), text)

        arrays = {
            n: replace(p, layout=change(p.layout), below=change(p.below))
            for n, p in self.arrays.items()
        }
        return replace(self, arrays=arrays, facts=[(change(f), at) for f, at in self.facts])

    def check_slashes(self, signed: Collection[str]) -> None:
        """Raises `LayoutError` (SL502) for C's `/` of a size that may be below 0."""
        texts = [(t, self.at) for t in (*(self.grid or ()), *(self.block or ()))]
        texts += [(t, p.at) for p in self.arrays.values() for t in (p.layout, p.below)]
        for text, at in (*texts, *self.facts):
            names = {*signed}.intersection(NAME.findall(text)) if SLASH.search(text) else ()
            if names:
                message = f"{min(names)} may be below 0, and C's / rounds towards 0: {text!r}"
                raise LayoutError("SL502", message, at=at, help="write // for rounding down")

    def in_c(self) -> Contract:
        """The contract with C's own spellings: `/` rounds down, as sizes are not below 0.

        >>> lines = [("kernel grid ((n + 255) / 256,)", 0), ("x is const unsigned char[n]", 31)]
        >>> contract = read_contract(lines).in_c()
        >>> contract.grid, contract.arrays["x"].layout
        (('(n + 255) // 256',), 'u8[n]')
        """

        def change(text: str) -> str:
            return SLASH.sub("//", text)

        def sizes(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if texts is None else tuple(map(change, texts))

        arrays = {
            n: replace(p, layout=_c_type(change(p.layout)), below=change(p.below))
            for n, p in self.arrays.items()
        }
        facts = [(change(f), at) for f, at in self.facts]
        return replace(
            self, grid=sizes(self.grid), block=sizes(self.block), arrays=arrays, facts=facts
        )

    def respell(self, table: Mapping[str, str]) -> Contract:
        """The contract with parameters by the names that claims have for them.

        `max(` stays a function, and the words of a map stay its own.
        """
        if not table:
            return self

        def change(text: str) -> str:
            return PLAIN_NAME.sub(lambda m: table.get(m[0], m[0]), text)

        def sizes(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if texts is None else tuple(map(change, texts))

        arrays = {
            n: replace(
                p,
                layout=p.layout if p.layout.startswith("map ") else change(p.layout),
                below=change(p.below),
            )
            for n, p in self.arrays.items()
        }
        facts = [(change(f), at) for f, at in self.facts]
        return replace(
            self, grid=sizes(self.grid), block=sizes(self.block), arrays=arrays, facts=facts
        )


def read_contract(lines: Sequence[tuple[str, int]]) -> Contract:
    """The contract of a comment's lines, each with its place in the file.

    >>> contract = read_contract([("kernel grid (cdiv(n, B),)", 0), ("y is f32[n] written once", 30)])
    >>> contract.grid, contract.arrays["y"].written
    (('cdiv(n, B)',), 'once')

    Raises `LayoutError` (SL502): a line that is none of a contract; `at` is its place in the file.
    """
    head, *rest = lines
    contract = Contract(at=head[1])
    first = head[0].strip().removeprefix("kernel").strip()
    rows = [(t.strip(), at + len(t) - len(t.lstrip())) for t, at in rest]
    rows = [array for row in rows for array in _arrays(*row)]
    for text, at in ([(first, head[1])] if first else []) + rows:
        word = text.split(None, 1)[0] if text else ""
        if word.startswith(("grid", "block")) and not ARRAY.fullmatch(text):
            for part in _launch(text, at):
                _sizes(contract, part, at)
        elif word == "where" and len(text) > len(word):
            contract.facts += _facts(text, at)
        elif NOTHING_ASSUMED.fullmatch(text):
            contract.assume = False
        elif SYMBOLS.fullmatch(text):
            contract.facts += [(f"symbol {n}", at) for n in _parts(text[len(word) :])]
        elif ARRAY.fullmatch(text):
            promise = _promise(text, at)
            if promise.name in contract.arrays:
                raise _error(f"{promise.name} is given twice", text, at)
            contract.arrays[promise.name] = promise
        else:
            help = did_you_mean(word, WORDS)
            raise _error(f"not a line of a contract: {text!r}", "", at, help)
    return contract


def _arrays(text: str, at: int) -> list[tuple[str, int]]:
    """The arrays that one line describes, each with its place: `x is f32[n], y is f32[n]`."""
    ends = [m.span() for m in NEXT_ARRAY.finditer(text)] if ARRAY.fullmatch(text) else []
    starts = [0, *[end for _, end in ends]]
    stops = [*[start for start, _ in ends], len(text)]
    return [(text[a:b], at + a) for a, b in zip(starts, stops)]


def _facts(text: str, at: int) -> list[tuple[str, int]]:
    """The facts of a line that begins with `where`, each with its place."""
    facts, end = [], len("where")
    for part in _parts(text[end:]):
        start = text.index(part, end)
        end = start + len(part)
        facts.append((_plain(part), at + start))
    return facts


def _c_type(layout: str) -> str:
    """The layout with an element type of C's in that of layouts: `const float[n]` is `f32[n]`."""
    match = C_TYPE.match(layout)
    if match is None:
        return layout
    words = [w for w in match[2].split() if w != "const"]
    long = words.count("long")
    rest = sorted(w for w in words if w not in ("long", "int", "signed", "unsigned"))
    sign = "u" if "unsigned" in words else "s"
    if not rest:
        bits = 64 if long else 32
        return f"{match[1] or ''}{sign}{bits}{layout[match.end(2) :]}" if words else layout
    if rest == ["short"] or (rest == ["char"] and len(words) > 1):  # a char alone has no known sign
        kind = f"{sign}{16 if rest == ['short'] else 8}"
    else:
        kind = C_TYPES.get(" ".join(words), "")
    return f"{match[1] or ''}{kind}{layout[match.end(2) :]}" if kind else layout


def _error(message: str, text: str, at: int, help: str | None = None) -> LayoutError:
    help = help or (
        "a contract has `grid (..)`, `NAME is LAYOUT [written once]`, `where FACTS`, `symbol NAME`,"
        " `assume none`"
    )
    return LayoutError("SL502", f"{message}: {text!r}" if text else message, help=help, at=at)


def _launch(text: str, at: int) -> list[str]:
    """`grid (..)` and `block (..)`, which may stand in one line."""
    match = BLOCK.search(text, 1)
    near = BLOCK_LIKE.search(text)
    if near is not None and match is None and (help := did_you_mean(near[1], ["block"])):
        raise _error(f"not a line of a contract: {text!r}", "", at, help)
    return [text] if match is None else [text[: match.start()].strip(), text[match.start() :]]


def _sizes(contract: Contract, text: str, at: int) -> None:
    name = "grid" if text.startswith("grid") else "block"
    if getattr(contract, name) is not None:
        raise _error(f"the {name} is given twice", text, at)
    setattr(contract, name, _grid(text, at, name))


def _grid(text: str, at: int, name: str) -> tuple[str, ...]:
    inside = text[len(name) :].strip()
    if inside.startswith("(") and inside.endswith(")") and _closes(inside):
        inside = inside[1:-1]
    parts = [_plain(p) for p in _parts(inside)]
    if not 1 <= len(parts) <= 3:
        raise _error(f"a {name} has one to three sizes", text, at)
    return tuple(parts)


def _closes(text: str) -> bool:
    """Whether the first parenthesis is closed by the last character."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            return k == len(text) - 1
    return False


def _promise(text: str, at: int) -> Promise:
    match = ARRAY.fullmatch(text)
    assert match is not None
    name, layout = match[1], match[2].strip()
    below = BELOW.search(layout)
    if below is not None:
        layout = layout[: below.start()]
    written = PROMISE.search(layout)
    word = ""
    if written is not None:
        word = " ".join((written[1] or written[2]).split())
        layout = layout[: written.start()]
    near = PROMISE_LIKE.search(layout)
    if near is not None:
        what = "an array is `written once`, `written at most once` or `accumulated`"
        help = did_you_mean(near[1].strip(), PROMISES)
        raise _error(f"{what}, not {near[1]!r}", text, at, help)
    stride = STRIDES_LIKE.search(layout)
    if (
        stride is not None
        and stride[1] != "strides"
        and (help := did_you_mean(stride[1], ["strides"]))
    ):
        raise _error(f"unknown word {stride[1]!r} behind the sizes", text, at, help)
    layout = INTEGER.sub(r"s\1", layout.strip())
    if re.search(r"\]\s*strides\s*\(", layout) and not layout.startswith("strided"):
        layout = f"strided {layout}"
    return Promise(name, layout, word, _plain(below[1]) if below else "", at)


def _plain(text: str) -> str:
    return MODULES.sub("", text.strip())


def _parts(text: str) -> list[str]:
    """The parts between commas, empty ones left out."""
    return [p.strip() for p in split_commas(text) if p.strip()]
