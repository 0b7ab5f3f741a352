"""IntTuples: an integer, or a tuple of IntTuples.

A leaf is a `Static` (known when a kernel is compiled, printed `_3`), a plain `int` (known at run
time, printed `3`) or a SymPy expression.  Whatever is made of static integers alone is static.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Size, as_expr, as_size
from symlayout.expr.terms import ceildiv as _ceildiv
from symlayout.expr.tree import expand
from symlayout.text.patterns import regex

STATIC = regex(r"_\d{1,999}", re.ASCII)
IntTuple: TypeAlias = "Size | tuple[IntTuple, ...]"


class Static(int):
    """An integer that is known at compile time; equal to the plain integer of its value.

    >>> print(Static(3) * Static(4), Static(3) * 4, Static(3) == 3)
    _12 12 True
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Static({int(self)})"

    def __str__(self) -> str:
        return f"_{int(self)}"

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else str(self)

    def __neg__(self) -> Static:
        return Static(-int(self))


def _static_operator(name: str) -> Callable[[Any, Any], Any]:
    plain = getattr(int, name)

    def apply(a: Any, b: Any) -> Any:
        result = plain(int(a), b)
        if isinstance(b, Static) and result is not NotImplemented:
            return Static(result)
        return result

    return apply


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(Static, _form, _static_operator(_form))


def as_leaf(value: Any) -> Size:
    """One integer of an IntTuple: a `Static` stays one, a text is read, other numbers become `int`.

    >>> as_leaf("2*R"), as_leaf("_4")
    (2*R, Static(4))

    Raises `LayoutError` (SL203) for anything that is not an integer expression.
    """
    if isinstance(value, Static):
        return value
    if isinstance(value, str):
        if STATIC.fullmatch(value.strip()):
            return Static(value.strip()[1:])
        return as_size(read_expression(value))
    name = type(value).__name__
    if name == "Int" or name.startswith("Int["):  # CuTe DSL's static integers carry `.value`
        return Static(value.value)
    return as_size(value)


def as_tuple(value: Any) -> IntTuple:
    """An IntTuple of ints, NumPy integers, expressions, and nested tuples or lists of them.

    >>> as_tuple([2, [3, 4]])
    (2, (3, 4))
    """
    if isinstance(value, (tuple, list)):
        return tuple(as_tuple(v) for v in value)
    return as_leaf(value)


def plain(t: IntTuple) -> IntTuple:
    """The same with every static integer made a plain one."""
    return transform(lambda x: int(x) if isinstance(x, Static) else x, t)


def rank(t: IntTuple, *path: int) -> int:
    """The number of elements of the tuple (1 for an integer), of the mode at `path` if given.

    >>> rank(7), rank((2, (3, 4, 5))), rank((2, (3, 4, 5)), 1)
    (1, 2, 3)
    """
    mode = get(t, *path)
    return len(mode) if isinstance(mode, tuple) else 1


def depth(t: IntTuple, *path: int) -> int:
    """How deep the tuple nests: 0 for an integer, 1 + the deepest element for a tuple.

    >>> depth(7), depth((2, 3)), depth((2, (3, 4)))
    (0, 1, 2)
    """
    mode = get(t, *path)
    return 1 + max((depth(x) for x in mode), default=0) if isinstance(mode, tuple) else 0


def get(t: IntTuple, *path: int) -> IntTuple:
    """The element at a path of positions; mode 0 of an integer is the integer itself.

    >>> get((2, (3, 4)), 1, 0)
    3

    Raises `LayoutError` (SL108) for a position that does not exist.
    """
    for position in path:
        modes = t if isinstance(t, tuple) else (t,)
        if not 0 <= check_index(position, "a mode") < len(modes):
            message = f"there is no mode {position} in {text_of(t)}, which has {len(modes)}"
            raise LayoutError("SL108", message)
        t = modes[position]
    return t


def flatten(t: IntTuple) -> tuple[Size, ...]:
    """The leaves from left to right.

    >>> flatten(((1, 2), (3,)))
    (1, 2, 3)
    """
    return tuple(x for mode in t for x in flatten(mode)) if isinstance(t, tuple) else (t,)


