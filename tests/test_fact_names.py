"""A name that one fact alone has is a slip: everywhere a fact is written it is an error with a hint."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import Claim, LayoutError
from symlayout.__main__ import main


def run(typed: str, capsys: Any) -> tuple[int, str]:
    code = main(shlex.split(typed))
    out = capsys.readouterr()
    return code, out.out + out.err


# -- the command line ------------------------------------------------------------------------------

# [what is typed, the name that is not known, what is suggested]
UNKNOWN = [
    ("prove injective 'f32[N,BLOCK]' --where 'N % BLOK == 0'", "BLOK", "did you mean 'BLOCK'?"),
    ("prove divides 4 k --where 'k % B == 0'", "B", "the names are k"),
    ("prove injective '(R,C):(C,1)' --where 'R % C0 == 0'", "C0", "did you mean 'C'?"),
    ("prove injective 'f32[N]' --where 'N == 4*n'", "n", "did you mean 'N'?"),
    ("prove injective 'f32[N]' --where 'N < M'", "M", "the names are N"),
    ("prove injective 'f32[N]' --where 'N > 1 and M > 1'", "M", "the names are N"),
    ("prove injective 'f32[N]' --where 'max(N, M) <= 9'", "M", "the names are N"),
    ("prove injective 'f32[N]' --where '(N if M < 4 else 4) >= 2'", "M", "the names are N"),
    ("prove injective 'f32[N]' --where '0 <= j < N'", "j", "the names are N"),
    ("prove injective 'f32[N]' --where 'N % x0 == 0 and N > 0'", "x0", "the names are N"),
    ("prove formula 'f32[M,N]' 'i*N + j' --where 'j < N'", "j", "the names are M, N"),
    ("prove holds 'M <= N' --where 'M % BLOK == 0'", "BLOK", "the names are M, N"),
    ("prove tiles 'f32[M,N]' 8,K --where 'N % k == 0'", "k", "did you mean 'K'?"),
    ("prove injective 'Swizzle<2,0,3> o (M,8):(8,1)' --where 'M % o == 0'", "o", "the names are M"),
    ("prove injective 'strided f32[M] strides(S)' --where 'M % offset == 0'", "offset", "M, S"),
    ("prove bijective 'linear i [[1]*2**k] -> 2**k' --where 'k % n == 0'", "n", "the names are k"),
    ("prove broadcast 'f32[A]' 'f32[B]' --where 'A % C == 0'", "C", "the names are A, B"),
    ("prove instruction 'f32[N] negate(f32[N])' --where 'N % K == 0'", "K", "the names are N"),
    ("when injective 'f32[N,BLOCK]' --where 'N % BLOK == 0'", "BLOK", "did you mean 'BLOCK'?"),
    ("when bounded 'map i < M: i in N' --where 'N % K == 0'", "K", "the names are"),
    ("formula 'f32[N,BLOCK]' --where 'N % BLOK == 0'", "BLOK", "did you mean 'BLOCK'?"),
    ("formula 'map i < N: i//2 in N' --where 'N % BLOK == 0'", "BLOK", "the names are"),
    ("derive 'f32[N,BLOCK]' --where 'N % BLOK == 0'", "BLOK", "did you mean 'BLOCK'?"),
    ("show 'f32[N,BLOCK]' --where 'N % BLOK == 0'", "BLOK", "did you mean 'BLOCK'?"),
    ("show 'map i < N: i//2 in N' --where 'N % BLOK == 0'", "BLOK", "the names are N"),
    ("prove injective 'f32[N]' --where 'N + K - K > 2'", "K", "the names are N"),
    ("prove injective 'f32[N]' --where 'N + 0*K > 2'", "K", "the names are N"),
    ("prove bounded 'f32[N]' K --where 'K % B == 0'", "B", "the names are"),
    # facts that fit nothing, although their names occur twice
    ("prove injective 'f32[N]' --where 'K >= 4' --where 'K <= 9'", "K", "the names are N"),
    ("prove injective 'f32[N]' --where 'K < L' --where 'L <= 9' --where 'K > 2'", "K", "N"),
]


@pytest.mark.parametrize(("typed", "name", "said"), UNKNOWN, ids=[t for t, _, _ in UNKNOWN])
def test_a_name_that_one_fact_alone_has_is_an_error(
    typed: str, name: str, said: str, capsys: Any
) -> None:
    code, text = run(typed, capsys)
    assert code == 2, text
    assert f"SL301: unknown name {name!r} in " in text
    assert said in text


KNOWN = [
    "prove bounded 'map i < 5: i in N' --where 'N > M' --where 'M >= 4'",
    "prove bounded 'map i < 5: i in N' --where 'N > M and M >= 4'",
    "prove bounded 'map i < 5: i in N' --where 'N > M >= 4'",
    "prove injective 'f32[N]' --where 'N % B == 0' --symbol B",
    "prove injective 'f32[N]' --symbol=B --where 'N % B == 0'",
    "prove --symbol B injective 'f32[N]' --where 'N % B == 0'",
    "prove injective 'f32[N]' --where 'N % B == 0 and symbol B'",
    "prove injective 'f32[N]' --where 'N % B == 0' --where 'symbol B'",
    "prove injective 'f32[N]' --symbol B",
    "prove injective '(M,1):(1,S)' --where 'S > M'",  # its term cancels
    "prove injective 'map i < N: i + K - K in N' --where 'K < N'",
    "prove injective 'map i < N if i < K: i in N' --where 'K < N'",
    "prove injective 'map i < N: q = i + K; i in N' --where 'K < N'",
    "prove injective 'Swizzle<2,0,3> o (8*M,S):(8*S,8)' --where 'M % S == 0'",
    "prove holds 'N > 0' --where 'symbol >= 3' --where 'N > symbol'",  # a size of that name
    "formula 'f32[N]' --where 'N % B == 0' --symbol B",
    "show 'f32[N]' --where 'N % B == 0' --symbol B",
    "derive 'f32[N]' --where 'N % B == 0' --symbol B",
]


@pytest.mark.parametrize("typed", KNOWN)
def test_a_name_that_occurs_elsewhere_is_known(typed: str, capsys: Any) -> None:
    code, text = run(typed, capsys)
    assert code == 0, text


@pytest.mark.parametrize("name", ["2B", "a b", "x.y", "", "ä"])
def test_a_symbol_is_a_name(name: str, capsys: Any) -> None:
    code, text = run(f"prove injective 'f32[N]' --symbol '{name}'", capsys)
    assert (code, "--symbol takes the name of a size" in text) == (2, True)


# -- Python ----------------------------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "call",
    [
        lambda where: sl.prove.injective("f32[M,N]", where=where),
        lambda where: sl.prove.equal("f32[M,N]", "f32[M,N]", where=where),
        lambda where: sl.prove.bounded(sl.parse("f32[M,N]"), where=where),
        lambda where: sl.prove.fits("map i < N: i", 32, where=where),
        lambda where: sl.prove.holds("N >= 1", where=where),
        lambda where: sl.when.injective("f32[M,N]", where=where),
        lambda where: sl.tla.coalesce(sl.parse("(M,N):(1,M)"), where=where),
        lambda where: sl.index_map(lambda i: i, {"i": "N"}, where=where),
    ],
)
@pytest.mark.parametrize("fact", ["N % BLOK == 0", "BLOK >= 4", "N == 8*BLOK", "BLOK <= N"])
def test_python_knows_no_other_names(call: Any, fact: str) -> None:
    for where in (fact, [fact], ["N >= 2", fact], [fact, fact]):
        with pytest.raises(LayoutError) as raised:
            call(where)
        assert raised.value.code == "SL301"
        assert raised.value.text == fact
        assert raised.value.text[raised.value.at : raised.value.end] == "BLOK"
    call([fact, "symbol BLOK"])
    call([fact, "N > BLOK + 1", "N >= 9"])


def test_simplify_takes_facts_with_names_of_their_own() -> None:
    where = ["N % 8 == 0", "K >= 4", "L == 2*K"]  # of a list for several expressions
    assert str(sl.simplify("N//8*8", where=where)) == "N"
    assert str(sl.simplify("N//4", where=["N == 4*n"])) == "n"


def test_pallas_knows_the_names_of_all_its_specs() -> None:
    spec = SimpleNamespace(block_shape=(8,), index_map=lambda i: (i,))
    case: dict[str, Any] = {"grid": ("G",), "in_specs": [spec], "in_shapes": [("M",)]}
    for fact in ("M % BLOK == 0", "BLOK <= M", "M == 8*BLOK", "BLOK >= 2"):
        with pytest.raises(LayoutError, match="unknown name 'BLOK'"):
            sl.pallas.claims(**case, where=["M >= 8*G", fact])
        (claim,) = sl.pallas.claims(**case, where=["M >= 8*G", fact, "symbol BLOK"])
        assert claim.verdict.proved


@pytest.mark.parametrize("name", ["BLOK", "M2", "n"])
def test_a_value_for_a_size_that_is_not_there_says_so(name: str, capsys: Any) -> None:
    with pytest.raises(LayoutError, match=f"'{name}' is not a size of this map"):
        sl.parse("f32[M,BLOCK]").index_map().buffer(**{name: 3})
    code, text = run(f"show 'f32[M,BLOCK]' --size {name}=3", capsys)
    assert (code, f"{name!r} is not a size of this layout" in text) == (2, True)


@given(
    st.lists(
        st.sampled_from(["A < B", "B % C == 0", "C <= 9", "D == A", "D < E", "E > 2", "N > A"])
    ),
    st.sets(st.sampled_from("ABCDE")),
)
@settings(max_examples=150, deadline=None)
def test_the_rule_is_that_of_the_text(facts: list[str], symbols: set[str]) -> None:
    """An error exactly where a name stands in one fact alone, or a fact is tied to nothing."""
    where = [*facts, *[f"symbol {s}" for s in sorted(symbols)]]
    names = {f: {c for c in f if c.isalpha()} for f in dict.fromkeys(facts)}
    known = {"N"} | symbols
    lone = any(
        n not in known and sum(n in own for own in names.values()) == 1
        for own in names.values()
        for n in own
    )
    reach = set(known)
    while more := {n for own in names.values() if own & reach for n in own} - reach:
        reach |= more
    wrong = lone or any(not own & reach for own in names.values())
    if not wrong:
        assert sl.prove.injective("f32[N]", where=where).status in ("proved", "vacuous")
        return
    with pytest.raises(LayoutError) as raised:
        sl.prove.injective("f32[N]", where=where)
    assert raised.value.code == "SL301"


# -- claims files, settings and comments -----------------------------------------------------------


def claims(tmp_path: Path, text: str, name: str = "a") -> Path:
    file = tmp_path / f"{name}.layout.toml"
    file.write_text(text)
    return file


ONE = "[[claim]]\nprove = \"injective 'f32[N,BLOCK]'\"\n"

TWO = "[[claim]]\nprove = \"injective 'f32[N,M]'\"\n"

BAD_FILES = [
    f'[facts]\nwhere = ["N % BLOK == 0"]\n{ONE}',
    f'[facts]\nwhere = ["N % BLOK == 0", "M % 2 == 0"]\n{ONE}{TWO}',
    f'{ONE}where = ["N % BLOK == 0"]\n',
    f'{TWO}where = ["N % BLOCK == 0"]\n{ONE}',  # a claim's own fact is about its own names
    f'[facts]\nwhere = ["N == 4*BLOK"]\n{TWO}',
    f'[facts]\nwhere = ["N % BLOK{{k}} == 0"]\n{TWO}for = {{ k = [1, 2] }}\n',
    f'[facts]\nwhere = ["N % BLOCK == 0"]\nsymbols = ["BLOK"]\n{TWO}',
]


@pytest.mark.parametrize("text", BAD_FILES)
def test_a_slip_in_a_claims_file(text: str, tmp_path: Path, capsys: Any) -> None:
    code, said = run(f"check {claims(tmp_path, text)} --no-cache", capsys)
    assert code == 2
    assert "SL301: unknown name 'BLO" in said or "unknown name 'BLOCK'" in said
    assert "proved: " not in said


def test_a_fact_that_fits_no_claim_of_its_file(tmp_path: Path, capsys: Any) -> None:
    for fact, wrong in (("K <= 5", True), ("K < L and L <= 5 and K > 1", True), ("N <= 5", False)):
        file = claims(tmp_path, f'[facts]\nwhere = ["{fact}"]\n{TWO}')
        assert run(f"check {file} --no-cache", capsys)[0] == (2 if wrong else 0)


def test_a_fact_of_an_included_file_may_fit_nothing(tmp_path: Path, capsys: Any) -> None:
    claims(tmp_path, '[facts]\nwhere = ["K <= 5", "M <= 9"]\n', "shared")
    file = claims(tmp_path, f'include = ["shared.layout.toml"]\n{TWO}')
    assert run(f"check {file} --no-cache", capsys)[0] == 0
    claims(tmp_path, '[facts]\nwhere = ["M % BLOK == 0"]\n', "shared")
    code, said = run(f"check {file} --no-cache", capsys)
    assert (code, "unknown name 'BLOK' in 'M % BLOK == 0'" in said) == (2, True)
    assert "shared.layout.toml:2" in said


@pytest.mark.parametrize(
    ("setting", "typed", "code", "said"),
    [
        ('where = ["N % BLOK == 0"]', "check", 2, "unknown name 'BLOK'"),
        ('where = ["N % BLOK == 0"]', "check a.layout.toml", 2, "did you mean 'BLOCK'?"),
        ('where = ["N % BLOK == 0"]', "check b.layout.toml", 0, ""),
        ('where = ["N % BLOK == 0"]\nsymbols = ["BLOK"]', "check", 0, ""),
        ('where = ["N % BLOCK == 0"]', "check", 0, ""),
        ('where = ["K <= 5"]', "check", 2, "no claim has the names of 'K <= 5'"),
        ('where = ["K <= 5"]', "check a.layout.toml", 0, ""),
        ('where = ["N <= 5", "P <= 5"]', "check", 0, ""),
        ("", "check --where 'K <= 5'", 2, "no claim has the names of 'K <= 5'"),
        ("", "check a.layout.toml --where 'K <= 5'", 2, "no claim has the names"),
        ("", "check --where 'N % BLOK == 0'", 2, "unknown name 'BLOK'"),
        ("", "check --where 'N % BLOK == 0' --symbol BLOK", 0, ""),
        ('symbols = ["2x"]', "check", 2, "not a name of a size"),
    ],
)
def test_facts_of_settings_fit_a_claim(
    setting: str, typed: str, code: int, said: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(f"[tool.symlayout]\n{setting}\n")
    claims(tmp_path, ONE)
    claims(tmp_path, "[[claim]]\nprove = \"injective 'f32[P]'\"\n", "b")
    got, text = run(f"{typed} --no-cache", capsys)
    assert got == code, text
    assert said in text


@pytest.mark.parametrize(
    ("fact", "code"),
    [("N % BLOK == 0", 2), ("N > 1 and M < BLOK", 2), ("N % BLOK == 0 and symbol BLOK", 0)],
)
@pytest.mark.parametrize(("name", "mark", "end"), [("a.py", "#", ""), ("a.c", "//", ";")])
def test_a_slip_in_a_comment(
    fact: str, code: int, name: str, mark: str, end: str, tmp_path: Path, capsys: Any
) -> None:
    text = f'{mark} symlayout: formula "f32[M,N]" coords i, j where {fact}\nx = i*N + j{end}\n'
    (tmp_path / name).write_text(text)
    got, said = run(f"check {tmp_path / name} --no-cache", capsys)
    assert got == code, said
    assert ("unknown name 'BLOK'" in said) == (code == 2)


# -- contracts -------------------------------------------------------------------------------------

PYTHON = """import triton
import triton.language as tl

