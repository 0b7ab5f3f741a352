"""The shape rules of tuples, calls, loops and branches, and of what runs apart (`-start`, `-done`)."""

from __future__ import annotations

from dataclasses import replace

from symlayout.layouts.xla import AnyShape, OpaqueShape, Shape, TupleShape
from symlayout.programs.hlo.nesting import split_commas
from symlayout.programs.hlo.parts import CODE, Computation, Verifier, whole_of


def tuple_rule(v: Verifier) -> None:
    """The result's elements are the operands."""
    v.same_shapes(TupleShape(v.operands), v.result, "the operands", "the result")


def element_rule(v: Verifier) -> None:
    """One element of a tuple."""
    (index,) = v.numbers("index") or (0,)
    shape = v.operand()
    if not isinstance(shape, TupleShape):
        v.fail(CODE, "get-tuple-element takes a tuple")
    v.demand(0 <= index < len(shape), f"index {index} of a tuple of {len(shape)}")
    v.same_shapes(shape[index], v.result, f"element {index}", "the result")


def unchanged_rule(v: Verifier) -> None:
    """The result is shaped as the operands are, one by one where there are several."""
    v.same_shapes(whole_of(v.operands), v.result, "the operand", "the result")


def first_rule(v: Verifier) -> None:
    """The result is shaped as operand 0; the other is only waited for."""
    v.demand(len(v.operands) == 2, f"{v.opcode} takes 2 operands, not {len(v.operands)}")
    v.same_shapes(v.operands[0], v.result, "operand 0", "the result")


def token_rule(v: Verifier) -> None:
    """The result is a token."""
    v.same_shapes(v.result, OpaqueShape("token"), "the result", "a token")


def sent_rule(v: Verifier) -> None:
    """What was begun by one operand leaves a token."""
    v.operand()
    token_rule(v)


def after_rule(v: Verifier) -> None:
    """Tokens become one."""
    token_rule(v)
    tokens(v)


def tokens(v: Verifier) -> None:
    """Every operand is a token."""
    for k, shape in enumerate(v.operands):
        v.same_shapes(shape, OpaqueShape("token"), f"operand {k}", "a token")


def call_rule(v: Verifier) -> None:
    """Operands and result are shaped as the called computation has its parameters and root."""
    hits = v.computation("called")
    if hits is None:
        v.fail(CODE, f"{v.opcode} needs the attribute called=(parameters)->root")
    parameters, root = hits
    takes = TupleShape(parameters)
    v.same_shapes(TupleShape(v.operands), takes, "the operands", "the parameters called")
    v.same_shapes(v.result, root, "the result", "the root called")


def while_rule(v: Verifier) -> None:
    """What goes in comes out: the body gives what it takes, the condition takes it too."""
    unchanged_rule(v)
    for key in ("condition", "body"):
        hits = v.computation(key)
        if hits is None:
            continue
        parameters, root = hits
        v.same_shapes(whole_of(parameters), v.result, f"the parameter of {key}", "the result")
        if key == "body":
            v.same_shapes(root, v.result, "the root of body", "the result")
        else:
            v.same_shapes(root, Shape("pred", ()), "the root of condition", "what decides")


def conditional_rule(v: Verifier) -> None:
    """Each branch takes its operand and gives the result; the first operand chooses."""
    v.demand(len(v.operands) >= 2, "conditional takes an index and an operand for each branch")
    shape = v.operands[0]
    good = isinstance(shape, Shape) and shape.rank == 0 and shape.dtype in ("pred", "s32")
    v.demand(good, f"operand 0 of conditional is pred[] or s32[], not {shape}")
    known = branches(v)
    given = len(v.operands) - 1
    v.demand(given == len(known) or not known, f"{given} operands for {len(known)} branches")
    for n, (parameters, root) in enumerate(known):
        v.demand(len(parameters) == 1, f"branch {n} takes {len(parameters)} parameters, not 1")
        v.same_shapes(v.operands[n + 1], parameters[0], f"operand {n + 1}", "the parameter")
        v.same_shapes(root, v.result, f"the root of branch {n}", "the result")


