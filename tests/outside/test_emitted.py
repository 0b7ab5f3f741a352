"""Emitted code given to the compilers of its language: `pip install '.[test,jax]' triton`, and nvcc.

They stand outside of the other tests, which run what Python, gcc and rustc can; without a compiler
they fail.  No GPU is needed: Triton and nvcc compile for one that is not there.
"""

from __future__ import annotations

import importlib.util
import subprocess
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import symlayout as sl
from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.render.emit import Target, emit

LAYOUTS = (
    "f32[M,N]",
    "f32[M,N]{1,0:T(8,128)}",
    "bf16[M,N]{1,0:T(8,128)(2,1)}",
    "f32[M,N]{1,0:T(s,t)}",
    "f32[A,M,N]{2,1,0:T(8,100)}",
    "zN(f16,R,C)",
    "strided f32[M,N] strides(S,1) offset 16",
    "Swizzle(3,3,3) o 0 o (8,64):(64,1)",
    "map p < 8*K*L: ((p // (4*K))*4 + p % 4)*K + p % (4*K) // 4 in 8*K*L",
)
MAPS = (
    "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G);"
    " (first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)",
    "map b < ceildiv(n, B), t < B if b*B + t < n: b*B + t in n",
    "map -5 <= i < n if not -2 <= i < 0 and (i < n or i == 6): (i + 1, i & 5)",
    "map i < M, j < N: (i - j)//3 if i < j and i != s else max(i, -j)%5",
)
SIZE = 24  # of every symbol, where code is run


def module(path: Path, text: str) -> ModuleType:
    """The text as an imported module."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def names_of(m: sl.IndexMap) -> list[str]:
    """The parameters of emitted code: coordinates, then sizes."""
    return [*[c.name for c in m.coords], *m.symbols]


def parameters_of(text: str) -> list[str]:
    """The parameters of a map's code: variables, then sizes."""
    f = sl.parse(text)
    return [*[v.name for v in f.variables], *f.names]


