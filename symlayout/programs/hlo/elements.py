"""Elements of tuples as operands: `%while.1#2` is `get-tuple-element(%while.1), index=2`.

New compilers print no instruction for an element.  Here it becomes one, before the first instruction
that reads it, so that nothing else has to know of the short form.
"""

from __future__ import annotations

from symlayout.errors import LayoutError
from symlayout.layouts.xla.composite import AnyShape, TupleShape
from symlayout.programs.hlo.instruction import UNKNOWN, Instruction, Operand

OPCODE = "get-tuple-element"
MARK = "#"  # before the index of an element
DIGITS = 9  # of an index that is read as a number


def element(name: str, at: int, scope: dict[str, Instruction]) -> Instruction | None:
    """The instruction that an operand with `#` means, put into `scope` where it is not there yet.

    >>> from symlayout.layouts.xla import read_shape
    >>> scope = {"p": Instruction("p", "parameter", read_shape("(f32[2], (s32[], f32[3]))"))}
    >>> made = element("p#1#0", 0, scope)
    >>> made.name, str(made.shape), list(scope)
    ('p#1#0', 's32[]', ['p', 'p#1', 'p#1#0'])

    None where the tuple is not defined.  Raises `LayoutError` where it has no such element.
    """
    base, *indices = (word.strip() for word in name.split(MARK))
    instruction = scope.get(base)
    for index in indices:
        if instruction is None:
            return None
        number = int(index) if len(index) <= DIGITS else 10**DIGITS
        whole, title = instruction, f"{instruction.name}#{number}"
        instruction = scope.get(title)
        if instruction is None:
            instruction = Instruction(
                title,
                OPCODE,
                _shape(whole, number, at),
                (Operand(whole.name, whole.shape),),
                whole.name,
                {"index": str(number)},
                at=at,
                shape_at=at,
                shape_end=at,
            )
            scope[title] = instruction
    return instruction


def _shape(whole: Instruction, number: int, at: int) -> AnyShape:
    if whole.shape is UNKNOWN:
        return UNKNOWN
    if not isinstance(whole.shape, TupleShape):
        message = f"#{number} is an element of a tuple, and {whole.name} is {whole.shape}"
        raise LayoutError("SL723", message, at=at)
    if number >= len(whole.shape):
        message = f"{whole.name} has {len(whole.shape)} elements: #{number} is not there"
        raise LayoutError("SL723", message, at=at)
    return whole.shape[number]
