"""Calls: of functions of the project, of Triton's language, and of methods."""

from __future__ import annotations

import ast
from dataclasses import replace

from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import num
from symlayout.programs.kernels.syntax import defaults_of, dotted_name, parameters_of, positional
from symlayout.programs.kernels.triton.imports import (
    Builtin,
    at_call,
    language_path,
    may_be_of_star,
    meaning,
)
from symlayout.programs.kernels.triton.interpreter.accesses import of_host, through
from symlayout.programs.kernels.triton.interpreter.arithmetic import arithmetic
from symlayout.programs.kernels.triton.interpreter.blocks import arguments, opaque, scalars
from symlayout.programs.kernels.triton.interpreter.context import Frame, Interpreter
from symlayout.programs.kernels.triton.interpreter.expressions import test
from symlayout.programs.kernels.triton.language import CORE
from symlayout.programs.kernels.values import (
    ADDRESS,
    ANY,
    NUMBER,
    Block,
    BlockPointer,
    Constant,
    Function,
    NotUnderstood,
    Opaque,
    Several,
    Value,
)

INLINED = 12  # functions inside one another
# Python's own functions that touch no memory
PLAIN = frozenset(["str", "repr", "print", "type", "isinstance", "float", "abs", "hasattr"])
FOLDED = {"cdiv": ("x", "div"), "min": ("x", "y"), "max": ("x", "y")}  # and their operands


