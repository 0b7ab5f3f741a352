"""Layouts as Rocq's library has them, from what the readers of notations read.

Like `statement`, it has to be read to believe a theorem: each notation is one definition of
`proofs/coq/Layouts.v` with the numbers and sizes of its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from symlayout.certificate.algebra import operation
from symlayout.certificate.asking import Ask, Points
from symlayout.certificate.definitions import (
    CPP_BITS,
    FRACTALS,
    INNERMOST_LAST,
    ONE,
    ORDERS,
    OUTSIDE_FIRST,
    TYPED,
    bits_of,
    leaves,
    modes_of,
    parts_of,
    plain,
    product,
    split_commas,
)
from symlayout.certificate.definitions import _static as static
from symlayout.certificate.layouts import DIVIDES, OF_TAG, STATIC, TAGGED, has_modes
from symlayout.certificate.modes import Modes
from symlayout.certificate.rocq.terms import missing, needs, number, outer, term
from symlayout.certificate.semantics import Claim
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr
from symlayout.layouts.notation import notation_of, parse


def listed(texts: Iterable[str]) -> str:
    """A list.

    >>> listed(["M", "N"])
    '[M; N]'
    """
    return f"[{'; '.join(texts)}]"


class Sizes:
    """Prints expressions of sizes, and notes what must hold for them to have a value.

    The points decide what operations on layouts are.
    """

    def __init__(self, points: Points = ()) -> None:
        self.needs: list[str] = []
        self.points = points

    def __call__(self, e: Any) -> str:
        """An expression."""
        self.needs += needs(plain(e))
        return term(plain(e))

    def all(self, expressions: Iterable[Any]) -> str:
        """A list of expressions."""
        return listed(outer(self(e)) for e in expressions)


def function(coords: Sequence[Expr], says: Expr) -> str:
    """An expression of the coordinates as a function of a place."""
    pattern = listed(map(term, coords))
    return f"(fun place => match place with {pattern} => {outer(term(says))} | _ => 0 end)"


def layout(claim: Claim, k: int, say: Sizes | None = None) -> str:
    """An argument of a claim."""
    argument = claim.arguments[k]
    if not isinstance(argument, str):
        raise missing("a map without a text")
    say = say or Sizes()
    say.points = claim.points
    return of_text(argument, say)


def of_text(text: str, say: Sizes) -> str:
    """A layout by its text."""
    word = notation_of(text).name
    if word not in NOTATIONS:
        raise missing(f"the notation {word!r}")
    return f"({NOTATIONS[word](text, parse(text), say)})"


def xla(text: str, shape: Any, say: Sizes) -> str:
    """A buffer of XLA."""
    if not hasattr(shape, "_tiles") or shape.notes:
        raise missing(f"what {text} is")
    sizes = [getattr(d, "_bound", d) for d in shape._dims]
    order = listed(map(str, shape.minor_to_major))
    tiles = [
        listed("None" if t == "*" else f"Some {say(t)}" for t in tile) for tile in shape._tiles
    ]
    rest = f"{order}%nat {listed(tiles)} {say(shape._tail_alignment)}"
    if shape._padded is not None:
        return f"xla_padded {say.all(sizes)} {say.all(shape._padded)} {rest}"
    return f"xla {say.all(sizes)} {rest}"


def by_steps(text: str, layout: Any, say: Sizes) -> str:
    """A buffer of XLA by pad, reshape and transpose."""
    words = xla(text, layout.steps_of, say)
    if not words.startswith("xla "):
        raise missing("a shape with padded sizes, by pad, reshape and transpose,")
    return f"xla_by_steps {words.removeprefix('xla ')}"


def strided(text: str, layout: Any, say: Sizes) -> str:
    """Sizes, strides and a first offset."""
    return f"strided {say.all(layout._dims)} {say.all(layout._strides)} {say(layout._start)}"


def modes(text: str, layout: Any, say: Sizes) -> str:
    """`shape:stride`, in which strides may be left out, and an origin shape."""
    return of_modes(layout, say, None if re.match(r"\s*[A-Za-z_]", text) else text.count(":"))


def of_modes(layout: Any, say: Sizes, colons: int | None = None) -> str:
    """The modes of each coordinate, with the true sizes where there is an origin shape."""
    shape, strides, origin = parts_of(layout)
    values, steps = list(modes_of(layout)), leaves(strides)
    if colons == 0:
        sizes = leaves(shape)
        steps = [product(sizes[:k]) for k in range(len(sizes))]
    with_origin = colons in (2, None)
    many = len(values) // len(origin) if with_origin and origin else 1
    groups = []
    for k in range(0, len(values), many):
        own = leaves(tuple(values[k : k + many]))
        pairs = [f"({outer(say(n))}, {outer(say(s))})" for n, s in zip(own, steps)]
        groups.append(listed(pairs))
        steps = steps[len(own) :]
    if with_origin:
        return f"modes_of_sizes {say.all(origin)} {listed(groups)}"
    return f"modes {listed(groups)}"


def swizzled(text: str, layout: Any, say: Sizes) -> str:
    """Bits exchanged by an exclusive or."""
    s, words = layout.swizzle, of_modes(layout.layout, say, min(text.count(":"), 1))
    if text.count(":") > 1:
        raise missing("a swizzle of true sizes")
    start = say(layout._offset if hasattr(layout, "_offset") else layout.offset)
    numbers = " ".join(number(n) for n in (s.bits, s.base, s.shift))
    return f"swizzled {numbers} {start} {words.removeprefix('modes ')}"


def broadcast(text: str, layout: Any, say: Sizes) -> str:
    """A broadcast in dimensions."""
    inner = of_text(str(layout.operand), say)
    sizes = say.all(getattr(d, "_bound", d) for d in layout.to._dims)
    return f"broadcast_in_dim {inner} {listed(map(str, layout.dims))}%nat {sizes}"


def algebra(text: str, layout: Any, say: Sizes) -> str:
    """What the checker reads an operation of CuTe's algebra as; `statement` says what it asks for."""
    if layout.name in DIVIDES and not has_modes(layout.arguments[0], say.points):
        raise missing("an operation on a layout without modes")
    value = operation(layout, Ask(say.points))
    if not isinstance(value, Modes):
        return swizzled(":", value, say)
    return of_modes(value, say, 2 if value.origin else 1)


