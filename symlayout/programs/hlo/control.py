"""The shape rules of tuples, calls, loops and branches, and of what runs apart (`-start`, `-done`)."""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.layouts.xla import AnyShape, OpaqueShape, Shape, TupleShape
from symlayout.programs.hlo.broadcast.check import Demands
from symlayout.programs.hlo.nesting import split_commas
from symlayout.programs.hlo.parts import (
    CODE,
    Signature,
    count,
    demand,
    numbers,
    same_shapes,
    signature_of,
)


def tuple_rule(d: Demands, s: Signature) -> None:
    """The result's elements are the operands."""
    same_shapes(d, TupleShape(s.operands), s.result, "the operands", "the result")


def element_rule(d: Demands, s: Signature) -> None:
    """One element of a tuple."""
    (index,) = numbers(d, s, "index") or (0,)
    shape = operand(d, s)
    if not isinstance(shape, TupleShape):
        d.fail(CODE, "get-tuple-element takes a tuple")
    if not 0 <= index < len(shape):
        d.fail(CODE, f"index {index} of a tuple of {len(shape)}")
    same_shapes(d, shape[index], s.result, f"element {index}", "the result")


def unchanged_rule(d: Demands, s: Signature) -> None:
    """The result is shaped as the operands are, one by one where there are several."""
    shape: AnyShape = s.operands[0] if len(s.operands) == 1 else TupleShape(s.operands)
    same_shapes(d, shape, s.result, "the operand", "the result")


def first_rule(d: Demands, s: Signature) -> None:
    """The result is shaped as operand 0; the others are only waited for."""
    demand(d, len(s.operands) >= 1, f"{s.opcode} takes an operand")
    same_shapes(d, s.operands[0], s.result, "operand 0", "the result")


def token_rule(d: Demands, s: Signature) -> None:
    """The result is a token."""
    same_shapes(d, s.result, OpaqueShape("token"), "the result", "a token")


def call_rule(d: Demands, s: Signature) -> None:
    """Operands and result are shaped as the called computation has its parameters and root."""
    hits = signature_of(s, "called")
    if hits is None:
        d.fail(CODE, f"{s.opcode} needs the attribute called=(parameters)->root")
    parameters, root = hits
    same_shapes(
        d, TupleShape(s.operands), TupleShape(parameters), "the operands", "the parameters called"
    )
    same_shapes(d, s.result, root, "the result", "the root called")


def while_rule(d: Demands, s: Signature) -> None:
    """What goes in comes out: the body gives what it takes, the condition takes it too."""
    unchanged_rule(d, s)
    for key in ("condition", "body"):
        hits = signature_of(s, key)
        if hits is None:
            continue
        parameters, root = hits
        one: AnyShape = parameters[0] if len(parameters) == 1 else TupleShape(parameters)
        same_shapes(d, one, s.result, f"the parameter of {key}", "the result")
        if key == "body":
            same_shapes(d, root, s.result, "the root of body", "the result")
        else:
            same_shapes(d, root, Shape("pred", ()), "the root of condition", "what decides")


def conditional_rule(d: Demands, s: Signature) -> None:
    """Each branch takes its operand and gives the result; the first operand chooses."""
    demand(d, len(s.operands) >= 2, "conditional takes an index and an operand for each branch")
    shape = s.operands[0]
    good = isinstance(shape, Shape) and shape.rank == 0 and shape.dtype in ("pred", "s32")
    demand(d, good, f"operand 0 of conditional is pred[] or s32[], not {shape}")
    for n, (parameters, root) in enumerate(branches(s)):
        demand(d, n + 1 < len(s.operands), f"branch {n} has no operand")
        demand(d, len(parameters) == 1, f"branch {n} takes {len(parameters)} parameters, not 1")
        same_shapes(d, s.operands[n + 1], parameters[0], f"operand {n + 1}", "the parameter")
        same_shapes(d, root, s.result, f"the root of branch {n}", "the result")


def branches(s: Signature) -> list[tuple[tuple[AnyShape, ...], AnyShape]]:
    """The signatures of the branches, as far as they are known."""
    if "branch_computations" in s.attributes:
        words = [w for _, w in split_commas(s.attributes["branch_computations"].strip()[1:-1])]
        arguments = [Signature(s.opcode, s.result, (), {"called": w}) for w in words]
        hits = [signature_of(one, "called") for one in arguments]
    else:
        hits = [signature_of(s, key) for key in ("true_computation", "false_computation")]
    return [one for one in hits if one is not None] if None not in hits else []


# -- what runs apart ------------------------------------------------------------------------------


