"""Division of polynomials in a context: `P = Q*D + R` with `0 <= R < D` proved.

Euclid: for D > 0 there are unique q and r with `x = D*q + r` and `0 <= r < D`.  A symbol that is
divided is replaced everywhere by its digits, so that index functions become polynomials with no
division left.  What cannot be split (a sum whose parts overlap) becomes a quotient atom `q` with the
constraint `0 <= P - D*q < D`; its remainder is the polynomial `P - D*q`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import TYPE_CHECKING

from symlayout.digits import bounds, samples
from symlayout.digits.atoms import Division, Root, in_brackets
from symlayout.digits.poly import ONE, ZERO, Mono, Poly, atom, monomial_gcd

if TYPE_CHECKING:
    from symlayout.digits.context import Context

LARGEST_MODULUS = 64  # of which all remainders are looked at


def divide(ctx: Context, p: Poly, d: Poly) -> tuple[Poly, Poly]:
    """Quotient and remainder for a divisor that is positive, by the first rule that finds them."""
    q, r = p.reduce(d)
    r, more = _shift_constant(r, d)
    q = q + more
    if not r.terms:
        return _record(ctx, p, d, q, r, "nothing is left")
    for k in _quotients(ctx, r, d):
        rest = r - d * k
        if ctx.in_range(rest, d):
            return _record(ctx, p, d, q + k, rest, "bounds")
    for q1, rest in _multiples(ctx, r, d):
        if ctx.in_range(rest, d):
            return _record(ctx, p, d, q + q1, rest, "a multiple by the facts")
    polys = _common_factor(ctx, r, d)
    if polys is not None:
        q1, r1 = polys
        return _record(ctx, p, d, q + q1, r1, "common factor")
    splitting = _split_for(ctx, r, d) or (ctx.residues and _split_factors(ctx, r, d))
    if splitting:
        return ctx.divmod(p, d)
    q1 = _quotient_atom(ctx, r, d)
    return _record(ctx, p, d, q + q1, r - d * q1, "definition of the quotient")


def _multiples(ctx: Context, r: Poly, d: Poly) -> Iterator[tuple[Poly, Poly]]:
    """`c*x + y` as `d*(c//d)*x + y`, where a fact says that d divides the number c."""
    for c, divisor, number in ctx.multiples:
        if ctx.resolve(divisor) != d:
            continue
        x, y = r.reduce(Poly.of(c))
        for more in (0, 1):  # one less than a multiple is one multiple less, and the rest
            if (x + more).terms:
                q, rest = ctx.resolve(number) * (x + more), y - c * more
                yield from ((q + k, rest - d * k) for k in (0, -1, 1))


def _quotients(ctx: Context, r: Poly, d: Poly) -> tuple[int, ...]:
    """What r // d may be, if it is a number near 0: what it is at all sample points."""
    near: tuple[int, ...] = (0, -1, 1)
    for point in ctx.samples:
        by = d.value(point)
        near = tuple([k for k in near if k == r.value(point) // by]) if by > 0 else near
        if not near:
            break
    return near


def _record(ctx: Context, p: Poly, d: Poly, q: Poly, r: Poly, why: str) -> tuple[Poly, Poly]:
    ctx.divisions.append(Division(p, d, q, r, why))
    return q, r


def _shift_constant(r: Poly, d: Poly) -> tuple[Poly, int]:
    """For a number d: the constant term into [0, d), and by how many d it moved."""
    if not d.is_constant:
        return r, 0
    k = r.constant // d.constant
    return (r - k * d.constant, k) if k else (r, 0)


def _common_factor(ctx: Context, r: Poly, d: Poly) -> tuple[Poly, Poly] | None:
    """R6: `(g*x + y) // (g*z) == x // z` when 0 <= y < g, for some common factor g."""
    for g in _factors(ctx, r, d):
        smaller = d.exact(g)
        if smaller is None or smaller == ONE or not smaller.terms:
            continue
        x, y = r.reduce(g)
        if g.is_constant:
            y, k = _shift_constant(y, g)
            x = x + k
        elif y.constant < 0 and ctx.in_range(y + g, g):  # g*x - 1 is g*(x - 1) + g - 1
            x, y = x - 1, y + g
        if not x.terms or x == r or not ctx.positive(g) or not ctx.in_range(y, g):
            continue
        q, rest = ctx.divmod(x, smaller)
        return q, ctx.resolve(rest * g + y)
    return None


def _factors(ctx: Context, r: Poly, d: Poly) -> list[Poly]:
    """Candidates for a common factor of d and most of r, the largest first."""
    content = 0
    common: Mono | None = None
    for m, c in d.terms.items():
        content = gcd(content, c)
        common = m if common is None else monomial_gcd(common, m)
    assert common is not None
    seen: dict[Poly, None] = {}
    for m, c in sorted(r.terms.items(), key=lambda t: (len(t[0]), abs(t[1])), reverse=True):
        number, mono = gcd(content, c), monomial_gcd(common, m)
        if number > 1 or mono:
            seen.setdefault(Poly({mono: number}))
    if len(d.terms) > 1:
        for a in dict.fromkeys(common):
            part = d.exact(atom(a))
            if part is not None:
                seen.setdefault(part)
        for number in sorted(ctx.by_name.values()):
            factor = ctx.resolve(atom(number))
            if len(factor.terms) > 1:
                seen.setdefault(factor)
    return list(seen)


def _split_for(ctx: Context, r: Poly, d: Poly) -> bool:
    """Splits the one atom that r is (plus a number), so that r // d becomes a digit."""
    rest = r - r.constant
    number = rest.single()
    if number is None or not d.atoms.isdisjoint({number}):
        return False
    if r.constant % d.constant if d.is_constant else r.constant:
        return False  # so ceil(x/d) is an atom of its own: x in digits would make products long
    return ctx.split(number, d)


def _split_factors(ctx: Context, r: Poly, d: Poly) -> bool:
    """Splits every symbol of r by a small number d: r % d depends on their remainders alone."""
    if not d.is_constant or d.constant > LARGEST_MODULUS:
        return False
    before = len(ctx.replaced)
    for number in sorted(r.atoms):
        high = ctx.high(number)
        small = high is not None and high.is_constant and high.constant < d.constant
        if number not in ctx.replaced and not small:
            ctx.split(number, d)
    return len(ctx.replaced) > before


def split(ctx: Context, number: int, d: Poly) -> bool:
    """Replaces `x` by `d*high + low`, 0 <= low < d; False where that cannot be."""
    info = ctx.atoms[number]
    if info.low is None or number in ctx.splitting:
        return False
    if info.low < 0 and not (ctx.residues and d.is_constant):
        return False  # elsewhere a quotient atom keeps the range as one
    if info.kind not in ("size", "coord", "digit"):
        return False
    root, place = _root_of(ctx, number)
    if not samples.behind(ctx, d).isdisjoint({number, root.atom}):
        return False  # d would be made of x's own digits
    ctx.splitting.add(number)
    try:
        top, exact = _top_of(ctx, number, d)
    finally:
        ctx.splitting.discard(number)
    if number in ctx.replaced:  # finding the bound has split it already
        return True
    floor = info.low // d.constant if d.is_constant else 0
    whole, step = in_brackets(info.name), in_brackets(ctx.text(d))
    points, by, ctx.samples = ctx.samples, ctx.resolve(d), []  # whose digits are known
    high = ctx.new_atom(f"{whole}//{step}", "digit", floor, top)
    low = ctx.new_atom(f"{whole}%{step}", "digit", 0, d - 1)
    ctx.atoms[high].root = ctx.atoms[low].root = root.atom
    for point in points:
        if (value := by.value(point)) > 0:
            point[high], point[low] = divmod(point[number], value)
            ctx.samples.append(point)
    ctx.replace(number, d * atom(high) + atom(low))
    weight = root.weights[place]
    root.digits[place : place + 1] = [low, high]
    root.weights[place : place + 1] = [weight, ctx.resolve(weight * d)]
    root.exact = root.exact and exact
    if not d.is_constant or info.low % d.constant:
        ctx.constraints.append(ctx.resolve(atom(number) - info.low))
    if info.high is not None and not exact:
        ctx.constraints.append(ctx.resolve(info.high - atom(number)))
    return True


def _root_of(ctx: Context, number: int) -> tuple[Root, int]:
    """The root whose digit this atom is, and its place; a fresh root for a plain symbol."""
    info = ctx.atoms[number]
    if info.root is not None:
        root = ctx.roots[info.root]
        return root, root.digits.index(number)
    root = Root(number, [number], [ONE])
    ctx.roots[number] = root
    info.root = number
    return root, 0


def _top_of(ctx: Context, number: int, d: Poly) -> tuple[Poly | None, bool]:
    """The largest high digit, and whether the digits then range over a full box."""
    high = ctx.high(number)
    if high is None:
        return None, True
    top, rest = ctx.divmod(high, d)
    return top, ctx.resolve(d - 1 - rest) == ZERO


def _quotient_atom(ctx: Context, r: Poly, d: Poly) -> Poly:
    """The atom of r // d, one for each pair."""
    inner = _of_quotient(ctx, r, d)
    if inner is not None:
        return inner
    # (x-1)//d is ceil(x/d) - 1: the atom is the count of tiles, at least 1, so that strides that
    # are products of counts stay single terms
    up = int(r.constant == -1 and not d.is_constant and (r + 1).single() is not None)
    dividend = r + d * up
    key = ("//", dividend, d)

    def make() -> int:
        low, high = bounds.quotient_range(ctx, r, d)
        whole = dividend - d + 1
        if whole.single() is not None:
            name = f"ceildiv({ctx.text(whole)}, {ctx.text(d)})"
        else:
            name = f"{in_brackets(ctx.text(dividend))}//{in_brackets(ctx.text(d))}"
        ends = (None if low is None else low + up, None if high is None else high + up)
        number = ctx.new_atom(name, "quotient", *ends, definition=key)
        q = atom(number)
        ctx.constraints += [dividend - d * q, d * q + d - 1 - dividend]
        return number

    return ctx.opaque(key, make) - up


def _of_quotient(ctx: Context, r: Poly, d: Poly) -> Poly | None:
    """R3: `(x//a + c) // b == (x + a*c) // (a*b)` for a quotient atom x//a."""
    rest = r - r.constant
    number = rest.single()
    if number is None or ctx.atoms[number].kind != "quotient":
        return None
    _, inner, a = ctx.atoms[number].definition
    return ctx.divmod(ctx.resolve(inner + a * r.constant), ctx.resolve(a * d))[0]
