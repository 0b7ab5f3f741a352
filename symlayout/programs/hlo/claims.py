"""What a module claims: every layout, bitcast, broadcast and shape of it, each once.

Claims that read alike are one claim, so that a module of thousands of instructions leaves few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from symlayout.errors import LayoutError
from symlayout.layouts.notation import Text
from symlayout.layouts.xla import AnyShape, BufferShape, Dynamic, Shape, TupleShape
from symlayout.programs.hlo.attributes import plain
from symlayout.programs.hlo.bitcasts import describe
from symlayout.programs.hlo.buffers import arrays_of, at_bounds, buffers
from symlayout.programs.hlo.constraints import KEY, laid_out
from symlayout.programs.hlo.known import KNOWN
from symlayout.programs.hlo.module import (
    COMPUTATIONS,
    LEFT_OUT,
    UNKNOWN,
    Computation,
    Instruction,
    Module,
    Operand,
)
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.reader import read_modules
from symlayout.programs.hlo.rules import ATTRIBUTES, WORDS, demands_of, rule_of
from symlayout.programs.hlo.slices import describe_slice, is_partial, uncovered
from symlayout.programs.hlo.stablehlo import read_stablehlo_modules
from symlayout.programs.hlo.users import sliced_by
from symlayout.text.dumps import language_of
from symlayout.text.endings import ends_in
from symlayout.text.patterns import regex

# opcodes that run a computation on their operands, and the attribute that names it
CALLS = {
    "fusion": "calls",
    "call": "to_apply",
    "async-start": "calls",
    "fusion-start": "calls",
    "call-start": "to_apply",
}
# the computations whose parameters and roots the other rules look at
SIGNED_WORDS = """
to_apply condition body select scatter branch_computations true_computation false_computation
"""
SIGNED = frozenset(SIGNED_WORDS.split())
UNSIGNED = frozenset({"all-reduce", "all-reduce-start", "reduce-scatter"})
# opcodes that the rules of whole computations are about
STRUCTURE = frozenset({"parameter"})
LOOKED_AT = frozenset({*ATTRIBUTES, *SIGNED, KEY})
# operations of StableHLO whose operands and result have one element type: HLO lets precision differ
ALIKE_WORDS = """
add subtract multiply divide remainder maximum minimum power atan2 compare negate abs ceil floor cosine
sine
tan tanh exponential exponential-minus-one log log-plus-one logistic sqrt rsqrt cbrt sign transpose
reshape broadcast broadcast-in-dim slice reverse concatenate pad clamp dynamic-slice
dynamic-update-slice select round-nearest-afz round-nearest-even
"""
ALIKE = frozenset(ALIKE_WORDS.split())
# opcodes of HLO whose result has the very element type of its operand
KEEPS_TYPE = frozenset({"broadcast", "dynamic-update-slice", "reshape"})
SHORT = 100  # characters of a literal that are compared with others
LITERAL = regex(r"[^\s,{}()]*+\([^()]*+\)|[^\s,{}()]++")


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
    is_return: bool = False


@dataclass(frozen=True)
class ModuleClaims:
    """The claims of a module in the order of its text, and what in it could not be read.

    `not_checked` counts the instructions about whose shapes nothing is claimed, by opcode.
    `nothing_to_check` says that all of it was read, and that it has nothing to claim.
    """

    module: Module
    claims: tuple[ModuleClaim, ...]
    problems: tuple[LayoutError, ...]
    not_checked: Mapping[str, int] = field(default_factory=dict)

    @property
    def nothing_to_check(self) -> bool:
        """Whether all of the module was read, and nothing of it makes a claim."""
        silent = not (self.claims or self.problems or self.not_checked)
        shapes = [i.shape for i in self.module.instructions]
        return silent and bool(shapes) and not any(s is UNKNOWN for s in shapes)


def module_claims(
    text: str, filename: str = "", max_padding: str | float | None = None
) -> ModuleClaims:
    """The claims of an HLO or StableHLO module; of the first, where a text holds several.

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
    return claims_of(modules_of(text, filename)[0], max_padding)


