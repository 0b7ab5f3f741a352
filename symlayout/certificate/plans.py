"""The decisive structure of a proof: which digits an offset has, and what they say of coordinates.

What comes out are texts that a certificate supplies: the coordinates as expressions of the offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from symlayout.certificate.atoms import leaf
from symlayout.certificate.author import Author
from symlayout.certificate.cases import bits_of_number
from symlayout.certificate.definitions import Map
from symlayout.certificate.definitions import product as elements
from symlayout.certificate.exact import FREE, Poly, Rejected, as_poly
from symlayout.certificate.ledger import KNOWN, PLAIN, product
from symlayout.certificate.proof import Instance, Plain, Reason
from symlayout.certificate.witness import powers
from symlayout.digits.context import Undecided
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.poly import atom as inner_atom
from symlayout.digits.radix import Digit, Radix, decompose, merge, without_carries
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import as_expr
from symlayout.prove.measures import ratios

ONE = as_poly(1)


class Row(NamedTuple):
    """A digit of an offset: its value, its stride, how many values it has."""

    digit: Poly
    stride: Poly
    values: Poly


def text(p: Poly) -> str:
    """A polynomial as an operand."""
    match p.terms:
        case (((), _),) | (((_,), 1),) if str(p)[0] != "-":
            return str(p)
    return f"({p})"


def read_off(start: Poly, rows: Sequence[Row], offset: str, overlap: bool = False) -> list[str]:
    """The digits as expressions of the offset; where strides overlap, none beyond its last value."""
    rest, messages, reach = f"({offset} - {text(start)})" if start.terms else offset, [], [ONE]
    for r in rows:
        reach.append(reach[-1] + r.stride * (r.values - 1))
    for r, below in reversed(list(zip(rows, reach))):
        messages.append(f"({rest}//{text(r.stride)})")
        if overlap and r.stride != below:
            messages[-1] = f"min({messages[-1]}, {r.values - 1})"
            rest = f"({rest} - {messages[-1]}*{text(r.stride)})"
        else:
            rest = f"({rest}%{text(r.stride)})"
    return messages[::-1]


def with_digits(p: Poly, names: Sequence[str], messages: Sequence[str]) -> str:
    """A polynomial of digits with the digits' expressions in place of their names."""
    table = dict(zip(names, messages))
    terms = []
    for m, c in p.terms:
        number = [text(as_poly(c))] if c != 1 or not m else []
        terms.append("*".join([*number, *[table.get(a, a) for a in m]]))
    return " + ".join(terms) or "0"


def back_of_numbers(author: Author, m: Map, offset: str) -> list[str]:
    """As `back`, where the offset divides several coordinates only as one number."""
    return back(author, m, offset, common_numbers(author, m))


def back(author: Author, m: Map, offset: str, numbers: Sequence[Number] = ()) -> list[str]:
    """Mixed radix: the coordinates of a map as expressions of its offset."""
    ctx = author.ctx
    assert ctx is not None
    radix = decompose(ctx, author.inner(author.walk(m.raw)))
    order = None if radix is None else without_carries(ctx, radix.digits)
    if order is None and author.again():
        radix = decompose(ctx, author.inner(author.walk(m.raw)))
        order = None if radix is None else without_carries(ctx, radix.digits)
    if radix is not None and order is None:
        radix, offset = in_strides(author, radix, offset)
        order = None if radix is None else without_carries(ctx, radix.digits)
    author.sync()
    if radix is None or order is None:
        raise Rejected("the offset has no digits in order")
    rows = [row(author, d) for d in order.digits]
    start = author.outer(radix.start)
    take_apart(author, rows)
    names = [author.name("digit") for _ in rows]
    messages = read_off(start, rows, offset)

    def put(x: str) -> str:
        p = in_digits(author, author.resolve(as_poly(x)), [r.digit for r in rows], names)
        return with_digits(p, names, messages)

    table = {x: t for n in numbers for x, t in n.texts(author, put(n.name)).items()}
    return [table.get(c.name) or put(c.name) for c in m.coords]


