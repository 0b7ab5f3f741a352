"""What an object works out once: `functools.cached_property`, before Python 3.12 without its lock.

That lock is one for all objects of a class, and costs more than most of what is worked out.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:
        """A method whose result the object keeps under its name.

        >>> class Square:
        ...     @cached_property
        ...     def side(self):
        ...         return print("asked") or 3
        >>> s = Square()
        >>> s.side + s.side
        asked
        6
        """

        def __init__(self, method: Any) -> None:
            self.method, self.name = method, method.__name__
            self.__doc__ = method.__doc__

        def __set_name__(self, owner: Any, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.method(instance)
            return value
