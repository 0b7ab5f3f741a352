"""The findings of a kernel, each in the words of its source and with a change that was checked."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from symlayout.checks.kernel_files import Reader
from symlayout.checks.kernel_source import Edit, Source
from symlayout.checks.scan_words import in_words
from symlayout.errors import LayoutError
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.launches import Launch
from symlayout.programs.kernels.scan import findings
from symlayout.programs.kernels.scan.finding import Evidence, Finding, Limits
from symlayout.programs.kernels.written import Code
from symlayout.text.patterns import regex

TRIES = 6  # changes that are tried for one finding
INSIDE = regex(r"[^\r\n]")
WORK = 1 << 19  # characters of one file that are read again for all of its findings


class Scanned(NamedTuple):
    """A kernel, its launches in the file, and what is found in it."""

    kernel: Kernel
    launches: list[Launch]
    findings: list[Finding]


def scan_kernel(reader: Reader, node: ast.FunctionDef, limits: Limits) -> Scanned:
    """The findings in a kernel as it is launched in its file."""
    kernel = reader.read(node)
    launches = _launches(reader, node, kernel)
    return Scanned(kernel, launches, list(findings(kernel, limits, launches)))


def _launches(reader: Reader, node: ast.FunctionDef, kernel: Kernel) -> list[Launch]:
    """The launches of a kernel, which is told the blocks that they give."""
    launches = reader.launches(node, kernel)
    blocks = [[n.value for n in x.block or ()] for x in launches]
    if blocks and all(b and None not in b for b in blocks):
        kernel.blocks = tuple(tuple(n for n in b if n is not None) for b in blocks)
    return launches


@dataclass
class Words:
    """What tells the findings of a file in its own words; `work` is what it may read again."""

    reader: Reader
    limits: Limits
    work: int = WORK

    def of(self, node: ast.FunctionDef, scan: Scanned) -> list[tuple[Finding, int]]:
        """The findings of a kernel, each with the line of its access.

        An expression that overflows in the addresses of several arrays is one finding.
        """
        rows: dict[tuple[object, ...], tuple[Finding, int, list[str]]] = {}
        for f in scan.findings:
            one, evidence, line = f, f.evidence, f.span.line
            if evidence is not None:
                with suppress(RecursionError, ValueError, IndexError):
                    one = self._in_source(node, scan, f, evidence)
            own = f.code == "overflow" and evidence is not None
            arrays = [evidence.access.array] if own and evidence is not None else []
            key = (one.code, one.span, bool(arrays) or line)
            if key in rows and arrays:
                first, line, others = rows[key]
                one = first if first.confidence == "high" else one
                arrays = [*others, *(a for a in arrays if a not in others)]
            rows[key] = one, line, arrays
        return [(_of_arrays(f, arrays), line) for f, line, arrays in rows.values()]

    def _in_source(
        self, node: ast.FunctionDef, scan: Scanned, f: Finding, evidence: Evidence
    ) -> Finding:
        text, access = self.reader.text, evidence.access
        code = Code(text, scan.kernel, (access,), f.code, access.span)
        trees = [tree for _, tree in getattr(self.reader.module, "trees", ())]
        one, edits = in_words(Source(self.reader.file, code), trees, f, evidence)
        for edit in islice(edits, TRIES):
            if self._removes(edit, f, scan, self.reader.launched().index(node)):
                line = text.count("\n", 0, edit.at) + 1
                elsewhere = line != one.span.line and " after line " not in edit.title
                where = f" in line {line}" if elsewhere else ""
                return replace(one, mend=f"{edit.title}{where}")
        return one

    def _alone(self, kernel: str) -> str:
        """The text without the bodies of other kernels of C: nothing depends on these."""
        launched = {f.name for f in self.reader.launched()} - {kernel}
        trees = (t for w, t in getattr(self.reader.module, "trees", ()) if w in launched)
        bodies = [t.child_by_field_name("body") for t in trees]
        data = self.reader.text.encode()
        for body in sorted(filter(None, bodies), key=lambda b: -b.start_byte):
            first, last = body.start_byte + 1, body.end_byte - 1
            blank = INSIDE.sub(" ", data[first:last].decode(errors="replace"))
            data = data[:first] + blank.encode() + data[last:]
        return data.decode(errors="replace")

    def _removes(self, edit: Edit, f: Finding, scan: Scanned, number: int) -> bool:
        """Whether a change removes a finding, and none of another kind is new."""
        text = edit.on(self._alone(scan.kernel.name))
        self.work -= len(text) - text.count(" ")
        if self.work < 0:
            return False
        try:
            reader = Reader(self.reader.file, text, self.reader.within)
            node = reader.launched()[number]
            kernel = reader.read(node)
            if not _may_be_right(scan.kernel, kernel, f, text):
                return False
            rest = list(findings(kernel, self.limits, _launches(reader, node, kernel)))
        except (LayoutError, RecursionError, IndexError, SyntaxError):
            return False
        lines = text.count("\n") != self.reader.text.count("\n")  # then later ones are others

        def key(x: Finding) -> tuple[str, str, int]:
            return x.code, x.expression, 0 if lines else x.span.line

        known = [(x.code, x.expression) for x in scan.findings]
        others = [x for x in rest if x.code != f.code]
        gone = key(f) not in map(key, rest)
        return gone and all((x.code, x.expression) in known for x in others)


def _may_be_right(old: Kernel, new: Kernel, f: Finding, text: str) -> bool:
    """Whether a changed kernel has the same accesses, as well understood, and no defect in view."""
    if len(new.accesses) != len(old.accesses) or len(new.skipped) > len(old.skipped):
        return False
    if sum(bool(a.doubt) for a in new.accesses) > sum(bool(a.doubt) for a in old.accesses):
        return False
    less = {"race": 0, "barrier": 1}.get(f.code)  # barriers that only some threads come to
    if less is not None and len(new.waits) > len(old.waits) - less:
        return False
    if f.code == "overflow" and f.evidence is not None:
        access = new.accesses[old.accesses.index(f.evidence.access)]
        code = Code(text, new, (access,), f.code, access.span)
        return code.overflow(f.evidence.values) is None
    return True


def _of_arrays(f: Finding, arrays: list[str]) -> Finding:
    """The finding with all arrays whose addresses wrap."""
    message = f.message
    if len(arrays) > 1:
        every = f"{', '.join(arrays[:-1])} and {arrays[-1]}"
        for a in arrays:
            message = message.replace(
                f"the address into {a} wraps", f"the addresses into {every} wrap"
            )
    return replace(f, message=message, evidence=None)