def unflatten(leaves: Sequence[Any], profile: Any) -> Any:
    """The leaves in the nesting of `profile`: the inverse of `flatten`.

    >>> unflatten((1, 2, 3), ((0, 0), 0))
    ((1, 2), 3)
    """
    supply = iter(leaves)

    def build(p: Any) -> Any:
        return tuple(build(x) for x in p) if isinstance(p, tuple) else next(supply)

    return build(profile)


def transform(f: Callable[..., Any], *tuples: Any) -> Any:
    """`f` of the leaves of congruent IntTuples, in their nesting.

    Raises `LayoutError` (SL107) where one has a tuple and another an integer.
    """
    nested = [isinstance(t, tuple) for t in tuples]
    if not any(nested):
        return f(*tuples)
    if not all(nested) or len({len(t) for t in tuples}) > 1:
        raise LayoutError("SL107", f"{' and '.join(map(text_of, tuples))} differ in their nesting")
    return tuple(transform(f, *modes) for modes in zip(*tuples))


def product(t: IntTuple | Iterable[IntTuple]) -> Size:
    """The product of all leaves; static when all of them are.

    >>> product((2, (3, 4))), product(())
    (24, Static(1))
    """
    result: Size = Static(1)
    for leaf in flatten(tuple(t) if isinstance(t, Iterable) else t):
        result = leaf if isinstance(result, Static) and result == 1 else result * leaf
    return result


def product_each(t: IntTuple) -> tuple[Size, ...]:
    """The product of each mode.

    >>> product_each(((4, 2), 3))
    (8, 3)
    """
    return tuple(product(mode) for mode in (t if isinstance(t, tuple) else (t,)))


def prefix_product(t: IntTuple) -> Any:
    """The compact strides of a shape, the leftmost mode fastest.

    >>> prefix_product(((4, 2), 3))
    ((1, 4), 8)
    """
    return unflatten(_running_products(flatten(t)), t)


def suffix_product(t: IntTuple) -> Any:
    """The compact strides of a shape, the rightmost mode fastest.

    >>> suffix_product(((4, 2), 3))
    ((6, 3), 1)
    """
    return unflatten(_running_products(flatten(t)[::-1])[::-1], t)


def _running_products(sizes: Sequence[Size]) -> list[Size]:
    """For each size the product of those before it."""
    return list(accumulate(sizes, operator.mul, initial=1))[:-1]


def congruent(a: IntTuple, b: IntTuple) -> bool:
    """Whether the two nest alike.

    >>> congruent((2, (3, 4)), (0, (0, 0))), congruent((2, (3, 4)), (0, 0))
    (True, False)
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(congruent, a, b))
    return not isinstance(a, tuple) and not isinstance(b, tuple)


def is_static(t: IntTuple) -> bool:
    """Whether every leaf is static."""
    return all(isinstance(x, Static) for x in flatten(t))


def is_concrete(*tuples: IntTuple) -> bool:
    """Whether every leaf is a number, static or not."""
    return all(isinstance(x, int) for t in tuples for x in flatten(t))


def ceildiv(a: Size, b: Size) -> Size:
    """`a / b` rounded up; static when both are."""
    if isinstance(a, Static) and isinstance(b, Static):
        return Static(-(-int(a) // int(b)))
    return _ceildiv(a, b)


def same(a: Size, b: Size) -> bool:
    """Whether two sizes are equal for all values of their symbols, by expanding the difference."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b

    return bool(a == b) or bool(expand(as_expr(a) - as_expr(b)) == 0)


def text_of(t: Any) -> str:
    """How an IntTuple is written.

    >>> text_of((Static(2), (3, 4)))
    '(_2,(3,4))'
    """
    if isinstance(t, tuple):
        return "(" + ",".join(map(text_of, t)) + ")"
    text = str(t)
    whole = text.startswith("(") and closing(text) == len(text) - 1
    return text[1:-1] if whole else text  # in parentheses a size would be a tuple of one


def closing(text: str) -> int:
    """Where the parenthesis that a text begins with ends."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return k
    return -1


def check_index(value: Any, what: str) -> int:
    """A plain integer parameter, or a `LayoutError` (SL203)."""
    try:
        return operator.index(value)
    except TypeError:
        raise LayoutError("SL203", f"{what} must be an integer, not {value!r}") from None
