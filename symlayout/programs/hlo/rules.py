"""How the shape of an instruction follows from its operands: one rule for each opcode.

Only sizes and element types count here, not layouts.  Sizes may be symbolic: a rule leaves demands
(`Demands`), which hold, fail, or are a condition.  An opcode without a rule passes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from symlayout.errors import LayoutError, did_you_mean
from symlayout.programs.hlo import (
    builder,
    control,
    dynamic,
    indices,
    slices,
    windows,
)
from symlayout.programs.hlo.broadcast.check import Broken, Demands
from symlayout.programs.hlo.demands import run
from symlayout.programs.hlo.opcodes import rows, words
from symlayout.programs.hlo.parts import Verifier, whole_of
from symlayout.programs.hlo.unknown import closed, named

Rule = Callable[[Verifier], None]


def rule_of(opcode: str) -> Rule | None:
    """The rule of an opcode, also of one that runs apart (`slice-start`), or None."""
    hit = RULES.get(opcode)
    if hit is not None:
        return hit
    base, _, part = opcode.rpartition("-")
    if base not in RULES or part not in APART or f"{base}-start" in RULES or base in OWN:
        return None
    return APART[part]


def demands_of(v: Verifier) -> Demands:
    """What must hold of the sizes for the instruction's shape to follow from its operands.

    >>> from symlayout.layouts.xla import read_shape
    >>> a, b = read_shape("f32[2,3]"), read_shape("f32[2,4]")
    >>> demands_of(Verifier("negate", a, (b,), {})).checks[0].message
    'dimension 1 of the operand and of the result: 4 and 3'

    Raises `LayoutError` (SL721) for an opcode without a rule, or an attribute not understood.
    """
    rule = builder.builder_rule if builder.broadcasts(v) else rule_of(v.opcode)
    if rule is None:
        message = f"no rule says what shape {v.opcode!r} gives"
        raise LayoutError("SL721", message, help=did_you_mean(v.opcode, list(RULES)))
    for key, hits in WORDS.items():
        if v.attributes.get(key, hits[0]) not in hits:
            v.unread(key)
    v.operands, v.result = tuple(map(named, v.operands)), named(v.result)
    with suppress(Broken):
        rule(v)
        v.checks += closed(v.later)
    return v


def _gather_start(v: Verifier) -> None:
    """What is given, and what will come out."""
    shape, out = v.result_parts(2, 2)
    v.operand_arrays(1)
    v.same_shapes(whole_of(v.operands), shape, "the operands", "element 0 of the result")
    RULES["all-gather"](replace(v, result=out))


def _begun(v: Verifier) -> None:
    """An operation that runs apart: its own rule, for what will come out."""
    control.async_start_rule(v)
    if "called" not in v.attributes:
        control.bound(v)
        RULES[v.opcode.removesuffix("-start")](replace(v, result=v.results[1]))


RULES: dict[str, Rule] = {
    **{opcode: partial(run, row=row) for opcode, row in rows().items()},
    "all-gather-start": _gather_start,
    "async-done": control.async_done_rule,
    "async-start": control.async_call_rule,
    "async-update": control.async_update_rule,
    "bitcast": slices.bitcast_rule,
    "call": control.call_rule,
    "conditional": control.conditional_rule,
    "convolution": windows.convolution_rule,
    "dynamic-gather": dynamic.gather_rule,
    "fusion": control.call_rule,
    "gather": indices.gather_rule,
    "scatter": indices.scatter_rule,
    "while": control.while_rule,
}
OWN = frozenset({"send", "recv"})  # with a `-done`, and begun by themselves
APART: dict[str, Rule] = {
    "start": _begun,
    "update": control.async_update_rule,
    "done": control.async_done_rule,
}

WORDS = words()
# the attributes that a rule looks at: all that a claim about the instruction repeats
_WORDS = """
broadcast_dimensions window dim_labels feature_group_count
batch_group_count offset_dims collapsed_slice_dims start_index_map operand_batching_dims
start_indices_batching_dims index_vector_dim slice_sizes update_window_dims inserted_window_dims
scatter_dims_to_operand_dims input_batching_dims scatter_indices_batching_dims replica_groups
split_dimension concat_dimension channel_id use_global_device_ids source_target_pairs called
"""
ATTRIBUTES = tuple(
    dict.fromkeys([*_WORDS.split(), *(key for row in rows().values() for key in row.attributes)])
)
