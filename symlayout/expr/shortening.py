"""Straight-line programs made shorter for given sizes: numbers folded, shifts and masks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from symlayout.expr.arrays import PARTIAL, Operand, Program, Step, undefined, value_of_step


def specialization(program: Program, sizes: Mapping[str, int]) -> Program:
    """The program for these sizes, without what only numbers go into and what nobody reads.

    >>> from symlayout.expr.arrays import program
    >>> from symlayout.expr.terms import FloorDiv, Mod, symbol
    >>> i, t = symbol("i"), symbol("t")
    >>> [tuple(s)[1:4] for s in specialization(program(FloorDiv(i, t) * 3 + Mod(i, t)), {"t": 8}).steps]
    [('>>', 'i', 3), ('*', 3, 't.0'), ('&', 'i', 7), ('+', 't.1', 't.2')]

    Raises nothing: a division by zero stays as it is.
    """
    return _specialization(program, tuple(sorted(sizes.items())))


@lru_cache(maxsize=256)
def _specialization(program: Program, sizes: tuple[tuple[str, int], ...]) -> Program:
    known: dict[str, Operand] = dict(sizes)
    steps: list[Step] = []
    by_name: dict[str, Step] = {}

    def of(x: Operand) -> Operand:
        return known.get(x, x) if isinstance(x, str) else x

    for s in program.steps:
        a, b, where = of(s.left), of(s.right), of(s.where)
        short = _short(s.op, a, b, by_name)
        if isinstance(short, tuple):
            step = Step(f"t.{len(steps)}", *short, where)
            steps.append(step)
            by_name[step.target] = step
            known[s.target] = step.target
        else:
            known[s.target] = short
    return _cone(Program(tuple(steps), of(program.result)))


def _short(
    op: str, a: Operand, b: Operand, by_name: Mapping[str, Step]
) -> Operand | tuple[str, Operand, Operand]:
    """A number, another value, or the operation as it is to be done."""
    if isinstance(a, int) and isinstance(b, int) and _has_value(op, a, b):
        return value_of_step(op, a, b)
    if op in ("+", "-") and b == 0:
        return a
    if op == "+" and a == 0:
        return b
    if (op in ("*", "//", "ceildiv") and b == 1) or (op == "*" and a == 1):
        return b if b != 1 else a
    if op == "//" and isinstance(b, int) and b > 1 and not b & (b - 1):
        return (">>", a, b.bit_length() - 1)
    if op == "*" and 0 in (a, b):
        return 0
    if op == "-" and isinstance(b, str) and b in by_name:
        width = _width(a, by_name[b], by_name)
        if width:
            return ("&", a, width - 1)
    return (op, a, b)


def _has_value(op: str, a: int, b: int) -> bool:
    """Whether the operation has a value, and a shift one that may be a number of 64 bits."""
    return not (op in PARTIAL and undefined(op, a, b)) and not (op == "<<" and b >= 64)


def _width(a: Operand, product: Step, by_name: Mapping[str, Step]) -> int:
    """The power of two of which `product` is the greatest multiple up to `a`; 0 where it is none."""
    if product.op != "*" or not isinstance(product.right, int):
        return 0
    quotient = by_name.get(str(product.left))
    if quotient is None or quotient[1:3] != (">>", a):
        return 0
    return product.right if product.right == 1 << int(quotient.right) else 0


def _cone(program: Program) -> Program:
    """The program without steps that do not lead to its result, numbered anew."""
    operands, cone = {program.result}, list[Step]()
    for s in reversed(program.steps):
        if s.target in operands:
            cone.append(s)
            operands |= {s.left, s.right, s.where}
    names: dict[Operand, Operand] = {s.target: f"t.{k}" for k, s in enumerate(reversed(cone))}

    def of(x: Operand) -> Operand:
        return names.get(x, x)

    steps = [Step(str(of(s.target)), s.op, *map(of, s[2:])) for s in reversed(cone)]
    return Program(tuple(steps), of(program.result))
