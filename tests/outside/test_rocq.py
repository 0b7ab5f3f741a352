"""Theorems that Rocq checks: `pytest tests/outside/test_rocq.py`.

It needs `coqc` (`apt-get install coq`); without it each test is skipped, and says so.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import rocq

from symlayout.__main__ import main
from symlayout.certificate.codec import seal
from symlayout.certificate.rocq.export import rocq as theorems
from symlayout.errors import LayoutError

pytestmark = pytest.mark.skipif(not rocq.present(), reason=rocq.ABSENT)

CLAIMS = [
    "holds '(8*x + 3)//8 == x'",
    "holds 'ceildiv(x, y)*y >= x' --where 'y >= 1'",
    "holds 'x%8 + 8*(x//8) == x'",
    "holds 'min(x, y) <= x'",
    "injective 'bf16[M,N]{1,0:T(8,128)(2,1)}'",
    "injective 'f32[B,M,N]{2,1,0}'",
    "injective 'pred[5,1,1]{2,0,1:T(8,128)(4,1)}'",
    "bijective 'f32[M,N]{0,1}'",
    "bijective '(M,(N,8)):(1,(M,M*N))'",
    "bijective 'f32[M,N]{1,0:T(8,128)}' --where 'M % 8 == 0' --where 'N % 128 == 0'",
    "bounded 'f32[M,N]{1,0:T(8,128)}'",
    "bounded 'map i<M, j<N: i*N + j in M*N'",
    "bounded 'map i<M: 2*i in 2*M'",
    "bounded 'map Z0<M, S<O: Z0*O + S in M*O'",  # names that Rocq has for something else
    "injective 'map at<offset: 2*at in 2*offset'",
    "valid 'f32[M,N]{1,0:T(8,128)}'",
    "onto 'f32[M,N]{1,0}'",
    "injective 'strided f32[M,N] strides(2*N,2)'",
    "equal 'f32[M,N]{1,0}' '(M,N):(N,1)'",
    "equal 'f32[M,N]{1,0:T(8,128)}' 'f32[M,N]{1,0:T(8,128)(1,1)}'",
    "formula 'f32[M,N]{1,0:T(8,128)}' '(i//8*ceildiv(N,128) + j//128)*1024 + i%8*128 + j%128'",
    "bitcast 'f32[M,N]{1,0}' 'f32[M*N]{0}'",
    "bitcast 'f32[B,M,N]{2,1,0}' 'f32[B*M,N]{1,0}'",
    "bytes 'f32[M,N]{1,0}' '4*M*N'",
    "padding 'f32[M,N]{1,0}' 1",
    "equal 'zN(f16,R,C)' 'zN(f16, R, C)'",
    "tiles 'zN(f16, R, C)' 16,16 --at 16*x,16*y --where '16*x < R' --where '16*y < C'",
    "tiles 'f32[M,N]{1,0}' 4,8 --where 'M >= 4' --where 'N >= 8'",
    "holds 'crd2offset((i,j), (M,N), (N,1)) == i*N + j' --where '0 <= i < M' --where '0 <= j < N'",
    "holds 'x//y <= x' --where 'x >= 0' --where 'y >= 1'",
    "divides 'f32[M,N]{1,0:T(8,128)}' --where 'M % 8 == 0' --where 'N % 128 == 0'",
    "bounded '(M,N):(N,1)' 'M*N'",
    "bounded '(C,(t,ceildiv(d,t))):(ceildiv(d,t)*t,(1,t)):(C,d)' 'C*ceildiv(d,t)*t'",
    "equal '((a,b),c):((p,q),r)' '((a,b),c):((p,q),r)'",
    "broadcast 'f32[M,N]' 'f32[N]' --dialect numpy",
    "bounded 'map b < ceildiv(n,64), t < 64 if 64*b + t < n: 64*b + t in n'",
    "bounded 'map b < n//64, t < 64 if 64*b + t < n: 64*b + t in n'",  # the guard always holds
    "bounded 'map i < M, j < i: (i - 1, j) in (M, M)'",
    "bounded 'map i < M, j < N if i < 3 or j < 5: (i, j) in (M, N)'",
    "bounded 'map i < M if 2 <= i and i < 5: q = i - 2; q in 3'",
    "bounded 'map i < M: (i if i < 4 else 3) in 4'",
    "fits 'map i < M, j < 64 if 64*i + j < n: 64*i + j' --where 'n <= 2**30' --where 'M <= 2**20'",
    "fits 'map i < M: i*i' --where 'M <= 46341'",
    "bounded 'map i < M, j < N if j < i: i//(j + 1) in M'",
    "bijective 'map b < ceildiv(n,64), t < 64 if 64*b + t < n: 64*b + t in n'",
    "bijective 'map p < ceildiv(M,8), q < N, r < 8 if 8*p + r < M: (q, 8*p + r) in (N, M)'",
    "injective 'map b < k, t < B if B*b + t < n: B*b + t in n'",
    "valid 'map i < M if 3 <= i: i - 3 in M'",
    "bounded 'map i < M, j < K if j < N: (i, j) in (M, N)'",
    "bijective 'map i < M, j < N: (i, j) in (M, N)'",
    "injective 'map i < 32, j < 8, k < 4: (8*k + j, i) in (32, 33)'",
    "bijective 'map i < M, j < N: (i, (i + j)%N) in (M, N)'",
    "injective 'map i < 32: (i + j)%32'",
    "bijective 'map p < ceildiv(T, B), q < H, i < B if p*B + i < T: T*q + B*p + i in T*H'",
    "bijective 'map p < M*N: f = p//(G*N)*G; w = min(M - f, G); (f + p%(G*N)%w, p%(G*N)//w) in (M, N)'",
    "bijective 'map p < M*N: r = p//N; c = p%N; (r, c if r%2 == 0 else N - 1 - c) in (M, N)'",
    "injective 'Sw<3,3,3> o (8,8):(8,1)'",
    "bijective 'Swizzle(3,3,3) o 0 o (8*R,64):(64,1)'",
    "onto 'Swizzle(2,0,2) o 0 o (4,4):(4,1)'",
    "valid 'Swizzle(2,1,-3) o 16 o (8,64):(64,1)'",
    "bijective 'tv ((4,8),2):((2,8),1) on (8,8)'",
    "bijective 'linear a [[1,0],[0,1]], b [[2,1]] -> x 4, y 2'",
    "aligned 'strided f16[M,N] strides(ldc,1)' 16 --where 'ldc % 8 == 0'",
    "reinterpret 'f32[8,1,128]{2,1,0}' 'f32[1,8,128]{2,1,0}'",
    "reinterpret 'bf16[N+1,K+1]{0,1}' 's8[N+1,2*(K+1)]{0,1}'",
    "bijective 'RowMajor(R, C)'",
    "injective 'f32[4,N]{1,0:PAD(4,8)=0}' --where 'N <= 8'",
    "equal 'pad_reshape_transpose(f32[M,N]{1,0:T(8,128)})' 'f32[M,N]{1,0:T(8,128)}'",
    "equal 'MakeLayout(MakeShape(3, 2*N), MakeStride(1, 3))' '(3,2*N):(1,3)'",
    "broadcast 'f32[1]' 'f32[1]' --dialect numpy",
    "valid 'f32[0,0,0]{0,1,2}'",
    "bijective 'logical_divide((M,N):(N,1), (BM,BN))' --where 'M % BM == 0' --where 'N % BN == 0'",
    "equal 'left_inverse((M,N):(ld,1))' '(ld,M):(M,1)' --where 'ld == N'",
    "equal 'composition((8,8):(8,1), (4,2):(2,8))' '(4,2):(16,1)'",
    "bijective 'tile_to_shape(Swizzle<3,3,3> o 0 o (8,64):(64,1), (8*M,64*N))'",
    "bijective 'blocked_product((8,8):(8,1), (M,N):(N,1))'",
    "holds '(6 if i < i else i//4) != 5' --where 'i < 20'",
    "onto '(i0,2):(i0-1,i0-1)' --where 'i0 <= 2' --where 'i0 >= 1'",
    "injective 'map i < M, j < N: (j, i)'",
    "injective '(3,(2,N)):(1@0,(2@1,4@0))'",
    "bijective 'einops (a b) (c d) -> (d b) (a c)'",
    "bijective 'tv (t,v):(v,1) on (v,t)'",
    "bijective 'tv ((M,8),2):((2,2*M),1) on (2*M,8)'",
    "inverse '(M,N):(1@1,1@0)' '(N,M):(1@1,1@0)'",
    "inverse 'map p < M*N: (p//N, p%N) in (M, N)' 'map a < M, b < N: a*N + b in M*N'",
    "equal 'f32[M]{0:T(N//2)}' 'map i < M: i' --where 'N >= 2'",
    "formula 'map i < N if i % 2 == 0: i//2*2' 'i'",
    "disjoint 'map i < N: 2*i' 'map i < N: 2*i + 1'",
    "bijective 'map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%8 in R*64'",
    "onto 'f32[0]{0}'",  # which has no offset
    "fits 'map i < M: i//M' --where 'M < 2**31'",  # the divisor is above 0, or the quotient is in range
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The library, built."""
    return rocq.library(tmp_path_factory.mktemp("rocq"))


