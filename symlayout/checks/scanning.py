"""A scan of files and folders: kernels read one by one, findings less what is ignored or known."""

from __future__ import annotations

import ast
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from symlayout.checks.discover import discover
from symlayout.checks.kernel_files import SUFFIXES, lookalikes_beside, reader_of, text_of
from symlayout.checks.reading import ANYWHERE, Within
from symlayout.checks.result import Place
from symlayout.checks.scan_source import Words, scan_kernel
from symlayout.errors import LayoutError, internal
from symlayout.programs.kernels.scan.barriers import needs_block
from symlayout.programs.kernels.scan.finding import UNBOUNDED, Finding, Limits
from symlayout.text.lines import lines_of
from symlayout.text.patterns import regex

IGNORE = regex(r"\bsymlayout:\s*ignore(?![\w-])(?:\s*\[([^\]]*\]?))?")
CONTRACT = regex(r"symlayout:[ \t]*kernel\b")
COMMENTS = ("#", "//", "/*")


@dataclass
class Scan:
    """What a scan of files found; `skipped` has what was not understood, with the reason.

    `unread` are the files of which nothing could be read, with the reasons as well; `not_read` counts
    what looks like a kernel and is not read, by language. `unchecked` has the kernels whose races are
    not looked for, `sources` the files with kernels, each with whether a contract is there.
    """

    findings: list[tuple[Finding, Place]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    launches: list[dict[str, Any]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    not_read: Counter[str] = field(default_factory=Counter)
    unchecked: list[dict[str, Any]] = field(default_factory=list)
    sources: list[tuple[str, bool]] = field(default_factory=list)
    hidden: int = 0
    files: int = 0
    kernels: int = 0
    accesses: int = 0
    understood: int = 0

    def add(
        self, file: str, text: str, f: Finding, known: Counter[str], line: int | None = None
    ) -> None:
        """Adds a finding, unless it is ignored or known; of those alike, as many as `known` counts.

        `line` is that of its access, where a comment may stand as well.
        """
        place = Place.of_bytes(file, text, f.span.line, f.span.column, f.span.end)
        own = identity(as_json(f, place))
        if any(ignored(text, f.code, n) for n in {f.span.line, line or f.span.line}):
            return
        if known[own] > 0:
            known[own] -= 1
            return
        self.findings.append((f, place))

    def join(self, other: Scan) -> None:
        """Adds what was found in other files."""
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name) + getattr(other, f.name))

    def keep_sure(self) -> None:
        """Leaves findings of high confidence, and counts the others."""
        sure = [(f, p) for f, p in self.findings if f.confidence == "high"]
        self.hidden, self.findings = len(self.findings) - len(sure), sure

    def to_json(self) -> dict[str, Any]:
        """The scan as plain data."""
        lines = [as_json(f, p) for f, p in self.findings]
        summary = {"files": self.files, "kernels": self.kernels, "accesses": self.accesses}
        summary |= {"understood": self.understood, "findings": len(lines)}
        summary |= {"hidden": self.hidden, "skipped": len(self.skipped)}
        counts: dict[str, Any] = summary | {"not_read": dict(sorted(self.not_read.items()))}
        return {
            "schema": 1,
            "findings": lines,
            "skipped": self.skipped,
            "launches": self.launches,
            "unchecked": self.unchecked,
            "summary": counts,
        }


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


def limits_of(assume: bool = True, size: int = 0, elements: int = 0) -> Limits:
    """The largest sizes: those of the policy or of the types, unless a number is there."""
    known = Limits() if assume else UNBOUNDED
    return Limits(size or known.size, size or known.wide, elements or known.elements)


def sources_of(paths: Iterable[str], within: Within) -> list[str]:
    """The source files of the paths that a scan reads."""
    return discover(paths, within, SUFFIXES)