# symlayout: kernel grid {grid}
#   x_ptr is f32[{size}]{below}
#   y_ptr is f32[n] written at most once
#   where {fact}{more}
@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
"""

CUDA = """// symlayout: kernel grid {grid} block (BLOCK,)
//   x_ptr is f32[{size}]{below}
//   y_ptr is f32[n] written at most once
//   where {fact}{more}
template <int BLOCK> __global__ void copy(const float* x_ptr, float* y_ptr, int n) {{
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y_ptr[i] = x_ptr[i];
}}
"""

BOUNDS = "n <= 2**20, BLOCK <= 1024"

PLAIN = {"grid": "(cdiv(n, BLOCK),)", "size": "n", "below": "", "fact": BOUNDS, "more": ""}

SLIPS = [
    ({"fact": "n % BLOK == 0"}, "BLOK", "did you mean 'BLOCK'?"),
    ({"fact": "n <= 2**20, BLOK <= 1024"}, "BLOK", "did you mean 'BLOCK'?"),
    ({"fact": "n % Q == 0, Q <= n"}, "Q", "the names are"),  # twice, and still not the kernel's
    ({"grid": "(cdiv(n, BLOCK_SIZE),)"}, "BLOCK_SIZE", "did you mean 'BLOCK'?"),
    ({"grid": "(n//BLOCK, 2*G)"}, "G", "the names are"),
    ({"fact": "n <= pid*BLOCK"}, "pid", "the names are"),
    ({"fact": "n <= m_ptr"}, "m_ptr", "did you mean"),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "source"), [("k.py", PYTHON), ("k.cu", CUDA)])
@pytest.mark.parametrize(("change", "word", "said"), SLIPS, ids=[str(c) for c, _, _ in SLIPS])
def test_a_slip_in_a_contract(
    change: dict[str, str],
    word: str,
    said: str,
    name: str,
    source: str,
    tmp_path: Path,
    capsys: Any,
) -> None:
    file = tmp_path / name
    file.write_text(source.format(**(PLAIN | change)))
    code, text = run(f"check {file} --no-cache", capsys)
    assert code == 2, text
    assert f"unknown name {word!r} in" in text
    assert said in text
    line = next(
        k for k, t in enumerate(file.read_text().split("\n"), 1) if word in t.split("def")[0]
    )
    assert f"{name}:{line}:" in text


FINE = [
    {},
    {"fact": f"{BOUNDS}, n % BLOCK == 0"},
    {"grid": "(G,)", "fact": f"{BOUNDS}, G*BLOCK <= n"},
    {"size": "n_elements", "fact": f"{BOUNDS}, n <= n_elements"},
    {"size": "n_elements", "fact": f"{BOUNDS}, n <= n_elements <= 2**20"},
]


@pytest.mark.parametrize(("name", "source"), [("k.py", PYTHON), ("k.cu", CUDA)])
@pytest.mark.parametrize("change", FINE, ids=[str(c) for c in FINE])
def test_names_of_a_contract_that_are_known(
    change: dict[str, str], name: str, source: str, tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / name
    file.write_text(source.format(**(PLAIN | change)))
    code, text = run(f"check {file} --no-cache", capsys)
    assert code == 0, text
    note = "n_elements is not a parameter of the kernel"
    assert text.count(note) == ("size" in change)


def test_a_decorator_knows_the_same_names(tmp_path: Path, capsys: Any) -> None:
    text = """import symlayout
