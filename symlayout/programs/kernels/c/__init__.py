"""Reads C, C++, CUDA, HIP and Metal by tree-sitter's grammar; nothing of the file is compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from symlayout.errors import LayoutError
from symlayout.programs.kernels.access import Kernel, Span
from symlayout.programs.kernels.c.follow import Axes, CModule, CStatements, Struct
from symlayout.programs.kernels.c.lowering import Source, Tree, Variable, children, text_of
from symlayout.programs.kernels.c.statements import Lowering
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.nodes import Node, TooLarge, binary, name
from symlayout.programs.kernels.triton import Module
from symlayout.programs.kernels.triton import scalar as triton_scalar
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value

__all__ = ["below", "function", "read_kernel", "read_module", "scalar"]

METAL = {  # words of the same length, so that every place stays where it is
    "kernel": "static",
    "device": "      ",
    "constant": "        ",
    "threadgroup": "__shared__ ",
}
POSITIONS = {
    "thread_position_in_grid": "grid",
    "threadgroup_position_in_grid": "block",
    "thread_position_in_threadgroup": "thread",
    "threads_per_threadgroup": "size",
    "thread_index_in_threadgroup": "index",
}


def parser() -> Any:
    """A parser of CUDA, whose grammar has C++ in it.

    Raises `LayoutError` (SL509) where the grammar is not installed.
    """
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ImportError:
        help = "install it: pip install 'symlayout[c]'"
        said = "kernels in C, C++, CUDA, HIP and Metal are read by tree-sitter, which is not here"
        raise LayoutError("SL509", said, help=help) from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def read_module(text: str, metal: bool = False) -> CModule:
    """The functions of a C file; `kernels` has those that are launched.

    Raises `LayoutError` (SL509) where the grammar is not installed.
    """
    read = _plain_metal(text) if metal else text
    tree = parser().parse(read.encode(errors="replace"))
    source = Source()
    module = CModule(text=text)
    found: dict[str, list[Tree]] = {}
    _collect(tree.root_node, source, module, found)
    source.functions = found
    module.structs = frozenset(source.fields)
    module.trees = [(w, t) for w, trees in found.items() for t in trees if not _is_macro(t)]
    for word, trees in found.items():
        source.references[word] = {
            k: p.text.find(b"&") >= 0 and b"const" not in p.text
            for k, p in enumerate(_parameters(trees[0]))
        }
    lowered: dict[int, ast.FunctionDef] = {}

    def lower(word: str, count: int) -> ast.FunctionDef | None:
        fits = [t for t in found.get(word, ()) if count in (-1, len(_parameters(t)))]
        if len(fits) != 1:
            return None
        return at(word, fits[0])

    def at(word: str, tree: Tree) -> ast.FunctionDef:
        key = id(tree)
        if key not in lowered:
            lowered[key] = _lowered(tree, word, source, module)
        return lowered[key]

    module.lower = lower
    for word, trees in found.items():
        for t in trees:
            if t.type == "function_definition" and not _is_macro(t):
                module.places[t.start_point[0] + 1] = partial(at, word, t)
        launched = [t for t in trees if _is_launched(t, text if metal else "")]
        for t in launched[:1]:
            made = lower(word, len(_parameters(t)) if len(trees) > 1 else -1)
            if made is not None:
                module.kernels[word] = module.functions[word] = made
    return module


def function(module: CModule, word: str) -> ast.FunctionDef | None:
    """A function of the file by its name, a helper too."""
    return module.kernels.get(word) or module.lower(word, -1)


def below(module: CModule, line: int) -> ast.FunctionDef | None:
    """The first function that begins below a line."""
    behind = [n for n in module.places if n > line]
    return module.places[min(behind)]() if behind else None


def scalar(module: CModule, function: ast.FunctionDef, text: str) -> Node:
    """An expression of a contract, over the function's parameters and the file's constants.

    Raises `LayoutError` (SL200) for what is none.
    """
    return triton_scalar(Module(values=module.values), function, text)


def _plain_metal(text: str) -> str:
    text = re.sub(r"\b(kernel|device|constant)\b", lambda m: METAL[m[0]], text)
    return re.sub(r"(?<=[;{}\n])(\s*)threadgroup\b(?=[^;()]*;)", r"\1__shared__ ", text).replace(
        "threadgroup ", "            "
    )


def _is_launched(tree: Tree, metal: str) -> bool:
    """Whether a function is a kernel."""
    head = tree.text[: tree.text.find(b"{")].decode(errors="replace")
    if metal:
        lines = metal.splitlines()
        return re.match(r"\s*(\[\[.*\]\]\s*)?kernel\b", lines[tree.start_point[0]]) is not None
    return "__global__" in head


def _collect(tree: Tree, source: Source, module: CModule, found: dict[str, list[Tree]]) -> None:
    """The functions, types and constants of a file, those in namespaces and conditions as well."""
    for t in children(tree):
        match t.type:
            case "function_definition":
                word = _function_name(t)
                if word:
                    found.setdefault(word, []).append(t)
            case "alias_declaration" | "type_definition":
                _alias(t, source)
            case "struct_specifier" | "class_specifier":
                _fields(t, source)
            case "preproc_def":
                _object_macro(module, source, t)
            case "declaration" if b"const" in t.text or b"#define" in t.text:
                for c in children(t):
                    if c.type == "init_declarator":
                        _constant(module, c, c.child_by_field_name("value"))
            case "enum_specifier":
                _collect(t, source, module, found)
            case "enumerator":
                _constant(module, t, t.child_by_field_name("value"))
            case "preproc_function_def":
                _macro(t, found)
        if t.type in CONTAINERS:
            _collect(t, source, module, found)


MACRO = b"auto /*macro*/"
CONTAINERS = frozenset(
    (
        *("namespace_definition", "declaration_list", "template_declaration", "preproc_if"),
        *("preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification"),
        *("enumerator_list", "ERROR"),
    )
)


def _object_macro(module: CModule, source: Source, tree: Tree) -> None:
    """A macro without parameters: a number, or an expression in the place of its name."""
    word, body = text_of(tree.child_by_field_name("name")), tree.child_by_field_name("value")
    _constant(module, tree, body)
    if word in module.values or body is None:
        return
    parsed = parser().parse(f"int x = ({text_of(body).split('//')[0]});".encode()).root_node
    value = None
    if not parsed.has_error and word not in source.macros:
        value = children(children(parsed)[0])[-1].child_by_field_name("value")
    source.macros[word] = value


def _is_macro(tree: Tree) -> bool:
    """Whether a function is a macro's, which has a tree of its own."""
    return bool(tree.text.startswith(MACRO))


