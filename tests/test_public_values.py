"""What users get is `int` or SymPy's: attributes and results of what the API reference names."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import sympy

import symlayout as sl
from symlayout import tla
from symlayout.checks.cli.derive import derivation
from symlayout.expr.tree import Expr
from symlayout.layouts.notation import NOTATIONS

M, N, i = sympy.symbols("M N i")
# the package's own: what it keeps for its proofs, and no part of the reference
OWN = {
    "span",
    "demands",
    "demanded",
    "reference",
    "definition",
    "behind",
    "source",
    "facts",
}
TILED = "f32[M,N]{1,0:T(s,t)}"
MODES = ("(M,N):(N,1)", "((M,4),(N,3)):((4,16),(1,32*M))", "(2,3):(3,1)")
SHAPES = {
    "plain": "f32[M,N]{1,0}",
    "tiled": TILED,
    "padded": "f32[M,N]{1,0:PAD(M+1,N+2)=0}",
    "bounded": "f32[<=M,4]",
    "aligned": "f32[M]{0:L(k)}",
}
VERDICTS = {
    "refuted": lambda: sl.prove.equal("f32[M,N]{1,0}", "f32[M,N]{0,1}"),
    "broadcast": lambda: sl.prove.broadcast("f32[M,1]", "f32[1,N]"),
    "tiles": lambda: sl.prove.tiles("zN(f16, R, C)", "16,32", where="C >= 32"),
    "bijective": lambda: sl.prove.bijective(TILED, where=["M % s == 0", "N % t == 0"]),
    "when": lambda: sl.when.injective("(M,N):(1,P)"),
}


def leaks(x: Any, path: str, seen: dict[int, Any], depth: int = 4) -> Iterator[str]:
    """Where the package's own expressions can be reached by public names."""
    if isinstance(x, Expr):
        yield f"{path} is {type(x).__name__} {x}"
    elif isinstance(x, dict):
        for k, v in x.items():
            yield from leaks(k, path, seen, depth)
            yield from leaks(v, f"{path}[{k!r}]", seen, depth)
    elif isinstance(x, (list, tuple, set, frozenset)):
        for v in x:
            yield from leaks(v, path, seen, depth)
    if not type(x).__module__.startswith("symlayout") or isinstance(x, (type, ModuleType)):
        return
    if depth == 0 or id(x) in seen or isinstance(x, (Expr, sympy.Basic)):
        return
    seen[id(x)] = x
    for name in dir(x):
        if name.startswith("_") or name in OWN:
            continue
        try:
            value = getattr(x, name)
            if inspect.isroutine(value) and name not in ("buffer", "wait"):
                value = value()
        except Exception:  # a method that wants arguments, or has no answer for this value
            continue
        yield from leaks(value, f"{path}.{name}", seen, depth - 1)


def reached(x: Any, path: str) -> list[str]:
    return sorted(set(leaks(x, path, {})))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_notation_gives_sympy(notation: str) -> None:
    layout = sl.parse(NOTATIONS[notation].example)
    assert reached(layout, "layout") == []
    try:
        m = layout.index_map()
    except sl.LayoutError:
        return
    values = (*m.shape, *m.coords, m.size, m.elements, m.formula, m.raw)
    assert all(isinstance(v, (int, sympy.Basic)) for v in values)


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_an_xla_shape_gives_sympy(text: str) -> None:
    assert reached(sl.parse(text), "shape") == []


@pytest.mark.parametrize("ask", VERDICTS.values(), ids=VERDICTS)
def test_an_answer_gives_sympy(ask: Any) -> None:
    assert reached(ask(), "answer") == []


CALLS: tuple[tuple[Any, ...], ...] = (
    *[(a,) for a in MODES],
    *[(a, b) for a in MODES for b in MODES],
    *[(a, b) for a in MODES for b in ((2, 2), (0, 1), (M, 2))],
    ((1, N), (M, N), (N, 1)),
    ((M, N),),
    (5, (M, N)),
    (M, (N, 4)),
)


