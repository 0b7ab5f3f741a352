"""`2^k` and number `^` number look like powers and are exclusive ors: sizes and facts refuse them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import LayoutError
from symlayout.__main__ import main
from symlayout.expr.evaluation import value
from symlayout.expr.reader import check_powers, read_expression
from symlayout.programs.kernels.nodes import Node, cast, name, num

# [the text, what the message has to say], of facts and sizes alike
NUMBERS = [
    ("2^40", "2^40 is 42 (exclusive or); write 2**40"),
    ("2 ^ 40", "2^40 is 42"),
    ("0x2^40", "0x2^40 is 42 (exclusive or); write 0x2**40"),
    ("10^6", "10^6 is 12 (exclusive or); write 10**6"),
    ("10^6*n", "10^6 is 12"),
    ("n*2^31", "2^31 is 29 (exclusive or); write 2**31"),
    ("3*2^4", "2^4 is 6"),
    ("n + 3^2", "3^2 is 1"),
    ("(-2)^3", "(-2)^3 is -3"),
    ("-2^3", "2^3 is 1"),
    ("2^-1", "2^-1 is -3"),
    ("(1 + 1)^40", "(1 + 1)^40 is 42"),
    ("2/* bytes */^40", "is 42"),
    ("2^(20 + 20)", "write 2**(20 + 20)"),
    ("10^(3 + 3)", "10^(3 + 3) is 12"),
    ("min(2, 3)^40", "min(2, 3)^40 is 42"),
    ("min(n, 2^31)", "2^31 is 29"),
    ("ceildiv(n, 2^7)", "2^7 is 5"),
    ("n // 2^7", "2^7 is 5"),
    ("n % 2 ^ 7", "2^7 is 5"),
    ("2u^40", "2u^40 is 42"),
    ("2^40u", "2^40u is 42"),
    ("1^1", "1^1 is 0"),
    ("2^2^2", "2^2 is 0"),
]
POWERS = [
    ("2^k", "write 2**k"),
    ("2 ^ k", "write 2**k"),
    ("2^(k + 1)", "write 2**(k + 1)"),
    ("n*2^k", "write 2**k"),
    ("n % 2^k", "write 2**k"),
    ("0x2 ^ k", "write 0x2**k"),
    ("(2)^k", "write (2)**k"),
    ("(-2)^k", "write (-2)**k"),
    ("2^min(k, n)", "write 2**min(k, n)"),
    ("2^-k", "write 2**-k"),
    ("k ^ 2 ^ n", "write 2**n"),
    ("(2^k)", "write 2**k"),
]


@pytest.mark.parametrize(("text", "said"), NUMBERS + POWERS)
def test_a_power_in_a_size_or_a_fact_is_refused(text: str, said: str) -> None:
    calls: list[Any] = [
        lambda: read_expression(text),
        lambda: sl.parse(f"f32[{text},n]"),
        lambda: sl.parse(f"({text},k):(n,1)"),
        lambda: sl.parse(f"strided f32[n,k] strides({text},1)"),
        lambda: sl.parse(f"map i < {text}: i + k*n"),
        lambda: sl.parse(f"map {text} <= i < n + k: i"),
        lambda: sl.parse(f"map i < n: i in {text}"),
        lambda: sl.parse(f"map i < n if i < {text}: i + k"),
        lambda: sl.parse(f"map i < n: q = {text}; i + q*k"),
        lambda: sl.parse(f"map i < n: (1 if i < {text} else 2)"),
        lambda: sl.prove.injective("f32[n,k]", where=[f"n <= {text}"]),
        lambda: sl.prove.injective("f32[n,k]", where=[f"{text} >= n"]),
        lambda: sl.prove.bounded("f32[n,k]", text),
        lambda: sl.prove.divides(text, "n*k"),
        lambda: sl.prove.holds(f"{text} == 3"),
        lambda: sl.prove.formula("f32[n,k]", f"i*k + j + {text}"),
        lambda: sl.simplify(text, where=["n >= 2"]),
        lambda: sl.index_map(lambda i: i, {"i": text}),
        lambda: sl.when.bounded("f32[n,k]", text),
    ]
    for call in calls:
        with pytest.raises(LayoutError) as raised:
            call()
        assert raised.value.code == "SL200"
        assert said in str(raised.value)


TYPED = [
    ("prove injective 'f32[M,N]' --where 'M*N <= 2^31'", "2^31 is 29 (exclusive or); write 2**31"),
    ("when injective 'f32[M,N]' --where 'M*N <= 2^31'", "write 2**31"),
    ("prove bounded 'f32[M,N]' 2^20", "2^20 is 22 (exclusive or); write 2**20"),
    ("prove aligned 'f32[M,N]' 2^4", "write 2**4"),
    ("prove bytes 'f32[M,N]' 2^k", "write 2**k"),
    ("prove tiles 'f32[64,64]' 2^4,16", "write 2**4"),
    ("prove tiles 'f32[64,64]' 16,16 --at 2^3,q", "write 2**3"),
    ("formula 'f32[M,N]' --at 2^3,1", "write 2**3"),
    ("formula 'f32[M,N]' --where 'M <= 2^9'", "write 2**9"),
    ("derive 'f32[M,N]' --where 'M <= 2^9'", "write 2**9"),
    ("show 'f32[M,N]' --where 'M <= 2^9'", "write 2**9"),
    ("show 'f32[M,N]' --size M=2^3", "the size M is a whole number"),
    ("prove bijective 'linear i [[1]*2^k] -> 2**k'", "write 2**k"),
    ("prove bijective 'linear i [[1]*2**k] -> 2 ^ (k+m)'", "write 2**(k+m)"),
    ("prove bijective 'linear i [[2^3]*2**k] -> 2**k'", "write 2**3"),
    ("prove bijective 'linear i [[1]*2 ^ 3]'", "write 2**3"),
    ("formula 'linear i [[1]*2^3]'", "write 2**3"),
]


@pytest.mark.parametrize(("typed", "said"), TYPED)
def test_a_power_on_the_command_line_is_refused(typed: str, said: str, capsys: Any) -> None:
    assert main(shlex.split(typed)) == 2
    assert said in capsys.readouterr().err


TRITON = """import triton
import triton.language as tl

