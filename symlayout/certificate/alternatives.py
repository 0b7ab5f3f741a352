"""Facts with alternatives, for the checker: its own reading of the cases, and a certificate of each.

A case is one alternative of every fact.  Its certificate is of the same claim under its relations, or
shows that these contradict each other: that one of them is false wherever the others hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from symlayout.certificate.codec import (
    FORMAT,
    VERSION,
    entries,
    read_proof,
    read_statement,
    seal,
    table,
    text,
)
from symlayout.certificate.exact import Rejected, Work
from symlayout.certificate.proof import Malformed, Proof, Statement
from symlayout.certificate.reading import least_given
from symlayout.expr.relations import Relation, read_relations
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Integer

ALTERNATIVES = "alternatives"  # how such a certificate says that it is one
MOST_CASES = 64
DEEPEST = 50
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
TOKEN = re.compile(r"\s*(?:(\|\||&&|[<>=!]=|[(){},]|(?:or|and|in)(?!\w))|(\w+|.))", re.S)
Case = frozenset[Relation]
Verify = Callable[[Mapping[str, Any]], tuple[Proof, set[str]]]


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


def opened(
    certificate: Any, verify: Callable[[Proof, Work], set[str]], work: Work
) -> tuple[Statement, Callable[[], set[str]]]:
    """The claim of a certificate, and what verifies it and tells what it relies on.

    Raises `Malformed` for what is not a certificate, and later `Rejected` for what does not hold.
    """

    def verified(one: Any) -> tuple[Proof, set[str]]:
        proof = read_proof(one, work)
        return proof, grounds(proof, one)

    def grounds(proof: Proof, one: Any) -> set[str]:
        relied = verify(proof, work)
        check_seal(one)
        return relied

    if type(certificate) is dict and certificate.get("by") == ALTERNATIVES:
        statement, cases = _read_alternatives(certificate)

        def of_cases() -> set[str]:
            relied = verify_cases(statement, cases, verified, work)
            check_seal(certificate)
            return relied

        return statement, of_cases
    proof = read_proof(certificate, work)
    return proof.claim, lambda: grounds(proof, certificate)


def check_seal(certificate: Mapping[str, Any]) -> None:
    """Raises `Rejected` for a certificate that has been changed by accident."""
    if certificate["seal"] != seal(certificate):
        raise Rejected("seal: the certificate has been changed after it was made")


def _read_alternatives(data: Any) -> tuple[Statement, list[Any]]:
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
