"""The notations that are written out: which one a text is in, told by how it begins."""

from __future__ import annotations

import re
from typing import Any

from symlayout.errors import LayoutError


def read_plain(text: str, *, lenient: bool = False) -> Any:
    """The layout that a text spells in XLA's, CuTe's or the strided notation.

    >>> print(read_plain("(M,N):(N,1)"))
    (M,N):(N,1)

    Raises `LayoutError` with the place of the mistake.
    """
    head = text.lstrip()
    if re.match(r"[\w:\s=]*(?:Layout\s*<|(?:MakeLayout|make_layout)\s*\()", head):
        from symlayout.layouts.cute.cpp import is_cpp, read_cpp

        if is_cpp(text):
            return read_cpp(text)
    if re.match(r"[a-z_]+\s*[:{]|#", head):
        from symlayout.layouts.xla.proto import is_proto, read_proto

        if is_proto(text):
            made = read_proto(text)
            if not hasattr(made, "index_map"):
                raise LayoutError("SL100", f"the layout {made} has no shape", text=text, at=0)
            return made
    if re.match(r"strided\b", head):
        from symlayout.layouts.strided import read_strided

        return read_strided(text)
    if re.match(r"[-+(\d_]|[A-Za-z]\w*\s*\(|[A-Za-z][^\[{]*:", head) and not re.match(
        r"b\(|\(\s*\)(?!\s*:)|\(.*\[", head, re.S
    ):
        from symlayout.layouts.cute.reader import read_layout

        return read_layout(text)
    from symlayout.layouts.xla import read_shape

    return read_shape(text, lenient=lenient)
