"""The shape rules of tuples, calls, loops and branches, and of what runs apart (`-start`, `-done`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symlayout.layouts.xla import AnyShape, Shape, TupleShape, read_shape
from symlayout.programs.hlo.nesting import split_commas
from symlayout.programs.hlo.parts import CODE, Computation, Verifier, whole_of
from symlayout.programs.hlo.unknown import named

CONTEXT = Shape("u32", ())  # the number of what is under way


def tuple_rule(v: Verifier) -> None:
    """The result's elements are the operands."""
    v.one_shape(TupleShape(v.operands), v.result, "the operands", "the result")


def element_rule(v: Verifier) -> None:
    """One element of a tuple."""
    index, shape = v.number("index"), v.operand()
    if not isinstance(shape, TupleShape):
        v.fail(CODE, "get-tuple-element takes a tuple")
    v.demand(0 <= index < len(shape), f"index {index} of a tuple of {len(shape)}")
    v.one_shape(shape[index], v.result, f"element {index}", "the result")


def unchanged_rule(v: Verifier) -> None:
    """The result is shaped as the operands are, one by one where there are several."""
    v.same_shapes(_operand(v), v.result, "the operand", "the result")


def _operand(v: Verifier) -> AnyShape:
    """The operand, or a tuple of several."""
    v.demand(len(v.operands) >= 1, f"{v.opcode} takes an operand")
    return whole_of(v.operands)


def copy_rule(v: Verifier) -> None:
    """The result is shaped as the one operand."""
    v.same_shapes(v.operand(), v.result, "the operand", "the result")


def passed_rule(v: Verifier) -> None:
    """The result is what goes in, in its own precision; of nothing it is nothing."""
    v.one_shape(whole_of(v.operands), v.result, "the operand", "the result")


def first_rule(v: Verifier) -> None:
    """The result is shaped as operand 0; the other, a token, is only waited for."""
    _with_token(v)
    v.same_shapes(v.operands[0], v.result, "operand 0", "the result")


def outfeed_rule(v: Verifier) -> None:
    """Data and a token become a token; the shape of the data may be written again.

    Raises `LayoutError` (SL721) for another result, which parsers pass over.
    """
    _with_token(v)
    if str(v.result) != "token[]":
        v.unread("the result, shape")
    text = v.attributes.get("outfeed_shape")
    if text is not None:
        v.one_shape(v.operands[0], named(read_shape(text)), "operand 0", "outfeed_shape")


def _with_token(v: Verifier) -> None:
    """Anything, and a token."""
    v.demand(len(v.operands) == 2, f"{v.opcode} takes 2 operands, not {len(v.operands)}")
    v.token(v.operands[1], "operand 1")


def after_rule(v: Verifier) -> None:
    """What is waited for, tokens or not, becomes one token."""
    v.token(v.result, "the result")


def call_rule(v: Verifier) -> None:
    """Operands and result are shaped as the called computation has its parameters and root."""
    hits = v.computation("called")
    if hits is None:
        v.fail(CODE, f"{v.opcode} needs the attribute called=(parameters)->root")
    parameters, root = hits
    takes = TupleShape(parameters)
    v.one_shape(TupleShape(v.operands), takes, "the operands", "the parameters called")
    v.one_shape(v.result, root, "the result", "the root called")


def while_rule(v: Verifier) -> None:
    """What goes in comes out: the body gives what it takes, the condition takes it too."""
    passed_rule(v)
    for key in ("condition", "body"):
        hits = v.computation(key)
        if hits is None:
            continue
        parameters, root = hits
        v.one_shape(whole_of(parameters), v.result, f"the parameter of {key}", "the result")
        if key == "body":
            v.one_shape(root, v.result, "the root of body", "the result")
        else:
            v.one_shape(root, Shape("pred", ()), "the root of condition", "what decides")


