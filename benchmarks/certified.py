"""Every claim that an example, a proof, a case or a page of the documentation proves: is it certified?

    python benchmarks/certified.py [--slowest 10] [PATH...]

Each claim is proved, its certificate is made and rechecked.  The table says how many there are of
each word, how many have no certificate, and how long proving, making and rechecking took.  The exit
code is 1 when a certificate is rejected.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from symlayout.certificate.kernel import recheck
from symlayout.checks.discover import discover
from symlayout.checks.reading import ANYWHERE
from symlayout.checks.result import Task
from symlayout.checks.runner import load
from symlayout.checks.verdicts import ask
from symlayout.errors import LayoutError
from symlayout.layouts.claim import Claim, read_claim, split
from symlayout.text.garbage import collect_rarely

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```(\S+)[^\n]*\n(?::caption: (\S+)\n)?(.*?)^```$", re.M | re.S)
OPTIONS = ("perm", "coords", "at", "language", "dims", "dialect")


class Row(NamedTuple):
    """A proved claim: seconds for proving, making and rechecking, and what became of it."""

    claim: Claim
    proving: float
    making: float
    checking: float
    outcome: str  # "certified", "none" or why it is rejected


def of_files(paths: Sequence[str]) -> Iterator[Task]:
    """The claims of claims files, compiler modules and sources."""
    for file in discover(paths, ANYWHERE):
        yield from (entry for entry in load(file).entries if isinstance(entry, Task))


def of_cases(folder: Path) -> Iterator[Task]:
    """The claims of the case files."""
    for path in sorted(folder.glob("*.toml")):
        for case in tomllib.loads(path.read_text())["case"]:
            word, *arguments = case["claim"]
            where = case.get("where", [])
            facts = [where] if isinstance(where, str) else where
            options = tuple((k, case[k]) for k in OPTIONS if isinstance(case.get(k), str))
            yield Task("", Claim(word, tuple(arguments), options, tuple(facts)))


def of_pages(pages: Sequence[Path]) -> Iterator[Task]:
    """The claims of command lines and claims files in the documentation."""
    for page in pages:
        for _, caption, body in FENCE.findall(page.read_text()):
            for line in re.findall(r"^\$ symlayout prove (.*)$", body, re.M):
                words, facts = shlex.split(line.partition(" | ")[0]), list[str]()
                words = [w for w in words if w != "--json"]
                while "--where" in words:
                    at = words.index("--where")
                    facts.append(words[at + 1])
                    del words[at : at + 2]
                if "--certificate" in words:
                    at = words.index("--certificate")
                    del words[at : at + 2]
                text = shlex.join(words)
                yield Task(line, replace(read_claim(split(text), text), facts=tuple(facts)))
            if caption.endswith(".layout.toml"):
                with tempfile.TemporaryDirectory() as folder:
                    (Path(folder) / Path(caption).name).write_text(body)
                    yield from of_files([folder])


def asked(task: Task) -> Row | None:
    """What comes of a claim; None where it is not proved."""
    start = time.process_time()
    try:
        verdict = ask(task)
    except LayoutError:
        return None
    proved = time.process_time()
    if not verdict.proved:
        return None
    certificate = verdict.certificate
    made = time.process_time()
    outcome = "none"
    if certificate is not None:
        answer = recheck(json.loads(json.dumps(certificate)))
        outcome = "certified" if answer.ok else answer.failures[0]
    return Row(task.claim, proved - start, made - proved, time.process_time() - made, outcome)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--slowest", type=int, default=0)
    args = parser.parse_args()
    collect_rarely()  # as the command does
    if args.paths:
        tasks = list(of_files(args.paths))
    else:
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        tasks = [
            *of_files([str(ROOT / "examples"), str(ROOT / "proofs")]),
            *of_cases(ROOT / "tests" / "cases" / "proved"),
            *of_pages(pages),
        ]
    seen = {str(t.claim): t for t in tasks}
    rows = [row for t in seen.values() if (row := asked(t)) is not None]
    table: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        table[row.claim.word].append(row)
    print("| word | proved | not certified | proving, s | making, s | rechecking, s |")
    print("|---|---:|---:|---:|---:|---:|")
    for word, held in [*sorted(table.items()), ("all", rows)]:
        times = [sum(r[k] for r in held) for k in (1, 2, 3)]
        without = sum(r.outcome != "certified" for r in held)
        print(f"| {word} | {len(held)} | {without} |" + "".join(f" {t:.2f} |" for t in times))
    for row in rows:
        if row.outcome != "certified":
            print(
                f"{'not certified' if row.outcome == 'none' else row.outcome}: {row.claim.quoted}"
            )
    for row in sorted(rows, key=lambda r: -r.making)[: args.slowest]:
        print(f"{row.proving:.2f} s + {row.making:.2f} s: {row.claim.quoted}")
    return int(any(row.outcome not in ("certified", "none") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
