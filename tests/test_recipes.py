"""Adding things as ARCHITECTURE.md says, in a copy: what is done by halves is named by a guard."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import completeness
import pytest

ROOT = Path(__file__).parents[1]
CODE = "import completeness; print(completeness.GUARDS[{!r}]())"

# an exercise: the guard, the files that change (the text before and after), what is then missing
HALVES: dict[str, tuple[str, dict[str, tuple[str, str]], list[str]]] = {
    "a notation": (
        "notations",
        {
            "symlayout/layouts/notation.py": (
                "NOTATIONS: dict[",
                '_ROWS = (*_ROWS, Notation("packed", _word("packed"), "packed:read_packed", '
                '"packed f32[4]"))\nNOTATIONS: dict[',
            ),
            "symlayout/layouts/packed.py": (
                "",
                "from symlayout.layouts.strided import read_strided\n"
                "def read_packed(text):\n"
                "    return read_strided(text.replace('packed', 'strided', 1))\n",
            ),
        },
        [
            "notation 'packed' has no row in README.md: | packed | `packed f32[4]` |",
            "notation 'packed' has no definition in the checker",
            "notation 'packed' has no definition in the campaign",
        ],
    ),
    "a claim word": (
        "claim_words",
        {
            "symlayout/layouts/vocabulary.py": (
                "_ROWS = (",
                '_ROWS = (\n    ClaimWord("dense", ("A",), "no offset is left out"),',
            ),
        },
        [
            "claim word 'dense' has no function in symlayout.prove",
            "claim word 'dense' has no name in symlayout.prove.__all__",
            "claim word 'dense' has no random claim in the campaign",
            "claim word 'dense' has no meaning in the checker",
        ],
    ),
    "a rule": (
        "laws",
        {
            "symlayout/certificate/lemmas.toml": (
                "[product]",
                '[R99]\nsays = "nothing"\nthen = ["x == x"]\n\n[product]',
            ),
        },
        [
            "law 'R99' has no proof in proofs/lemmas",
            "rule 'R99' has no example in tests/test_rules.py",
        ],
    ),
    "an emitter without a row": (
        "outputs",
        {
            "symlayout/render/emit/rust.py": (
                "",
                "def emit(layout, expr, name, facts):\n    return str(expr)\n",
            ),
        },
        ["file with a function emit for a target 'rust' that no table has"],
    ),
    "an emitter without a file": (
        "outputs",
        {"symlayout/render/emit/__init__.py": ('"latex")', '"latex", "rust")')},
        ["target 'rust' has no file with a function emit"],
    ),
    "a report format": (
        "outputs",
        {"symlayout/checks/report/__init__.py": ('"junit")', '"junit", "tap")')},
        [
            "report format 'tap' has no file with a function render",
            "report format 'tap' has no golden file",
        ],
    ),
    "an emitter, whole": (
        "outputs",
        {
            "symlayout/render/emit/rust.py": (
                "",
                "def emit(layout, expr, name, facts):\n    return str(expr)\n",
            ),
            "symlayout/render/emit/__init__.py": ('"latex")', '"latex", "rust")'),
        },
        [],
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's parts that guards read."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    for part in ("symlayout", "benchmarks/soundness", "proofs/lemmas", "tests/golden"):
        shutil.copytree(ROOT / part, root / part, ignore=ignored)
    for file in ("README.md", "tests/completeness.py", "tests/test_rules.py"):
        shutil.copy(ROOT / file, root / file)
    return root


def sentences(root: Path, guard: str) -> list[str]:
    """What the guard says of the copy, in a process of its own."""
    paths = [str(root), str(root / "tests"), str(root / "benchmarks")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", CODE.format(guard)]
    done = subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = ast.literal_eval(done.stdout)
    return found


@pytest.mark.parametrize("what", HALVES)
def test_what_is_missing_is_named(what: str, copy: Path) -> None:
    guard, changes, missing = HALVES[what]
    before = {name: (copy / name).read_text() if (copy / name).exists() else None
              for name in changes}  # fmt: skip
    assert len(changes) <= 2
    try:
        for name, (old, new) in changes.items():
            text = before[name] or ""
            assert old in text
            (copy / name).write_text(text.replace(old, new, 1))
        found = sentences(copy, guard)
        assert found == missing
    finally:
        for name, kept in before.items():
            if kept is None:
                (copy / name).unlink()
            else:
                (copy / name).write_text(kept)


@pytest.mark.parametrize("guard", completeness.GUARDS)
def test_nothing_else_is_missing_here(guard: str) -> None:
    assert completeness.GUARDS[guard]() == []
