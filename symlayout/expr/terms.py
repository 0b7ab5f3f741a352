"""Integer expressions: SymPy's sums and products with our own floor, remainder, min and max.

SymPy's `floor` and `Mod` rewrite themselves in ways that are slow and hard to foresee; these
functions only fold numbers and drop a division by one.  Everything means exact integer arithmetic:
`FloorDiv` rounds down, `Mod` has the divisor's sign, `CeilDiv` rounds up; `TruncDiv` and `TruncMod`
are what C's `/` and `%` do on signed integers.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import sympy
from sympy import Add, Expr, Integer, Mul, Pow, Symbol
from sympy.printing.precedence import PRECEDENCE

from symlayout.errors import LayoutError
from symlayout.expr.growth import Measure, check_number
from symlayout.expr.plain import asked
from symlayout.expr.spelling import Spelled
from symlayout.text.limits import VALUE_BITS

# SymPy ships no types: to a checker its expressions are Any, so that ours are known
if TYPE_CHECKING:
    Size: TypeAlias = int | Any
    Function: TypeAlias = Any
else:
    from sympy import Function

    Size = int | Expr


def _trunc_div(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a >= 0) == (b > 0) else -q


def _trunc_mod(a: int, b: int) -> int:
    return a - b * _trunc_div(a, b)


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


class _Division(Spelled, Function):  # type: ignore[misc]
    """What FloorDiv, Mod, CeilDiv, TruncDiv and TruncMod share: two arguments, numbers fold."""

    nargs = 2
    is_integer = True
    is_real = True
    python: ClassVar[Any]  # what it does to two integers
    by_one: ClassVar[Any]  # what it is when the divisor is 1
    sign: ClassVar[str]
    precedence: ClassVar[int] = (
        PRECEDENCE["Mul"] - 1
    )  # in parentheses inside a product, bare inside a sum

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return super().__new__(cls, *map(as_expr, args), **options)  # SymPy evaluates texts

    @classmethod
    def eval(cls, a: Expr, b: Expr) -> Expr | None:
        if b.is_Integer:
            if b == 0:
                raise LayoutError("SL202", f"division by zero in {a} {cls.sign} 0")
            if a.is_Integer:
                return Integer(cls.python(int(a), int(b)))
            if b == 1:
                return cls.by_one(a)
        return None

    def _sympystr(self, printer: Any) -> str:
        a, b = self.args
        left = printer.parenthesize(a, PRECEDENCE["Mul"] - 1)
        if left.startswith("-"):
            left = f"({left})"  # a sum around it would take the sign for that of the whole term
        return f"{left}{self.sign}{printer.parenthesize(b, PRECEDENCE['Pow'])}"

    def _sympyrepr(self, printer: Any) -> str:
        return (
            f"{type(self).__name__}({printer._print(self.args[0])}, {printer._print(self.args[1])})"
        )


class _Truncating(_Division):
    """Divisions that no operator of Python spells: printed, and read, as calls."""

    precedence = PRECEDENCE["Atom"]
    word: ClassVar[str]

    def _sympystr(self, printer: Any) -> str:
        return f"{self.word}({printer._print(self.args[0])}, {printer._print(self.args[1])})"


class FloorDiv(_Division):
    """The quotient rounded down, `a // b`.

    >>> FloorDiv(-7, 2), FloorDiv(Symbol("i"), 8)
    (-4, i//8)
    """

    python = operator.floordiv
    by_one = staticmethod(lambda a: a)
    sign = "//"

    def _latex(self, printer: Any) -> str:
        a, b = (printer._print(x) for x in self.args)
        return rf"\left\lfloor \frac{{{a}}}{{{b}}} \right\rfloor"


class Mod(_Division):
    """The remainder `a % b`, with the sign of `b`: `a == b*FloorDiv(a, b) + Mod(a, b)`.

    >>> Mod(-7, 3), Mod(Symbol("i"), 8)
    (2, i%8)
    """

    python = operator.mod
    by_one = staticmethod(lambda a: Integer(0))
    sign = "%"

    def _latex(self, printer: Any) -> str:
        a = printer.parenthesize(self.args[0], PRECEDENCE["Mul"])
        b = printer.parenthesize(self.args[1], PRECEDENCE["Mul"])
        return rf"\left({a} \bmod {b}\right)"  # a sum or product around it would be read into it


class CeilDiv(_Division):
    """The quotient rounded up: `CeilDiv(a, b) == -((-a) // b)`.

    >>> CeilDiv(9, 8), CeilDiv(Symbol("N"), 128)
    (2, ceildiv(N, 128))
    """

    python = _ceil_div
    by_one = staticmethod(lambda a: a)
    sign = "ceildiv"
    precedence = PRECEDENCE["Atom"]

    def _sympystr(self, printer: Any) -> str:
        return f"ceildiv({printer._print(self.args[0])}, {printer._print(self.args[1])})"

    def _latex(self, printer: Any) -> str:
        a, b = (printer._print(x) for x in self.args)
        return rf"\left\lceil \frac{{{a}}}{{{b}}} \right\rceil"


class TruncDiv(_Truncating):
    """C's `/` on signed integers, rounded towards zero; `FloorDiv` where nothing is negative.

    >>> TruncDiv(-7, 2)
    -3
    """

    python = _trunc_div
    word = "truncdiv"
    by_one = staticmethod(lambda a: a)
    sign = "/"


class TruncMod(_Truncating):
    """C's `%` on signed integers: the remainder of `TruncDiv`, with the sign of `a`.

    >>> TruncMod(-7, 3)
    -1
    """

    python = _trunc_mod
    word = "truncmod"
    by_one = staticmethod(lambda a: Integer(0))
    sign = "%"


class _Extreme(Spelled, Function):  # type: ignore[misc]
    """What Min and Max share: any number of arguments, numbers fold, equal arguments join."""

    is_integer = True
    is_real = True
    python: ClassVar[Any]  # what it does to integers
    word: ClassVar[str]
    precedence = PRECEDENCE["Atom"]

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return super().__new__(cls, *map(as_expr, args), **options)  # SymPy evaluates texts

    @classmethod
    def eval(cls, *args: Expr) -> Expr | None:
        if len(args) == 1:
            return args[0]
        number: int | None = None
        rest: list[Expr] = []
        for x in args:
            if x.is_Integer:
                number = int(x) if number is None else cls.python(number, int(x))
            elif isinstance(x, cls):
                rest += [y for y in x.args if y not in rest]
            elif x not in rest:
                rest.append(x)
        folded = rest + ([Integer(number)] if number is not None else [])
        if len(folded) == 1:
            return folded[0]
        return None if tuple(folded) == args else cls(*folded)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.word}({', '.join(printer._print(x) for x in self.args)})"

    def _sympyrepr(self, printer: Any) -> str:
        return f"{type(self).__name__}({', '.join(printer._print(x) for x in self.args)})"

    def _latex(self, printer: Any) -> str:
        inside = ", ".join(printer._print(x) for x in self.args)
        return rf"\{self.word}\left({inside}\right)"


class Min(_Extreme):
    """The least of its arguments.

    >>> Min(3, Symbol("N"), 5)
    min(N, 3)
    """

    python = min
    word = "min"


class Max(_Extreme):
    """The greatest of its arguments.

    >>> Max(3, Symbol("N"), 5)
    max(N, 5)
    """

    python = max
    word = "max"


DIVISIONS = (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)


class Operation(Function):  # type: ignore[misc]
    """An operation of integers that index functions have and layouts do not: see `operations`."""

    evaluated: ClassVar[int | None] = None  # how many of its arguments are, whatever they are
    is_integer = True
    is_real = True
    precedence: ClassVar[int] = PRECEDENCE["Atom"]

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return super().__new__(cls, *map(as_expr, args), **options)  # SymPy evaluates texts

    def value_of(self, visit: Callable[[Expr], int]) -> int:
        """The value, by those of its parts that are evaluated; each operation has its own."""
        raise LayoutError("SL203", f"{self} is no integer expression")

    @classmethod
    def plainly(cls, *args: Expr) -> Expr:
        """The operation in SymPy's own functions, where it has one."""
        return cls(*args)

    def _sympyrepr(self, printer: Any) -> str:
        return f"{type(self).__name__}({', '.join(printer._print(x) for x in self.args)})"


class SizeSymbol(Symbol):  # type: ignore[misc]
    """A symbol that carries its least value; provers read it as the fact `name >= least`."""

    __slots__ = ("least",)
    least: int

    def __new__(cls, name: str, least: int = 1) -> SizeSymbol:
        made = Symbol.__xnew__(cls, name)
        made.least = least
        return made  # type: ignore[no-any-return]

    def __getnewargs_ex__(self) -> tuple[tuple[str, int], dict[str, Any]]:
        return ((self.name, self.least), {})

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.least)


