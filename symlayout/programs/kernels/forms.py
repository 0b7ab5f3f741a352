"""An access as an index function's text: its variables, its guard, and its offset."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symlayout.expr.machine import INT64
from symlayout.expr.term import Term, unknown_name
from symlayout.layouts.maps.terms import MapText, Part, TermMap, map_text
from symlayout.programs.kernels.access import Access, Kernel, Range
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    cast,
    chooses,
    compare,
    conjuncts,
    name,
    narrow,
    num,
    put,
)
from symlayout.text.names import unused

THREADS = 3  # the first axis of the threads in a block
RESERVED_WORDS = """
map if in and or not else min max abs ceildiv ceil_div cdiv floordiv mod truncdiv
truncmod int32 uint32 int64 uint64 size_t
"""
RESERVED = frozenset(RESERVED_WORDS.split())


@dataclass(frozen=True)
class Form:
    """An access over named variables: pairs of a name and its range, outermost first."""

    variables: tuple[tuple[str, Term, Term], ...]
    guard: tuple[Term, ...]
    offset: Term
    lanes: Mapping[int, str]
    programs: int = 0  # how many of the first variables are programs and threads

    @property
    def content(self) -> tuple[object, ...]:
        """All that it is, to be compared with others."""
        return self.variables, self.guard, self.offset, tuple(self.lanes.items()), self.programs

    @property
    def nodes(self) -> list[Term]:
        """All that it speaks of: the offset, the guard, the ends of ranges."""
        return [self.offset, *self.guard, *[n for _, *ends in self.variables for n in ends]]

    def text(self, node: Term, typed: bool = False) -> str:
        """The node's text."""
        return node.text(self.lanes, typed)

    def domain(self, names: Iterable[str] | None = None) -> str:
        """The variables with their ranges."""
        words = None if names is None else set(names)
        parts = []
        for word, low, high in self.variables:
            if words is None or word in words:
                head = "" if low.value == 0 else f"{self.text(low)} <= "
                parts.append(f"{head}{word} < {self.text(high)}")
        return ", ".join(parts)

    def condition(self, guard: Iterable[Term], typed: bool = False) -> str:
        """The conditions as text behind the domain."""
        text = " and ".join(
            f"({self.text(c, typed)})" if c.op == "or" else self.text(c, typed) for c in guard
        )
        return f" if {text}" if text else ""

    def part(self, node: Term, typed: bool = False) -> Part:
        """A node as a result of a map."""
        return Part(self.text(node, typed), node.written(self.lanes, typed))

    def map(
        self,
        results: Sequence[Part],
        guard: Iterable[Term],
        box: Sequence[Part] | None = None,
        typed: bool = False,
    ) -> MapText:
        """A map over all of the variables; its guard is `typed`, as code computes it, or not."""
        guard = tuple(guard)
        ranges = tuple(
            (w, a.written(self.lanes), b.written(self.lanes)) for w, a, b in self.variables
        )
        terms = TermMap(ranges, tuple(c.written(self.lanes, typed) for c in guard), ())
        return map_text(f"{self.domain()}{self.condition(guard, typed)}", terms, results, box)

    def fixed(self, words: Collection[str]) -> tuple[Form, tuple[str, ...]]:
        """The form at one value of these variables, and the facts that they are in their ranges, which
        loops without a turn have none in.

        What no fact can say, as it speaks of the others or makes a choice, is a condition of the form.
        """
        rest = tuple(v for v in self.variables if v[0] not in words)
        programs = sum(v[0] not in words for v in self.variables[: self.programs])
        form = Form(rest, self.guard, self.offset, self.lanes, programs)
        used = {x.word for n in form.nodes for x in n.leaves}
        own, facts, guard = {w for w, _, _ in rest}, list[str](), list[Term]()
        for k, (word, low, high) in enumerate(self.variables):
            sides = [(name(word), ">=", low), (name(word), "<", high)]
            if word not in used:
                sides = [(low, "<", high)] * (k >= self.programs)
            for a, op, b in sides if word in words else ():
                if chooses(a) or chooses(b) or (self.names_in(a) | self.names_in(b)) & own:
                    guard.append(compare(op, a, b))
                elif compare(op, a, b) == FALSE:  # a range without a number
                    guard.append(FALSE)
                elif a.value is None or b.value is None:
                    facts.append(f"{self.text(a)} {op} {self.text(b)}")
        return replace(form, guard=(*form.guard, *guard)), tuple(facts)

    def each_of_its_own(self, words: Collection[str]) -> set[str]:
        """Which of the variables one turn of all the others may have at different values.

        Those that count turns from 0 on have one, also where the last turn is another.
        """
        words_apart: set[str] = set()
        for word, low, high in self.variables:
            spoken = self.names_in(low) | self.names_in(high)
            if word in words and low.value != 0 and spoken - {*words} | spoken & words_apart:
                words_apart.add(word)
        return words_apart

    def names_in(self, node: Term) -> set[str]:
        """The variables that a node speaks of, and those of their ranges."""
        own = {w: (a, b) for w, a, b in self.variables}
        names: set[str] = set()
        waiting = [node]
        while waiting:
            for leaf in waiting.pop().leaves:
                word = self._word(leaf)
                if word in own and word not in names:
                    names.add(word)
                    waiting += own[word]
        return names

    def _word(self, leaf: Term) -> str:
        if leaf.op == "lane":
            return self.lanes[leaf.number]
        return unknown_name(leaf, self.lanes) if leaf.op == "unknown" else leaf.word


