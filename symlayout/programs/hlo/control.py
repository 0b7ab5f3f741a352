"""The shape rules of tuples, calls, loops and branches, and of what runs apart (`-start`, `-done`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symlayout.layouts.xla import AnyShape, Shape, TupleShape
from symlayout.programs.hlo.nesting import split_commas
from symlayout.programs.hlo.parts import CODE, Computation, Verifier, whole_of


def calls(v: Verifier) -> None:
    """Operands and result are shaped as the called computation has its parameters and root."""
    hits = v.computation("called")
    if hits is None:
        v.fail(CODE, f"{v.opcode} needs the attribute called=(parameters)->root")
    parameters, root = hits
    takes = TupleShape(parameters)
    v.one_shape(TupleShape(v.operands), takes, "the operands", "the parameters called")
    v.one_shape(v.result, root, "the result", "the root called")


def loops(v: Verifier) -> None:
    """What goes in comes out: the body gives what it takes, the condition takes it too."""
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


def chooses(v: Verifier) -> None:
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


def begins(v: Verifier) -> None:
    """A call that runs apart."""
    v.demand("called" in v.attributes, "async-start needs the attribute called=(parameters)->root")
    async_start_rule(v)


def continues(v: Verifier) -> None:
    """What is under way, with more operands: what went in, in a tuple, and what will come out."""
    v.demand(len(v.operands) >= 1, f"{v.opcode} takes what is under way")
    (first, out), shapes = _begun(v), v.result_parts(2)
    operands = TupleShape((*first, *v.operands[1:]))
    v.one_shape(operands, shapes[0], "the operands up to here", "element 0 of the result")
    _begins(v, out, shapes[1], "element 1 of the operand", "element 1 of the result")


def ends(v: Verifier) -> None:
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


FUNCTIONS: dict[str, Callable[..., None]] = {
    "begins": begins,
    "calls": calls,
    "chooses": chooses,
    "continues": continues,
    "ends": ends,
    "loops": loops,
}
