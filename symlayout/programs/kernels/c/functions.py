"""The functions of a C file as Python's trees, lowered when they are needed; overloads by types."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from symlayout.programs.kernels.c.grammar import (
    error_lines,
    named_parameters,
    parameter,
    template_defaults,
    template_numbers,
    template_types,
)
from symlayout.programs.kernels.c.lowering.loops import Lowering
from symlayout.programs.kernels.c.lowering.trees import (
    Source,
    Tree,
    Variable,
    exposed,
    function_of,
    parameters_of,
    text_of,
)
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.c.values import CModule
from symlayout.programs.kernels.forms import RESERVED
from symlayout.programs.kernels.syntax import assigned_names
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
        self.lowered: dict[int, ast.FunctionDef] = {}
        self.waiting: set[int] = set()

    def at(self, word: str, tree: Tree, cls: str = "") -> ast.FunctionDef:
        """The function whose tree it is."""
        key = id(tree)
        if key not in self.lowered:
            self.lowered[key] = lowering_of(tree, word, self.source, self.module, cls)
            if key in self.module.origins:
                self.module.foreign[id(self.lowered[key])] = self.module.origins[key]
        return self.lowered[key]

    def lower(
        self, word: str, count: int, types: Sequence[CType | None] = ()
    ) -> ast.FunctionDef | None:
        """The only function of that name that takes so many arguments, of these types."""
        trees = self.module.found.get(word, ())
        fits = _apart([t for t in trees if count in (-1, len(parameters_of(t)))])
        if len(fits) > 1 and types:
            fits = overload(fits, types)
        return self.at(word, fits[0]) if len(fits) == 1 else None

    def method(self, cls: str, word: str, count: int) -> ast.FunctionDef | None:
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


def lowering_of(
    tree: Tree, word: str, source: Source, module: CModule, cls: str = ""
) -> ast.FunctionDef:
    """A function as Python's tree; of a method the object's fields are variables `this.x`."""
    lowering = Lowering(source)
    lowering.exposed = exposed(tree)
    lowering.cls = cls
    fields = source.classes[cls].fields if cls else {}
    for n, t in fields.items():
        lowering.scopes[0][n] = Variable(f"this.{n}", t)
        lowering.types[f"this.{n}"] = t
    constants = template_numbers(tree, lowering)
    lowering.result = _result(tree, lowering)
    given: dict[str, CType] = {}
    metal: dict[str, str] = {}
    respelled: dict[str, str] = {}
    names = [n for n, _ in named_parameters(tree)]
    for k, p in enumerate(parameters_of(tree)):
        named, type = parameter(p, lowering)
        own = named or f"_{k}"
        named = own if type.is_address else spelled(own, names)
        given[named] = type
        lowering.scopes[0][own] = Variable(named, type)
        lowering.types[named] = type
        if named != own:
            respelled[own] = named
        if source.opencl and re.search(r"\bextern\b", text_of(p)):
            module.groups.add((word, named))
        found = re.search(r"\[\[\s*(\w+)", text_of(p))
        if found is not None and found[1] in POSITIONS:
            metal[named] = POSITIONS[found[1]]
    body = tree.child_by_field_name("body")
    made = function_of(word, given, lowering.body(body))
    made.lineno, made.col_offset = tree.start_point[0] + 1, tree.start_point[1]
    made.end_lineno = tree.end_point[0] + 1
    local = {n: t for n, t in lowering.types.items() if n not in given}
    typed = {*source.aliases, *lowering.of_types}
    changed = {n: t for n, t in given.items() if t.width or t.word in typed}
    module.types[id(made)] = local | changed
    module.parameters[id(made)] = given
    module.spelled[id(made)] = respelled
    plain = Lowering(source)
    module.omitted[id(made)] = {
        n: plain.expression(p.child_by_field_name("default_value"))
        for n, p in zip(given, parameters_of(tree))
        if p.type == "optional_parameter_declaration"
    }
    module.constants[id(made)] = constants
    module.templates[id(made)] = template_defaults(tree, lowering)
    module.typed[id(made)] = template_types(tree, lowering)
    module.bad[id(made)] = sorted(error_lines(body)) if tree.has_error and body is not None else []
    module.metal[id(made)] = metal
    return made


def spelled(word: str, others: Sequence[str]) -> str:
    """A number's name as claims have it: another one where it is a word of theirs.

    >>> spelled("in", ["in", "in_"]), spelled("n", [])
    ('in__', 'n')
    """
    return unused(f"{word}_", {*RESERVED, *others}) if word in RESERVED else word


def _result(tree: Tree, lowering: Lowering) -> CType | None:
    """The integer type that a function returns by value; None for any other."""
    named, declarator = (tree.child_by_field_name(k) for k in ("type", "declarator"))
    if named is None or declarator is None or declarator.type != "function_declarator":
        return None
    type = lowering.read(text_of(named))
    known = (type.width and type.word != "dim3") or type.word in lowering.of_types
    return type if known and not type.is_address else None


def _apart(trees: list[Tree]) -> list[Tree]:
    """The functions without those that another one repeats word by word, template and all."""
    made: dict[str, Tree] = {}
    for t in trees:
        whole = t.parent if t.parent and t.parent.type == "template_declaration" else t
        made.setdefault(" ".join(text_of(whole).split()), t)
    return list(made.values())


def overload(trees: list[Tree], types: Sequence[CType | None]) -> list[Tree]:
    """The functions of one name that take arguments of these types."""
    kept, exact = [], []
    for t in trees:
        wanted = [w for _, w in named_parameters(t)]
        pairs = [(w, g) for w, g in zip(wanted, types) if g is not None]
        if all(_takes(w, g) for w, g in pairs):
            kept.append(t)
            if all((w.word, w.depth) == (g.word, g.depth + g.array) for w, g in pairs):
                exact.append(t)
    return exact if len(exact) == 1 and None not in types else kept


def _takes(wanted: CType, given: CType) -> bool:
    """Whether a parameter may take a value: a pointer no number, a number no pointer."""
    depth = given.depth + given.array
    known = bool(wanted.bits) or wanted.word in ("float", "double")
    if wanted.depth:
        same = wanted.word == given.word or not (known and CType(given.word).bits)
        return depth > 0 and same
    return not (known and depth)


def least(tree: Tree) -> int:
    """How many parameters have no default."""
    return sum(p.type != "optional_parameter_declaration" for p in parameters_of(tree))
