"""Python functions as index functions: called with integers that write down what is done."""

from __future__ import annotations

import inspect
import operator
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import Any, NoReturn

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError
from symlayout.expr.conditions import (
    Both,
    Condition,
    Either,
    Less,
    all_of,
    comparison,
    conditional,
    negation,
)
from symlayout.expr.facts import Facts
from symlayout.expr.needs import Need, keeping, needs_of
from symlayout.expr.reader import NAME, Scanner, any_name, condition_at, masked, read_expression
from symlayout.expr.terms import (
    BitOr,
    BitXor,
    Exp2,
    FloorDiv,
    Max,
    Mod,
    as_expr,
    check_name,
    exponent_of,
    free_names,
    from_sympy,
    symbol,
)
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.text.lines import count

PACKAGE = Path(__file__).parents[2]
DECISIONS = 32  # conditions on one of them
BRANCHES = 128  # ways through a function that are followed
_Method = Callable[[Any, Any], "Traced"]


@dataclass
class Run:
    """One way through the function: what its conditions were taken to be."""

    decided: list[bool]
    known: _Known
    conditions: list[Condition] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)  # of all that is computed
    is_over: bool = False  # nothing is computed with its values any more

    def take(self, c: Condition) -> bool:
        """Which way the next condition goes."""
        always = self.known.truth(c)
        if always is not None:
            return always
        if len(self.conditions) == DECISIONS:
            raise LayoutError("SL204", f"more than {DECISIONS} conditions on one way through it")
        if len(self.conditions) == len(self.decided):
            self.decided.append(True)
        self.conditions.append(c)
        return self.decided[len(self.conditions) - 1]


def run_of(*values: Any) -> Run | None:
    """The call of the function that values belong to; None where all are numbers or sizes.

    Raises `LayoutError` for a value of another call, whose conditions say nothing about this one.
    """
    own = (x.run for x in values if isinstance(x, (Traced, TracedCondition)))
    runs = [run for run in own if run is not None]
    if any(run.is_over or run is not runs[0] for run in runs):
        raise _outside()
    return runs[0] if runs else None


def _outside() -> LayoutError:
    message = "a traced integer is used outside of the function that it traces"
    return LayoutError("SL203", message)


def _demand(run: Run | None, e: Expr) -> None:
    """Notes that the expression must not be 0."""
    if run is None:
        raise _outside()
    run.needs.append(Need(e))


def _joined(value: Callable[[Condition, Condition], Condition]) -> Callable[[Any, Any], Any]:
    """An operator of comparisons that Python has for bools: of two of them, or one and a bool."""

    def method(self: TracedCondition, other: Any) -> Any:
        if isinstance(other, bool):
            constant = comparison("<", Integer(0), Integer(other))
            return TracedCondition(value(self.condition, constant), self.run)
        if isinstance(other, TracedCondition):
            run = run_of(self, other)
            return TracedCondition(value(self.condition, other.condition), run)
        return NotImplemented

    return method


def _differ(a: Condition, b: Condition) -> Condition:
    return Either(Both(a, negation(b)), Both(negation(a), b))


class TracedCondition:
    """A comparison of traced integers; asked for its truth, both ways are followed."""

    def __init__(self, condition: Condition, run: Run | None) -> None:
        self.condition, self.run = condition, run

    def __bool__(self) -> bool:
        return _choice(self.condition, run_of(self))

    __and__ = __rand__ = _joined(Both)
    __or__ = __ror__ = _joined(Either)
    __xor__ = __rxor__ = _joined(_differ)

    def __eq__(self, other: Any) -> Any:
        condition = _same(self, other)
        return self._one == other if condition is NotImplemented else condition

    def __ne__(self, other: Any) -> Any:
        condition = self.__xor__(other)
        return self._one != other if condition is NotImplemented else condition

    @property
    def _one(self) -> Traced:
        """1 where it is true, else 0: what it is beside integers."""
        return Traced(conditional(self.condition, Integer(1), Integer(0)), self.run)

    def astype(self, kind: Any) -> Traced:
        """1 or 0, as one of the types that arrays of indices have."""
        return _as_index(self._one, kind)

    def __invert__(self) -> NoReturn:
        message = "`~` of a comparison is -1 or -2 in Python, both true: `not` turns it round"
        raise LayoutError("SL203", message)

    def __hash__(self) -> NoReturn:
        raise _none("a key made of it")


