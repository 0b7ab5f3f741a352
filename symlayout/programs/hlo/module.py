"""A compiler's module as a value: computations of instructions, each with its place in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.layouts.xla.composite import AnyShape
from symlayout.layouts.xla.reader import shape_at
from symlayout.programs.hlo.instruction import COMPUTATIONS as COMPUTATIONS
from symlayout.programs.hlo.instruction import LEFT_OUT as LEFT_OUT
from symlayout.programs.hlo.instruction import UNKNOWN as UNKNOWN
from symlayout.programs.hlo.instruction import Instruction as Instruction
from symlayout.programs.hlo.instruction import Operand as Operand
from symlayout.programs.hlo.instruction import same_array as same_array
from symlayout.text.once import cached_property

LONGEST_LINE = 20_000  # a module on one line is not repeated with each of its claims


@dataclass(frozen=True)
class Computation:
    """Instructions in the order of the text; one of them is the root.

    `broken`: some could not be read, and may not be there.
    """

    name: str
    instructions: tuple[Instruction, ...]
    entry: bool = False
    at: int = field(default=0, compare=False)
    broken: bool = False

    @cached_property
    def by_name(self) -> Mapping[str, Instruction]:
        """The instructions by name."""
        return {i.name: i for i in self.instructions}

    @cached_property
    def users(self) -> Mapping[str, list[Instruction]]:
        """The instructions that read each one."""
        names: dict[str, list[Instruction]] = {}
        for i in self.instructions:
            for name in dict.fromkeys(o.name for o in i.operands):
                names.setdefault(name, []).append(i)
        return names

    @cached_property
    def root(self) -> Instruction | None:
        """The instruction whose value is the computation's."""
        marked = [i for i in self.instructions if i.root]
        last = marked or list(self.instructions[-1:])
        return last[-1] if last else None

    @cached_property
    def parameters(self) -> tuple[Instruction, ...]:
        """The parameters in the order of their numbers."""
        instructions = [i for i in self.instructions if i.opcode == "parameter"]
        return tuple(
            sorted(instructions, key=lambda i: int(i.arguments) if i.arguments.isdigit() else 0)
        )


@dataclass(frozen=True)
class Module:
    """A module's computations, and the mistakes that left some of them out.

    `dialect` is "hlo" or "stablehlo"; `problems` have their place in `text`, which is the whole
    file's where a file holds several modules.  `left_out` counts instructions that could not be read.
    """

    name: str
    text: str = field(repr=False)
    computations: tuple[Computation, ...]
    problems: tuple[LayoutError, ...] = ()
    dialect: str = "hlo"
    attributes: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0

    @property
    def instructions(self) -> Iterator[Instruction]:
        """Every instruction of every computation, in the order of the text."""
        for computation in self.computations:
            yield from computation.instructions

    @cached_property
    def entry(self) -> Computation | None:
        """The computation that the program begins with: the one marked, or else the last.

        Where something could not be read that may be the entry itself.
        """
        marked = next((c for c in self.computations if c.entry), None)
        last = self.computations[-1] if self.computations and not self.problems else None
        return marked or (last if self.dialect == "hlo" else None)

    @property
    def scheduled(self) -> bool:
        """Whether the order of the instructions is the order in which they run."""
        return self.attributes.get("is_scheduled") == "true"

    @cached_property
    def sign(self) -> str:
        """What stands in the text before names: "%", or nothing."""
        first = next(self.instructions, None)
        return "%" if first is not None and self.text[first.at : first.at + 1] == "%" else ""

    @cached_property
    def by_name(self) -> Mapping[str, Computation]:
        """The computations by name."""
        return {c.name: c for c in self.computations}

    def entry_shapes(self) -> tuple[AnyShape, AnyShape] | None:
        """The parameters (a tuple) and the result that the title promises, None without a promise.

        Raises `LayoutError`, with its place in the module, for shapes that cannot be read.
        """
        text = self.attributes.get("entry_computation_layout", "").strip()
        if not (text.startswith("{") and text.endswith("}")):
            return None
        scanner = Scanner(text, 1)
        try:
            parameters = shape_at(scanner)
            scanner.expect("->", "between parameters and result")
            return parameters, shape_at(scanner)
        except LayoutError as error:
            start = self.text.find(text)
            at = max(0, start) + (error.at or 0)
            raise LayoutError(error.code, error.message, text=self.text, at=at) from None

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line_of(self, at: int) -> tuple[int, int, str]:
        """The line and column (from 1) of a character, and the line, unless that is very long."""
        line = bisect_right(self._line_starts, at)
        start = self._line_starts[line - 1]
        stop = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        source = self.text[start:stop].rstrip("\r") if stop - start <= LONGEST_LINE else ""
        return line, at - start + 1, source
