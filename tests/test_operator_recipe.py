"""An operator is one row of `expr/operators.py`: texts read it, and proofs and code know it.

The row is added to a copy of the package; the commands are those of users.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
ROW = """
    Operator(
        "Popcount",
        "popcount",
        int.bit_count,
        1,
        words=("popcount",),
        natural=(0,),
        laws=("r >= 0", "r <= x"),
        interval=lambda x: (0, x[1] if x[1] == float("inf") else int(x[1]).bit_length()),
        code={
            "C": "__builtin_popcountll({0})",
            "CUDA": "__popcll({0})",
            "Python": "({0}).bit_count()",
            "MLIR": "math.ctpop",
            "NumPy": "np.bitwise_count({0}).astype(np.int64)",
        },
    ),
"""
# two arguments and laws with premises; a divisor; any number of arguments
OTHERS = """
    Operator(
        "Common",
        "common",
        lambda a, b: __import__("math").gcd(a, b),
        words=("common",),
        laws=("r >= 0", "x >= 1 => r >= 1", "x >= 1 => r <= x", "y >= 1 => r <= y"),
    ),
    Operator(
        "RoundDiv",
        "rounddiv",
        lambda a, b: (2 * a + b) // (2 * b),
        words=("rounddiv",),
        divisor=1,
        laws=("x >= 0, y >= 1 => r >= 0", "y >= 1 => 2*r*y <= 2*x + y"),
    ),
    Operator("Least", "least", min, None, words=("least",), laws=("r <= x", "r <= y")),
"""
PLACE = "OPERATORS: tuple[Operator, ...] = ("
SUM = "map i < M, j < N: popcount(i + j)"
TURNED = "map i < M, j < N: popcount(j + i)"

# claims, their facts, and whether the checker accepts the certificate
PROVED: list[tuple[list[str], list[str]]] = [
    (["holds", "popcount(x) >= 0"], []),
    (["holds", "popcount(x & 255) <= 8"], []),
    (["holds", "popcount(x//4 + y) <= x//4 + y"], []),
    (["holds", "popcount(255) == 8"], []),
    (["equal", SUM, TURNED], []),
    (["equal", "map i < 256: popcount(i)", "map i < 256: popcount(i//2) + i%2"], []),
    (["bounded", "map i < M: popcount(i) in M"], []),
    (["bounded", "map i < M: popcount(i & 255) in 9"], []),
    (["injective", "map i < popcount(N), j < M: i*M + j"], []),
    (["fits", "map i < M: 200000000*popcount(i & 255)"], ["M <= 1000"]),
    (["holds", "common(M, N) <= N"], []),
    (["holds", "1 <= common(8*M, N) and common(M, 0 - N) >= 0"], []),
    (["holds", "2*N*rounddiv(M, N) <= 2*M + N"], []),
    (["holds", "least(x, y, 3*z) <= y"], []),
    (
        [
            "equal",
            "map i < M: least(i, 7, N) + common(i, N)",
            "map i < M: common(i, N) + least(i, 7, N)",
        ],
        [],
    ),
]
# claims with the smallest counterexample: the sizes, the coordinates, both sides
REFUTED: list[tuple[list[str], list[str], dict[str, Any]]] = [
    (["holds", "popcount(x) <= 3"], [], {"sizes": {"x": 15}, "left": 4, "right": 3}),
    (
        ["holds", "popcount(x - 5) >= 0"],
        [],
        {"sizes": {"x": 1}, "left": "undefined: popcount(-4) has no value"},
    ),
    (
        ["injective", "map i < M: popcount(i) in M"],
        [],
        {"sizes": {"M": 3}, "coords": [1], "left": 1, "right": 1},
    ),
    (
        ["bounded", "map i < M: popcount(i & 255) in 8"],
        [],
        {"sizes": {"M": 256}, "coords": [255]},
    ),
    (
        ["equal", "map i < M: popcount(i)", "map i < M: i"],
        [],
        {"sizes": {"M": 3}, "coords": [2], "left": "1", "right": "2"},
    ),
    (
        ["fits", "map i < M: 300000000*popcount(i & 255)"],
        ["M <= 1000"],
        {"sizes": {"M": 256}, "coords": [255], "left": 2400000000},
    ),
    (["holds", "common(M, N) >= 2"], [], {"sizes": {"M": 1, "N": 1}, "left": 1, "right": 2}),
    (
        ["holds", "rounddiv(M, N - 1) >= 0"],
        [],
        {"sizes": {"M": 1, "N": 1}, "left": "undefined: rounddiv(1, 0) has no value"},
    ),
    (["holds", "least(x, y, z) == x"], [], {"sizes": {"x": 2, "y": 1, "z": 1}, "left": 1}),
    (["fits", "map i < M: popcount(i - 5)"], ["M <= 10"], {"sizes": {"M": 1}, "coords": [0]}),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with the row, which is all that is added."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "symlayout", root / "symlayout", ignore=ignored)
    table = root / "symlayout" / "expr" / "operators.py"
    text = table.read_text()
    assert text.count(PLACE) == 1
    table.write_text(text.replace(PLACE, PLACE + ROW + OTHERS))
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of the package in a folder."""
    return python(root, "-m", "symlayout", *arguments)


