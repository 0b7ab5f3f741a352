"""What is not an array: tuples of shapes, buffers, tokens and opaque values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size
from symlayout.layouts.xla.shape import Shape

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap


@dataclass(frozen=True, repr=False)
class TupleShape:
    """Several shapes, `(a, b)`; each element has its own buffer.

    >>> TupleShape((Shape("f32", (2,)), Shape("s32", ())))
    read_shape('(f32[2], s32[])')
    """

    elements: tuple[AnyShape, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"

    def __repr__(self) -> str:
        from symlayout.layouts.xla.printing import repr_text

        return repr_text(str(self), has_notes(self))

    def __iter__(self) -> Iterator[AnyShape]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    def __getitem__(self, number: int) -> AnyShape:
        return self.elements[number]

    def index_map(self) -> NoReturn:
        """Raises `LayoutError`: a tuple is several buffers."""
        message = f"the tuple {self} is several buffers"
        raise LayoutError("SL106", message, help="name one of its elements")


@dataclass(frozen=True, repr=False)
class BufferShape:
    """A buffer that holds an array, `b(shape)`.

    >>> BufferShape(Shape("f32", (2,)))
    read_shape('b(f32[2])')
    """

    content: Shape

    def __str__(self) -> str:
        return f"b({self.content})"

    def __repr__(self) -> str:
        from symlayout.layouts.xla.printing import repr_text

        return repr_text(str(self), has_notes(self))

    @property
    def byte_size(self) -> Size:
        """Bytes of the array that it holds."""
        return self.content._byte_size

    def index_map(self) -> IndexMap:
        """The index map of the array that it holds."""
        return self.content.index_map()


@dataclass(frozen=True, repr=False)
class OpaqueShape:
    """A value without elements: `token[]` or `opaque[]`.

    >>> str(OpaqueShape("token"))
    'token[]'
    """

    dtype: str

    def __str__(self) -> str:
        return f"{self.dtype}[]"

    def __repr__(self) -> str:
        from symlayout.layouts.xla.printing import repr_text

        return repr_text(str(self), False)

    def index_map(self) -> NoReturn:
        """Raises `LayoutError`: there are no elements."""
        raise LayoutError("SL106", f"{self} has no elements, and so no index map")


AnyShape: TypeAlias = Shape | TupleShape | BufferShape | OpaqueShape


def has_notes(shape: AnyShape) -> bool:
    """Whether a lenient reading changed or let pass anything in it."""
    if isinstance(shape, TupleShape):
        return any(has_notes(s) for s in shape.elements)
    if isinstance(shape, BufferShape):
        return has_notes(shape.content)
    return isinstance(shape, Shape) and bool(shape.notes)
