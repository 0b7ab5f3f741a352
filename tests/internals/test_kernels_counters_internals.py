"""Properties of internal modules; `tests/test_kernels_counters.py` tests the public interface."""

from __future__ import annotations

from collections import Counter

import pytest
from soundness.hardware import Program
from soundness.kernels import points

from symlayout.programs.kernels.c import read_kernel, read_module
from symlayout.programs.kernels.forms import described

LOOPS = [
    "int i = 0; while (i <= n) { a[i] = 1; i++; } a[i] = 2;",
    "int i = n; while (i-- > 0) a[i] = 1;",
    "int i = n; while (i--) a[i] = 1; a[i + 1] = 2;",
    "int i = n; while (--i >= 0) { a[i] = 1; if (i == m) continue; a[i + n] = 2; }",
    "int i = 0; while (i++ < n) a[i - 1] = 1;",
    "int i = 0; while (n > ++i) a[i] = 1; a[i] = 2;",
    "unsigned j = u; while (j-- > 0) a[j] = 1;",
    "size_t j = n; while (j) { j -= 1; a[j] = 1; }",
    "int i = 0; do { a[i] = 1; i += 2; } while (i < n); a[i] = 2;",
    "int i = n, k = 0; do { k += 3; a[k] = 1; } while (--i > 0);",
    "int i = n; do a[i] = 1; while (i-- > 1); a[i] = 2;",
    "int i = 0; for (;;) { if (i >= n) break; a[i] = 1; i += 2; } a[i] = 2;",
    "int i = 0; while (true) { a[i] = 1; i += m; if (i > n) break; }",
    "for (int k = n; k-- > 0;) a[k] = 1;",
    "int i = 0; for (; i + 4 <= n; i += 4) a[i + 3] = 1; for (; i < n; i++) a[i] = 2;",
    "for (unsigned q = 0; q + 4 <= u; q += 4) a[q + 3] = 1;",
    "unsigned q = 0; while (q + 2 <= u) { a[q + 1] = 1; q = q + 2; }",
    "int k = 0; for (int i = 0; i < n; i++) { if (i > m) break; a[k] = 1; k += 2; }",
    "int k = 0; for (int i = n; i > 0 && k < m; i--) { a[i + k] = 1; k += 2; }",
    "int i = 0; while (i < n && i != m) { a[i] = 1; i++; }",
    "int i = 0; while (!(i >= n || i == m)) { a[i] = 1; i++; }",
    "for (int q = n; q > u; q--) a[q] = 1;",
    "for (int q = n; q >= 1u; q--) a[q] = 1;",
    "int i; for (i = 0; i < n && i < m; i++) a[i] = 1; a[i] = 2;",
    "int i; for (i = 1; m > i && i + 2 <= n; i += 2) a[i] = 1; a[i] = 2;",
    "int i = 0; for (; i < n; i++) if (i == m) break; a[i] = 1;",
    "int i = 0; while (i < n && i < m) { a[i] = 1; i++; } a[i] = 2;",
    "int i = 0, k = 0; while (i < n && i + 1 < m) { a[k] = 1; k += 2; i++; a[k + i] = 1; }",
    "int k = 0; for (int i = 0; i + 1 < n && i < m; i++) { a[k] = 1; k += 2; }",
]

