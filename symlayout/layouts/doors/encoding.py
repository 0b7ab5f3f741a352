"""What Triton's encodings are made of: fields, and digits that are put one above the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.layouts.doors.linear import Vector, power

INPUTS = ("register", "lane", "warp", "block")
Step = tuple[str, int | None, int]  # so many of an input go along a dimension, or along none


@dataclass(frozen=True)
class Table:
    """Fields in braces."""

    fields: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return f"{{{', '.join(f'{k} = {excerpt(v)}' for k, v in self.fields)}}}"


def _pads(pairs: tuple[tuple[int, int], ...]) -> str:
    return f"[{', '.join(f'{every}:+{many}' for every, many in pairs)}]"


@dataclass(frozen=True)
class Encoding:
    """An attribute of Triton's: its kind, and its fields as they are written.

    >>> print(Encoding("slice", (("dim", 0), ("parent", Encoding("linear", (("lane", ((1, 0),)),))))))
    #ttg.slice<{dim = 0, parent = #ttg.linear<{lane = [[1, 0]]}>}>
    """

    kind: str
    fields: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        if self.kind == "padded_shared":
            return f"#ttg.{self.kind}<{_pads(self.get('pads'))} {Table(self.fields[1:])}>"
        return f"#ttg.{self.kind}<{{{', '.join(f'{k} = {excerpt(v)}' for k, v in self.fields)}}}>"

    def get(self, key: str, default: Any = None) -> Any:
        """A field; raises `LayoutError` (SL101) where it is missing and there is no default."""
        hit = dict(self.fields).get(key, default)
        if hit is None:
            raise LayoutError("SL101", f"#ttg.{self.kind} has no field {key!r}")
        return hit

    def only(self, *keys: str) -> None:
        """Raises `LayoutError` (SL101) for a field that is not read, or a second word for blocks."""
        for key, _ in self.fields:
            if key not in keys:
                hint = did_you_mean(key, list(keys)) or f"it has {', '.join(keys)}"
                message = f"the field {key!r} of #ttg.{self.kind} is not known"
                raise LayoutError("SL101", message, help=hint)
        rest = [key for key, _ in self.fields if key.startswith("CTA")]
        if rest and "CGALayout" in dict(self.fields):
            message = f"#ttg.{self.kind} has CGALayout and {rest[0]}, which say the same"
            raise LayoutError("SL101", message)

    def sizes(self, key: str, rank: int, default: Any = None) -> list[int]:
        """A list of powers of two, one for each dimension."""
        hit = self.get(key, default)
        if not isinstance(hit, tuple) or len(hit) != rank:
            raise LayoutError("SL107", f"{key} = {excerpt(hit)} has not {rank} numbers")
        for d in hit:
            if not isinstance(d, int) or isinstance(d, bool) or power(d) is None:
                raise LayoutError("SL403", f"{key} = {excerpt(hit)} has no powers of two")
        return list(hit)

    def order(self, rank: int, key: str = "order", default: Any = None) -> list[int]:
        """A permutation of the dimensions, the fastest one first."""
        hit = self.get(key, default)
        if not isinstance(hit, tuple) or sorted(map(str, hit)) != sorted(map(str, range(rank))):
            raise LayoutError(
                "SL403", f"{key} = {excerpt(hit)} is not an order of {rank} dimensions"
            )
        return list(hit)

    def number(self, key: str, default: int | None = None) -> int:
        """A number."""
        hit = self.get(key, default)
        if isinstance(hit, bool) or not isinstance(hit, int):
            raise LayoutError("SL101", f"{key} = {excerpt(hit)} is not a number")
        return hit

    @property
    def width(self) -> int:
        """How many elements an operand's register has one after the other: a power of two."""
        width = self.number("kWidth")
        if power(width) is None:
            raise LayoutError("SL403", f"kWidth = {width} is not a power of two")
        return width

    def vectors(self, key: str, rank: int) -> list[Vector]:
        """Vectors of coordinates, none where the field is left out."""
        hit = dict(self.fields).get(key, ())
        good = isinstance(hit, tuple) and all(isinstance(v, tuple) for v in hit)
        if not good or any(len(v) != rank or not all(type(x) is int for x in v) for v in hit):
            raise LayoutError(
                "SL107", f"{key} = {excerpt(hit)} is not a list of {rank} coordinates"
            )
        return list(hit)

    def flag(self, key: str) -> bool:
        """Whether a field is `true`; it is not where it is left out."""
        value = dict(self.fields).get(key, False)
        if not isinstance(value, bool):
            raise LayoutError("SL101", f"{key} = {excerpt(value)} is neither true nor false")
        return value

    @property
    def parent(self) -> Encoding:
        """The encoding that it is made of."""
        hit = self.get("parent")
        if not isinstance(hit, Encoding):
            raise LayoutError("SL101", f"parent = {excerpt(hit)} is not an encoding")
        return hit


