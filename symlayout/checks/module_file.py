"""Loading a compiler's module: its layouts, bitcasts, broadcasts and shapes become tasks."""

from __future__ import annotations

import codecs
import os
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from symlayout.checks.binaries import kind_of, text_of
from symlayout.checks.cache import Cache
from symlayout.checks.reading import Within
from symlayout.checks.result import Loaded, Place, Problem, Task
from symlayout.errors import LayoutError
from symlayout.layouts.claim import Claim
from symlayout.text.dumps import HEAD, language_of, stage_of
from symlayout.text.endings import ends_in
from symlayout.text.limits import MODULE_BYTES
from symlayout.text.lines import first_few
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.programs.hlo.module import Module

SUFFIXES = (".hlo", ".mlir")
TEXTS = ".txt"  # what a compiler dumps: a module if it begins as one
PADDING_SHOWN = 5
STABLEHLO = regex(rb"\b(?:stablehlo|mhlo)\.\w")
PASSED_OVER_SHOWN = 3
VHLO = regex(r'(?:^|[\s"])vhlo\.\w')
VHLO_HELP = "stablehlo-opt --vhlo-legalize-to-stablehlo FILE prints it as StableHLO"


def may_be_module(name: str) -> bool:
    """Whether the ending of a name, in letters of either size, is one of compilers' modules."""
    return ends_in(name, (*SUFFIXES, TEXTS))


def of_another_dialect(file: str, within: Within) -> bool:
    """Whether an MLIR file has no word of StableHLO; one that cannot be read may have some.

    Bytecode of an unknown dialect counts as another one where jaxlib is missing.
    """
    if not ends_in(file, ".mlir"):
        return False
    try:
        data = within.bytes(file, MODULE_BYTES)
    except LayoutError:
        return False
    kind = kind_of(data)
    if kind is not None:
        return kind.reader == "mlir" and find_spec("jaxlib") is None
    return STABLEHLO.search(data) is None


def dialect_note(files: list[str], within: Within) -> str:
    """The note about files of other dialects that a search found, and about bytecode."""
    unread = [f for f in files if language(f, within) == "bytes"]
    texts = [f for f in files if f not in unread]
    lines = []
    if texts:
        verb = "holds" if len(texts) == 1 else "hold"
        lines.append(f"passed over: {_listed(texts)} {verb} no StableHLO{_names(texts)}")
    if unread:
        words = "is MLIR bytecode" if len(unread) == 1 else "are MLIR bytecode"
        cure = "`pip install 'symlayout[jax]'` lets symlayout read bytecode"
        lines.append(f"passed over: {_listed(unread)} {words}{_names(unread)}; {cure}")
    return "\n".join(lines)


def _listed(files: list[str]) -> str:
    return files[0] if len(files) == 1 else f"{len(files)} .mlir files"


def _names(files: list[str]) -> str:
    return f" ({first_few(files, PASSED_OVER_SHOWN)})" if len(files) > 1 else ""


def language(file: str, within: Within) -> str:
    """The language of the module that a file holds, by its first words; "" where it holds none.

    It is "bytes" for one that is not text.
    """
    try:
        return language_read(file, within)
    except LayoutError:
        return ""


