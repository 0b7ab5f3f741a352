"""Types of MLIR text as shapes."""

from __future__ import annotations

import re
from functools import lru_cache

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size
from symlayout.layouts.xla import AnyShape, Dynamic, OpaqueShape, Shape, TupleShape
from symlayout.layouts.xla.dtypes import mlir_dtype
from symlayout.programs.hlo.module import UNKNOWN
from symlayout.programs.hlo.nesting import TEXTS, closing
from symlayout.text.patterns import regex

# element types that exist and that HLO has no name for
OTHER = regex(
    r"(?:s|u)?i\d+$|f6E\w+$|f8E\w+$|f4E\w+$|tf32$|f80$|f128$|none$|vector<|complex<\w+>$|!|#"
)
SIZE = regex(r"(\d+|\?|\*)\s*+x\s*+")
HEAD = regex(r"\s*+(tensor|tuple)\s*+<")
WORD = regex(r"\s*+[!\w.]++(?=[\s,()<{]|$)")
ANGLE = regex(TEXTS + r"|->|[<>]=|[<>]", re.S)


def read_type(text: str, at: int = 0) -> tuple[AnyShape, int]:
    """The type at `at` as a shape, and where it ends.

    >>> [str(read_type(t)[0]) for t in ("tensor<2x?xbf16>", "tensor<i1>", "tensor<4xcomplex<f32>>")]
    ['bf16[2,?]', 'pred[]', 'c64[4]']

    What has no shape that HLO could name (quantised elements, tensors without a rank) is `UNKNOWN`.
    Raises `LayoutError` (SL720) for a tensor type that cannot be read.
    """
    head = HEAD.match(text, at)
    if head is None:
        word = WORD.match(text, at)
        if word is None or not word.group().strip():
            raise LayoutError("SL720", "expected a type such as tensor<2x3xf32>", text=text, at=at)
        end = word.end()
        if text.startswith("<", end):
            end = angle_end(text, end)
        token = word.group().strip() in ("!stablehlo.token", "!mhlo.token")
        return OpaqueShape("token") if token else UNKNOWN, end
    end = angle_end(text, head.end() - 1)
    inside = text[head.end() : end - 1]
    try:
        return (_tuple(inside) if head[1] == "tuple" else _tensor(inside)), end
    except LayoutError as error:
        place = head.end() + (error.at or 0)
        raise LayoutError(error.code, error.message, text=text, at=place, end=end - 1) from None


def angle_end(text: str, at: int) -> int:
    """The place behind the `>` that closes the `<` at `at`."""
    depth = 0
    for match in ANGLE.finditer(text, at):
        depth += {"<": 1, ">": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    raise LayoutError("SL720", "the type is never closed with '>'", text=text, at=at)


def read_types(text: str, at: int, stop: int) -> tuple[list[AnyShape], int]:
    """The types of a list, with or without parentheses around it, and where it ends.

    >>> [str(t) for t in read_types("(tensor<2xf32>, tensor<i32>) loc(#a)", 0, 28)[0]]
    ['f32[2]', 's32[]']
    """
    shapes: list[AnyShape] = []
    at = _skip(text, at, stop)
    inside = text.startswith("(", at, stop)
    at += inside
    while True:
        at = _skip(text, at, stop)
        if inside and text.startswith(")", at):
            return shapes, at + 1
        if at >= stop:
            return shapes, at
        shape, at = read_type(text, at)
        shapes.append(shape)
        at = _skip(text, at, stop)
        while inside and text[at : at + 1] == "{":  # attributes of a result
            at = _skip(text, closing(text, at), stop)
        if not text.startswith(",", at):
            if inside and not text.startswith(")", at):
                raise LayoutError("SL720", "expected ',' or ')' in types", text=text, at=at)
            return shapes, at + inside
        at += 1


def _skip(text: str, at: int, stop: int) -> int:
    while at < stop and text[at].isspace():
        at += 1
    return at


def _tuple(inside: str) -> AnyShape:
    shapes, end = read_types(inside, 0, len(inside))
    if inside[end:].strip():
        raise LayoutError("SL720", "expected types with commas between", text=inside, at=end)
    return TupleShape(tuple(shapes))


@lru_cache(maxsize=4096)
def _tensor(inside: str) -> AnyShape:
    """The shape between the angle brackets of a tensor type."""
    sizes: list[str] = []
    at = len(inside) - len(inside.lstrip())
    while (match := SIZE.match(inside, at)) is not None:
        sizes.append(match[1])
        at = match.end()
    element, encoding = _element_and_encoding(inside[at:])
    dtype = mlir_dtype(element.strip())
    if dtype is None and not OTHER.match(element.strip()):
        message = f"{element.strip()!r} is not an element type"
        raise LayoutError("SL720", message, text=inside, at=at, end=len(inside))
    if dtype is None or "*" in sizes:
        return UNKNOWN
    bounds = _bounds(encoding, len(sizes))
    dims: list[Size | Dynamic] = [Dynamic(b) if d == "?" else int(d) for d, b in zip(sizes, bounds)]
    return Shape(dtype, tuple(dims))


def _element_and_encoding(rest: str) -> tuple[str, str]:
    """The element type and the encoding behind its comma."""
    depth = 0
    for k, c in enumerate(rest):
        depth += {"<": 1, ">": -1}.get(c, 0)
        if c == "," and depth == 0:
            return rest[:k], rest[k + 1 :]
    return rest, ""


def _bounds(encoding: str, rank: int) -> list[int | None]:
    """The bounds of `#stablehlo.bounds<?, 5>`, None where there is none."""
    match = re.search(r"bounds\s*(?:=\s*\[|<)([^\]>]*)", encoding)
    words = [] if match is None else [w.strip() for w in match.group(1).split(",")]
    bounds = [int(w) if w.isdigit() else None for w in words]
    return bounds if len(bounds) == rank else [None] * rank
