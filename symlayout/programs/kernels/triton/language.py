"""Triton's language: its modules, and the functions in them that touch no memory."""

from __future__ import annotations

# What a name means where no import gives it a meaning: the usual names of modules.
ROOTS = {
    "triton": "triton",
    **dict.fromkeys(("tl", "ttl", "language"), "triton.language"),
    **dict.fromkeys(("libdevice", "tldevice"), "triton.language.extra.libdevice"),
    "math": "triton.language.math",
}
# Modules that hand on the functions of the language.
CORE = frozenset(
    ["triton"] + [f"triton.language{m}" for m in ("", ".core", ".standard", ".math", ".random")]
)
# PyTorch's generated kernels take the modules from there.
ELSEWHERE = {
    f"torch._inductor.runtime.{source}.{name}": path
    for source in ("triton_helpers", "triton_compat")
    for name, path in (
        ("libdevice", "triton.language.extra.libdevice"),
        ("math", "triton.language.math"),
        ("tl", "triton.language"),
        ("triton", "triton"),
    )
}
ATOMICS = frozenset(
    f"atomic_{word}" for word in ("add", "max", "min", "xchg", "and", "or", "xor", "cas")
)
MEMORY = ATOMICS | {"load", "store"}
# Functions that apply another function to elements: as pure as that function is.
APPLYING = frozenset(["reduce", "associative_scan", "map_elementwise"])
# Functions that touch no memory, for any arguments: this is assumed of no other function.
# The first ones hand on what they get, an address too.
MOVING_WORDS = """
advance bitcast broadcast broadcast_to cast cat constexpr expand_dims flip gather interleave join
make_block_ptr make_tensor_descriptor max_constancy max_contiguous multiple_of permute ravel reshape
sort split squeeze to to_tensor topk trans tuple unsqueeze view where
"""
COMPUTING_WORDS = """
abs arange assume cdiv clamp cumprod cumsum debug_barrier device_assert device_print fma full max
maximum min minimum next_power_of_2 range reduce_or static_assert static_print static_range sum
swizzle2d umulhi xor_sum zeros zeros_like _argmax_combine _argmin_combine _elementwise_max
_elementwise_min _or_combine _prod_combine _sum_combine _xor_combine
"""
# What these ones return is never an address, not even one that was made a number.
VALUE_WORDS = """
argmax argmin ceil cos div_rn dot dot_scaled erf exp exp2 fdiv float_to_tf32 floor histogram log
log1p log2 num_programs pair_uniform_to_normal philox philox_impl program_id rand rand4x randint
randint4x randn randn4x rsqrt sigmoid sin softmax sqrt sqrt_rn tanh uint_to_uniform_float
"""
MOVING, VALUES = frozenset(MOVING_WORDS.split()), frozenset(VALUE_WORDS.split())
PURE = MOVING | VALUES | frozenset(COMPUTING_WORDS.split())


def is_pure(path: str) -> bool:
    """Whether the function at that path touches no memory, for any arguments.

    >>> [is_pure(f"triton.language.{word}") for word in ("exp", "load", "map_elementwise")]
    [True, False, False]
    """
    module, _, word = path.rpartition(".")
    return module in CORE and word in PURE
