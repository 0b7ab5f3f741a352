"""Declarations: a name of its own for each variable, what it is given, arrays that are shared."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from symlayout.programs.kernels.c.lowering.ascend import constructor
from symlayout.programs.kernels.c.lowering.changes import variables_in, without_part
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.copies import parameters_of_copy
from symlayout.programs.kernels.c.lowering.deduction import value_type
from symlayout.programs.kernels.c.lowering.expressions import in_registers
from symlayout.programs.kernels.c.lowering.leaving import ways_out
from symlayout.programs.kernels.c.lowering.parentheses import named_by
from symlayout.programs.kernels.c.lowering.places import address_of
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    Variable,
    assign,
    children,
    declarators,
    declared,
    forget,
    head_of,
    place,
    text_of,
)
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import (
    Data,
    Effect,
    If,
    Registers,
    Shared,
    Statement,
    Unfollowed,
)
from symlayout.programs.kernels.program.reading import assigned_names
from symlayout.text.patterns import regex

LOUD = regex(r"[A-Z_][A-Z\d_]*")  # names of macros, as people spell them


def skip(low: Lowering, tree: Tree, why: str) -> list[Statement]:
    """What is not understood: said; nothing is known of what it may change, nor where it goes."""
    lost = [forget(word, tree) for word in sorted(variables_in(low, tree))]
    gone = [If(Data(why=why), [way]) for way in ways_out(tree)]
    left = [place(s, tree) for s in gone]
    return [place(Effect(Unfollowed(why)), tree), *lost, *left]


def declaration(low: Lowering, tree: Tree) -> list[Statement]:
    prefix = head_of(tree)
    inner = tree.child_by_field_name("type")
    if inner is not None and low.variable(text_of(inner)) is not None:
        return skip(low, tree, f"what {text_of(inner)[:40]} stands for is not known")
    if inner is not None and inner.child_by_field_name("body") is not None:
        return skip(low, tree, "a class inside of a function")
    words = {text_of(c) for c in tree.children if c.type == "storage_class_specifier"}
    constant = re.search(r"\bconst(expr)?\b", prefix) is not None
    outer = words & {"static", "extern"} and not constant and not _is_shared(low, prefix)
    notes = skip(low, tree, "a variable that outlives the call") if outer else []
    return [*notes, *_declared_by(low, tree, prefix, not outer)]


def _is_shared(low: Lowering, prefix: str) -> bool:
    """Whether what is declared lies in memory that a group shares."""
    return any(word in prefix for word in low.source.dialect.shared)


def _declared_by(low: Lowering, tree: Tree, prefix: str, known: bool = True) -> list[Statement]:
    """What a declaration declares; what is not `known` has any value."""
    shared = _is_shared(low, prefix)
    lowerings = [partial(_declarator, low, d, prefix, shared) for d in declarators(tree)]
    statements = [s for lower in lowerings for s in with_effects(low, lower)]
    names = assigned_names(statements) if not known else set()
    return [*statements, *[forget(n, tree) for n in sorted(names)]]


def with_effects(low: Lowering, lower: Callable[[], list[Statement]]) -> list[Statement]:
    """Statements with what their expressions do before and after them."""
    outer, low.before, low.after = (low.before, low.after), [], []
    try:
        statements = lower()
        return [*low.before, *statements, *low.after]
    finally:
        low.before, low.after = outer


def _declarator(low: Lowering, tree: Tree, prefix: str, shared: bool) -> list[Statement]:
    whole, tree = tree, declared(tree)[0]
    inner = peeled(low, tree)[-1]
    if inner.type == "structured_binding_declarator":
        notes = skip(low, whole, "a structured binding")
        names = [c for c in children(inner) if c.type == "identifier"]
        return [
            *notes,
            *[s for c in names for s in variable_declaration(low, c, CType("auto"), None)],
        ]
    if inner.type not in ("identifier", "function_declarator"):
        return skip(low, whole, "a declaration that is not followed")
    type = low.read(prefix)
    if not low.is_certain(CType(type.word)) and type.word != "auto":
        return _of_uncertain_type(
            low, whole, inner, type, partial(_of_its_type, low, whole, prefix, shared)
        )
    return _of_its_type(low, whole, prefix, shared)


def peeled(low: Lowering, tree: Tree) -> tuple[int, bool, list[Tree | None], Tree]:
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


def _of_uncertain_type(
    low: Lowering, tree: Tree, inner: Tree, type: CType, lower: Callable[[], list[Statement]]
) -> list[Statement]:
    """A declaration of a type that is not known: it may make an object that does anything, or be
    none, where its type is a macro.
    """
    while inner.type == "function_declarator":
        inner = inner.child_by_field_name("declarator")
    known = low.identifier(inner) is not None or inner.type != "identifier"
    if known or LOUD.fullmatch(type.spelling):
        return skip(low, tree, low.why_uncertain(type))  # `QUIET y[i] = 2`
    if peeled(low, declared(tree)[0])[0] or type.depth:
        return lower()  # a pointer, which is one whatever it points to
    parts = [t for t in (tree, declared(tree)[1]) if t is not None]
    variables = [low.identifier(t) for p in parts for t in (p, *children(p))]
    names = {v.name for v in variables if v is not None and not v.shared}
    note = place(Effect(Unfollowed(low.why_uncertain(type))), tree)
    return [note, *lower(), *[forget(n, tree) for n in sorted(names)]]


def _of_its_type(low: Lowering, tree: Tree, prefix: str, shared: bool) -> list[Statement]:
    """What a declarator declares."""
    tree, value_tree = declared(tree)
    stars, reference, sizes, inner = peeled(low, tree)
    if inner.type == "function_declarator":  # `T x(n)` reads like one
        text = text_of(inner.child_by_field_name("parameters"))
        inner = inner.child_by_field_name("declarator")
        type = low.read(prefix)
        variables = [low.variable(w) for w in re.findall(r"\w+", text)]
        statements = variable_declaration(low, inner, type, None)
        if any(v is not None and (v.shared or v.type.is_address) for v in variables):
            why = f"{type.spelling} is made of a pointer, and not followed"
            return [*skip(low, tree, why), *statements]
        return statements
    type = low.read(prefix)
    depth = type.depth + stars
    type = CType(type.word, depth, len(sizes), False, type.constant, type.tensor)
    if shared:
        return _shared_array(low, inner, type, sizes[::-1])
    if reference and value_tree is not None:
        return _reference_to(low, inner, type, value_tree, prefix)
    return variable_declaration(low, inner, type, value_tree)


def variable_declaration(
    low: Lowering, tree: Tree, type: CType, value_tree: Tree | None
) -> list[Statement]:
    has_objects = low.source.dialect.has_objects
    parameters = parameters_of_copy(low, tree, type, value_tree) if has_objects else None
    if parameters is not None:
        return parameters
    if value_tree is not None and value_tree.type in ("argument_list", "initializer_list"):
        kids = children(value_tree)
        made_of = constructor(low, tree, type, kids) if has_objects else None
        if made_of is not None:
            return made_of
        if not type.is_address and any(_is_address(low, k) for k in kids):
            why = f"{type.spelling} is made of a pointer, and not followed"
            return [*skip(low, tree, why), *variable_declaration(low, tree, CType(type.word), None)]
        value_tree = kids[0] if len(kids) == 1 and not type.array else value_tree
    if type.word == "auto" and value_tree is not None:
        type = value_type(low, value_tree) or _type_of_data(low, value_tree) or type
    value = low.expression(value_tree) if value_tree is not None else Data()
    before: list[Statement] = []
    if type.array:
        before = [] if value_tree is None else [place(Effect(value), value_tree)]
        value = Registers()
    variable = declare(low, tree, type)
    at = value_tree if value_tree is not None else tree
    return [*before, assign(variable.name, value, at)]


def _type_of_data(low: Lowering, tree: Tree) -> CType | None:
    """The type of a value that is no integer."""
    known = low.type_of(tree)
    return known if known is not None and (known.is_address or not known.machine) else None


def _is_address(low: Lowering, tree: Tree) -> bool:
    ctype = low.type_of(tree)
    return ctype is not None and ctype.is_address


def declare(low: Lowering, tree: Tree, type: CType, shared: bool = False) -> Variable:
    """A name of its own for a variable."""
    word = text_of(tree)
    name, k = word, 1
    while name in low.types or name in low.source.functions:
        k += 1
        name = f"{word}_{k}"
    low.types[name] = type
    low.scopes[-1][word] = Variable(name, type, shared=shared)
    return low.scopes[-1][word]


def _shared_array(
    low: Lowering, tree: Tree, type: CType, sizes: list[Tree | None]
) -> list[Statement]:
    lowered = [low.expression(s) for s in sizes if s is not None]
    variable = declare(low, tree, type, True)
    low.types[variable.name] = type.pointer
    variable.sizes = tuple(lowered) if len(lowered) == len(sizes) else (Data(),)
    element = CType(type.word, type.depth)
    known = lowered if len(lowered) == len(sizes) else []
    value = Shared(variable.name, element, known)
    return [assign(variable.name, value, tree)]


def _reference_to(
    low: Lowering, tree: Tree, type: CType, value: Tree, prefix: str
) -> list[Statement]:
    entry = low.identifier(value)
    if entry is not None:
        if "const" in prefix.split() and type.word != "auto" and not _is_same(type, entry.type):
            return variable_declaration(
                low, tree, type, value
            )  # it is one of a number that is made of it
        low.scopes[-1][text_of(tree)] = entry  # another name for it
        return []
    if "const" in prefix.split():
        return variable_declaration(low, tree, type, value)
    at = address_of(low, value)
    if at is not None and not at[1].array and not low.before and not low.after:
        pointer = declare(low, tree, at[1].pointer)
        low.scopes[-1][text_of(tree)] = Variable(pointer.name, at[1], alias=True)
        return [assign(pointer.name, at[0], value)]
    if in_registers(low, value):
        of_part = type if type.word != "auto" else low.type_of(value) or type
        lost = [place(s, value) for s in without_part(low, value)]
        return [*lost, *variable_declaration(low, tree, CType(of_part.word, reference=True), None)]
    notes = skip(low, tree, "a reference to a place in memory")
    return [*notes, *variable_declaration(low, tree, CType("auto", reference=True), None)]


def _is_same(a: CType, b: CType) -> bool:
    """Whether two types are one, in other words too."""
    if a.machine and b.machine:
        return a.machine == b.machine
    return (a.word, a.depth + a.array) == (b.word, b.depth + b.array)
