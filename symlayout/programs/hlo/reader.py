"""Reading the text of HLO modules, in one pass and without regard to lines.

Unknown opcodes and attributes are kept as they are.  A mistake becomes one problem of its computation,
and reading goes on: with the next instruction, or the next computation where none can be told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from symlayout.errors import LayoutError
from symlayout.layouts.xla.composite import AnyShape
from symlayout.programs.hlo.attributes import Attributes, read_attributes
from symlayout.programs.hlo.elements import element
from symlayout.programs.hlo.instruction import LEFT_OUT, UNKNOWN, Instruction, Operand
from symlayout.programs.hlo.instruction_reader import (
    BRACE,
    LITERAL,
    NAME,
    OPCODE,
    WORD,
    InstructionReader,
)
from symlayout.programs.hlo.instruction_reader import read_instruction as read_instruction
from symlayout.programs.hlo.lines import LINE
from symlayout.programs.hlo.module import Computation, Module
from symlayout.programs.hlo.nesting import STRING, closing
from symlayout.text.patterns import regex

BLANK = regex(r"\s*+")
TITLE = regex(r"HloModule\s++(?P<name>[^\s,]++)")
SEPARATOR = regex(r"^[ \t]*//[ \t]*-----[ \t\r]*$", re.M)
# tables of source places behind the title: a heading of one word, numbered rows
TABLE = regex(
    r"(?P<name>FileNames|FunctionNames|FileLocations|StackFrames|[A-Z]\w*+(?=[ \t\r]*+\n\d++[ \t]))\b"
)
ROW = regex(rf"\s*+(?P<number>\d++)[ \t]++(?P<row>{STRING}|\{{[^{{}}]*+\}})")
HEADER = regex(r"(?P<entry>ENTRY\s++)?%?(?P<name>[\w.\-]++)\s*+(?=[({])")
ARROW = regex(r"\s*+->\s*+")
# where reading goes on behind a mistake: the beginning of a module or computation, at a margin
NEXT = regex(
    r"^[ \t]*+(?:HloModule[ \t]|(?:ENTRY[ \t]++)?%?[\w.\-]++[ \t]*+(?:\([^\n]*->[^\n]*)?\{[ \t\r]*$"
    r"|(?:ENTRY[ \t]++)?%?[\w.\-]++[ \t]*+\([^\n=]*->)",
    re.M,
)
PARAMETER = regex(r"[^\n=]*?\bparameter\s*+\(\s*+(\d{1,9})\s*+\)")
# where the next instruction begins, or the computation ends, behind a mistake
RESUME = regex(
    r"^[ \t]*+(?:(?:ROOT[ \t]++)?%?[\w.\-]++[ \t]*+=[ \t]*+(?:\(|[A-Za-z]\w*+\[)|\})", re.M
)


def read_modules(text: str) -> tuple[Module, ...]:
    """The modules of a text: one, or several with lines `// -----` or titles between them.

    >>> both = "HloModule a ENTRY e { x = f32[] parameter(0) } HloModule b e { x = s32[] iota() }"
    >>> [(m.name, len(m.computations)) for m in read_modules(both)]
    [('a', 1), ('b', 1)]
    """
    return _Reader(text).modules()


def read_module(text: str) -> Module:
    """The module that a text spells (the first one), with every problem that left something out.

    Mistakes do not raise: they are in `problems`, one to a computation, with their place.

    >>> module = read_module("HloModule m\\n\\nENTRY e {\\n  a = f32[2]{1} parameter(0)\\n}\\n")
    >>> print(module.problems[0])
    SL104: minor_to_major holds the dimensions 0 to 0, not 1
        a = f32[2]{1} parameter(0)
                   ^
      help: dimensions are numbered from 0, the most minor one first: row-major is {0}
    """
    return read_modules(text)[0]


@dataclass
class _Parts:
    """What is read of one module so far."""

    at: int
    name: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    computations: list[Computation] = field(default_factory=list)
    results: dict[str, AnyShape] = field(default_factory=dict)
    problems: list[LayoutError] = field(default_factory=list)
    titled: bool = False
    left_out: int = 0

    @property
    def empty(self) -> bool:
        return not (self.titled or self.computations or self.problems)


class _Reader(InstructionReader):
    """The whole text of modules; attributes that are written alike are read once."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.at = 0
        self.results: list[Module] = []
        self.parts = _Parts(0)
        self._inside: list[Computation] = []
        self._mistakes: list[LayoutError] = []
        self._border = 0, -1
        self._plain: dict[str, dict[str, str]] = {}

    def keep(self, name: str, instructions: tuple[Instruction, ...], at: int) -> None:
        """A computation that is written in place of its name."""
        self._inside.append(Computation(name, instructions, False, at))

    def modules(self) -> tuple[Module, ...]:
        borders = [match.start() for match in SEPARATOR.finditer(self.original)]
        borders = [*reversed(borders)]
        while True:
            self.skip()
            while borders and borders[-1] < self.at:
                borders.pop()
                self.finish()
            if self.at >= len(self.text):
                break
            self.top_level()
        if not self.parts.empty or not self.results:
            self.finish(always=True)
        return tuple(self.results)

    def finish(self, always: bool = False) -> None:
        """Ends a module, where one has begun."""
        p, self.parts = self.parts, _Parts(self.at)
        if p.empty and not always:
            return
        if not p.computations and not p.problems:
            p.problems.append(self.error("SL720", "there is no computation in this text", p.at))
        module = Module(
            p.name,
            self.original,
            tuple(p.computations),
            tuple(p.problems),
            attributes=p.attributes,
            sources=p.sources,
            left_out=p.left_out,
        )
        from symlayout.programs.hlo.structure import check_structure

        self.results.append(check_structure(module, p.results))

    def skip(self) -> None:
        match = BLANK.match(self.text, self.at)
        self.at = self.at if match is None else match.end()

    # -- outside computations ---------------------------------------------------------------------

    def top_level(self) -> None:
        """One title, table or computation."""
        title = TITLE.match(self.text, self.at)
        if title is not None:
            if not self.parts.empty:
                self.finish()
            self.parts.titled, self.parts.name = True, title["name"]
            try:
                self.parts.attributes, self.at = self.attributes(title.end(), None)
            except LayoutError as error:
                self.problem(error, title.end(), title.end())
            if self.text.startswith(",", self.at):
                self.at += 1
            return
        start = self.at
        header = HEADER.match(self.text, start)
        if header is not None:
            self.computation(header)
        elif not self.table():
            message = "expected a computation: a name and an opening '{'"
            self.problem(self.error("SL720", message, start), start, start + 1)

    def problem(self, error: LayoutError, begin: int, at: int) -> None:
        """Keeps a mistake, and goes on with the next computation behind `at`.

        What stands from `begin` on up to there is left out.
        """
        self.parts.problems.append(self.in_text(error))
        self.at = self.border(at)
        lines = RESUME.finditer(self.text, begin, self.at)
        self.parts.left_out += sum(not m[0].endswith("}") for m in lines)

    def table(self) -> bool:
        """A table of source places: whether one stands here, which is then read."""
        title = TABLE.match(self.text, self.at)
        row = ROW.match(self.text, self.at)
        if title is None and row is None:
            return False
        self.at = title.end() if title is not None else self.at
        name = title["name"] if title is not None else ""
        while (row := ROW.match(self.text, self.at)) is not None:
            self.parts.sources[f"{name} {row['number']}"] = row["row"]
            self.at = row.end()
        return True

    # -- computations -----------------------------------------------------------------------------

    def computation(self, header: re.Match[str]) -> None:
        """The computation whose name was just read; the first mistake in it is a problem."""
        name, before = header["name"], len(self._inside)
        self._depth = 0
        self._mistakes = []
        try:
            promise, at = self.signature(header)
            instructions, at = self.body(name, at, header.start("name"))
            self.at = self.attributes(at, None)[1]
        except LayoutError as error:
            del self._inside[before:]
            self.problem(error, header.end(), max(header.end(), error.at or 0))
            return
        broken = bool(self._mistakes)
        if broken:
            self.parts.problems.append(self.in_text(self._mistakes[0]))
            self.parts.left_out += len(self._mistakes)
        computation = Computation(
            name, instructions, bool(header["entry"]), header.start("name"), broken
        )
        if promise is not None:
            self.parts.results[name] = promise
        self.parts.computations += [*self._inside[before:], computation]
        del self._inside[before:]

    def signature(self, header: re.Match[str]) -> tuple[AnyShape | None, int]:
        """The result that a header promises, and the place behind its opening brace."""
        at, promise = header.end(), None
        if self.text[at] == "(":
            at = closing(self.text, at)
            arrow = ARROW.match(self.text, at)
            if arrow is None:
                raise self.error("SL720", "expected '->' and the result's shape", at)
            promise, at = self.shape(arrow.end())
        brace = BRACE.match(self.text, at)
        if brace is None:
            message = f"the computation {header['name']!r} has no opening '{{'"
            raise self.error("SL720", message, header.start("name"))
        return promise, brace.end()

    def body(self, name: str, at: int, place: int) -> tuple[tuple[Instruction, ...], int]:
        """The instructions of a computation, and the place behind its closing brace."""
        table: dict[str, Instruction] = {}
        names: dict[str, Operand] = {}
        text, size = self.text, len(self.text)
        while True:
            line = LINE.match(text, at)
            try:
                if line is not None and (quick := self.of_line(line, names, table)) is not None:
                    table[quick.name] = quick
                    names[quick.name] = Operand(quick.name, quick.shape)
                    at = line.end()
                    continue
                match = BLANK.match(text, at)
                at = at if match is None else match.end()
                if text.startswith("}", at):
                    return tuple(table.values()), at + 1
                if at < size and (NAME.match(text, at) or not self.margin(at)):
                    i, end = self.instruction(at, table)
                    if i.name in table:
                        raise self.error("SL724", f"{i.name!r} is defined twice in {name}", i.at)
                    table[i.name], at = i, end
                    names[i.name] = Operand(i.name, i.shape)
                    continue
            except LayoutError as error:
                at = self.resume(error, at, table, names)
                continue
            raise self.error("SL720", f"the computation {name!r} is never closed", place)

    def resume(
        self, error: LayoutError, at: int, table: dict[str, Instruction], names: dict[str, Operand]
    ) -> int:
        """Where reading goes on behind a mistake in the instruction at `at`.

        Its name is known from there on, and its shape where that can be read.  Raises the mistake
        where no other instruction of the computation follows on a line of its own.
        """
        match = NAME.match(self.text, at)
        begin = at if match is None else match.end()
        following = RESUME.search(self.text, begin, self.border(begin))
        if following is None:
            raise error
        self._mistakes.append(error)
        name = "" if match is None else match["name"].removeprefix("%")
        if match is not None and name not in table:
            shape: AnyShape = UNKNOWN
            number = PARAMETER.match(self.text, begin)
            word = "" if number is None else "parameter"
            with suppress(LayoutError):
                shape, end = self.shape(begin)
                opcode = OPCODE.match(self.text, end)
                word = word if opcode is None else opcode["opcode"]
            table[name] = Instruction(
                name,
                word,
                shape,
                arguments="" if number is None else number[1],
                root=match["root"] is not None,
                at=match.start("name"),
                unread=LEFT_OUT,
            )
            names[name] = Operand(name, shape)
        return following.start()

    def of_line(
        self, line: re.Match[str], known: dict[str, Operand], table: dict[str, Instruction]
    ) -> Instruction | None:
        """The instruction that a pattern has read, None where it is to be read step by step."""
        root, named, text, opcode, arguments, plain, apart = line.groups()
        name = named.removeprefix("%")
        at, end = line.span("shape")
        if name in known:
            return None
        shape = self._shapes.get(text)
        if shape is None:
            shape, stop = self.shape(at)
            if stop != end:
                return None
        operands: tuple[Operand, ...] = ()
        if arguments and opcode not in LITERAL:
            names = [n.strip() for n in arguments.replace("%", "").split(",")]
            try:
                operands = tuple([known[n] for n in names])
            except (
                KeyError
            ):  # an element, a shape in front of a name, or a name that is not defined
                if "#" not in arguments or not self.elements(names, line, known, table):
                    return None
                operands = tuple([known[n] for n in names])
        attributes = self._plain.get(plain)
        if attributes is None:
            attributes = read_attributes(self.text, *line.span("plain"))
            if "%" not in plain:  # names of computations seldom come again
                self._plain[plain] = attributes
        whole: Mapping[str, str] = attributes
        if apart:
            whole = Attributes(attributes, self.text, line.start("apart"))
        return Instruction(
            name,
            opcode,
            shape,
            operands,
            arguments,
            whole,
            root is not None,
            line.start("name"),
            at,
            end,
        )

    def elements(
        self,
        names: list[str],
        line: re.Match[str],
        known: dict[str, Operand],
        table: dict[str, Instruction],
    ) -> bool:
        """Puts the elements of tuples among the names where they are known: whether all names are."""
        for name in names:
            if name in known:
                continue
            if "#" not in name or WORD.fullmatch(name) is None:
                return False
            instruction = element(name, self.text.find(name, line.start("operands")), table)
            if instruction is None:
                return False
            known[name] = Operand(instruction.name, instruction.shape)
        return True

    def border(self, at: int) -> int:
        """Where the next computation begins at a margin."""
        if not self._border[0] <= at <= self._border[1]:
            match = NEXT.search(self.text, at)
            self._border = at, len(self.text) if match is None else match.start()
        return self._border[1]

    def margin(self, at: int) -> bool:
        """Whether a computation begins in the line of this place."""
        return NEXT.match(self.text, self.text.rfind("\n", 0, at) + 1) is not None
