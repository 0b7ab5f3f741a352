"""What the reader says of a kernel is what a kernel does: every access at every small size."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soundness.machine import Trace, executed

from symlayout.programs.kernels.forms import form_of
from symlayout.programs.kernels.triton import read_kernel, read_module, scalar

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"


def read(text: str, name: str, grid: tuple[str, ...], sizes: dict[str, int]) -> Trace:
    """The accesses of a kernel as the reader's maps have them, point by point."""
    module = read_module(text)
    function = module.functions[name]
    kernel = read_kernel(module, function)
    assert kernel.skipped == {}
    nodes = tuple(scalar(module, function, g) for g in grid)
    made: Trace = Counter()
    for a in kernel.accesses:
        assert a.doubt == ""
        form = form_of(kernel, a, nodes)
        f = form.map([form.part(form.offset)], form.guard).read()
        made.update((a.array, a.kind, f.at(p, sizes)[0]) for p in f.points(sizes))
    return made


KERNELS = {
    "copy": (
        "def copy(x, y, n, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)\n",
        ("cdiv(n, B)",),
    ),
    "early": (
        "def early(x, n, B: tl.constexpr):\n"
        "    p = tl.program_id(0)\n"
        "    if p * B >= n:\n        return\n"
        "    for k in range(B):\n"
        "        if p * B + k >= n:\n            continue\n"
        "        tl.store(x + p * B + k, 0)\n",
        ("n",),
    ),
    "grouped": (
        "def grouped(x, n, m, B: tl.constexpr):\n"
        "    p = tl.program_id(0)\n"
        "    first = p // (B * m) * B\n"
        "    height = min(n - first, B)\n"
        "    r = first + p % (B * m) % height\n"
        "    c = p % (B * m) // height\n"
        "    tl.store(x + r * m + c, 0)\n",
        ("n * m",),
    ),
    "advance": (
        "def advance(x, y, n, m, B: tl.constexpr):\n"
        "    r = tl.program_id(0)\n"
        "    c = tl.arange(0, B)\n"
        "    p = x + r * m + c\n"
        "    left = m\n"
        "    for k in range(0, tl.cdiv(m, B)):\n"
        "        tl.load(p, mask=c < left)\n"
        "        tl.atomic_add(y + c, 1, mask=c < m - k * B)\n"
        "        p += B\n"
        "        left -= B\n"
        "    tl.store(y + r, 0)\n"
        "    tl.load(p, mask=c < 1)\n",
        ("n",),
    ),
    "two": (
        "def two(x, y, n, m, B: tl.constexpr, C: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    j = tl.program_id(1) * C + tl.arange(0, C)\n"
        "    mask = (i[:, None] < n) & (j[None, :] < m)\n"
        "    v = tl.load(x + i[:, None] * m + j[None, :], mask=mask)\n"
        "    tl.store(y + j[:, None] * n + i[None, :], v, mask=(j < m)[:, None] & (i < n)[None, :])\n",
        ("cdiv(n, B)", "cdiv(m, C)"),
    ),
    "blocks": (
        "def blocks(x, y, n, m, B: tl.constexpr, C: tl.constexpr):\n"
        "    p = tl.make_block_ptr(base=x, shape=(n, m), strides=(m, 1),\n"
        "        offsets=(tl.program_id(0) * B, 0), block_shape=(B, C), order=(1, 0))\n"
        "    for k in range(0, tl.cdiv(m, C)):\n"
        "        tl.load(p, boundary_check=(0, 1))\n"
        "        p = tl.advance(p, (0, C))\n"
        "    tl.load(p, boundary_check=(0,))\n",
        ("cdiv(n, B)",),
    ),
    "persistent": (
        "def persistent(x, n, m, B: tl.constexpr):\n"
        "    t = tl.program_id(0)\n"
        "    while t < n:\n"
        "        tl.store(x + t * m, 0)\n"
        "        t += tl.num_programs(0)\n"
        "    for s in range(tl.program_id(0), n, tl.num_programs(0)):\n"
        "        tl.load(x + s)\n"
        "    for s in range(n - 1, -1, -1):\n"
        "        tl.load(x + s * m, mask=s > 0)\n",
        ("B",),
    ),
    "choice": (
        "def choice(x, y, n, m, B: tl.constexpr):\n"
        "    p = tl.program_id(0)\n"
        "    if p % 2 == 0:\n        q = x + p\n        k = p\n"
        "    else:\n        q = x - p + 7\n        k = n - p\n"
        "    i = tl.arange(0, B)\n"
        "    w = tl.where(i < k, i * 2, i + (k if k > 1 else m))\n"
        "    tl.load(q + w, mask=(i < n) | (p == 1))\n"
        "    tl.load(y + tl.minimum(i, k) + tl.maximum(i, 2), mask=~(i < p))\n",
        ("n",),
    ),
    "signs": (
        "def signs(x, n, m, B: tl.constexpr):\n"
        "    p = tl.program_id(0)\n"
        "    d = p - m\n"
        "    tl.load(x + d // B)\n"
        "    tl.load(x + d % B)\n"
        "    tl.load(x + (0 - B) // 2 + tl.cdiv(d, B) + (d >> 1) + (p ^ 1))\n",
        ("n",),
    ),
    "ones": (
        "def ones(x, n, m, B: tl.constexpr):\n"
        "    k = n - 8\n"
        "    c: tl.constexpr = B - 7\n"
        "    tl.load(x + (n - 8) // 2)\n"
        "    tl.load(x + k // 2 + c // 2)\n"
        "    tl.load(x + (n - 8) % 3 + (m - n - 3) // B + (m - 9 - B) % (n + 1))\n"
        "    tl.load(x + (min(n, m) - 6) // 4 + (-3 if n < m else n - 4) // 2 + (n + B - 1) // B)\n"
        "    tl.load(x + (tl.minimum(n, 3) - 6) // 4 + ((n - 9 + (m < 3)) // 2, m)[0])\n"
        "    for i in range((n - 8) // 2, m):\n        tl.load(x + i)\n"
        "    if m > 1:\n        m = m - 9\n"
        "    tl.load(x + (m - 4) // 2 + n * 70000 * 70000)\n"
        "    if ~(n < 3) or not (m == 1):\n        tl.store(x + n, 0)\n",
        ("1",),
    ),
    "shifts": (
        "def shifts(x, n, m, B: tl.constexpr):\n"
        "    p = tl.program_id(0)\n"
        "    d = p - m\n"
        "    tl.load(x + (d >> m) + (d >> B) + (d << m) + tl.arange(0, 1 << B))\n"
        "    tl.load(x + d // (1 << m) + p % (B << n) + (p + (2 << B) >> n), mask=p >> m < n << B)\n",
        ("n",),
    ),
    "nested": (
        "def inner(x, at, m, B: tl.constexpr):\n"
        "    if m > 2:\n        tl.store(x + at, 1)\n        return at + B, m\n"
        "    return at, m + 1\n\n\n"
        "@triton.jit\n"
        "def nested(x, n, m, B: tl.constexpr):\n"
        "    at = tl.program_id(0)\n"
        "    for i in range(n):\n"
        "        p, q = inner(x, at + i, m, B)\n"
        "        for j in range(i, m):\n"
        "            tl.load(x + p * q + i + j)\n"
        "        at += m\n"
        "    tl.store(x + at, 0)\n",
        ("n",),
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", KERNELS)
def test_the_reader_sees_what_is_executed(name: str) -> None:
    body, grid = KERNELS[name]
    text = HEAD + body
    function = read_module(text).functions[name]
    given = [a.arg for a in function.args.args]
    arrays = tuple(a for a in given if a in "xy")
    constants = [a for a in given if a in "BC"]
    names = [a for a in given if a in "nm"]
    for values in product((1, 2, 3, 5), repeat=len(names)):
        for blocks in product((1, 2, 4), repeat=len(constants)):
            sizes, known = dict(zip(names, values)), dict(zip(constants, blocks))
            shape = tuple(_size(g, {**sizes, **known}) for g in grid)
            want = executed(text, name, shape, arrays, sizes, known)
            assert read(text, name, grid, {**sizes, **known}) == want, (sizes, known)


@pytest.mark.parametrize("kept", ['["n"]', "[1]", '("m", "n")', "(1, 2)", "[]"])
def test_what_the_decorator_leaves_general_is_of_run_time_where_it_is_1(kept: str) -> None:
    text = HEAD.replace("@triton.jit", f"@triton.jit(do_not_specialize={kept})")
    text += "def f(x, n, m):\n    tl.load(x + (n - 8) // 2 + (m - 8) // 2 + (n - m - 8) // 2)\n"
    for n, m in product((1, 2, 3), repeat=2):
        want = executed(text, "f", (1,), ("x",), {"n": n, "m": m}, {})
        assert read(text, "f", ("1",), {"n": n, "m": m}) == want, (n, m)


def _size(text: str, env: dict[str, int]) -> int:
    return int(eval(text, {"cdiv": lambda a, b: -(-a // b)}, dict(env)))


# -- kernels that nobody wrote ---------------------------------------------------------------------

SCALARS = ("p", "n", "m", "u", "v")
PLAIN = st.sampled_from([*SCALARS, "1", "2", "3", "B"])


def _pair(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    simple = st.tuples(inner, st.sampled_from("+-*"), inner).map(" ".join)
    divided = st.tuples(inner, st.sampled_from(["//", "%"]), st.sampled_from(["2", "3", "B", "m"]))
    least = st.tuples(st.sampled_from(["tl.minimum", "tl.maximum"]), inner, inner)
    made = st.one_of(simple, divided.map(" ".join), least.map(lambda t: f"{t[0]}({t[1]}, {t[2]})"))
    return made.map(lambda t: f"({t})")


EXPRESSIONS = st.recursive(PLAIN, _pair, max_leaves=4)
CONDITIONS = st.tuples(
    EXPRESSIONS, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), EXPRESSIONS
).map(" ".join)


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def statements(draw: st.DrawFn, deep: int = 2) -> list[str]:
    """A few statements that change u, v and q, and access x."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 6 if deep else 3))
        if kind == 0:
            lines.append(f"{draw(st.sampled_from('uv'))} = {draw(EXPRESSIONS)}")
        elif kind == 1:
            lines.append(f"{draw(st.sampled_from('uvq'))} += {draw(EXPRESSIONS)}")
        elif kind in (2, 3):
            mask = f"(i + {draw(EXPRESSIONS)} < {draw(EXPRESSIONS)}) & (i < {draw(EXPRESSIONS)})"
            place = f"q + i * {draw(PLAIN)} + {draw(EXPRESSIONS)}"
            lines.append(f"tl.load({place}, mask={mask})" if kind == 2 else f"tl.load({place})")
        elif kind == 4:
            lines.append(f"if {draw(CONDITIONS)}:")
            lines += _indented(draw(statements(deep=deep - 1)))
            if draw(st.booleans()):
                lines.append("else:")
                lines += _indented(draw(statements(deep=deep - 1)))
        elif kind == 5:
            counter = f"k{deep}"
            ends = draw(st.sampled_from(["n", "0, m", "p, n", "1, m + 2, 2", "0, n - m", "B"]))
            lines.append(f"for {counter} in range({ends}):")
            inside = draw(statements(deep=deep - 1))
            more = [f"tl.load(q + {counter} * m + u)"]
            lines += _indented([*inside, *more])
        else:
            lines.append(f"if {draw(CONDITIONS)}:")
            lines += _indented(["return"])
    return lines


@settings(max_examples=60, deadline=None)
@given(statements(), st.integers(1, 4), st.integers(1, 3), st.sampled_from([1, 2, 4]))
def test_the_reader_sees_what_kernels_at_random_execute(
    lines: list[str], n: int, m: int, block: int
) -> None:
    body = ["p = tl.program_id(0)", "i = tl.arange(0, B)", "u = p + 1", "v = n - p", "q = x"]
    text = HEAD + "def f(x, n, m, B: tl.constexpr):\n"
    text += "\n".join(_indented([*body, *lines, "tl.store(q + u, v)"])) + "\n"
    module = read_module(text)
    kernel = read_kernel(module, module.functions["f"])
    sizes = {"n": n, "m": m}
    want = executed(text, "f", (3,), ("x",), sizes, {"B": block})
    made: Trace = Counter()
    nodes = (scalar(module, module.functions["f"], "3"),)
    exact = not kernel.skipped
    for a in kernel.accesses:
        if a.doubt:
            exact = False
            continue
        form = form_of(kernel, a, nodes)
        f = form.map([form.part(form.offset)], form.guard).read()
        env = {**sizes, "B": block}
        made.update((a.array, a.kind, f.at(p, env)[0]) for p in f.points(env))
    if exact:
        assert made == want, text
    else:
        assert made <= want, text
