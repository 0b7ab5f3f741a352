"""Accesses without a mask that other accesses of the kernel put on the very same index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.nodes import conjuncts
from symlayout.programs.kernels.scan.finding import Evidence, Finding
from symlayout.programs.kernels.scan.setting import Setting
from symlayout.programs.kernels.scan.witness import Env, search_of

SMALL = (1, 2, 3, 5)


def bounds(kernel: Kernel, settings: Sequence[Setting]) -> Iterator[Finding]:
    """A finding for each access that lacks a mask, where a launch reaches what is outside."""
    masks = [(a, c) for a in kernel.accesses for c in conjuncts(a.guard) if _is_mask(c)]
    for access in kernel.accesses:
        if access.doubt:
            continue
        own = conjuncts(access.guard)
        for other, c in masks:
            index = c.args[0]
            if index not in _terms(access.offset) or index not in _terms(other.offset):
                continue
            if not _same_index(kernel, access, other, index):
                continue
            if _scalars(access) != _scalars(other) or any(_lanes(c) & _lanes(x) for x in own):
                continue
            ways = (_finding(kernel, access, other, c, s) for s in settings)
            finding = next((f for f in ways if f is not None), None)
            if finding is not None:
                yield finding
                break


def _same_index(kernel: Kernel, access: Access, other: Access, index: Term) -> bool:
    """Whether an index is one of the program, not only a block's lanes; those of a store count too.

    The lanes of two blocks look alike: they are the same where the blocks and the strides are.
    """
    if not index.names <= {*kernel.parameters}:
        return True
    return access.kind == "store" and access.shape == other.shape and index.op == "lane"


def _is_mask(c: Term) -> bool:
    return c.op in ("<", "<=") and bool(_lanes(c.args[0])) and not _lanes(c.args[1])


def _lanes(c: Term) -> set[int]:
    return {x.number for x in c.leaves if x.op == "lane"}


def _scalars(access: Access) -> set[Term]:
    """The conditions of the branches that it stands in."""
    return {c for c in conjuncts(access.guard) if not _lanes(c)}


def _terms(offset: Term) -> set[Term]:
    """The parts of an offset that are only added and multiplied."""
    parts = {offset}
    if offset.op in ("+", "*", "cast"):
        for a in offset.args:
            parts |= _terms(a)
    return parts


def _finding(
    kernel: Kernel, access: Access, other: Access, mask: Term, setting: Setting
) -> Finding | None:
    search = search_of(kernel, access, setting, mask)
    words = {w for w, _, _ in search.form.variables}
    known = {*search.parameters, *search.constants, *words}
    if mask.unknowns or not mask.names <= known:
        return None

    def test(env: Env) -> bool:
        return not search.value(mask, env)

    numbers = setting.numbers.values()
    env = search.find(test, (*SMALL, *(n + k for n in numbers for k in (1, -1) if n + k > 0)))
    if env is None:
        return None
    text = search.form.text(mask)
    return Finding(
        "bounds",
        access.span,
        kernel.name,
        access.expression,
        f"this {access.kind} has no mask {text}, which the {other.kind} in line "
        f"{other.span.line} has for the same index",
        f"give it mask={text}",
        env,
        evidence=Evidence(access, env, other, mask),
    )
