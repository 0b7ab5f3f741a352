"""The canonical notation: what `str` of a shape gives, and `read_shape` reads back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symlayout.layouts.xla.shape import Shape


def size_text(n: Any) -> str:
    """A size without blanks.

    >>> from symlayout.expr.terms import symbol, ceildiv
    >>> size_text(ceildiv(symbol("N") + 1, 8))
    'ceildiv(N+1,8)'
    """
    return str(n).replace(" ", "")


def comma_list(values: Iterable[Any]) -> str:
    """`a,b,c`"""
    return ",".join(size_text(v) for v in values)


def spaced_list(values: Iterable[Any]) -> str:
    """`a, b, c`, each as Python writes it."""
    return ", ".join(map(str, values))


def shape_text(shape: Shape) -> str:
    """The whole shape; without braces where the layout was not written out and is the default."""
    head = f"{shape.dtype}[{comma_list(shape._dims)}]"
    properties = properties_text(shape)
    if not properties and (not shape._dims or not is_written(shape)):
        return head
    colon = ":" if properties else ""
    return f"{head}{{{comma_list(shape.minor_to_major)}{colon}{properties}}}"


def is_written(shape: Shape) -> bool:
    """Whether minor_to_major is printed."""
    return bool(shape.explicit) or shape.minor_to_major != tuple(reversed(range(shape.rank)))


def properties_text(shape: Shape) -> str:
    """What stands behind the colon, in its fixed order."""
    parts: list[str] = []
    if shape._padded is not None:
        parts.append(f"PAD({comma_list(shape._padded)})")
        if shape.padding_value is not None:
            parts.append(f"={shape.padding_value}")
    if shape.levels:
        parts.append(f"D({comma_list(shape.levels)})")
    if shape._tiles:
        parts.append("T" + "".join(f"({comma_list(tile)})" for tile in shape._tiles))
    for letter, value, default in (
        ("L", shape._tail_alignment, 1),
        ("#", shape.index_type, None),
        ("*", shape.pointer_type, None),
        ("E", shape.element_bits, 0),
        ("S", shape.memory_space, 0),
    ):
        if value != default:
            parts.append(f"{letter}({size_text(value)})")
    if shape.splits:
        parts.append("SC" + "".join(f"({d}:{comma_list(i)})" for d, i in shape.splits))
    if shape.physical is not None:
        parts.append(f"P({shape.physical})")
    if shape.metadata_bytes:
        parts.append(f"M({shape.metadata_bytes})")
    return "".join(parts)


def repr_text(text: str, lenient: bool) -> str:
    """A call that makes the value again."""
    return f"read_shape({text!r}{', lenient=True' if lenient else ''})"
