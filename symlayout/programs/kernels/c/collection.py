"""The functions, types, macros and constants of a file, and of those that it includes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from symlayout.programs.kernels.access import Kernel, Span
from symlayout.programs.kernels.c.follow import CStatements
from symlayout.programs.kernels.c.grammar import MACRO, function_name, parser
from symlayout.programs.kernels.c.lowering.ascend import Class
from symlayout.programs.kernels.c.lowering.loops import Lowering
from symlayout.programs.kernels.c.lowering.trees import (
    Source,
    Tree,
    children,
    declarators,
    is_loose,
    is_whole,
    text_of,
    walk,
    words_in,
)
from symlayout.programs.kernels.c.macros import Macro
from symlayout.programs.kernels.c.sources import plain, plain_ascend
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.c.values import CModule
from symlayout.programs.kernels.nodes import binary, num
from symlayout.programs.kernels.values import Block, Constant, Opaque, Value
from symlayout.text.patterns import regex

CONTAINERS_WORDS = """
namespace_definition declaration_list template_declaration preproc_if preproc_ifdef
preproc_else preproc_elif linkage_specification ERROR
"""
CONTAINERS = frozenset(CONTAINERS_WORDS.split())

STATEMENTS = regex(r"\b(for|if|else|while|do|return|switch|case|break|continue|goto)\b")
CHECKS = regex(r"check|assert|enforce|unused", re.I)
NAMES = frozenset(["identifier", "qualified_identifier", "template_function"])
PLACES = frozenset(
    (*("subscript_expression", "pointer_expression", "assignment_expression"), "update_expression")
)


def collect(tree: Tree, source: Source, module: CModule, functions: dict[str, list[Tree]]) -> None:
    """The functions, types and constants of a file, those in namespaces and conditions as well."""
    for t in children(tree):
        match t.type:
            case "function_definition":
                word = function_name(t)
                _local_macros(t, source, module, functions)
                if word:
                    functions.setdefault(word, []).append(t)
                if source.ascend and "::" in function_name(t, whole=True):
                    scope = function_name(t, whole=True).rsplit("::", 1)[0].split("::")[-1]
                    cls = source.classes.setdefault(re.sub(r"\s*<.*", "", scope), Class())
                    cls.methods.setdefault(word, []).append(t)
            case "alias_declaration" | "type_definition":
                _alias(t, source)
            case "struct_specifier" | "class_specifier":
                _fields(t, source)
                _class(t, source, module)
            case "preproc_def":
                _object_macro(module, source, t)
            case "declaration" if b"const" in t.text or b"#define" in t.text:
                for c in children(t):
                    if c.type == "init_declarator":
                        _constant(module, c, c.child_by_field_name("value"), _type(t, source))
            case "enum_specifier":
                _enumeration(t, source, module)
            case "preproc_function_def":
                _macro(t, source, functions)
        if t.type in CONTAINERS:
            collect(active_branch(t), source, module, functions)


def _local_macros(
    tree: Tree, source: Source, module: CModule, functions: dict[str, list[Tree]]
) -> None:
    """Macros that are defined inside of a function."""
    if b"#define" not in tree.text and b"# define" not in tree.text:
        return
    for t in walk(tree):
        if t.type == "preproc_def":
            _object_macro(module, source, t)
        elif t.type == "preproc_function_def":
            _macro(t, source, functions)


def active_branch(tree: Tree) -> Tree:
    """Of `#if 0` what stands behind its `#else`."""
    condition = tree.child_by_field_name("condition") if tree.type == "preproc_if" else None
    if condition is None or text_of(condition).strip("() ") not in ("0", "false"):
        return tree
    return tree.child_by_field_name("alternative") or condition


@lru_cache(maxsize=4096)
def is_plain(word: str, macro: Macro) -> bool:
    """Whether a macro is an expression that means the same wherever its name stands."""
    if CHECKS.search(word):
        return True  # it is known by its name
    if macro.variadic or STATEMENTS.search(macro.body) is not None:
        return False
    if macro.names is None:
        value = _expression(macro.body)
        return value is not None and not is_loose(value) and value.type not in NAMES
    tree = _as_function(word, macro.names, macro.body)
    if tree is None:
        return False
    loose, bare = _looseness(tree, list(macro.names))
    return not loose and not bare and not _comes_to(tree, list(macro.names))


def _expression(text: str) -> Tree | None:
    """The expression that a macro without parameters is, less its parentheses, or None."""
    parsed = parser().parse(f"int x = ({text});".encode()).root_node
    if parsed.has_error or not children(parsed):
        return None
    value = children(children(parsed)[0])[-1].child_by_field_name("value")
    whole = value is not None and value.type == "parenthesized_expression" and children(value)
    return children(value)[0] if whole else None


def _as_function(word: str, names: Sequence[str], text: str, line: int = 0) -> Tree | None:
    """A macro as a function that returns its value, in its line for what is said of it."""
    parameters = ", ".join(f"auto {n}" for n in names)
    code = "\n" * line + f"{MACRO.decode()} {word}({parameters}) {{ return ({text}); }}"
    parsed = parser().parse(code.encode()).root_node
    if parsed.has_error or children(parsed)[0].type != "function_definition":
        return None
    return children(parsed)[0]


def _object_macro(module: CModule, source: Source, tree: Tree) -> None:
    """A macro without parameters: a number, or an expression in the place of its name."""
    word, body = text_of(tree.child_by_field_name("name")), tree.child_by_field_name("value")
    again = word in source.macros
    _constant(module, tree, body)
    if again:
        source.macros[word] = None
        module.values.pop(word, None)
        return
    if word in module.values or body is None:
        return
    source.macros[word] = _expression(text_of(body).split("//")[0])
    if re.search(r"[\[*(=]|->|asm", text_of(body)):
        source.reaching.add(word)


def _looseness(tree: Tree, names: list[str]) -> tuple[bool, frozenset[int]]:
    """Whether a macro's text may fall apart where it is put, and which parameters stand bare in it."""
    (statement,) = children(tree.child_by_field_name("body"))
    inner = children(children(statement)[0])[0]
    own = [t for t in walk(inner) if t.type == "identifier" and text_of(t) in names]
    bare = [names.index(text_of(t)) for t in own if t == inner or not is_whole(t)]
    return is_loose(inner), frozenset(bare)


