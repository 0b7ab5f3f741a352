"""The values of host code at the launches of kernels.

Values are nodes.  What is not followed is a leaf of its own, which equals nothing else; its word is no
name of any language, so that none of the kernel's can be meant.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

from symlayout.expr.term import Term
from symlayout.programs.kernels.launches.launch import Call, Parts
from symlayout.programs.kernels.nodes import (
    TRUE,
    TooLarge,
    binary,
    both,
    compare,
    either,
    name,
    negation,
    num,
    number_of,
    terms,
    truth,
    where,
)
from symlayout.programs.kernels.syntax import COMPARED, assigned_names, is_ceiling, positional
from symlayout.programs.kernels.syntax import OPERATORS as EVERY

OPERATORS = {kind: sign for kind, sign in EVERY.items() if sign in ("+", "-", "*", "//", "%")}
STABLE = frozenset(["shape", "size", "numel", "stride", "ndim", "dim", "element_size"])
NESTED = 6  # functions inside one another
Env = dict[str, Any]
Facts = tuple[tuple[Term, int], ...]


@dataclass(frozen=True)
class Signature:
    """The parameters of a kernel in their order, those with defaults, and a template's.

    Of those that are narrower than `int`, `small` has the numbers that are passed as they are.
    """

    parameters: tuple[str, ...]
    defaults: Mapping[str, int] = field(default_factory=dict)
    template: tuple[str, ...] = ()
    small: Mapping[str, range] = field(default_factory=dict)


@dataclass(frozen=True)
class Later:
    """A function that is called later, as `lambda META: ...` is; `inner`: where it sees variables."""

    node: ast.Lambda | ast.FunctionDef
    inner: bool = True


@dataclass(frozen=True)
class Meta:
    """The launch's own arguments by name."""


@dataclass(frozen=True)
class Given:
    """The names that a file gives a value: all of them, in one place each, and from other functions."""

    every: Collection[str] = ()
    once: Collection[str] = ()
    elsewhere: Collection[str] = ()


