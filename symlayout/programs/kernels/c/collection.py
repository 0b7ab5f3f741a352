"""The functions, types, macros and constants of a file, and of those that it includes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from symlayout.programs.kernels.access import Kernel, Span
from symlayout.programs.kernels.c.dialects import dialect_of
from symlayout.programs.kernels.c.grammar import MACRO, function_name, parser, template_type_names
from symlayout.programs.kernels.c.interpreter.conversions import cast_to
from symlayout.programs.kernels.c.interpreter.table import interpreter
from symlayout.programs.kernels.c.lowering.ascend import Class
from symlayout.programs.kernels.c.lowering.containment import is_contained
from symlayout.programs.kernels.c.lowering.dialect import Dialect
from symlayout.programs.kernels.c.lowering.table import new_lowering
from symlayout.programs.kernels.c.lowering.trees import (
    NO_TYPE,
    Source,
    Tree,
    aliases_of,
    base_of,
    children,
    declarators,
    is_loose,
    is_whole,
    text_of,
    walk,
    words_in,
)
from symlayout.programs.kernels.c.macros import Macro
from symlayout.programs.kernels.c.module import CModule
from symlayout.programs.kernels.c.names import TEMPLATE
from symlayout.programs.kernels.c.sources import plain
from symlayout.programs.kernels.c.types import CType
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


@dataclass(frozen=True)
class Scope:
    """Where something is declared: in which namespaces and classes, and ways of an `#if`."""

    path: tuple[str, ...] = ()
    ways: int = 1
    templates: tuple[str, ...] = ()  # the types that templates around it have as parameters
    templated: bool = False  # whether it is a template itself

    def read(self, text: str, source: Source) -> CType:
        """The type that a text spells there."""
        return source.names.read(text, self.path, (), self.templates)


def collect(
    tree: Tree,
    source: Source,
    module: CModule,
    functions: dict[str, list[Tree]],
    scope: Scope = Scope(),
) -> None:
    """The functions, types and constants of a file, those in namespaces and conditions as well."""
    for t in children(tree):
        declare(t, source, module, scope)
        match t.type:
            case "function_definition":
                word = function_name(t)
                _local_macros(t, source, module, functions)
                if word:
                    functions.setdefault(word, []).append(t)
                if source.dialect.has_objects and "::" in function_name(t, whole=True):
                    space = function_name(t, whole=True).rsplit("::", 1)[0].split("::")[-1]
                    cls = source.classes.setdefault(re.sub(r"\s*<.*", "", space), Class())
                    cls.methods.setdefault(word, []).append(t)
            case "preproc_def":
                _object_macro(module, source, t)
            case "declaration" if b"const" in t.text or b"#define" in t.text:
                for c in children(t):
                    if c.type == "init_declarator":
                        type = _type(t, source, scope)
                        _constant(module, c, c.child_by_field_name("value"), type)
            case "preproc_function_def":
                _macro(t, source, functions)
        if t.type in CONTAINERS:
            collect(active_branch(t), source, module, functions, _inside(t, scope))


def declare(tree: Tree, source: Source, module: CModule, scope: Scope) -> None:
    """The types that a declaration names, and the constants of enumerations and classes."""
    names = source.names
    match tree.type:
        case "alias_declaration" | "type_definition":
            _alias(tree, source, module, scope)
        case "struct_specifier" | "class_specifier" | "union_specifier":
            _class(tree, source, module, scope)
        case "enum_specifier":
            _enumeration(tree, source, module, scope)
        case "using_declaration":
            text = " ".join(text_of(tree).removeprefix("using").strip("; \n").split())
            if text.startswith("namespace "):
                names.spaces.add(text.removeprefix("namespace ").split("::")[-1].strip())
            else:
                names.add(text.split("::")[-1], scope.path, text, scope.ways)
        case "declaration":
            inner = tree.child_by_field_name("type")
            if inner is not None and inner.type.endswith("_specifier"):
                declare(inner, source, module, scope)


def _inside(tree: Tree, scope: Scope) -> Scope:
    """The scope of what stands in a namespace, a template, or a condition."""
    if tree.type == "namespace_definition":
        named = tree.child_by_field_name("name")
        own = tuple(text_of(named).split("::")) if named is not None else ()
        return replace(scope, path=(*scope.path, *own))
    if tree.type == "template_declaration":
        types = template_type_names(tree)
        return replace(scope, templates=(*scope.templates, *types), templated=True)
    if tree.type in ("preproc_if", "preproc_ifdef") and tree.child_by_field_name("alternative"):
        return replace(scope, ways=max(scope.ways, _ways(tree)))
    return scope


def _ways(tree: Tree) -> int:
    """How many ways a condition of the preprocessor has."""
    other = tree.child_by_field_name("alternative")
    return 1 if other is None else 1 + _ways(other)


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
        plain = value is not None and not is_loose(value) and value.type not in NAMES
        return plain and value is not None and value.type != "call_expression"
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


def _alias(tree: Tree, source: Source, module: CModule, scope: Scope) -> None:
    """The names that stand for a type."""
    type = tree.child_by_field_name("type")
    if type is not None and type.type.endswith("_specifier") and type.child_by_field_name("body"):
        declare(type, source, module, scope)
    for word, meaning in aliases_of(tree):
        if meaning:
            meaning = NO_TYPE if scope.templated else meaning
            source.names.add(word, scope.path, meaning, scope.ways)
        else:
            _class(type, source, module, scope, word)


def _enumeration(tree: Tree, source: Source, module: CModule, scope: Scope) -> None:
    """An enumeration's numbers, one more than the one before; its name is one of integers."""
    named, base = tree.child_by_field_name("name"), tree.child_by_field_name("base")
    body = tree.child_by_field_name("body")
    type = scope.read(base_of(tree), source)
    if named is not None and (body is not None or base is not None):
        source.names.add(text_of(named), scope.path, base_of(tree), scope.ways)
    last: Value | None = Block(num(-1))
    for t in children(body):
        if t.type != "enumerator":
            last = None
            continue
        value = t.child_by_field_name("value")
        if value is not None:
            last = _constant(module, t, value, type)
        elif isinstance(last, Block):
            last = _define(module, t, Block(binary("+", last.node, num(1))))


