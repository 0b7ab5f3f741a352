"""What an object of another library says beside what is read: nothing unknown is passed over."""

from __future__ import annotations

from collections.abc import Iterator
from types import MemberDescriptorType
from typing import Any

from symlayout.errors import LayoutError

OF_TUPLES = ("_fields", "_field_defaults")
SAYS_NOTHING: tuple[Any, ...] = (None, (), [], {}, "")


def only(x: Any, *names: str) -> None:
    """Raises `LayoutError` (SL107) for an object with data besides these attributes.

    Data that is None or empty is none.  What a library adds to a class may say where elements lie,
    so a reading that leaves it out could be wrong.

    >>> from types import SimpleNamespace
    >>> only(SimpleNamespace(shape=(2, 3), stride=(3, 1), more=None), "shape", "stride")
    >>> only(SimpleNamespace(shape=(2, 3), pad=4), "shape")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    symlayout.errors.LayoutError: SL107: SimpleNamespace.pad is not read, and may say where ...
      help: write the layout as a text, or as a map: map i < M, j < N: ...
    """
    for name in sorted({*_data(x)} - {*names}):
        value = getattr(x, name, "what cannot be looked at")
        if any(type(value) is type(n) and value == n for n in SAYS_NOTHING):
            continue
        kind = x.__name__ if isinstance(x, type) else type(x).__name__
        message = f"{kind}.{name} is not read, and may say where elements lie"
        help = "write the layout as a text, or as a map: map i < M, j < N: ..."
        raise LayoutError("SL107", message, help=help)


def _data(x: Any) -> Iterator[str]:
    """The names of an object's data: its own, its class's fields, slots, properties and constants."""
    classes = x.__mro__ if isinstance(x, type) else type(x).__mro__
    if not isinstance(x, type):
        yield from getattr(x, "__dict__", ())
    yield from getattr(x, "_fields", ())
    for one in classes:
        if one.__module__ in ("builtins", "abc", "typing", "types"):
            continue
        for name, value in vars(one).items():
            if not name.startswith("__") and name not in OF_TUPLES and _is_data(value):
                yield name


def _is_data(value: Any) -> bool:
    """Whether it is not a method: a property, a slot, or a constant."""
    if isinstance(value, (property, MemberDescriptorType)):
        return True
    return not (callable(value) or hasattr(value, "__get__") or type(value).__name__ == "_abc_data")
