"""The functions of a C file as programs, lowered when they are needed; overloads by types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from symlayout.programs.kernels.c.grammar import (
    error_lines,
    named_parameters,
    parameter,
    template_defaults,
    template_numbers,
    template_type_names,
    template_types,
)
from symlayout.programs.kernels.c.lowering.callees import own_spaces
from symlayout.programs.kernels.c.lowering.containment import only_computes
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.statements import body_of
from symlayout.programs.kernels.c.lowering.table import new_lowering
from symlayout.programs.kernels.c.lowering.trees import (
    Source,
    Tree,
    Variable,
    children,
    exposed,
    parameters_of,
    text_of,
)
from symlayout.programs.kernels.c.module import CModule
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.forms import RESERVED
from symlayout.programs.kernels.program.nodes import Function
from symlayout.programs.kernels.program.reading import assigned_names
from symlayout.text.names import unused

POSITIONS = {
    "thread_position_in_grid": "grid",
    "threadgroup_position_in_grid": "block",
    "thread_position_in_threadgroup": "thread",
    "threads_per_threadgroup": "size",
    "thread_index_in_threadgroup": "index",
    "thread_index_in_simdgroup": "lane",
    "simdgroup_index_in_threadgroup": "warp",
}


class Functions:
    """The functions and methods of a file and of what it includes."""

    def __init__(self, source: Source, module: CModule) -> None:
        self.source, self.module = source, module
        self.lowered: dict[int, Function] = {}
        self.waiting: set[int] = set()

    def at(self, word: str, tree: Tree, cls: str = "") -> Function:
        """The function whose tree it is."""
        key = id(tree)
        if key not in self.lowered:
            self.lowered[key] = lowering_of(tree, word, self.source, self.module, cls)
            if key in self.module.origins:
                self.module.foreign[id(self.lowered[key])] = self.module.origins[key]
        return self.lowered[key]

    def lower(self, word: str, count: int, types: Sequence[CType | None] = ()) -> Function | None:
        """The only function of that name that takes so many arguments, of these types."""
        trees = self.module.function_trees.get(word, ())
        fits = _apart([t for t in trees if count in (-1, len(parameters_of(t)))])
        if len(fits) > 1 and types:
            fits = overload(fits, types)
        return self.at(word, fits[0]) if len(fits) == 1 else None

    def only_compute(self, word: str) -> bool:
        """Whether all functions of that name do no more than compute with what they are given."""
        trees = self.module.function_trees.get(word, ())
        return all(only_computes(t, partial(self._is_plain, t)) for t in trees)

    def _is_plain(self, tree: Tree, text: str) -> bool:
        """Whether a type in a function is one of numbers."""
        types = [*types_around(tree)]
        type = self.source.names.read(text, path_of(tree), (), types)
        return type.is_plain or type.word in (*types, "auto")

    def method(self, cls: str, word: str, count: int) -> Function | None:
        """The only method of a class that takes so many arguments."""
        trees = self.source.classes[cls].methods.get(word, ())
        fits = [t for t in trees if least(t) <= count <= len(parameters_of(t))]
        return self.at(word, fits[0], cls) if len(fits) == 1 else None

    def stored(self, cls: str, word: str, count: int) -> set[str] | None:
        """The variables that a method gives values; None where it calls itself."""
        trees = {id(t) for t in self.source.classes[cls].methods.get(word, ())}
        if self.waiting & trees:
            return None
        self.waiting |= trees
        try:
            function = self.method(cls, word, count)
        finally:
            self.waiting -= trees
        return None if function is None else assigned_names(function.body)


def lowering_of(tree: Tree, word: str, source: Source, module: CModule, cls: str = "") -> Function:
    """A function as a program; of a method the object's fields are variables `this.x`."""
    lowering = new_lowering(source)
    lowering.exposed = exposed(tree)
    lowering.cls = cls
    lowering.path = path_of(tree)
    lowering.of_types.update(types_around(tree))
    fields = source.classes[cls].fields if cls else {}
    for n, t in fields.items():
        lowering.scopes[0][n] = Variable(f"this.{n}", t)
        lowering.types[f"this.{n}"] = t
    constants = template_numbers(tree, lowering)
    lowering.result = _result(tree, lowering)
    parameters: dict[str, CType] = {}
    metal: dict[str, str] = {}
    respelled: dict[str, str] = {}
    names = [n for n, _ in named_parameters(tree)]
    for k, p in enumerate(parameters_of(tree)):
        named, type = parameter(p, lowering)
        own = named or f"_{k}"
        named = own if type.is_address else respelling(own, names)
        parameters[named] = type
        lowering.scopes[0][own] = Variable(named, type)
        lowering.types[named] = type
        if named != own:
            respelled[own] = named
        if re.search(r"\bextern\b", text_of(p)) and "extern" in source.dialect.shared:
            module.groups.add((word, named))
        attribute = re.search(r"\[\[\s*(\w+)", text_of(p))
        if attribute is not None and attribute[1] in POSITIONS:
            metal[named] = POSITIONS[attribute[1]]
    body = tree.child_by_field_name("body")
    line, column = tree.start_point[0] + 1, tree.start_point[1]
    statements = body_of(lowering, body)
    node = Function(word, [*parameters], statements, line, column, tree.end_point[0] + 1)
    local = {n: t for n, t in lowering.types.items() if n not in parameters}
    typed = lowering.of_types
    changed = {n: t for n, t in parameters.items() if t.machine or t.is_unknown or t.word in typed}
    module.types[id(node)] = local | changed
    module.parameters[id(node)] = parameters
    module.spellings[id(node)] = respelled
    plain = new_lowering(source)
    module.omitted[id(node)] = {
        n: plain.expression(p.child_by_field_name("default_value"))
        for n, p in zip(parameters, parameters_of(tree))
        if p.type == "optional_parameter_declaration"
    }
    module.constants[id(node)] = constants
    module.templates[id(node)] = template_defaults(tree, lowering)
    module.typed[id(node)] = template_types(tree, lowering)
    module.bad[id(node)] = sorted(error_lines(body)) if tree.has_error and body is not None else []
    module.metal[id(node)] = metal
    return node


