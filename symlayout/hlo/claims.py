"""What a module claims: every layout, bitcast, broadcast and shape of it, each once.

Claims that read alike are one claim, so that a module of thousands of instructions leaves few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from symlayout.errors import LayoutError
from symlayout.hlo.bitcasts import describe
from symlayout.hlo.module import Computation, Instruction, Module
from symlayout.hlo.padding import arrays_of, buffers
from symlayout.hlo.reader import read_module
from symlayout.hlo.rules import ATTRIBUTES, has_rule
from symlayout.hlo.stablehlo import read_stablehlo
from symlayout.xla import AnyShape, Dynamic, Shape, TupleShape

# opcodes that run a computation on their operands, and the attribute that names it
CALLS = {"fusion": "calls", "call": "to_apply"}


@dataclass(frozen=True)
class ModuleClaim:
    """A claim of a module: its word and arguments as text, and where it was read.

    `name` is the instruction, how many more say the same, and what a bitcast does; `words` is the
    last alone.  `line` and `column` count from 1; `width` characters of the line `source` are meant.
    """

    name: str
    word: str
    arguments: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    line: int = 1
    column: int = 1
    width: int = 1
    source: str = field(default="", repr=False)
    words: str = ""
    uses: int = 1


@dataclass(frozen=True)
class ModuleClaims:
    """The claims of a module in the order of its text, and what in it could not be read."""

    module: Module
    claims: tuple[ModuleClaim, ...]
    problems: tuple[LayoutError, ...]


def module_claims(
    text: str, filename: str = "", max_padding: str | float | None = None
) -> ModuleClaims:
    """The claims of an HLO or StableHLO module (the latter when the file is `.mlir`).

    With `max_padding` every buffer of more than one element claims to have at most that many times
    the elements of its array.

    >>> made = module_claims('''ENTRY main {
    ...   x = f32[2,3]{1,0} parameter(0)
    ...   ROOT y = f32[3,2]{0,1} bitcast(x)
    ... }''')
    >>> [(c.word, c.name) for c in made.claims]  # doctest: +NORMALIZE_WHITESPACE
    [('valid', 'x'), ('valid', 'y'),
     ('reinterpret', 'y: a transpose with dimensions={1,0}')]
    """
    mlir = filename.endswith(".mlir") or (not filename.endswith(".hlo") and _looks_like_mlir(text))
    module = read_stablehlo(text) if mlir else read_module(text)
    collected = _Collected(module)
    for computation in module.computations:
        for instruction in computation.instructions:
            collected.add(computation, instruction)
    problems = module.problems
    try:
        collected.add_entry()
    except LayoutError as error:
        problems = (error, *problems)
    if max_padding is not None:
        for instruction in buffers(module):
            collected.add_padding(instruction, str(max_padding))
    return ModuleClaims(module, collected.claims(), problems)


def _looks_like_mlir(text: str) -> bool:
    return "func.func" in text and "HloModule" not in text


class _Collected:
    """Claims by what they say: the first of those that read alike stands for all."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.found: dict[tuple[str, ...], ModuleClaim] = {}
        self.uses: Counter[tuple[str, ...]] = Counter()
        self._texts: dict[tuple[int, bool], tuple[AnyShape, str]] = {}

    def claims(self) -> tuple[ModuleClaim, ...]:
        counted = (replace(c, uses=self.uses[key]) for key, c in self.found.items())
        return tuple(replace(c, name=_title(c)) for c in counted)

    def text(self, shape: AnyShape, bare: bool = False) -> str:
        """The shape as text, with its layout or without; the module's shapes are few objects."""
        key = (id(shape), bare)
        if key not in self._texts:  # the shape is kept, so that no other one gets its id
            self._texts[key] = (shape, _bare(shape) if bare else str(shape))
        return self._texts[key][1]

    def add(self, computation: Computation, i: Instruction) -> None:
        for shape in arrays_of(i.shape):
            if shape.explicit and not any(isinstance(d, Dynamic) for d in shape.dims):
                self.put(i, "valid", (self.text(shape),))
        given = [computation.shape_of(o) for o in i.operands]
        makers: dict[str, Callable[[Instruction, Shape, Shape], None]] = {
            "bitcast": self.bitcast,
            "broadcast": self.broadcast,
            "broadcast_in_dim": self.broadcast,
        }
        make = makers.get(i.opcode)
        if make is not None:
            if len(given) == 1 and isinstance(given[0], Shape) and isinstance(i.shape, Shape):
                make(i, given[0], i.shape)
        elif i.opcode in CALLS:
            self.call(i, given)
        elif has_rule(i.opcode):
            self.put(i, "instruction", (self.long_form(i, given),))

    def add_entry(self) -> None:
        """The layouts that the title promises are those of the entry computation.

        Raises `LayoutError` for a promise that cannot be read.
        """
        promised, entry = self.module.entry_shapes(), self.module.entry
        if promised is None or entry is None or entry.root is None:
            return
        given = [a for p in entry.parameters for a in arrays_of(p.shape)]
        owners = [p for p in entry.parameters for _ in arrays_of(p.shape)]
        made = list(arrays_of(entry.root.shape))
        owners += [entry.root] * len(made)
        wanted = [a for shape in promised for a in arrays_of(shape)]
        if len(wanted) != len(given) + len(made):
            message = f"{len(wanted)} arrays are promised, {len(given) + len(made)} are there"
            raise LayoutError("SL723", message, text=self.module.text, at=entry.at)
        for i, a, b in zip(owners, wanted, [*given, *made]):
            if not any(isinstance(d, Dynamic) for d in (*a.dims, *b.dims)):
                self.put(i, "equal", (self.text(a), self.text(b)))

    def add_padding(self, i: Instruction, ratio: str) -> None:
        for shape in arrays_of(i.shape):
            sized = not any(isinstance(d, Dynamic) for d in shape.dims)
            if shape.tiles and sized and any(d != 1 for d in shape.dims):
                self.put(i, "padding", (str(shape), ratio))

    def call(self, i: Instruction, given: list[AnyShape]) -> None:
        """The call of a computation that was read."""
        name = i.attributes.get(CALLS[i.opcode], "").removeprefix("%")
        called = self.module.by_name.get(name)
        if called is not None and called.root is not None:
            parameters = ", ".join(self.text(p.shape, bare=True) for p in called.parameters)
            signature = f"called=({parameters})->{self.text(called.root.shape, bare=True)}"
            self.put(i, "instruction", (f"{self.long_form(i, given)}, {signature}",))

    def bitcast(self, i: Instruction, source: Shape, result: Shape) -> None:
        words = describe(source, result) or ""
        self.put(i, "reinterpret", (self.text(source), self.text(result)), words=words)

    def broadcast(self, i: Instruction, operand: Shape, result: Shape) -> None:
        dialect = "hlo" if i.opcode == "broadcast" else "stablehlo"
        dims = i.attributes.get("dimensions", "").strip("{} ")
        options = (("dims", dims), ("dialect", dialect)) if dims else (("dialect", dialect),)
        shapes = (self.text(operand, bare=True), self.text(result, bare=True))
        self.put(i, "broadcast", shapes, options)

    def long_form(self, i: Instruction, given: list[AnyShape]) -> str:
        """The instruction with its operands' shapes instead of their names."""
        inside = ", ".join([self.text(s, bare=True) for s in given])
        parts = [f"{self.text(i.shape, bare=True)} {i.opcode}({inside})"]
        parts += [f"{key}={i.attributes[key]}" for key in ATTRIBUTES if key in i.attributes]
        return ", ".join(parts)

    def put(
        self,
        i: Instruction,
        word: str,
        arguments: tuple[str, ...],
        options: tuple[tuple[str, str], ...] = (),
        words: str = "",
    ) -> None:
        key = (word, *arguments, *[part for option in options for part in option])
        self.uses[key] += 1
        if key in self.found:
            return
        at, end = (i.shape_at, i.shape_end) if word == "valid" else (i.at, i.at + len(i.name))
        line, column, source = self.module.line_of(at)
        width = max(1, min(end - at, len(source) - column + 1))
        name = i.name or f"{i.opcode} in line {line}"
        self.found[key] = ModuleClaim(
            name, word, arguments, options, line, column, width, source, words
        )


def _title(c: ModuleClaim) -> str:
    """The instruction, how many more say the same, and what a bitcast does."""
    more = f" and {c.uses - 1} more" if c.uses > 1 else ""
    return f"{c.name}{more}" + (f": {c.words}" if c.words else "")


def _bare(shape: AnyShape) -> str:
    """The shape without its layout: what shape rules look at."""
    if isinstance(shape, TupleShape):
        return f"({', '.join(_bare(s) for s in shape)})"
    if isinstance(shape, Shape):
        return str(Shape(shape.dtype, shape.dims))
    return str(shape)
