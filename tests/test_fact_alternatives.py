"""Facts with alternatives are case splits: `N == 4 or N % 8 == 0`, `BLOCK in {128, 256}`."""

from __future__ import annotations

import json
import shlex
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from certificates import seal
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import LayoutError, recheck
from symlayout.__main__ import main


def run(typed: str, capsys: Any) -> tuple[int, str]:
    code = main(shlex.split(typed))
    out = capsys.readouterr()
    return code, out.out + out.err


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("N in [16, 24]", "SL300", "write the numbers in braces"),
        ("N in (16, 24)", "SL300", "write the numbers in braces"),
        ("N in 16", "SL300", "write the numbers in braces"),
        ("N in {16, 24", "SL101", "add the missing '}'"),
        ("N in {}", "SL200", "expected a number"),
        ("N == 1 or", "SL200", "expected a number"),
        ("or N == 1", "SL300", "compares two sides"),
        ("N or M", "SL300", "`or` joins facts of a claim"),
        ("(N == 1 or N == 2", "SL101", "add the missing ')'"),
        ("N in {1, 2, 3, 4, 5, 6, 7, 8, 9}", "SL204", "more than 8 alternatives"),
        ("(N == 1 or N == 2 or N == 3) and (M == 1 or M == 2 or M == 3)", "SL204", "more than 8"),
        ("N in {2^3, 4}", "SL200", "write 2**3"),
        ("(" * 200 + "N == 1" + ")" * 200 + " or N == 2", "SL204", "nested"),
    ],
)
def test_what_is_wrong_with_alternatives_is_said(text: str, code: str, said: str) -> None:
    with pytest.raises(LayoutError) as raised:
        sl.prove.divides("8", "N", where=[text])
    assert raised.value.code == code
    assert said in str(raised.value)


def test_facts_have_so_many_cases_together() -> None:
    where = [f"{n} in {{1, 2, 3, 4, 5}}" for n in "ABC"]
    with pytest.raises(LayoutError, match="125 cases together; the limit is 64"):
        sl.prove.holds("A*B*C >= 1", where=where)


NUMBERS = st.sampled_from([1, 2, 3, 4, 6])

ATOMS = st.one_of(
    st.builds("{0} == {1}".format, st.sampled_from("MN"), NUMBERS),
    st.builds("{0} % {1} == 0".format, st.sampled_from("MN"), NUMBERS),
    st.builds("{0} >= {1}".format, st.sampled_from("MN"), NUMBERS),
    st.builds("{0} < {1}".format, st.sampled_from("MN"), NUMBERS),
    st.sampled_from(["M == N", "M < N", "M*N % 4 == 0", "M >= 2*N", "M in {2, 3}", "N in {1, 4}"]),
)

PARTS = st.lists(ATOMS, min_size=1, max_size=2).map(" and ".join)

FACTS = st.lists(PARTS, min_size=1, max_size=3).map(" or ".join)

GOALS = st.sampled_from(
    ["M*N % 2 == 0", "M <= N", "M + N >= 4", "M % 2 == 0", "M*N <= 8", "M == N", "N < 4"]
)


def plain(text: str, m: int, n: int) -> bool:
    """A fact by Python itself."""
    return bool(eval(text.replace("or", " or "), {"M": m, "N": n}))


@given(FACTS, st.lists(FACTS, max_size=1), GOALS)
@settings(max_examples=120, deadline=None)
def test_the_verdict_is_that_of_all_assignments(fact: str, more: list[str], goal: str) -> None:
    facts = [fact, *more]
    points = [
        (m, n) for m, n in product(range(1, 9), repeat=2) if all(plain(f, m, n) for f in facts)
    ]
    false = [(m, n) for m, n in points if not plain(goal, m, n)]
    verdict = sl.prove.holds(goal, where=[*facts, "M <= 8", "N <= 8", "symbol M", "symbol N"])
    if not points:
        assert verdict.status == "vacuous", verdict
        return
    assert verdict.status == ("refuted" if false else "proved"), (facts, goal, verdict)
    if false:
        sizes = verdict.counterexample.sizes
        smallest = min(false, key=lambda p: p[0] * p[1])
        assert (sizes["M"], sizes["N"]) in false
        assert sizes["M"] * sizes["N"] == smallest[0] * smallest[1]
        return
    certificate = verdict.certificate
    assert certificate is not None, (facts, goal)
    answer = recheck(certificate)
    assert answer.ok, (facts, goal, answer.failures)


