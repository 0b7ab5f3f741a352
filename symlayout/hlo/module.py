"""A compiler's module as a value: computations of instructions, each with its place in the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from symlayout.errors import LayoutError
from symlayout.hlo.nesting import split_commas
from symlayout.reader import Scanner
from symlayout.xla import AnyShape, shape_at


@dataclass(frozen=True)
class Operand:
    """What an instruction is given: a name, or a shape where the text writes one (or both)."""

    name: str = ""
    shape: AnyShape | None = None
    at: int = 0


@dataclass(frozen=True)
class Instruction:
    """`name = shape opcode(operands), attributes`, and where it stands in the module's text.

    `arguments` is the text between the parentheses, `rest` what follows them.  `at` is the place of
    the name, `shape_at` that of the shape.
    """

    name: str
    opcode: str
    shape: AnyShape
    operands: tuple[Operand, ...] = ()
    arguments: str = ""
    rest: str = ""
    root: bool = False
    at: int = field(default=0, compare=False)
    shape_at: int = field(default=0, compare=False)
    shape_end: int = field(default=0, compare=False)

    @cached_property
    def attributes(self) -> dict[str, str]:
        """The attributes as written, by name: `{"dimensions": "{1,0}"}`."""
        found = {}
        for _, word in split_commas(self.rest):
            key, equals, value = word.partition("=")
            if equals:
                found[key.strip()] = value.strip()
        return found


@dataclass(frozen=True)
class Computation:
    """Instructions in the order of the text; one of them is the root."""

    name: str
    instructions: tuple[Instruction, ...]
    entry: bool = False
    at: int = field(default=0, compare=False)

    @cached_property
    def by_name(self) -> Mapping[str, Instruction]:
        """The instructions by name."""
        return {i.name: i for i in self.instructions}

    @property
    def root(self) -> Instruction | None:
        """The instruction whose value is the computation's."""
        marked = [i for i in self.instructions if i.root]
        last = marked or list(self.instructions[-1:])
        return last[-1] if last else None

    @property
    def parameters(self) -> tuple[Instruction, ...]:
        """The parameters in the order of their numbers."""
        found = [i for i in self.instructions if i.opcode == "parameter"]
        return tuple(sorted(found, key=lambda i: int(i.arguments) if i.arguments.isdigit() else 0))

    def shape_of(self, operand: Operand) -> AnyShape:
        """The operand's shape: as written, or that of the instruction it names.

        Raises `LayoutError` (SL722) for a name that is not there.
        """
        made = self.by_name.get(operand.name)
        if made is not None:
            return made.shape
        if operand.shape is not None:
            return operand.shape
        raise LayoutError("SL722", f"{operand.name!r} is not defined in {self.name}")


@dataclass(frozen=True)
class Module:
    """A module's computations, and the mistakes that left some of them out.

    `dialect` is "hlo" or "stablehlo"; `problems` have their place in `text`.
    """

    name: str
    text: str = field(repr=False)
    computations: tuple[Computation, ...]
    problems: tuple[LayoutError, ...] = ()
    dialect: str = "hlo"
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def instructions(self) -> Iterator[Instruction]:
        """Every instruction of every computation, in the order of the text."""
        for computation in self.computations:
            yield from computation.instructions

    @property
    def entry(self) -> Computation | None:
        """The computation that the program begins with."""
        return next((c for c in self.computations if c.entry), None)

    @cached_property
    def by_name(self) -> Mapping[str, Computation]:
        """The computations by name."""
        return {c.name: c for c in self.computations}

    def entry_shapes(self) -> tuple[AnyShape, AnyShape] | None:
        """The parameters (a tuple) and the result that the title promises, None without a promise.

        Raises `LayoutError`, with its place in the module, for shapes that cannot be read.
        """
        written = self.attributes.get("entry_computation_layout", "").strip()
        if not (written.startswith("{") and written.endswith("}")):
            return None
        scanner = Scanner(written, 1)
        try:
            parameters = shape_at(scanner)
            scanner.expect("->", "between parameters and result")
            return parameters, shape_at(scanner)
        except LayoutError as error:
            start = self.text.find(written)
            at = start + (error.at or 0)
            raise LayoutError(error.code, error.message, text=self.text, at=at) from None

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def line_of(self, at: int) -> tuple[int, int, str]:
        """The line and column (from 1) of a character, and the line itself."""
        number = bisect_right(self._line_starts, at)
        start = self._line_starts[number - 1]
        stop = self.text.find("\n", start)
        line = self.text[start : stop if stop >= 0 else len(self.text)].rstrip("\r")
        return number, at - start + 1, line
