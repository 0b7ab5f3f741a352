"""Which results compilers lay over an operand that nothing reads any more.

An elementwise operation reads an element of its operand before it writes the one of the result at
the same place, so that one buffer is enough for both where they are alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.layouts.xla import TupleShape
from symlayout.programs.hlo.aliases import Alias, part
from symlayout.programs.hlo.module import UNKNOWN, Computation, Instruction, Module
from symlayout.programs.hlo.rules import BINARY, UNARY

OTHER_WORDS = "bitcast-convert clamp compare complex convert copy imag is-finite real select"
ELEMENTWISE = frozenset(w for words in (*UNARY, *BINARY, OTHER_WORDS) for w in words.split())
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
        if n < count and part(i.shape, path) == i.operands[n].shape:  # layouts and all
            yield Alias(path, n)


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