def python(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with the package of a folder."""
    env = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=120
    )


def where(facts: list[str]) -> list[str]:
    return [part for fact in facts for part in ("--where", fact)]


def test_nobody_knows_the_operator_without_its_row() -> None:
    result = run(ROOT, "prove", "holds", "popcount(x) >= 0")
    assert result.returncode == 2
    assert "SL201: the function 'popcount' is not known" in result.stderr


@pytest.mark.sample(2)
@pytest.mark.parametrize(("claim", "facts"), PROVED, ids=str)
def test_claims_of_the_operator_are_proved_and_certified(
    claim: list[str], facts: list[str], copy: Path
) -> None:
    proof = copy / "proof.json"
    result = run(copy, "prove", *claim, *where(facts), "--certificate", str(proof), "--json")
    (answer,) = json.loads(result.stdout)["claims"]
    assert (answer["verdict"], result.returncode) == ("proved", 0), result.stdout
    text = " ".join([claim[0], *[f'"{a}"' for a in claim[1:]]])
    again = run(copy, "recheck", str(proof), "--claim", text, *where(facts))
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.sample(1)
@pytest.mark.parametrize(("claim", "facts", "example"), REFUTED, ids=str)
def test_claims_of_the_operator_are_refuted_by_the_smallest_sizes(
    claim: list[str], facts: list[str], example: dict[str, Any], copy: Path
) -> None:
    result = run(copy, "prove", *claim, *where(facts), "--json")
    (answer,) = json.loads(result.stdout)["claims"]
    assert (answer["verdict"], result.returncode) == ("refuted", 1)
    assert {k: answer["counterexample"][k] for k in example} == example


def forgeries(certificate: str) -> dict[str, str]:
    """Certificates that say something else than what the row says."""
    return {
        "a smaller bound of the claim": certificate.replace("in 9", "in 8"),
        "a smaller bound of a step": certificate.replace("Popcount[0,255]", "Popcount[0,15]"),
        "a bound that the row does not say": certificate.replace("Popcount[0,255]", "Popcount[0,]"),
        "a law of no row": certificate.replace('"Popcount"', '"Popcounts"'),
        "other arguments": certificate.replace("popcount(i & 255)", "popcount(i & 1023)"),
    }


def test_a_forged_certificate_is_rejected(copy: Path) -> None:
    proof = copy / "bounded.json"
    claim = ("bounded", "map i < M: popcount(i & 255) in 9")
    assert run(copy, "prove", *claim, "--certificate", str(proof)).returncode == 0
    text = proof.read_text()
    for what, forged in forgeries(text).items():
        assert forged != text, what
        proof.write_text(forged)
        result = run(copy, "recheck", str(proof))
        assert result.returncode == 1, (what, result.stdout, result.stderr)


def test_arguments_are_counted_and_may_have_no_value(copy: Path) -> None:
    many = run(copy, "prove", "holds", "popcount(x, y) >= 0")
    assert "SL200: popcount takes one argument, not 2" in many.stderr
    none = run(copy, "prove", "holds", "popcount(0 - 3) >= 0")
    assert "SL202: popcount(-3) has no value" in none.stderr


def test_z3_confirms_proofs_about_the_operator(copy: Path) -> None:
    pytest.importorskip("z3")
    claims = ["bounded 'map i < M: popcount(i) in M'", f"equal '{SUM}' '{TURNED}'"]
    claims.append("bounded 'map i < M: popcount(i & 255) in 9'")
    text = "".join(f'[[claim]]\nprove = "{claim}"\n' for claim in claims)
    (copy / "claims.toml").write_text(text)
    result = run(copy, "check", "--no-cache", "claims.toml")
    assert result.returncode == 0, result.stdout
    assert "Z3 confirms 2 of 2 proofs" in result.stdout


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("c", "2*__builtin_popcountll((i & 255)) + i"),
        ("cuda", "2*__popcll((i & 255)) + i"),
        ("python", "2*(i%256).bit_count() + i"),
        ("numpy", "2*np.bitwise_count((i & 255)).astype(np.int64) + i"),
        ("sympy", "i + 2*Popcount(Mod(i, 256))"),
        ("arith", "math.ctpop %0 : i64"),
        ("latex", r"\operatorname{Popcount}"),
    ],
)
def test_code_has_the_words_of_the_row(target: str, code: str, copy: Path) -> None:
    result = run(copy, "formula", "map i < M: 2*popcount(i & 255) + i", "--emit", target)
    assert result.returncode == 0, result.stderr
    assert code in result.stdout


def test_a_language_without_words_for_it_is_an_error(copy: Path) -> None:
    result = run(copy, "formula", "map i < M: popcount(i)", "--emit", "rust")
    assert result.returncode == 2
    assert "SL203: popcount(i) is not an integer expression that Rust can compute" in result.stderr


def test_emitted_python_and_sympy_compute_its_values(copy: Path) -> None:
    claim = "map i < M: 2*popcount(i & 255) + i"
    wanted = [2 * (i & 255).bit_count() + i for i in range(600)]
    code = run(copy, "formula", claim, "--emit", "python").stdout
    space: dict[str, Any] = {}
    exec(code, space)
    assert [space["offset"](i, 600) for i in range(600)] == wanted
    code = run(copy, "formula", claim, "--emit", "sympy").stdout
    exec(code, space)
    assert [int(space["offset"].subs({"i": i})) for i in range(0, 600, 37)] == wanted[::37]


IN_PYTHON = """
import numpy as np
import sympy
from symlayout import parse
from symlayout.prove import injective
f = parse("map i < M: 3*popcount(i & 255) + i in M + 24")
points = [3*(i & 255).bit_count() + i for i in range(500)]
assert [f.at((i,), {"M": 500})[0] for i in range(500)] == points
values = f.evaluate(np.arange(500), M=500)
assert (values[0] if isinstance(values, tuple) else values).tolist() == points
(result,) = f.results
assert isinstance(result, sympy.Basic), type(result)
assert result.subs({"i": 255}) == 3*8 + 255
assert "popcount" in str(result)
print("as wanted")
"""


def test_the_public_interface_knows_it(copy: Path) -> None:
    result = python(copy, "-c", IN_PYTHON)
    assert result.stdout == "as wanted\n", result.stderr


def test_a_map_with_the_operator_is_drawn(copy: Path) -> None:
    result = run(copy, "show", "map i < 4, j < 4: 16*popcount(i + j) + i")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].split() == ["3", "|", "35", "19", "35", "35"]