class Number(NamedTuple):
    """Coordinates in one: the number of a place in mixed radix, from the least significant one on."""

    name: str
    coords: Sequence[str]

    def texts(self, author: Author, number: str) -> dict[str, str]:
        """Each coordinate as a quotient of the number, and a remainder but for the last one."""
        results, stride = dict[str, str](), ONE
        for k, x in enumerate(self.coords):
            results[x] = f"({number})//{text(stride)}"
            if k + 1 < len(self.coords):
                count, above = author.high[x] + 1, self.above(author, k + 1)
                results[x] += f"%{text(count)}"
                author.law("R2", d=count, q=above, r=author.resolve(as_poly(x)))
                stride = stride * count
                below = author.resolve(self.above(author, 0) - stride * above)
                author.law("R2", d=stride, q=above, r=below)
        return results

    def above(self, author: Author, k: int) -> Poly:
        """The number of the coordinates from that one on."""
        total = Poly()
        for x in reversed(self.coords[k:]):
            total = total * (author.high[x] + 1) + as_poly(x)
        return author.resolve(total)


def common_numbers(author: Author, m: Map) -> list[Number]:
    """Makes one coordinate of several that the offset divides only together, as the engine does."""
    results: list[Number] = []
    for _ in m.coords:
        ahead = author.fork()
        f, ctx = ahead.inner(ahead.walk(m.raw)), ahead.ctx
        assert ctx is not None
        many = len(ctx.atoms)
        if not merge(ctx, f):
            break
        unit, by = ctx.log[-1]
        y = next(a for a in (by or Inner({})).atoms if a >= many and ctx.atoms[a].kind == "coord")
        rest = ahead.outer(inner_atom(y) - (by or Inner({})))
        place = sorted(x for x in rest.atoms if x in author.state.varying)
        for others in permutations(place):
            number = Number(author.name("y"), (str(ahead.here[unit]), *others))
            if ahead.resolve(number.above(author, 0) - as_poly(number.coords[0]) - rest) == Poly():
                author.common(number.name, number.coords, number.above(author, 0))
                results.append(number)
                break
        else:
            break
    if not results:
        raise Rejected("no coordinates are divided as one number")
    return results


def in_strides(author: Author, radix: Radix, offset: str) -> tuple[Radix | None, str]:
    """The offset divided by a stride that divides all others: it may have either sign, but is not 0."""
    ctx = author.ctx
    assert ctx is not None
    strides = [ctx.resolve(d.stride) for d in radix.digits]
    unit = next((s for s in strides if all(t.exact(s) is not None for t in strides)), None)
    if unit is None:
        raise Rejected("no stride divides all others")
    total = Inner({})
    for d, stride in zip(radix.digits, strides):
        x, times = inner_atom(d.atom), stride.exact(unit) or Inner({})
        total = total + times * (d.count - 1 - x if d.flipped else x)
    author.sync()
    start, divisor = author.outer(radix.start), author.outer(unit)
    author.apart_from_zero(divisor)
    author.law("multiple", d=divisor, q=author.outer(ctx.resolve(total)))
    rest = f"({offset} - {text(start)})" if start.terms else offset
    return decompose(ctx, ctx.resolve(total)), f"({rest}//{text(divisor)})"


def row(author: Author, d: Digit) -> Row:
    """A digit of the engine in the proof's unknowns; a flipped one counts from its end."""
    assert author.ctx is not None
    stride, count = (author.outer(author.ctx.resolve(p)) for p in (d.stride, d.count))
    x = author.outer(inner_atom(d.atom))
    return Row(count - 1 - x if d.flipped else x, stride, count)


