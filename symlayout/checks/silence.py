"""No silent green: what was to be checked and was not, each a problem that says what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from symlayout.checks import claims_file
from symlayout.checks.comments import loader as comments
from symlayout.checks.discover import KINDS, walk
from symlayout.checks.ignoring import Ignored
from symlayout.checks.reading import read_text
from symlayout.checks.result import Loaded, Place, Problem, Result, Task
from symlayout.errors import LayoutError, did_you_mean
from symlayout.text.limits import CLAIMS_BYTES
from symlayout.text.patterns import regex

CLAIM = regex(r"^[ \t]*\[\[[ \t]*claim[ \t]*\]\]", re.M)
EMPTY = "--allow-empty lets that pass"


def is_source(file: str) -> bool:
    """Whether a file may hold claims in comments."""
    return file.endswith(comments.SUFFIXES)


def nothing(
    named: Iterable[str], files: Mapping[str, str | None], loaded: Sequence[Loaded]
) -> Iterator[Problem]:
    """A problem for each path from which nothing could be checked.

    Source beside files with claims may hold none.
    """
    full = {one.file for one in loaded if one.entries or one.problems}
    for path in named:
        inside = [f for f, folder in files.items() if path in (f, folder)]
        if any(f in full for f in inside) or not os.path.exists(path):
            continue
        if len(inside) == 1 and inside[0] == path:
            if is_source(path) and full:
                continue
            claim = " with a claim in a comment" if is_source(path) else ""
            message = f"{path} holds nothing{claim} that could be checked"
        else:
            message = f"nothing below {path} could be checked: {_why(path, len(inside))}"
        yield Problem("SL602", message, Place(path, 1), EMPTY)


def _why(folder: str, files: int) -> str:
    if files:
        return f"no claim is in {files} file{'s' * (files > 1)}"
    ignored = Ignored.below(folder)
    walk(folder, KINDS, ignored)
    if ignored.count:
        return f"what .gitignore names there is passed over ({ignored.count}); --no-ignore reads it"
    return f"no file there ends in {', '.join(sorted({*KINDS} - {'.txt'}))}"


def no_tag(tags: Sequence[str], entries: Iterable[Task | Result], every: bool) -> Iterator[Problem]:
    """A problem for tags that no claim has: for `every` such tag, or if all of them are such."""
    have = {t for e in entries if isinstance(e, Task) for t in e.tags}
    missing = [t for t in tags if t not in have]
    if every or len(missing) == len(tags):
        for tag in missing:
            known = ", ".join(sorted(have)[:10])
            hint = did_you_mean(tag, sorted(have)) or (f"the tags are {known}" if have else None)
            yield Problem("SL602", f"no claim has the tag {tag!r}", None, hint or EMPTY)


def wrong_endings(named: Iterable[str], exclude: tuple[str, ...], git: bool) -> Iterator[Problem]:
    """A problem for each TOML file below a folder that has claims and another ending."""
    checks = {os.path.abspath(path) for path in named}
    seen: dict[str, None] = {}
    for folder in filter(os.path.isdir, named):
        for file in walk(folder, (".toml",), Ignored.below(folder, exclude, git)):
            if not file.endswith(claims_file.SUFFIX) and os.path.abspath(file) not in checks:
                seen.setdefault(file)
    for file in seen:
        try:
            text = read_text(file, CLAIMS_BYTES)
        except LayoutError:
            continue
        match = CLAIM.search(text)
        if match is not None:
            right = os.path.basename(file).removesuffix(".toml") + claims_file.SUFFIX
            yield Problem(
                "SL507",
                f"{file} has claims, but a claims file ends in {claims_file.SUFFIX}",
                Place.of(file, text, match.start(), match.end()),
                f"rename it to {right}, or name it as a path",
            )
