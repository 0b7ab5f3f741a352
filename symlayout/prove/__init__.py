"""The claims as functions: each takes layouts, index maps or texts and returns a `Verdict`.

Every function takes `where`, the facts (a text, a SymPy relation or several), and `budget`, the
solver's resource units.  A verdict is "proved" for all sizes that satisfy the facts, "refuted" with a
replayed counterexample, "unknown" with the reason, or "vacuous" when the facts contradict.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symlayout.prove.bijection import bijective, bounded, injective, onto
    from symlayout.prove.broadcasting import broadcast
    from symlayout.prove.casts import bitcast, reinterpret
    from symlayout.prove.equality import equal, formula
    from symlayout.prove.fitting import fits
    from symlayout.prove.instructions import instruction, valid
    from symlayout.prove.maps.pairs import disjoint, inverse
    from symlayout.prove.measures import aligned, divides, padding
    from symlayout.prove.measures import occupies as bytes
    from symlayout.prove.relation import holds
    from symlayout.prove.tiling import tiles

# each claim's module is loaded on first use, so that one proof does not wait for all others
_HOMES = {
    "aligned": ("symlayout.prove.measures", "aligned"),
    "bijective": ("symlayout.prove.bijection", "bijective"),
    "bitcast": ("symlayout.prove.casts", "bitcast"),
    "bounded": ("symlayout.prove.bijection", "bounded"),
    "broadcast": ("symlayout.prove.broadcasting", "broadcast"),
    "bytes": ("symlayout.prove.measures", "occupies"),
    "divides": ("symlayout.prove.measures", "divides"),
    "equal": ("symlayout.prove.equality", "equal"),
    "fits": ("symlayout.prove.fitting", "fits"),
    "formula": ("symlayout.prove.equality", "formula"),
    "disjoint": ("symlayout.prove.maps.pairs", "disjoint"),
    "inverse": ("symlayout.prove.maps.pairs", "inverse"),
    "holds": ("symlayout.prove.relation", "holds"),
    "injective": ("symlayout.prove.bijection", "injective"),
    "instruction": ("symlayout.prove.instructions", "instruction"),
    "onto": ("symlayout.prove.bijection", "onto"),
    "padding": ("symlayout.prove.measures", "padding"),
    "reinterpret": ("symlayout.prove.casts", "reinterpret"),
    "tiles": ("symlayout.prove.tiling", "tiles"),
    "valid": ("symlayout.prove.instructions", "valid"),
}

__all__ = [
    "aligned",
    "bijective",
    "bitcast",
    "bounded",
    "broadcast",
    "bytes",
    "disjoint",
    "divides",
    "equal",
    "fits",
    "formula",
    "holds",
    "injective",
    "instruction",
    "inverse",
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
