"""No silent green: what was to be checked and was not, each a problem that says what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec

from symlayout.checks import claims_file
from symlayout.checks.comments import loader as comments
from symlayout.checks.comments.clauses import MARK
from symlayout.checks.comments.near import WORDS
from symlayout.checks.discover import KINDS, search, walk
from symlayout.checks.ignoring import Ignored
from symlayout.checks.module_file import TEXTS, language, of_another_dialect
from symlayout.checks.reading import Within
from symlayout.checks.result import Loaded, Place, Problem, Result, Task
from symlayout.checks.walking import walk as folders_below
from symlayout.errors import LayoutError, did_you_mean
from symlayout.text.dumps import without_text
from symlayout.text.endings import ends_in
from symlayout.text.limits import CLAIMS_BYTES, FILE_BYTES
from symlayout.text.lines import count, first_few
from symlayout.text.patterns import regex

CLAIM = regex(r"""^[ \t]*(?:\[\[[ \t]*["']?claim["']?[ \t]*\]\]|claim[ \t]*=[ \t]*\[\s*\{)""", re.M)
# endings of code whose comments are not read, and a claim's comment in any of them
OTHERS = (
    *(".pyi", ".pyx", ".ipynb", ".mojo", ".mlir", ".td", ".ll", ".m", ".mm", ".swift"),
    *(".hlsl", ".glsl", ".comp", ".wgsl", ".rs", ".jl", ".go", ".zig"),
)
COMMENT = regex(rf"(?:#|//|/\*|;|--)[ \t]*{MARK}[ \t]*(?:{'|'.join(WORDS)})\b[^\n]*[\"'\[({{<>=]")
# folders of tools, which hold no claims of a project
TOOLS_WORDS = """
.git .hg .svn .jj .venv .tox .nox .eggs .cache .direnv .mypy_cache .ruff_cache .pytest_cache
.hypothesis .ipynb_checkpoints .symlayout_cache node_modules site-packages __pycache__
"""
TOOLS = frozenset(TOOLS_WORDS.split())
MOST_HIDDEN = 20_000  # names that are looked at in hidden folders
SHOWN = 3
BINARY = (".pb",)
MOST_BINARY = 10  # names of binary modules in one message
TEXT_DUMP = "XLA_FLAGS=--xla_dump_hlo_as_text writes text"
EMPTY = "pass --allow-empty to accept that"
CONTRACT = (
    "look for defects with `symlayout scan {}`, or write a contract above a kernel: "
    "# symlayout: kernel grid (..); pass --allow-empty to accept that"
)


def is_source(file: str) -> bool:
    """Whether a file may hold claims in comments."""
    return ends_in(file, comments.SUFFIXES)


def binary_modules(
    named: Iterable[str],
    files: Iterable[str],
    exclude: tuple[str, ...],
    git: bool,
    within: Within,
) -> dict[str, list[str]]:
    """The binary modules below each folder that nobody reads: no text of the same stage is there."""
    texts, result = {os.path.abspath(f): f for f in files}, dict[str, list[str]]()
    for folder in filter(os.path.isdir, named):
        below = walk(folder, BINARY, Ignored.below(folder, exclude, git), within)
        others = (f for f in below if os.path.abspath(f) not in texts)
        unread = [f for f in others if language(f, within) == "bytes"]
        if unread := without_text(unread, texts.values()):
            result[folder] = unread
    return result


def not_read(folders: Mapping[str, list[str]], named: Mapping[str, Place]) -> Iterator[Problem]:
    """A problem for the binary modules of each folder, with their names."""
    help = f"pip install 'symlayout[jax]', then name the files; or: {TEXT_DUMP}"
    if find_spec("jaxlib") is not None:
        help = f"symlayout check FILE reads one, through jaxlib; or: {TEXT_DUMP}"
    for folder, names in folders.items():
        yield Problem("SL509", binary_note(names), named[folder], help)


def binary_note(files: list[str]) -> str:
    """What is said of binary modules that a search found."""
    return f"not read: {count(len(files), 'binary module')} ({first_few(files, MOST_BINARY)})"


def nothing(
    named: Mapping[str, Place],
    files: Mapping[str, str | None],
    loaded: Sequence[Loaded],
    within: Within,
) -> Iterator[Problem]:
    """A problem for each path from which nothing could be checked, at the place that names it.

    Source beside files with claims may hold none.
    """
    whole = (one for one in loaded if any(m.get("nothing_to_check") for m in one.modules))
    full = {one.file for one in loaded if one.entries or one.problems}
    full.update(one.file for one in whole)
    for path, place in named.items():
        inside = [f for f, folder in files.items() if path in (f, folder)]
        if any(f in full for f in inside) or not os.path.exists(path):
            continue
        if len(inside) == 1 and inside[0] == path:
            if is_source(path) and full:
                continue
            if is_source(path) and (problem := _no_contract(path, place, within)) is not None:
                yield problem
                continue
            help = CONTRACT.format(path) if is_source(path) else EMPTY
            message = f"no claims found in {path}"
        else:
            message, help = (
                f"no claims found below {path}: {_why(path, len(inside), within)}",
                EMPTY,
            )
        yield Problem("SL602", message, place, help)


def _no_contract(path: str, place: Place, within: Within) -> Problem | None:
    """The problem of a file with kernels and no contract, with one to start from."""
    from symlayout.checks.kernel_files import reader_of
    from symlayout.checks.kernel_start import comment, contract_of

    with suppress(LayoutError, RecursionError):
        text = within.text(path)
        try:
            reader = reader_of(path, within, text=text)
        except LayoutError as error:
            at = error.at if error.text is None else None
            return None if at is None else Problem.of(error, Place.of(path, text, at))
        kernels = [] if reader is None else reader.launched()
        if reader is None or not kernels:
            return None
        message = f"no contract in {path}; `symlayout scan {path}` looks for defects without one"
        sign = "#" if path.endswith(".py") else "//"
        name = kernels[0].name
        help = f"`symlayout contract {path}::{name} --write` puts one above {name} to start from"
        lines = comment(contract_of(reader, kernels[0]), sign).splitlines()
        return Problem("SL602", message, place, help, tuple(lines))
    return None


def _why(folder: str, files: int, within: Within) -> str:
    if files:
        return f"no claim is in {files} file{'s' * (files > 1)}"
    ignored = Ignored.below(folder)
    hits = walk(folder, KINDS, ignored, within)
    if hits and all(of_another_dialect(f, within) for f in hits):
        return f"{count(len(hits), 'MLIR file')} there without StableHLO"
    if hits:
        return f"what is excluded there is passed over ({len(hits)}), by --exclude or the settings"
    if ignored.count:
        return f"what .gitignore names there is passed over ({ignored.count}); --no-ignore reads it"
    kinds = ", ".join(sorted({*KINDS} - {TEXTS}))
    return f"no file there ends in {kinds}, and no {TEXTS} begins as a compiler's module"


def no_tag(
    tags: Mapping[str, Place | None], entries: Iterable[Task | Result], every: bool
) -> Iterator[Problem]:
    """A problem for tags that no claim has: for `every` such tag, or if all of them are such."""
    have = {t for e in entries if isinstance(e, Task) for t in e.tags}
    missing = [t for t in tags if t not in have]
    if every or len(missing) == len(tags):
        for tag in missing:
            known = ", ".join(sorted(have)[:10])
            hint = did_you_mean(tag, sorted(have)) or (f"the tags are {known}" if have else None)
            yield Problem("SL602", f"no claim has the tag {tag!r}", tags[tag], hint or EMPTY)


def wrong_endings(
    named: Iterable[str], exclude: tuple[str, ...], git: bool, hidden: list[str], within: Within
) -> Iterator[Problem]:
    """A problem for each file below a folder that has claims and an ending that nothing reads.

    `hidden` gets the folders that are not searched because their names begin with a dot.
    """
    checks = {os.path.abspath(path) for path in named}
    seen: dict[str, None] = {}
    for folder in filter(os.path.isdir, named):
        ignored = Ignored.below(folder, exclude, git)
        for file in sorted(search(folder, _is_missed, ignored, within)):
            if os.path.abspath(file) not in checks:
                seen.setdefault(file)
        hidden += (d for d in ignored.hidden if not ignored(d, True))
    for file in seen:
        toml = ends_in(file, ".toml")
        try:
            text = within.text(file, CLAIMS_BYTES if toml else FILE_BYTES)
        except LayoutError:
            continue
        match = (CLAIM if toml else COMMENT).search(text)
        if match is not None:
            place = Place.of(file, text, match.start(), match.end())
            yield Problem("SL507", *_renaming(file, toml, place))


def hidden_claims(folders: Sequence[str], named: Iterable[str]) -> list[str]:
    """The claims files in folders that are not searched, those of tools left out."""
    checks = {os.path.abspath(path) for path in named}
    hits: list[str] = []
    looked = 0
    for folder in folders:
        for root, inner, names in folders_below(folder):
            tool = os.path.basename(root) in TOOLS or "pyvenv.cfg" in names
            looked += len(names) + len(inner)
            if tool or looked > MOST_HIDDEN:
                inner.clear()
                continue
            files = (f"{root}/{n}" for n in sorted(names) if n.endswith(claims_file.SUFFIX))
            hits += (f for f in files if os.path.abspath(f) not in checks)
    hidden = tuple(os.path.abspath(folder) + os.sep for folder in folders)
    inside = tuple(c + os.sep for c in checks if f"{c}{os.sep}".startswith(hidden))
    return [f for f in hits if not os.path.abspath(f).startswith(inside)]


def hidden_note(files: list[str]) -> str:
    """The note about claims files in folders that a search does not enter."""
    what = f"{len(files)} claims file{'s' * (len(files) > 1)}"
    where = "a folder whose name begins" if len(files) == 1 else "folders whose names begin"
    sample = first_few(files, SHOWN)
    return f"passed over: {what} in {where} with a dot; name it as a path: {sample}"


def _is_missed(name: str) -> bool:
    """Whether a file of that name may have claims, but is of no ending that is read."""
    low = name.lower()
    if low.endswith(".toml"):
        return not name.endswith(claims_file.SUFFIX)
    return low.endswith(OTHERS)


def _renaming(file: str, toml: bool, place: Place) -> tuple[str, Place, str]:
    """What is wrong with the ending of a file, and what to do."""
    name = os.path.basename(file)
    if toml:
        right = name[: -len(".toml")] + claims_file.SUFFIX
        if ends_in(name, claims_file.SUFFIX):
            right = name[: -len(claims_file.SUFFIX)] + claims_file.SUFFIX
        message = f"{file} has claims, but a claims file ends in {claims_file.SUFFIX}"
        return message, place, f"rename it to {right}, or name it as a path"
    read = ", ".join(comments.SUFFIXES)
    message = f"{file} has a claim in a comment, but no comments of such files are read"
    return message, place, f"comments are read in {read}; --exclude leaves the file out"
