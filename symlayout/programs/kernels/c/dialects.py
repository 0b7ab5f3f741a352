"""The languages that are C++ with a few words more: another one is a row."""

from __future__ import annotations

import re

from symlayout.programs.kernels.c.lowering.ascend import ascend_call
from symlayout.programs.kernels.c.lowering.dialect import Dialect
from symlayout.programs.kernels.c.lowering.intrinsics import opencl_call
from symlayout.programs.kernels.c.sources import outside, plain_ascend, plain_opencl
from symlayout.programs.kernels.c.types import PIXEL

METAL_WORDS = {  # words of the same length, so that every place stays where it is
    "kernel": "static",
    "device": "      ",
    "constant": "        ",
    "threadgroup": "__shared__ ",
}


def plain_metal(text: str) -> str:
    """The text with Metal's words as C++ has them.

    >>> plain_metal("kernel void f(device int* x) { threadgroup int s[8]; }")
    'static void f(       int* x) { __shared__  int s[8]; }'
    """
    text = re.sub(r"\b(kernel|device|constant)\b", lambda m: METAL_WORDS[m[0]], text)
    text = re.sub(r"(?<=[;{}\n])(\s*)threadgroup\b(?=[^;()]*;)", r"\1__shared__ ", text)
    return text.replace("threadgroup ", "            ")


DIALECTS = (
    Dialect(
        "metal",
        suffixes=(".metal",),
        plain=plain_metal,
        own_kernel=r"\s*(\[\[.*\]\]\s*)?kernel\b",
        constants=outside,
        padded=True,
    ),
    Dialect(
        "opencl",
        suffixes=(".cl",),
        plain=plain_opencl,
        kernel=r"\Aextern",
        blocks=("group_id", "num_groups"),
        threads=("local_id", "local_size"),
        axes="012",
        shared=("__shared__", "threadgroup", "extern"),
        types={"image1d_buffer_t": f"{PIXEL}*"},
        call=opencl_call,
        padded=True,
        small=True,
        has_vector_casts=True,
    ),
    Dialect(
        "ascend",
        marks=("__aicore__",),
        plain=plain_ascend,
        types={"GM_ADDR": "void*"},
        call=ascend_call,
        has_objects=True,
    ),
    Dialect("cuda", plain=plain_ascend),  # HIP's too, and what another one includes
)


def dialect_of(text: str, file: str = "", named: str = "") -> Dialect:
    """The language of a file: the one that is `named`, or by its suffix, or by its text.

    >>> [dialect_of(t, f).name for t, f in [("", "k.cl"), ("__aicore__", "k.cpp"), ("", "k.hip")]]
    ['opencl', 'ascend', 'cuda']
    """
    *others, last = DIALECTS
    for d in others:
        if d.name == named or (d.suffixes and file.endswith(d.suffixes)):
            return d
        if not named and any(m in text for m in d.marks):
            return d
    return last
