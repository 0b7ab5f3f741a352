"""Proofs residue by residue: sizes written as `n*a + r`, and one world for each r.

What is claimed of a product modulo n often depends on what a size leaves modulo a few primes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from symlayout.digits.context import Undecided
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Mod, symbol
from symlayout.expr.tree import Integer, Symbol
from symlayout.prove.maps.cases import Impossible, Move, World, worlds
from symlayout.prove.maps.goals import Proof

MOST = 64  # residues, or combinations of those of several sizes


class Residue(NamedTuple):
    """A size, and the number modulo which it is looked at; or all values of one that has a few."""

    size: str
    modulus: int
    values: tuple[int, ...] = ()


@dataclass
class Residual(Proof):
    """A proof in worlds of which each knows what some sizes leave modulo numbers."""

    residues: tuple[Residue, ...] = ()

    def whole(self, world: World) -> Proof:
        """The proof in all of the worlds; raises `Undecided` with the case that is missing."""
        if prod(len(r.values) or r.modulus for r in self.residues) > MOST:
            raise Undecided(f"more than {MOST} residues")
        self.divided(world, self.residues)
        return self

    def divided(self, world: World, residues: Sequence[Residue]) -> None:
        """The proof in the worlds of one size after the other."""
        if not residues:
            self.steps, self.work, self.begun = 0, 0, self.meter.terms
            if not self.impossible(world):
                self.of(world)
            return
        if self.impossible(world):
            return
        (name, modulus, values), *rest = residues
        if name not in world.names:  # facts leave one value
            raise Undecided(f"{name} is no size of its own")
        if values:
            beyond: Move = ("sizes", symbol(name) - values[-1] - 1)
            high, low = worlds(world, beyond)
            self.script.append((beyond, world))
            if not self.impossible(high):
                raise Undecided(f"{name} is not proved to be at most {values[-1]}")
            self.bisected(low, name, values, rest)
            return
        a, b = world.fresh("a"), world.fresh("b")
        move: Move = ("divide", symbol(name), Integer(modulus), a, b)
        exact, other = worlds(world, move)
        self.script.append((move, world))
        self.divided(exact, rest)
        self.bisected(other, b.name, tuple(range(1, modulus)), rest)

    def impossible(self, world: World) -> bool:
        """Whether no sizes are in the world."""
        try:
            ctx = world.context()
            possible = not any(ctx.nonneg(-c - 1) for c in map(ctx.resolve, ctx.constraints))
        except Impossible:
            possible = False
        if not possible:
            self.script.append((("impossible",), world))
        return not possible

    def bisected(
        self, world: World, name: str, values: Sequence[int], residues: Sequence[Residue]
    ) -> None:
        """The proof for each of the values that a remainder may have."""
        if self.impossible(world):
            return
        b = symbol(name)
        move: Move
        if len(values) == 1:
            move = ("value", b, Integer(values[0]))
            self.script.append((move, world))
            (there,) = worlds(world, move)
            self.divided(there, residues)
            return
        half = len(values) // 2
        move = ("sizes", b - values[half])
        high, low = worlds(world, move)
        self.script.append((move, world))
        self.bisected(high, name, values[half:], residues)
        self.bisected(low, name, values[:half], residues)


def divisors(facts: Facts) -> tuple[Residue, ...]:
    """A size of which facts say that it divides a small number, with the numbers up to that one."""
    for r in facts.relations:
        if r.op == "==" and r.right == 0 and isinstance(r.left, Mod):
            number, size = r.left.args
            if isinstance(size, Symbol) and number.is_Integer and 1 < number <= MOST:
                low = facts.domain(size.name).first
                if 1 <= low <= number:
                    return (Residue(size.name, 1, tuple(range(low, int(number) + 1))),)
    return ()


def moduli(residues: Iterable[Residue], facts: Facts) -> tuple[Residue, ...]:
    """Each size once, with the greatest of its moduli; none of which facts say what is left."""
    hits: dict[str, int] = {}
    for size, modulus, _ in residues:
        if facts.domain(size).modulus % modulus:
            hits[size] = max(modulus, hits.get(size, 1))
    return tuple(Residue(*row) for row in hits.items())
