"""The buffers of a module: who makes them, how long they are needed, how many bytes at once.

Without a compiler's own assignment this is an upper bound: an operand and the result of the
instruction that uses it last are counted side by side, though a compiler may put one over the
other.  What a loop or a branch needs inside is counted while it runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from symlayout.layouts.xla import AnyShape, BufferShape, Dynamic, Shape, TupleShape
from symlayout.programs.hlo.module import UNKNOWN, Computation, Instruction, Module

# opcodes whose result is a view of a buffer that another instruction made
VIEWS_WORDS = """
bitcast tuple get-tuple-element while call conditional optimization-barrier
opt-barrier after-all add-dependency domain
"""
VIEWS = frozenset(VIEWS_WORDS.split())
# what passes buffers on, in no time of its own
PASSING = ("bitcast", "tuple", "get-tuple-element", "opt-barrier")
# opcodes whose computations run as parts of the program, with buffers of their own
CONTROL = frozenset({"while", "conditional", "call", "call-start"})
# opcodes whose result is their operand
SAME_WORDS = "bitcast opt-barrier optimization-barrier while domain all-reduce-done"
SAME = frozenset(SAME_WORDS.split())


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
    given = passed_on(i)
    for k, part in enumerate(i.shape if isinstance(i.shape, TupleShape) else (i.shape,)):
        if k != given and (i.opcode != "call-start" or k != 1):  # made by what is called
            yield from arrays_of(part)


def passed_on(i: Instruction) -> int | None:
    """Which element of the result of what begins a transfer is the operand itself."""
    if i.opcode == "send":
        return 0
    if not i.opcode.endswith("-start") or i.opcode == "all-reduce-start":
        return None
    return 1 if i.opcode == "copy-start" else 0


def running(module: Module) -> list[Computation]:
    """The computations whose instructions leave buffers: not those of fusions and reductions."""
    entry = module.entry
    if module.dialect == "hlo":
        left = [] if entry is None else [entry.name]
    else:
        called = {name for i in module.instructions for _, name in i.called}
        left = [c.name for c in module.computations if c.entry or c.name not in called]
    names = set(left)
    while left:
        computation = module.by_name.get(left.pop())
        if computation is not None:
            more = {name for i in computation.instructions for name in run_by(module, i)}
            left += more - names
            names |= more
    return [c for c in module.computations if c.name in names]


def run_by(module: Module, i: Instruction) -> Iterator[str]:
    """The computations with buffers of their own that run while an instruction does.

    What an `async-start` wraps is one instruction, whose result is a part of its own.
    """
    if i.opcode in CONTROL:
        yield from (name for _, name in i.called)
    elif i.opcode == "async-start":
        for _, name in i.called:
            wrapped = module.by_name.get(name)
            for inner in () if wrapped is None else wrapped.instructions:
                if inner.opcode in CONTROL:
                    yield from (called for _, called in inner.called)


def buffers(module: Module) -> Iterator[Instruction]:
    """The instructions that leave a buffer: not those inside fusions, and no views."""
    for computation in running(module):
        for i in computation.instructions:
            inner_parameter = i.opcode == "parameter" and computation is not module.entry
            if not is_view(i) and not inner_parameter:
                yield i


def at_bounds(shape: Shape) -> Shape:
    """The array that there is room for: a size that is less at run time is its bound here.

    >>> from symlayout.layouts.xla import read_shape
    >>> str(at_bounds(read_shape("f32[<=5,?,3]{2,1,0}")))
    'f32[5,?,3]{2,1,0}'
    """
    bounds = [d.bound if isinstance(d, Dynamic) else None for d in shape.dims]
    if all(b is None for b in bounds):
        return shape
    dims = tuple(d if b is None else b for d, b in zip(shape.dims, bounds))
    return replace(shape, dims=dims)


def byte_size(shape: Shape) -> int | None:
    """The bytes of a buffer, None where a size is no number."""
    shape = at_bounds(shape)
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
        self.known: dict[tuple[str, bool], Lives] = {}

    def inner(self, name: str, given: bool) -> Lives:
        """What a loop or branch needs while it runs; its result too, unless room is `given` to it."""
        key = name, given
        if key not in self.known:
            self.known[key] = Lives()  # of itself, should it call itself
            call = self.module.by_name.get(name)
            if call is not None:
                self.known[key] = self.lives(call, entry=False, given=given)
        return self.known[key]

    def lives(self, computation: Computation, entry: bool, given: bool = False) -> Lives:
        trees: dict[str, object] = {}
        lines: list[tuple[Shape, int, str, int]] = []
        last: list[int] = []
        during: dict[int, list[Lives]] = defaultdict(list)
        begun: dict[str, tuple[int, Lives]] = {}
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
            room = i.opcode in CONTROL - {"while"}  # the call's own result
            inside = [self.inner(name, room) for name in run_by(self.module, i)]
            if inside:
                during[k].append(_most(inside))
                if i.opcode.endswith("-start"):
                    begun[i.name] = k, during[k][-1]
            for o in i.operands:  # between the start and the end of a call both run
                if o.name in begun:
                    start, inner = begun.pop(o.name)
                    for at in range(start + 1, k + 1):
                        during[at].append(inner)
                    if i.opcode.endswith("-update"):
                        begun[i.name] = k, inner
        root = computation.root
        results = set(_leaves(trees.get(root.name) if root is not None else None))
        for leaf in results:
            last[leaf] = size
        hits = [
            Buffer(shape, byte_size(shape) or 0, maker, begin, last[n])
            for n, (shape, _, maker, begin) in enumerate(lines)
            if not (given and n in results)
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
    first = given[0] if given else None
    if i.opcode == "add-dependency" or i.opcode.endswith("-update"):
        return first  # what it waits for has no room
    if i.opcode in SAME:
        return first if len(given) == 1 else tuple(given)
    if i.opcode == "recv-done":
        return (first[0], None) if isinstance(first, tuple) and first else None
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

    passed = passed_on(i)
    if passed is not None and isinstance(i.shape, TupleShape):
        whole = first if len(given) == 1 or i.opcode == "send" else tuple(given)
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


def _together(hits: list[Lives]) -> Lives:
    """Of several that run at one time, the sum."""
    result = Lives()
    for one in hits:
        result.peak += one.peak
        result.at_once += one.at_once
    return result


def _sweep(computation: Computation, hits: list[Buffer], during: dict[int, list[Lives]]) -> Lives:
    """The most at one time, instruction by instruction."""
    events: dict[int, list[tuple[int, Buffer]]] = defaultdict(list)
    for b in hits:
        events[b.begin].append((1, b))
        events[b.end + 1].append((-1, b))
    result = Lives(buffers=hits)
    now: Counter[int] = Counter()
    many: Counter[str] = Counter()
    texts = {id(b.shape): str(b.shape) for b in hits}
    for k, i in enumerate(computation.instructions):
        for sign, b in sorted(events.get(k, ()), key=lambda e: e[0]):
            now[b.shape.memory_space] += sign * b.size
            text = texts[id(b.shape)]
            many[text] += sign
            if sign > 0:
                result.at_once[text] = max(result.at_once[text], many[text])
        inner = _together(during.get(k, []))
        for text, number in inner.at_once.items():
            result.at_once[text] = max(result.at_once[text], many[text] + number)
        for space in {b.shape.memory_space for _, b in events.get(k, ())} | set(inner.peak):
            total = now[space] + inner.peak[space]
            if total > result.peak[space]:
                result.peak[space] = total
                result.where[space] = i.name
    return result
