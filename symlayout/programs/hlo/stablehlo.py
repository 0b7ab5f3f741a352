"""Reading StableHLO text: functions become computations, operations instructions.

What an operation is given and what comes out stand in its types.  Values are scoped by function
and region.  Operations of other dialects are kept under their own names, and nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.layouts.xla import AnyShape, Dynamic, Shape, TupleShape
from symlayout.programs.hlo import mlir
from symlayout.programs.hlo.buffers import byte_size
from symlayout.programs.hlo.export import with_sizes
from symlayout.programs.hlo.literals import misfits
from symlayout.programs.hlo.mlir import Block, Operation, Region, uncommented
from symlayout.programs.hlo.mlir_attributes import Unclear, Words, Wrong, attributes
from symlayout.programs.hlo.mlir_regions import REDUCERS, Signature, promotes, region_breaches
from symlayout.programs.hlo.mlir_structure import DIALECTS, RETURNS, faults
from symlayout.programs.hlo.mlir_types import read_type, read_types
from symlayout.programs.hlo.mlir_verifier import breaches
from symlayout.programs.hlo.module import (
    UNKNOWN,
    Computation,
    Instruction,
    Module,
    Operand,
    same_array,
)
from symlayout.programs.hlo.nesting import STRING, closing, split_commas
from symlayout.programs.hlo.parts import whole_of
from symlayout.text.lines import count
from symlayout.text.patterns import regex

SEPARATOR = regex(r"^[ \t]*//[ \t]*-----[ \t\r]*$", re.M)
TITLE = regex(r"\s*+(?:@(?P<name>[\w.\-$]+))?")
SYMBOL = rf"(?:[\w.\-$]++|{STRING})"
FUNCTION = regex(rf"\s*+(?:(?:public|private|nested)\s++)?@(?P<name>{SYMBOL})\s*+(?=\()")
SYMBOL_NAME = regex(r'\bsym_name\s*+=\s*+"([^"\\\n]*+)"')
FUNCTION_TYPE = regex(r"\bfunction_type\s*+=\s*+\(")
ARROW = regex(r"\s*+->\s*+")
USE = regex(r"%[\w$.\-]+(?:#\d+)?")
BINDING = regex(r"(%[\w$.\-]+)\s*=\s*(%[\w$.\-]+(?:#\d+)?)")
BOUND = regex(r"(?P<name>%[\w$.\-]+(?:#\d+)?)(?:\s*:\s*(?P<type>tensor<))?")
# what is no angle bracket that opens or closes
ANGLES = regex(rf"{STRING}|->|[<>]=")
BRACES = regex(rf"{STRING}|[{{}}]")
CALLEE = regex(rf"@({SYMBOL})")
# operations whose names HLO spells in another way
NAMES = {
    "dot-general": "dot",
    "while": "while",
    "case": "conditional",
    "if": "conditional",
    "create-token": "after-all",
    "optimization-barrier": "opt-barrier",
}
# operations with results apart where HLO has a tuple with a token, or that HLO has not
FOREIGN = frozenset({"send", "recv", "infeed", "outfeed", "custom-call", "composite", "rng"})
# operations whose one type is the result's alone
APART = frozenset({"complex", "tuple"})
# operations whose initial values may be arrays here, as HLO's are not
REDUCTIONS = frozenset({"reduce", "reduce-window"})
DONATED = regex(r"\btf\.aliasing_output\s*+=\s*+(\d{1,9})")
CAST = regex(r"\s*+to\s++")
# operations whose regions have parameters and results that the rule looks at
SIGNED = frozenset(
    {"while", "reduce", "sort", "map", "reduce-window", "all-reduce", "reduce-scatter", "scatter"}
)
# operations of which types that cannot be read are mistakes
OURS = (*DIALECTS, "chlo.", "func.", "call", "return")
Scope = dict[str, AnyShape]


def read_stablehlo_modules(text: str) -> tuple[Module, ...]:
    """The modules of a text: one, or several with lines `// -----` between them."""
    borders = [0, *(m.end() for m in SEPARATOR.finditer(text)), len(text)]
    parts = [(a, b) for a, b in pairwise(borders) if text[a:b].strip()]
    clean = uncommented(text)
    empty = [span for span in parts if clean[slice(*span)].strip()]
    hits = [_Reader(clean, a, b).module() for a, b in empty or [(0, len(text))]]
    return tuple(with_sizes(_of_text(m, text)) for m in hits)


def _of_text(module: Module, text: str) -> Module:
    """The module and its problems with places in the text as it was, comments and all."""
    problems = tuple(
        LayoutError(p.code, p.message, text=text, at=p.at, end=p.end, help=p.help)
        if p.text == module.text
        else p
        for p in module.problems
    )
    return replace(module, text=text, problems=problems)


def read_stablehlo(text: str) -> Module:
    """The module of a StableHLO text (the first one), its operations named as HLO names them.

    Mistakes do not raise: they are in `problems`, one to a function, with their place.

    >>> module = read_stablehlo('''func.func @f(%a: tensor<3xf32>) -> tensor<2x3xf32> {
    ...   %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    ... }''')
    >>> made = module.computations[0].instructions[-1]
    >>> made.opcode, str(made.operands[0].shape), str(made.shape), made.attributes
    ('broadcast-in-dim', 'f32[3]', 'f32[2,3]', {'dimensions': '{1}'})
    """
    return read_stablehlo_modules(text)[0]


class Header(NamedTuple):
    """A function's name, arguments and results; `written` is where its header has the arguments.

    None in the generic form, whose block has them.
    """

    name: str
    arguments: list[tuple[str, AnyShape, int]]
    results: list[AnyShape]
    written: tuple[int, int] | None = None


class _Reader:
    """One module of a text; each function becomes a computation."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.text = text
        self.start, self.stop = start, stop
        self.problems: list[LayoutError] = []
        self.computations: list[Computation] = []
        self.signatures: dict[str, str] = {}
        self.title = ""

    def module(self) -> Module:
        reader = mlir.Reader(self.text)
        hits: list[Operation] = []
        try:
            for op in reader.operations(self.start, self.stop):
                hits.append(op)
            if reader.at < self.stop:
                raise reader.error("'}' closes nothing here", reader.at)
        except LayoutError as error:
            self.problems.append(error)
            hits += self.functions_behind(error.at or 0)
        functions = list(self.functions(hits))
        self.sign(functions)
        for op in functions:
            self.function(op)
        if not hits and not self.problems:
            message = "there is no operation in this text"
            self.problems.append(LayoutError("SL720", message, text=self.text, at=self.start))
        parts = tuple(self.computations), tuple(self.problems)
        return Module(self.title, self.text, *parts, "stablehlo")

    def functions_behind(self, at: int) -> list[Operation]:
        """The functions of a module that could not be read whole, without the one with `at`."""
        results = []
        starts = [m.start() for m in re.finditer(r"^[ \t]*+(?=func\.func\b)", self.text, re.M)]
        inside = [s for s in starts if self.start <= s < self.stop]
        for n, start in enumerate(inside):
            end = inside[n + 1] if n + 1 < len(inside) else self.stop
            if start <= at < end:
                continue
            reader = mlir.Reader(self.text)
            try:
                results.append(reader.operation(reader.skip(start, end), end, 0))
            except LayoutError as error:
                self.problems.append(error)
        return results

    def functions(self, hits: Sequence[Operation]) -> Iterator[Operation]:
        """The functions, also those inside modules."""
        for op in hits:
            if op.name in ("module", "builtin.module"):
                name = TITLE.match(self.text, op.begin)
                self.title = self.title or (name["name"] or "" if name is not None else "")
                for region in op.regions:
                    yield from self.functions(region.operations)
            elif op.name == "func.func":
                yield op

    def sign(self, functions: Sequence[Operation]) -> None:
        """What each function takes and gives, for its calls."""
        for op in functions:
            try:
                name, arguments, results, _ = self.header(op)
            except LayoutError:
                continue  # which reading the function tells
            shapes = [s for _, s, _ in arguments]
            if UNKNOWN not in (*shapes, *results):
                text = ", ".join(map(str, shapes))
                self.signatures[name] = f"({text})->{whole_of(results)}"

    def header(self, op: Operation) -> Header:
        """The name, the arguments and the results of a function."""
        match = FUNCTION.match(self.text, op.begin)
        if match is None:
            return self.generic_header(op)
        open_at = match.end()
        stop = op.spans[0][1]
        close = closing(self.text, open_at, stop)
        arguments = self.arguments(open_at + 1, close - 1)
        results: list[AnyShape] = []
        if op.arrow:
            results = read_types(self.text, op.arrow, stop)[0]
        return Header(match["name"], arguments, results, (open_at + 1, close - 1))

    def generic_header(self, op: Operation) -> Header:
        """The header of a function in the generic form, where attributes have its name and type."""
        start, stop = op.spans[0]
        name, kind = (p.search(self.text, start, stop) for p in (SYMBOL_NAME, FUNCTION_TYPE))
        if name is None or kind is None:
            raise self.error("expected a function's name and its arguments", op.begin)
        close = closing(self.text, kind.end() - 1, stop)
        arrow = ARROW.match(self.text, close, stop)
        if arrow is None:
            raise self.error("expected '->' and the results of the function", close)
        at = arrow.end()
        if self.text.startswith("(", at, stop):
            results = read_types(self.text, at, closing(self.text, at, stop))[0]
        else:
            results = [read_type(self.text, at)[0]]  # other attributes stand behind it
        typed = self.arguments(kind.end(), close - 1)
        arguments = self.arguments(*op.regions[0].arguments) if op.regions else typed
        one, two = ([str(shape) for _, shape, _ in side] for side in (typed, arguments))
        if one != two:
            message = (
                f"the function takes ({', '.join(one)}) by its type, its block {', '.join(two)}"
            )
            raise self.error(message, kind.start(), "SL725")
        return Header(name[1], arguments, results)

    def arguments(self, start: int, stop: int) -> list[tuple[str, AnyShape, int]]:
        """Names with types: the arguments of a function or a block."""
        lines = []
        for at, word in _commas(self.text, start, stop):
            name, colon, _ = word.partition(":")
            if not colon:  # a declaration has types alone
                lines.append(("", read_type(self.text, at)[0], at))
                continue
            lines.append((name.strip(), read_type(self.text, at + len(name) + 1)[0], at))
        return lines

    def function(self, op: Operation) -> None:
        """The operations of one function; a mistake costs the function."""
        try:
            name, arguments, results, written = self.header(op)
            if name == "main" and written:
                self.donations(*written, [s for _, s, _ in arguments], results)
            scope: Scope = {}
            for argument, shape, at in arguments if written else ():  # or else its block does so
                self.define(scope, [], argument, shape, at)
            instructions: list[Instruction] = [
                Instruction(
                    argument.removeprefix("%"),
                    "parameter",
                    shape,
                    arguments=str(n),
                    at=at,
                    shape_at=at,
                    shape_end=at,
                )
                for n, (argument, shape, at) in enumerate(arguments)
            ]
            for region in op.regions:
                instructions += self.region(region, [scope], results, op)
        except LayoutError as error:
            self.problems.append(error)
            return
        if op.regions:
            at = self.text.find("@", op.begin) + 1
            self.computations.append(Computation(name, tuple(instructions), name == "main", at))

    def error(self, message: str, at: int, code: str = "SL720") -> LayoutError:
        return LayoutError(code, message, text=self.text, at=at)

    def define(self, scope: Scope, outer: list[Scope], name: str, shape: AnyShape, at: int) -> None:
        if not name:
            return
        if name in scope or any(name in s for s in outer):
            raise self.error(f"{name} is defined twice", at, "SL724")
        scope[name] = shape

    def region(
        self, region: Region, scopes: list[Scope], results: list[AnyShape] | None, owner: Operation
    ) -> Iterator[Instruction]:
        """The instructions of a region, those of inner regions among them.

        A block knows what the blocks on every way to it define, wherever they stand in the text.
        """
        if len(region.blocks) == 1:
            yield from self.block(region.blocks[0], scopes, scopes, results)
            return
        tables: list[Scope] = []
        together: Scope = {}
        for block in region.blocks:
            tables.append({})
            self.block_arguments(block, tables[-1], [*scopes, together])
            for op in block.operations:
                self.define_results(op, tables[-1], [*scopes, together])
            together |= tables[-1]
        ways = mlir.Reader(self.text).ways_to(region.blocks)
        for k, block in enumerate(region.blocks):
            hits = {n: s for way in ways[k] for n, s in tables[way].items()} if ways else together
            yield from self.block(block, [*scopes, hits], [], results)

    def block(
        self, block: Block, known: list[Scope], outer: list[Scope], results: list[AnyShape] | None
    ) -> Iterator[Instruction]:
        """The instructions of a block; what it defines is not defined by `outer`."""
        own: Scope = {}
        self.block_arguments(block, own, outer)
        for op in block.operations:
            yield from self.operation(op, [*known, own], results)
            self.look_at(op, len(self.types(op)[1]))
            self.define_results(op, own, outer)

    def block_arguments(self, block: Block, own: Scope, outer: list[Scope]) -> None:
        """Defines the arguments of a block."""
        for name, shape, at in self.arguments(*block.arguments):
            self.define(own, outer, name, shape, at)

    def define_results(self, op: Operation, own: Scope, outer: list[Scope]) -> None:
        """Defines the results of an operation, those without a type as unknown."""
        types = self.types(op)[1]
        number = 0
        for name, many in op.results:
            for k in range(many):
                shape = types[number] if number < len(types) else UNKNOWN
                key = f"%{name}#{k}" if many > 1 else f"%{name}"
                self.define(own, outer, key, shape, op.at)
                number += 1

    def look_at(self, op: Operation, types: int) -> None:
        """As many results as types, and literals of as many elements as theirs say."""
        names = sum(many for _, many in op.results)
        ours = op.name.startswith(DIALECTS) or op.name in ("call", "func.call")
        if ours and types and names not in (0, types):
            counts = f"{types} result{'s' * (types != 1)}, and {names} name{'s' * (names != 1)}"
            self.problems.append(self.error(f"{op.name} has {counts}", op.at, "SL721"))
        for start, stop in op.spans:
            for at, message in misfits(self.text, start, stop):
                self.problems.append(self.error(message, at, "SL721"))

    def donations(self, start: int, stop: int, args: list[AnyShape], outs: list[AnyShape]) -> None:
        """What arguments are donated for is a result of as many bytes, each at most once."""
        for (at, word), shape in zip(_commas(self.text, start, stop), args):
            match = DONATED.search(word)
            if match is None:
                continue
            number, place = int(match[1]), at + match.start()
            if number >= len(outs):
                message = f"there is no result {number} to write over this argument"
                self.problems.append(self.error(message, place, "SL725"))
                continue
            sizes = [byte_size(s) if isinstance(s, Shape) else None for s in (shape, outs[number])]
            if None not in sizes and sizes[0] != sizes[1] and "sharding" not in word:
                message = (
                    f"result {number}, {outs[number]}, is not as large as this argument, {shape}"
                )
                self.problems.append(self.error(message, place, "SL725"))

    def types(self, op: Operation) -> tuple[list[AnyShape] | None, list[AnyShape]]:
        """The types of operands (None where the result's stands for them) and of results.

        Nothing is known of those of other dialects that are spelt in other ways.
        """
        try:
            return self.own_types(op)
        except LayoutError:
            if op.name.startswith(OURS):
                raise
            return None, []

    def own_types(self, op: Operation) -> tuple[list[AnyShape] | None, list[AnyShape]]:
        """The types of an operation as dialects with tensors write them."""
        if not op.colon:
            return ([], []) if not op.results else (None, [])
        if op.arrow:
            shapes = read_types(self.text, op.colon, op.arrow - 2)[0]
            return shapes, read_types(self.text, op.arrow, op.end)[0]
        both, end = read_types(self.text, op.colon, op.end)
        if (cast := CAST.match(self.text, end, op.end)) is not None:
            return both, read_types(self.text, cast.end(), op.end)[0]
        number = sum(many for _, many in op.results)
        short = op.name.partition(".")[2]
        if number == 0:
            return both, []
        if short == "select" and len(both) == 2:
            return [both[0], both[1], both[1]], both[1:]
        if short in ("while", "optimization_barrier") or len(both) == number > 1:
            return both, both
        if not op.name.startswith((*DIALECTS, "chlo.")) and not op.name.endswith(".constant"):
            return None, []  # what comes out of other dialects' operations is not known
        return None, both[-1:]

    def head(self, op: Operation) -> str:
        """The text of an operation outside of regions and in front of its types."""
        parts = []
        for start, stop in op.spans:
            if op.colon and start < op.colon <= stop:
                parts.append(self.text[start : op.colon - 1])
            elif not op.colon or stop <= op.colon:
                parts.append(self.text[start:stop])
        return " ".join(parts)

    def operation(
        self, op: Operation, scopes: list[Scope], results: list[AnyShape] | None
    ) -> Iterator[Instruction]:
        """The instruction of an operation, behind those of its regions."""
        head = self.head(op)
        arguments, answers = self.types(op)
        short = op.name.partition(".")[2] if op.name.startswith(DIALECTS) else op.name
        plain = without_attributes(head)
        names = self.names(plain)
        inner: Scope = {}
        if op.regions and not op.name.startswith(DIALECTS):
            inner = self.definitions(head, scopes)
            names = [n for n in names if n not in inner]
        if short == "while":
            pairs = BINDING.findall(plain)
            if pairs:
                names = [right for _, right in pairs]
                inner = {left: shape for (left, _), shape in zip(pairs, answers)}
                arguments = answers
        elif short == "reduce":
            inner = self.reducer(op)
        if arguments is None and answers and short not in APART:  # one type stands for all
            arguments = answers * len(names)
        known = self.operand_shapes(op, names, scopes, arguments)
        for message, at in faults(op, head, len(names)):
            self.problems.append(self.error(message, at, "SL721"))
        for region in op.regions:  # those with arguments of their own do not have those in front
            names_in_front = {} if region.arguments[1] > region.arguments[0] else inner
            yield from self.region(region, [*scopes, names_in_front], None, op)
        if op.name in RETURNS:
            if results is not None and known is not None and op.name in RETURNS[:2]:
                shapes = tuple(known)
                self.returned(op, shapes, results)
                word = "return" if UNKNOWN in (*shapes, *results) else "tuple"
                yield self.instruction(op, word, TupleShape(tuple(results)), shapes, names)
            return
        yield self.in_hlo(op, short, head, known, answers, names)

    def returned(
        self, op: Operation, shapes: Sequence[AnyShape], results: Sequence[AnyShape]
    ) -> None:
        """A number and a `?` are two types, though each size may be the other at run time."""
        for a, b in zip(shapes, results):
            if not (isinstance(a, Shape) and isinstance(b, Shape)) or a.rank != b.rank:
                continue
            if any(
                isinstance(x, Dynamic) != isinstance(y, Dynamic) for x, y in zip(a.dims, b.dims)
            ):
                message = f"{a} is returned, and the function gives {b}"
                self.problems.append(self.error(message, op.at, "SL725"))

    def definitions(self, head: str, scopes: list[Scope]) -> Scope:
        """The values that an operation of another dialect defines for its regions."""
        table: Scope = {}
        for match in BOUND.finditer(head):
            name = match["name"]
            if not any(name in s or name.partition("#")[0] in s for s in scopes):
                typed = match["type"] is not None
                table[name] = read_type(head, match.start("type"))[0] if typed else UNKNOWN
        return table

    def reducer(self, op: Operation) -> Scope:
        """The arguments of a reduction's region, which stand in front of it."""
        table: Scope = {}
        for start, stop in op.spans:
            at = self.text.find("reducer", start, stop)
            while at >= 0 and (at := self.text.find("(", at, stop)) >= 0:
                end = closing(self.text, at, stop)
                table |= {name: shape for name, shape, _ in self.arguments(at + 1, end - 1)}
                at = end
        return table

    def names(self, plain: str) -> list[str]:
        """The operands' names, in the order of their types."""
        hits = USE.findall(plain)
        if "init:" in plain:
            groups = re.findall(r"(%[\w$.\-]+(?:#\d+)?)\s+init:\s*(%[\w$.\-]+(?:#\d+)?)", plain)
            return [a for a, _ in groups] + [b for _, b in groups]
        return hits

    def operand_shapes(
        self, op: Operation, names: list[str], scopes: list[Scope], args: list[AnyShape] | None
    ) -> list[AnyShape] | None:
        """The operands' shapes; a name that is not defined, or with another type, is a mistake."""
        definitions = []
        for name in names:
            shape = next((s[name] for s in reversed(scopes) if name in s), None)
            if shape is None:
                first = name + "#0" if "#" not in name else name.removesuffix("#0")
                shape = next((s[first] for s in reversed(scopes) if first in s), None)
            if shape is None:
                at = self.text.find(name, op.at, op.end)
                raise self.error(f"{name} is not defined here", max(at, op.at), "SL722")
            definitions.append(shape)
        if args is None:
            return definitions if names else None
        if len(args) != len(definitions):
            ours = op.name.startswith(DIALECTS) or op.name in (*RETURNS, "call", "func.call")
            if ours:
                one, two = count(len(definitions), "operand"), count(len(args), "type")
                raise self.error(f"{op.name} has {one}, and {two}", op.at, "SL721")
        else:
            for name, a, b in zip(names, args, definitions):
                if UNKNOWN not in (a, b) and not same_array(a, b) and not _both_dynamic(a, b):
                    at = self.text.find(name, op.begin, op.end)
                    message = f"{name} is given as {a}, and is {b}"
                    raise self.error(message, max(at, op.at), "SL723")
        return args

    def in_hlo(
        self,
        op: Operation,
        short: str,
        head: str,
        args: list[AnyShape] | None,
        outs: list[AnyShape],
        names: list[str],
    ) -> Instruction:
        """The operation as an instruction of HLO; of another dialect under its own name."""
        opcode = short.replace("_", "-")
        result = whole_of(outs) if outs else TupleShape(())
        if op.name in ("call", "func.call"):
            return self.call(op, head, args, result, names)
        if op.name.startswith(DIALECTS) and args is not None:
            regions = [self.signature(op, r) for r in op.regions]
            messages = (
                breaches(short, head, args, outs),
                region_breaches(short, args, outs, regions),
            )
            for message in chain(*messages):
                self.problems.append(self.error(f"{op.name} {message}", op.at, "SL721"))
        if not op.name.startswith(DIALECTS) or opcode in FOREIGN or args is None:
            opcode = op.name if not op.name.startswith(DIALECTS) else opcode
            return self.instruction(op, opcode, UNKNOWN, tuple(args or ()), names)
        sizes = [_sizes(s) for s in args]
        if opcode != "broadcast-in-dim":  # whose result alone may keep its bound
            result = _without_bounds(result)
        args = [_without_bounds(s) for s in args]
        if opcode in REDUCTIONS and any(_has_rank(s) for s in args[len(args) // 2 :]):
            return replace(self.instruction(op, opcode, result, tuple(args), names), unread="init")
        unread, hits = "", {}
        try:
            hits = attributes(opcode, Words(head, sizes))
        except Unclear as error:
            unread = str(error) or opcode
        except Wrong as error:
            unread = opcode
            self.problems.append(self.error(f"{op.name} {error}", op.at, "SL721"))
        if opcode in ("case", "if"):
            args = [args[0], *[TupleShape(())] * len(op.regions)] if args else []
            branches = [self.return_types(r) for r in op.regions]
            if branches and None not in branches:
                words = [f"(())->{whole_of(b)}" for b in branches if b is not None]
                hits["branch_computations"] = f"{{{', '.join(words)}}}"
            else:
                unread = unread or "regions"
        elif opcode in SIGNED:
            if short in REDUCERS and promotes(args, outs):
                unread = unread or "promotion"
            keys = ("condition", "body") if opcode == "while" else ("to_apply",)
            for key, region in zip(keys, op.regions):
                text = self.region_signature(region, outs if opcode == "while" else None)
                if text is not None:
                    hits[key] = text
        opcode = NAMES.get(opcode, opcode)
        made_one = self.instruction(op, opcode, result, tuple(args), names)
        return replace(made_one, attributes=hits, unread=unread)

    def call(
        self,
        op: Operation,
        head: str,
        args: list[AnyShape] | None,
        result: AnyShape,
        names: list[str],
    ) -> Instruction:
        """The call of a function of this module."""
        match = CALLEE.search(head)
        signature = self.signatures.get(match[1]) if match is not None else None
        instruction = self.instruction(op, "call", result, tuple(args or ()), names)
        if signature is None or args is None:
            return replace(instruction, unread="callee")
        return replace(instruction, attributes={"called": signature})

    def return_types(self, region: Region) -> list[AnyShape] | None:
        """What a region gives back, None where that is not known."""
        if not region.operations or region.operations[-1].name not in RETURNS:
            return None
        last = region.operations[-1]
        shapes = read_types(self.text, last.colon, last.end)[0] if last.colon else []
        return None if UNKNOWN in shapes else shapes

    def signature(self, op: Operation, region: Region) -> Signature:
        """What a region takes and gives by its own text; a mistake in it is told elsewhere."""
        try:
            arguments = [s for _, s, _ in self.arguments(*region.arguments)]
            if not arguments and op.name.endswith(".reduce"):  # a pair for each array
                pairs = list(self.reducer(op).values())
                arguments = pairs[::2] + pairs[1::2]
            return Signature(arguments, self.return_types(region))
        except LayoutError:
            return Signature(None, None)

    def region_signature(self, region: Region, default: list[AnyShape] | None) -> str | None:
        """What a region takes and gives, None where that is not known."""
        arguments = [s for _, s, _ in self.arguments(*region.arguments)] or default
        shapes = self.return_types(region)
        if shapes is None or not arguments or UNKNOWN in arguments:
            return None
        return f"({', '.join(map(str, arguments))})->{whole_of(shapes)}"

    def instruction(
        self,
        op: Operation,
        opcode: str,
        shape: AnyShape,
        args: tuple[AnyShape, ...],
        names: list[str],
    ) -> Instruction:
        words = [n.removeprefix("%") for n in names] + [""] * len(args)
        at = op.begin - len(op.name.partition(".")[2] or op.name)
        if self.text[op.begin - 1] == '"':
            at -= 1
        return Instruction(
            op.results[0][0] if op.results else "",
            opcode,
            shape,
            tuple(Operand(n, s) for n, s in zip(words, args)),
            at=at,
            shape_at=op.colon or op.at,
            shape_end=op.end,
        )


def without_attributes(head: str) -> str:
    """The text of an operation without strings and without all that stands in braces.

    >>> without_attributes('{my.attr = "%b"} %a, dims = [0] <{x = {y = 1}}>')
    ' %a, dims = [0] <>'
    """
    parts, at, depth = [], 0, 0
    for match in BRACES.finditer(head):
        token = match.group()
        if depth == 0:
            parts.append(head[at : match.start()])
        depth = max(0, depth + (token == "{") - (token == "}"))
        at = match.end()
    return "".join([*parts, head[at:] if depth == 0 else ""])


def _sizes(shape: AnyShape) -> list[int | None] | None:
    """The sizes of an array, None in place of those that are not known."""
    if not isinstance(shape, Shape):
        return None
    return [d if isinstance(d, int) else None for d in shape._dims]


def _has_rank(shape: AnyShape) -> bool:
    return isinstance(shape, Shape) and shape.rank > 0


def _without_bounds(shape: AnyShape) -> AnyShape:
    """The shape with `?` for every bounded size: here a bound is only what is known of a `?`."""
    if isinstance(shape, TupleShape):
        return TupleShape(tuple(_without_bounds(s) for s in shape))
    if isinstance(shape, Shape) and any(isinstance(d, Dynamic) for d in shape._dims):
        dims = tuple(Dynamic() if isinstance(d, Dynamic) else d for d in shape._dims)
        return Shape(shape.dtype, dims)
    return shape


def _both_dynamic(a: AnyShape, b: AnyShape) -> bool:
    """Whether the two differ in bounds alone, which are no part of a type's name everywhere."""
    if not (isinstance(a, Shape) and isinstance(b, Shape)) or a.dtype != b.dtype:
        return False
    if a.rank != b.rank:
        return False
    return all(
        x == y or (isinstance(x, Dynamic) and isinstance(y, Dynamic))
        for x, y in zip(a._dims, b._dims)
    )


def _commas(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """The parts between commas outside all brackets, angle brackets too."""
    begin, end, depth = -1, start, 0
    for at, word in split_commas(text, start, stop):
        angles = ANGLES.sub("", word)
        depth += angles.count("<") - angles.count(">")
        begin, end = at if begin < 0 else begin, at + len(word)
        if depth <= 0:
            yield begin, text[begin:end]
            begin, depth = -1, 0
    if begin >= 0:
        yield begin, text[begin:end]
