"""What the operations take as a layout: ours, a text, another library's, or an array's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from symlayout.errors import LayoutError
from symlayout.layouts.cute.inttuple import as_tuple, prefix_product, text_of
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.doors.algebra import Algebra
from symlayout.layouts.doors.tv import ThreadValue
from symlayout.tla.chain import Chain
from symlayout.tla.known import facts_for

Operation = TypeVar("Operation", bound=Callable[..., Any])


def on_coordinates(operation: Operation) -> Operation:
    """An operation that asks a layout for other coordinates: a swizzle stays behind it.

    >>> from symlayout.tla import identity_layout, read_layout, zipped_divide
    >>> print(zipped_divide(read_layout("Swizzle(2,0,2) o 0 o (8,4):(4,1)"), (4, 2)))
    Swizzle(2,0,2) o 0 o ((4,2),(2,2)):((4,1),(16,2))
    >>> print(zipped_divide(identity_layout((8, 4)), (4, 2)))
    ((4,2),(2,2)):((1@0,1@1),(4@0,2@1))
    """

    @wraps(operation)
    def applied(layout: Any, *arguments: Any, **options: Any) -> Any:
        layout = operand_of(layout)
        if hasattr(layout, "through"):
            return layout.through(operation, *arguments, **options)
        return swizzled(layout, *arguments, **options)

    swizzled = behind_swizzle(operation)
    return cast(Operation, applied)


def behind_swizzle(operation: Operation) -> Operation:
    """As `on_coordinates`, for operations that mean nothing for layouts of coordinates."""

    @wraps(operation)
    def applied(layout: Any, *arguments: Any, **options: Any) -> Any:
        layout = operand_of(layout)
        if not isinstance(layout, Chain | ComposedLayout):
            return operation(layout, *arguments, **options)
        call = signature(operation).bind(layout, *arguments, **options)
        if "where" in call.arguments:  # facts may be about the offset as well
            others = [x for name, x in call.arguments.items() if name != "where"]
            facts = facts_for(call.arguments["where"], layout, *map(tiler_of, others[1:]))
            call.arguments["where"] = facts
        _, *rest = call.args
        if isinstance(layout, Chain):
            return layout.through(operation, *rest, **call.kwargs)
        inner = operation(layout.layout, *rest, **call.kwargs)
        return ComposedLayout(layout.swizzle, layout._offset, inner)

    return cast(Operation, applied)


def operand_of(x: Any) -> Any:
    """A text as the layout that it spells, swizzled or of coordinates; all else as it is.

    >>> print(operand_of("(4,6):(1@0,1@1)"))
    (4,6):(1@0,1@1)
    """
    if not isinstance(x, str):
        return x
    if "@" in x or "E<" in x:
        from symlayout.tla.basis import read_coordinates

        return read_coordinates(x)
    from symlayout.layouts.cute.reader import read_layout

    return read_layout(x)


def layout_of(x: Any) -> Layout:
    """A layout as it is; a text, another library's layout or an array as a layout.

    >>> print(layout_of("(2,3):(3,1)"))
    (2,3):(3,1)

    Another library's layout has nested tuples or integers as `.shape` and `.stride`.  Raises
    `LayoutError` (SL107) for anything else, and for an array that does not begin at offset 0.
    """
    if isinstance(x, Layout):
        return x
    if isinstance(x, str):
        from symlayout.layouts.cute.reader import read_layout

        result = read_layout(x)
        if not isinstance(result, Layout):
            raise LayoutError("SL107", f"{result} is a composed layout, not shape:stride")
        return result
    if isinstance(x, (Algebra, ThreadValue)):
        return layout_of(x.layout)
    if isinstance(x, ComposedLayout):
        message = f"{x} is swizzled, and this asks for a layout of shape:stride alone"
        raise LayoutError("SL107", message, help=f"its layout is {x.layout}")
    if hasattr(x, "through"):
        message = f"{x} is a function of coordinates, and this asks for a layout of shape:stride"
        raise LayoutError("SL107", message)
    if hasattr(x, "strides") or callable(getattr(x, "stride", None)):
        return _of_array(x)
    if hasattr(x, "shape") and hasattr(x, "stride"):
        from symlayout.layouts.doors.objects import of_modes

        return of_modes(x)
    raise _no_layout(x)


def _no_layout(x: Any) -> LayoutError:
    """The error for sizes without strides, and for what is nothing of a layout."""
    if isinstance(x, (int, tuple, list)) or hasattr(x, "free_symbols"):
        shape = as_tuple(x)
        compact = Layout(shape, prefix_product(shape))
        message = f"{text_of(shape)} has no strides, and a layout is expected"
        return LayoutError("SL107", message, help=f"the compact layout of it is {compact}")
    help = "give a text such as '(M,N):(N,1)', or an object with .shape and .stride"
    plain = x is None or isinstance(x, (float, bytes))
    what = repr(x) if plain else f"a value of type {type(x).__name__}"
    return LayoutError("SL107", f"{what} is not a layout of shape:stride", help=help)


def _of_array(x: Any) -> Layout:
    from symlayout.layouts.doors.objects import from_array
    from symlayout.layouts.strided import Strided

    strided = x if isinstance(x, Strided) else from_array(x)
    if strided._start != 0:
        message = f"the array begins at offset {strided._start}; shape:stride begins at 0"
        raise LayoutError("SL107", message)
    return Layout(strided._dims, strided._strides, bits=strided.bits)


def tiler_of(x: Any) -> Any:
    """A tiler: texts and other libraries' layouts in it become layouts; the rest stays.

    >>> tiler_of(("2:1", 4))
    (read_layout('2:1'), 4)
    """
    if isinstance(x, (tuple, list)):
        return tuple(tiler_of(t) for t in x)
    if isinstance(x, str):
        from symlayout.layouts.cute.reader import read_inttuple

        return layout_of(x) if ":" in x else read_inttuple(x)
    is_foreign = not isinstance(x, Layout) and hasattr(x, "shape") and hasattr(x, "stride")
    return layout_of(x) if is_foreign else x
