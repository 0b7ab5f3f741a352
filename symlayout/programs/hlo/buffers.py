"""The buffers of a module: who makes them, how long they are needed, how many bytes at once.

Without a compiler's own assignment this is an upper bound: an operand and the result of the
instruction that uses it last are counted side by side, though a compiler may put one over the
other.  What a loop or a branch needs inside is counted while it runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from symlayout.layouts.xla import AnyShape, BufferShape, Shape, TupleShape
from symlayout.programs.hlo.module import UNKNOWN, Computation, Instruction, Module

# opcodes whose result is a view of a buffer that another instruction made
VIEWS_WORDS = """
bitcast tuple get-tuple-element while call conditional optimization-barrier
opt-barrier after-all add-dependency domain
"""
VIEWS = frozenset(VIEWS_WORDS.split())
# opcodes whose computations run as parts of the program, with buffers of their own
# what passes buffers on, in no time of its own
PASSING = ("bitcast", "tuple", "get-tuple-element", "opt-barrier")
CONTROL = frozenset({"while", "conditional", "call"})


def arrays_of(shape: AnyShape) -> Iterator[Shape]:
    """The arrays in a shape."""
    if isinstance(shape, TupleShape):
        for s in shape:
            yield from arrays_of(s)
    elif isinstance(shape, BufferShape):
        yield shape.content
    elif isinstance(shape, Shape):
        yield shape


def is_view(i: Instruction) -> bool:
    """Whether the result of an instruction is no buffer of its own."""
    return i.opcode in VIEWS or i.opcode.endswith(("-done", "-update"))


def own_arrays(i: Instruction) -> Iterator[Shape]:
    """The arrays that an instruction makes room for: a `-start` passes on what it is given."""
    if i.shape is UNKNOWN or is_view(i):
        return
    shape: AnyShape = i.shape
    if i.opcode.endswith("-start") and i.opcode != "all-reduce-start":
        parts = tuple(shape) if isinstance(shape, TupleShape) else (shape,)
        argument = 1 if i.opcode in ("copy-start", "send", "recv") else 0
        shape = TupleShape(tuple(p for k, p in enumerate(parts) if k != argument))
    yield from arrays_of(shape)


def running(module: Module) -> list[Computation]:
    """The computations whose instructions leave buffers: not those of fusions and reductions."""
    inside: set[str] = set()
    outside: set[str] = set()
    for i in module.instructions:
        for _, name in i.called:
            (outside if i.opcode in CONTROL else inside).add(name)
    return [c for c in module.computations if c.entry or c.name not in inside - outside]


def buffers(module: Module) -> Iterator[Instruction]:
    """The instructions that leave a buffer: not those inside fusions, and no views."""
    for computation in running(module):
        for i in computation.instructions:
            inner_parameter = i.opcode == "parameter" and not computation.entry
            if not is_view(i) and not inner_parameter:
                yield i


def byte_size(shape: Shape) -> int | None:
    """The bytes of a buffer, None where a size is no number."""
    if not all(isinstance(d, int) for d in shape.dims):
        return None
    size = shape.byte_size
    return size if isinstance(size, int) else None


@dataclass(frozen=True)
class Buffer:
    """Room for one array: who makes it, and between which instructions it is needed."""

    shape: Shape
    size: int
    maker: str
    begin: int
    end: int


@dataclass
class Lives:
    """The most bytes at one time in each memory space, and the most buffers of each shape."""

    peak: Counter[int] = field(default_factory=Counter)
    at_once: Counter[str] = field(default_factory=Counter)
    where: dict[int, str] = field(default_factory=dict)
    buffers: list[Buffer] = field(default_factory=list)


def live_ranges(module: Module) -> Lives | None:
    """What is needed at once in the order of the schedule, None where there is none.

    >>> from symlayout.programs.hlo.reader import read_module
    >>> text = '''HloModule m, is_scheduled=true
    ... ENTRY e { p = f32[8] parameter(0) a = f32[8] negate(p) b = f32[8] negate(a)
    ...   ROOT c = f32[8] negate(b) }'''
    >>> live_ranges(read_module(text)).peak
    Counter({0: 96})
    """
    if not module.scheduled or module.entry is None:
        return None
    return _Schedule(module).lives(module.entry, entry=True)


class _Schedule:
    """Computations in their order; each is looked at once."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.known: dict[str, Lives] = {}

    def inner(self, name: str) -> Lives:
        """What a loop or branch needs while it runs."""
        if name not in self.known:
            self.known[name] = Lives()  # of itself, should it call itself
            call = self.module.by_name.get(name)
            if call is not None:
                self.known[name] = self.lives(call, entry=False)
        return self.known[name]

    def lives(self, computation: Computation, entry: bool) -> Lives:
        trees: dict[str, object] = {}
        lines: list[tuple[Shape, int, str, int]] = []
        last: list[int] = []
        during: dict[int, Lives] = {}
        size = len(computation.instructions)
        for k, i in enumerate(computation.instructions):
            arguments = [trees.get(o.name) for o in i.operands]
            if i.opcode not in PASSING:
                for leaf in _leaves(tuple(arguments)):
                    last[leaf] = max(last[leaf], k)
            begin = 0 if i.opcode == "parameter" else k
            keep = size if i.opcode == "parameter" else k
            if i.opcode == "parameter" and not entry:
                trees[i.name] = None
            else:
                trees[i.name] = _tree(i, arguments, lines, last, begin, keep)
            if i.opcode in CONTROL:
                during[k] = _most([self.inner(name) for _, name in i.called])
        root = computation.root
        for leaf in _leaves(trees.get(root.name) if root is not None else None):
            last[leaf] = size
        hits = [
            Buffer(shape, byte_size(shape) or 0, maker, begin, last[n])
            for n, (shape, _, maker, begin) in enumerate(lines)
        ]
        return _sweep(computation, hits, during)


