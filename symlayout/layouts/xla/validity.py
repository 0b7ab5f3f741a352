"""What each part of a shape may be: one list of rules for texts and for values made in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from symlayout.expr.terms import Size, TruncDiv, TruncMod, is_concrete
from symlayout.expr.tree import Expr, Symbol, preorder_traversal
from symlayout.layouts.xla.dtypes import BITS, help_for, is_integral
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.layouts.xla.shape import Shape

INT64_MAX = 2**63 - 1
LARGEST_SPACE = 127  # XLA keeps the memory space in 8 signed bits
LARGEST_BITS = 32767  # and the element size in 16

LEVEL = regex(r"[DCSH]\+?~?")
"""Dense, compressed, singleton or loosely compressed; `+` not unique, `~` not ordered."""

PADDING_WORDS = ("lowest", "highest")

Place = tuple[str | int, ...]


class Fault(NamedTuple):
    """A rule that a shape breaks: the code, what is wrong, and which part it is.

    `place` is the part's name and the numbers of its entries, such as `("tiles", 0, 1)`; `fatal`
    faults are errors in lenient reading too; `moves` ones leave the index map without meaning.
    """

    code: str
    message: str
    place: Place
    fatal: bool = False
    moves: bool = False
    help: str | None = None


def size_fault(n: Any, least: int, what: str, place: Place) -> Fault | None:
    """The fault of a size, a tile size or an alignment, or None."""
    if isinstance(n, int):
        if n < least:
            help = "a size that is not known has a name: f32[M,N]" if what == "size" else None
            message = f"{what} {n} must be at least {least}"
            return Fault("SL102", message, place, n < 0, True, help)
        if n > INT64_MAX:
            message = f"{what} {n} is more than {INT64_MAX}, the largest 64-bit integer"
            return Fault("SL102", message, place, True)
        return None
    if type(n) is Symbol:
        return None
    from symlayout.expr.facts import Facts
    from symlayout.layouts.spans import least_value

    if (least_value(-n, Facts()) or 0) >= 1:
        return Fault("SL102", f"{what} {n} is negative for positive values", place, True)
    if any(isinstance(part, (TruncDiv, TruncMod)) for part in preorder_traversal(n)):
        message = f"{what} {n} has a '/': a size is written with '//', which rounds down"
        return Fault("SL203", message, place, True)
    return None


def faults(shape: Shape) -> Iterator[Fault]:
    """Everything that is wrong with a shape, in the order of its text."""
    if shape.dtype not in BITS:
        message = f"{shape.dtype!r} is not an element type"
        yield Fault("SL103", message, ("dtype",), True, True, help_for(shape.dtype))
        return
    for k, d in enumerate(shape._dims):
        n = getattr(d, "_bound", d)
        hits = None if n is None else size_fault(n, 0, "size", ("dims", k))
        if hits:
            yield hits._replace(fatal=True)
    yield from minor_to_major_faults(shape.minor_to_major, shape.rank)
    yield from padding_faults(shape)
    yield from tile_faults(shape)
    yield from property_faults(shape)


def minor_to_major_faults(order: tuple[int, ...], rank: int) -> Iterator[Fault]:
    """It must be a permutation of the dimension numbers."""
    if len(order) != rank:
        message = f"minor_to_major names {len(order)} dimensions of a shape that has {rank}"
        yield Fault("SL104", message, ("minor_to_major",), True, True, numbering(rank))
        return
    for k, m in enumerate(order):
        if not 0 <= m < rank:
            message = f"minor_to_major holds the dimensions 0 to {rank - 1}, not {m}"
            help = numbering(rank)
            yield Fault("SL104", message, ("minor_to_major", k), moves=True, help=help)
        elif m in order[:k]:
            message = f"minor_to_major names dimension {m} twice"
            yield Fault("SL104", message, ("minor_to_major", k), moves=True)


def numbering(rank: int) -> str:
    """How dimensions are numbered, with the row-major order."""
    if rank == 0:
        return "a scalar has no dimensions: {}"
    order = ",".join(map(str, reversed(range(rank))))
    return f"dimensions are numbered from 0, the most minor one first: row-major is {{{order}}}"


def padding_faults(shape: Shape) -> Iterator[Fault]:
    """One width for each dimension, none smaller than it, and a value that can be written."""
    value, place = shape.padding_value, ("padding_value",)
    if isinstance(value, str) and value not in PADDING_WORDS:
        yield Fault("SL106", f"{value!r} is not a padding value", place, True)
    if value != value:
        yield Fault("SL106", "not-a-number is not a padding value", place, True)
    if shape._padded is None:
        if value is not None:
            yield Fault("SL106", f"the padding value {value} needs padded widths", place, True)
        return
    if len(shape._padded) != shape.rank:
        message = f"PAD gives {len(shape._padded)} widths for {shape.rank} dimensions"
        yield Fault("SL106", message, ("padded",), True, True)
        return
    for k, (width, d) in enumerate(zip(shape._padded, shape._dims)):
        spot = ("padded", k)
        hits = size_fault(width, 0, "padded width", spot)
        bound = getattr(d, "_bound", d)
        if hits:
            yield hits._replace(fatal=True)
        elif isinstance(bound, int) and isinstance(width, int) and width < bound:
            message = f"padded width {width} is smaller than the size {bound} of dimension {k}"
            yield Fault("SL102", message, spot, True, True)


def tile_faults(shape: Shape) -> Iterator[Fault]:
    """Tile sizes are positive, and `*` has a more minor dimension to merge into."""
    for level, tile in enumerate(shape._tiles):
        if not tile:
            yield Fault("SL105", "a tile needs at least one size", ("tiles", level))
        for k, t in enumerate(tile):
            place = ("tiles", level, k)
            if isinstance(t, str):
                if k == len(tile) - 1:
                    message = "'*' merges into the next more minor dimension: here is none"
                    yield Fault("SL105", message, place, moves=True)
                continue
            hits = size_fault(t, 1, "tile size", place)
            if hits:
                yield hits
    hits = size_fault(shape._tail_alignment, 1, "tail padding L", ("tail_alignment",))
    if hits:
        yield hits._replace(fatal=True)


def number_fault(n: int, most: int, what: str, place: Place, moves: bool) -> Iterator[Fault]:
    """A number from 0 to `most`."""
    if not 0 <= n <= most:
        yield Fault("SL102", f"{what} {n} must be from 0 to {most}", place, False, moves)


def property_faults(shape: Shape) -> Iterator[Fault]:
    """D, #, *, E, S, SC, P and M."""
    for k, level in enumerate(shape.levels):
        if not LEVEL.fullmatch(level):
            yield Fault("SL106", f"{level!r} is not a level type", ("levels", k), True)
    if shape.levels and len(shape.levels) != shape.rank:
        message = f"D gives {len(shape.levels)} level types for {shape.rank} dimensions"
        yield Fault("SL106", message, ("levels",))
    types = (("index_type", "#", shape.index_type), ("pointer_type", "*", shape.pointer_type))
    for name, text, dtype in types:
        if dtype is None:
            continue
        if dtype not in BITS:
            message = f"{dtype!r} is not an element type"
            yield Fault("SL103", message, (name,), True, False, help_for(dtype))
        elif not is_integral(dtype):
            yield Fault("SL106", f"{text} takes an integer type, not {dtype}", (name,))
        elif not shape.is_sparse:
            yield Fault("SL106", f"{text} belongs to sparse arrays, and this is dense", (name,))
    path = ("element_bits",)
    yield from number_fault(shape.element_bits, LARGEST_BITS, "element size E", path, True)
    space = ("memory_space",)
    yield from number_fault(shape.memory_space, LARGEST_SPACE, "memory space S", space, False)
    yield from split_faults(shape)
    if shape.physical is not None and not shape.is_sparse:
        yield Fault("SL106", "P belongs to sparse arrays, and this is dense", ("physical",))
    metadata = ("metadata_bytes",)
    yield from number_fault(shape.metadata_bytes, INT64_MAX, "metadata size M", metadata, False)


