"""Reading the text of an HLO module as compiled programs print it, in one pass.

Unknown opcodes and attributes are kept as they are.  A mistake ends its computation: it becomes one
problem of the module, and reading goes on with the next computation.
"""

from __future__ import annotations

import re
from dataclasses import replace

from symlayout.errors import LayoutError
from symlayout.hlo.module import Computation, Instruction, Module, Operand
from symlayout.hlo.nesting import closing, split_commas, statement_end
from symlayout.reader import Scanner
from symlayout.xla import AnyShape, Shape, TupleShape, shape_at

TITLE = re.compile(r"HloModule[ \t]+(?P<name>[^\s,]+)[ \t]*,?")
COMPUTATION = re.compile(
    r"^(?P<entry>ENTRY[ \t]+)?%?(?P<name>[\w.\-]+)[ \t]*(?:\([^\n]*\)[ \t]*->[^\n]*)?\{[ \t\r]*$",
    re.M,
)
# tables of source places behind the title: a heading of one word, numbered rows
TABLE = re.compile(
    r"(?:FileNames|FunctionNames|FileLocations|StackFrames)\b|[A-Z]\w*[ \t\r]*\n\d+[ \t]|\d+[ \t]|//|\}"
)
NAME = re.compile(r"[ \t]*(?P<root>ROOT[ \t]+)?(?P<name>%?[\w.\-]+)[ \t]*=[ \t]*")
OPCODE = re.compile(r"\s*(?P<opcode>[A-Za-z][\w\-]*)\(")
ARRAY = re.compile(r"[A-Za-z]\w*\[[^\[\]]*\]")
WORD = re.compile(r"%?(?P<name>[\w.\-]+)$")
CLOSE = re.compile(r"^\}", re.M)
HEADER = re.compile(r"^(?:ENTRY[ \t]|%?[\w.\-]+[ \t]*[({])", re.M)
BLANK_LINE = re.compile(r"[ \t\r]*(?://[^\n]*)?$", re.M)
# opcodes whose parentheses hold no operands
LITERAL = frozenset({"parameter", "constant"})
LARGEST_MODULE = 200_000_000


def read_module(text: str) -> Module:
    """The module that a text spells, with every problem that left something out.

    Mistakes do not raise: they are in `problems`, one to a computation, with their place.

    >>> module = read_module("HloModule m\\n\\nENTRY e {\\n  a = f32[2]{1} parameter(0)\\n}\\n")
    >>> print(module.problems[0])
    SL104: minor_to_major holds the dimensions 0 to 0, not 1
        a = f32[2]{1} parameter(0)
                   ^
    """
    return _Reader(text).module()


def read_instruction(text: str) -> Instruction:
    """One instruction in long form, its operands with their shapes; the name may be left out.

    >>> made = read_instruction("f32[3,2] transpose(f32[2,3]), dimensions={1,0}")
    >>> made.opcode, str(made.operands[0].shape), made.attributes
    ('transpose', 'f32[2,3]', {'dimensions': '{1,0}'})

    A builder's operation has no result written: `add(f32[2,3], f32[3]), broadcast_dimensions={1}`.
    Raises `LayoutError` with the place of the mistake.
    """
    reader = _Reader(text)
    if OPCODE.match(text):
        return reader.operation()
    found = NAME.match(text)
    start = len(text) - len(text.lstrip()) if found is None else 0
    made, end = reader.instruction(start, named=found is not None)
    if text[end:].strip():
        raise LayoutError("SL721", "nothing may follow the instruction", text=text, at=end)
    return made


