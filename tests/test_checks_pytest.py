"""The pytest plugin, run by pytest on small projects."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from symlayout import LayoutError, prove
from symlayout.pytest_plugin import assert_proved, assert_refuted

CLAIMS = """
[layouts]
hbm = "f32[M,N]{1,0:T(8,128)}"

[[claim]]
name = "no two share"
prove = "injective hbm"
tags = ["fast"]

[[claim]]
name = "a wrong number"
prove = "formula hbm 'i*N + j'"

[[claim]]
name = "a typo"
prove = "injective hmb"
"""


def pytest_on(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    installed = any(e.value == "symlayout.pytest_plugin" for e in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "symlayout.pytest_plugin"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, *argv],
        cwd=folder,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        timeout=90,
    )


@pytest.mark.explore
def test_claims_are_items(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    done = pytest_on(tmp_path, "--junitxml=out.xml")
    assert done.returncode == 1
    assert "2 failed, 2 passed" in done.stdout
    assert "refuted, expected proved: a wrong number" in done.stdout
    assert "replay       symlayout prove formula" in done.stdout
    assert "help: it holds exactly when N == 128 or (M == 1 and N <= 128)" in done.stdout
    assert "SL504: no layout is called 'hmb'" in done.stdout
    assert "Traceback" not in done.stdout
    junit = (tmp_path / "out.xml").read_text()
    assert 'name="no two share"' in junit
    assert 'failures="2"' in junit


@pytest.mark.explore
def test_selection_by_name_tag_and_word(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    for word, count in (("fast", 1), ("wrong", 1), ("injective", 1), ("a.layout.toml", 3)):
        done = pytest_on(tmp_path, "-k", word, "--collect-only", "-q")
        assert sum("::" in line for line in done.stdout.splitlines()) == count


@pytest.mark.explore
def test_files_that_cannot_be_read_fail_alone(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nsymlayout_files = *.layout.toml k*.py\n")
    (tmp_path / "a.layout.toml").write_text("[facts\n")
    (tmp_path / "kernel.py").write_text(
        '# symlayout: formula "f32[M,N]{1,0}" coords r, c\nx = r * N + c\n'
    )
    done = pytest_on(tmp_path)
    assert "1 failed, 1 passed" in done.stdout
    assert "SL500: not TOML" in done.stdout


def test_pytest_starts_without_anything_heavy() -> None:
    code = (
        "import sys, symlayout.pytest_plugin; "
        "assert not {'sympy', 'z3', 'numpy', 'symlayout.checks.runner'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.explore
def test_ids_are_unique_and_tags_are_markers(tmp_path: Path) -> None:
    claim = "[[claim]]\nname = 'same'\nprove = 'onto \"(4):(1)\"'\n"
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    (tmp_path / "a.layout.toml").write_text(
        f"{claim}tags = ['fast', 'not a marker', 'skip']\n{claim}{claim}tags = ['slow']\n"
    )
    done = pytest_on(tmp_path, "--collect-only", "-q")
    ids = [line for line in done.stdout.splitlines() if "::" in line]
    assert ids == [f"a.layout.toml::same{n}" for n in ("", " (2)", " (3)")]
    done = pytest_on(tmp_path, "-m", "fast")
    assert "1 passed, 2 deselected" in done.stdout, done.stdout
    done = pytest_on(tmp_path, "-m", "not slow")
    assert "2 passed, 1 deselected" in done.stdout, done.stdout


@pytest.mark.explore
def test_an_id_is_no_other_claims_name(tmp_path: Path) -> None:
    lines = [f"[[claim]]\nname = '{n}'\nprove = 'onto \"(4):(1)\"'" for n in ("a (2)", "a", "a")]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "a.layout.toml").write_text("\n".join(lines))
    done = pytest_on(tmp_path, "--collect-only", "-q")
    ids = [line for line in done.stdout.splitlines() if "::" in line]
    assert ids == [f"a.layout.toml::a{n}" for n in (" (2)", "", " (3)")]


@pytest.mark.explore
@pytest.mark.parametrize("pattern", ["k/*.layout.toml", "./k/a.*", "k/*", "*/a.layout.toml"])
def test_patterns_with_folders(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nsymlayout_files = {pattern}\n")
    for folder in ("k", "l/m"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "k" / "a.layout.toml").write_text(CLAIMS)
    (tmp_path / "b.layout.toml").write_text(CLAIMS)
    assert "2 failed, 1 passed" in pytest_on(tmp_path).stdout


def test_a_mistake_in_the_settings_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\n[tool.symlayout]\nwher = 1\n"
    )
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    done = pytest_on(tmp_path)
    assert done.returncode == 2
    assert "tool.symlayout has no key 'wher'" in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_nothing_is_not_proved() -> None:
    with pytest.raises(AssertionError, match="there is no claim in the list"):
        assert_proved([])


def test_assert_proved() -> None:
    assert assert_proved("injective", "(M,N):(N,1)", where="M > 1").proved
    assert assert_proved(prove.injective("(M,N):(N,1)")).proved
    with pytest.raises(AssertionError) as caught:
        assert_proved("equal", "f32[M,N]{1,0}", "f32[M,N]{0,1}")
    text = str(caught.value)
    assert text.startswith("refuted: equal ")
    assert "sizes        M = 1" in text or "sizes        M = 2" in text
    assert "coordinates  (" in text
    assert "left " in text
    assert "right " in text
    with pytest.raises(LayoutError, match="did you mean 'injective'"):
        assert_proved("injektive", "(4):(1)")


def test_assert_refuted() -> None:
    assert assert_refuted("injective", "(M,N):(1,1)").refuted
    with pytest.raises(AssertionError, match=r"^proved"):
        assert_refuted("injective", "(M,N):(N,1)")


def test_an_assertion_says_under_which_condition_it_would_hold() -> None:
    with pytest.raises(AssertionError, match=r"\n  help: it holds exactly when P >= M or N == 1$"):
        assert_proved("injective", "(M,N):(1,P)")


@pytest.mark.explore
def test_conditions_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nsymlayout_hints = false\n")
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    done = pytest_on(tmp_path)
    assert "refuted, expected proved: a wrong number" in done.stdout
    assert "it holds" not in done.stdout