def _macro(tree: Tree, found: dict[str, list[Tree]]) -> None:
    """A macro with parameters, as a function that returns its value."""
    body = tree.child_by_field_name("value")
    if body is None:
        return
    names = [text_of(p) for p in children(tree.child_by_field_name("parameters"))]
    word = text_of(tree.child_by_field_name("name"))
    text = text_of(body).replace("\\\n", " ").strip()
    given = ", ".join(f"auto {n}" for n in names)
    # it stands in its line, for what is said of it
    made = "\n" * tree.start_point[0] + f"{MACRO.decode()} {word}({given}) {{ return ({text}); }}"
    parsed = parser().parse(made.encode()).root_node
    if not parsed.has_error and children(parsed)[0].type == "function_definition":
        found.setdefault(word, []).append(children(parsed)[0])


def _function_name(tree: Tree) -> str:
    declarator = _declarator(tree)
    named = declarator.child_by_field_name("declarator") if declarator is not None else None
    return text_of(named).split("::")[-1] if named is not None else ""


def _declarator(tree: Tree) -> Tree | None:
    inner = tree.child_by_field_name("declarator")
    while inner is not None and inner.type != "function_declarator":
        inner = inner.child_by_field_name("declarator") or (
            children(inner)[-1] if inner.type == "reference_declarator" else None
        )
    return inner


def _parameters(tree: Tree) -> list[Tree]:
    declarator = _declarator(tree)
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    return [p for p in children(listed) if p.type.endswith("declaration")] if listed else []


