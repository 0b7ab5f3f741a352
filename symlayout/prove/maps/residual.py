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
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Integer
from symlayout.prove.maps.cases import Impossible, Move, World, worlds
from symlayout.prove.maps.goals import Proof

MOST = 64  # residues, or combinations of those of several sizes


class Residue(NamedTuple):
    """A size, and the number modulo which it is looked at."""

    size: str
    modulus: int


@dataclass
class Residual(Proof):
    """A proof in worlds of which each knows what some sizes leave modulo numbers."""

    residues: tuple[Residue, ...] = ()

    def whole(self, world: World) -> Proof:
        """The proof in all of the worlds; raises `Undecided` with the case that is missing."""
        if prod(r.modulus for r in self.residues) > MOST:
            raise Undecided(f"more than {MOST} residues")
        self.divided(world, self.residues)
        return self

    def divided(self, world: World, residues: Sequence[Residue]) -> None:
        """The proof in the worlds of one size after the other."""
        if not residues:
            self.steps, self.work, self.begun = 0, 0, self.meter.terms
            self.of(world)
            return
        if self.impossible(world):
            return
        (name, modulus), *rest = residues
        if name not in world.names:  # facts leave one value
            raise Undecided(f"{name} is no size of its own")
        a, b = world.fresh("a"), world.fresh("b")
        move: Move = ("divide", symbol(name), Integer(modulus), a, b)
        exact, other = worlds(world, move)
        self.script.append((move, world))
        self.divided(exact, rest)
        self.bisected(other, b.name, range(1, modulus), rest)

    def impossible(self, world: World) -> bool:
        """Whether no sizes are in the world."""
        try:
            world.context()
        except Impossible:
            self.script.append((("impossible",), world))
            return True
        return False

    def bisected(
        self, world: World, name: str, values: range, residues: Sequence[Residue]
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


def moduli(residues: Iterable[Residue], facts: Facts) -> tuple[Residue, ...]:
    """Each size once, with the greatest of its moduli; none of which facts say what is left."""
    hits: dict[str, int] = {}
    for size, modulus in residues:
        if facts.domain(size).modulus % modulus:
            hits[size] = max(modulus, hits.get(size, 1))
    return tuple(Residue(*row) for row in hits.items())
