"""The one door to what is printed for Rocq of a claim that need not be true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symlayout.certificate.proof import Statement
from symlayout.certificate.rocq import statement
from symlayout.certificate.rocq.numbers import says
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError


class Said(NamedTuple):
    """The names of the sizes, what Rocq calls them, what is known of them, and what is said."""

    names: Sequence[str]
    sizes: Sequence[str]
    known: Sequence[str]
    says: str


def said(
    word: str, args: Sequence[str], options: Mapping[str, str], facts: Sequence[str]
) -> Said | None:
    """The statement of a claim, if the library knows what it is about."""
    try:
        claim = Claim(Statement(word, tuple(args), tuple(options.items()), tuple(facts)))
        text = says(claim)
    except LayoutError:
        return None
    return Said(claim.names, text.sizes, [t for fact in text.facts for t in fact], text.says)


WORDS = statement.WORDS
of_layouts = statement.of_layouts
