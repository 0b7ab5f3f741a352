"""XLA's element types and their sizes."""

from __future__ import annotations

import re

from symlayout.text.patterns import regex

BITS: dict[str, int] = {
    "pred": 8,
    **{f"s{n}": n for n in (1, 2, 4, 8, 16, 32, 64)},
    **{f"u{n}": n for n in (1, 2, 4, 8, 16, 32, 64)},
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "c64": 64,
    "c128": 128,
    "f8e4m3fn": 8,
    "f8e5m2": 8,
    "f8e4m3b11fnuz": 8,
    "f8e4m3fnuz": 8,
    "f8e5m2fnuz": 8,
    "f8e4m3": 8,
    "f8e3m4": 8,
    "f8e8m0fnu": 8,
    "f4e2m1fn": 4,
}
OPAQUE = ("token", "opaque")

_OTHER_NAMES = {
    "bool": "pred",
    "i1": "pred",
    "half": "f16",
    "float": "f32",
    "double": "f64",
    "bfloat16": "bf16",
    "complex64": "c64",
    "complex128": "c128",
}


def is_integral(dtype: str) -> bool:
    """Whether the element type is a signed or unsigned integer.

    >>> is_integral("u32"), is_integral("pred"), is_integral("f32")
    (True, False, False)
    """
    return re.fullmatch(r"[su]\d+", dtype) is not None and dtype in BITS


# element types of C++ whose names are not HLO's with another spelling
CPP_TYPES = {"half": "f16", "float": "f32", "double": "f64", "bfloat16_t": "bf16", "int4b_t": "s4"}


def known_as(word: str) -> str | None:
    """The element type that others call so, or None: never one whose name is only near.

    >>> [known_as(w) for w in ("torch.float32", "uint8", "float8_e4m3fn", "str128", "float4_e2m1fn_x2")]
    ['f32', 'u8', 'f8e4m3fn', None, None]
    """
    lower = word.lower().rpartition(".")[2]  # torch.float16
    rules = ((r"(?:float|fp)(\d+)(?:_(e\d+m\d+\w*))?", "f"), (r"u(?:int|i)?(\d+)", "u"))
    guess = lower if lower in BITS else _OTHER_NAMES.get(lower)
    for pattern, prefix in (*rules, (r"i(?:nt)?(\d+)", "s")):
        match = re.fullmatch(pattern, lower)
        guess = guess or (match and prefix + "".join(g or "" for g in match.groups()))
    return guess if guess in BITS else None


def element_type(word: str) -> str | None:
    """The element type of HLO's name or of a type of C++, None for any other word.

    >>> [element_type(w) for w in ("f16", "half", "int8_t", "bfloat16_t", "M", "float32")]
    ['f16', 'f16', 's8', 'bf16', None, None]
    """
    if word in BITS:
        return word
    return CPP_TYPES.get(word) or (known_as(word[:-2]) if word.endswith("_t") else None)


def help_for(word: str) -> str | None:
    """What the writer of an unknown element type may have meant.

    >>> help_for("float32"), help_for("int8"), help_for("bf61")
    ("did you mean 'f32'?", "did you mean 's8'?", "did you mean 'bf16'?")
    """
    from symlayout.errors import did_you_mean

    lower = word.lower().rpartition(".")[2]
    if lower in ("f8", "fp8", "float8"):
        return "8-bit floats have kinds: f8e4m3fn, f8e5m2, f8e4m3b11fnuz, ..."
    if lower in ("const", "volatile", "constexpr", "__restrict__"):
        return f"write the element type alone, without {word}: f32[N]"
    if lower in ("sw", "swizzle"):
        return "a swizzle stands before a layout: Swizzle<3,3,3> o 0 o (8,64):(64,1)"
    guess = known_as(word)
    return f"did you mean {guess!r}?" if guess else did_you_mean(lower, [*BITS, *OPAQUE])


_MLIR_INTEGER = regex(r"(si|ui|i)(\d+)")


def mlir_dtype(word: str) -> str | None:
    """HLO's name of an MLIR element type, None where it has none.

    >>> [mlir_dtype(w) for w in ("i32", "ui8", "i1", "complex<f32>", "bf16", "f80")]
    ['s32', 'u8', 'pred', 'c64', 'bf16', None]
    """
    if word.startswith("complex<"):
        return {"f32": "c64", "f64": "c128"}.get(word[8:].rstrip(">"))
    if word in ("i1", "index"):
        return {"i1": "pred", "index": "s64"}[word]
    integer = _MLIR_INTEGER.fullmatch(word)
    if integer is not None:
        word = ("u" if integer[1] == "ui" else "s") + integer[2]
    return word.lower() if word.lower() in BITS else None
