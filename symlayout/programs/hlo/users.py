"""Who reads an instruction, and how much of it."""

from __future__ import annotations

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.module import Computation, Instruction, Module
from symlayout.text.patterns import regex

WINDOW = regex(r"\[\s*+(\d++)\s*+:\s*+(\d++)[^\]]*+\]")
DEEPEST = 20  # fusions in fusions


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
    sizes = [d for d in limits.dims if isinstance(d, int)]
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