# symlayout: kernel grid {grid}
#   x_ptr is f32[n]{below}
#   y_ptr is f32[{size}] written at most once
#   where {fact}
@triton.jit
def copy(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
"""
CUDA = """// symlayout: kernel grid {grid} block (256,)
//   x is f32[n]{below}
//   y is f32[{size}] written at most once
//   where {fact}
__global__ void copy(const float* x, float* y, int n) {{
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i];
}}
"""
CONTRACTS = [
    {"fact": "n < 2^30"},
    {"fact": "n % 2 ^ 7 == 0"},
    {"fact": "n*2 <= 2^31, n >= 1"},
    {"size": "n*2^k"},
    {"size": "max(n, 2^4)"},
    {"grid": "(cdiv(n, 2^8),)"},
    {"grid": "(2^20,)"},
    {"grid": "((2)^20,)"},
    {"below": " below 2^31"},
]


@pytest.mark.parametrize("change", CONTRACTS, ids=[str(c) for c in CONTRACTS])
@pytest.mark.parametrize(("name", "source"), [("k.py", TRITON), ("k.cu", CUDA)])
def test_a_power_in_a_contract_is_refused(
    change: dict[str, str], name: str, source: str, tmp_path: Path, capsys: Any
) -> None:
    plain = {"grid": "(cdiv(n, 256),)", "below": "", "size": "n", "fact": "n >= 1"}
    file = tmp_path / name
    text = source.replace("f32[n]{below}", "i32[n]{below}") if "below" in change else source
    file.write_text(text.format(**(plain | change)))
    assert main(["check", str(file), "--no-cache"]) == 2
    out = capsys.readouterr()
    assert "exclusive or" in out.out + out.err


CLAIMS = [
    "[[claim]]\nprove = \"bounded 'f32[n]' 2^20\"\n",
    '[[claim]]\nprove = "injective \'f32[n]\'"\nwhere = ["n <= 2^20"]\n',
    '[facts]\nwhere = ["n <= 2^20"]\n[[claim]]\nprove = "injective \'f32[n]\'"\n',
    '[layouts]\na = "f32[2^20]"\n[[claim]]\nprove = "injective a"\n',
    "[[claim]]\nprove = \"injective 'f32[2^{k},n]'\"\nfor = { k = [3] }\n",
    '[maps.m]\ndomain = "i < n"\nresult = ["i + 2^3"]\n[[claim]]\nprove = "injective m"\n',
]


@pytest.mark.parametrize("text", CLAIMS)
def test_a_power_in_a_claims_file_is_refused(text: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text(text)
    assert main(["check", str(file), "--no-cache"]) == 2
    out = capsys.readouterr()
    assert "exclusive or" in out.out + out.err


# what is an exclusive or without doubt: of coordinates, of names, and in source code
KEPT = [
    ("i ^ j", lambda i, j: i ^ j),
    ("i ^ 2", lambda i, j: i ^ 2),
    ("i^40", lambda i, j: i ^ 40),
    ("(i//2) ^ i", lambda i, j: i // 2 ^ i),
    ("i//2 ^ i", lambda i, j: i // 2 ^ i),
    ("i%2 ^ 2*j", lambda i, j: i % 2 ^ 2 * j),
    ("i*2 ^ 1", lambda i, j: i * 2 ^ 1),
    ("i**2 ^ j", lambda i, j: i**2 ^ j),
    ("(i << 2) ^ 3", lambda i, j: i << 2 ^ 0 if False else (i << 2) ^ 3),
    ("7 ^ i", lambda i, j: 7 ^ i),
    ("4 ^ 2*i", lambda i, j: 4 ^ 2 * i),
    ("i ^ (2 ** 3)", lambda i, j: i ^ 8),
    ("int64(2) ^ i", lambda i, j: 2 ^ i),
]


@pytest.mark.parametrize(("text", "plain"), KEPT, ids=[t for t, _ in KEPT])
def test_an_exclusive_or_of_coordinates_stays(text: str, plain: Any) -> None:
    f = sl.parse(f"map i < 16, j < 16: {text}")
    for i in range(16):
        for j in range(16):
            assert f.at((i, j), {}) == (plain(i, j),)


def test_source_code_keeps_its_exclusive_or(tmp_path: Path, capsys: Any) -> None:
    """In a traced function, below a comment, and in kernels: `2 ^ i` is what code computes."""
    f = sl.index_map(lambda i: 2 ^ i, {"i": 8}, 8)
    assert sl.prove.bijective(f).proved
    assert sl.prove.bijective(str(f)).proved
    assert sl.prove.formula("map i < 8: i ^ 2", "2 ^ i", language="python").proved
    assert sl.prove.formula("f32[8]", "(2 ^ i) + 2*(i & 2) - 2", language="c").proved
    for file, end in ("a.py", ""), ("a.c", ";"):
        mark = "#" if end == "" else "//"
        comment = f'{mark} symlayout: formula "f32[8]" coords i\n'
        (tmp_path / file).write_text(f"{comment}y = (2 ^ i) + 2*(i & 2) - 2{end}\n")
        assert main(["check", str(tmp_path / file), "--no-cache"]) == 0
    for number, status in (("2", 0), ("16", 1)):
        kernel = tmp_path / "a.cu"
        kernel.write_text(
            "// symlayout: kernel grid (1,) block (8,)\n//   y is f32[8] written once\n"
            f"__global__ void f(float* y) {{ y[{number} ^ threadIdx.x] = 1; }}\n"
        )
        assert main(["check", str(kernel), "--no-cache"]) == status
    capsys.readouterr()


@given(st.integers(-4, 9), st.integers(-4, 9), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_node_with_numbers_is_printed_as_it_is_read(a: int, b: int, wide: bool, of: bool) -> None:
    """What kernels compute becomes a text that no reader refuses."""
    left, right = (cast(64, num(a)) if wide else num(a)), (name("i") if of else num(b))
    for typed in (False, True):
        text = Node("^", (left, right)).text({}, typed)
        assert value(read_expression(text), {"i": b}) == a ^ b


@given(st.integers(-9, 99), st.integers(-9, 99))
@settings(max_examples=60, deadline=None)
def test_what_is_printed_reads_back(a: int, b: int) -> None:
    e = sl.index_map(lambda i: (a ^ i) + (i ^ b), {"i": 64})
    again = sl.parse(str(e))
    i = np.arange(64)
    expected = (a ^ i) + (i ^ b)
    assert [again.at((int(k),), {})[0] for k in i] == expected.tolist()


@pytest.mark.parametrize("text", ["n ^ 2", "x2^n", "f(2)^n", "a ^= 2", "x.2^n"])
def test_other_readers_refuse_powers_alone(text: str) -> None:
    check_powers(text)
