"""The decisive structure of a proof: which digits an offset has, and what they say of coordinates."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sympy import Expr, Integer, Mul, sympify

from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.poly import atom as inner_atom
from symlayout.digits.radix import decompose, without_carries
from symlayout.facts import Facts
from symlayout.indexmap import IndexMap
from symlayout.recheck_poly import Poly, Rejected
from symlayout.terms import value

if TYPE_CHECKING:
    from symlayout.prover.author import Author


def digits(author: Author, m: IndexMap) -> dict[str, Any]:
    """Mixed radix: the digits of the offset, those of small stride first."""
    ctx = author.ctx
    assert ctx is not None
    offset = author.walk(m.raw, author.env(m))
    radix = decompose(ctx, author.inner(offset))
    order = None if radix is None else without_carries(ctx, radix.digits)
    author.sync()
    if radix is None or order is None:
        raise Rejected("the offset has no digits in order")
    rows, told = [], []
    for d in order.digits:
        stride, count = author.outer(ctx.resolve(d.stride)), author.outer(ctx.resolve(d.count))
        x = author.outer(inner_atom(d.atom))
        told.append(count - 1 - x if d.flipped else x)
        rows.append({"digit": str(told[-1]), "stride": str(stride), "count": str(count)})
    names = [f"digit.{k}" for k in range(len(told))]
    back = {
        x: str(expressed(author, p, told, names))
        for x, p in zip(author.box, author.env(m).values())
    }
    return {"start": str(author.outer(radix.start)), "digits": rows, "coordinates": back}


def expressed(author: Author, p: Poly, told: list[Poly], names: list[str]) -> Poly:
    """A coordinate as a polynomial of digits, by eliminating the lowest part of each."""
    back = Poly()
    for digit, name in zip(told, names):
        for m, c in digit.terms:
            if len(m) == 1 and abs(c) == 1 and (author.varies(Poly.of({m: 1})) or "leaf" in m[0]):
                parts = p.powers(m[0])
                if len(parts) == 2:
                    p = p - parts[1] * c * digit
                    back = back + parts[1] * c * Poly.read(name)
                break
    return back + p


def free_coordinates(author: Author, m: IndexMap) -> dict[Any, Inner]:
    """A new atom for each coordinate of the map, entered as a leaf of the certificate."""
    ctx = author.ctx
    assert ctx is not None
    env = {}
    for c, d in zip(m.coords, m.shape):
        high = author.walk(d, {}) - 1
        if not high.terms:
            env[c] = Inner({})
            continue
        number = ctx.new_atom(c.name, "coord", 0, author.inner(high))
        author.leaf(number)
        env[c] = inner_atom(number)
    return env


def free_digits(author: Author, m: IndexMap) -> dict[str, Any]:
    """No gaps: digits that range freely, and the coordinates that they make."""
    ctx = author.ctx
    assert ctx is not None
    env = free_coordinates(author, m)
    try:
        for _ in range(2):
            ctx.forget()
            offset = ctx.poly(m.raw, {c: ctx.resolve(p) for c, p in env.items()})
        radix = decompose(ctx, offset)
    except Undecided as why:
        raise Rejected(str(why)) from None
    author.sync()
    if radix is None:
        raise Rejected("the offset is not linear in digits")
    rows, told, names, made = [], [], [], {}
    rest, reach = [d for d in radix.digits if d.stride.terms], Inner({(): 1})
    while rest:
        able = [d for d in rest if d.stride == reach]
        able += [d for d in rest if ctx.nonneg(reach - d.stride)]
        if not able:
            raise Rejected("a stride leaves a gap")
        d = able[0]
        rest.remove(d)
        reach = ctx.resolve(reach + d.stride * (d.count - 1))
        name = author.name("d")
        count = author.outer(ctx.resolve(d.count))
        author.step("digit", name=name, count=count)
        x = Poly.read(name)
        made[name] = count - 1 - x if d.flipped else x
        told.append(author.outer(inner_atom(d.atom)))
        names.append(name)
        rows.append({"digit": name, "stride": str(author.outer(d.stride))})
    coordinates = []
    for p in env.values():
        leaves = author.outer(p)
        back = expressed(author, leaves, told, names)
        back = back.put({a: Poly() for a in back.atoms if a.startswith("leaf.")})
        coordinates.append(str(back.put(made)))
    for name in names:
        author.free_atom(name, author.free[name] - 1)
    return {"digits": rows, "coordinates": coordinates}


def match(author: Author, m: IndexMap, n: IndexMap, x: int, y: int) -> dict[str, Any]:
    """For each element of one map the element of the other one at the same place."""
    ctx = author.ctx
    assert ctx is not None
    env = free_coordinates(author, n)
    author.sync()
    here = author.walk(m.raw, author.env(m)) * x + author.resolve(Poly.read(list(author.box)[-1]))
    try:
        offset = ctx.poly(n.raw, {c: ctx.resolve(p) for c, p in env.items()})
    except Undecided as why:
        raise Rejected(str(why)) from None
    radix = decompose(ctx, offset)
    author.sync()
    if radix is None:
        raise Rejected("the offset is not linear in digits")
    rest = here - author.outer(radix.start) * y
    order = without_carries(ctx, radix.digits)
    if order is None or any(d.flipped for d in order.digits):
        raise Rejected("the offset has no digits in order")
    told, names, found = [], [], {}
    for k, d in enumerate(reversed(order.digits)):
        stride = author.outer(ctx.resolve(d.stride)) * y
        digit, rest = author.divide(rest, stride)
        told.append(author.outer(inner_atom(d.atom)))
        names.append(f"digit.{k}")
        found[names[-1]] = digit
    target = []
    for p in env.values():
        back = expressed(author, author.outer(p), told, names)
        back = back.put({a: Poly() for a in back.atoms if a.startswith("leaf.")})
        target.append(str(author.resolve(back.put(found))))
    return {"target": [*target, str(author.resolve(rest))]}


def formula(author: Author, m: IndexMap) -> dict[str, Any]:
    """The formula that is emitted for the map under the facts."""
    return {"formula": str(m.under(author.facts))}


def factors(author: Author, m: IndexMap) -> dict[str, Any]:
    """A ratio for the sizes of each symbol, as `padding` finds them."""
    ctx = author.ctx
    assert ctx is not None
    rows = []
    for grown, plain, worst in ratios(ctx, m, author.facts):
        row = {"size": author.walk(grown, {}), "count": author.walk(plain, {}), "ratio": worst}
        rows.append({k: str(v) for k, v in row.items()})
    return {"factors": rows}


def ratios(ctx: Context, m: IndexMap, facts: Facts) -> list[tuple[Expr, Expr, Fraction]]:
    """(size, elements, worst ratio) for each symbol, where both are products over symbols."""
    parts: dict[str, list[Expr]] = {}
    for k, whole in enumerate((m.size, m.elements)):
        for factor in Mul.make_args(sympify(whole)):
            names = [s.name for s in factor.free_symbols]
            if len(names) > 1:
                raise Rejected(f"{factor} has several sizes")
            row = parts.setdefault((*names, "")[0], [Integer(1), Integer(1)])
            row[k] = row[k] * factor
    made = []
    for name, (grown, plain) in parts.items():
        domain = facts.domain(name)
        values = range(domain.first, domain.first + domain.modulus * 2048, domain.modulus)
        worst = Fraction(0)
        for v in values:
            if domain.last is None or v <= domain.last:
                below = value(plain, {name: v})
                if below < 1:
                    raise Rejected("a size may be 0")
                worst = max(worst, Fraction(value(grown, {name: v}), below))
        made.append((grown, plain, worst))
    return made


Plan = Callable[..., dict[str, Any]]
PLANS: dict[str, Plan] = {
    "digits": digits,
    "free digits": free_digits,
    "formula": formula,
    "factors": factors,
    "match": match,
}
