"""What every language is given: parameters, a guard, definitions and results, in this order.

A layout's offset is the one result of a function without a guard.  Values are integers without end
in Python and SymPy, and machine integers elsewhere: casts, which change no value, are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from symlayout.expr.conditions import Both, Condition, Less, leaves
from symlayout.expr.facts import Facts
from symlayout.expr.intervals import Range, allowed, interval
from symlayout.expr.operations import Where
from symlayout.expr.terms import DIVISIONS, symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction, function_of
from symlayout.render.emit.lines import Text, parameters, safe_names


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
        return self.f.guard is None and not self.f.tupled

    @property
    def lets(self) -> list[tuple[Symbol, Expr]]:
        """The definitions in order."""
        return [(symbol(n), e) for n, e in self.f.lets]

    @property
    def sides(self) -> list[Expr]:
        """What the guard compares."""
        guard = leaves(self.f.guard) if self.f.guard else ()
        return [e for c in guard for e in (c.left, c.right)]

    @property
    def expressions(self) -> list[Expr]:
        """All that is computed."""
        return [*self.sides, *[e for _, e in self.lets], *self.f.results]

    def names(self, reserved: Collection[str], *taken: str) -> dict[Symbol, str]:
        """Names that the language allows, for parameters and definitions."""
        own = [*self.parameters, *[s for s, _ in self.lets]]
        return safe_names(own, reserved, (self.name, *taken))

    @cached_property
    def known(self) -> dict[str, Range]:
        """The values of the parameters, as far as their ranges and the facts say."""
        facts = self.facts.with_least(*self.sizes)
        result = allowed(facts, [s.name for s in self.sizes])
        for v in self.f.variables:
            low, high = interval(v.low, result)[0], interval(v.high, result)[1]
            result[v.name] = (low, high - 1)
        return result

    @property
    def shared(self) -> bool:
        """Whether parts of the result may be computed before it, whatever branch they are of."""
        if self.lets or len(self.f.results) > 1:
            return False
        return not self.f.results[0].has(Where) or everywhere(self.f.results[0], self.known)


def of_layout(layout: IndexMap, formula: Expr, name: str, facts: Facts) -> Source:
    """The offset of a layout, by that formula."""
    f = replace(function_of(layout), results=(formula,), tupled=False)
    return Source(f, name, tuple(parameters(layout, formula)), facts, layout)


def of_function(f: IndexFunction, name: str, facts: Facts) -> Source:
    """A map with all that it has."""
    return Source(
        f, name, tuple(symbol(n) for n in (*[v.name for v in f.variables], *f.names)), facts
    )


def positive(e: Expr, known: Mapping[str, Range]) -> bool:
    """Whether the value is known to be at least 1."""
    return interval(e, known)[0] >= 1


def everywhere(e: Expr, known: Mapping[str, Range]) -> bool:
    """Whether it has a value wherever it is computed, in a branch or before it."""
    return all(positive(d.args[1], known) for d in e.atoms(*DIVISIONS))


def condition(
    g: Condition, code: Callable[[Expr], str], both: str, either: str, less: str = "{} < {}"
) -> Text:
    """A condition in a language that has these words for `and` and `or`."""
    if isinstance(g, Less):
        return Text(less.format(code(g.left), code(g.right)))
    parts = [(h, condition(h, code, both, either, less).code) for h in (g.first, g.second)]
    texts = [t if isinstance(h, Less) else f"({t})" for h, t in parts]
    return Text(f" {both if isinstance(g, Both) else either} ".join(texts))