def branches(v: Verifier) -> list[Computation]:
    """The signatures of the branches, as far as they are known."""
    if "branch_computations" in v.attributes:
        words = [w for _, w in split_commas(v.attributes["branch_computations"].strip()[1:-1])]
        hits = [replace(v, attributes={"called": w}).computation("called") for w in words]
    else:
        hits = [v.computation(key) for key in ("true_computation", "false_computation")]
    return [one for one in hits if one is not None] if None not in hits else []


# -- what runs apart ------------------------------------------------------------------------------


def twice(v: Verifier, shape: AnyShape) -> None:
    """The result begins with two that are shaped as the operand."""
    shapes = v.result_parts(2)
    for k in range(2):
        v.same_shapes(shape, shapes[k], "the operand", f"element {k} of the result")


def copy_start_rule(v: Verifier) -> None:
    """The copy, what is copied, and a context."""
    twice(v, v.operand())


def copy_done_rule(v: Verifier) -> None:
    """The copy that was begun."""
    shapes = v.operand_parts(1)
    v.same_shapes(shapes[0], v.result, "element 0 of the operand", "the result")


def async_start_rule(v: Verifier) -> None:
    """The operands in a tuple, what will come out, and contexts."""
    shapes = v.result_parts(2)
    v.same_shapes(TupleShape(v.operands), shapes[0], "the operands", "element 0 of the result")
    if (hits := v.computation("called")) is not None:
        parameters, root = hits
        operands = TupleShape(v.operands)
        v.same_shapes(operands, TupleShape(parameters), "the operands", "the parameters")
        v.same_shapes(root, shapes[1], "the root called", "element 1 of the result")


def async_update_rule(v: Verifier) -> None:
    """What is under way, unchanged."""
    v.same_shapes(v.operand(), v.result, "the operand", "the result")


def async_done_rule(v: Verifier) -> None:
    """What has come out."""
    shapes = v.operand_parts(2)
    v.same_shapes(shapes[1], v.result, "element 1 of the operand", "the result")


def send_rule(v: Verifier) -> None:
    """What is sent, a context, and a token."""
    v.demand(len(v.operands) == 2, f"{v.opcode} takes an array and a token")
    shapes = v.result_parts(3)
    v.same_shapes(v.operands[0], shapes[0], "operand 0", "element 0 of the result")
    v.same_shapes(shapes[2], OpaqueShape("token"), "element 2 of the result", "a token")


def receive_rule(v: Verifier) -> None:
    """What arrives, a context, and a token, of one operand."""
    v.operand()
    shapes = v.result_parts(3)
    v.same_shapes(shapes[2], OpaqueShape("token"), "element 2 of the result", "a token")


def received_rule(v: Verifier) -> None:
    """What has arrived, and a token."""
    shapes = v.operand_parts(3)
    results = v.result_parts(2)
    v.same_shapes(shapes[0], results[0], "element 0 of the operand", "element 0 of the result")
    v.same_shapes(results[1], OpaqueShape("token"), "element 1 of the result", "a token")


def infeed_rule(v: Verifier) -> None:
    """Data and a token, of a token or of nothing."""
    v.demand(len(v.operands) <= 1, f"infeed takes a token, not {len(v.operands)} operands")
    tokens(v)
    shapes = v.result_parts(2)
    v.same_shapes(shapes[1], OpaqueShape("token"), "element 1 of the result", "a token")


def sort_rule(v: Verifier) -> None:
    """Operands of the same sizes, sorted along one dimension; two scalars of each are compared."""
    unchanged_rule(v)
    axis = v.count("dimensions", 0)
    for k, shape in enumerate(v.operands):
        first = v.operands[0]
        if not (isinstance(shape, Shape) and isinstance(first, Shape)):
            v.fail(CODE, f"operand {k} of sort is no array")
        v.demand(0 <= axis < max(1, shape.rank), f"dimension {axis} of {shape} is to be sorted")
        v.same_sizes(shape, first, f"operand {k}", "operand 0")
    if (hits := v.computation("to_apply")) is not None:
        parameters, root = hits
        rule = f"to_apply compares {len(parameters)} scalars of {len(v.operands)} operands"
        v.demand(len(parameters) == 2 * len(v.operands), rule)
        v.same_shapes(root, Shape("pred", ()), "the root of to_apply", "what decides")
