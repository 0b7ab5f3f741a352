"""Sizes by name in programs that jax.export has made for sizes known later.

Their types say `?`.  What a `?` is follows from the text: the names that the program was given
(`args[0].shape = (b, t)`), `get_dimension_size`, and the numbers that operations calculate and give
to others as sizes.  A name stands for every size, and is put in only where the operation's rule
then holds whatever it is; elsewhere the `?` stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from symlayout.digits.assume import context_of
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Max, Min, Size, as_expr, as_size, symbol
from symlayout.expr.tree import Dummy, Expr, Integer, expand
from symlayout.layouts.xla import AnyShape, Dynamic, Shape, TupleShape
from symlayout.programs.hlo.module import Computation, Instruction, Module, Operand
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.results import dims_of
from symlayout.programs.hlo.rules import demands_of
from symlayout.text.patterns import regex

MARK = "jax.uses_shape_polymorphism"
SPECIFIED = regex(r"polymorphic shapes specifications: (?P<all>.*?\))[,.]? Obtained")
SHAPE = regex(r"\.shape = \((?P<sizes>[^()]*(?:\([^()]*\)[^()]*)*)\)")
CONSTANT = regex(r'%[\w$.\-]+:[^%{}]*\{jax\.global_constant = "(?P<name>\w+)"')
CALL = regex(r"(?:func\.)?call\s+@(?P<name>[\w.\-$]+)")
LITERAL = regex(r"constant\s+dense<\[?(?P<numbers>[-\d,\s]*)\]?>")
DEEPEST = 50  # calls in calls
LONGEST = 16  # numbers that an operation can be given as sizes
WHOLE = frozenset({"s32", "s64"})
Values = tuple[Expr, ...]


def with_sizes(module: Module) -> Module:
    """The module with names for its sizes, if it is such a program."""
    entry = module.entry
    if module.problems or entry is None or MARK not in module.text:
        return module
    names = _Names(module)
    shapes = names.argument_shapes(entry)
    if shapes is None:
        return module
    names.function(entry, shapes, {})
    computations = tuple(names.computations.get(c.name, c) for c in module.computations)
    return replace(module, computations=computations)


class _Names:
    """The functions of a module, from its entry on, those that are called once."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.computations: dict[str, Computation] = {}
        self.depth = 0
        hits = (self.callee(i) for i in module.instructions if i.opcode == "call")
        self.calls = Counter(name for name in hits if name)

    def argument_shapes(self, entry: Computation) -> list[AnyShape] | None:
        """The shapes of the entry's arguments by the names that the program was given."""
        spec = SPECIFIED.search(self.module.text)
        texts = [] if spec is None else [m["sizes"] for m in SHAPE.finditer(spec["all"])]
        parameters = entry.parameters
        if len(texts) != len(parameters):
            return None
        shapes: list[AnyShape] = []
        for p, text in zip(parameters, texts):
            words = [w.strip() for w in re.split(r",(?![^(]*\))", text) if w.strip()]
            if not isinstance(p.shape, Shape) or len(words) != p.shape.rank:
                return None
            shapes.append(_with_numbers(p.shape, [_size(w) for w in words]))
        return shapes

    def callee(self, i: Instruction) -> str:
        """The name of the function that a call calls."""
        match = CALL.match(self.module.text, i.at)
        return "" if match is None else match["name"]

    def unknown(self, count: int) -> Values:
        """Numbers of which nothing is known but that they stay the same."""
        return tuple(Dummy() for _ in range(count))

    def function(
        self, c: Computation, arguments: Sequence[AnyShape], values: Mapping[str, Values]
    ) -> list[AnyShape]:
        """Names the sizes in a function; what it returns."""
        self.computations[c.name] = c  # should it call itself
        self.depth += 1
        shapes: dict[str, AnyShape] = {}
        names = dict(values)
        returned: list[AnyShape] = []
        out: list[Instruction] = []
        for p, shape in zip(c.parameters, arguments):
            shapes[p.name] = shape
            constant = CONSTANT.match(self.module.text, p.at)
            if constant is not None:
                names[p.name] = (symbol(constant["name"]),)
        for i in c.instructions:
            if i.opcode == "parameter":
                out.append(replace(i, shape=shapes.get(i.name, i.shape)))
                continue
            now = self.instruction(i, shapes, names)
            out.append(now)
            if i.opcode == "tuple":
                returned = [o.shape for o in now.operands if o.shape is not None]
        self.depth -= 1
        self.computations[c.name] = replace(c, instructions=tuple(out))
        return returned

    def instruction(
        self, i: Instruction, shapes: dict[str, AnyShape], known: dict[str, Values]
    ) -> Instruction:
        """The instruction with its sizes by name, which `shapes` and `known` then have as well."""
        arguments = [shapes.get(o.name, o.shape) or o.shape for o in i.operands]
        places = tuple(Operand(o.name, s) for o, s in zip(i.operands, arguments))
        values = [self.numbers(o, known) for o in places]
        attributes: Mapping[str, str] = i.attributes
        if i.opcode == "call":
            result, attributes = self.call(i, arguments, values)
        elif i.opcode == "tuple":
            result = TupleShape(tuple(s for s in arguments if s is not None))
        else:
            result = _result_shape(i, [s for s in arguments if isinstance(s, Shape)], values)
        shapes[i.name] = result
        if isinstance(result, TupleShape):
            shapes.update({f"{i.name}#{k}": s for k, s in enumerate(result)})
        hits = self.value(i, arguments, values)
        if hits is not None:
            known[i.name] = hits
        instruction = replace(i, shape=result, operands=places, attributes=attributes)
        return instruction if _holds(instruction) else i

    def call(
        self, i: Instruction, operands: list[AnyShape | None], values: list[Values | None]
    ) -> tuple[AnyShape, Mapping[str, str]]:
        """What a call gives, and its signature; of a function that is called twice, as written."""
        name = self.callee(i)
        call = self.module.by_name.get(name)
        once = self.calls[name] == 1 and name not in self.computations and self.depth < DEEPEST
        if call is None or not once or None in operands:
            return i.shape, i.attributes
        arguments = [s for s in operands if s is not None]
        numbers = {p.name: v for p, v in zip(call.parameters, values) if v is not None}
        results = self.function(call, arguments, numbers)
        shape = results[0] if len(results) == 1 else TupleShape(tuple(results))
        signature = f"({', '.join(map(str, arguments))})->{shape}"
        return shape, {**i.attributes, "called": signature}

    # -- the numbers that sizes are made of -------------------------------------------------------

    def numbers(self, o: Operand, known: dict[str, Values]) -> Values | None:
        """The numbers that an operand holds, where these are few integers."""
        count = _count(o.shape)
        if count is None:
            return None
        return known.get(o.name) or known.setdefault(o.name, self.unknown(count))

    def value(
        self, i: Instruction, operands: list[AnyShape | None], values: list[Values | None]
    ) -> Values | None:
        """The numbers that an instruction calculates."""
        count = _count(i.shape)
        if count is None:
            return None
        if i.opcode == "constant":
            match = LITERAL.match(self.module.text, i.at)
            words = [] if match is None else [w for w in match["numbers"].split(",") if w.strip()]
            results = tuple(Integer(int(w)) for w in words)
            return (
                results * count if len(results) == 1 else results if len(results) == count else None
            )
        if i.opcode == "get-dimension-size":
            axis = i.attributes.get("dimensions", "").strip("{}")
            shape = operands[0] if operands else None
            if not isinstance(shape, Shape) or not axis.isdigit() or int(axis) >= shape.rank:
                return None
            size = shape._dims[int(axis)]
            return None if isinstance(size, Dynamic) else (as_expr(size),)
        return _result_numbers(i.opcode, values, count)


