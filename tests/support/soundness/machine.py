"""Runs Triton's kernels by plain NumPy and writes down what they access: it knows no reader.

A run-time value is a `Value`: its `//` and `%` round towards 0, as machines do; what the compiler
knows is a Python integer, whose `//` and `%` round down.  What a plain assignment names, and what a
function returns, is a number of run time; `x: tl.constexpr = ...` stays one of the compiler's.  So
is an argument that is 1, unless it has a type or the decorator excludes it.
"""

from __future__ import annotations
import __future__

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

Trace = Counter[tuple[str, str, int]]  # an array, what is done there, and where
Lines = Counter[tuple[int, str, str, int]]  # the same, behind the line that does it
STEPS = 20_000  # turns of loops and accesses, after which a kernel is given up


class Endless(Exception):
    """A kernel takes too many steps."""


def _plain(x: Any) -> Any:
    return x.data if isinstance(x, Value) else x


def _quotient(a: Any, b: Any) -> Any:
    a, b = np.broadcast_arrays(np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64))
    if (b == 0).any():
        raise ZeroDivisionError
    q = np.abs(a) // np.abs(b)
    return np.where((a < 0) == (b < 0), q, -q)


class Value:
    """A scalar or a block at run time."""

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)

    def __getitem__(self, key: Any) -> Value:
        return Value(self.data[key])

    def __index__(self) -> int:
        return int(self.data)

    def __bool__(self) -> bool:
        return bool(self.data)

    def __invert__(self) -> Value:
        return Value(~self.data)

    def __neg__(self) -> Value:
        return Value(-self.data)

    def to(self, dtype: Any) -> Value:
        """The same number in another type."""
        return self


def _two(name: str, made: Callable[[Any, Any], Any]) -> None:
    setattr(Value, f"__{name}__", lambda a, b: Value(made(a.data, _plain(b))))
    setattr(Value, f"__r{name}__", lambda a, b: Value(made(_plain(b), a.data)))


