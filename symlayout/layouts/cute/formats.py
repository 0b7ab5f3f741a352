"""The named formats: fractals of z or n order inside, of Z or N order outside, and simple ones.

The small letter is the order inside a fractal, the capital one the order of the fractals: z and Z
row-major, n and N column-major.  All counts of fractals round up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.reader import NAME, Scanner, expression_at, suggestion
from symlayout.expr.terms import Size, as_size, ceildiv
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.identifiers import names
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.doors.operations import SIGNATURES
from symlayout.layouts.reading import items, shown_at
from symlayout.layouts.xla.dtypes import BITS, element_type, help_for

FRACTAL_BITS = 256  # one row of a fractal; 16 of them make the fractal
LONG = 16

Parts = tuple[Any, Any, tuple[Size, ...]]


def fractal(order: str, rows: Size, cols: Size, height: Size, width: Size) -> Parts:
    """Shape, strides and origin of `rows` x `cols` in fractals of `height` x `width`.

    >>> shape, stride, _ = fractal("zN", 8, 12, 4, 4)
    >>> shape, stride
    (((4, 2), (4, 3)), ((4, 16), (1, 32)))

    `order` is zN, zZ, nZ or nN.
    """
    down, across = ceildiv(rows, height), ceildiv(cols, width)
    area = height * width
    inner = (width, 1) if order[0] == "z" else (1, height)
    outer = (across * area, area) if order[1] == "Z" else (area, down * area)
    shape = ((height, down), (width, across))
    return shape, ((inner[0], outer[0]), (inner[1], outer[1])), (rows, cols)


def _fractal_of(order: str) -> Callable[..., Parts]:
    """A format whose fractals are LONG rows (z) or columns (n) of 256 bits each, or as given."""

    def parts(bits: int, rows: Size, cols: Size, *block: Size) -> Parts:
        if block:
            return fractal(order, rows, cols, *block)
        short = FRACTAL_BITS // bits
        height, width = (LONG, short) if order[0] == "z" else (short, LONG)
        return fractal(order, rows, cols, height, width)

    return parts


def _constant(order: str, height: int, width: int) -> Callable[..., Parts]:
    return lambda bits, rows, cols: fractal(order, rows, cols, height, width)


def _row_major(bits: int, rows: Size, cols: Size, pitch: Size | None = None) -> Parts:
    return (rows, cols), (cols if pitch is None else pitch, 1), (rows, cols)


def _column_major(bits: int, rows: Size, cols: Size, pitch: Size | None = None) -> Parts:
    return (rows, cols), (1, rows if pitch is None else pitch), (rows, cols)


def _vector(bits: int, count: Size) -> Parts:
    return (count,), (1,), (count,)


def _padding(order: str) -> Callable[..., Parts]:
    """Blocks of any size, side by side and not nested."""

    def parts(bits: int, rows: Size, cols: Size, *block: Size) -> Parts:
        shape, stride, origin = fractal(order, rows, cols, *block)
        return it.flatten(shape), it.flatten(stride), origin

    return parts


PADDING = (_padding("zZ"), _padding("nN"))


def _compact(bits: int, *dims: Size) -> Parts:
    return dims, it.suffix_product(dims), dims


def _strided(bits: int, *numbers: Size) -> Parts:
    half = len(numbers) // 2
    return numbers[:half], numbers[half:], numbers[:half]


class Format(NamedTuple):
    """A format's name, the words for its sizes, how it is built, and whether the dtype matters."""

    name: str
    sizes: str
    build: Callable[..., Parts]
    needs_bits: bool = False

    @property
    def usage(self) -> str:
        """How it is written."""
        return f"{self.name}({'dtype' if self.needs_bits else '[dtype]'}, {self.sizes})"

    def accepts(self, count: int) -> bool:
        """Whether so many sizes may be given."""
        words = self.sizes.split(", ")
        if "..." in words:
            return count >= 2 and count % 2 == 0
        if "[H" in words:  # both or none
            return count in (len(words) - 2, len(words))
        optional = sum(w.startswith("[") for w in words)
        return len(words) - optional <= count <= len(words)

    def counts_bits(self, count: int) -> bool:
        """Whether the element type says how large a fractal is."""
        return self.needs_bits and count < len(self.sizes.split(", "))