# -- where they are written ------------------------------------------------------------------------


def test_what_when_prints_can_be_a_fact(capsys: Any) -> None:
    for word, arguments in (
        ("injective", ["(M,N):(1,P)"]),
        ("bijective", ["f32[M,N]{1,0:T(8,128)}"]),
        ("bitcast", ["f32[M,N]", "f32[N,M]"]),
        ("divides", ["6", "M*N"]),
    ):
        condition = getattr(sl.when, word)(*arguments)
        if condition.sufficient and condition.text != "always":
            assert getattr(sl.prove, word)(*arguments, where=condition.text).proved


@pytest.mark.parametrize(
    "typed",
    [
        "when divides 8 N --where 'N == 4 or N % 8 == 0'",
        "formula 'f32[N]' --where 'N == 4 or N % 8 == 0'",
        "show 'f32[N]' --where 'N in {4, 8}'",
        "derive 'f32[N]' --where 'N in {4, 8}'",
        "prove holds 'N == 4 or N == 8'",
    ],
)
def test_where_cases_are_not_split_that_is_said(typed: str, capsys: Any) -> None:
    code, text = run(typed, capsys)
    assert code == 2, text
    assert "SL300" in text or "SL101" in text
    assert "alternatives" in text or "facts of a claim" in text


def test_names_of_alternatives_are_checked(capsys: Any) -> None:
    for fact in ("N == BLOK or N == 4", "N in {4, BLOK}"):
        with pytest.raises(LayoutError, match="unknown name") as raised:
            sl.prove.divides("4", "N", where=[fact])
        assert raised.value.text == fact
    where = ["N == BLOK or N == 8", "BLOK in {4, 16}"]
    assert sl.prove.divides("4", "N", where=where).proved
    assert sl.prove.divides("4", "N", where=["N == 4*BLOK or N == 8", "symbol BLOK"]).proved


def test_a_claims_file_has_alternatives(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "a.layout.toml"
    facts = '[facts]\nwhere = ["BLOCK in {8, 16}", "N % BLOCK == 0"]\n'
    file.write_text(
        f'{facts}[[claim]]\nprove = "divides 8 N"\n[[claim]]\nprove = "injective \'f32[M,N]\'"\n'
        'where = ["M == 1 or M % 2 == 0"]\n'
    )
    code, text = run(f"check {file} --no-cache --json", capsys)
    assert code == 0, text
    for c in json.loads(text)["claims"]:
        assert "BLOCK in {8, 16}" in c["where"]
    file.write_text(
        '[facts]\nwhere = ["BLOCK in {8, BLOK}"]\n[[claim]]\nprove = "divides 8 BLOCK"\n'
    )
    code, text = run(f"check {file} --no-cache", capsys)
    assert (code, "unknown name 'BLOK'" in text) == (2, True)


@pytest.mark.parametrize("fact", ["BLOCK in {64, 128}", "BLOCK == 64 or BLOCK == 128"])
def test_a_contract_has_alternatives(fact: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "k.cu"
    text = (
        "// symlayout: kernel grid (cdiv(n, BLOCK),) block (BLOCK,)\n//   x is f32[n]\n"
        "//   y is f32[m] written at most once\n"
        f"//   where {fact}, n <= 2**20, m == n or m == SIZE\n"
        "template <int BLOCK> __global__ void copy(const float* x, float* y, int n, int m) {\n"
        "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n"
    )
    for size, code in (("2*n", 0), ("n - 1", 1), ("2*k", 2)):
        file.write_text(text.replace("SIZE", size))
        got, said = run(f"check {file} --no-cache", capsys)
        assert got == code, said
        assert ("unknown name 'k'" in said) == (code == 2)


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