def respelling(word: str, others: Sequence[str]) -> str:
    """A number's name as claims have it: another one where it is a word of theirs.

    >>> respelling("in", ["in", "in_"]), respelling("n", [])
    ('in__', 'n')
    """
    return unused(f"{word}_", {*RESERVED, *others}) if word in RESERVED else word


def path_of(tree: Tree) -> tuple[str, ...]:
    """The namespaces and classes that a function stands in, those that its own name says among them."""
    path = tuple(re.sub(r"\s*<.*", "", s) for s in own_spaces(tree))
    above = tree.parent
    while above is not None:
        if above.type in ("namespace_definition", "class_specifier", "struct_specifier"):
            named = above.child_by_field_name("name")
            path = (*(text_of(named).split("::") if named is not None else ()), *path)
        above = above.parent
    return path


def types_around(tree: Tree) -> Iterator[str]:
    """The types that the templates around a function have as parameters."""
    above = tree.parent
    while above is not None:
        if above.type == "template_declaration":
            yield from template_type_names(above)
        above = above.parent


def _result(tree: Tree, lowering: Lowering) -> CType | None:
    """The integer type that a function returns by value; None for any other."""
    named, declarator = (tree.child_by_field_name(k) for k in ("type", "declarator"))
    if named is None or declarator is None or declarator.type != "function_declarator":
        return None
    behind = [c for c in children(declarator) if c.type == "trailing_return_type"]
    type = lowering.read(text_of(children(behind[0])[0] if behind else named))
    known = (type.machine and type.word != "dim3") or type.word in lowering.of_types
    return type if (known or type.is_unknown) and not type.is_address else None


def _apart(trees: list[Tree]) -> list[Tree]:
    """The functions without those that another one repeats word by word, template and all."""
    by_text: dict[str, Tree] = {}
    for t in trees:
        whole = t.parent if t.parent and t.parent.type == "template_declaration" else t
        by_text.setdefault(" ".join(text_of(whole).split()), t)
    return list(by_text.values())


def overload(trees: list[Tree], types: Sequence[CType | None]) -> list[Tree]:
    """The functions of one name that take arguments of these types."""
    candidates, exact = [], []
    for t in trees:
        formals = [w for _, w in named_parameters(t)]
        pairs = [(w, g) for w, g in zip(formals, types) if g is not None]
        if all(_takes(w, g) for w, g in pairs):
            candidates.append(t)
            if all((w.word, w.depth) == (g.word, g.depth + g.array) for w, g in pairs):
                exact.append(t)
    return exact if len(exact) == 1 and None not in types else candidates


def _takes(formal: CType, actual: CType) -> bool:
    """Whether a parameter may take a value: a pointer no number, a number no pointer."""
    depth = actual.depth + actual.array
    known = formal.is_plain
    if formal.depth:
        same = formal.word == actual.word or not (known and CType(actual.word).bits)
        return depth > 0 and same
    return not (known and depth)


def least(tree: Tree) -> int:
    """How many parameters have no default."""
    return sum(p.type != "optional_parameter_declaration" for p in parameters_of(tree))
