"""Reading StableHLO text (`.mlir`): functions, operations with their types, `?` sizes.

An operation is read from its own line: what it is given and what comes out stand in its types.
Operations with regions, and those of other dialects, are passed over; their types are still read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symlayout.errors import LayoutError
from symlayout.hlo.module import Computation, Instruction, Module, Operand
from symlayout.hlo.nesting import STRING, closing
from symlayout.terms import Size
from symlayout.xla import AnyShape, Dynamic, OpaqueShape, Shape

MODULE = re.compile(r"\bmodule\b[ \t]*(?:@(?P<name>[\w.\-$]+))?")
FUNCTION = re.compile(r"[ \t]*func\.func[ \t]+(?:(?:public|private)[ \t]+)?@(?P<name>[\w.\-$]+)")
OPERATION = re.compile(
    r"[ \t]*(?:(?P<name>%[\w$.\-]+)(?P<many>:\d+)?[ \t]*=[ \t]*)?"
    r'"?(?:stablehlo|mhlo)\.(?P<op>\w+)"?'
)
NAME = re.compile(r"%[\w$.\-]+(?:#\d+)?")
ATTRIBUTE = re.compile(
    r"(?P<key>\w+) = (?:(?P<list>\[[^\]]*\])|array<i64(?P<array>[^>]*)>|(?P<number>-?\d+))"
)
WINDOW = re.compile(r"\[(\d+(?::\d+){1,2}(?:,\s*\d+(?::\d+){1,2})*)?\]")
TENSOR = re.compile(r"tensor<")
SPECIAL = re.compile(STRING + r"|//[^\n]*|[(){}\[\]\n]|->| : ")
DTYPE = re.compile(r"(?P<kind>ui|si|i|f|bf|tf)(?P<bits>\d+)$")
# StableHLO's attribute, and what HLO calls it
ATTRIBUTES = {
    "dims": "dimensions",
    "dim": "dimensions",
    "dimension": "dimensions",
    "permutation": "dimensions",
    "broadcast_dimensions": "dimensions",
    "dimensions": "dimensions",
    "sizes": "dynamic_slice_sizes",
    "slice_sizes": "dynamic_slice_sizes",
    "low": "low",
    "high": "high",
    "interior": "interior",
    "edge_padding_low": "low",
    "edge_padding_high": "high",
    "interior_padding": "interior",
}


def read_stablehlo(text: str) -> Module:
    """The module of a StableHLO text, its operations named as HLO names them.

    Mistakes do not raise: they are in `problems`, one to a function, with their place.

    >>> module = read_stablehlo('''func.func @f(%a: tensor<3xf32>) -> tensor<2x3xf32> {
    ...   %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    ... }''')
    >>> made = module.computations[0].instructions[0]
    >>> made.opcode, str(made.operands[0].shape), str(made.shape), made.attributes
    ('broadcast_in_dim', 'f32[3]', 'f32[2,3]', {'dimensions': '{1}'})
    """
    return _Reader(text).module()


def read_type(text: str, at: int = 0) -> tuple[AnyShape, int]:
    """The type at `at` as a shape, and where it ends; a `tensor` or a word for something else.

    >>> [str(read_type(t)[0]) for t in ("tensor<2x?xbf16>", "tensor<i1>", "tensor<4xcomplex<f32>>")]
    ['bf16[2,?]', 'pred[]', 'c64[4]']

    Raises `LayoutError` (SL720) for a tensor type that cannot be read.
    """
    found = TENSOR.match(text, at)
    if found is None:
        word = re.compile(r"[!\w.]+(?:<[^<>]*>)?").match(text, at)
        if word is None:
            raise LayoutError("SL720", "expected a type such as tensor<2x3xf32>", text=text, at=at)
        return OpaqueShape("opaque"), word.end()
    depth = 1
    for bracket in re.compile(r"[<>\n]").finditer(text, found.end()):
        depth += {"<": 1, ">": -1, "\n": 0}[bracket.group()]
        if depth == 0:
            return _tensor(text, found.end(), bracket.start()), bracket.end()
        if bracket.group() == "\n":
            break
    raise LayoutError("SL720", "the type is never closed with '>'", text=text, at=at)


def _tensor(text: str, start: int, stop: int) -> Shape:
    """The shape between the angle brackets of a tensor type."""
    body, _, encoding = text[start:stop].partition(",")
    sizes: list[int | None] = []
    at = start
    size = re.compile(r"(\d+|\?)x")
    while (found := size.match(text, at)) is not None:
        sizes.append(None if found.group(1) == "?" else int(found.group(1)))
        at = found.end()
    dtype = _dtype(text[at : start + len(body)].strip())
    if dtype is None:
        raise LayoutError(
            "SL720", f"{text[at:stop]!r} is no element type", text=text, at=at, end=stop
        )
    bounds = _bounds(encoding, len(sizes))
    dims: list[Size | Dynamic] = [Dynamic(b) if d is None else d for d, b in zip(sizes, bounds)]
    return Shape(dtype, tuple(dims))


def _bounds(encoding: str, rank: int) -> list[int | None]:
    """The bounds of `#stablehlo.bounds<?, 5>`, None where there is none."""
    found = re.search(r"bounds\s*(?:=\s*\[|<)([^\]>]*)", encoding)
    words = [] if found is None else [w.strip() for w in found.group(1).split(",")]
    bounds = [int(w) if w.isdigit() else None for w in words]
    return bounds if len(bounds) == rank else [None] * rank


def _dtype(word: str) -> str | None:
    """HLO's name of an element type: `i32` is s32, `i1` pred, `complex<f32>` c64."""
    from symlayout.xla.dtypes import BITS

    if word.startswith("complex<"):
        return {"f32": "c64", "f64": "c128"}.get(word[8:].rstrip(">"))
    if word in ("i1", "index"):
        return {"i1": "pred", "index": "s64"}[word]
    found = DTYPE.match(word)
    if found is not None and found["kind"] in ("i", "si", "ui"):
        word = ("u" if found["kind"] == "ui" else "s") + found["bits"]
    return word.lower() if word.lower() in BITS else None


