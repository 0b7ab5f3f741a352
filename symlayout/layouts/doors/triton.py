"""Triton's encodings on a shape: which register of which lane, warp and block holds which element.

`#ttg.blocked<{sizePerThread = [1, 8], ...}> on 32x128`, or `tensor<32x128xf16, #ttg.blocked<...>>`.  An
encoding is a linear layout over F2: digits of register, lane and warp that follow one another along
each dimension; what is larger than the tensor repeats it, what is smaller is repeated in registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.reader import Scanner
from symlayout.layouts.doors.encoding import (
    INPUTS,
    Encoding,
    Rows,
    Step,
    Table,
    blocks,
    exchange,
    filled,
    reach,
    stack,
)
from symlayout.layouts.doors.linear import Linear, Vector, number_at, power
from symlayout.layouts.reading import items, shown_at
from symlayout.layouts.xla.dtypes import help_for, mlir_dtype
from symlayout.text.limits import NESTING
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.layouts.doors.padding import Padded

HEAD = regex(r"#\s*(?:ttg|triton_gpu|ttng|triton_nvidia_gpu)\s*\.\s*([A-Za-z_]\w*)", re.A)
ELEMENT = regex(r"[^,<>#]*(?:<[^<>#]*>)?[^,<>#]*")
POINTER = regex(r"!\s*tt\s*\.\s*ptr\s*<[^<>]*>")
MEMORY = regex(r"#\s*(?:smem|(?:ttg|triton_gpu)\s*\.\s*shared_memory)\b")
DIMENSION = regex(r"(\d+)(?:x|(?=[\s,>]|$))")


# -- what an encoding means -------------------------------------------------------------------------


def encoding_layout(encoding: Encoding, shape: Sequence[int], element: str | None = None) -> Linear:
    """The layout of an encoding on a tensor of that shape.

    >>> a = read_encoded("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], "
    ...                  "warpsPerCTA = [1, 1], order = [1, 0]}> on 2x8")
    >>> a.ins
    (('register', ((0, 1), (0, 4))), ('lane', ((0, 2), (1, 0))), ('warp', ()), ('block', ()))

    Raises `LayoutError`: SL403 for sizes that are no powers of two, SL100 for a kind without a meaning.
    """
    for d in shape:
        if power(d) is None:
            raise LayoutError("SL403", f"the size {d} of the tensor is not a power of two")
    rows = _reader(_kind(encoding).rows)(encoding, list(shape))
    dims = "x".join(map(str, shape))
    text = f"{encoding} on {dims}"
    if element is not None:
        text = f"tensor<{dims}x{element}, {encoding}>"
    whole = Linear.of(rows, {f"dim{k}": d for k, d in enumerate(shape)}, text)
    return replace(whole, encoding=encoding, shape=tuple(shape))


def encoded(
    encoding: Encoding, shape: Sequence[int], element: str | None = None
) -> Linear | Padded:
    """The layout of an encoding on a tensor of that shape, a map where it has padding."""
    if encoding.kind != "padded_shared":
        return encoding_layout(encoding, shape, element)
    from symlayout.layouts.doors.padding import padded_map

    encoding.only("pads", "order", "shape", "offset", "block", "CGALayout")
    return padded_map(encoding, shape, f"{encoding} on {'x'.join(map(str, shape))}")


def _kind(encoding: Encoding) -> Kind:
    """What an encoding of that kind means; each of its fields is one that is read."""
    result = _KINDS.get(encoding.kind)
    if result is None:
        hint = did_you_mean(encoding.kind, list(_KINDS)) or f"known: {', '.join(_KINDS)}"
        raise LayoutError("SL100", f"#ttg.{encoding.kind} has no meaning here", help=hint)
    encoding.only(*result.fields.split())
    return result


def _blocks(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    order = e.order(rank)
    keys = (("register", "sizePerThread"), ("lane", "threadsPerWarp"), ("warp", "warpsPerCTA"))
    steps = [(name, d, e.sizes(key, rank)[d]) for name, key in keys for d in order]
    rows = stack(steps, shape, blocks(e, rank), order)
    rows["register"] = _registers_with_bits(rows["register"])
    return rows


def _registers_with_bits(registers: list[Vector]) -> list[Vector]:
    """Without those that hold an element again: so since Triton 3.9, zero vectors before."""
    return [v for v in registers if any(v)]


def _linear(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    rows = {name: e.vectors(name, rank) for name in INPUTS}
    size = reach((v for vs in rows.values() for v in vs), rank)
    within = [v for v in rows["register"] if all(x < s for x, s in zip(v, shape))]
    rows["register"] = within  # a register beyond the tensor is none
    cut = {n: [tuple(x % s for x, s in zip(v, shape)) for v in vs] for n, vs in rows.items()}
    moved = [d for v in rows["register"] for d in range(rank) if v[d]]
    return filled(cut, dict.fromkeys([*moved, *reversed(range(rank))]), size, shape)


def _slice(e: Encoding, shape: list[int]) -> Rows:
    """The parent on a tensor with one more dimension, which is left out; no register twice."""
    dim = e.number("dim")
    if not 0 <= dim <= len(shape):
        raise LayoutError("SL403", f"dim = {dim} is none of {len(shape) + 1} dimensions")
    whole = encoding_layout(e.parent, [*shape[:dim], 1, *shape[dim:]])
    rows = {n: [(*v[:dim], *v[dim + 1 :]) for v in vs] for n, vs in whole.ins}
    if "register" not in rows:
        raise LayoutError("SL403", f"#ttg.{e.parent.kind} is in shared memory: it has no slice")
    rows["register"] = _registers_with_bits(rows["register"])
    return rows


def _dot(e: Encoding, shape: list[int]) -> Rows:
    """An operand: the warps along the dimension that is summed over have the same elements."""
    rank, parent, index = len(shape), e.parent, e.number("opIdx")
    if rank < 2 or index not in (0, 1):
        raise LayoutError("SL403", f"opIdx = {index} of {rank} dimensions is not an operand")
    total = rank - 1 if index == 0 else rank - 2
    other = rank - 2 if index == 0 else rank - 1
    cga = [tuple(0 if d == total else x for d, x in enumerate(v)) for v in blocks(parent, rank)]
    _kind(parent)
    if parent.kind == "blocked":
        return _dot_blocked(parent, shape, total, cga)
    if parent.kind not in OPERANDS:
        raise LayoutError("SL100", f"an operand of #ttg.{parent.kind} has no meaning here")
    return _reader(OPERANDS[parent.kind])(e, shape, total, other, cga)  # type: ignore[no-any-return]


OPERANDS = {
    "nvidia_mma": "nvidia:operand",
    "amd_mfma": "amd:mfma_operand",
    "amd_wmma": "amd:wmma_operand",
}


def _reader(rows: Callable[..., Any] | str) -> Callable[..., Any]:
    """A function, or the one of a name such as `nvidia:operand`, imported when a text needs it."""
    if not isinstance(rows, str):
        return rows
    module, _, name = rows.partition(":")
    return getattr(import_module(f"symlayout.layouts.doors.{module}"), name)  # type: ignore[no-any-return]


def _dot_blocked(parent: Encoding, shape: list[int], total: int, cga: list[Vector]) -> Rows:
    """Without a matrix unit a thread holds all that is summed over."""
    rank = len(shape)
    order, own = parent.order(rank), parent.sizes("sizePerThread", rank)
    own[total] = shape[total]
    steps: list[Step] = [("register", d, own[d]) for d in order]
    for name, key in (("lane", "threadsPerWarp"), ("warp", "warpsPerCTA")):
        many = parent.sizes(key, rank)
        steps += [(name, None if d == total else d, many[d]) for d in order]
    return stack(steps, shape, cga, order)


def _shared_memory(e: Encoding, shape: list[int]) -> Rows:
    """Offsets in shared memory: rows whose vectors are exchanged by the row's phase."""
    if dict(e.fields).get("hasLeadingOffset"):
        raise LayoutError("SL100", "a shared encoding with hasLeadingOffset has no meaning here")
    return exchange(e, shape, lambda row, most: row % most)


