"""The claims as functions: each takes layouts, index maps or texts and returns a `Verdict`.

Every function takes `where`, the facts (a text, a SymPy relation or several), and `budget`, the
solver's resource units.  A verdict is "proved" for all sizes that satisfy the facts, "refuted" with a
replayed counterexample, "unknown" with the reason, or "vacuous" when the facts contradict.
"""

from __future__ import annotations

from symlayout.prover.bijection import bijective, bounded, injective, onto
from symlayout.prover.broadcasting import broadcast
from symlayout.prover.casts import bitcast, reinterpret
from symlayout.prover.equality import equal, formula
from symlayout.prover.fits import fits
from symlayout.prover.instruction import instruction, valid
from symlayout.prover.measures import aligned, divides, padding
from symlayout.prover.measures import occupies as bytes
from symlayout.prover.relation import holds
from symlayout.prover.tiles import tiles

__all__ = [
    "aligned",
    "bijective",
    "bitcast",
    "bounded",
    "broadcast",
    "bytes",
    "divides",
    "equal",
    "fits",
    "formula",
    "holds",
    "injective",
    "instruction",
    "onto",
    "padding",
    "reinterpret",
    "tiles",
    "valid",
]
