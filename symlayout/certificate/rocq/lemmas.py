"""The laws of certificates as lemmas of Rocq: their statements, whose proofs are in `proofs/coq`."""

from __future__ import annotations

from symlayout.certificate.proof import Law, laws
from symlayout.certificate.rocq.terms import implied, name, outer, relation, term
from symlayout.expr.reader import read_expression


def lemma_name(law: str) -> str:
    """What the lemma of a law is called."""
    return f"law_{law}"


def lemma(word: str) -> str:
    """The statement of a law as a lemma: what it introduces are unknowns that equal something.

    >>> print(lemma("R2"))
    Lemma law_R2 : forall d q r : Z,
      d >= 1 ->
      r >= 0 ->
      r < d ->
      (r + d * q) / d = q /\\ (r + d * q) mod d = r.
    """
    law = laws()[word]
    unknowns = " ".join(map(name, (*law.variables, *law.new)))
    after = r" /\ ".join(map(relation, law.conclusions))
    body = implied([*definitions(law), *map(relation, law.premises)], after)
    return f"Lemma {lemma_name(word)} : forall {unknowns} : Z,\n  {body}."


def definitions(law: Law) -> list[str]:
    """What the new unknowns of a law equal."""
    return [f"{name(v)} = {outer(term(read_expression(text)))}" for v, text in law.new.items()]
