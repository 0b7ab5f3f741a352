"""Follows a lowered function: what is Python's in it as Triton's reader does, the rest by C's rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from symlayout.programs.kernels.access import Kernel, Range
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.nodes import (
    TRUE,
    Node,
    binary,
    cast,
    compare,
    lane,
    name,
    num,
    number_of,
    where,
)
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.state import Module
from symlayout.programs.kernels.triton.statements import Carried, Statements
from symlayout.programs.kernels.values import (
    Block,
    Constant,
    NotUnderstood,
    Opaque,
    Value,
)

AXES = {"x": 0, "y": 1, "z": 2}
COUNTED = {"blockIdx": 0, "threadIdx": 3}
SIZES = {"gridDim": 0, "blockDim": 3}
UNSIGNED = 33
WARP = 32


@dataclass(frozen=True)
class Struct:
    """A parameter with fields."""

    word: str


@dataclass(frozen=True)
class Axes:
    """A number for each axis."""

    parts: tuple[Value, ...]


@dataclass
class CModule(Module):
    """The functions of a C file, lowered when they are needed."""

    lower: Callable[[str, int], ast.FunctionDef | None] = lambda word, count: None
    types: dict[int, dict[str, CType]] = field(default_factory=dict)
    parameters: dict[int, dict[str, CType]] = field(default_factory=dict)
    constants: dict[int, dict[str, CType]] = field(default_factory=dict)
    bad: dict[int, list[int]] = field(default_factory=dict)
    metal: dict[int, dict[str, str]] = field(default_factory=dict)
    trees: list[tuple[str, Any]] = field(default_factory=list)
    structs: frozenset[str] = frozenset()
    places: dict[int, Callable[[], ast.FunctionDef]] = field(default_factory=dict)


class CStatements(Statements):
    """Follows the functions of a C file."""

    module: CModule

    def __init__(self, module: CModule, kernel: Kernel, signed: frozenset[str]) -> None:
        super().__init__(module, kernel, signed)
        self.types: dict[str, CType] = {}
        self.elements: dict[str, CType] = {}
        self.returned: dict[tuple[int, int], Value] = {}
        self.phase = self.barriers = 0
        self.synced: list[str] = []
        self.strict = False

    @property
    def arrays(self) -> frozenset[str]:
        """The names that are addresses."""
        return frozenset(self.elements)

    # -- names ------------------------------------------------------------------------------------

    def program(self, axis: int) -> Node:
        """The number of the block or the thread along an axis."""
        if axis not in self.kernel.programs:
            word = "threadIdx" if axis > 2 else "blockIdx"
            self.kernel.programs[axis] = self.fresh(f"{word}_{'xyz'[axis % 3]}")
        return name(self.kernel.programs[axis], UNSIGNED)

    def grid(self, axis: int) -> Node:
        """How many blocks or threads there are along an axis."""
        self.program(axis)
        if axis not in self.kernel.grids:
            word = "blockDim" if axis > 2 else "gridDim"
            self.kernel.grids[axis] = self.fresh(f"{word}_{'xyz'[axis % 3]}")
        return name(self.kernel.grids[axis], UNSIGNED)

    def symbol(self, word: str, type: CType | None, constant: bool = False) -> Value:
        """A field of a parameter, or a constant that is defined elsewhere."""
        word = "".join(c if c.isalnum() else "_" for c in word)
        if type is not None and type.is_address:
            self.elements.setdefault(word, type.element)
            width = 64
        elif type is not None and type.bits and not type.width:
            return Opaque(f"{word} is no integer", data=True)
        else:
            width = 0 if constant else type.width if type is not None and type.width else 64
        if word not in self.kernel.parameters:
            self.used.add(word)
            self.kernel.parameters += (word,)
            self.kernel.constants += (word,) if constant else ()
            self.kernel.wide += (word,) if width >= 64 and not (type and type.is_address) else ()
            self.kernel.symbols += (word,) if constant else ()
        return Block(name(word, width))

    def _name(self, node: ast.Name, env: Env) -> Value:
        word = node.id
        head, _, last = word.partition(".")
        if last and head in COUNTED:
            return Block(self.program(COUNTED[head] + AXES[last]))
        if last and head in SIZES:
            return Block(self.grid(SIZES[head] + AXES[last]))
        if word == "warpSize":
            return Block(num(WARP, 32))
        if word in env:
            return env[word]
        last = word.split("::")[-1]
        if last in self.module.values:
            return self.module.values[last]
        large = last.isupper() or (last[:1] == "k" and last[1:2].isupper())
        if large or ("::" in word and last[:1] != "~"):
            return self.symbol(word, None, True)
        return Opaque(f"line {node.lineno}: {word} is not defined here")

    def _attribute(self, node: ast.Attribute, env: Env) -> Value:
        base = self.value(node.value, env)
        if isinstance(base, Constant) and isinstance(base.value, Axes):
            parts = base.value.parts
            return parts[AXES[node.attr]] if AXES.get(node.attr, 9) < len(parts) else base
        if isinstance(base, Constant) and isinstance(base.value, Struct):
            whole = f"{base.value.word}_{node.attr}"
            type: CType | None = getattr(node, "ctype", None)
            if type is not None and not type.bits and not type.is_address:
                return Constant(Struct(whole))
            return self.symbol(whole, type)
        return Opaque(f"line {node.lineno}: .{node.attr} is not followed", data=True)

    # -- values -----------------------------------------------------------------------------------

    def cast_to(self, value: Value, type: CType, line: int) -> Value:
        """The value in an integer type; what is none stays what it is."""
        width = type.width
        if type.is_address or type.word == "auto":
            return value
        if not width:
            unknown = not type.bits and not isinstance(value, Constant)
            if unknown and isinstance(
                value, Block
            ):  # a type of the template, an integer most often
                return replace(value, node=cast(32 if self.strict else 64, number_of(value.node)))
            return Opaque(f"line {line}: a number of type {type.word}", data=True)
        if isinstance(value, Opaque):
            # a number that was computed from data is any number of its type
            return self.unknown((), value.why, not value.data, width=width) if value.data else value
        if not isinstance(value, Block):
            flag = isinstance(value, Constant) and isinstance(value.value, bool)
            return self.block(value, line) if flag else Opaque(f"line {line}: a cast", data=True)
        node = value.node
        if type.word == "bool":
            return self.condition(value, line)
        node = number_of(node)
        if width % 2 and node.bits % 2 == 0 and not self.nonnegative(node) and node.op != "num":
            # of what is below 0 an unsigned type has the number modulo its size
            node = where(
                compare(">=", node, num(0)),
                cast(width, node),
                binary("+", cast(width, node), num(1 << (width // 32 * 32), width)),
            )
            return replace(value, node=node)
        coordinates = {*self.kernel.programs.values(), *self.kernel.grids.values()}
        if node.op == "name" and node.word in coordinates and width < 64:
            return replace(value, node=name(node.word, width))  # a coordinate fits in each of them
        if node.op == "num":
            return replace(value, node=num(node.number, width if width > 32 else node.width))
        return replace(value, node=cast(width, node))

    def assign(self, target: ast.expr, value: Value, env: Env) -> None:
        """Gives a variable a value of its type."""
        if isinstance(target, ast.Name) and target.id in self.types:
            value = self.cast_to(value, self.types[target.id], target.lineno)
        super().assign(target, value, env)

    def condition(self, value: Value, line: int) -> Block:
        """The value as a condition; a pointer is one where it is given."""
        if isinstance(value, Block) and not value.shape and value.node.op == "name":
            word = value.node.word
            if word in self.elements and word not in self.kernel.shared:
                if word in self.given:
                    return Block(TRUE)
                return Block(self.flag(f"{word}_given", f"line {line}: whether {word} is given"))
        return super().condition(value, line)

    # -- calls ------------------------------------------------------------------------------------

    def call(self, node: ast.Call, env: Env) -> Value:
        """What C has and Python has not, and what both have."""
        assert isinstance(node.func, ast.Name)
        word = node.func.id
        if word.startswith("@call "):
            return self._called(node, word[6:], env)
        if word.startswith("@"):
            method: Callable[[ast.Call, Env], Value] = getattr(self, f"c_{word[1:]}")
            return method(node, env)
        return super().call(node, env)

    def _called(self, node: ast.Call, word: str, env: Env) -> Value:
        function = self.module.lower(word, len(node.args))
        if function is None:
            for a in node.args:
                self.value(a, env)
            self.skip(node.lineno, f"{word} has several definitions")
            return Opaque(f"line {node.lineno}: {word} has several definitions")
        given = {n.arg: self.value(a, env) for n, a in zip(function.args.args, node.args)}
        if self.depth >= 12:
            raise NotUnderstood("more than 12 functions inside one another")
        self.depth += 1
        try:
            made = self.inlined(function, given)
        finally:
            self.depth -= 1
        for k, parameter in enumerate(function.args.args):
            self.returned[getattr(node, "key", -1), k] = given[parameter.arg]
        return made

    def inlined(self, function: ast.FunctionDef, given: Env) -> Value:
        """What a function returns, its parameters of their types."""
        before, self.types = self.types, self.module.types.get(id(function), {})
        try:
            for n, t in self.module.parameters.get(id(function), {}).items():
                if n in given:
                    given[n] = self.cast_to(given[n], t, function.lineno)
            for n in self.module.constants.get(id(function), {}):
                if n not in given and self.depth:
                    given[n] = Opaque(f"line {function.lineno}: {n} of a template")
            for line in self.module.bad.get(id(function), ()):
                self.skip(line, "this is no C++ that is understood")
            return super().inlined(function, given)
        finally:
            self.types = before

    def _text(self, node: ast.expr) -> object:
        return node.value if isinstance(node, ast.Constant) else None

    def c_as(self, node: ast.Call, env: Env) -> Value:
        value = self.value(node.args[0], env)
        return self.cast_to(value, CType(str(self._text(node.args[1]))), node.lineno)

    def c_data(self, node: ast.Call, env: Env) -> Value:
        values = tuple(self.value(a, env) for a in node.args)
        why = next((str(v.value) for v in values if isinstance(v, Constant)), "a value")
        data = all(isinstance(v, Opaque) and v.data for v in values) and bool(values)
        return Opaque(f"line {node.lineno}: {why[:60]}", data=data)

    def c_skip(self, node: ast.Call, env: Env) -> Value:
        self.skip(node.lineno, str(self._text(node.args[0])))
        return Opaque(f"line {node.lineno}: not followed")

    def c_flag(self, node: ast.Call, env: Env) -> Value:
        word = str(self._text(node.args[0]))
        return Block(self.flag(word, f"line {node.lineno}: whether it is compiled"))

    def c_changed(self, node: ast.Call, env: Env) -> Value:
        key, place = (self._text(a) for a in node.args)
        found = self.returned.get((key, place))  # type: ignore[arg-type]
        return found or Opaque(f"line {node.lineno}: changed by a function")

    def c_thread(self, node: ast.Call, env: Env) -> Value:
        """A thread's number in its block, along x first."""
        made = self.program(5)
        for axis in (4, 3):
            made = binary("+", self.program(axis), binary("*", self.grid(axis), made))
        return Block(made)

    def c_threads(self, node: ast.Call, env: Env) -> Value:
        return Block(binary("*", binary("*", self.grid(3), self.grid(4)), self.grid(5)))

    def c_barrier(self, node: ast.Call, env: Env) -> Value:
        self.barriers += 1
        self.phase = self.barriers
        return Constant(None)

    def c_shared(self, node: ast.Call, env: Env) -> Value:
        word, element = str(self._text(node.args[0])), self._text(node.args[1])
        sizes = [self.value(a, env) for a in node.args[2:]]
        assert isinstance(element, CType)
        known = [s.node for s in sizes if isinstance(s, Block) and not s.shape]
        whole = len(known) == len(sizes)
        if word not in self.kernel.shared:
            self.kernel.shared[word] = tuple(known) if whole else ()
            self.used.add(word)
        self.elements[word] = element
        return Block(name(word, 64))

    # -- memory -----------------------------------------------------------------------------------

    def base(self, address: Value, line: int) -> tuple[Block, str]:
        """The address, and the array that it begins at."""
        if not isinstance(address, Block):
            raise NotUnderstood(
                address.why if isinstance(address, Opaque) else "a place that is no address"
            )
        start = address.node
        while start.op in ("+", "-", "where", "cast"):
            start = start.args[1 if start.op == "where" else 0]
        known = self.marked.get(start.word) if start.op == "unknown" else None
        if known is not None:  # what a loop changes: a pointer to the same array
            return address, self.base(known, line)[1]
        if start.op != "name" or start.word not in self.arrays:
            raise NotUnderstood(f"line {line}: an address that begins at no parameter")
        return address, start.word

    def factor(self, array: str, element: object) -> int:
        """How many of the array's elements one of this type is."""
        own = self.elements[array]
        assert isinstance(element, CType)
        if own.word == "void" and own.depth == 0:
            self.elements[array] = own = element
        if (own.word, own.depth) == (element.word, element.depth):
            return 1
        if own.bits and element.bits and element.bits % own.bits == 0:
            return element.bits // own.bits
        raise NotUnderstood(f"elements of {array} taken as {element.word}, of another size")

    def c_place(self, node: ast.Call, env: Env) -> Value:
        where_, by, *sizes = (self.value(a, env) for a in (*node.args[:2], *node.args[3:]))
        address, array = self.base(where_, node.lineno)
        if isinstance(by, Constant) and not isinstance(by.value, bool):
            by = Opaque(f"line {node.lineno}: a place that is no integer")
        moved = self.block(by, node.lineno)
        element = self._text(node.args[2])
        k = 1
        if isinstance(element, CType) and not element.array:
            k = self.factor(array, element)
        step: Value = Block(num(k))
        for s in sizes:
            step = self.arithmetic("*", self.block(step, node.lineno), self.block(s, node.lineno))
        index = self.block(moved, node.lineno)
        if step != Block(num(1)):
            wide = replace(index, node=cast(64, number_of(index.node)))
            index = self.block(
                self.arithmetic("*", wide, self.block(step, node.lineno)), node.lineno
            )
        return self.arithmetic("+", address, index)

    def _through_pointer(self, node: ast.Call, env: Env, kind: str) -> tuple[Value, str]:
        """An access to what lies there; of a vector to all of its lanes."""
        element = self._text(node.args[1])
        try:
            address, array = self.base(self.value(node.args[0], env), node.lineno)
            k = self.factor(array, element)
        except NotUnderstood as error:
            self.skip(node.lineno, str(error))
            return Opaque(str(error), data=True), ""
        shape: tuple[Node, ...] = () if k == 1 else (num(k),)
        if k > 1:
            address = Block(binary("+", address.node, lane(0)), shape)
        self.record(kind, node, address, Block(TRUE))
        return Block(num(0)), array

    def c_load(self, node: ast.Call, env: Env) -> Value:
        found, array = self._through_pointer(node, env, "load")
        element = self._text(node.args[1])
        assert isinstance(element, CType)
        said = f"loaded from {array or 'memory'} in line {node.lineno}"
        if isinstance(found, Opaque) or element.is_address:
            return Opaque(said, data=True)
        if array in self.below:
            return self.unknown(
                (), said, False, num(0), self.below[array], width=element.width or 32
            )
        if not element.width:
            return Opaque(said, data=True)
        low = num(0) if element.width % 2 or element.word.startswith("u") else None
        return self.unknown((), said, False, low, width=element.width)

    def c_store(self, node: ast.Call, env: Env) -> Value:
        for a in node.args[2:]:
            self.value(a, env)
        self._through_pointer(node, env, "store")
        return Constant(None)

    def c_atomic(self, node: ast.Call, env: Env) -> Value:
        for a in node.args[2:]:
            self.value(a, env)
        found, array = self._through_pointer(node, env, "atomic")
        element = self._text(node.args[1])
        width = element.width if isinstance(element, CType) else 0
        said = f"loaded from {array or 'memory'} in line {node.lineno}"
        if isinstance(found, Opaque) or not width:
            return Opaque(said, data=True)
        return self.unknown((), said, False, width=width)

    def found(
        self,
        kind: str,
        node: ast.expr,
        array: str,
        offset: Node,
        shape: tuple[Node, ...],
        guard: Node,
    ) -> None:
        """Notes an access with where it stands between barriers."""
        before = len(self.kernel.accesses)
        super().found(kind, node, array, offset, shape, guard)
        for a in self.kernel.accesses[before:]:
            changed = replace(a, phase=self.phase, turns=tuple(self.synced))
            self.kernel.accesses[before] = changed

    # -- loops ------------------------------------------------------------------------------------

    def _range(self, node: ast.For, env: Env) -> tuple[Range, Node, Node, Node] | None:
        made = super()._range(node, env)
        if made is None or not isinstance(node.iter, ast.Call):
            return made
        variable, turn, value, turns = made
        width = next((k.value.value for k in node.iter.keywords if k.arg == "width"), 32)  # type: ignore[attr-defined]

        def typed(n: Node) -> Node:
            own = n.op == "name" and n.word == variable.word
            return name(n.word, width) if own else cast(width, n)

        renamed = value.put(lambda n: typed(n) if n.op == "name" else None)
        return variable, turn, typed(renamed), turns

    def branch(self, node: ast.If, env: Env) -> None:
        """A branch; a barrier in it may not have been there for what follows it."""
        before, count = self.phase, self.barriers
        super().branch(node, env)
        if self.recording:
            self.kernel.meet |= {(inside, before) for inside in range(count + 1, self.barriers + 1)}
        self.phase = before

    def _carried(
        self, names: list[str], body: list[ast.stmt], env: Env, counter: Env, line: int
    ) -> dict[str, Carried]:
        phase = self.phase
        try:
            return super()._carried(names, body, env, counter, line)
        finally:
            self.phase = phase

    def repeated(
        self,
        node: ast.For | ast.While,
        body: list[ast.stmt],
        env: Env,
        variable: Range,
        turn: Node,
        turns: Node,
        counter: Env,
    ) -> None:
        """A loop; one with a barrier has its turns one after the other."""
        synced = _has_barrier(body)
        first = self.phase
        if synced:
            self.synced.append(variable.word)
        super().repeated(node, body, env, variable, turn, turns, counter)
        if synced:
            self.synced.pop()
            if self.recording:  # the last part of a turn meets the first of the next
                self.kernel.meet.add((first, self.phase))


def _has_barrier(body: Iterable[ast.stmt]) -> bool:
    """Whether every turn of a loop comes to a barrier."""
    found = False
    for s in body:
        found = found or (isinstance(s, ast.Expr) and _is_barrier(s.value))
        if any(isinstance(x, ast.Continue) for x in ast.walk(s)):
            return False
    return found


def _is_barrier(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "@barrier"
    )