def _shared_linear(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    return {"offset": e.vectors("offset", rank), "block": e.vectors("block", rank)}


class Kind(NamedTuple):
    """What an encoding means, and the fields that it may have."""

    rows: Callable[[Encoding, list[int]], Rows] | str  # here, or in a module of this folder
    fields: str


CGA = " CGALayout CTAsPerCGA CTASplitNum CTAOrder"
SWIZZLED = "vec perPhase maxPhase order" + CGA
_KINDS = {
    "blocked": Kind(_blocks, "sizePerThread threadsPerWarp warpsPerCTA order" + CGA),
    "slice": Kind(_slice, "dim parent"),
    "linear": Kind(_linear, "register lane warp block"),
    "nvidia_mma": Kind(
        "nvidia:accumulator", "versionMajor versionMinor warpsPerCTA instrShape" + CGA
    ),
    "amd_mfma": Kind(
        "amd:mfma",
        "version warpsPerCTA instrShape isTransposed tilesPerWarp elementBitWidth" + CGA,
    ),
    "amd_wmma": Kind("amd:wmma", "version isTranspose ctaLayout instrShape" + CGA),
    "nvmma_shared": Kind(
        "nvidia:tiles", "swizzlingByteWidth transposed elementBitWidth fp4Padded rank" + CGA
    ),
    "amd_rotating_shared": Kind("amd:rotating", SWIZZLED),
    "dot_op": Kind(_dot, "opIdx parent kWidth"),
    "swizzled_shared": Kind(_shared_memory, SWIZZLED),
    "shared": Kind(_shared_memory, f"{SWIZZLED} hasLeadingOffset"),
    "shared_linear": Kind(_shared_linear, "offset block alignment"),
}


# -- reading ----------------------------------------------------------------------------------------


def read_encoded(text: str) -> Linear | Padded:
    """The layout that a text spells: an encoding `on 32x128`, or a tensor's type with an encoding.

    Raises `LayoutError` with the place of the mistake.
    """
    s = Scanner(text)
    tensor, element = s.take("tensor"), None
    if tensor or s.take("!"):
        if not tensor:
            for word in ("ttg", ".", "memdesc"):
                s.expect(word, "of a type in shared memory")
        s.expect("<", "before the shape")
        shape = _shape(s)
        at = s.skip()
        element = (s.match(ELEMENT) or "").strip()
        if mlir_dtype(element) is None and POINTER.fullmatch(element) is None:
            message = f"the element type {element!r} is not known"
            raise s.error("SL103", message, at, s.at, help=help_for(element))
        s.expect(",", "before the encoding")
        at = s.skip()
        encoding = encoding_at(s)
        while not tensor and s.take(","):
            _beside(s, shape)
        s.expect(">", "to close the type")
        element = element if tensor else None
    else:
        at = s.skip()
        encoding = encoding_at(s)
        s.expect("on", "and a shape behind the encoding, such as `on 32x128`")
        shape = _shape(s)
    s.end("the layout")
    with shown_at(s, at):
        return encoded(encoding, shape, element)


def _beside(s: Scanner, shape: list[int]) -> None:
    """The memory of a type in shared memory, that it is mutable, or the shape that was allocated.

    Raises `LayoutError` (SL107) for a part of a larger allocation, and for anything else.
    """
    at = s.skip()
    if s.take("mutable"):
        return
    if s.match(MEMORY) is None:
        whole = _shape(s)
        if whole[-len(shape) :] != shape:
            message = f"the tensor is a part of an allocation of {'x'.join(map(str, whole))}"
            raise s.error("SL107", message, at, s.at)


def _shape(s: Scanner) -> list[int]:
    shape: list[int] = []
    while (match := DIMENSION.match(s.text, s.skip())) is not None:
        at = s.at
        shape.append(number_at(Scanner(match[1])))
        s.at = match.end()
        s.check_rank(len(shape))
        if not match[0].endswith("x"):
            break
        if s.text[at:].isspace():
            break
    if not shape:
        raise s.missing("a shape such as 32x128")
    return shape


def encoding_at(s: Scanner, depth: int = 0) -> Encoding:
    """`#ttg.kind<{key = value, ...}>`."""
    if depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested encodings")
    s.skip()
    head = HEAD.match(s.text, s.at)
    if head is None:
        raise s.missing("an encoding such as #ttg.blocked<...>")
    s.at = head.end()
    s.expect("<", "behind the encoding's name")
    fields: dict[str, Any] = {}
    if head[1] == "padded_shared":
        from symlayout.layouts.doors.padding import pads_at

        fields["pads"] = pads_at(s)
    s.expect("{", "before the encoding's fields")
    _fields(s, fields, "}", depth)
    if s.take(","):
        _fields(s, fields, ">", depth)
    else:
        s.expect(">", "to close the encoding")
    return Encoding(head[1], tuple(fields.items()))


def _fields(s: Scanner, fields: dict[str, Any], closing: str, depth: int) -> None:
    def field() -> None:
        at = s.skip()
        name = s.name()
        if name is None or name in fields:
            twice = f"the field {name!r} is given twice"
            text = twice if name else f"expected a field, found {s.what_stands()}"
            raise s.error("SL101", text, at)
        s.check_rank(len(fields) + 1)
        s.expect("=", "behind a field's name")
        fields[name] = _value(s, depth)

    items(s, closing, "between the fields", field, limited=False)


def _value(s: Scanner, depth: int) -> Any:
    if depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested values")
    if s.peek("#"):
        return encoding_at(s, depth + 1)
    if s.take("["):
        return tuple(items(s, "]", "between the values", lambda: _value(s, depth + 1)))
    if s.take("{"):
        fields: dict[str, Any] = {}
        _fields(s, fields, "}", depth + 1)
        return Table(tuple(fields.items()))
    for word, value in (("true", True), ("false", False)):
        if s.take(word):
            return value
    return number_at(s)
