"""CUDA: a device function, as C would have it."""

from __future__ import annotations

from symlayout.render.emit.c import HELPERS, RESERVED, source
from symlayout.render.emit.clike import Language
from symlayout.render.emit.source import Source

WORDS = "__host__ __device__ __forceinline__"
_MORE = """
    __host__ __device__ __forceinline__ __global__ __shared__ __constant__ threadIdx blockIdx
    blockDim gridDim warpSize dim3 min max abs class typename namespace char8_t char16_t char32_t
    concept co_await co_return co_yield consteval constinit const_cast decltype dynamic_cast noexcept
    reinterpret_cast requires static_cast typeid wchar_t final override wchar
"""
CUDA = Language(
    "CUDA",
    RESERVED | frozenset(_MORE.split()),
    {k: text.replace("static inline", WORDS) for k, text in HELPERS.items()},
    one="({u}int{bits}_t)1",
)


def emit(s: Source) -> str:
    """`__host__ __device__ __forceinline__ int64_t name(variables, sizes)`, else as in C."""
    return source(CUDA, s, WORDS, "#include <cstdint>\n")