def conditional_rule(v: Verifier) -> None:
    """Each branch takes its operand and gives the result; the first operand chooses."""
    v.demand(len(v.operands) >= 2, "conditional takes an index and an operand for each branch")
    shape = v.operands[0]
    good = isinstance(shape, Shape) and shape.rank == 0 and shape.dtype in ("pred", "s32")
    v.demand(good, f"operand 0 of conditional is pred[] or s32[], not {shape}")
    known = branches(v)
    number = len(v.operands) - 1
    v.demand(number == len(known), f"{number} operands for {len(known)} branches")
    two = number == 2 or str(shape) != "pred[]"
    v.demand(two, f"pred[] chooses between 2 branches, not {number}")
    for n, (parameters, root) in enumerate(known):
        v.demand(len(parameters) == 1, f"branch {n} takes {len(parameters)} parameters, not 1")
        v.one_shape(v.operands[n + 1], parameters[0], f"operand {n + 1}", "the parameter")
        v.one_shape(root, v.result, f"the root of branch {n}", "the result")


def branches(v: Verifier) -> list[Computation]:
    """The signatures of the branches.

    Raises `LayoutError` (SL721) where they are not known: then nothing follows.
    """
    if "branch_computations" in v.attributes:
        words = [w for _, w in split_commas(v.attributes["branch_computations"].strip()[1:-1])]
        hits = [replace(v, attributes={"called": w}).computation("called") for w in words]
    else:
        hits = [v.computation(key) for key in ("true_computation", "false_computation")]
    if None in hits:
        v.unread("branch_computations")
    return [one for one in hits if one is not None]


# -- what runs apart ------------------------------------------------------------------------------


def copy_start_rule(v: Verifier) -> None:
    """The copy, what is copied, and a context."""
    shape, shapes = v.operand(), v.result_parts(3, 3)
    for k in range(2):
        v.one_shape(shape, shapes[k], "the operand", f"element {k} of the result")
    v.one_shape(shapes[2], CONTEXT, "element 2 of the result", "a context")


def copy_done_rule(v: Verifier) -> None:
    """The copy that was begun."""
    shapes = v.operand_parts(2)
    v.one_shape(shapes[0], shapes[1], "element 0 of the operand", "element 1")
    v.one_shape(shapes[0], v.result, "element 0 of the operand", "the result")


def async_start_rule(v: Verifier) -> None:
    """The operands in a tuple, what will come out, and contexts.

    The last operands, and what will come out, may be given by an `async-update` behind it.
    """
    shapes = v.result_parts(2)
    v.one_shape(TupleShape(v.operands), shapes[0], "the operands", "element 0 of the result")
    if (hits := v.computation("called")) is not None:
        parameters, root = hits
        _begins(v, TupleShape(v.operands), TupleShape(parameters), "the operands", "the parameters")
        _begins(v, shapes[1], root, "element 1 of the result", "the root called")


def _begins(v: Verifier, a: AnyShape, b: AnyShape, left: str, right: str) -> None:
    """The first shape is the second, or a tuple of its first elements: () is the beginning of all."""
    if not (isinstance(a, TupleShape) and isinstance(b, TupleShape)):
        if not _is_empty(a):
            v.one_shape(a, b, left, right)
        return
    v.demand(len(a) <= len(b), f"{left} has {len(a)} elements, {right} {len(b)}")
    for k, (x, y) in enumerate(zip(a, b)):
        _begins(v, x, y, f"element {k} of {left}", f"element {k} of {right}")


def bound(v: Verifier) -> None:
    """What is begun says what will come out.

    Raises `LayoutError` (SL721) where it does not: nothing follows from its operands.
    """
    if _is_empty(v.result_parts(2)[1]):
        v.unread("what will come out, shape")


def _is_empty(shape: AnyShape) -> bool:
    """Whether nothing is said of what will come out."""
    return isinstance(shape, TupleShape) and len(shape) == 0


def async_call_rule(v: Verifier) -> None:
    """A call that runs apart."""
    v.demand("called" in v.attributes, "async-start needs the attribute called=(parameters)->root")
    async_start_rule(v)