def form_of(kernel: Kernel, access: Access, grid: tuple[Term, ...] | None = None) -> Form:
    """The access over the programs of a grid, the loops around it, and the lanes of its block.

    Without a grid, program ids range over `grid0`, `grid1`, ...
    """
    used = {*kernel.parameters, *RESERVED, *kernel.programs.values(), *kernel.grids.values()}
    used |= {r.word for r in access.ranges}
    lanes: dict[int, str] = {}
    axes = [k for k, d in enumerate(access.shape) if d.value != 1]
    for k in range(len(access.shape)):
        lanes[k] = _other("lane" if len(axes) == 1 and k in axes else f"lane{k}", used)
    named = {*kernel.programs, *kernel.grids}
    count = max((k for k in named if k < THREADS), default=-1) + 1
    axes_of = [*range(count), *sorted(k for k in named if k >= THREADS)]
    names = {k: kernel.grids.get(k) or _other(_size_word(k), used) for k in axes_of}
    sizes = {k: name(w) for k, w in names.items()}
    if grid is not None:  # along an axis that it does not have there is one program
        sizes = {k: num(1) for k in names} | dict(enumerate(grid))
        sizes = {k: n for k, n in sizes.items() if k in named or n.value != 1}
    known = {w: sizes[k] for k, w in names.items() if k in sizes} if grid is not None else {}
    programs = [
        (kernel.programs.get(k) or _other(_word(k), used), num(0), size)
        for k, size in sorted(sizes.items())
    ]
    ranges = {r.word: r for r in access.ranges}
    loops, unknowns = _loops_and_unknowns(access, ranges, lanes)
    early = [v for v, lanes_of in unknowns if not lanes_of]
    late = [v for v, lanes_of in unknowns if lanes_of]
    block = [(lanes[k], num(0), access.shape[k]) for k in axes]
    variables: list[Variable] = [*programs, *early]
    variables += [*[(r.word, r.low, r.high) for r in loops], *block, *late]
    if not variables:  # a map has a variable: the only program
        variables = [(_other("pid", used), num(0), num(1))]

    def placed(node: Term) -> Term:
        def change(x: Term) -> Term | None:
            if x.op == "lane":
                return num(0) if x.number not in axes else None
            size = known.get(x.word) if x.op == "name" else None
            if size is not None and size.args:  # the host has computed it, and not in 32 bits
                size = cast(INT64, put(size, lambda y: cast(INT64, y)))
            return cast(x.type, size) if size is not None and (x.unsigned or size.args) else size

        return put(node, change)

    variables = [(w, placed(a), placed(b)) for w, a, b in variables]
    guard = [] if access.guard == TRUE else conjuncts(placed(access.guard))
    conditions = tuple(dict.fromkeys(guard))
    return Form(tuple(variables), conditions, placed(access.offset), lanes, len(programs))


def _size_word(axis: int) -> str:
    return f"block{axis - THREADS}" if axis >= THREADS else f"grid{axis}"


def _word(axis: int) -> str:
    word, k = ("thread", axis - THREADS) if axis >= THREADS else ("pid", axis)
    return f"{word}{k}" if k else word


def _other(word: str, used: set[str]) -> str:
    """The name, or another one where it is taken."""
    word = unused(word, used)
    used.add(word)
    return word


Variable = tuple[str, Term, Term]


def _loops_and_unknowns(
    access: Access, ranges: Mapping[str, Range], lanes: Mapping[int, str]
) -> tuple[list[Range], list[tuple[Variable, bool]]]:
    """The loops, and the unknowns that occur, each with whether it has a value for each lane."""
    unknowns: dict[str, tuple[Variable, bool]] = {}
    words: set[str] = set()

    def visit(node: Term) -> None:
        for leaf in sorted(node.leaves, key=str):
            if leaf.op != "unknown":
                continue
            word, r = unknown_name(leaf, lanes), ranges[leaf.word]
            words.add(leaf.word)
            if word not in unknowns:
                visit(r.low)
                visit(r.high)
                unknowns[word] = ((word, r.low, r.high), bool(leaf.args))

    every = {x.word for x in access.unknowns}
    every |= {x.word for r in access.ranges for x in r.low.unknowns | r.high.unknowns}
    loops = [r for r in access.ranges if r.word not in every and not r.loaded]
    ends = [e for r in loops for e in (r.low, r.high)]
    for node in [access.offset, access.guard, *ends, *access.shape]:
        visit(node)
    return loops, list(unknowns.values())


def listed(kernel: Kernel) -> dict[str, Any]:
    """The kernel's accesses as plain data, and the lines that are not understood."""
    return {
        "function": kernel.name,
        "line": kernel.span.line,
        "programs": [kernel.programs[k] for k in sorted(kernel.programs)],
        "accesses": [described(kernel, a) for a in kernel.accesses],
        "skipped": [{"line": n, "reason": r} for n, r in sorted(kernel.skipped.items())],
    }


def described(kernel: Kernel, access: Access) -> dict[str, Any]:
    """The access as plain data; its type is the narrowest that a part of its address has."""
    form = form_of(kernel, access)
    return {
        "line": access.span.line,
        "column": access.span.column + 1,
        "array": access.array,
        "kind": access.kind,
        "map": form.map([form.part(form.offset)], form.guard),
        "index": form.text(form.offset),
        "domain": form.domain(),
        "guard": form.condition(form.guard).removeprefix(" if "),
        "type": "int32" if narrow(access.offset) else "int64",
        "as_written": form.text(form.offset, typed=True),
        "expression": access.expression,
        "doubt": access.doubt,
    }