def _result_numbers(opcode: str, values: list[Values | None], count: int) -> Values | None:
    """The numbers that an operation makes of numbers."""
    if not values or None in values:
        return None
    arguments = [v for v in values if v is not None]
    if opcode in ("convert", "reshape") and len(arguments[0]) == count:
        return arguments[0]
    if opcode == "concatenate":
        union = tuple(n for v in arguments for n in v)
        return union if len(union) == count else None
    if opcode == "broadcast-in-dim" and len(arguments[0]) == 1:
        return arguments[0] * count
    if len(arguments) != 2 or len(arguments[0]) != count or len(arguments[1]) != count:
        return None
    pairs = list(zip(*arguments))
    if opcode in ("add", "subtract", "multiply"):
        sign = {"add": 1, "subtract": -1}.get(opcode)
        return tuple(expand(a * b if sign is None else a + sign * b) for a, b in pairs)
    if opcode in ("maximum", "minimum"):
        word = Max if opcode == "maximum" else Min
        return tuple(word(a, b) for a, b in pairs)
    return None


def _count(shape: AnyShape | None) -> int | None:
    """How many integers a scalar or a short list holds."""
    if not isinstance(shape, Shape) or shape.dtype not in WHOLE or shape.rank > 1:
        return None
    size = shape._dims[0] if shape.rank else 1
    return size if isinstance(size, int) and 0 < size <= LONGEST else None


