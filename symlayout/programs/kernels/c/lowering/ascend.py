"""AscendC: a kernel's object with its fields, tensors in global memory, copies of so many elements."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.copies import data_copy, declare_object
from symlayout.programs.kernels.c.lowering.copy_parameters import COPIES, plain_class
from symlayout.programs.kernels.c.lowering.definitions import template_arguments
from symlayout.programs.kernels.c.lowering.library import is_of_language
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    access,
    assign,
    changes_of,
    place,
    text_of,
)
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import (
    Assign,
    Core,
    Data,
    Effect,
    Element,
    Expression,
    FieldBehind,
    Flag,
    Load,
    MethodCall,
    Object,
    Reach,
    Statement,
    Store,
    Unfollowed,
)

NUMBERS = {"GetBlockIdx": 0, "GetBlockNum": 1}
HARMLESS_WORDS = """
KERNEL_TASK_TYPE KERNEL_TASK_TYPE_DEFAULT REGISTER_TILING_DEFAULT GetUserWorkspace
WAIT_FLAG SET_FLAG REGISTER_NONE_TILING PRELOAD
"""
HARMLESS = frozenset(HARMLESS_WORDS.split())
TILINGS = {"GET_TILING_DATA": 0, "GET_TILING_DATA_WITH_STRUCT": 1, "GET_TILING_DATA_MEMBER": 2}


@dataclass
class Class:
    """A class: the types of its fields, and its functions by name."""

    fields: dict[str, CType] = field(default_factory=dict)
    methods: dict[str, list[Tree]] = field(default_factory=dict)


def ascend_call(low: Lowering, tree: Tree, word: str, kids: list[Tree]) -> Expression | None:
    """A call that is one of AscendC's, or of a method of an object; None for others."""
    function = tree.child_by_field_name("function")
    last = word.split("::")[-1]
    if last in NUMBERS and not kids:
        return Core(bool(NUMBERS[last]))
    if COPIES.fullmatch(last):
        return data_copy(low, last, kids)
    if last == "TILING_KEY_IS":
        return Flag("tiling_key_" + re.sub(r"\W", "_", text_of(kids[0]))[:60])
    if last in HARMLESS:
        return Data()
    at = TILINGS.get(last, -1)
    if 0 <= at < len(kids) and kids[at].type == "identifier":
        name = text_of(kids[at])
        value = Object(name)
        variable = declare_object(low, name)
        low.after.append(assign(variable, value, tree))
        return Data()
    if function.type == "field_expression":
        return _of_object(low, tree, function, kids)
    known = low.source.classes.get(low.cls)
    if known is not None and last in known.methods:
        return method_call(low, tree, "this", low.cls, last, kids)
    plain = function.type == "identifier" and last not in low.source.functions
    if plain and low.cls and not is_of_language(low, tree):
        return _not_followed(low, last, kids)  # it may be a method of a class above
    return None


def _not_followed(low: Lowering, word: str, kids: list[Tree]) -> Expression:
    args = [low.expression(k) for k in kids]
    return Data([Unfollowed(f"{word} is not followed"), *args])


def _of_object(low: Lowering, tree: Tree, function: Tree, kids: list[Tree]) -> Expression | None:
    base = function.child_by_field_name("argument")
    method = function.child_by_field_name("field")
    name = re.sub(r"<.*", "", text_of(method), flags=re.S)
    if text_of(base) == "this" and low.cls:
        if name in low.source.classes[low.cls].methods:
            return method_call(low, tree, "this", low.cls, name, kids)
        return _not_followed(low, name, kids)
    type = low.type_of(base)
    if type is None:
        if name != "AllocTensor":
            return None
        return Data([low.expression(k) for k in kids])
    if type.tensor:
        return _of_tensor(low, tree, base, type, name, kids)
    known = low.source.classes.get(plain_class(type))
    variable = low.variable_of(base)
    if known is not None and name in known.methods and variable is not None:
        return method_call(low, tree, variable.name, plain_class(type), name, kids)
    return None


def _of_tensor(
    low: Lowering, tree: Tree, base: Tree, type: CType, name: str, kids: list[Tree]
) -> Expression:
    """`SetGlobalBuffer`, `GetValue` and `SetValue` of a tensor in global memory."""
    variable = low.variable_of(base)
    if name == "SetGlobalBuffer" and variable is not None and kids:
        new = Assign(variable.name, low.expression(kids[0]))
        low.after.append(place(new, tree))
        return Data()
    if name in ("GetValue", "SetValue") and kids:
        first, second = low.expression(base), low.expression(kids[0])
        at = Element(first, second, type.element)
        kind = Load if name == "GetValue" else Store
        values = [low.expression(k) for k in kids[1:]]
        return access(kind, at, type.element, values)
    if name in ("GetSize", "SetL2CacheHint", "GetPhyAddr", "SetShapeInfo"):
        return Data()
    return Unfollowed(f"{name} of a tensor is not followed")


def constructor(low: Lowering, tree: Tree, type: CType, kids: list[Tree]) -> list[Statement] | None:
    """An object of a class that is known: what its constructor's body does; None for others."""
    cls = plain_class(type)
    if cls not in low.source.classes or type.is_address or tree.type != "identifier":
        return None
    word = declare_object(low, text_of(tree), CType(cls))
    first = assign(word, Data(), tree)
    if cls in low.source.classes[cls].methods:
        expr: Expression = method_call(low, tree, word, cls, cls, kids)
    else:
        why = f"{cls} is made of a pointer, and not followed"
        expr = Reach(why, [low.expression(k) for k in kids])
    after, low.after = low.after, []
    return [first, place(Effect(expr), tree), *after]


def method_call(
    low: Lowering, tree: Tree, prefix: str, cls: str, name: str, kids: list[Tree]
) -> Expression:
    """A call of a method; what it may change of the object is read from it afterwards."""
    known = low.source.classes[cls]
    args = [low.expression(k) for k in kids]
    key = low.source.calls
    template = template_arguments(low, tree) if tree.type == "call_expression" else []
    expr = MethodCall(prefix, cls, name, args, template, key)
    low.source.calls += 1
    stored = low.source.stored(cls, name, len(kids))
    every = {f"this.{f}" for f in known.fields}
    fields = every if stored is None else every & stored
    changed = [(prefix + f[len("this") :], f) for f in sorted(fields)]
    trees = known.methods[name]
    for k, kid in enumerate(kids):
        variable = low.variable_of(kid)
        if variable is not None and not variable.type.is_address and changes_of(trees).get(k):
            changed.append((variable.name, str(k)))
    for new, old in changed:
        value = FieldBehind(key, old)
        low.after.append(assign(new, value, tree))
    return expr
