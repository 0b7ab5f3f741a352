"""Reads C, C++, CUDA, HIP, Metal, OpenCL and AscendC by tree-sitter's grammar; nothing is compiled."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial

from symlayout.errors import LayoutError
from symlayout.expr.machine import INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Kernel, Span
from symlayout.programs.kernels.c.collection import (
    CONTAINERS,
    active_branch,
    collect,
    is_plain,
    join,
    new_source,
    unit,
)
from symlayout.programs.kernels.c.dialects import dialect_of
from symlayout.programs.kernels.c.functions import Functions
from symlayout.programs.kernels.c.grammar import is_macro, named_parameters, parser, template_names
from symlayout.programs.kernels.c.interpreter.context import Contract, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import Axes, Struct
from symlayout.programs.kernels.c.interpreter.memory import Smaller
from symlayout.programs.kernels.c.interpreter.notes import settle_demands
from symlayout.programs.kernels.c.interpreter.phases import meeting
from symlayout.programs.kernels.c.interpreter.statements import follow_kernel
from symlayout.programs.kernels.c.interpreter.table import interpreter
from symlayout.programs.kernels.c.interpreter.words import number_of_thread
from symlayout.programs.kernels.c.lowering.dialect import Dialect
from symlayout.programs.kernels.c.lowering.trees import Tree, changes_of
from symlayout.programs.kernels.c.macros import expand
from symlayout.programs.kernels.c.module import CModule
from symlayout.programs.kernels.c.sources import (
    Beside,
    included_files,
    plain,
)
from symlayout.programs.kernels.c.types import PIXEL, CType
from symlayout.programs.kernels.nodes import binary, name, num
from symlayout.programs.kernels.program.nodes import Function
from symlayout.programs.kernels.triton import RIGHT_ABOVE, Module
from symlayout.programs.kernels.triton import scalar as triton_scalar
from symlayout.programs.kernels.values import Block, Constant, Opaque, Value

__all__ = [
    "alternatives",
    "below",
    "function",
    "named_parameters",
    "parser",
    "read_kernel",
    "read_module",
    "scalar",
    "template_names",
    "unread",
]

DIRECTIVES = ("preproc_def", "preproc_func", "preproc_include", "preproc_call")
HEAD = re.compile(rb"\b__global__\b[^;{}]*\{")
TEXTS = ("comment", "string_literal", "raw_string_literal")
UNITS = 40  # times that a kernel is read, its arrays in smaller units


def nothing(path: str, name: str) -> None:
    """No file beside a text that stands nowhere."""


def read_module(
    text: str, metal: bool = False, file: str = "", beside: Beside = nothing
) -> CModule:
    """The functions of a C file; `kernels` has those that are launched.

    `beside` finds a file that another one includes, with its text; its functions, types and constants
    are known as well, those of the file itself first.

    Raises `LayoutError` (SL509) where the grammar is not installed.
    """
    headers = included_files(file, text, beside)
    texts = expand([*[t for _, t in headers], text], is_plain)
    headers, text = [(path, t) for (path, _), t in zip(headers, texts)], texts[-1]
    dialect = dialect_of(text, file, "metal" if metal else "")
    tree = parser().parse(plain(dialect.plain(text)).encode(errors="replace"))
    source, module = new_source(dialect), CModule(text=text, dialect=dialect)
    module.headers = tuple(inside for _, inside in headers)
    foreign: dict[str, list[Tree]] = {}
    for path, inside in headers:
        join(unit(inside), path, source, module, foreign)
    own: dict[str, list[Tree]] = {}
    before = dict(module.values)
    module.values = {}
    collect(tree.root_node, source, module, own)
    module.values = before | module.values
    functions = foreign | own
    source.functions = module.function_trees = functions
    module.local = own
    module.root = tree.root_node
    module.structs = frozenset(source.fields)
    module.trees = [(w, t) for w, trees in own.items() for t in trees if not is_macro(t)]
    for word, trees in functions.items():
        source.references[word] = changes_of(trees)
    lowered = Functions(source, module)
    source.stored = lowered.stored
    module.lower, module.method = lowered.lower, lowered.method
    module.only_compute = lowered.only_compute
    module.outside = dialect.constants(text)
    _place_all(module, lowered.at)
    module.launched.sort(key=lambda f: f.lineno)
    return module


def _place_all(module: CModule, at: Callable[[str, Tree], Function]) -> None:
    """Where functions begin, and which of them are kernels."""
    lines = module.text.splitlines()
    for word, trees in module.local.items():
        for t in trees:
            if t.type == "function_definition" and not is_macro(t):
                module.places[t.start_point[0] + 1] = partial(at, word, t)
        kernels = [t for t in trees if _is_launched(t, module.dialect, lines)]
        module.launched += [at(word, t) for t in kernels]
        for t in kernels[:1]:
            module.kernels[word] = module.functions[word] = at(word, t)


def function(module: CModule, word: str) -> Function | None:
    """A function of the file by its name, a helper too."""
    return module.kernels.get(word) or module.lower(word, -1)


def below(module: CModule, line: int) -> Function | None:
    """The first function that begins below a line, where nothing else is defined in between."""
    behind = [n for n in module.places if n > line]
    if not behind:
        return None
    between = _between(module.root, line, min(behind))
    definition = module.places[min(behind)]()
    if between:
        message = f"line {between} stands between the contract and {definition.name}"
        raise LayoutError("SL505", message, help=RIGHT_ABOVE)
    return definition


def alternatives(module: CModule, line: int, first: Function) -> list[Function]:
    """The other kernels of that name of an `#if` that begins below a line, of which one is compiled."""
    around = _condition(module.root, line, first.lineno)
    if around is None:
        return []
    low, high = around.start_point[0] + 1, around.end_point[0] + 1
    others = [f for f in module.launched if f is not first and f.name == first.name]
    return [f for f in others if low <= f.lineno <= high]


def unread(module: CModule) -> list[tuple[int, str, str]]:
    """The kernels that the grammar does not see: their lines, and why."""
    if module.dialect.kernel != "__global__" or b"__global__" not in module.root.text:
        return []
    read = {f.lineno for f in module.launched}
    lines: set[int] = set()
    waiting = [module.root]
    while waiting:
        t = active_branch(waiting.pop())
        if HEAD.search(t.text) is None or t.type in TEXTS or t.type.startswith(DIRECTIVES):
            continue
        if t.type == "function_definition" and t.start_point[0] + 1 in read:
            # what the grammar takes for a part of another one, where a brace is missing
            heads = [m for m in HEAD.finditer(t.text) if b"{" in t.text[: m.start()]]
        else:
            inner = [c for c in t.named_children if HEAD.search(c.text)]
            waiting += inner
            heads = [] if inner else list(HEAD.finditer(t.text))
        lines |= {t.start_point[0] + 1 + t.text.count(b"\n", 0, m.start()) for m in heads}
    return [(n, "", "a kernel that is no C++ that is understood") for n in sorted(lines - read)]


def _condition(tree: Tree, line: int, inside: int) -> Tree | None:
    """The outermost `#if` that begins below a line and has another one inside."""
    first, last = tree.start_point[0] + 1, tree.end_point[0] + 1
    if not first <= inside <= last:
        return None
    if tree.type in ("preproc_if", "preproc_ifdef") and first > line:
        return tree
    conditions = (_condition(c, line, inside) for c in tree.named_children if c.type in CONTAINERS)
    return next((t for t in conditions if t is not None), None)


def _between(tree: Tree, line: int, end: int) -> int:
    """The line of what stands whole between two lines: a declaration or statement, what has a body,
    another kernel's head; 0 where there is none.
    """
    first, last = tree.start_point[0] + 1, tree.end_point[0] + 1
    if last <= line or first >= end or tree.type == "comment" or tree.type.startswith(DIRECTIVES):
        return 0
    if first > line and last < end and not tree.type.startswith("preproc_"):
        is_whole = b"{" in tree.text or b"__global__" in tree.text or tree.text.endswith(b";")
        return first if is_whole else 0
    return next(
        filter(None, (_between(c, line, end) for c in active_branch(tree).named_children)), 0
    )


def scalar(module: CModule, function: Function, text: str) -> Term:
    """An expression of a contract, over the function's parameters and the file's constants.

    Raises `LayoutError` (SL200) for what is none.
    """
    return triton_scalar(Module(values=module.values), function, text)  # type: ignore[arg-type]


def _is_launched(tree: Tree, dialect: Dialect, lines: list[str]) -> bool:
    """Whether a function is a kernel."""
    if dialect.own_kernel:
        return re.match(dialect.own_kernel, lines[tree.start_point[0]]) is not None
    head = tree.text[: tree.text.find(b"{")].decode(errors="replace")
    return re.search(dialect.kernel, head) is not None


# -- a kernel --------------------------------------------------------------------------------------


def read_kernel(
    module: CModule,
    function: Function,
    *,
    signed: Collection[str] = (),
    zero: Collection[str] = (),
    arrays: Collection[str] = (),
    below: Mapping[str, Term] = {},
    widths: Mapping[str, object] = {},
) -> Kernel:
    """The accesses of a function, as `triton.read_kernel` has them of one of Triton's.

    Arrays without a contract that are taken as bytes as well are counted in bytes.
    """
    elements: dict[str, CType] = {}
    for _ in range(UNITS):
        try:
            return _read(module, function, signed, zero, arrays, below, elements)
        except Smaller as smaller:
            elements[smaller.array] = smaller.element
    raise LayoutError("SL506", f"{function.name} takes its arrays as too many types")


def _read(
    module: CModule,
    function: Function,
    signed: Collection[str],
    zero: Collection[str],
    arrays: Collection[str],
    below: Mapping[str, Term],
    elements: Mapping[str, CType],
) -> Kernel:
    """The accesses, arrays in those units."""
    types = module.parameters[id(function)]
    constants = module.constants[id(function)]
    kernel = Kernel(function.name, Span(function.lineno, function.col_offset), language="c")
    kernel.parameters = (*constants, *types)
    kernel.constants = tuple(constants)
    kernel.wide = tuple(n for n, t in types.items() if t.is_wide)
    kernel.unsigned = tuple(n for n, t in types.items() if t.unsigned)
    kernel.most = {n: small[-1] for n, t in types.items() if (small := t.small) is not None}
    contract = Contract(frozenset(signed), frozenset(zero), frozenset(arrays), below)
    it = interpreter(module, kernel, contract)
    env: dict[str, Value] = {n: Block(name(n, None)) for n in constants}
    positions = module.metal[id(function)]
    for n, t in types.items():
        if n in positions:
            env[n] = _position(it, positions[n], t)
        else:
            env[n] = _argument(it, n, t)
    kernel.parameters = tuple(n for n in kernel.parameters if n not in positions)
    it.elements |= elements
    follow_kernel(it, function, env)
    settle_demands(it)
    kernel.barriers = it.phases.waits
    kernel.meet = meeting(it.phases.passing, kernel.meet)
    kernel.elements = {n: t.bits for n, t in it.elements.items() if t.bits}
    kernel.small = module.dialect.small
    kernel.images = frozenset(n for n, t in it.elements.items() if t.word == PIXEL)
    return kernel


def _argument(it: Interpreter, word: str, type: CType) -> Value:
    """A parameter's value."""
    if type.is_address:
        it.elements[word] = type.element.packed(it.module.dialect.padded)
        if it.module.dialect.has_objects and type.element.bits == 8:
            it.elements[word] = CType("void")  # AscendC's bytes are what they are cast to
        if (it.kernel.name, word) in it.module.groups:
            it.kernel.shared.setdefault(word, ())
        return Block(name(word, INT64))
    if type.machine:
        return Block(name(word, type.computed))
    if type.is_plain:
        return Opaque(f"{word} is no integer", data=True)
    if type.word in it.module.structs or type.is_class:
        return Constant(Struct(word))
    return Opaque(f"{word} is of type {type.spelling}, which is not known here")


def _position(it: Interpreter, kind: str, type: CType) -> Value:
    """Metal's numbers of threads and groups: a number, or one for each axis."""

    def one(axis: int) -> Value:
        block, thread = it.program(axis), it.program(axis + 3)
        if kind == "grid":
            return Block(binary("+", binary("*", block, it.grid(axis + 3)), thread))
        if kind == "size":
            return Block(it.grid(axis + 3))
        return Block(block if kind == "block" else thread)

    if type.word.endswith(("2", "3")):
        return Constant(Axes(tuple(one(k) for k in range(int(type.word[-1])))))
    if kind in ("index", "lane", "warp"):
        number = number_of_thread(it)
        if kind == "index":
            return Block(number)
        return Block(binary("%" if kind == "lane" else "//", number, num(32)))
    return one(0)
