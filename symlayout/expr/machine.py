"""C's integer types: what a literal, an operation and a cast are computed in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from symlayout.errors import LayoutError


@dataclass(frozen=True)
class Machine:
    """An integer type of so many bits; there is no order of them, only `promotion`.

    >>> INT.low, INT.high, str(TYPES["size_t"]), str(Machine(16, False).promoted)
    (-2147483648, 2147483647, 'uint64', 'int32')
    """

    bits: int
    signed: bool = True

    def __str__(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.bits}"

    @property
    def low(self) -> int:
        """The least value."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The greatest value."""
        return (1 << (self.bits - self.signed)) - 1

    def holds(self, value: int) -> bool:
        """Whether the value is one of the type."""
        return self.low <= value <= self.high

    def includes(self, other: Machine) -> bool:
        """Whether every value of the other type is one of this."""
        return self.low <= other.low and other.high <= self.high

    @property
    def promoted(self) -> Machine:
        """The type that arithmetic has a value of this in: a narrow one's is int."""
        return self if self.bits >= INT.bits else INT

    def wrapped(self, value: int) -> int:
        """The value of the type that is the same modulo 2**bits."""
        return (value - self.low) % (1 << self.bits) + self.low


BOOL = Machine(1, False)
INT, UINT32, INT64, UINT64 = (
    Machine(bits, signed) for bits in (32, 64) for signed in (True, False)
)
TYPES: dict[str, Machine] = {
    **{str(m): m for m in (INT, UINT32, INT64, UINT64)},
    "size_t": UINT64,
}


def promotion(a: Machine, b: Machine) -> Machine:
    """What both operands are converted to: the wider; of one width the unsigned.

    >>> print(promotion(INT64, UINT32), promotion(INT, UINT32), promotion(BOOL, BOOL))
    int64 uint32 int32
    """
    a, b = a.promoted, b.promoted
    if a.bits == b.bits:
        return a if not a.signed else b
    return a if a.bits > b.bits else b


def common(types: Iterable[Machine | None]) -> Machine | None:
    """What all operands are converted to; None is a number of any size, which takes each type.

    >>> print(common([None, INT, UINT32]), common([None, None]))
    uint32 None
    """
    known = [t.promoted for t in types if t is not None]
    return reduce(promotion, known) if known else None


def literal(text: str) -> tuple[int, Machine]:
    """The value and the type of a number in a text: the first of C's types that holds it.

    >>> [str(literal(t)[1]) for t in ("7", "7u", "3000000000", "0xB2D05E00", "7ul")]
    ['int32', 'uint32', 'int64', 'uint32', 'uint64']

    Raises `LayoutError` (SL204) for a number that no type holds.
    """
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    value = int(digits, 0 if digits[:2] in ("0x", "0X") else 10)
    tried = []
    for bits in (32, 64):
        if bits == 32 and "l" in suffix:
            continue
        if "u" not in suffix:
            tried.append(Machine(bits))
        if "u" in suffix or digits[:2] in ("0x", "0X"):
            tried.append(Machine(bits, False))
    for kind in tried:
        if kind.holds(value):
            return value, kind
    message = f"the number {digits} is in no integer type of C: 64 bits are the most"
    raise LayoutError("SL204", message)


def literal_or_none(text: str) -> Machine | None:
    """The type of a number in a text; None where no type of C holds it."""
    try:
        return literal(text)[1]
    except LayoutError:
        return None


def machine(name: str) -> Machine:
    """The type of that name; raises `LayoutError` (SL502) for a name of none."""
    if name not in TYPES:
        raise LayoutError("SL502", f"{name!r} is not an integer type: they are {', '.join(TYPES)}")
    return TYPES[name]