def take_apart(author: Author, rows: Sequence[Row]) -> None:
    """Division of the offset by one stride after the other: what remains is less than the stride."""
    rest, reach = Poly(), ONE  # 0 <= rest < reach is known all the way
    parts: list[tuple[list[Reason], Row, Poly]] = []
    for k, r in enumerate(rows):  # each stride is beyond the reach of those before it
        gap, left = author.resolve(r.stride - reach), r.values - 1 - r.digit
        for p in (r.digit, left, gap):
            author.have(p)
        least, most = reason_of(author, rest), reason_of(author, reach - 1 - rest)
        below = product(ONE, gap, PLAIN, KNOWN, most) if gap.terms else most
        parts.append(([author.why(">=", r.stride - 1), least, below], r, rest))
        if k < len(rows) - 1:
            why = author.why(">=", r.stride)
            rest, reach = rest + r.stride * r.digit, reach + r.stride * (r.values - 1)
            author.have(rest, product(r.stride, r.digit, why, KNOWN, least))
            author.have(reach - 1 - rest, product(r.stride, left, why, KNOWN, most))
    for whys, r, rest in reversed(parts):
        if r.stride == ONE:
            continue  # nobody divides by 1
        author.instance("R2", whys, d=r.stride, q=r.digit, r=rest)


def in_digits(author: Author, p: Poly, polys: Sequence[Poly], names: Sequence[str]) -> Poly:
    """A coordinate as a polynomial of digits, by eliminating the lowest part of each."""
    poly = Poly()
    for digit, name in zip(polys, names):
        for x in sorted(a for a in digit.atoms if a in author.state.varying or "leaf" in a):
            unit, parts = powers(digit, x)[1:], powers(p, x)
            if unit in ([ONE], [-ONE]) and len(parts) == 2:
                factor = parts[1] * unit[0]
                p, poly = p - factor * digit, poly + factor * as_poly(name)
                break
    return poly + p


def free_offset(author: Author, m: Map) -> tuple[list[Inner], Radix]:
    """The coordinates of a map as new atoms, leaves of the certificate, and its offset's digits."""
    ctx = author.ctx
    assert ctx is not None
    env = {}
    for c, d in zip(m.coords, m.shape):
        high = author.walk(d) - 1
        if not high.terms:
            env[c] = Inner({})
            continue
        number = ctx.new_atom(c.name, "coord", 0, author.inner(high))
        leaf(author, number)
        env[c] = inner_atom(number)
    author.sync()
    raw = bits_of_number(m.raw)  # the checker's reading of its extents as well
    try:
        for _ in range(2):
            ctx.forget()
            offset = ctx.poly(raw, {c: ctx.resolve(p) for c, p in env.items()})
        radix = decompose(ctx, offset)
    except Undecided as why:
        raise Rejected(str(why)) from None
    author.sync()
    if radix is None:
        raise Rejected("the offset is not linear in digits")
    return list(env.values()), radix


def leaves_gone(p: Poly) -> Poly:
    """The polynomial where what is not a digit is 0."""
    return p.put({a: Poly() for a in p.atoms if a.startswith("leaf.")}, FREE)


def covering(author: Author, m: Map, offset: str) -> list[str]:
    """No gaps: for each offset the coordinates of an element that has it."""
    ctx = author.ctx
    assert ctx is not None
    env, radix = free_offset(author, m)
    rows = list[Row]()
    rest, reach = [d for d in radix.digits if d.stride.terms], Inner({(): 1})
    while rest:
        able = [d for d in rest if d.stride == reach]
        able += [d for d in rest if ctx.nonneg(reach - d.stride)]
        if not able:
            raise Rejected("a stride leaves a gap")
        d = able[0]
        rest.remove(d)
        reach = ctx.resolve(reach + d.stride * (d.count - 1))
        rows.append(row(author, d))
    names = [author.name("digit") for _ in rows]
    start = author.outer(radix.start)
    messages = read_off(start, rows, offset, overlap=True)
    with suppress(Rejected, LayoutError):
        remaining(author, start, rows, offset, messages)
    polys = [
        in_digits(author, author.outer(ctx.resolve(p)), [r.digit for r in rows], names) for p in env
    ]
    return [with_digits(leaves_gone(p), names, messages) for p in polys]


