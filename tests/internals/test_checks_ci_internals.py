"""Properties of internal modules; `tests/test_checks_ci.py` tests the public interface."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from test_checks_ci import ROOT, SAMPLE, sample, schema, shell

from symlayout.__main__ import main
from symlayout.checks.claims_file import CLAIM_KEYS
from symlayout.checks.cli.main import COMMANDS
from symlayout.checks.comments.loader import SUFFIXES
from symlayout.checks.sharing import FACT_KEYS, TOP_KEYS
from symlayout.layouts.vocabulary import CLAIMS


def test_the_claims_schema_has_the_loaders_keys(capsys: pytest.CaptureFixture[str]) -> None:
    made = schema(capsys, "claims")
    assert set(made["properties"]) == set(TOP_KEYS)
    assert set(made["properties"]["facts"]["properties"]) == set(FACT_KEYS)
    claim = made["definitions"]["claim"]["properties"]
    assert set(claim) == set(CLAIM_KEYS)
    words = re.search(r"\((.*?)\)", claim["prove"]["pattern"])
    assert words is not None
    assert words.group(1).split("|") == list(CLAIMS)


@pytest.mark.explore
def test_the_pre_commit_hooks_on_a_sample_repository(tmp_path: Path) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"^  entry: (.*)$", text, re.M)
    assert re.findall(r"^- id: (.*)$", text, re.M) == ["symlayout", "symlayout-code"]
    patterns = re.findall(r"^  files: (.*)$", text, re.M)
    assert all(re.search(patterns[1], f"k{suffix}") for suffix in SUFFIXES)
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert any(d.startswith("tree-sitter-cuda") for d in needed)  # contracts are read
    sample(tmp_path)
    files_of = [[name for name in SAMPLE if re.search(p, name)] for p in patterns]
    assert files_of == [["good.layout.toml"], ["kernel.py", "kernel.cu"]]
    # pre-commit appends the names of the files that changed
    for entry, files in zip(entries, files_of):
        done = shell(f"{entry} {' '.join(files)}", tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{len(files)} claim" in done.stdout
    (tmp_path / "kernel.py").write_text(SAMPLE["kernel.py"].replace("r * N", "r * M"))
    assert shell(f"{entries[1]} kernel.py", tmp_path).returncode == 1
    # what is included need not be a claims file itself, and other TOML is none
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "sizes.toml").write_text("[layouts]\na = '(4):(0)'\n")
    (tmp_path / "b.layout.toml").write_text(
        "include = ['sizes.toml']\n[[claim]]\nprove = 'injective a'\n"
    )
    assert shell(f"{entries[0]} pyproject.toml", tmp_path).returncode == 0
    assert shell(f"{entries[0]} sizes.toml pyproject.toml", tmp_path).returncode == 1


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_shells_script_names_every_command(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["completion", name]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"\b{command}\b", out) for command in COMMANDS)
    assert all(word in out for word in CLAIMS)