def symbol(name: str) -> Symbol:
    """The symbol of that name: a size (>= 1) unless a fact says otherwise.

    It carries no assumption, so that it is the `Symbol(name)` that users write.
    """
    return Symbol(name)


def coordinate_symbols(rank: int, taken: Iterable[str] = ()) -> tuple[Symbol, ...]:
    """One symbol per dimension: i, j, k up to rank 3, i0, i1, ... beyond or where those are sizes.

    >>> coordinate_symbols(2), coordinate_symbols(2, ["j"])
    ((i, j), (i0, i1))
    """
    used = set(taken)
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
        message = f"{_shown(word)} is no name for a size: ASCII letters, digits and _ make one"
        raise LayoutError("SL200", message, text=text, at=at)


def sizes(names: str, *, min: int = 1) -> Any:
    """Symbols for sizes: one for one name, a tuple for several.

    >>> M, N = sizes("M N")
    >>> M * N
    M*N

    `min` is the least value that each may have (a size is at least 1 when nothing is said).
    Raises `LayoutError` for a name that is no identifier.
    """
    if isinstance(names, (list, tuple)) and all(isinstance(n, str) for n in names):
        names = " ".join(names)
    if not isinstance(names, str):
        message = f"sizes() takes names, not {_shown(names)}"
        raise LayoutError("SL200", message, help="write sizes('M N'); a number is a size as it is")
    words = names.replace(",", " ").split()
    if not words:
        raise LayoutError("SL200", "sizes() needs at least one name", text=names, at=0)
    for word in words:
        check_name(word, names)
    made = tuple(symbol(w) if min == 1 else SizeSymbol(w, min) for w in words)
    return made[0] if len(made) == 1 else made


