"""`int64_t n = a * b * c` of three ints: the product has left 32 bits before it is widened."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.expr.machine import INT, UINT32
from symlayout.programs.kernels.access import Span
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    children,
    declarators,
    declared,
    head_of,
    text_of,
    walk,
)
from symlayout.programs.kernels.c.module import CModule
from symlayout.programs.kernels.c.types import CType, read_type
from symlayout.programs.kernels.scan.finding import Finding, Limits

FACTORS = 3  # of two, the sizes are most often known to be small


def widened_late(module: CModule, limits: Limits) -> Iterator[Finding]:
    """A finding for each such declaration, in functions on either side of the launch."""
    for word, tree in module.trees:
        types: dict[str, CType] = {}
        for name, type, value in _declarations(tree):
            types[name] = type
            factors = _factors(value) if value is not None and type.is_wide else []
            words = [text_of(f) for f in factors if f.type == "identifier"]
            plain = len(words) == sum(f.type != "number_literal" for f in factors)
            narrow = all(w in types and types[w].computed in (INT, UINT32) for w in words)
            if len(set(words)) >= FACTORS and plain and narrow and value is not None:
                yield _finding(word, value, words, types, limits)


def _finding(
    word: str, value: Tree, words: list[str], types: dict[str, CType], limits: Limits
) -> Finding:
    edge = 2 ** (32 if any(types[w].computed == UINT32 for w in words) else 31)
    size = 1
    while size ** len(words) < edge and size < limits.size:
        size *= 2
    text = " ".join(text_of(value).split())
    row, column = value.start_point
    return Finding(
        "overflow",
        Span(row + 1, column, column + len(text_of(value).encode())),
        word,
        text,
        f"{text} is computed in 32 bits before it is widened, and is {size ** len(words):,} there, "
        f"above {edge - 1:,}",
        f"widen a factor before the product: (int64_t){words[0]}",
        dict.fromkeys(words, size),
    )


def _declarations(tree: Tree) -> Iterator[tuple[str, CType, Tree | None]]:
    """The variables and parameters of a function in their order, each with its first value."""
    for t in walk(tree):
        head = head_of(t) if t.type in ("declaration", "parameter_declaration") else ""
        type = read_type(head)
        for d in declarators(t) if head else ():
            named, value = declared(d)
            if named is not None and named.type == "identifier":
                yield text_of(named), type, value


def _factors(tree: Tree) -> list[Tree]:
    """The factors of a product; of what is none, itself."""
    if tree.type == "parenthesized_expression" and children(tree):
        return _factors(children(tree)[0])
    if tree.type == "binary_expression" and text_of(tree.child_by_field_name("operator")) == "*":
        return [f for side in ("left", "right") for f in _factors(tree.child_by_field_name(side))]
    return [tree]