@pytest.mark.parametrize("name", [n for n in tla.__all__ if n != "_"])
def test_the_algebra_gives_sympy(name: str) -> None:
    for call in CALLS:
        arguments = [tla.read_layout(a) if isinstance(a, str) else a for a in call]
        try:
            result = getattr(tla, name)(*arguments)
        except (TypeError, sl.LayoutError, ValueError, AttributeError, NotImplementedError):
            continue
        assert reached(result, f"{name}{call}") == []


GUARDS = {
    "map i < N if i < M: i": "i < M",
    "map i < N if i >= M: i": "M < i + 1",
    "map i < N, j < M if i < j and j < 5: i": "(i < j) & (j < 5)",
    "map i < N if i < 3 or i > M: i": "(M < i) | (i < 3)",
    "map i < N if i//4 < M and i%4 != 2: i": None,
}


@pytest.mark.parametrize("text", GUARDS)
def test_a_guard_is_sympy_s(text: str) -> None:
    f = sl.parse(text)
    assert isinstance(f.guard, sympy.logic.boolalg.Boolean)
    assert GUARDS[text] in (None, str(f.guard))
    assert f.guard.free_symbols <= {*map(sympy.Symbol, "ijMN")}
    for sizes in ({"i": 2, "j": 3, "M": 1, "N": 9}, {"i": 7, "j": 8, "M": 9, "N": 9}):
        truth = f.guard.subs({sympy.Symbol(n): v for n, v in sizes.items()})
        assert bool(truth) is eval(text.split(" if ")[1].split(":")[0], {}, dict(sizes))
    assert reached(f, "map") == []


def test_a_map_without_a_guard_has_none() -> None:
    assert sl.parse("map i < N: i").guard is None


DERIVED = {
    "f32[M,N]{1,0:T(8,128)}": lambda d: (d.size, d.terms[0].stride, d.steps[0].sizes[1]),
    "bf16[M,N]{1,0:T(s,t)(2,1)L(k)}": lambda d: (d.size, d.terms[0].coordinate, *d.steps[-1].sizes),
    "(M,N):(N,1)": lambda d: (d.shape[0], d.terms[0].stride),
    "Swizzle(2,0,3) o 0 o (8,N):(8,1)": lambda d: (d.shape[1],),
    "add(f32[M,3,1], f32[1,2]), broadcast_dimensions={1,2}": lambda d: (d.result[0], d.large[0]),
    "broadcast_in_dim(f32[N,1], dims=(1,2), to=f32[2,N,M])": lambda d: (
        d.small[0],
        d.intermediate[1],
        d.steps[-1].sizes[2],
    ),
}


@pytest.mark.parametrize("text", DERIVED)
def test_a_derivation_gives_sympy(text: str) -> None:
    derived = derivation(text)
    assert reached(derived, "derivation") == []
    for value in DERIVED[text](derived):
        assert isinstance(value, sympy.Expr)
        assert value.free_symbols


def test_what_is_in_range_is_sympy_s() -> None:
    layout = tla.read_layout("(M,N):(1,M)")
    (inside,) = tla.in_range(layout, tla.read_inttuple("(BM,8)"), where="N % 8 == 0")
    assert isinstance(inside, sympy.core.relational.Relational)
    assert str(inside) == "BM*q0 + r0 < M"
    assert inside.subs({"BM": 4, "q0": 1, "r0": 2, "M": 7}) == sympy.true


def test_the_offset_of_a_coordinate_is_sympy_s() -> None:
    layout = tla.read_layout("(M,N):(N,1)")
    for offset in (
        layout(i, 2),
        tla.crd2offset((i, 2), layout),
        tla.crd2offset((i, 2), (M, N), (N, 1)),
    ):
        assert isinstance(offset, sympy.Basic)
        assert offset == N * i + 2
        assert offset.atoms(sympy.Symbol) == {N, i}
    assert type(layout(1, 2).subs(N, 5)) is not Expr
    assert tla.crd2offset((1, 2), (4, 5), (5, 1)) == 7


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
