"""The index of the proofs: `python proofs/book.py` checks them all and writes `proofs/README.md`.

`--print` prints the index instead.  The prose of a theorem is the comment at the top of its claims
file, its obligations are the claims; nothing is written down twice.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from symlayout import prove
from symlayout.checks.claims_file import load
from symlayout.checks.result import Report, Task
from symlayout.checks.runner import check
from symlayout.layouts.vocabulary import CLAIMS

HERE = Path(__file__).parent
INDEX = HERE / "README.md"
SECTIONS = (
    "Main definitions",
    "Main statements",
    "Notation",
    "Implementation notes",
    "References",
)
ROLES = {
    "base": "where an induction begins",
    "step": "from one rank, level or depth to the next",
    "statement": "a theorem that needs no induction, or what follows from one",
    "notation": "that the program's own layouts are what the theorem speaks of",
    "limit": "what does not hold, refuted by a counterexample",
}
BOUNDS = (2, 5, 10, 20)  # seconds of the processor; what is measured is rounded up, with room


@dataclass(frozen=True)
class Theorem:
    """A theorem's file: its title, its sections, and for each claim of it the roles."""

    file: str
    title: str
    sections: dict[str, str]
    roles: tuple[tuple[str, ...], ...]

    @property
    def counts(self) -> Counter[str]:
        """How many obligations of each role."""
        return Counter(role for roles in self.roles for role in roles)


def theorems() -> tuple[Theorem, ...]:
    """All theorems, in the order of the book."""
    return tuple(read(path) for path in sorted(HERE.glob("*.layout.toml")))


def read(path: Path) -> Theorem:
    """The theorem of a claims file."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    title, at = "", ""
    sections: dict[str, str] = {}
    for line in lines:
        if line.startswith("# "):
            title = line.removeprefix("# ")
        elif line.startswith("## "):
            at = line.removeprefix("## ")
            sections[at] = ""
        elif at:
            sections[at] += line + "\n"
    tasks = [e for e in load(str(path)).entries if isinstance(e, Task)]
    return Theorem(path.name, title, sections, tuple(t.tags for t in tasks))


def proved(book: tuple[Theorem, ...]) -> dict[str, tuple[Report, float]]:
    """For each file what its check found, and the processor's seconds that it took."""
    for word in CLAIMS:
        getattr(prove, word)  # loads the claim's module, which is no theorem's time
    found = {}
    for theorem in book:
        start = time.process_time()
        report = check([str(HERE / theorem.file)])
        found[theorem.file] = report, time.process_time() - start
    return found


def bound(measured: float) -> int:
    """The time that the index promises: four times what was measured, as a round figure.

    >>> bound(0.2), bound(0.9), bound(60)
    (2, 5, 20)
    """
    return next((b for b in BOUNDS if 4 * measured <= b), BOUNDS[-1])


def index(book: tuple[Theorem, ...], bounds: dict[str, int]) -> str:
    """The text of the index; `bounds` has the seconds promised for each file."""
    head = ["theorem", *ROLES, "time"]
    rows = [head, ["---"] * len(head)]
    total: Counter[str] = Counter()
    for t in book:
        total += t.counts
        link = f"[{t.title}]({t.file})"
        rows.append([link, *(str(t.counts[r] or "") for r in ROLES), f"< {bounds[t.file]} s"])
    rows.append([f"all {total.total()}", *(str(total[r]) for r in ROLES), f"< {BOUNDS[-1]} s"])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    meanings = "\n".join(f"- **{role}**: {meaning}." for role, meaning in ROLES.items())
    return f"{INTRODUCTION}\n{table}\n\n{meanings}\n\n{CLOSING}"


INTRODUCTION = """\
# The proofs

What the prover takes for granted about layouts, proved by the prover itself. Where a theorem speaks of
rank it holds for **every rank**: by induction, from a base and a step that are claims about two or
three symbols, of which one stands for the product of all sizes so far. Nothing is proved by trying.

`coq/` has the same theorems with the induction itself, for the proof assistant Rocq (Coq): `coqc`
accepts them without symlayout. `docs/theorems.md` names the theorems of each chapter.

Each file is a chapter: definitions, statements with the idea of the proof, notation, notes and
references, then the obligations. How many there are of each kind:
"""

CLOSING = """\
```
symlayout check proofs        # every obligation
pytest proofs                 # the same, each a test
python proofs/book.py         # the same, and writes this page
```

The laws that the steps of a certificate are instances of have [a page of their own](lemmas/README.md):
each is proved by Z3 and by cvc5.
"""


def main(arguments: list[str]) -> int:
    """Checks the proofs and writes or prints their index; 1 when an obligation fails."""
    book = theorems()
    found = proved(book)
    results = [r for report, _ in found.values() for r in report.results]
    wrong = [r.task.name for r in results if not r.as_expected]
    for name in wrong:
        print(f"not as expected: {name}", file=sys.stderr)
    if wrong or any(report.problems for report, _ in found.values()):
        return 1
    text = index(book, {file: bound(spent) for file, (_, spent) in found.items()})
    if "--print" in arguments:
        print(text, end="")
    else:
        INDEX.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
