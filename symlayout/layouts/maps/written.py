"""What a map computes, as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from symlayout.expr.machine import Machine
from symlayout.expr.reader import Scanner
from symlayout.expr.term import Term
from symlayout.expr.tree import Integer
from symlayout.expr.written import Placed, Spelling, as_written, with_types
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import MapReader

if TYPE_CHECKING:
    from symlayout.layouts.maps.terms import TermMap

REMEMBERED = 32  # maps: a claim's is read by each of the steps that check it


class WrittenMap(NamedTuple):
    """The terms of a map: ranges as name, first value and end; guard, definitions, results, box.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> made = written_map(read_map("map i < N: q = i/8; (q, i - q*8)"))
    >>> made.text(made.results[1])
    'i - q*8'
    """

    guard: Term | None
    lets: tuple[tuple[str, Term], ...]
    results: tuple[Term, ...]
    ranges: tuple[tuple[str, Term, Term], ...] = ()
    box: tuple[Term, ...] = ()
    texts: Mapping[Term, str] = {}
    origins: Mapping[Term, Term] = {}  # of terms with types: those that are written

    def text(self, term: Term) -> str:
        """A part of it as it is written."""
        term = self.origins.get(term, term)
        if term.op == "name":
            return term.word
        return self.texts.get(term) or term.text(typed=True)

    def typed(self, names: Mapping[str, Machine]) -> WrittenMap:
        """The guard, the definitions and the results where names have these types; others are int.

        A definition has the type of what it is.
        """
        lets, every = dict[str, Machine | None](), list[tuple[str, Term]]()
        known: dict[Term, Term] = {}

        def change(term: Term) -> Term:
            return with_types(term, names, lets, known)

        guard = None if self.guard is None else change(self.guard)
        for name, term in self.lets:
            every.append((name, change(term)))
            lets[name] = every[-1][1].type
        results = tuple(map(change, self.results))
        origins = {new: old for old, new in known.items()}
        return WrittenMap(guard, tuple(every), results, texts=self.texts, origins=origins)


def written_map(f: IndexFunction) -> WrittenMap:
    """The terms of a map; of one that has no text, in the order in which code computes it."""
    if f.source is not None:
        terms = getattr(f.source[0], "terms", None)  # of a `MapText`
        return _of_text(*f.source) if terms is None else _of_terms(terms)
    spelling = Spelling()
    spell = spelling.of
    guard = None if f._guard is None else spell(f._guard)
    lets = tuple((n, spell(e)) for n, e in f._lets)
    ranges = tuple((v.name, spell(v._low), spell(v._high)) for v in f.variables)
    box = tuple(map(spell, f._box or ()))
    return WrittenMap(guard, lets, tuple(map(spell, f._results)), ranges, box, spelling.texts)


@lru_cache(maxsize=REMEMBERED)
def _of_text(text: str, language: str | None) -> WrittenMap:
    scanner = Scanner(text, language=language)
    texts = as_written(scanner)
    read: Any = _Reader(scanner).whole()
    ranges = tuple((v.name, zero_or(v._low), v._high.term) for v in read.variables)
    guard = None if read._guard is None else read._guard.term
    lets = tuple((n, e.term) for n, e in read._lets)
    results, box = (tuple(e.term for e in row or ()) for row in (read._results, read._box))
    return WrittenMap(guard, lets, results, ranges, box, texts)


def _of_terms(terms: TermMap) -> WrittenMap:
    """The terms that a map is made of."""
    spelling = Spelling()
    results, box = (
        tuple(e if isinstance(e, Term) else spelling.of(e) for e in row or ())
        for row in (terms.results, terms.box)
    )
    texts = {**spelling.texts, **terms.texts}
    return WrittenMap(terms.guard, terms.lets, results, terms.ranges, box, texts)


def zero_or(low: Any) -> Term:
    """The term of a range's first value; the reader puts the number 0 where none is written."""
    return low.term if isinstance(low, Placed) else Spelling().of(Integer(0))


class _Reader(MapReader):
    """The reader of maps, with terms for expressions."""

    def free_of_variables(self, box: Any, at: int) -> None:
        """Nothing: the text has been read as a map."""