_same = _joined(lambda a, b: negation(_differ(a, b)))


def _choice(c: Condition, run: Run | None) -> bool:
    if run is None:
        raise _outside()
    return run.take(c)


def of_two(value: Callable[[Expr, Expr, Run | None], Expr]) -> _Method:
    """A function of two integers, one of which is traced."""

    def function(a: Any, b: Any) -> Traced:
        run = run_of(a, b)
        return Traced(value(expression_of(a, run), expression_of(b, run), run), run)

    return function


def _both_ways(value: Callable[[Expr, Expr, Run | None], Expr]) -> tuple[_Method, _Method]:
    """An operator of traced integers, and the same with something else on its left."""
    function = of_two(value)

    def method(self: Traced, other: Any) -> Any:
        return NotImplemented if _absorbs(other) else function(self, other)

    return method, lambda self, other: function(other, self)


def _plain(value: Callable[[Expr, Expr], Expr]) -> tuple[_Method, _Method]:
    """The same for what has a value at all operands."""
    return _both_ways(lambda a, b, _: value(a, b))


def _absorbs(other: Any) -> bool:
    """Whether what is computed with it is of its own kind, whatever stands on the other side."""
    return getattr(type(other), "absorbs", False) is True


def _comparison(op: str) -> Callable[[Any, Any], Any]:
    def method(self: Traced, other: Any) -> Any:
        if _absorbs(other):
            return NotImplemented
        run = run_of(self, other)
        return TracedCondition(comparison(op, self.expr, expression_of(other, run)), run)

    return method


class Traced:
    """An integer that is an expression of the domain's variables."""

    __array_ufunc__ = None  # NumPy leaves the operators to it

    def __init__(self, expr: Expr, run: Run | None) -> None:
        self.expr, self.run = expr, run

    __add__, __radd__ = _plain(operator.add)
    __sub__, __rsub__ = _plain(operator.sub)
    __mul__, __rmul__ = _plain(operator.mul)
    __floordiv__, __rfloordiv__ = _both_ways(lambda a, b, run: quotient(FloorDiv, a, b, run))
    __mod__, __rmod__ = _both_ways(lambda a, b, run: quotient(Mod, a, b, run))
    __lt__, __le__, __gt__, __ge__ = map(_comparison, ("<", "<=", ">", ">="))
    __eq__, __ne__ = map(_comparison, ("==", "!="))

    def __divmod__(self, other: Any) -> tuple[Traced, Traced]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Traced, Traced]:
        return other // self, other % self

    def __rpow__(self, base: Any) -> Traced:
        run = run_of(self, base)
        bits = exponent_of(expression_of(base, run))
        if not bits:
            raise LayoutError("SL203", "a number raised to a traced integer is a power of two")
        return Traced(_power(bits * self.expr, run), run)

    def __pow__(self, power: Any) -> Traced:
        if not (isinstance(power, int) and 0 <= power <= 64):
            raise LayoutError("SL203", "a traced integer is raised to a number from 0 to 64")
        return Traced(self.expr**power, self.run)

    __lshift__, __rlshift__ = _both_ways(lambda a, b, run: a * _shift(b, run))
    __rshift__, __rrshift__ = _both_ways(lambda a, b, run: FloorDiv(a, _shift(b, run)))
    __and__ = __rand__ = _plain(masked)[0]
    __or__ = __ror__ = _plain(BitOr)[0]
    __xor__ = __rxor__ = _plain(BitXor)[0]

    def __invert__(self) -> Traced:
        return Traced(-self.expr - 1, self.run)

    def __neg__(self) -> Traced:
        return Traced(-self.expr, self.run)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return Traced(Max(self.expr, -self.expr), self.run)

    def __bool__(self) -> bool:
        return _choice(comparison("!=", self.expr, Integer(0)), run_of(self))

    def astype(self, kind: Any) -> Traced:
        """Itself, as one of the types that arrays of indices have."""
        return _as_index(self, kind)

    def _sympy_(self) -> Expr:
        return self.expr  # SymPy's own operators ask for it

    def __truediv__(self, other: Any) -> NoReturn:
        raise LayoutError("SL203", "`/` makes a fraction of a traced integer: // divides integers")

    __rtruediv__ = __truediv__

    def __repr__(self) -> str:
        return f"<traced {self.expr}>"

    def __format__(self, form: str) -> NoReturn:
        raise _none("a text of it")

    def __index__(self) -> NoReturn:
        raise _none("range(), an index or int() of it")

    __int__ = __index__

    def __float__(self) -> NoReturn:
        raise _none("float() of it")

    def __len__(self) -> NoReturn:
        raise _none("len() of it")

    def __iter__(self) -> NoReturn:
        raise _none("iterating over it")

    def __hash__(self) -> NoReturn:
        raise _none("a key made of it")


