"""Properties of internal modules; `tests/test_public_values.py` tests the public interface."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import sympy
from test_public_values import M, N, i

import symlayout as sl
from symlayout import tla
from symlayout.checks.cli.derive import derivation
from symlayout.expr.tree import Expr
from symlayout.layouts.notation import NOTATIONS

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


@pytest.mark.sample(6)
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
