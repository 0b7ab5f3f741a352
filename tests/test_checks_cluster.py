"""A real local Dask cluster: the same bytes as one process, and a lost worker loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from symlayout.__main__ import main

CLAIMS = "".join(
    f"[[claim]]\nname = 'claim {n}'\nprove = 'injective \"(4,5):({n},1)\"'\n" for n in range(12)
)


def run(folder: Path, *argv: str) -> tuple[int, str, str]:
    """What a check of the folder answers, prints and says."""
    done = subprocess.run(
        [sys.executable, "-m", "symlayout", "check", ".", "--no-cache", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=110,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.explore
def test_a_local_dask_cluster_prints_what_one_process_prints(tmp_path: Path) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    alone = run(tmp_path, "--jobs", "1")
    assert run(tmp_path, "--jobs", "2", "--backend", "dask") == alone
    assert alone[0] == 1
    assert "12 claims in 1 file (7 proved, 5 refuted)" in alone[1]


@pytest.mark.parametrize(("backend", "module"), [("ray", "ray"), ("dask", "joblib")])
def test_a_backend_that_is_not_there_is_one_error(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    backend: str,
    module: str,
) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["check", str(tmp_path), "--no-cache", "--backend", backend]) == 2
    err = capsys.readouterr().err
    assert f"SL600: the backend '{backend}' is not installed" in err
    assert f"pip install 'symlayout[{backend}]'" in err


def test_a_scheduler_that_is_not_there_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    argv = ["--backend", "dask", "--scheduler", "no address at all"]
    assert main(["check", str(tmp_path), "--no-cache", *argv]) == 2
    assert "SL600: the cluster at no address at all cannot be reached" in capsys.readouterr().err
