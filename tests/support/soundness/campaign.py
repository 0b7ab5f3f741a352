"""The campaign: claims by number, a log that a run can go on from, and the tables."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from soundness import asking, drawing
from soundness.claims import WORDS, claim
from soundness.judging import judge
from soundness.naming import by_other_names

CHUNK = 25  # claims that a process does at a time
SEARCH = 1_000_000
MEMORY = 4 << 30
HUNG = 200.0  # seconds of the processor after which a claim is given up
STATUSES = ("proved", "refuted", "unknown", "vacuous", "error")
SLOW = 5.0  # seconds of the processor that a claim may take, certificate included
RENAMED = 0.1  # of the claims are asked again by other names
Record = dict[str, Any]
Task = tuple[int, list[int], bool]


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="soundness.py", description=__doc__)
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first claim's number")
    parser.add_argument(
        "--search",
        type=int,
        default=SEARCH,
        help="points that an undecided claim is searched for (the product's own limit: 8000000)",
    )
    parser.add_argument("--seams", type=float, default=1.0, help="how often rare sizes are drawn")
    parser.add_argument("--certificates", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--log", type=Path, help="a file for one JSON line a claim")
    parser.add_argument("--resume", type=Path, help="go on with the run of this log")
    parser.add_argument(
        "--again", action="store_true", help="when going on: ask what was unsound or slow once more"
    )
    parser.add_argument("--verbose", action="store_true", help="print every unknown")
    return parser.parse_args(arguments)


# -- one chunk of claims --------------------------------------------


def prepare(search: int, seams: float) -> None:
    """The limits of this process: of the search, of time and memory, so that a claim fails alone."""
    signal.signal(signal.SIGPROF, given_up)
    asking.limit_search(search)
    drawing.SEAMS = seams
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def given_up(*_: object) -> None:
    """A claim that never ends is a finding too."""
    raise TimeoutError(f"no answer after {HUNG:.0f} s")


def chunk(task: Task) -> list[Record]:
    """The records of some claims."""
    asking.forget()
    seed, numbers, certificates = task
    return [record(seed, n, certificates) for n in numbers]


def record(seed: int, n: int, certificates: bool) -> Record:
    """What came of one claim."""
    try:
        made = claim(seed, n)
    except Exception as error:  # the code that `fits` speaks of is the package's own
        what = f"the claim cannot be made: {type(error).__name__}: {error}"
        return {"n": n, "word": "fits", "notation": "?", "status": "error", "problem": what} | {
            "seen": 0,
            "claim": f"claim {n} of seed {seed}",
        }
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, HUNG)
    outcome = judge(made, certificates)
    signal.setitimer(signal.ITIMER_PROF, 0)
    spent = time.process_time() - start
    rng = random.Random(f"names/{seed}/{n}")
    if outcome.verdict is not None and not outcome.problem and rng.random() < RENAMED:
        outcome = replace(outcome, problem=by_other_names(rng, made, outcome.verdict))
    row: Record = {"n": n, "word": made.word, "notation": made.notation, "status": outcome.status}
    if spent > SLOW:
        row["seconds"] = round(spent, 1)
    row["seen"] = outcome.seen
    if outcome.certificate:
        row["certificate"] = outcome.certificate
    if outcome.problem:
        row["problem"] = outcome.problem
    if "seconds" in row or outcome.problem or outcome.status in ("unknown", "error"):
        row["claim"] = str(made)
    return row


def records(tasks: list[Task], jobs: int, limits: tuple[int, float]) -> Iterator[list[Record]]:
    """The chunks' records in order, whatever the number of processes."""
    if jobs == 1:
        prepare(*limits)
        yield from map(chunk, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, prepare, limits) as pool:
        yield from pool.imap(chunk, tasks)


# -- the log --------------------------------------------


def resumed(path: Path, again: bool = False) -> tuple[Record, list[Record]]:
    """The head of a log and its records; a last line that was cut off is dropped from the file.

    With `again` those that were unsound or slow are dropped as well.
    """
    text = path.read_text()
    lines = text[: text.rfind("\n") + 1].splitlines()
    head, *rows = [json.loads(line) for line in lines]
    if again:
        rows = [r for r in rows if "problem" not in r and "seconds" not in r]
    whole = "".join(json.dumps(r) + "\n" for r in (head, *rows))
    if whole != text:
        path.write_text(whole)
    return head, rows


def main(arguments: list[str] | None = None) -> int:
    """Runs the campaign; 1 when anything is unsound."""
    o = options(arguments)
    head = {"seed": o.seed, "certificates": o.certificates, "search": o.search}
    head["seams"] = o.seams
    done: list[Record] = []
    if o.resume is not None:
        head, done = resumed(o.resume, o.again)
    log = o.resume or o.log
    known = {r["n"] for r in done}
    todo = [n for n in range(o.first, o.first + o.claims) if n not in known]
    tasks = [
        (int(head["seed"]), todo[k : k + CHUNK], bool(head["certificates"]))
        for k in range(0, len(todo), CHUNK)
    ]
    if log is not None and o.resume is None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(json.dumps(head) + "\n")
    start = time.perf_counter()
    for r in done:
        told(r, o.verbose)
    for rows in records(tasks, o.jobs, (head["search"], head["seams"])):
        done += rows
        if log is not None:
            with log.open("a") as file:
                file.writelines(json.dumps(r) + "\n" for r in rows)
        for r in rows:
            told(r, o.verbose)
        progress(len(done), len(known) + len(todo), start, len(done) - len(known))
    print(file=sys.stderr)
    table(done)
    wrong = sum("problem" in r for r in done)
    seconds = time.perf_counter() - start
    print(f"{wrong} unsound of {len(done)}, seed {head['seed']}, {seconds:.0f} s")
    return 1 if wrong else 0


def told(r: Record, verbose: bool) -> None:
    """Prints what somebody must look at."""
    if "seconds" in r:
        print(f"slow {r['n']}: {r['claim']}: {r['seconds']} s", flush=True)
    if "problem" in r:
        print(f"UNSOUND {r['n']}: {r['claim']}: {r['status']}, {r['problem']}", flush=True)
    elif verbose and r["status"] == "unknown":
        print(f"unknown {r['n']}: {r['claim']}", flush=True)


def progress(done: int, all_: int, start: float, new: int) -> None:
    """A line on stderr that overwrites itself."""
    spent = time.perf_counter() - start
    print(f"\r{done} of {all_}, {spent:.0f} s, {new / spent:.0f}/s ", end="", file=sys.stderr)


# -- the tables --------------------------------------------


def table(rows: list[Record]) -> None:
    """Counts by word and by notation.

    `unseen`: proved, and no sizes that satisfy the facts are small enough to be enumerated;
    `uncertified`: proved without a certificate, where certificates were asked for.
    """
    heads = (*STATUSES, "unseen", "uncertified")
    for title, key in (("claim", "word"), ("notation", "notation")):
        counts: Counter[tuple[str, str]] = Counter()
        for r in rows:
            for group in (r[key], "all"):
                counts[group, r["status"]] += 1
                counts[group, "unseen"] += r["status"] == "proved" and not r["seen"]
                counts[group, "uncertified"] += r.get("certificate") == "none"
        found = {g for g, _ in counts} - {"all"}
        groups = [w for w in WORDS if w in found] if key == "word" else sorted(found)
        print(f"{title:18}" + "".join(f"{h:>12}" for h in heads))
        for g in (*groups, "all"):
            print(f"{g:18}" + "".join(f"{counts[g, h]:12}" for h in heads))
        print()