def _as_index(x: Traced, kind: Any) -> Traced:
    word = str(getattr(kind, "__name__", kind))
    if word in ("int", "int32", "int64"):
        return x
    raise LayoutError("SL203", f"a traced integer stays one of 32 bits or more: {word:.40} is none")


def _none(what: str) -> LayoutError:
    message = f"{what}: a traced integer has no value, it stands for all of its range"
    return LayoutError("SL203", message)


def expression_of(value: Any, run: Run | None) -> Expr:
    """The expression of a value; what it divides by is noted for the run."""
    if isinstance(value, Traced):
        return value.expr
    if value is None or isinstance(value, (tuple, list, float, str)):
        raise LayoutError("SL203", f"{value!r:.40} is not an integer: a map has integers alone")
    if isinstance(value, TracedCondition):
        raise LayoutError(
            "SL203", "a comparison is not an integer: symlayout.where(c, 1, 0) makes one"
        )
    e = from_sympy(as_expr(value))
    if run is not None:  # what is computed with it may cancel
        run.needs += needs_of(e)
    return e


def _shift(count: Expr, run: Run | None) -> Expr:
    """Two to the number by which is shifted."""
    if count.is_Integer and not 0 <= count <= 63:
        raise LayoutError("SL203", "a shift by a number is by one from 0 to 63")
    return _power(count, run)


def _power(exponent: Expr, run: Run | None) -> Expr:
    power = Exp2(exponent)
    if isinstance(power, Exp2):
        for e in power.demanded:
            _demand(run, e)
    return power