class _Reader:
    """A position in the text; each function becomes a computation."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[LayoutError] = []

    def module(self) -> Module:
        title = MODULE.search(self.text)
        starts = list(re.finditer(FUNCTION.pattern, self.text))
        computations = []
        for number, found in enumerate(starts):
            stop = starts[number + 1].start() if number + 1 < len(starts) else len(self.text)
            made = self.function(found, stop)
            if made is not None:
                computations.append(made)
        if not starts:
            self.problems.append(
                LayoutError("SL720", "there is no func.func in this text", text=self.text, at=0)
            )
        name = title["name"] if title is not None and title["name"] else ""
        return Module(name, self.text, tuple(computations), tuple(self.problems), "stablehlo")

    def function(self, header: re.Match[str], stop: int) -> Computation | None:
        """The operations of one function, None where one of them cannot be read."""
        try:
            made = list(self.operations(header.end(), stop))
        except LayoutError as error:
            self.problems.append(error)
            return None
        name = header["name"]
        return Computation(name, tuple(made), name == "main", header.start("name"))

    def operations(self, at: int, stop: int) -> Iterator[Instruction]:
        while at < stop:
            end = self.text.find("\n", at, stop)
            end = stop if end < 0 else end
            found = OPERATION.match(self.text, at, end)
            colon, arrow = self.signature(at, end)
            if found is not None and colon is not None:
                made = self.operation(found, colon, arrow, end)
                if made is not None:
                    yield made
            else:
                for tensor in TENSOR.finditer(self.text, at, end):
                    read_type(self.text, tensor.start())
            at = end + 1

    def signature(self, at: int, end: int) -> tuple[int | None, int | None]:
        """Where the types of a line begin, and the arrow between them; None where there is none."""
        colon = arrow = None
        depth = 0
        for found in SPECIAL.finditer(self.text, at, end):
            token = found.group()
            if token[0] in "({[":
                depth += 1
            elif token[0] in ")}]":
                depth -= 1
            elif token == " : " and depth <= 0:
                colon, arrow = found.end(), None
            elif token == "->" and depth <= 0:
                arrow = found.end()
        return colon, arrow if colon is not None and (arrow or 0) > colon else None

    def operation(
        self, found: re.Match[str], colon: int, arrow: int | None, end: int
    ) -> Instruction | None:
        """The operation of a line, None where its types say too little."""
        inner = self.text[found.end() : colon - 3]
        names = NAME.findall(re.sub(r"<?\{.*", "", inner))
        if arrow is None:
            types = self.types(colon, end)
            given = _operand_types(found["op"], types, len(names))
            results = types[-1:]
        else:
            given, results = self.types(colon, arrow - 2), self.types(arrow, end)
        if given is None or len(results) != 1 or found["many"]:
            return None
        names += [""] * (len(given) - len(names))
        return Instruction(
            (found["name"] or "").removeprefix("%"),
            found["op"] if found["op"] == "broadcast_in_dim" else found["op"].replace("_", "-"),
            results[0],
            tuple(Operand(n.removeprefix("%"), t) for n, t in zip(names, given)),
            rest=_attributes(found["op"], inner),
            at=found.start("op"),
            shape_at=colon,
            shape_end=end,
        )

    def types(self, start: int, stop: int) -> list[AnyShape]:
        """The types of a list, with or without parentheses around it."""
        at = start + len(self.text[start:stop]) - len(self.text[start:stop].lstrip())
        if self.text.startswith("(", at):
            stop, at = closing(self.text, at, stop) - 1, at + 1
        made: list[AnyShape] = []
        while self.text[at:stop].strip(" \r,{"):
            while self.text[at] in " ,":
                at += 1
            if self.text[at] in "{(":  # attributes or a region behind the types
                break
            shape, at = read_type(self.text, at)
            made.append(shape)
        return made


def _operand_types(op: str, types: list[AnyShape], count: int) -> list[AnyShape] | None:
    """The operands' types where one list stands for operands and result."""
    if len(types) == 1:
        return types * count
    if op == "select" and len(types) == 2:
        return [types[0], types[1], types[1]]
    return None


def _attributes(op: str, inner: str) -> str:
    """The attributes that the shape rules need, in HLO's notation."""
    found: dict[str, list[str]] = {}
    for m in ATTRIBUTE.finditer(inner):
        key = ATTRIBUTES.get(m["key"])
        if key is not None:
            words = re.findall(r"-?\d+", m["list"] or m["array"] or m["number"] or "")
            found.setdefault(key, words)
    parts = []
    for key in ("dimensions", "dynamic_slice_sizes"):
        if key in found:
            name = "iota_dimension" if op == "iota" else key
            parts.append(f"{name}={{{','.join(found[key])}}}")
    if op == "pad" and {"low", "high", "interior"} <= set(found):
        triples = zip(found["low"], found["high"], found["interior"])
        parts.append(f"padding={'x'.join('_'.join(t) for t in triples)}")
    window = WINDOW.search(inner) if op == "slice" else None
    if window is not None:
        parts.append(
            f"slice={{{', '.join(f'[{w.strip()}]' for w in (window[1] or '').split(','))}}}"
        )
    return ", ".join(parts)
