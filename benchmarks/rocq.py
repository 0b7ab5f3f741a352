"""What Rocq accepts: `python benchmarks/rocq.py [--most N] [--limit SECONDS] PATH ...`.

Each proved claim of the files is printed as a theorem, and Rocq is asked for it: one process that has
loaded the library, many theorems. It prints how many are accepted by claim word, why others are not,
and the processor's time beside that of our recheck. Exits with 1 where Rocq refuses a theorem.

With `--forgeries N` so many forged certificates of every kind are printed, without our checker, and
Rocq is asked for them. A theorem that it accepts is true: exits with 1 where brute force says that its
claim is false, as then the statement would not be the claim.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import support  # noqa: F401 - finds tests/support
from rocq import ABSENT, CLOSED, library, present

COLUMNS = ("accepted", "not exported", "refused")


class Session:
    """A process of Rocq that answers one theorem after the other."""

    def __init__(self, folder: Path, limit: int) -> None:
        command = ["coqtop", "-q", "-R", str(folder), "Symlayout"]
        pipe = subprocess.PIPE
        own = {**os.environ, "OCAMLRUNPARAM": "s=8M,o=400"}  # a large heap is collected seldom
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True, env=own
        )
        self.count, self.file = 0, folder / "load.v"
        self.answer(f"Require Import Symlayout.Words.\nSet Default Timeout {limit}.")

    def answer(self, text: str) -> str:
        """What is said of some commands; a proof that is not finished is left."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.count += 1
        mark = f"mark_{self.count}"
        self.file.write_text(text)  # read by Rocq itself, which answers each line that is typed
        load = f'Load "{self.file}".\nAbort All.\nGoal True. idtac "{mark}". Abort.\n'
        self.process.stdin.write(load)
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if mark in line and "idtac" not in line:
                break
        return "".join(lines)

    @property
    def seconds(self) -> float:
        """The processor's time that it has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100


def certificates(paths: list[str], folder: Path) -> list[dict[str, Any]]:
    """The certificates of the proved claims of some files."""
    from symlayout.__main__ import main as command

    with contextlib.redirect_stdout(io.StringIO()):
        command(["check", *paths, "--no-cache", "--certificates", str(folder)])
    return [json.loads(file.read_text()) for file in sorted(folder.rglob("*.json"))]


def main(arguments: list[str] | None = None) -> int:
    """Prints the tables; returns the exit code."""
    parser = argparse.ArgumentParser(prog="rocq.py", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--forgeries", type=int, default=0, help="so many forged certificates")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn by chance")
    parser.add_argument("--most", type=int, help="so many certificates, drawn by chance")
    parser.add_argument("--limit", type=int, default=60, help="seconds for one command of Rocq")
    options = parser.parse_args(arguments)
    if not present():
        print(ABSENT, file=sys.stderr)
        return 2
    if options.forgeries:
        with tempfile.TemporaryDirectory() as folder:
            session = Session(library(Path(folder)), options.limit)
            return forgeries(options.forgeries, options.seed, session)
    with tempfile.TemporaryDirectory() as folder:
        every = certificates(options.paths, Path(folder))
    if options.most is not None and len(every) > options.most:
        every = random.Random(options.seed).sample(every, options.most)
    with tempfile.TemporaryDirectory() as folder:
        return table(every, Session(library(Path(folder)), options.limit))


def table(every: list[dict[str, Any]], session: Session) -> int:
    """Asks for each certificate, and prints what became of them."""
    from symlayout.certificate.kernel import recheck
    from symlayout.certificate.rocq.export import one
    from symlayout.errors import LayoutError

    words, reasons = Counter[tuple[str, str]](), defaultdict[str, list[str]](list)
    own, theirs = list[float](), list[float]()
    for k, certificate in enumerate(every):
        word = certificate["claim"]["word"]
        start = time.process_time()
        text = recheck(certificate).claim
        spent = time.process_time() - start
        try:
            theorem = one(certificate, f"claim_{k}")
        except LayoutError as why:
            words[word, "not exported"] += 1
            reasons[why.message].append(text)
            continue
        before = session.seconds
        said = session.answer(theorem)
        seconds = session.seconds - before
        if CLOSED in session.answer(f"Print Assumptions claim_{k}."):
            words[word, "accepted"] += 1
            own.append(spent)
            theirs.append(seconds)
        else:
            error = re.search(r"Error:(.*?)(?:\n\n|\Z)", said, re.S)
            words[word, "refused"] += 1
            last = error[1].split("\n")[-1].strip() if error else "no answer"
            reasons[f"refused: {last}"].append(text)
    printed(words)
    for reason, texts in sorted(reasons.items(), key=lambda row: -len(row[1])):
        print(f"{len(texts)} {reason}: {texts[0]}")
    if theirs:
        times = [b / max(a, 1e-4) for a, b in zip(own, theirs)]
        print(f"seconds of Rocq: {figures(theirs)}")
        print(f"seconds of our recheck: {figures(own, 4)}")
        print(f"Rocq's time is so many times ours: {figures(times, 0)}")
    return 1 if any(column == "refused" for _, column in words) else 0


def forgeries(count: int, seed: int, session: Session) -> int:
    """Asks for forged certificates, and prints what became of them by their kinds."""
    from forgeries import Forger, Judge, pool

    known = pool(2, seed)
    known.held[:] = [row for row in known.held if theorem_of(row[0]) is not None]
    print(f"{len(known.held)} certificates")
    forger, judge = Forger(random.Random(f"rocq/{seed}"), known), Judge(known)
    seen, wrong = Counter[tuple[str, str]](), list[str]()
    for n in range(count):
        way, certificate = forger.forged()
        answer = of_forgery(certificate, f"forgery_{n}", session, judge)
        seen[way, answer.partition(":")[0]] += 1
        if answer.startswith(("false", "not judged", "exception")):
            wrong.append(f"{n}: {way}: {answer}")
    for (way, answer), number in sorted(seen.items()):
        print(f"{number:>6}  {answer:<12} {way}")
    print(f"{len(wrong)} of {count} are wrong", *wrong[:40], sep="\n  ")
    return 1 if wrong else 0


def theorem_of(certificate: dict[str, Any], title: str = "claim") -> str | None:
    """The theorem of a certificate; None for what is not printed."""
    from symlayout.certificate.rocq.export import one
    from symlayout.errors import LayoutError

    try:
        return one(certificate, title)
    except LayoutError:
        return None


def of_forgery(certificate: dict[str, Any], title: str, session: Session, judge: Any) -> str:
    """What becomes of a forged certificate."""
    try:
        theorem = theorem_of(certificate, title)
    except Exception as error:  # a finding, not the end of the run
        return f"exception: {type(error).__name__}: {str(error)[:200]}"
    if theorem is None:
        return "not printed"
    session.answer(theorem)
    if CLOSED not in session.answer(f"Print Assumptions {title}."):
        return "refused"
    false = judge.false(certificate)
    if false is False:
        return "true"
    text = json.dumps([certificate["claim"], certificate["facts"]])
    return f"{'false' if false else 'not judged'}: {text}"


def printed(words: Counter[tuple[str, str]]) -> None:
    """The table by claim word."""
    print(f"| claim | {' | '.join(COLUMNS)} |")
    print(f"|---{'|---' * len(COLUMNS)}|")
    for word in [*sorted({w for w, _ in words}), "all"]:
        cells = []
        for column in COLUMNS:
            cells.append(
                sum(n for (w, c), n in words.items() if c == column and word in (w, "all"))
            )
        print(f"| {word} | {' | '.join(map(str, cells))} |")


def figures(values: list[float], digits: int = 3) -> str:
    """Median, 95 of a hundred, and the most."""
    rows = sorted(values)
    parts = statistics.median(rows), rows[int(len(rows) * 0.95)], rows[-1]
    labels = ("median", "95 of 100", "most")
    return ", ".join(f"{label} {x:.{digits}f}" for label, x in zip(labels, parts))


if __name__ == "__main__":
    sys.exit(main())
