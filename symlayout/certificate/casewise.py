"""Certificates of a claim whose facts have alternatives: one for each case, or that it is empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symlayout.certificate.alternatives import MOST_CASES, Case, combined
from symlayout.certificate.codec import FORMAT, VERSION, entries, read_statement, table, text
from symlayout.certificate.exact import Rejected, Work
from symlayout.certificate.proof import Malformed, Proof, Statement
from symlayout.certificate.reading import least_given
from symlayout.expr.relations import Relation, read_relations
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Integer

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
Verify = Callable[[Mapping[str, Any]], tuple[Proof, set[str]]]


def read_alternatives(data: Any) -> tuple[Statement, list[Any]]:
    """The claim and the certificates of its cases."""
    t = table(data, "certificate", ("format", "version", "claim", "facts", "by", "cases", "seal"))
    if (type(t["version"]), t["format"], t["version"]) != (int, FORMAT, VERSION):
        raise Malformed(f"not a {FORMAT} of version {VERSION}")
    text(t["seal"], "seal", r"[0-9a-f]{64}")
    return read_statement(t["claim"], t["facts"]), entries(t["cases"], "cases", MOST_CASES)


def verify_cases(
    statement: Statement, certificates: Sequence[Mapping[str, Any]], verify: Verify, work: Work
) -> set[str]:
    """What the cases rely on; raises `Rejected` for one that is not shown.

    `verify` reads a certificate and verifies it.
    """
    cases = combined(statement.facts)
    if len(certificates) != len(cases):
        raise Rejected(f"cases: {len(certificates)} certificates for {len(cases)} cases")
    grounds: set[str] = set()
    for k, (case, certificate) in enumerate(zip(cases, certificates)):
        try:
            proof, relied = verify(certificate)
            if not (_is_case(proof, statement, case) or is_empty(proof, case, work)):
                raise Rejected("it is for another claim")
        except Rejected as error:
            raise Rejected(f"case {k}: {error}") from None
        grounds |= relied
    return grounds


def _relations(statement: Statement) -> Case:
    return frozenset(r for f in statement.facts for r in read_relations(f))


def _is_case(proof: Proof, statement: Statement, case: Case) -> bool:
    """Whether the proof is of the claim under the case's relations."""
    same = (statement.word, statement.arguments, statement.options)
    own = (proof.claim.word, proof.claim.arguments, proof.claim.options)
    return own == same and _relations(proof.claim) == case


def is_empty(proof: Proof, case: Case, work: Work) -> bool:
    """Whether it shows that one relation of the case is false wherever the others hold.

    What it takes as given has to follow from the case, also that sizes are at least 1.
    """
    claim = proof.claim
    if claim.word != "holds" or claim.options or not isinstance(claim.arguments[0], str):
        return False
    targets = read_relations(claim.arguments[0])
    if len(targets) != 1:
        return False
    target = targets[0]
    if Relation(OPPOSITE[target.op], target.left, target.right) not in case:
        return False
    sides = {Relation(op, r.left, r.right) for r in case if r.op == "==" for op in (">=", "<=")}
    natural = {
        Relation(">=", symbol(n), Integer(1))
        for n in {n for r in case for n in r.names}
        if not any(least_given(r, n, work) for r in case)
    }
    premises = _relations(claim)
    names = {n for r in (*premises, target) for n in r.names}
    assumed = {
        Relation(">=", symbol(n), Integer(1))
        for n in names
        if not any(least_given(r, n, work) for r in premises)
    }
    return premises | assumed <= case | sides | natural
