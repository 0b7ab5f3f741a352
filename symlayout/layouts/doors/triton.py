"""Triton's encodings on a shape: which register of which lane, warp and block holds which element.

`#ttg.blocked<{sizePerThread = [1, 8], ...}> on 32x128`, or `tensor<32x128xf16, #ttg.blocked<...>>`.  An
encoding is a linear layout over F2: digits of register, lane and warp that follow one another along
each dimension; what is larger than the tensor repeats it, what is smaller is repeated in registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.reader import Scanner
from symlayout.layouts.doors.linear import Linear, Vector, number_at, power
from symlayout.text.limits import NESTING

HEAD = re.compile(r"#\s*(?:ttg|triton_gpu|ttng|triton_nvidia_gpu)\s*\.\s*([A-Za-z_]\w*)", re.A)
ELEMENT = re.compile(r"[^,<>#]*(?:<[^<>#]*>)?[^,<>#]*")
DIMENSION = re.compile(r"(\d+)(?:x|(?=[\s,>]|$))")
INPUTS = ("register", "lane", "warp", "block")
Step = tuple[str, int | None, int]  # so many of an input go along a dimension, or along none


@dataclass(frozen=True)
class Encoding:
    """An attribute of Triton's: its kind, and its fields as they are written.

    >>> print(read_encoding("#ttg.slice<{dim=0, parent = #ttg.linear<{lane = [[1,0]]}>}>"))
    #ttg.slice<{dim = 0, parent = #ttg.linear<{lane = [[1, 0]]}>}>
    """

    kind: str
    fields: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return f"#ttg.{self.kind}<{{{', '.join(f'{k} = {_shown(v)}' for k, v in self.fields)}}}>"

    def get(self, key: str, default: Any = None) -> Any:
        """A field; raises `LayoutError` (SL101) where it is missing and there is no default."""
        found = dict(self.fields).get(key, default)
        if found is None:
            raise LayoutError("SL101", f"#ttg.{self.kind} has no field {key!r}")
        return found

    def sizes(self, key: str, rank: int, default: Any = None) -> list[int]:
        """A list of powers of two, one for each dimension."""
        found = self.get(key, default)
        if not isinstance(found, tuple) or len(found) != rank:
            raise LayoutError("SL107", f"{key} = {_shown(found)} has not {rank} numbers")
        for d in found:
            if not isinstance(d, int) or isinstance(d, bool) or power(d) is None:
                raise LayoutError("SL403", f"{key} = {_shown(found)} has no powers of two")
        return list(found)

    def order(self, rank: int, key: str = "order", default: Any = None) -> list[int]:
        """A permutation of the dimensions, the fastest one first."""
        found = self.get(key, default)
        if not isinstance(found, tuple) or sorted(map(str, found)) != sorted(map(str, range(rank))):
            raise LayoutError("SL403", f"{key} = {_shown(found)} is no order of {rank} dimensions")
        return list(found)

    def number(self, key: str, default: int | None = None) -> int:
        """A number."""
        found = self.get(key, default)
        if isinstance(found, bool) or not isinstance(found, int):
            raise LayoutError("SL101", f"{key} = {_shown(found)} is no number")
        return found

    def vectors(self, key: str, rank: int) -> list[Vector]:
        """Vectors of coordinates, none where the field is left out."""
        found = dict(self.fields).get(key, ())
        good = isinstance(found, tuple) and all(isinstance(v, tuple) for v in found)
        if not good or any(len(v) != rank or not all(type(x) is int for x in v) for v in found):
            raise LayoutError("SL107", f"{key} = {_shown(found)} is no list of {rank} coordinates")
        return list(found)

    @property
    def parent(self) -> Encoding:
        """The encoding that it is made of."""
        found = self.get("parent")
        if not isinstance(found, Encoding):
            raise LayoutError("SL101", f"parent = {_shown(found)} is no encoding")
        return found


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value)


@dataclass(frozen=True)
class Encoded(Linear):
    """An encoding on a shape, as the linear layout that it is."""

    encoding: Encoding | None = None
    shape: tuple[int, ...] = ()


# -- what an encoding means -------------------------------------------------------------------------


def encoded(encoding: Encoding, shape: Sequence[int], element: str | None = None) -> Encoded:
    """The layout of an encoding on a tensor of that shape.

    >>> a = read_encoded("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], "
    ...                  "warpsPerCTA = [1, 1], order = [1, 0]}> on 2x8")
    >>> a.ins
    (('register', ((0, 1), (0, 4))), ('lane', ((0, 2), (1, 0))), ('warp', ()), ('block', ()))

    Raises `LayoutError`: SL403 for sizes that are no powers of two, SL100 for a kind without a meaning.
    """
    for d in shape:
        if power(d) is None:
            raise LayoutError("SL403", f"the size {d} of the tensor is no power of two")
    made = _KINDS.get(encoding.kind)
    if made is None:
        hint = did_you_mean(encoding.kind, list(_KINDS)) or f"known: {', '.join(_KINDS)}"
        raise LayoutError("SL100", f"#ttg.{encoding.kind} has no meaning here", help=hint)
    rows = made(encoding, list(shape))
    dims = "x".join(map(str, shape))
    text = f"{encoding} on {dims}"
    if element is not None:
        text = f"tensor<{dims}x{element}, {encoding}>"
    whole = Linear.of(rows, {f"dim{k}": d for k, d in enumerate(shape)}, text)
    fields = {n: getattr(whole, n) for n in whole.__dataclass_fields__}
    return Encoded(**fields, encoding=encoding, shape=tuple(shape))


Rows = dict[str, list[Vector]]


def placed(
    steps: Iterable[Step], shape: Sequence[int], cga: Sequence[Vector], repeat: Sequence[int]
) -> Rows:
    """Digits one above the other along each dimension, cut off or repeated to fill the shape.

    `cga` are the vectors of the block's bits, in parts of the tensor; `repeat` is the order in which
    registers repeat what is smaller than a block's part.
    """
    rank = len(shape)
    parts = [2 ** max((v[d].bit_length() for v in cga), default=0) for d in range(rank)]
    parts = [min(p, s) for p, s in zip(parts, shape)]
    own = [s // p for s, p in zip(shape, parts)]
    rows: Rows = {name: [] for name in INPUTS}
    below = [1] * rank

    def add(name: str, dim: int | None) -> None:
        vector = [0] * rank
        if dim is not None:
            vector[dim] = below[dim] if below[dim] < own[dim] else 0
            below[dim] *= 2
        rows[name].append(tuple(vector))

    for name, dim, count in steps:
        for _ in range(power(count) or 0):
            add(name, dim)
    for dim in repeat:
        while below[dim] < own[dim]:
            add("register", dim)
    for v in cga:
        rows["block"].append(tuple(x % p * o for x, p, o in zip(v, parts, own)))
    return rows


def blocks(e: Encoding, rank: int) -> list[Vector]:
    """The vectors of the block's bits: given, or by how many blocks there are along each dimension."""
    if "CGALayout" in dict(e.fields):
        return e.vectors("CGALayout", rank)
    many = e.sizes("CTAsPerCGA", rank, (1,) * rank)
    split = e.sizes("CTASplitNum", rank, (1,) * rank)
    made: list[Vector] = []
    for dim in e.order(rank, "CTAOrder", tuple(reversed(range(rank)))):
        if many[dim] % split[dim]:
            raise LayoutError("SL403", f"CTASplitNum does not divide CTAsPerCGA in dimension {dim}")
        for k in range(power(many[dim]) or 0):
            x = 2**k if 2**k < split[dim] else 0
            made.append(tuple(x if d == dim else 0 for d in range(rank)))
    return made