def modules_of(text: str, filename: str = "") -> tuple[Module, ...]:
    """The modules of a text, in the language that it begins with (else that of the file's name).

    >>> text = "func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> { return %a : tensor<3xf32> }"
    >>> [m.dialect for m in modules_of(text)], [m.dialect for m in modules_of("ENTRY e {}")]
    (['stablehlo'], ['hlo'])

    What cannot be read is among a module's `problems`.
    """
    language = language_of(text) or ("mlir" if ends_in(filename, ".mlir") else "hlo")
    return read_stablehlo_modules(text) if language == "mlir" else read_modules(text)


def claims_of(module: Module, max_padding: str | float | None = None) -> ModuleClaims:
    """The claims of one module.

    >>> (module,) = modules_of("ENTRY e {\\n  x = f32[2,3]{1,0} parameter(0)\\n}")
    >>> [(c.word, *c.arguments) for c in claims_of(module).claims]
    [('valid', 'f32[2,3]{1,0}')]

    With `max_padding` every buffer claims to have at most that many times the elements of its array.
    """
    collected = _Collected(module)
    fused = {name for i in module.instructions if i.opcode == "fusion" for _, name in i.called}
    for computation in module.computations:
        collected.enter(computation, computation.name in fused)
        unknown = {i.name for i in computation.instructions if i.shape is UNKNOWN}
        for instruction in computation.instructions:
            if not (_returns(module, instruction) and _is_open(instruction, unknown)):
                collected.add(instruction)
    problems = module.problems
    if module.dialect == "stablehlo":
        problems += tuple(p for i in module.instructions for p in precisions(module, i))
    try:
        collected.add_entry()
    except LayoutError as error:
        problems = (error, *problems)
    if max_padding is not None:
        for instruction in buffers(module):
            collected.add_padding(instruction, str(max_padding))
    claims = collected.claims()
    if all(c.is_return for c in claims):  # of the arguments as they are
        claims = tuple(c for c in claims if not _says_itself(c.arguments[0]))
    return ModuleClaims(module, claims, problems, dict(collected.not_checked))


def _returns(module: Module, i: Instruction) -> bool:
    """Whether an instruction is the `return` of a function of StableHLO."""
    return module.dialect == "stablehlo" and i.opcode == "tuple" and not i.name


def _is_open(i: Instruction, unknown: Collection[str]) -> bool:
    """Whether a `return` gives what operations make that are not read, in its function's types."""
    shapes = TupleShape(tuple(o.shape for o in i.operands if o.shape is not None))
    makers = {o.name.partition("#")[0] for o in i.operands}
    return str(shapes) == str(i.shape) and not makers.isdisjoint(unknown)


def _says_itself(text: str) -> bool:
    """Whether a tuple is claimed to have the elements that it is made of."""
    result, _, operands = text.partition(" tuple")
    return result == operands


def precisions(module: Module, i: Instruction) -> Iterator[LayoutError]:
    """The error of an operation of StableHLO that is given floats of other types than it makes."""
    if i.opcode not in ALIKE:
        return
    shapes = [s for s in (i.shape, *[o.shape for o in i.operands]) if isinstance(s, Shape)]
    types = dict.fromkeys(s.dtype for s in shapes if s.dtype.startswith(("f", "bf")))
    if len(types) > 1:
        message = f"{i.opcode} has one element type, not {' and '.join(types)}"
        yield LayoutError("SL723", message, text=module.text, at=i.at, end=i.at + len(i.name))


