"""A map that is made of terms: its text is for people, the cache and the checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.normal import condition, normal
from symlayout.expr.term import Term
from symlayout.expr.tree import Expr
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.layouts.maps.reader import RESERVED
from symlayout.layouts.notation import Text
from symlayout.text.limits import CHARACTERS, COMPARISONS, RANK


class Part(NamedTuple):
    """A result of a map, or a side of its box: how it is written, and what that says."""

    text: str
    says: Term | Expr


@dataclass(frozen=True)
class TermMap:
    """The ranges of variables, conditions, definitions and results of a map, as written terms."""

    ranges: tuple[tuple[str, Term, Term], ...]
    conditions: tuple[Term, ...]
    results: tuple[Term | Expr, ...]
    box: tuple[Term | Expr, ...] | None = None
    lets: tuple[tuple[str, Term], ...] = ()
    texts: Mapping[Term, str] = field(default_factory=dict)  # of results, as they are written

    @property
    def guard(self) -> Term | None:
        """All conditions together."""
        every = self.conditions
        return reduce(lambda a, b: Term("and", (a, b)), every) if every else None

    def function(self) -> IndexFunction | None:
        """What its text reads as; None where the reader of texts has something to say about it."""
        guard = self.guard
        tests = sum(t.is_condition for e in self._terms for t in _every(e))
        if max(len(self.ranges), len(self.results)) > RANK or tests > COMPARISONS:
            return None
        try:
            if not self._is_named_apart():
                return None
            variables = tuple(Variable(w, normal(a), normal(b)) for w, a, b in self.ranges)
            lets = tuple((w, normal(e)) for w, e in self.lets)
            results = tuple(map(_expression, self.results))
            box = None if self.box is None else tuple(map(_expression, self.box))
            test = None if guard is None else condition(guard)
            return IndexFunction(variables, results, box, test, lets, len(results) > 1)
        except LayoutError:
            return None

    @property
    def _terms(self) -> list[Term]:
        ends = [e for _, *ends in self.ranges for e in ends]
        own = [e for e in (*self.results, *(self.box or ())) if isinstance(e, Term)]
        return [*ends, *filter(None, [self.guard]), *[e for _, e in self.lets], *own]

    def _is_named_apart(self) -> bool:
        """Whether names are no words of the language, and variables are not used before."""
        used, own = set[str](), set[str]()
        for word, low, high in self.ranges:
            used |= low.names | high.names
            if word in used:
                return False
            used.add(word)
            own.add(word)
        used |= set[str]().union(*[c.names for c in self.conditions])
        for word, e in self.lets:
            used |= e.names
            if word in used:
                return False
            used.add(word)
            own.add(word)
        sides = set[str]().union(*[_names(e) for e in self.box or ()])
        names = used.union(*[_names(e) for e in self.results], sides)
        return own.isdisjoint(sides) and not any("." in n or RESERVED(n) for n in names)


def _every(term: Term) -> list[Term]:
    """A condition's parts, each as often as it occurs."""
    return [term, *[t for a in term.args for t in _every(a)]]


def _expression(e: Term | Expr) -> Expr:
    return normal(e) if isinstance(e, Term) else e


def _names(e: Term | Expr) -> set[str]:
    return {*e.names} if isinstance(e, Term) else {x.name for x in e.free_symbols}


class MapText(Text):
    """The text of a map of terms.  What it says is made of the terms: no grammar reads the text."""

    terms: TermMap

    def __new__(cls, text: str, terms: Any = None) -> MapText:
        """The text, and the terms that it says."""
        result = super().__new__(cls, text)
        assert isinstance(result, MapText)
        result.terms = terms
        return result

    def read(self) -> Any:
        """The map of the terms, with this text as its source."""
        f = self.terms.function() if len(self) <= CHARACTERS else None
        return super().read() if f is None else replace(f, source=(self, None))

    def with_lets(self, text: str, lets: Sequence[tuple[str, Term]]) -> MapText:
        """The map with definitions before its results, and its text with these."""
        terms = replace(self.terms, lets=(*lets, *self.terms.lets))
        return MapText(text, terms)


def row(parts: Sequence[Part]) -> str:
    """One part, or several in parentheses."""
    texts = [p.text for p in parts]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def map_text(
    domain: str,
    terms: TermMap,
    results: Sequence[Part],
    box: Sequence[Part] | None = None,
) -> MapText:
    """The text of a map whose variables and conditions are written already."""
    end = "" if box is None else f" in {row(box)}"
    says = tuple(p.says for p in results), None if box is None else tuple(p.says for p in box)
    texts = {p.says: p.text for p in results if isinstance(p.says, Term)}
    own = replace(terms, results=says[0], box=says[1], texts=texts)
    return MapText(f"map {domain}: {row(results)}{end}", own)
