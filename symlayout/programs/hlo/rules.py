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
from symlayout.expr.terms import product
from symlayout.layouts.xla import Shape
from symlayout.programs.hlo import (
    builder,
    collectives,
    control,
    dynamic,
    indices,
    numerics,
    resizing,
    slices,
    windows,
)
from symlayout.programs.hlo.broadcast.check import Broken, Demands
from symlayout.programs.hlo.broadcast.extent import Extent, equal, extents
from symlayout.programs.hlo.demands import run
from symlayout.programs.hlo.opcodes import rows, words
from symlayout.programs.hlo.parts import CODE, Verifier
from symlayout.programs.hlo.unknown import closed, equal_products, named

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
    'dimension 1 of operand 0 and of the result: 4 and 3'

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


def _same_count(v: Verifier, shape: Shape) -> None:
    v.one_type(shape, v.out, "the operand", "the result")
    a, b = extents(shape), extents(v.out)
    what = "the numbers of elements of operand and result"
    if any(e.unbounded for e in (*a, *b)):
        v.runtime.append("the numbers of elements must turn out equal")
        v.later.append(equal_products([e.expr for e in a], [e.expr for e in b], what))
        return
    x, y = product(e.bound for e in a), product(e.bound for e in b)
    v.one_of(CODE, what, Extent(x), Extent(y), equal(x, y))


def _dynamic_reshape(v: Verifier) -> None:
    shape, *sizes = v.arrays(1)
    _same_count(v, shape)
    if len(sizes) == 1 and sizes[0].rank:
        dynamic.sizes_operand(v, sizes[0], v.out.rank, "the sizes")
    else:  # in HLO there is an operand for each dimension
        v.demand(len(sizes) == v.out.rank, f"{len(sizes)} sizes for {v.out.rank} dimensions")
        for shape in sizes:
            v.demand(shape == Shape("s32", ()), f"a size is s32[], not {shape}")


def _begun(v: Verifier) -> None:
    """An operation that runs apart: its own rule, for what will come out."""
    control.async_start_rule(v)
    if "called" not in v.attributes:
        control.bound(v)
        RULES[v.opcode.removesuffix("-start")](replace(v, result=v.results[1]))


RULES: dict[str, Rule] = {
    **{opcode: partial(run, row=row) for opcode, row in rows().items()},
    "add-dependency": control.first_rule,
    "after-all": control.after_rule,
    "all-gather": collectives.all_gather_rule,
    "all-gather-done": control.second_rule,
    "all-gather-start": collectives.all_gather_start_rule,
    "all-reduce": collectives.all_reduce_rule,
    "all-reduce-done": control.copy_rule,
    "all-reduce-start": collectives.all_reduce_rule,
    "all-to-all": collectives.all_to_all_rule,
    "async-done": control.async_done_rule,
    "async-start": control.async_call_rule,
    "async-update": control.async_update_rule,
    "batch-norm-grad": numerics.batch_norm_rule,
    "batch-norm-inference": numerics.batch_norm_rule,
    "batch-norm-training": numerics.batch_norm_rule,
    "bitcast": slices.bitcast_rule,
    "call": control.call_rule,
    "cholesky": numerics.square_rule,
    "collective-broadcast": collectives.broadcast_rule,
    "collective-permute": collectives.permute_rule,
    "collective-permute-done": control.second_rule,
    "collective-permute-start": collectives.permute_start_rule,
    "conditional": control.conditional_rule,
    "convolution": windows.convolution_rule,
    "copy": control.copy_rule,
    "copy-done": control.copy_done_rule,
    "copy-start": control.copy_start_rule,
    "domain": control.copy_rule,
    "dynamic-broadcast-in-dim": dynamic.broadcast_rule,
    "dynamic-gather": dynamic.gather_rule,
    "dynamic-iota": dynamic.iota_rule,
    "dynamic-pad": dynamic.pad_rule,
    "dynamic-reshape": _dynamic_reshape,
    "fft": numerics.fft_rule,
    "fusion": control.call_rule,
    "gather": indices.gather_rule,
    "get-dimension-size": numerics.dimension_size_rule,
    "get-tuple-element": control.element_rule,
    "infeed": control.infeed_rule,
    "opt-barrier": control.passed_rule,
    "optimization-barrier": control.passed_rule,
    "outfeed": control.outfeed_rule,
    "partition-id": collectives.id_rule,
    "ragged-all-to-all": collectives.ragged_rule,
    "real-dynamic-slice": dynamic.slice_rule,
    "recv": control.receive_rule,
    "recv-done": control.received_rule,
    "reduce": resizing.reduce_rule,
    "reduce-scatter": collectives.reduce_scatter_rule,
    "reduce-window": windows.reduce_window_rule,
    "replica-id": collectives.id_rule,
    "rng": numerics.random_rule,
    "rng-bit-generator": numerics.generator_rule,
    "rng-get-and-update-state": numerics.state_rule,
    "scatter": indices.scatter_rule,
    "select-and-scatter": windows.select_and_scatter_rule,
    "send": control.send_rule,
    "send-done": control.sent_rule,
    "set-dimension-size": numerics.set_size_rule,
    "sort": control.sort_rule,
    "topk": numerics.top_k_rule,
    "triangular-solve": numerics.triangular_solve_rule,
    "tuple": control.tuple_rule,
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
broadcast_dimensions dimensions slice padding index iota_dimension dynamic_slice_sizes lhs_batch_dims
lhs_contracting_dims rhs_batch_dims rhs_contracting_dims window dim_labels feature_group_count
batch_group_count offset_dims collapsed_slice_dims start_index_map operand_batching_dims
start_indices_batching_dims index_vector_dim slice_sizes update_window_dims inserted_window_dims
scatter_dims_to_operand_dims input_batching_dims scatter_indices_batching_dims replica_groups
split_dimension concat_dimension channel_id use_global_device_ids source_target_pairs
fft_type fft_length left_side feature_index k elements called exponent_bits mantissa_bits
outfeed_shape distribution
"""
ATTRIBUTES = tuple(_WORDS.split())
