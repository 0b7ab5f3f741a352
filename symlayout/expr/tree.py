"""The one expression type: integers, symbols, sums, products, powers and functions of these.

Nodes are immutable and canonical when they are made: numbers fold, equal terms and factors are
collected, and arguments stand in one order, SymPy's.  So both sides of the edge agree on what is
equal, how it is hashed and how it is printed; `.sympy` is the expression there, made when someone
looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count
from math import gcd, prod
from operator import add, floordiv, ge, gt, index, is_, le, lt, mod, mul, sub, truediv
from typing import TYPE_CHECKING, Any, ClassVar, Self

from symlayout.expr.beyond import both_ways, by_sympy, delegate, on_left, outside
from symlayout.expr.printing import PLAIN, sort_key
from symlayout.expr.traversal import preorder_traversal as preorder_traversal
from symlayout.expr.traversal import walk as walk

Key = tuple[Any, ...]
UNKNOWN = 100  # the rank of a kind behind those that have one
SMALL = 1 << 12  # numbers that are made once


class Expr:
    """An expression; `args` are the expressions that it is made of."""

    __slots__ = (
        "__weakref__",
        "_free",
        "_growth",
        "_hash",
        "_key",
        "_kinds",
        "_symbols",
        "_sympy",
        "args",
        "text",
        "usage",
    )

    is_Integer = is_Symbol = is_Add = is_Mul = is_Pow = is_Function = False
    is_integer = is_real = is_commutative = True
    rank: ClassVar[int] = UNKNOWN
    class_key: ClassVar[Key]

    args: tuple[Expr, ...]
    text: str | None
    p: int  # of numbers
    _hash: int
    _key: Key | None
    _free: frozenset[Symbol] | None
    _kinds: frozenset[type] | None
    _symbols: tuple[Symbol, ...] | None
    _growth: Any  # how large it is multiplied out, once that was asked
    _sympy: Any
    usage: Any  # how often it was asked for a value: see `plain`

    @property
    def is_Number(self) -> bool:
        """Whether it is a number."""
        return self.is_Integer

    @property
    def func(self) -> Any:
        """What makes it of its arguments."""
        return type(self)

    # -- equality and order -----------------------------------------------------------------------

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is type(other):
            if self._hash != other._hash:
                return False
            return self.args == other.args if self.args else order(self) == order(other)
        return False if isinstance(other, (Expr, int, str)) else NotImplemented

    def __reduce__(self) -> Any:
        return (_node, (type(self), self.args))

    def __deepcopy__(self, memo: Any) -> Expr:
        return self

    # -- text -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return self.text if self.text is not None else PLAIN.doprint(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    # -- arithmetic -------------------------------------------------------------------------------

    def __neg__(self) -> Expr:
        return product((MINUS, self))

    def __pos__(self) -> Expr:
        return self

    def __add__(self, other: Any) -> Expr:
        term = other if isinstance(other, Expr) else operand(other)
        return by_sympy(add, self, other) if term is None else total((self, term))

    def __radd__(self, other: Any) -> Expr:
        term = other if isinstance(other, Expr) else operand(other)
        return by_sympy(add, other, self) if term is None else total((term, self))

    def __sub__(self, other: Any) -> Expr:
        term = other if isinstance(other, Expr) else operand(other)
        return by_sympy(sub, self, other) if term is None else total((self, -term))

    def __rsub__(self, other: Any) -> Expr:
        term = other if isinstance(other, Expr) else operand(other)
        return by_sympy(sub, other, self) if term is None else total((term, -self))

    def __mul__(self, other: Any) -> Expr:
        factor = other if isinstance(other, Expr) else operand(other)
        return by_sympy(mul, self, other) if factor is None else product((self, factor))

    def __rmul__(self, other: Any) -> Expr:
        factor = other if isinstance(other, Expr) else operand(other)
        return by_sympy(mul, other, self) if factor is None else product((factor, self))

    def __pow__(self, power: Any) -> Expr:
        exponent = operand(power)
        if exponent is not None and exponent.is_Integer and exponent.p >= 0:
            return power_of(self, exponent.p)
        there: Expr = self.sympy**power
        return there

    def __rpow__(self, base: Any) -> Any:
        return outside(base) ** self.sympy

    __truediv__, __rtruediv__ = both_ways(truediv)
    __floordiv__, __rfloordiv__ = both_ways(floordiv)
    __mod__, __rmod__ = both_ways(mod)
    __lt__, __le__, __gt__, __ge__ = map(on_left, (lt, le, gt, ge))

    # -- SymPy's expression -----------------------------------------------------------------------

    @property
    def sympy(self) -> Any:
        """The expression of SymPy that is equal to it."""
        if self._sympy is None:
            from symlayout.expr.edge import to_sympy

            self._sympy = to_sympy(self)
        return self._sympy

    def _sympy_(self) -> Any:
        return self.sympy

    if TYPE_CHECKING:  # what `delegate` names, and what kinds of expressions have

        def __getattr__(self, name: str) -> Any: ...

    # -- looking inside ---------------------------------------------------------------------------

    @property
    def free_symbols(self) -> frozenset[Symbol]:
        """The symbols that occur."""
        if self._free is None:
            parts = [a.free_symbols for a in self.args]
            self._free = parts[0].union(*parts[1:]) if parts else frozenset()
        return self._free

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols in the order in which they first appear, of those of one name the first."""
        if self._symbols is None:
            symbols, missing, waiting = list[Symbol](), set(self.free_symbols), [self]
            if len(missing) == 1:
                self._symbols = (*missing,)
                return self._symbols
            while missing:
                x = waiting.pop()
                if isinstance(x, Symbol):
                    symbols += [x] if x in missing else []
                    missing.discard(x)
                elif not missing.isdisjoint(x.free_symbols):
                    waiting += x.args[::-1]
            self._symbols = first_of_names(symbols)
        return self._symbols

    @property
    def kinds(self) -> frozenset[type]:
        """The kinds of the expression and of its parts."""
        if self._kinds is None:
            self._kinds = frozenset([type(self)]).union(*[a.kinds for a in self.args])
        return self._kinds

    def atoms(self, *kinds: type) -> set[Any]:
        """The parts of these kinds; without one the symbols and numbers."""
        if kinds and not _is_among(self.kinds, kinds):
            return set()
        parts = walk(self)
        return {x for x in parts if (isinstance(x, kinds) if kinds else not x.args)}

    def has(self, *patterns: Any) -> bool:
        """Whether one of the patterns occurs: an expression, or a kind of them."""
        try:
            return _is_among(self.kinds, patterns)
        except TypeError:  # not all of them are kinds
            values = [p for p in patterns if not isinstance(p, type)]
        if all(type(p) is Symbol for p in patterns):
            return not self.free_symbols.isdisjoint(patterns)
        kinds = tuple([p for p in patterns if isinstance(p, type)])
        return _is_among(self.kinds, kinds) or any(x in values for x in walk(self))

    def xreplace(self, rule: Mapping[Any, Any]) -> Expr:
        """The expression with every part that the rule has replaced by what it gives."""
        if all(isinstance(by, (Expr, int)) for by in rule.values()):
            return _substitution(self, rule)
        return self.sympy.xreplace(rule)  # type: ignore[no-any-return]

    def expand(self) -> Expr:
        """The expression multiplied out."""
        return expand(self)

    def as_coeff_Mul(self) -> tuple[Integer, Expr]:
        """The number in front of a product, and the rest."""
        return ONE, self

    def as_coeff_Add(self) -> tuple[Integer, Expr]:
        """The number of a sum, and the rest."""
        return ZERO, self

    def could_extract_minus_sign(self) -> bool:
        """Whether it reads better as `-(-e)`."""
        return False

    def coeff(self, x: Any, power: int = 1) -> Expr:
        """What multiplies this power of x in the terms as they stand."""
        factor = x if power == 1 else Pow(x, power)
        terms = []
        for term in Add.make_args(self):
            factors = list(Mul.make_args(term))
            if factor in factors:
                factors.remove(factor)
                terms.append(product(factors))
        return total(terms)


