"""Proofs by blocks of bits: whatever rows a certificate has, no false claim follows from its goals."""

from __future__ import annotations

import random

import pytest
from soundness import families

from symlayout import LayoutError, prove


def dense(rng: random.Random) -> families.Drawn:
    """A few vectors of many bits, which often depend on one another."""
    lows: list[families.Length] = [{}, {"": 1}, {"": 2}, {"k": 1}]
    sizes: list[families.Length] = [{"": 2}, {"": 3}, {"k": 1, "": 1}, {"k": 1}]
    outs = tuple(rng.choices(sizes, k=rng.randint(1, 2)))
    pieces = []
    for _ in range(rng.randint(1, 3)):
        to = rng.sample([(c, low) for c in range(len(outs)) for low in lows], rng.randint(0, 3))
        pieces.append(families.Piece(rng.choice([{"": 1}, {"": 1}, {"k": 1}]), tuple(to)))
    return families.Drawn((tuple(pieces),), outs)


def single(rng: random.Random, f: families.Drawn) -> families.Drawn:
    """One bit of each vector alone."""
    return f._replace(
        ins=tuple(
            tuple(p._replace(to=tuple(rng.sample(p.to, min(1, len(p.to))))) for p in row)
            for row in f.ins
        )
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_claim_of_vectors_of_many_bits_is_wrongly_proved(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(15):
        word, f = rng.choice(["equal", "equal", *families.WORDS]), dense(rng)
        maps: list[families.Map] = [f]
        if word in ("equal", "inverse"):
            maps.append(rng.choice([dense(rng), single(rng, f)]))
        try:
            proved = getattr(prove, word)(*[m.text for m in maps]).proved
        except LayoutError:
            continue
        every = [e for e in families.assignments(["k", "m"], []) if families.small(maps, e)]
        assert not proved or all(families.true(word, maps, e) for e in every), (word, maps)