def listed_sizes(values: Any, what: str) -> tuple[Any, ...]:
    """The entries of a list of sizes; raises `LayoutError` (SL203) for what is no list."""
    if isinstance(values, (str, Expr)) or not isinstance(values, Iterable):
        message = f"{what} are given as a tuple such as ('M', 128), not {_shown(values)}"
        raise LayoutError("SL203", message)
    return tuple(values)


def as_size(value: Any) -> Size:
    """An int for an integer number, the SymPy expression otherwise."""
    if isinstance(value, int) and not isinstance(value, bool):
        check_number(value)
        return value
    if not isinstance(value, Expr):
        return int(as_expr(value))
    if isinstance(value, Integer):
        return check_number(int(value))
    if value.is_Number:
        raise LayoutError("SL203", f"{value} is no integer")
    return from_sympy(value)


def as_expr(value: Any) -> Expr:
    """A number as SymPy's integer; an expression is one already.

    SymPy's own `sympify` evaluates texts, those inside lists and tuples included: here nothing is.
    Raises `LayoutError` (SL203) for anything else.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        raise LayoutError("SL203", f"{value!r} is no integer")
    try:
        number = operator.index(value)
    except (TypeError, ValueError, RuntimeError):  # arrays and tensors have the method as well
        message = f"{_shown(value)} is no integer and no expression"
        raise LayoutError("SL203", message, help=_instead(value)) from None
    return Integer(check_number(number))


def _instead(value: Any) -> str | None:
    """What to give in place of what is no expression."""
    if isinstance(value, str):
        return f"symlayout.sizes({value!r}) is the symbol" if value.isidentifier() else None
    if hasattr(value, "item") or hasattr(value, "shape"):
        return "give one number, such as int(x) of a scalar's value"
    if callable(value):
        return "symlayout.index_map(function, {'i': M}) traces a function"
    return "give an int, a SymPy expression or a symbol of symlayout.sizes('M N')"


def _shown(value: Any) -> str:
    """What a value looks like, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # a number too long to print; or another library's value, whatever it does
        return f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def product(values: Iterable[Size]) -> Size:
    """The product, an int when every factor is one."""
    result: Size = 1
    for v in values:
        result = result * v
    return as_size(result)


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
    seen: dict[str, Symbol] = {}
    visited: set[Any] = set()

    def visit(e: Any) -> None:
        if isinstance(e, Symbol):
            seen.setdefault(e.name, e)
        elif isinstance(e, Expr) and e.args and e not in visited:
            visited.add(e)
            for a in e.args:
                visit(a)

    for v in values:
        visit(v)
    return list(seen.values())