delegate(Expr)


def _substitution(e: Expr, rule: Mapping[Any, Any]) -> Expr:
    if e in rule:
        return rule[e]  # type: ignore[no-any-return]
    if not e.args:
        return e
    args = [_substitution(a, rule) for a in e.args]
    return e if all(map(is_, args, e.args)) else e.func(*args)


def first_of_names(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    """The symbols in this order, of those of one name the first."""
    seen: dict[str, Symbol] = {}
    for s in symbols:
        seen.setdefault(s.name, s)
    return tuple(seen.values())


@lru_cache(maxsize=4096)  # of few kinds few are asked for
def _is_among(kinds: frozenset[type], classes: tuple[type, ...]) -> bool:
    """Whether one of the kinds is one of the classes."""
    return any(issubclass(k, classes) for k in kinds)


def operand(value: Any) -> Expr | None:
    """The value as an expression; None for what only SymPy knows how to add."""
    if isinstance(value, Expr):
        return value
    if type(value) is int:
        return number(value)
    if isinstance(value, (bool, float, complex, str)) or not hasattr(value, "__index__"):
        return None
    try:
        return Integer(index(value))
    except (TypeError, ValueError, RuntimeError):
        return None


def node(value: Any) -> Expr:
    """The value as an expression; raises TypeError where it is none."""
    expr = operand(value)
    if expr is None:
        raise TypeError(f"{value!r} is not an integer expression")
    return expr


def _node(kind: type, args: tuple[Expr, ...]) -> Any:
    """A node of that kind, its arguments canonical already."""
    e: Any = object.__new__(kind)
    e.args = args
    e._hash = hash((kind.__name__, *args))
    e._key = e._free = e._kinds = e._symbols = e._growth = e._sympy = e.usage = e.text = None
    return e


def order(e: Expr) -> Key:
    """The key of an argument in sums and products."""
    if e._key is None:
        e._key = (e.rank, type(e).__name__, len(e.args), *[order(a) for a in e.args])
    return e._key


# -- numbers and symbols ---------------------------------------------------------------------------


class Integer(Expr):
    """An integer."""

    __slots__ = ("p",)
    is_Integer = True
    rank = 7
    q = 1
    p: int

    def __new__(cls, value: Any) -> Self:
        return number(int(value))  # type: ignore[return-value]

    def __reduce__(self) -> Any:
        return (number, (self.p,))

    def __eq__(self, other: object) -> bool:
        if type(other) is Integer:
            return self.p == other.p
        if type(other) is int:
            return self.p == other
        return False if isinstance(other, (Expr, bool)) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __index__(self) -> int:
        return self.p

    __trunc__ = __index__  # `int` and `float` ask for the index

    def __bool__(self) -> bool:
        return self.p != 0

    def __abs__(self) -> Integer:
        return number(abs(self.p))

    def __neg__(self) -> Integer:
        return number(-self.p)

    def __floordiv__(self, other: Any) -> Expr:
        divisor = operand(other)
        if divisor is None or not divisor.is_Integer:
            return super().__floordiv__(other)
        return number(self.p // divisor.p)

    def __mod__(self, other: Any) -> Expr:
        divisor = operand(other)
        if divisor is None or not divisor.is_Integer:
            return super().__mod__(other)
        return number(self.p % divisor.p)

    def __rfloordiv__(self, other: Any) -> Expr:
        return number(other // self.p) if type(other) is int else super().__rfloordiv__(other)

    def __rmod__(self, other: Any) -> Expr:
        return number(other % self.p) if type(other) is int else super().__rmod__(other)

    def __lt__(self, other: Any) -> Any:
        n = _plain(other)
        return super().__lt__(other) if n is None else self.p < n

    def __le__(self, other: Any) -> Any:
        n = _plain(other)
        return super().__le__(other) if n is None else self.p <= n

    def __gt__(self, other: Any) -> Any:
        n = _plain(other)
        return super().__gt__(other) if n is None else self.p > n

    def __ge__(self, other: Any) -> Any:
        n = _plain(other)
        return super().__ge__(other) if n is None else self.p >= n

    def as_coeff_Mul(self) -> tuple[Integer, Expr]:
        """The number itself, of 1."""
        return self, ONE

    def as_coeff_Add(self) -> tuple[Integer, Expr]:
        """The number itself, and 0."""
        return self, ZERO

    def could_extract_minus_sign(self) -> bool:
        """Whether it is negative."""
        return self.p < 0


# the kinds that SymPy has for these three
_OWN = {0: (0, "Zero", 2, 0, 1), 1: (1, "One", 2, 1, 1), -1: (5, "NegativeOne", 2, -1, 1)}


def _number(p: int) -> Integer:
    e = object.__new__(Integer)
    e.p = p
    e.args = ()
    e._hash = hash(p)
    e._key = _OWN.get(p) or (7, "Integer", 2, p, 1)
    e._free, e._symbols = frozenset(), ()
    e._kinds = _INTEGER
    e._growth = e._sympy = e.usage = e.text = None
    return e


_INTEGER = frozenset([Integer])
_numbers: dict[int, Integer] = {}


def number(p: int) -> Integer:
    """The integer; small ones are made once."""
    integer = _numbers.get(p)
    if integer is None:
        integer = _number(p)
        if -SMALL < p < SMALL:
            _numbers[p] = integer
    return integer


def _plain(value: Any) -> Any:
    """A number that Python compares; None for others."""
    if type(value) is int:
        return value
    if isinstance(value, Integer):
        return value.p
    return value if isinstance(value, (int, float)) else None


ZERO, ONE, MINUS = number(0), number(1), number(-1)


class Symbol(Expr):
    """A name that stands for an integer."""

    __slots__ = ("name",)
    is_Symbol = True
    rank = 13
    class_key = (2, 0, "Symbol")
    name: str

    def __new__(cls, name: str) -> Self:
        return _symbol(name)  # type: ignore[return-value]

    @property
    def printed_name(self) -> Any:
        """What it is ordered by in a text."""
        return self.name

    def __reduce__(self) -> Any:
        return (_symbol, (self.name,))

    @classmethod
    def create(cls, name: str, *content: Any) -> Any:
        """A symbol of this kind, equal to those of the same name and content."""
        if not isinstance(name, str):
            raise TypeError(f"name should be a string, not {type(name)}")
        e = object.__new__(cls)
        e.name = name
        e.args = ()
        whole = (name, ("commutative", True), *content)
        e._hash = hash((cls.__name__, *whole))
        e._key = (cls.rank, cls.__name__, len(whole), name, *content)
        e._free, e._symbols = frozenset([e]), (e,)
        e._kinds = frozenset([cls])
        e._growth = e._sympy = e.usage = None
        e.text = name
        return e


@lru_cache(maxsize=4096)
def _symbol(name: str) -> Symbol:
    return Symbol.create(name)  # type: ignore[no-any-return]


_dummies = count(1)


class Dummy(Symbol):
    """A symbol that is equal to no other of the same name."""

    __slots__ = ("number",)
    rank = UNKNOWN
    class_key = (2, 0, "Dummy")
    number: int

    def __new__(cls, name: str = "Dummy", number: int | None = None) -> Dummy:
        own = -next(_dummies) if number is None else number  # SymPy's are positive
        dummy = cls.create(name, own)
        dummy.number, dummy.text = own, f"_{name}"
        return dummy  # type: ignore[no-any-return]

    @property
    def printed_name(self) -> Any:
        """What it is ordered by in a text."""
        return ((2, 0, "Dummy"), (2, (self.name, self.number)))

    def __reduce__(self) -> Any:
        return (Dummy, (self.name, self.number))


# -- sums ------------------------------------------------------------------------------------------


class Add(Expr):
    """A sum: its number first, the other terms in order."""

    __slots__ = ()
    is_Add = True
    rank = 17
    class_key = (3, 1, "Add")

    def __new__(cls, *args: Any) -> Self:
        return total([node(a) for a in args])  # type: ignore[return-value]

    @staticmethod
    def make_args(e: Expr) -> tuple[Expr, ...]:
        """The terms."""
        return e.args if type(e) is Add else (e,)

    def as_coeff_Add(self) -> tuple[Integer, Expr]:
        """The number, and the other terms."""
        first = self.args[0]
        if type(first) is not Integer:
            return ZERO, self
        rest = self.args[1:]
        return first, rest[0] if len(rest) == 1 else _node(Add, rest)

    def could_extract_minus_sign(self) -> bool:
        """Whether most terms are negative; of as many, what comes first."""
        negative = sum(1 for a in self.args if a.could_extract_minus_sign())
        if 2 * negative != len(self.args):
            return 2 * negative > len(self.args)
        return sort_key(self) < sort_key(-self)


def total(items: Iterable[Expr]) -> Expr:
    """The sum of expressions."""
    terms: dict[Expr, Expr] = {}  # by what they are multiples of
    constant = 0
    waiting = [a for a in items if a is not ZERO]
    if len(waiting) == 1:
        return waiting[0]
    if len(waiting) == 2:
        a, b = waiting if type(waiting[0]) is Integer else waiting[::-1]
        if type(a) is Integer and type(b) is not Integer and type(b) is not Add:
            return _node(Add, (a, b))  # type: ignore[no-any-return]
    for x in waiting:  # it grows while it is read
        kind = type(x)
        if kind is Integer:
            constant += x.p
        elif kind is Add:
            waiting += x.args
        else:
            rest = x.rest if kind is Mul and type(x.args[0]) is Integer else x
            known = terms.get(rest)
            if known is not None:
                factor = known.as_coeff_Mul()[0].p + x.as_coeff_Mul()[0].p
                x = rest if factor == 1 else Mul.apart(factor, rest) if factor else ZERO
            terms[rest] = x
    addends = [x for x in terms.values() if x is not ZERO]
    if len(addends) > 1:
        addends.sort(key=order)
    if constant or not addends:
        if not addends:
            return number(constant)
        addends.insert(0, number(constant))
    return addends[0] if len(addends) == 1 else _node(Add, tuple(addends))


# -- products --------------------------------------------------------------------------------------


class Mul(Expr):
    """A product: its number first, the other factors in order."""

    __slots__ = ("_rest",)
    _rest: Expr
    is_Mul = True
    rank = 16
    class_key = (3, 0, "Mul")

    def __new__(cls, *args: Any) -> Self:
        return product([node(a) for a in args])  # type: ignore[return-value]

    @staticmethod
    def make_args(e: Expr) -> tuple[Expr, ...]:
        """The factors."""
        return e.args if type(e) is Mul else (e,)

    @staticmethod
    def apart(factor: int, rest: Expr) -> Mul:
        """The number beside the rest, which has none: a sum is not multiplied by it."""
        term = _node(Mul, (number(factor), *(rest.args if type(rest) is Mul else (rest,))))
        term._rest = rest
        return term  # type: ignore[no-any-return]

    @property
    def rest(self) -> Expr:
        """The product without its number, which it has."""
        try:
            return self._rest
        except AttributeError:
            others = self.args[1:]
            self._rest = others[0] if len(others) == 1 else _node(Mul, others)
            return self._rest

    def as_coeff_Mul(self) -> tuple[Integer, Expr]:
        """The number, and the other factors."""
        first = self.args[0]
        return (first, self.rest) if type(first) is Integer else (ONE, self)

    def could_extract_minus_sign(self) -> bool:
        """Whether its number is negative."""
        first = self.args[0]
        return type(first) is Integer and first.p < 0


def product(items: Iterable[Expr]) -> Expr:
    """The product of expressions; a number is multiplied into a sum that stands alone with it."""
    waiting = [a for a in items if a is not ONE]
    if len(waiting) < 2:
        return waiting[0] if waiting else ONE
    if len(waiting) == 2:
        a, b = waiting
        if type(b) is Integer:
            a, b = b, a
        if type(a) is Integer and a.p:
            multiple = _multiple(a.p, b)
            if multiple is not None:
                return multiple  # type: ignore[no-any-return]
        elif type(a) not in COLLECTED and type(b) not in COLLECTED and a != b:
            return _node(Mul, (a, b) if order(a) <= order(b) else (b, a))  # type: ignore[no-any-return]
    factor = 1
    powers: dict[Expr, int] = {}
    for x in waiting:  # it grows while it is read
        kind = type(x)
        if kind is Integer:
            factor *= x.p
        elif kind is Mul:
            waiting += x.args
        elif kind is Pow:
            base = x.args[0]
            powers[base] = powers.get(base, 0) + x.args[1].p
        else:
            powers[x] = powers.get(x, 0) + 1
    if factor == 0:
        return ZERO
    factors = [b if n == 1 else _node(Pow, (b, number(n))) for b, n in powers.items()]
    if len(factors) > 1:
        factors.sort(key=order)
    elif not factors:
        return number(factor)
    if factor == 1:
        return factors[0] if len(factors) == 1 else _node(Mul, tuple(factors))
    if len(factors) == 1 and type(factors[0]) is Add:
        return total([product((number(factor), t)) for t in factors[0].args])
    return _node(Mul, (number(factor), *factors))  # type: ignore[no-any-return]


def _multiple(factor: int, e: Expr) -> Any:
    """A number times an expression, where no factors are to be collected."""
    kind = type(e)
    if kind is Integer:
        return number(factor * e.p)
    if kind is Add:
        parts = [t.as_coeff_Mul() for t in e.args if type(t) is not Integer]
        addends = [r if n.p * factor == 1 else Mul.apart(n.p * factor, r) for n, r in parts]
        addends.sort(key=order)
        if len(addends) < len(e.args):
            addends.insert(0, number(e.args[0].p * factor))
        return _node(Add, tuple(addends))
    if kind is Mul:
        own, rest = e.as_coeff_Mul()
        n = own.p * factor
        return rest if n == 1 else Mul.apart(n, rest)
    return Mul.apart(factor, e)


class Pow(Expr):
    """A power with a number from 2 on as its exponent."""

    __slots__ = ()
    is_Pow = True
    rank = 15
    class_key = (3, 2, "Pow")

    def __new__(cls, base: Any, exp: Any) -> Self:
        exponent = operand(exp)
        if exponent is None or not exponent.is_Integer or exponent.p < 0:
            raise TypeError(f"the exponent {exp} is not a natural number")
        return power_of(node(base), exponent.p)  # type: ignore[return-value]

    @property
    def base(self) -> Expr:
        """What it is a power of."""
        return self.args[0]

    @property
    def exp(self) -> Expr:
        """The exponent."""
        return self.args[1]


COLLECTED = frozenset([Integer, Mul, Pow])  # factors of which a product takes the parts


def power_of(base: Expr, power: int) -> Expr:
    """The power of an expression."""
    if power == 0:
        return ONE
    if power == 1:
        return base
    if type(base) is Integer:
        return number(base.p**power)
    if type(base) is Mul:
        return product([power_of(f, power) for f in base.args])
    if type(base) is Pow:
        base, inner = base.args
        power *= inner.p
    return _node(Pow, (base, number(power)))  # type: ignore[no-any-return]


def exact_quotient(e: Expr, by: Expr) -> Expr | None:
    """The quotient by a number or a product of symbols that each term has; None where there is none.

    >>> x, y = Symbol("x"), Symbol("y")
    >>> exact_quotient(6*x*y + 4*x**2, 2*x), exact_quotient(x + 1, x)
    (2*x + 3*y, None)
    """
    if e is ZERO:
        return ZERO
    factor, rest = by.as_coeff_Mul()
    powers = [(f.base, f.exp.p) if f.is_Pow else (f, 1) for f in Mul.make_args(rest)]
    terms = []
    for term in Add.make_args(e):
        number_in, own = term.as_coeff_Mul()
        left = dict([(f.base, f.exp.p) if f.is_Pow else (f, 1) for f in Mul.make_args(own)])
        for f, n in powers if rest is not ONE else ():
            left[f] = left.get(f, 0) - n
        if factor.p == 0 or number_in.p % factor.p or any(n < 0 for n in left.values()):
            return None
        quotient = number(number_in.p // factor.p)
        terms.append(product([quotient, *[power_of(f, n) for f, n in left.items()]]))
    return total(terms)


def content_of(e: Expr) -> tuple[Integer, Expr]:
    """The greatest number that divides all terms as they stand, and the quotient.

    >>> x = Symbol("x")
    >>> content_of(6*x + 4), content_of(-3*x), content_of(Integer(-2))
    ((2, 3*x + 2), (3, -x), (2, -1))
    """
    if isinstance(e, Integer) and e.p:
        return number(abs(e.p)), ONE if e.p > 0 else MINUS
    if isinstance(e, Mul):
        factors = [content_of(a) for a in e.args]
        return number(prod(n.p for n, _ in factors)), product([p for _, p in factors])
    if not isinstance(e, Add):
        return ONE, e
    pairs = [a.as_coeff_Mul() for a in e.args]
    divisor = gcd(*[n.p for n, _ in pairs])
    if divisor == 1:
        return ONE, e
    return number(divisor), total([product((number(n.p // divisor), r)) for n, r in pairs])


# -- the whole -------------------------------------------------------------------------------------


def expand(e: Any) -> Expr:
    """The expression multiplied out, also inside functions.

    >>> x, y = Symbol("x"), Symbol("y")
    >>> expand((x + 2*y) ** 2 * x)
    x**3 + 4*x**2*y + 4*x*y**2
    """
    return _expansion(node(e))


@lru_cache(maxsize=8192)
def _expansion(e: Expr) -> Expr:
    if not e.args:
        return e
    kind = type(e)
    if kind is Add:
        return _with_arguments(e, [_expansion(a) for a in e.args])
    if kind is Mul:
        parts = [_expansion(a) for a in e.args]
        if not any(type(a) is Add for a in parts):
            return _with_arguments(e, parts)
        return _sum_of(_times(parts))
    if kind is Pow:
        base, power = _expansion(e.args[0]), e.args[1].p
        if type(base) is not Add:
            return power_of(base, power)
        return _sum_of(_times([base] * power))
    return _with_arguments(e, [_expansion(a) for a in e.args])


def _with_arguments(e: Expr, args: Sequence[Any]) -> Expr:
    return e if all(map(is_, args, e.args)) else e.func(*args)


def _times(factors: Sequence[Expr]) -> dict[Expr, int]:
    """The terms of a product of expanded factors, each with its number."""
    expansion: dict[Expr, int] = {ONE: 1}
    for f in factors:
        terms = [a.as_coeff_Mul() for a in Add.make_args(f)]
        grown: dict[Expr, int] = {}
        for x, c in expansion.items():
            for n, y in terms:
                z = product((x, y))
                grown[z] = grown.get(z, 0) + c * n.p
        expansion = grown
    return expansion


def _sum_of(terms: Mapping[Expr, int]) -> Expr:
    return total([product((number(c), r)) for r, c in terms.items() if c])