def _alias(tree: Tree, source: Source) -> None:
    named = tree.child_by_field_name("name") or tree.child_by_field_name("declarator")
    type = tree.child_by_field_name("type")
    if type is not None and type.type.endswith("_specifier") and type.child_by_field_name("body"):
        _fields(type, source, text_of(named) if named is not None else "")
    elif named is not None and type is not None and "(" not in text_of(tree):
        source.aliases[text_of(named).lstrip("* ")] = text_of(type) + "*" * text_of(named).count(
            "*"
        )


def _fields(tree: Tree, source: Source, word: str = "") -> None:
    named, body = tree.child_by_field_name("name"), tree.child_by_field_name("body")
    word = word or (text_of(named) if named is not None else "")
    if body is None or not word:
        return
    lowering = Lowering(source)
    made = source.fields.setdefault(word, {})
    for f in children(body):
        if f.type != "field_declaration" or f.child_by_field_name("type") is None:
            continue
        type = lowering.read(text_of(f.child_by_field_name("type")))
        for at, d in enumerate(f.children):
            if f.field_name_for_child(at) == "declarator":
                text = text_of(d)
                plain = re.search(r"\w+", text.replace("__restrict__", ""))
                array = text.count("[")
                if plain is not None:
                    depth = type.depth + text.count("*")
                    made[plain[0]] = CType(type.word, depth, array)


def _constant(module: CModule, tree: Tree, value: Tree | None) -> None:
    """A number that the file gives a name; given twice otherwise, it is none."""
    named = tree.child_by_field_name("name") or tree.child_by_field_name("declarator")
    if named is None:
        return
    word = text_of(named)
    if value is not None and value.type == "preproc_arg":
        made = parser().parse(f"int x = {text_of(value).split('//')[0]};".encode()).root_node
        value = None if made.has_error else children(children(made)[0])[-1]
        value = value.child_by_field_name("value") if value is not None else None
    found: Value | None = None
    if value is not None:
        state = CStatements(module, Kernel("", Span(0)), frozenset())
        lowering = Lowering(Source())
        made_of = state.value(lowering.expression(value), {})
        plain = isinstance(made_of, Block) and made_of.node.value is not None
        found = made_of if plain or isinstance(made_of, Constant) else None
    known = module.values.get(word)
    if known is not None and known != found:
        found = Opaque(f"line {tree.start_point[0] + 1}: {word} is given twice")
    if found is not None:
        module.values[word] = found


def _lowered(tree: Tree, word: str, source: Source, module: CModule) -> ast.FunctionDef:
    """A function as Python's tree."""
    lowering = Lowering(source)
    constants = _template(tree, lowering)
    given: dict[str, CType] = {}
    metal: dict[str, str] = {}
    for k, p in enumerate(_parameters(tree)):
        named, type = _parameter(p, lowering)
        named = named or f"_{k}"
        given[named] = type
        lowering.scopes[0][named] = Variable(named, type)
        lowering.types[named] = type
        found = re.search(r"\[\[\s*(\w+)", text_of(p))
        if found is not None and found[1] in POSITIONS:
            metal[named] = POSITIONS[found[1]]
    body = tree.child_by_field_name("body")
    made = ast.FunctionDef(
        word,
        ast.arguments([], [ast.arg(n) for n in given], None, [], [], None, []),
        lowering.body(body),
        [],
    )
    made.lineno, made.col_offset = tree.start_point[0] + 1, tree.start_point[1]
    made.end_lineno = tree.end_point[0] + 1
    local = {n: t for n, t in lowering.types.items() if n not in given}
    changed = {n: t for n, t in given.items() if t.width or t.word in source.aliases}
    module.types[id(made)] = local | changed
    module.parameters[id(made)] = given
    module.constants[id(made)] = constants
    module.bad[id(made)] = sorted(_errors(body)) if tree.has_error and body is not None else []
    module.metal[id(made)] = metal
    return made


def _errors(tree: Tree) -> set[int]:
    """The lines that the grammar does not know."""
    if tree.type == "ERROR" or tree.is_missing:
        return {tree.start_point[0] + 1}
    return {n for c in tree.children if c.has_error or c.is_missing for n in _errors(c)}


