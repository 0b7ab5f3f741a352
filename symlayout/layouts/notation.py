"""`parse`: reads any notation and finds out which it is."""

from __future__ import annotations

import re
from typing import Any

from symlayout.errors import LayoutError
from symlayout.layouts.plain import read_plain


def parse(text: str, *, lenient: bool = False) -> Any:
    """The layout that a text spells, in whatever notation: each has `.index_map()`.

    >>> parse("f32[3,5]{1,0:T(2,2)}").index_map().offset(2, 3)
    17
    >>> parse("(M,N):(N,1)").index_map().formula
    N*i + j

    XLA (`bf16[M,N]{1,0:T(8,128)(2,1)}`), TLA and CuTe (`((16,2),(16,3)):((16,256),(1,512))` and
    format names such as `zN(f16, R, C)`), strided (`strided f32[M,N] strides(N,1) offset 4`);
    layouts in C++ (`MakeLayout(...)`) and shapes as protocol-buffer text (`element_type: F32 ...`);
    layouts made of them: `pad_reshape_transpose(...)`, `broadcast_in_dim(...)`.
    `lenient` reads what XLA's own parser reads.  Raises `LayoutError` with the place of the mistake.
    """
    if not isinstance(text, str):
        raise LayoutError("SL100", f"a layout is a text, not {type(text).__name__}")
    head = text.lstrip()
    if re.match(r"pad_reshape_transpose\b|broadcast_in_dim\b", head):
        from symlayout.layouts.functions import read_call

        return read_call(text)
    return read_plain(text, lenient=lenient)