import triton
import triton.language as tl

@symlayout.kernel(grid="{grid}", x="f32[n]", y="f32[n] written at most once", where="{fact}"{more})
@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
"""
    for change, code in (
        ({}, 0),
        ({"fact": "n % BLOK == 0"}, 2),
        ({"fact": f"{BOUNDS}, n % BLOK == 0", "more": ', symbol="BLOK"'}, 0),
        ({"fact": f"{BOUNDS}, n % BLOK == 0", "more": ', symbol=("BLOK", "C")'}, 0),
        ({"grid": "cdiv(n, BLOK)"}, 2),
    ):
        plain = {"grid": "cdiv(n, BLOCK)", "fact": BOUNDS, "more": ""}
        (tmp_path / "k.py").write_text(text.format(**(plain | change)))
        got, said = run(f"check {tmp_path / 'k.py'} --no-cache", capsys)
        assert got == code, said
        assert ("unknown name 'BLOK'" in said) == (code == 2)


def test_a_launch_in_the_file_gives_its_names(tmp_path: Path, capsys: Any) -> None:
    """`grid0` is the size of a launch that the contract leaves to the file."""
    text = PYTHON.replace("kernel grid {grid}", "kernel").replace("[n]", "[n]")
    host = "\n\ndef run(x, y):\n    copy[(x.shape[0] // 8,)](x, y, x.shape[0], BLOCK=8)\n"
    for fact, code in (("n <= 2**20", 0), ("n <= 2**20, BLOK == 8", 2)):
        (tmp_path / "k.py").write_text(text.format(**(PLAIN | {"fact": fact})) + host)
        got, said = run(f"check {tmp_path / 'k.py'} --no-cache", capsys)
        assert got == code, said


def test_what_is_printed_can_be_pasted(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "c.json"
    typed = "prove injective 'f32[N]' --where 'N % B == 0' --symbol B"
    code, text = run(f"{typed} --json --certificate {file}", capsys)
    where = json.loads(text)["claims"][0]["where"]
    assert (code, where) == (0, ["N % B == 0", "symbol B"])
    claim = Claim("injective", ("f32[N]",), (), tuple(where))
    assert str(claim) == "injective 'f32[N]' --where 'N % B == 0' --symbol B"
    assert Claim.parse(str(claim)).facts == claim.facts
    assert run(f"prove {claim}", capsys)[0] == 0
    assert run(f"recheck {file} --claim {shlex.quote(str(claim))}", capsys)[0] == 0
    verdict = sl.prove.injective("f32[N]", where=where)
    assert verdict.command.endswith("--symbol B")
    assert run(verdict.command.removeprefix("symlayout "), capsys)[0] == 0


GOOD_FILES = [
    f'[facts]\nwhere = ["N % BLOCK == 0"]\n{ONE}{TWO}',  # the other claim has it
    f'[facts]\nwhere = ["N % BLOK == 0"]\nsymbols = ["BLOK"]\n{ONE}{TWO}',
    f'[facts]\nwhere = ["N % BLOK == 0", "BLOK >= 4"]\n{TWO}',
    f'{TWO}where = ["N % BLOK == 0"]\nsymbols = ["BLOK"]\n',
    f'{TWO}where = ["N % BLOK == 0", "symbol BLOK"]\n',
    f'[facts]\nsymbols = ["BLOK", "Q"]\nwhere = ["N % BLOK == 0"]\n{TWO}',
    f'[facts]\nwhere = ["N % BLOK == 0"]\n{TWO}where = ["M % BLOK == 0"]\n',
]


@pytest.mark.parametrize("text", GOOD_FILES)
def test_a_file_whose_facts_know_their_names(text: str, tmp_path: Path, capsys: Any) -> None:
    file = claims(tmp_path, text)
    code, said = run(f"check {file} --no-cache --json", capsys)
    assert code == 0, said
    for c in json.loads(said)["claims"]:  # what a report says can be asked alone
        claim = Claim.from_json(c)
        assert run(f"prove {claim}", capsys)[0] == 0


@pytest.mark.parametrize(("name", "source"), [("k.py", PYTHON), ("k.cu", CUDA)])
def test_a_contract_introduces_symbols(name: str, source: str, tmp_path: Path, capsys: Any) -> None:
    mark = "#" if name.endswith("py") else "//"
    for line in ("symbol k", "symbol k, m"):
        change = {"fact": f"{BOUNDS}, n == 8*k", "more": f"\n{mark}   {line}"}
        (tmp_path / name).write_text(source.format(**(PLAIN | change)))
        code, text = run(f"check {tmp_path / name} --no-cache --json", capsys)
        assert code == 0, text
        for c in json.loads(text)["claims"]:
            assert run(f"prove {Claim.from_json(c)}", capsys)[0] == 0
    change = {"fact": "n == 8*k", "more": f"\n{mark}   symbol 2k"}
    (tmp_path / name).write_text(source.format(**(PLAIN | change)))
    assert run(f"check {tmp_path / name} --no-cache", capsys)[0] == 2