def _template(tree: Tree, lowering: Lowering) -> dict[str, CType]:
    """The numbers that a template has as parameters."""
    above = tree.parent
    made: dict[str, CType] = {}
    if above is None or above.type != "template_declaration":
        return made
    for p in children(above.child_by_field_name("parameters")):
        if p.type in ("parameter_declaration", "optional_parameter_declaration"):
            named, type = _parameter(p, lowering)
            if named:
                made[named] = type
                lowering.scopes[0][named] = Variable(named, type)
    return made


def _parameter(tree: Tree, lowering: Lowering) -> tuple[str, CType]:
    named = tree.child_by_field_name("declarator")
    specifier = tree.child_by_field_name("type")
    end = specifier.end_byte - tree.start_byte if specifier is not None else 0
    type = lowering.read(tree.text[:end].decode(errors="replace"))
    text = text_of(named) if named is not None else ""
    depth = type.depth + text.count("*") + text.count("[")
    while named is not None and named.type not in ("identifier",):
        inner = named.child_by_field_name("declarator")
        named = inner or next(
            (c for c in reversed(children(named)) if c.type.endswith(("identifier", "declarator"))),
            None,
        )
    word = text_of(named) if named is not None else ""
    return word, CType(type.word, depth, 0, "&" in text, type.constant)


# -- a kernel --------------------------------------------------------------------------------------


def read_kernel(
    module: CModule,
    function: ast.FunctionDef,
    *,
    signed: Collection[str] = (),
    given: Collection[str] = (),
    below: Mapping[str, Node] = {},
    widths: Mapping[str, int] = {},
) -> Kernel:
    """The accesses of a function, as `triton.read_kernel` has them of one of Triton's."""
    types = module.parameters[id(function)]
    constants = module.constants[id(function)]
    kernel = Kernel(function.name, Span(function.lineno, function.col_offset), language="c")
    kernel.parameters = (*constants, *types)
    kernel.constants = tuple(constants)
    kernel.wide = tuple(n for n, t in types.items() if t.width >= 64)
    kernel.unsigned = tuple(n for n, t in types.items() if t.width == 33)
    state = CStatements(module, kernel, frozenset(signed))
    state.given, state.below, state.strict = frozenset(given), below, bool(given)
    env: dict[str, Value] = {n: Block(name(n, 0)) for n in constants}
    positions = module.metal[id(function)]
    for n, t in types.items():
        if n in positions:
            env[n] = _position(state, positions[n], t)
        else:
            env[n] = _given(state, n, t)
    kernel.parameters = tuple(n for n in kernel.parameters if n not in positions)
    try:
        state.inlined(function, env)
    except (NotUnderstood, TooLarge) as error:
        state.skip(function.lineno, str(error) or "an expression that is too large")
    return kernel


def _given(state: CStatements, word: str, type: CType) -> Value:
    """A parameter's value."""
    if type.is_address:
        state.elements[word] = type.element
        return Block(name(word, 64))
    if type.width:
        return Block(name(word, type.width))
    if type.bits or type.word in ("float", "double"):
        return Opaque(f"{word} is no integer", data=True)
    if type.word in state.module.structs or (type.word[:1].isupper() and len(type.word) > 1):
        return Constant(Struct(word))
    return Block(name(word, 32 if state.strict else 64))


def _position(state: CStatements, kind: str, type: CType) -> Value:
    """Metal's numbers of threads and groups: a number, or one for each axis."""

    def one(axis: int) -> Value:
        block, thread = state.program(axis), state.program(axis + 3)
        if kind == "grid":
            return Block(binary("+", binary("*", block, state.grid(axis + 3)), thread))
        if kind == "size":
            return Block(state.grid(axis + 3))
        return Block(block if kind == "block" else thread)

    if type.word.endswith(("2", "3")):
        return Constant(Axes(tuple(one(k) for k in range(int(type.word[-1])))))
    if kind == "index":
        return Opaque("a thread's number in its group", data=False)
    return one(0)
