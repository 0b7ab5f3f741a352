"""What Z3 confirms: `python benchmarks/confirmed.py [--claims 1000] [--seed 0] [--files PATH ...]`.

Random claims about bijectivity, bounds and broadcasts are decided by the prover. Z3 is asked about
each proved one: as it is, or step by step from its certificate. It is also asked about each refuted
one as if it were proved. Wrong is: Z3 disagrees with a proof, or confirms what was refuted.
Claim n depends on the seed and n alone. Exits with 1 when anything is wrong.

With `--files` it prints a table of the claims of these files: verdicts, and what Z3 confirms.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator

import support  # noqa: F401 - finds tests/support

Row = tuple[str, str, str, str]  # word, verdict, the solver's answer, the claim where it is wrong


def rows(seed: int, numbers: list[int]) -> list[Row]:
    """What became of some claims."""
    return [row for n in numbers for row in one(seed, n)]


def one(seed: int, n: int) -> Iterator[Row]:
    """What became of one claim; nothing where Z3 is not asked about it."""
    from soundness import asking
    from soundness.claims import claim

    from symlayout.certificate.confirm.claims import confirm
    from symlayout.certificate.confirm.queries import CONFIRMED

    made = claim(seed, n)
    if made.word not in CONFIRMED:
        return
    try:
        verdict = asking.verdict(made.word, made.args, made.facts, made.options)
    except Exception as error:
        if asking.refusal(error) is None:
            raise
        return
    if verdict.status not in ("proved", "refuted"):
        return
    answer = confirm(verdict.source, lambda: verdict.certificate)
    assert answer is not None
    lie = verdict.status == "refuted" and answer.status == "confirmed"
    wrong = lie or (verdict.status == "proved" and answer.status == "disagrees")
    how = answer.how if answer.how in ("", "as it is") else "in steps"
    yield made.word, verdict.status, f"{answer.status} {how}".strip(), f"{made}" if wrong else ""


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
    parser.add_argument("--files", nargs="+", metavar="PATH")
    options = parser.parse_args(arguments)
    if options.files:
        return table(options.files)
    chunks = [
        (options.seed, list(range(k, min(k + 25, options.claims))))
        for k in range(0, options.claims, 25)
    ]
    counts, wrong = Counter[tuple[str, str, str]](), []
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for results in pool.starmap(rows, chunks):
            for word, status, answer, text in results:
                counts[word, status, answer] += 1
                wrong += [text] if text else []
    print(f"{'claim':<12} {'verdict':<8} {'Z3':<22} count")
    for (word, status, answer), count in sorted(counts.items()):
        print(f"{word:<12} {status:<8} {answer:<22} {count:>5}")
    proved = [(a, c) for (_, s, a), c in counts.items() if s == "proved"]
    total = sum(c for _, c in proved)
    for answer in sorted({a for a, _ in proved}):
        share = sum(c for a, c in proved if a == answer)
        print(f"proved, {answer}: {share} of {total}")
    for text in wrong:
        print(f"WRONG: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
