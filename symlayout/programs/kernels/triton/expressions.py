"""Triton's expressions: operators, comparisons, broadcasting by `[:, None]`, conditionals."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from symlayout.expr.term import DIVISIONS, Term
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    TooLarge,
    both,
    either,
    negation,
    num,
    number_of,
    truth,
    typed,
    where,
)
from symlayout.programs.kernels.syntax import COMPARED, OPERATORS, dotted_name, every_node, spoken
from symlayout.programs.kernels.triton.imports import Builtin, language_path, meaning
from symlayout.programs.kernels.triton.language import CORE, is_pure
from symlayout.programs.kernels.triton.state import Module, State, flag_of
from symlayout.programs.kernels.values import (
    ADDRESS,
    ANY,
    NUMBER,
    Block,
    BlockPointer,
    Constant,
    Dtype,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    choice,
    common_shape,
    known_of_choice,
    known_where,
    named,
    permutation,
    run_time,
    with_new_axis,
    with_rank,
)

MIXED = "a condition of which the compiler knows a part"
DTYPES = frozenset(
    [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    + [f"float{kind}" for kind in ("8e4nv", "8e5", "16", "32", "64")]
    + ["int1", "bfloat16", "tf32"]
)
NUMBERS = frozenset(["element_ty", "numel", "shape"])  # of an address, with none in them
TYPES = frozenset(["dtype", "type"])
CASTING = TYPES | {"pointer_type"}
Env = dict[str, Value]
NOT_KNOWN = flag_of("not_known")  # of a condition that is left out
AnyValue = TypeVar("AnyValue", bound=Value)


class Expressions(State, ABC):
    """Evaluates expressions; what a call is, whoever reads calls says."""

    chooses = True  # whether `a or b` may be `b` itself, as in Python

    @abstractmethod
    def call(self, node: ast.Call, env: Env) -> Value:
        """The value of a call."""

    @abstractmethod
    def note_failure(self, node: ast.expr, why: str) -> None:
        """Tells of an expression that is not understood, where it may load and store."""

    def value(self, node: ast.expr, env: Env) -> Value:
        """The value of an expression; what is not understood is opaque."""
        try:
            value = self._value(node, env)
            self.note_written(node, value)
            return value
        except (NotUnderstood, TooLarge) as error:
            why = str(error)
        except RecursionError:
            why = "an expression that is nested too deeply"
        except ZeroDivisionError:
            why = "a division by 0"
        except (KeyError, IndexError):
            why = "an argument is missing"
        self.note_failure(node, why)
        return Opaque(f"line {node.lineno}: {why}", address=self._address_in(node, env))

    def _address_in(self, node: ast.expr, env: Env) -> int:
        """Whether what a function returns that touches no memory may be an address, by its names."""
        if id(node) not in self.harmless:
            return ANY
        parts = [*every_node(node)]
        casts = {x.attr for x in parts if isinstance(x, ast.Attribute)} & CASTING
        names = {x.id for x in parts if isinstance(x, ast.Name)}
        if casts or any(n not in env and not language_path(self.module, n) for n in names):
            return ADDRESS
        levels = (self.address(env[n]) for n in names & {*env})
        return min(max(levels, default=NUMBER), ADDRESS)

    def _value(self, node: ast.expr, env: Env) -> Value:
        match node:
            case ast.Constant(value=bool() | None | str() | float() | bytes() | complex()):
                return Constant(node.value)
            case ast.Constant(value=int() as number):
                return Block(num(number))
            case ast.Name():
                return self._name(node, env)
            case ast.BinOp():
                return self._binary(node, env)
            case ast.UnaryOp():
                return self._unary(node, env)
            case ast.BoolOp():
                return self._boolean(node, env)
            case ast.Compare():
                return self._comparisons(node, env)
            case ast.IfExp():
                return self._choice(node, env)
            case ast.Call():
                return self.call(node, env)
            case ast.Subscript():
                return self._subscript(node, env)
            case ast.Tuple() | ast.List():
                return Several(tuple(self.value(e, env) for e in node.elts))
            case ast.Attribute():
                return self._attribute(node, env)
        why = f"{spoken(node)} is not followed"
        names = {x.id for x in every_node(node) if isinstance(x, ast.Name)}
        if any(self.reaches(env[n]) for n in names & {*env}):
            self.skip(node.lineno, why)  # whoever gets it has an address
        return Opaque(f"line {node.lineno}: {why}")

    def _name(self, node: ast.Name, env: Env) -> Value:
        if node.id in env:
            return env[node.id]
        if node.id in self.own:
            return Opaque(f"line {node.lineno}: {node.id} has no value yet")
        if node.id in self.module.values:
            return self.module.values[node.id]
        value = self._meaning(node.id) or self._of_language(node.id, node.lineno)
        return value or Opaque(f"line {node.lineno}: {node.id} is not defined here")

    def _of_language(self, word: str, line: int) -> Value | None:
        """The type that a dotted name has in Triton's language, or a value for a function of it."""
        path = language_path(self.module, word)
        module, _, last = path.rpartition(".")
        if module in CORE and last in DTYPES:
            return Dtype(last)
        why = f"line {line}: {word} is not followed"
        return Opaque(why, data=True, address=NUMBER if is_pure(path) else ANY) if path else None

    def _meaning(self, word: str) -> Value | None:
        """The value that a name has at the top of the file."""
        value = meaning(self.module, word)
        return None if isinstance(value, (Module, Builtin)) else value

    def _attribute(self, node: ast.Attribute, env: Env) -> Value:
        word = dotted_name(node)
        own = word.split(".")[0] in {*self.own, *env}
        if not own and (value := self._of_language(word, node.lineno)):
            return value
        if node.attr == "shape":
            inner = self.value(node.value, env)
            if isinstance(inner, Block):
                return Several(tuple(Block(d) for d in inner.shape))
        if node.attr == "value":
            return self.value(node.value, env)
        if node.attr == "T":
            inner = self.value(node.value, env)
            if isinstance(inner, Block) and len(inner.shape) > 2:
                raise NotUnderstood("T of a block of more than two axes")
            return self.transpose(inner)
        why = f"line {node.lineno}: {word or 'an attribute'} is not followed"
        if not own and word:
            return self._meaning(word) or Opaque(why, data=True)
        inner = self.value(node.value, env)
        address = self.address(inner)
        of_address = isinstance(inner, Opaque) and inner.address_type
        if node.attr in TYPES:
            return Opaque(why, data=True, address=NUMBER, address_type=address != NUMBER)
        if node.attr in NUMBERS:
            return Opaque(why, data=True, address=NUMBER)
        return Opaque(why, data=True, address=address, address_type=of_address)

    def transpose(self, value: Value, order: tuple[int, ...] | None = None) -> Value:
        """The block with its axes in another order, reversed by default."""
        if isinstance(value, Block):
            order = order or tuple(reversed(range(len(value.shape))))
            if sorted(order) != list(range(len(value.shape))):
                raise NotUnderstood("a permutation that is none")
            return permutation(value, order)
        if isinstance(value, Opaque) and order is None:
            sizes = tuple(reversed(value.shape))
            return replace(value, shape=sizes, ways=None, address=self.address(value))
        return value

    def _binary(self, node: ast.BinOp, env: Env) -> Value:
        return self.operation(node, self.value(node.left, env), self.value(node.right, env))

    def operation(self, node: ast.BinOp, a: Value, b: Value) -> Value:
        """An operation on the values of both sides."""
        if isinstance(node.op, ast.Pow) and isinstance(a, Block) and isinstance(b, Block):
            return self.power(a, b, node.lineno)
        op = OPERATORS.get(type(node.op))
        if op in DIVISIONS and isinstance(b, Block) and isinstance(a, Opaque):
            self.note_divisor(number_of(b.node), b.shape)
        sides = [isinstance(v, Block) and v.node.is_condition for v in (a, b)]
        if op == "&" and any(sides):  # the result is true only where this side is
            a, b = (self.condition(v, node.lineno) if isinstance(v, Opaque) else v for v in (a, b))
        if op is None or isinstance(a, Opaque) or isinstance(b, Opaque):
            result = self.opaque((a, b), f"line {node.lineno}: {spoken(node)}")
            return replace(result, address=self.computed_address(op or "", a, b))
        if any(isinstance(v, Constant) and not isinstance(v.value, bool) for v in (a, b)):
            why = f"line {node.lineno}: arithmetic of numbers that are no integers"
            return self.opaque((a, b), why)
        if self.floors and (one_bit := [v for v in (a, b) if isinstance(v, Constant)]):
            others = [v for v in (a, b) if isinstance(v, Block) and v.node.is_condition]
            if len(one_bit) == 2 or others:  # True is one bit beside one, and a name makes it one
                a, b = self.condition(a, node.lineno), self.condition(b, node.lineno)
        return self.arithmetic(op, self.block(a, node.lineno), self.block(b, node.lineno))

    def opaque(self, values: tuple[Value, ...], why: str) -> Opaque:
        """What is computed of values of which one is not followed."""
        shapes = [v.shape for v in values if isinstance(v, (Block, Opaque))]
        try:
            shape = common_shape(*shapes) if shapes else ()
        except NotUnderstood:
            shape = ()
        opaques = [v for v in values if isinstance(v, Opaque)]
        data = bool(opaques) and all(v.data for v in opaques)
        address = max(map(self.address, values), default=NUMBER)
        return Opaque(opaques[0].why if opaques else why, shape, data, address=address)

    def _unary(self, node: ast.UnaryOp, env: Env) -> Value:
        if isinstance(node.op, ast.Not):
            return self.test(node, env)
        a = self.value(node.operand, env)
        if isinstance(a, Opaque):
            return a
        if isinstance(a, Constant) and isinstance(a.value, float):
            return a
        if isinstance(a, Constant) and self.floors and not isinstance(node.op, ast.UAdd):
            return Opaque(f"line {node.lineno}: a truth value as a number", address=NUMBER)
        term = self.block(a, node.lineno)
        if self.floors and term.node.is_condition and isinstance(node.op, (ast.USub, ast.Invert)):
            return self._of_truth(term, isinstance(node.op, ast.USub), node.lineno)
        if isinstance(node.op, ast.Invert) and term.node.is_condition:
            if not self.chooses:  # C's `~` is of the number that a condition is
                return self.arithmetic("-", Block(num(-1)), Block(number_of(term.node), term.shape))
            return Block(negation(term.node), term.shape)
        if isinstance(node.op, ast.USub):
            return self.arithmetic("-", Block(num(0)), term)
        if isinstance(node.op, ast.Invert):
            return self.arithmetic("-", Block(num(-1)), term)
        return term

    def _of_truth(self, c: Block, minus: bool, line: int) -> Block | Opaque:
        """`-c` or `~c` of a condition: Python's number where the compiler knows it, else of one bit."""
        if c.known not in (TRUE, FALSE):
            return Opaque(
                f"line {line}: a number of a condition that the compiler may know", address=NUMBER
            )
        if c.known == TRUE:
            return Block(where(c.node, num(-1 if minus else -2), num(0 if minus else -1)), c.shape)
        return c if minus else Block(negation(c.node), c.shape)  # modulo 2

    def _boolean(self, node: ast.BoolOp, env: Env) -> Value:
        """`a and b` as a value: of what the compiler knows one of the two, of others a condition."""
        if not self.chooses:
            return self._in_turn(node, env)
        values = self._in_order(node, lambda v: self.value(v, env))
        numbers = [v for v in values if isinstance(v, Block) and not v.node.is_condition]
        if any(known_where(v) != FALSE for v in numbers):
            return self.opaque(
                tuple(values), f"line {node.lineno}: a number that `and` or `or` chooses"
            )
        return self._all_of(node, values)

    def _in_order(
        self, node: ast.BoolOp, evaluate: Callable[[ast.expr], AnyValue]
    ) -> list[AnyValue]:
        """What `and` or `or` joins; a quotient matters only where what stands before it lets it."""
        before, values = self.reached, list[AnyValue]()
        try:
            for v in node.values:
                values.append(value := evaluate(v))
                c = truth(value.node) if isinstance(value, Block) else NOT_KNOWN
                if not (isinstance(value, Block) and value.shape):
                    goes_on = c if isinstance(node.op, ast.And) else negation(c)
                    self.reached = both(self.reached, goes_on)
        finally:
            self.reached = before
        return values

    def _in_turn(self, node: ast.BoolOp, env: Env) -> Block:
        """`a && b`: the second is evaluated only where the first does not decide."""
        first = self.test(node.values[0], env)
        every = isinstance(node.op, ast.And)
        for v in node.values[1:]:
            goes_on = first if every else Block(negation(first.node), first.shape)
            if goes_on.node == FALSE:
                self._never(v)
                continue
            other = self.condition(self.only(goes_on, v, env), node.lineno)
            first = self.lanewise(both if every else either, first, other)
        return first

    def only(self, c: Block, node: ast.expr, env: Env) -> Value:
        """The value of an expression that is evaluated only where the condition is true."""
        if c.node == FALSE:
            return self._never(node)
        if c.shape:
            return self.value(node, env)
        alive, self.alive = self.alive, both(self.alive, c.node)
        try:
            return self.value(node, env)
        finally:
            self.alive = alive

    def _never(self, node: ast.expr) -> Value:
        """What is never evaluated."""
        self.seen |= {id(x) for x in every_node(node) if isinstance(x, ast.Call)}
        return Opaque(f"line {node.lineno}: it is never evaluated")

    def _all_of(self, node: ast.BoolOp, values: Sequence[Value]) -> Block:
        first, *rest = [self.condition(v, node.lineno) for v in values]
        for other in rest:
            a, b = first.known, other.known
            known = a if a == b else self.perhaps(either(a, b), f"line {node.lineno}: {MIXED}")
            first = self.lanewise(both if isinstance(node.op, ast.And) else either, first, other)
            first = replace(first, known=known)
        return first

    def test(self, node: ast.expr, env: Env) -> Block:
        """An expression that is asked whether it is true."""
        if isinstance(node, ast.BoolOp) and not self.chooses:
            return self._in_turn(node, env)
        if isinstance(node, ast.BoolOp):
            return self._all_of(node, self._in_order(node, lambda v: self.test(v, env)))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            c = self.test(node.operand, env)
            return replace(c, node=negation(c.node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert) and self.floors:
            value = self.value(node.operand, env)
            if isinstance(value, Block) and value.node.is_condition and value.known != TRUE:
                self.note_doubts(value.known)  # of what the compiler knows it is -1 or -2: true
                return replace(value, node=either(value.known, negation(value.node)))
        return self.condition(self.value(node, env), node.lineno)

    def _comparisons(self, node: ast.Compare, env: Env) -> Value:
        sides = [self.value(e, env) for e in (node.left, *node.comparators)]
        condition: Block | None = None
        for op, a, b in zip(node.ops, sides, sides[1:]):
            one = self._compare(node, op, a, b)
            if isinstance(one, Opaque):
                return one
            condition = one if condition is None else self.lanewise(both, condition, one)
        assert condition is not None
        return condition

    def _compare(self, node: ast.Compare, op: ast.cmpop, a: Value, b: Value) -> Block | Opaque:
        if isinstance(op, (ast.Is, ast.IsNot)) or Constant(None) in (a, b):
            return self._presence(node, isinstance(op, (ast.IsNot, ast.NotEq)), a, b)
        texts = isinstance(a, Constant) and isinstance(b, Constant)
        if texts and isinstance(op, (ast.Eq, ast.NotEq)):
            same = (a == b) == isinstance(op, ast.Eq)
            return Block(TRUE if same else FALSE, known=TRUE)
        if any(isinstance(v, Constant) and isinstance(v.value, str) for v in (a, b)):
            word = "".join(c if c.isalnum() else "_" for c in ast.unparse(node))[:60]
            reason = f"line {node.lineno}: a choice by a text"
            return Block(self.flag(f"is_{word}", reason, True), known=TRUE)
        if isinstance(a, Opaque) or isinstance(b, Opaque) or type(op) not in COMPARED:
            result = self.opaque((a, b), f"line {node.lineno}: {spoken(node)}")
            if result.data and self.floors:  # the same one wherever it is used
                return self.condition(result, node.lineno)
            return replace(result, address=NUMBER)
        left, right = self.block(a, node.lineno), self.block(b, node.lineno)
        x, y, shape = self.together(left, right)
        known = both(known_where(left), known_where(right))
        for one, other in ((x.node, y.node), (y.node, x.node)):
            if other.value is not None and other.value <= 0:
                self.ask(one)
        condition = self.comparison(COMPARED[type(op)], number_of(x.node), number_of(y.node))
        return Block(condition, shape, known)

    def _presence(self, node: ast.Compare, is_not: bool, a: Value, b: Value) -> Block | Opaque:
        """Whether an argument is given: `x is not None`."""
        other = a if b == Constant(None) else b
        if other == Constant(None):
            return Block(TRUE if (a == b) != is_not else FALSE, known=TRUE)
        parameters = self.kernel.parameters
        if isinstance(other, Block) and other.node.op == "name" and other.node.word in parameters:
            word = other.node.word
            if word in self.in_contract:
                return Block(TRUE if is_not else FALSE, known=TRUE)
            flag = self.flag(f"{word}_given", f"line {node.lineno}: whether {word} is given")
            return Block(flag if is_not else negation(flag), known=TRUE)
        if isinstance(other, (Block, Several, BlockPointer)):
            return Block(TRUE if is_not else FALSE, known=TRUE)
        return self.opaque((a, b), f"line {node.lineno}: {spoken(node)}")

    def _choice(self, node: ast.IfExp, env: Env) -> Value:
        c = self.test(node.test, env)
        other = Block(negation(c.node), c.shape)
        a, b = self.alike(self.only(c, node.body, env), self.only(other, node.orelse, env))
        if c.shape:
            return self.where(c, a, b, node.lineno)
        known = c.known if c.node.is_run_time or c.node in (TRUE, FALSE) else TRUE
        if not self.floors or known == TRUE:
            return choice(c.node, a, b, known)
        if not isinstance(a, Block) or not isinstance(b, Block) or a.shape or b.shape:
            return choice(c.node, named(a), named(b))
        known = both(known, known_of_choice(c.node, a, b))
        return Block(where(c.node, typed(a.node), typed(b.node)), (), known)

    def alike(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Two values of which one is chosen, in the type that both are converted to."""
        return a, b

    def where(self, c: Block, a: Value, b: Value, line: int) -> Value:
        """`a` in the lanes where the condition is true, else `b`."""
        for v in (a, b):
            if isinstance(v, (Opaque, Constant, Dtype)):
                return self.opaque((c, a, b), f"line {line}: a choice of data")
        x, y = self.block(a, line), self.block(b, line)
        shape = self.common(c.shape, x.shape, y.shape)
        c, x, y = (with_rank(v, len(shape)) for v in (c, x, y))
        nodes = [x.node, y.node]
        if not (self.floors and x.node.is_condition and y.node.is_condition):
            nodes = [number_of(n) for n in nodes]
        return Block(where(c.node, *run_time(c.node, *nodes)), shape)

    def _subscript(self, node: ast.Subscript, env: Env) -> Value:
        value = self.value(node.value, env)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(value, (Block, Opaque)):
            if not all(_keeps(p) for p in parts):
                why = f"line {node.lineno}: {spoken(node)} is not followed"
                return Opaque(why, address=self.address(value))
            if isinstance(value, Opaque):
                sizes = list(value.shape)
                for axis, p in enumerate(parts):
                    if isinstance(p, ast.Constant) and axis <= len(sizes):
                        sizes.insert(axis, num(1))
                return replace(value, shape=tuple(sizes), ways=None, address=self.address(value))
            for axis, p in enumerate(parts):
                if isinstance(p, ast.Constant):
                    value = with_new_axis(value, axis)
            return value
        if isinstance(value, Several) and len(parts) == 1:
            at = self.number(parts[0], env)
            if at is not None and -len(value.parts) <= at < len(value.parts):
                return value.parts[at]
        return Opaque(f"line {node.lineno}: {spoken(node)} is not followed")

    def number(self, node: ast.expr, env: Env) -> int | None:
        """The number that an expression is."""
        value = self.value(node, env)
        return value.node.value if isinstance(value, Block) else None

    def nodes(self, value: Value) -> tuple[Term, ...]:
        """The scalars of a tuple.

        Raises `NotUnderstood` for what is none.
        """
        parts = value.parts if isinstance(value, Several) else (value,)
        scalars = []
        for p in parts:
            if not isinstance(p, Block) or p.shape:
                raise NotUnderstood("sizes that are no scalars")
            scalars.append(p.node)
        return tuple(scalars)


def _keeps(p: ast.expr) -> bool:
    """Whether it is `:` or `None`."""
    if isinstance(p, ast.Slice):
        return p.lower is None and p.upper is None and p.step is None
    return isinstance(p, ast.Constant) and p.value is None
