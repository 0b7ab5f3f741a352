"""A real local Dask cluster where Dask is installed; where it is not, the error that says so."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from symlayout.__main__ import main

CLAIMS = "".join(
    f"[[claim]]\nname = 'claim {n}'\nprove = 'injective \"(4,5):({n},1)\"'\n" for n in range(12)
)


def installed(*modules: str) -> bool:
    return all(importlib.util.find_spec(m) is not None for m in modules)


def run(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "symlayout", "check", ".", "--no-cache", "--json", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=110,
    )


def test_a_local_dask_cluster_finds_what_one_process_finds(tmp_path: Path) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    done = run(tmp_path, "--backend", "dask", "--jobs", "2")
    if not installed("joblib", "distributed"):
        assert done.returncode == 2
        assert "SL600: the backend 'dask' is not installed" in done.stderr
        assert "pip install 'symlayout[dask]'" in done.stderr
        return
    alone = run(tmp_path)
    assert done.returncode == alone.returncode == 1, done.stderr

    def timeless(text: str) -> list[dict[str, object]]:
        return [c | {"seconds": 0} for c in json.loads(text)["claims"]]

    assert timeless(done.stdout) == timeless(alone.stdout)
    assert [c["verdict"] for c in timeless(done.stdout)] == ["refuted"] * 5 + ["proved"] * 7


def test_a_backend_that_is_not_there_is_one_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    for module in ("joblib", "ray"):
        monkeypatch.setitem(sys.modules, module, None)
    assert main(["check", str(tmp_path), "--no-cache", "--backend", "ray"]) == 2
    assert "the backend 'ray' is not installed" in capsys.readouterr().err
