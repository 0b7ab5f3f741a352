"""What expressions do that only SymPy can, by SymPy's expression: it is made when someone asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symlayout.expr.tree import Expr

# what people call on expressions of SymPy; others ask any object for names such as `shape`
NAMES = """
as_content_primitive as_independent as_numer_denom as_ordered_factors as_ordered_terms as_poly
cancel collect count_ops diff doit equals evalf factor find is_constant is_even is_negative
is_nonnegative is_nonpositive is_odd is_polynomial is_positive is_zero lambdify match n ratsimp
replace rewrite series simplify sort_key subs together trigsimp
"""
# what SymPy's printers ask an object for
PRINTERS = """
_ccode _cupycode _cxxcode _jaxcode _lambdacode _latex _mpmathcode _numpycode _pretty _pythoncode
_scipycode _sympycode _sympyrepr
"""


def delegate(kind: type[Expr]) -> None:
    """Gives expressions the attributes that SymPy's expression has.

    `__getattr__` would do as well, but Python then looks up every attribute of an expression slowly.
    """
    for name in NAMES.split():
        setattr(kind, name, property(attrgetter(f"sympy.{name}")))
    for name in PRINTERS.split():
        setattr(kind, name, property(lambda e: partial(_printed, e)))


def _printed(e: Expr, printer: Any) -> Any:
    """What SymPy's printers ask for, by SymPy's expression."""
    return printer._print(e.sympy)


def on_left(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What SymPy does with an expression on the left."""
    return lambda self, other: op(self.sympy, outside(other))


def both_ways(op: Callable[[Any, Any], Any]) -> Iterator[Callable[[Any, Any], Expr]]:
    """What SymPy does with an expression on the left, and on the right."""
    yield on_left(op)
    yield lambda self, other: op(outside(other), self.sympy)


def outside(value: Any) -> Any:
    """The value as SymPy knows it."""
    own = getattr(value, "_sympy_", None)
    return value if own is None else own()


def by_sympy(op: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """What the operation makes of a number that is not an integer; others know themselves."""
    if isinstance(a, (float, complex)) or isinstance(b, (float, complex)):
        return op(outside(a), outside(b))
    return NotImplemented