class Values:
    """What expressions of host code come to; launches in them are noted."""

    def __init__(
        self,
        kernels: Mapping[str, Signature],
        functions: Mapping[str, ast.FunctionDef],
        constants: Mapping[str, int],
        names: Given,
    ) -> None:
        self.kernels, self.functions, self.constants = kernels, functions, constants
        self.names = names
        self.calls: dict[int, Call] = {}
        self.leaves: dict[tuple[Any, ...], Term] = {}
        self.always: list[tuple[Term, int]] = []  # true wherever their values are
        self.loose: set[str] = set()  # of values that may have no sign
        self.whole: set[str] = set()  # of values that are one number, and no `dim3`
        self.count = self.depth = 0
        self.facts: Facts = ()
        self.line = 0

    # -- values -----------------------------------------------------------------------------------

    def leaf(self, *key: Any) -> Term:
        """A value that is not followed; with a key the same one for the same key."""
        if key and key in self.leaves:
            return self.leaves[key]
        self.count += 1
        leaf = name(f"@{self.count}", None)
        if key:
            self.leaves[key] = leaf
        return leaf

    def forget(self, names: Iterable[str], env: Env) -> None:
        """Nothing is known of these any more."""
        for n in names:
            env[n] = self.leaf()

    def value(self, node: ast.expr, env: Env) -> Any:
        """The value of an expression; launches in it are noted."""
        try:
            return self._value(node, env)
        except (TooLarge, ZeroDivisionError):
            return self.leaf()

    def number(self, node: ast.expr, env: Env) -> Term:
        """The value as a node."""
        value = self.value(node, env)
        return value if isinstance(value, Term) else self.leaf()

    def condition(self, node: ast.expr, env: Env) -> Term:
        """The value as a condition."""
        try:
            match node:
                case ast.BoolOp():
                    return _joined(node, [self.condition(v, env) for v in node.values])
                case ast.UnaryOp(op=ast.Not()):
                    return negation(self.condition(node.operand, env))
        except TooLarge:
            return truth(self.leaf())
        return truth(self.number(node, env))

    def _value(self, node: ast.expr, env: Env) -> Any:
        match node:
            case ast.Constant(value=bool() | int() as v):
                return num(int(v))
            case ast.Name():
                return self._name(node.id, env)
            case ast.BinOp():
                return self._binary(node, env)
            case ast.UnaryOp(op=ast.Not()):
                return negation(self.condition(node.operand, env))
            case ast.UnaryOp(op=ast.USub()):
                return plainly("-", num(0), self.number(node.operand, env))
            case ast.BoolOp():
                values = [self.value(v, env) for v in node.values]
                known = [v for v in values if isinstance(v, Term) and v.is_condition]
                chooses = len(known) < len(values)  # `a or b` is one of the two
                return self.leaf() if chooses else _joined(node, known)
            case ast.Compare():
                return self._comparison(node, env)
            case ast.IfExp():
                c = self.condition(node.test, env)
                a, b = self.value(node.body, env), self.value(node.orelse, env)
                plain = isinstance(a, Term) and isinstance(b, Term)
                return where(c, a, b) if plain else a if a == b else self.leaf()
            case ast.Tuple() | ast.List():
                parts = tuple(self.value(e, env) for e in node.elts)
                starred = any(isinstance(e, ast.Starred) for e in node.elts)
                return self.leaf() if starred or isinstance(node, ast.List) else Parts(parts)
            case ast.Lambda():
                self.forget(assigned_names([node]), env)
                return Later(node)
            case ast.Call():
                return self._call(node, env)
            case ast.Attribute():
                base = self.value(node.value, env)
                stable = node.attr in ("shape", "ndim") and isinstance(base, Term)
                return self.leaf(node.attr, base) if stable else self.leaf()
            case ast.Subscript():
                return self._subscript(node, env)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, env)
            case ast.NamedExpr():
                result = self.value(node.value, env)
                env[node.target.id] = self.leaf()  # it may stand where it is not always evaluated
                return result
        for x in ast.iter_child_nodes(node):
            if isinstance(x, ast.expr):
                self.value(x, env)
        return self.leaf()

    def _comprehension(self, node: ast.expr, env: Env) -> Term:
        """Its parts with names of their own."""
        self.forget((x.target.id for x in ast.walk(node) if isinstance(x, ast.NamedExpr)), env)
        inner = dict(env)
        self.forget(assigned_names([node]), inner)
        for x in ast.walk(node):
            if isinstance(x, ast.Call):
                self.value(x, inner)
        return self.leaf()

    def _name(self, word: str, env: Env) -> Any:
        if word in self.names.elsewhere:
            return self.leaf()
        if word in env:
            return env[word]
        if word in self.constants:
            return num(self.constants[word])
        if word in self.functions:
            return Later(self.functions[word], False)
        return self.leaf("outside", word) if word in self.names.once else self.leaf()

    def _binary(self, node: ast.BinOp, env: Env) -> Any:
        a, b = self.value(node.left, env), self.value(node.right, env)
        op = OPERATORS.get(type(node.op))
        if not (isinstance(a, Term) and isinstance(b, Term)):
            return self.leaf()
        numbers = a.value is not None and b.value is not None and 0 <= b.value < 64
        if numbers and isinstance(node.op, ast.Pow):
            return num(min(a.number, 1 << 16) ** b.number)
        if numbers and isinstance(node.op, ast.LShift):
            return num(a.number << b.number)
        return self.leaf() if op is None else plainly(op, a, b)

    def _comparison(self, node: ast.Compare, env: Env) -> Term:
        sides = [self.value(e, env) for e in (node.left, *node.comparators)]
        condition = TRUE
        for op, a, b in zip(node.ops, sides, sides[1:]):
            if isinstance(op, ast.In) and isinstance(a, Term):
                condition = both(condition, self._within(a, node.comparators[-1]))
                continue
            plain = isinstance(a, Term) and isinstance(b, Term) and type(op) in COMPARED
            one = truth(self.leaf())
            if plain:
                one = compare(COMPARED[type(op)], number_of(a), number_of(b))
            condition = both(condition, one)
        return condition

    def _within(self, a: Term, among: ast.expr) -> Term:
        """`x in (16, 32)`: between the least and the largest."""
        elements = among.elts if isinstance(among, (ast.Tuple, ast.List, ast.Set)) else []
        numbers = [
            e.value for e in elements if isinstance(e, ast.Constant) and type(e.value) is int
        ]
        if not numbers or len(numbers) < len(elements):
            return truth(self.leaf())
        other = truth(self.leaf())  # what it says beyond the two ends
        ends = both(compare(">=", a, num(min(numbers))), compare("<=", a, num(max(numbers))))
        return both(ends, other)

    def _subscript(self, node: ast.Subscript, env: Env) -> Any:
        base, at = self.value(node.value, env), node.slice
        if isinstance(base, Meta) and isinstance(at, ast.Constant) and isinstance(at.value, str):
            return name(at.value, None)
        index = self.value(at, env)
        k = index.value if isinstance(index, Term) else None
        if isinstance(base, Parts) and k is not None and -len(base.parts) <= k < len(base.parts):
            return base.parts[k]
        stable = isinstance(base, Term) and any(
            key[0] in ("shape", "stride") and leaf == base for key, leaf in self.leaves.items()
        )
        return self.leaf("item", base, k) if stable and k is not None else self.leaf()

    # -- calls ------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, env: Env) -> Any:
        func = node.func
        if isinstance(func, ast.Name) and func.id.startswith("@"):
            result: Any = getattr(self, f"c_{func.id[1:]}")(node, env)
            return result
        head = func.value if isinstance(func, ast.Subscript) else None
        if isinstance(head, ast.Name) and head.id in self.kernels and head.id not in env:
            assert isinstance(func, ast.Subscript)
            return self._launch(node, head.id, func.slice, env)
        own = func.value if isinstance(func, ast.Attribute) else func
        base = None if isinstance(own, ast.Name) and own is func else self.value(own, env)
        values = [self.value(a, env) for a in node.args]
        for k in node.keywords:
            argument = self.value(k.value, env)
            if k.arg == "out":
                self._forget_shapes(argument)
        word = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        last = word.split("::")[-1]
        if isinstance(func, ast.Attribute):
            if last.endswith("_") and not last.endswith("__"):
                self._forget_shapes(base)
            if isinstance(base, Term) and base.op == "name" and last in STABLE:
                return self._attribute(base, last, values)
        nodes = [v for v in values if isinstance(v, Term)]
        starred = any(isinstance(a, ast.Starred) for a in node.args)
        if len(nodes) < len(values) or starred or node.keywords:
            return self.leaf()
        if isinstance(func, ast.Name) and (word in env or word in self.functions):
            return self._inline(self._name(word, env), nodes, env)
        if last in ("min", "max", "int"):
            builtin = isinstance(func, ast.Name) and word not in self.names.every
            return self._builtin(last, nodes) if builtin else self.leaf()
        return self._library_value(last, nodes, node, env)

    def _attribute(self, base: Term, word: str, values: list[Any]) -> Term:
        if not values:
            return self.leaf("shape" if word == "size" else word, base)
        at = values[0].value if isinstance(values[0], Term) and len(values) == 1 else None
        if word not in ("size", "stride") or at is None:
            return self.leaf()
        return self.leaf("item", self.leaf("shape" if word == "size" else word, base), at)

    def _forget_shapes(self, base: Any) -> None:
        """A tensor that is changed in place may have other sizes from here on."""
        gone = {base} if isinstance(base, Term) else set()
        for _ in range(2):  # its shape, and the shape's parts
            gone |= {v for k, v in self.leaves.items() if k[1] in gone}
        self.leaves = {k: v for k, v in self.leaves.items() if v not in gone}

    def _builtin(self, word: str, nodes: list[Term]) -> Term:
        """What Python's own functions come to."""
        if word == "int" and len(nodes) == 1:
            return nodes[0]
        if word != "int" and len(nodes) == 2:
            return binary(word, *map(number_of, nodes))
        return self.leaf()

    def _library_value(self, word: str, nodes: list[Term], node: ast.Call, env: Env) -> Any:
        """What functions of that name come to, wherever they are."""
        count = len(nodes)
        if is_ceiling(word) and count == 2:
            return binary("cdiv", *map(number_of, nodes))
        if word == "next_power_of_2" and count == 1:
            power = self.leaf("power", nodes[0])
            self.always.append((compare(">=", power, nodes[0]), self.line))
            return power
        inner = node.args[0] if count == 1 else None
        if word == "ceil" and isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
            return binary("cdiv", self.number(inner.left, env), self.number(inner.right, env))
        return self.leaf()

    def _inline(self, function: Any, nodes: Sequence[Any], env: Env) -> Any:
        """What a function comes to that gives names values and returns one."""
        if not isinstance(function, Later) or self.depth >= NESTED:
            return self.leaf()
        spec, body = function.node.args, function.node.body
        names = [a.arg for a in positional(function.node)]
        if len(names) != len(nodes) or spec.vararg or spec.kwonlyargs:
            return self.leaf()
        inner: Env = {**(env if function.inner else {}), **dict(zip(names, nodes))}
        self.depth += 1
        try:
            for s in [ast.Return(body)] if isinstance(body, ast.expr) else body:
                if isinstance(s, ast.Return) and s.value is not None:
                    return self.value(s.value, inner)
                if not isinstance(s, ast.Assign):
                    break
                self._assign_all(s, inner)
            return self.leaf()
        finally:
            self.depth -= 1

    # -- launches ---------------------------------------------------------------------------------

    def _launch(self, node: ast.Call, kernel: str, grid: ast.expr, env: Env) -> Term:
        spec, sizes = self.kernels[kernel], self.value(grid, env)
        bindings: dict[str, Any] = {}
        spread = False
        for k, a in enumerate(node.args):
            spread = spread or isinstance(a, ast.Starred)
            if isinstance(a, ast.Starred):
                self.value(a.value, env)
            elif not spread and k < len(spec.parameters):
                bindings[spec.parameters[k]] = self.value(a, env)
            else:
                self.value(a, env)
        for keyword in node.keywords:
            spread = spread or keyword.arg is None
            value = self.value(keyword.value, env)
            if keyword.arg in spec.parameters:
                bindings[keyword.arg] = value
        if not spread:
            bindings |= {p: num(v) for p, v in spec.defaults.items() if p not in bindings}
        if isinstance(sizes, Later):
            sizes = self._inline(sizes, [Meta()], env)
        why = "" if isinstance(sizes, Parts) else "its grid is no tuple that is known there"
        self.note(node, Call(kernel, node.lineno, sizes, None, bindings, why=why))
        return self.leaf()

    def note(self, node: ast.AST, call: Call) -> None:
        """Notes a launch with the conditions that hold there; those in functions have their own."""
        if self.depth:
            return
        facts = (*self.facts, *self.always)
        launch = replace(call, facts=facts, loose=frozenset(self.loose))
        known = self.calls.get(id(node))
        if known is not None and known != launch:
            launch = Call(call.kernel, call.line, why="it stands where several ways lead")
        self.calls[id(node)] = launch

    def _assign_all(self, s: ast.Assign, env: Env) -> None:
        value = self.value(s.value, env)
        for t in s.targets:
            self._assign(t, value, env)

    def _assign(self, target: ast.expr, value: Any, env: Env) -> None:
        match target:
            case ast.Name():
                env[target.id] = value
            case ast.Tuple() | ast.List():
                parts = value.parts if isinstance(value, Parts) else None
                starred = any(isinstance(t, ast.Starred) for t in target.elts)
                keys = {leaf: key[0] for key, leaf in self.leaves.items()}
                items = isinstance(value, Term) and keys.get(value) in ("shape", "stride")
                for k, t in enumerate(target.elts):
                    part: Any = self.leaf()
                    if parts is not None and len(parts) == len(target.elts) and not starred:
                        part = parts[k]
                    elif items and not starred:
                        part = self.leaf("item", value, k)
                    self._assign(t.value if isinstance(t, ast.Starred) else t, part, env)
            case ast.Attribute() | ast.Subscript():
                self._forget_shapes(self.value(target.value, env))
                if isinstance(target, ast.Subscript):
                    self.value(target.slice, env)

    # -- what C has and Python has not ------------------------------------------------------------

    def c_dim3(self, node: ast.Call, env: Env) -> Any:
        """`dim3(x, y, z)`."""
        parts = [self.number(a, env) for a in node.args]
        return Parts(tuple([*parts, num(1), num(1)][:3])) if parts else Parts((num(1),) * 3)

    def c_dims(self, node: ast.Call, env: Env) -> Any:
        """A number where a `dim3` is wanted."""
        return self._three(self.value(node.args[0], env))

    def c_div(self, node: ast.Call, env: Env) -> Term:
        """C's division, which rounds towards 0."""
        a, b = (number_of(self.number(x, env)) for x in node.args)
        up = _rounded_up(a, b)
        if up is not None:
            return up
        return binary("//" if _is_sum(a) and _is_sum(b) else "/", a, b)

    def c_bool(self, node: ast.Call, env: Env) -> Term:
        """A value of the type `bool`: whether it is not 0."""
        return truth(self.number(node.args[0], env))

    def c_rem(self, node: ast.Call, env: Env) -> Term:
        """C's remainder, whose sign is the dividend's."""
        a, b = (number_of(self.number(x, env)) for x in node.args)
        return binary("%" if _is_sum(a) and _is_sum(b) else "rem", a, b)

    def c_loose(self, node: ast.Call, env: Env) -> Any:
        """A value of a type that has no sign, or that is not known."""
        value = self.value(node.args[0], env)
        if isinstance(value, Term):
            self.loose.update(x.word for x in value.leaves)
            if value.value is not None and not 0 <= value.number < 1 << 32:
                return self.leaf()
        return value

    def c_int(self, node: ast.Call, env: Env) -> Any:
        """A value of an integer type."""
        value = self.value(node.args[0], env)
        if isinstance(value, Term) and value.op == "name":
            self.whole.add(value.word)
        return value

    def _three(self, value: Any) -> Any:
        """One to three sizes; what may be a `dim3` has three."""
        if isinstance(value, Parts) or not isinstance(value, Term):
            return value
        if value.op == "name" and value.word not in self.whole:
            return Parts((self.leaf(), self.leaf(), self.leaf()))
        return Parts((value, num(1), num(1)))

    def c_launch(self, node: ast.Call, env: Env) -> Term:
        """`kernel<T, 128><<<grid, block>>>(a, b)`."""
        head, *rest = node.args
        assert isinstance(head, ast.Constant)
        template, config, arguments = (r.elts if isinstance(r, ast.Tuple) else [] for r in rest)
        kernel = str(head.value)
        spec = self.kernels[kernel]
        values = [self.value(a, env) for a in arguments]
        bindings: dict[str, Any] = {}
        for p, v in zip(spec.parameters, values):
            fits = p not in spec.small or (isinstance(v, Term) and v.value in spec.small[p])
            bindings[p] = v if fits else self.leaf()
        for word, a in zip(spec.template, template):
            if word:
                bindings[word] = self.value(a, env)
        sizes = [self.value(a, env) for a in config]
        dims = [self._three(s) for s in sizes]
        if len(dims) < 2:
            self.note(node, Call(kernel, node.lineno, why="its grid and block are not both there"))
        else:
            self.note(node, Call(kernel, node.lineno, dims[0], dims[1], bindings))
        return self.leaf()