def operand(d: Demands, s: Signature) -> AnyShape:
    """The one operand."""
    demand(d, len(s.operands) == 1, f"{s.opcode} takes one operand, not {len(s.operands)}")
    return s.operands[0]


def elements(d: Demands, shape: AnyShape, least: int, what: str) -> Sequence[AnyShape]:
    """The elements of a tuple of at least so many."""
    if not isinstance(shape, TupleShape) or len(shape) < least:
        d.fail(CODE, f"{what} is a tuple of {least} or more, not {shape}")
    return tuple(shape)


def copy_start_rule(d: Demands, s: Signature) -> None:
    """The copy, what is copied, and a context."""
    shape = operand(d, s)
    shapes = elements(d, s.result, 2, "the result of copy-start")
    for k in range(2):
        same_shapes(d, shape, shapes[k], "the operand", f"element {k} of the result")


def copy_done_rule(d: Demands, s: Signature) -> None:
    """The copy that was begun."""
    shapes = elements(d, operand(d, s), 1, "the operand of copy-done")
    same_shapes(d, shapes[0], s.result, "element 0 of the operand", "the result")


def async_start_rule(d: Demands, s: Signature) -> None:
    """The operands in a tuple, what will come out, and contexts."""
    shapes = elements(d, s.result, 2, f"the result of {s.opcode}")
    same_shapes(d, TupleShape(s.operands), shapes[0], "the operands", "element 0 of the result")
    if (hits := signature_of(s, "called")) is not None:
        parameters, root = hits
        same_shapes(
            d, TupleShape(s.operands), TupleShape(parameters), "the operands", "the parameters"
        )
        same_shapes(d, root, shapes[1], "the root called", "element 1 of the result")


def async_update_rule(d: Demands, s: Signature) -> None:
    """What is under way, unchanged."""
    same_shapes(d, operand(d, s), s.result, "the operand", "the result")


def async_done_rule(d: Demands, s: Signature) -> None:
    """What has come out."""
    shapes = elements(d, operand(d, s), 2, f"the operand of {s.opcode}")
    same_shapes(d, shapes[1], s.result, "element 1 of the operand", "the result")


def second_rule(d: Demands, s: Signature) -> None:
    """Element 1 of what was begun: the first is what was given."""
    async_done_rule(d, s)


def send_rule(d: Demands, s: Signature) -> None:
    """What is sent, a context, and a token."""
    demand(d, len(s.operands) == 2, f"{s.opcode} takes an array and a token")
    shapes = elements(d, s.result, 3, f"the result of {s.opcode}")
    same_shapes(d, s.operands[0], shapes[0], "operand 0", "element 0 of the result")
    same_shapes(d, shapes[2], OpaqueShape("token"), "element 2 of the result", "a token")


def receive_rule(d: Demands, s: Signature) -> None:
    """What arrives, a context, and a token."""
    shapes = elements(d, s.result, 3, f"the result of {s.opcode}")
    same_shapes(d, shapes[2], OpaqueShape("token"), "element 2 of the result", "a token")


def received_rule(d: Demands, s: Signature) -> None:
    """What has arrived, and a token."""
    shapes = elements(d, operand(d, s), 3, f"the operand of {s.opcode}")
    results = elements(d, s.result, 2, f"the result of {s.opcode}")
    same_shapes(d, shapes[0], results[0], "element 0 of the operand", "element 0 of the result")
    same_shapes(d, results[1], OpaqueShape("token"), "element 1 of the result", "a token")


def infeed_rule(d: Demands, s: Signature) -> None:
    """Data and a token."""
    shapes = elements(d, s.result, 2, "the result of infeed")
    same_shapes(d, shapes[1], OpaqueShape("token"), "element 1 of the result", "a token")


def sort_rule(d: Demands, s: Signature) -> None:
    """Operands of the same sizes, sorted along one dimension; two scalars of each are compared."""
    unchanged_rule(d, s)
    axis = count(s, "dimensions", 0)
    for k, shape in enumerate(s.operands):
        demand(d, isinstance(shape, Shape), f"operand {k} of sort is no array")
        assert isinstance(shape, Shape)
        first = s.operands[0]
        assert isinstance(first, Shape)
        demand(d, 0 <= axis < max(1, shape.rank), f"dimension {axis} of {shape} is to be sorted")
        same_shapes(
            d, Shape("pred", shape.dims), Shape("pred", first.dims), f"operand {k}", "operand 0"
        )
    if (hits := signature_of(s, "to_apply")) is not None:
        parameters, root = hits
        rule = f"to_apply compares {len(parameters)} scalars of {len(s.operands)} operands"
        demand(d, len(parameters) == 2 * len(s.operands), rule)
        same_shapes(d, root, Shape("pred", ()), "the root of to_apply", "what decides")
