"""Unrolled accesses as the loop that they were: one claim for all of them, not one for each pair.

Accesses that differ by numbers alone, each by the same step, are one access with a counter more.  It
reaches the same places, so what is claimed of it holds exactly where it holds of each and of each pair.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from symlayout.expr.facts import COMPARE
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel, Range, Span
from symlayout.programs.kernels.forms import RESERVED
from symlayout.programs.kernels.nodes import binary, name, num, rebuilt, terms
from symlayout.text.names import unused

MANY = 24  # accesses of one kind that are left as they are
LINEAR = frozenset(["+", "-", "*", "cast", "and", "or", "not", "where", *COMPARE])

NOWHERE = Span(0)
Numbers = tuple[int, ...]
Pair = tuple[Access, Access]


def rolled(kernel: Kernel) -> Kernel:
    """The kernel with loops in the place of many accesses that are alike."""
    groups: dict[Hashable, list[tuple[int, Numbers]]] = {}
    for k, access in enumerate(kernel.accesses):
        key, numbers = _skeleton(access)
        groups.setdefault(key, []).append((k, numbers))
    places = dict(enumerate(kernel.accesses))
    used = {*RESERVED, *kernel.parameters, *kernel.programs.values(), *kernel.grids.values()}
    used |= {r.word for a in kernel.accesses for r in a.ranges}
    for rows in groups.values():
        run = _steadily(rows) if len(rows) > MANY else []
        word = unused("unrolled", used)
        whole = _loop([kernel.accesses[k] for k, _ in run], [n for _, n in run], word)
        if whole is not None:
            used.add(word)
            places[rows[0][0]] = whole
            for k, _ in rows[1:]:
                del places[k]
    return replace(kernel, accesses=list(places.values()))


def pair_classes(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """The pairs by the distance of their places: of those that are alike otherwise one has to be shown.

    Both have the same masks and loops, and the same offset but for a term that is a number.
    """
    classes: dict[Hashable, list[Pair]] = {}
    parts: dict[int, tuple[Hashable, int]] = {}
    for pair in pairs:
        for access in pair:
            if id(access) not in parts:
                offset, number = _without_number(access.offset)
                rest = replace(access, offset=offset, span=NOWHERE, expression="", last=0)
                parts[id(access)] = rest, number
        (a, first), (b, second) = (parts[id(x)] for x in pair)
        apart = abs(second - first) if a == b else (first, second)
        classes.setdefault((a, b, apart), []).append(pair)
    return list(classes.values())


def _without_number(node: Term) -> tuple[Term, int]:
    """An offset less the only number among its terms, and that."""
    if node.op == "cast":
        inner, number = _without_number(node.args[0])
        return node.with_args((inner,)), number
    numbers = [t.number * sign for t, sign in terms(node) if t.op == "num"]
    if len(numbers) != 1 or node.op not in ("+", "-"):
        return node, 0
    return _zeroed(node), numbers[0]


def _zeroed(node: Term) -> Term:
    """A sum with 0 in the place of its numbers: typed as it was."""
    if node.op in ("+", "-"):
        return node.with_args(tuple(map(_zeroed, node.args)))
    return num(0, node.type) if node.op == "num" else node


def _steadily(rows: Sequence[tuple[int, Numbers]]) -> list[tuple[int, Numbers]]:
    """The accesses in the order of their numbers, where those grow by one step; else none."""
    run = sorted(rows, key=lambda row: row[1])
    steps = {_step(a[1], b[1]) for a, b in pairwise(run)}
    return run if len(steps) == 1 else []


def _step(a: Numbers, b: Numbers) -> Numbers:
    return tuple(y - x for x, y in zip(a, b))


def _skeleton(access: Access) -> tuple[Hashable, Numbers]:
    """The access without its numbers, and those."""
    numbers: list[int] = []
    nodes = tuple(_masked(n, numbers) for n in _nodes(access))
    ranges = tuple((r.word, r.loaded) for r in access.ranges)
    own = (access.kind, access.array, access.doubt, access.phase, access.joins, access.turns)
    return (own, ranges, len(access.shape), nodes), tuple(numbers)


def _nodes(access: Access) -> list[Term]:
    ends = [e for r in access.ranges for e in (r.low, r.high, r.within)]
    return [_padded(access.offset), _padded(access.guard), *access.shape, *ends]


def _padded(node: Term) -> Term:
    """The node with a number in its sums: the first of unrolled accesses may be left without."""
    if node.op in ("cast", "and", "or"):
        return node.with_args(tuple(map(_padded, node.args)))
    if node.op in COMPARE:
        a, b = node.args
        return node.with_args((_padded(a), b))
    if node.is_condition or any(t.op == "num" for t, _ in terms(node)):
        return node
    return Term("+", (node, num(0)))


def _masked(node: Term, numbers: list[int]) -> Hashable:
    if node.op == "num":
        numbers.append(node.number)
        return ("num", node.type)
    own = (node.op, node.word, node.number, node.type)
    return (own, *[_masked(a, numbers) for a in node.args])


def _loop(accesses: Sequence[Access], numbers: Sequence[Numbers], word: str) -> Access | None:
    """The accesses as one; None where a number that changes is no term or factor."""
    if not accesses:
        return None
    first, steps = numbers[0], _step(numbers[0], numbers[1])
    changes = iter(zip(first, steps))

    def node(n: Term, linear: bool = True) -> Term:
        if n.op == "num":
            start, step = next(changes)
            if step == 0:
                return n
            if not linear:
                raise ValueError
            more = binary("*", num(step, n.type), name(word, n.type))
            return binary("+", num(start, n.type), more)
        if not n.args:
            return n
        return rebuilt(n, tuple(node(a, linear and n.op in LINEAR) for a in n.args))

    a = accesses[0]
    try:
        offset, guard = node(_padded(a.offset)), node(_padded(a.guard))
        shape = tuple(node(d, False) for d in a.shape)
        ranges = [
            Range(r.word, node(r.low, False), node(r.high, False), r.loaded, node(r.within, False))
            for r in a.ranges
        ]
    except ValueError:
        return None
    lines = [x.span.line for x in accesses]
    span = min((x.span for x in accesses), key=lambda s: s.line)
    ranges = [Range(word, num(0), num(len(accesses))), *ranges]
    return replace(
        a,
        offset=offset,
        guard=guard,
        shape=shape,
        span=span,
        ranges=tuple(ranges),
        last=max(lines),
    )
