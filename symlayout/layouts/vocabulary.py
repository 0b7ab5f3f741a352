"""The claim words: one table that the CLI, claims files, Python and the documentation share.

Imports nothing heavy: a command that only prints help reads this table and no more.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from symlayout.errors import LayoutError, did_you_mean

Name = Literal[
    "equal",
    "bitcast",
    "reinterpret",
    "injective",
    "onto",
    "bijective",
    "bounded",
    "formula",
    "broadcast",
    "valid",
    "instruction",
    "padding",
    "bytes",
    "tiles",
    "divides",
    "fits",
    "aligned",
    "inverse",
    "disjoint",
    "holds",
]  # for type checkers: the words of the table below


class ClaimWord(NamedTuple):
    """A claim's word, its arguments in order (optional ones in brackets), options, and meaning.

    `home` is the module of `prove/` with its function, and the function's name if it is another one.
    `more` is what help adds to the meaning.
    """

    word: str
    arguments: tuple[str, ...]
    meaning: str
    options: tuple[str, ...] = ()
    home: str = ""
    more: str = ""

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
    ClaimWord(
        "equal", ("A", "B"), "same shape, and the same offset for every coordinate", home="equality"
    ),
    ClaimWord(
        "bitcast",
        ("A", "B"),
        "the element with the same row-major number lies at the same place; padding and bits count",
        ("perm",),
        home="casts",
    ),
    ClaimWord(
        "reinterpret",
        ("A", "B"),
        "the two buffers have the same bytes and the same padding holes",
        home="buffers",
    ),
    ClaimWord("injective", ("A",), "no two coordinates have one offset", home="bijection"),
    ClaimWord("onto", ("A",), "every offset of [0, size) is hit", home="bijection"),
    ClaimWord(
        "bijective", ("A",), "every offset of [0, size) is hit exactly once", home="bijection"
    ),
    ClaimWord(
        "bounded",
        ("A", "[SIZE]"),
        "0 <= offset < size (by default the layout's own)",
        home="bijection",
    ),
    ClaimWord(
        "formula",
        ("A", "EXPR"),
        "a hand-written index expression equals the layout's offset",
        ("coords", "language"),
        home="equality",
    ),
    ClaimWord(
        "broadcast",
        ("A", "B"),
        "A and B may be broadcast together (for stablehlo and hlo: A to B); reports the result",
        ("dims", "dialect"),
        home="broadcasting",
    ),
    ClaimWord(
        "valid",
        ("A",),
        "every element has a place of its own inside the layout's buffer",
        home="instructions",
    ),
    ClaimWord(
        "instruction",
        ("TEXT",),
        "the shape of an HLO instruction, operands with their shapes, follows from its operands",
        home="instructions",
    ),
    ClaimWord(
        "padding",
        ("A", "RATIO"),
        "the buffer has at most RATIO times as many elements",
        home="measures",
    ),
    ClaimWord(
        "bytes",
        ("A", "BYTES"),
        "the buffer occupies that many bytes, padding included",
        home="measures:occupies",
    ),
    ClaimWord(
        "tiles",
        ("A", "TILE"),
        "tiles cover A once, and first offset + tile layout addresses what A addresses",
        ("at",),
        home="tiling",
        more="TILE has one size for each dimension of A, or is a layout.\n"
        "AT is the element at which one tile begins, not the number of a tile; it has one\n"
        "coordinate for each dimension. Without --at the claim is about all tiles of the grid.\n"
        "A tile that reaches past the end of A is proved if code masks the elements outside of A.\n"
        'example: symlayout prove tiles "f32[M,N]" 8,8 --at 8,16 --where "M >= 16 and N >= 24"',
    ),
    ClaimWord(
        "divides",
        ("A", "[B]"),
        "every tile of A divides the size it tiles; or the expression A divides the expression B",
        home="measures",
    ),
    ClaimWord(
        "fits",
        ("A", "[BITS]"),
        "no value on the way of the formula, emitted in Python, leaves BITS bits; a map's, its types",
        ("wraps", "types"),
        home="fitting",
    ),
    ClaimWord(
        "aligned",
        ("A", "BYTES"),
        "every row (a run of the most minor dimension) begins at a multiple of BYTES",
        ("dim",),
        home="measures",
    ),
    ClaimWord(
        "inverse",
        ("F", "G"),
        "G(F(x)) is x and F(G(y)) is y, on all of both maps' domains",
        home="maps.pairs",
    ),
    ClaimWord("disjoint", ("F", "G"), "no place is reached by both maps", home="maps.pairs"),
    ClaimWord(
        "holds",
        ("RELATION",),
        "a relation between integer expressions, or each of a chain of them, is true",
        home="relation",
    ),
)

CLAIMS: dict[str, ClaimWord] = {row.word: row for row in _ROWS}


# what others call a claim, without _ and an `is` before it
SYNONYMS = {
    **dict.fromkeys(("unique", "nooverlap", "overlap", "collision", "onetoone"), "injective"),
    **dict.fromkeys(("noalias", "distinct", "oneone", "nocollision"), "injective"),
    **dict.fromkeys(("surjective", "covers", "cover"), "onto"),
    **dict.fromkeys(("permutation", "dense", "compact", "invertible"), "bijective"),
    **dict.fromkeys(("inbounds", "bounds", "oob", "outofbounds", "range", "inrange"), "bounded"),
    **dict.fromkeys(("same", "eq", "equals", "equivalent", "identical", "match"), "equal"),
    **dict.fromkeys(("offset", "index", "address", "expr", "expression"), "formula"),
    **dict.fromkeys(("size", "nbytes", "bytesize", "memory"), "bytes"),
    **dict.fromkeys(("overflow", "nooverflow", "int32"), "fits"),
    **dict.fromkeys(("waste", "padded", "pad"), "padding"),
    **dict.fromkeys(("alignment", "align"), "aligned"),
    **dict.fromkeys(("inside", "within", "inrange", "contained"), "bounded"),
    **dict.fromkeys(("tile", "tiling", "partition"), "tiles"),
    **dict.fromkeys(("true", "assert", "relation"), "holds"),
    **dict.fromkeys(("reshape", "transpose", "view"), "bitcast"),
}


# what is asked with another command, or in another place
ELSEWHERE = {
    **dict.fromkeys(
        ("bank_conflict", "bank_conflicts", "bankconflict", "banks", "conflicts"),
        "symlayout show LAYOUT --banks shows the conflicts of shared memory",
    ),
    "grid": "a contract begins with the word kernel: symlayout: kernel grid (..)",
    "block": "a contract begins with the word kernel: symlayout: kernel grid (..) block (..)",
}


def suggestion(word: object) -> str:
    """What a word that is not a claim was meant to be, behind a colon; "" where nothing is near.

    >>> suggestion("is_unique"), suggestion("injectiv"), suggestion("xyzzy")
    (": did you mean 'injective'?", ": did you mean 'injective'?", '')
    """
    plain = str(word)[:60].lower().replace("_", "").replace("-", "")
    known = SYNONYMS.get(plain) or SYNONYMS.get(plain.removeprefix("is"))
    hint = f"did you mean {known!r}?" if known else did_you_mean(str(word), list(CLAIMS))
    return f": {hint}" if hint else ""


def claim_word(word: str) -> ClaimWord:
    """The row of a claim word.

    Raises `LayoutError` (SL502) for a word that is none.
    """
    if word not in CLAIMS:
        hint = ELSEWHERE.get(word) or suggestion(word).removeprefix(": ")
        hint = hint or f"the claim words are {', '.join(CLAIMS)}"
        raise LayoutError("SL502", f"unknown claim {word!r}", help=hint)
    return CLAIMS[word]
