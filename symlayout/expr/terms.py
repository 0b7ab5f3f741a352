"""Integer expressions: sums, products and powers, with floor, remainder, min and max.

Everything means exact integer arithmetic: `FloorDiv` rounds down, `Mod` has the divisor's sign,
`CeilDiv` rounds up; `TruncDiv` and `TruncMod` are what C's `/` and `%` do on signed integers.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeAlias

from symlayout.errors import LayoutError
from symlayout.expr.growth import check_number, growth, power_growth
from symlayout.expr.operators import OPERATORS, Operator, members
from symlayout.expr.operators import TooLarge as TooLarge
from symlayout.expr.plain import Usage, usage
from symlayout.expr.traversal import fold
from symlayout.expr.tree import (
    UNKNOWN,
    Add,
    Dummy,
    Expr,
    Integer,
    Mul,
    Pow,
    Symbol,
    _node,
    first_of_names,
    number,
    walk,
)
from symlayout.text.limits import VALUE_BITS

Size: TypeAlias = int | Any


class Application(Expr):
    """An operator applied to expressions; a class of each is made from the rows of `operators`.

    They only fold numbers and drop a division by one.

    >>> i = Symbol("i")
    >>> FloorDiv(-7, 2), FloorDiv(i, 8), Mod(-7, 3), Mod(i, 8), CeilDiv(9, 8), CeilDiv(i, 8)
    (-4, i//8, 2, i%8, 2, ceildiv(i, 8))
    >>> TruncDiv(-7, 2), TruncMod(-7, 3), Min(3, i, 5), Max(3, i, 5), Exp2(5), Exp2(i + 1)
    (-3, -1, min(i, 3), max(i, 5), 32, 2**(i + 1))
    >>> BitXor(6, 3), BitOr(6, 3), BitAnd(6, 3), Where(i, 8, 1, 2), Where(9, 8, 1, 2)
    (5, 7, 2, (1 if i < 8 else 2), 2)

    `x << k` is `x*Exp2(k)`, and `x >> k` is `FloorDiv(x, Exp2(k))`.
    """

    __slots__ = ()
    args: tuple[Expr, ...]
    row: ClassVar[Operator]
    is_Function = True
    many: ClassVar[bool] = False  # whether it takes any number of arguments
    integer: ClassVar[Any] = Integer
    precedence: ClassVar[int]
    eval: ClassVar[Callable[..., Expr | None]]  # what it is where it is something simpler

    def __init_subclass__(cls) -> None:
        cls.class_key = (4, 0 if cls.many else 10000, cls.__name__)

    def __new__(cls, *args: Any, evaluate: bool = True) -> Self:
        parts = tuple(map(as_expr, args))
        value = cls.eval(*parts) if evaluate else None
        return _node(cls, parts) if value is None else value  # type: ignore[return-value]

    @property
    def demanded(self) -> list[Expr]:
        """Expressions of which one is 0 exactly where the operator has no value for its arguments."""
        row = self.row
        results: list[Expr] = [Max(self.args[k] + 1, 0) for k in row.natural]
        if row.divisor is not None:
            results.append(self.args[row.divisor])
        return [d for d in results if not d.is_Integer or d == 0]


class Operation:
    """Marks an operator that index functions have and layouts do not: of bits, or a choice of two."""

    __slots__ = ()


def _kind(row: Operator) -> type[Application]:
    marks = (Operation,) if row.form in ("bits", "choice") else ()
    fields = {**members(row), "__slots__": (), "__module__": __name__, "many": row.arity is None}
    return type(row.name, (Application, *marks), fields)


KINDS: dict[str, type[Application]] = {row.name: _kind(row) for row in OPERATORS}
globals().update(KINDS)  # for pickle
FloorDiv, Mod, CeilDiv = KINDS["FloorDiv"], KINDS["Mod"], KINDS["CeilDiv"]
TruncDiv, TruncMod, Exp2 = KINDS["TruncDiv"], KINDS["TruncMod"], KINDS["Exp2"]
Min, Max, Where = KINDS["Min"], KINDS["Max"], KINDS["Where"]
Gcd = KINDS["Gcd"]
BitXor, BitOr, BitAnd = KINDS["BitXor"], KINDS["BitOr"], KINDS["BitAnd"]
OF_OP = {kind.row.op: kind for kind in KINDS.values()}


def _of_form(*forms: str) -> tuple[type[Application], ...]:
    return tuple([k for k in KINDS.values() if k.row.form in forms])


DIVISIONS = _of_form("quotient", "remainder")
EXTREMES = _of_form("extreme")
PARTIAL = tuple([k for k in KINDS.values() if k.row.natural or k.row.divisor is not None])
SIMPLE = _of_form("")  # of which nothing is known but the row
# what steps of a certificate rewrite
REWRITTEN = tuple([k for k in KINDS.values() if k.row.form not in ("bits", "choice")])
BITS: dict[Any, str] = {kind: kind.row.sign for kind in _of_form("bits")}


def exponent_of(e: Expr) -> int:
    """The exponent of a number 2, 4, 8, ...; 0 for all else.

    >>> exponent_of(Integer(8)), exponent_of(Integer(1)), exponent_of(Symbol("N"))
    (3, 0, 0)
    """
    if not isinstance(e, Integer) or e < 2 or int(e) & (int(e) - 1):
        return 0
    return int(e).bit_length() - 1


class SizeSymbol(Symbol):
    """A symbol that carries its least value; provers read it as the fact `name >= least`."""

    __slots__ = ("least",)
    rank = UNKNOWN
    class_key = (2, 0, "SizeSymbol")
    least: int

    def __new__(cls, name: str, least: int = 1) -> SizeSymbol:
        size = cls.create(name, least)
        size.least = least
        return size  # type: ignore[no-any-return]

    def __reduce__(self) -> Any:
        return (SizeSymbol, (self.name, self.least))


def symbol(name: str) -> Symbol:
    """The symbol of that name: a size (>= 1) unless a fact says otherwise.

    It carries no assumption, so that it is the `Symbol(name)` that users write.
    """
    return Symbol(name)


def coordinate_symbols(rank: int, others: Iterable[str] = ()) -> tuple[Symbol, ...]:
    """One symbol per dimension: i, j, k up to rank 3, i0, i1, ... beyond or where those are sizes.

    >>> coordinate_symbols(2), coordinate_symbols(2, ["j"])
    ((i, j), (i0, i1))
    """
    used = set(others)
    names = list("ijk"[:rank]) if rank <= 3 else [f"i{d}" for d in range(rank)]
    prefix = "i"
    while used & set(names):
        names = [f"{prefix}{d}" for d in range(rank)]
        prefix += "_"
    return tuple(symbol(n) for n in names)


def check_name(word: str, text: str | None = None) -> None:
    """Raises `LayoutError` (SL200) unless it is ASCII letters, digits and _, no digit first."""
    if not (word.isascii() and word.isidentifier()):
        at = None if text is None else text.find(word)
        message = f"{_display(word)} is not a name for a size: ASCII letters, digits and _ make one"
        raise LayoutError("SL200", message, text=text, at=at)


def sizes(names: str, *, min: int = 1) -> Any:
    """SymPy's symbols for sizes: one for one name, a tuple for several.

    >>> M, N = sizes("M N")
    >>> M * N
    M*N

    `min` is the least value that each may have (a size is at least 1 when nothing is said).
    Raises `LayoutError` for a name that is not an identifier.
    """
    if isinstance(names, (list, tuple)) and all(isinstance(n, str) for n in names):
        names = " ".join(names)
    if not isinstance(names, str):
        message = f"sizes() takes names, not {_display(names)}"
        raise LayoutError("SL200", message, help="write sizes('M N'); a number is a size as it is")
    words = names.replace(",", " ").split()
    if not words:
        raise LayoutError("SL200", "sizes() needs at least one name", text=names, at=0)
    for word in words:
        check_name(word, names)
    symbols = tuple((symbol(w) if min == 1 else SizeSymbol(w, min)).sympy for w in words)
    return symbols[0] if len(symbols) == 1 else symbols


def listed_sizes(values: Any, what: str) -> tuple[Any, ...]:
    """The entries of a list of sizes; raises `LayoutError` (SL203) for what is not a list."""
    if isinstance(values, (str, Expr)) or not isinstance(values, Iterable):
        message = f"{what} are given as a tuple such as ('M', 128), not {_display(values)}"
        raise LayoutError("SL203", message)
    return tuple(values)


def as_size(value: Any) -> Size:
    """An int for an integer number, the SymPy expression otherwise."""
    if type(value) is int:
        return check_number(value)
    expr = as_expr(value)
    if isinstance(expr, Integer):
        return check_number(int(expr))
    _measured(expr)
    return expr


def as_expr(value: Any) -> Expr:
    """A number or an expression, SymPy's as well; texts are not evaluated.

    Raises `LayoutError` (SL203) for anything else.
    """
    if isinstance(value, Expr):
        return value
    if type(value) is int:
        return number(check_number(value))
    if isinstance(value, bool):
        raise LayoutError("SL203", f"{value!r} is not an integer")
    if outside(value):
        return _inside(value)
    try:
        whole = operator.index(value)
    except (TypeError, ValueError, RuntimeError):  # arrays and tensors have the method as well
        message = f"{_display(value)} is not an integer or an expression"
        raise LayoutError("SL203", message, help=_instead(value)) from None
    return number(check_number(whole))


def outside(value: Any) -> bool:
    """Whether it is SymPy's: a value of a library that is not imported is none of its."""
    library = sys.modules.get("sympy")
    return library is not None and isinstance(value, library.Basic)


def _instead(value: Any) -> str | None:
    """What to give in place of what is not an expression."""
    if isinstance(value, str):
        return f"symlayout.sizes({value!r}) is the symbol" if value.isidentifier() else None
    if hasattr(value, "item") or hasattr(value, "shape"):
        return "give one number, such as int(x) of a scalar's value"
    if callable(value):
        return "symlayout.index_map(function, {'i': M}) traces a function"
    return "give an int, a SymPy expression or a symbol of symlayout.sizes('M N')"


def _display(value: Any) -> str:
    """What a value looks like, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # a number too long to print; or another library's value, whatever it does
        return f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def product(values: Iterable[Size]) -> Size:
    """The product, an int when every factor is one."""
    return as_size(math.prod(values))


def floordiv(a: Size, b: Size) -> Size:
    """`a // b`, an int when both are."""
    return as_size(FloorDiv(a, b))


def mod(a: Size, b: Size) -> Size:
    """`a % b`, an int when both are."""
    return as_size(Mod(a, b))


def ceildiv(a: Size, b: Size) -> Size:
    """`a / b` rounded up, an int when both are."""
    return as_size(CeilDiv(a, b))


def is_concrete(*values: Size) -> bool:
    """Whether every value is a plain number."""
    return all(isinstance(v, int) for v in values)


def symbols_in(*values: Any) -> list[Symbol]:
    """The symbols in the order in which they first appear in SymPy's own order of arguments."""
    exprs = [as_expr(v) for v in values if isinstance(v, Expr) or outside(v)]
    if len(exprs) == 1:
        return list(exprs[0].symbols)
    return list(first_of_names(s for e in exprs for s in e.symbols))


def free_names(*values: Any) -> list[str]:
    """The names of the symbols, in the order of `symbols_in`."""
    return [s.name for s in symbols_in(*values)]


def divisors_of(e: Expr, always: bool = False) -> tuple[Expr, ...]:
    """The divisors in the expression that are not numbers, outermost first, each once.

    >>> divisors_of(FloorDiv(Symbol("i") + Mod(3, Symbol("N")), Symbol("K")) % 5)
    (K, N)

    A power `2**k` divides, as it were, by `max(k + 1, 0)`: it has no value where that is 0.  With
    `always` not those in the branches of conditionals, of which one is taken.
    """
    e = as_expr(e)
    if not e.has(*PARTIAL):
        return ()
    divisors: dict[Expr, None] = {}
    for x in walk(e, _taken_for_sure) if always else walk(e):
        if isinstance(x, PARTIAL):
            divisors.update(dict.fromkeys(x.demanded))
    return tuple(divisors)


def _taken_for_sure(x: Expr) -> tuple[Expr, ...]:
    return x.args[:2] if isinstance(x, Where) else x.args


def rebuild(
    e: Expr,
    leaf: Callable[[Symbol], Expr],
    memo: dict[Expr, Expr] | None = None,
    instead: Expr | None = None,
) -> Expr:
    """The expression with every symbol replaced; shared parts are visited once.

    `instead` takes the place of parts without a value; by default they raise `LayoutError` (SL202).
    """
    return _rebuild(as_expr(e), leaf, {} if memo is None else memo, instead)


# Nothing here recurs through a function of its own making: each would be a circle of garbage.
def _rebuild(
    x: Expr, leaf: Callable[[Symbol], Expr], memo: dict[Expr, Expr], instead: Expr | None
) -> Expr:
    got = memo.get(x)
    if got is None:
        if isinstance(x, Symbol):
            got = leaf(x)
        elif not x.args:
            got = x
        else:
            args = [_rebuild(a, leaf, memo, instead) for a in x.args]
            got = x if all(map(operator.is_, args, x.args)) else _applied(x, args, instead)
        memo[x] = got
    return got


def _applied(x: Expr, args: Sequence[Expr], instead: Expr | None) -> Expr:
    try:
        return x.func(*args)  # type: ignore[no-any-return]
    except LayoutError as error:
        if instead is None or error.code != "SL202":
            raise
        return instead


def put(e: Expr, table: Mapping[Symbol, Expr], memo: dict[Expr, Expr] | None = None) -> Expr:
    """The expression with the symbols of a table replaced by what stands there."""
    return _put(as_expr(e), table, frozenset(table), {} if memo is None else memo)


def _put(
    x: Expr, table: Mapping[Symbol, Expr], names: frozenset[Symbol], memo: dict[Expr, Expr]
) -> Expr:
    """The same; parts without any of these symbols stay as they are."""
    free = x._free
    if (x.free_symbols if free is None else free).isdisjoint(names):
        return x
    got = memo.get(x)
    if got is None:
        if isinstance(x, Symbol):
            got = table[x]
        else:
            args = [_put(a, table, names, memo) for a in x.args]
            got = x if all(map(operator.is_, args, x.args)) else _applied(x, args, None)
        memo[x] = got
    return got


def substitute(e: Size, values: Mapping[str, Any]) -> Size:
    """The expression with the named symbols replaced by numbers or expressions."""
    if isinstance(e, int):
        return e
    return as_size(rebuild(e, lambda s: as_expr(values.get(s.name, s))))


def value(e: Size, env: Mapping[str, int]) -> int:
    """The value in plain Python integers, division by the definitions.

    >>> value(FloorDiv(Symbol("i"), 4) * 10 + Mod(Symbol("i"), 4), {"i": 7})
    13

    Raises `LayoutError` for a symbol without a value, a division by zero or a value too large to print.
    """
    if isinstance(e, int):
        return e
    if not isinstance(e, Expr):
        e = as_expr(e)
    count: Usage = e.usage or usage(e)
    integer = count.value(e, env)
    if integer is None:
        integer = _Values(env)(e)
    if integer.bit_length() > VALUE_BITS:
        message = f"a value of {integer.bit_length()} bits; the limit is {VALUE_BITS}"
        raise LayoutError("SL204", message)
    return integer


class _Values:
    """The values of expressions, each computed once."""

    __slots__ = ("env", "memo")

    def __init__(self, env: Mapping[str, int]) -> None:
        self.env = env
        self.memo: dict[Expr, int] = {}

    def __call__(self, x: Expr) -> int:
        got = self.memo.get(x)
        if got is None:
            got = self.memo[x] = _value(x, self.env, self)
        return got


def _value(e: Expr, env: Mapping[str, int], visit: Callable[[Expr], int]) -> int:
    if isinstance(e, Integer):
        return int(e)
    if isinstance(e, Symbol):
        if e.name not in env:
            raise LayoutError("SL402", f"no value is given for {e.name}")
        entry = env[e.name]
        return entry if type(entry) is int else int(as_expr(entry))
    form = e.row.form if e.is_Function else ""
    if form == "choice":
        p, q, a, b = e.args
        return visit(a) if visit(p) < visit(q) else visit(b)
    if form == "joined":
        first: int = visit(e.args[0])
        return visit(e.args[1]) if bool(first) == (e.row.op == "and") else first
    args = [visit(a) for a in e.args]
    if isinstance(e, Add):
        return sum(args)
    if isinstance(e, Mul):
        return math.prod(args)
    if isinstance(e, Pow):
        return int(args[0] ** args[1])
    if isinstance(e, DIVISIONS) and args[1] == 0:
        raise LayoutError("SL202", f"division by zero in {e}")
    whole: int = e.row.at(*args)
    return whole


def to_sympy(e: Expr) -> Any:
    """The expression in SymPy's own functions, equal to it for all integers.

    >>> i = Symbol("i")
    >>> to_sympy(8 * FloorDiv(i, 8) + Mod(i, 8))
    Mod(i, 8) + 8*floor(i/8)
    """
    from symlayout.expr.edge import plain

    return plain(as_expr(e).sympy)


def from_sympy(e: Any) -> Expr:
    """The expression for SymPy's, with its floor, ceiling, Mod, Min and Max turned into ours.

    >>> import sympy
    >>> i = sympy.Symbol("i")
    >>> from_sympy(sympy.floor(i / 8) * 8 + sympy.Mod(i, 8))
    8*(i//8) + i%8

    Raises `LayoutError` for anything that is no integer expression (a rational, a float, a root).
    """
    expr = as_expr(e)
    _measured(expr)
    return expr


@lru_cache(maxsize=10_000)  # sizes and offsets pass here many times on their way through a claim
def _measured(e: Expr) -> None:
    growth(e)
    for s in symbols_in(e):
        check_name(s.name)


@lru_cache(maxsize=10_000)
def _inside(e: Any) -> Expr:
    from symlayout.expr.edge import inside

    expr: Expr = inside(e, _MAKERS)
    growth(expr)
    return expr


def _power(base: Expr, exponent: Expr) -> Expr:
    """The power, of which SymPy may have left that of a number as it is."""
    power_growth(growth(base), int(exponent)).check()
    return Pow(base, exponent)


_MAKERS: dict[str, Callable[..., Any]] = {
    **{kind.__name__: kind for kind in (Add, Mul, Integer, Symbol, Dummy, SizeSymbol)},
    **KINDS,
    "Pow": _power,
}


def count_operations(e: Size) -> tuple[int, int]:
    """How many divisions (of any kind), and how many operations in all, the expression has.

    >>> i = Symbol("i")
    >>> count_operations(FloorDiv(i, 8) * 8 + Mod(i, 8))
    (2, 4)
    """
    results: tuple[int, int] = (0, 0) if isinstance(e, int) else fold(as_expr(e), _operations)
    return results


def _operations(x: Expr, parts: list[tuple[int, int]]) -> tuple[int, int]:
    if not parts:
        return (0, 0)
    divisions, operations = (sum(p[k] for p in parts) for k in (0, 1))
    if isinstance(x, DIVISIONS):
        return (divisions + 1, operations + 1)
    if isinstance(x, Pow):
        return (divisions, operations + int(x.exp) - 1)
    return (divisions, operations + max(1, len(parts) - 1))