def _tree(
    i: Instruction,
    given: list[object],
    made: list[tuple[Shape, int, str, int]],
    last: list[int],
    begin: int,
    keep: int,
) -> object:
    """The buffers of an instruction's result, as a tree like its shape."""
    if i.opcode == "tuple":
        return tuple(given)
    if i.opcode == "get-tuple-element":
        index = i.attributes.get("index", "")
        whole = given[0] if given else None
        inside = isinstance(whole, tuple) and index.isdigit() and int(index) < len(whole)
        return whole[int(index)] if inside and isinstance(whole, tuple) else None
    if i.opcode in ("bitcast", "opt-barrier", "optimization-barrier", "while", "add-dependency"):
        return given[0] if len(given) == 1 else tuple(given)
    first = given[0] if given else None
    if i.opcode.endswith("-update"):
        return first
    if i.opcode.endswith("-done") and isinstance(first, tuple) and len(first) > 1:
        return first[0] if i.opcode == "copy-done" else first[1]

    def room(shape: AnyShape) -> object:
        if isinstance(shape, TupleShape):
            return tuple(room(s) for s in shape)
        arrays = list(arrays_of(shape))
        if not arrays:
            return None
        made.append((arrays[0], 0, i.name, begin))
        last.append(keep)
        return len(made) - 1

    begun = i.opcode.endswith("-start") and i.opcode != "all-reduce-start"
    if begun and isinstance(i.shape, TupleShape):
        passed = 1 if i.opcode == "copy-start" else 0
        whole = first if len(given) == 1 else tuple(given)
        return tuple(whole if k == passed else room(s) for k, s in enumerate(i.shape))
    return room(i.shape)


def _leaves(tree: object) -> Iterator[int]:
    if isinstance(tree, tuple):
        for part in tree:
            yield from _leaves(part)
    elif isinstance(tree, int):
        yield tree


def _most(hits: list[Lives]) -> Lives:
    """Of several that run one after the other, the most."""
    result = Lives()
    for one in hits:
        result.peak |= one.peak
        result.at_once |= one.at_once
    return result


def _sweep(computation: Computation, hits: list[Buffer], during: dict[int, Lives]) -> Lives:
    """The most at one time, instruction by instruction."""
    events: dict[int, list[tuple[int, Buffer]]] = defaultdict(list)
    for b in hits:
        events[b.begin].append((1, b))
        events[b.end + 1].append((-1, b))
    result = Lives(buffers=hits)
    now: Counter[int] = Counter()
    many: Counter[str] = Counter()
    texts = {id(b.shape): str(b.shape) for b in hits}
    empty = Lives()
    for k, i in enumerate(computation.instructions):
        for sign, b in sorted(events.get(k, ()), key=lambda e: e[0]):
            now[b.shape.memory_space] += sign * b.size
            text = texts[id(b.shape)]
            many[text] += sign
            if sign > 0:
                result.at_once[text] = max(result.at_once[text], many[text])
        inner = during.get(k, empty)
        for text, number in inner.at_once.items():
            result.at_once[text] = max(result.at_once[text], many[text] + number)
        for space in {b.shape.memory_space for _, b in events.get(k, ())} | set(inner.peak):
            total = now[space] + inner.peak[space]
            if total > result.peak[space]:
                result.peak[space] = total
                result.where[space] = i.name
    return result
