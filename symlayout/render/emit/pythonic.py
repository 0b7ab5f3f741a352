"""What Python functions on arrays and scalars of other packages share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.tree import Expr
from symlayout.render.emit.clike import SHARED, Language, body
from symlayout.render.emit.python import RESERVED


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
    )


def source(
    language: Language,
    layout: Any,
    formula: Expr,
    name: str,
    facts: Facts,
    head: Sequence[str],
    decorator: str = "",
    otherwise: str = "",
) -> str:
    """`def name(coordinates, sizes)` below its imports; `otherwise` is said of what needs 64 bits."""
    made = body(language, layout, formula, name, facts)
    start = [decorator] if decorator else []
    lines = [*head, ""]
    for text in made.helpers:
        lines += [*start, *text.rstrip("\n").split("\n"), ""]
    said = made.width.comment or otherwise
    lines += [f"# {said}"] if said else []
    lines += [*start, f"def {name}({', '.join(made.parameters)}):"]
    lines += [f"    {part} = {code}" for part, code in made.parts]
    return "\n".join([*lines, f"    return {made.result}"]) + "\n"
