"""Both maps of a move: where each point of a case goes, and where each point of the new ones is from.

They are made from the move's texts alone.  Whether they fit the cases that the move makes is Z3's
question (`splits`), so a mistake here confirms nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from symlayout.certificate.cases import Case, World, read
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.definitions import names_in
from symlayout.expr.conditions import Condition, Either, Less
from symlayout.expr.terms import FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Integer, expand

Table = Mapping[str, Expr]


class Division(NamedTuple):
    """`divisor * quotient + remainder`, which is below `divisor * many` where that is known."""

    divisor: Expr
    quotient: Expr
    remainder: Expr
    many: Expr | None = None


class Branch(NamedTuple):
    """New names as expressions of the old ones, and back; what is in neither keeps its name.

    `here` are divisions of the old names that a way there and back again needs, `there` of the new.
    """

    forth: Table
    back: Table
    here: Sequence[Division] = ()
    there: Sequence[Division] = ()

    @property
    def from_new(self) -> bool:
        """Whether the old names are polynomials of the new ones: then these are looked at."""
        divisions = [x for e in self.back.values() for x in e.atoms(FloorDiv, Mod)]
        return all(self.forth.keys().isdisjoint(names_in(x)) for x in divisions)


class Maps(NamedTuple):
    """The branches of a move: of two, the first is where a condition holds."""

    branches: Sequence[Branch]
    first: Condition | None = None


SAME = Branch({}, {})


def of_case(case: Case, move: Sequence[str]) -> Maps:
    """The maps of a move of a case; raises `NotConfirmed` for one whose maps are not known."""
    word, *texts = move
    make = CASES.get(word)
    if make is None:
        raise NotConfirmed(f"the move {word!r} is not one that Z3 is asked about")
    return make(case, *texts)  # type: ignore[no-any-return]


def of_sizes(world: World, move: Sequence[str]) -> Maps:
    """The maps of a move of a world; raises `NotConfirmed` for one whose maps are not known."""
    match list(move):
        case ["sizes", text]:
            return Maps([SAME, SAME], Less(Integer(-1), read(text)))
        case ["divide", size, divisor, a, b]:
            x, d, q, r = symbol(size), read(divisor), symbol(a), symbol(b)
            whole = Branch({a: FloorDiv(x, d)}, {size: q * d})
            rest = Branch({a: FloorDiv(x, d), b: Mod(x, d)}, {size: q * d + r})
            return Maps([whole, rest], Less(Mod(x, d), Integer(1)))
        case ["call", name, text, _]:
            return Maps([Branch({name: read(text)}, {})])
        case ["without", *_]:
            return Maps([SAME])
    raise NotConfirmed(f"the move {move[0]!r} is not one that Z3 is asked about")


def _or(case: Case) -> Maps:
    c = case.guard[0] if case.guard else None
    if not isinstance(c, Either):
        raise NotConfirmed("no `or` comes next")
    return Maps([SAME, SAME], c.first)


def _if(case: Case, p: str, q: str) -> Maps:
    return Maps([SAME, SAME], Less(read(p), read(q)))


def _cut(case: Case, x: str, at: str) -> Maps:
    c, e = symbol(x), read(at)
    return Maps([SAME, Branch({x: c - e}, {x: c + e})], Less(c, e))


def _digits(case: Case, x: str, d: str, count: str, first: str, last: str) -> Maps:
    c, step = symbol(x), read(d)
    forth = {first: FloorDiv(c, step), last: Mod(c, step)}
    digits = Division(step, symbol(first), symbol(last), read(count))
    return Maps([Branch(forth, {x: step * digits.quotient + digits.remainder}, (), [digits])])


def _merge(case: Case, x: str, z: str, y: str) -> Maps:
    step, new = case.extent(symbol(z)), symbol(y)
    forth = {y: step * symbol(x) + symbol(z)}
    back = {x: FloorDiv(new, step), z: Mod(new, step)}
    return Maps([Branch(forth, back, [Division(step, symbol(x), symbol(z))])])


def _renamed(case: Case, way: str, *texts: str) -> Maps:
    """A rotation; what else renames coordinates has no inverse that is one expression."""
    if way != "turn" or len(texts) < 4:
        raise NotConfirmed(f"no maps of the move 'renamed {way}'")
    x, y, size, text = texts[:4]
    c, new, n, e = symbol(x), symbol(y), read(size), read(text)
    if not isinstance(e, Mod):
        raise NotConfirmed(f"{e} is not a remainder")
    for sign in (1, -1):
        rest = expand(e.args[0] - sign * c)
        if c not in rest.free_symbols:
            back = sign * (new - rest)
            here = Division(n, -sign * FloorDiv(e.args[0], n), c)
            there = Division(n, -sign * FloorDiv(back, n), new)
            return Maps([Branch({y: e}, {x: Mod(back, n)}, [here], [there])])
    raise NotConfirmed(f"{e} is not a rotation of {c}")


CASES: dict[str, Callable[..., Any]] = {
    "or": _or,
    "if": _if,
    "cut": _cut,
    "digits": _digits,
    "merge": _merge,
    "renamed": _renamed,
    **dict.fromkeys(("true", "keep", "widen", "extent"), lambda case, *texts: Maps([SAME])),
    **dict.fromkeys(("false", "empty"), lambda case, *texts: Maps([])),
}
