"""No silent green: what was to be checked and was not, each a problem that says what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from symlayout.checks import claims_file
from symlayout.checks.comments import loader as comments
from symlayout.checks.comments.clauses import MARK
from symlayout.checks.comments.near import WORDS
from symlayout.checks.discover import KINDS, search, walk
from symlayout.checks.ignoring import Ignored
from symlayout.checks.reading import read_text
from symlayout.checks.result import Loaded, Place, Problem, Result, Task
from symlayout.errors import LayoutError, did_you_mean
from symlayout.text.limits import CLAIMS_BYTES, FILE_BYTES
from symlayout.text.patterns import regex

CLAIM = regex(r"""^[ \t]*(?:\[\[[ \t]*["']?claim["']?[ \t]*\]\]|claim[ \t]*=[ \t]*\[\s*\{)""", re.M)
# endings of code whose comments are not read, and a claim's comment in any of them
OTHERS = (
    *(".pyi", ".pyx", ".ipynb", ".mojo", ".mlir", ".td", ".ll", ".m", ".mm", ".swift"),
    *(".hlsl", ".glsl", ".comp", ".wgsl", ".rs", ".jl", ".go", ".zig"),
)
COMMENT = regex(rf"(?:#|//|/\*|;|--)[ \t]*{MARK}[ \t]*(?:{'|'.join(WORDS)})\b[^\n]*[\"'\[({{<>=]")
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
    """A problem for each file below a folder that has claims and an ending that nothing reads."""
    checks = {os.path.abspath(path) for path in named}
    seen: dict[str, None] = {}
    for folder in filter(os.path.isdir, named):
        for file in sorted(search(folder, _is_missed, Ignored.below(folder, exclude, git))):
            if os.path.abspath(file) not in checks:
                seen.setdefault(file)
    for file in seen:
        toml = file.lower().endswith(".toml")
        try:
            text = read_text(file, CLAIMS_BYTES if toml else FILE_BYTES)
        except LayoutError:
            continue
        match = (CLAIM if toml else COMMENT).search(text)
        if match is not None:
            place = Place.of(file, text, match.start(), match.end())
            yield Problem("SL507", *_renaming(file, toml, place))


def _is_missed(name: str) -> bool:
    """Whether a file of that name may have claims, but is of no ending that is read."""
    low = name.lower()
    if low.endswith(".toml"):
        return not name.endswith(claims_file.SUFFIX)
    return low.endswith(OTHERS) or (low != name and low.endswith(comments.SUFFIXES))


def _renaming(file: str, toml: bool, place: Place) -> tuple[str, Place, str]:
    """What is wrong with the ending of a file, and what to do."""
    name = os.path.basename(file)
    if toml:
        right = name[: -len(".toml")] + claims_file.SUFFIX
        if name.lower().endswith(claims_file.SUFFIX):
            right = name[: -len(claims_file.SUFFIX)] + claims_file.SUFFIX
        said = f"{file} has claims, but a claims file ends in {claims_file.SUFFIX}"
        return said, place, f"rename it to {right}, or name it as a path"
    read = ", ".join(comments.SUFFIXES)
    said = f"{file} has a claim in a comment, but no comments of such files are read"
    return said, place, f"comments are read in {read}; --exclude leaves the file out"
