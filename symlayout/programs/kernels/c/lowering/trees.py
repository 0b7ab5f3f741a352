"""Nodes of C's syntax tree, what their texts alone tell, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from symlayout.programs.kernels.c.lowering.dialect import C, Dialect
from symlayout.programs.kernels.c.names import Names
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import (
    AnyNode,
    Assign,
    Atomic,
    Data,
    Expression,
    Load,
    Place,
    Statement,
    Store,
    Unfollowed,
    put,
)
from symlayout.programs.kernels.syntax import COMPARED as OF_PYTHON
from symlayout.programs.kernels.syntax import OPERATORS
from symlayout.text.patterns import regex

Tree = Any  # a node of tree-sitter, which ships no types that are worth it
# the operators of C, as the lowered language has them
BINARY = {sign.replace("//", "/"): sign for sign in OPERATORS.values()}
COMPARED = {sign: sign for sign in OF_PYTHON.values()}
LOOSE = frozenset(
    ["binary_expression", "conditional_expression", "comma_expression", "assignment_expression"]
)
WHOLE_WORDS = """
parenthesized_expression argument_list subscript_argument_list initializer_list
init_declarator return_statement expression_statement condition_clause
assignment_expression
"""
WHOLE = frozenset(WHOLE_WORDS.split())
ATOMS_WORDS = """
identifier number_literal parenthesized_expression call_expression
subscript_expression field_expression
"""
ATOMS = frozenset(ATOMS_WORDS.split())
NUMBER = regex(r"([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)([uUlLzZ]*)")
DIGITS = 70  # of the longest literal, a binary one, with room for zeros


@dataclass
class Variable:
    """A declared name: what it is called in the program, its type, the sizes of an array."""

    name: str
    type: CType
    sizes: tuple[Expression, ...] = ()
    shared: bool = False
    alias: bool = False  # another name of a place in memory, which `name` points to


@dataclass
class Source:
    """What the functions of a file share."""

    names: Names = field(default_factory=Names)
    aggregates: set[str] = field(default_factory=set)  # classes that do nothing by themselves
    fields: dict[str, dict[str, CType]] = field(default_factory=dict)
    # whether changed, by place
    references: dict[str, dict[int, bool]] = field(default_factory=dict)
    functions: dict[str, list[Tree]] = field(default_factory=dict)
    macros: dict[str, Tree | None] = field(default_factory=dict)  # that are no numbers
    calls: int = 0  # that were lowered
    replaced: int = 0  # macros in expressions
    # of macros with parameters: whether the text is loose, and which arguments stand bare in it
    loose: dict[str, tuple[bool, frozenset[int]]] = field(default_factory=dict)
    dialect: Dialect = C
    classes: dict[str, Any] = field(default_factory=dict)  # AscendC's, by name
    stored: Callable[[str, str, int], set[str] | None] = lambda cls, word, count: None
    reaching: set[str] = field(default_factory=set)  # macros that may come to memory


NO_TYPE = "<>"  # for a name that stands for a type that is not followed


@contextmanager
def scope(scopes: list[Any]) -> Iterator[None]:
    """A scope inside of the others."""
    scopes.append({})
    try:
        yield
    finally:
        scopes.pop()


def text_of(tree: Tree) -> str:
    """The source of a node."""
    return str(tree.text.decode(errors="replace"))


def walk(tree: Tree | None) -> Iterator[Tree]:
    """The node and all that is inside of it, in the order of the text."""
    waiting = [tree] if tree is not None else []
    while waiting:
        t = waiting.pop()
        yield t
        waiting += reversed(t.named_children)


def words_in(tree: Tree | None) -> list[str]:
    """The identifiers that stand in it, in the order of the text."""
    return [text_of(t) for t in walk(tree) if t.type == "identifier"]


def children(tree: Tree | None) -> list[Tree]:
    """The named children that are no comments; none of nothing."""
    return [c for c in tree.named_children if c.type != "comment"] if tree is not None else []


def declared(tree: Tree) -> tuple[Tree, Tree | None]:
    """What a declarator declares, a name or more around it, and the value that it begins with."""
    if tree.type != "init_declarator":
        return tree, None
    return tree.child_by_field_name("declarator"), tree.child_by_field_name("value")


def declarators(tree: Tree) -> Iterator[Tree]:
    """What a declaration declares, each with its value."""
    for at, child in enumerate(tree.children):
        if tree.field_name_for_child(at) == "declarator":
            yield child


def head_of(tree: Tree) -> str:
    """A declaration's text up to its type, with the words before that; "" where it has none."""
    named = tree.child_by_field_name("type")
    end = named.end_byte - tree.start_byte if named is not None else 0
    return str(tree.text[:end].decode(errors="replace"))


def base_of(tree: Tree) -> str:
    """The type that an enumeration is made of."""
    base = tree.child_by_field_name("base")
    return text_of(base) if base is not None else "int"


def aliases_of(tree: Tree) -> Iterator[tuple[str, str]]:
    """The names that a `typedef` or `using` gives, and what they stand for: "" for a class without
    another name.
    """
    type, plain = tree.child_by_field_name("type"), tree.child_by_field_name("name")
    text = text_of(type) if type is not None else NO_TYPE
    if type is not None and type.type.endswith("_specifier"):
        own = type.child_by_field_name("name")
        inner = base_of(type) if type.type == "enum_specifier" else ""
        if own is not None or type.child_by_field_name("body") is not None:
            text = text_of(own) if own is not None else inner
    for named in [plain] if plain is not None else declarators(tree):
        spelling = text_of(named)
        word = re.sub(r"\W.*", "", spelling.lstrip("*(& \n"), flags=re.S)
        stars = spelling.count("*")
        known = re.fullmatch(r"[*\s]*\w+", spelling) is not None and "(" not in text
        if word and word != text:
            yield word, (text + "*" * stars if known and (text or not stars) else NO_TYPE)


