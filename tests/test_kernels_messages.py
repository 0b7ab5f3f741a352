"""Kernels with one mistake each: the message has at most six lines and the author's expression, and the
fix that it offers, put in by a program, makes the claim proved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from symlayout.__main__ import main

ALSO = re.compile(r"the same change is right for: .*")  # other claims of a block

HEAD = "import triton\nimport triton.language as tl\n\n\n"


class Case(NamedTuple):
    """A kernel, a part of the name of its first refuted claim, and what the message has in it."""

    name: str
    text: str
    claim: str
    expression: str
    fix: str


def triton(contract: str, head: str, body: str) -> str:
    """A kernel of Triton under a contract."""
    comment = "".join(f"# {x}\n" for x in f"symlayout: kernel {contract}".split("\n"))
    lines = "".join(f"    {x}\n" for x in body.strip().split("\n"))
    return f"{HEAD}{comment}@triton.jit\ndef {head}:\n{lines}"


def cuda(contract: str, head: str, body: str) -> str:
    """A kernel of CUDA under a contract."""
    comment = "".join(f"// {x}\n" for x in f"symlayout: kernel {contract}".split("\n"))
    lines = "".join(f"  {x}\n" for x in body.strip().split("\n"))
    return f"{comment}__global__ void {head} {{\n{lines}}}\n"


VECTOR = (
    "grid (cdiv(n, B),)\n  x is f32[n]\n  y is f32[n] written once\n  where n <= 1048576, B <= 1024"
)

MATRIX = """grid (M, cdiv(N, B))
  x is f32[M,N] strides(sm,1)
  y is f32[M,N] written once
  where M <= 4096, N <= 4096, sm >= N, sm <= 8192, B <= 1024"""

LARGE = """grid (M, cdiv(N, B))
  x is f32[M,N]
  y is f32[M,N] written once
  where M <= 1048576, N <= 1048576, B >= 32, B <= 1024"""

ONE = """grid (cdiv(n, 256),) block (256,)
  x is f32[n]
  y is f32[n] written once
  where n <= 1048576"""

TWO = """grid (cdiv(N, 16), cdiv(M, 16)) block (16, 16)
  x is f32[M,N]
  y is f32[M,N] written once
  where M <= 4096, N <= 4096"""

PLACE = "int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;"

CASES = [
    Case(
        "a load without a mask",
        triton(
            VECTOR,
            "copy(x, y, n, B: tl.constexpr)",
            """
offs = tl.program_id(0) * B + tl.arange(0, B)
v = tl.load(x + offs)
tl.store(y + offs, v, mask=offs < n)""",
        ),
        "in bounds: load of x",
        "x + offs",
        "write `tl.load(x + offs, mask=offs < n)`",
    ),
    Case(
        "a store without a mask",
        triton(
            VECTOR,
            "copy(x, y, n, B: tl.constexpr)",
            """
offs = tl.program_id(0) * B + tl.arange(0, B)
v = tl.load(x + offs, mask=offs < n)
tl.store(y + offs, v)""",
        ),
        "in bounds: store of y",
        "y + offs",
        "write `tl.store(y + offs, v, mask=offs < n)`",
    ),
    Case(
        "a mask that is one too wide",
        triton(
            VECTOR,
            "copy(x, y, n, B: tl.constexpr)",
            """
offs = tl.program_id(0) * B + tl.arange(0, B)
v = tl.load(x + offs, mask=offs <= n)
tl.store(y + offs, v, mask=offs < n)""",
        ),
        "in bounds: load of x",
        "x + offs",
        "write `offs < n`",
    ),
    Case(
        "a mask of the other size",
        triton(
            MATRIX,
            "copy(x, y, M, N, sm, B: tl.constexpr)",
            """
row = tl.program_id(0)
cols = tl.program_id(1) * B + tl.arange(0, B)
v = tl.load(x + row * sm + cols, mask=cols < N)
tl.store(y + row * N + cols, v, mask=cols < M)""",
        ),
        "written once: store of y",
        "y + row * N + cols",
        "write `cols < N`",
    ),
    Case(
        "a mask of rows alone",
        triton(
            """grid (cdiv(M, B), cdiv(N, B))
  y is f32[M,N] written once
  where M <= 4096, N <= 4096, B <= 128""",
            "fill(y, M, N, B: tl.constexpr)",
            """
rows = tl.program_id(0) * B + tl.arange(0, B)
cols = tl.program_id(1) * B + tl.arange(0, B)
tl.store(y + rows[:, None] * N + cols[None, :], 1.0, mask=rows[:, None] < M)""",
        ),
        "store of y",
        "y + rows[:, None] * N + cols[None, :]",
        "mask=(rows[:, None] < M) & (cols[None, :] < N)",
    ),
    Case(
        "strides swapped",
        triton(
            """grid (M,)
  x is f32[M,N] strides(sm,sn)
  where M <= 4096, N <= 4096, sm >= N*sn, sm*M <= 1073741824, B >= N, B <= 4096""",
            "read(x, M, N, sm, sn, B: tl.constexpr)",
            """
row = tl.program_id(0)
cols = tl.arange(0, B)
v = tl.load(x + row * sn + cols * sm, mask=cols < N)""",
        ),
        "in bounds: load of x",
        "x + row * sn + cols * sm",
        "write `x + row * sm + cols * sn`",
    ),
    Case(
        "a product of 32 bits",
        triton(
            LARGE,
            "copy(x, y, M, N, B: tl.constexpr)",
            """
row = tl.program_id(0).to(tl.int64)
r = tl.program_id(0)
cols = tl.program_id(1) * B + tl.arange(0, B)
v = tl.load(x + r * N + cols, mask=cols < N)
tl.store(y + row * N + cols, v, mask=cols < N)""",
        ),
        "no overflow: load of x",
        "r * N",
        "write `r.to(tl.int64) * N`",
    ),
    Case(
        "a product of 32 bits of a block",
        triton(
            """grid (cdiv(M, B), N)
  y is f32[M,N] written once
  where M <= 1048576, N <= 65535, B <= 1024""",
            "fill(y, M, N, B: tl.constexpr)",
            """