def prove(folder: Path, words: str, title: str) -> str:
    """The theorem of a claim, by the command line."""
    file = folder / f"{title}.v"
    assert main(["prove", *shlex.split(words), "--no-hints", "--rocq", str(file)]) == 0
    return file.read_text()


def certificate(folder: Path, words: str) -> dict:
    file = folder / "certificate.json"
    assert main(["prove", *shlex.split(words), "--certificate", str(file)]) == 0
    return json.loads(file.read_text())


def test_every_law_is_proved_from_nothing(folder):
    text = (rocq.SOURCE / "Lemmas.v").read_text()
    names = re.findall(r"^Lemma (\w+)", text, re.M)
    lines = [f"Print Assumptions {name}." for name in names]
    assert len(names) > 30
    assert rocq.accepts(folder, "\n".join(["Require Import Symlayout.Lemmas.", *lines]))


@pytest.mark.parametrize("words", CLAIMS)
def test_a_claim_is_a_theorem(folder, words, capsys):
    text = prove(folder, words, f"claim_{CLAIMS.index(words)}")
    assert rocq.accepts(folder, text, f"claim_{CLAIMS.index(words)}")


def test_a_certificate_is_a_theorem(folder, capsys):
    file, theorem = folder / "recheck.json", folder / "recheck.v"
    assert main(["prove", "injective", "f32[M,N]{1,0}", "--certificate", str(file)]) == 0
    assert main(["recheck", str(file), "--rocq", str(theorem)]) == 0
    assert rocq.accepts(folder, theorem.read_text(), "recheck")