def callee(tree: Tree) -> str:
    """The name of the function that a call calls, template arguments left out."""
    return re.sub(r"<.*", "", text_of(tree.child_by_field_name("function")), flags=re.S).strip()


def number_of(tree: Tree) -> tuple[int, str] | None:
    """The integer that a literal is, and its type; None for others, and where no type has it."""
    text = text_of(tree).replace("'", "")
    match = NUMBER.fullmatch(text) if len(text) <= DIGITS else None
    if match is None:
        return None
    sign, digits, suffix = match.groups()
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    value = int(digits, 8 if octal else 0)
    word = literal_type(value, suffix.lower(), digits[0] != "0")
    return None if word is None else (-value if sign == "-" else value, word)


def literal_type(value: int, suffix: str, decimal: bool) -> str | None:
    """The first of the literal's types that has the value.

    >>> literal_type(1 << 31, "", True), literal_type(1 << 31, "", False), literal_type(8, "u", True)
    ('long', 'unsigned int', 'unsigned int')
    """
    signed, unsigned = "u" not in suffix, "u" in suffix or not decimal
    sizes = (("int", 32), ("long", 64)) if not {*suffix} & {"l", "z"} else (("long", 64),)
    for word, bits in sizes:
        if signed and value < 1 << bits - 1:
            return word
        if unsigned and value < 1 << bits:
            return f"unsigned {word}"
    return None


def is_float_literal(text: str) -> bool:
    """Whether a number is written with a point, an exponent or as a float.

    >>> [is_float_literal(t) for t in ("1e3", "0x1f", "0x1p3", "2.0", "3")]
    [True, False, True, True, False]
    """
    plain = text.lower().replace("'", "")
    if plain.startswith(("0x", "0b")):
        return "." in plain or "p" in plain
    return "." in plain or "e" in plain or "f" in plain


def root_of(tree: Tree) -> Tree:
    """What subscripts, fields and parentheses begin with."""
    while tree.type in ("subscript_expression", "field_expression", "parenthesized_expression"):
        if tree.type == "field_expression" and {".*", "->*"} & {text_of(c) for c in tree.children}:
            return tree  # by a pointer to a member
        tree = tree.child_by_field_name("argument") or children(tree)[0]
    return tree


def declarator_of(tree: Tree) -> Tree | None:
    """Where a function's parameters are, also behind what it returns: a pointer, a reference."""
    inner = tree.child_by_field_name("declarator")
    while inner is not None and inner.type != "function_declarator":
        below = children(inner)[-1] if inner.type == "reference_declarator" else None
        inner = inner.child_by_field_name("declarator") or below
    return inner


def parameters_of(tree: Tree) -> list[Tree]:
    """The declarations of a function's parameters."""
    declarator = declarator_of(tree)
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    return [p for p in children(listed) if p.type.endswith("declaration")]


def changes_of(trees: list[Tree]) -> dict[int, bool]:
    """Of each parameter whether a function of that name may change what it is given."""
    changes: dict[int, bool] = {}
    for t in trees:
        for k, p in enumerate(parameters_of(t)):
            own = p.text.find(b"&") >= 0 and b"const" not in p.text
            changes[k] = changes.get(k, False) or own
    return changes


def place(node: AnyNode, tree: Tree) -> AnyNode:
    """The node, and what in it stands nowhere yet, standing where the tree stands."""
    if node.place is not None:
        return node
    (line, column), (end_line, end_column) = tree.start_point, tree.end_point
    return put(node, Place(line + 1, column, end_line + 1, end_column))


def assign(word: str, value: Expression, tree: Tree) -> Statement:
    """Gives a variable a value, where the tree stands."""
    return place(Assign(word, value), tree)


def access(
    kind: type[Load | Store | Atomic], address: Expression, type: CType, values: list[Expression]
) -> Expression:
    """A load, a store or an atomic; a load with more than an address is none that is known."""
    if issubclass(kind, Load):
        return (
            Unfollowed("a load with more than an address", values)
            if values
            else Load(address, type)
        )
    return kind(address, type, values)


def forget(word: str, tree: Tree) -> Statement:
    """Nothing is known of a variable any more."""
    return assign(word, Data(why=word), tree)


def exposed(tree: Tree | None) -> frozenset[str]:
    """The variables whose addresses are taken, but for those that a function is given for its call."""
    names: set[str] = set()
    for t in walk(tree):
        if t.type == "pointer_expression" and text_of(t).startswith("&"):
            inner, above = t.child_by_field_name("argument"), t.parent
            is_arg = above is not None and above.type == "argument_list" and not _is_cast(above)
            if inner.type == "identifier" and not is_arg:
                names.add(text_of(inner))
    return frozenset(names)


def _is_cast(listed: Tree) -> bool:
    function = listed.parent.child_by_field_name("function") if listed.parent else None
    return function is not None and re.match(r"\w*_cast\b", text_of(function)) is not None


def is_loose(tree: Tree) -> bool:
    """Whether an expression may fall apart in the place of a name."""
    return tree.type in LOOSE


def is_whole(tree: Tree) -> bool:
    """Whether an expression is all that stands between two parentheses, commas or semicolons."""
    above = tree.parent
    if above is None or above.type not in WHOLE:
        return False
    return above.type != "assignment_expression" or bool(above.child_by_field_name("right") == tree)