class _Collected:
    """Claims by what they say: the first of those that read alike stands for all."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.computation, self.fused = Computation("", ()), False
        self.rows: dict[tuple[str, ...], ModuleClaim] = {}
        self.uses: Counter[tuple[str, ...]] = Counter()
        self.not_checked: Counter[str] = Counter()
        self._seen: dict[tuple[object, ...], list[tuple[str, ...]]] = {}
        self._put: list[tuple[str, ...]] = []
        self._signatures: dict[str, Text] = {}
        self._texts: dict[tuple[int, bool], tuple[AnyShape, Text]] = {}
        self._bares: dict[Text, Text] = {}
        self._judged: dict[str, bool] = {}
        self._bitcasts: dict[tuple[int, int], tuple[str, tuple[str, ...], str]] = {}
        self._layouts: dict[int, tuple[AnyShape, tuple[Text, ...]]] = {}

    def enter(self, computation: Computation, fused: bool) -> None:
        """The next instructions are those of a computation, perhaps a fusion's."""
        self.computation, self.fused = computation, fused

    def claims(self) -> tuple[ModuleClaim, ...]:
        claims = (replace(c, uses=self.uses[key]) for key, c in self.rows.items())
        return tuple(replace(c, name=_title(c)) for c in claims)

    def text(self, shape: AnyShape, bare: bool = False) -> Text:
        """The shape as text, with its layout or without; the module's shapes are few objects."""
        key = (id(shape), bare)
        if key not in self._texts:  # the shape is kept, so that no other one gets its id
            self._texts[key] = (shape, self._bare(shape) if bare else Text.of(shape))
        return self._texts[key][1]

    def _bare(self, shape: AnyShape) -> Text:
        """The shape without its layout: one object for all that read alike."""
        if isinstance(shape, TupleShape):
            parts = [self.text(s, bare=True) for s in shape]
            result = Text(f"({', '.join(parts)})", TupleShape(tuple(p.value for p in parts)))
        elif isinstance(shape, Shape):
            result = Text.of(Shape(shape.dtype, shape._dims))
        elif isinstance(shape, BufferShape):
            result = Text.of(BufferShape(Shape(shape.content.dtype, shape.content._dims)))
        else:
            result = Text.of(shape)
        return self._bares.setdefault(result, result)

    def layouts(self, shape: AnyShape) -> tuple[Text, ...]:
        """The layouts in a shape, as text, with the bounds of sizes; those without leave none."""
        if id(shape) not in self._layouts:
            results = tuple(
                self.text(s)
                for s in map(at_bounds, arrays_of(shape))
                if s.explicit and not any(isinstance(d, Dynamic) for d in s._dims)
            )
            self._layouts[id(shape)] = (shape, results)
        return self._layouts[id(shape)][1]

    def add(self, i: Instruction) -> None:
        """The claims of an instruction; those that read as an earlier one have its claims."""
        key = self.reading(i)
        put = self._seen.get(key) if key else None
        if put is None:
            put = self._put = []
            self.claim(i)
            if key:
                self._seen[key] = put
            return
        for claim in put:
            if claim in self.uses:
                self.uses[claim] += 1
            else:
                self.not_checked[claim[0]] += 1

    def reading(self, i: Instruction) -> tuple[object, ...]:
        """What decides which claims an instruction has; () where that is not said in short.

        The shapes of a module are kept by it, so that no other gets the place of one in memory.
        """
        if i.opcode == "constant" and len(i.arguments) > SHORT:
            return ()
        attributes = plain(i.attributes)
        if i.opcode == "get-tuple-element" and len(i.operands) == 1:
            whole, index = i.operands[0].shape, attributes.get("index", "")
            if isinstance(whole, TupleShape) and index.isdigit() and int(index) < len(whole):
                return i.opcode, i.unread, id(i.shape), id(whole[int(index)])
        return (
            i.opcode,
            self.fused,
            i.unread,
            self.strange(attributes),
            id(i.shape),
            *[id(o.shape) for o in i.operands],
            i.arguments if i.opcode == "constant" else "",
            *[(k, v) for k, v in attributes.items() if k in LOOKED_AT],
            *(() if COMPUTATIONS.isdisjoint(attributes) else self.signatures(i)),
        )

    def strange(self, attributes: Mapping[str, str]) -> bool:
        """Whether an HLO instruction carries an attribute that this reader has never heard of."""
        return self.module.dialect == "hlo" and not attributes.keys() <= KNOWN

    def leave(self, opcode: str) -> None:
        """Nothing is claimed of an instruction with that opcode."""
        self.not_checked[opcode] += 1
        self._put.append((opcode,))

    def claim(self, i: Instruction) -> None:
        """The claims of an instruction that reads as no other before it."""
        if i.opcode != "get-tuple-element":  # the tuple has said it already
            for text in self.layouts(i.shape):
                self.put(i, "valid", (text,))
        for a, b in laid_out(i) if self.module.scheduled else ():
            self.same_layout(i, a, b)
        if i.unread == LEFT_OUT:
            return  # which is a problem of the module
        arguments = [o.shape for o in i.operands]
        unread = i.unread or self.strange(plain(i.attributes))
        if unread or i.shape is UNKNOWN or any(s is None or s is UNKNOWN for s in arguments):
            if i.opcode not in STRUCTURE:
                self.leave(i.opcode)
            return
        shapes = [s for s in arguments if s is not None]
        if self.fused and i.opcode in KEEPS_TYPE and _mixed(i.shape, *shapes):
            self.leave(i.opcode)  # compilers change the precision inside of fusions
            return
        makers: dict[str, Callable[[Instruction, Shape, Shape], None]] = {
            "bitcast": self.bitcast,
            "broadcast": self.broadcast,
            "broadcast-in-dim": self.broadcast,
        }
        make = makers.get(i.opcode)
        if make is not None:
            if len(shapes) == 1 and isinstance(shapes[0], Shape) and isinstance(i.shape, Shape):
                make(i, shapes[0], i.shape)
            elif len(shapes) != 1:
                self.instruction(i, shapes)
            else:
                self.leave(i.opcode)
        elif i.opcode in CALLS and not ("called" in plain(i.attributes) or any(self.signatures(i))):
            self.leave(i.opcode)  # what it runs has a shape that is not known
        elif rule_of(i.opcode) is not None:
            self.instruction(i, shapes)
        elif i.opcode not in STRUCTURE:
            self.leave(i.opcode)

    def instruction(self, i: Instruction, shapes: list[AnyShape]) -> None:
        """The claim that the shape follows, where the attributes are understood."""
        text = self.long_form(i, shapes)
        if i.opcode == "constant" and "elements=" not in text:
            return  # the literal is cut short
        if text not in self._judged:
            self._judged[text] = self.understood(text)
        if not self._judged[text]:
            self.leave(i.opcode)
        else:
            self.put(i, "instruction", (text,))

    def understood(self, text: Text) -> bool:
        """Whether the rule understands every attribute that it looks at."""
        result = text.value
        try:
            operands = tuple(o.shape for o in result.operands if o.shape is not None)
            demands_of(Verifier(result.opcode, result.shape, operands, result.attributes))
        except LayoutError:
            return False
        return True

    def add_entry(self) -> None:
        """The layouts that the title promises are those of the entry computation.

        Raises `LayoutError` for a promise that cannot be read.
        """
        promised, entry = self.module.entry_shapes(), self.module.entry
        if promised is None or entry is None or entry.root is None:
            return
        shapes = [entry.root.shape, *[p.shape for p in entry.parameters]]
        if self.module.problems or any(s is UNKNOWN for s in shapes):
            return  # what is promised may be of what could not be read
        arguments = [a for p in entry.parameters for a in arrays_of(p.shape)]
        owners = [p for p in entry.parameters for _ in arrays_of(p.shape)]
        results = list(arrays_of(entry.root.shape))
        owners += [entry.root] * len(results)
        targets = [a for shape in promised for a in arrays_of(shape)]
        if len(targets) != len(arguments) + len(results):
            there = len(arguments) + len(results)
            message = f"{len(targets)} arrays are promised, {there} are there"
            raise LayoutError("SL723", message, text=self.module.text, at=entry.at)
        for i, a, b in zip(owners, targets, [*arguments, *results]):
            if any(isinstance(d, Dynamic) for d in (*a._dims, *b._dims)) or a.dtype != b.dtype:
                self.put(i, "instruction", (self.form("copy", a, [b]),))
            same_type = a.dtype == b.dtype
            if same_type and self.module.scheduled and a.explicit and b.explicit:
                # layouts are assigned by then; before, those of the title are a wish
                self.same_layout(i, a, b)

    def same_layout(self, i: Instruction, a: Shape, b: Shape) -> None:
        room = at_bounds(a), at_bounds(b)
        if not any(isinstance(d, Dynamic) for s in room for d in s._dims):
            self.put(i, "equal", (self.text(room[0]), self.text(room[1])))

    def add_padding(self, i: Instruction, ratio: str) -> None:
        for shape in map(at_bounds, arrays_of(i.shape)):
            sized = not any(isinstance(d, Dynamic) for d in shape._dims)
            if shape._tiles and sized and any(d != 1 for d in shape._dims):
                self.put(i, "padding", (self.text(shape), ratio))

    def bitcast(self, i: Instruction, source: Shape, result: Shape) -> None:
        if is_partial(source, result) and (dims := uncovered(source, result)):
            reader = sliced_by(self.module, self.computation, i, source)
            if reader:
                self.covered(i, source, result, dims, reader)
                return
        pair = id(source), id(result)
        known = self._bitcasts.get(pair)
        if known is not None:  # the shapes are kept by the module
            self.put(i, known[0], known[1], words=known[2])
            return
        if is_partial(source, result):
            text = self.form("bitcast", result, [source], bare=False)
            if self.understood(text):
                fits = prod(map(int, map(str, result._dims))) < prod(
                    map(int, map(str, source._dims))
                )
                words = describe_slice(source, result) if fits else ""
                self._bitcasts[pair] = "instruction", (text,), words
                self.put(i, "instruction", (text,), words=words)
            else:
                self.leave(i.opcode)
            return
        words = describe(source, result) or ""
        both = self.text(source), self.text(result)
        self._bitcasts[pair] = "reinterpret", both, words
        self.put(i, "reinterpret", both, words=words)

    def covered(
        self, i: Instruction, source: Shape, result: Shape, dims: list[int], reader: str
    ) -> None:
        """What is read of a bitcast that uncovers padding lies where the operand has elements."""
        sizes = [a if k in dims else b for k, (a, b) in enumerate(zip(source._dims, result._dims))]
        text = self.form("bitcast", replace(result, _dims=tuple(sizes)), [source], bare=False)
        places = " and ".join(map(str, dims))
        words = f"padding of dimension {places} is uncovered, which {reader} slices away"
        self.put(i, "instruction", (text,), words=words)

    def broadcast(self, i: Instruction, operand: Shape, result: Shape) -> None:
        dialect = "hlo" if i.opcode == "broadcast" else "stablehlo"
        dims = i.attributes.get("dimensions", "").strip("{} ")
        options = (("dims", dims), ("dialect", dialect)) if dims else (("dialect", dialect),)
        shapes = (self.text(operand, bare=True), self.text(result, bare=True))
        self.put(i, "broadcast", shapes, options)

    def long_form(self, i: Instruction, shapes: list[AnyShape]) -> Text:
        """The instruction with its operands' shapes instead of their names."""
        given_here = plain(i.attributes)
        attributes = [
            (key, given_here[key])
            for key in (*ATTRIBUTES, *WORDS)
            if key in given_here and given_here[key] not in WORDS.get(key, ())
        ]
        if i.opcode == "get-tuple-element":
            shapes, attributes = self.one_element(i, shapes, attributes)
        elif i.opcode == "constant":
            number = elements(i)
            attributes = [] if number is None else [("elements", str(number))]
        return self.form(i.opcode, i.shape, shapes, [*attributes, *self.signatures(i)])

    def form(
        self,
        opcode: str,
        shape: AnyShape,
        shapes: Sequence[AnyShape],
        attributes: Sequence[tuple[str, str]] = (),
        bare: bool = True,
    ) -> Text:
        """The text of an instruction in long form, which is known and need not be read."""
        result, operands = self.text(shape, bare), [self.text(s, bare) for s in shapes]
        inside = ", ".join(operands)
        parts = [f"{result} {opcode}({inside})", *[f"{key}={value}" for key, value in attributes]]
        places = tuple(Operand("", o.value) for o in operands)
        instruction = Instruction("", opcode, result.value, places, inside, dict(attributes))
        return Text(", ".join(parts), instruction)

    def one_element(
        self, i: Instruction, shapes: list[AnyShape], attributes: list[tuple[str, str]]
    ) -> tuple[list[AnyShape], list[tuple[str, str]]]:
        """An element of a tuple as that of a tuple of one: the others do not count."""
        index = i.attributes.get("index", "")
        whole = shapes[0] if len(shapes) == 1 else None
        if not (isinstance(whole, TupleShape) and index.isdigit() and int(index) < len(whole)):
            return shapes, attributes
        return [TupleShape((whole[int(index)],))], [("index", "0")]

    def signatures(self, i: Instruction) -> Iterator[tuple[str, str]]:
        """The parameters and roots of the computations that the instruction runs."""
        if i.opcode in CALLS:
            hits = [self.signature(name) for key, name in i.called if key == CALLS[i.opcode]]
            if hits and hits[0]:
                yield "called", hits[0]
            return
        if SIGNED.isdisjoint(i.attributes) or self.unsigned(i):
            return
        for key in sorted(SIGNED):
            if "->" in i.attributes.get(key, ""):  # a region, which has no name
                yield key, i.attributes[key]
                continue
            names = [name for other, name in i.called if other == key]
            results = [self.signature(name) for name in names]
            if results and all(results):
                one = results[0] if key != "branch_computations" else f"{{{', '.join(results)}}}"
                yield key, one

    def unsigned(self, i: Instruction) -> bool:
        """Whether no rule looks at the computation: HLO's collectives take any."""
        return self.module.dialect == "hlo" and i.opcode in UNSIGNED

    def signature(self, name: str) -> Text:
        """The parameters and the root of a computation, empty where they are not known."""
        if name not in self._signatures:
            self._signatures[name] = self.signed(name)
        return self._signatures[name]

    def signed(self, name: str) -> Text:
        c = self.module.by_name.get(name)
        if c is None or c.root is None or c.broken:
            return Text("")
        shapes = [c.root.shape, *[p.shape for p in c.parameters]]
        if any(s is UNKNOWN for s in shapes):
            return Text("")
        root, *arguments = (self.text(s, bare=True) for s in shapes)
        value = tuple(p.value for p in arguments), root.value
        return Text(f"({', '.join(arguments)})->{root}", value)

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
        self._put.append(key)
        if key in self.rows:
            return
        at, end = (i.shape_at, i.shape_end) if word == "valid" else (i.at, i.at + len(i.name))
        line, column, source = self.module.line_of(at)
        width = max(1, min(end - at, len(source) - column + 1))
        name = i.name or f"{i.opcode} in line {line}"
        own = (line, column, width, source, words, 1, _returns(self.module, i))
        self.rows[key] = ModuleClaim(name, word, arguments, options, *own)


def _mixed(*shapes: AnyShape) -> bool:
    """Whether arrays have elements of bf16 and of f32."""
    return {"bf16", "f32"} <= {s.dtype for shape in shapes for s in arrays_of(shape)}


def elements(i: Instruction) -> int | None:
    """How many elements a constant's literal has.

    None where it is cut short or no array's, and where one number stands for all elements.

    >>> from symlayout.programs.hlo.reader import read_instruction
    >>> elements(read_instruction("s32[2,2] constant({ {1, 2}, {3, 4} })"))
    4
    """
    if not i.arguments.strip() or "..." in i.arguments or not isinstance(i.shape, Shape):
        return None
    if i.shape.rank and "{" not in i.arguments:
        return None
    return sum(1 for _ in LITERAL.finditer(i.arguments))


def _title(c: ModuleClaim) -> str:
    """The instruction, how many more say the same, and what a bitcast does."""
    more = f" and {c.uses - 1} more" if c.uses > 1 else ""
    return f"{c.name}{more}" + (f": {c.words}" if c.words else "")
