"""The claim words: one table that the CLI, claims files, Python and the documentation share.

Imports nothing heavy: a command that only prints help reads this table and no more.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
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
    Claim("equal", ("A", "B"), "same shape, and the same offset for every coordinate"),
    Claim(
        "bitcast",
        ("A", "B"),
        "the element with the same row-major number lies at the same place; padding and bits count",
        ("perm",),
    ),
    Claim(
        "reinterpret",
        ("A", "B"),
        "the two buffers have the same bytes and the same padding holes",
    ),
    Claim("injective", ("A",), "no two coordinates have one offset"),
    Claim("onto", ("A",), "every offset of [0, size) is hit"),
    Claim("bijective", ("A",), "every offset of [0, size) is hit exactly once"),
    Claim("bounded", ("A", "[SIZE]"), "0 <= offset < size (by default the layout's own)"),
    Claim(
        "formula",
        ("A", "EXPR"),
        "a hand-written index expression equals the layout's offset",
        ("coords", "language"),
    ),
    Claim(
        "broadcast",
        ("A", "B"),
        "A and B may be broadcast together (for stablehlo and hlo: A to B); reports the result",
        ("dims", "dialect"),
    ),
    Claim("valid", ("A",), "every element has a place of its own inside the layout's buffer"),
    Claim(
        "instruction",
        ("TEXT",),
        "the shape of an HLO instruction, operands with their shapes, follows from its operands",
    ),
    Claim("padding", ("A", "RATIO"), "the buffer has at most RATIO times as many elements"),
    Claim("bytes", ("A", "BYTES"), "the buffer occupies that many bytes, padding included"),
    Claim(
        "tiles",
        ("A", "TILE"),
        "tiles cover A once, and first offset + tile layout addresses what A addresses",
        ("at",),
    ),
    Claim(
        "divides",
        ("A", "[B]"),
        "every tile of A divides the size it tiles; or the expression A divides the expression B",
    ),
    Claim(
        "fits",
        ("A", "BITS"),
        "no intermediate value of the emitted formula leaves BITS-bit signed integers",
    ),
    Claim(
        "aligned",
        ("A", "BYTES"),
        "every row (a run of the most minor dimension) begins at a multiple of BYTES",
        ("dim",),
    ),
    Claim(
        "holds",
        ("RELATION",),
        "a relation between integer expressions, or each of a chain of them, is true",
    ),
)

CLAIMS: dict[str, Claim] = {row.word: row for row in _ROWS}
