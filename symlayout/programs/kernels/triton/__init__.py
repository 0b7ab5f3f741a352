"""Reads Triton's kernels by Python's own parser; nothing of the file is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

from symlayout.errors import LayoutError
from symlayout.expr.machine import INT, INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Kernel, Span
from symlayout.programs.kernels.contract import Element
from symlayout.programs.kernels.nodes import FALSE, compare, name, num
from symlayout.programs.kernels.syntax import (
    assigned_names,
    defaults_of,
    dotted_name,
    every_node,
    last_word,
    name_given,
    parameters_of,
)
from symlayout.programs.kernels.triton.imports import (
    Beside,
    Project,
    builtins_of,
    imported,
    path_of_import,
    replaced_names,
)
from symlayout.programs.kernels.triton.interpreter.context import Contract, Interpreter
from symlayout.programs.kernels.triton.interpreter.statements import follow_kernel
from symlayout.programs.kernels.triton.interpreter.table import interpreter
from symlayout.programs.kernels.triton.language import CORE
from symlayout.programs.kernels.triton.module import Module
from symlayout.programs.kernels.values import Block, Constant, Opaque, Value
from symlayout.text.lines import syntax_place

__all__ = [
    "Module",
    "alternatives",
    "below",
    "function",
    "read_kernel",
    "read_module",
    "scalar",
    "unread",
]

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
TYPES = frozenset(
    [f"{sign}int{bits}" for sign in ("", "u") for bits in (1, 8, 16, 32, 64)]
    + [f"{sign}{bits}" for sign in "iu" for bits in (1, 8, 16, 32, 64)]
    + ["int", "bool", "float"]
)
RIGHT_ABOVE = "a contract stands right above its kernel"
COUNTING = frozenset(["range", "static_range", "arange", "cdiv", "minimum", "maximum"])


def read_module(
    text: str, file: str = "", beside: Beside = lambda file, level, dotted: None
) -> Module:
    """The functions for Triton's compiler that a Python file has, and its constants.

    `beside` finds a file that it imports: what comes from there is read when it is needed.

    >>> made = read_module("import triton\\n@triton.jit\\ndef f(x, n):\\n    pass\\n")
    >>> list(made.kernels)
    ['f']

    Raises `LayoutError` (SL506) for what is not Python.
    """
    return _read_module(text, file, Project(beside, _read_other))


def _read_other(text: str, file: str, project: Project) -> Module | None:
    """A file that another one imports; None for what is not Python."""
    try:
        return _read_module(text, file, project)
    except LayoutError:
        return None


def _read_module(text: str, file: str, project: Project) -> Module:
    """A file of a project."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a strange escape is not our business
            tree = ast.parse(text)
    except SyntaxError as error:
        message = f"not Python: {error.msg} in line {error.lineno}"
        raise LayoutError("SL506", message, at=syntax_place(text, error)) from None
    except (RecursionError, MemoryError, ValueError):
        raise LayoutError("SL506", "not Python that can be read: nested too deeply") from None
    module = Module(text=text, load=partial(project.load, file))
    definitions = (x for x in every_node(tree) if isinstance(x, DEFINITIONS))
    module.definitions = sorted(definitions, key=lambda x: x.lineno)
    module.choices = [x for x in tree.body if isinstance(x, (ast.If, ast.Try))]
    _bind(module, tree)
    body = _definitions(tree.body)
    plain = [x for x in body if not isinstance(x, (*DEFINITIONS, ast.If, ast.Try, ast.With))]
    module.statements = [(x.lineno, x.end_lineno or x.lineno) for x in plain]
    module.replaced = replaced_names(tree.body)
    module.builtins = builtins_of(module, body)
    for node in body:
        if isinstance(node, ast.FunctionDef) and any(map(_compiles, node.decorator_list)):
            module.functions[node.name] = node
            module.compiled.append(node)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            _constant(module, node.targets[0], node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            _constant(module, node.target, node.value)
    called = {
        x.func.id
        for f in module.functions.values()
        for x in every_node(f)
        if isinstance(x, ast.Call) and isinstance(x.func, ast.Name)
    }
    module.kernels = {n: f for n, f in module.functions.items() if n not in called}
    module.launched = [f for f in module.compiled if f.name in module.kernels]
    return module


def function(module: Module, word: str) -> ast.FunctionDef | None:
    """A function of the file by its name, a helper too."""
    return module.functions.get(word)


def below(module: Module, line: int) -> ast.FunctionDef | None:
    """The function whose definition is the first below a line.

    Raises `LayoutError` (SL505) for one that Triton does not compile, or that stands in another.
    """
    node = next((f for f in module.definitions if f.lineno > line), None)
    if node is None:
        return None
    head = min((d.lineno for d in node.decorator_list), default=node.lineno)
    if between := [n for n, end in module.statements if line < n <= end < head]:
        message = f"line {between[0]} stands between the contract and {node.name}"
        raise LayoutError("SL505", message, help=RIGHT_ABOVE)
    for f in module.compiled:
        if f is node:
            return f
    message = (
        f"no kernel follows the contract: {node.name} is none of Triton's at the top of the file"
    )
    raise LayoutError("SL505", message)


def alternatives(module: Module, line: int, first: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The other kernels of that name of an `if` or `try` below a line, of which one is defined."""
    around = [
        x for x in module.choices if line < x.lineno <= first.lineno <= (x.end_lineno or x.lineno)
    ]
    if not around:
        return []
    low, high = around[0].lineno, around[0].end_lineno or around[0].lineno
    others = [f for f in module.compiled if f is not first and f.name == first.name]
    return [f for f in others if low <= f.lineno <= high]


def unread(module: Module) -> list[tuple[int, str, str]]:
    """The kernels that are not read: their lines and names, and why."""
    inside = [f for f in module.definitions if not any(f is x for x in module.compiled)]
    why = "a kernel inside of a function or a class is not read"
    return [(f.lineno, f.name, why) for f in inside if any(map(_compiles, f.decorator_list))]


def _bind(module: Module, tree: ast.Module) -> None:
    """Counts how often the file gives each name a meaning; what comes from Triton is left out.

    A star brings any name, and may give another meaning to those above it.
    """
    stars = [
        x
        for x in _outside(tree.body)
        if isinstance(x, ast.ImportFrom) and x.names[0].name == "*"
        if not (x.level == 0 and x.module in CORE)
    ]
    module.stars = [(x.level, x.module or "") for x in stars]
    for x in _outside(tree.body):
        words = [] if isinstance(x, ast.alias) else [name_given(x)]
        if isinstance(x, (ast.Import, ast.ImportFrom)):
            for a in x.names:
                word, path = name_given(a), path_of_import(x, a)
                if path:
                    module.language[word] = (*module.language.get(word, ()), path)
                    continue
                words.append(word)
                if (one := imported(x, a)) is not None:
                    module.imports[word] = one
        for word in filter(None, words):
            again = any(x.lineno < s.lineno for s in stars)  # type: ignore[attr-defined]
            module.bound[word] = module.bound.get(word, 0) + 1 + again
        if isinstance(x, (ast.FunctionDef, ast.AsyncFunctionDef)):
            module.own |= {x.name}
            for n in [n for y in every_node(x) if isinstance(y, ast.Global) for n in y.names]:
                module.bound[n] = module.bound.get(n, 0) + 1


def _outside(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a file that stand in no function and no class."""
    waiting = list(body)
    while waiting:
        x = waiting.pop()
        yield x
        if not isinstance(x, (*DEFINITIONS, ast.Lambda, *COMPREHENSIONS)):
            waiting += ast.iter_child_nodes(x)


def _definitions(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a file, those in conditions and in `try` as well."""
    statements: list[ast.stmt] = []
    for node in body:
        statements.append(node)
        if isinstance(node, ast.If):
            statements += _definitions([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            handled = [s for h in node.handlers for s in h.body]
            statements += _definitions([*node.body, *handled, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.With):
            statements += _definitions(node.body)
    return statements


def _compiles(decorator: ast.expr) -> bool:
    """Whether a decorator is Triton's compiler."""
    word = dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return word.split(".")[-1] == "jit" and word.split(".")[0] in ("triton", "tl", "jit")


def _constant(module: Module, target: ast.expr, value: ast.expr) -> None:
    """A number that the file gives a name once; given twice, it is none."""
    if not isinstance(target, ast.Name):
        return
    if isinstance(value, ast.Call) and dotted_name(value.func).split(".")[-1] == "constexpr":
        value = value.args[0] if value.args else value
    meaning: Value = Opaque(f"line {target.lineno}: {target.id} is given twice")
    if module.bound.get(target.id, 0) <= 1:
        if isinstance(value, ast.Constant) and type(value.value) is int:
            meaning = Block(num(value.value))
        elif isinstance(value, ast.Constant):
            meaning = Constant(value.value)
        else:
            return
    module.values[target.id] = meaning


def read_kernel(
    module: Module,
    function: ast.FunctionDef,
    *,
    signed: Collection[str] = (),
    zero: Collection[str] = (),
    arrays: Collection[str] = (),
    below: Mapping[str, Term] = {},
    widths: Mapping[str, Element] = {},
) -> Kernel:
    """The accesses of a kernel.

    `signed` are parameters that may be negative, `zero` those that may be less than 1, `arrays` those
    that are certainly not None, `below` says of arrays that the numbers in them are at least 0 and less
    than something, `widths` of which type they are.  The kernel is followed twice: addresses are 64
    bits wide, and which parameters are addresses shows at first.
    """
    pointers = frozenset(arrays)
    contract = Contract(frozenset(signed), frozenset(zero), frozenset(arrays), below, widths)
    for _ in range(2):
        it = _interpreter(module, function, contract, pointers)
        follow_kernel(it, function, _parameters(it, function))
        pointers = frozenset(arrays) | {a.array for a in it.kernel.accesses}
    return it.kernel


def _interpreter(
    module: Module, function: ast.FunctionDef, contract: Contract, pointers: frozenset[str]
) -> Interpreter:
    """What is known before a kernel is followed."""
    everything = parameters_of(function)
    constants = tuple(a.arg for a in everything if last_word(a.annotation) == "constexpr")
    wide = tuple(a.arg for a in everything if last_word(a.annotation) in ("int64", "uint64"))
    kernel = Kernel(
        function.name,
        Span(function.lineno, function.col_offset),
        tuple(a.arg for a in everything),
        constants,
        wide,
    )
    it = interpreter(module, kernel, contract)
    it.addresses.pointers = pointers
    it.addresses.numbers = _numbers(function) - pointers
    it.addresses.unknowns |= {*wide}
    return it


def _numbers(function: ast.FunctionDef) -> frozenset[str]:
    """The parameters that are numbers by their type or default, or by what is done with them.

    One of 64 bits may be an address that the host made a number.
    """
    defaults = defaults_of(function)
    types = {a.arg: last_word(a.annotation) for a in parameters_of(function)}
    typed = [n for n, t in types.items() if t in TYPES and not t.endswith("64")]
    plain = [
        n for n, d in defaults.items() if type(getattr(d, "value", None)) in (bool, int, float)
    ]
    used: set[str] = set()
    for x in every_node(function):
        operands: list[ast.expr] = []
        if isinstance(x, ast.BinOp) and not isinstance(x.op, (ast.Add, ast.Sub)):
            operands = [x.left, x.right]
        elif isinstance(x, ast.Compare) and isinstance(
            x.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        ):
            operands = [x.left, *x.comparators]
        elif isinstance(x, ast.Call) and dotted_name(x.func).split(".")[-1] in COUNTING:
            operands = x.args
        used |= {e.id for e in operands if isinstance(e, ast.Name)}
    return frozenset({*typed, *plain, *(used - assigned_names(function.body))})


def _parameters(it: Interpreter, function: ast.FunctionDef) -> dict[str, Value]:
    """The parameters with their types, addresses in 64 bits; an argument that is 1 is a constant.

    Not where the decorator excludes it; where it has a type, some of Triton's versions know it.
    """
    wide = {*it.addresses.pointers, *it.kernel.wide}
    exceptions, values = _not_specialized(function), dict[str, Value]()
    for a in parameters_of(function):
        constant = a.arg in it.kernel.constants
        p = name(a.arg, None if constant else INT64 if a.arg in wide else INT)
        known = compare("==", p, num(1))
        if (
            constant
            or a.arg in it.addresses.pointers
            or (exceptions is not None and a.arg in exceptions)
        ):
            known = FALSE
        elif exceptions is None or last_word(a.annotation) in TYPES:
            known = it.perhaps(known, f"whether {a.arg} is a constant where it is 1")
        values[a.arg] = Block(p, (), known)
    values |= {p: Block(name(p)) for p in it.kernel.parameters if p not in values}
    return values


def _not_specialized(function: ast.FunctionDef) -> frozenset[str] | None:
    """The parameters that are no constants where they are 1; None: which they are is not seen."""
    names, exceptions = [a.arg for a in parameters_of(function)], set[str]()
    for d in function.decorator_list:
        for k in d.keywords if isinstance(d, ast.Call) and _compiles(d) else ():
            if k.arg not in (None, "do_not_specialize"):
                continue
            if k.arg is None or not isinstance(k.value, (ast.List, ast.Tuple)):
                return None
            for e in k.value.elts:
                at = e.value if isinstance(e, ast.Constant) else None
                if not isinstance(at, (int, str)):
                    return None
                exceptions |= {names[at]} if isinstance(at, int) and at < len(names) else {str(at)}
    return frozenset(exceptions)


def scalar(module: Module, function: ast.FunctionDef, text: str) -> Term:
    """An expression of the kernel's parameters and the file's constants, as the kernel would have it.

    Raises `LayoutError` (SL200) for what is none.
    """
    names = [a.arg for a in parameters_of(function)]
    it = interpreter(module, Kernel("", Span(0), tuple(names)))
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        raise LayoutError("SL200", f"{text!r} is no expression of Python") from None
    env: dict[str, Value] = {
        x.id: Block(name(x.id, None)) for x in ast.walk(node) if isinstance(x, ast.Name)
    }
    constants = {n for n in module.values if n not in names}
    env = {n: v for n, v in env.items() if n not in {"cdiv", "min", "max"} | constants}
    value = it.value(node, env)
    if not isinstance(value, Block) or value.shape or it.unknowns.ranges:
        quotient = "write cdiv(n, 256) for a quotient rounded up, n // 256 for one rounded down"
        help = quotient if "/" in text.replace("//", "") else None
        raise LayoutError("SL200", f"{text!r} is not understood as a number", help=help)
    return value.node
