"""The layouts that a custom call asks of its operands: `operand_layout_constraints`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symlayout.errors import LayoutError
from symlayout.layouts.xla import AnyShape, Shape, TupleShape, read_shape
from symlayout.programs.hlo.buffers import arrays_of
from symlayout.programs.hlo.module import UNKNOWN, Instruction, same_array

KEY = "operand_layout_constraints"


def constraints(i: Instruction) -> tuple[AnyShape, ...]:
    """The shapes with their layouts, one for each operand.

    >>> from symlayout.programs.hlo.reader import read_instruction
    >>> text = "f32[] custom-call(f32[2,3]), operand_layout_constraints={f32[2,3]{0,1}}"
    >>> [str(shape) for shape in constraints(read_instruction(text))]
    ['f32[2,3]{0,1}']

    Raises `LayoutError` for what is not a list of shapes.
    """
    text = i.attributes[KEY].strip()
    shapes = read_shape(f"({text[1:-1]})") if text[:1] == "{" and text[-1:] == "}" else None
    if not isinstance(shapes, TupleShape):
        raise LayoutError("SL721", f"{KEY} is a list of shapes")
    return tuple(shapes)


def misfits(i: Instruction) -> Iterator[str]:
    """What is wrong with the constraints of an instruction, whatever the layouts."""
    if KEY not in i.attributes:
        return
    try:
        targets = constraints(i)
    except LayoutError as error:
        yield f"{KEY} of {i.name} cannot be read: {error.message}"
        return
    if len(targets) != len(i.operands):
        yield f"{KEY} of {i.name} has {len(targets)} shapes for {len(i.operands)} operands"
        return
    for k, (shape, operand) in enumerate(zip(targets, i.operands)):
        known = operand.shape is not None and operand.shape is not UNKNOWN
        if operand.shape is not None and known and not same_array(shape, operand.shape):
            yield f"operand {k} of {i.name} is {operand.shape}, {KEY} has {shape}"


def laid_out(i: Instruction) -> Iterator[tuple[Shape, Shape]]:
    """Each array of an operand, and the one of the constraint, where both say their layout.

    A constraint is older than tiles and memory spaces: the order of the dimensions is compared, and
    tiles only where the constraint has some.

    >>> from symlayout.programs.hlo.reader import read_instruction
    >>> text = "f32[] custom-call(f32[2,3]{1,0:T(2,128)S(1)})"
    >>> text += ", operand_layout_constraints={f32[2,3]{1,0}}"
    >>> [[str(shape) for shape in pair] for pair in laid_out(read_instruction(text))]
    [['f32[2,3]{1,0}', 'f32[2,3]{1,0}']]
    """
    if KEY in i.attributes and not any(misfits(i)):
        for shape, operand in zip(constraints(i), i.operands):
            if operand.shape is None or operand.shape is UNKNOWN:
                continue
            for a, b in zip(arrays_of(operand.shape), arrays_of(shape)):
                if a.explicit and b.explicit:
                    yield _comparable(a, b), _comparable(b, b)


def _comparable(shape: Shape, constraint: Shape) -> Shape:
    """What of a layout a constraint is about."""
    if constraint._tiles:
        return replace(shape, memory_space=0, splits=())
    return Shape(shape.dtype, shape._dims, shape.minor_to_major)
