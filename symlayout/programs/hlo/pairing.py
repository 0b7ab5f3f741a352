"""Which module of one dump is which of another: names come more than once, and modules come and go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from symlayout.programs.hlo.buffers import arrays_of
from symlayout.programs.hlo.module import UNKNOWN, Module


class Paired(NamedTuple):
    """The modules that stand on both sides, in the order of the first, and those on one side alone."""

    both: list[tuple[Module, Module]]
    before: list[Module]
    after: list[Module]


def paired(before: Sequence[Module], after: Sequence[Module]) -> Paired:
    """Modules of one name and signature go together in their order, then those of one name alone.

    One on each side are compared whatever they are called.

    >>> from symlayout.programs.hlo.reader import read_module
    >>> text = "HloModule m ENTRY e { x = f32[%d] parameter(0) }"
    >>> a, b, c = (read_module(text % n) for n in (1, 2, 3))
    >>> made = paired([a, b], [c, b])
    >>> made.both == [(a, c), (b, b)], made.before, made.after
    (True, [], [])
    """
    pairs: dict[int, int] = {}
    if len(before) == len(after) == 1:
        pairs = {0: 0}
    for key in (_signature, _name):
        partners = {*pairs.values()}
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for k, module in enumerate(after):
            if k not in partners:
                waiting[key(module)].append(k)
        for k, module in enumerate(before):
            if k not in pairs and waiting[key(module)]:
                pairs[k] = waiting[key(module)].pop(0)
    partners = {*pairs.values()}
    return Paired(
        [(before[k], after[pairs[k]]) for k in sorted(pairs)],
        [m for k, m in enumerate(before) if k not in pairs],
        [m for k, m in enumerate(after) if k not in partners],
    )


def _name(module: Module) -> Hashable:
    return module.name


def _signature(module: Module) -> Hashable:
    """The name, and the arrays that the program is given and gives, without their layouts."""
    entry = module.entry
    shapes = [] if entry is None else [p.shape for p in entry.parameters]
    if entry is not None and entry.root is not None:
        shapes.append(entry.root.shape)
    arrays = [[(a.dtype, a._dims) for a in arrays_of(s)] for s in shapes if s is not UNKNOWN]
    return module.name, str(arrays)
