"""Reading the text of HLO modules, in one pass and without regard to lines.

Unknown opcodes and attributes are kept as they are.  A mistake becomes one problem of its computation,
and reading goes on: with the next instruction, or the next computation where none can be told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.layouts.notation import Text
from symlayout.layouts.xla import AnyShape, Shape, TupleShape, shape_at
from symlayout.programs.hlo.attributes import KEY, Attributes, read_attributes, value_end
from symlayout.programs.hlo.elements import element
from symlayout.programs.hlo.lines import LINE
from symlayout.programs.hlo.module import (
    COMPUTATIONS,
    LEFT_OUT,
    UNKNOWN,
    Computation,
    Instruction,
    Module,
    Operand,
    same_array,
)
from symlayout.programs.hlo.nesting import (
    STRING,
    bracket_pattern,
    closing,
    split_commas,
    without_comments,
)
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
BRACE = regex(r"\s*+\{")
# where reading goes on behind a mistake: the beginning of a module or computation, at a margin
NEXT = regex(
    r"^[ \t]*+(?:HloModule[ \t]|(?:ENTRY[ \t]++)?%?[\w.\-]++[ \t]*+(?:\([^\n]*->[^\n]*)?\{[ \t\r]*$"
    r"|(?:ENTRY[ \t]++)?%?[\w.\-]++[ \t]*+\([^\n=]*->)",
    re.M,
)
NAME = regex(r"\s*+(?:(?P<root>ROOT)\s++)?(?P<name>%?[\w.\-]++)\s*+=\s*+")
OPCODE = regex(r"\s*+(?P<opcode>[A-Za-z][\w\-]*+)\s*+\(")
ARRAY = regex(
    r"[A-Za-z]\w*+\[[^\[\]]*+\](?:(?>\s*+\{\s*+(?:[\d:\-][^{}]*+)?\}))?+(?!\s*+\{\s*+[:\d])"
)
ARRAY_HEAD = regex(r"[A-Za-z]\w*+\s*+\[[^\[\]]*+\]")
TUPLE = regex(bracket_pattern(6, "(", ")"))
# an operand: a value, or an element of the tuple of that name (`%while.1#2`, nested `%p#1#0`)
VALUE = r"[\w.\-]++(?:(?>\s*+#\s*+\d++))*+"
NAMES_ONLY = regex(rf"\s*+(?:%?{VALUE}\s*+(?:(?>,\s*+%?{VALUE}\s*+))*+)?\)")
PARAMETER = regex(r"[^\n=]*?\bparameter\s*+\(\s*+(\d{1,9})\s*+\)")
REFERENCE = regex(rf"%?({VALUE})")
WORD = regex(r"%?(?P<name>(?<![\w.\-])[\w.\-]++(?:(?>\s*+#\s*+\d++))*+)$")
CALL = regex(r"(?!(?:b|parameter|constant)\s*+\()(?P<opcode>[a-z][\w\-]*+)\s*+\(")
OPERATION = regex(r"\s*+(?!b\()(?P<opcode>[a-z][\w\-]*+)\s*+\(")
# where the next instruction begins, or the computation ends, behind a mistake
RESUME = regex(
    r"^[ \t]*+(?:(?:ROOT[ \t]++)?%?[\w.\-]++[ \t]*+=[ \t]*+(?:\(|[A-Za-z]\w*+\[)|\})", re.M
)
BODY = regex(r"\{\s*+(?:ROOT\s++)?%?[\w.\-]++\s*+=")
DEEPEST = 60  # computations in place of their names
# opcodes whose parentheses hold no operands
LITERAL = frozenset({"parameter", "constant"})


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


def read_instruction(text: str) -> Instruction:
    """One instruction in long form, its operands with their shapes; the name may be left out.

    >>> made = read_instruction("f32[3,2] transpose(f32[2,3]), dimensions={1,0}")
    >>> made.opcode, str(made.operands[0].shape), made.attributes
    ('transpose', 'f32[2,3]', {'dimensions': '{1,0}'})

    Raises `LayoutError` with the place of the mistake.
    """
    if isinstance(text, Text) and isinstance(text.value, Instruction):
        return text.value
    reader = _Reader(text)
    if OPERATION.match(text):
        return reader.builder_operation()
    match = NAME.match(text)
    start = len(text) - len(text.lstrip()) if match is None else 0
    instruction, end = reader.instruction(start, None, named=match is not None)
    if text[end:].strip():
        raise LayoutError("SL721", "nothing may follow the instruction", text=text, at=end)
    return instruction


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


class _Reader:
    """A position in a text; shapes that are written alike are read once."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.text = without_comments(text)
        self.at = 0
        self.results: list[Module] = []
        self.parts = _Parts(0)
        self._inside: list[Computation] = []
        self._mistakes: list[LayoutError] = []
        self._border = 0, -1
        self._bodies: Counter[str] = Counter()
        self._depth = 0
        self._shapes: dict[str, AnyShape] = {}
        self._plain: dict[str, dict[str, str]] = {}

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

    def error(
        self, code: str, message: str, at: int, end: int | None = None, help: str | None = None
    ) -> LayoutError:
        return LayoutError(code, message, text=self.original, at=at, end=end, help=help)

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

    # -- instructions -----------------------------------------------------------------------------

    def instruction(
        self, at: int, scope: dict[str, Instruction] | None, named: bool = True, name: str = ""
    ) -> tuple[Instruction, int]:
        """The instruction at `at`, and where it ends; `name` is for one that is written without."""
        root, place = False, at
        if named:
            match = NAME.match(self.text, at)
            if match is None:
                raise self.error("SL721", "expected an instruction: a name and '='", at)
            name, root = match["name"].removeprefix("%"), match["root"] is not None
            place, at = match.start("name"), match.end()
        shape: AnyShape = UNKNOWN
        shape_end = at
        inferred = CALL.match(self.text, at)
        if inferred is None:
            shape, shape_end = self.shape(at)
        opcode = OPCODE.match(self.text, shape_end)
        if opcode is None:
            raise self.error("SL721", "expected an opcode and '(' behind the shape", shape_end)
        word, begin = opcode["opcode"], opcode.end()
        simple = NAMES_ONLY.match(self.text, begin)
        close = simple.end() if simple is not None else closing(self.text, begin - 1)
        operands: tuple[Operand, ...] = ()
        if word not in LITERAL:
            if simple is not None:
                operands = self.named_operands(begin, close - 1, scope)
            else:
                operands = self.operands(begin, close - 1, scope, name)
        attributes, end = self.attributes(close, name)
        return Instruction(
            name,
            word,
            shape,
            operands,
            self.text[begin : close - 1],
            attributes,
            root,
            place,
            at,
            shape_end,
            "shape" if inferred is not None else "",
        ), end

    def builder_operation(self) -> Instruction:
        """A builder's operation: the text begins with the opcode, and the result follows from it."""
        from symlayout.programs.hlo.builder import KEY as DIMENSIONS
        from symlayout.programs.hlo.builder import result_shape

        opcode = OPERATION.match(self.text)
        assert opcode is not None
        close = closing(self.text, opcode.end() - 1)
        operands = self.operands(opcode.end(), close - 1, None, "")
        attributes, end = self.attributes(close, None)
        if self.text[end:].strip():
            raise self.error("SL721", "nothing may follow the operation", end)
        shapes = [o.shape for o in operands if isinstance(o.shape, Shape)]
        result = None
        if len(shapes) == len(operands):
            result = result_shape(opcode["opcode"], shapes, attributes.get(DIMENSIONS))
        if result is None:
            message = f"the shape of {opcode['opcode']!r} is written before its name"
            help = "such as add(f32[M,N], f32[M,N]), or f32[M,N] NAME(..)"
            raise self.error("SL721", message, *opcode.span("opcode"), help)
        attributes = {DIMENSIONS: "{}", **attributes}
        return Instruction("", opcode["opcode"], result, operands, attributes=attributes)

    def named_operands(
        self, start: int, stop: int, scope: dict[str, Instruction] | None
    ) -> tuple[Operand, ...]:
        """Operands that are names alone."""
        return tuple(
            self.operand(m[1], None, m.start(1), scope)
            for m in REFERENCE.finditer(self.text, start, stop)
        )

    def operand(
        self, name: str, shape: AnyShape | None, at: int, scope: dict[str, Instruction] | None
    ) -> Operand:
        """An operand with its shape, that of the instruction of its name."""
        if scope is None or not name:
            return Operand(name, shape)
        instruction = scope.get(name)
        if instruction is None and "#" in name:
            instruction = element(name, at, scope)
        if instruction is None:
            message = f"{name!r} is not defined here, or only below"
            number = "a number is an operand of parameter and constant alone: check the opcode"
            help = number if name.isdigit() else None
            raise self.error("SL722", message, at, at + len(name), help)
        if not (
            shape is None or instruction.shape is UNKNOWN or same_array(shape, instruction.shape)
        ):
            message = f"{name} is given as {shape}, and is {instruction.shape}"
            raise self.error("SL723", message, at, at + len(name))
        return Operand(instruction.name, instruction.shape)

    def operands(
        self, start: int, stop: int, scope: dict[str, Instruction] | None, outer: str
    ) -> tuple[Operand, ...]:
        """Operands with shapes, or instructions in place of them."""
        operands = []
        for number, (at, word) in enumerate(split_commas(self.text, start, stop)):
            if word.endswith(")") and "(" in word:
                inner = self.inner_instruction(at, at + len(word), scope, f"{outer}/{number}")
                if inner is not None:
                    if scope is not None:
                        scope[inner.name] = inner
                    operands.append(Operand(inner.name, inner.shape))
                    continue
            match = WORD.search(word)
            head = word if match is None else word[: match.start()].rstrip()
            shape = None
            if head:
                if match is not None and not head.endswith(("]", "}", ")")):
                    raise self.error("SL721", f"{word!r} is not an operand", at, at + len(word))
                shape, end = self.shape(at)
                if self.text[end : at + len(head)].strip():
                    raise self.error("SL721", f"{word!r} is not an operand", at, at + len(word))
            if match is None and scope is not None:
                continue  # XLA's parser drops a shape without a name
            name = "" if match is None else match["name"]
            place = at if match is None else at + match.start("name")
            operands.append(self.operand(name, shape, place, scope))
        return tuple(operands)

    def inner_instruction(
        self, at: int, stop: int, scope: dict[str, Instruction] | None, name: str
    ) -> Instruction | None:
        """The instruction that stands in an operand's place, None where there is a shape alone."""
        try:
            instruction, end = self.instruction(at, scope, named=False, name=name)
        except LayoutError:
            return None
        return instruction if end == stop else None

    def attributes(self, at: int, owner: str | None) -> tuple[dict[str, str], int]:
        """The attributes from `at` on, as written, and where they end."""
        names: dict[str, str] = {}
        while (key := KEY.match(self.text, at)) is not None:
            word, at = key["key"], key.end()
            if word in COMPUTATIONS and self.text.startswith("{", at):
                names[word], at = self.computations(word, at, owner or "")
                continue
            end = value_end(self.text, at, word)
            names[word] = self.text[at:end]
            at = end
        return names, at

    def computations(self, key: str, at: int, owner: str) -> tuple[str, int]:
        """A list of names and computations in braces, or one computation; the names as text."""
        if BODY.match(self.text, at):
            name = f"{owner}/{key}"
            self._bodies[name] += 1  # owners in two computations may have one name
            name += f".{self._bodies[name]}" if self._bodies[name] > 1 else ""
            place = at
            if self._depth >= DEEPEST:
                raise self.error("SL721", f"more than {DEEPEST} computations in each other", at)
            self._depth += 1
            try:
                instructions, at = self.body(name, at + 1, at)
            finally:
                self._depth -= 1
            self._inside.append(Computation(name, instructions, False, place))
            return name, at
        end = closing(self.text, at)
        names = []
        for number, (place, word) in enumerate(split_commas(self.text, at + 1, end - 1)):
            if BODY.match(word):
                names.append(self.computations(f"{key}.{number}", place, owner)[0])
            else:
                names.append(word)
        return f"{{{', '.join(names)}}}", end

    # -- shapes -----------------------------------------------------------------------------------

    def shape(self, at: int) -> tuple[AnyShape, int]:
        """The shape at `at`, and where it ends."""
        end = self.shape_span(at)
        text = self.text[at:end]
        shape = self._shapes.get(text)
        if shape is None and text[0] == "(":
            shape = self.tuple_of(at, end)
        if shape is None:
            try:
                scanner = Scanner(text)
                shape = shape_at(scanner)
                scanner.end("the shape")
            except LayoutError as error:
                raise self.relocation(error, at) from None
            self._shapes[text] = shape
        return shape, end

    def tuple_of(self, at: int, end: int) -> TupleShape | None:
        """A tuple's shape, each of its elements read once; None where that is not a list of shapes."""
        shapes: list[AnyShape] = []
        before = at + 1
        for place, word in split_commas(self.text, at + 1, end - 1):
            if self.text[before:place].strip() != ("," if shapes else ""):
                return None
            before = place + len(word)
            shape = self._shapes.get(word)
            if shape is None:
                try:
                    shape, stop = self.shape(place)
                except (LayoutError, RecursionError):
                    return None
                if stop != place + len(word):
                    return None
            shapes.append(shape)
        if self.text[before : end - 1].strip():
            return None
        result = TupleShape(tuple(shapes))
        self._shapes[self.text[at:end]] = result
        return result

    def shape_span(self, at: int) -> int:
        match = ARRAY.match(self.text, at) or TUPLE.match(self.text, at)
        if match is not None:
            return match.end()
        if self.text.startswith("(", at) or self.text.startswith("b(", at):
            return closing(self.text, self.text.index("(", at))
        match = ARRAY_HEAD.match(self.text, at)
        if match is None:
            raise self.error("SL721", "expected a shape such as f32[3,5]{1,0}", at)
        end = match.end()
        brace = BRACE.match(self.text, end)
        if brace is not None:
            end = closing(self.text, brace.end() - 1)
        return end

    def in_text(self, error: LayoutError) -> LayoutError:
        """The error with the whole text, so that its place can be shown."""
        return error if error.text is self.original else self.relocation(error, 0)

    def relocation(self, error: LayoutError, by: int) -> LayoutError:
        """The error of a part of the text, with its place in the whole."""
        at = by + (error.at or 0)
        end = None if error.end is None else by + error.end
        return LayoutError(
            error.code, error.message, text=self.original, at=at, end=end, help=error.help
        )
