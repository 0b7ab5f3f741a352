"""What coefficients and moduli may have in common: where remainders of products repeat.

`c*x % m` repeats after `m // gcd(c, m)` values of x.  So a claim about it changes with what divides
both: one of them is a number, and the other one a multiple of a divisor of it or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from symlayout.expr.facts import Relation
from symlayout.expr.terms import FloorDiv, Gcd, Mod
from symlayout.expr.tree import Expr, Integer, Symbol, expand

LARGEST = 1 << 12
DIVISORS = 8  # of one number


def multiples(
    expressions: Iterable[Expr], coords: Collection[Symbol]
) -> Iterator[tuple[Expr, Expr]]:
    """(c, m) of every coordinate that is multiplied by c inside a remainder modulo m.

    >>> from symlayout.expr.reader import read_expression
    >>> list(multiples([read_expression("(i*P + 3*j) % 32")], [Symbol("i"), Symbol("j")]))
    [(P, 32), (3, 32)]
    """
    own = {*coords}
    for e in expressions:
        for rest in sorted(e.atoms(Mod), key=str):
            x, m = rest.args
            if m.free_symbols & own or not x.free_symbols & own:
                continue
            plain = expand(x)
            for c in coords:
                factor = plain.coeff(c, 1) if plain.is_Add or plain.is_Mul or plain == c else None
                if factor is not None and factor != 0 and not factor.free_symbols & own:
                    yield factor, m


def divisors(number: Expr) -> list[int]:
    """Numbers above 1 that divide a number, the least ones and itself."""
    if not number.is_Integer or not 1 < abs(int(number)) <= LARGEST:
        return []
    n = abs(int(number))
    hits = [d for d in range(2, n + 1) if n % d == 0]
    return [*hits[: DIVISORS - 1], *hits[DIVISORS - 1 :][-1:]]


def relations(pairs: Iterable[tuple[Expr, Expr]]) -> Iterator[Relation]:
    """Whether the one is a multiple of a divisor of the other, which is a number."""
    for c, m in dict.fromkeys(pairs):
        number, other = (m, c) if m.is_Integer else (c, m)
        for g in divisors(number) if other.free_symbols else ():
            rest = Mod(other, Integer(g))
            yield Relation("==", rest, Integer(0))
            yield Relation("==", rest, Integer(1)) if g == 2 else Relation("!=", rest, Integer(0))


def counts(expressions: Iterable[Expr], extents: Mapping[Symbol, Expr]) -> Iterator[Relation]:
    """Whether remainders repeat only after all values of a coordinate.

    >>> from symlayout.expr.reader import read_expression
    >>> [str(r) for r in counts([read_expression("t*P % 32")], {Symbol("t"): Symbol("T")})]
    ['T*gcd(P, 32) <= 32']
    """
    for e in expressions:
        for c, d in extents.items():
            for factor, m in multiples([e], [c]):
                if bool(factor.free_symbols) != bool(m.free_symbols):
                    common = Gcd(factor, m)
                    yield Relation("<=", d * common, m)
                    if d == m:
                        yield Relation("==", common, Integer(1))


def periods(pairs: Iterable[tuple[Expr, Expr]]) -> Iterator[Expr]:
    """After how many values remainders may repeat."""
    for c, m in dict.fromkeys(pairs):
        for g in divisors(m if m.is_Integer else c):
            yield FloorDiv(m, Integer(g))