rows = tl.program_id(0) * B + tl.arange(0, B)
tl.store(y + rows * N + tl.program_id(1), 1.0, mask=rows < M)""",
        ),
        "no overflow: store of y",
        "rows * N",
        "write `rows.to(tl.int64) * N`",
    ),
    Case(
        "a program's number left out",
        triton(
            VECTOR,
            "copy(x, y, n, B: tl.constexpr)",
            """
pid = tl.program_id(0)
at = tl.arange(0, B)
offs = pid * B + tl.arange(0, B)
v = tl.load(x + offs, mask=offs < n)
tl.store(y + at, v, mask=at < n)""",
        ),
        "written once: store of y",
        "y + at",
        "write `at = pid * B + tl.arange(0, B)`",
    ),
    Case(
        "a grid that rounds down",
        triton(
            VECTOR.replace("cdiv(n, B)", "n // B"),
            "copy(x, y, n, B: tl.constexpr)",
            """
offs = tl.program_id(0) * B + tl.arange(0, B)
v = tl.load(x + offs, mask=offs < n)
tl.store(y + offs, v, mask=offs < n)""",
        ),
        "written once: store of y",
        "y + offs",
        "write `kernel grid (cdiv(n, B),)` in the contract",
    ),
    Case(
        "a neighbour out of bounds",
        triton(
            VECTOR,
            "shift(x, y, n, B: tl.constexpr)",
            """
offs = tl.program_id(0) * B + tl.arange(0, B)
v = tl.load(x + offs + 1, mask=offs < n)
tl.store(y + offs, v, mask=offs < n)""",
        ),
        "in bounds: load of x",
        "x + offs + 1",
        "mask=",
    ),
    Case(
        "a number of a table out of bounds",
        triton(
            """grid (n,)
  t is i32[n] below m+1
  x is f32[m]
  where n <= 1048576, m <= 1048576""",
            "gather(t, x, n, m)",
            """
k = tl.load(t + tl.program_id(0))
v = tl.load(x + k)""",
        ),
        "in bounds: load of x",
        "x + k",
        "write `tl.load(x + k, mask=k < m)`",
    ),
    Case(
        "no guard",
        cuda(
            ONE,
            "scale(const float* x, float* y, int n)",
            """
int i = blockIdx.x * 256 + threadIdx.x;
y[i] = 2.f * x[i];""",
        ),
        "in bounds: load of x",
        "x[i]",
        "write `if (i < n) y[i] = 2.f * x[i];`",
    ),
    Case(
        "a guard that is one too wide",
        cuda(
            ONE,
            "scale(const float* x, float* y, int n)",
            """
int i = blockIdx.x * 256 + threadIdx.x;
if (i <= n) y[i] = 2.f * x[i];""",
        ),
        "in bounds: load of x",
        "x[i]",
        "write `i < n`",
    ),
    Case(
        "a guard of one index",
        cuda(
            TWO, "fill(float* y, int M, int N)", f"{PLACE}\nif (j < N) y[i * N + j] = 1.f;"
        ).replace("//   x is f32[M,N]\n", ""),
        "in bounds: store of y",
        "y[i * N + j]",
        "write `if (j < N && i < M)`",
    ),
    Case(
        "rows that are as long as columns",
        cuda(
            TWO,
            "copy(const float* x, float* y, int M, int N)",
            f"{PLACE}\nif (i < M && j < N) y[i * N + j] = x[i * M + j];",
        ),
        "in bounds: load of x",
        "x[i * M + j]",
        "write `x[i * N + j]`",
    ),
    Case(
        "a product of ints",
        cuda(
            """grid (cdiv(N, 256), M) block (256,)
  y is f32[M,N] written once
  where M <= 65535, N <= 1048576""",
            "fill(float* y, int M, int N)",
            """
int j = blockIdx.x * 256 + threadIdx.x;
int row = blockIdx.y;
if (j < N) y[row * N + j] = 1.f;""",
        ),
        "no overflow: store of y",
        "row * N",
        "int64_t",
    ),
    Case(
        "a block of another size",
        cuda(
            ONE,
            "copy(const float* x, float* y, int n)",
            """
int i = blockIdx.x * 128 + threadIdx.x;
if (i < n) y[i] = x[i];""",
        ),
        "written once: store of y",
        "y[i]",
        "write `int i = blockIdx.x * blockDim.x + threadIdx.x;`",
    ),
    Case(
        "a block's number left out",
        cuda(
            ONE,
            "copy(const float* x, float* y, int n)",
            """
int i = threadIdx.x;
if (i < n) y[i] = x[i];""",
        ),
        "written once: store of y",
        "y[i]",
        "write `int i = blockIdx.x * blockDim.x + threadIdx.x;`",
    ),
    Case(
        "a load before the first element",
        cuda(
            ONE,
            "shift(const float* x, float* y, int n)",
            """
int i = blockIdx.x * 256 + threadIdx.x;
if (i < n) y[i] = x[i - 1];""",
        ),
        "in bounds: load of x",
        "x[i - 1]",
        "write `(i - 1 >= 0 ? x[i - 1] : 0)`",
    ),
    Case(
        "a grid that is one too small",
        cuda(
            ONE.replace("cdiv(n, 256)", "cdiv(n, 256) - 1").replace("n <=", "n > 256, n <="),
            "copy(const float* x, float* y, int n)",
            """
int i = blockIdx.x * 256 + threadIdx.x;
if (i < n) y[i] = x[i];""",
        ),
        "written once: store of y",
        "y[i]",
        "write `kernel grid (cdiv(n, 256),) block (256,)` in the contract",
    ),
    Case(
        "an index of threads along the wrong axis",
        cuda(
            TWO.replace("  x is f32[M,N]\n", ""),
            "fill(float* y, int M, int N)",
            """
