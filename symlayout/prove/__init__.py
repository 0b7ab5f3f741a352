"""The claims as functions: each takes layouts, index maps or texts and returns a `Verdict`.

Every function takes `where`, the facts (a text, a SymPy relation or several), and `budget`, the
solver's resource units.  A verdict is "proved" for all sizes that satisfy the facts, "refuted" with a
replayed counterexample, "unknown" with the reason, or "vacuous" when the facts contradict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from numbers import Number
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
    claim = _of_objects(getattr(import_module(module), name))
    globals()[word] = claim
    return claim


def _of_objects(claim: Callable[..., Any]) -> Callable[..., Any]:
    """The claim, which other libraries' arrays and layouts may be given to."""

    @wraps(claim)
    def asked(*arguments: Any, **options: Any) -> Any:
        return claim(*[_layout(a) for a in arguments], **options)

    return asked


def _layout(given: Any) -> Any:
    """An array, a tensor or another library's layout as ours; all else as it is."""
    if isinstance(given, (str, tuple, list, Number)) or hasattr(given, "index_map"):
        return given
    if hasattr(given, "__array_interface__") or (
        hasattr(given, "shape")
        and any(hasattr(given, a) for a in ("stride", "strides", "dtype"))
        and not hasattr(given, "coords")
    ):
        from symlayout.layouts.doors.objects import of_object

        return of_object(given)
    return given


def __dir__() -> list[str]:
    return sorted(_HOMES)
