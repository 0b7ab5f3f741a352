"""What a bitcast does to the order of the elements: a reshape, a transpose, or both.

The place of an element is a number in mixed radix: each of its digits belongs to a dimension, with
a weight in that dimension's coordinate.  Two layouts of one buffer are two readings of the place;
cut so fine that both have the same digits, a bitcast moves digits from one shape to the other: a
reshape into the digits, a transpose of them, a reshape out of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from symlayout.layouts.xla import Shape


@dataclass(frozen=True)
class _Digit:
    """A digit of the place: `count` values; it adds `weight` times itself to the coordinate."""

    count: int
    dim: int
    weight: int


@dataclass(frozen=True)
class _Factor:
    """A digit as both shapes read it; `size` is how many of its values elements have."""

    a: _Digit
    b: _Digit
    size: int = 0


@dataclass(frozen=True)
class Bitcast:
    """What a bitcast does; `whole`: it is known to put elements where elements were, and no others.

    `order` are the source's dimensions of more than one element in the target's order, None where
    it cuts dimensions to pieces and moves those.
    """

    words: str
    whole: bool
    order: tuple[int, ...] | None = None

    def does(self, opcode: str, source: Shape, permutation: Sequence[int] = ()) -> bool:
        """Whether it is what a reshape, a copy or a transpose does, so that this moves nothing."""
        order = self.order if self.whole else None
        if order is None:
            return False
        if opcode == "transpose":
            return list(order) == [k for k in permutation if source._dims[k] != 1]
        return list(order) == sorted(order)


def describe(source: Shape, target: Shape) -> str | None:
    """The reshape or transpose that a bitcast from one shape to the other is.

    >>> from symlayout.layouts.xla import read_shape
    >>> describe(read_shape("f32[8,128]{1,0}"), read_shape("f32[128,8]{0,1}"))
    'a transpose with dimensions={1,0}'
    >>> describe(read_shape("f32[6,4]{1,0}"), read_shape("f32[2,4,3]{1,2,0}"))
    'a reshape to [2,3,4], then a transpose with dimensions={0,2,1}'

    None where the two are no such readings of one buffer: sizes that are no numbers, tiles that cut
    the same dimension at places that do not fit together, buffers of other sizes.
    """
    result = bitcast_of(source, target)
    return None if result is None else result.words


def bitcast_of(source: Shape, target: Shape) -> Bitcast | None:
    """The bitcast from one shape to the other, None as for `describe`.

    The elements of a shape lie among the values that its digits have.  Where there are no more such
    values than elements, all of them are elements; and both shapes have the same digits.
    """
    first, second = _digits(source), _digits(target)
    if first is None or second is None or source.bits != target.bits:
        return None
    if prod(_sizes(source)) != prod(_sizes(target)):
        return None
    pairs = _common_digits(first, second)
    factors = None if pairs is None else _with_sizes(_coarsest(pairs), source, target)
    if factors is None:
        in_order = _one_digit(first, source) and _one_digit(second, target)
        return Bitcast(_words(source, target, [], []), True, ()) if in_order else None
    order_a = sorted(factors, key=lambda f: (f.a.dim, -f.a.weight))
    order_b = sorted(factors, key=lambda f: (f.b.dim, -f.b.weight))
    perm = [order_a.index(f) for f in order_b]
    sizes = [f.size for f in order_a]
    words = _words(source, target, sizes, perm)
    whole = prod(sizes) == prod(_sizes(source))
    large = [k for k, d in enumerate(_sizes(source)) if d != 1]
    dims = large if sizes == [_sizes(source)[k] for k in large] else None
    if perm == sorted(perm):
        return Bitcast(words, whole, tuple(large))
    return Bitcast(words, whole, None if dims is None else tuple(dims[p] for p in perm))


def _sizes(shape: Shape) -> list[int]:
    return [int(str(d)) for d in shape._dims]


def _digits(shape: Shape) -> list[_Digit] | None:
    """The digits of the place, most significant first.

    None where there is no element, and where dimensions are merged by `*`.
    """
    numbers = all(isinstance(d, int) and d > 0 for d in shape._dims)
    if not numbers or shape._padded is not None:
        return None
    digits = [_Digit(_sizes(shape)[k], k, 1) for k in shape.physical_order()]
    for tile in shape._tiles:
        if not all(isinstance(t, int) for t in tile):
            return None
        sizes = [int(t) for t in tile]
        if len(sizes) > len(digits):
            digits = [_Digit(1, -1, 1)] * (len(sizes) - len(digits)) + digits
        lead, covered = digits[: len(digits) - len(sizes)], digits[len(digits) - len(sizes) :]
        outer = [
            replace(d, count=-(-d.count // t), weight=d.weight * t) for d, t in zip(covered, sizes)
        ]
        inner = [replace(d, count=t) for d, t in zip(covered, sizes)]
        digits = lead + outer + inner
    return [d for d in digits if d.count != 1]


def _one_digit(digits: list[_Digit], shape: Shape) -> bool:
    """Whether the place is the row-major number, each digit ending where the next one begins."""
    strides: list[int] = []
    stride = 1
    for size in reversed(_sizes(shape)):
        strides.insert(0, stride)
        stride *= size
    reach = 1
    for d in reversed(digits):
        if d.dim < 0 or strides[d.dim] * d.weight != reach:
            return False
        reach *= d.count
    return reach == stride


def _common_digits(a: list[_Digit], b: list[_Digit]) -> list[_Factor] | None:
    """Both readings cut into the same digits, most significant first."""
    left, right, out = list(a), list(b), []
    while left and right:
        x, y = left.pop(), right.pop()
        count = min(x.count, y.count)
        if x.count % count or y.count % count:
            return None
        for rest, side in ((x, left), (y, right)):
            if rest.count > count:
                more = replace(rest, count=rest.count // count, weight=rest.weight * count)
                side.append(more)
        out.append(_Factor(replace(x, count=count), replace(y, count=count)))
    return None if left or right else out[::-1]


def _coarsest(factors: list[_Factor]) -> list[_Factor]:
    """Neighbours that are neighbours in both readings become one digit again."""
    out: list[_Factor] = []
    for f in factors:
        match = next((k for k, g in enumerate(out) if _follows(f, g) or _follows(g, f)), None)
        if match is None:
            out.append(f)
            continue
        g = out.pop(match)
        low = f if _follows(f, g) else g
        count = f.a.count * g.a.count
        union = _Factor(replace(low.a, count=count), replace(low.b, count=count))
        out = _coarsest([*out, union])
    return out


def _follows(low: _Factor, high: _Factor) -> bool:
    """Whether `low` ends where `high` begins, in both dimensions."""
    pairs = ((low.a, high.a), (low.b, high.b))
    return all(x.dim == y.dim and y.weight == x.weight * x.count for x, y in pairs)


def _with_sizes(factors: list[_Factor], source: Shape, target: Shape) -> list[_Factor] | None:
    """The factors with the number of values that elements have, padding left out."""
    out = []
    for f in factors:
        sizes = {_extent(f.a, source, [g.a for g in factors])}
        sizes.add(_extent(f.b, target, [g.b for g in factors]))
        size = sizes.pop()
        if sizes or size is None:
            return None
        out.append(replace(f, size=size))
    return [f for f in out if f.size != 1]


def _extent(digit: _Digit, shape: Shape, digits: Sequence[_Digit]) -> int | None:
    """How many values of the digit the dimension's size leaves."""
    if digit.dim < 0:
        return 1
    size = _sizes(shape)[digit.dim]
    if digit.weight >= size:
        return 1
    more = any(d.dim == digit.dim and d.weight > digit.weight for d in digits)
    if more and digit.weight * digit.count <= size:
        return digit.count
    return size // digit.weight if size % digit.weight == 0 else None