def call(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The value of a call; arguments that are not followed are evaluated all the same."""
    it.calls.seen.add(id(node))
    it.calls.harmless.pop(id(node), None)
    word, module = dotted_name(node.func), it.frame.module
    if word.split(".")[0] in {"", *it.frame.own, *env}:
        return _of_value(it, node, env)
    callee, path = meaning(module, word), language_path(module, word)
    if isinstance(callee, Function):
        return _function(it, node, callee, env)
    if isinstance(callee, Builtin):
        return _language(it, node, env, f"triton.language.{word}")
    if path:
        return _language(it, node, env, path)
    if not isinstance(node.func, ast.Name):
        return _unknown_call(it, node, env, f"{word} is not followed")
    if word in module.functions:
        return _unknown_call(it, node, env, f"{word} has several definitions")
    if word in module.bound or word in module.language:
        return _unknown_call(it, node, env, f"{word} is not followed")
    if word in PLAIN:
        it.calls.harmless[id(node)] = word
        return _unknown_call(it, node, env, f"{word} is not followed")
    if word in ("min", "max") and len(node.args) > 1 and not node.keywords:
        it.calls.harmless[id(node)] = word
        return fold(it, word, node, env)
    if word in ("cdiv", "range", "len", "int", "bool"):
        it.calls.harmless[id(node)] = word
        return _builtin(it, word, node, env)
    if not may_be_of_star(module, word):
        return _language(it, node, env, f"triton.language.{word}")
    return _unknown_call(it, node, env, f"{word} is not followed")


def _of_value(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The value of a call of what an expression is: a function, or a method of a value."""
    word = dotted_name(node.func)
    if isinstance(node.func, ast.Attribute):
        return _method(it, node, node.func, env)
    callee = it.value(node.func, env)
    if isinstance(callee, Function):
        return _function(it, node, callee, env)
    return _unknown_call(it, node, env, f"{word or 'a call'} is not followed", callee)


def _language(it: Interpreter, node: ast.Call, env: Env, path: str) -> Value:
    """The value of a call of the function at a path in Triton's modules."""
    module, _, word = path.rpartition(".")
    if it.is_pure(path):
        it.calls.harmless[id(node)] = word
    row = it.rules.words.get(word) if module in CORE else None
    if row is not None and row.value is not None:
        return row.value(it, node, env)
    why = f"{dotted_name(node.func) or f'.{word}()'} is not followed"
    if row is not None and row.does == "apply":
        return _application(it, node, env, why)
    return _unknown_call(it, node, env, why)


def _unknown_call(
    it: Interpreter, node: ast.Call, env: Env, why: str, callee: Value | None = None
) -> Opaque:
    """What a function returns that is not followed.

    With an address or a function it may load and store anywhere, unless it touches no memory.
    """
    args = [*node.args, *[k.value for k in node.keywords]]
    values = tuple(it.value(a, env) for a in args)
    shape = opaque(it, values[: len(node.args)], why).shape
    values = values if callee is None else (callee, *values)
    pure = it.calls.harmless.get(id(node))
    word = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    of_memory = word in it.rules.words and it.rules.words[word].does == "access"
    if pure is None and (of_memory or any(map(it.addresses.reached, values))):
        it.skip(node.lineno, why)
    address = NUMBER  # what is not followed is operand of already
    if pure is not None:
        row = it.rules.words.get(pure)
        if row is None or row.does != "value":
            moves = row is not None and row.does == "move"
            address = it.addresses.computed("+" if moves else "", *values)
    why = f"line {node.lineno}: {why}"
    return Opaque(why, shape, address=address, address_type=pure is None)


def _application(it: Interpreter, node: ast.Call, env: Env, why: str) -> Opaque:
    """What a function returns that applies another one to elements: that is followed once."""
    args = [*node.args, *[k.value for k in node.keywords]]
    values = [it.value(a, env) for a in args]
    pure = any(it.is_pure(language_path(it.frame.module, dotted_name(a))) for a in args)
    functions = [v for v in values if isinstance(v, Function)]
    reaching = any(it.addresses.reached(v) for v in values if not isinstance(v, Function))
    if len(functions) + pure != 1:
        it.skip(node.lineno, f"{why}, nor which function it applies")
    why = f"line {node.lineno}: {why}"
    element = Opaque(why, address=ADDRESS if reaching else NUMBER)
    for f in functions:
        names = [a.arg for a in parameters_of(f.node) if a.arg not in defaults_of(f.node)]
        _body(it, f, _placed(it, f, node), dict.fromkeys(names, element))
    return replace(element, shape=opaque(it, tuple(values), why).shape)


def _builtin(it: Interpreter, word: str, node: ast.Call, env: Env) -> Value:
    if word == "cdiv":
        return fold(it, "cdiv", node, env)
    if word == "bool" and len(node.args) == 1:
        return test(it, node.args[0], env)
    if word == "int" and len(node.args) == 1:
        return it.value(node.args[0], env)
    value = it.value(node.args[0], env) if node.args else Constant(None)
    if word == "len" and isinstance(value, Several):
        return Block(num(len(value.parts)))
    return opaque(it, (value,), f"line {node.lineno}: {word} is not followed")


def _function(it: Interpreter, node: ast.Call, called: Function, env: Env) -> Value:
    function = _placed(it, called, node)
    names = [a.arg for a in positional(function)]
    if len(node.args) > len(names) or any(isinstance(a, ast.Starred) for a in node.args):
        raise NotUnderstood(f"the arguments of {function.name}")
    bindings: Env = {n: it.value(a, env) for n, a in zip(names, node.args)}
    for k in node.keywords:
        if k.arg is None:
            raise NotUnderstood(f"the arguments of {function.name}")
        bindings[k.arg] = it.value(k.value, env)
    return _body(it, called, function, bindings)


def _body(it: Interpreter, called: Function, function: ast.FunctionDef, bindings: Env) -> Value:
    """What the body of a function returns, which its defaults complete."""
    if it.frame.depth >= INLINED:
        raise NotUnderstood(f"more than {INLINED} functions inside one another")
    defaults, before = defaults_of(function), it.frame
    it.frame = Frame(called.module, depth=before.depth + 1)
    try:
        for n in (a.arg for a in parameters_of(function)):
            if n not in bindings:
                if n not in defaults:
                    raise NotUnderstood(f"{function.name} without {n}")
                bindings[n] = it.value(defaults[n], {})
        return it.returned(function, bindings)
    finally:
        it.frame = before


def _placed(it: Interpreter, called: Function, node: ast.Call) -> ast.FunctionDef:
    """The function, one of another file as if it stood where it is called."""
    if called.module is it.home:
        return called.node
    key = id(called.node), id(node)
    if key not in it.calls.placed:
        it.calls.placed[key] = at_call(called.node, node)
    return it.calls.placed[key]


def _method(it: Interpreter, node: ast.Call, func: ast.Attribute, env: Env) -> Value:
    """The value of a method's call: one of a block is the function of that name."""
    value, word = it.value(func.value, env), func.attr
    if isinstance(value, Block) and value.is_constexpr:
        function = "cast" if word == "to" else word
        call = f"tl.{function}({ast.unparse(func.value)}, ...)"
        raise NotUnderstood(f"a constexpr has no method .{word}(): write {call}")
    if word in ("load", "store") and node.args:
        value = of_host(it, value, node.args[0])
    if word in ("load", "store", "gather") and isinstance(value, BlockPointer):
        if word == "gather":
            raise NotUnderstood("a gather through a descriptor")
        args = arguments(node, ("offsets", "value"))
        values = {k: it.value(a, env) for k, a in args.items()}  # each may load as well
        offsets = scalars(it, values["offsets"], len(value.block), node.lineno)
        moved = BlockPointer(value.base, value.sizes, value.strides, offsets, value.block, True)
        return through(it, node, word, moved, tuple(range(len(value.block))))
    why = f".{word}() is not followed"
    if not isinstance(value, Block) and it.addresses.level(value) == ANY:
        return _unknown_call(it, node, env, why, value)
    path = f"triton.language.{word}"
    if it.is_pure(path):
        it.calls.harmless[id(node)] = word
    row = it.rules.words.get(word)
    applies = row is not None and row.does == "apply"
    if not applies and not (it.is_pure(path) and row is not None and row.value is not None):
        return _unknown_call(it, node, env, why, value)
    if id(node) not in it.calls.methods:
        of_block = ast.Call(func, [ast.Name("@block", ast.Load()), *node.args], node.keywords)
        it.calls.methods[id(node)] = ast.copy_location(of_block, node)
    return _language(it, it.calls.methods[id(node)], {**env, "@block": value}, path)


def fold(it: Interpreter, op: str, node: ast.Call, env: Env) -> Value:
    """The operation on a call's arguments in the order of its signature, of any number of them."""
    args = arguments(node, FOLDED[op])
    words = [w for w in FOLDED[op] if w in args]
    result, *others = [it.value(args[w], env) for w in words]
    values = [result, *others, *[it.value(a, env) for a in node.args[len(words) :]]]
    if len(values) < 2:
        raise NotUnderstood("an argument is missing")
    for v in values[1:]:
        if not (isinstance(result, Block) and isinstance(v, Block)):
            return opaque(it, (result, v), f"line {node.lineno}: {op} of data")
        result = arithmetic(it, op, result, v)
    return result
