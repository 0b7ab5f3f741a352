"""JAX's words for integers, said of what is traced: JAX itself is not imported.

Where a word divides, compares or chooses, it does so of every value at once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from symlayout.expr.conditions import comparison, negation
from symlayout.expr.terms import CeilDiv, Max, Min, TruncDiv, TruncMod
from symlayout.layouts.maps.tracing import (
    Traced,
    TracedCondition,
    expression_of,
    of_two,
    quotient,
    run_of,
    where,
)

__all__ = ["ROOMS", "Words"]

Words = dict[str, Callable[..., Any]]


def _condition(x: Any) -> Any:
    """What is true or false: of a number, whether it is not 0."""
    return x != 0 if isinstance(x, Traced) else x


def _where(c: Any, a: Any, b: Any) -> Any:
    return where(_condition(c), a, b)


def _cond(c: Any, yes: Callable[..., Any], no: Callable[..., Any], *operands: Any) -> Any:
    return yes(*operands) if c else no(*operands)


def _not(c: Any) -> Any:
    condition = _condition(c)
    if isinstance(condition, TracedCondition):
        return TracedCondition(negation(condition.condition), condition.run)
    return not condition


def _all_or_any(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: op(_condition(a), _condition(b))


def _clamp(low: Any, x: Any, high: Any) -> Any:
    return _min(_max(x, low), high)


def _itself(x: Any, dtype: Any = "int32") -> Any:
    return x.astype(dtype)


def _sign(x: Any) -> Any:
    return where(x > 0, 1, where(x < 0, -1, 0))


def _equal(a: Any, b: Any) -> TracedCondition:
    run = run_of(a, b)
    return TracedCondition(comparison("==", expression_of(a, run), expression_of(b, run)), run)


_min, _max = of_two(lambda a, b, _: Min(a, b)), of_two(lambda a, b, _: Max(a, b))
_div, _rem = (
    of_two(lambda a, b, run: quotient(TruncDiv, a, b, run)),
    of_two(lambda a, b, run: quotient(TruncMod, a, b, run)),
)
_EACH: Words = {
    **{
        w: getattr(operator, w) for w in ("add", "sub", "mul", "neg", "abs", "lt", "le", "gt", "ge")
    },
    "eq": _equal,
    "ne": lambda a, b: _not(_equal(a, b)),
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "left": operator.lshift,
    "right": operator.rshift,
}
ROOMS: dict[str, Words] = {
    "numpy": {
        **{
            "where": _where,
            "minimum": _min,
            "maximum": _max,
            "clip": lambda x, a, b: _clamp(a, x, b),
        },
        **{"floor_divide": operator.floordiv, "mod": operator.mod, "remainder": operator.mod},
        **{"divmod": divmod, "fmod": _rem, "sign": _sign, "int32": _itself, "int64": _itself},
        **{"asarray": _itself, "array": _itself},
        **{"logical_and": _all_or_any(operator.and_), "logical_or": _all_or_any(operator.or_)},
        **{"logical_not": _not, "add": operator.add, "subtract": operator.sub},
        **{"multiply": operator.mul, "negative": operator.neg, "abs": abs, "absolute": abs},
        **{"equal": _EACH["eq"], "not_equal": _EACH["ne"], "less": operator.lt},
        **{"less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge},
        **{"left_shift": operator.lshift, "right_shift": operator.rshift},
        **{f"bitwise_{w}": _EACH[w] for w in ("and", "or", "xor")},
    },
    "lax": {
        **_EACH,
        **{"select": _where, "select_n": lambda c, a, b: _where(c, b, a), "cond": _cond},
        **{"div": _div, "rem": _rem, "min": _min, "max": _max, "clamp": _clamp, "sign": _sign},
        **{"convert_element_type": _itself, "shift_left": operator.lshift},
        **{"shift_right_arithmetic": operator.rshift},
        **{f"bitwise_{w}": _EACH[w] for w in ("and", "or", "xor")},
    },
    "pallas": {
        "cdiv": of_two(lambda a, b, run: quotient(CeilDiv, a, b, run)),
        "multiple_of": lambda x, _: x,
    },
}
