"""What users get and give: `int`, or SymPy's expressions, made when someone looks at them.

Values keep their expressions as the package has them, in fields such as `_shape`.  `public` is the
attribute `shape` of the same value as users see it, and `keywords` lets them write `shape=`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from symlayout.expr.tree import Expr, Integer

Kind = TypeVar("Kind", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])


class Formula:
    """What is true or false of integers: a comparison, or comparisons that are joined."""

    @property
    def sympy(self) -> Any:
        """The same as SymPy's, which evaluates nothing of it."""
        raise NotImplementedError


def outward(value: Any) -> Any:
    """An expression or a formula as SymPy's, a number as `int`, also in tuples, lists and dictionaries.

    >>> from symlayout.expr.tree import Symbol
    >>> [type(x).__module__ for x in outward((Integer(3), Symbol("N")))]
    ['builtins', 'sympy.core.symbol']
    """
    if isinstance(value, Expr):
        return int(value) if isinstance(value, Integer) else value.sympy
    if isinstance(value, Formula):
        return value.sympy
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
        return type(value)(*map(outward, value))
    if type(value) in (tuple, list):
        return type(value)(map(outward, value))
    if type(value) is dict:
        return {outward(k): outward(v) for k, v in value.items()}
    return value


def public(name: str, doc: str) -> property:
    """The attribute that users read where the package keeps its own expressions under `name`."""

    def get(self: Any) -> Any:
        return outward(getattr(self, name))

    return property(get, doc=doc)


def for_users(function: Function) -> Function:
    """The function with a result for users: see `outward`."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        return outward(function(*args, **options))

    return call  # type: ignore[return-value]


def keywords(kind: Kind) -> Kind:
    """The dataclass, whose field `_shape` is given and printed as `shape`.

    Its `read_fields`, if it has one, makes what the fields keep of what is given, by name.
    """
    rows = fields(kind)
    own = {f.name[1:]: f.name for f in rows if f.name.startswith("_")}
    construct: Any = vars(kind)["__init__"]
    reading: Callable[[dict[str, Any]], dict[str, Any]] | None = getattr(kind, "read_fields", None)
    order = [f.name for f in rows]
    usual = {f.name: f.default for f in rows if f.default is not MISSING}
    required = {*order} - usual.keys()

    @wraps(construct)
    def __init__(self: Any, *args: Any, **values: Any) -> None:
        for name in [n for n in values if n in own]:
            values[own[name]] = values.pop(name)
        if reading is not None:
            fitting = {**dict(zip(order, args)), **values}
            if len(fitting) == len(args) + len(values) and required <= fitting.keys():
                args, values = (), reading({**usual, **fitting})
        construct(self, *args, **values)  # which says what is wrong with the arguments

    described = signature(construct)
    parameters = [p.replace(name=_public_name(p)) for p in described.parameters.values()]
    __init__.__signature__ = described.replace(parameters=parameters)  # type: ignore[attr-defined]
    kind.__init__ = __init__  # type: ignore[misc]
    if hasattr(kind.__repr__, "__wrapped__"):  # the dataclass made it
        kind.__repr__ = _text  # type: ignore[assignment]
    return kind


def _public_name(parameter: Parameter) -> str:
    return parameter.name.removeprefix("_")


def _text(self: Any) -> str:
    parts = [
        f"{f.name.removeprefix('_')}={getattr(self, f.name)!r}" for f in fields(self) if f.repr
    ]
    return f"{type(self).__qualname__}({', '.join(parts)})"
