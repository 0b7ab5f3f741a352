"""Sums, places and powers of which a kernel asks: numbers that are known up to a range."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from symlayout.expr.machine import INT
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import binary, num, number_of
from symlayout.programs.kernels.triton.expressions import Env, Expressions
from symlayout.programs.kernels.values import (
    NUMBER,
    POINTER,
    Block,
    Constant,
    NotUnderstood,
    Opaque,
    Value,
)

Arguments: TypeAlias = dict[str, ast.expr]
LARGEST = 1 << 10  # of what is summed: 2**20 such numbers have a sum of 32 bits


class Reductions(Expressions):
    """Evaluates what a block is reduced to along an axis."""

    @abstractmethod
    def arguments(self, node: ast.Call, names: tuple[str, ...]) -> Arguments:
        """The arguments of a call by name."""

    def tl_sum(self, node: ast.Call, env: Env) -> Value:
        """Of numbers from 0 to a most at most that often, where that is known."""
        value, axis, args = self._reduced(node, ("input", "axis", "keep_dims"), env)
        shape, count = self._left(value, axis, args, env)
        reason = f"line {node.lineno}: a sum"
        if not isinstance(value, Block):
            return replace(value, shape=shape)
        most = self._most(value.node)
        if most is None:
            return self._any(value, shape, reason)
        high = binary("+", binary("*", count, num(most)), num(1))
        return self.unknown(shape, reason, True, num(0), high)

    def tl_cumsum(self, node: ast.Call, env: Env) -> Value:
        """Each number and the sum of those before it, which is at least 0 where they are."""
        value, axis, _ = self._reduced(node, ("input", "axis"), env)
        reason = f"line {node.lineno}: a cumulative sum"
        if not isinstance(value, Block):
            return value
        most = self._most(value.node)
        if most is None:
            return self._any(value, value.shape, reason)
        count = value.shape[axis or 0] if value.shape else num(1)
        others = binary("-", count, num(1))
        high = binary("+", binary("*", others, num(most)), num(1))
        before = self.unknown(value.shape, reason, True, num(0), high)
        return Block(binary("+", number_of(value.node), before.node), value.shape)

    def tl_argmax(self, node: ast.Call, env: Env) -> Value:
        """A place along the axis."""
        names = ("input", "axis", "tie_break_left", "keep_dims")
        value, axis, args = self._reduced(node, names, env)
        shape, count = self._left(value, axis, args, env)
        if count == num(1) and not value.shape:  # how many there are is not known
            return Opaque(f"line {node.lineno}: a place in a block", shape, address=NUMBER)
        reason = f"line {node.lineno}: a place in a block"
        return self.unknown(shape, reason, True, num(0), count)

    tl_argmin = tl_argmax

    def tl_next_power_of_2(self, node: ast.Call, env: Env) -> Value:
        """A number that is at least another and less than its double, or 0; one for each number."""
        value = self.value(self.arguments(node, ("n",))["n"], env)
        if not isinstance(value, Block) or value.shape or value.node.is_run_time:
            return self.opaque((value,), f"line {node.lineno}: a power of two")
        n = value.node
        if n.value is not None:
            return Block(num(1 << (n.value - 1).bit_length() if n.value > 0 else 0))
        if self._may_be_below_0(n):
            return Opaque(f"line {node.lineno}: a power of two", address=NUMBER)
        if n not in self.powers:
            reason = f"line {node.lineno}: which power of two is at least {n.text({})}"
            word = self.fresh("power")
            double = binary("max", binary("*", n, num(2)), num(1))  # of 0 it is 0
            self.unknown((), reason, True, n, double, word, None)
            self.powers[n] = Term("unknown", (), word)
        return Block(self.powers[n])

    def _may_be_below_0(self, n: Term) -> bool:
        return not (n.op == "name" and n.word in self.constants and n.word not in self.signed)

    def _reduced(
        self, node: ast.Call, names: tuple[str, ...], env: Env
    ) -> tuple[Block | Opaque, int | None, Arguments]:
        """What is reduced, along which axis, and all that is given."""
        args = self.arguments(node, names)
        values = {w: self.value(e, env) for w, e in args.items()}
        value, axis = values["input"], values.get("axis", Constant(None))
        if not isinstance(value, (Block, Opaque)):
            raise NotUnderstood("a sum of what is no block")
        if axis == Constant(None):
            return value, None, args
        at = axis.node.value if isinstance(axis, Block) else None
        if at is None or not -len(value.shape) <= at < max(len(value.shape), 1):
            if isinstance(value, Opaque) and not value.shape:
                return value, None, args
            raise NotUnderstood("an axis that is no number")
        return value, at % max(len(value.shape), 1), args

    def _left(
        self, value: Block | Opaque, axis: int | None, args: Arguments, env: Env
    ) -> tuple[tuple[Term, ...], Term]:
        """The sizes that are left, and how many numbers become one."""
        sizes = value.shape
        keeps = "keep_dims" in args and self.value(args["keep_dims"], env) != Constant(False)
        gone = [k for k in range(len(sizes)) if axis in (None, k)]
        count = reduce(lambda a, b: binary("*", a, b), [sizes[k] for k in gone], num(1))
        left = [num(1) if k in gone else d for k, d in enumerate(sizes) if keeps or k not in gone]
        return tuple(left), count

    def _any(self, value: Block, shape: tuple[Term, ...], reason: str) -> Block:
        """Any number of the type, an address where those are addresses that were made numbers."""
        number = self.unknown(shape, reason, True, type=number_of(value.node).type or INT)
        self.addresses |= {number.node.word} if self.address(value) > POINTER else set()
        return number

    def _most(self, node: Term) -> int | None:
        """What numbers that are not below 0 are at most, where that is small."""
        if node.is_condition:
            return 1
        match node.op:
            case "num" if 0 <= node.number <= LARGEST:
                return node.number
            case "cast":
                return self._most(node.args[0])
            case "where":
                ways = [self._most(x) for x in node.args[1:]]
                bounds = [w for w in ways if w is not None]
                return max(bounds) if len(bounds) == 2 else None
        return None
