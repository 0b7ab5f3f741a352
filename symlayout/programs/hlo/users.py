"""Who makes and reads an instruction, and how much of it is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.buffers import VIEWS
from symlayout.programs.hlo.module import Computation, Instruction, Module
from symlayout.programs.hlo.reuse import ELEMENTWISE, UPDATE
from symlayout.programs.hlo.suggestions import Decision, Origin
from symlayout.text.patterns import regex

WINDOW = regex(r"\[\s*+(\d++)\s*+:\s*+(\d++)[^\]]*+\]")
DEEPEST = 20  # fusions in fusions
ELEMENT = "get-tuple-element"
TARGET = "custom_call_target"
MOST_FOLLOWED = 10_000  # places that one buffer is passed on to


def sliced_by(
    module: Module, computation: Computation, i: Instruction, limits: Shape, depth: int = 0
) -> str:
    """The first slice that reads an instruction, where all that read it are slices within limits.

    >>> from symlayout.layouts.xla import read_shape
    >>> from symlayout.programs.hlo.reader import read_module
    >>> module = read_module('''ENTRY e { x = f32[10] parameter(0)
    ...   ROOT y = f32[4] slice(x), slice={[2:6]} }''')
    >>> sliced_by(module, module.entry, module.entry.parameters[0], read_shape("f32[7]"))
    'slice y'

    Empty where something may read more.
    """
    readers = computation.users.get(i.name, [])
    if i is computation.root or not readers or depth > DEEPEST:
        return ""
    first = ""
    for reader in readers:
        name = ""
        if reader.opcode == "slice" and _within(reader, limits):
            name = f"slice {reader.name}"
        elif reader.opcode == "fusion":
            name = _in_fusion(module, reader, i, limits, depth)
        if not name:
            return ""
        first = first or name
    return first


def _within(i: Instruction, limits: Shape) -> bool:
    """Whether a slice ends within the limits in every dimension."""
    ends = [int(m[2]) for m in WINDOW.finditer(i.attributes.get("slice", ""))]
    sizes = [d for d in limits._dims if isinstance(d, int)]
    return len(ends) == len(sizes) == limits.rank and all(a <= b for a, b in zip(ends, sizes))


def _in_fusion(
    module: Module, fusion: Instruction, i: Instruction, limits: Shape, depth: int
) -> str:
    """The first slice of the fused parameters that an instruction is, or nothing."""
    numbers = [str(k) for k, o in enumerate(fusion.operands) if o.name == i.name]
    first = ""
    for _, name in fusion.called:
        call = module.by_name.get(name)
        hits = [p for p in call.parameters if p.arguments.strip() in numbers] if call else []
        if call is None or len(hits) != len(numbers):
            return ""
        for p in hits:
            one = sliced_by(module, call, p, limits, depth + 1)
            if not one:
                return ""
            first = first or one
    return first


# opcodes that choose the layouts of what they are given and give
PRODUCTS = frozenset({"convolution", "dot", "ragged-dot", "scaled-dot"})
LEADING = frozenset({"reduce"})  # over the first dimension it treats the others alike
# opcodes that treat dimensions alike, or are given the first ones alone (slices and updates)
PLAIN_WORDS = """
bitcast constant copy-done dynamic-slice dynamic-update-slice fusion get-tuple-element parameter
tuple
"""
PLAIN = (frozenset(PLAIN_WORDS.split()) | ELEMENTWISE) - {"copy"}


# opcodes that pass an operand on as it is: who reads their result reads it
PASSING_MANY = frozenset({"call", "conditional", "tuple", "while"})
PASSING = frozenset({"bitcast", "copy-done", "domain", "opt-barrier", "optimization-barrier"})
Path = tuple[int, ...]
Place = tuple[str, str, Path]  # a computation, an instruction, and a part of what it gives


class Origins:
    """Who decides on the layouts of a module's buffers."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._known: dict[str, frozenset[str]] = {}
        self._leading: dict[str, bool] = {}
        self._elements: dict[str, dict[tuple[str, str], list[Instruction]]] = {}
        self._others: dict[str, dict[str, list[Instruction]]] = {}
        self._numbers: dict[str, dict[tuple[str, str], list[int]]] = {}
        self._callers: dict[str, list[tuple[Computation, Instruction]]] = defaultdict(list)
        for c in module.computations:
            for i in c.instructions:
                for _, name in i.called:
                    self._callers[name].append((c, i))

    def of(self, computation: Computation, i: Instruction, path: Path = ()) -> Decision:
        """Who decides on the layout of what an instruction makes, or of a part of it."""
        if i.opcode == "parameter" and computation is self.module.entry:
            return Decision(Origin.ARGUMENT)
        own = self.opcodes(i)
        rows = [("result", i, own)]
        for reader in self.readers(computation, i, path):
            opcodes = self.opcodes(reader) - (LEADING if self.leading(reader) else frozenset())
            rows.append(("operand", reader, opcodes))
        for origin, some in (
            (Origin.PRODUCT, [(*row[:2], row[2] & PRODUCTS) for row in rows]),
            (Origin.APART, [(*row[:2], row[2] - PLAIN) for row in rows]),
        ):
            for side, one, opcodes in some:
                if opcodes:
                    return Decision(origin, self.words(side, one, min(opcodes)))
        return Decision(Origin.UPDATED if UPDATE in own else Origin.FREE)

    def words(self, side: str, i: Instruction, opcode: str) -> str:
        """What a buffer is to the instruction that decides: `operand of dot %d`."""
        inside = f" in {i.opcode}" if opcode != i.opcode else ""
        return f"{side} of {opcode}{inside} {self.module.sign}{i.name}"

    def opcodes(self, i: Instruction, depth: int = 0) -> frozenset[str]:
        """What an instruction does: a fusion does what is in it."""
        if i.opcode == "fusion" and depth <= DEEPEST:
            return frozenset().union(*(self.fused(name, depth) for _, name in i.called))
        room = i.opcode == "custom-call" and "AllocateBuffer" in i.attributes[TARGET]
        scalar = i.opcode == "broadcast" and i.attributes.get("dimensions") == "{}"
        return frozenset() if room or scalar else frozenset({i.opcode})

    def leading(self, i: Instruction, depth: int = 0) -> bool:
        """Whether all that is summed, here or in a fusion, is summed over the first dimension."""
        if i.opcode != "fusion":
            return i.opcode != "reduce" or i.attributes.get("dimensions") == "{0}"
        for name in (name for _, name in i.called):
            if name not in self._leading:
                call = self.module.by_name.get(name) if depth <= DEEPEST else None
                inner = () if call is None else call.instructions
                self._leading[name] = all(self.leading(one, depth + 1) for one in inner)
        return all(self._leading[name] for _, name in i.called)

    def fused(self, name: str, depth: int) -> frozenset[str]:
        """What the instructions of a fused computation do."""
        if name not in self._known:
            call = self.module.by_name.get(name)
            inner = () if call is None else call.instructions
            parts = (self.opcodes(one, depth + 1) for one in inner)
            self._known[name] = frozenset({"fusion"}).union(*parts)
        return self._known[name]

    def readers(self, computation: Computation, i: Instruction, path: Path) -> list[Instruction]:
        """Who reads a part of what an instruction gives, through tuples, loops and calls."""
        left: list[Place] = [(computation.name, i.name, path)]
        seen = set(left)
        hits: dict[tuple[str, str], Instruction] = {}
        while left and len(seen) < MOST_FOLLOWED:
            place = left.pop()
            call = self.module.by_name[place[0]]
            for reader in self.users(call, place):
                steps = list(self.steps(call, reader, place))
                if not steps and reader.opcode not in VIEWS:
                    hits[call.name, reader.name] = reader
                left += [step for step in steps if step not in seen]
                seen.update(steps)
            steps = list(self.given_back(call, place))
            left += [step for step in steps if step not in seen]
            seen.update(steps)
        return list(hits.values())

    def users(self, call: Computation, place: Place) -> Iterator[Instruction]:
        """Who reads a part of an instruction: of those that take an element only the right one."""
        if call.name not in self._elements:
            elements = self._elements[call.name] = defaultdict(list)
            for i in call.instructions:
                if i.opcode == ELEMENT and i.operands:
                    elements[i.operands[0].name, i.attributes.get("index", "")].append(i)
            self._others[call.name] = {
                name: [i for i in hits if i.opcode != ELEMENT] for name, hits in call.users.items()
            }
            numbers = self._numbers[call.name] = defaultdict(list)
            for i in call.instructions:
                for k, o in enumerate(i.operands if i.opcode in PASSING_MANY else ()):
                    numbers[i.name, o.name].append(k)
        yield from self._others[call.name].get(place[1], ())
        if place[2]:
            yield from self._elements[call.name].get((place[1], str(place[2][0])), ())

    def steps(self, call: Computation, reader: Instruction, place: Place) -> Iterator[Place]:
        """Where a reader that only passes a value on has it."""
        path = place[2]
        numbers = self._numbers[call.name].get((reader.name, place[1]), ())
        if reader.opcode in PASSING:
            yield call.name, reader.name, path
        elif reader.opcode == "tuple":
            yield from ((call.name, reader.name, (k, *path)) for k in numbers)
        elif reader.opcode == ELEMENT:
            yield call.name, reader.name, path[1:]
        elif reader.opcode in ("while", "call", "conditional"):
            if reader.opcode == "while":
                yield call.name, reader.name, path
            for branch, (_, inner) in enumerate(reader.called):
                target = self.module.by_name.get(inner)
                parameters = () if target is None else target.parameters
                for k in numbers:
                    number = 0 if reader.opcode == "conditional" else k
                    if reader.opcode != "conditional" or k == branch + 1:
                        yield from ((inner, p.name, path) for p in parameters[number:][:1])

    def given_back(self, call: Computation, place: Place) -> Iterator[Place]:
        """Where the result of a computation goes on: in who calls it, and round its loop."""
        if call.root is None or call.root.name != place[1]:
            return
        for outer, i in self._callers.get(call.name, ()):
            if i.opcode in ("while", "call", "conditional"):
                yield outer.name, i.name, place[2]
            if i.opcode == "while" and any(n == call.name for k, n in i.called if k == "body"):
                yield from ((call.name, p.name, place[2]) for p in call.parameters[:1])