def free_names(*values: Any) -> list[str]:
    """The names of the symbols, in the order of `symbols_in`."""
    return [s.name for s in symbols_in(*values)]


def divisors_of(e: Expr, always: bool = False) -> tuple[Expr, ...]:
    """The divisors in the expression that are not numbers, outermost first, each once.

    >>> divisors_of(FloorDiv(Symbol("i") + Mod(3, Symbol("N")), Symbol("K")) % 5)
    (K, N)

    With `always` not those in the branches of conditionals, of which one is taken.
    """
    found: dict[Expr, None] = {}
    visited: set[Expr] = set()

    def visit(x: Expr) -> None:
        if x.args and x not in visited:
            visited.add(x)
            if isinstance(x, _Division) and not x.args[1].is_Integer:
                found.setdefault(x.args[1])
            taken = x.evaluated if always and isinstance(x, Operation) else None
            for a in x.args[:taken]:
                visit(a)

    visit(e)
    return tuple(found)


def rebuild(e: Expr, leaf: Callable[[Symbol], Expr], memo: dict[Expr, Expr] | None = None) -> Expr:
    """The expression with every symbol replaced; shared parts are visited once."""
    memo = {} if memo is None else memo

    def visit(x: Expr) -> Expr:
        got = memo.get(x)
        if got is None:
            if isinstance(x, Symbol):
                got = leaf(x)
            elif not x.args:
                got = x
            else:
                args = [visit(a) for a in x.args]
                got = x if all(p is q for p, q in zip(args, x.args)) else x.func(*args)
            memo[x] = got
        return got

    return visit(e)


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
    made = asked(e).value(env)
    if made is None:
        memo: dict[Expr, int] = {}

        def visit(x: Expr) -> int:
            got = memo.get(x)
            if got is None:
                got = memo[x] = _value(x, env, visit)
            return got

        made = visit(e)
    if made.bit_length() > VALUE_BITS:
        message = f"a value of {made.bit_length()} bits; the limit is {VALUE_BITS}"
        raise LayoutError("SL204", message)
    return made


def _value(e: Expr, env: Mapping[str, int], visit: Callable[[Expr], int]) -> int:
    if isinstance(e, Integer):
        return int(e)
    if isinstance(e, Symbol):
        if e.name not in env:
            raise LayoutError("SL402", f"no value is given for {e.name}")
        given = env[e.name]
        return given if type(given) is int else int(as_expr(given))
    if isinstance(e, Operation):
        return e.value_of(visit)
    args = [visit(a) for a in e.args]
    if isinstance(e, Add):
        return sum(args)
    if isinstance(e, Mul):
        return math.prod(args)
    if isinstance(e, Pow):
        return int(args[0] ** args[1])
    if isinstance(e, _Division):
        if args[1] == 0:
            raise LayoutError("SL202", f"division by zero in {e}")
        return int(type(e).python(*args))
    if isinstance(e, _Extreme):
        return int(type(e).python(*args))
    raise LayoutError("SL203", f"{e} is no integer expression")


