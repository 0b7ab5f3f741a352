"""Statements that are not followed: those the grammar is lost in, and where they may go."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.trees import Tree
from symlayout.programs.kernels.program.nodes import Break, Continue, Data, Return, Statement

__all__ = ["is_broken", "ways_out"]

LOOPS = frozenset(["for_statement", "while_statement", "do_statement", "for_range_loop"])


def is_broken(tree: Tree) -> bool:
    """Whether the grammar is lost in a statement itself, not in another one inside of it."""
    inner = [c for c in tree.children if c.has_error or c.type == "ERROR"]
    own = [c for c in inner if c.type != "else_clause" and not c.type.endswith("_statement")]
    return any(c.type == "ERROR" or is_broken(c) for c in own)


def ways_out(tree: Tree) -> list[Statement]:
    """What it may do instead of going on, each at most once."""
    ways: list[Statement] = []
    kinds = _leaving(tree)
    if "return_statement" in kinds:
        ways.append(Return(Data(why="a return that is not followed")))
    if "break_statement" in kinds:
        ways.append(Break())
    if "continue_statement" in kinds:
        ways.append(Continue())
    return ways


def _leaving(tree: Tree) -> set[str]:
    """The statements in it that lead out of it."""
    if tree.type == "lambda_expression":
        return set()
    if tree.type in ("return_statement", "break_statement", "continue_statement"):
        return {str(tree.type)}
    kinds = {kind for c in tree.named_children for kind in _leaving(c)}
    if tree.type in LOOPS:
        return kinds - {"break_statement", "continue_statement"}
    return kinds - {"break_statement"} if tree.type == "switch_statement" else kinds
