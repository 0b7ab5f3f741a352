"""What compilers write into folders: which texts are modules, and of which stage.

Nothing heavy is imported: a folder is looked through before anything is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

HEAD = 4096  # characters that are enough to tell

_BLANK = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*+"
HLO = re.compile(
    rf"{_BLANK}(?:HloModule\b|(?:ENTRY\s++)?%?[\w.\-]++\s*+(?:\([^{{}}=]*->[^{{=]*)?\{{)"
)
MLIR = re.compile(
    rf'{_BLANK}(?:#[\w.\-]++\s*+=|"?(?:builtin\.)?module\b|"?func\.func\b|![\w]++\s*+='
    r"|(?:stablehlo|mhlo|chlo|vhlo|sdy)\.|\{-#)"
)
BESIDE = re.compile(
    r"\s*+(?:BufferAssignment:|Buffer assignment|Total bytes|Total hlos|HloLiveRange|HloSchedule"
    r"|Used values|Peak buffers|Thunk|digraph)"
)
# module_0001.jit_f.cl_1.after_optimizations.txt
DUMPED = re.compile(r"(?P<module>.*?module_\d+\.[^.]+)\.(?P<stage>.+)\.(?:txt|hlo|mlir)")
PASS = re.compile(r"\d{4}\.")


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
    """
    found = DUMPED.fullmatch(PurePath(file).name)
    return "" if found is None else found["stage"]


def _rank(stage: str) -> tuple[int, str]:
    """How far a stage is: what the compiler ends with, what it does on the way, where it begins."""
    if stage.endswith("after_optimizations"):
        return 4, stage
    if PASS.match(stage):
        return 2, stage
    if "after_optimizations" in stage or "after_codegen" in stage:
        return 3, stage
    return (1 if "before_optimizations" in stage else 0), stage


def best_stages(files: Iterable[str]) -> tuple[list[str], list[str]]:
    """Of several stages of one module the last, the other files as they are; and what was left out.

    >>> best_stages(["m/module_1.f.before_optimizations.txt", "m/module_1.f.after_optimizations.txt"])
    (['m/module_1.f.after_optimizations.txt'], ['m/module_1.f.before_optimizations.txt'])
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for file in files:
        found = DUMPED.fullmatch(PurePath(file).name)
        key = (file, "") if found is None else (str(PurePath(file).parent), found["module"])
        groups.setdefault(key, []).append(file)
    taken, left = [], []
    for same in groups.values():
        best = max(same, key=lambda f: _rank(stage_of(f)))
        taken.append(best)
        left += [f for f in same if f != best]
    return taken, left