def split_faults(shape: Shape) -> Iterator[Fault]:
    """Each split names a physical dimension once, with increasing indices inside of it."""
    seen: set[int] = set()
    for k, (dimension, indices) in enumerate(shape.splits):
        if not 0 <= dimension < shape.rank:
            message = f"SC names the physical dimension {dimension} of a shape of rank {shape.rank}"
            yield Fault("SL106", message, ("splits", k))
        if dimension in seen:
            yield Fault("SL106", f"SC names dimension {dimension} twice", ("splits", k))
        seen.add(dimension)
        if not indices or list(indices) != sorted({*indices}) or indices[0] < 1:
            message = f"split indices are positive and increase, unlike {list(indices)}"
            yield Fault("SL106", message, ("splits", k))
            continue
        order = shape.minor_to_major
        number = order[-1 - dimension] if 0 <= dimension < len(order) == shape.rank else -1
        size = shape.dims[number] if number in range(shape.rank) else None
        if isinstance(size, int) and indices[-1] >= size:
            message = f"the split index {indices[-1]} is outside dimension {number} of size {size}"
            yield Fault("SL106", message, ("splits", k))


def overflow_fault(byte_size: Size) -> Fault | None:
    """A buffer of more bytes than 64-bit integers count."""
    if is_concrete(byte_size) and not isinstance(byte_size, Expr) and byte_size > INT64_MAX:
        message = f"the buffer of {byte_size} bytes is more than 64-bit integers count"
        return Fault("SL401", message, ("dims",), True)
    return None
