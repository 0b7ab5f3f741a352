"""Functions again, with JAX's words for integers said of what is traced.

A function that speaks of them is made again with words of ours in their places, and so are its own
helper functions.  Of numbers and arrays the words stay JAX's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import as_expr
from symlayout.layouts.maps.tracing import Traced, TracedCondition, run_of
from symlayout.programs.kernels.jax_words import ROOMS, Words

__all__ = ["in_our_words"]


Other = Callable[[str, str, Sequence[Any]], Any]


def in_our_words(
    function: Callable[..., Any],
    at: Sequence[Any],
    grid: Sequence[Any],
    more: Words | None = None,
    other: Other | None = None,
) -> Any:
    """The function, whose `pl.program_id` and `pl.num_programs` are of a program of the grid.

    `more` are words that it has beside ours, and `other` says what every word is that is none.

    >>> in_our_words(lambda i: i + 1, [0], [4])(2)
    3
    """
    run = run_of(*at)
    sizes = [Traced(as_expr(n), run) for n in grid]
    own: Words = {
        "program_id": lambda axis: at[axis],
        "num_programs": lambda axis: sizes[axis],
    }
    return _Again({**own, **(more or {})}, other).of(function)


class _Word:
    """A function of JAX: ours where something traced is given to it, else its own."""

    def __init__(
        self,
        name: str,
        real: Any,
        ours: Callable[..., Any] | None,
        own: bool,
        other: Callable[[Sequence[Any]], Any] | None,
    ) -> None:
        self.name, self.real, self.ours, self.own, self.other = name, real, ours, own, other
        self.__name__ = str(getattr(real, "__name__", name))

    def __call__(self, *args: Any, **named: Any) -> Any:
        traced = [x for x in (*args, *named.values()) if isinstance(x, (Traced, TracedCondition))]
        if self.other is not None and not self.own:
            all_given = (*args, *named.values())
            if self.ours is None or any(getattr(type(x), "absorbs", False) for x in all_given):
                return self.other(all_given)
        if self.ours is not None and (traced or self.own):
            return self.ours(*args, **named)
        args, named = tuple(map(_real, args)), {k: _real(x) for k, x in named.items()}
        try:
            return self.real(*args, **named)
        except Exception as error:
            if not traced or isinstance(error, LayoutError):
                raise
            message = f"{self.name} of a traced integer is not followed"
            raise LayoutError("SL204", message) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def _real(x: Any) -> Any:
    return x.real if isinstance(x, _Word) else x


class _Room:
    """A module of JAX, whose functions are words."""

    def __init__(self, module: ModuleType, again: _Again) -> None:
        self._module, self._again = module, again

    def __getattr__(self, name: str) -> Any:
        return self._again.word(self._module.__name__, name, getattr(self._module, name))


class _Again:
    """What functions speak of, each function made again once; `own` are the words of a program."""

    def __init__(self, own: Words, other: Other | None = None) -> None:
        self.own, self.copies = own, dict[int, tuple[FunctionType, FunctionType]]()
        self.other = other

    def word(self, module: str, name: str, real: Any) -> Any:
        """What stands for a name of a module of JAX."""
        if isinstance(real, ModuleType):
            return _Room(real, self)
        room = next((r for r in ROOMS if r in module.split(".")), "")
        own = room in ("pallas", "lax") and name in self.own
        ours = self.own[name] if own else ROOMS.get(room, {}).get(name)
        if ours is None and (isinstance(real, type) or not callable(real)):
            return real
        other = None if self.other is None else partial(self.other, room, name)
        return _Word(name, real, ours, own, other)

    def of(self, value: Any) -> Any:
        """What stands for a value that a function speaks of."""
        if isinstance(value, ModuleType):
            return _Room(value, self) if _is_jax(value.__name__) else value
        if isinstance(value, partial):
            return partial(self.of(value.func), *value.args, **value.keywords)
        if isinstance(value, MethodType):
            return MethodType(self.of(value.__func__), value.__self__)
        if isinstance(value, FunctionType) and not _is_jax(value.__globals__.get("__name__")):
            return self.function(value)
        if not callable(value):
            return value
        own, inner = str(getattr(value, "__module__", "")), getattr(value, "__wrapped__", None)
        if _is_jax(own):
            name = getattr(value, "__name__", None)
            return self.word(own, name, value) if isinstance(name, str) else value
        wrapped = inner is not None and _is_jax(type(value).__module__)
        return self.of(inner) if wrapped else value  # in `jax.jit`, or as a spec has it

    def function(self, f: FunctionType) -> FunctionType:
        """A function of the user's with our words in it."""
        if id(f) in self.copies:
            return self.copies[id(f)][1]
        space, cells = dict(f.__globals__), [CellType() for _ in f.__closure__ or ()]
        clone = FunctionType(f.__code__, space, f.__name__, f.__defaults__, tuple(cells) or None)
        clone.__kwdefaults__ = f.__kwdefaults__
        self.copies[id(f)] = f, clone
        for name in _names_in(f.__code__) & space.keys():
            space[name] = self.of(space[name])
        for new, old in zip(cells, f.__closure__ or ()):
            try:
                new.cell_contents = self.of(old.cell_contents)
            except ValueError:
                continue  # nothing has been bound to it yet
        return clone


def _is_jax(module: Any) -> bool:
    """Whether words of a module are JAX's; kernels that come with it are written in them."""
    parts = str(module).split(".")
    return parts[0] in ("jax", "jaxlib") and "ops" not in parts


def _names_in(code: CodeType) -> set[str]:
    """The names that a function and those in it look up."""
    inner = [_names_in(c) for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*inner)
