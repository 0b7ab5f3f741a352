"""The claim words: one table that the CLI, claims files, Python and the documentation share.

Imports nothing heavy: a command that only prints help reads this table and no more.
"""

from __future__ import annotations

from dataclasses import dataclass

from symlayout.errors import LayoutError, did_you_mean


@dataclass(frozen=True)
class ClaimWord:
    """A claim's word, its arguments in order (optional ones in brackets), options, and meaning."""

    word: str
    arguments: tuple[str, ...]
    meaning: str
    options: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """How it is written on a command line or in a claims file."""
        flags = [f"[--{o} {o.upper()}]" for o in self.options]
        return " ".join([self.word, *self.arguments, *flags])

    @property
    def required(self) -> int:
        """How many arguments must be given."""
        return sum(not a.startswith("[") for a in self.arguments)


_ROWS = (
    ClaimWord("equal", ("A", "B"), "same shape, and the same offset for every coordinate"),
    ClaimWord(
        "bitcast",
        ("A", "B"),
        "the element with the same row-major number lies at the same place; padding and bits count",
        ("perm",),
    ),
    ClaimWord(
        "reinterpret",
        ("A", "B"),
        "the two buffers have the same bytes and the same padding holes",
    ),
    ClaimWord("injective", ("A",), "no two coordinates have one offset"),
    ClaimWord("onto", ("A",), "every offset of [0, size) is hit"),
    ClaimWord("bijective", ("A",), "every offset of [0, size) is hit exactly once"),
    ClaimWord("bounded", ("A", "[SIZE]"), "0 <= offset < size (by default the layout's own)"),
    ClaimWord(
        "formula",
        ("A", "EXPR"),
        "a hand-written index expression equals the layout's offset",
        ("coords", "language"),
    ),
    ClaimWord(
        "broadcast",
        ("A", "B"),
        "A and B may be broadcast together (for stablehlo and hlo: A to B); reports the result",
        ("dims", "dialect"),
    ),
    ClaimWord("valid", ("A",), "every element has a place of its own inside the layout's buffer"),
    ClaimWord(
        "instruction",
        ("TEXT",),
        "the shape of an HLO instruction, operands with their shapes, follows from its operands",
    ),
    ClaimWord("padding", ("A", "RATIO"), "the buffer has at most RATIO times as many elements"),
    ClaimWord("bytes", ("A", "BYTES"), "the buffer occupies that many bytes, padding included"),
    ClaimWord(
        "tiles",
        ("A", "TILE"),
        "tiles cover A once, and first offset + tile layout addresses what A addresses",
        ("at",),
    ),
    ClaimWord(
        "divides",
        ("A", "[B]"),
        "every tile of A divides the size it tiles; or the expression A divides the expression B",
    ),
    ClaimWord(
        "fits",
        ("A", "[BITS]"),
        "no value on the way of the emitted formula leaves BITS bits; a map's, as written, its types",
        ("wraps", "types"),
    ),
    ClaimWord(
        "aligned",
        ("A", "BYTES"),
        "every row (a run of the most minor dimension) begins at a multiple of BYTES",
        ("dim",),
    ),
    ClaimWord("inverse", ("F", "G"), "G(F(x)) is x and F(G(y)) is y, on all of both maps' domains"),
    ClaimWord("disjoint", ("F", "G"), "no place is reached by both maps"),
    ClaimWord(
        "holds",
        ("RELATION",),
        "a relation between integer expressions, or each of a chain of them, is true",
    ),
)

CLAIMS: dict[str, ClaimWord] = {row.word: row for row in _ROWS}


def claim_word(word: str) -> ClaimWord:
    """The row of a claim word.

    Raises `LayoutError` (SL502) for a word that is none.
    """
    if word not in CLAIMS:
        hint = did_you_mean(word, list(CLAIMS)) or f"the claim words are {', '.join(CLAIMS)}"
        raise LayoutError("SL502", f"{word!r} is no claim word", help=hint)
    return CLAIMS[word]