def _fields(tree: Tree, source: Source, word: str, scope: Scope) -> None:
    """The types of a class's fields."""
    fields = source.fields.setdefault(word, {})
    for f in children(tree.child_by_field_name("body")):
        if f.type != "field_declaration" or f.child_by_field_name("type") is None:
            continue
        type = scope.read(text_of(f.child_by_field_name("type")), source)
        for text in map(text_of, declarators(f)):
            plain = re.search(r"\w+", text.replace("__restrict__", ""))
            depth = type.depth + text.count("*")
            if plain is not None:
                fields[plain[0]] = CType(type.word, depth, text.count("["), tensor=type.tensor)


def _is_aggregate(tree: Tree, word: str, source: Source, scope: Scope) -> bool:
    """Whether objects of a class do nothing beside what its own fields are given."""
    fields = source.fields[word]

    def is_plain(type: CType) -> bool:
        own = type.word in {word, "auto", *scope.templates} or type.word in source.aggregates
        return type.is_address or type.is_plain or own

    if not all(map(is_plain, fields.values())):
        return False
    return is_contained(tree, word, fields, lambda text: is_plain(scope.read(text, source)))


def _class(tree: Tree, source: Source, module: CModule, scope: Scope, alias: str = "") -> None:
    """A class with its fields, constants and functions."""
    named, body = tree.child_by_field_name("name"), tree.child_by_field_name("body")
    word = alias or (text_of(named) if named is not None else "")
    if not word:
        return
    plain = "::" not in word and "<" not in word
    meaning = "" if not scope.templated or source.dialect.has_objects else TEMPLATE
    source.names.add(word, scope.path, meaning if plain else NO_TYPE, scope.ways)
    if body is None:
        return
    scope = replace(scope, path=(*scope.path, word), templated=False)
    _fields(tree, source, word, scope)
    if _is_aggregate(tree, word, source, scope):
        source.aggregates.add(word)
    cls = source.classes.setdefault(word, Class())
    cls.fields |= source.fields.get(word, {})
    for t in children(body):
        inner = children(t)[-1] if t.type == "template_declaration" else t
        if inner.type == "function_definition":
            cls.methods.setdefault(function_name(inner), []).append(inner)
        elif t.type == "field_declaration":
            type = t.child_by_field_name("type")
            if type.type.endswith("_specifier"):
                declare(type, source, module, scope)
            if b"constexpr" in t.text:
                of = _type(t, source, scope)
                _constant(module, t, t.child_by_field_name("default_value"), of)
        elif t.type in ("alias_declaration", "type_definition", "enum_specifier"):
            declare(t, source, module, scope)


def _type(declaration: Tree, source: Source, scope: Scope) -> CType | None:
    """The type that a declaration names."""
    tree = declaration.child_by_field_name("type")
    return None if tree is None else scope.read(text_of(tree), source)


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
    if value is not None and not (type is not None and type.is_unknown):
        it = interpreter(module, Kernel("", Span(0)))
        made_of = it.value(new_lowering(Source()).expression(value), {})
        if type is not None and type.machine and isinstance(made_of, Block):
            made_of = cast_to(it, made_of, type, tree.start_point[0] + 1)
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


def new_source(dialect: Dialect) -> Source:
    """What a file begins with: the types that its compiler brings."""
    source = Source(dialect=dialect)
    for word, meaning in dialect.types.items():
        source.names.add(word, (), meaning)
    return source


@lru_cache(maxsize=128)
def unit(text: str) -> Unit:
    """The functions, types and constants of a header's text."""
    dialect = dialect_of(text)
    tree = parser().parse(plain(dialect.plain(text)).encode(errors="replace"))
    header = Unit(new_source(dialect), CModule(text=text), {})
    collect(tree.root_node, header.source, header.module, header.functions)
    return header


def _text(tree: Tree | None) -> str:
    return "" if tree is None else text_of(tree)


def join(
    header: Unit, path: str, source: Source, module: CModule, functions: dict[str, list[Tree]]
) -> None:
    """Adds what a header has; a constant that another one gives otherwise is none."""
    source.names.join(header.source.names)
    source.fields |= header.source.fields
    source.aggregates |= header.source.aggregates
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
