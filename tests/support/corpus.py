"""Claims with what is known of them, one a line: `tests/corpus/WORD.jsonl`.

A row has the arguments of the claim word, the facts (`where`) and the options, and then the answer:
`verdict`, a `counterexample` where it is refuted, `certified` where it is proved, or the code of the
`error`.  `slow` rows are left to exploration.  Rows of `when.jsonl` have a `condition`.
`files.json` has what `check` says of kernels and compiler modules, and what `accesses` says of kernels.

    python benchmarks/corpus.py            # compares every row
    python benchmarks/corpus.py --update   # records the answers of today; read the difference
    python benchmarks/corpus.py --add FILE # rows without answers, one a line, are answered and added
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import symlayout as sl
from symlayout.__main__ import main as command

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parents[1] / "corpus"
WHEN = "when"
ASKED = ("word", "arguments", "where", "options")
SLOW = 0.1  # seconds of a processor
TENTH = 10

Row = dict[str, Any]


def files() -> list[Path]:
    """The files of rows."""
    return sorted(FOLDER.glob("*.jsonl"))


def read(file: Path) -> list[Row]:
    """The rows of a file; the claim word is its name, but for conditions."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return rows if file.stem == WHEN else [{"word": file.stem, **row} for row in rows]


def rows(slow: bool = False) -> list[Row]:
    """All rows, or those alone that are slow."""
    return [row for file in files() for row in read(file) if bool(row.get("slow")) == slow]


def line(row: Row) -> str:
    """The row as a file has it: what is asked comes first."""
    left_out = () if "condition" in row or row.get("of") == WHEN else ("word",)
    return json.dumps({k: v for k, v in row.items() if k not in left_out})


def key(row: Row) -> str:
    """What is asked, as a text."""
    return json.dumps([row.get(k) or None for k in (*ASKED, "of")], sort_keys=True)


def in_tenth(row: Row) -> bool:
    """Whether the row is among the fixed tenth whose certificates are checked every time."""
    return int(hashlib.sha256(key(row).encode()).hexdigest(), 16) % TENTH == 0


def asked(row: Row) -> Any:
    """What the public interface answers: a verdict, or a condition."""
    words = sl.when if row.get("of") == WHEN else sl.prove
    options = dict(row.get("options", {}))
    return getattr(words, row["word"])(*row["arguments"], where=row.get("where", []), **options)


def answer(row: Row) -> Row:
    """The row's answer today, `certified` apart."""
    try:
        result = asked(row)
    except sl.LayoutError as error:
        return {"error": error.code}
    if row.get("of") == WHEN:
        return {"condition": str(result)}
    c = result.counterexample
    if c is None:
        return {"verdict": result.status}
    sides = {side: plain(getattr(c, side)) for side in ("left", "right")}
    found = {"sizes": plain(c.sizes), "coords": plain(c.coords), **sides}
    return {"verdict": result.status, "counterexample": found}