def _size(word: str) -> Size | None:
    """A size of a specification, None for what is not a plain expression."""
    with suppress(LayoutError):
        return as_size(read_expression(re.sub(r"floordiv\((\w+), (\d+)\)", r"(\1 // \2)", word)))
    return None


def _with_numbers(shape: Shape, sizes: Sequence[Size | None]) -> Shape:
    """The shape with sizes in place of its `?`."""
    dims = tuple(
        size if isinstance(d, Dynamic) and d._bound is None and size is not None else d
        for d, size in zip(shape._dims, sizes)
    )
    return Shape(shape.dtype, dims)


def _result_shape(i: Instruction, operands: list[Shape], values: list[Values | None]) -> AnyShape:
    """What an instruction gives, with the sizes that follow from its operands."""
    if not isinstance(i.shape, Shape) or len(operands) != len(i.operands):
        return i.shape
    if not any(isinstance(d, Dynamic) for d in i.shape._dims):
        return i.shape
    with suppress(LayoutError, ValueError, IndexError):  # what fits no rule is for the rules to say
        sizes = dims_of(i, operands, values)
        if sizes is None or len(sizes) != i.shape.rank:
            return i.shape
        sizes = [None if s is not None and s.has(Dummy) else s for s in sizes]
        return _with_numbers(i.shape, [None if s is None else as_size(s) for s in sizes])
    return i.shape


def _is_defined(shape: AnyShape | None) -> bool:
    """Whether no size is negative, whatever its names stand for: b - 2 is only if b is large enough.

    What the program demands of its sizes beyond their names is asserted when it runs.
    """
    if isinstance(shape, TupleShape):
        return all(map(_is_defined, shape))
    if not isinstance(shape, Shape):
        return True
    sizes = [as_expr(d) for d in shape._dims if not isinstance(d, (int, Dynamic))]
    if all(e.is_Symbol for e in sizes):
        return True
    context = context_of(Facts(), sorted({s.name for e in sizes for s in e.free_symbols}))
    return all(e.is_Symbol or context.nonneg(context.poly(e)) for e in sizes)


def _holds(i: Instruction) -> bool:
    """Whether the rule of an instruction holds for all sizes that its names may stand for."""
    shapes = [o.shape for o in i.operands]
    if i.unread or None in shapes or not all(map(_is_defined, (i.shape, *shapes))):
        return False
    try:
        operands = tuple(s for s in shapes if s is not None)
        result = demands_of(Verifier(i.opcode, i.shape, operands, i.attributes))
    except LayoutError:
        return False
    return not result.checks
