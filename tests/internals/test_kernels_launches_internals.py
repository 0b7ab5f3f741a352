"""Properties of internal modules; `tests/test_kernels_launches.py` tests the public interface."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from test_kernels_launches import HEAD, KERNEL, host

from symlayout.__main__ import main
from symlayout.checks.kernel_files import Reader
from symlayout.checks.reading import NOWHERE

CUDA = (
    "// symlayout: kernel\n//   x is f32[n]\n//   y is f32[n] written once\n"
    "//   where n <= 1073741824\n"
    "__global__ void copy(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n"
)


def launches(host: str, suffix: str = "py", kernel: str = "") -> list[str]:
    """Each launch in words, without its line."""
    text = (kernel or (HEAD + KERNEL if suffix == "py" else CUDA)) + host
    reader = Reader(f"k.{suffix}", text, NOWHERE)
    (node,) = reader.kernels().values()
    found = reader.launches(node, reader.read(node))
    return [str(x).split(": ", 1)[1] if not x.why else f"? {x.why}" for x in found]


def said(host: str, suffix: str = "py", kernel: str = "") -> list[str]:
    """The facts of the only launch."""
    text = (kernel or (HEAD + KERNEL if suffix == "py" else CUDA)) + host
    reader = Reader(f"k.{suffix}", text, NOWHERE)
    (node,) = reader.kernels().values()
    (found,) = reader.launches(node, reader.read(node))
    assert found.why == ""
    return [f.text for f in found.facts]


GRIDS = {  # `n` of the kernel is `c` of the host, whose own `n` is another number
    "a tuple": (host(""), "grid (ceildiv(n, 64))"),
    "a lambda": (host("", "lambda meta: (triton.cdiv(c, meta['B']),)"), "grid (ceildiv(n, B))"),
    "a name of a lambda": (
        host("    g = lambda META: (triton.cdiv(c, META['B']), 2)\n", "g"),
        "grid (ceildiv(n, B), 2)",
    ),
    "a function": (
        host("    def g(meta):\n        k = meta['B']\n        return ((c + k - 1) // k,)\n", "g"),
        "grid (ceildiv(n, B))",
    ),
    "a name of a tuple": (host("    g = (-(-c // 64),)\n", "g"), "grid (ceildiv(n, 64))"),
    "rounded down": (host("", "(c // 64,)"), "grid (n//64)"),
    "the same spelling is another size": (host("", "(n,)"), "grid (grid0)"),
    "changed before": (host("    c = c + 1\n"), "grid (ceildiv(n, 64))"),
    "changed between": (host("    k = c\n    c = c + 1\n", "(k,)"), "grid (grid0)"),
    "changed in a loop": (
        host("    k = c\n    for i in range(3):\n        c = c * 2\n", "(k,)"),
        "grid (grid0)",
    ),
    "of a tensor's size": (
        "def run(x, y):\n    copy[(x.shape[0] // 2,)](x, y, x.size(0), 64)\n",
        "grid (n//2)",
    ),
    "of a tensor that is changed in place": (
        "def run(x, y):\n    k = x.shape[0]\n    x.resize_(5)\n"
        "    copy[(k,)](x, y, x.shape[0], 64)\n",
        "grid (grid0)",
    ),
    "by keyword": (
        "def run(n, x, y):\n    copy[(n,)](B=64, n=n, y_ptr=y, x_ptr=x)\n",
        "grid (n)",
    ),
}


@pytest.mark.parametrize("case", GRIDS)
def test_the_grid_is_said_in_the_kernels_own_names(case: str) -> None:
    text, wanted = GRIDS[case]
    (found,) = launches(text)
    assert found.startswith(wanted + ";"), found


FACTS = {
    "an assertion": ("    assert c % 8 == 0\n", "(n%8) == 0"),
    "a way out": ("    if c > 100:\n        raise ValueError\n", "n <= 100"),
    "a power of two": ("", "B >= n"),
    "another parameter": ("", "B == n"),
    "one of a few": ("    assert c in (16, 64)\n", "n <= 64"),
}

LAST = {"a power of two": "triton.next_power_of_2(c)", "another parameter": "c"}


@pytest.mark.parametrize("case", FACTS)
def test_what_host_code_says_before_a_launch_is_a_fact(case: str) -> None:
    body, wanted = FACTS[case]
    assert wanted in said(host(body, last=LAST.get(case, "64")))


NONE = {
    "behind the launch": host("") + "    assert c % 8 == 0\n",
    "in another function": "def other(c):\n    assert c % 8 == 0\n\n\n" + host(""),
    "on another way": host("    if x:\n        assert c % 8 == 0\n"),
    "in a loop": host("    for i in range(3):\n        assert c % 8 == 0\n"),
    "of another name of the same spelling": host("    assert n % 8 == 0\n"),
    "of an old value": host("    assert c % 8 == 0\n    c = c + 1\n"),
    "in a way out that is none": host("    if c % 8:\n        print(c)\n"),
    "where it may be caught": host(
        "    try:\n        assert c % 8 == 0\n    except AssertionError:\n        pass\n"
    ),
    "either or": host("    assert c % 8 == 0 or x\n"),
}


@pytest.mark.parametrize("case", NONE)
def test_what_does_not_hold_at_the_launch_is_no_fact(case: str) -> None:
    assert said(NONE[case]) == ["B == 64"]


UNREAD = {
    "arguments in a list": "def run(x, y, c):\n    copy[(c,)](*[x, y, c, 64])\n",
    "a grid from elsewhere": "def run(x, y, c, g):\n    copy[g](x, y, c, 64)\n",
    "another name": "def run(x, y, c):\n    f = copy\n    f[(c,)](x, y, c, 64)\n",
    "in a class of its own": "TABLE = {'copy': copy}\n",
}


def test_a_launch_that_is_not_understood_is_said() -> None:
    assert launches(UNREAD["arguments in a list"]) == ["grid (grid0)"]
    for case in ("a grid from elsewhere", "another name", "in a class of its own"):
        (found,) = launches(UNREAD[case])
        assert found.startswith("? "), case


C_HOSTS = {
    "numbers": (
        "void run(const float* a, float* b, int m) { copy<<<(m + 255) / 256, 256>>>(a, b, m); }",
        "grid (ceildiv(n, 256)) block (256)",
    ),
    "dim3": (
        "void run(const float* a, float* b, int m, int n) { dim3 g((m + 63) / 64, 1); dim3 t(64);"
        " copy<<<g, t, 0>>>(a, b, m); }",
        "grid (ceildiv(n, 64)) block (64)",
    ),
    "a function of the file": (
        "int up(int p, int q) { return (p + q - 1) / q; }\n"
        "void run(const float* a, float* b, int m) { const int t = 128;"
        " copy<<<up(m, t), t>>>(a, b, m); }",
        "grid (ceildiv(n, 128)) block (128)",
    ),
    "rounded towards 0": (
        "void run(const float* a, float* b, int m) { copy<<<m / 256, 256>>>(a, b, m); }",
        "grid (n//256) block (256)",
    ),
    "a difference": (
        "void run(const float* a, float* b, int m) { copy<<<(m - 1) / 256 + 1, 256>>>(a, b, m); }",
        "grid (truncdiv(n - 1, 256) + 1) block (256)",
    ),
    "a field that is changed": (
        "void run(const float* a, float* b, int m) { dim3 g(m); g.x = 4;"
        " copy<<<g, 256>>>(a, b, m); }",
        "grid (grid0, grid1, grid2) block (256)",
    ),
    "an inner scope": (
        "void run(const float* a, float* b, int m) { int k = m; { int k = 3; a += k; }"
        " copy<<<k, 256>>>(a, b, m); }",
        "grid (n) block (256)",
    ),
    "changed by a function": (
        "void fill(int& k) { k = 3; }\nvoid run(const float* a, float* b, int m)"
        " { int k = m; fill(k); copy<<<k, 256>>>(a, b, m); }",
        "grid (grid0) block (256)",
    ),
}


@pytest.mark.parametrize("case", C_HOSTS)
def test_launches_of_cuda_say_grid_and_block(case: str) -> None:
    text, wanted = C_HOSTS[case]
    (found,) = launches(text, "cu")
    assert found.split(";")[0] == wanted


def c_facts(body: str) -> list[str]:
    return said(
        f"void run(const float* a, float* b, int m, unsigned u) {{ {body}"
        " copy<<<4, 256>>>(a, b, m); }",
        "cu",
    )


def test_checks_of_host_code_in_cuda_are_facts() -> None:
    assert c_facts("TORCH_CHECK(m % 4 == 0, 1);") == ["(n%4) == 0"]
    assert c_facts("CHECK_LE(m, 512);") == ["n <= 512"]
    assert c_facts("if (m > 512) return;") == ["n <= 512"]
    assert c_facts("if (m > 512) throw 1;") == ["n <= 512"]
    assert c_facts("if (m > 512) { a += 1; }") == []
    assert c_facts("for (int i = 0; i < 4; i++) assert(m == 4);") == []


def test_differences_of_unsigned_values_are_no_facts() -> None:
    text = (
        "void run(const float* a, float* b, unsigned m) { assert(m - 5 >= 0);"
        " copy<<<4, 256>>>(a, b, m); }"
    )
    assert said(text, "cu") == []


U = 1 << 32

IN_C: dict[str, Callable[[int], bool]] = {  # what is true in C of an int from 1 on
    "m - 10 > 5": lambda m: m - 10 > 5,
    "m - 10u > 5": lambda m: (m - 10) % U > 5,
    "m - 10ul > 5": lambda m: (m - 10) % U**2 > 5,
    "m - 20 > 5u": lambda m: (m - 20) % U > 5,
    "5u < m - 20": lambda m: (m - 20) % U > 5,
    "-m > 5u": lambda m: -m % U > 5,
    "m - (unsigned)10 > 5": lambda m: (m - 10) % U > 5,
    "m - 20 > sizeof(int)": lambda m: (m - 20) % U**2 > 4,
    "m - 20 < 0xFFFFFFF0": lambda m: (m - 20) % U < 0xFFFFFFF0,
    "m > 0u - 20": lambda m: m > -20 % U,
    "m - TEN > 5": lambda m: (m - 10) % U > 5,
    "m - TWELVE > 5": lambda m: (m - 12) % U > 5,
    "m - own > 5": lambda m: (m - 10) % U > 5,
    "m - same > 5": lambda m: (m - 10) % U > 5,
    "less > 5": lambda m: (m - 10) % U > 5,
    "(m > 3 ? m : 4u) - 10 > 5": lambda m: (max(m, 4) - 10) % U > 5,
    "m > 5u": lambda m: m > 5,
    "m % 4u == 0": lambda m: m % 4 == 0,
}


@pytest.mark.parametrize("condition", IN_C)
def test_what_is_compared_without_a_sign_is_no_other_fact(condition: str) -> None:
    head = "#define TEN 10u\nconstexpr unsigned TWELVE = 12;\n"
    body = "const unsigned own = 10; auto same = 10u;"
    body += " unsigned less; less = m - 10;" if "less" in condition else ""
    host = f"void run(const float* a, float* b, int m) {{ {body} if ({condition}) "
    facts = said(f"{head}{host} copy<<<4, 256>>>(a, b, m); }}", "cu")
    for m in filter(IN_C[condition], range(1, 64)):
        assert all(eval(f, {"n": m}) for f in facts), (m, facts)
    assert facts or condition not in ("m - 10 > 5", "m > 5u")


def test_a_difference_without_a_sign_is_no_size_and_no_argument() -> None:
    host = (
        "void run(const float* a, float* b, int m, unsigned u) {{ copy<<<{}, 256>>>(a, b, {}); }}"
    )
    for grid in ("m - 10u", "(m - 10u) / 4", "u - 4", "(u - m) / 2"):
        assert launches(host.format(grid, "m"), "cu") == ["grid (grid0) block (256)"]
    assert launches(host.format("(m + 3u) / 4", "m"), "cu") == ["grid (ceildiv(n, 4)) block (256)"]
    kernel = "__global__ void copy(float* x, {} k, int n) {{ if (k < n) x[k] = 0; }}\n"
    host = "void run(float* a, int m) { copy<<<4, 256>>>(a, m - 10, m); }"
    assert said(host, "cu", kernel.format("int")) == ["k == n - 10"]
    assert said(host, "cu", kernel.format("unsigned")) == []
    assert said(host, "cu", kernel.format("size_t")) == []
    assert said(host.replace("10", "10u"), "cu", kernel.format("int")) == []


def test_every_report_lists_what_was_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.py"
    file.write_text(HEAD + KERNEL + host("    assert c % 8 == 0\n"))
    for command in ("check", "accesses", "scan"):
        main([command, str(file)])
        assert "(n%8) == 0 (line 18)" in capsys.readouterr().out
    main(["check", "--format", "json", str(file)])
    data = json.loads(capsys.readouterr().out)["launches"]
    main(["accesses", "--json", str(file)])
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    main(["scan", "--json", str(file)])
    found = json.loads(capsys.readouterr().out)["launches"]
    assert data == found
    (one,) = kernel["launches"]
    assert (
        one["facts"]
        == data[0]["facts"]
        == [
            {"text": "B == 64", "line": 19},
            {"text": "(n%8) == 0", "line": 18},
        ]
    )
