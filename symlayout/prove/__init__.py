"""The claims as functions: each takes layouts, index maps or texts and returns a `Verdict`.

Every function takes `where`, the facts (a text, a SymPy relation or several), and `budget`, the
solver's rlimit.  A verdict is "proved" for all sizes that satisfy the facts, "refuted" with a
replayed counterexample, "unknown" with the reason, or "vacuous" when the facts contradict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from numbers import Number
from operator import index
from typing import TYPE_CHECKING, Any

from symlayout.layouts.claim import Claim
from symlayout.layouts.vocabulary import CLAIMS, suggestion

if TYPE_CHECKING:  # as their own names: what is imported so is exported
    from symlayout.prove.bijection import bijective as bijective
    from symlayout.prove.bijection import bounded as bounded
    from symlayout.prove.bijection import injective as injective
    from symlayout.prove.bijection import onto as onto
    from symlayout.prove.broadcasting import broadcast as broadcast
    from symlayout.prove.buffers import reinterpret as reinterpret
    from symlayout.prove.casts import bitcast as bitcast
    from symlayout.prove.equality import equal as equal
    from symlayout.prove.equality import formula as formula
    from symlayout.prove.fitting import fits as fits
    from symlayout.prove.instructions import instruction as instruction
    from symlayout.prove.instructions import valid as valid
    from symlayout.prove.maps.pairs import disjoint as disjoint
    from symlayout.prove.maps.pairs import inverse as inverse
    from symlayout.prove.measures import aligned as aligned
    from symlayout.prove.measures import divides as divides
    from symlayout.prove.measures import occupies as bytes
    from symlayout.prove.measures import padding as padding
    from symlayout.prove.question import Question
    from symlayout.prove.relation import holds as holds
    from symlayout.prove.tiling import tiles as tiles
    from symlayout.prove.verdict import Verdict

# written out for type checkers; the table of claim words has the same
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


def home(word: str) -> tuple[str, str]:
    """The module of a claim's function and its name there: it is loaded on first use."""
    module, _, function = CLAIMS[word].home.partition(":")
    return f"symlayout.prove.{module}", function or word


def verdict_of(claim: Claim, **options: Any) -> Verdict:
    """The verdict on a claim with its options and facts.

    >>> from symlayout.layouts.claim import Claim
    >>> verdict_of(Claim("injective", ("f32[M,N]",))).status
    'proved'
    """
    arguments = dict(claim.options) | options
    function = getattr(import_module(__name__), claim.word)
    verdict: Verdict = function(*claim.arguments, where=list(claim.facts), **arguments)
    return verdict


def question_of(word: str, *arguments: Any, **options: Any) -> Question:
    """What a claim word states, not decided: with the arguments and options of its function.

    >>> from symlayout.prove.run import Run
    >>> question_of("injective", "f32[M,N]").decided(Run()).status
    'proved'
    """
    module, name = home(word)
    states = getattr(import_module(module), name).question
    result: Question = states(*map(_layout, arguments), **options)
    return result


if not TYPE_CHECKING:  # to a type checker a misspelt claim is none

    def __getattr__(word: str) -> Any:
        if word not in CLAIMS:
            raise AttributeError(
                f"module 'symlayout.prove' has no claim {word!r}{suggestion(word)}"
            )
        module, name = home(word)
        claim = _of_objects(getattr(import_module(module), name))
        globals()[word] = claim
        return claim


def _of_objects(claim: Callable[..., Any]) -> Callable[..., Any]:
    """The claim, which other libraries' arrays and layouts may be given to."""

    @wraps(claim)
    def claim_of(*arguments: Any, **options: Any) -> Any:
        return claim(*[_layout(a) for a in arguments], **options)

    return claim_of


OFFERED = ("stride", "strides", "dtype", "reg_bases", "offset_bases", "outer")


def _layout(value: Any) -> Any:
    """An array, a tensor or another library's layout as ours; all else as it is."""
    if isinstance(value, (str, tuple, list, Number)):
        return value
    if hasattr(value, "index_map") or hasattr(value, "_coords"):  # ours
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "__index__"):
        return _scalar(value)  # of NumPy, JAX or PyTorch
    if any(hasattr(value, a) for a in ("__array_interface__", "out_dims")) or (
        hasattr(value, "shape") and any(hasattr(value, a) for a in OFFERED)
    ):
        from symlayout.layouts.doors.objects import of_object

        return of_object(value)
    return value


def _scalar(value: Any) -> Any:
    """The integer of another library's scalar; what holds none stays as it is."""
    try:
        return index(value)
    except (TypeError, ValueError, RuntimeError):
        return value


def __dir__() -> list[str]:
    return sorted(CLAIMS)