def points(m: sl.IndexMap) -> tuple[list[list[int]], list[int]]:
    """Some coordinates with the sizes behind them, and the offsets by the definition."""
    sizes = dict.fromkeys(m.symbols, SIZE)
    shape, _ = m.concrete(sizes)
    sides = [sorted({0, 1, d // 2, d - 1}) for d in shape]
    rows = [list(p) for p in product(*sides)]
    coords = [c.name for c in m.coords]
    expected = [value(m._raw, {**dict(zip(coords, p)), **sizes}) for p in rows]
    return [[*p, *sizes.values()] for p in rows], expected


@pytest.mark.parametrize("text", LAYOUTS)
def test_triton_compiles_for_a_gpu(text: str, tmp_path: Path) -> None:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    m = sl.parse(text).index_map()
    names = names_of(m)
    given = ", ".join(f"{n}: tl.int64" for n in names)
    kernel = f"""

@triton.jit
def kernel(out, {given}):
    tl.store(out, offset({", ".join(names)}))
"""
    made = module(tmp_path / "code.py", emit(m, "triton") + kernel)
    types = {"out": "*i64", **dict.fromkeys(names, "i64")}
    done = triton.compile(ASTSource(made.kernel, types, {}), target=GPUTarget("cuda", 80, 32))
    assert ".visible .entry" in done.asm["ptx"]


@pytest.mark.parametrize("text", MAPS)
def test_triton_compiles_maps_with_masks(text: str, tmp_path: Path) -> None:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    f, names = sl.parse(text), parameters_of(text)
    given = ", ".join(f"{n}: tl.int64" for n in names)
    results = [f"r{k}" for k in range(len(f.results))]
    masked = ["mask"] * (f.guard is not None)
    row = ", ".join([*masked, *results])
    stores = [
        f"    tl.store(out + {k}, {r}, mask={(masked or [None])[0]})" for k, r in enumerate(results)
    ]
    lines = [emit(f, "triton"), "", "@triton.jit", f"def kernel(out, {given}):"]
    lines += [f"    {row} = offset({', '.join(names)})", *stores]
    made = module(tmp_path / "code.py", "\n".join(lines) + "\n")
    types = {"out": "*i64", **dict.fromkeys(names, "i64")}
    done = triton.compile(ASTSource(made.kernel, types, {}), target=GPUTarget("cuda", 80, 32))
    assert ".visible .entry" in done.asm["ptx"]


def test_nvcc_compiles_maps(tmp_path: Path) -> None:
    parts = ["#include <cstdint>"]
    for k, text in enumerate(MAPS):
        code = emit(sl.parse(text), "cuda", name=f"place{k}").replace("#include <cstdint>\n", "")
        kinds = ", ".join(f"int64_t {n}" for n in parameters_of(text))
        call = f"place{k}({', '.join(parameters_of(text))}"
        single = "int64_t out[" not in code
        body = f"*to = {call});" if single else f"{call}, to);"
        parts.append(
            f"namespace n{k} {{\n{code}__global__ void kernel{k}(int64_t *to, {kinds}) {{ {body} }}\n}}"
        )
    source = tmp_path / "code.cu"
    source.write_text("\n".join(parts))
    command = ["nvcc", "-arch=sm_80", "-cubin", "-Werror", "all-warnings", "-o"]
    subprocess.run([*command, str(tmp_path / "code.cubin"), str(source)], check=True)


def test_nvcc_compiles_device_functions(tmp_path: Path) -> None:
    parts = ["#include <cstdint>"]
    for k, text in enumerate(LAYOUTS):
        m = sl.parse(text).index_map()
        code = emit(m, "cuda", name=f"offset{k}").replace("#include <cstdint>\n", "")
        kinds = code.split(f"offset{k}(")[1].split(")")[0]
        names = ", ".join(n.split()[-1] for n in kinds.split(", "))
        call = f"__global__ void kernel{k}(int64_t *out, {kinds}) {{ *out = offset{k}({names}); }}"
        parts.append(f"namespace n{k} {{\n{code}{call}\n}}")
    source = tmp_path / "code.cu"
    source.write_text("\n".join(parts))
    command = ["nvcc", "-arch=sm_80", "-cubin", "-Werror", "all-warnings", "-o"]
    subprocess.run([*command, str(tmp_path / "code.cubin"), str(source)], check=True)


@pytest.mark.parametrize("text", LAYOUTS)
def test_jax_computes_the_offsets(text: str, tmp_path: Path) -> None:
    import jax

    m = sl.parse(text).index_map()
    made = module(tmp_path / "code.py", emit(m, "pallas"))
    rows, expected = points(m)
    columns = [jax.numpy.array(c) for c in zip(*rows)]
    assert jax.jit(made.offset)(*columns).tolist() == expected


@pytest.mark.parametrize("text", MAPS)
def test_jax_computes_the_results_and_masks_of_maps(text: str, tmp_path: Path) -> None:
    import jax

    f = sl.parse(text)
    sizes = {n: 5 + k for k, n in enumerate(f.names)}
    ranges = [range(v.low, 9) for v in f.variables]
    made = module(tmp_path / "code.py", emit(f, "pallas"))
    rows = list(product(*ranges))
    columns = [jax.numpy.array(c) for c in zip(*rows)]
    found = jax.jit(made.offset)(*columns, *sizes.values())
    columns = [c.tolist() for c in found] if isinstance(found, tuple) else [found.tolist()]
    for p, *values in zip(rows, *columns):
        env = {**sizes, **{v.name: x for v, x in zip(f.variables, p)}}
        wanted = f.guard is None or value(f._guard, env)
        assert f.guard is None or values.pop(0) == wanted
        assert not wanted or tuple(values) == f.at(p, sizes)


@pytest.mark.parametrize("text", LAYOUTS)
def test_pallas_computes_the_offsets_in_a_kernel(text: str, tmp_path: Path) -> None:
    import jax
    from jax.experimental import pallas

    m = sl.parse(text).index_map()
    made = module(tmp_path / "code.py", emit(m, "pallas"))
    rows, expected = points(m)

    def kernel(*refs: Any) -> None:
        *given, out = refs
        out[...] = made.offset(*[r[...] for r in given])

    columns = [jax.numpy.array(c) for c in zip(*rows)]
    out = jax.ShapeDtypeStruct((len(rows),), columns[0].dtype)
    run = pallas.pallas_call(kernel, out_shape=out, interpret=True)
    assert run(*columns).tolist() == expected


@pytest.mark.parametrize("target", ["arith", "affine"])
@pytest.mark.parametrize("text", LAYOUTS)
def test_mlir_reads_and_verifies(text: str, target: Target) -> None:
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    if target == "affine" and "Swizzle" in text:
        with pytest.raises(LayoutError, match="not an affine expression"):
            emit(sl.parse(text), target)
        return
    code = emit(sl.parse(text), target)
    with mlir.make_ir_context(), ir.Location.unknown():
        if target == "arith":
            assert ir.Module.parse(code).operation.verify()
        else:
            assert "affine_map" in str(ir.Attribute.parse(code.split("\n")[1]))


@pytest.mark.parametrize("text", MAPS)
def test_mlir_reads_and_verifies_maps(text: str) -> None:
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context(), ir.Location.unknown():
        assert ir.Module.parse(emit(sl.parse(text), "arith")).operation.verify()
