"""What compilers write into folders: which texts are modules, and of which stage.

Nothing heavy is imported: a folder is looked through before anything is read whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from symlayout.text.patterns import regex

HEAD = 4096  # characters that are enough to tell

_BLANK = r"(?:(?>\s++|//[^\n]*+|/\*(?s:.*?)\*/))*+"
HLO = regex(rf"{_BLANK}(?:HloModule\b|(?:ENTRY\s++)?%?[\w.\-]++\s*+(?:\([^{{}}=]*->[^{{=]*)?\{{)")
MLIR = regex(
    rf'{_BLANK}(?:#[\w.\-]++\s*+=|"?(?:builtin\.)?module\b|"?func\.func\b|![\w]++\s*+='
    r"|(?:stablehlo|mhlo|chlo|vhlo|sdy)\.|\{-#)"
)
BESIDE = regex(
    r"\s*+(?:BufferAssignment:|Memory Space:|Buffer assignment|Total bytes|Total hlos"
    r"|HloLiveRange|HloSchedule|Used values|Peak buffers|Thunk|digraph)"
)
# module_0001.jit_f.cl_1.after_optimizations.txt
DUMPED = regex(
    r"(?P<module>.*?module_\d+\.[^.]+)\.(?P<stage>.+)\.(?:txt|mlir|hlo(?:\.pb)?|hlo_snapshot\.pb)"
)
ENDINGS = regex(r"(?:\.(?:txt|mlir|hlo_snapshot|hlo|pb)){1,3}\Z")
# module_0001.jit_f/module.mlir and module_0001.jit_f.cl_1/module.mlir are what the compiler is given
GIVEN = regex(r"(?P<module>(?:.*?\b)?module_\d+\.[^.]+)(?:\..+)?")
# stages at which layouts are there and memory is about to be assigned, or was not enough
ON_THE_WAY = ("after_optimizations", "after_codegen", "oom_intermediate_module")
PASS = regex(r"\d{4}\.")


def language_of(text: str) -> str:
    """ "hlo", "mlir", "beside" for what compilers write beside modules, or "" for all else.

    >>> [language_of(t) for t in ("HloModule m", "module @m {}", "BufferAssignment:", "[layouts]")]
    ['hlo', 'mlir', 'beside', '']
    """
    head = text[:HEAD]
    if MLIR.match(head):
        return "mlir"
    if BESIDE.match(head):
        return "beside"
    return "hlo" if HLO.match(head) else ""


def stage_of(file: str) -> str:
    """The stage of the compiler that a file's name tells, empty where it tells none.

    >>> stage_of("out/module_0001.jit_f.cl_1.after_optimizations.txt")
    'cl_1.after_optimizations'
    >>> stage_of("out/module_0001.jit_f/module.mlir")
    'given'
    """
    return _dumped(file)[2]


def _dumped(file: str) -> tuple[str, str, str]:
    """The folder of a dump, the module and the stage of a file in it; else the file and nothing."""
    path = PurePath(file)
    source = GIVEN.fullmatch(path.parent.name) if path.name == "module.mlir" else None
    if source is not None:
        return str(path.parent.parent), source["module"], "given"
    match = DUMPED.fullmatch(path.name)
    if match is None:
        return file, "", ""
    return str(path.parent), match["module"], match["stage"]


def _rank(stage: str) -> tuple[int, str]:
    """How far a stage is: what the compiler ends with, what it does on the way, where it begins."""
    if stage.endswith("after_optimizations"):
        return 4, stage
    if PASS.match(stage):
        return 2, stage
    if any(word in stage for word in ON_THE_WAY):
        return 3, stage
    return (1 if "before_optimizations" in stage else -1 if stage == "given" else 0), stage


def best_stages(files: Iterable[str]) -> tuple[list[str], list[str]]:
    """Of several stages of one module the last, the other files as they are; and what was left out.

    >>> best_stages(["m/module_1.f.before_optimizations.txt", "m/module_1.f.after_optimizations.txt"])
    (['m/module_1.f.after_optimizations.txt'], ['m/module_1.f.before_optimizations.txt'])
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for file in files:
        groups.setdefault(_dumped(file)[:2], []).append(file)
    choices, left = [], []
    for same in groups.values():
        best = max(same, key=lambda f: _rank(stage_of(f)))
        choices.append(best)
        left += [f for f in same if f != best]
    return choices, left


def without_text(binaries: Iterable[str], texts: Iterable[str]) -> list[str]:
    """The last stage of each binary module of which no text of that stage or a later one is there.

    >>> without_text(["m/module_1.f.after_optimizations.hlo.pb"], ["m/module_1.f/module.mlir"])
    ['m/module_1.f.after_optimizations.hlo.pb']
    >>> without_text(["m/module_1.f.x.hlo.pb", "a.pb"], ["m/module_1.f.x.txt", "a.hlo"])
    []
    """
    last: dict[tuple[str, str], int] = {}
    for file in texts:
        module = _module(file)
        last[module] = max(last.get(module, -1), _rank(stage_of(file))[0])
    left = [f for f in binaries if _rank(stage_of(f))[0] > last.get(_module(f), -2)]
    return best_stages(left)[0]


def _module(file: str) -> tuple[str, str]:
    """The module that a file of a dump renders; else the file without the endings of modules."""
    folder, module, _ = _dumped(file)
    return (folder, module) if module else (ENDINGS.sub("", file), "")


def opcode_counts(numbers: Mapping[str, int]) -> str:
    """Opcodes with their numbers, the most frequent first.

    >>> opcode_counts({"convolution": 3, "gather": 12})
    '12 gather, 3 convolution'
    """
    rows = sorted(numbers.items(), key=lambda row: (-row[1], row[0]))
    return ", ".join(f"{number} {opcode}" for opcode, number in rows)
