"""Verdicts kept between runs, by content: claim, facts, and the code and solver that judged it.

An `unknown` is never kept (a larger budget or another version may answer), nor is bad input.  Each row
is signed with a key that lies outside of every project: one that came with a checkout is not believed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from symlayout.checks.cache_folder import NAME, Refused, check_folder, prepare, secret
from symlayout.checks.packing import pack, unpack
from symlayout.checks.result import Loaded, Outcome, Task

KEPT = frozenset({"proved", "refuted", "vacuous"})
V = TypeVar("V")
SOLVERS = ("sympy", "z3_solver", "numpy", "python_flint")
PACKAGE = str(Path(__file__).parents[1])
SETTLED_NS = 2 * 10**9
TABLES = ("judges", "verdicts", "texts")
COLUMNS = "(key TEXT PRIMARY KEY, data TEXT)"
SIGNED = 32  # hexadecimal digits of a signature
HEAD = b"SQLite format 3\0"
NO_LOG = b"\1\1"  # of a database without a log of writes beside it
MOST_BYTES = 200_000_000  # a larger database begins anew
WAIT = 5.0  # seconds for another process that writes
SECONDS = 2.0  # between two writes


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


def _libraries() -> str:
    names: set[str] = set()
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            names |= {n for n in os.listdir(folder) if n.startswith(SOLVERS) and "-info" in n}
    return "\0".join([sys.version, *sorted(names)])


def key(task: Task) -> str:
    """What a verdict depends on: not the name, nor the place, nor the expectation."""
    solver = "" if task.solver == "none" else f" {task.solver}"
    rests = "".join(f"\0{claim.key}" for _, claim in task.rests)
    rests += "".join(f"\0{fact}" for fact in task.may_be_assumed)
    rests += "".join(f"\0{fact}\0{kind}" for fact, kind in task.types)
    rests += "".join(f"\0{fact}" for _, facts in task.blocks for fact in facts)
    return f"{task.claim.key} {task.budget}" + " doubted" * bool(task.doubt) + rests + solver


class Cache:
    """The verdicts in a folder; `why` says for what reason a folder is refused, and keeps nothing.

    >>> import tempfile
    >>> from symlayout.layouts.claim import Claim
    >>> task = Task("a name", Claim("injective", ("f32[4]{0}",)))
    >>> folder = tempfile.mkdtemp()
    >>> with Cache(folder) as cache:
    ...     cache.put(task, Outcome("proved", "mixed radix"))
    >>> with Cache(folder) as cache:
    ...     cache.get([key(task)])[key(task)].reason
    'mixed radix'

    Many projects and several versions may share a folder: rows go by content and by what judged it.
    They are written at once, in short transactions, so that no process waits for another.  None of the
    `projects` may hold the key.
    """

    def __init__(self, folder: str | None, projects: Iterable[Path] = ()) -> None:
        self.database: sqlite3.Connection | None = None
        self.why = ""
        self.secret = b""
        self.judge = ""  # rows are its own: another version may write into the same file meanwhile
        self.fresh: dict[tuple[str, str], str] = {}  # rows that are not written yet: table, key
        self.written = time.monotonic()
        self.file = Path(folder or "") / NAME
        self.damaged = False
        if folder is None:
            return
        try:
            check_folder(folder)
            self.secret = secret(projects)
            prepare(folder)
            self.database = self._open()
        except Refused as refusal:
            self.why = str(refusal)
        except (OSError, ValueError, sqlite3.Error):
            self.database = None

    def _open(self) -> sqlite3.Connection:
        if self.file.exists() and not _is_plain(self.file):
            self.file.unlink()
        database = sqlite3.connect(self.file, timeout=WAIT)
        try:
            self._prepare(database)
        except sqlite3.DatabaseError as error:
            database.close()
            if isinstance(error, sqlite3.OperationalError):  # it is in use, or cannot be written
                raise
            self.file.unlink()  # it is damaged: begin anew
            database = sqlite3.connect(self.file, timeout=WAIT)
            self._prepare(database)
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        # no journal and no other file ever comes to lie beside the database: signatures find torn rows
        for setting in ("journal_mode = MEMORY", "temp_store = MEMORY", "trusted_schema = OFF"):
            database.execute(f"PRAGMA {setting}")
        known = {f"CREATE TABLE {name} {COLUMNS}" for name in TABLES}
        schema = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
        texts = {text for (text,) in database.execute(schema)}
        if texts - known:  # a view may take any time
            raise sqlite3.DatabaseError("not ours")
        for text in known - texts:
            database.execute(text.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        self.database = database
        now = stamp()
        judge = self._row("judges", now) if now else None
        if judge is None:
            judge = fingerprint()
            if now:
                self._keep("judges", now, judge)
        self.judge = judge

    def unknown(self, keys: Iterable[str]) -> int:
        """How many of the claims with these keys have no verdict."""
        every = dict.fromkeys(keys)
        return len(every) - len(self.get(every))

    def get(self, keys: Iterable[str]) -> dict[str, Outcome]:
        """The outcomes that are known, by key."""
        keys = list(dict.fromkeys(keys))
        names: dict[str, Outcome] = {}
        for start in range(0, len(keys), 500):
            some = {self._own(k): k for k in keys[start : start + 500]}
            for name, text in self._rows("verdicts", some).items():
                with suppress(TypeError, ValueError):
                    names[some[name]] = Outcome(**json.loads(text))
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
        return self._row("texts", self._digest(content)) is not None

    def remember_all(
        self, contents: Mapping[str, V], make: Callable[[list[V]], list[str]]
    ) -> list[str]:
        """The text of each content; `make` is asked for all that are not known, at once."""
        digests = {c: self._digest(c) for c in contents}
        known = {c: t for c, d in digests.items() if (t := self._row("texts", d)) is not None}
        if missing := [c for c in contents if c not in known]:
            for content, text in zip(missing, make([contents[c] for c in missing])):
                known[content] = text
                self._keep("texts", digests[content], text)
        return [known[c] for c in contents]

    def _own(self, name: str) -> str:
        return f"{self.judge} {name}"

    def _digest(self, content: str) -> str:
        return hashlib.sha256(self._own(content).encode("utf-8", "surrogatepass")).hexdigest()

    def _signature(self, table: str, name: str, text: str) -> str:
        content = f"{table} {len(name)} {name} {text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=SIGNED // 2, key=self.secret).hexdigest()

    def _row(self, table: str, name: str) -> str | None:
        return self._rows(table, [name]).get(name)

    def _rows(self, table: str, names: Collection[str]) -> dict[str, str]:
        """The texts of rows by their names, without those that somebody else has written."""
        texts = {n: self.fresh[table, n] for n in names if (table, n) in self.fresh}
        rest = [n for n in names if n not in texts]
        if self.database is None or not rest:
            return texts
        try:
            query = f"SELECT key, data FROM {table} WHERE key IN ({','.join('?' * len(rest))})"
            for name, data in self.database.execute(query, rest):
                text = data[SIGNED:] if isinstance(data, str) else ""
                if data == self._signature(table, name, text) + text:
                    texts[name] = text
        except (sqlite3.Error, ValueError) as error:
            self._fail(error)
        return texts

    def _keep(self, table: str, name: str, text: str) -> None:
        """A row is to be written: its name, and its text after the signature of both."""
        if self.database is not None:
            self.fresh[table, name] = text
            if time.monotonic() - self.written > SECONDS:
                self._write()

    def _write(self) -> None:
        """Writes what is fresh; while another process writes it stays so."""
        self.written = time.monotonic()
        try:
            if self.database is not None:
                for (table, name), text in self.fresh.items():
                    row = (name, self._signature(table, name, text) + text)
                    self.database.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", row)
                self.database.commit()
                self.fresh.clear()
        except (sqlite3.Error, ValueError) as error:
            if self.database is not None:
                with suppress(sqlite3.Error):
                    self.database.rollback()
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """A database that is damaged is used no more; one that is in use may be later."""
        if not isinstance(error, sqlite3.OperationalError):
            self.damaged, self.database = True, None

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
            self._write()
        if self.database is not None:
            with suppress(sqlite3.Error):
                self.database.close()
        elif self.damaged:
            with suppress(OSError):
                self.file.unlink()


def _is_plain(file: Path) -> bool:
    """Whether a file is a database of a size that is kept, and has no journal by its own account."""
    with open(file, "rb") as stream:
        head = stream.read(20)
    good = head == b"" or (head[:16] == HEAD and head[18:] == NO_LOG)
    return good and file.stat().st_size <= MOST_BYTES
