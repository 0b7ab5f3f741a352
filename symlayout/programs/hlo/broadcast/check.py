"""Demands on sizes: each is one of several equalities, with the rule that asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from symlayout.expr.facts import Relation
from symlayout.expr.terms import Size, substitute
from symlayout.expr.tree import Integer
from symlayout.programs.hlo.broadcast.extent import Condition, Extent, equal


@dataclass(frozen=True)
class Check:
    """One demand: at least one of `needs` holds.  No needs: it cannot hold.

    `left` and `right` are the two sizes that it compares, where it compares sizes.
    """

    code: str
    rule: str
    needs: tuple[Relation, ...] = ()
    left: Extent | None = None
    right: Extent | None = None

    @property
    def message(self) -> str:
        """The rule, and the two sizes."""
        if self.left is None or self.right is None:
            return self.rule
        return f"{self.rule}: {self.left} and {self.right}"

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether it holds for these sizes."""
        return any(r.holds(sizes) for r in self.needs)

    def at(self, sizes: Mapping[str, int]) -> Check:
        """The check with the sizes put in, message included."""
        if self.left is None or self.right is None:
            return self
        return replace(self, left=_put(self.left, sizes), right=_put(self.right, sizes))


def _put(e: Extent, sizes: Mapping[str, int]) -> Extent:
    return e if e.size is None else Extent(substitute(e.size, sizes), e.dynamic)


def first_failing(checks: tuple[Check, ...], sizes: Mapping[str, int]) -> Check | None:
    """The first demand that these sizes break, with the sizes in its message."""
    return next((c.at(sizes) for c in checks if not c.holds(sizes)), None)


class Broken(Exception):
    """The structure is wrong: what follows has no meaning."""


@dataclass(kw_only=True)
class Demands:
    """The demands collected so far; equalities that are certain leave no trace.

    `runtime` tells what is left to run time.
    """

    checks: list[Check] = field(default_factory=list)
    runtime: list[str] = field(default_factory=list)

    def fail(self, code: str, rule: str) -> NoReturn:
        """A demand that cannot hold; nothing after it can be looked at (raises `Broken`)."""
        self.checks.append(Check(code, rule))
        raise Broken

    def one_of(self, code: str, rule: str, a: Extent, b: Extent, *cases: Condition) -> None:
        """At least one of the cases must hold of the two sizes."""
        if any(c is True for c in cases):
            return
        needs = tuple(dict.fromkeys(c for c in cases if isinstance(c, Relation)))
        self.checks.append(Check(code, rule, needs, a, b))

    def at_least_0(self, code: str, rule: str, size: Size) -> None:
        """The size is not negative, which must be known before it is compared with others."""
        if isinstance(size, int):
            if size < 0:
                self.fail(code, rule)
            return
        self.checks.append(Check(code, rule, (Relation(">=", size, Integer(0)),)))


def same(a: Extent, b: Extent) -> Condition:
    """Equal as the dialects compare: bounds as numbers, `?` only with `?`."""
    if a.size is None or b.size is None:
        return a.size is b.size
    return equal(a.size, b.size)


def is_one(e: Extent) -> Condition:
    """Whether the size is 1."""
    return False if e.size is None else equal(e.size, 1)