def to_sympy(e: Expr) -> Expr:
    """The expression in SymPy's own functions, equal to it for all integers.

    >>> i = Symbol("i")
    >>> to_sympy(8 * FloorDiv(i, 8) + Mod(i, 8))
    Mod(i, 8) + 8*floor(i/8)

    SymPy 1.14 makes `Mod(y*Mod(x, 6), 5)` into `Mod(y*Mod(x, 6)**2, 5)`, which is wrong, so a
    remainder of anything with a remainder inside is written with `floor`: `a - b*floor(a/b)`.
    """
    if not e.args:
        return e
    args = [to_sympy(a) for a in e.args]
    return e.plainly(*args) if isinstance(e, Operation) else _TO_SYMPY.get(e.func, e.func)(*args)


def _sympy_mod(a: Expr, b: Expr) -> Expr:
    return a - b * sympy.floor(a / b) if a.has(sympy.Mod) else sympy.Mod(a, b)


def _sympy_trunc(a: Expr, b: Expr) -> Expr:
    return sympy.sign(a) * sympy.sign(b) * sympy.floor(sympy.Abs(a) / sympy.Abs(b))


_TO_SYMPY: dict[Any, Callable[..., Expr]] = {
    FloorDiv: lambda a, b: sympy.floor(a / b),
    CeilDiv: lambda a, b: sympy.ceiling(a / b),
    Mod: _sympy_mod,
    TruncDiv: _sympy_trunc,
    TruncMod: lambda a, b: a - b * _sympy_trunc(a, b),
    Min: sympy.Min,
    Max: sympy.Max,
}


def from_sympy(e: Any) -> Expr:
    """The expression with SymPy's floor, ceiling, Mod, Min and Max turned into ours.

    >>> i = Symbol("i")
    >>> from_sympy(sympy.floor(i / 8) * 8 + sympy.Mod(i, 8))
    8*(i//8) + i%8

    Raises `LayoutError` for anything that is no integer expression (a rational, a float, a root).
    """
    return _of_integers(as_expr(e))


@lru_cache(maxsize=10_000)  # sizes and offsets pass here many times on their way through a claim
def _of_integers(e: Expr) -> Expr:
    Measure().of(e)
    return _from_sympy(e)


def _from_sympy(e: Expr) -> Expr:
    if isinstance(e, Symbol):
        check_name(e.name)
        # assumptions are the caller's own: here a name is a name
        plain = isinstance(e, (SizeSymbol, sympy.Dummy)) or not e._assumptions_orig
        return e if plain else symbol(e.name)
    if isinstance(e, Integer):
        return e
    if isinstance(e, (sympy.floor, sympy.ceiling)):
        numerator, denominator = sympy.fraction(sympy.together(e.args[0]))
        kind = FloorDiv if isinstance(e, sympy.floor) else CeilDiv
        return kind(_from_sympy(numerator), _from_sympy(denominator))
    if isinstance(e, Pow):
        if not (e.exp.is_Integer and e.exp >= 0):
            raise LayoutError("SL203", f"{e} is no integer expression")
        return Pow(_from_sympy(e.base), e.exp)
    table = {sympy.Mod: Mod, sympy.Min: Min, sympy.Max: Max}
    if e.func in table:
        return table[e.func](*[_from_sympy(a) for a in e.args])
    if isinstance(e, (Add, Mul, _Division, _Extreme, Operation)):
        args = [_from_sympy(a) for a in e.args]
        return e if all(p is q for p, q in zip(args, e.args)) else e.func(*args)
    raise LayoutError("SL203", f"{e} is no integer expression")


def count_operations(e: Size) -> tuple[int, int]:
    """How many divisions (of any kind), and how many operations in all, the expression has.

    >>> i = Symbol("i")
    >>> count_operations(FloorDiv(i, 8) * 8 + Mod(i, 8))
    (2, 4)
    """
    memo: dict[Any, tuple[int, int]] = {}

    def visit(x: Any) -> tuple[int, int]:
        if isinstance(x, int) or not x.args:
            return (0, 0)
        if x not in memo:
            parts = [visit(a) for a in x.args]
            divisions, operations = (sum(p[k] for p in parts) for k in (0, 1))
            if isinstance(x, _Division):
                memo[x] = (divisions + 1, operations + 1)
            elif isinstance(x, Pow):
                memo[x] = (divisions, operations + int(x.exp) - 1)
            else:
                memo[x] = (divisions, operations + len(x.args) - 1)
        return memo[x]

    return visit(e)
