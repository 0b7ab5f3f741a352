"""Which names a contract may use: parameters, sizes of its arrays and its launch, and its symbols."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from symlayout.errors import LayoutError, unknown_name
from symlayout.expr.choices import names_of
from symlayout.expr.facts import Facts
from symlayout.expr.term import Term
from symlayout.layouts.claim import names_in
from symlayout.layouts.notation import parse
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.contract import Contract

INTRODUCE = "a line 'symbol {}' of the contract"


class Part(NamedTuple):
    """An expression of a contract: its text, its value, and where its line begins."""

    text: str
    node: Term
    at: int


def launch_sizes(parts: Sequence[Part]) -> set[str]:
    """The sizes of a launch that a contract introduces: `G` of `grid (G, cdiv(n, B))`."""
    return {p.text for p in parts if p.node.op == "name" and p.node.word == p.text}


def array_sizes(contract: Contract, known: Collection[str]) -> dict[str, str]:
    """The sizes that an array's layout has and that nothing else is, each with the array's name."""
    sizes: dict[str, str] = {}
    for name, p in contract.arrays.items():
        try:
            layout = parse(p.layout)
            own = getattr(layout, "names", None) or layout.index_map().symbols
        except LayoutError:  # which is told with its place elsewhere
            own = ()
        for n in own:
            if n in names_in(p.layout) and n not in known:
                sizes.setdefault(n, name)
    return sizes


def check_names(contract: Contract, parts: Sequence[Part], known: Collection[str]) -> None:
    """Raises `LayoutError` (SL301) for a name that is none of the known ones.

    `text` is the expression in which it occurs, `at` where the line of that begins in the file.
    """
    facts = [(text, at, names_of(text)) for text, at in contract.facts]
    for text, at, names in [*[(p.text, p.at, p.node.names) for p in parts], *facts]:
        for n in sorted(names - {*known}):
            error = unknown_name(n, text, known, INTRODUCE)
            raise UnknownName(n, error.message, error.help, at)


class UnknownName(LayoutError):
    """A name in a contract that is not known; `at` is where its line begins."""

    def __init__(self, name: str, message: str, help: str | None, at: int) -> None:
        super().__init__("SL301", message, at=at, help=help)
        self.name = name


def known_names(kernel: Kernel, facts: Facts) -> set[str]:
    """The names that a contract need not introduce, and those that it introduces by `symbol`."""
    return {*kernel.parameters, *kernel.symbols, *kernel.grids.values(), *facts.introduced}


def size_note(kernel: str, sizes: Mapping[str, str]) -> str:
    """A note on the names that only layouts of arrays have.

    >>> size_note("add", {"n_elements": "x_ptr"})
    'n_elements is not a parameter of the kernel add: it is a size of x_ptr'
    """
    if len(sizes) == 1:
        ((name, array),) = sizes.items()
        return f"{name} is not a parameter of the kernel {kernel}: it is a size of {array}"
    each = ", ".join(f"{name} of {array}" for name, array in sizes.items())
    return f"{', '.join(sizes)} are not parameters of the kernel {kernel}: they are sizes, {each}"