BLOCKS = "bijective 'map b < ceildiv(n,64), t < 64 if 64*b + t < n: 64*b + t in n'"
TILE = "map p < M*N: f = p//(G*N)*G; w = min(M - f, G); (f + p%(G*N)%w, p%(G*N)//w) in (M, N)"
BITS = "bijective 'map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%8 in R*64'"
FALSE = [
    ("injective 'f32[M,N]{1,0}'", "strided f32[M,N] strides(N,2)"),
    ("injective '(M,N):(1,M)'", "(M,N):(1,M-1)"),
    ("bijective 'f32[M,N]{1,0}'", "f32[M,N]{1,0:T(8,128)}"),
    ("bounded 'map i<M: 2*i in 2*M'", "map i<M: 2*i in 2*M - 2"),
    ("holds '(8*x + 3)//8 == x'", "(8*x + 8)//8 == x"),
    ("bytes 'f32[M,N]{1,0}' '4*M*N'", "f32[M,N]{1,0:T(8,128)}"),
    ("bounded 'map i < M if i < N: i in N'", "map i < M if i < N + 1: i in N"),
    ("bounded 'map i < M if i < N: i in N'", "map i < M if i < N: i in N - 1"),
    ("bounded 'map i < M if i < N: i in N'", "map i < M if i < N or i < N + 1: i in N"),
    ("bounded 'map i < M if i < N: i in N'", "map i < M if i < N: i - 1 in N"),
    ("bounded 'map i < M: (i if i < 4 else 3) in 4'", "map i < M: (i if i < 5 else 3) in 4"),
    (
        "bounded 'map i < M, j < i: (i - 1, j) in (M, M)'",
        "map i < M, j < i + 1: (i - 1, j) in (M, M)",
    ),
    (BLOCKS, "map b < ceildiv(n,64), t < 64 if 64*b + t < n: 64*b + t in n + 1"),
    (BLOCKS, "map b < ceildiv(n,64), t < 65 if 64*b + t < n: 64*b + t in n"),
    (BLOCKS, "map b < ceildiv(n,64), t < 64 if 64*b + t < n - 1: 64*b + t in n"),
    (BLOCKS, "map b < n//64, t < 64 if 64*b + t < n: 64*b + t in n"),
    (BLOCKS, "map b < ceildiv(n,64), t < 64 if 64*b + t < n: 64*b + 63 - t in n"),
    ("fits 'map i < M: i*i' --where 'M <= 46341'", "map i < M: i*i + i"),
    ("injective 'map i < M, j < N: (j, i)'", "map i < M, j < N: (j, i//2)"),
    ("inverse 'map i < N: N - 1 - i in N' 'map i < N: N - 1 - i in N'", "map i < N: N - i in N"),
    ("disjoint 'map i < N: 2*i' 'map i < N: 2*i + 1'", "map i < N: i"),
    ("equal 'map i < N: i' 'map j < N: j'", "map i < N: i + 1"),
    ("bijective 'tv ((4,8),2):((2,8),1) on (8,8)'", "tv ((4,8),2):((2,8),2) on (8,8)"),
    (
        "bijective 'linear a [[1,0],[0,1]], b [[2,1]] -> x 4, y 2'",
        "linear a [[1,0],[0,1]], b [[1,1]] -> x 4, y 2",
    ),
    (
        "aligned 'strided f16[M,N] strides(ldc,1)' 16 --where 'ldc % 8 == 0'",
        "strided f16[M,N] strides(ldc+1,1)",
    ),
    ("bijective 'Swizzle(3,3,3) o 0 o (8*R,64):(64,1)'", "Swizzle(3,3,0) o 0 o (8*R,64):(64,1)"),
    ("reinterpret 'f32[8,1,128]{2,1,0}' 'f32[1,8,128]{2,1,0}'", "f32[8,1,129]{2,1,0}"),
    ("bijective 'map i < M, j < N: (i, j) in (M, N)'", "map i < M, j < N: (i, j) in (M, N + 1)"),
    ("bijective 'map i < M, j < N: (i, j) in (M, N)'", "map i < M, j < N: (i, i) in (M, N)"),
    (
        "bijective 'map i < M, j < N: (i, (i + j)%N) in (M, N)'",
        "map i < M, j < N: (i, (i + 2*j)%N) in (M, N)",
    ),
    *[
        (f"bijective '{TILE}'", TILE.replace(old, new))
        for old, new in [("(M, N)", "(M, N + 1)"), ("M - f", "M"), ("M*N:", "M*N + 1:")]
    ],
    (BITS, "map r < R, c < 64: r*64 + ((c//8) ^ (r%9))*8 + c%8 in R*64"),
    (BITS, "map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%4 in R*64"),
]


