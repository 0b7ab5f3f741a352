"""The cache: what is kept, what never is, and that nothing can break it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import Claim
from symlayout.checks import cache as module
from symlayout.checks import cache_folder as folders
from symlayout.checks import runner
from symlayout.checks.cache import Cache, key
from symlayout.checks.result import Outcome, Place, Problem, Task

TASK = Task("a name", Claim("injective", ("f32[4]{0}",), (), ("N > 1",)))
REFUTED = Outcome(
    "refuted",
    "it fails",
    {"sizes": {"N": 2}, "coords": [0, 1], "left": 3, "right": "a text"},
    {"order": [1, 0]},
    0.25,
)


def test_what_is_put_is_got(tmp_path: Path) -> None:
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {}
        cache.put(TASK, REFUTED)
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}
    assert (tmp_path / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("status", ["unknown", "error"])
def test_what_may_change_is_never_kept(tmp_path: Path, status: str) -> None:
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, Outcome(status, "", problem=Problem("SL900", "")))
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {}


def test_the_key_is_the_content(tmp_path: Path) -> None:
    same = replace(TASK, name="other", place=Place("f", 3), expect="refuted", tags=("x",))
    assert key(same) == key(TASK)
    for claim in (
        replace(TASK.claim, word="onto"),
        replace(TASK.claim, arguments=("f32[5]{0}",)),
        replace(TASK.claim, facts=("N > 2",)),
        replace(TASK.claim, facts=("N > 1", "M > 1")),
        replace(TASK.claim, options=(("perm", "1"),)),
        replace(TASK.claim, arguments=("f32[4]{0}", "N > 1"), facts=()),
    ):
        assert key(replace(TASK, claim=claim)) != key(TASK)
    assert key(replace(TASK, budget=7000)) != key(TASK)


@given(st.lists(st.lists(st.text(max_size=3), max_size=3), min_size=2, max_size=2, unique_by=str))
def test_different_arguments_have_different_keys(pair: list[list[str]]) -> None:
    a, b = (Task("", Claim("equal", tuple(arguments))) for arguments in pair)
    assert key(a) != key(b)


def test_other_code_judges_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, REFUTED)
    monkeypatch.setattr(module, "stamp", lambda: "written")
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}
    monkeypatch.setattr(module, "stamp", lambda: "written again")
    monkeypatch.setattr(module, "fingerprint", lambda: "another version")
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {}


def test_sources_that_were_not_written_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "stamp", lambda: "written")
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, REFUTED)
    monkeypatch.setattr(module, "fingerprint", lambda: pytest.fail("they are read"))
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}


def test_versions_that_write_at_the_same_time_keep_their_own_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task("t", Claim("injective", ("f32[4]{0}",)))
    monkeypatch.setattr(module, "stamp", lambda: "")
    monkeypatch.setattr(module, "fingerprint", lambda: "older")
    with Cache(str(tmp_path)) as older:
        older.remember("text", lambda: "older")
        assert older.database is not None
        older.database.commit()
        monkeypatch.setattr(module, "fingerprint", lambda: "newer")
        with Cache(str(tmp_path)):
            pass  # what the older one knew is gone, and it goes on
        older.put(task, Outcome("proved", "as the older one says"))
        assert older.get([key(task)])[key(task)].reason == "as the older one says"
        older.remember("text", lambda: "older again")
    with Cache(str(tmp_path)) as newer:
        assert newer.get([key(task)]) == {}
        assert newer.remember("text", lambda: "newer") == "newer"


def test_a_stamp_changes_with_every_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    files = [tmp_path / "a.py", tmp_path / "inner" / "b.py"]
    for file in files:
        file.write_text("x = 1")
    assert module.stamp(str(tmp_path)) == ""  # written just now: the same tick may come again
    monkeypatch.setattr(module, "SETTLED_NS", 0)
    stamps = {module.stamp(str(tmp_path))}
    prints = {module.fingerprint(str(tmp_path))}
    for file in files:
        times = file.stat()
        file.write_text("x = 2")  # as long as before
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        stamps.add(module.stamp(str(tmp_path)))
        prints.add(module.fingerprint(str(tmp_path)))
    files[0].rename(tmp_path / "c.py")
    stamps.add(module.stamp(str(tmp_path)))
    prints.add(module.fingerprint(str(tmp_path)))
    assert len(stamps) == len(prints) == 4
    assert "" not in stamps


def test_tables_are_sources_too(tmp_path: Path) -> None:
    file = tmp_path / "atoms.toml"
    file.write_text("x = 1")
    before = module.fingerprint(str(tmp_path))
    file.write_text("x = 2")
    assert module.fingerprint(str(tmp_path)) != before


FALSE = Task("", Claim("injective", ("(4):(0)",)))
PROVED = Outcome("proved", "it is so")


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    monkeypatch.delenv(folders.SECRET, raising=False)
    return lambda name: monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))


def test_a_cache_that_came_with_a_checkout_is_not_believed(
    tmp_path: Path, homes: Callable[[str], None]
) -> None:
    """It is written by the same code, for the same libraries, and says that what is false is proved."""
    (tmp_path / "a.layout.toml").write_text('[[claim]]\nprove = "injective (4):(0)"\n')
    folder = str(tmp_path / "cache")
    homes("stranger")
    with Cache(folder) as cache:
        cache.put(FALSE, PROVED)
        cache.remember("text", lambda: "forged")
    homes("own")
    with Cache(folder) as cache:
        assert cache.get([key(FALSE)]) == {}
        assert cache.remember("text", lambda: "own") == "own"
        (result,) = runner.check([str(tmp_path)], cache=cache).results
        assert (result.outcome.status, result.cached) == ("refuted", False)
    with Cache(folder) as cache:  # what this one wrote is its own again
        assert cache.get([key(FALSE)])[key(FALSE)].status == "refuted"
    assert os.stat(tmp_path / "own" / "symlayout" / "key").st_mode & 0o77 == 0


def test_rows_cannot_change_places(tmp_path: Path, homes: Callable[[str], None]) -> None:
    homes("own")
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, PROVED)
        cache.put(FALSE, REFUTED)
    with Cache(str(tmp_path)) as cache:
        assert cache.database is not None
        (row,) = cache.database.execute(
            "SELECT data FROM verdicts WHERE key = ?", [f"{cache.judge} {key(TASK)}"]
        )
        cache.database.execute("UPDATE verdicts SET data = ?", row)
        assert cache.get([key(TASK), key(FALSE)]) == {key(TASK): PROVED}


def test_a_key_may_come_from_the_environment_or_from_nowhere(
    tmp_path: Path, homes: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    homes("file")  # no folder
    with pytest.raises(OSError, match=r"."):
        folders.secret()
    homes("home")
    assert folders.secret() == folders.secret()
    with pytest.raises(folders.Refused, match="in the project"):  # it may have come with it
        folders.secret([tmp_path])
    monkeypatch.setenv(folders.SECRET, "a secret of the CI")
    assert folders.secret() == folders.secret([tmp_path])


@pytest.mark.parametrize(
    "line",
    [
        "CREATE VIEW verdicts AS WITH RECURSIVE r(key, data) AS "
        "(SELECT '', '' UNION ALL SELECT key, data || 'x' FROM r) SELECT * FROM r",
        "CREATE TABLE verdicts (key TEXT, data TEXT, more TEXT)",
        "CREATE TABLE others (key TEXT)",
    ],
)
def test_a_database_of_another_shape_is_begun_anew(tmp_path: Path, line: str) -> None:
    database = sqlite3.connect(tmp_path / folders.NAME)
    database.execute(line)
    database.commit()
    database.close()
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, REFUTED)
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}


def test_runs_at_the_same_time_do_not_wait_for_one_another(tmp_path: Path) -> None:
    """One that is in the midst of its claims holds no lock, and what both write is kept."""
    start = time.monotonic()
    with Cache(str(tmp_path)) as first:
        first.put(TASK, REFUTED)
        with Cache(str(tmp_path)) as second:
            second.put(FALSE, PROVED)
        assert first.get([key(TASK), key(FALSE)]) == {key(TASK): REFUTED, key(FALSE): PROVED}
        assert sorted(f.name for f in tmp_path.iterdir()) == [".gitignore", folders.NAME]
    assert time.monotonic() - start < module.WAIT
    with Cache(str(tmp_path)) as third:
        assert third.get([key(TASK), key(FALSE)]) == {key(TASK): REFUTED, key(FALSE): PROVED}


def test_a_run_that_is_killed_leaves_what_it_wrote_and_no_journal(tmp_path: Path) -> None:
    code = (
        "import os, sys; from symlayout.checks import cache as module; "
        "from tests.internals.test_checks_cache import TASK, REFUTED; module.SECONDS = 0; "
        "cache = module.Cache(sys.argv[1]); cache.put(TASK, REFUTED); os._exit(9)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=root, timeout=60)
    assert done.returncode == 9
    assert sorted(f.name for f in tmp_path.iterdir()) == [".gitignore", folders.NAME]
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}


def test_a_database_that_is_torn_is_begun_anew(tmp_path: Path) -> None:
    with Cache(str(tmp_path)) as cache:
        for number in range(2000):
            cache.put(Task("", Claim("injective", (f"({number}):(1)",))), PROVED)
    file = tmp_path / folders.NAME
    data = file.read_bytes()
    file.write_bytes(data[:8192] + bytes(len(data) - 8192))
    for _ in range(2):
        with Cache(str(tmp_path)) as cache:
            cache.get([key(TASK)])
            cache.put(TASK, REFUTED)
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}


def test_a_database_that_is_far_too_large_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, REFUTED)
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {}


def test_an_interrupted_run_keeps_what_it_had(tmp_path: Path) -> None:
    def interrupted() -> None:
        with Cache(str(tmp_path)) as cache:
            cache.put(TASK, REFUTED)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with Cache(str(tmp_path)) as cache:
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}


def test_a_damaged_cache_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / folders.NAME).write_bytes(b"no database" * 1000)
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, REFUTED)
        assert cache.get([key(TASK)]) == {key(TASK): REFUTED}


def test_no_file_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / ".gitignore").symlink_to(tmp_path / "elsewhere")
    with Cache(str(tmp_path / "cache")) as cache:
        cache.put(TASK, REFUTED)
        assert cache.get([key(TASK)]) == {}
    assert "is a symbolic link" in cache.why
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Cache(str(tmp_path / "file" / "cache")) as cache:
        cache.put(TASK, REFUTED)
        assert cache.get([key(TASK)]) == {}


def test_a_run_with_the_cache_is_the_run_without(tmp_path: Path) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text(
        '[[claim]]\nprove = "injective (4,5):(5,1)"\n[[claim]]\nprove = "injective (4,5):(4,1)"\n'
        '[[claim]]\nname = "again"\nprove = "injective (4,5):(5,1)"\n[[claim]]\nprove = "x"\n'
    )
    with Cache(str(tmp_path / "cache")) as cache:
        first = runner.check([str(file)], cache=cache)
    with Cache(str(tmp_path / "cache")) as cache:
        second = runner.check([str(file)], cache=cache)
    assert [r.outcome for r in first.results] == [r.outcome for r in second.results]
    assert [r.cached for r in first.results] == [False] * 4
    assert [r.cached for r in second.results] == [True, True, True, False]
    assert [r.outcome.status for r in first.results] == ["proved", "refuted", "proved", "error"]


def test_a_cached_run_imports_neither_sympy_nor_z3(tmp_path: Path) -> None:
    (tmp_path / "a.layout.toml").write_text('[[claim]]\nprove = "injective (4,5):(5,1)"\n')
    code = (
        "import sys; from symlayout.__main__ import main; "
        "assert main(['check', '.']) == 0; "
        "print(sorted({'sympy', 'z3', 'numpy'} & set(sys.modules)))"
    )
    environment = dict(os.environ)
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        for _ in range(2)
    ]
    assert [r.returncode for r in runs] == [0, 0], runs[0].stderr + runs[1].stderr
    assert "sympy" not in runs[0].stdout
    assert runs[1].stdout.splitlines()[-1] == "[]"


def test_a_folder_with_other_files_is_not_hidden_from_git(tmp_path: Path) -> None:
    (tmp_path / "a.layout.toml").touch()
    with Cache(str(tmp_path)) as cache:
        cache.put(TASK, REFUTED)
    assert not (tmp_path / ".gitignore").exists()
    assert (tmp_path / folders.NAME).exists()
