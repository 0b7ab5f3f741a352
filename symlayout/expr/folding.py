"""How operators fold when they are made, and their texts, on both sides of the edge.

A `kind` is our class of an operator, or SymPy's: `kind.row` is its row of `operators`, and
`kind.integer` the class of numbers on that side.
"""

from __future__ import annotations

from math import gcd
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.printing import PRECEDENCE
from symlayout.text.limits import BITS

LARGEST = 1 << 20  # numbers that are taken apart
ATOM, POWER, PRODUCT = (PRECEDENCE[k] for k in ("Atom", "Pow", "Mul"))


def check_number(n: int) -> int:
    """The number; raises `LayoutError` (SL204) where it has more than `BITS` bits."""
    if n.bit_length() > BITS:
        raise LayoutError("SL204", f"a number of {n.bit_length()} bits; the limit is {BITS}")
    return n


# -- what an application is where it is something simpler ------------------------------------------


def of_numbers(kind: Any, *args: Any) -> Any:
    """The number of numbers."""
    if all(a.is_Integer for a in args):
        return kind.integer(check_number(kind.row.at(*map(int, args))))
    return None


def quotient(kind: Any, a: Any, b: Any) -> Any:
    """The number of numbers; a division by one is the dividend."""
    if b.is_Integer:
        if a.is_Integer or b == 0:
            return _of_integers(kind, a, b)
        if b == 1:
            return a
    return None


def common_divisor(kind: Any, a: Any, b: Any) -> Any:
    """The number of numbers; beside a number, without what that number says of the other terms.

    A factor of all terms is taken out.  A prime that divides all terms but one number is left out.
    """
    if a.is_Integer and b.is_Integer:
        return of_numbers(kind, a, b)
    if a.is_Integer or (not b.is_Integer and str(b) < str(a)):
        return kind(b, a)
    n = abs(int(b)) if b.is_Integer else 0
    if not 0 < n <= LARGEST:
        return None
    pairs = [t.as_coeff_Mul() for t in (a.args if a.is_Add else (a,))]
    if not all(c.is_Integer for c, _ in pairs):
        return None
    terms = [(int(c), t) for c, t in pairs if int(c) % n]
    factor = gcd(n, *[c for c, _ in terms])
    rest = n // factor
    for p in _primes(rest):
        moving = [c // factor for c, t in terms if t.free_symbols]
        fixed = sum(c // factor for c, t in terms if not t.free_symbols)
        while fixed % p and not any(c % p for c in moving) and rest % p == 0:
            rest //= p
    if len(terms) == len(pairs) and rest == n:
        return None
    total = kind.integer(0)
    for c, t in terms:
        total = total + kind.integer(c // factor) * t
    return kind.integer(factor) * (kind(total, kind.integer(rest)) if rest > 1 else 1)


def _primes(n: int) -> list[int]:
    """The primes that divide a number."""
    hits, p = [], 2
    while p * p <= n:
        if n % p == 0:
            hits.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return [*hits, n] if n > 1 else hits


def remainder(kind: Any, a: Any, b: Any) -> Any:
    """The number of numbers; a division by one leaves 0."""
    if b.is_Integer:
        if a.is_Integer or b == 0:
            return _of_integers(kind, a, b)
        if b == 1:
            return kind.integer(0)
    return None


def _of_integers(kind: Any, a: Any, b: Any) -> Any:
    if b == 0:
        raise LayoutError("SL202", f"division by zero in {a} {kind.row.sign} 0")
    return kind.integer(kind.row.value(int(a), int(b)))


def extreme(kind: Any, *args: Any) -> Any:
    """Without those that are equal, and one number of all numbers."""
    if len(args) == 1:
        return args[0]
    number: int | None = None
    rest: list[Any] = []
    for x in args:
        if x.is_Integer:
            number = int(x) if number is None else kind.row.value(number, int(x))
        elif isinstance(x, kind):
            rest += [y for y in x.args if y not in rest]
        elif x not in rest:
            rest.append(x)
    folded = rest + ([kind.integer(number)] if number is not None else [])
    if len(folded) == 1:
        return folded[0]
    return None if tuple(folded) == args else kind(*folded)


def bits(kind: Any, a: Any, b: Any) -> Any:
    """The number of numbers; with itself and with 0 what the operation of one bit says."""
    value = kind.row.value
    if a.is_Integer and b.is_Integer:
        return kind.integer(value(int(a), int(b)))
    if a == b:
        return a if value(1, 1) else kind.integer(0)
    if a == 0 or b == 0:
        return (b if a == 0 else a) if value(0, 1) else kind.integer(0)
    return None


def exclusive(kind: Any, a: Any, b: Any) -> Any:
    """The same, with a number second: a text `2 ^ x` is refused, because it looks like a power."""
    if a.is_Integer and not b.is_Integer and a != 0:
        return kind(b, a)
    return bits(kind, a, b)


def choice(kind: Any, p: Any, q: Any, a: Any, b: Any) -> Any:
    """The branch that is taken, where that is known."""
    if p.is_Integer and q.is_Integer:
        return a if p < q else b
    return None


# -- texts that our grammar reads ------------------------------------------------------------------


def called(e: Any, printer: Any) -> str:
    """A call: `ceildiv(a, b)`."""
    return f"{e.row.op}({', '.join([printer._print(a) for a in e.args])})"


def called_truncating(e: Any, printer: Any) -> str:
    """A call by the operator's own word, whose sign means something else in Python."""
    return f"{e.row.words[0]}({', '.join([printer._print(a) for a in e.args])})"


def divided(e: Any, printer: Any) -> str:
    """`a//b`: in parentheses inside a product, bare inside a sum."""
    a, b = e.args
    left = printer.parenthesize(a, PRODUCT - 1)
    if left.startswith("-"):
        left = f"({left})"  # a sum around it would take the sign for that of the whole term
    return f"{left}{e.row.sign}{printer.parenthesize(b, POWER)}"


def raised(e: Any, printer: Any) -> str:
    """`2**k`."""
    return f"2**{printer.parenthesize(e.args[0], POWER, strict=True)}"


def between(e: Any, printer: Any) -> str:
    """`(a ^ b)`."""
    a, b = (printer.parenthesize(x, ATOM, strict=True) for x in e.args)
    return f"({a} {e.row.sign} {b})"


def conditional(e: Any, printer: Any) -> str:
    """`(a if p < q else b)`."""
    p, q, a, b = map(printer._print, e.args)
    return f"({a} if {p} < {q} else {b})"


def compared(e: Any, printer: Any) -> str:
    """`a < b`."""
    return f" {e.row.op} ".join(map(printer._print, e.args))


def joined(e: Any, printer: Any) -> str:
    """`(p and q)`."""
    return f"({compared(e, printer)})"
