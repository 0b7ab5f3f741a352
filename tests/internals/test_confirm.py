"""Z3 confirms proofs of bijectivity, bounds and broadcasts, and never a claim that is false."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import Claim, prove
from symlayout.certificate.confirm import claims as confirming
from symlayout.certificate.confirm.claims import confirm
from symlayout.certificate.confirm.lemmas import DEFINITIONS, confirmed_law
from symlayout.certificate.confirm.solving import Disagreement
from symlayout.certificate.proof import laws
from symlayout.checks.cli.main import run
from symlayout.errors import LayoutError

AS_IT_IS = [
    ("injective", ("(M,N):(S,1)",), ("S >= N",)),
    ("injective", ("bf16[3,300]{1,0:T(8,128)(2,1)}",), ()),
    ("bounded", ("f32[M,N]{1,0}",), ()),
    ("bounded", ("map i < M, j < N: i*N + j in M*N",), ()),
    ("bijective", ("map i < M, j < N: (i, N - 1 - j) in (M, N)",), ()),
    ("valid", ("map i < 4, j < 4: 4*i + (j ^ (i % 4)) in 16",), ()),
    ("disjoint", ("map i < N: 2*i in 2*N", "map j < M: 2*j + 1 in 2*M"), ()),
    ("inverse", ("map i < N: i + M in N + M", "map j < N + M if j >= M: j - M in N"), ()),
    ("tiles", ("f32[M,N]{1,0}", "8,128"), ("M % 8 == 0", "N % 128 == 0")),
    ("fits", ("map i < N: 4*i in 4*N",), ("N <= 1000",)),
    ("broadcast", ("f32[1,N]", "f32[M,N]"), ()),
    ("instruction", ("f32[M,N] transpose(f32[N,M]), dimensions={1,0}",), ()),
]
IN_STEPS = [
    ("injective", ("f32[M,N]{1,0:T(8,128)}",), ()),
    ("bounded", ("f32[M,N]{1,0:T(s,t)(u,v)}",), ()),
    ("bijective", ("bf16[M,N]{1,0:T(8,128)(2,1)}",), ("M % 8 == 0", "N % 128 == 0")),
    ("bijective", ("Swizzle(3,3,3) o 0 o (8*R,64):(64,1)",), ()),
    ("bijective", ("map q < ceildiv(N, B), r < B if q*B + r < N: q*B + r in N",), ()),
    ("onto", ("(M,N):(N,1)",), ()),
    ("bijective", ("tv ((TN,TM),V):((TM*V,1),TM) on (TM,TN*V)",), ()),
    ("tiles", ("zN(f16,R,C)", "16,16"), ("R % 16 == 0", "C % 16 == 0")),
]
FALSE = [
    ("injective", ("(M,N):(S,1)",), ()),
    ("injective", ("(4,N):(1,2)",), ()),
    ("injective", ("map i < 8, j < 8: (i ^ j)",), ()),
    ("bounded", ("f32[M,N]{1,0:T(8,128)}", "M*N"), ()),
    ("bounded", ("map i < M, j < N: i*N + j in M*N - 1",), ()),
    ("bijective", ("f32[M,N]{1,0:T(8,128)}",), ()),
    ("bijective", ("map q < ceildiv(N, B), r < B: q*B + r in N",), ()),
    ("onto", ("(M,N):(N+1,1)",), ()),
    ("valid", ("Swizzle(3,0,3) o 0 o (8,N):(8,1)",), ("N >= 9",)),
    ("disjoint", ("map i < N: 2*i in 2*N", "map j < M: 3*j in 3*M"), ()),
    ("inverse", ("map i < N: i in N", "map j < N: N - 1 - j in N"), ()),
    ("tiles", ("f32[M,N]{1,0:T(8,128)}", "12,128"), ("M % 24 == 0", "N % 128 == 0")),
    ("fits", ("map i < N: 4*i in 4*N",), ("N <= 2**30",)),
    ("broadcast", ("f32[M]", "f32[N]"), ()),
    ("instruction", ("f32[M,N] transpose(f32[M,N]), dimensions={1,0}",), ()),
]


@pytest.mark.parametrize(("word", "arguments", "where"), AS_IT_IS + IN_STEPS)
def test_proofs_are_confirmed(
    word: str, arguments: tuple[str, ...], where: tuple[str, ...]
) -> None:
    verdict = getattr(prove, word)(*arguments, where=list(where))
    assert verdict.proved
    answer = confirm(Claim(word, arguments, (), where), lambda: verdict.certificate)
    assert answer is not None
    assert answer.status == "confirmed", answer
    as_it_is = (word, arguments, where) in AS_IT_IS
    assert answer.how == "as it is" if as_it_is else answer.how.startswith("in ")


@pytest.mark.parametrize(("word", "arguments", "where"), FALSE)
def test_a_lying_prover_is_never_confirmed(
    word: str, arguments: tuple[str, ...], where: tuple[str, ...]
) -> None:
    assert getattr(prove, word)(*arguments, where=list(where)).refuted
    answer = confirm(Claim(word, arguments, (), where))
    assert answer is not None
    assert answer.status != "confirmed"


@pytest.mark.parametrize(("word", "arguments", "where"), IN_STEPS)
def test_steps_of_a_neighbour_do_not_confirm_another_claim(
    word: str, arguments: tuple[str, ...], where: tuple[str, ...]
) -> None:
    """A certificate of a proved claim, given for another claim."""
    data = getattr(prove, word)(*arguments, where=list(where)).certificate
    assert data is not None
    statement = confirming.statement_of(Claim("injective", ("(M,N):(1,1)",)))
    assert confirming.by_certificate(statement, data).status == "unknown"


def damaged(data: dict, place: int) -> dict:
    """The certificate with one of its numbers changed."""
    text = json.dumps(data["parts"])
    digits = [k for k, c in enumerate(text) if c in "23456789"]
    k = digits[place % len(digits)]
    parts = json.loads(text[:k] + str(int(text[k]) - 1) + text[k + 1 :])
    return {**data, "parts": parts}


@pytest.mark.sample(1)
@pytest.mark.parametrize("claim", ["(M,N):(S,1)", "f32[M,N]{1,0:T(8,128)}"])
@given(place=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_damaged_steps_raise_no_error(claim: str, place: int) -> None:
    verdict = prove.injective(claim, where=["S >= N"] if "S" in claim else [])
    data = damaged(verdict.certificate, place)
    answer = confirming.by_certificate(confirming.statement_of(verdict.source), data)
    assert answer.status in ("confirmed", "unknown")


@given(
    rows=st.integers(1, 5),
    columns=st.integers(1, 5),
    strides=st.tuples(st.integers(0, 6), st.integers(0, 6)),
    word=st.sampled_from(["injective", "bounded", "bijective"]),
)
@settings(max_examples=60, deadline=None)
def test_z3_agrees_with_brute_force(
    rows: int, columns: int, strides: tuple[int, int], word: str
) -> None:
    a, b = strides
    offsets = [i * a + j * b for i in range(rows) for j in range(columns)]
    size = rows * columns
    truth = {
        "injective": len(set(offsets)) == len(offsets),
        "bounded": max(offsets) < size,
        "bijective": sorted(offsets) == list(range(size)),
    }[word]
    text = f"map i < {rows}, j < {columns}: i*{a} + j*{b} in {size}"
    answer = confirm(Claim(word, (text,)))
    assert answer is not None
    assert answer.status == ("confirmed" if truth else "disagrees")


@pytest.mark.parametrize("name", sorted(set(laws()) - DEFINITIONS - {"R4"}))
def test_laws_are_confirmed_for_all_integers(name: str) -> None:
    assert confirmed_law(name)


@pytest.mark.parametrize(("word", "arguments", "where"), AS_IT_IS[:6] + FALSE[:5])
def test_the_query_in_smt_lib_says_what_the_verdict_says(
    word: str, arguments: tuple[str, ...], where: tuple[str, ...], tmp_path, capsys
) -> None:
    file = tmp_path / "claim.smt2"
    facts = [w for f in where for w in ("--where", f)]
    run(["prove", word, *arguments, *facts, "--smt", str(file), "--no-hints"])
    verdict = re.split(r"[ :]", capsys.readouterr().out)[0]
    solver = z3.SolverFor("QF_LIA", ctx=(context := z3.Context()))
    solver.set("rlimit", 3_000_000)
    solver.add(z3.parse_smt2_string(file.read_text(), ctx=context))
    answer = str(solver.check())
    assert answer in ({"proved": "unsat", "refuted": "sat"}[verdict], "unknown")


PRODUCT = "length == cores * tiles * tile"
MULTIPLES = [
    ("((length//cores)*b + i*tile)*2", (PRODUCT, "tile % 16 == 0")),
    ("((length//cores)*b - tile + i*tile)*2", (PRODUCT, "tile % 16 == 0")),
    ("((length//cores)*b + i*tile)*4", (PRODUCT, "tile % 8 == 0")),
    ("(length//tile)*32*b + i*tile*2", (PRODUCT, "tile % 16 == 0")),
    ("(length//cores)*b*2", ("cores * tile == length", "tile % 16 == 0")),
    ("(length//cores)//tile*b*tile", (PRODUCT, "tile % 32 == 0")),
]
NO_MULTIPLES = [
    ("((length//cores)*b + i*tile)*2", (PRODUCT, "tile % 8 == 0")),
    ("((length//cores)*b + i*tile)*2 + 2", (PRODUCT, "tile % 16 == 0")),
    ("((length//cores)*b + i*tile)*2", ("tile % 16 == 0",)),
    ("(length//cores)*b*2", ("cores * tile + 16 == length", "tile % 16 == 0")),
    ("(length//cores)*b*2", ("cores * tile <= length", "tile % 16 == 0")),
]


def address(offset: str, facts: tuple[str, ...]) -> Claim:
    """The claim that an address is a multiple of 32 bytes."""
    text = f"map b < cores, i < tiles: (0 if ({offset})%32 == 0 else 1) in 1"
    return Claim("bounded", (text,), (), facts)


@pytest.mark.parametrize(("offset", "facts"), MULTIPLES)
def test_quotients_of_products_are_confirmed(offset: str, facts: tuple[str, ...]) -> None:
    answer = confirm(address(offset, facts))
    assert answer is not None
    assert answer.how == "as it is"


@pytest.mark.parametrize(("offset", "facts"), NO_MULTIPLES)
def test_quotients_with_remainders_are_not(offset: str, facts: tuple[str, ...]) -> None:
    assert prove.bounded(*address(offset, facts).arguments, where=list(facts)).refuted
    answer = confirm(address(offset, facts))
    assert answer is not None
    assert answer.status != "confirmed"


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_prove_names_the_solver(solver: str, capsys) -> None:
    assert run(["prove", "bounded", "f32[M,N]", "--check", solver]) == 0
    assert f"confirmed by {'Z3' if solver == 'z3' else solver} as it is" in capsys.readouterr().out


def test_prove_refuses_an_unknown_solver() -> None:
    with pytest.raises(LayoutError, match="--check is one of z3, cvc5, none"):
        run(["prove", "bounded", "f32[M,N]", "--check", "vampire"])


CLAIMS = """
[[claim]]
name = "rows"
prove = "bounded f32[M,N]"

