"""What Z3 confirms: `python benchmarks/confirmed.py [--claims 1000] [--seed 0] [--files PATH ...]`.

Random claims about bijectivity, bounds and broadcasts are decided by the prover. Z3 is asked about
each proved one: as it is, or step by step from its certificate. It is also asked about each false one
as if it were proved: one that the prover refutes, or that plain integers refute. Wrong is: Z3
disagrees with a proof, or confirms what is false. Claim n depends on the seed and n alone.
Exits with 1 when anything is wrong.

With `--records FILE` the answers are kept, and another run goes on after the last of them.
With `--files` it prints a table of the claims of these files: verdicts, and what Z3 confirms.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import support  # noqa: F401 - finds tests/support

Row = dict[
    str, Any
]  # n, word, verdict ("false" without one), Z3's answer, the claim where it is wrong

CHUNK = 25
SEARCH = 2000  # points that the prover looks at for a counterexample
COLUMNS = ("as it is", "in steps", "unknown", "disagrees")


def rows(seed: int, numbers: list[int]) -> list[Row]:
    """What became of some claims."""
    from soundness import asking

    asking.limit_search(SEARCH)
    results = [one(seed, n) for n in numbers]
    asking.forget()
    return results


def one(seed: int, n: int) -> Row:
    """What became of one claim; its word is empty where Z3 is not asked about it."""
    from soundness import asking
    from soundness.claims import claim

    from symlayout.certificate.confirm.claims import confirm
    from symlayout.certificate.confirm.queries import CONFIRMED

    nothing = {"n": n, "word": "", "verdict": "", "answer": "", "wrong": ""}
    drawn = claim(seed, n)
    if drawn.word not in CONFIRMED:
        return nothing
    try:
        verdict = asking.verdict(drawn.word, drawn.args, drawn.facts, drawn.options)
    except Exception as error:
        if asking.refusal(error) is None:
            raise
        return nothing
    status = verdict.status
    if status not in ("proved", "refuted"):
        if status == "vacuous" or not refuted_by_integers(drawn):
            return nothing
        status = "false"
    answer = confirm(verdict.source, lambda: verdict.certificate if status == "proved" else None)
    assert answer is not None
    lie = status != "proved" and answer.status == "confirmed"
    wrong = lie or (status == "proved" and answer.status == "disagrees")
    how = "as it is" if answer.how == "as it is" else "in steps" if answer.how else answer.status
    text = f"{drawn}" if wrong else ""
    return {"n": n, "word": drawn.word, "verdict": status, "answer": how, "wrong": text}


def refuted_by_integers(drawn: Any) -> bool:
    """Whether the definitions refute the claim at some small sizes."""
    from soundness.judging import judged

    return judged(drawn, SimpleNamespace(status="proved"))[0].startswith("false")


def table(paths: list[str]) -> int:
    """What decides the claims of some files, by claim word, and what Z3 says of the proofs."""
    import z3

    from symlayout.checks.runner import Options, check

    asked, decided = [0], Counter[tuple[str, str]]()
    original = z3.Solver.check

    def counted(solver: z3.Solver, *assumptions: z3.BoolRef) -> z3.CheckSatResult:
        asked[0] += 1
        return original(solver, *assumptions)

    z3.Solver.check = counted
    words = Counter[str]()
    report = check(paths, Options())
    z3.Solver.check = original
    for r in report.results:
        words[r.task.claim.word] += 1
        decided[r.task.claim.word, r.outcome.status] += 1
    confirmed = check(paths, Options(solver="z3"))
    answers = Counter[tuple[str, str]]()
    for r in confirmed.results:
        row = r.outcome.confirmed
        if row is not None:
            how = {"as it is": "as it is"}.get(row["how"], "in steps") if row["how"] else "open"
            answers[r.task.claim.word, how] += 1
    print("| claim | claims | proved | refuted | confirmed as it is | in steps | not confirmed |")
    print("|---|---|---|---|---|---|---|")
    for word in sorted(words):
        cells = [words[word], decided[word, "proved"], decided[word, "refuted"]]
        cells += [answers[word, how] for how in ("as it is", "in steps", "open")]
        print(f"| {word} | {' | '.join(map(str, cells))} |")
    print(f"Z3 was asked {asked[0]} questions while {len(report.results)} claims were decided.")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Prints the tables; returns the exit code."""
    parser = argparse.ArgumentParser(prog="confirmed.py", description=__doc__)
    parser.add_argument("--claims", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--records", type=Path, metavar="FILE", help="keep the answers in it")
    parser.add_argument("--files", nargs="+", metavar="PATH")
    options = parser.parse_args(arguments)
    if options.files:
        return table(options.files)
    results = earlier(options.records, options.seed)
    known = {row["n"] for row in results}
    waiting = [n for n in range(options.claims) if n not in known]
    chunks = [(options.seed, waiting[k : k + CHUNK]) for k in range(0, len(waiting), CHUNK)]
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=40) as pool:
        for some in pool.imap_unordered(of_chunk, chunks):
            results += some
            if options.records:
                with options.records.open("a") as file:
                    file.writelines(f"{json.dumps({'seed': options.seed, **r})}\n" for r in some)
    return report([r for r in results if r["n"] < options.claims])


def of_chunk(chunk: tuple[int, list[int]]) -> list[Row]:
    """What became of the claims of a chunk."""
    return rows(*chunk)


def earlier(records: Path | None, seed: int) -> list[Row]:
    """The answers of earlier runs; a line that was not written to its end is left out."""
    results = []
    if records is not None and records.exists():
        for line in records.read_text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if row.pop("seed") == seed:
                results.append(row)
    return results


def report(results: list[Row]) -> int:
    """Prints how many claims of each word Z3 confirms; returns the exit code."""
    counts = Counter((r["word"], r["verdict"] == "proved", r["answer"]) for r in results)
    words = sorted({r["word"] for r in results} - {""})
    for proved, title in ((True, "proved"), (False, "false, given to Z3 as proved")):
        print(f"| {title} | claims | {' | '.join(COLUMNS)} |")
        print("|---|" + "---|" * (len(COLUMNS) + 1))
        for word in [*words, "all"]:
            chosen = words if word == "all" else [word]
            cells = [sum(counts[w, proved, a] for w in chosen) for a in COLUMNS]
            print(f"| {word} | {sum(cells)} | {' | '.join(map(str, cells))} |")
        print()
    wrong = [r["wrong"] for r in results if r["wrong"]]
    print(f"{len(results)} random claims, {len(wrong)} answers wrong")
    for text in wrong:
        print(f"WRONG: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