def quotient(kind: Any, a: Expr, b: Expr, run: Run | None) -> Expr:
    if b == 0:
        raise LayoutError("SL202", f"division by zero in {a} // 0")
    if not b.is_Integer:
        _demand(run, b)
    result: Expr = kind(a, b)
    return result


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition is true, else `b`: of traced integers, or of numbers.

    >>> where(3 < 5, 1, 2)
    1
    """
    if isinstance(condition, TracedCondition):
        run = run_of(condition, a, b)
        both = expression_of(a, run), expression_of(b, run)
        return Traced(conditional(condition.condition, *both), run)
    return a if condition else b


def index_map(
    function: Callable[..., Any],
    domain: Mapping[str, Any],
    box: Any = None,
    guard: str | None = None,
    where: Any = (),
) -> IndexFunction:
    """What a Python function of integers computes over a domain, as an index function.

    >>> print(index_map(lambda i: divmod(i, 8), {"i": "8*K"}, box=("K", 8)))
    map i < 8*K: (i//8, i%8) in (K, 8)

    One result without a guard has an `index_map()`, several have a `coord_map()`: an `IndexMap` and a
    `CoordMap`.  `domain` gives each argument's size, or its (low, high); `box` the sizes of what
    comes out; `guard` is a condition as text.  Sizes are numbers, texts or SymPy expressions; further
    parameters of the function that are named as a size of the domain, the box or a fact are that
    size.  An `if` on an argument is followed both ways; facts `where` say which way it goes, and are
    then part of the guard.  Raises `LayoutError` for what has no meaning for all values at once,
    with the line.
    """
    variables: list[Variable] = []
    if not callable(function) or not isinstance(domain, Mapping):
        argument = function if not callable(function) else domain
        message = f"a function and its domain are traced, and {argument!r} is none"
        raise LayoutError("SL403", message, help="index_map(lambda i: i//8, {'i': 'M'})")
    for name, argument in domain.items():
        check_name(name)
        pair = isinstance(argument, tuple) and len(argument) == 2
        low, high = argument if pair else (0, argument)
        variables.append(Variable(name, _size(low), _size(high)))
    if not variables:
        raise LayoutError("SL403", "a domain has at least one variable")
    facts = Facts.read(where)
    known = _Known(variables, facts)
    row = tuple(box) if isinstance(box, (tuple, list)) else () if box is None else (box,)
    named = free_names(*[e for v in variables for e in (v._low, v._high)], *map(_size, row))
    more = _further_sizes(function, variables, {*named, *facts.names})
    names = [v.name for v in variables]
    results, tupled = _paths(_Call(function, names, more, known), [], [BRANCHES])
    sizes = None
    if box is not None:
        if len(row) != len(results) or isinstance(box, (tuple, list)) != tupled:
            message = f"{count(len(row), 'size')} of the box for {count(len(results), 'result')}"
            raise LayoutError("SL403", message)
        sizes = tuple(map(_size, row))
        own = {v.name for v in variables}
        if any(x.name in own for d in sizes for x in d.free_symbols):
            raise LayoutError("SL201", "the box speaks of a variable of the domain")
    parameters = function.keywords if isinstance(function, partial) else {}
    facts.check_names(
        {*named, *parameters, *more, *free_names(*results), *NAME.findall(guard or "")}
    )
    whole = known.guard(_condition(guard))
    return IndexFunction(tuple(variables), results, sizes, whole, (), tupled)


def _further_sizes(
    function: Callable[..., Any], variables: list[Variable], sizes: set[str]
) -> list[str]:
    """The parameters after the variables, which are sizes.

    Raises `LayoutError` for a name that is a variable and a size, and for arguments that differ.
    """
    for k, v in enumerate(variables):
        for w in variables[: k + 1]:
            if v.name in free_names(w._low, w._high):
                message = f"{v.name!r} is a variable of the domain and a size of {w}"
                raise LayoutError("SL201", message)
    try:
        signature = inspect.signature(function)
    except ValueError:
        return []  # nobody knows its arguments
    try:
        bound = signature.bind_partial(*variables).arguments
        more = [p for n, p in signature.parameters.items() if n not in bound and is_required(p)]
        unknown = [p.name for p in more if p.name not in sizes or p.kind is p.POSITIONAL_ONLY]
        if unknown:
            raise TypeError(f"it has no value for {', '.join(unknown)}")
    except TypeError as error:
        names = ", ".join(v.name for v in variables)
        message = f"the function does not take the domain's variables {names}: {error}"
        help = "a further parameter is a size where the domain, the box or a fact speaks of it"
        raise LayoutError("SL403", message, help=help) from None
    return [p.name for p in more]


def is_required(p: inspect.Parameter) -> bool:
    """Whether a call must give it."""
    return p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)


class _Known:
    """What the domain and the facts say of conditions; without facts, nothing.

    Where they decide one, they are part of what is traced: `guard` says them.
    """

    def __init__(self, variables: list[Variable], facts: Facts) -> None:
        self.ctx, self.used = Context(), False
        self.env: dict[Symbol, Poly] = {}
        names = free_names(*[e for v in variables for e in (v._low, v._high)])
        own = {v.name for v in variables}
        sizes = tuple(dict.fromkeys([*names, *sorted(facts.names)]))
        least = [comparison(">=", symbol(n), Integer(facts.domain(n).low)) for n in sizes]
        self.sizes = [symbol(n) for n in sizes]
        self.facts = [*least, *[comparison(r.op, r.left, r.right) for r in facts.relations]]
        if not facts.relations:
            return
        if own & facts.names:
            name = min(own & facts.names)
            raise LayoutError("SL301", f"the facts speak of {name!r}, a variable of the domain")
        assume(self.ctx, facts, sizes, {})
        with suppress(Undecided, LayoutError):
            if own.isdisjoint(names):
                coords = [symbol(v.name) for v in variables]
                table = coordinate_atoms(self.ctx, coords, [v._high - v._low for v in variables])
                for c, v in zip(coords, variables):
                    self.env[c] = table[c] + self.ctx.poly(v._low)

    def guard(self, guard: Condition | None) -> Condition | None:
        """The guard, and the facts where they have been used."""
        conditions = [*(self.facts if self.used else []), *([] if guard is None else [guard])]
        return all_of(conditions)

    def truth(self, c: Condition) -> bool | None:
        """Whether it is true, or false, at every point; None where that is not seen."""
        if isinstance(c, Less):
            return self._less(c)
        first, second = self.truth(c.first), self.truth(c.second)
        either = isinstance(c, Either)
        if either in (first, second):
            return either
        return None if None in (first, second) else not either

    def _less(self, c: Less) -> bool | None:
        apart = c.right - c.left
        if apart.is_Integer:
            return bool(apart > 0)
        free = c.left.free_symbols | c.right.free_symbols
        if not self.env or not free <= {*self.env, *self.sizes}:
            return None
        try:
            gap = self.ctx.poly(c.right, self.env) - self.ctx.poly(c.left, self.env)
        except (Undecided, LayoutError):
            return None
        true, false = self.ctx.nonneg(gap - 1), self.ctx.nonneg(-gap)
        self.used = self.used or true or false
        return true if true or false else None


@dataclass(frozen=True)
class _Call:
    """A function that is traced, and the names of its arguments: variables, then sizes by name."""

    function: Callable[..., Any]
    variables: list[str]
    sizes: list[str]
    known: _Known

    def results(self, run: Run) -> tuple[tuple[Expr, ...], bool]:
        """The function's results on one way, and whether they are a tuple."""
        value = self.value(run)
        tupled = isinstance(value, (tuple, list))
        row = value if tupled else (value,)
        if run_of(*row) not in (None, run):
            raise _outside()
        run.is_over = True
        return tuple(expression_of(x, None) for x in row), tupled

    def value(self, run: Run) -> Any:
        """What it returns; an error in it is raised with its line."""
        variables = [Traced(symbol(n), run) for n in self.variables]
        sizes = {n: Traced(symbol(n), run) for n in self.sizes}
        try:
            return self.function(*variables, **sizes)
        except Exception as error:
            line = _line(error)
            if isinstance(error, LayoutError):
                raise LayoutError(error.code, f"{error.message}{line}", help=error.help) from None
            message = f"the function raises {type(error).__name__}: {error}{line}"
            raise LayoutError("SL203", message) from None


def _line(error: BaseException) -> str:
    """Where in the function it went wrong."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename != __file__ and not f.filename.startswith("<")]
    own = [f for f in own if PACKAGE not in Path(f.filename).parents] or own
    if not own:
        return ""
    code = f": {own[-1].line}" if own[-1].line else ""
    return f" (line {own[-1].lineno} of {PurePath(own[-1].filename).name}{code})"


def _condition(text: str | None) -> Condition | None:
    if text is None:
        return None
    s = Scanner(text)
    condition = condition_at(s, any_name)
    s.end("the guard")
    return condition


def _size(size: Any) -> Expr:
    return read_expression(size) if isinstance(size, str) else from_sympy(as_expr(size))


def _paths(call: _Call, path: list[bool], left: list[int]) -> tuple[tuple[Expr, ...], bool]:
    """The results along a path, and along every other way that leaves it."""
    left[0] -= 1
    if left[0] < 0:
        raise LayoutError("SL204", f"the function has more than {BRANCHES} ways through it")
    run = Run(list(path), call.known)
    results, tupled = call.results(run)
    if not results:
        raise LayoutError("SL403", "the function has no result")
    results = (keeping(results[0], run.needs, *results[1:]), *results[1:])
    for k in range(len(run.conditions) - 1, len(path) - 1, -1):
        other, also = _paths(call, [*run.decided[:k], False], left)
        if len(other) != len(results) or also != tupled:
            raise LayoutError("SL403", "the function has other numbers of results on other ways")
        c = run.conditions[k]
        results = tuple(a if a == b else conditional(c, a, b) for a, b in zip(results, other))
    return results, tupled