int j = blockIdx.x * 16 + threadIdx.x;
int i = blockIdx.y * 16 + threadIdx.x;
if (i < M && j < N) y[i * N + j] = 1.f;""",
        ),
        "written once: store of y",
        "y[i * N + j]",
        "write `int i = blockIdx.y * 16 + threadIdx.y;`",
    ),
]


def blocks(text: str) -> Iterator[list[str]]:
    """The paragraphs of a report that are of refuted claims."""
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if ": refuted, expected proved: " in lines[0]:
            yield lines


def put_in(text: str, fix: dict[str, object]) -> str:
    """The text of a file with a fix put in."""
    lines = text.split("\n")
    line, at, removed = (int(str(fix[k])) for k in ("line", "column", "removed"))
    row = lines[line - 1]
    lines[line - 1] = f"{row[: at - 1]}{fix['text']}{row[at - 1 + removed :]}"
    return "\n".join(lines)


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_mistake_is_shown_where_it_is_and_its_fix_is_right(tmp_path, monkeypatch, capsys, case):
    monkeypatch.chdir(tmp_path)
    file = Path("kernel.py" if case.text.startswith("import") else "kernel.cu")
    file.write_text(case.text, encoding="utf-8")
    assert main(["check", "--no-cache", str(file)]) == 1
    text = capsys.readouterr().out
    heads = [(b, [b[0], *ALSO.findall("\n".join(b))]) for b in blocks(text)]
    own = next(b for b, names in heads if any(case.claim in n for n in names))
    message = "\n".join(own)
    assert 3 <= len(own) - len(ALSO.findall(message)) <= 6, own
    assert f"`{case.expression}`" in message or case.expression in own[1]
    carets = own[2].index("^"), own[2].rindex("^") + 1
    assert case.expression in own[1][slice(*carets)] or "overflow" in case.claim
    assert case.fix in message
    assert "map " not in message
    assert "ceildiv" not in own[3]
    assert main(["check", "--no-cache", "--json", str(file)]) == 1
    claims = json.loads(capsys.readouterr().out)["claims"]
    claim = next(c for c in claims if c["verdict"] == "refuted" and case.claim in c["name"])
    changed = put_in(case.text, claim["fixes"][0])
    file.write_text(changed, encoding="utf-8")
    main(["check", "--no-cache", "--json", "--no-hints", str(file)])
    after = list(json.loads(capsys.readouterr().out)["claims"])
    same = [c for c in after if c["name"] == claim["name"]]
    assert all(c["verdict"] == "proved" for c in same), changed
    assert same or case.claim.startswith("no overflow")
    assert not [c for c in after if c["verdict"] != "proved"], changed


DATA = Path(__file__).parent / "data" / "contracts"

ROWS = (DATA / "rows_of_2051.cpp").read_text(encoding="utf-8")


def verdicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> list[dict]:
    """The claims of a file, as JSON has them."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    main(["check", "--no-cache", "--no-hints", "--json", str(file)])
    report = json.loads(capsys.readouterr().out)
    assert not report["errors"], report["errors"]
    return report["claims"]


@pytest.mark.parametrize(
    ("change", "refuted"),
    [
        (
            ("", ""),
            {"address in line 15", "length in line 15", "address in line 17", "length in line 17"},
        ),
        (("2051", "2056"), set()),
        (("2051", "8"), set()),
        (("2051);", "2048);"), {"address in line 15", "address in line 17"}),
        (("2051]", "2056]"), {"length in line 15", "length in line 17"}),
        (("DataCopy(t,", "DataCopy(t[row],"), {"local address in line 15"}),
        (("DataCopy(t,", "DataCopy(t[8 * row],"), set()),
        (("int32_t", "int16_t"), {"address in line 15", "length in line 15"}),
    ],
)
def test_data_copy_moves_whole_blocks(tmp_path, capsys, change, refuted):
    text = ROWS.replace(*change)
    if change[0] == "int32_t":
        text = text.replace("s32[", "s16[")
    if change[0] in ("DataCopy(t,", "2051);", "2051]"):
        text = text if change[0] != "DataCopy(t," else text.replace("2051", "2056")
    every = verdicts(tmp_path, capsys, "rows.cpp", text)
    blocks = [c for c in every if "whole blocks of 32 bytes: " in c["name"]]
    assert len(blocks) == 4 + ("[row]" in change[1] or "row]" in change[1])
    wrong = {c["name"].rpartition(": ")[2] for c in blocks if c["verdict"] == "refuted"}
    assert refuted <= wrong
    assert refuted or not wrong
    assert all(c["verdict"] in ("proved", "refuted") for c in blocks)


def test_the_byte_of_a_copy_is_said(tmp_path, capsys):
    file = tmp_path / "rows.cpp"
    file.write_text(ROWS, encoding="utf-8")
    assert main(["check", "--no-cache", "--no-hints", str(file)]) == 1
    text = capsys.readouterr().out
    assert "`DataCopy(t, x[row * 2051], 2051)` begins at byte 8204" in text
    assert "copies 8204 bytes, not a multiple of 32" in text
    assert all(len(lines) <= 6 for lines in blocks(text))


SPELLED = """// symlayout: kernel grid (GRID,) block (256,)
//   x is TYPE[n]
//   t is TABLE[n]
//   y is float[n] written once
//   where n <= 1000000, FACT
__global__ void f(const CTYPE* x, const CTABLE* t, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i] + t[i];
}
"""


@pytest.mark.parametrize(
    "words",
    [
        ("(n + 255) / 256", "const float", "long long", "n / 4 <= 250000"),
        ("(n - 1) / 256 + 1", "float", "unsigned", "n / 2 >= 0"),
        ("(n+255)/256", "double", "unsigned char", "n >= 1"),
        ("cdiv(n, 256)", "const int", "const short", "n > 0 or n == 4"),
        ("(n + 255) // 256", "half", "unsigned long long", "n in {256, 1000}"),
        ("(n + 255) / 256", "__half", "int64_t", "n * 4 / 2 <= 2000000"),
    ],
)
def test_contracts_in_c_are_spelled_as_c_is(tmp_path, capsys, words):
    grid, type, table, fact = words
    text = SPELLED.replace("GRID", grid).replace("FACT", fact).replace("CTYPE", type)
    text = text.replace("const const", "const").replace("CTABLE", table).replace("TYPE", type)
    text = text.replace("const const", "const").replace("TABLE", table)
    every = verdicts(tmp_path, capsys, "f.cu", text)
    assert len(every) > 5
    assert {c["verdict"] for c in every} == {"proved"}