def plain(value: Any) -> Any:
    """The value as JSON has it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    try:
        return int(value)
    except (TypeError, ValueError):
        return str(value)


def certified(row: Row) -> bool:
    """Whether the claim has a certificate that is accepted for it."""
    certificate = asked(row).certificate
    return certificate is not None and sl.recheck(json.loads(json.dumps(certificate))).ok


KERNELS = (".py", ".cu", ".cpp", ".cl")
MODULES = (".hlo", ".mlir", ".txt")
FOLDERS = ("examples/kernels", "examples/hlo", "tests/data/kernels", "tests/data/contracts")
FOLDERS = (*FOLDERS, "tests/data/hlo", "tests/data/dumps")


def sources() -> list[str]:
    """The kernels and modules whose reports are known, by their paths from the root."""
    paths = [p for folder in FOLDERS for p in (ROOT / folder).iterdir()]
    rows = [p for p in paths if p.suffix in (*KERNELS, *MODULES) and p.name != "conftest.py"]
    return sorted(p.relative_to(ROOT).as_posix() for p in rows)


@cache
def reports() -> dict[str, Row]:
    """What is known of each source."""
    rows: dict[str, Row] = json.loads((FOLDER / "files.json").read_text(encoding="utf-8"))
    return rows


def report_of(path: str) -> Row:
    """What `check` says of a source: verdicts, problems, memory and padding; accesses of kernels."""
    report = sl.check(ROOT / path, allow_empty=True)
    result: Row = {"verdicts": [f"{r.outcome.status}: {r.task.name}" for r in report.results]}
    result["problems"] = [f"{p.code} {p.message}".replace(f"{ROOT}/", "") for p in report.problems]
    if path.endswith(KERNELS):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            command(["accesses", str(ROOT / path), "--json"])
        data = json.loads(out.getvalue())
        result["accesses"] = {
            k["function"]: [
                f"{a['line']} {a['kind']} {a['array']}: {a['map']}" for a in k["accesses"]
            ]
            for k in data["kernels"]
        }
    else:
        keys = ("wasted", "shape", "line")
        result["padding"] = [[row[k] for k in keys] for row in report.padding]
        result["memory"] = [_sums(plain(m)) for m in report.modules]
    return {k: v for k, v in result.items() if v}


def _sums(data: Any) -> Any:
    """The numbers of a report, without the texts that say where they come from."""
    if isinstance(data, dict):
        return {k: _sums(v) for k, v in data.items() if not isinstance(v, str)}
    return data if not isinstance(data, list) else len(data)


def known(row: Row) -> Row:
    """The answer that the row has."""
    return {
        k: v for k, v in row.items() if k in ("verdict", "counterexample", "error", "condition")
    }


def differences(some: Iterable[Row]) -> list[str]:
    """What the rows say, and is no longer so."""
    return [
        f"{key(row)}: {new}, not {known(row)}" for row in some if (new := answer(row)) != known(row)
    ]


def recorded(row: Row) -> Row:
    """The row with its answer of today, slow or not, certified or not."""
    question = {k: v for k, v in row.items() if k in (*ASKED, "of") and v}
    start = time.process_time()
    result = answer(row)
    seconds = time.process_time() - start
    if result.get("verdict") == "proved":
        result["certified"] = certified(row)
    return {**question, **result, **({"slow": True} if seconds > SLOW else {})}


def update(jobs: int, added: Sequence[Row] = ()) -> Iterator[str]:
    """Writes every file with the answers of today; yields what is another answer."""
    old = {key(row): row for file in files() for row in read(file)}
    every = {**{key(row): row for row in added}, **old}
    for row in every.values():
        row.setdefault("arguments", [])
    with ProcessPoolExecutor(jobs) as pool:
        new = list(pool.map(recorded, every.values(), chunksize=50))
    for before, after in zip(every.values(), new):
        if known(before) and known(before) != known(after):
            yield f"{key(after)}: {known(after)}, not {known(before)}"
        if before.get("slow") and not after.get("slow") and key(after) in old:
            after["slow"] = True  # it stays, so that a file does not change with the machine's load
    FOLDER.mkdir(exist_ok=True)
    lines = [f"{json.dumps(p)}: {json.dumps(report_of(p))}" for p in sources()]
    (FOLDER / "files.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    names = {row.get("of") or row["word"] for row in new}
    for name in sorted(names):
        lines = sorted(line(row) for row in new if (row.get("of") or row["word"]) == name)
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None, say: Callable[[str], None] = print) -> int:
    """Compares or records; 1 when an answer is another one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="record the answers of today")
    parser.add_argument("--add", type=Path, metavar="FILE", help="add the rows of a file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    if options.update or options.add:
        added = [json.loads(t) for t in options.add.read_text().splitlines()] if options.add else []
        changed = list(update(options.jobs, added))
    else:
        changed = differences([*rows(), *rows(slow=True)])
        changed += [p for p in sources() if report_of(p) != reports().get(p)]
    for text in changed:
        say(text)
    say(f"{sum(len(read(f)) for f in files()):,} rows, {len(changed)} with another answer")
    return int(bool(changed) and not options.update)


if __name__ == "__main__":
    sys.exit(main())