def along(text: str, layout: Any, say: Sizes) -> str:
    """A layout whose strides are steps along one coordinate alone."""
    if len(layout.parts) != 1:
        raise missing("a layout of several coordinates")
    return of_modes(layout.parts[0][1], say)


def in_cpp(text: str, layout: Any, say: Sizes) -> str:
    """A layout in C++: of modes, or of an element type and the name of a format."""
    tag = OF_TAG.search(text) or TAGGED.search(text)
    if tag is None:
        return of_modes(layout, say)
    sizes = STATIC.sub(r"\1\2", tag[2].rpartition(")")[0])
    element = f"u{layout.bits}, " if layout.bits else ""
    return fractal_or_order(f"{tag[1]}({element}{sizes})", layout, say)


def index_function(text: str, read: Any, say: Sizes) -> str:
    """An index function of one result in a box, each variable from 0 on."""
    if read._guard is not None or read._lets or len(read._results) != 1 or not read._box:
        raise missing("an index function with a guard, definitions or several results")
    own = {v.name for v in read.variables}
    for v in read.variables:
        if v._low != 0 or own & {s.name for s in v._high.free_symbols}:
            raise missing("a range that does not begin at 0, or depends on a variable")
    (raw,), (size,) = read._results, read._box
    if needs(raw):
        raise missing("an index function that divides by a size")
    coords = [symbol(v.name) for v in read.variables]
    says = function(coords, raw)
    sizes = say.all(v._high for v in read.variables)
    return f"index_function {sizes} {says} {say(size)}"


def fractal_or_order(text: str, layout: Any, say: Sizes) -> str:
    """A named format."""
    head = text.partition("(")[0].strip()
    if OUTSIDE_FIRST.get(head, head) in FRACTALS:
        return of_fractals(text, say)
    return of_order(head, text, say) if head in ORDERS else of_modes(layout, say)


def of_order(head: str, text: str, say: Sizes) -> str:
    """A plain order of dimensions: sizes and strides."""
    words = split_commas(text.strip().removesuffix(")").partition("(")[2])
    kind = words[0].strip() if words else ""
    sizes = [
        read_expression(w, static) for w in words[bool(kind in CPP_BITS or TYPED.fullmatch(kind)) :]
    ]
    if head == "Strided":
        half = len(sizes) // 2
        shape, steps = sizes[:half], sizes[half:]
    elif head in INNERMOST_LAST:
        shape, steps = sizes, [product(sizes[k + 1 :]) for k in range(len(sizes))]
    else:
        rows, cols, *pitch = sizes
        by_rows = head == "RowMajor"
        inner = [*pitch, cols if by_rows else rows][0]
        shape, steps = [rows, cols], [inner, ONE] if by_rows else [ONE, inner]
    return f"strided {say.all(shape)} {say.all(steps)} 0"


def of_fractals(text: str, say: Sizes) -> str:
    """A format of fractals: their order and the order in one, their height and width."""
    word, _, rest = text.strip().removesuffix(")").partition("(")
    order, height, width = FRACTALS[OUTSIDE_FIRST.get(word.strip(), word.strip())]
    words = split_commas(rest)
    kind = words[0].strip() if words else ""
    bits = CPP_BITS.get(kind) or (bits_of(kind) if TYPED.fullmatch(kind) else None)
    rows, cols, *block = [read_expression(w, static) for w in words[bits is not None :]]
    short = 256 // (bits or 256)
    h, w = block or (height or short, width or short)
    flags = " ".join(
        "true" if by_rows else "false" for by_rows in (order[1] == "Z", order[0] == "z")
    )
    return f"fractal {flags} {' '.join(map(say, (h, w, rows, cols)))}"


NOTATIONS: dict[str, Callable[[str, Any, Sizes], str]] = {
    "XLA": xla,
    "protocol buffer": xla,
    "pad_reshape_transpose": by_steps,
    "broadcast_in_dim": broadcast,
    "swizzled": swizzled,
    "directions": along,
    "C++": in_cpp,
    "algebra": algebra,
    "strided": strided,
    "memref": strided,
    "shape:stride": modes,
    "format": fractal_or_order,
    "map": index_function,
    "affine map": index_function,
    "indexing map": index_function,
    "einops": index_function,
}
