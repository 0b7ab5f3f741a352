"""Addresses as terms: the parameter that one begins with, and what it is chosen from."""

from __future__ import annotations

from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import TRUE, both, negation, rebuilt, terms


def ways_of(node: Term) -> list[tuple[Term, Term, Term]]:
    """The addresses that one is chosen from: the condition, what it begins with, the address."""
    if node.op == "where":
        c, a, b = node.args
        return [
            (both(x, d), start, one)
            for x, way in ((c, a), (negation(c), b))
            for d, start, one in ways_of(way)
        ]
    if node.op not in ("+", "-", "cast"):
        return [(TRUE, node, node)]
    first, *rest = node.args
    return [(c, start, rebuilt(node, (one, *rest))) for c, start, one in ways_of(first)]


def pointer_of(node: Term, parameters: frozenset[str]) -> Term | None:
    """The parameter that an address begins with: the first term of sums."""
    while node.op in ("+", "-", "where", "cast"):
        node = node.args[1 if node.op == "where" else 0]
    return node if node.op == "name" and node.word in parameters else None


def pointer_first(node: Term, parameters: frozenset[str]) -> Term:
    """`offsets + pointer` as `pointer + offsets`: of terms that are numbers otherwise the only name."""
    parts = terms(node)
    names = [t for t, _ in parts if t.op == "name" and t.word in parameters]
    plain = ("num", "lane", "name", "*", "//", "%", "/", "rem")
    if len(names) != 1 or any(t.op not in plain or sign < 0 for t, sign in parts):
        return node
    return _first(node, names[0])


def _first(node: Term, term: Term) -> Term:
    """The sum with this term in front."""
    if node.op != "+":
        return node
    a, b = node.args
    a, b = (b, a) if (term, 1) in terms(b) else (a, b)
    return Term("+", (_first(a, term), b))