def test_a_slash_of_what_may_be_below_0_is_refused(tmp_path, capsys):
    text = SPELLED.replace("GRID", "(n + 255) / 256").replace("FACT", "k >= -5, k / 2 <= 7")
    text = text.replace("CTYPE", "float").replace("CTABLE", "int").replace("TYPE", "float")
    text = text.replace("TABLE", "int").replace("int n)", "int n, int k)")
    file = tmp_path / "f.cu"
    file.write_text(text, encoding="utf-8")
    assert main(["check", "--no-cache", str(file)]) == 2
    assert "k may be below 0, and C's / rounds towards 0" in capsys.readouterr().err


def test_python_keeps_its_own_slash(tmp_path, capsys):
    file = tmp_path / "kernel.py"
    file.write_text(CASES[0].text.replace("cdiv(n, B)", "n / B"), encoding="utf-8")
    assert main(["check", "--no-cache", str(file)]) == 2
    assert "error" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("load", "store", "refuted"),
    [
        ("{1, 8204, 0, 0, 0}, pad", "{1, 8204, 0, 0, 0}", set()),
        ("DataCopyExtParams{1, 8204, 0, 0, 0}, pad", "AscendC::DataCopyExtParams{1, 8204}", set()),
        ("{1, 2051 * sizeof(int32_t), 0, 0, 0}, pad", "{1, 8204, 0, 0, 0}", set()),
        ("{1, 8204, 0, 0, 0}, pad", "{1, 8205, 0, 0, 0}", {"in bounds: store of out in line 17"}),
        ("{1, 8208, 0, 0, 0}, pad", "{1, 8204, 0, 0, 0}", {"in bounds: load of in in line 15"}),
        (
            "{1, 8204, 0, 0, 0}, pad",
            "{1, 8200, 0, 0, 0}",
            {"written once: store of out in line 17"},
        ),
    ],
)
def test_data_copy_pad_copies_any_number_of_bytes(tmp_path, capsys, load, store, refuted):
    text = ROWS.replace(
        "DataCopy(t, x[row * 2051], 2051)", f"DataCopyPad(t, x[row * 2051], {load})"
    )
    text = text.replace(
        "DataCopy(y[row * 2051], t, 2051)", f"DataCopyPad(y[row * 2051], t, {store})"
    )
    every = verdicts(tmp_path, capsys, "rows.cpp", text)
    assert not [c for c in every if "whole blocks" in c["name"]]
    wrong = {c["name"].partition(": ")[2] for c in every if c["verdict"] != "proved"}
    assert refuted <= wrong
    assert refuted or not wrong


@pytest.mark.parametrize("params", ["p", "{2, 8204, 0, 0, 0}", "{count, 8204}", "Other{1, 8204}"])
def test_other_parameters_of_data_copy_pad_are_not_followed(tmp_path, capsys, params):
    copy = f"DataCopyPad(y[row * 2051], t, {params})"
    text = ROWS.replace("DataCopy(y[row * 2051], t, 2051)", copy)
    every = verdicts(tmp_path, capsys, "rows.cpp", text)
    assert any(c["verdict"] == "unknown" and "DataCopyPad" in c["reason"] for c in every)


def test_the_local_address_of_data_copy_pad_is_claimed(tmp_path, capsys):
    copy = "DataCopyPad(t[row], x[row * 2051], {1, 8204, 0, 0, 0}, pad)"
    text = ROWS.replace("DataCopy(t, x[row * 2051], 2051)", copy)
    every = verdicts(tmp_path, capsys, "rows.cpp", text)
    own = [c for c in every if "local address in line 15" in c["name"]]
    assert [c["verdict"] for c in own] == ["refuted"]


def fixes_of(capsys: pytest.CaptureFixture[str], file: Path, text: str) -> list[str]:
    """The titles of all fixes that `check` offers for a file."""
    file.write_text(text, encoding="utf-8")
    main(["check", "--no-cache", "--json", str(file)])
    report = json.loads(capsys.readouterr().out)
    assert not report["errors"], report["errors"]
    return [f["title"] for c in report["claims"] for f in c.get("fixes", ())]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "text",
    [
        triton(
            "grid (cdiv(n, B),)\n  x is f32[rows,B]\n  where n <= 4096, B <= 64",
            "add(x, n, B: tl.constexpr)",
            "pid = tl.program_id(axis=0)\ntl.store(x + pid * B + tl.arange(0, B), 1.0)",
        ),
        triton(
            "\n  x is f32[N]\n  where N <= 4096, s <= 8192",
            "softmax(x, s, N, B: tl.constexpr)",
            "row = tl.program_id(0)\ncols = tl.arange(0, B)\n"
            "v = tl.load(x + row * s + cols, mask=cols < N)",
        ),
        triton(
            "grid (M, 1)\n  x is f32[N]\n  where N <= 4096",
            "row(x, M, N, B: tl.constexpr)",
            "row = tl.program_id(0)\ncols = tl.arange(0, B)\n"
            "v = tl.load(x + row * N + cols, mask=cols < N)",
        ),
        triton(
            "grid (M, N)\n  x is f32[N]\n  where M <= 4096, N <= 4096",
            "twice(x, M, N)",
            "row = tl.program_id(0)\nv = tl.load(x + row)\nw = tl.load(x + tl.program_id(1))",
        ),
        cuda(
            "grid (cdiv(n, 256),) block (256,)\n  x is f32[256*k]\n  where n <= 4096, k <= 64",
            "fill(float* x, int n)",
            "int i = blockIdx.x * 256 + threadIdx.x;\nx[i] = 1.f;",
        ),
        cuda(
            "grid (n,) block (32,)\n  x is f32[32]\n  where n <= 4096",
            "fill(const float* x, float* y, int n)",
            "int t = threadIdx.x;\ny[blockIdx.x * 32 + t] = x[blockIdx.x + t];",
        ).replace("  where", "  y is f32[n,32] written once\n//   where"),
    ],
)
def test_no_fix_asks_for_an_axis_that_the_launch_lacks(tmp_path, capsys, text):
    titles = fixes_of(capsys, tmp_path / ("f.py" if text.startswith("import") else "f.cu"), text)
    wrong = ("program_id(1)", "program_id(2)", "axis=1", "axis=2", "Idx.y", "Idx.z")
    assert not [t for t in titles if any(w in t for w in wrong)], titles


