"""C's integer types: what a literal, an operation and a cast are computed in."""

from __future__ import annotations

from typing import NamedTuple

from symlayout.errors import LayoutError


class Machine(NamedTuple):
    """An integer type of so many bits.

    >>> INT.low, INT.high, str(TYPES["size_t"])
    (-2147483648, 2147483647, 'uint64')
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

    def wrapped(self, value: int) -> int:
        """The value of the type that is the same modulo 2**bits."""
        return (value - self.low) % (1 << self.bits) + self.low


INT = Machine(32)
TYPES: dict[str, Machine] = {
    "int32": INT,
    "uint32": Machine(32, False),
    "int64": Machine(64),
    "uint64": Machine(64, False),
    "size_t": Machine(64, False),
}


def promotion(a: Machine, b: Machine) -> Machine:
    """What both operands are converted to: the wider; of one width the unsigned.

    >>> print(promotion(TYPES["int64"], TYPES["uint32"]), promotion(INT, TYPES["uint32"]))
    int64 uint32
    """
    if a.bits == b.bits:
        return a if not a.signed else b
    return a if a.bits > b.bits else b


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


def machine(name: str) -> Machine:
    """The type of that name; raises `LayoutError` (SL502) for a name of none."""
    if name not in TYPES:
        raise LayoutError("SL502", f"{name!r} is not an integer type: they are {', '.join(TYPES)}")
    return TYPES[name]
