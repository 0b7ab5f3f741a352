"""The names in a claim's line: what layouts they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symlayout.errors import LayoutError, did_you_mean
from symlayout.layouts.claim import Claim
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.text.patterns import regex

NAME = regex(r"[A-Za-z_][\w.-]*")
# what looks like a function of a layout: then the readers are asked
FUNCTION = regex(r"\b(?:offset|crd2offset|size|cosize|bytes|rank|true_rank|depth)\s*\(")
# arguments that are layouts, or names of layouts; all others are expressions, numbers, relations
LAYOUTS = frozenset({"A", "B", "F", "G", "TILE"})


def is_layout_argument(claim: Claim, position: int) -> bool:
    """Whether that argument is a layout, so that a bare name there must be a known one."""
    if claim.word == "divides" and len(claim.arguments) == 2:
        return False
    return CLAIMS[claim.word].arguments[position].strip("[]") in LAYOUTS


def resolve(claim: Claim, layouts: Mapping[str, str], line: str) -> Claim:
    """The claim with layouts for their names: a bare word that names one becomes its text.

    Raises `LayoutError` (SL504) for a bare name that no layout has.
    """
    texts: list[str] = []
    for k, word in enumerate(claim.arguments):
        name = None if word.quoted else NAME.fullmatch(word)
        if name and word in layouts and (claim.word == "divides" or is_layout_argument(claim, k)):
            texts.append(layouts[word])
            continue
        if name and is_layout_argument(claim, k):
            known = ", ".join(layouts) or "none"
            hint = did_you_mean(word, list(layouts)) or f"the layouts here: {known}"
            message = f"no layout is called {str(word)!r}"
            raise LayoutError("SL504", message, text=line, at=word.at, end=word.end, help=hint)
        texts.append(word if is_layout_argument(claim, k) else text_with_layouts(word, layouts))
    return claim if texts == [*claim.arguments] else replace(claim, arguments=tuple(texts))


def text_with_layouts(text: str, layouts: Mapping[str, str]) -> str:
    """A relation, a fact or an expression, with the layouts whose names its functions are given.

    >>> text_with_layouts("size(hbm) == 4", {"hbm": "f32[4]"})
    'size(f32[4]) == 4'
    """
    if not (layouts and FUNCTION.search(text)):
        return text
    from symlayout.layouts.applied import with_layouts

    return with_layouts(text, layouts)