def _words(source: Shape, target: Shape, sizes: list[int], perm: list[int]) -> str:
    a, b = _sizes(source), _sizes(target)
    if perm == sorted(perm):
        if a == b:
            return "the same array"
        if [d for d in a if d != 1] == [d for d in b if d != 1]:
            return f"a reshape to {_list(b)} that only adds or drops sizes of 1"
        return f"a reshape to {_list(b)}"
    whole = _permutation(a, sizes, perm, b)
    if whole is not None:
        return f"a transpose with dimensions={{{','.join(map(str, whole))}}}"
    steps = [] if sizes == a else [f"a reshape to {_list(sizes)}"]
    steps.append(f"a transpose with dimensions={{{','.join(map(str, perm))}}}")
    if [sizes[p] for p in perm] != b:
        steps.append(f"a reshape to {_list(b)}")
    return ", then ".join(steps)


def _permutation(a: list[int], sizes: list[int], perm: list[int], b: list[int]) -> list[int] | None:
    """The permutation of all dimensions where the factors are whole dimensions, 1s in order."""
    large = [k for k, d in enumerate(a) if d != 1]
    if [a[k] for k in large] != sizes or len(a) != len(b):
        return None
    ones = iter([k for k, d in enumerate(a) if d == 1])
    targets = iter([large[p] for p in perm])
    out = [next(ones, None) if d == 1 else next(targets, None) for d in b]
    full = [k for k in out if k is not None]
    return full if len(full) == len(b) and [a[k] for k in full] == b else None


def _list(sizes: Sequence[int]) -> str:
    return f"[{','.join(map(str, sizes))}]"
