"""What the modules behind `tests/test_fact_alternatives.py` promise each other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_fact_alternatives import run

import symlayout as sl
from symlayout import recheck
from symlayout.certificate import alternatives as checker
from symlayout.certificate.codec import seal
from symlayout.expr.choices import Choice, read_cases, split_choices

# -- reading ---------------------------------------------------------------------------------------

READ = [
    ("B in {128, 1024}", "B == 128 or B == 1024"),
    ("N == 4 or N % 8 == 0", "N == 4 or N%8 == 0"),
    ("N == 4 || N == 5 && M == 1", "N == 4 or N == 5 and M == 1"),
    ("(M < 2 or M == N) and N > 1", "M < 2 and N > 1 or M == N and N > 1"),
    ("((N == 1) or (N == 2))", "N == 1 or N == 2"),
    ("(N if N < 4 or M > 2 else 4) >= 2 or N == 1", None),
    ("min(N, 4) in {1, 2*M} or M*N in {3}", "min(N, 4) == 1 or min(N, 4) == 2*M or M*N == 3"),
    ("1 <= N < 4 or N == 9", "1 <= N and N < 4 or N == 9"),
    ("(N << 1) in {2} or (N >> 1) == (4)", None),
    ("N == 1 or N == 1", "N == 1"),
    ("order == 4 or inner in {2, 3}", "order == 4 or inner == 2 or inner == 3"),
    ("N > 1", "N > 1"),
]


@pytest.mark.parametrize(("text", "shown"), READ, ids=[t for t, _ in READ])
def test_a_fact_with_alternatives_is_read(text: str, shown: str | None) -> None:
    choice = Choice(read_cases(text))
    assert shown in (None, str(choice))
    assert read_cases(str(choice)) == choice.cases
    for written in (text, str(choice)):  # the checker's reading is another one
        assert {*checker.cases_of(written)} == {frozenset(case) for case in choice.cases}


# -- verdicts --------------------------------------------------------------------------------------

CASES: list[tuple[str, tuple[str, ...], list[str], str]] = [
    ("divides", ("8", "N"), ["N in {16, 24}"], "proved"),
    ("divides", ("8", "N"), ["N in {16, 20}"], "refuted"),
    ("divides", ("8", "N"), ["N == 4 or N % 8 == 0", "N >= 6"], "proved"),
    ("divides", ("8", "N"), ["N == 4 or N % 8 == 0", "N % 16 == 0"], "proved"),
    ("divides", ("8", "N"), ["N == 16 or N % 8 == 0", "N < 6"], "vacuous"),
    ("injective", ("(M,N):(1,P)",), ["P >= M or N == 1"], "proved"),
    ("injective", ("(M,N):(1,P)",), ["P >= M - 1 or N == 1"], "refuted"),
    ("bijective", ("f32[M,N]{1,0:T(8,128)}",), ["N % 128 == 0 and M % 8 == 0 or M == 0"], "proved"),
    ("equal", ("f32[N]", "f32[M]"), ["N == 4 and M == 4 or N == 5 and M == 5"], "proved"),
    ("bitcast", ("f32[M,N]", "f32[N,M]"), ["M == 1 or N == 1"], "proved"),
    ("bounded", ("map i < N: i in M",), ["N < 0 or N == M", "M in {4, 8}"], "proved"),
    ("fits", ("map i < N: i*B", "32"), ["B in {2, 4}", "N <= 2**28"], "proved"),
    ("tiles", ("f32[M,N]", "T,8"), ["T in {16, 32}", "M % 32 == 0", "N % 8 == 0"], "proved"),
    ("holds", ("N*N >= 16",), ["N in {4, 8} or N > 100", "N != 8 or N == 9"], "proved"),
]


@pytest.mark.parametrize(("word", "arguments", "where", "status"), CASES)
def test_a_claim_under_alternatives(
    word: str, arguments: tuple[str, ...], where: list[str], status: str, capsys: Any
) -> None:
    verdict = getattr(sl.prove, word)(*arguments, where=where)
    assert verdict.status == status, verdict
    choices = [str(Choice(c)) for f in where if len(c := read_cases(f)) > 1]
    assert [str(f) for f in verdict.source.facts][-len(choices) :] == choices
    code = {"proved": 0, "refuted": 1, "vacuous": 1}[status]
    assert run(verdict.command.removeprefix("symlayout "), capsys)[0] == code
    if status == "proved":
        answer = recheck(verdict.certificate)
        assert answer.ok, answer.failures
        again = recheck(verdict.certificate, claim=str(verdict.source))
        assert again.ok, again.failures


# -- certificates ----------------------------------------------------------------------------------


def sealed(certificate: dict[str, Any]) -> dict[str, Any]:
    content = {k: v for k, v in certificate.items() if k != "seal"}
    return {**content, "seal": seal(content)}


def changed(certificate: dict[str, Any], **more: Any) -> dict[str, Any]:
    return sealed({**json.loads(json.dumps(certificate)), **more})


def test_a_certificate_has_all_cases() -> None:
    where = ["N == 4 or N % 8 == 0 or N == 24", "N >= 6"]
    made = sl.prove.divides("8", "N", where=where).certificate
    assert made is not None
    assert recheck(made).ok
    assert [c["claim"]["word"] for c in made["cases"]] == ["holds", "divides", "divides"]
    cases = made["cases"]
    other = sl.prove.divides("4", "N", where="N % 8 == 0").certificate
    wrong = {
        "a case is missing": changed(made, cases=cases[:2]),
        "one is there twice": changed(made, cases=[cases[0], cases[1], cases[1]]),
        "in another order": changed(made, cases=cases[::-1]),
        "of another claim": changed(made, cases=[cases[0], other, cases[2]]),
        "of more facts": changed(made, facts=["N >= 4", *made["facts"][1:]]),
        "of one alternative more": changed(
            made, facts=[made["facts"][0], made["facts"][1] + " or N == 9"]
        ),
        "of a part of it": changed(made, facts=made["facts"][:1]),
        "inside one another": changed(made, cases=[made, *cases[1:]]),
        "no list": changed(made, cases=3),
        "no certificates": changed(made, cases=[1, 2, 3]),
        "another version": changed(made, version=2),
        "a key more": changed(made, hint="1"),
        "not sealed": {**made, "facts": made["facts"][:1]},
        "a case that is changed": changed(made, cases=[{**cases[0], "hint": "1"}, *cases[1:]]),
    }
    for what, certificate in wrong.items():
        answer = recheck(certificate)
        assert not answer.ok, what
        assert answer.failures, what


def test_a_case_is_only_empty_where_its_facts_contradict() -> None:
    """`holds` of what the facts do not say, or under facts that a case does not have."""
    where = ["N == -3 or N % 8 == 0", "N != 5"]
    made = sl.prove.divides("8", "N", where=where)
    assert made.refuted  # N is -3 in the first case
    proofs = {
        "where sizes are at least 1": sl.prove.holds("N != -3", where="N != 5"),
        "without facts": sl.prove.holds("N != -3"),
        "under others": sl.prove.holds("N != -3", where="N >= 2"),
    }
    good = sl.prove.divides("8", "N", where=["N % 8 == 0", "N != 5"]).certificate
    claim = good["claim"]
    for what, verdict in proofs.items():
        assert verdict.proved
        head = {"format": good["format"], "version": good["version"], "claim": claim}
        facts = ["N != 5", "N == -3 or N%8 == 0"]
        cases = [verdict.certificate, good]
        forged = sealed({**head, "facts": facts, "by": "alternatives", "cases": cases})
        answer = recheck(forged)
        assert not answer.ok, what
        assert "case 0" in answer.failures[0]


def test_split_choices_leaves_other_facts_alone() -> None:
    facts = sl.sizes("A B", min=0)
    assert split_choices("N > 1") == (["N > 1"], [])
    assert split_choices(["N > 1", "order > inner"]) == (["N > 1", "order > inner"], [])
    assert split_choices(None) == (None, [])
    assert len(facts) == 2
