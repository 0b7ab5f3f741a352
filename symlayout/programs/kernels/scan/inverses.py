"""Forward and inverse index functions of one Python file that are not inverse to each other.

Their domains are in their names: `shared_16x8_to_mma_32x4` takes 16 by 8 places to 32 by 4 others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from symlayout.expr.plain import places
from symlayout.programs.kernels.access import Kernel, Span
from symlayout.programs.kernels.nodes import name
from symlayout.programs.kernels.scan.finding import Finding
from symlayout.programs.kernels.scan.witness import Run, run_of
from symlayout.programs.kernels.triton.interpreter.context import Contract
from symlayout.programs.kernels.triton.interpreter.table import interpreter
from symlayout.programs.kernels.triton.module import Module
from symlayout.programs.kernels.values import Block, NotUnderstood, Several, Value
from symlayout.text.patterns import regex

NAME = regex(r"(\w*?)_?(\d+(?:x\d+)+)(\w*?)_to_(\w*?)_?(\d+(?:x\d+)+)(\w*)")
POINTS = 1 << 14


@dataclass(frozen=True)
class Conversion:
    """A function between two boxes of places."""

    node: ast.FunctionDef
    source: tuple[str, tuple[int, ...]]
    target: tuple[str, tuple[int, ...]]


def disagreeing(text: str) -> Iterator[Finding]:
    """A finding for each pair whose second does not undo the first."""
    if "_to_" not in text:
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    conversions = [c for c in map(_conversion, ast.walk(tree)) if c is not None]
    for k, f in enumerate(conversions):
        for g in conversions[k + 1 :]:
            if (f.source, f.target) == (g.target, g.source):
                yield from _pair(f, g)


def _conversion(node: ast.AST) -> Conversion | None:
    if not isinstance(node, ast.FunctionDef):
        return None
    match = NAME.fullmatch(node.name)
    if match is None:
        return None
    source = (match[1].strip("_"), tuple(map(int, match[2].split("x"))))
    target = (match[4].strip("_"), tuple(map(int, match[5].split("x"))))
    return Conversion(node, source, target)


def _pair(f: Conversion, g: Conversion) -> Iterator[Finding]:
    there, back = _runs(f), _runs(g)
    if there is None or back is None:
        return
    words = [[a.arg for a in c.node.args.args] for c in (f, g)]
    for point in islice(places(f.source[1]), POINTS):
        try:
            image = tuple(r(dict(zip(words[0], point))) for r in there)
            again = tuple(r(dict(zip(words[1], image))) for r in back)
        except ZeroDivisionError:
            return
        if again != point:
            yield Finding(
                "inverse",
                Span(g.node.lineno, g.node.col_offset),
                g.node.name,
                f"{g.node.name}({f.node.name}({', '.join(words[0])}))",
                f"{f.node.name}{point} is {image}, and {g.node.name} makes {again} of that",
                "the places that one makes are those that the other takes",
                dict(zip(words[0], point)),
            )
            return


def _runs(c: Conversion) -> list[Run] | None:
    """The results as functions of the arguments; None for what is not understood."""
    spec = c.node.args
    words = [a.arg for a in spec.args]
    if len(words) != len(c.source[1]) or spec.vararg or spec.kwarg or spec.kwonlyargs:
        return None
    kernel = Kernel(c.node.name, Span(c.node.lineno))
    it = interpreter(Module(), kernel, Contract(signed=frozenset(words)))
    env: dict[str, Value] = {w: Block(name(w, None)) for w in words}
    try:
        value = it.returned(c.node, env)
    except NotUnderstood:
        return None
    parts = value.parts if isinstance(value, Several) else ()
    blocks = [p.node for p in parts if isinstance(p, Block) and not p.shape]
    plain = all(x.op == "name" and x.word in words for b in blocks for x in b.leaves)
    if len(blocks) != len(c.target[1]) or len(blocks) != len(parts) or not plain:
        return None
    if kernel.skipped or it.unknowns.ranges:
        return None
    return [run_of(b) for b in blocks]