def async_update_rule(v: Verifier) -> None:
    """What is under way, with more operands: what went in, in a tuple, and what will come out."""
    v.demand(len(v.operands) >= 1, f"{v.opcode} takes what is under way")
    (first, out), shapes = _begun(v), v.result_parts(2)
    operands = TupleShape((*first, *v.operands[1:]))
    v.one_shape(operands, shapes[0], "the operands up to here", "element 0 of the result")
    _begins(v, out, shapes[1], "element 1 of the operand", "element 1 of the result")


def async_done_rule(v: Verifier) -> None:
    """What has come out.

    Raises `LayoutError` (SL721) where the operand does not say what will come out.
    """
    v.demand(len(v.operands) == 1, f"{v.opcode} takes one operand, not {len(v.operands)}")
    out = _begun(v)[1]
    if _is_empty(out) and not _is_empty(v.result):
        v.unread("what comes out of what was begun, shape")
    _begins(v, out, v.result, "element 1 of the operand", "the result")


def _begun(v: Verifier) -> tuple[TupleShape, AnyShape]:
    """What is under way: what went in, in a tuple, and what will come out."""
    first, out, *_ = v.elements(v.operands[0], 2, f"operand 0 of {v.opcode}")
    if not isinstance(first, TupleShape):
        v.fail(CODE, f"element 0 of the operand is a tuple, not {first}")
    return first, out


def second_rule(v: Verifier) -> None:
    """What was begun together with others has come out; compilers may change its precision."""
    shapes = v.operand_parts(2)
    v.same_shapes(shapes[1], v.result, "element 1 of the operand", "the result")


def _under_way(v: Verifier, shapes: Sequence[AnyShape], what: str) -> None:
    """Behind the data a context and a token."""
    v.one_shape(shapes[1], CONTEXT, f"element 1 of {what}", "a context")
    v.token(shapes[2], f"element 2 of {what}")


def send_rule(v: Verifier) -> None:
    """What is sent, a context, and a token."""
    _with_token(v)
    shapes = v.result_parts(3, 3)
    v.one_shape(v.operands[0], shapes[0], "operand 0", "element 0 of the result")
    _under_way(v, shapes, "the result")


def sent_rule(v: Verifier) -> None:
    """What was sent leaves a token."""
    _under_way(v, v.operand_parts(3, 3), "the operand")
    v.token(v.result, "the result")


def receive_rule(v: Verifier) -> None:
    """What arrives, a context, and a token, of a token."""
    v.token(v.operand(), "the operand")
    _under_way(v, v.result_parts(3, 3), "the result")


def received_rule(v: Verifier) -> None:
    """What has arrived, and a token."""
    shapes = v.operand_parts(3, 3)
    _under_way(v, shapes, "the operand")
    results = v.result_parts(2, 2)
    v.one_shape(shapes[0], results[0], "element 0 of the operand", "element 0 of the result")
    v.token(results[1], "element 1 of the result")


def infeed_rule(v: Verifier) -> None:
    """Data and a token, of a token."""
    v.token(v.operand(), "the operand")
    v.token(v.result_parts(2, 2)[1], "element 1 of the result")


def sort_rule(v: Verifier) -> None:
    """Operands of the same sizes, sorted along one dimension; two scalars of each are compared."""
    unchanged_rule(v)
    axis, shapes = v.number("dimensions"), v.operand_arrays(1)
    for k, shape in enumerate(shapes):
        v.dimension(axis, shape.rank, "dimensions")
        v.same_sizes(shape, shapes[0], f"operand {k}", "operand 0")
    if (hits := v.computation("to_apply")) is None:
        return
    parameters, root = hits
    rule = f"to_apply compares {len(parameters)} scalars of {len(shapes)} operands"
    v.demand(len(parameters) == 2 * len(shapes), rule)
    v.one_shape(root, Shape("pred", ()), "the root of to_apply", "what decides")
    for k, p in enumerate(parameters):
        scalar = Shape(shapes[k // 2].dtype, ())
        v.same_shapes(p, scalar, f"parameter {k} of to_apply", f"an element of operand {k // 2}")
