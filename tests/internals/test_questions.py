"""A claim word states a question; what it is decided with is handed over, and nothing stays behind."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from symlayout import prove, when
from symlayout.errors import LayoutError
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.prove import question_of
from symlayout.prove.run import FAR, USUAL, Run

ADD = "f32[2,N] add(f32[2,N], f32[2,N])"
# word, arguments, options, status; one that is refuted for each that is proved
ASKED: list[tuple[str, tuple[str, ...], dict[str, Any], str]] = [
    ("equal", ("f32[M,N]", "(M,N):(N,1)"), {}, "proved"),
    ("equal", ("f32[M,N]", "(M,N):(1,M)"), {}, "refuted"),
    ("equal", ("map i < N: i", "map i < N: i*2"), {}, "refuted"),
    ("bitcast", ("f32[M,N]", "f32[N,M]{0,1}"), {"perm": "1,0"}, "proved"),
    ("reinterpret", ("f32[8,N]", "f32[N,8]"), {}, "proved"),
    ("reinterpret", ("f32[8,128]{1,0}", "f32[128,8]{0,1}"), {}, "proved"),
    ("injective", ("(M,N):(S,1)",), {"where": "S >= N"}, "proved"),
    ("injective", ("(M,N):(S,1)",), {}, "refuted"),
    ("injective", ("Swizzle(2,0,2) o 0 o (4,N):(N,1)",), {}, "proved"),
    ("injective", ("map i < N: i//2 in N",), {}, "refuted"),
    ("onto", ("f32[M,N]{1,0:T(8,128)}",), {}, "refuted"),
    ("bijective", ("map i < M, j < N: i*N + j in M*N",), {}, "proved"),
    (
        "bijective",
        ("linear register [[0,1],[0,2]], lane [[1,0],[2,1]] -> dim0 4, dim1 4",),
        {},
        "proved",
    ),
    ("bounded", ("f32[M,N]", "M*N"), {}, "proved"),
    ("bounded", ("f32[M,N]", "M*N - 1"), {}, "refuted"),
    ("formula", ("f32[M,N]", "i*N + j"), {}, "proved"),
    ("broadcast", ("f32[M,N]", "f32[K]"), {"dims": "1"}, "refuted"),
    ("broadcast", ("f32[M,1]", "f32[1,N]"), {}, "proved"),
    ("valid", ("f32[M,N]{1,0:T(8,128)}",), {}, "proved"),
    ("valid", ("f32[8,128]",), {}, "proved"),
    ("instruction", (ADD,), {}, "proved"),
    ("instruction", ("f32[K] slice(f32[N]), slice={[0:8]}",), {}, "refuted"),
    ("padding", ("f32[M,N]{1,0:T(8,128)}", "1"), {}, "refuted"),
    ("bytes", ("f32[M,N]", "4*M*N"), {}, "proved"),
    ("tiles", ("zN(f16, R, C)", "16,32"), {"where": "C >= 32"}, "proved"),
    ("tiles", ("zN(f16, 64, 64)", "16,16"), {"at": "8,8"}, "refuted"),
    ("divides", ("8", "N"), {"where": "N == 16 or N % 24 == 0"}, "proved"),
    ("divides", ("8", "N"), {"where": "N == 16 or N % 12 == 0"}, "refuted"),
    ("fits", ("map r < R, c < 8: r*8 + c",), {"where": "R <= 100000"}, "proved"),
    ("fits", ("map r < R, c < 8: r*8 + c",), {}, "refuted"),
    ("fits", ("f32[M,N]", "32"), {"where": ["M <= 64", "N <= 64"]}, "proved"),
    ("aligned", ("f32[M,N]", "4"), {}, "proved"),
    ("inverse", ("map i < N: i in N", "map i < N: i in N"), {}, "proved"),
    ("disjoint", ("map i < N: 2*i", "map i < N: 2*i + 1"), {}, "proved"),
    ("holds", ("(L*d + e)//d == L",), {"where": "0 <= e < d"}, "proved"),
    ("holds", ("N < 7",), {"where": ["N > 5", "N < 5"]}, "vacuous"),
]


def test_every_word_is_asked() -> None:
    assert {word for word, *_ in ASKED} == {*CLAIMS}


@pytest.mark.parametrize("word", sorted(CLAIMS))
def test_a_word_called_gives_a_verdict(word: str) -> None:
    """Signatures say so, though the word's function itself returns a question."""
    claim = getattr(prove, word)
    assert inspect.signature(claim).return_annotation == "Verdict"
    assert claim.__annotations__["return"] == "Verdict"
    with pytest.raises(TypeError, match=rf"prove\.{word}\(.* -> 'Verdict' missing"):
        claim()


