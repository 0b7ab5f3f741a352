"""Terms in C's integer types: what wraps, what may be below 0 in a type without a sign."""

from __future__ import annotations

from symlayout.expr.machine import INT, INT64, UINT64, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import binary, cast, num, rebuilt

BELOW = 1  # marks a cast of what may be below 0 to 64 bits without a sign


def unwrapped(node: Term) -> Term:
    """What sums and products without a sign are in mathematics, whose low bits are the same.

    >>> from symlayout.expr.machine import UINT32
    >>> from symlayout.programs.kernels.nodes import name
    >>> u = binary("-", name("u", UINT32), num(1))
    >>> binary("%", unwrapped(u), num(8)).text({}, typed=True)
    '(int64(uint32(u)) - int64(1))%8'
    """
    if node.op in ("+", "-", "*") and node.unsigned:
        return rebuilt(node, tuple(map(unwrapped, node.args)))
    return num(node.number, INT64) if node.op == "num" else cast(INT64, node)


def may_be_below(node: Term) -> bool:
    """Whether a value without a sign is one that may be below 0 in mathematics."""
    if node.op == "cast" and node.number == BELOW:
        return True
    parts = {"where": node.args[1:], "min": node.args, "max": node.args, "cast": node.args}
    return any(map(may_be_below, parts.get(node.op, ())))


def wrap(node: Term, kind: Machine) -> Term:
    """The value in an integer that is narrower than `int`."""
    size, half = num(1 << kind.bits), num(-kind.low)
    if node.op == "num":
        return num(kind.wrapped(node.number))
    if _fits(node, kind):
        return node
    if node.type == UINT64:  # what is left of it has a place among 64 bits with a sign
        node = binary("%", node, size)
        if not kind.signed:
            return cast(INT, node)
    remainder = binary("%", binary("+", cast(INT64, node), half), size)
    return cast(INT, binary("-", remainder, half))


def is_small(node: Term) -> bool:
    """Whether it is a number that a `char` has, with a sign or without."""
    return node.value in range(128) if node.op == "num" else _fits(node, Machine(7, False))


def _fits(node: Term, kind: Machine) -> bool:
    """Whether it is the remainder that an integer of so few bits is."""
    while node.op == "cast" and node.number != BELOW:
        (node,) = node.args
    low = 0
    if node.op == "-" and node.args[1].value is not None:
        low, node = -node.args[1].number, node.args[0]
    size = node.args[1].value if node.op == "%" else None
    return size is not None and low >= kind.low and low + size - 1 <= kind.high
