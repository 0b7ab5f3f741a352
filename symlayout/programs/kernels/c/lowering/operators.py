"""Operators of C, of which a class may give some a meaning of its own."""

from __future__ import annotations

from functools import partial

from symlayout.programs.kernels.c.lowering.containment import only_computes
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.deduction import value_type
from symlayout.programs.kernels.c.lowering.trees import Tree, place
from symlayout.programs.kernels.c.types import FLOATS, VECTOR, CType
from symlayout.programs.kernels.program.nodes import Effect, Statement, Unfollowed


def overloaded(low: Lowering, op: str, tree: Tree, operands: list[Tree]) -> list[Statement]:
    """Tells of an operator that no language has for its operands, unless the file has one that
    does no more than compute.
    """
    types = [t for t in map(partial(value_type, low), operands) if t is not None]
    own = [t for t in types if not _has_operators(low, t)]
    trees = low.source.functions.get(f"operator{op}", [])
    classes = [low.source.classes.get(t.word.partition("<")[0]) for t in own]
    member = any(c is not None and f"operator{op}" in c.methods for c in classes)
    if not own or (member and not trees):
        return []
    if trees and all(only_computes(t, low.is_plain_text) for t in trees):
        return []
    why = f"the operator {op} of {own[0].spelling} is not followed"
    return [place(Effect(Unfollowed(why)), tree)]


def _has_operators(low: Lowering, type: CType) -> bool:
    """Whether a language has operators for a type: of vectors OpenCL's and Metal's has."""
    if type.is_address or low.source.dialect.padded or type.word in low.of_types:
        return True
    vector = VECTOR.fullmatch(type.word) is not None and type.word not in FLOATS
    return not vector and (type.is_plain or not low.is_certain(type))