def _macro(tree: Tree, source: Source, functions: dict[str, list[Tree]]) -> None:
    """A macro with parameters, as a function that returns its value."""
    body = tree.child_by_field_name("value")
    if body is None:
        return
    names = [text_of(p) for p in children(tree.child_by_field_name("parameters"))]
    word = text_of(tree.child_by_field_name("name"))
    text = text_of(body).replace("\\\n", " ").strip()
    function = _as_function(word, names, text, tree.start_point[0])
    if function is None:
        source.reaching.add(word)  # statements, or parts of them
        return
    functions.setdefault(word, []).append(function)
    source.loose[word] = _looseness(function, names)
    if _comes_to(function, names):
        source.reaching.add(word)


def _comes_to(tree: Tree, names: list[str]) -> bool:
    """Whether a macro comes to memory, or changes a variable, by a name that it is not given."""
    at = tree.child_by_field_name("argument") or tree.child_by_field_name("left")
    arrow = tree.type == "field_expression" and b"->" in [c.text for c in tree.children]
    if (arrow or tree.type in PLACES) and at is not None:
        used = words_in(at)
        if not used or not {*used} <= {*names}:
            return True
    return any(_comes_to(c, names) for c in tree.named_children)


def _alias(tree: Tree, source: Source) -> None:
    named = tree.child_by_field_name("name") or tree.child_by_field_name("declarator")
    type = tree.child_by_field_name("type")
    if type is not None and type.type.endswith("_specifier") and type.child_by_field_name("body"):
        _fields(type, source, text_of(named) if named is not None else "")
    elif named is not None and type is not None and "(" not in text_of(tree):
        word = text_of(named)
        source.aliases[word.lstrip("* ")] = text_of(type) + "*" * word.count("*")


def _enumeration(tree: Tree, source: Source, module: CModule) -> None:
    """An enumeration's numbers, one more than the one before; its name is one of integers."""
    named, base = tree.child_by_field_name("name"), tree.child_by_field_name("base")
    type = _type(tree, source)
    if named is not None:
        source.aliases.setdefault(text_of(named), text_of(base) if base is not None else "int")
    last: Value | None = Block(num(-1))
    for t in children(tree.child_by_field_name("body") or tree):
        if t.type != "enumerator":
            last = last if t in (named, base) else None
            continue
        value = t.child_by_field_name("value")
        if value is not None:
            last = _constant(module, t, value, type)
        elif isinstance(last, Block):
            last = _define(module, t, Block(binary("+", last.node, num(1))))


def _fields(tree: Tree, source: Source, word: str = "") -> None:
    named, body = tree.child_by_field_name("name"), tree.child_by_field_name("body")
    word = word or (text_of(named) if named is not None else "")
    if body is None or not word:
        return
    lowering = Lowering(source)
    fields = source.fields.setdefault(word, {})
    for f in children(body):
        if f.type != "field_declaration" or f.child_by_field_name("type") is None:
            continue
        type = lowering.read(text_of(f.child_by_field_name("type")))
        for text in map(text_of, declarators(f)):
            plain = re.search(r"\w+", text.replace("__restrict__", ""))
            depth = type.depth + text.count("*")
            if plain is not None:
                fields[plain[0]] = CType(type.word, depth, text.count("["), tensor=type.tensor)


