"""What kind of numbers an element type has, and the parts of complex numbers."""

from __future__ import annotations

PARTS = {"c64": "f32", "c128": "f64"}
KINDS = {"p": "pred", "s": "signed", "u": "unsigned", "c": "complex"}


def kind_of(dtype: str) -> str:
    """The kind of an element type: pred, signed, unsigned, floating or complex.

    >>> kind_of("u8"), kind_of("bf16")
    ('unsigned', 'floating')
    """
    return "floating" if dtype == "bf16" else KINDS.get(dtype[0], "floating")
