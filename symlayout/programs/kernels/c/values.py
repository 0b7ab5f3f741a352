"""What a lowered function's names and values are by C's rules: types, casts, coordinates, symbols."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from symlayout.expr.machine import INT, INT64, UINT32, UINT64, Machine, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.c.types import NUMBER, PROMOTED, UNDEDUCED, CType
from symlayout.programs.kernels.c.uniform import Uniform
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    WRAP,
    binary,
    both,
    cast,
    compare,
    either,
    name,
    negation,
    num,
    number_of,
    rebuilt,
    where,
)
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.state import Module, pointer_of
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value

AXES = {"x": 0, "y": 1, "z": 2}
COUNTED = {"blockIdx": 0, "threadIdx": 3}
SIZES = {"gridDim": 0, "blockDim": 3}
BELOW = 1  # marks a cast of what may be below 0 to 64 bits without a sign
WARP = 32
NEVER = Opaque("it is never evaluated")
PLAIN = (
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Load,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.USub,
)
SMALLEST = 8
LARGE = 64  # bits of a vector that is no smaller than a number of a template's type
TURNS = 32  # of a loop over powers
WAYS = 4  # pointers that one may be


@dataclass(frozen=True)
class Struct:
    """A parameter with fields."""

    word: str


class Smaller(Exception):
    """An array is also taken as elements that are smaller than its own."""

    def __init__(self, array: str, element: CType) -> None:
        super().__init__(array)
        self.array, self.element = array, element


@dataclass(frozen=True)
class Registers:
    """Where a variable of the thread's own lies: no place in memory."""


REGISTERS = Constant(Registers())


@dataclass(frozen=True)
class Axes:
    """A number for each axis."""

    parts: tuple[Value, ...]


@dataclass
class CModule(Module):
    """The functions of a C file, lowered when they are needed."""

    lower: Callable[..., ast.FunctionDef | None] = lambda word, count, types=(): None
    only_compute: Callable[[str], bool] = lambda word: False
    types: dict[int, dict[str, CType]] = field(default_factory=dict)
    parameters: dict[int, dict[str, CType]] = field(default_factory=dict)
    spellings: dict[int, dict[str, str]] = field(default_factory=dict)  # words of claims' language
    constants: dict[int, dict[str, CType]] = field(default_factory=dict)
    bad: dict[int, list[int]] = field(default_factory=dict)
    templates: dict[int, tuple[tuple[str, ast.expr | None], ...]] = field(default_factory=dict)
    typed: dict[int, tuple[tuple[str, CType | None], ...]] = field(default_factory=dict)
    metal: dict[int, dict[str, str]] = field(default_factory=dict)
    trees: list[tuple[str, Any]] = field(default_factory=list)
    structs: frozenset[str] = frozenset()
    root: Any = None
    opencl: bool = False
    ascend: bool = False
    padded: bool = False  # whether vectors of three have the size of four
    method: Callable[[str, str, int], ast.FunctionDef | None] = lambda cls, word, count: None
    omitted: dict[int, dict[str, ast.expr]] = field(default_factory=dict)
    groups: set[tuple[str, str]] = field(default_factory=set)  # parameters that a group shares
    function_trees: dict[str, list[Any]] = field(default_factory=dict)
    local: dict[str, list[Any]] = field(default_factory=dict)
    origins: dict[int, str] = field(default_factory=dict)  # the header of each foreign function
    foreign: dict[int, str] = field(default_factory=dict)
    outside: dict[str, CType] = field(default_factory=dict)  # constants that are given elsewhere
    headers: tuple[str, ...] = ()  # the texts of what is included
    places: dict[int, Callable[[], ast.FunctionDef]] = field(default_factory=dict)


