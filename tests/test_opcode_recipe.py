"""An opcode is one row of `opcodes.toml`: it is proved, refuted, certified and found in modules.

The rows are added to a copy of the package; the commands are those of users.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# a row, an instruction that it proves, one that it refutes, and what the message says
ROWS = {
    "element by element": (
        'opcodes = "soften"\noperands = "x"\nelementwise = true\n'
        'demands = ["x.type ~ out.type", "x.sizes = out.sizes", "x.type in floating"]',
        "f32[2,N] soften(f32[2,N])",
        "s32[2,N] soften(s32[2,N])",
        "soften is of floating numbers, not s32",
    ),
    "two operands that builders broadcast": (
        'opcodes = "hypot"\noperands = "x y"\nbroadcasts = true\n'
        'demands = ["each.type ~ out.type", "each.sizes = out.sizes"]',
        "f32[2,N] hypot(f32[2,N], f32[N]), broadcast_dimensions={1}",
        "f32[2,N] hypot(f32[2,N], f32[2,N]), broadcast_dimensions={1}",
        "broadcast_dimensions",
    ),
    "sizes joined": (
        'opcodes = "outer"\noperands = "x y"\n'
        'demands = ["each.type ~ out.type", "x.sizes+y.sizes = out.sizes"]',
        "f32[M,2,N] outer(f32[M,2], f32[N])",
        "f32[M,N,2] outer(f32[M,2], f32[3])",
        "dimension 1 of operand 0 and of the result: 2 and 1",
    ),
    "an attribute": (
        'opcodes = "sum-over"\noperands = "x"\n'
        'demands = ["dimensions axes x", "x.type ~ out.type", '
        '"x.sizes[~dimensions] = out.sizes"]',
        "f32[N] sum-over(f32[2,N]), dimensions={0}",
        "f32[N] sum-over(f32[2,N]), dimensions={2}",
        "dimensions names dimension 2 of a shape of 2 dimensions",
    ),
    "any number of operands, one condition": (
        'opcodes = "stack"\noperands = "x+"\n'
        'demands = ["x.type ~ out.type", "x.sizes = x:0.sizes if x.rank", "out.rank >= 1"]',
        "f32[N,3] stack(f32[3], f32[3])",
        "f32[N,3] stack(f32[3], s32[3])",
        "operand 1 has elements of s32, the result of f32",
    ),
    "a tuple and a token": (
        'opcodes = "observe"\noperands = "x t"\nany = "operands result"\n'
        'demands = ["t = token[]", "out has 2", "x = out.0", "out.1 = token[]"]',
        "(f32[N], token[]) observe(f32[N], token[])",
        "(f32[N], u32[]) observe(f32[N], token[])",
        "element 1 of the result of observe is token[], not u32[]",
    ),
    "numbers of an attribute as sizes": (
        'opcodes = "crop"\noperands = "x"\n'
        'demands = ["x.type = out.type", "slice_sizes = out.sizes", "slice_sizes <= x.sizes"]',
        "f32[2,3] crop(f32[4,8]), slice_sizes={2,3}",
        "f32[2,9] crop(f32[4,8]), slice_sizes={2,9}",
        "entry 1 of slice_sizes and dimension 1 of the operand: 9 and 8",
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with the rows, which are all that is added."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "symlayout", root / "symlayout", ignore=ignored)
    table = root / "symlayout" / "programs" / "hlo" / "opcodes.toml"
    rows = "".join(f"\n[[row]]\n{row}\n" for row, *_ in ROWS.values())
    table.write_text(table.read_text() + rows)
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of the package in a folder."""
    env = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "symlayout", *arguments]
    return subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("what", ROWS)
def test_a_row_is_all_that_an_opcode_needs(what: str, copy: Path) -> None:
    _, right, wrong, message = ROWS[what]
    proof = copy / "proof.json"
    proved = run(copy, "prove", "instruction", right, "--certificate", str(proof), "--json")
    (claim,) = json.loads(proved.stdout)["claims"]
    assert (claim["verdict"], proved.returncode) == ("proved", 0)
    again = run(copy, "recheck", str(proof), "--claim", f'instruction "{right}"')
    assert again.returncode == 0, again.stdout + again.stderr
    refuted = run(copy, "prove", "instruction", wrong, "--json")
    (claim,) = json.loads(refuted.stdout)["claims"]
    assert (claim["verdict"], refuted.returncode) == ("refuted", 1)
    assert message in claim["reason"]


@pytest.mark.parametrize("what", ROWS)
def test_nobody_knows_the_opcode_without_its_row(what: str) -> None:
    result = run(ROOT, "prove", "instruction", ROWS[what][1])
    assert result.returncode == 2
    assert "SL721" in result.stderr


def test_a_module_with_the_opcode_is_checked(copy: Path) -> None:
    text = """HloModule m

ENTRY e {
  x = f32[2,5]{1,0} parameter(0)
  y = f32[5]{0} sum-over(x), dimensions={0}
  ROOT z = f32[5]{0} soften(y)
}
"""
    (copy / "right.hlo").write_text(text)
    (copy / "wrong.hlo").write_text(text.replace("dimensions={0}", "dimensions={1}"))
    right = run(copy, "check", "--no-cache", "--json", "right.hlo")
    assert right.returncode == 0, right.stdout + right.stderr
    verdicts = [c["verdict"] for c in json.loads(right.stdout)["claims"]]
    assert verdicts.count("proved") >= 2
    wrong = run(copy, "check", "--no-cache", "wrong.hlo")
    assert wrong.returncode == 1
    assert "dimension 0 of the operand and of the result: 2 and 5" in wrong.stdout