[[claim]]
name = "tiles"
prove = "injective f32[M,N]{1,0:T(8,128)}"

[[claim]]
name = "bytes"
prove = "bytes f32[2,3] 24"
"""


def test_check_counts_what_is_confirmed(tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    monkeypatch.chdir(tmp_path)
    assert run(["check", ".", "--no-cache"]) == 0
    text = capsys.readouterr().out
    assert "Z3 confirms 2 of 2 proofs of bijectivity, bounds and broadcasts" in text
    assert run(["check", ".", "--no-cache", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["summary"]["confirmed_as_it_is"] == 1
    assert report["summary"]["confirmed_in_steps"] == 1
    rows = {row["name"]: row.get("confirmed") for row in report["claims"]}
    assert rows["bytes"] is None
    assert rows["rows"]["how"] == "as it is"
    assert run(["check", ".", "--no-cache", "--check", "none"]) == 0
    assert "Z3" not in capsys.readouterr().out


def test_a_disagreement_is_an_error(tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "a.layout.toml").write_text('[[claim]]\nname = "x"\nprove = "bounded f32[M,N]"\n')
    monkeypatch.chdir(tmp_path)

    def lie(*_: object) -> None:
        raise Disagreement("M = 1")

    monkeypatch.setattr(confirming, "_as_it_is", lie)
    assert run(["check", ".", "--no-cache"]) == 2
    assert "SL900: Z3 has a counterexample" in capsys.readouterr().err


def test_a_cold_proof_imports_neither_sympy_nor_z3() -> None:
    code = (
        "import sys; from symlayout.checks.cli.main import run;"
        "run(['prove', 'bounded', 'f32[M,N]']);"
        "sys.exit(any(m in sys.modules for m in ('sympy', 'z3')))"
    )
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0
