"""How long the buffers of a module are needed, in the order of its schedule, and how many at once.

What must be one buffer in all that compilers schedule is one here: an output and the argument that it
is written over, what goes through a loop, what is written in place.  After these, a result that may
lie over an operand does so where nothing reads that later (`reuse`).  What a loop or a branch needs
inside is counted while it runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from symlayout.layouts.xla import AnyShape, Shape, TupleShape
from symlayout.programs.hlo.aliases import Alias, aliases, in_place, part
from symlayout.programs.hlo.buffers import (
    arrays_of,
    byte_size,
    is_tiled,
    is_view,
    passed_on,
    run_by,
    says_result,
)
from symlayout.programs.hlo.module import LEFT_OUT, Computation, Instruction, Module
from symlayout.programs.hlo.places import Leaf, Pair, Places, Room
from symlayout.programs.hlo.reuse import over_operands

# what passes buffers on, in no time of its own
PASSING = ("bitcast", "tuple", "get-tuple-element", "opt-barrier")
# opcodes whose result is their operand
SAME_WORDS = "bitcast opt-barrier optimization-barrier while domain all-reduce-done"
SAME = frozenset(SAME_WORDS.split())
# how a computation is run: as the program, as a loop's part, as what has room for its result
Kind = Literal["entry", "loop", "call"]
Path = tuple[int, ...]
BEFORE = -1  # when there are parameters already


@dataclass(frozen=True)
class Buffer:
    """Room for one array: who makes it, and between which instructions it is needed.

    `path` is its place in what the maker gives; `kind` is "argument", "output" or "temporary".
    """

    shape: Shape
    size: int
    maker: str
    begin: int
    end: int
    path: Path = ()
    kind: str = "temporary"


@dataclass
class Lives:
    """The most bytes at one time in each memory space, and the most buffers of each shape.

    `fixed` are the bytes of arguments and outputs, which compilers keep all the time, `temporary`
    the most that is needed beside them.  `alive` are the buffers of the peak, `curve` the bytes
    from one instruction to the next.
    """

    peak: Counter[int] = field(default_factory=Counter)
    at_once: Counter[str] = field(default_factory=Counter)
    where: dict[int, str] = field(default_factory=dict)
    buffers: list[Buffer] = field(default_factory=list)
    fixed: Counter[int] = field(default_factory=Counter)
    temporary: Counter[int] = field(default_factory=Counter)
    alive: dict[int, list[Buffer]] = field(default_factory=dict)
    curve: dict[int, list[int]] = field(default_factory=dict)


def live_ranges(module: Module) -> Lives | None:
    """What is needed at once in the order of the schedule, None where there is none.

    >>> from symlayout.programs.hlo.reader import read_module
    >>> text = '''HloModule m, is_scheduled=true
    ... ENTRY e { p = f32[8] parameter(0) a = f32[8] negate(p) b = f32[8] negate(a)
    ...   ROOT c = f32[8] negate(b) }'''
    >>> live_ranges(read_module(text)).peak
    Counter({0: 64})
    """
    if not module.scheduled or module.entry is None:
        return None
    return _Schedule(module).lives(module.entry, "entry")


class _Schedule:
    """Computations in their order; each is looked at once."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.known: dict[tuple[str, Kind], Lives] = {}
        self.passed: dict[str, dict[Path, Alias]] = {}
        self.tiled = is_tiled(module)

    def inner(self, name: str, kind: Kind) -> Lives:
        """What a loop or branch needs while it runs, beside what has room outside of it."""
        key = name, kind
        if key not in self.known:
            self.known[key] = Lives()  # of itself, should it call itself
            call = self.module.by_name.get(name)
            if call is not None:
                self.known[key] = self.lives(call, kind)
        return self.known[key]

    def tree(self, i: Instruction, inputs: list[object], leaves: list[Leaf], begin: int) -> object:
        """The arrays of an instruction's result, as a tree like its shape."""
        if i.unread == LEFT_OUT and is_view(i):
            return None  # of what, is not known
        if i.opcode == "tuple":
            return tuple(inputs)
        if i.opcode == "get-tuple-element":
            index = i.attributes.get("index", "")
            return part(inputs[0], (int(index),)) if inputs and index.isdigit() else None
        first = inputs[0] if inputs else None
        late = says_result(i)
        if i.opcode == "add-dependency" or (i.opcode.endswith("-update") and not late):
            return first  # what it waits for has no room
        if i.opcode in SAME:
            return first if len(inputs) == 1 else tuple(inputs)
        if i.opcode == "recv-done":
            return (first[0], None) if isinstance(first, tuple) and first else None
        if i.opcode.endswith("-done") and isinstance(first, tuple) and len(first) > 1:
            return first[0] if i.opcode == "copy-done" else first[1]
        through: dict[Path, Alias] = {}
        for _, name in i.called if i.opcode == "call" else ():
            self.inner(name, "call")
            through = self.passed.get(name, {})

        def room(shape: AnyShape, path: Path = ()) -> object:
            if isinstance(shape, TupleShape):
                return tuple(room(s, (*path, k)) for k, s in enumerate(shape))
            if (alias := through.get(path)) is not None and alias.operand < len(inputs):
                return part(inputs[alias.operand], alias.inside)
            arrays = list(arrays_of(shape))
            if not arrays:
                return None
            leaves.append(Leaf(arrays[0], i.name, begin, begin, path=path))
            return leaves[-1]

        if late and isinstance(first, tuple) and isinstance(i.shape, TupleShape):
            return (first[:1], *inputs[1:]), room(i.shape[1], (1,)), *first[2:]
        passed = passed_on(i)
        if passed is not None and isinstance(i.shape, TupleShape):
            whole = first if len(inputs) == 1 or i.opcode == "send" else tuple(inputs)
            return tuple(whole if k == passed else room(s, (k,)) for k, s in enumerate(i.shape))
        return room(i.shape)

    def lives(self, computation: Computation, kind: Kind) -> Lives:
        trees: dict[str, object] = {}
        leaves: list[Leaf] = []
        written: list[Pair] = []
        reuse: list[Pair] = []
        during: dict[int, list[Lives]] = defaultdict(list)
        begun: dict[str, tuple[int, Lives]] = {}
        for k, i in enumerate(computation.instructions):
            arguments = [trees.get(o.name) for o in i.operands]
            if i.opcode not in PASSING:
                for leaf in _leaves(tuple(arguments)):
                    leaf.used = max(leaf.used, k)
            is_parameter = i.opcode == "parameter"
            first = len(leaves)
            trees[i.name] = self.tree(i, arguments, leaves, BEFORE if is_parameter else k)
            for leaf in leaves[first:] if is_parameter else ():
                leaf.is_parameter, leaf.outer = True, kind != "entry"
            if i.opcode.endswith("-start"):
                trees[i.name] = _begun(in_place(self.module, i), trees[i.name], arguments)
            elif i.opcode.endswith("-done"):
                for leaf in _leaves(tuple(arguments)):
                    for other in leaf.started:
                        other.holds.append((leaf.begin, k))
            if len(leaves) > first:
                written += _written(in_place(self.module, i), trees[i.name], arguments)
                reuse += _written(over_operands(self.module, i), trees[i.name], arguments)
            room: Kind = "loop" if i.opcode == "while" else "call"
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
        rooms = self._share(computation, kind, trees, leaves, written, reuse)
        hits = list(_buffers(rooms, len(computation.instructions), kind))
        result = _sweep(computation, hits, during)
        for r in rooms if kind == "entry" else ():
            if r.is_parameter or r.is_result:
                result.fixed[r.space] += r.size
        return result

    def _share(
        self,
        computation: Computation,
        kind: Kind,
        trees: dict[str, object],
        leaves: list[Leaf],
        written: list[Pair],
        reuse: list[Pair],
    ) -> list[Room]:
        """Puts into one room what must be there: as arguments, through a loop, in place.

        After that, what may be there.
        """
        root, size = computation.root, len(computation.instructions)
        result = trees.get(root.name) if root is not None else None
        parameters = [trees.get(p.name) for p in computation.parameters]
        for leaf in _leaves(result):
            leaf.is_result, leaf.used = True, size
            leaf.outer |= kind == "call"
        pairs: list[Pair] = []
        if kind == "loop" and len(parameters) == 1:
            pairs = list(_together_at(result, parameters[0]))
        elif kind == "entry":
            text = self.module.attributes.get("input_output_alias", "")
            pairs = list(_written(aliases(text), result, parameters))
        places = Places([*pairs, *written, *reuse])
        places.write_over(pairs)
        if kind == "call":
            places.write_over(written)
        for leaf in _leaves(tuple(parameters)):
            if not leaf.room.is_result:  # who calls may read it again
                leaf.used = size
        places.write_over([*written, *reuse])
        rooms = list({id(leaf.room): leaf.room for leaf in leaves}.values())
        # compilers for TPUs put nothing into the place of a result that is no argument's
        hosts = [r for r in rooms if r.is_result and (not self.tiled or r.is_parameter or r.outer)]
        places.fill(hosts, [r for r in rooms if not (r.is_result or r.is_parameter or r.outer)])
        if kind == "call":
            self.passed[computation.name] = _paths(result, parameters)
        return list({id(leaf.room): leaf.room for leaf in leaves}.values())