class _Reader:
    """A position in a module's text; shapes that are written alike are read once."""

    def __init__(self, text: str) -> None:
        if len(text) > LARGEST_MODULE:
            raise LayoutError("SL720", f"a module of {len(text)} characters is too long to read")
        self.text = text
        self.at = 0
        self.name = ""
        self.attributes: dict[str, str] = {}
        self.computations: list[Computation] = []
        self.problems: list[LayoutError] = []
        self._names: set[str] = set()
        self._shapes: dict[str, AnyShape] = {}

    def module(self) -> Module:
        while self.at < len(self.text):
            self.top_level()
        if not self.computations and not self.problems:
            self.problems.append(self.error("SL720", "there is no computation in this text", 0))
        return Module(
            self.name,
            self.text,
            tuple(self.computations),
            tuple(self.problems),
            attributes=self.attributes,
        )

    def error(self, code: str, message: str, at: int, end: int | None = None) -> LayoutError:
        return LayoutError(code, message, text=self.text, at=at, end=end)

    def line_end(self, at: int) -> int:
        stop = self.text.find("\n", at)
        return len(self.text) if stop < 0 else stop

    # -- outside computations ---------------------------------------------------------------------

    def top_level(self) -> None:
        """One line outside computations, or one whole computation."""
        start, stop = self.at, self.line_end(self.at)
        if BLANK_LINE.match(self.text, start):
            self.at = stop + 1
            return
        title = TITLE.match(self.text, start)
        if title is not None:
            self.name = title["name"]
            self.title_attributes(title.end(), stop)
            self.at = stop + 1
            return
        found = COMPUTATION.match(self.text, start)
        if found is not None:
            self.at = found.end() + 1
            self.computation(found)
        elif TABLE.match(self.text, start):
            self.at = stop + 1
        else:
            self.problems.append(
                self.error("SL720", "expected a computation: a name and an opening '{'", start)
            )
            self.at = self.next_computation(stop)

    def title_attributes(self, start: int, stop: int) -> None:
        for _, word in split_commas(self.text, start, stop):
            key, equals, value = word.partition("=")
            if equals:
                self.attributes[key.strip()] = value.strip()

    def next_computation(self, at: int) -> int:
        """Where the next computation begins, or the text's end."""
        found = HEADER.search(self.text, at)
        return len(self.text) if found is None else found.start()

    # -- computations -----------------------------------------------------------------------------

    def computation(self, header: re.Match[str]) -> None:
        """The computation whose header was just read; a mistake makes it a problem."""
        try:
            instructions = self.body(header)
            made = Computation(
                header["name"], instructions, bool(header["entry"]), header.start("name")
            )
            self.check_names(made)
        except LayoutError as error:
            self.problems.append(error)
            self.skip_body()
            return
        if made.name in self._names:
            self.problems.append(
                self.error("SL724", f"the computation {made.name!r} is there twice", made.at)
            )
        self._names.add(made.name)
        self.computations.append(made)

    def body(self, header: re.Match[str]) -> tuple[Instruction, ...]:
        made: list[Instruction] = []
        while self.at < len(self.text):
            if self.text.startswith("}", self.at):
                self.at = self.line_end(self.at) + 1
                return tuple(made)
            if BLANK_LINE.match(self.text, self.at):
                self.at = self.line_end(self.at) + 1
                continue
            if COMPUTATION.match(self.text, self.at):
                break
            instruction, end = self.instruction(self.at)
            made.append(instruction)
            self.at = end + 1
        raise self.error(
            "SL720", f"the computation {header['name']!r} is never closed", header.start("name")
        )

    def skip_body(self) -> None:
        """Goes behind the closing brace, or to the next header if that comes first."""
        close = CLOSE.search(self.text, self.at)
        header = COMPUTATION.search(self.text, self.at)
        if close is not None and (header is None or close.start() < header.start()):
            self.at = self.line_end(close.start()) + 1
        else:
            self.at = len(self.text) if header is None else header.start()

    def check_names(self, made: Computation) -> None:
        """Raises for a name that is defined twice, or is used and not defined."""
        if len(made.by_name) != len(made.instructions):
            seen: set[str] = set()
            for i in made.instructions:
                if i.name in seen:
                    raise self.error("SL724", f"{i.name!r} is defined twice in {made.name}", i.at)
                seen.add(i.name)
        for i in made.instructions:
            for operand in i.operands:
                if operand.name and operand.name not in made.by_name:
                    end = operand.at + len(operand.name)
                    message = f"{operand.name!r} is not defined in {made.name}"
                    raise self.error("SL722", message, operand.at, end)

    # -- instructions -----------------------------------------------------------------------------

    def instruction(self, at: int, named: bool = True) -> tuple[Instruction, int]:
        """The instruction at `at`, and where it ends."""
        name, root, place = "", False, at
        if named:
            found = NAME.match(self.text, at)
            if found is None:
                raise self.error("SL721", "expected an instruction: a name and '='", at)
            name, root = found["name"].removeprefix("%"), bool(found["root"])
            place, at = found.start("name"), found.end()
        shape, shape_end = self.shape(at)
        opcode = OPCODE.match(self.text, shape_end)
        if opcode is None:
            raise self.error("SL721", "expected an opcode and '(' behind the shape", shape_end)
        open_at = opcode.end() - 1
        end = statement_end(self.text, open_at)
        close = closing(self.text, open_at, end)
        literal = opcode["opcode"] in LITERAL
        return Instruction(
            name,
            opcode["opcode"],
            shape,
            () if literal else self.operands(open_at + 1, close - 1),
            self.text[open_at + 1 : close - 1],
            self.text[close:end].lstrip(" ,"),
            root,
            place,
            at,
            shape_end,
        ), end

    def operation(self) -> Instruction:
        """A builder's operation: the text begins with the opcode, and the result follows from it."""
        from symlayout.hlo.builder import KEY, result_shape

        opcode = OPCODE.match(self.text)
        assert opcode is not None
        open_at = opcode.end() - 1
        close = closing(self.text, open_at)
        operands = self.operands(open_at + 1, close - 1)
        rest = self.text[close:].lstrip(" ,")
        made = Instruction("", opcode["opcode"], TupleShape(()), operands, rest=rest)
        shapes = [o.shape for o in operands if isinstance(o.shape, Shape)]
        result = None
        if len(shapes) == len(operands):
            result = result_shape(made.opcode, shapes, made.attributes.get(KEY))
        if result is None:
            message = f"the shape of {made.opcode!r} is written before its name"
            raise self.error("SL721", message, opcode.start("opcode"), opcode.end("opcode"))
        if KEY not in made.attributes:
            made = replace(made, rest=f"{KEY}={{}}" + (f", {rest}" if rest else ""))
        return replace(made, shape=result)

    def operands(self, start: int, stop: int) -> tuple[Operand, ...]:
        made = []
        for at, word in split_commas(self.text, start, stop):
            found = WORD.search(word)
            head = word if found is None else word[: found.start()].rstrip()
            if found is not None and head and not head.endswith(("]", "}", ")")):
                raise self.error("SL721", f"{word!r} is no operand", at, at + len(word))
            shape = None
            if head:
                shape, end = self.shape(at)
                if self.text[end : at + len(head)].strip():
                    raise self.error("SL721", f"{word!r} is no operand", at, at + len(word))
            name = "" if found is None else found["name"]
            place = at if found is None else at + found.start("name")
            made.append(Operand(name, shape, place))
        return tuple(made)

    def shape(self, at: int) -> tuple[AnyShape, int]:
        """The shape at `at`, and where it ends."""
        end = self.shape_span(at)
        written = self.text[at:end]
        made = self._shapes.get(written)
        if made is None:
            try:
                scanner = Scanner(written)
                made = shape_at(scanner)
                scanner.end("the shape")
            except LayoutError as error:
                raise self.moved(error, at) from None
            self._shapes[written] = made
        return made, end

    def shape_span(self, at: int) -> int:
        if self.text.startswith("(", at) or self.text.startswith("b(", at):
            return closing(self.text, self.text.index("(", at), self.line_end(at))
        found = ARRAY.match(self.text, at)
        if found is None:
            raise self.error("SL721", "expected a shape such as f32[3,5]{1,0}", at)
        end = found.end()
        if self.text.startswith("{", end):
            end = closing(self.text, end, self.line_end(end))
        return end

    def moved(self, error: LayoutError, by: int) -> LayoutError:
        """The error of a part of the text, with its place in the whole."""
        at = by + (error.at or 0)
        end = None if error.end is None else by + error.end
        return LayoutError(
            error.code, error.message, text=self.text, at=at, end=end, help=error.help
        )