def content(verdict: Any) -> tuple[Any, ...]:
    """A verdict but for the time that it took."""
    return replace(verdict, seconds=0.0), verdict.claim, verdict.least if verdict.proved else {}


@pytest.mark.parametrize(("word", "arguments", "options", "status"), ASKED)
def test_a_question_is_decided_as_often_as_it_is_asked(
    word: str, arguments: tuple[str, ...], options: dict[str, Any], status: str
) -> None:
    question = question_of(word, *arguments, **options)
    first = question.decided(Run())
    assert first.status == status
    far = question.decided(Run(FAR))  # which proves nothing, and changes nothing
    assert far.status in (status, "unknown") or status == "proved"
    again = question_of(word, *arguments, **options).decided(Run())
    called = getattr(prove, word)(*arguments, **options)
    assert content(first) == content(again) == content(called)


@pytest.mark.parametrize(("word", "arguments", "options", "status"), ASKED)
def test_what_is_learned_from_is_no_verdict(
    word: str, arguments: tuple[str, ...], options: dict[str, Any], status: str
) -> None:
    """Subjects say their names and facts, whether the claim is true or false."""
    if " or " in str(options):
        return  # no condition is looked for there
    subjects = question_of(word, *arguments, budget=40_000, **options).subjects(Run())
    assert len(subjects) == 1
    (subject,) = subjects
    assert {*subject.facts.names} <= {*subject.names}


def test_a_search_is_bounded_by_the_run_alone() -> None:
    hard = question_of("holds", "x*x*x + y*y*y != z*z*z + 29")
    counts = []
    for points in (2000, 50_000, 2000):
        effort = replace(USUAL, points=points, more=0, probes=False, solver=None)
        counts.append(hard.decided(Run(effort)).reason)
    assert counts[0] == counts[2] != counts[1]


def test_questions_are_decided_side_by_side() -> None:
    def ask(k: int) -> str:
        word, arguments, options, _ = ASKED[k % len(ASKED)]
        return question_of(word, *arguments, **options).decided(Run()).status

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(ask, range(2 * len(ASKED))))
    assert statuses == [row[-1] for row in ASKED] * 2


def test_a_verdict_is_frozen() -> None:
    verdict = prove.injective("(M,N):(N,1)")
    assert verdict.claim == 'injective "(M,N):(N,1)"'
    for name in ("claim", "status", "seconds", "source", "least"):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(verdict, name, None)
    assert "claim='injective \"(M,N):(N,1)\"'" in repr(verdict)


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, "7"])
def test_a_budget_is_a_number_of_steps(budget: Any) -> None:
    question = question_of("injective", "(M,N):(S,1)", budget=budget)
    with pytest.raises(LayoutError, match="a budget is a positive number"):
        question.decided(Run())


def test_names_of_facts_are_looked_at_when_a_question_is_decided() -> None:
    question = question_of("injective", "(M,N):(S,1)", where="Q > 1")
    for ask in (question.decided, question.subjects):
        with pytest.raises(LayoutError, match="unknown name 'Q'"):
            ask(Run())
    with pytest.raises(LayoutError, match="unknown name 'Q'"):
        when.injective("(M,N):(S,1)", where="Q > 1")
