"""Functions of the languages themselves, which take numbers by value and change nothing else.

What is not among them is not followed, unless a file defines it: it may be a macro, take references,
or store anywhere.
"""

from __future__ import annotations

from symlayout.programs.kernels.c.types import VECTOR
from symlayout.text.patterns import regex

__all__ = ["changes_nothing", "is_harmless"]

SPACES = regex(r"(::)?((cuda::)?std::|metal::(precise::|fast::)?)?")
MATH = regex(
    r"(a?(sin|cos|tan)h?(pi)?|atan2|r?sqrt|r?cbrt|exp(2|10|m1)?|log(2|10|1p|b)?|pow[nri]?|rootn|"
    r"erf(c|cx|inv|cinv)?|normcdf(inv)?|[tl]gamma|r?hypot|r?norm(3d|4d)?|floor|ceil|l{0,2}(round|rint)|"
    r"trunc|nearbyint|f?abs|l{1,2}abs|u?l{0,2}m(in|ax)|f?mod|remainder|f?min3?|f?max3?|fma|fdim|"
    r"fdivide|copysign|signbit|is(nan|inf|finite|normal|equal|less|greater)|mul24|umulhi|mulhi|"
    r"ldexp|scalbn|ilogb|nan|[jy][01n]|nextafter|popcount|midpoint|sincos(pi)?|frexp|modf|remquo)[fl]?"
)
INTRINSICS = regex(
    r"__(shfl|shfl_up|shfl_down|shfl_xor|all|any|ballot|uni|match_any|activemask)(_sync)?|"
    r"__reduce_\w+_sync|__(syncwarp|threadfence\w*|nanosleep|trap|brkpt|clock\w*|pipeline_commit|"
    r"pipeline_wait_prior)|__(popc|clz|ffs|brev|fns)(ll)?|__byte_perm|__funnelshift_\w+|"
    r"__u?(mul|mad)(24|hi|64hi)|__u?sad|__u?r?hadd|__[fd](add|mul|sub|div|ma|sqrt|rcp|rsqrt)_r[nzud]|"
    r"__(fdividef|sincosf|expf|exp10f|logf|log2f|log10f|powf|sinf|cosf|tanf|tanhf|saturatef|frsqrt_rn)|"
    r"__\w+2\w+(_r[nzud]|_rna|_sat|_satfinite)?|__\w+_as_\w+|__h\w+|__(low|high|lows|highs)2\w+|__halves2\w+|"
    r"__dp[24]a(_\w+)?|__v\w+[24]|__(half|bfloat16|nv_bfloat16|nv_cvt_\w+|hiloint2double)|"
    r"__builtin_(expect|popcountl?l?|clzl?l?|ctzl?l?|ffsl?l?|bswap\d+|assume|unreachable|"
    r"amdgcn_(readfirstlane|readlane|ds_bpermute|s_\w+|mbcnt_\w+|perm|exp2f|rcpf|fdot2|sdot4|sched_\w+|"
    r"mfma_\w+|wmma_\w+|update_dpp|mov_dpp|workitem_id_[xyz]|workgroup_id_[xyz]))|"
    r"h(sin|cos|exp|exp2|exp10|log|log2|log10|sqrt|rsqrt|rcp|floor|ceil|rint|trunc)|"
    r"make_(c?half2|bfloat162|cu(Float|Double)?Complex)|cu(C|Csqrt|Cre|Cim|Cadd|Cmul|Conj|Creal|Cimag)f?|"
    r"(cudaTextureObject|tex[123]D(Lod|fetch|Layered)?|tex1Dfetch|surf[123]Dread)"
)
OF_SPACES = regex(  # those that an OpenCL or Metal compiler brings
    r"(fast|native|half|convert|as|make|simd|quad|sub_group)_\w+|fract|select|shuffle2?|get_work_dim|"
    r"(read_)?mem_fence|printf|vec_step|mad(24|_hi|_sat)?|mul_hi|clamp|saturate|mix|lerp|step|smoothstep|"
    r"dot|cross|length|distance|normalize|any|all|sign|degrees|radians|rotate|bitselect|clz|ctz|popcount|"
    r"hadd|rhadd|(add|sub)_sat|abs_?diff|upsample|extract_bits|insert_bits|reverse_bits|powr|is\w+"
)
STD = regex(r"(::)?(cuda::)?std::(numeric_limits\b.*|is_\w+|move|forward|bit_cast|get)")
HARMLESS_WORDS = """
assert printf CUDA_KERNEL_ASSERT __builtin_assume __builtin_assume_aligned prefetch static_assert
__assume clock clock64 __pipeline_commit __pipeline_wait_prior likely unlikely
"""
HARMLESS = frozenset(HARMLESS_WORDS.split())


def is_harmless(word: str) -> bool:
    """Whether a function or macro of that name does nothing, whatever it is given."""
    return word in HARMLESS or word.endswith("UNUSED")


def changes_nothing(word: str, shader: bool) -> bool:
    """Whether a function of that name takes numbers and returns one; `shader`: in OpenCL or Metal.

    >>> [changes_nothing(w, False) for w in ("std::max", "make_float4", "__shfl_xor_sync", "update2")]
    [True, True, True, False]
    """
    last = word.split("::")[-1].strip()
    plain = SPACES.fullmatch(word.removesuffix(last)) is not None
    if plain and (MATH.fullmatch(last) or INTRINSICS.fullmatch(last)):
        return True
    if plain and VECTOR.fullmatch(last.removeprefix("make_").removeprefix("packed_")):
        return True
    if shader and plain and OF_SPACES.fullmatch(last):
        return True
    return STD.fullmatch(word) is not None
