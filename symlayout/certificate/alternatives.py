"""Facts with alternatives, for the checker: its own reading of the cases.

A case is one alternative of every fact.  Its certificate is of the same claim under its relations, or
shows that these contradict each other: that one of them is false wherever the others hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from symlayout.certificate.proof import Malformed
from symlayout.expr.relations import Relation, read_relations

ALTERNATIVES = "alternatives"  # how such a certificate says that it is one
MOST_CASES = 64
DEEPEST = 50
TOKEN = re.compile(r"\s*(?:(\|\||&&|[<>=!]=|[(){},]|(?:or|and|in)(?!\w))|(\w+|.))", re.S)
Case = frozenset[Relation]


def cases_of(fact: str, depth: int = 0) -> list[Case]:
    """The cases of a fact: the relations of each hold together.

    >>> [sorted(map(str, case)) for case in cases_of("(M < 2 or N in {4, 8}) and N > 1")]
    [['M < 2', 'N > 1'], ['N == 4', 'N > 1'], ['N == 8', 'N > 1']]
    """
    if depth > DEEPEST:
        raise Malformed(f"facts: alternatives are nested too deeply; the limit is {DEEPEST}")
    results = [case for part in _split(fact, ("or", "||")) for case in _together(part, depth)]
    if len(results) > MOST_CASES:
        raise Malformed(f"facts: a fact of {len(results)} cases; the limit is {MOST_CASES}")
    return results


def _together(fact: str, depth: int) -> list[Case]:
    results: list[Case] = [frozenset()]
    for part in _split(fact, ("and", "&&")):
        more = _single(part.strip(), depth)
        results = [a | b for a in results for b in more]
        if len(results) > MOST_CASES:
            raise Malformed(f"facts: a fact of more than {MOST_CASES} cases")
    return results


def _single(part: str, depth: int) -> list[Case]:
    """The cases of what neither `or` nor `and` joins."""
    if part.startswith("(") and _closed(part):  # an expression alone is not a fact
        return cases_of(part[1:-1], depth + 1)
    sides = _split(part, ("in",))
    if len(sides) == 2 and sides[1].strip().startswith("{") and sides[1].strip().endswith("}"):
        numbers = _split(sides[1].strip()[1:-1], (",",))
        return [frozenset(read_relations(f"({sides[0]}) == ({n})")) for n in numbers]
    return [frozenset(read_relations(part))]


def _tokens(fact: str) -> Iterator[tuple[str, int, int, int]]:
    """Each word or sign with its bracket depth, its start and its end."""
    depth = 0
    for match in TOKEN.finditer(fact):
        word = match[1] or match[2]
        depth -= word in (")", "}")
        yield word, depth, match.end() - len(word), match.end()
        depth += word in ("(", "{")


def _split(fact: str, signs: Sequence[str]) -> list[str]:
    """The parts between signs that are outside of brackets."""
    parts, start = [], 0
    for word, depth, at, end in _tokens(fact):
        if depth == 0 and word in signs:
            parts.append(fact[start:at])
            start = end
    return [*parts, fact[start:]]


def _closed(part: str) -> bool:
    """Whether the first bracket is closed by the last one."""
    ends = [end for word, depth, _, end in _tokens(part) if word == ")" and depth == 0]
    return bool(ends) and ends[0] == len(part)


def meaning(fact: str) -> list[Any]:
    """What a fact says, for comparing: its relations, or its cases as one."""
    cases = cases_of(fact)
    return list(cases[0]) if len(cases) == 1 else [frozenset(cases)]


def spelling(fact: Any) -> str:
    """The text of a relation or of cases."""
    if isinstance(fact, Relation):
        return str(fact)
    return " or ".join(sorted(" and ".join(sorted(map(str, case))) for case in fact))


def combined(facts: Sequence[str]) -> list[Case]:
    """The cases of all facts together."""
    each = [cases_of(f) for f in facts]
    count = 1
    for cases in each:
        count *= len(cases)
    if count > MOST_CASES:
        raise Malformed(f"facts: {count} cases together; the limit is {MOST_CASES}")
    return [frozenset().union(*combination) for combination in product(*each)]
