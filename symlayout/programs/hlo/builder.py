"""Operations as builders write them: `add(f32[2,3], f32[3]), broadcast_dimensions={1}`.

No result is written, and operands of different shapes are broadcast: InDim first, then the
degenerate dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from symlayout.errors import LayoutError
from symlayout.layouts.xla import Dynamic, Shape
from symlayout.programs.hlo.broadcast import Plan, plan, type_fault
from symlayout.programs.hlo.broadcast.check import Broken, is_one, same
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.demands import kinds
from symlayout.programs.hlo.module import Instruction
from symlayout.programs.hlo.opcodes import rows
from symlayout.programs.hlo.parts import Verifier
from symlayout.text.patterns import regex

KEY = "broadcast_dimensions"
INTEGER = regex(r"-?\d{1,9}", re.ASCII)
BROADCASTS = frozenset(opcode for opcode, row in rows().items() if row.broadcasts)


def broadcasts(v: Verifier) -> bool:
    """Whether an operation broadcasts its operands by itself, as builders' operations do."""
    return v.opcode in BROADCASTS and KEY in v.attributes


def result_shape(opcode: str, operands: Sequence[Shape], text: str | None) -> Shape | None:
    """The shape that a builder's operation has; None where nothing says what it is.

    >>> from symlayout.layouts.xla import read_shape
    >>> print(result_shape("add", [read_shape("f32[2,3]"), read_shape("f32[3]")], "{1}"))
    f32[2,3]
    """
    if opcode not in BROADCASTS or len(operands) != 2:
        return None
    result = operation_plan(operands, text)
    sizes = () if result is None else result.result
    dtype = "pred" if opcode == "compare" else operands[0].dtype
    return Shape(dtype, tuple(Dynamic(e.size) if e.dynamic else e.bound for e in sizes))


def operation_plan(operands: Sequence[Shape], text: str | None) -> Plan | None:
    """The broadcast of two operands; None for broadcast_dimensions that cannot be read."""
    v = Verifier("", operands[0], tuple(operands), {} if text is None else {KEY: text})
    with suppress(Broken):
        return plan(extents(operands[0]), extents(operands[1]), _dims(v))
    return None


def _dims(v: Verifier) -> tuple[int, ...] | None:
    return v.numbers(KEY) if KEY in v.attributes else None


def operation_dims(operation: Instruction) -> tuple[int, ...] | None:
    """The broadcast_dimensions of a builder's operation; None where there are none.

    Raises `LayoutError` (SL700) for what is not a list of integers.
    """
    text = operation.attributes.get(KEY, "").strip("{} ")
    words = [w.strip() for w in text.split(",")] if text else []
    if not all(INTEGER.fullmatch(w) for w in words):
        raise LayoutError("SL700", f"{KEY} are integers with commas between, not {text!r}")
    return tuple(map(int, words)) or None


def builder_rule(v: Verifier) -> None:
    """Two operands under XLA's rules of broadcasting, and the result that they give."""
    a, b = v.arrays(2, 2)
    kinds(v, rows()[v.opcode])
    fault = type_fault(a, b, "xla")
    if fault is not None:
        v.fail(fault.code, fault.rule)
    result = plan(extents(a), extents(b), _dims(v))
    v.checks += result.checks
    v.runtime += result.runtime
    if any(not c.needs for c in result.checks):
        return
    if v.opcode != "compare":
        v.same_type(a, v.out, "operand 0", "the result")
    elif v.out.dtype != "pred":
        v.fail("SL723", f"a comparison gives pred, not {v.out.dtype}")
    other = extents(b) if len(a._dims) <= len(b._dims) else extents(a)
    out = extents(v.out)
    v.demand(len(out) == len(other), f"the result has {len(out)} dimensions, not {len(other)}")
    for k, sizes in enumerate(zip(result.result, out, result.stretched or (), other)):
        _result(v, f"dimension {k} of the broadcast operands and of the result", *sizes)


def _result(v: Verifier, what: str, size: Extent, target: Extent, *operands: Extent) -> None:
    """The result has the size that two operands' sizes give; `?` may be 1, or what is needed."""
    if not size.unbounded:
        v.equal_sizes(size, target, what)
    elif not target.unbounded:
        v.runtime.append(f"{what}: {size} must turn out to be {target}")
        for x in operands:
            if not x.unbounded:
                v.one_of("SL723", what, x, target, is_one(x), same(x, target))
