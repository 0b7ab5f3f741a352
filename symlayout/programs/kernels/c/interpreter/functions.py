"""Functions and methods of the files: what they are given, what they return, what they change."""

from __future__ import annotations

from functools import partial

from symlayout.expr.machine import INT, INT64, UINT32, UINT64, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import (
    REGISTERS,
    Struct,
    actual_type,
    cast_to,
)
from symlayout.programs.kernels.c.types import PROMOTED, CType
from symlayout.programs.kernels.pointers import pointer_of
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.nodes import every_part, parts
from symlayout.programs.kernels.program.reading import assigned_names, returns_inside
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value

WORDS = {INT: "int", UINT32: "unsigned", INT64: "long", UINT64: "size_t"}
DEPTH = 12  # functions inside one another
AnyCall = code.Call | code.MethodCall


def call(it: Interpreter, node: code.Call, env: Env) -> Value:
    """A function of the files."""
    word = node.word
    function = it.module.lower(word, len(node.arguments), node.types)
    values = [it.value(a, env) for a in node.arguments]
    if function is None:
        why = f"{word} has several definitions"
        if any(map(partial(reaches, it), values)) or not it.module.only_compute(word):
            it.skip(node.line, why)
        for k in range(len(values)):
            it.changed[node.key, k] = Opaque(why)
        return Opaque(f"line {node.line}: {why}", data=True)
    bindings = dict(zip(function.parameters, values))
    return _body_value(it, node, word, function, bindings, env)


def _body_value(
    it: Interpreter, node: AnyCall, word: str, function: code.Function, bindings: Env, env: Env
) -> Value:
    """What a function comes to, and what its parameters are behind it."""
    for n, e in it.module.omitted.get(id(function), {}).items():
        if n not in bindings:
            bindings[n] = it.value(e, {})
    values = [bindings[n] for n in function.parameters]
    bindings |= _template(it, node, function, env)
    bound, it.frame.bound = it.frame.bound, _template_types(it, node, function, values)
    if it.frame.depth >= DEPTH:
        raise NotUnderstood(f"more than {DEPTH} functions inside one another")
    it.frame.depth += 1
    site = it.frame.site
    if id(function) in it.module.foreign and site is None:
        it.frame.site = node
    try:
        value = it.returned(function, bindings)
    finally:
        it.frame.depth -= 1
        it.frame.site = site
        it.frame.bound = bound
    early = returns_early(function.body)
    parameters = it.module.parameters.get(id(function), {})
    for k, parameter in enumerate(function.parameters):
        changed = parameters[parameter].reference
        last: Value = bindings[parameter] if changed else values[k]
        if early and changed:  # what it is at each of the returns is not kept
            why = f"line {node.line}: changed by {word}, which returns early"
            last = Opaque(why, data=False)
        it.changed[node.key, k] = last
    return value


def method(it: Interpreter, node: code.MethodCall, env: Env) -> Value:
    """A method, with the fields of its object."""
    word, key, head = node.word, node.key, f"{node.prefix}."
    values = [it.value(a, env) for a in node.arguments]
    function = it.module.method(node.cls, word, len(values))
    fields = {f"this.{n[len(head) :]}": v for n, v in env.items() if n.startswith(head)}
    if function is None:
        it.skip(node.line, f"{word} is no method that is known")
        it.objects[key] = {}
        return Opaque(f"line {node.line}: {word} is not followed")
    bindings = dict(zip(function.parameters, values)) | fields
    value = _body_value(it, node, word, function, bindings, env)
    stored = assigned_names(function.body)
    early = returns_early(function.body)
    lost = Opaque(f"line {node.line}: changed by {word}, which returns early")
    after = {n: v for n, v in bindings.items() if n.startswith("this.")}
    after = {n: lost if early and n in stored else v for n, v in after.items()}
    numbered = {str(k): it.changed.get((key, k), lost) for k in range(len(values))}
    it.objects[key] = after | numbered
    return value


def field(it: Interpreter, node: code.FieldBehind, env: Env) -> Value:
    lost = Opaque(f"line {node.line}: {node.word} has no value yet")
    return it.objects.get(node.key, {}).get(node.word, lost)


