"""AscendC: a kernel's object with its fields, tensors in global memory, copies of so many elements."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from symlayout.programs.kernels.c.lowering.copies import Copies
from symlayout.programs.kernels.c.lowering.copy_parameters import COPIES, plain_class
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    assign,
    call,
    changes_of,
    const,
    place,
    text_of,
)
from symlayout.programs.kernels.c.types import CType

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


class Objects(Copies):
    """Lowers what AscendC has beside C++: objects become variables, one for each field."""

    def ascend(self, tree: Tree, word: str, kids: list[Tree]) -> ast.expr | None:
        """A call that is one of AscendC's, or of a method of an object; None for others."""
        function = tree.child_by_field_name("function")
        last = word.split("::")[-1]
        if last in NUMBERS and not kids:
            return call("@core", const(NUMBERS[last]))
        if COPIES.fullmatch(last):
            return self.data_copy(last, kids)
        if last == "TILING_KEY_IS":
            return call("@flag", const("tiling_key_" + re.sub(r"\W", "_", text_of(kids[0]))[:60]))
        if last in HARMLESS:
            return call("@data")
        at = TILINGS.get(last, -1)
        if 0 <= at < len(kids) and kids[at].type == "identifier":
            name = text_of(kids[at])
            value = call("@struct", const(name))
            variable = self.declare_object(name)
            self.after.append(assign(variable, value, tree))
            return call("@data")
        if function.type == "field_expression":
            return self._of_object(tree, function, kids)
        known = self.source.classes.get(self.cls)
        if known is not None and last in known.methods:
            return self._method(tree, "this", self.cls, last, kids)
        plain = function.type == "identifier" and last not in self.source.functions
        if plain and self.cls and not self.is_of_language(tree):
            return self._not_followed(last, kids)  # it may be a method of a class above
        return None

    def _not_followed(self, word: str, kids: list[Tree]) -> ast.expr:
        args = [self.expression(k) for k in kids]
        return call("@data", call("@skip", const(f"{word} is not followed")), *args)

    def _of_object(self, tree: Tree, function: Tree, kids: list[Tree]) -> ast.expr | None:
        base = function.child_by_field_name("argument")
        method = function.child_by_field_name("field")
        name = re.sub(r"<.*", "", text_of(method), flags=re.S)
        if text_of(base) == "this" and self.cls:
            if name in self.source.classes[self.cls].methods:
                return self._method(tree, "this", self.cls, name, kids)
            return self._not_followed(name, kids)
        type = self.type_of(base)
        if type is None:
            if name != "AllocTensor":
                return None
            return call("@data", *[self.expression(k) for k in kids])
        if type.tensor:
            return self._of_tensor(tree, base, type, name, kids)
        known = self.source.classes.get(plain_class(type))
        variable = self.variable_of(base)
        if known is not None and name in known.methods and variable is not None:
            return self._method(tree, variable.name, plain_class(type), name, kids)
        return None

    def _of_tensor(
        self, tree: Tree, base: Tree, type: CType, name: str, kids: list[Tree]
    ) -> ast.expr:
        """`SetGlobalBuffer`, `GetValue` and `SetValue` of a tensor in global memory."""
        variable = self.variable_of(base)
        if name == "SetGlobalBuffer" and variable is not None and kids:
            new = ast.Assign([ast.Name(variable.name, ast.Store())], self.expression(kids[0]))
            self.after.append(place(new, tree))
            return call("@data")
        if name in ("GetValue", "SetValue") and kids:
            first, second = self.expression(base), self.expression(kids[0])
            at = call("@place", first, second, const(type.element))
            kind = "@load" if name == "GetValue" else "@store"
            values = [self.expression(k) for k in kids[1:]]
            return call(kind, at, const(type.element), *values)
        if name in ("GetSize", "SetL2CacheHint", "GetPhyAddr", "SetShapeInfo"):
            return call("@data")
        return call("@skip", const(f"{name} of a tensor is not followed"))

    def constructor(self, tree: Tree, type: CType, kids: list[Tree]) -> list[ast.stmt] | None:
        """An object of a class that is known: what its constructor's body does; None for others."""
        cls = plain_class(type)
        if cls not in self.source.classes or type.is_address or tree.type != "identifier":
            return None
        word = self.declare_object(text_of(tree), CType(cls))
        first = assign(word, call("@data"), tree)
        if cls in self.source.classes[cls].methods:
            expr: ast.expr = self._method(tree, word, cls, cls, kids)
        else:
            why = const(f"{cls} is made of a pointer, and not followed")
            expr = call("@reach", why, *[self.expression(k) for k in kids])
        after, self.after = self.after, []
        return [first, place(ast.Expr(expr), tree), *after]

    def _method(self, tree: Tree, prefix: str, cls: str, name: str, kids: list[Tree]) -> ast.expr:
        """A call of a method; what it may change of the object is read from it afterwards."""
        known = self.source.classes[cls]
        args = [self.expression(k) for k in kids]
        expr = call("@method", const(prefix), const(cls), const(name), *args)
        expr.key = self.source.calls  # type: ignore[attr-defined]
        template = self._template(tree) if tree.type == "call_expression" else []
        expr.template = template  # type: ignore[attr-defined]
        self.source.calls += 1
        stored = self.source.stored(cls, name, len(kids))
        every = {f"this.{f}" for f in known.fields}
        fields = every if stored is None else every & stored
        changed = [(prefix + f[len("this") :], f) for f in sorted(fields)]
        trees = known.methods[name]
        for k, kid in enumerate(kids):
            variable = self.variable_of(kid)
            if variable is not None and not variable.type.is_address and changes_of(trees).get(k):
                changed.append((variable.name, str(k)))
        for new, old in changed:
            value = call("@field", const(expr.key), const(old))  # type: ignore[attr-defined]
            self.after.append(assign(new, value, tree))
        return expr
