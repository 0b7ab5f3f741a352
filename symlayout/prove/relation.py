"""`holds`: a relation between integer expressions is true for all numbers that satisfy the facts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from symlayout.digits.assume import context_of
from symlayout.digits.bounds import Meter
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.digits.simplification import coordinate_kinds
from symlayout.errors import LayoutError
from symlayout.expr.facts import MIRRORED, Facts, Relation
from symlayout.expr.reader import any_name
from symlayout.expr.terms import BITS, as_expr
from symlayout.expr.tree import Expr
from symlayout.layouts.demands import Demand
from symlayout.prove.applied import read_applied
from symlayout.prove.decide import all_names
from symlayout.prove.question import Question
from symlayout.prove.run import Effort
from symlayout.prove.statement import Goal, Statement
from symlayout.prove.word import states
from symlayout.prove.written import check_names
from symlayout.text.patterns import regex

ARITHMETIC = regex(
    r"if|else|and|or|not|min|max|abs|ceildiv|ceil_div|cdiv|floordiv|mod|truncdiv|truncmod"
    r"|u?int32|u?int64|size_t"
).fullmatch


@states
def holds(relation: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """A relation between expressions, or each of a chain of them, is true.

    >>> holds("(L*d + e)//d == L", where="0 <= e < d").status
    'proved'
    >>> holds("L*d + e < P*d", where=["0 <= e < d", "0 <= L <= P"]).counterexample.sizes
    {'L': 1, 'd': 1, 'e': 0, 'P': 1}

    `relation` is a text or a SymPy relation; its symbols are integers, at least 1 unless a fact gives
    another lower bound.  Raises `LayoutError` (SL300) for what is no relation.
    """
    argument = Facts.read(where)
    read, own, demands = read_relation(relation, argument)
    facts = argument.with_least(*[side for r in read for side in (r.left, r.right)])
    check_names(facts, own, relation)  # before the names of facts become the claim's

    def prove(ctx: Context, effort: Effort) -> Attempt:
        try:
            attempt = statement.in_digits(ctx, effort)
        except Undecided as why:
            attempt = Attempt(False, str(why))
        if attempt.proved:
            return attempt
        for again in (as_coordinates, turned_round, of_bits):
            later = again(statement, effort, ctx.meter)
            if later is not None:
                return later
        return attempt

    note = "{goal} is false: {left} against {right}"
    goals = [Goal(r.left, r.op, r.right, note) for r in read]
    statement = Statement(closure(own, facts), facts, goals, demands=demands, strategy=prove)
    return statement


def read_relation(
    relation: Any, facts: Facts
) -> tuple[tuple[Relation, ...], tuple[str, ...], tuple[Demand, ...]]:
    """The relations, their symbols in the order in which they are written, and what they demand.

    Raises `LayoutError` (SL300) for what is not a relation.
    """
    order: dict[str, None] = {}

    def names(word: str) -> Expr | None:
        order.setdefault(word)
        return any_name(word)

    demands: tuple[Demand, ...] = ()
    if isinstance(relation, str):
        read, demands = read_applied(relation, facts, names)
    else:
        read = Facts.read(relation).relations
    if not read:
        raise LayoutError("SL300", f"{relation!r} is not a relation")
    hits = all_names(*[side for r in read for side in (r.left, r.right)])
    hits += tuple(n for d in demands for n in d.names)
    plain = isinstance(relation, str) and not {".", "["} & {*relation}
    plain = plain and all(map(ARITHMETIC, words_called(relation)))
    # what drops out, as C of `C*0`, has a value as well; what is called, or a word, has none
    symbols = [n for n in order if n in hits or (plain and not ARITHMETIC(n))]
    return read, tuple(dict.fromkeys([*symbols, *hits])), demands


def words_called(text: str) -> set[str]:
    """The words before a parenthesis.

    >>> sorted(words_called("min(a, size (b)) % (c)"))
    ['min', 'size']
    """
    return set(re.findall(r"([A-Za-z_]\w*)\s*\(", text))


def closure(names: tuple[str, ...], facts: Facts) -> tuple[str, ...]:
    """The names, and those that facts tie to them: `a < c` may follow from `a < b` and `b < c`."""
    known = dict.fromkeys(names)
    size = -1
    while size < len(known):
        size = len(known)
        for r in facts.relations:
            if r.names & known.keys():
                known |= dict.fromkeys(sorted(r.names))
    return tuple(known)


def as_coordinates(statement: Statement, effort: Effort, meter: Meter) -> Attempt | None:
    """A proof with symbols that start at 0 as coordinates: `x < P*d` is then the end of x's range.

    Without that it would be a constraint beside the range, or make d depend on x.
    """
    kinds = coordinate_kinds(statement.facts)
    return once_more(statement, kinds, effort, meter) if kinds else None


def turned_round(statement: Statement, effort: Effort, meter: Meter) -> Attempt | None:
    """A proof with the right sides first: what is split first decides what is seen of a symbol."""
    goals = [g._replace(left=g.right, op=MIRRORED[g.op], right=g.left) for g in statement.goals]
    return once_more(replace(statement, goals=goals[::-1]), {}, effort, meter)


def once_more(
    statement: Statement, kinds: dict[str, str], effort: Effort, meter: Meter
) -> Attempt | None:
    """A proof in a context of its own, if there is one."""
    ctx = context_of(statement.facts, statement.known, kinds, meter)
    try:
        attempt = statement.in_digits(ctx, effort)
    except Undecided:
        return None
    return attempt if attempt.proved else None


def of_bits(statement: Statement, effort: Effort, meter: Meter) -> Attempt | None:
    """A proof of what operations on bits are, by the moves of index functions, if there is one."""
    if not any(as_expr(side).has(*BITS) for g in statement.goals for side in g.sides):
        return None
    attempt = statement.in_cases(effort, meter)
    return attempt if attempt.proved else None
