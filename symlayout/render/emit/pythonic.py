"""What Python functions on arrays and scalars of other packages share."""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.render.emit.clike import SHARED, Language, body
from symlayout.render.emit.python import RESERVED
from symlayout.render.emit.source import Source

MASKS = ("&", "|", "({} < {})")  # conditions of arrays


def on_arrays(name: str, word: str, more: str = "") -> Language:
    """A package whose functions of arrays are called as NumPy's are, imported by that word."""
    return Language(
        name,
        RESERVED | {word, *more.split()},
        divide="//",
        floors=True,
        shared=-SHARED,
        where=f"{word}.where({{p}} < {{q}}, {{a}}, {{b}})",
        least=f"{word}.minimum({{a}}, {{b}})",
        greatest=f"{word}.maximum({{a}}, {{b}})",
        toward_zero=f"({word}.sign({{a}})*{word}.sign({{b}})*({word}.abs({{a}})//{word}.abs({{b}})))",
        conditions=MASKS,
    )


def source(
    language: Language, s: Source, head: Sequence[str], decorator: str = "", wide: str = ""
) -> str:
    """`def name(variables, sizes)` below its imports; `wide` is said of what needs 64 bits.

    It returns the result or the results; before them, where there is a guard, where that holds.
    """
    func = body(language, s, wide)
    start = [decorator] if decorator else []
    lines = [*head, ""]
    for text in func.helpers:
        lines += [*start, *text.rstrip("\n").split("\n"), ""]
    lines += [f"# {comment}" for comment in func.comments]
    lines += [*start, f"def {s.name}({', '.join(func.parameters)}):"]
    lines += [f"    {part} = {code}" for part, code in func.parts]
    row = [*[func.guard] * bool(func.guard), *func.results]
    end = "," * (len(row) == 1 and s.f.tupled)
    return "\n".join([*lines, f"    return {', '.join(map(str, row))}{end}"]) + "\n"
