"""What each error code means, why it matters, an example that provokes it, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from symlayout.errors import CODES, LayoutError, did_you_mean


@dataclass(frozen=True)
class Explanation:
    """Why a code matters, an example (a command, or Python after `>>>`), and what mends it."""

    why: str
    example: str
    cure: str


EXPLANATIONS: dict[str, Explanation] = {
    "SL100": Explanation(
        "Three notations are read: XLA, shape:stride (TLA and CuTe), and strided. A text that "
        "begins like none of them has no meaning that could be guessed.",
        "symlayout formula '?'",
        "Write the layout as bf16[M,N]{1,0:T(8,128)}, (M,N):(N,1) or strided f32[M,N] "
        "strides(N,1).",
    ),
    "SL101": Explanation(
        "The text begins well and then leaves its notation: a bracket is not closed, a comma is "
        "missing, or something follows the end. The caret shows where reading stopped.",
        "symlayout formula 'f32[4'",
        "Close what the message names, or quote the text for the shell: braces, brackets and "
        "parentheses mean something there.",
    ),
    "SL102": Explanation(
        "Sizes are at least 0, tile sizes at least 1, and properties have a range of their own. A "
        "number outside its range would make every formula below it meaningless.",
        "symlayout formula 'f32[4]{0:T(0)}'",
        "Correct the number under the caret.",
    ),
    "SL103": Explanation(
        "The element type gives the bits of an element, so bytes and bit casts depend on it.",
        "symlayout formula 'f99[4]'",
        "Use one of the element types of the notation, such as f32, bf16, s8, pred.",
    ),
    "SL104": Explanation(
        "minor_to_major lists every dimension once, the fastest-moving first. With a dimension "
        "missing or twice, elements would share an address or have none.",
        "symlayout formula 'f32[4,5]{1,1}'",
        "List each dimension from 0 to rank-1 exactly once.",
    ),
    "SL105": Explanation(
        "A tile cuts the most minor dimensions of a shape. What is written here cannot be cut out "
        "of this shape.",
        "symlayout formula 'f32[4,5]{1,0:T(*,*)}'",
        "Give one size for each dimension that is cut, and combine (*) only dimensions that are "
        "there.",
    ),
    "SL106": Explanation(
        "A property of a layout is not known, is given twice, or does not go with this shape.",
        "symlayout formula 'f32[4]{0:Q(3)}'",
        "Remove the property under the caret, or correct its letter.",
    ),
    "SL107": Explanation(
        "A shape and its strides have the same structure: one stride for each size.",
        "symlayout formula '(4,5):(1)'",
        "Give as many strides as sizes, nested in the same way.",
    ),
    "SL108": Explanation(
        "A coordinate has one number for each logical dimension.",
        "symlayout formula 'f32[4,5]{1,0}' --at 1",
        "Give as many numbers as the shape has dimensions.",
    ),
    "SL200": Explanation(
        "Expressions are integer arithmetic in Python's or C's syntax: + - * // % / min max "
        "ceildiv, shifts and masks. Anything else cannot be reasoned about exactly.",
        "symlayout formula 'f32[N+]{0}'",
        "Rewrite the part under the caret with the operators above.",
    ),
    "SL201": Explanation(
        "A name in an index expression that is neither a coordinate nor a size of the layout "
        "could be anything, so nothing could be proved of it.",
        "symlayout prove formula 'f32[M,N]{1,0}' 'i*N + q'",
        "Use the coordinates i, j, k (i0, i1, ... beyond three) and the layout's own sizes, or "
        "name the coordinates with --coords.",
    ),
    "SL202": Explanation(
        "Division by zero has no value; a size that could be zero in a divisor has none either.",
        "symlayout prove formula 'f32[M,N]{1,0}' 'i // 0'",
        "Correct the divisor, or state the fact that makes it positive.",
    ),
    "SL203": Explanation(
        "Offsets and sizes are integers. A fraction, a float or a truth value is none.",
        ">>> symlayout.IndexMap.row_major((2.5, 3))",
        "Use integers, integer symbols, and floor division.",
    ),
    "SL300": Explanation(
        "A fact is a comparison of two integer expressions. Without its exact meaning no claim "
        "that rests on it can be judged.",
        "symlayout prove injective 'f32[N]{0}' --where 'N = 4'",
        "Write ==, !=, <, <=, > or >=, a chain such as 0 <= i < M, or several joined by 'and'.",
    ),
    "SL301": Explanation(
        "A fact about a symbol that does not occur changes nothing, and most often is a slip in "
        "the name.",
        "symlayout prove injective 'f32[N]{0}' --where 'n % 128 == 0'",
        "Correct the name, or remove the fact.",
    ),
    "SL400": Explanation(
        "An offset is defined for coordinates inside the shape only.",
        "symlayout formula 'f32[4,5]{1,0}' --at 4,0",
        "Give each coordinate a value from 0 to its size minus one.",
    ),
    "SL401": Explanation(
        "Proofs are about unbounded integers, NumPy's are 64 bits wide. A wrapped offset would be "
        "a wrong one.",
        ">>> symlayout.parse('f32[N]{0:T(128)}').index_map().evaluate([2**62], N=2**70)",
        "Use smaller sizes, or plain Python integers through `offset`.",
    ),
    "SL402": Explanation(
        "To compute numbers every size needs a value, and only the layout's own sizes have one.",
        "symlayout show 'f32[M,N]{1,0}' --size K=4",
        "Give a value to each size of the layout, by its name.",
    ),
    "SL403": Explanation(
        "Composition, reshape, slice and pad need shapes that fit: as many coordinates as "
        "dimensions, as many elements after a reshape as before.",
        ">>> symlayout.IndexMap.row_major((4, 6)).reshape((5, 5))",
        "Correct the shape that the message names.",
    ),
    "SL404": Explanation(
        "Only a map that gives no offset twice can be inverted.",
        ">>> symlayout.IndexMap.strided((4, 4), (1, 1)).inverse()",
        "Look at the counterexample of `symlayout prove injective`, and mend the strides.",
    ),
    "SL405": Explanation(
        "A picture or a buffer of every element is for sizes that fit in memory; proofs need no "
        "enumeration.",
        ">>> symlayout.parse('f32[1048576,1048576]{1,0}').index_map().buffer()",
        "Use smaller sizes, or a proof instead of an enumeration.",
    ),
    "SL500": Explanation(
        "A claims file is TOML. While it cannot be read, none of its claims is checked.",
        "symlayout check broken.layout.toml",
        "Correct the line under the caret; an editor that knows TOML points at it too.",
    ),
    "SL501": Explanation(
        "A key that is not known would be ignored silently, and with it perhaps the fact or the "
        "expectation that mattered.",
        "symlayout check key.layout.toml",
        "Use the key that the help names.",
    ),
    "SL502": Explanation(
        "A claim is a word, its arguments and its options; symlayout prove --help lists them.",
        "symlayout prove injektive 'f32[4]{0}'",
        "Correct the word, the number of arguments or the option under the caret.",
    ),
    "SL503": Explanation(
        "A value of a claims file has another type than its key needs, or is none of the values "
        'that it may have. expect is "proved" or "refuted": `unknown` would let a claim that '
        "nobody can judge pass as good.",
        "symlayout check value.layout.toml",
        'Write texts in quotes, facts as an array of texts, expect as "proved" or "refuted".',
    ),
    "SL504": Explanation(
        "A bare word in the place of a layout is the name of one in [layouts].",
        "symlayout check name.layout.toml",
        "Correct the name, add it to [layouts], or write the layout itself in quotes.",
    ),
    "SL600": Explanation(
        "The command line names a command, an option or a value that does not exist.",
        "symlayout porve injective 'f32[4]{0}'",
        "Look at symlayout --help.",
    ),
    "SL601": Explanation(
        "A path does not exist, may not be read, holds no text, or is far too large for a text.",
        "symlayout check missing.layout.toml",
        "Correct the path.",
    ),
    "SL900": Explanation(
        "symlayout itself failed. No verdict was given, so nothing wrong was claimed.",
        ">>> raise RuntimeError('what an internal error looks like')",
        "Report the line with the command that provoked it; other claims are not affected.",
    ),
}


def explanation(code: str) -> str:
    """The page on a code.

    >>> print(explanation("SL202").splitlines()[0])
    SL202: a divisor is zero

    Raises `LayoutError` (SL600) for a code that does not exist.
    """
    if code not in CODES:
        hint = did_you_mean(code, list(CODES)) or "symlayout explain lists all codes"
        raise LayoutError("SL600", f"there is no code {code!r}", help=hint)
    import textwrap

    e = EXPLANATIONS[code]
    lines = [f"{code}: {CODES[code]}", ""]
    lines += textwrap.wrap(e.why, 88)
    lines += ["", "For example:", f"    {e.example}", ""]
    lines += textwrap.wrap(f"What to do: {e.cure}", 88)
    return "\n".join(lines) + "\n"
