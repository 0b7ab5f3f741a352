"""Reading one instruction: its result, opcode, operands with their shapes, attributes."""

from __future__ import annotations

from collections import Counter

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.layouts.notation import Text
from symlayout.layouts.xla.composite import AnyShape, TupleShape
from symlayout.layouts.xla.reader import shape_at
from symlayout.layouts.xla.shape import Shape
from symlayout.programs.hlo.attributes import KEY, value_end
from symlayout.programs.hlo.instruction import (
    COMPUTATIONS,
    UNKNOWN,
    Instruction,
    Operand,
    same_array,
)
from symlayout.programs.hlo.nesting import bracket_pattern, closing, split_commas, without_comments
from symlayout.text.patterns import regex

BRACE = regex(r"\s*+\{")
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
REFERENCE = regex(rf"%?({VALUE})")
WORD = regex(r"%?(?P<name>(?<![\w.\-])[\w.\-]++(?:(?>\s*+#\s*+\d++))*+)$")
CALL = regex(r"(?!(?:b|parameter|constant)\s*+\()(?P<opcode>[a-z][\w\-]*+)\s*+\(")
OPERATION = regex(r"\s*+(?!b\()(?P<opcode>[a-z][\w\-]*+)\s*+\(")
BODY = regex(r"\{\s*+(?:ROOT\s++)?%?[\w.\-]++\s*+=")
DEEPEST = 60  # computations in place of their names
# opcodes whose parentheses hold no operands
LITERAL = frozenset({"parameter", "constant"})


def read_instruction(text: str) -> Instruction:
    """One instruction in long form, its operands with their shapes; the name may be left out.

    >>> made = read_instruction("f32[3,2] transpose(f32[2,3]), dimensions={1,0}")
    >>> made.opcode, str(made.operands[0].shape), made.attributes
    ('transpose', 'f32[2,3]', {'dimensions': '{1,0}'})

    Raises `LayoutError` with the place of the mistake.
    """
    if isinstance(text, Text) and isinstance(text.value, Instruction):
        return text.value
    reader = InstructionReader(text)
    if OPERATION.match(text):
        return reader.builder_operation()
    match = NAME.match(text)
    start = len(text) - len(text.lstrip()) if match is None else 0
    instruction, end = reader.instruction(start, None, named=match is not None)
    if text[end:].strip():
        raise LayoutError("SL721", "nothing may follow the instruction", text=text, at=end)
    return instruction


class InstructionReader:
    """A position in a text; shapes that are written alike are read once."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.text = without_comments(text)
        self._bodies: Counter[str] = Counter()
        self._depth = 0
        self._shapes: dict[str, AnyShape] = {}

    def error(
        self, code: str, message: str, at: int, end: int | None = None, help: str | None = None
    ) -> LayoutError:
        return LayoutError(code, message, text=self.original, at=at, end=end, help=help)

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
            from symlayout.programs.hlo.elements import element

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
            self.keep(name, instructions, place)
            return name, at
        end = closing(self.text, at)
        names = []
        for number, (place, word) in enumerate(split_commas(self.text, at + 1, end - 1)):
            if BODY.match(word):
                names.append(self.computations(f"{key}.{number}", place, owner)[0])
            else:
                names.append(word)
        return f"{{{', '.join(names)}}}", end

    def body(self, name: str, at: int, place: int) -> tuple[tuple[Instruction, ...], int]:
        """The instructions of a computation, and the place behind its closing brace."""
        table: dict[str, Instruction] = {}
        while True:
            at += len(self.text[at:]) - len(self.text[at:].lstrip())
            if self.text.startswith("}", at):
                return tuple(table.values()), at + 1
            i, at = self.instruction(at, table)
            if i.name in table:
                raise self.error("SL724", f"{i.name!r} is defined twice in {name}", i.at)
            table[i.name] = i

    def keep(self, name: str, instructions: tuple[Instruction, ...], at: int) -> None:
        """What a computation in place of its name is; one instruction alone says nothing of it."""

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
