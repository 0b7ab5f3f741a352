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
from symlayout.errors import CODES

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


def action() -> tuple[dict[str, str], list[tuple[dict[str, str], str]]]:
    """The defaults of the action's inputs, and of each step its environment and its script."""
    text = (ROOT / "action.yml").read_text()
    inputs = re.findall(r'^  ([\w-]+):\n    description: .*\n    default: "?(.*?)"?$', text, re.M)
    made = []
    for step in text.split("    - name: ")[1:]:
        env = dict(re.findall(r"^        ([A-Z]+): (.*)$", step, re.M))
        block = re.search(r"^      run: (?:\|\n((?:        .*\n?)+)|(.*))", step, re.M)
        assert block is not None
        script = block[2] or re.sub(r"^        ", "", block[1], flags=re.M)
        assert "${{" not in script  # what is given never becomes code
        made.append((env, script))
    return dict(inputs), made


def test_the_action_on_a_sample_repository(tmp_path: Path) -> None:
    defaults, steps = action()
    known = {"path", "format", "working-directory", "version", "jobs", "sarif-file"}
    assert set(defaults) == known
    out = tmp_path.parent / f"{tmp_path.name}.out"

    def run(number: int, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
        given = {**defaults, **{k.replace("_", "-"): v for k, v in inputs.items()}}
        given |= {"github.action_path": str(ROOT)}
        env, script = steps[number]
        filled = {
            name: re.sub(r"\$\{\{ (?:inputs\.)?([\w.-]+) \}\}", lambda m: given[m[1]], value)
            for name, value in env.items()
        }
        return shell(script, folder, **filled, GITHUB_OUTPUT=str(out))

    # where it lies is what it installs, unless it is told otherwise
    said = 'python() { printf "%s " "$@"; }; '
    install = steps[0]
    steps[0] = (install[0], said + install[1])
    assert run(0, tmp_path).stdout == f"-P -m pip install --quiet {ROOT}[c] "
    assert run(0, tmp_path, version="symlayout==1").stdout.endswith("symlayout==1 ")

    sample(tmp_path)
    for paths in (
        "kernel.py kernel.cu good.layout.toml",
        "kernel.py\nkernel.cu\ngood.layout.toml\n",
    ):
        done = run(1, tmp_path, path=paths)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "3 claims in 3 files (3 proved): all as expected" in done.stdout
    assert json.loads((tmp_path / "symlayout.sarif").read_text())["version"] == "2.1.0"
    assert out.read_text() == "sarif-file=./symlayout.sarif\n" * 2
    (tmp_path / "kernel.cu").write_text(SAMPLE["kernel.cu"].replace("N + j", "N + i"))
    done = run(1, tmp_path)  # the project that it stands in
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=kernel.cu,line=2,col=5,title=refuted")
    (tmp_path / "a$(touch stolen);b").mkdir()
    assert run(1, tmp_path, path="a$(touch stolen);b").returncode == 2
    assert not (tmp_path / "stolen").exists()


def test_workflows_are_pinned_and_ask_for_little() -> None:
    for file in [*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / "action.yml"]:
        text = file.read_text()
        uses = re.findall(r"uses: (\S+)", text)
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", u) for u in uses), file
        if file.name != "action.yml":
            assert "\npermissions: {}\n" in text
            assert text.count("persist-credentials: false") == text.count("actions/checkout@")
        scripts = re.findall(r"run: (?:\|\n((?: {8,}.*\n)+)|(.*))", text)
        assert not any("${{" in "".join(s) for s in scripts), file


def test_the_release_is_of_one_version() -> None:
    from symlayout import __version__

    data = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert data["project"]["dynamic"] == ["version"]
    place = data["tool"]["setuptools"]["dynamic"]["version"]["attr"]
    assert place == "symlayout.text.version.VERSION"
    assert "version" not in data["project"]
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert first is not None
    assert first[1] == __version__
    for name in ("CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "MANIFEST.in"):
        assert (ROOT / name).is_file()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sho"], ["show"]),
        (["prove", "bit"], ["bitcast"]),
        (["check", "--form"], ["--format"]),
        (["check", "--format", "sa"], ["sarif"]),
        (["formula", "x", "--emit", "py"], ["python"]),
        (["explain", "SL50"], [c for c in CODES if c.startswith("SL50")]),
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
