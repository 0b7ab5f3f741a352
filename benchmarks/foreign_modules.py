"""How many modules of other projects' own tests are read whole, and how many wrong ones refused.

`python benchmarks/foreign_modules.py CHECKOUT [--show N]`: a checkout of openxla/stablehlo or
openxla/xla (or any folder).  Modules are the `.mlir`, `.hlo` and `.hlo.txt` files, split at
`// -----`, and the raw strings of C++ tests that begin with `HloModule`.  Nothing of the checkout
is kept.

What is right is for the real parser to say, where jaxlib is installed; else a part that says
`expected-error` is wrong, and all others are right.  A text with places for words to be put in is
no module, and the real parser refuses it.  XLA's parser looks at no shapes, and its tests hold many
modules that its verifier refuses: a module of HLO with a claim that is refuted is right if it
compiles for a CPU.  What the way into the compiler rewrites is not for it to say: windows of
convolutions, broadcasts of sizes of 1, the results of operations that run apart, and bitcasts (it
refuses every bitcast that it has not removed before it assigns layouts).

Columns: parts that are right; how many are read whole; how many of them have a claim that is
refuted; instructions with a claim, and without; parts that are wrong, and how many of those are
refused (a mistake in reading, or a claim that is refuted); parts of which the compiler cannot say.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from real_parsers import Judge, installed
from timing import table

from symlayout import prove
from symlayout.errors import LayoutError
from symlayout.programs.hlo.claims import claims_of, modules_of
from symlayout.programs.hlo.mlir import uncommented
from symlayout.text.dumps import language_of

SPLIT = re.compile(r"^[ \t]*//[ \t]*-----[ \t\r]*$", re.M)
RAW = re.compile(r'R"(?P<mark>\w*)\((?P<text>.*?)\)(?P=mark)"', re.S)
SUFFIXES = (".mlir", ".hlo", ".hlo.txt", "_test.cc")
# what MLIR says of dialects that jaxlib does not have
UNKNOWN = re.compile(r"[Dd]ialect .*not (?:found|registered)|custom op .* is unknown|unregistered")
WRONG = "expected-error"
REWRITTEN = re.compile(r"^broadcast |^reinterpret |-start\(|\bconvolution\(")
PLACES = re.compile(r"\$\{?\w|%s|%d|\$\d")
OTHER = re.compile(r"\b(?:linalg|tosa|memref|affine|llvm|spirv|vhlo)\.\w")


def parts(file: Path) -> Iterator[tuple[str, str]]:
    """The texts of a file that may be modules, with a name for their kind."""
    text = file.read_text(errors="replace")
    if file.name.endswith("_test.cc"):
        for found in RAW.finditer(text):
            inner = found["text"]
            if inner.lstrip().startswith("HloModule"):
                yield "HLO in C++ tests", inner
        return
    for part in SPLIT.split(text):
        if not uncommented(part).strip():
            continue
        if language_of(part) in ("hlo", "mlir") or re.search(r"\bfunc\.func\b", part):
            yield ("MLIR" if file.suffix == ".mlir" else "HLO"), part


class Row:
    """The counts of one kind of file."""

    def __init__(self) -> None:
        self.n: Counter[str] = Counter()
        self.opcodes: Counter[str] = Counter()

    def add(self, text: str, name: str, judge: Judge | None) -> list[str]:
        """Counts one part, and gives what is worth a look."""
        wrong = WRONG in text
        if judge is not None:
            refusal = judge.refusal(text, name == "x.mlir")
            if refusal is None or UNKNOWN.search(refusal):
                self.n["other"] += 1
                return []
            wrong = refusal != ""
        elif not wrong and (OTHER if name == "x.mlir" else PLACES).search(text):
            self.n["other"] += 1
            return []
        problems: list[str] = []
        refuted: list[str] = []
        for module in modules_of(text, name):
            made = claims_of(module)
            problems += [str(p) for p in made.problems]
            self.opcodes.update(made.not_checked)
            self.n["open"] += sum(made.not_checked.values())
            for c in made.claims:
                verdict = judged(c.word, c.arguments, dict(c.options))
                if verdict.startswith("refuted"):
                    refuted.append(f"{c.word} {' '.join(c.arguments)}: {verdict}")
                self.n["claims"] += c.uses
        if judge is not None and not wrong and name != "x.mlir" and (refuted or problems):
            wrong = judge.compilation(text) != ""
            if not wrong and any(REWRITTEN.search(line) for line in refuted):
                self.n["rewritten"] += 1
                return []
        if wrong:
            self.n["wrong"] += 1
            self.n["refused"] += bool(problems or refuted)
            return [] if problems or refuted else ["read whole, and the real parser refuses it"]
        self.n["right"] += 1
        self.n["whole"] += not problems
        self.n["refuted"] += bool(refuted)
        return problems[:1] + refuted[:1]

    def cells(self, kind: str) -> list[str]:
        """The row of the table."""
        n = self.n
        share = f"{100 * n['whole'] / n['right']:.1f}" if n["right"] else "-"
        keys = ("right", "whole", "refuted", "claims", "open", "wrong", "refused", "rewritten")
        return [kind, *(str(n[k]) for k in keys[:2]), share, *(str(n[k]) for k in keys[2:])]


def judged(word: str, arguments: tuple[str, ...], options: dict[str, str]) -> str:
    """The verdict on a claim, with its reason."""
    try:
        made = getattr(prove, word)(*arguments, **options)
    except LayoutError as error:
        return f"error: {error.message}"
    return f"{made.status}: {made.reason}"


def main(arguments: list[str]) -> int:
    """Prints the table, the opcodes without a claim, and the first few surprises."""
    options = argparse.ArgumentParser()
    options.add_argument("checkout", type=Path)
    options.add_argument("--show", type=int, default=0)
    given = options.parse_args(arguments)
    judge = Judge() if installed() else None
    rows: dict[str, Row] = {}
    shown = 0
    for file in sorted(p for p in given.checkout.rglob("*") if p.name.endswith(SUFFIXES)):
        if not file.is_file():
            continue
        for number, (kind, text) in enumerate(parts(file)):
            row = rows.setdefault(kind, Row())
            name = "x.mlir" if kind == "MLIR" else "x.hlo"
            for line in row.add(text, name, judge):
                shown += 1
                if shown <= given.show:
                    print(f"{file.relative_to(given.checkout)} part {number}: {line}\n")
    keys = ("right", "whole", "%", "refuted", "claims", "open", "wrong", "refused", "rewritten")
    head = ("kind", *keys)
    print(table(head, [row.cells(kind) for kind, row in rows.items()]))
    open_now: Counter[str] = Counter()
    for row in rows.values():
        open_now += row.opcodes
    print("not checked:", ", ".join(f"{n} {op}" for op, n in open_now.most_common(30)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
