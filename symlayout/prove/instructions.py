"""The claims about a module's instructions and layouts: `instruction` and `valid`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import free_names
from symlayout.layouts.demands import Demand
from symlayout.layouts.xla import AnyShape, Shape, TupleShape
from symlayout.programs.hlo.broadcast.extent import extents
from symlayout.programs.hlo.builder import KEY, operation_plan
from symlayout.programs.hlo.module import Instruction
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.reader import read_instruction
from symlayout.programs.hlo.rules import demands_of
from symlayout.prove.broadcasting import intermediate
from symlayout.prove.demands import Checked, OfSizes, reasoner
from symlayout.prove.numbers import fits, of_numbers
from symlayout.prove.question import Known, Question
from symlayout.prove.run import Run
from symlayout.prove.verdict import Verdict
from symlayout.prove.word import states

FOLLOWS = "the shape follows from the operands"


@states
def instruction(text: Any, where: Any = (), *, budget: int | None = None) -> Question:
    """Whether the shape of an instruction follows from its operands, for all sizes.

    `text` is the instruction in long form, each operand with its shape.

    >>> instruction("f32[N,M] transpose(f32[M,N]), dimensions={1,0}").status
    'proved'
    >>> made = instruction("f32[K] slice(f32[N]), slice={[0:8]}")
    >>> made.status, made.details["condition"]
    ('refuted', '8 <= N and K == 8')

    Raises `LayoutError`: SL721 for text that is not an instruction, or an opcode without a rule.
    """
    result = text
    if not isinstance(text, Instruction):  # a text may keep what has been read of it
        result = read_instruction(text if isinstance(text, str) else str(text))
    shapes = tuple(_spelling(result, k) for k in range(len(result.operands)))
    demands = demands_of(Verifier(result.opcode, result.shape, shapes, result.attributes))
    facts = Facts.read(where)
    settled = not (facts.relations or demands.checks or demands.runtime)
    if settled and budget is None and all(map(_plain, (result.shape, *shapes))):
        details = {**_details(result), "condition": "always"}
        return Known(Verdict("proved", "", FOLLOWS, _details=details))
    sizes = [e.size for s in (result.shape, *shapes) for e in _extents(s) if e.size is not None]
    sizes += [e for s in (result.shape, *shapes) for d in _demands(s) for e in d.sides]
    for r in (r for c in demands.checks for r in c.needs):
        sizes += [r.left, r.right]  # a shape in an attribute has sizes too
    facts = facts.with_least(*sizes)
    names = free_names(*sizes)
    own = [d for s in (result.shape, *shapes) for d in _demands(s)]

    def checked(run: Run) -> Checked:
        known = reasoner(facts, names, run)
        return Checked(demands.checks, known, FOLLOWS, _details(result), demands.runtime, own)

    return OfSizes(checked)


def _details(op: Instruction) -> dict[str, Any]:
    """What a verdict reports: the opcode, and the shapes of a broadcast on the way."""
    shapes = [o.shape for o in op.operands if isinstance(o.shape, Shape)]
    if KEY not in op.attributes or len(shapes) != 2 or not isinstance(op.shape, Shape):
        return {"opcode": op.opcode}
    step = operation_plan(shapes, op.attributes[KEY])
    if step is None or not all(c.needs for c in step.checks):
        return {"opcode": op.opcode}
    between = intermediate(step, op.shape.dtype)
    return {"opcode": op.opcode, "result": str(op.shape), **between}


def _spelling(op: Instruction, k: int) -> AnyShape:
    shape = op.operands[k].shape
    if shape is None:
        message = f"operand {k} of {op.opcode} is written without its shape"
        raise LayoutError("SL721", message, help="write it before each operand: f32[2,3] %p")
    return shape


def _plain(shape: AnyShape) -> bool:
    """Whether a shape has numbers for sizes and no layout: then nothing is asked of its sizes."""
    if isinstance(shape, TupleShape):
        return all(map(_plain, shape))
    if not isinstance(shape, Shape):
        return True
    bare = not shape._tiles and shape._padded is None and shape._tail_alignment == 1
    return bare and all(isinstance(d, int) for d in shape._dims)


def _demands(shape: AnyShape) -> Iterator[Demand]:
    """What must hold for a shape to be defined."""
    if isinstance(shape, TupleShape):
        for part in shape:
            yield from _demands(part)
    elif isinstance(shape, Shape):
        yield from shape.demands


def _extents(shape: AnyShape) -> list[Any]:
    if isinstance(shape, TupleShape):
        return [e for s in shape for e in _extents(s)]
    return list(extents(shape)) if isinstance(shape, Shape) else []


@states
def valid(layout: Any, where: Any = (), *, budget: int | None = None) -> Question:
    """Whether a layout gives each element a place of its own inside its buffer.

    >>> valid("f32[M,N]{1,0:T(8,128)}").status
    'proved'

    Raises `LayoutError` with the place of the mistake for a layout that means nothing.
    """
    from symlayout.prove.bijection import PLACED, validity

    shape = of_numbers(layout, where) if budget is None else None
    if shape is not None and fits(shape):
        reason = f"{PLACED}: tiles only split and order coordinates"
        return Known(Verdict("proved", "", reason))
    return validity(layout, where)
