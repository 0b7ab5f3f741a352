"""The functions of Triton's language: a new one is a row, and a function where it is followed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from symlayout.programs.kernels.triton.interpreter.context import Word
from symlayout.programs.kernels.triton.words import (
    descriptors,
    hints,
    memory,
    numbers,
    reductions,
    shapes,
)

# What is not followed and touches no memory, for any arguments: this is assumed of no other function.
# The first ones hand on what they get, an address too; what the last ones return is never an address.
MOVING = """
bitcast broadcast cat flip gather interleave join ravel reshape sort split squeeze topk tuple
unsqueeze view
"""
COMPUTING = """
abs clamp cumprod fma max min range reduce_or static_range umulhi xor_sum _argmax_combine
_argmin_combine _elementwise_max _elementwise_min _or_combine _prod_combine _sum_combine _xor_combine
"""
VALUES = """
ceil cos div_rn dot dot_scaled erf exp exp2 fdiv float_to_tf32 floor histogram log log1p log2
pair_uniform_to_normal philox philox_impl rand rand4x randint randint4x randn randn4x rsqrt sigmoid sin
softmax sqrt sqrt_rn tanh uint_to_uniform_float
"""
# Functions that apply another function to elements: as pure as that function is.
APPLYING = "reduce associative_scan map_elementwise"
ATOMICS = "atomic_add atomic_max atomic_min atomic_xchg atomic_and atomic_or atomic_xor"
WORDS: Mapping[str, Word] = {
    **dict.fromkeys(MOVING.split(), Word("move")),
    **dict.fromkeys(COMPUTING.split(), Word("compute")),
    **dict.fromkeys(VALUES.split(), Word("value")),
    **dict.fromkeys(APPLYING.split(), Word("apply")),
    **dict.fromkeys(ATOMICS.split(), Word("access", memory.atomic)),
    "advance": Word("move", descriptors.advance),
    "arange": Word("compute", numbers.arange),
    "argmax": Word("value", reductions.argmax),
    "argmin": Word("value", reductions.argmax),
    "assume": Word("compute", hints.assume),
    "atomic_cas": Word("access", partial(memory.atomic, names=("pointer", "cmp", "val"))),
    "broadcast_to": Word("move", shapes.broadcast_to),
    "cast": Word("move", numbers.cast_to),
    "cdiv": Word("compute", numbers.cdiv),
    "constexpr": Word("move", hints.same),
    "cumsum": Word("compute", reductions.cumsum),
    "debug_barrier": Word("compute", hints.static_assert),
    "device_assert": Word("compute", hints.static_assert),
    "device_print": Word("compute", hints.static_assert),
    "expand_dims": Word("move", shapes.expand_dims),
    "full": Word("compute", numbers.full),
    "load": Word("access", memory.load),
    "make_block_ptr": Word("move", descriptors.make_block_ptr),
    "make_tensor_descriptor": Word("move", descriptors.make_tensor_descriptor),
    "max_constancy": Word("move", hints.same),
    "max_contiguous": Word("move", hints.same),
    "maximum": Word("compute", numbers.maximum),
    "minimum": Word("compute", numbers.minimum),
    "multiple_of": Word("move", hints.multiple_of),
    "next_power_of_2": Word("compute", numbers.next_power_of_2),
    "num_programs": Word("value", numbers.num_programs),
    "permute": Word("move", shapes.trans),
    "program_id": Word("value", numbers.program_id),
    "static_assert": Word("compute", hints.static_assert),
    "static_print": Word("compute", hints.static_assert),
    "store": Word("access", memory.store),
    "sum": Word("compute", reductions.total),
    "swizzle2d": Word("compute", numbers.swizzle2d),
    "to": Word("move", numbers.cast_to),
    "to_tensor": Word("move", hints.to_tensor),
    "trans": Word("move", shapes.trans),
    "where": Word("move", numbers.where_lanes),
    "zeros": Word("compute", numbers.zeros),
    "zeros_like": Word("compute", numbers.zeros_like),
}
