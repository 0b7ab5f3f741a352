"""A claim as a query in SMT-LIB 2, for any solver."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

from symlayout.certificate.codec import read_statement, read_texts
from symlayout.certificate.confirm.queries import CONFIRMED, Questions
from symlayout.certificate.confirm.solving import text_of
from symlayout.certificate.elaborator import claim_json, facts_of
from symlayout.certificate.exact import FREE, Rejected
from symlayout.certificate.proof import Statement, Texts
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.layouts.claim import Claim as Asked
from symlayout.prove.maps.script import scripts_of


def smt_lib(question: Asked) -> str:
    """The claim as it is as one query in SMT-LIB 2: a solver that says "unsat" confirms it.

    Raises `LayoutError` (SL106) for a claim that is not turned into formulas.
    """
    from symlayout.text.solver import z3

    if question.word not in CONFIRMED:
        raise LayoutError("SL106", f"claims of {question.word} are not written as SMT-LIB")
    try:
        questions = Questions(claim_of(statement_of(question)))
        rows = [(name, ways) for name, ways in questions.obligations(Texts())]
    except Rejected as error:
        raise LayoutError("SL106", f"the claim is not turned into formulas: {error}") from None
    if any(not ways or len(ways[0]) != 1 for _, ways in rows):
        raise LayoutError("SL106", "part of the claim is not a formula without its certificate")
    queries = [ways[0][0] for _, ways in rows]
    goal = questions.both([z3.Implies(questions.both(q.hypotheses), q.goal) for q in queries])
    text = text_of(questions.axioms, goal, questions.context)
    return f"; {' '.join(str(question).split())}\n; unsat: the claim holds for all sizes\n{text}"


def back_of(question: Asked) -> Texts | None:
    """The expressions of a proof by a function that gives back each point; None for any other.

    They are known before a certificate is made.
    """
    facts = facts_of(question)
    with suppress(LayoutError, Rejected):
        claim = claim_of(statement_of(question))
        if claim.by_script and claim.of_places:
            scripts = scripts_of(question.word, question.arguments, question.options, facts)
            script = next(scripts, ())
            if any(move[0] == "back" for move in script):
                return read_texts({"offset": "offset", "script": script})
    return None


@lru_cache(maxsize=2)
def claim_of(statement: Statement) -> Claim:
    """A claim that Z3 is asked about in several ways, one after the other; not to be changed."""
    return Claim(statement, work=FREE)


def statement_of(question: Asked) -> Statement:
    """The claim as the text that a certificate has."""
    table = claim_json(question, facts_of(question))
    return read_statement(table["claim"], table["facts"])
