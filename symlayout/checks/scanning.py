"""A scan of files and folders: kernels read one by one, findings less what is ignored or known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from symlayout.checks.discover import discover
from symlayout.checks.kernel_files import SUFFIXES, reader_of
from symlayout.checks.reading import read_text
from symlayout.checks.result import Place
from symlayout.errors import LayoutError, internal
from symlayout.programs.kernels.scan.finding import Finding, Limits

IGNORE = re.compile(r"symlayout:\s*ignore(?:\[([\w,\s]*)\])?")


@dataclass
class Scan:
    """What a scan of files found; `skipped` has what was not understood, with the reason."""

    findings: list[tuple[Finding, Place]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    files: int = 0
    kernels: int = 0
    accesses: int = 0
    understood: int = 0

    def add(self, file: str, text: str, f: Finding, known: frozenset[str]) -> None:
        """Adds a finding, unless it is ignored or known."""
        place = _place(file, text, f)
        if not ignored(text, f) and identity(as_json(f, place)) not in known:
            self.findings.append((f, place))

    def join(self, other: Scan) -> None:
        """Adds what was found in other files."""
        self.findings += other.findings
        self.skipped += other.skipped
        self.files += other.files
        self.kernels += other.kernels
        self.accesses += other.accesses
        self.understood += other.understood

    def to_json(self) -> dict[str, Any]:
        """The scan as plain data."""
        made = [as_json(f, p) for f, p in self.findings]
        summary = {"files": self.files, "kernels": self.kernels, "accesses": self.accesses}
        summary |= {"understood": self.understood, "findings": len(made)}
        summary |= {"skipped": len(self.skipped)}
        return {"schema": 1, "findings": made, "skipped": self.skipped, "summary": summary}


def as_json(f: Finding, place: Place) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "code": f.code,
        "kind": f.code,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "function": f.function,
        "expression": f.expression,
        "message": f.message,
        "suggestion": f.mend,
        "counterexample": {"sizes": f.sizes},
        "confidence": f.confidence,
    }


def scan(paths: Iterable[str], limits: Limits, known: frozenset[str] = frozenset()) -> Scan:
    """The findings in files and folders.

    Raises `LayoutError` (SL601) for a path that does not exist.
    """
    made = Scan()
    for file in discover(paths, SUFFIXES):
        made.join(scan_file(file, limits, known))
    return made


def scan_file(file: str, limits: Limits, known: frozenset[str] = frozenset()) -> Scan:
    """The findings in one file; one that cannot be read is skipped, with the reason."""
    from symlayout.programs.kernels.scan import findings

    made = Scan(files=1)
    try:
        text = ""
        reader = reader_of(file)
        if reader is None:
            return made
        text = reader.text
        for f in reader.of_file(limits):
            made.add(file, text, f, known)
        for node in reader.kernels().values():
            kernel = reader.read(node)
            made.kernels += 1
            made.accesses += len(kernel.accesses) + len(kernel.skipped)
            made.understood += sum(not a.doubt for a in kernel.accesses)
            lines = dict(sorted(kernel.skipped.items()))
            lines |= {a.span.line: a.doubt for a in kernel.accesses if a.doubt}
            made.skipped += [_skipped(file, n, kernel.name, why) for n, why in lines.items()]
            for f in findings(kernel, limits):
                made.add(file, text, f, known)
    except LayoutError as error:
        made.skipped.append(_skipped(file, 1, "", error.message))
    except (Exception, RecursionError) as error:
        made.skipped.append(_skipped(file, 1, "", internal(error)))
    return made


def _skipped(file: str, line: int, function: str, reason: str) -> dict[str, Any]:
    return {"file": file, "line": line, "function": function, "reason": reason}


def _place(file: str, text: str, f: Finding) -> Place:
    """The place of a finding, whose columns count bytes."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: f.span.line - 1]))
    data = lines[f.span.line - 1].encode()
    at = len(data[: f.span.column].decode(errors="ignore"))
    end = len(data[: f.span.end].decode(errors="ignore"))
    return Place.of(file, text, start + at, start + max(end, at + 1))


def ignored(text: str, f: Finding) -> bool:
    """Whether a comment in the line, or alone above it, says that the finding is no matter."""
    lines = text.splitlines()
    near = [lines[f.span.line - 1]]
    if f.span.line > 1 and lines[f.span.line - 2].lstrip().startswith(("#", "//")):
        near.append(lines[f.span.line - 2])
    for line in near:
        found = IGNORE.search(line)
        if found and (found[1] is None or f.code in re.split(r"[,\s]+", found[1])):
            return True
    return False


def identity(finding: dict[str, Any]) -> str:
    """What a finding is known by: not by its line, which moves."""
    keys = ("code", "file", "function", "expression")
    return "\0".join(str(finding.get(k)) for k in keys)


def read_baseline(file: str) -> frozenset[str]:
    """The findings of an earlier scan's JSON.

    Raises `LayoutError` (SL601) for a file that is none.
    """
    try:
        data = json.loads(read_text(file))
        return frozenset(_identities(data["findings"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, LayoutError):
            raise
        raise LayoutError("SL601", f"{file} is no JSON of an earlier scan") from None


def _identities(found: list[dict[str, Any]]) -> Iterator[str]:
    for f in found:
        yield identity(dict(f))