def _template(it: Interpreter, node: AnyCall, function: code.Function, env: Env) -> Env:
    """The numbers that a template is given, or has as defaults."""
    numbers: Env = {}
    order = it.module.templates.get(id(function), ())
    arguments = node.template
    for k, (word, default) in enumerate(order):
        e = arguments[k] if k < len(arguments) else default
        if not word or e is None:
            continue
        value = it.value(e, env if k < len(arguments) else {})
        if not isinstance(value, Block):
            continue
        known = value.node.value is not None or value.node.word in it.kernel.symbols
        if k < len(arguments) or known:
            numbers[word] = value
    return numbers


def _template_types(
    it: Interpreter, node: AnyCall, function: code.Function, values: list[Value]
) -> dict[str, CType | None]:
    """The types that a template is given, or that C++ deduces of the arguments."""
    by_name: dict[str, CType | None] = {}
    is_method = isinstance(node, code.MethodCall)
    arguments = () if isinstance(node, code.MethodCall) else node.template_types
    types = () if isinstance(node, code.MethodCall) else node.deduced
    parameters = it.module.parameters.get(id(function), {})
    for k, (word, default) in enumerate(it.module.typed.get(id(function), ())):
        if not word:
            continue
        ctype = arguments[k] if k < len(arguments) else None
        places = [j for j, p in enumerate(parameters.values()) if p.word == word]
        if ctype is None and places and max(places) < min(len(types), len(values)):
            parameter = list(parameters.values())[places[0]]
            ctype = _argument_type(it, parameter, types[places[0]], values[places[0]])
        elif ctype is None:
            ctype = default
        if ctype is None and is_method:
            continue  # a method: it is the class that has the type
        by_name[word] = actual_type(it, ctype) if ctype is not None else None
    return by_name


def _argument_type(
    it: Interpreter, formal: CType, actual: CType | None, value: Value
) -> CType | None:
    """What a parameter's type of a template is, of one argument."""
    if actual is None:
        return None
    actual = actual_type(it, actual)
    if actual == PROMOTED:
        return _type_of(value.node) if isinstance(value, Block) and not formal.depth else None
    depth = actual.depth + actual.array - formal.depth
    return CType(actual.word, depth) if depth >= 0 else None


def again(it: Interpreter, node: code.Again, env: Env) -> Value:
    """Another value of a variable whose type is that of its first."""
    old, new = (it.value(e, env) for e in (node.old, node.new))
    if not isinstance(new, Block) or pointer_of(new.node, it.arrays) is not None:
        return new
    if node.type != PROMOTED or not isinstance(old, Block):
        return Opaque(f"line {node.line}: a number of a type that is not known")
    return cast_to(it, new, _type_of(old.node), node.line)


def part(it: Interpreter, node: code.Part, env: Env) -> Value:
    """A variable of which a part has changed: a structure's fields are not followed then."""
    value = it.value(node.variable, env)
    known = value == REGISTERS or (isinstance(value, Opaque) and value.data)
    return value if known else Opaque(f"line {node.line}: a part of it is given a value")


def reaches(it: Interpreter, value: Value) -> bool:
    """Whether a function that gets the value may come to memory by it."""
    if isinstance(value, Constant):
        return isinstance(value.value, Struct)
    if isinstance(value, Opaque):
        return not value.data
    return isinstance(value, Block) and any(x.word in it.elements for x in value.node.leaves)


def reach(it: Interpreter, node: code.Reach, env: Env) -> Value:
    """A function that is not followed gets addresses: of a thread's own variables they are none."""
    values = [it.value(e, env) for e in node.values]
    if not all(v == REGISTERS for v in values):
        it.skip(node.line, node.why)
    return Constant(None)


def changed(it: Interpreter, node: code.Changed, env: Env) -> Value:
    value = it.changed.get((node.key, node.at))
    return value or Opaque(f"line {node.line}: changed by a function")


def returns_early(body: list[code.Statement]) -> bool:
    """Whether a `return` stands anywhere but last."""
    below = (y for s in body[-1:] for x in parts(s) for y in every_part(x))
    return returns_inside(body[:-1]) or any(isinstance(x, code.Return) for x in below)


def _type_of(node: Term) -> CType:
    """The type of a variable whose first value is a number: a constant's is `int`."""
    return CType(WORDS[common([node.type]) or INT])