def _blocked(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    order = e.order(rank)
    keys = (("register", "sizePerThread"), ("lane", "threadsPerWarp"), ("warp", "warpsPerCTA"))
    steps = [(name, d, e.sizes(key, rank)[d]) for name, key in keys for d in order]
    rows = placed(steps, shape, blocks(e, rank), order)
    rows["register"] = [v for v in rows["register"] if any(v)]  # none holds an element again
    return rows


def _linear(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    rows = {name: e.vectors(name, rank) for name in INPUTS}
    size = [2 ** max((v[d].bit_length() for vs in rows.values() for v in vs), default=0)
            for d in range(rank)]  # fmt: skip
    cut = {n: [tuple(x % s for x, s in zip(v, shape)) for v in vs] for n, vs in rows.items()}
    for d in range(rank):  # what is smaller is repeated in registers
        while size[d] < shape[d]:
            cut["register"].append(tuple(size[d] if k == d else 0 for k in range(rank)))
            size[d] *= 2
    return cut


def _slice(e: Encoding, shape: list[int]) -> Rows:
    """The parent on a tensor with one more dimension, which is left out; no register twice."""
    dim = e.number("dim")
    if not 0 <= dim <= len(shape):
        raise LayoutError("SL403", f"dim = {dim} is none of {len(shape) + 1} dimensions")
    whole = encoded(e.parent, [*shape[:dim], 1, *shape[dim:]])
    rows = {n: [(*v[:dim], *v[dim + 1 :]) for v in vs] for n, vs in whole.ins}
    if "register" not in rows:
        raise LayoutError("SL403", f"#ttg.{e.parent.kind} is in shared memory: it has no slice")
    rows["register"] = [v for v in rows["register"] if any(v)]
    return rows


def _tile(e: Encoding, inner: int, outer: int, m: int, n: int, width: int) -> list[Step]:
    """One instruction's fragment: pairs of a thread, four of them in a row, eight rows."""
    return [
        ("register", inner, width),
        ("lane", inner, 4),
        ("lane", outer, 8),
        ("register", outer, m // 8),
        ("register", inner, n // (width * 4)),
    ]


def _mma(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    if rank < 2:
        raise LayoutError("SL403", "an accumulator has two dimensions at least")
    major, instr = e.number("versionMajor"), e.get("instrShape")
    if major not in (2, 3) or not isinstance(instr, tuple) or len(instr) < 2:
        raise LayoutError("SL100", f"nvidia_mma of version {major} has no meaning here")
    m, n = instr[:2] if major == 3 else instr[-2:]
    if not (type(m) is type(n) is int and power(m) and power(n) and m >= 8 and n >= 8):
        raise LayoutError("SL403", f"instrShape = {_shown(instr)} is no instruction's shape")
    steps = _tile(e, rank - 1, rank - 2, m, n, 2)
    steps += [("warp", d, e.sizes("warpsPerCTA", rank)[d]) for d in warp_order(e, rank)]
    return placed(steps, shape, blocks(e, rank), list(reversed(range(rank))))


def warp_order(e: Encoding, rank: int) -> list[int]:
    """Hopper counts warps along rows first; Ampere along columns."""
    order = list(reversed(range(rank)))
    if e.get("versionMajor") == 3:
        order[:2] = order[1], order[0]
    return order


def _dot(e: Encoding, shape: list[int]) -> Rows:
    """An operand: the warps along the dimension that is summed over have the same elements."""
    rank, parent, index = len(shape), e.parent, e.number("opIdx")
    if rank < 2 or index not in (0, 1):
        raise LayoutError("SL403", f"opIdx = {index} of {rank} dimensions is no operand")
    summed = rank - 1 if index == 0 else rank - 2
    other = rank - 2 if index == 0 else rank - 1
    rest = list(reversed(range(rank - 2)))
    cga = [tuple(0 if d == summed else x for d, x in enumerate(v)) for v in blocks(parent, rank)]
    if parent.kind == "blocked":
        return _dot_blocked(parent, shape, summed, cga)
    if parent.kind != "nvidia_mma" or parent.number("versionMajor") not in (2, 3):
        raise LayoutError("SL100", f"an operand of #ttg.{parent.kind} has no meaning here")
    if parent.number("versionMajor") == 3 and index == 1:
        raise LayoutError("SL403", "Hopper takes its second operand from shared memory")
    width = e.number("kWidth")
    if power(width) is None:
        raise LayoutError("SL403", f"kWidth = {width} is no power of two")
    m = 16 if index == 0 else 8
    steps = _tile(e, summed, other, m, width * 8, width)
    warps = parent.sizes("warpsPerCTA", rank)
    along = [(d, None if d == summed else d) for d in warp_order(parent, rank)]
    steps += [("warp", to, warps[d]) for d, to in along]
    return placed(steps, shape, cga, [summed, other, *rest])


def _dot_blocked(parent: Encoding, shape: list[int], summed: int, cga: list[Vector]) -> Rows:
    """Without a matrix unit a thread holds all that is summed over."""
    rank = len(shape)
    order, own = parent.order(rank), parent.sizes("sizePerThread", rank)
    own[summed] = shape[summed]
    steps: list[Step] = [("register", d, own[d]) for d in order]
    for name, key in (("lane", "threadsPerWarp"), ("warp", "warpsPerCTA")):
        many = parent.sizes(key, rank)
        steps += [(name, None if d == summed else d, many[d]) for d in order]
    return placed(steps, shape, cga, order)


def _shared(e: Encoding, shape: list[int]) -> Rows:
    """Offsets in shared memory: rows whose vectors are exchanged by the row's phase."""
    rank = len(shape)
    if dict(e.fields).get("hasLeadingOffset"):
        raise LayoutError("SL100", "a shared encoding with hasLeadingOffset has no meaning here")
    order = e.order(rank)
    vec, per, most = (e.number(k) for k in ("vec", "perPhase", "maxPhase"))
    if any(power(x) is None for x in (vec, per, most)):
        raise LayoutError("SL403", "vec, perPhase and maxPhase are powers of two")
    rows = placed([], shape, blocks(e, rank), order)
    offsets, block = rows["register"], rows["block"]
    if rank > 1:
        column, row = order[0], order[1]
        columns = max([1, *[2 * v[column] for v in offsets]])
        for k, v in enumerate(offsets):
            if v[row]:
                turned = list(v)
                turned[column] = vec * (v[row] // per % most) % columns
                offsets[k] = tuple(turned)
    return {"offset": offsets, "block": block}


def _shared_linear(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    return {"offset": e.vectors("offset", rank), "block": e.vectors("block", rank)}


_KINDS: dict[str, Callable[[Encoding, list[int]], Rows]] = {
    "blocked": _blocked,
    "slice": _slice,
    "linear": _linear,
    "nvidia_mma": _mma,
    "dot_op": _dot,
    "swizzled_shared": _shared,
    "shared": _shared,
    "shared_linear": _shared_linear,
}


# -- reading ----------------------------------------------------------------------------------------


def read_encoded(text: str) -> Encoded:
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
        element = (s.match(ELEMENT) or "").strip()
        s.expect(",", "before the encoding")
        at = s.skip()
        encoding = encoding_at(s)
        if not tensor and s.take(","):  # the memory, and whether it is mutable
            s.match(re.compile(r"[^<>]*"))
        s.expect(">", "to close the type")
        element = element if tensor else None
    else:
        at = s.skip()
        encoding = encoding_at(s)
        s.expect("on", "and a shape behind the encoding, such as `on 32x128`")
        shape = _shape(s)
    s.end("the layout")
    try:
        return encoded(encoding, shape, element)
    except LayoutError as error:
        raise s.error(error.code, error.message, at, help=error.help) from None


def _shape(s: Scanner) -> list[int]:
    shape: list[int] = []
    while (found := DIMENSION.match(s.text, s.skip())) is not None:
        at = s.at
        shape.append(number_at(Scanner(found[1])))
        s.at = found.end()
        s.check_rank(len(shape))
        if not found[0].endswith("x"):
            break
        if s.text[at:].isspace():
            break
    if not shape:
        raise s.error("SL101", f"expected a shape such as 32x128, found {s.found()}")
    return shape


def read_encoding(text: str) -> Encoding:
    """An encoding alone."""
    s = Scanner(text)
    made = encoding_at(s)
    s.end("the encoding")
    return made


def encoding_at(s: Scanner, depth: int = 0) -> Encoding:
    """`#ttg.kind<{key = value, ...}>`."""
    if depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested encodings")
    s.skip()
    head = HEAD.match(s.text, s.at)
    if head is None:
        raise s.error("SL101", f"expected an encoding such as #ttg.blocked<...>, found {s.found()}")
    s.at = head.end()
    s.expect("<", "behind the encoding's name")
    s.expect("{", "before the encoding's fields")
    fields: dict[str, Any] = {}
    _fields(s, fields, "}", depth)
    if s.take(","):
        _fields(s, fields, ">", depth)
    else:
        s.expect(">", "to close the encoding")
    return Encoding(head[1], tuple(fields.items()))


def _fields(s: Scanner, fields: dict[str, Any], closing: str, depth: int) -> None:
    first = True
    while not s.take(closing):
        if not first:
            s.expect(",", "between the fields")
        first = False
        at = s.skip()
        name = s.name()
        if name is None or name in fields:
            said = (
                f"the field {name!r} is given twice"
                if name
                else f"expected a field, found {s.found()}"
            )
            raise s.error("SL101", said, at)
        s.check_rank(len(fields) + 1)
        s.expect("=", "behind a field's name")
        fields[name] = _value(s, depth)


def _value(s: Scanner, depth: int) -> Any:
    if depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested values")
    if s.peek("#"):
        return encoding_at(s, depth + 1)
    if s.take("["):
        made: list[Any] = []
        while not s.take("]"):
            if made:
                s.expect(",", "between the values")
            s.check_rank(len(made) + 1)
            made.append(_value(s, depth + 1))
        return tuple(made)
    for word, value in (("true", True), ("false", False)):
        if s.take(word):
            return value
    return number_at(s)