def _joined(node: ast.BoolOp, parts: list[Term]) -> Term:
    """The conditions as one."""
    return reduce(both if isinstance(node.op, ast.And) else either, parts)


def plainly(op: str, a: Term, b: Term) -> Term:
    """The operation, roundings up as such: `(a + b - 1) // b`, `-(-a // b)`, `(a - 1) // b + 1`."""
    a, b = number_of(a), number_of(b)
    if op == "//":
        up = _rounded_up(a, b)
        if up is not None:
            return up
    if op == "-" and a.value == 0 and b.op == "//" and b.args[0].op == "-":
        zero, x = b.args[0].args
        if zero.value == 0:
            return binary("cdiv", x, b.args[1])
    return binary(op, a, b)


def _rounded_up(a: Term, b: Term) -> Term | None:
    """`a` rounded up, where `a` is `x + b - 1`, in whatever order."""
    total = sum(sign * t.number for t, sign in terms(a) if t.op == "num")
    rest = [(t, sign) for t, sign in terms(a) if t.op != "num"]
    if b.value is not None and total == b.number - 1 and b.number > 1 and rest:
        summands = rest
    elif total == -1 and (b, 1) in rest and len(rest) > 1:
        summands = list(rest)
        summands.remove((b, 1))
    else:
        return None
    if any(sign < 0 for _, sign in summands):
        return None
    return binary("cdiv", reduce(partial(binary, "+"), [t for t, _ in summands]), b)


def _is_sum(node: Term) -> bool:
    """Whether it has no difference and no negative number in it: not below 0 where sizes are not."""
    if node.op == "num":
        return node.number >= 0
    plain = node.op in ("name", "+", "*", "//", "%", "cdiv", "min", "max")
    return plain and all(map(_is_sum, node.args))
