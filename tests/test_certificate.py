"""Certificates: one for every proved claim, self-contained JSON, the same on every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from certificates import CLAIMS as KINDS
from certificates import seal

import symlayout as sl
from symlayout import prove, recheck
from symlayout.__main__ import main


def made_of(word, *args, where=(), **options):
    verdict = getattr(prove, word)(*args, where=where, **options)
    assert verdict.proved, verdict
    return json.loads(json.dumps(verdict.certificate))


@pytest.mark.parametrize(("word", "args", "options", "facts"), KINDS)
def test_a_certificate_of_every_kind_of_claim(word, args, options, facts):
    made = made_of(word, *args, where=list(facts), **options)
    answer = recheck(made)
    assert answer.ok, answer
    assert answer.claim.startswith(word)
    assert made == made_of(word, *args, where=list(facts), **options)  # the same on every run


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("injective", "map i < M,\n  j < N: i*N + j"),
        ("bijective", "map i < M*N:\n  (i//N,\n\ti%N) in (M, N)"),
        ("valid", "map b < N, t < 8 if\n  b*8 + t < N: b*8 + t in N"),
        ("fits", "map i < 8:\n  q = i/2;\n  (q, i%2) in (4, 2)"),
        ("injective", "linear row [[1,1]*2**k],\n  col [[0,1]*2**k] -> x 2**k, y 2**k"),
        ("bijective", "einops b (h d) n ->\n  b n (h d), h=8"),
        ("bijective", "zipped_divide((8*M,4*N):(4*N,1),\n\t(8,4))"),
        ("injective", "affine_map<(d0, d1)\n  -> (d1, d0)>"),
    ],
)
def test_line_breaks_and_tabs_are_blanks(word, text):
    made = made_of(word, text)
    assert recheck(made).ok
    assert made == made_of(word, " ".join(text.split()))


@pytest.mark.parametrize("word", ["injective", "onto"])
def test_comments_of_a_text_on_several_lines_are_no_part_of_the_claim(word):
    made = made_of(word, "f32[M, // rows\n  N /* columns */] // row-major\n{1,0}")
    assert recheck(made).ok
    assert made == made_of(word, "f32[M,N]{1,0}")


def test_only_a_proof_has_a_certificate():
    for verdict in (
        prove.equal("f32[M,N]{1,0}", "f32[M,N]{0,1}"),
        prove.bounded("f32[M]{0}", where=["M >= 4", "M <= 3"]),
        prove.equal("f32[M,N]{1,0}", "f32[M,N]{0,1}", where="M == 1"),
    ):
        assert (verdict.certificate is not None) == verdict.proved


def test_a_division_step_says_all_that_it_needs():
    made = made_of("injective", "f32[M,N]{1,0:T(8,128)}")
    steps = [s for s in made["parts"]["offsets"]["steps"] if s.get("law") == "R2"]
    assert steps
    for step in steps:
        assert set(step["with"]) == {"d", "q", "r"}
        assert len(step["why"]) == 3  # d >= 1, r >= 0, r < d


def test_a_parsed_layout_is_as_good_as_its_text():
    for text in ("f32[M,N]{1,0:T(8,128)}", "zN(f16, R, C)", "(M,N):(N,1)"):
        given = made_of("injective", sl.parse(text))
        assert given["claim"]["arguments"] == [str(sl.parse(text))]
        assert recheck(given).ok


def test_a_certificate_only_says_that_solvers_are_asked():
    made = made_of("divides", "6", "M*N", where=["M % 2 == 0", "N % 3 == 0"])
    assert recheck(made).ok
    made = made_of("onto", "f32[N]{0}", where=["N % 4 == 0", "N % 6 == 0"])
    assert "smt" in _strings(made)
    assert not any("(check-sat)" in t for t in _strings(made))
    assert {"Z3", "cvc5"} <= set(recheck(made).relied)


def _strings(value):
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [t for v in inside for t in _strings(v)]


def test_on_the_command_line(tmp_path, capsys):
    file = str(tmp_path / "proof.json")
    claim = ["injective", "bf16[M,N]{1,0:T(8,128)(2,1)}"]
    assert main(["prove", *claim, "--certificate", file]) == 0
    assert main(["recheck", file]) == 0
    assert "exact arithmetic" in capsys.readouterr().out
    assert main(["recheck", file, "--claim", "onto bf16[M,N]{1,0:T(8,128)(2,1)}"]) == 1
    text = Path(file).read_text().replace("T(8,128)(2,1)", "T(8,128)(4,1)")
    Path(file).write_text(text)
    assert main(["recheck", file]) == 1
    assert "failed       offsets: " in capsys.readouterr().out


def test_a_whole_check(tmp_path, capsys):
    claims = tmp_path / "a.layout.toml"
    claims.write_text(
        '[[claim]]\nname = "one"\nprove = "injective f32[M,N]{1,0:T(8,128)}"\n'
        '[[claim]]\nname = "two"\nprove = "onto f32[M,N]{1,0:T(8,128)}"\n'
        'expect = "refuted"\nbecause = "tiles"\n'
        '[[claim]]\nname = "three"\nprove = "bounded f32[M,N]{1,0}"\n'
    )
    folder = tmp_path / "proofs"
    assert main(["check", str(claims), "--no-cache", "--certificates", str(folder)]) == 0
    files = sorted(map(str, folder.iterdir()))
    assert [Path(f).name for f in files] == ["0001-one.json", "0002-three.json"]
    assert "2 certificates" in capsys.readouterr().err
    assert main(["recheck", *files]) == 0
    assert capsys.readouterr().out.count("accepted: ") == 2
    data = json.loads(Path(files[1]).read_text())
    Path(files[1]).write_text(json.dumps({"format": data["format"]}))
    assert main(["recheck", *files]) == 1
    assert capsys.readouterr().out.count("rejected: ") == 1
    Path(files[1]).write_text("{}")
    assert main(["recheck", *files]) == 2
    assert "0002-three.json holds no certificate" in capsys.readouterr().err
    assert main(["check", str(claims), "--no-cache", "--certificates", str(claims)]) == 2


def test_a_claim_that_a_layout_fits_names_its_formula(tmp_path, capsys):
    """`--emit python` writes `N*i + j`; a certificate about other values is for another claim."""
    file, where = str(tmp_path / "proof.json"), ["--where", "M <= 4096", "--where", "N <= 4096"]
    assert main(["prove", "fits", "f32[M,N]{1,0}", "32", *where, "--certificate", file]) == 0
    capsys.readouterr()
    assert main(["recheck", file]) == 0
    assert 'fits "f32[M,N]{1,0}" "32" --formula "N*i + j"' in capsys.readouterr().out
    line = 'fits "f32[M,N]{1,0}" 32'
    for formula, code in (("N*i + j", 0), ("j + N*i", 1), ("", 1)):
        claim = f'{line} --formula "{formula}"' if formula else line
        assert main(["recheck", file, "--claim", claim, *where]) == code
    assert "--formula" in capsys.readouterr().out
    made = json.loads(Path(file).read_text())
    for options in ({}, {"formula": "N*i + 2*j - j*1"}, {"formula": "N*i + j + 1"}):
        other = {**made, "claim": {**made["claim"], "options": options}}
        answer = recheck({**other, "seal": seal(other)})
        assert answer.ok == ("2*j" in str(options))  # which reads as N*i + j
    old = {**made, "texts": {**made["texts"], "formula": "N*i + j"}}
    assert not recheck({**old, "seal": seal(old)}).ok


@pytest.mark.parametrize(
    ("word", "args", "facts"),
    [
        # facts whose digits the engine splits in its own way
        ("fits", ("f32[K,K+1]{0,1:T(4)}", "8"), ["K % 2 == 1", "K * K % 3 == 0", "K <= 9"]),
        ("reinterpret", ("s4[6,N]{0,1:T(4,2)L(3)}", "s4[N,6]{1,0:T(4,2)L(3)}"), ["N % 2 == 1"]),
        ("bijective", ("f32[M,N]{0,1:T(1)}",), ["N == ceildiv(M, 2)"]),
        ("bounded", ("(M,6):(6,1)",), ["M * M <= 30", "M % 2 == 1", "M % 5 == 1"]),
        ("injective", ("f64[K+1]{0:T(t)}",), ["t % K == 1", "t >= 5"]),
        ("onto", ("((s,3),(6,N,s)):((((3*s)*6)*N,1),(3*s,(3*s)*6,3))",), []),
        ("onto", ("f32[2*N]{0:T(2)}",), ["N >= 0"]),
        ("onto", ("f32[N-4,N-4]{1,0}",), ["N >= 4"]),  # a place in it: N - 4 is not 0
        ("injective", ("PaddingColumnMajor(8, K, s, 1)",), ["K != 1", "K < s", "s <= 3"]),
        ("tiles", ("((3,2),ceildiv(M,2)):(((ceildiv(M,2))*2,ceildiv(M,2)),1)", "4,8"), ["M > 14"]),
    ],
)
def test_certificates_under_odd_facts(word, args, facts):
    assert recheck(made_of(word, *args, where=facts)).ok


def test_a_stride_that_may_be_0_has_no_quotient():
    # onto all the same: the rows overlap
    made = made_of("onto", "RowMajor(bf16, K, 2*M, P)", where=["0 <= P <= K", "K == M"])
    assert made["by"] == "sizes"
    assert recheck(made).ok


@pytest.mark.parametrize(
    ("layout", "facts", "laws"),
    [
        ("strided f32[3] strides(M-N)", ["M != N"], {"multiple"}),
        ("strided f32[K] strides(2*M-7)", [], {"multiple", "uneven"}),
        ("strided f32[2,3] strides(3*M,M)", ["M != 0", "M >= -5"], {"multiple", "R2"}),
        ("strided f32[2,3] strides(3*N-3*M,M-N)", ["M != N"], {"multiple", "R2"}),
    ],
)
def test_a_stride_of_either_sign_that_is_never_0(layout, facts, laws):
    answer = recheck(made_of("injective", layout, where=facts))
    assert answer.ok
    assert {f"law {name}" for name in laws} <= set(answer.relied)


def test_c_division_by_what_may_have_either_sign_ends():
    verdict = prove.formula(
        "f32[M,8]{0,1:T(s)(3,s)}",
        "((min(i0, M-1)%s)%s) + ((i0/s)%3)*s + ((i0%s)/s)*s*3 + ((i0/s)/3)*s*3*ceildiv(s,s)"
        " + ((i1))*s*3*ceildiv(s,s)*(((-(-(M)/s))+3-1)/3)",
        where=["s % M == 0", "s == s * s"],
        language="c",
    )
    assert verdict.proved
    assert recheck(verdict.certificate).ok


def test_sample_points_know_nothing_of_unknowns_that_come_later():
    facts = ["Z == ceildiv(a, 2)", "Z % 4 == 1"]
    v = prove.onto("((Z,2*a)):((2*a,1))", where=facts)
    assert v.proved
    assert v.certificate is None or recheck(v.certificate, v.claim, facts).ok


EMPTY = ["K > 2", "K + K <= 9", "K-4 >= 0"]  # K is 4


def test_a_long_side_of_an_empty_protocol_buffer():
    text = (
        "element_type: F32 dimensions: [4294967296, K-4] layout { minor_to_major: [1, 0] "
        "tiles { dimensions: [2] } padded_dimensions: [4294967296, K-4] }"
    )
    assert recheck(made_of("valid", text, where=EMPTY)).ok


def test_facts_that_contradict_each_other_in_a_case_cost_no_more_than_a_question():
    facts = ["y < x", "x % 3 != 1", "x * x % 3 == 0", "x <= 6", "y >= 0"]
    answer = recheck(made_of("holds", "(x*x + y*y)%4 != 3", where=facts))
    assert answer.ok, answer


@pytest.mark.explore
def test_a_certificate_is_the_same_whatever_the_order_of_sets(tmp_path: Path) -> None:
    layouts = "zipped_divide((M,N):(ldc,1), (BM,BN))", "upcast((M,N):(ldc,1), 4)"
    facts = [("ldc >= N", "M % BM == 0", "N % BN == 0"), ("ldc >= N", "ldc % 4 == 0")]
    for layout, where in zip(layouts, facts):
        made = set()
        for seed in "12345":
            file = tmp_path / f"{seed}.json"
            command = [sys.executable, "-m", "symlayout", "prove", "injective", layout]
            command += ["--certificate", str(file), *[w for f in where for w in ("--where", f)]]
            environment = {**os.environ, "PYTHONHASHSEED": seed}
            subprocess.run(command, check=True, capture_output=True, env=environment)
            made.add(file.read_text())
        assert len(made) == 1
