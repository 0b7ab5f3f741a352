"""What every language is given: parameters, a guard, definitions and results, in this order.

A layout's offset is the one result of a function without a guard.  Values are integers without end
in Python and SymPy, and machine integers elsewhere: casts, which change no value, are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less, sides
from symlayout.expr.facts import Facts
from symlayout.expr.intervals import Range, allowed, interval
from symlayout.expr.terms import DIVISIONS, PARTIAL, Where, put, symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction, function_of
from symlayout.prove.maps.everywhere import never_below
from symlayout.render.emit.lines import Text, parameters, safe_names
from symlayout.text.once import cached_property


@dataclass(frozen=True)
class Source:
    """An index function under a name; `layout` is whose offset it is, if one's."""

    f: IndexFunction
    name: str
    parameters: tuple[Symbol, ...]
    facts: Facts
    layout: IndexMap | None = None

    @property
    def coords(self) -> list[Symbol]:
        """The variables: the first parameters."""
        return [symbol(v.name) for v in self.f.variables]

    @property
    def sizes(self) -> list[Symbol]:
        """The other parameters."""
        return list(self.parameters[len(self.f.variables) :])

    @property
    def single(self) -> bool:
        """Whether it is one number at every point."""
        return self.f._guard is None and not self.f.tupled

    @property
    def lets(self) -> list[tuple[Symbol, Expr]]:
        """The definitions in order."""
        return [(symbol(n), e) for n, e in self.f._lets]

    @property
    def written(self) -> dict[Symbol, Expr]:
        """The definitions by name, of parameters alone."""
        return {s: whole for (s, _), whole in zip(self.lets, self.f._evaluated)}

    @property
    def sides(self) -> list[Expr]:
        """What the guard compares."""
        return sides(self.f._guard) if self.f._guard else []

    @property
    def expressions(self) -> list[Expr]:
        """All that is computed."""
        return [*self.sides, *[e for _, e in self.lets], *self.f._results]

    def names(self, reserved: Collection[str], *others: str) -> dict[Symbol, str]:
        """Names that the language allows, for parameters and definitions."""
        if self.name in reserved or self.name in others:
            raise LayoutError(
                "SL600", f"{self.name!r} is a word of the code, not a name for a function"
            )
        own = [*self.parameters, *[s for s, _ in self.lets]]
        return safe_names(own, reserved, (self.name, *others))

    @cached_property
    def ranges(self) -> dict[str, Range]:
        """The values of the parameters, as far as their ranges and the facts say."""
        facts = self.facts.with_least(*self.sizes)
        result = allowed(facts, [s.name for s in self.sizes])
        for v in self.f.variables:
            low, high = interval(v._low, result)[0], interval(v._high, result)[1]
            result[v.name] = (low, high - 1)
        return result

    @cached_property
    def proved(self) -> dict[Expr, int]:
        """Least values, where the guard is true, of operands that their parts leave open.

        They are asked of maps: a layout's coordinates and sizes are in ranges that decide them.
        """
        if self.layout is not None or self.facts.names & {s.name for s in self.coords}:
            return {}
        known, written = dict(self.ranges), self.written
        for s, e in self.lets:
            known[s.name] = interval(e, known)
        values = [*[e for _, e in self.lets], *self.f._results]
        pairs = [d.args for e in values for d in e.atoms(*DIVISIONS)]
        goals = [(e, low) for a, b in pairs for e, low in ((b, 1), (a, 0))]
        goals = [q for q in dict.fromkeys(goals) if interval(q[0], known)[0] < q[1]]
        expansions = [(put(e, written), low) for e, low in goals]
        bounds = [q for q, yes in zip(goals, never_below(self.f, self.facts, expansions)) if yes]
        return dict(sorted(bounds, key=lambda q: q[1]))  # of one asked twice, the greater

    @property
    def before(self) -> Bounds:
        """What is known of the parameters where the guard is yet to be asked."""
        return Bounds(self, {})

    @property
    def inside(self) -> Bounds:
        """What is known of them where it is true."""
        return Bounds(self, self.proved)

    @property
    def shared(self) -> bool:
        """Whether parts of the results may be computed before them, whatever branch they are of."""
        bounds, values = self.inside, [*[e for _, e in self.lets], *self.f._results]
        for definition in self.lets:
            bounds.define(*definition)
        return not any(e.has(Where) for e in values) or all(map(bounds.everywhere, values))


def of_layout(layout: IndexMap, formula: Expr, name: str, facts: Facts) -> Source:
    """The offset of a layout, by that formula."""
    f = replace(function_of(layout), _results=(formula,), tupled=False)
    return Source(f, name, tuple(parameters(layout, formula)), facts, layout)


def of_function(f: IndexFunction, name: str, facts: Facts) -> Source:
    """A map with all that it has."""
    return Source(
        f, name, tuple(symbol(n) for n in (*[v.name for v in f.variables], *f.names)), facts
    )


class Bounds:
    """Least values: of names by their ranges, of expressions as they are proved."""

    def __init__(self, source: Source, proved: Mapping[Expr, int]) -> None:
        self.ranges, self.proved, self.facts = dict(source.ranges), proved, source.facts
        self.used: dict[str, None] = {}

    def define(self, s: Symbol, e: Expr) -> None:
        """Takes note of a definition."""
        self.ranges[s.name] = interval(e, self.ranges)
        low, high = self.ranges[s.name]
        if s in self.proved and self.at_least(s, self.proved[s]):
            self.ranges[s.name] = (max(low, self.proved[s]), high)

    def at_least(self, e: Expr, low: int) -> bool:
        """Whether the value is known to be at least that; what is proved of it is then used."""
        if interval(e, self.ranges)[0] >= low:
            return True
        if not self.knows(e, low):
            return False
        self.used[f"{e} >= {low}"] = None
        return True

    def knows(self, e: Expr, low: int) -> bool:
        """Whether that could be used."""
        return interval(e, self.ranges)[0] >= low or self.proved.get(e, low - 1) >= low

    def positive(self, e: Expr) -> bool:
        """Whether the value is known to be at least 1."""
        return self.at_least(e, 1)

    def everywhere(self, e: Expr) -> bool:
        """Whether it has a value wherever it is computed, in a branch or before it."""
        natural = [x.args[k] for x in e.atoms(*PARTIAL) for k in x.row.natural]
        return self.divides(e) and all(self.at_least(a, 0) for a in natural)

    def divides(self, e: Expr) -> bool:
        """Whether no divisor in it is 0, wherever it is computed."""
        divisors = [d.args[1] for d in e.atoms(*DIVISIONS)]
        return all(self.positive(d) or interval(d, self.ranges)[1] <= -1 for d in divisors)

    @property
    def comment(self) -> str:
        """The sentence that says what was used of what is proved."""
        where = ", ".join(map(str, self.facts.relations))
        text = f"{', '.join(self.used)}: proved for all points of the map"
        return text * bool(self.used) + f" where {where}" * bool(self.used and where)


def condition(
    g: Condition, code: Callable[[Expr], str], both: str, either: str, less: str = "{} < {}"
) -> Text:
    """A condition in a language that has these words for `and` and `or`."""
    if isinstance(g, Less):
        return Text(less.format(code(g.left), code(g.right)))
    parts = [(h, condition(h, code, both, either, less).code) for h in (g.first, g.second)]
    texts = [t if isinstance(h, Less) else f"({t})" for h, t in parts]
    return Text(f" {both if isinstance(g, Both) else either} ".join(texts))
