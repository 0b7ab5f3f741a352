"""What a loop carries from turn to turn, and what is known of it in a turn."""

from __future__ import annotations

import ast
from dataclasses import replace

from symlayout.expr.machine import INT
from symlayout.expr.machine import common as common_type
from symlayout.expr.term import Term
from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.recurrences import Carried, lost_value, with_marks
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.values import ANY, NUMBER, POINTER, Block, Constant, Opaque, Value


def carried_values(
    it: Interpreter, names: list[str], body: list[ast.stmt], env: Env, counter: Env, line: int
) -> dict[str, Carried]:
    """How the names change from turn to turn, seen by following the body once."""
    marks = {n: it.unknowns.fresh(f"{n}_before") for n in names}
    known = {*it.loops.ranges, *it.unknowns.ranges} - {list(it.loops.ranges)[-1]}
    known |= {*it.kernel.parameters, *it.kernel.grids.values()}
    inside = {**env, **counter}
    for n, mark in marks.items():
        inside[n] = _with_address(with_marks(env[n], mark), it.addresses.level(env[n]))
    alive, inexact = it.path.condition, it.path.inexact
    it.loops.continued = []
    with it.silent():
        it.follow(body, inside)
    ends = [inside, *it.loops.continued]
    it.path.condition, it.path.inexact = alive, inexact
    known |= {*it.kernel.programs.values(), *it.kernel.symbols}
    known |= it.unknowns.uniform
    levels = _addresses_carried(it, {n: env[n] for n in marks}, ends)
    return {
        n: Carried(env[n], mark, tuple(e.get(n) for e in ends), known, levels.get(n, ANY))
        for n, mark in marks.items()
    }


def value_at(it: Interpreter, c: Carried, turn: Term, word: str, line: int) -> Value:
    """The value at the beginning of a turn."""
    kind = common_type([c.before.node.type]) if isinstance(c.before, Block) else INT
    shape = c.before.shape if isinstance(c.before, Block) else ()

    def unknown() -> Term:
        reason = f"line {line}: {word} changes in a loop"
        node = it.unknown(shape, reason, True, type=kind or INT).node
        it.addresses.unknowns |= {node.word} if c.address != NUMBER else set()
        return node

    value = c.at(turn, unknown)
    return lost(c.before, word, line, c.address) if value is None else value


def lost(value: Value | None, word: str, line: int, address: int) -> Value:
    """What is left of a value that changes in no way that has a closed form."""
    return _with_address(lost_value(value, word, line), address)


def _with_address(value: Value, address: int) -> Value:
    """The value, of which it is known whether it may be an address."""
    return replace(value, address=address) if isinstance(value, Opaque) else value


def _addresses_carried(it: Interpreter, before: Env, ends: list[Env]) -> dict[str, int]:
    """Which names may be addresses in some turn: variables keep their types in a loop.

    Not where the compiler unrolls it, unless no name gets there what it was not before; nor where
    a number may be made of an address.
    """
    levels = {n: it.addresses.level(v) for n, v in before.items() if v != Constant(None)}
    after = {n: max(it.addresses.level(e[n]) for e in ends if n in e) for n in levels}
    if any(after[n] > max(k, NUMBER if it.loops.unrolled else POINTER) for n, k in levels.items()):
        return {}
    return {} if it.loops.unrolled and len(levels) < len(before) else levels
