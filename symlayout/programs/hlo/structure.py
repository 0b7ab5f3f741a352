"""What a module is, whatever its instructions do: one entry, one root, names that are defined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from symlayout.errors import LayoutError
from symlayout.layouts.xla import AnyShape, Shape
from symlayout.programs.hlo.aliases import TITLE, faults
from symlayout.programs.hlo.constraints import misfits
from symlayout.programs.hlo.literals import nested
from symlayout.programs.hlo.module import (
    LEFT_OUT,
    UNKNOWN,
    Computation,
    Instruction,
    Module,
    same_array,
)


def check_structure(module: Module, promises: Mapping[str, AnyShape]) -> Module:
    """The module with a problem for every rule that its computations break.

    `promises` are the results that the headers of computations name.
    """
    text = module.text
    hits = [
        LayoutError(code, message, text=text, at=at, end=None if end is None else at + end)
        for code, message, at, end in _faults(module, promises)
    ]
    return replace(module, problems=(*module.problems, *hits)) if hits else module


Fault = tuple[str, str, int, int | None]

BRANCHES = ("branch_computations", "true_computation")
# attributes that an opcode has in every module
NEEDED = {
    "all-reduce": ("to_apply",),
    "call": ("to_apply",),
    "compare": ("direction",),
    "custom-call": ("custom_call_target",),
    "fusion": ("calls",),
    "gather": (
        *("offset_dims", "collapsed_slice_dims", "start_index_map"),
        *("index_vector_dim", "slice_sizes"),
    ),
    "get-tuple-element": ("index",),
    "map": ("to_apply",),
    "reduce": ("dimensions", "to_apply"),
    "reduce-scatter": ("to_apply",),
    "reduce-window": ("to_apply",),
    "scatter": (
        *("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"),
        *("index_vector_dim", "to_apply"),
    ),
    "select-and-scatter": ("select", "scatter"),
    "sort": ("dimensions", "to_apply"),
    "while": ("condition", "body"),
}


def _faults(module: Module, promises: Mapping[str, AnyShape]) -> Iterator[Fault]:
    seen: set[str] = set()
    entries = 0
    broken = bool(module.problems)
    for c in module.computations:
        if c.name in seen:
            yield "SL724", f"the computation {c.name!r} is there twice", c.at, len(c.name)
        seen.add(c.name)
        entries += c.entry
        if c.entry and entries > 1:
            yield "SL725", "a module has one ENTRY, and this is another", c.at, len(c.name)
        if not c.broken:
            yield from _computation(c, promises.get(c.name))
    for message in () if broken else faults(module):
        yield "SL725", message, max(0, module.text.find(TITLE)), len(TITLE)
    for i in module.instructions:
        if i.unread == LEFT_OUT:
            continue
        for key in NEEDED.get(i.opcode, ()):
            if key not in i.attributes:
                yield "SL721", f"{i.opcode} needs the attribute {key}", i.at, len(i.name)
        if i.opcode == "conditional" and not any(k in i.attributes for k in BRANCHES):
            yield "SL721", "conditional needs the attribute branch_computations", i.at, len(i.name)
        for message in misfits(i):
            yield "SL725", message, i.at, len(i.name)
        if i.opcode == "constant" and "{" in i.arguments and not _nests(i):
            message = f"the braces of the literal of {i.name} are not those of {i.shape}"
            yield "SL725", message, i.at, len(i.name)
        for key, name in i.called:
            # what could not be read is a problem already, and may be what is called
            if name not in seen and not broken:
                yield "SL722", f"{key} of {i.name} names {name!r}, which is not there", i.at, None
    graph = {c.name: _runs(c) for c in module.computations}
    if len(graph) < len(module.computations):
        return  # which of one name is meant, is not known
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:  # what it does would have no end
        first, *others = reversed(error.args[1])
        rule = f"{first} runs itself: {' runs '.join([first, *others])}"
        yield "SL725", rule, module.by_name[first].at, len(first)


def _nests(i: Instruction) -> bool:
    """Whether a literal has the braces of its shape; of one that is cut short nothing is known."""
    sizes = [d for d in i.shape._dims if isinstance(d, int)] if isinstance(i.shape, Shape) else []
    whole = isinstance(i.shape, Shape) and len(sizes) == i.shape.rank > 0 and 0 not in sizes
    return not whole or "..." in i.arguments or nested(i.arguments, sizes)


def _runs(c: Computation) -> list[str]:
    return [name for i in c.instructions for _, name in i.called]


def _computation(c: Computation, promise: AnyShape | None) -> Iterator[Fault]:
    roots = [i for i in c.instructions if i.root]
    if len(roots) > 1:
        at, name = roots[1].at, roots[1].name
        yield "SL725", f"{c.name} has one ROOT, and {name} is another", at, len(name)
    if not c.instructions:
        yield "SL725", f"{c.name} has no instructions", c.at, len(c.name)
    yield from _parameters(c, c.parameters)
    root = c.root
    if promise is None or root is None or root.shape is UNKNOWN:
        return
    if not same_array(promise, root.shape):
        message = f"{c.name} gives {promise} by its header, and its root is {root.shape}"
        yield "SL725", message, root.at, len(root.name)


def _parameters(c: Computation, instructions: tuple[Instruction, ...]) -> Iterator[Fault]:
    """Parameters are numbered 0, 1, 2, each once."""
    for number, i in enumerate(instructions):
        if i.arguments.strip() != str(number):
            message = f"the parameters of {c.name} are numbered from 0, each once"
            yield "SL725", f"{message}: {i.name} has {i.arguments.strip()!r}", i.at, len(i.name)
            return
