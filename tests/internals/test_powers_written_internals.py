"""Properties of internal modules; `tests/test_powers_written.py` tests the public interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import LayoutError
from symlayout.__main__ import main
from symlayout.expr.evaluation import value
from symlayout.expr.machine import INT64
from symlayout.expr.reader import check_powers, read_expression
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import cast, name, num

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


@given(st.integers(-4, 9), st.integers(-4, 9), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_node_with_numbers_is_printed_as_it_is_read(a: int, b: int, wide: bool, of: bool) -> None:
    """What kernels compute becomes a text that no reader refuses."""
    left, right = (cast(INT64, num(a)) if wide else num(a)), (name("i") if of else num(b))
    for typed in (False, True):
        text = Term("^", (left, right)).text({}, typed)
        assert value(read_expression(text), {"i": b}) == a ^ b


@pytest.mark.parametrize("text", ["n ^ 2", "x2^n", "f(2)^n", "a ^= 2", "x.2^n"])
def test_other_readers_refuse_powers_alone(text: str) -> None:
    check_powers(text)