_ROWS = (
    Format("RowMajor", "R, C, [PITCH]", _row_major),
    Format("ColumnMajor", "R, C, [PITCH]", _column_major),
    Format("Vector", "n", _vector),
    Format("VectorLayout", "n", _vector),
    Format("zN", "R, C, [H, W]", _fractal_of("zN"), needs_bits=True),
    Format("nZ", "R, C, [H, W]", _fractal_of("nZ"), needs_bits=True),
    Format("zZ", "R, C, [H, W]", _fractal_of("zZ"), needs_bits=True),
    Format("nN", "R, C, [H, W]", _fractal_of("nN"), needs_bits=True),
    Format("L0C", "R, C", _constant("zN", LONG, LONG)),
    Format("Weight4BitnZ", "R, C", _constant("nZ", 32, LONG)),
    Format("MxScalezZ", "R, C", _constant("zZ", LONG, 2)),
    Format("MxScalenN", "R, C", _constant("nN", 2, LONG)),
    Format("PaddingRowMajor", "R, C, BR, BC", PADDING[0]),
    Format("PaddingColumnMajor", "R, C, BR, BC", PADDING[1]),
    Format("NC1HWC0", "N, C1, H, W, C0", _compact),
    Format("NDC1HWC0", "N, D, C1, H, W, C0", _compact),
    Format("CI1KHKWCOCI0", "CI1, KH, KW, CO, CI0", _compact),
    Format("KDC1KHKWN1N0C0", "KDC1KHKW, N1, N0, C0", _compact),
    Format("Strided", "D, ..., S, ...", _strided),
)
FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}
# CANN's names have the order of the fractals first, so that its NZ is zN: only those are read whose
# letters say which of both is meant
ALIASES = {
    "FRACTAL_NZ": "zN",
    "FRACTAL_ZN": "nZ",
    "FRACTAL_ZZ": "zZ",
    "Nz": "zN",
    "Zn": "nZ",
    "Zz": "zZ",
    "Nn": "nN",
}
OF_CANN = {"NZ": "zN", "ZN": "nZ"}
SMALL = ("nz", "zn")
WEIGHTS = ("FRACTAL_Z", "FRACTAL_Z_3D", "FRACTAL_Z_C04")


def help_with_name(name: str, arguments: str = "(..)", others: Sequence[str] = ()) -> str | None:
    """What the writer of an unknown name may have meant; never the transposed format.

    >>> help_with_name("NZ", "(f16,M,N)")
    "CANN's NZ is zN here; write zN(f16,M,N)"
    """
    if name in OF_CANN:
        right = OF_CANN[name]
        hint = f"CANN's {name} is {right} here; write {right}{arguments}"
        return hint if name == "NZ" else f"did you mean 'zN'? {hint} if that is meant"
    if name in SMALL:
        first, second = f"{name[0]}{name[1].upper()}", f"{name[1]}{name[0].upper()}"
        return f"the capital letter is the order of the fractals: {first} or {second}"
    if name in WEIGHTS:
        return f"{name} has the weights of a convolution; write CI1KHKWCOCI0(CI1,KH,KW,CO,CI0)"
    return did_you_mean(name, [*FORMATS, *others, *SIGNATURES])


