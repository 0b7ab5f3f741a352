"""Where a barrier may be put in a C source, or moved to: after a statement of a block in braces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symlayout.checks.kernel_source import Edit, Source
from symlayout.programs.kernels.access import Span
from symlayout.text.endings import ends_in

LOOPS = frozenset(["for_statement", "while_statement", "do_statement", "for_range_loop"])
BLOCK = "compound_statement"
BARRIERS = {
    (".metal",): "threadgroup_barrier(mem_flags::mem_threadgroup);",
    (".cl",): "barrier(CLK_LOCAL_MEM_FENCE);",
}
Tree = Any  # a node of tree-sitter


def between(source: Source, trees: list[Tree], first: Span, second: Span) -> Iterator[Edit]:
    """A barrier between two accesses: after the outermost statement with the first one alone."""
    blocks = [b for t in trees for b in _blocks(t) if _holds(b, first) and _holds(b, second)]
    word = next(
        (w for ends, w in BARRIERS.items() if ends_in(source.file, ends)), "__syncthreads();"
    )
    for block in blocks[::-1]:  # the innermost comes first
        for child in block.named_children:
            if _holds(child, first) and not _holds(child, second):
                yield from _after(source, child, word, "write")


def moved(source: Source, trees: list[Tree], wait: Span) -> Iterator[Edit]:
    """A barrier taken out of the branches around it, where no access and no loop is passed."""
    blocks = [b for t in trees for b in _blocks(t) if _holds(b, wait)]
    line, start = source.lines[wait.line - 1], source.starts[wait.line - 1]
    word = line.strip()
    if word != f"{source.of(wait)};":
        return  # more is in its line
    lines = [a.span.line for a in source.code.kernel.accesses]
    for block in blocks[-2::-1]:
        child = next(c for c in block.named_children if _holds(c, wait))
        if _loops(child, wait) or any(wait.line < n <= child.end_point[0] + 1 for n in lines):
            return
        for edit in _after(source, child, word, "move"):
            rest = source.text[start + len(line) : edit.at].removeprefix("\n")
            yield Edit(start, edit.at, f"{rest}{edit.text}", edit.title)


def _loops(tree: Tree, place: Span) -> bool:
    """Whether a place is in a loop of a statement."""
    inside = [c for c in tree.named_children if _holds(c, place)]
    return tree.type in LOOPS or any(_loops(c, place) for c in inside)


def _after(source: Source, child: Tree, word: str, verb: str) -> Iterator[Edit]:
    """A line with a barrier after a statement that ends its line."""
    row, column = child.end_point
    line = source.lines[row]
    rest = line.encode()[column:].decode(errors="replace").strip()
    if rest and not rest.startswith("//"):
        return
    first = source.lines[child.start_point[0]]
    indent = first[: len(first) - len(first.lstrip())]
    at = source.starts[row] + len(line)
    yield Edit(at, at, f"\n{indent}{word}", f"{verb} `{word}` after line {row + 1}")


def _blocks(tree: Tree) -> Iterator[Tree]:
    """The blocks in a function, an outer one before those inside."""
    waiting = [tree]
    while waiting:
        t = waiting.pop()
        if t.type == BLOCK:
            yield t
        waiting += t.named_children[::-1]


def _holds(tree: Tree, span: Span) -> bool:
    """Whether a place is inside of a piece of code."""
    at = (span.line - 1, span.column)
    return bool(tuple(tree.start_point) <= at < tuple(tree.end_point))
