"""The claims as functions: each takes layouts, index maps or texts and returns a `Verdict`.

Every function takes `where`, the facts (a text, a SymPy relation or several), and `budget`, the
solver's resource units.  A verdict is "proved" for all sizes that satisfy the facts, "refuted" with a
replayed counterexample, "unknown" with the reason, or "vacuous" when the facts contradict.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# each claim's module is loaded on first use, so that one proof does not wait for all others
_HOMES = {
    "aligned": ("symlayout.prover.measures", "aligned"),
    "bijective": ("symlayout.prover.bijection", "bijective"),
    "bitcast": ("symlayout.prover.casts", "bitcast"),
    "bounded": ("symlayout.prover.bijection", "bounded"),
    "broadcast": ("symlayout.prover.broadcasting", "broadcast"),
    "bytes": ("symlayout.prover.measures", "occupies"),
    "divides": ("symlayout.prover.measures", "divides"),
    "equal": ("symlayout.prover.equality", "equal"),
    "fits": ("symlayout.prover.fits", "fits"),
    "formula": ("symlayout.prover.equality", "formula"),
    "holds": ("symlayout.prover.relation", "holds"),
    "injective": ("symlayout.prover.bijection", "injective"),
    "instruction": ("symlayout.prover.instruction", "instruction"),
    "onto": ("symlayout.prover.bijection", "onto"),
    "padding": ("symlayout.prover.measures", "padding"),
    "reinterpret": ("symlayout.prover.casts", "reinterpret"),
    "tiles": ("symlayout.prover.tiles", "tiles"),
    "valid": ("symlayout.prover.instruction", "valid"),
}

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


def __getattr__(word: str) -> Any:
    if word not in _HOMES:
        raise AttributeError(f"module 'symlayout.prove' has no claim {word!r}")
    module, name = _HOMES[word]
    claim = getattr(import_module(module), name)
    globals()[word] = claim
    return claim


def __dir__() -> list[str]:
    return sorted(_HOMES)