def _class(tree: Tree, source: Source, module: CModule) -> None:
    """A class with its fields, constants and functions."""
    named, body = tree.child_by_field_name("name"), tree.child_by_field_name("body")
    if named is None or body is None:
        return
    word = text_of(named)
    cls = source.classes.setdefault(word, Class())
    cls.fields |= source.fields.get(word, {})
    for t in children(body):
        inner = children(t)[-1] if t.type == "template_declaration" else t
        if inner.type == "function_definition":
            cls.methods.setdefault(function_name(inner), []).append(inner)
        elif t.type == "alias_declaration" and source.ascend:
            _alias(t, source)
        elif t.type == "field_declaration" and b"constexpr" in t.text:
            _constant(module, t, t.child_by_field_name("default_value"), _type(t, source))


def _type(declaration: Tree, source: Source) -> CType | None:
    """The type that a declaration names, or an enumeration is made of."""
    tree = declaration.child_by_field_name("type") or declaration.child_by_field_name("base")
    return None if tree is None else Lowering(source).read(text_of(tree))


def _constant(
    module: CModule, tree: Tree, value: Tree | None, type: CType | None = None
) -> Value | None:
    """A number that the file gives a name, in its type."""
    if value is not None and value.type == "preproc_arg":
        root = parser().parse(f"int x = {text_of(value).split('//')[0]};".encode()).root_node
        value = None if root.has_error else children(children(root)[0])[-1]
        value = value.child_by_field_name("value") if value is not None else None
        value = None if value is not None and is_loose(value) else value
    number: Value | None = None
    if value is not None:
        state = CStatements(module, Kernel("", Span(0)), frozenset())
        lowering = Lowering(Source())
        made_of = state.value(lowering.expression(value), {})
        if type is not None and type.width and isinstance(made_of, Block):
            made_of = state.cast_to(made_of, type, tree.start_point[0] + 1)
        plain = isinstance(made_of, Block) and made_of.node.value is not None
        number = made_of if plain or isinstance(made_of, Constant) else None
    return _define(module, tree, number)


def _define(module: CModule, tree: Tree, value: Value | None) -> Value | None:
    """Gives a name a value; given twice otherwise, it has none."""
    named = tree.child_by_field_name("name") or tree.child_by_field_name("declarator")
    if named is None:
        return None
    word = text_of(named)
    known = module.values.get(word)
    if known is not None and known != value:  # a number that is none the second time, too
        value = Opaque(f"line {tree.start_point[0] + 1}: {word} is given twice")
    if value is not None:
        module.values[word] = value
    return value


@dataclass
class Unit:
    """What a header has: its types and macros, its constants, its functions."""

    source: Source
    module: CModule
    functions: dict[str, list[Tree]]


@lru_cache(maxsize=128)
def unit(text: str) -> Unit:
    """The functions, types and constants of a header's text."""
    tree = parser().parse(plain(plain_ascend(text)).encode(errors="replace"))
    header = Unit(Source(ascend="__aicore__" in text), CModule(text=text), {})
    if header.source.ascend:
        header.source.aliases["GM_ADDR"] = "void*"
    collect(tree.root_node, header.source, header.module, header.functions)
    return header


def _text(tree: Tree | None) -> str:
    return "" if tree is None else text_of(tree)


def join(
    header: Unit, path: str, source: Source, module: CModule, functions: dict[str, list[Tree]]
) -> None:
    """Adds what a header has; a constant that another one gives otherwise is none."""
    source.aliases |= header.source.aliases
    source.fields |= header.source.fields
    for word, value in header.source.macros.items():
        same = word not in source.macros or _text(source.macros[word]) == _text(value)
        source.macros[word] = value if same else None
    source.reaching |= header.source.reaching
    for word, cls in header.source.classes.items():
        known = source.classes.setdefault(word, Class())
        known.fields |= cls.fields
        for name_, trees in cls.methods.items():
            known.methods.setdefault(name_, []).extend(trees)
            module.origins |= {id(t): path.rsplit("/", 1)[-1] for t in trees}
    for word, value in header.module.values.items():
        other = module.values.get(word, value)
        module.values[word] = value if other == value else Opaque(f"{word} is given twice")
    for word, trees in header.functions.items():
        functions.setdefault(word, []).extend(trees)
        module.origins |= {id(t): path.rsplit("/", 1)[-1] for t in trees}
