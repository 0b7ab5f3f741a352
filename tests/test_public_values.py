"""What users get is `int` or SymPy's: attributes and results of what the API reference names."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys

import pytest
import sympy

import symlayout as sl
from symlayout import tla

M, N, i = sympy.symbols("M N i")


def test_a_map_without_a_guard_has_none() -> None:
    assert sl.parse("map i < N: i").guard is None


def test_what_is_in_range_is_sympy_s() -> None:
    layout = tla.read_layout("(M,N):(1,M)")
    (inside,) = tla.in_range(layout, tla.read_inttuple("(BM,8)"), where="N % 8 == 0")
    assert isinstance(inside, sympy.core.relational.Relational)
    assert str(inside) == "BM*q0 + r0 < M"
    assert inside.subs({"BM": 4, "q0": 1, "r0": 2, "M": 7}) == sympy.true


FORMULA = "8*ceildiv(M, 4)*(i//8) + i%8 + min(M, N)"

METHODS = {
    "atoms": lambda e: {i, M, N} <= e.atoms(sympy.Symbol),
    "free_symbols": lambda e: e.free_symbols == {i, M, N},
    "subs": lambda e: e.subs({i: 17, M: 5, N: 3}) == 8 * 2 * 2 + 1 + 3,
    "xreplace": lambda e: e.xreplace({i: i + 1}).has(i + 1),
    "replace": lambda e: e.replace(M, N).free_symbols == {i, N},
    "match": lambda e: e.match(sympy.Wild("w")) is not None,
    "coeff": lambda e: e.coeff(i) == 0,
    "as_coefficients_dict": lambda e: sorted(e.as_coefficients_dict().values()) == [1, 1, 8],
    "collect": lambda e: (e * i + i).collect(i).coeff(i) == e + 1,
    "expand": lambda e: ((e + 1) * 2).expand() == 2 * e.expand() + 2,
    "factor": lambda e: sympy.factor(e * M + M) == M * (e + 1),
    "is_integer": lambda e: e.is_integer in (True, None),
    "hash": lambda e: hash(e) == hash(pickle.loads(pickle.dumps(e))),
    "pickle": lambda e: pickle.loads(pickle.dumps(e)) == e,
    "lambdify": lambda e: sympy.lambdify((i, M, N), e)(17, 5, 3) == 36,
    "floor": lambda e: e.rewrite(sympy.floor).subs({i: 17, M: 5, N: 3}) == 36,
    "doit": lambda e: e.doit() == e,
    "evalf": lambda e: int(e.subs({i: 17, M: 5, N: 3}).evalf()) == 36,
    "latex": lambda e: r"\lfloor" in sympy.latex(e),
    "arithmetic": lambda e: e - e == 0 and 2 * e - e == e and (M + e) - M == e,
    "compare": lambda e: (
        e == e + 0 and e != e + 1 and isinstance(e < M, sympy.core.relational.Relational)
    ),
}


@pytest.mark.parametrize("method", METHODS)
def test_sympy_s_methods_on_a_formula(method: str) -> None:
    formula = sl.simplify(FORMULA)
    assert isinstance(formula, sympy.Expr)
    assert METHODS[method](formula)
    size = sl.parse("f32[M,N]{1,0:T(8,128)}").index_map().size
    assert isinstance(size, sympy.Expr)
    assert size.as_coefficients_dict()


def test_a_field_is_given_and_printed_by_its_public_name() -> None:
    m = sl.IndexMap(shape=(M, 4), coords=sympy.symbols("i j"), raw=4 * i, size=4 * M)
    assert (m.shape, m.size) == ((M, 4), 4 * M)
    assert "shape=(M, 4)" in repr(m)
    assert "(shape: " in str(inspect.signature(sl.IndexMap))
    with pytest.raises(TypeError):
        sl.IndexMap(shapes=(M,), coords=(i,), raw=i, size=M)


ASK = """
import sys
from symlayout.__main__ import main
status = main({arguments!r})
print([name for name in ("sympy", "z3") if name in sys.modules], status)
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ["prove", "bijective", "bf16[M,N]{1,0:T(8,128)(2,1)}", "--where", "M % 8 == 0"],
        ["prove", "equal", "(M,N):(N,1)", "f32[M,N]{1,0}"],
        ["prove", "injective", "map i < M, j < N: i*N + j in M*N"],
        ["prove", "equal", "strided f32[M,N] strides(N,1)", "f32[M,N]{1,0}"],
        ["prove", "injective", "Swizzle(3,3,3) o 0 o (8,64):(64,1)"],
        ["prove", "broadcast", "f32[M,N]", "f32[N]", "--dims", "1"],
    ],
    ids=lambda words: " ".join(words[1:3]),
)
def test_a_cold_proof_makes_no_sympy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.splitlines()[-1].startswith("[]"), done.stdout