class Values(Uniform):
    """Names and values."""

    module: CModule
    chooses = floors = False

    def __init__(self, module: CModule, kernel: Kernel, signed: frozenset[str]) -> None:
        self.site: ast.Call | None = None  # where a function of another file was called
        super().__init__(module, kernel, signed)
        self.types: dict[str, CType] = {}
        self.bound: dict[str, CType | None] = {}  # the types that a template is given
        self.elements: dict[str, CType] = {}
        self.returned: dict[tuple[int, int], Value] = {}
        self.objects: dict[object, dict[str, Value]] = {}  # fields behind calls of methods
        self.phase = self.barriers = self.joins = 0
        self.waits = 0  # barriers, those as well that only some threads come to
        self.synced: list[str] = []
        self.branches: list[int] = []  # the phases in which those around begin
        self.passing: set[tuple[int, int]] = set()  # from one phase to another without a barrier
        self.strict = False

    @property
    def line(self) -> int:
        """The line of this file that is followed."""
        return self.site.lineno if self.site is not None else self._line

    @line.setter
    def line(self, number: int) -> None:
        self._line = number

    def skip(self, line: int, why: str) -> None:
        """Notes a line that is not understood; of another file the line that calls it."""
        self.joins += 1  # there may be a barrier
        super().skip(self.site.lineno if self.site is not None else line, why)

    @property
    def arrays(self) -> frozenset[str]:
        """The names that are addresses."""
        return frozenset(self.elements)

    # -- names ------------------------------------------------------------------------------------

    def program(self, axis: int) -> Term:
        """The number of the block or the thread along an axis."""
        words = ("group_id", "local_id") if self.module.opencl else ("blockIdx_", "threadIdx_")
        return self._along(axis, self.kernel.programs, words)

    def grid(self, axis: int) -> Term:
        """How many blocks or threads there are along an axis."""
        self.program(axis)
        words = ("num_groups", "local_size") if self.module.opencl else ("gridDim_", "blockDim_")
        return self._along(axis, self.kernel.grids, words)

    def _along(self, axis: int, known: dict[int, str], words: tuple[str, str]) -> Term:
        if axis not in known:
            place = axis % 3
            own = words[axis > 2]
            known[axis] = self.fresh(f"{own}{place if self.module.opencl else 'xyz'[place]}")
        return name(known[axis], UINT32)

    def symbol(self, word: str, type: CType | None, constant: bool = False) -> Value:
        """A field of a parameter, or a constant that is defined elsewhere."""
        word = "".join(c if c.isalnum() else "_" for c in word)
        if type is not None and type.is_address:
            self.elements.setdefault(word, type.element.packed(self.module.padded))
            kind: Machine | None = INT64
        elif type is not None and type.bits and not type.machine:
            return Opaque(f"{word} is no integer", data=True)
        else:
            kind = None if constant else (type and type.computed) or INT64
        if word not in self.kernel.parameters:
            self.used.add(word)
            self.kernel.parameters += (word,)
            self.kernel.constants += (word,) if constant else ()
            wide = kind in (INT64, UINT64) and not (type and type.is_address)
            self.kernel.wide += (word,) if wide else ()
            self.kernel.symbols += (word,) if constant else ()
        return Block(name(word, kind))

    def _name(self, node: ast.Name, env: Env) -> Value:
        word = node.id
        head, _, last = word.partition(".")
        if last and head in COUNTED:
            return Block(self.program(COUNTED[head] + AXES[last]))
        if last and head in SIZES:
            return Block(self.grid(SIZES[head] + AXES[last]))
        if word == "warpSize":
            return Block(num(WARP, INT))
        if word in env:
            return env[word]
        last = word.split("::")[-1]
        if last in self.module.values and not isinstance(self.module.values[last], Opaque):
            return self.module.values[last]
        if word in self.module.outside:
            return self.symbol(word, self.module.outside[word])
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
            if type is None or type.is_unknown:
                return Opaque(f"line {node.lineno}: the type of {whole} is not known here")
            if not type.bits and not type.is_address:
                return Constant(Struct(whole))
            return self.symbol(whole, type)
        data = not isinstance(base, Opaque) or base.data
        return Opaque(f"line {node.lineno}: .{node.attr} is not followed", data=data)

    # -- values -----------------------------------------------------------------------------------

    def actual_type(self, type: CType) -> CType:
        """The type, of a template's the one that is given to the function that is followed."""
        if type.word not in self.bound:
            return type
        argument = self.bound[type.word]
        if argument is None or argument == UNDEDUCED:
            return UNDEDUCED if not type.is_address else replace(type, word=UNDEDUCED.word)
        return replace(
            argument,
            depth=argument.depth + type.depth,
            array=argument.array + type.array,
            reference=type.reference,
        )

    def cast_to(self, value: Value, type: CType, line: int) -> Value:
        """The value in an integer type; what is none stays what it is."""
        type = self.actual_type(type)
        kind = type.computed
        if type == UNDEDUCED:
            return Opaque(f"line {line}: a number of a type that is not known")
        whole = isinstance(value, Constant) and isinstance(value.value, (Struct, Registers, Axes))
        if type.is_address or type.word in ("auto", PROMOTED.word, NUMBER) or whole:
            return value
        if kind is None:
            data = type.is_plain or (isinstance(value, Opaque) and value.data)
            why = ", which is not known here" if type.is_unknown else ""
            return Opaque(f"line {line}: a value of type {type.spelling}{why}", data=data)
        if isinstance(value, Opaque):
            # a number that was computed from data is any number of its type
            return self.unknown((), value.why, not value.data, type=kind) if value.data else value
        if not isinstance(value, Block):
            flag = isinstance(value, Constant) and isinstance(value.value, bool)
            return self.block(value, line) if flag else Opaque(f"line {line}: a cast", data=True)
        node = value.node
        if type.word == "bool":
            return self.condition(value, line)
        if any(x.op == "name" and x.word in self.elements for x in node.leaves):
            return self.unknown((), f"line {line}: an address as a number", False, type=kind)
        node = number_of(node)
        if type.word == "char" and not is_small(node):
            why = f"line {line}: whether a char has a sign"
            return self.unknown((), why, True, num(-128), num(256))
        if type.narrow is not None:
            return replace(value, node=wrap(node, type.narrow))
        if not (kind.signed or node.unsigned or self.nonnegative(node)):
            return replace(value, node=self.to_unsigned(node, kind))
        coordinates = {*self.kernel.programs.values(), *self.kernel.grids.values()}
        if node.op == "name" and node.word in coordinates and kind.bits < 64:
            return replace(value, node=name(node.word, kind))  # a coordinate fits in each of them
        if node.op == "num":
            if kind.signed and not kind.holds(node.number):
                return Opaque(f"line {line}: a number of more than {kind.bits} bits")
            own = kind if kind != INT or node.type else None
            return replace(value, node=num(kind.wrapped(node.number), own))
        return replace(value, node=cast(kind, node))

    def _text(self, node: ast.expr) -> object:
        return node.value if isinstance(node, ast.Constant) else None

    def to_unsigned(self, node: Term, kind: Machine) -> Term:
        """The value in a type without a sign: of what is below 0 the number modulo its size."""
        if self.nonnegative(node):
            return cast(kind, node)
        if kind == UINT64:
            return Term("cast", (node,), number=BELOW, type=kind)
        if node.op == "num":
            return num(kind.wrapped(node.number), kind)
        more = cast(kind, binary("+", cast(INT64, node), WRAP))
        return where(compare(">=", node, num(0)), cast(kind, node), more)

    def only(self, c: Block, node: ast.expr, env: Env) -> Value:
        """Of what is never evaluated the type counts still: `true ? n - 10 : 4u` has no sign."""
        value = super().only(c, node, env)
        if c.node != FALSE:
            return value
        return self.value(node, env) if all(map(_is_plain, ast.walk(node))) else NEVER

    def alike(self, a: Value, b: Value) -> tuple[Value, Value]:
        if NEVER in (a, b):
            (value,) = [v for v in (a, b) if v is not NEVER]
            if isinstance(value, Block) and self._takes_another_type(value.node):
                raise NotUnderstood("the type of a choice whose other side is never evaluated")
            return a, b
        numbers = [v for v in (a, b) if isinstance(v, Block) and not v.node.is_condition]
        if len(numbers) < 2:
            return a, b
        x, y = self.usual("?", *[v.node for v in numbers])
        return replace(numbers[0], node=x), replace(numbers[1], node=y)

    def _takes_another_type(self, node: Term) -> bool:
        """Whether it is a number that another number may turn into one without a sign."""
        plain = node.is_condition or node.type == UINT64
        return not (plain or pointer_of(node, self.arrays) is not None)

    def computed(self, op: str, a: Block, b: Block, known: bool) -> Value:
        """The operation; of a number without a sign, low bits are those of what wraps as well."""
        kind, low = common([a.node.type, b.node.type]), b.node.value
        mask = op == "&" or (low is not None and low & low - 1 == 0)
        if kind is None or kind.signed:
            return super().computed(op, a, b, known)
        fits = low is not None and 0 < low <= 1 << kind.bits - (op == "&")
        if op in ("%", "&") and mask and fits and not self.nonnegative(a.node):
            node = binary(op, unwrapped(number_of(a.node)), num(low or 0, INT64))
            return Block(cast(kind, node), a.shape)
        return super().computed(op, a, b, known)

    def usual(self, op: str, x: Term, y: Term) -> tuple[Term, Term]:
        """Both in the type that C converts them to, where one has no sign and one may be below 0.

        Of 64 bits sums and products are what they are in mathematics where that is not below 0, which
        has to be shown; other operations are not followed.
        """
        kind = common([x.type, y.type])
        if (
            kind is None
            or kind.signed
            or any(pointer_of(n, self.arrays) is not None for n in (x, y))
        ):
            return x, y
        if kind == UINT32 and op in ("+", "-", "*"):
            return x, y  # one that is below 0 is told of where it is used
        pair = [
            n if n.unsigned or self.nonnegative(n) else self.to_unsigned(n, kind) for n in (x, y)
        ]
        if op not in ("+", "-", "*") and any(map(may_be_below, pair)):
            raise NotUnderstood("a number below 0 in a type without a sign")
        return pair[0], pair[1]

    def comparison(self, op: str, x: Term, y: Term) -> Term:
        """The comparison; a number below 0 is larger than all others in a type without a sign."""
        low = [n.args[0] for n in (x, y) if n.op == "cast" and n.number == BELOW]
        wide = common([x.type, y.type]) == UINT64
        low += [n for n in (x, y) if wide and not (n.unsigned or self.nonnegative(n))]
        inner = [n.args[0] if n.op == "cast" and n.number == BELOW else n for n in (x, y)]
        if not low or any(map(may_be_below, inner)):
            return super().comparison(op, x, y)
        if len(low) > 1:
            raise NotUnderstood("numbers below 0 in types without a sign")
        plain, above = compare(op, *inner), compare(">=", low[0], num(0))
        larger = op == "!=" or (op in (">", ">=")) == (low[0] == inner[0])
        if op != "==" and larger:
            return either(negation(above), plain)
        return both(above, plain)

    def _choice(self, node: ast.IfExp, env: Env) -> Value:
        value = super()._choice(node, env)
        if isinstance(value, Block) and value.node.op == "where":
            c, a, b = value.node.args
            return replace(value, node=where(c, *self.usual("?", a, b)))
        return value

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
                if word in self.in_contract:
                    return Block(TRUE)
                return Block(self.flag(f"{word}_given", f"line {line}: whether {word} is given"))
        return super().condition(value, line)