def scan_file(file: str, within: Within, limits: Limits, known: Mapping[str, int] = {}) -> Scan:
    """The findings in one file; one that cannot be read is skipped, with the reason."""
    result, left = Scan(files=1), Counter(known)
    with _skip_errors(result, file):
        try:
            text = text_of(file, within)
            reader = reader_of(file, within, text=text)
        except LayoutError as error:
            result.unread.append((file, error.message))
            raise
        with _skip_errors(result, file):
            for x in lookalikes_beside(file, text, reader):
                result.not_read[x.language] += 1
                row = _skip_row(file, x.line, x.name, x.reason)
                result.skipped.append(row | {"language": x.language})
        if reader is None:
            return result
        with _skip_errors(result, file):
            for f in reader.of_file(limits):
                result.add(file, reader.text, f, left)
        if reader.launched():
            result.sources.append((file, CONTRACT.search(text) is not None))
        words = Words(reader, limits)
        for node in reader.launched():
            with _skip_errors(result, file, node.lineno, node.name):
                _scan_kernel(result, words, node, left)
    return result


@contextmanager
def _skip_errors(result: Scan, file: str, line: int = 1, function: str = "") -> Iterator[None]:
    """What cannot be read is skipped, with the reason; what else is there is not."""
    try:
        yield
    except LayoutError as error:
        result.skipped.append(_skip_row(file, line, function, error.message))
    except (Exception, RecursionError) as error:
        result.skipped.append(_skip_row(file, line, function, internal(error)))


def _scan_kernel(result: Scan, words: Words, node: ast.FunctionDef, left: Counter[str]) -> None:
    """Adds what is found in one kernel."""
    reader = words.reader
    scan, file = scan_kernel(reader, node, words.limits), reader.file
    kernel, launches = scan.kernel, scan.launches
    result.kernels += 1
    result.accesses += len(kernel.accesses) + len(kernel.skipped)
    result.understood += sum(not a.doubt for a in kernel.accesses)
    lines = dict(sorted(kernel.skipped.items()))
    lines |= {a.span.line: a.doubt for a in kernel.accesses if a.doubt}
    result.skipped += [_skip_row(file, n, kernel.name, why) for n, why in lines.items()]
    head = {"file": file, "function": kernel.name}
    result.launches += [head | x.to_json() for x in launches]
    if needs_block(kernel):
        reason = "no launch in the file gives the size of its block"
        row = _skip_row(file, kernel.span.line, kernel.name, reason)
        result.unchecked.append(row | {"check": "race"})
    for f, line in words.of(node, scan):
        result.add(file, reader.text, f, left, line)


def _skip_row(file: str, line: int, function: str, reason: str) -> dict[str, Any]:
    return {"file": file, "line": line, "function": function, "reason": reason}


def ignored(text: str, code: str, number: int) -> bool:
    """Whether a comment in a line, or alone above it, says that such a finding is not a matter."""
    lines = lines_of(text)
    near = [lines[number - 1]]
    if number > 1 and lines[number - 2].lstrip().startswith(("#", "//")):
        near.append(lines[number - 2])
    for line in near:
        for match in IGNORE.finditer(line):
            if not any(sign in line[: match.start()] for sign in COMMENTS):
                continue  # a text that says so
            codes = [c.strip() for c in (match[1] or "").rstrip("]").split(",")]
            if match[1] is None or (match[1].endswith("]") and code in codes):
                return True
    return False


def identity(finding: dict[str, Any]) -> str:
    """What a finding is known by: not by its line, which moves."""
    keys = ("code", "function", "expression")
    file = os.path.normpath(str(finding.get("file")))
    return "\0".join([file, *(str(finding.get(k)) for k in keys)])


def read_baseline(file: str) -> Counter[str]:
    """The findings of an earlier scan's JSON.

    Raises `LayoutError` (SL601) for a file that is none.
    """
    try:
        data = json.loads(ANYWHERE.text(file))  # the command line names it
        return Counter([identity(dict(f)) for f in data["findings"]])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, LayoutError):
            raise
        raise LayoutError("SL601", f"{file} is not JSON of an earlier scan") from None
