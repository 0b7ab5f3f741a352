"""Functions of layouts in relations, facts and formulas; nested coordinates and named ones."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, prove, recheck
from symlayout.__main__ import main

TILED = "f32[M,N]{1,0:T(8,128)}"

CUBE = "((4,2),(4,3)):((4,16),(1,32))"


@pytest.mark.parametrize(
    "relation",
    [
        "crd2offset((1,5), ((_4,_2),(_4,_3)), ((_4,_16),(_1,_32))) == 37",
        "crd2offset((i,j), (M,N), (N,1)) == N*i + j",
        f"crd2offset(41, {CUBE}) == 37",
        f"size({CUBE}) == 96 and cosize({CUBE}) == 96 and rank({CUBE}) == 2",
        "size(f32[M,N]{1,0:T(8,128)}) == M*N",
        "cosize(f32[M,N]{1,0:T(8,128)}) == 1024*ceildiv(M, 8)*ceildiv(N, 128)",
        "bytes(s4[N]{0:E(4)}) == ceildiv(N, 2)",
        "rank(f32[2,1,N]) == 3 and true_rank(f32[2,1,3]) == 2 and true_rank(f32[N]) == min(1, N-1)",
        "offset(f32[M,N]{1,0}, size(f32[M]) - 1, N - 1) == M*N - 1",
        "offset(f32[]) == 0",
    ],
)
def test_what_holds(relation):
    where = ["0 <= i < M", "0 <= j < N"] if "i,j" in relation else []
    verdict = prove.holds(relation, where=where)
    assert verdict.proved, verdict


def test_a_coordinate_outside_of_the_array_refutes():
    verdict = prove.holds("offset(f32[M,N], i, 0) == N*i", where="i >= 0")
    assert verdict.refuted
    assert "the extent M" in verdict.reason
    assert prove.holds("offset(f32[M,N], i, 0) == N*i", where="0 <= i < M").proved
    assert prove.holds("offset(f32[M,N], i - 1, 0) == N*i - N", where="0 <= i < M").refuted
    assert prove.formula("f32[M,N]", "offset(f32[M,N], i + 1, j) - N").refuted
    assert prove.formula("f32[M,N]", "offset(f32[M+1,N], i + 1, j) - N").proved


def test_what_a_layout_demands_is_demanded_here():
    assert prove.holds("size(f32[N-4]) == N - 4").refuted
    assert prove.holds("cosize(f32[N]{0:T(t)}) >= N", where="t >= 0").refuted


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("offset(f32[2,3], 2, 0) == 6", "SL400"),
        ("offset(f32[2,3], -1, 0) == 6", "SL400"),
        ("offset(f32[2,3], 1) == 6", "SL108"),
        ("offset(f32[2,3], 1, 0, 2) == 6", "SL108"),
        ("offset() == 6", "SL101"),
        ("offset(f32[2,3], 1, 0 == 6", "SL101"),
        ("size(f32[2], f32[3]) == 6", "SL101"),
        ("size(f32[2]{0:T(0)}) == 6", "SL102"),
        ("crd2offset((1,5,2), (4,4), (1,4)) == 6", "SL108"),
        ("crd2offset((1,2), (4,4), (1,(4,4))) == 6", "SL107"),
        ("crd2offset(-1, (4,4), (1,4)) == 6", "SL400"),
        ("bytes((2,3):(3,1)) == 6", "SL103"),
        ("size(" * 150 + "f32[2]" + ")" * 150 + " == 6", "SL100"),
        ("offset(f32[2], " * 150 + "0" + ")" * 150 + " == 0", "SL204"),
    ],
)
def test_calls_that_mean_nothing(text, code):
    with pytest.raises(LayoutError) as caught:
        prove.holds(text)
    assert caught.value.code == code
    if caught.value.text is not None:
        assert "_call" not in caught.value.text


@pytest.mark.parametrize("at", ["((1,0),(1,1))", "41", "1,5", "(1,5)", "1,(1,1)", "(1,0),5"])
def test_at_takes_every_kind_of_coordinate(at, capsys):
    assert main(["formula", CUBE, "--at", at]) == 0
    assert capsys.readouterr().out == "37\n"


def test_coordinates_by_the_documents_letters(capsys):
    assert main(["formula", "f32[M,N]", "--coords", "y,x"]) == 0
    assert "offset  N*y + x" in capsys.readouterr().out
    for names in ("y", "y,y", "y,N", "y,1"):
        assert main(["formula", "f32[M,N]", "--coords", names]) == 2
        assert "SL" in capsys.readouterr().err


def test_layouts_of_a_claims_file_by_name(tmp_path, capsys):
    (tmp_path / "a.layout.toml").write_text(
        "[layouts]\nhbm = 'f32[M,N]{1,0:T(8,128)}'\n[facts]\nwhere = ['bytes(hbm) <= 65536']\n"
        "[[claim]]\nprove = \"holds 'size(hbm) == M*N'\"\n"
        "[[claim]]\nprove = \"formula hbm 'offset(hbm, i, j)'\"\n"
    )
    assert main(["check", str(tmp_path), "--no-cache"]) == 0
    assert "2 proved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        (("holds", "crd2offset((1,5), ((_4,_2),(_4,_3)), ((_4,_16),(_1,_32))) == 37"), []),
        (("holds", f"offset({CUBE}, 41) == offset({CUBE}, ((1,0),(1,1)))"), []),
        (("holds", "crd2offset((i,j), (M,N), (N,1)) == N*i + j"), ["0 <= i < M", "0 <= j < N"]),
        (("holds", "size(f32[M,N]{1,0:T(8,128)}) == M*N and bytes(f32[M]) == 4*M"), []),
        (("holds", "size(zN(f16,R,C)) == cosize(zN(f16,R,C)) and rank(zN(f16,R,C)) == 2"), []),
        (("holds", "true_rank(f32[2,1,3]) == 2 and rank((2,(3,4))) == 2"), []),
        (("formula", "f32[M,N]{1,0}", "offset(f32[M+1,N]{1,0}, i+1, j) - N"), []),
        (
            ("holds", f"offset({TILED}, 2*k+1, j) == offset({TILED}, 2*k, j) + 128"),
            ["k >= 0", "2*k + 1 < M", "0 <= j < N"],
        ),
    ],
)
def test_proofs_about_functions_of_layouts_have_certificates(claim, where):
    word, *arguments = claim
    verdict = getattr(prove, word)(*arguments, where=where)
    assert verdict.proved, verdict
    assert verdict.certificate is not None
    made = recheck(verdict.certificate)
    assert made.ok, made.failures


def test_facts_of_every_command_speak_of_layouts(capsys):
    fact = ["--where", "size(f32[N]) % 128 == 0"]
    assert main(["formula", "f32[M,N]{1,0:T(8,128)}", *fact]) == 0
    assert "ceildiv(N" not in capsys.readouterr().out.splitlines()[-1]
    assert main(["derive", "f32[M,N]{1,0:T(8,128)}", *fact]) == 0
    assert main(["show", "f32[2,N]", "--where", "bytes(f32[N]) == 20"]) == 0
    assert "shape (2, 5)" in capsys.readouterr().out


def test_what_a_fact_demands_admits_no_new_sizes():
    """`size(f32[N]) <= 8` says nothing of an N that is 0: sizes are at least 1 as ever."""
    assert prove.holds("N >= 1", where="size(f32[N]) <= 8").proved
    assert prove.holds("N >= 1", where=["size(f32[N]) <= 8", "N >= 0"]).refuted
    assert prove.holds("N >= 0", where=["size(f32[N]) <= 8", "N >= -3"]).proved
    assert prove.holds("N >= 4", where="size(f32[N-4]) <= 8").proved