def _is_plain(node: ast.AST) -> bool:
    """Whether it does nothing and always has a value: arithmetic and casts."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "@as"
    return isinstance(node, PLAIN)


def unwrapped(node: Term) -> Term:
    """What sums and products without a sign are in mathematics, whose low bits are the same.

    >>> u = binary("-", name("u", UINT32), num(1))
    >>> binary("%", unwrapped(u), num(8)).text({}, typed=True)
    '(int64(uint32(u)) - int64(1))%8'
    """
    if node.op in ("+", "-", "*") and node.unsigned:
        return rebuilt(node, tuple(map(unwrapped, node.args)))
    return num(node.number, INT64) if node.op == "num" else cast(INT64, node)


def may_be_below(node: Term) -> bool:
    """Whether a value without a sign is one that may be below 0 in mathematics."""
    if node.op == "cast" and node.number == BELOW:
        return True
    parts = {"where": node.args[1:], "min": node.args, "max": node.args, "cast": node.args}
    return any(map(may_be_below, parts.get(node.op, ())))


def wrap(node: Term, kind: Machine) -> Term:
    """The value in an integer that is narrower than `int`."""
    size, half = num(1 << kind.bits), num(-kind.low)
    if node.op == "num":
        return num(kind.wrapped(node.number))
    if _fits(node, kind):
        return node
    if node.type == UINT64:  # what is left of it has a place among 64 bits with a sign
        node = binary("%", node, size)
        if not kind.signed:
            return cast(INT, node)
    remainder = binary("%", binary("+", cast(INT64, node), half), size)
    return cast(INT, binary("-", remainder, half))


def is_small(node: Term) -> bool:
    """Whether it is a number that a `char` has, with a sign or without."""
    return node.value in range(128) if node.op == "num" else _fits(node, Machine(7, False))


def _fits(node: Term, kind: Machine) -> bool:
    """Whether it is the remainder that an integer of so few bits is."""
    while node.op == "cast" and node.number != BELOW:
        (node,) = node.args
    low = 0
    if node.op == "-" and node.args[1].value is not None:
        low, node = -node.args[1].number, node.args[0]
    size = node.args[1].value if node.op == "%" else None
    return size is not None and low >= kind.low and low + size - 1 <= kind.high
