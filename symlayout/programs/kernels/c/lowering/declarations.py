"""Declarations: a name of its own for each variable, what it is given, arrays that are shared."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial

from symlayout.programs.kernels.c.lowering.ascend import Objects
from symlayout.programs.kernels.c.lowering.leaving import ways_out
from symlayout.programs.kernels.c.lowering.parentheses import named_by
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    Variable,
    assign,
    call,
    children,
    const,
    declarators,
    declared,
    head_of,
    place,
    text_of,
)
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.syntax import assigned_names
from symlayout.text.patterns import regex

LOUD = regex(r"[A-Z_][A-Z\d_]*")  # names of macros, as people spell them


class Declarations(Objects):
    """Lowers declarations, and says what is skipped."""

    def skip(self, tree: Tree, why: str) -> list[ast.stmt]:
        """What is not understood: said; nothing is known of what it may change, nor where it goes."""
        lost = [self.forget(word, tree) for word in sorted(self._variables_in(tree))]
        gone = [ast.If(call("@data", const(why)), [way], []) for way in ways_out(tree)]
        left = [place(s, tree) for s in gone]
        return [place(ast.Expr(call("@skip", const(why))), tree), *lost, *left]

    def s_declaration(self, tree: Tree) -> list[ast.stmt]:
        prefix = head_of(tree)
        inner = tree.child_by_field_name("type")
        if inner is not None and self.variable(text_of(inner)) is not None:
            return self.skip(tree, f"what {text_of(inner)[:40]} stands for is not known")
        if inner is not None and inner.child_by_field_name("body") is not None:
            return self.skip(tree, "a class inside of a function")
        words = {text_of(c) for c in tree.children if c.type == "storage_class_specifier"}
        constant = re.search(r"\bconst(expr)?\b", prefix) is not None
        outer = words & {"static", "extern"} and not constant and not self._is_shared(prefix)
        notes = self.skip(tree, "a variable that outlives the call") if outer else []
        return [*notes, *self._declared(tree, prefix, not outer)]

    def _is_shared(self, prefix: str) -> bool:
        """Whether what is declared lies in memory that a group shares."""
        shared = "__shared__" in prefix or "threadgroup" in prefix
        return shared or (self.source.opencl and "extern" in prefix)

    def _declared(self, tree: Tree, prefix: str, known: bool = True) -> list[ast.stmt]:
        """What a declaration declares; what is not `known` has any value."""
        shared = self._is_shared(prefix)
        lowerings = [partial(self._declarator, d, prefix, shared) for d in declarators(tree)]
        statements = [s for lower in lowerings for s in self.whole(lower)]
        names = assigned_names(statements) if not known else set()
        return [*statements, *[self.forget(n, tree) for n in sorted(names)]]

    def whole(self, lower: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
        """Statements with what their expressions do before and after them."""
        outer, self.before, self.after = (self.before, self.after), [], []
        try:
            statements = lower()
            return [*self.before, *statements, *self.after]
        finally:
            self.before, self.after = outer

    def _declarator(self, tree: Tree, prefix: str, shared: bool) -> list[ast.stmt]:
        whole, tree = tree, declared(tree)[0]
        inner = self._peeled(tree)[-1]
        if inner.type == "structured_binding_declarator":
            notes = self.skip(whole, "a structured binding")
            names = [c for c in children(inner) if c.type == "identifier"]
            return [*notes, *[s for c in names for s in self._plain(c, CType("auto"), None)]]
        if inner.type not in ("identifier", "function_declarator"):
            return self.skip(whole, "a declaration that is not followed")
        type = self.read(prefix)
        if not self.is_certain(CType(type.word)) and type.word != "auto":
            return self._uncertain(
                whole, inner, type, partial(self._of_type, whole, prefix, shared)
            )
        return self._of_type(whole, prefix, shared)

    def _peeled(self, tree: Tree) -> tuple[int, bool, list[Tree | None], Tree]:
        """A declarator's stars, whether it is a reference, the sizes of its arrays, and its name."""
        stars, reference, sizes = 0, False, list[Tree | None]()
        inner = tree
        while inner.type in ("pointer_declarator", "reference_declarator", "array_declarator"):
            stars += inner.type == "pointer_declarator"
            reference |= inner.type == "reference_declarator"
            if inner.type == "array_declarator":
                sizes.append(inner.child_by_field_name("size"))
            inner = inner.child_by_field_name("declarator") or children(inner)[-1]
        return stars, reference, sizes, named_by(inner) or inner

    def _uncertain(
        self, tree: Tree, inner: Tree, type: CType, lower: Callable[[], list[ast.stmt]]
    ) -> list[ast.stmt]:
        """A declaration of a type that is not known: it may make an object that does anything, or be
        none, where its type is a macro.
        """
        while inner.type == "function_declarator":
            inner = inner.child_by_field_name("declarator")
        known = self.identifier(inner) is not None or inner.type != "identifier"
        if known or LOUD.fullmatch(type.spelling):
            return self.skip(tree, self.why_uncertain(type))  # `QUIET y[i] = 2`
        if self._peeled(declared(tree)[0])[0] or type.depth:
            return lower()  # a pointer, which is one whatever it points to
        parts = [t for t in (tree, declared(tree)[1]) if t is not None]
        variables = [self.identifier(t) for p in parts for t in (p, *children(p))]
        names = {v.name for v in variables if v is not None and not v.shared}
        note = place(ast.Expr(call("@skip", const(self.why_uncertain(type)))), tree)
        return [note, *lower(), *[self.forget(n, tree) for n in sorted(names)]]

    def _of_type(self, tree: Tree, prefix: str, shared: bool) -> list[ast.stmt]:
        """What a declarator declares."""
        tree, value_tree = declared(tree)
        stars, reference, sizes, inner = self._peeled(tree)
        if inner.type == "function_declarator":  # `T x(n)` reads like one
            text = text_of(inner.child_by_field_name("parameters"))
            inner = inner.child_by_field_name("declarator")
            type = self.read(prefix)
            variables = [self.variable(w) for w in re.findall(r"\w+", text)]
            statements = self._plain(inner, type, None)
            if any(v is not None and (v.shared or v.type.is_address) for v in variables):
                why = f"{type.spelling} is made of a pointer, and not followed"
                return [*self.skip(tree, why), *statements]
            return statements
        type = self.read(prefix)
        depth = type.depth + stars
        type = CType(type.word, depth, len(sizes), False, type.constant, type.tensor)
        if shared:
            return self._shared_array(inner, type, sizes[::-1])
        if reference and value_tree is not None:
            return self._reference(inner, type, value_tree, prefix)
        return self._plain(inner, type, value_tree)

    def _plain(self, tree: Tree, type: CType, value_tree: Tree | None) -> list[ast.stmt]:
        parameters = self.parameters_of_copy(tree, type, value_tree) if self.source.ascend else None
        if parameters is not None:
            return parameters
        if value_tree is not None and value_tree.type in ("argument_list", "initializer_list"):
            kids = children(value_tree)
            made_of = self.constructor(tree, type, kids) if self.source.ascend else None
            if made_of is not None:
                return made_of
            if not type.is_address and any(self._is_address(k) for k in kids):
                why = f"{type.spelling} is made of a pointer, and not followed"
                return [*self.skip(tree, why), *self._plain(tree, CType(type.word), None)]
            value_tree = kids[0] if len(kids) == 1 and not type.array else value_tree
        if type.word == "auto" and value_tree is not None:
            type = self.value_type(value_tree) or self._of_data(value_tree) or type
        value = self.expression(value_tree) if value_tree is not None else call("@data")
        before: list[ast.stmt] = []
        if type.array:
            before = [] if value_tree is None else [place(ast.Expr(value), value_tree)]
            value = call("@registers")
        variable = self.declare(tree, type)
        at = value_tree if value_tree is not None else tree
        return [*before, assign(variable.name, value, at)]

    def _of_data(self, tree: Tree) -> CType | None:
        """The type of a value that is no integer."""
        known = self.type_of(tree)
        return known if known is not None and (known.is_address or not known.machine) else None

    def _is_address(self, tree: Tree) -> bool:
        ctype = self.type_of(tree)
        return ctype is not None and ctype.is_address

    def declare(self, tree: Tree, type: CType, shared: bool = False) -> Variable:
        """A name of its own for a variable."""
        word = text_of(tree)
        name, k = word, 1
        while name in self.types or name in self.source.functions:
            k += 1
            name = f"{word}_{k}"
        self.types[name] = type
        self.scopes[-1][word] = Variable(name, type, shared=shared)
        return self.scopes[-1][word]

    def _shared_array(self, tree: Tree, type: CType, sizes: list[Tree | None]) -> list[ast.stmt]:
        lowered = [self.expression(s) for s in sizes if s is not None]
        variable = self.declare(tree, type, True)
        self.types[variable.name] = type.pointer
        variable.sizes = tuple(lowered) if len(lowered) == len(sizes) else (call("@data"),)
        element = CType(type.word, type.depth)
        known = lowered if len(lowered) == len(sizes) else []
        value = call("@shared", const(variable.name), const(element), *known)
        return [assign(variable.name, value, tree)]

    def _reference(self, tree: Tree, type: CType, value: Tree, prefix: str) -> list[ast.stmt]:
        entry = self.identifier(value)
        if entry is not None:
            if "const" in prefix.split() and type.word != "auto" and not _is_same(type, entry.type):
                return self._plain(tree, type, value)  # it is one of a number that is made of it
            self.scopes[-1][text_of(tree)] = entry  # another name for it
            return []
        if "const" in prefix.split():
            return self._plain(tree, type, value)
        at = self.address(value)
        if at is not None and not at[1].array and not self.before and not self.after:
            pointer = self.declare(tree, at[1].pointer)
            self.scopes[-1][text_of(tree)] = Variable(pointer.name, at[1], alias=True)
            return [assign(pointer.name, at[0], value)]
        if self.in_registers(value):
            of_part = type if type.word != "auto" else self.type_of(value) or type
            lost = [place(s, value) for s in self.part(value)]
            return [*lost, *self._plain(tree, CType(of_part.word, reference=True), None)]
        notes = self.skip(tree, "a reference to a place in memory")
        return [*notes, *self._plain(tree, CType("auto", reference=True), None)]


def _is_same(a: CType, b: CType) -> bool:
    """Whether two types are one, in other words too."""
    if a.machine and b.machine:
        return a.machine == b.machine
    return (a.word, a.depth + a.array) == (b.word, b.depth + b.array)