def _buffers(rooms: Iterable[Room], size: int, kind: Kind) -> Iterator[Buffer]:
    """What needs room of its own: each array, and an argument's place all the time."""
    for room in rooms:
        if room.outer:
            continue
        if room.is_parameter:
            leaf = room.parts[0]
            yield Buffer(leaf.shape, room.size, leaf.maker, 0, size, leaf.path, "argument")
            continue
        word = "output" if room.is_result and kind == "entry" else "temporary"
        ends = [leaf.begin - 1 for leaf in room.parts[1:]]
        for leaf, end in zip(room.parts, [*ends, size]):
            bytes = byte_size(leaf.shape) or 0
            last = min(end, leaf.read_until())
            yield Buffer(leaf.shape, bytes, leaf.maker, leaf.begin, last, leaf.path, word)


def _begun(these: Iterable[Alias], tree: object, arguments: list[object]) -> object:
    """The result of what begins a transfer: an operand that it writes over is read until its end.

    So it is not a part of the result, which would be read later than it is written over.
    """
    over: set[int] = set()
    for new, old in _written(these, tree, arguments):
        new.started += (old,)
        over.add(id(old))
    if not (isinstance(tree, tuple) and tree and tree[0] == tuple(arguments)):
        return tree
    return tuple(None if id(a) in over else a for a in arguments), *tree[1:]


