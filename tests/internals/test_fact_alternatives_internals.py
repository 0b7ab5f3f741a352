"""Properties of internal modules; `tests/test_fact_alternatives.py` tests the public interface."""

from __future__ import annotations

from typing import Any

import pytest
from test_fact_alternatives import run

import symlayout as sl
from symlayout import recheck
from symlayout.certificate import alternatives as checker
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


def test_split_choices_leaves_other_facts_alone() -> None:
    facts = sl.sizes("A B", min=0)
    assert split_choices("N > 1") == (["N > 1"], [])
    assert split_choices(["N > 1", "order > inner"]) == (["N > 1", "order > inner"], [])
    assert split_choices(None) == (None, [])
    assert len(facts) == 2
