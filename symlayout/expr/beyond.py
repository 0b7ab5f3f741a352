"""What expressions do that only SymPy can, by SymPy's expression: it is made when someone asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import floordiv, ge, gt, le, lt, mod, truediv
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symlayout.expr.tree import Expr

# what people call on expressions of SymPy; others ask any object for names such as `shape`
NAMES = """
as_independent as_numer_denom as_ordered_factors as_ordered_terms as_poly cancel collect count_ops
diff doit equals evalf factor find is_constant is_even is_negative is_nonnegative is_nonpositive
is_odd is_polynomial is_positive is_zero lambdify match n ratsimp replace rewrite series simplify
sort_key together trigsimp
"""


class Delegated:
    """An attribute that SymPy's expression has.

    `__getattr__` would do as well, but Python then looks up every attribute of an expression slowly.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, e: Beyond | None, kind: type[Beyond]) -> Any:
        return self if e is None else getattr(e.sympy, self.name)


def _on_left(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: op(self.sympy, outside(other))


def _both_ways(op: Callable[[Any, Any], Any]) -> Iterator[Callable[[Any, Any], Expr]]:
    """What SymPy does with an expression on the left, and on the right."""
    yield _on_left(op)
    yield lambda self, other: op(outside(other), self.sympy)


class Beyond:
    """An expression's doors to SymPy."""

    __slots__ = ()

    _sympy: Any

    @property
    def sympy(self) -> Any:
        """The expression of SymPy that is equal to it."""
        if self._sympy is None:
            from symlayout.expr.edge import to_sympy

            self._sympy = to_sympy(self)
        return self._sympy

    def _sympy_(self) -> Any:
        return self.sympy

    def _printed(self, printer: Any) -> Any:
        """What SymPy's printers ask for, by SymPy's expression."""
        return printer._print(self.sympy)

    _latex = _sympyrepr = _pretty = _pythoncode = _numpycode = _lambdacode = _ccode = _printed
    _cxxcode = _sympycode = _scipycode = _jaxcode = _cupycode = _mpmathcode = _printed

    if TYPE_CHECKING:  # what the table names, and what kinds of expressions have

        def __getattr__(self, name: str) -> Any: ...

    def subs(self, *args: Any, **options: Any) -> Any:
        """SymPy's substitution, in SymPy's expression."""
        return self.sympy.subs(*args, **options)

    def __rpow__(self, base: Any) -> Any:
        return outside(base) ** self.sympy

    __truediv__, __rtruediv__ = _both_ways(truediv)
    __floordiv__, __rfloordiv__ = _both_ways(floordiv)
    __mod__, __rmod__ = _both_ways(mod)
    __lt__, __le__, __gt__, __ge__ = map(_on_left, (lt, le, gt, ge))


for each in NAMES.split():
    setattr(Beyond, each, Delegated(each))


def outside(value: Any) -> Any:
    """The value as SymPy knows it."""
    return value.sympy if isinstance(value, Beyond) else value


def by_sympy(op: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """What the operation makes of a number that is not an integer; others know themselves."""
    if isinstance(a, (float, complex)) or isinstance(b, (float, complex)):
        return op(outside(a), outside(b))
    return NotImplemented
