"""What CI and editors use: schemas, pre-commit hooks, the GitHub action, shell completion."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from symlayout.__main__ import main
from symlayout.checks.claims_file import CLAIM_KEYS
from symlayout.checks.cli.main import COMMANDS
from symlayout.checks.sharing import FACT_KEYS, TOP_KEYS
from symlayout.layouts.vocabulary import CLAIMS

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"


def mistakes(value: Any, schema: dict[str, Any]) -> list[str]:
    """What a schema says against a value, each with its place."""
    Draft7Validator.check_schema(schema)
    return [f"{e.json_path}: {e.message}" for e in Draft7Validator(schema).iter_errors(value)]


def schema(capsys: pytest.CaptureFixture[str], kind: str) -> dict[str, Any]:
    assert main(["schema", kind]) == 0
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    return made


def test_the_claims_schema_has_the_loaders_keys(capsys: pytest.CaptureFixture[str]) -> None:
    made = schema(capsys, "claims")
    assert set(made["properties"]) == set(TOP_KEYS)
    assert set(made["properties"]["facts"]["properties"]) == set(FACT_KEYS)
    claim = made["definitions"]["claim"]["properties"]
    assert set(claim) == set(CLAIM_KEYS)
    words = re.search(r"\((.*?)\)", claim["prove"]["pattern"])
    assert words is not None
    assert words.group(1).split("|") == list(CLAIMS)


def test_claims_files_follow_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    made = schema(capsys, "claims")
    for file in ROOT.glob("examples/**/*.layout.toml"):
        assert mistakes(tomllib.loads(file.read_text()), made) == [], file
    good = {
        "include": ["a"],
        "facts": {"where": ["N > 1"]},
        "layouts": {"a": "f32[4]"},
        "claim": [
            {"prove": "onto a", "for": {"x": [1, "b"]}, "tags": ["t"], "expect": "refuted"},
            {"prove": "injective a", "for": [{"x": 1}], "name": "n", "because": "b"},
        ],
    }
    assert mistakes(good, made) == []
    fixture = tomllib.loads((GOLDEN / "defects.layout.toml").read_text())
    (mistake,) = mistakes(fixture, made)
    assert mistake.startswith("$.claim[8]: ")
    assert "'expcet' was unexpected" in mistake
    wrong: list[dict[str, Any]] = [
        {"fact": {}},
        {"facts": {"were": []}},
        {"layouts": {"a": 3}},
        {"claim": {"prove": "onto a"}},
        {"claim": [{}]},
        {"claim": [{"prove": "ontoo a"}]},
        {"claim": [{"prove": "onto a", "expect": "unknown"}]},
        {"claim": [{"prove": "onto a", "for": {"x": []}}]},
        {"claim": [{"prove": "onto a", "for": {"x": [1.5]}}]},
    ]
    for bad in wrong:
        assert mistakes(bad, made) != [], bad


def test_reports_follow_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    made = schema(capsys, "report")
    golden = json.loads((GOLDEN / "defects.json.json").read_text())
    assert mistakes(golden, made) == []
    for argv in (["prove", "injective", "(M,N):(1,1)"], ["prove", "onto", "(4):(2)"]):
        assert main([*argv, "--json"]) == 1
        assert mistakes(json.loads(capsys.readouterr().out), made) == []
    del golden["claims"][0]["verdict"]
    golden["claims"][1]["counterexample"]["left"] = 1.5
    assert len(mistakes(golden, made)) == 2


SAMPLE = {
    "good.layout.toml": '[[claim]]\nprove = "injective (4,5):(5,1)"\n',
    "kernel.py": '# symlayout: formula "f32[M,N]{1,0}" coords r, c\nx = r * N + c\n',
    "kernel.cu": '// symlayout: formula "f32[M,N]{1,0}" of out\nout[i * N + j] = 0;\n',
}


def sample(folder: Path) -> None:
    for name, text in SAMPLE.items():
        (folder / name).write_text(text)


def shell(line: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs a line as CI does, with `symlayout` on the path."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    command = tools / "symlayout"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m symlayout "$@"\n')
    command.chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [shutil.which("bash") or "sh", "-c", line],
        cwd=folder,
        env={**os.environ, "PATH": path, **env},
        capture_output=True,
        text=True,
        timeout=90,
    )


def test_the_pre_commit_hooks_on_a_sample_repository(tmp_path: Path) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"^  entry: (.*)$", text, re.M)
    assert re.findall(r"^- id: (.*)$", text, re.M) == ["symlayout", "symlayout-code"]
    (pattern,) = re.findall(r"^  files: (.*)$", text, re.M)
    sample(tmp_path)
    first = [name for name in SAMPLE if re.search(pattern, name)]
    assert first == ["good.layout.toml"]
    # pre-commit appends the names of the files that changed
    for entry, files in zip(entries, [first, ["kernel.py", "kernel.cu"]]):
        done = shell(f"{entry} {' '.join(files)}", tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{len(files)} claim" in done.stdout
    (tmp_path / "kernel.py").write_text(SAMPLE["kernel.py"].replace("r * N", "r * M"))
    assert shell(f"{entries[1]} kernel.py", tmp_path).returncode == 1


def test_the_action_on_a_sample_repository(tmp_path: Path) -> None:
    text = (ROOT / "action.yml").read_text()
    defaults = dict(
        re.findall(r'^  (\w+):\n    description: .*\n    default: "?(.*?)"?$', text, re.M)
    )
    assert set(defaults) == {"paths", "format", "jobs", "version"}
    runs = re.findall(r"^      run: (.*)$", text, re.M)
    assert len(runs) == 2

    def line(number: int = 1, **inputs: str) -> str:
        given = {**defaults, **inputs}
        return re.sub(
            r"\$\{\{ inputs\.(\w+)(?: \|\| (github\.action_path))? \}\}",
            lambda m: given[m[1]] or (str(ROOT) if m[2] else ""),
            runs[number],
        )

    # where it lies is what it installs, unless it is told otherwise
    quiet = "python -m pip install --quiet"
    assert line(0) == f'{quiet} "{ROOT}"'
    assert line(0, version="symlayout==1") == f'{quiet} "symlayout==1"'
    assert (ROOT / "pyproject.toml").is_file()

    sample(tmp_path)
    done = shell(line(paths="."), tmp_path)
    assert (done.returncode, "3 claims in 3 files (3 proved): all as expected" in done.stdout) == (
        0,
        True,
    ), done.stdout + done.stderr
    (tmp_path / "kernel.cu").write_text(SAMPLE["kernel.cu"].replace("N + j", "N + i"))
    (tmp_path / "pyproject.toml").write_text('[tool.symlayout]\npaths = ["."]\n')
    done = shell(line(), tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=kernel.cu,line=2,col=5,title=refuted")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sho"], ["show"]),
        (["prove", "bit"], ["bitcast"]),
        (["check", "--form"], ["--format"]),
        (["check", "--format", "sa"], ["sarif"]),
        (["formula", "x", "--emit", "py"], ["python"]),
        (["explain", "SL50"], [f"SL50{n}" for n in range(10)]),
    ],
)
def test_bash_completes(tmp_path: Path, words: list[str], expected: list[str]) -> None:
    line = " ".join(map(shlex.quote, ["symlayout", *words]))
    code = (
        f"source <(symlayout completion bash); COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
        '_symlayout; echo "${COMPREPLY[@]}"'
    )
    done = shell(code, tmp_path)
    assert done.stdout.split() == expected, done.stderr


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_shells_script_names_every_command(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["completion", name]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"\b{command}\b", out) for command in COMMANDS)
    assert all(word in out for word in CLAIMS)