def excerpt(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Table):
        return str(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(excerpt, value))}]"
    return str(value)


Rows = dict[str, list[Vector]]


def reach(vectors: Iterable[Vector], rank: int) -> list[int]:
    """The least powers of two that are above all coordinates.

    >>> reach([(1, 0), (0, 4)], 2)
    [2, 8]
    """
    rows = list(vectors)
    return [2 ** max((v[d].bit_length() for v in rows), default=0) for d in range(rank)]


def filled(rows: Rows, order: Iterable[int], far: list[int], shape: Sequence[int]) -> Rows:
    """The rows, which come so far; what is smaller than the shape is repeated in registers."""
    for d in order:
        while far[d] < shape[d]:
            rows["register"].append(tuple(far[d] if k == d else 0 for k in range(len(shape))))
            far[d] *= 2
    return rows


def own_part(shape: Sequence[int], cga: Sequence[Vector]) -> list[int]:
    """The shape of what one block has of a tensor."""
    return [n // min(p, n) for n, p in zip(shape, reach(cga, len(shape)))]


def stack(
    steps: Iterable[Step], shape: Sequence[int], cga: Sequence[Vector], repeat: Sequence[int]
) -> Rows:
    """Digits one above the other along each dimension, cut off or repeated to fill the shape.

    `cga` are the vectors of the block's bits, in parts of the tensor; `repeat` is the order in which
    registers repeat what is smaller than a block's part.
    """
    rank = len(shape)
    parts = [min(p, s) for p, s in zip(reach(cga, rank), shape)]
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


def exchange(e: Encoding, shape: list[int], phase: Callable[[int, int], int]) -> Rows:
    """Offsets in shared memory, a row's vectors exchanged by the phase of `row // perPhase`."""
    rank, order = len(shape), e.order(len(shape))
    vec, per, most = (e.number(k) for k in ("vec", "perPhase", "maxPhase"))
    if any(power(x) is None for x in (vec, per, most)):
        raise LayoutError("SL403", "vec, perPhase and maxPhase are powers of two")
    rows = stack([], shape, blocks(e, rank), order)
    offsets = rows["register"]
    if rank > 1:
        column, row = order[0], order[1]
        columns = max([1, *[2 * v[column] for v in offsets]])
        for k, v in enumerate(offsets):
            if v[row]:
                turn = vec * phase(v[row] // per, most) % columns
                offsets[k] = tuple(turn if d == column else x for d, x in enumerate(v))
    return {"offset": offsets, "block": rows["block"]}


def blocks(e: Encoding, rank: int) -> list[Vector]:
    """The vectors of the block's bits: given, or by how many blocks there are along each dimension."""
    if "CGALayout" in dict(e.fields):
        return e.vectors("CGALayout", rank)
    many = e.sizes("CTAsPerCGA", rank, (1,) * rank)
    split = e.sizes("CTASplitNum", rank, (1,) * rank)
    results: list[Vector] = []
    for dim in e.order(rank, "CTAOrder", tuple(reversed(range(rank)))):
        if many[dim] % split[dim]:
            raise LayoutError("SL403", f"CTASplitNum does not divide CTAsPerCGA in dimension {dim}")
        for k in range(power(many[dim]) or 0):
            x = 2**k if 2**k < split[dim] else 0
            results.append(tuple(x if d == dim else 0 for d in range(rank)))
    return results