def language_read(file: str, within: Within) -> str:
    """The same; raises `LayoutError` (SL601) for a file that cannot be read."""
    head = within.bytes(file, HEAD, cut=True)
    if kind_of(head) is not None:
        return "bytes"
    return language_of(head.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace"))


def stage_note(files: list[str]) -> str:
    """The note about earlier stages of modules that a search found."""
    names = first_few(files, PASSED_OVER_SHOWN)
    return f"the last stage of each module is taken; left out: {names}"


def load(
    file: str,
    within: Within,
    max_padding: str | None = None,
    cache: Cache | None = None,
    top: int = PADDING_SHOWN,
) -> Loaded:
    """The tasks of a module, and what its layouts waste, the `top` worst buffers in a table.

    With `max_padding` every buffer claims to be at most that many times as large as its array.
    Reading a module needs SymPy; the cache keeps what was read by the module's content.
    """
    try:
        text, binary = module_text(file, within)
    except LayoutError as error:
        return Loaded(file, (), (Problem.of(error, Place(file, 1)),))
    if language_of(text) == "beside":
        message = f"{file} is what a compiler writes beside its modules, and no module"
        return Loaded(file, (), (Problem("SL720", message, Place(file, 1)),))
    if VHLO.search(text) and not STABLEHLO.search(text.encode()):
        message = f"{file} is VHLO, the stored form of StableHLO, which symlayout does not read"
        return Loaded(file, (), (Problem("SL720", message, Place(file, 1), VHLO_HELP),))
    beside = written_beside(file, within)
    if cache is None:
        loaded = read(file, text, max_padding, top, beside)
    else:
        content = f"{file}\0{max_padding}\0{top}\0{beside}\0{text}"
        loaded = cache.loaded(content, lambda: read(file, text, max_padding, top, beside))
    if not binary:
        return loaded
    note = f"{file} is {binary}; line numbers refer to the text that jaxlib prints"
    return replace(loaded, note="\n".join(t for t in (note, loaded.note) if t))


def module_text(file: str, within: Within) -> tuple[str, str]:
    """The text of a module, and what the file is if that is not text.

    Raises `LayoutError` (SL601, SL509) for what cannot be read.
    """
    try:
        return within.text(file, MODULE_BYTES), ""
    except LayoutError:
        text, binary = text_of(file, within.bytes(file, MODULE_BYTES))
        if not binary:
            raise
        return text, binary


def written_beside(file: str, within: Within) -> str:
    """What the compiler has written of the memory of a dumped module, "" where there is nothing."""
    from symlayout.programs.hlo.assignment import BESIDE

    results = []
    for ending in BESIDE:
        name = file.removesuffix(TEXTS) + ending
        if file.endswith(TEXTS) and os.path.isfile(name):
            with suppress(LayoutError):
                results.append(within.text(name, MODULE_BYTES))
    return "\n".join(results)


def read(
    file: str, text: str, max_padding: str | None, top: int = PADDING_SHOWN, beside: str = ""
) -> Loaded:
    """What the modules of a text hold; `beside` is what the compiler wrote beside the file."""
    from symlayout.programs.hlo.claims import modules_of

    parts = []
    for module in modules_of(text, file):
        try:
            parts.append(_one(file, text, module, max_padding, top, beside))
        except LayoutError as error:
            parts.append(Loaded(file, (), (_problem(file, text, error),)))
    return Loaded(
        file,
        tuple(e for p in parts for e in p.entries),
        tuple(x for p in parts for x in p.problems),
        "\n\n".join(p.note for p in parts if p.note),
        tuple(row for p in parts for row in p.padding),
        tuple(m for p in parts for m in p.modules),
    )


def _one(
    file: str, text: str, module: Module, max_padding: str | None, top: int, beside: str
) -> Loaded:
    """What one module holds."""
    from symlayout.programs.hlo.assignment import read_assignment
    from symlayout.programs.hlo.claims import claims_of
    from symlayout.programs.hlo.memory import footprint
    from symlayout.programs.hlo.padding import padding_report
    from symlayout.programs.hlo.summary import summary

    result = claims_of(module, max_padding)
    waste = padding_report(module, file)
    memory = footprint(module)
    entries = tuple(
        Task(
            c.name,
            Claim(c.word, c.arguments, c.options),
            place=Place(file, c.line, c.column, c.width, c.source),
        )
        for c in result.claims
    )
    problems = tuple(_problem(file, text, p) for p in result.problems)
    data = {
        "file": file,
        "name": module.name,
        "stage": stage_of(file) or ("scheduled" if module.scheduled else ""),
        "sign": module.sign,
        **memory.as_json(),
        "not_checked": dict(result.not_checked),
        "nothing_to_check": result.nothing_to_check,
    }
    theirs = read_assignment(beside) if beside else None
    if theirs is not None:
        data["compiler"] = theirs.as_json()
        theirs.add_offsets(data)
    note = summary(file, result, memory, waste, top, theirs)
    rows = tuple({"file": file, "module": module.name, **row} for row in waste.as_json())
    return Loaded(file, entries, problems, note, rows, (data,))


def _problem(file: str, text: str, error: LayoutError) -> Problem:
    """The problem of an error that points into the module's text, or else at its first line."""
    if error.text == text and error.at is not None:
        place = Place.of(file, text, error.at, error.end)
        return Problem(error.code, error.message, place, error.help)
    return Problem.of(error, Place(file, 1))