@pytest.mark.parametrize(("words", "claim"), FALSE)
def test_the_steps_of_another_claim_are_refused(folder, words, claim, capsys):
    """The statement is the claim's, whichever steps are printed below it."""
    forged = certificate(folder, words)
    forged["claim"]["arguments"][0] = claim
    assert refused(folder, forged)


@pytest.mark.parametrize(("old", "new"), [("7 + M", "8 + M"), ("127 + N", "N"), ('"8"', '"4"')])
def test_changed_steps_are_refused(folder, old, new, capsys):
    text = json.dumps(certificate(folder, "injective 'f32[M,N]{1,0:T(8,128)}'"))
    assert old in text
    assert refused(folder, json.loads(text.replace(old, new)))


def refused(folder: Path, forged: dict) -> bool:
    """Whether there is no theorem, or one that Rocq does not accept."""
    forged["seal"] = seal(forged)
    try:
        text = theorems([forged])
    except LayoutError:
        return True
    return not rocq.accepts(folder, text, "forged")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("bounded 'map i < 4*M: (i ^ 1) in 4*M'", "operations on bits"),
    ],
)
def test_what_the_library_lacks_is_named(folder, words, what, capsys):
    assert main(["prove", *shlex.split(words), "--no-hints", "--rocq", "no.v"]) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("proved")  # the verdict comes first
    assert re.search(f"{what}.* not in its library", printed.err)
    assert not Path("no.v").exists()


def test_a_recheck_says_first_that_it_accepts(folder, capsys):
    file = folder / "bits.json"
    claim = "bounded 'map i < 4*M: (i ^ 1) in 4*M'"
    assert main(["prove", *shlex.split(claim), "--certificate", str(file)]) == 0
    capsys.readouterr()
    assert main(["recheck", str(file), "--rocq", "no.v"]) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("accepted")
    assert "not in its library" in printed.err
