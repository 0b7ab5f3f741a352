"""The buffers of a module: who makes them, of which computations, of how many bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symlayout.layouts.xla import AnyShape, BufferShape, Dynamic, Shape, TupleShape
from symlayout.programs.hlo.module import UNKNOWN, Computation, Instruction, Module

BYTE = 8  # bits

# opcodes whose result is a view of a buffer that another instruction made
VIEWS_WORDS = """
bitcast tuple get-tuple-element while call conditional optimization-barrier
opt-barrier after-all add-dependency domain
"""
VIEWS = frozenset(VIEWS_WORDS.split())
# opcodes whose computations run as parts of the program, with buffers of their own
CONTROL = frozenset({"while", "conditional", "call", "call-start"})


def arrays_of(shape: AnyShape) -> Iterator[Shape]:
    """The arrays in a shape."""
    if isinstance(shape, TupleShape):
        for s in shape:
            yield from arrays_of(s)
    elif isinstance(shape, BufferShape):
        yield shape.content
    elif isinstance(shape, Shape):
        yield shape


def is_tiled(module: Module) -> bool:
    """Whether arrays lie in tiles, as compilers for TPUs put them."""
    entry = () if module.entry is None else module.entry.instructions
    return any(s._tiles for i in entry for s in arrays_of(i.shape))


def is_view(i: Instruction) -> bool:
    """Whether the result of an instruction is not a buffer of its own."""
    apart = i.opcode.endswith(("-done", "-update"))
    return i.opcode in VIEWS or (apart and not says_result(i))


def says_result(i: Instruction) -> bool:
    """Whether an `async-update` is the first to say what will come out: what began it says ()."""
    before = i.operands[0].shape if i.operands else None
    if not (i.opcode.endswith("-update") and isinstance(before, TupleShape)):
        return False
    shapes = [s[1] for s in (before, i.shape) if isinstance(s, TupleShape) and len(s) > 1]
    return [str(s) == "()" for s in shapes] == [True, False]


def own_arrays(i: Instruction) -> Iterator[Shape]:
    """The arrays that an instruction makes room for: a `-start` passes on what it is given."""
    return (shape for _, shape in placed_arrays(i))


def placed_arrays(i: Instruction) -> Iterator[tuple[tuple[int, ...], Shape]]:
    """The arrays that an instruction makes room for, each with its place in the result."""
    if i.shape is UNKNOWN or is_view(i):
        return
    late, index = says_result(i), passed_on(i)
    if not isinstance(i.shape, TupleShape):
        yield from _placed(i.shape, ())
        return
    for k, part in enumerate(i.shape):
        passed = k == index or (i.opcode == "call-start" and k == 1)  # made by what is called
        if k == 1 if late else not passed:
            yield from _placed(part, (k,))


def _placed(shape: AnyShape, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Shape]]:
    if isinstance(shape, TupleShape):
        for k, part in enumerate(shape):
            yield from _placed(part, (*path, k))
    else:
        yield from ((path, array) for array in arrays_of(shape))


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

    In tiles, elements of fewer than 8 bits take a byte each where no `E(4)` packs them.

    >>> from symlayout.layouts.xla import read_shape
    >>> str(at_bounds(read_shape("f32[<=5,?,3]{2,1,0}")))
    'f32[5,?,3]{2,1,0}'
    >>> at_bounds(read_shape("s4[8,128]{1,0:T(8,128)(4,1)}")).bits
    8
    """
    if shape._tiles and not shape.element_bits and shape.bits < BYTE:
        shape = replace(shape, element_bits=BYTE)
    bounds = [d._bound if isinstance(d, Dynamic) else None for d in shape._dims]
    if all(b is None for b in bounds):
        return shape
    dims = tuple(d if b is None else b for d, b in zip(shape._dims, bounds))
    return replace(shape, _dims=dims)


def byte_size(shape: Shape) -> int | None:
    """The bytes of a buffer, None where a size is not a number."""
    shape = at_bounds(shape)
    if not all(isinstance(d, int) for d in shape._dims):
        return None
    size = shape._byte_size
    return size if isinstance(size, int) else None
