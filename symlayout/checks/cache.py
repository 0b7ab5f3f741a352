"""Verdicts kept between runs, by content: claim, facts, and the code and solver that judged it.

The file is SQLite's, so an interrupted run leaves nothing half-written.  An `unknown` is never
kept (a larger budget or another version may answer), nor is bad input.  Each row is signed with a key
that lies outside of every project: one that came with a checkout is not believed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from symlayout.checks.packing import pack, unpack
from symlayout.checks.project import FOLDER
from symlayout.checks.result import Loaded, Outcome, Task

KEPT = frozenset({"proved", "refuted", "vacuous"})
V = TypeVar("V")
SOLVERS = ("sympy", "z3_solver", "numpy", "python_flint")
PACKAGE = str(Path(__file__).parents[1])
SETTLED_NS = 2 * 10**9
TABLES = {
    "judges": "(fingerprint TEXT, stamp TEXT)",
    "verdicts": "(key TEXT PRIMARY KEY, data TEXT)",
    "texts": "(key TEXT PRIMARY KEY, data TEXT)",
}
SIGNED = 32  # hexadecimal digits of a signature
SECRET = "SYMLAYOUT_CACHE_KEY"  # where a CI keeps the cache, but not the home of who runs it
SECRET_BYTES = 32


def fingerprint(package: str = PACKAGE) -> str:
    """A digest of what judges: our own sources and the versions of the libraries, none imported."""
    digest = hashlib.sha256(_libraries().encode())
    for file in _sources(package):
        digest.update(f"\0{os.path.relpath(file.path, package)}\0".encode())
        with open(file.path, "rb") as f:
            digest.update(f.read())
    return digest.hexdigest()


def stamp(package: str = PACKAGE) -> str:
    """A digest that changes whenever a source is written, without reading one; "" is for "unsure".

    A file's times are coarse: what was written just now may be written again within the same tick.
    """
    digest = hashlib.sha256(_libraries().encode())
    newest = 0
    for file in _sources(package):
        s = file.stat()
        newest = max(newest, s.st_mtime_ns, s.st_ctime_ns)
        state = f"{s.st_size} {s.st_mtime_ns} {s.st_ctime_ns} {s.st_ino}"
        digest.update(f"\0{file.path}\0{state}".encode())
    return digest.hexdigest() if newest < time.time_ns() - SETTLED_NS else ""


def _sources(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.is_dir():
                yield from _sources(entry.path)
            elif not entry.name.endswith(".pyc"):  # tables are sources too
                yield entry


def secret() -> bytes:
    """The key of who runs this, made when it is first needed; where none can be kept, of this run."""
    text = os.environ.get(SECRET)
    if text:
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
    try:
        base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
        file = Path(base or Path.home() / ".cache") / "symlayout" / "key"
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            hit = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(hit, "wb") as stream:
                stream.write(os.urandom(SECRET_BYTES))
        key = file.read_bytes()
    except (OSError, RuntimeError):  # there may be no home
        key = b""
    return key if len(key) == SECRET_BYTES else os.urandom(SECRET_BYTES)


def _libraries() -> str:
    names: set[str] = set()
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            names |= {n for n in os.listdir(folder) if n.startswith(SOLVERS) and "-info" in n}
    return "\0".join([sys.version, *sorted(names)])


def key(task: Task) -> str:
    """What a verdict depends on: not the name, nor the place, nor the expectation."""
    solver = "" if task.solver == "none" else f" {task.solver}"
    return f"{task.claim.key} {task.budget}" + " doubted" * bool(task.doubt) + solver


class Cache:
    """The verdicts in a folder; a folder that cannot be written is a cache that keeps nothing.

    >>> import tempfile
    >>> from symlayout.layouts.claim import Claim
    >>> task = Task("a name", Claim("injective", ("f32[4]{0}",)))
    >>> folder = tempfile.mkdtemp()
    >>> with Cache(folder) as cache:
    ...     cache.put(task, Outcome("proved", "mixed radix"))
    >>> with Cache(folder) as cache:
    ...     cache.get([key(task)])[key(task)].reason
    'mixed radix'
    """

    def __init__(self, folder: str = FOLDER) -> None:
        self.database: sqlite3.Connection | None = None
        self.secret = secret()
        self.judge = ""  # rows are its own: another version may write into the same file meanwhile
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            if next(Path(folder).iterdir(), None) is None:  # nobody else's files are to be ignored
                with suppress(FileExistsError), open(Path(folder) / ".gitignore", "x") as ignore:
                    ignore.write("*\n")
            self.database = self._open(Path(folder) / "verdicts.sqlite3")
        except (OSError, ValueError, sqlite3.Error):
            self.database = None

    def _open(self, file: Path) -> sqlite3.Connection:
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise OSError("not a file of its own")
        database = sqlite3.connect(file, timeout=5)
        try:
            self._prepare(database)
        except sqlite3.DatabaseError:  # no database, or a damaged one: begin anew
            database.close()
            file.unlink()
            database = sqlite3.connect(file, timeout=5)
            self._prepare(database)
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        known = {f"CREATE TABLE {name} {columns}" for name, columns in TABLES.items()}
        for (text,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"):
            if text not in known:  # a view may take any time
                raise sqlite3.DatabaseError("not ours")
        for name, columns in TABLES.items():
            database.execute(f"CREATE TABLE IF NOT EXISTS {name} {columns}")
        now = stamp()
        rows = database.execute("SELECT fingerprint, stamp FROM judges").fetchall()
        if now and len(rows) == 1 and rows[0][1] == now:
            self.judge = rows[0][0]
            return
        self.judge = current = fingerprint()
        if [row[0] for row in rows] != [current]:
            # another version judged these: its verdicts are not ours
            database.execute("DELETE FROM verdicts")
            database.execute("DELETE FROM texts")
        database.execute("DELETE FROM judges")
        database.execute("INSERT INTO judges VALUES (?, ?)", (current, now))
        database.commit()

    @property
    def empty(self) -> bool:
        """Whether no verdict is known yet."""
        if self.database is None:
            return True
        try:
            return self.database.execute("SELECT 1 FROM verdicts LIMIT 1").fetchone() is None
        except sqlite3.Error:
            return True

    def get(self, keys: Iterable[str]) -> dict[str, Outcome]:
        """The outcomes that are known, by key."""
        keys = list(dict.fromkeys(keys))
        names: dict[str, Outcome] = {}
        if self.database is None:
            return names
        try:
            for start in range(0, len(keys), 500):
                some = [self._own(k) for k in keys[start : start + 500]]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, data FROM verdicts WHERE key IN ({marks})"
                for k, data in self.database.execute(query, some):
                    text = self._read(k, data)
                    if text is not None:
                        names[k.removeprefix(self._own(""))] = Outcome(**json.loads(text))
        except (sqlite3.Error, TypeError, ValueError):
            return {}
        return names

    def put(self, task: Task, outcome: Outcome) -> None:
        """Keeps an outcome, if it is a verdict that will not change."""
        if self.database is not None and outcome.status in KEPT:
            data = json.dumps({k: v for k, v in asdict(outcome).items() if k != "problem"})
            self._keep("verdicts", self._own(key(task)), data)

    def remember(self, content: str, make: Callable[[], str]) -> str:
        """The text that `make` gives for that content, made once."""
        return self.remember_all({content: None}, lambda _: [make()])[0]

    def remembers(self, content: str) -> bool:
        """Whether the text of a content is known."""
        return self._text(content) is not None

    def remember_all(
        self, contents: Mapping[str, V], make: Callable[[list[V]], list[str]]
    ) -> list[str]:
        """The text of each content; `make` is asked for all that are not known, at once."""
        known = {c: t for c in contents if (t := self._text(c)) is not None}
        if missing := [c for c in contents if c not in known]:
            for content, text in zip(missing, make([contents[c] for c in missing])):
                known[content] = text
                self._keep("texts", self._digest(content), text)
        return [known[c] for c in contents]

    def _own(self, name: str) -> str:
        return f"{self.judge} {name}"

    def _digest(self, content: str) -> str:
        return hashlib.sha256(self._own(content).encode("utf-8", "surrogatepass")).hexdigest()

    def _read(self, name: str, data: object) -> str | None:
        """The text of a row, unless somebody else has written it."""
        if not isinstance(data, str) or data[:SIGNED] != self._signature(name, data[SIGNED:]):
            return None
        return data[SIGNED:]

    def _signature(self, name: str, text: str) -> str:
        content = f"{len(name)} {name} {text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=SIGNED // 2, key=self.secret).hexdigest()

    def _text(self, content: str) -> str | None:
        if self.database is None:
            return None
        try:
            query = "SELECT data FROM texts WHERE key = ?"
            digest = self._digest(content)
            row = self.database.execute(query, (digest,)).fetchone()
        except sqlite3.Error:
            self.database = None
            return None
        return None if row is None else self._read(digest, row[0])

    def _keep(self, table: str, name: str, text: str) -> None:
        """Writes a row: its key, and its text behind the signature of both."""
        if self.database is None:
            return
        try:
            row = (name, self._signature(name, text) + text)
            self.database.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", row)
        except sqlite3.Error:
            self.database = None

    def loaded(self, content: str, make: Callable[[], Loaded]) -> Loaded:
        """What a file of that content holds, read once."""
        fresh: list[Loaded] = []

        def packed() -> str:
            fresh.append(make())
            return pack(fresh[0])

        text = self.remember(content, packed)
        try:
            return fresh[0] if fresh else unpack(text)
        except (TypeError, ValueError):  # a damaged row
            return make()

    def __enter__(self) -> Cache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Writes what was put, also when the run was interrupted."""
        if self.database is not None:
            try:
                self.database.commit()
                self.database.close()
            except sqlite3.Error:
                self.database = None
