"""Which results compilers lay over an operand that nothing reads any more.

An elementwise operation reads an element of its operand before it writes the one of the result at
the same place, so that one buffer is enough for both where they are alike.  So buffers are assigned
in the main memory; in the others only what the compiler says (`aliasing_operands`).
"""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.layouts.xla import Shape, TupleShape
from symlayout.programs.hlo.aliases import NUMBER, Alias, part
from symlayout.programs.hlo.module import UNKNOWN, Computation, Instruction, Module
from symlayout.programs.hlo.opcodes import rows
from symlayout.text.patterns import regex

ELEMENTWISE = frozenset(opcode for opcode, row in rows().items() if row.elementwise) | {"copy"}
# what a compiler for TPUs writes into `backend_config` of an instruction
ALIASING = regex(
    r'"aliasing_operands"\s*+:\s*+\{\s*+"lists"\s*+:\s*+\[((?:(?>[^\[\]]|\[[^\[\]]*+\]))*+)\]'
)
INDICES = regex(r'"indices"\s*+:\s*+\[([^\[\]]*+)\]')
UPDATE = "dynamic-update-slice"
PASSED = ELEMENTWISE | {"tuple"}


def over_operands(module: Module, i: Instruction) -> Iterator[Alias]:
    """The arrays of a result that may lie over an operand's, should it be read for the last time.

    >>> from symlayout.programs.hlo.reader import read_instruction, read_module
    >>> i = read_instruction("f32[8] subtract(f32[8], f32[8])")
    >>> list(over_operands(read_module(""), i))
    [Alias(path=(), operand=0, inside=()), Alias(path=(), operand=1, inside=())]
    """
    count = len(i.operands)
    candidates: list[tuple[int, tuple[int, ...]]]
    if i.shape is UNKNOWN:
        return
    yield from _as_said(i)
    if i.opcode in ELEMENTWISE:
        candidates = [(n, ()) for n in range(count)]
    elif i.opcode == "sort":
        candidates = [(n, () if count == 1 else (n,)) for n in range(count)]
    elif i.opcode == "fusion" and i.attributes.get("kind") == "kLoop":
        paths = [(k,) for k in range(len(i.shape))] if isinstance(i.shape, TupleShape) else [()]
        calls = [module.by_name[name] for _, name in i.called if name in module.by_name]
        candidates = [(n, path) for c in calls for n in _elementwise(c) for path in paths]
    else:
        return
    for n, path in candidates:
        shape = part(i.shape, path)
        main = isinstance(shape, Shape) and shape.memory_space == 0
        if main and n < count and shape == i.operands[n].shape:  # layouts and all
            yield Alias(path, n)


def _as_said(i: Instruction) -> Iterator[Alias]:
    """What a compiler for TPUs says: numbers of operands, and of results after those."""
    match, count = ALIASING.search(i.attributes.get("backend_config", "")), len(i.operands)
    for indices in INDICES.findall("" if match is None else match[1]):
        numbers = [int(n) for n in NUMBER.findall(indices)]
        for result in (n - count for n in numbers if n >= count):
            path = (result,) if isinstance(i.shape, TupleShape) else ()
            if isinstance(part(i.shape, path), Shape):
                yield from (Alias(path, n) for n in numbers if n < count)


def _elementwise(computation: Computation) -> list[int]:
    """The parameters of which a computation reads, for each element, only the one at its place.

    An update in place passes on the others: what it writes may come from anywhere.
    """
    other: set[str] = set()
    for i in reversed(computation.instructions):
        place = i.opcode in PASSED or i.opcode == UPDATE
        first = 0 if not place or i.name in other else 1 if i.opcode == UPDATE else len(i.operands)
        other.update(o.name for o in i.operands[first:])
    return [n for n, p in enumerate(computation.parameters) if p.name not in other]