def remaining(
    author: Author, start: Poly, rows: Sequence[Row], offset: str, messages: Sequence[str]
) -> None:
    """What each digit leaves of the offset: not negative, and within reach of those below it."""
    rest, reach = as_poly(offset) - start, [ONE]
    for r in rows:
        reach.append(reach[-1] + r.stride * (r.values - 1))
    for k in reversed(range(len(rows))):
        digit = author.walk(read_expression(messages[k]))
        rest = author.resolve(rest - rows[k].stride * digit)
        for p in (rest, reach[k] - 1 - rest, digit, rows[k].values - 1 - digit):
            author.attempt(author.have, author.resolve(p))


def match(author: Author, m: Map, n: Map, x: int, y: int, unit: str) -> list[str]:
    """For each unit of an element of one map the element of the other one at the same place."""
    ctx = author.ctx
    assert ctx is not None
    here = author.walk(m.raw) * x + author.resolve(as_poly(unit))
    env, radix = free_offset(author, n)
    rest = here - author.outer(radix.start) * y
    order = without_carries(ctx, radix.digits)
    if order is None or any(d.flipped for d in order.digits):
        raise Rejected("the offset has no digits in order")
    rows = [row(author, d) for d in order.digits]
    hits = {}
    names = [author.name("digit") for _ in rows]
    for name, r in zip(reversed(names), reversed(rows)):
        hits[name], rest = author.divide(rest, r.stride * y)
    target = []
    for p in env:
        q = in_digits(author, author.outer(ctx.resolve(p)), [r.digit for r in rows], names)
        target.append(str(author.resolve(leaves_gone(q).put(hits, FREE))))
    return [*target, str(author.resolve(rest))]


def padding(author: Author, m: Map, most: Fraction) -> None:
    """size <= most*elements, where both are products over symbols with a ratio for each."""
    size, count, poly, above, below = ONE, ONE, Poly(), 1, 1
    rows = ratios(as_expr(m.size), as_expr(elements(m.shape)), author.assumptions)
    if rows is None:
        raise Rejected("the sizes do not occur apart")
    for grown, plain, worst in rows:
        s, c = author.walk(grown), author.walk(plain)
        slack = c * worst.numerator - s * worst.denominator
        for p in (s, c, slack):
            author.have(p)
        before, poly = poly, poly * c * worst.numerator + size * slack * below
        why = multiple(size * below, below, size, slack)
        first = product(as_poly(worst.numerator), c, PLAIN, KNOWN, PLAIN)
        author.have(
            poly, product(c * worst.numerator, before, first, reason_of(author, before), why)
        )
        for x, y in ((size, s), (count, c)):
            author.have(x * y, product(x, y, KNOWN if x.atoms else PLAIN, KNOWN, PLAIN))
        size, count = size * s, count * c
        above, below = above * worst.numerator, below * worst.denominator
    spare = most.numerator * below - most.denominator * above
    if spare < 0:
        raise Rejected(f"the ratio {above}/{below} is more than {most}")
    rest = product(as_poly(spare), count, PLAIN, reason_of(author, count), PLAIN)
    whole = product(as_poly(most.denominator), poly, PLAIN, reason_of(author, poly), rest)
    author.have(
        count * most.numerator - size * most.denominator,
        Instance("cancel", (("d", as_poly(below)),), (PLAIN, whole)),
    )


def reason_of(author: Author, p: Poly) -> Plain:
    """The reason for what is known or a number that is not negative."""
    return KNOWN if author.resolve(p) in author.state.known else PLAIN


def multiple(factor: Poly, number: int, p: Poly, q: Poly) -> Reason:
    """The reason for factor*q, where the factor is number*p and p, q are known."""
    why = product(as_poly(number), p, PLAIN, KNOWN if p.atoms else PLAIN, PLAIN)
    return product(factor, q, why, KNOWN, PLAIN)