SIZES = [(1, 1, 1), (2, 1, 3), (5, 2, 1), (8, 3, 2), (9, 1, 4)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """All of the loops, of which the number that is given is run."""
    ways = "".join(f"  if (way == {k}) {{ {body} }}\n" for k, body in enumerate(LOOPS))
    text = f"__global__ void f(float* a, int n, int m, unsigned u, int way) {{\n{ways}}}\n"
    given = [("array", "a"), *[("int", w) for w in ("n", "m", "u", "way")]]
    return Program(text, "f", given, tmp_path_factory.mktemp("loops"))


@pytest.mark.parametrize("way", range(len(LOOPS)))
def test_loops_with_a_counter_reach_what_they_reach_when_run(program: Program, way: int) -> None:
    text = f"__global__ void f(float* a, int n, int m, unsigned u) {{ {LOOPS[way]} }}\n"
    module = read_module(text)
    kernel = read_kernel(module, module.kernels["f"])
    assert not kernel.skipped
    early = any(a.doubt for a in kernel.accesses)
    for n, m, u in SIZES:
        env = {"n": n, "m": m, "u": u}
        said, found = Counter[int](), Counter[int]()
        for a in kernel.accesses:
            said += points(str(described(kernel, a)["map"]), env) or Counter()
        for (_, _, _, at), times in program.run((1, 1), (1, 1), {**env, "way": way}).items():
            found[at] += times
        assert {*found} <= {*said} if early else found == said, env


NOT_COUNTED = [
    "for (int q = n; q >= threadIdx.x; q--) a[q] = 1;",  # -1 is more than all others there
    "for (int q = n; q >= 2u; q -= 3) a[q] = 1;",
    "int i = 0; while (a[i] > 0 && i < n) i++;",  # it loads behind the last turn
    "int i = 0; do { a[i] = 1; if (i > m) continue; i++; } while (i < n);",
    "int i = 0; do { a[i] = 1; i += 9; i *= 2; } while (i < n);",
    "int i = 0; while (i < n) { if (i > m) continue; a[i] = 1; i++; }",
    "unsigned i = 0; do { a[i] = 1; i--; } while (i > 0);",  # from 0 on it goes on and on
    "int i = threadIdx.x; do { a[i] = 1; i--; } while (i > 0u);",
    "int i = threadIdx.x; do { a[i] = 1; } while (--i);",
    "int i = n; do { a[i] = 1; i++; } while (i != m);",
    "int k = n, i = 0; do { a[i] = 1; i += 3; } while (--k != m);",
]


@pytest.mark.parametrize("body", NOT_COUNTED)
def test_of_other_loops_nothing_is_told(body: str) -> None:
    module = read_module(f"__global__ void f(float* a, int n, int m) {{ {body} }}\n")
    kernel = read_kernel(module, module.kernels["f"])
    assert [*kernel.skipped] == [1]
    assert not kernel.accesses


POWERS = [
    "for (int k = n / 2; k > 0; k >>= 1) a[k + m] = 1;",
    "for (unsigned k = u; k >= 1; k /= 2) { if (k < m) a[k] = 1; a[2 * k] = 1; }",
    "for (int k = 1; k < n; k *= 2) a[k] = 1;",
    "for (int k = m; k <= n; k <<= 1) for (int j = k / 2; j > 0; j /= 2) a[k ^ j] = 1;",
    "int q = 3; for (int k = n; k > m; k /= 3) { q += 2; a[k - m] = 1; }",
]


@pytest.fixture(scope="module")
def powers(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """All of the loops over powers, of which the number that is given is run."""
    ways = "".join(f"  if (way == {k}) {{ {body} }}\n" for k, body in enumerate(POWERS))
    text = f"__global__ void f(float* a, int n, int m, unsigned u, int way) {{\n{ways}}}\n"
    given = [("array", "a"), *[("int", w) for w in ("n", "m", "u", "way")]]
    return Program(text, "f", given, tmp_path_factory.mktemp("powers"))


@pytest.mark.parametrize("way", range(len(POWERS)))
def test_of_powers_without_numbers_all_is_told_and_what_is_between(
    powers: Program, way: int
) -> None:
    text = f"__global__ void f(float* a, int n, int m, unsigned u) {{ {POWERS[way]} }}\n"
    module = read_module(text)
    kernel = read_kernel(module, module.kernels["f"])
    assert not kernel.skipped
    assert all("all of the numbers between" in a.doubt for a in kernel.accesses)
    for n, m, u in [*SIZES, (21, 1, 37)]:
        env = {"n": n, "m": m, "u": u}
        said = set[int]()
        for a in kernel.accesses:
            said |= {*(points(str(described(kernel, a)["map"]), env) or ())}
        run = powers.run((1, 1), (1, 1), {**env, "way": way})
        assert {at for _, _, _, at in run} <= said


@pytest.mark.parametrize(
    "loop",
    ["int k = n; k >= 0; k /= 2", "int k = n - 5; k < n; k *= 2", "int k = 1; k < n; k *= m"],
)
def test_powers_that_may_stay_or_go_anywhere_are_not_followed(loop: str) -> None:
    text = f"__global__ void f(float* a, int n, int m) {{ for ({loop}) a[k] = foo(a[k]); }}\n"
    module = read_module(text)
    kernel = read_kernel(module, module.kernels["f"])
    assert "divided or multiplied" in kernel.skipped[1]
    assert not kernel.accesses


def test_what_an_unknown_function_gets_of_an_array_it_may_change() -> None:
    module = read_module("__global__ void f(float* a) {\n  float b = foo(a[3]);\n}\n")
    kernel = read_kernel(module, module.kernels["f"])
    assert kernel.skipped == {2: "foo is not followed"}
