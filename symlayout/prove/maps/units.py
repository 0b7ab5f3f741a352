"""Units modulo a number: what a product with them is undone by.

For gcd(c, m) == 1 some u has `c*u % m == 1`.  Nothing rests on how u is found: that it undoes a map is
proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import gcd, lcm, prod

from symlayout.digits.sizes import sizes_in_order
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import FloorDiv, Mod, Where, free_names, value
from symlayout.expr.tree import Expr, Integer, Symbol, expand

LARGEST = 1 << 12  # moduli for which units are looked for
STEEPEST = 24  # powers of a size that are written down
TRIED = 400
SAMPLES = 24  # assignments at which a product is looked at first
DIVISORS = 12  # common divisors that are told apart


def common_divisors(c: Expr, m: int, facts: Facts) -> list[int]:
    """What gcd(c, m) is at the first sizes that satisfy the facts; none where c has no value."""
    names = free_names(c)
    own = facts.only(r for r in facts.relations if r.names <= {*names})
    hits: dict[int, None] = {}
    try:
        for sizes in islice(sizes_in_order(own, names, TRIED), SAMPLES):
            hits.setdefault(gcd(value(c, sizes), m))
    except LayoutError:
        return []
    return sorted(hits)


def inverse_of(c: Expr, m: int) -> Expr | None:
    """A number that times c leaves 1 modulo m wherever c has one: by steps of Newton, or a power.

    >>> from symlayout.expr.tree import Symbol
    >>> inverse_of(Symbol("P"), 8), inverse_of(Symbol("P"), 9)
    (P%8, (-P**3 + 2*P)%9)
    """
    if c.is_Integer:
        return Integer(pow(int(c), -1, m)) if gcd(int(c), m) == 1 else None
    if m & (m - 1) == 0:
        unit, bits = c, 3  # c*c % 8 == 1 for an odd c
        while bits < m.bit_length() - 1:
            unit, bits = unit * (2 - c * unit), 2 * bits
        return Mod(expand(unit), Integer(m))
    primes = prod(p for p, _ in _factors(m))
    power, step = _order(primes) - 1, primes
    if power > STEEPEST:
        return None
    unit = c**power
    while step % m:
        unit, step = unit * (2 - c * unit), step**2
    return Mod(expand(unit), Integer(m))


def base(m: int) -> int:
    """A number: what c leaves modulo it is enough to prove that `inverse_of` gives an inverse.

    With `c = base*a + r`, `1 - c*u` has the factor base for the first u; each step squares it.
    """
    return 4 if m & (m - 1) == 0 else prod(p for p, _ in _factors(m))


def inverse_modulo(c: int, m: Symbol, facts: Facts) -> Expr | None:
    """A number that c times is 1 modulo a size: `(m*k + 1)//c`, k being what -1/m is modulo c."""
    if common_divisors(m, c, facts) != [1]:
        return None
    unit = inverse_of(m, c)
    k = None if unit is None else Mod(-unit, Integer(c))
    return None if k is None else FloorDiv(m * k + 1, Integer(c))


def quotient(product: Expr, c: Expr, m: int, low: Expr, divisors: list[int]) -> Expr | None:
    """x for `c*x % m`, where x has fewer values from `low` on than m by what divides c and m.

    Each common divisor has an inverse of its own; the greatest one that divides c is theirs.
    """
    result: Expr | None = None
    for g in divisors:
        inner = exact(c, g)
        unit = inverse_of(inner, m // g)
        if unit is None:
            return None
        whole = FloorDiv(Mod(product, Integer(m)), Integer(g)) if g > 1 else product
        one = low + Mod(expand(unit * whole - low), Integer(m // g))
        result = one if result is None else Where(Mod(c, Integer(g)), Integer(1), one, result)
    return result


def exact(c: Expr, g: int) -> Expr:
    """The quotient by a divisor."""
    return FloorDiv(expand(c), Integer(g)) if g > 1 else c


def _order(m: int) -> int:
    """The least power that makes 1 of each unit modulo m."""
    return lcm(*[(p - 1) * p ** (k - 1) for p, k in _factors(m)])


def _factors(m: int) -> Iterator[tuple[int, int]]:
    p = 2
    while m > 1:
        k = 0
        while m % p == 0:
            m, k = m // p, k + 1
        if k:
            yield p, k
        p += 1
