"""Assembly between C's statements: what it reads and writes by its operands."""

from __future__ import annotations

import re

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.expressions import unfollowed
from symlayout.programs.kernels.c.lowering.places import address_of
from symlayout.programs.kernels.c.lowering.trees import Tree, children, forget, place, text_of
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import Data, Effect, Expression, Statement, Store
from symlayout.text.patterns import regex

COMPUTES = regex(  # instructions between registers
    r"\.reg\b|(?:mma|cvt|lop3|prmt|ex2|lg2|fma|mad|mul|mul24|add|sub|addc|subc|min|max|shfl|mov|and|or|"
    r"xor|not|shl|shr|shf|sqrt|rsqrt|rcp|div|rem|tanh|bfe|bfi|bfind|brev|clz|popc|setp|set|selp|slct|cvta|"
    r"abs|neg|dp4a|dp2a|vote|activemask|redux|sin|cos|copysign|testp|nanosleep|griddepcontrol|"
    r"setmaxnreg|elect|fence|membar|mapa)(?:\.|$)"
)


def gnu_asm_expression(low: Lowering, tree: Tree) -> Expression:
    """What only computes is followed as far as its operands."""
    return unfollowed(low, tree) if reaches_memory(text_of(tree)) else _asm_operands(low, tree)


def _asm_operands(low: Lowering, tree: Tree) -> Expression:
    """What assembly reads, and the places in memory that it writes by its operands."""
    values: list[Expression] = []
    waiting = list(tree.named_children)
    while waiting:
        t = waiting.pop(0)
        waiting += t.named_children if not t.type.endswith("_operand") else []
        inner = t.child_by_field_name("value") if t.type.endswith("_operand") else None
        at = address_of(low, inner) if inner is not None else None
        if t.type == "gnu_asm_output_operand" and inner is not None:
            low.after.append(_asm_output(low, inner, at))
        if inner is not None and (at is None or "=" not in text_of(t).split('"')[1]):
            values.append(low.expression(inner))
    return Data(values)


def _asm_output(low: Lowering, tree: Tree, at: tuple[Expression, CType] | None) -> Statement:
    """What assembly writes: a place in memory, or a variable of which nothing is known any more."""
    if at is not None:
        return place(Effect(Store(at[0], at[1])), tree)
    while tree.type != "identifier" and children(tree):
        tree = children(tree)[0]
    variable = low.variable(text_of(tree))
    if variable is None or variable.shared or variable.type.is_address:
        return place(Effect(Data()), tree)
    return forget(variable.name, tree)


def reaches_memory(text: str) -> bool:
    """Whether assembly does more than compute: what is not known to be harmless may."""
    inside = "".join(re.findall(r'"((?:[^"\\\\]|\\\\.)*)"', text.split(":", 1)[0]))
    parts = re.split(r";|\\n|\\t|[{}]", inside)
    words = [re.sub(r"^@!?%?\w+\s+", "", p.strip()).split(" ")[0] for p in parts]
    return any(w and COMPUTES.match(w) is None for w in words)
