"""Casts, `sizeof`, and calls: what each call is, by its name and its language."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.callees import (
    comes_to_memory,
    computed_callee,
    is_in_space,
)
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.definitions import function_call
from symlayout.programs.kernels.c.lowering.expressions import is_made_of_address
from symlayout.programs.kernels.c.lowering.intrinsics import (
    is_barrier,
    is_own_word,
    language_memory,
    rank_in_group,
)
from symlayout.programs.kernels.c.lowering.trees import Tree, callee, children, place, text_of
from symlayout.programs.kernels.c.types import VECTOR, CType
from symlayout.programs.kernels.program.nodes import (
    Barrier,
    Cast,
    Constant,
    Data,
    Effect,
    Expression,
    Fold,
    SizeOf,
    Unfollowed,
)
from symlayout.programs.kernels.syntax import is_ceiling


def cast_expression(low: Lowering, tree: Tree) -> Expression:
    type, value = (tree.child_by_field_name(k) for k in ("type", "value"))
    if _is_no_type(low, type):
        why = f"({text_of(type)[:40]}) before an operator is not followed"
        return Unfollowed(why, [low.expression(value)])
    return _cast_to(low.expression(value), low.read(text_of(type)))


def _is_no_type(low: Lowering, tree: Tree) -> bool:
    """Whether what the grammar takes for a type is a value: `(n) & 3 == m`, `(long(n)) - 1`."""
    below = tree.child_by_field_name("declarator")
    if below is not None and below.type == "abstract_function_declarator":
        return below.child_by_field_name("declarator") is None
    return low.variable(text_of(tree)) is not None


def _cast_to(value: Expression, to: CType) -> Expression:
    if to.is_address:
        return value
    return Cast(value, to.word)


def sizeof_expression(low: Lowering, tree: Tree) -> Expression:
    named = tree.child_by_field_name("type") or tree.child_by_field_name("value")
    word = text_of(named).strip("() ") if named is not None else ""
    type = low.read(word).packed(low.source.dialect.padded) if word else CType("void")
    if type.bits and type.word != "void":
        return Cast(Constant(type.bits // 8), "size_t")
    constant = type.word in low.of_types or (type.is_float and not type.is_address)
    return SizeOf(type.word) if constant else Data()


def call_expression(low: Lowering, tree: Tree) -> Expression:
    kids = children(tree.child_by_field_name("arguments"))
    to = low.target_of_cast(tree)
    if to is not None and len(kids) == 1:
        return _cast_to(low.expression(kids[0]), to)
    if to is not None and low.source.dialect.has_vector_casts and VECTOR.fullmatch(to.word):
        return Data([low.expression(k) for k in kids])  # `(float4)(a, b, c, d)`
    _of_callee(low, tree)
    word = callee(tree)
    last = word.split("::")[-1].split(".")[-1]
    own = low.source.dialect.call(low, tree, word, kids)
    memory = own or language_memory(low, tree, last, kids)
    if memory is not None:
        return memory
    if is_barrier(low, tree, last, kids):
        return Barrier()
    rank = rank_in_group(low, tree, last)
    if rank is not None:
        return rank
    args = [low.expression(k) for k in kids]
    if last in ("min", "max") and len(args) == 2 and is_own_word(low, tree, last):
        return Fold(last, args)
    trees = low.source.functions.get(last, [])
    if is_ceiling(last) and len(args) == 2 and not trees:
        return Fold("cdiv", args)
    foreign = trees and last not in low.source.loose and not is_in_space(tree, trees)
    return function_call(low, tree, word if foreign else last, kids, args)


def _of_callee(low: Lowering, tree: Tree) -> None:
    """What is computed to say what is called is evaluated before it."""
    at = computed_callee(tree)
    if at is None or not (comes_to_memory(at) or is_made_of_address(low, at)):
        return
    value = low.expression(at)
    if not comes_to_memory(at):
        value = Unfollowed(f"{text_of(at)[:40]} is not followed", [value])
    low.before.append(place(Effect(value), tree))