CAST = """grid (n,)
  x is f32[n,m] strides(s,1)
  where n <= 1048576, m <= 4096, B <= 1024"""


@pytest.mark.explore
@pytest.mark.parametrize(
    ("body", "cast"),
    [
        (
            "p = tl.program_id(0)\nv = tl.load(x + B * s + p, mask=p < m)",
            "tl.cast(B, tl.int64) * s",
        ),
        (
            "p = tl.program_id(0)\nv = tl.load(x + (B + 1) * s, mask=p < m)",
            "tl.cast(B + 1, tl.int64)",
        ),
        ("p = tl.program_id(0)\nv = tl.load(x + n * s, mask=p < m)", "tl.cast(n, tl.int64) * s"),
        ("p = tl.program_id(0)\nv = tl.load(x + p * s, mask=p < m)", "p.to(tl.int64) * s"),
        (
            "p = tl.program_id(0)\nv = tl.load(x + (p + 1) * s, mask=p < m)",
            "(p + 1).to(tl.int64) * s",
        ),
        ("o = tl.arange(0, 64) * B\nv = tl.load(x + o * s)", "o.to(tl.int64) * s"),
    ],
)
def test_a_constant_is_cast_by_a_function(tmp_path, capsys, body, cast):
    contract = CAST.replace("where", "where n <= 1048576, s >= m,").replace(
        "x is f32[n,m]", "x is f32[2*n+B*64,m]"
    )
    text = triton(contract, "f(x, n, m, s, B: tl.constexpr)", body)
    titles = fixes_of(capsys, tmp_path / "f.py", text)
    assert any(cast in t for t in titles), titles


@pytest.mark.parametrize(
    "call",
    [
        "B.to(tl.int64)",
        "(2 * B).to(tl.int64)",
        "(B + 1).to(tl.int32)",
        "tl.constexpr(4).to(tl.int64)",
        "B.cast(tl.int64)",
        "(B // 2).to(tl.int64)",
    ],
)
def test_a_constexpr_has_no_methods(tmp_path, capsys, call):
    body = f"p = tl.program_id(0)\nv = tl.load(x + p * B + {call} * 0, mask=p * B < m)"
    contract = "grid (n,)\n  x is f32[m]\n  where n <= 4096, m <= 4096, B <= 64"
    text = triton(contract, "f(x, n, m, B: tl.constexpr)", body)
    reasons = [c.get("reason", "") for c in verdicts(tmp_path, capsys, "f.py", text)]
    assert any("a constexpr has no method" in r for r in reasons), reasons
    number = call[: call.rindex(".", 0, call.rindex("(tl.int"))]
    legal = text.replace(call, f"tl.cast({number}, tl.int64)")
    assert {c["verdict"] for c in verdicts(tmp_path, capsys, "f.py", legal)} == {"proved"}


COPY = "DataCopyPad(y[row * 2051], t, p)"

