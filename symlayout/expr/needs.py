"""What an expression needs to have a value: its divisors, each with the branch that it is in.

Sums and products fold while they are built, so what cancels leaves no trace: `x//i - x//i` is 0.  Code
that builds an expression collects the needs of its parts first (`needs_of`), and adds those that the
expression has lost as `0 % divisor`, which does not fold (`keeping`, `changed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.terms import PARTIAL, Max, Min, Mod, Where
from symlayout.expr.tree import Add, Expr, Integer, Symbol

Path = tuple[tuple[Expr, Expr], ...]
ZERO = Integer(0)
REMEMBERED = 4096


class Need(NamedTuple):
    """Where `left < right` for each pair of the path, the divisor is not 0.

    The power `2**k` divides, as it were, by `max(k + 1, 0)`: it has no value where that is 0.
    """

    divisor: Expr
    path: Path = ()

    def changed(self, change: Callable[[Expr], Expr]) -> Need:
        """The same of other expressions."""
        path = tuple([(change(p), change(q)) for p, q in self.path])
        return Need(change(self.divisor), path)

    @property
    def mark(self) -> Expr:
        """0 where it holds; an expression without a value where it does not.

        >>> from symlayout.expr.tree import Symbol
        >>> x = Symbol("x")
        >>> Need(x).mark, Need(x, ((ZERO, x),)).mark, Need(ZERO, ((ZERO, x),)).mark
        (0%x, (0%x if 0 < x else 0), 0%max(1 - x, 0))

        Raises `LayoutError` (SL202) where it does not hold for any value.
        """
        path: list[tuple[Expr, Expr]] = []
        for p, q in self.path:
            gap = q - p
            if not gap.is_Integer:
                path.append((p, q))
            elif gap <= 0:
                return ZERO  # the branch is never taken
        if self.divisor != 0:
            mark: Expr = Mod(ZERO, self.divisor)
        elif path:
            p, q = path.pop()
            mark = Mod(ZERO, Max(p - q + 1, ZERO))
        else:
            raise LayoutError("SL202", "division by zero")
        for p, q in reversed(path if mark != 0 else ()):
            mark = Where(p, q, mark, ZERO)
        return mark


@lru_cache(maxsize=REMEMBERED)
def needs_of(e: Expr) -> tuple[Need, ...]:
    """What an expression needs to have a value, inner divisors before outer ones.

    >>> from symlayout.expr.reader import read_expression
    >>> [str(n.divisor) for n in needs_of(read_expression("(i//N + 3) % (5//K)"))]
    ['N', 'K', '5//K']

    Of a conditional only the branch that is taken is evaluated.
    """
    if not e.has(*PARTIAL):
        return ()
    needs: dict[Need, None] = {}
    _visit(e, (), needs, set())
    return essential(needs)


def essential(needs: Iterable[Need]) -> tuple[Need, ...]:
    """The needs in order, without those that others imply: on a part of their path, or on none.

    >>> from symlayout.expr.tree import Symbol
    >>> x = Symbol("x")
    >>> len(essential([Need(x, ((ZERO, x),)), Need(x)]))
    1
    """
    alone = dict.fromkeys(needs)
    paths: dict[Expr, list[frozenset[tuple[Expr, Expr]]]] = {}
    for n in alone:
        paths.setdefault(n.divisor, []).append(frozenset(n.path))

    def implied(n: Need) -> bool:
        own = frozenset(n.path)
        return any(p < own for p in paths[n.divisor])

    return tuple([n for n in alone if not (n.path and implied(n))])


def _visit(e: Expr, path: Path, needs: dict[Need, None], seen: set[tuple[Expr, Path]]) -> None:
    if (e, path) in seen or not e.has(*PARTIAL):
        return
    seen.add((e, path))
    if isinstance(e, Where):
        p, q, a, b = e.args
        for x, where in ((p, path), (q, path), (a, (*path, (p, q))), (b, (*path, (q, p + 1)))):
            _visit(x, where, needs, seen)
        return
    for a in e.args:
        _visit(a, path, needs, seen)
    for d in e.demanded if isinstance(e, PARTIAL) else ():
        needs.setdefault(Need(d, path))


def keeping(e: Expr, needs: Iterable[Need], *others: Expr) -> Expr:
    """The expression, which has no value where one of the needs does not hold.

    >>> from symlayout.expr.tree import Symbol
    >>> x, y = Symbol("x"), Symbol("y")
    >>> keeping(x, [Need(y)]), keeping(Mod(x, y), [Need(y)]), keeping(x, [Need(y)], Mod(1, y))
    (x + 0%y, x%y, x)

    What `others` need, which are evaluated as well, is not repeated.
    """
    lost = essential(needs)
    if not lost:
        return e
    known: dict[Expr, list[frozenset[tuple[Expr, Expr]]]] = {}
    for x in (e, *others):
        for n in needs_of(x):
            known.setdefault(n.divisor, []).append(frozenset(n.path))
    marks: dict[Expr, None] = {}
    for n in lost:
        path = frozenset(n.path)
        if not any(own <= path for own in known.get(n.divisor, ())):
            marks.setdefault(n.mark)
    return Add(e, *marks) if marks else e


def changed(e: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """What a change makes of the expression; it has no value where a part has none after the change.

    >>> from symlayout.expr.terms import FloorDiv, put
    >>> from symlayout.expr.tree import Symbol
    >>> x, y, n = map(Symbol, "xyn")
    >>> changed(FloorDiv(n, x) - FloorDiv(n, y), lambda e: put(e, {y: x}))
    0%x
    """
    return keeping(change(e), [n.changed(change) for n in needs_of(e)])


def marks_of(*expressions: Expr) -> tuple[Expr, ...]:
    """Expressions that are 0 where all of these have values; else one of them has none."""
    marks = dict.fromkeys([n.mark for n in essential(n for e in expressions for n in needs_of(e))])
    marks.pop(ZERO, None)
    return tuple(marks)


def is_mark(e: Expr) -> bool:
    """Whether an expression says no more than what it needs."""
    if isinstance(e, Where):
        return e.args[3] == 0 and is_mark(e.args[2])
    return isinstance(e, Mod) and e.args[0] == 0


def nowhere(s: Symbol) -> Expr:
    """An expression that has no value, whatever the symbol is."""
    return Mod(ZERO, Max(Min(s, ZERO), ZERO))