for _name, _made in {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": _quotient,
    "mod": lambda a, b: a - b * _quotient(a, b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "lshift": lambda a, b: a << b,
    "rshift": lambda a, b: a >> b,
}.items():
    _two(_name, _made)
for _name, _made in {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}.items():
    setattr(Value, f"__{_name}__", lambda a, b, made=_made: Value(made(a.data, _plain(b))))


@dataclass(frozen=True)
class Address:
    """A place in an array."""

    array: str
    at: Any = 0

    def __add__(self, other: Any) -> Address:
        return Address(self.array, self.at + _plain(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Address:
        return Address(self.array, self.at - _plain(other))


@dataclass(frozen=True)
class BlockAddress:
    """What `make_block_ptr` makes."""

    base: Address
    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    offsets: tuple[Any, ...]
    block: tuple[int, ...]

    def places(self, checked: tuple[int, ...]) -> tuple[Any, Any]:
        """The offsets of the block, and which of them are inside of the checked sizes."""
        at = np.asarray(self.base.at, dtype=np.int64)
        mask = np.asarray(True)
        for k, n in enumerate(self.block):
            lanes = np.arange(n).reshape([-1 if k == j else 1 for j in range(len(self.block))])
            place = lanes + int(_plain(self.offsets[k]))
            at = at + place * int(_plain(self.strides[k]))
            if k in checked:
                mask = mask & (place >= 0) & (place < int(_plain(self.shape[k])))
        return at, mask


@dataclass
class Language:
    """`tl` for one program; numbers that are loaded are looked up in `memory`."""

    ids: tuple[int, ...]
    grid: tuple[int, ...]
    trace: Trace
    memory: Mapping[str, list[int]] = field(default_factory=dict)
    lines: Lines = field(default_factory=Counter)
    steps: int = 0
    int32: str = "int32"
    int64: str = "int64"
    float32: str = "float32"
    constexpr: type = int

    def turn(self) -> None:
        """Counts a step."""
        self.steps += 1
        if self.steps > STEPS:
            raise Endless

    def range(self, *ends: Any, **more: Any) -> Iterator[Value]:
        """A loop's counter, a number of run time; `arg1`, `arg2` and `step` may be named."""
        given = [*ends, *[more[k] for k in ("arg1", "arg2") if k in more]]
        low, high = (0, given[0]) if len(given) == 1 else given[:2]
        step = given[2] if len(given) > 2 else more.get("step", 1)
        for k in range(int(low), int(high), int(step)):
            self.turn()
            yield Value(k)

    def static_range(self, *ends: Any, **more: Any) -> Iterator[int]:
        """A loop's counter that the compiler knows."""
        return (int(k) for k in self.range(*ends, **more))

    def program_id(self, axis: int = 0) -> Value:
        return Value(self.ids[axis])

    def num_programs(self, axis: int = 0) -> Value:
        return Value(self.grid[axis])

    def arange(self, low: int, high: int) -> Value:
        return Value(np.arange(low, high))

    def zeros(self, shape: Any, dtype: Any = None) -> Value:
        return Value(np.zeros(shape, dtype=np.int64))

    def full(self, shape: Any, value: Any, dtype: Any = None) -> Value:
        return Value(np.full(shape, _plain(value), dtype=np.int64))

    def cdiv(self, a: Any, b: Any) -> Any:
        return (a + b - 1) // b

    def minimum(self, a: Any, b: Any) -> Value:
        return Value(np.minimum(_plain(a), _plain(b)))

    def maximum(self, a: Any, b: Any) -> Value:
        return Value(np.maximum(_plain(a), _plain(b)))

    def where(self, c: Any, a: Any, b: Any) -> Value:
        return Value(np.where(_plain(c), _plain(a), _plain(b)))

    def cast(self, x: Any, dtype: Any) -> Value:
        return Value(_plain(x))

    def assume(self, c: Any) -> None:
        return None

    def multiple_of(self, x: Any, n: Any) -> Any:
        return x

    def _note(self, kind: str, address: Any, mask: Any, checked: tuple[int, ...]) -> Any:
        if isinstance(address, BlockAddress):
            at, kept = address.places(checked)
            name = address.base.array
        else:
            name, at = address.array, np.asarray(address.at, dtype=np.int64)
            kept = np.asarray(True if mask is None else _plain(mask))
        at, kept = np.broadcast_arrays(at, kept)
        self.trace.update((name, kind, int(x)) for x in at[kept])
        line = sys._getframe(2).f_lineno
        self.lines.update((line, name, kind, int(x)) for x in at[kept])
        self.turn()
        held = self.memory.get(name)
        if held is None:
            return np.zeros(at.shape, dtype=np.int64)
        return np.where(kept, np.asarray(held)[np.where(kept, at, 0) % len(held)], 0)

    def load(
        self, p: Any, mask: Any = None, other: Any = None, boundary_check: tuple[int, ...] = ()
    ) -> Value:
        return Value(self._note("load", p, mask, boundary_check))

    def store(
        self, p: Any, value: Any, mask: Any = None, boundary_check: tuple[int, ...] = ()
    ) -> None:
        self._note("store", p, mask, boundary_check)

    def atomic_add(self, p: Any, value: Any, mask: Any = None) -> Value:
        return Value(self._note("atomic", p, mask, ()))

    def make_block_ptr(
        self, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
    ) -> BlockAddress:
        return BlockAddress(base, tuple(shape), tuple(strides), tuple(offsets), tuple(block_shape))

    def advance(self, p: BlockAddress, by: Any) -> BlockAddress:
        moved = tuple(a + b for a, b in zip(p.offsets, by))
        return BlockAddress(p.base, p.shape, p.strides, moved, p.block)


class _Triton:
    @staticmethod
    def jit(f: Any = None, *, do_not_specialize: Any = (), **more: Any) -> Any:
        def kept(g: Any) -> Any:
            g.kept = do_not_specialize
            return g

        return kept if f is None else kept(f)


def _given(f: Any, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The numbers as a kernel gets them: an int is one that the compiler knows."""
    code = f.__code__
    words = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    kept = {words[k] if isinstance(k, int) else k for k in getattr(f, "kept", ())}
    kept |= {*f.__annotations__}
    return {n: 1 if v == 1 and n not in kept else Value(v) for n, v in sizes.items()}


def least(*values: Any) -> Any:
    """Python's `min`, also of run-time values."""
    return _folded(np.minimum, min, values)


def most(*values: Any) -> Any:
    """Python's `max`, also of run-time values."""
    return _folded(np.maximum, max, values)


def _folded(of_two: Any, plain: Any, values: tuple[Any, ...]) -> Any:
    if not any(isinstance(v, Value) for v in values):
        return plain(values)
    made = values[0]
    for v in values[1:]:
        made = Value(of_two(_plain(made), _plain(v)))
    return made


def named(x: Any) -> Any:
    """What a plain assignment gives a name: of an integer a number of run time."""
    if isinstance(x, tuple):
        return tuple(map(named, x))
    return Value(x) if isinstance(x, int) else x


def chosen(test: Any, one: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """What a condition chooses: of run time where the condition is."""
    made = one() if test else other()
    return named(made) if isinstance(test, Value) else made


_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


class _Named(ast.NodeTransformer):
    """Puts `named` around what is assigned and returned, and `chosen` around choices."""

    def _around(self, value: ast.expr) -> ast.expr:
        return ast.Call(ast.Name("named", ast.Load()), [value], [])

    def _made(self, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> ast.AST:
        return ast.copy_location(ast.Assign(targets, self._around(value)), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        return self._made(node, node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None or "constexpr" in ast.unparse(node.annotation):
            return node
        return self._made(node, [node.target], node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        return self._made(node, [node.target], ast.BinOp(read, node.op, node.value))

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        ways = [ast.Lambda(_NO_ARGUMENTS, x) for x in (node.body, node.orelse)]
        return ast.Call(ast.Name("chosen", ast.Load()), [node.test, *ways], [])

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None:
            node.value = self._around(node.value)
        return node


def _compiled(text: str) -> Any:
    """The functions of a file as Triton has them; imports are left out, lines stay where they are."""
    lines = ["" if x.startswith(("import", "from")) else x for x in text.splitlines()]
    tree = ast.parse("\n".join(lines))
    for f in tree.body:
        if isinstance(f, ast.FunctionDef):
            _Named().visit(f)
    ast.fix_missing_locations(tree)
    flags = __future__.annotations.compiler_flag
    return compile(tree, "kernel.py", "exec", flags)


def ids_of(grid: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The programs of a grid."""
    return product(*map(range, grid))


def executed(
    text: str,
    name: str,
    grid: tuple[int, ...],
    arrays: tuple[str, ...],
    sizes: Mapping[str, int],
    constants: Mapping[str, int],
    memory: Mapping[str, list[int]] | None = None,
) -> Trace:
    """What a kernel of a file accesses, all programs together."""
    return run(text, name, grid, arrays, sizes, constants, memory)[0]


def run(
    text: str,
    name: str,
    grid: tuple[int, ...],
    arrays: tuple[str, ...],
    sizes: Mapping[str, int],
    constants: Mapping[str, int],
    memory: Mapping[str, list[int]] | None = None,
) -> tuple[Trace, Lines]:
    """What a kernel of a file accesses, and by which lines.

    Raises `Endless`, and whatever the kernel's own mistakes raise.
    """
    trace: Trace = Counter()
    by_line: Lines = Counter()
    code = _compiled(text)
    for ids in ids_of(grid):
        tl = Language(ids, grid, trace, memory or {}, by_line)
        space: dict[str, Any] = {"tl": tl, "triton": _Triton, "min": least, "max": most}
        space |= {"range": tl.range, "named": named, "chosen": chosen}
        exec(code, space)
        given: dict[str, Any] = {a: Address(a) for a in arrays}
        given |= _given(space[name], sizes)
        space[name](**given, **constants)
    return trace, by_line