PARAMETERS = {  # what comes before the copy, and what of the kernel is not proved
    "DataCopyExtParams p{1, 8204, 0, 0, 0};": set(),
    "AscendC::DataCopyExtParams p = {1, 8204, 0, 0, 0};": set(),
    "DataCopyExtParams p(1, 8204, 0, 0, 0);": set(),
    "DataCopyExtParams p = DataCopyExtParams{1, 8204, 0, 0, 0};": set(),
    "DataCopyParams p{1, 2051 * sizeof(int32_t), 0, 0};": set(),
    "uint32_t n = 2051; DataCopyExtParams p{1, n * 4, 0, 0, 0};": set(),
    "uint16_t one = 1; DataCopyExtParams p{one, 8204, 0, 0, 0};": set(),
    "DataCopyExtParams p; p.blockCount = 1; p.blockLen = 8204; p.srcStride = 0;": set(),
    "DataCopyExtParams p{1, 4, 0, 0, 0}; p.blockLen = 8204;": set(),
    "DataCopyExtParams p{1, 8208, 0, 0, 0};": {"in bounds: store of out in line 17"},
    "DataCopyExtParams p{1, 8204, 0, 0, 0}; p.blockLen += 4;": {
        "in bounds: store of out in line 17"
    },
    "DataCopyExtParams p{1, 8204, 0, 0, 0}; if (row > 7) p.blockLen = 8208;": {
        "in bounds: store of out in line 17"
    },
    "DataCopyExtParams p{1, 8200, 0, 0, 0};": {"written once: store of out in line 17"},
    "DataCopyParams p{1, 73740, 0, 0};": set(),  # 16 bits: it wraps to 8204
    "DataCopyParams p{1, 73744, 0, 0};": {"in bounds: store of out in line 17"},
    "uint32_t n = 8204; DataCopyExtParams p{1, n, 0, 0, 0}; n = p.blockLen + 4;": set(),
    "DataCopyExtParams p{1, 8204, 0, 0, 0}; auto& q = p.blockLen; q = 4;": {"understood"},
    "DataCopyExtParams p{2, 8204, 0, 0, 0};": {"understood"},
    "DataCopyExtParams p{rows, 8204, 0, 0, 0};": {"understood"},
    "DataCopyExtParams p{1};": {"understood"},
    "DataCopyExtParams p;": {"understood"},
    "DataCopyExtParams p{1, 8204, 0, 0, 0}; Change(p);": {"understood"},
    "DataCopyExtParams p{1, 8204, 0, 0, 0}; uint32_t* q = &p.blockLen; *q = 9;": {"understood"},
    "DataCopyExtParams p{1, 8204, 0, 0, 0}; DataCopyExtParams q{1, 4}; p = q;": {"understood"},
    "DataCopyExtParams p{1, 8204, 0, 0, 0}; auto& q = p; q.blockLen = 4;": {"understood"},
    "Other p{1, 8204, 0, 0, 0};": {"understood"},
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("before", PARAMETERS)
def test_parameters_of_a_copy_may_be_a_variable(tmp_path, capsys, before):
    text = ROWS.replace(
        "DataCopy(t, x[row * 2051], 2051)", "DataCopyPad(t, x[row * 2051], {1, 8204, 0, 0, 0}, a)"
    )
    text = text.replace("DataCopy(y[row * 2051], t, 2051)", COPY)
    text = text.replace("  PipeBarrier<PIPE_ALL>();", f"  {before}")
    every = verdicts(tmp_path, capsys, "rows.cpp", text)
    wrong = {c["name"].partition(": ")[2] for c in every if c["verdict"] != "proved"}
    expected = PARAMETERS[before]
    assert all(any(e in w for w in wrong) for e in expected), wrong
    assert expected or not wrong


CORES = {  # changes of the kernel that copies rows of 2051 numbers of 32 bits
    "two copies": {},
    "a namespace": {"DataCopy(": "AscendC::DataCopy("},
    "16 bits": {"int32_t": "int16_t", "s32[": "s16["},
    "a sum": {"2051);": "2050 + 1);"},
    "a name": {"uint32_t row": "uint32_t n = 2051, row", "2051);": "n);"},
    "a load alone": {"DataCopy(y[row * 2051], t, 2051);": "", " written once": ""},
    "a store alone": {"DataCopy(t, x[row * 2051], 2051);": ""},
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", CORES)
def test_a_copy_of_cores_is_padded_by_its_fix(tmp_path, capsys, name):
    text = ROWS
    for old, new in CORES[name].items():
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "rows.cpp"
    expressions = set()
    for _ in range(3):
        file.write_text(text, encoding="utf-8")
        main(["check", "--no-cache", str(file)])
        shown = capsys.readouterr().out
        own = [[x for x in lines if not ALSO.search(x)] for lines in blocks(shown)]
        assert all(3 <= len(lines) <= 6 for lines in own)
        main(["check", "--no-cache", "--json", str(file)])
        every = json.loads(capsys.readouterr().out)["claims"]
        wrong = [c for c in every if c["verdict"] == "refuted"]
        if not wrong:
            break
        expression = wrong[0]["expression"]["text"]
        assert f"`{expression}`" in shown
        expressions.add(expression)
        text = put_in(text, wrong[0]["fixes"][0])
    assert len(expressions) == (1 if "alone" in name else 2)
    assert {c["verdict"] for c in every} == {"proved"}, text


@pytest.mark.parametrize(
    "copy", ["DataCopy(t[row], x[row * 2051], 2051)", "DataCopy(t, x[row * 2051], {1, 8, 0, 0})"]
)
def test_what_no_padding_makes_right_gets_no_fix(tmp_path, capsys, copy):
    file = tmp_path / "rows.cpp"
    text = ROWS.replace("DataCopy(t, x[row * 2051], 2051)", copy)
    file.write_text(text, encoding="utf-8")
    main(["check", "--no-cache", "--json", str(file)])
    every = json.loads(capsys.readouterr().out)["claims"]
    own = [c for c in every if "local address" in c["name"] or c["verdict"] == "unknown"]
    assert own
    assert not [f for c in own for f in c.get("fixes", []) if "DataCopyPad" in f["text"]]


TILE = """// symlayout: kernel grid (cdiv(w, 32), cdiv(h, 32)) block (32, 8)
//   in is f32[h,w]
//   out is f32[w,h] written once
//   where h <= 2097120, w <= 1024
__global__ void transpose(float* out, const float* in, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h)
      tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * w + x];
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w)
      out[(size_t)(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""

REVERSED = cuda(
    ONE,
    "rev(const float* x, float* y, int n)",
    """
__shared__ float tile[256];
int t = threadIdx.x;
int i = blockIdx.x * 256 + t;
if (i < n) tile[t] = x[i];
if (i < n) y[i] = tile[255 - t];""",
)


@pytest.mark.explore
@pytest.mark.parametrize(
    ("text", "before"),
    [
        (TILE, "for (int j = 0; j < 32; j += 8)` in line 13"),
        (REVERSED, "if (i < n) y[i] = tile[255 - t];`"),
        (
            REVERSED.replace("if (i < n) tile", "tile").replace("= x[i]", "= i < n ? x[i] : 0"),
            "if (i",
        ),
        (
            REVERSED.replace("if (i < n) y[i] =", "float v = 0;\n  if (i < n) v =").replace(
                "255 - t];", "255 - t];\n  if (i < n) y[i] = v;"
            ),
            "if (i < n) v =",
        ),
        (
            REVERSED.replace("if (i < n) tile[t] = x[i]", "if (i < n) { tile[t] = x[i]; }"),
            "if (i < n) y",
        ),
    ],
)
def test_a_barrier_that_is_missing_below_a_guard(tmp_path, monkeypatch, capsys, text, before):
    monkeypatch.chdir(tmp_path)
    Path("f.cu").write_text(text, encoding="utf-8")
    assert main(["check", "--no-cache", "f.cu"]) == 1
    out = capsys.readouterr().out
    own = next(lines for lines in blocks(out) if "no race" in lines[0])
    assert len(own) <= 6, own
    assert "threadIdx.x = " in own[3].partition(" and ")[2]
    assert "store to and read element" in own[3]
    assert f"help: write `__syncthreads();` before `{before}" in "\n".join(own), own
    assert not [x for x in own if "<= 1073741824" in x or "has 0" in x or "_2" in x], own
    assert main(["check", "--no-cache", "--json", "f.cu"]) == 1
    claims = json.loads(capsys.readouterr().out)["claims"]
    claim = next(c for c in claims if c["verdict"] == "refuted" and "no race" in c["name"])
    after = verdicts(tmp_path, capsys, "f.cu", put_in(text, claim["fixes"][0]))
    assert [c["name"] for c in after if c["verdict"] != "proved"] == []


@pytest.mark.explore
@pytest.mark.parametrize(
    "barrier",
    ["if (i < n) __syncthreads();", "if (t < 32) __syncthreads();", "", "/* __syncthreads(); */"],
)
def test_a_barrier_that_some_threads_skip_is_none(tmp_path, capsys, barrier):
    text = REVERSED.replace("= x[i];\n", f"= x[i];\n  {barrier}\n")
    races = [c for c in verdicts(tmp_path, capsys, "f.cu", text) if "store of tile" in c["name"]]
    assert [c for c in races if c["verdict"] != "proved"]
    whole = text.replace(
        barrier or "= x[i];\n", f"{'' if barrier else '= x[i];'} __syncthreads();\n"
    )
    after = verdicts(tmp_path, capsys, "f.cu", whole)
    assert not [c for c in after if c["verdict"] != "proved"]


@pytest.mark.parametrize(
    ("loop", "value"),
    [
        ("for (int j = 0; j < 32; j += 8)", "j = 24 (iteration 3)"),
        ("for (int j = 24; j >= 0; j -= 8)", "j = 24, "),
        ("for (int j = 8; j < 32; j += 8)", "j = 24 (iteration 2)"),
        ("for (int j = 0; j < 4; ++j)", "j = 3: "),
        ("for (int j = 24; j < 32; j += 8)", "j = 24"),
    ],
)
def test_a_counter_has_the_value_of_the_source(tmp_path, monkeypatch, capsys, loop, value):
    monkeypatch.chdir(tmp_path)
    body = f"""
int i = blockIdx.x * 256 + threadIdx.x;
if (i < n) {{ {loop} y[i] += x[i + j]; }}"""
    size = 24 if "8" in loop.replace("28", "") else 3
    text = (
        cuda(ONE, "f(const float* x, float* y, int n)", body)
        .replace("//   x is f32[n]", f"//   x is f32[n+{size}-1]")
        .replace(" written once", "")
    )
    Path("f.cu").write_text(text, encoding="utf-8")
    assert main(["check", "--no-cache", "--no-hints", "f.cu"]) == 1
    own = next(x for x in blocks(capsys.readouterr().out) if "in bounds: load of x" in x[0])
    assert value.rstrip(": ,") in own[3], own


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "text",
    [
        TILE.replace("__syncthreads", "").replace("in[(size_t)(y + j) * w + x]", "in[f(y)]"),
        triton(
            "\n  x is f32[n]",
            "f(x, n, B: tl.constexpr)",
            "i = tl.load(x + tl.program_id(0))\ntl.store(x + i, 1.0)",
        ),
        cuda(
            "grid (n,) block (32,)\n  x is f32[n*n]", "f(float* x, int n)", "x[n * n * n / n] = 1;"
        ),
    ],
)
def test_no_help_proposes_what_is_assumed(tmp_path, monkeypatch, capsys, text):
    monkeypatch.chdir(tmp_path)
    file = Path("f.py" if text.startswith("import") else "f.cu")
    file.write_text(text, encoding="utf-8")
    main(["check", "--no-cache", "--no-hints", str(file)])
    assert "<= 1073741824" not in capsys.readouterr().out


MOVED = triton(
    "grid (M,)\n  x is f16[M,K] strides(sm, sk)\n  where M <= 4096, K <= 4096, sm <= 4096, sk <= 4096",
    "rows(x, M, K, sm, sk)",
    """
p = x + tl.program_id(0) * sm + tl.arange(0, 32) * sk
for k in range(0, tl.cdiv(K, 32)):
    v = tl.load(p, mask=tl.arange(0, 32) < K - k * 32)
    p += 32 * sk""",
)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("change", "sizes", "fix"),
    [
        (("p += 32 * sk", "p += 32 * sm"), ("K = 33", "sm = 2"), "write `p += 32 * sk` in line 13"),
        (("p += 32 * sk", "p += sm * 32"), ("K = 33", "sm = 2"), "write `p += sk * 32` in line 13"),
        (("p += 32 * sk", "p = p + 32 * sm"), ("K = 33", "sm = 2"), "help: "),
        (("p += 32 * sk", "p += 64 * sk"), ("K = 33",), "help: "),
        (("32", "16"), (), ""),
    ],
)
def test_a_pointer_that_a_loop_moves_by_another_stride(
    tmp_path, monkeypatch, capsys, change, sizes, fix
):
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text(MOVED.replace(*change), encoding="utf-8")
    assert main(["check", "--no-cache", "f.py"]) == bool(sizes)
    own = next(iter(blocks(capsys.readouterr().out)), [""] * 4)
    assert all(s in own[3] for s in sizes), own
    assert fix in "\n".join(own), own


WIDE = triton(
    "grid (cdiv(M, B), cdiv(N, B))\n  x is f32[M,N] strides(sm, sn)\n"
    "  where M <= 65536, N <= 65536, B >= 32",
    "read(x, M, N, sm, sn, B: tl.constexpr)",
    """
rm = tl.program_id(0) * B + tl.arange(0, B)
rn = tl.program_id(1) * B + tl.arange(0, B)
v = tl.load(x + rm[:, None] * sm + rn[None, :] * sn, mask=(rm[:, None] < M) & (rn[None, :] < N))""",
)

LOOP = triton(
    "grid (M,)\n  x is f32[M,K] strides(sm, sk)\n  where M <= 65536, K <= 65536",
    "read(x, M, K, sm, sk, B: tl.constexpr)",
    """
row = tl.program_id(0).to(tl.int64)
rk = tl.arange(0, B)
p = x + row * sm + rk * sk
for k in range(0, tl.cdiv(K, B)):
    v = tl.load(p, mask=rk < K - k * B)
    p += B * sk""",
)


@pytest.mark.explore
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (WIDE, ("`rm = (tl.program_id(0)", "`rn = (tl.program_id(1)", "in line 10", "in line 11")),
        (
            WIDE.replace("sn]", "1]").replace("rn[None, :] * sn", "sn * rn[None, :]"),
            ("`rm = (", "`rn = ("),
        ),
        (
            LOOP,
            ("`rk = tl.arange(0, B).to(tl.int64)`", "`p += tl.cast(B, tl.int64) * sk`"),
        ),
        (LOOP.replace("B * sk", "sk * B"), ("`rk = ", "`p += tl.cast(sk, tl.int64) * B`")),
    ],
)
def test_all_products_of_an_address_are_widened_together(
    tmp_path, monkeypatch, capsys, text, parts
):
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text(text, encoding="utf-8")
    assert main(["check", "--no-cache", "--json", "f.py"]) == 1
    claims = json.loads(capsys.readouterr().out)["claims"]
    claim = next(c for c in claims if c["verdict"] == "refuted" and "no overflow" in c["name"])
    (fix, *_) = claim["fixes"]
    assert all(p in fix["title"] for p in parts), fix["title"]
    lines = text.split("\n")
    at = sum(len(x) + 1 for x in lines[: fix["line"] - 1]) + fix["column"] - 1
    changed = f"{text[:at]}{fix['text']}{text[at + fix['removed'] :]}"
    after = verdicts(tmp_path, capsys, "f.py", changed)
    assert [c["name"] for c in after if c["verdict"] == "refuted"] == []
    Path("f.py").write_text(text, encoding="utf-8")
    main(["check", "--no-cache", "--format", "sarif", "f.py"])
    rows = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    own = next(row for row in rows if "fixes" in row)
    region = own["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]
    assert region["endLine"] == fix["line"] + text[at : at + fix["removed"]].count("\n")
    assert region["endLine"] > region["startLine"]


@pytest.mark.parametrize(
    ("length", "lengths"),
    [
        (100, "copy 96 or 104 elements"),
        (2051, "copy 2048 or 2056 elements"),
        (5, "copy 8 elements"),
        (9, "copy 8 or 16 elements"),
    ],
)
def test_a_length_that_is_not_of_whole_blocks_gets_the_next_ones(
    tmp_path, monkeypatch, capsys, length, lengths
):
    monkeypatch.chdir(tmp_path)
    Path("rows.cpp").write_text(ROWS.replace("2051", str(length)), encoding="utf-8")
    assert main(["check", "--no-cache", "--no-hints", "rows.cpp"]) == 1
    own = next(x for x in blocks(capsys.readouterr().out) if "length in line 15" in x[0])
    assert f"help: {lengths}, or use DataCopyPad" in "\n".join(own), own
    assert "require" not in "\n".join(own)
    assert "blockIdx" not in "\n".join(own)


@pytest.mark.parametrize("name", ["cores", "blocks", "n", "G", "rows_of_z"])
def test_a_limit_of_a_launch_is_required_as_it_is(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    text = cuda(
        f"grid (1, {name}) block (32,)\n  x is f32[{name},32]",
        "f(float* x)",
        "x[blockIdx.y * 32 + threadIdx.x] = 1.f;",
    )
    Path("f.cu").write_text(text, encoding="utf-8")
    assert main(["check", "--no-cache", "f.cu"]) == 1
    own = next(x for x in blocks(capsys.readouterr().out) if "launch limit" in x[0])
    assert own[-1] == f"  help: require `where {name} <= 65535` (exact)"


def test_claims_that_rest_on_refuted_ones_are_one_block(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = CASES[6].text.replace("row * N", "r * N")
    Path("f.py").write_text(text, encoding="utf-8")
    main(["check", "--no-cache", "--no-hints", "f.py"])
    out = capsys.readouterr().out
    assert out.count("unknown, expected proved") == 1
    assert ": copy: 3 claims\n  rests on 'no overflow: load of x in line 14'" in out
    main(["check", "--no-cache", "--no-hints", "-v", "f.py"])
    assert capsys.readouterr().out.count("unknown, expected proved") > 1


def test_claims_with_one_fix_are_one_block(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text(CASES[1].text, encoding="utf-8")
    main(["check", "--no-cache", "f.py"])
    out = capsys.readouterr().out
    assert out.count("help: write `tl.store(y + offs, v, mask=offs < n)`") == 1
    assert "  the same change is right for: copy: written once: store of y in line " in out


HOSTED = triton(
    "\n  y is f32[n] written once",
    "fill(y, n, B: tl.constexpr)",
    "i = tl.program_id(0) * B + tl.arange(0, B)\ntl.store(y + i, 1.0, mask=i < n)",
)

CUDA_HOST = cuda(
    "\n  y is f32[n] written once",
    "fill(float* y, int n)",
    "int i = blockIdx.x * 256 + threadIdx.x;\nif (i < n) y[i] = 1.f;",
)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kernel", "host", "fix"),
    [
        (
            HOSTED,
            'def run(y, n):\n    grid = lambda meta: (n // meta["B"],)\n    fill[grid](y, n, B=64)\n',
            'grid = lambda meta: (triton.cdiv(n, meta["B"]),)` in line',
        ),
        (
            HOSTED,
            "def run(y, n):\n    grid = (n // 64,)\n    fill[grid](y, n, B=64)\n",
            "grid = (triton.cdiv(n, 64),)` in line",
        ),
        (
            HOSTED,
            "def run(y, n):\n    fill[(n // 64,)](y, n, B=64)\n",
            "fill[(triton.cdiv(n, 64),)](y, n, B=64)` in line",
        ),
        (
            CUDA_HOST,
            "void run(float* y, int n) { fill<<<n / 256, 256>>>(y, n); }\n",
            "fill<<<(n + 256 - 1) / 256, 256>>>(y, n); }` in line",
        ),
        (
            CUDA_HOST,
            "void run(float* y, int n) {\n  dim3 g(n / 256);\n  fill<<<g, 256>>>(y, n);\n}\n",
            "dim3 g((n + 256 - 1) / 256);` in line",
        ),
    ],
)
def test_a_launch_in_the_file_that_rounds_down(tmp_path, monkeypatch, capsys, kernel, host, fix):
    monkeypatch.chdir(tmp_path)
    file = Path("f.py" if kernel.startswith("import") else "f.cu")
    file.write_text(f"{kernel}\n\n{host}", encoding="utf-8")
    assert main(["check", "--no-cache", str(file)]) == 1
    own = next(x for x in blocks(capsys.readouterr().out) if "written once" in x[0])
    assert fix in own[4], own