def make_format(name: str, dtype: str | None, *sizes: Any) -> Layout:
    """The layout of a named format.

    >>> A = make_format("zN", "f16", 100, 33)
    >>> A.shape, A.stride, A.origin
    (((16, 7), (16, 3)), ((16, 256), (1, 1792)), (100, 33))
    >>> make_format("zN", None, 8, 12, 4, 4).shape
    ((4, 2), (4, 3))

    Raises `LayoutError`: SL100 an unknown format, SL103 an unknown or missing element type, SL107 a
    wrong number of sizes, SL102 a negative one.
    """
    name = ALIASES.get(name, name)
    if name not in FORMATS:
        message = f"the format {name!r} is not known"
        raise LayoutError("SL100", message, help=help_with_name(name))
    kind = FORMATS[name]
    if dtype is not None and dtype not in BITS:
        raise LayoutError("SL103", f"the element type {dtype!r} is not known", help=help_for(dtype))
    if not kind.accepts(len(sizes)):
        from symlayout.text.lines import count

        raise LayoutError("SL107", f"{count(len(sizes), 'size')} for {kind.usage}")
    if dtype is None and kind.counts_bits(len(sizes)):
        message = f"{name} needs an element type: its fractals are {FRACTAL_BITS} bits wide"
        raise LayoutError("SL103", message, help=f"write {kind.usage}")
    numbers = tuple(it.as_leaf(x) for x in sizes)
    _check_positive(kind, numbers)
    bits = BITS[dtype] if dtype else 0
    if kind.counts_bits(len(sizes)) and bits > FRACTAL_BITS:
        raise LayoutError("SL103", f"{dtype} is wider than a fractal's row of {FRACTAL_BITS} bits")
    shape, stride, origin = kind.build(bits, *[it.plain(x) for x in numbers])
    words = [*([dtype] if dtype else []), *map(str, numbers)]
    return Layout(shape, stride, origin, bits or None, f"{name}({', '.join(words)})")


def _check_positive(kind: Format, sizes: Sequence[Size]) -> None:
    for k, size in enumerate(sizes):
        block = k >= 2 and (kind.needs_bits or kind.build in PADDING)
        if isinstance(size, int) and size < (1 if block else 0):
            raise LayoutError("SL102", f"the size {int(size)} of {kind.usage} is too small")


def read_format(s: Scanner) -> Layout:
    """The layout of a format's name and arguments where the scanner stands."""
    start = s.skip()
    name = s.name() or ""
    name = ALIASES.get(name, name)
    if name not in FORMATS:
        others = ("MakeLayout", "Layout", "Swizzle")
        hint = help_with_name(name, s.text[s.at :].strip(), others)
        hint = hint or suggestion(name) or f"known: {', '.join(FORMATS)}"
        if name in ("Layout", "ComposedLayout"):
            hint = "shape and strides are written with a colon: (M,N):(N,1)"
        if name in ("add", "broadcast_in_dim"):
            hint = "how operands are broadcast is shown by symlayout derive"
        if name.lower() in BITS:
            hint = f"an XLA shape has brackets: {name.lower()}[M,N]"
        if name.lower() in ("tensor", "array", "ndarray", "zeros", "empty"):
            hint = "an array's layout, in Python: symlayout.from_array(x); or write f32[M,N]"
        if name in ("crd2offset", "offset"):
            hint = f"symlayout formula LAYOUT --at 1,5, or symlayout prove holds '{name}(..) == 37'"
        raise s.error("SL100", f"the format {name!r} is not known", start, s.at, help=hint)
    s.expect("(", f"after {name}")
    first = s.skip()
    word = s.match(NAME)
    dtype = element_type(word) if word and (s.peek(",") or s.peek(")")) else None
    if dtype is None:
        s.at = first
    else:
        s.take(",")
    sizes = items(
        s, ")", "between the sizes", lambda: as_size(expression_at(s, names)), limited=False
    )
    end = s.at
    s.end("the layout")
    if dtype is None and word and help_for(word) and not FORMATS[name].accepts(len(sizes)):
        message = f"the element type {word!r} is not known"
        raise s.error("SL103", message, first, first + len(word), help_for(word))
    with shown_at(s, start, end):
        return make_format(name, dtype, *sizes)