def _written(these: Iterable[Alias], result: object, arguments: list[object]) -> Iterator[Pair]:
    """The arrays of a result that are written over arrays of the operands, with those."""
    for alias in these:
        if alias.operand < len(arguments):
            new, old = part(result, alias.path), part(arguments[alias.operand], alias.inside)
            read = sum(leaf is old for leaf in _leaves(tuple(arguments)))
            if isinstance(new, Leaf) and isinstance(old, Leaf) and read == 1:
                yield new, old


def _together_at(a: object, b: object) -> Iterator[Pair]:
    """The leaves of two trees that stand at the same places."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        for one, other in zip(a, b):
            yield from _together_at(one, other)
    elif isinstance(a, Leaf) and isinstance(b, Leaf):
        yield a, b


def _paths(result: object, parameters: list[object]) -> dict[Path, Alias]:
    """The arrays of a result that lie where one of the parameters does, by their places."""
    rooms = {id(leaf.room): path for path, leaf in _placed(tuple(parameters))}
    hits = ((path, rooms.get(id(leaf.room))) for path, leaf in _placed(result))
    return {path: Alias(path, at[0], at[1:]) for path, at in hits if at}


def _placed(tree: object, path: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    if isinstance(tree, Leaf):
        yield path, tree
    elif isinstance(tree, tuple):
        for k, one in enumerate(tree):
            yield from _placed(one, (*path, k))


def _leaves(tree: object) -> Iterator[Leaf]:
    if isinstance(tree, tuple):
        for part in tree:
            yield from _leaves(part)
    elif isinstance(tree, Leaf):
        yield tree


def _most(hits: list[Lives]) -> Lives:
    """Of several that run one after the other, the most."""
    result = Lives()
    for one in hits:
        result.alive |= {n: b for n, b in one.alive.items() if one.peak[n] > result.peak[n]}
        result.peak |= one.peak
        result.temporary |= one.temporary
        result.at_once |= one.at_once
    return result


def _together(hits: list[Lives]) -> Lives:
    """Of several that run at one time, the sum."""
    result = Lives()
    for one in hits:
        result.peak += one.peak
        result.temporary += one.temporary
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
    apart: Counter[int] = Counter()  # of temporaries alone
    many: Counter[str] = Counter()
    texts = {id(b.shape): str(b.shape) for b in hits}
    most: dict[int, int] = {}
    spaces = {b.shape.memory_space for b in hits}
    for k, i in enumerate(computation.instructions):
        for sign, b in sorted(events.get(k, ()), key=lambda e: e[0]):
            now[b.shape.memory_space] += sign * b.size
            if b.kind == "temporary":
                apart[b.shape.memory_space] += sign * b.size
            text = texts[id(b.shape)]
            many[text] += sign
            if sign > 0:
                result.at_once[text] = max(result.at_once[text], many[text])
        inner = _together(during.get(k, []))
        for text, number in inner.at_once.items():
            result.at_once[text] = max(result.at_once[text], many[text] + number)
        for space in spaces | set(inner.peak):
            total = now[space] + inner.peak[space]
            result.curve.setdefault(space, [0] * k).append(total)
            beside = apart[space] + inner.temporary[space]
            result.temporary[space] = max(result.temporary[space], beside)
            if total > result.peak[space]:
                result.peak[space], most[space] = total, k
                result.where[space] = i.name
    _list_alive(result, most, during)
    return result


def _list_alive(result: Lives, most: dict[int, int], during: dict[int, list[Lives]]) -> None:
    """Lists who is alive at the peak of each space, and who is then inside loops and calls."""
    for space, at in most.items():
        own = [b for b in result.buffers if b.begin <= at <= b.end]
        inner = [b for one in during.get(at, []) for b in one.alive.get(space, [])]
        alive = [b for b in own if b.shape.memory_space == space and b.size] + inner
        result.alive[space] = sorted(alive, key=lambda b: (-b.size, b.maker))
