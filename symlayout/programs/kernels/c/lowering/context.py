"""A function of C that is lowered: what its names mean, what types its expressions have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from symlayout.programs.kernels.c.lowering.callees import comes_to_memory
from symlayout.programs.kernels.c.lowering.copy_parameters import PARAMETERS, plain_class
from symlayout.programs.kernels.c.lowering.trees import (
    Source,
    Tree,
    Variable,
    callee,
    children,
    place,
    scope,
    text_of,
)
from symlayout.programs.kernels.c.types import CType, is_builtin
from symlayout.programs.kernels.program.nodes import Expression, Statement

COORDINATES = frozenset(["threadIdx", "blockIdx", "blockDim", "gridDim"])
LOADS = frozenset(["__ldg", "__ldcg", "__ldcs", "__ldca", "__ldlu", "__ldcv", "ldg"])


class Rules(NamedTuple):
    """What lowers each kind of node; an expression of a kind without a row is `otherwise`."""

    expressions: Mapping[str, Callable[[Lowering, Tree], Expression]]
    statements: Mapping[str, Callable[[Lowering, Tree], list[Statement]]]
    otherwise: Callable[[Lowering, Tree], Expression]


class Lowering:
    """Names, types, and what the statement that is lowered does before and after itself."""

    def __init__(self, source: Source, rules: Rules) -> None:
        self.source, self.rules = source, rules
        self.scopes: list[dict[str, Variable]] = [{}]
        self.types: dict[str, CType] = {}
        self.before: list[Statement] = []
        self.after: list[Statement] = []
        self.inside = 0  # macros around what is lowered
        self.cls = ""  # whose method it is
        self.result: CType | None = None  # of the function, where it is an integer
        self.captured: dict[str, Variable] = {}  # what a lambda may change
        self.exposed: frozenset[str] = frozenset()  # variables that pointers are taken of
        self.of_types: set[str] = set()  # the types that a template has as parameters
        self.path: tuple[str, ...] = ()  # the namespaces and classes that the function stands in
        self.named_types: list[dict[str, str]] = [{}]  # that blocks declare

    def expression(self, tree: Tree) -> Expression:
        """The expression, with its place."""
        rule = self.rules.expressions.get(tree.type, self.rules.otherwise)
        return place(rule(self, tree), tree)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """A scope inside of the others, for variables and types."""
        with scope(self.scopes), scope(self.named_types):
            yield

    def variable(self, word: str) -> Variable | None:
        """What a name means here."""
        return next((s[word] for s in reversed(self.scopes) if word in s), None)

    def identifier(self, tree: Tree) -> Variable | None:
        """The variable that a name means; None for what is no name."""
        return self.variable(text_of(tree)) if tree.type == "identifier" else None

    def variable_of(self, tree: Tree) -> Variable | None:
        """The variable that a name, `this->name`, or a field of parameters of a copy means."""
        if tree.type == "identifier":
            return self.variable(text_of(tree))
        if tree.type == "field_expression":
            base, word = (tree.child_by_field_name(k) for k in ("argument", "field"))
            own = self.identifier(base)
            fields = PARAMETERS.get(plain_class(own.type), {}) if own is not None else {}
            if own is not None and text_of(word) in fields:
                return Variable(f"{own.name}.{text_of(word)}", fields[text_of(word)])
        if self.cls and tree.type == "field_expression":
            base, word = (tree.child_by_field_name(k) for k in ("argument", "field"))
            fields = self.source.classes[self.cls].fields
            if text_of(base) == "this" and text_of(word) in fields:
                return Variable(f"this.{text_of(word)}", fields[text_of(word)])
        return None

    def type_of(self, tree: Tree) -> CType | None:
        """The type of an expression; None where it is not known."""
        kids = children(tree)
        match tree.type:
            case "identifier":
                variable = self.variable(text_of(tree))
                return variable.type if variable else None
            case "parenthesized_expression":
                return self.type_of(kids[0]) if kids else None
            case "subscript_expression":
                base = self.type_of(tree.child_by_field_name("argument"))
                if base is None or not base.is_address:
                    return base.lane if base is not None else None
                return base.element
            case "pointer_expression":
                inner = self.type_of(tree.child_by_field_name("argument"))
                if inner is None:
                    return None
                return inner.pointer if text_of(tree).startswith("&") else inner.element
            case "binary_expression":
                for side in ("left", "right"):
                    found_type = self.type_of(tree.child_by_field_name(side))
                    if found_type is not None and found_type.is_address:
                        return found_type
            case "update_expression":
                return self.type_of(tree.child_by_field_name("argument"))
            case "assignment_expression":
                return self.type_of(tree.child_by_field_name("left"))
            case "comma_expression":
                return self.type_of(tree.child_by_field_name("right"))
            case "conditional_expression":
                return self.type_of(tree.child_by_field_name("consequence"))
            case "cast_expression":
                return self.read(text_of(tree.child_by_field_name("type")))
            case "field_expression":
                own = self.variable_of(tree)
                return own.type if own is not None else self.field_type(tree)
            case "call_expression":
                to = self.target_of_cast(tree)
                if to is not None:
                    return to
                word = callee(tree).split("::")[-1]
                if word in LOADS:
                    inner = self.type_of(children(tree.child_by_field_name("arguments"))[0])
                    return inner.element if inner else None
                return self._return_address(word)
        return None

    def read(self, text: str) -> CType:
        """The type that a text spells."""
        return self.source.names.read(text, self.path, self.named_types[::-1], self.of_types)

    def is_certain(self, type: CType) -> bool:
        """Whether what is made, copied and changed of a type does nothing else: of numbers and vectors,
        of what a template takes for one, and of classes that say nothing of it.
        """
        if type.is_address or type.is_plain or self.source.dialect.has_objects:
            return True
        word = type.word.partition("<")[0]
        own = type.word in self.of_types or word in self.source.aggregates
        return own or (is_builtin(type.word) and type.word != "auto")

    def is_plain_text(self, text: str) -> bool:
        """Whether a type is one of numbers, or what a template takes for one."""
        type = self.read(text)
        return self.is_certain(type) or type.word == "auto"

    def why_uncertain(self, type: CType) -> str:
        """Why nothing is known of what is done to an object."""
        if type.is_unknown:
            return f"the type {type.spelling[:40]} is not known here"
        if type.word == "auto":
            return "a value of a type that is not known"
        return f"objects of the class {type.spelling} are not followed"

    def _return_address(self, word: str) -> CType | None:
        """The address that a function of the file returns, where its definitions agree."""
        types: set[CType] = set()
        for t in self.source.functions.get(word, ()):
            named, inner = t.child_by_field_name("type"), t.child_by_field_name("declarator")
            stars = 0
            while inner is not None and inner.type == "pointer_declarator":
                stars += 1
                inner = inner.child_by_field_name("declarator")
            type = self.read(text_of(named)) if named is not None else CType("auto")
            types.add(CType(type.word, type.depth + stars))
        (only,) = types if len(types) == 1 else (None,)
        return only if only is not None and only.is_address else None

    def field_type(self, tree: Tree) -> CType | None:
        inner = tree.child_by_field_name("argument")
        base, word = self.type_of(inner), text_of(tree.child_by_field_name("field"))
        if text_of(inner) in COORDINATES or (base is not None and base.word == "dim3"):
            return CType("unsigned int") if word in ("x", "y", "z") else None
        if base is None:
            return None
        lane = base.lane if word in ("x", "y", "z", "w") else None
        return lane or self.source.fields.get(base.word.partition("<")[0], {}).get(word)

    def target_of_cast(self, tree: Tree) -> CType | None:
        """The type that a call casts to: `static_cast<T>(x)`, `int(x)`."""
        function = tree.child_by_field_name("function")
        word = callee(tree)
        if word.endswith("_cast") and "<" in text_of(function):
            return self.read(text_of(function).split("<", 1)[1].rsplit(">", 1)[0])
        if function.type == "primitive_type":
            return self.read(word)
        inner = text_of(function).strip("() ")
        if function.type in ("identifier", "qualified_identifier"):
            known = (
                self.variable(inner) is not None or word.split("::")[-1] in self.source.functions
            )
            to = self.read(inner)
            return to if (to.machine or inner in self.of_types) and not known else None
        plain = function.type == "parenthesized_expression" and function.named_child_count == 1
        plain = plain and not comes_to_memory(function)
        if plain and self.variable(inner) is None and inner not in self.source.functions:
            if inner in self.of_types:
                return CType(inner)
            to = self.read(inner)  # `(uint)(x)` reads like a call
            return to if to.is_plain and not to.is_address else None
        return None
