"""The literals of MLIR and of HLO: as many elements, in lists of as many, as their types say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod
from operator import mul

from symlayout.text.patterns import regex

DENSE = regex(
    r"\bdense<(?:\"0x(?P<bits>[^\"<>]*+)\"|(?P<literal>[^\"<>]*+))>\s*+:\s*+"
    r"tensor<(?P<sizes>(?:(?>\d++x))*+)(?P<type>complex<\w++>|[a-zA-Z]\w*+)(?=>|\s*+,)"
)
ELEMENT = regex(r"[^\s\[\](),]++")
FLOAT = regex(r"-?+\d++\.\d*+(?:(?>[eE][+\-]?+\d++))?+|0x[0-9a-fA-F]++")
WHOLE = regex(r"-?+(?:0x[0-9a-fA-F]++|\d++)")
KIND = regex(r"(?P<kind>bf|f|si|ui|i)(?P<bits>\d{1,2})(?:E\w+)?")
COMPLEX = regex(r"\([^()]*+\)")
COMMENTS = regex(r"/\*.*?\*/", re.S)
ROW = regex(r"\{([^{}]*+)\}")
LONGEST = 20  # digits of a number


def misfits(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """The places of literals that are not of the sizes of their types, and what is wrong.

    >>> text = "dense<[[1, 2], [3, 4]]> : tensor<2x3xi64>, dense<0> : tensor<4x5xi64>"
    >>> list(misfits(text, 0, len(text)))
    [(6, 'the literal has 4 elements, tensor<2x3> has 6')]
    """
    if text.find("dense<", start, stop) < 0:
        return
    for m in DENSE.finditer(text, start, stop):
        words = m["sizes"].split("x")[:-1]
        if any(len(w) > LONGEST for w in words):
            continue
        sizes = [int(w) for w in words]
        if m["bits"] is not None:
            message, at = _bits(m["bits"], prod(sizes), m["type"]), m.start("bits")
        else:
            message, at = _misfit(m["literal"], sizes), m.start("literal")
            message = message or _stranger(m["literal"], m["type"])
        if message:
            yield at, message


def _bits(digits: str, count: int, kind: str) -> str:
    """What is wrong with a literal of bytes: those of all elements, or of one that stands for all."""
    parts = 2 if kind.startswith("complex<") else 1
    match = KIND.fullmatch(kind.removeprefix("complex<").removesuffix(">"))
    if re.search(r"[^0-9a-fA-F]", digits) or len(digits) % 2:
        return "the literal is not a row of bytes, two digits each"
    if match is None:
        return ""
    one, length = parts * -(-int(match["bits"]) // 8), len(digits) // 2
    fits = {one, one * count, *([-(-count // 8)] if match["bits"] == "1" else [])}
    if length in fits:
        return ""
    return f"the literal has {length} bytes, {count} of {kind} have {one * count}"


def _stranger(literal: str, kind: str) -> str:
    """The first element that is none of a type: as MLIR spells floats, whole numbers and truth.

    >>> _stranger("[1.0, 2]", "f32"), _stranger("[-1, 0x7F]", "i8"), _stranger("300", "ui8")
    ("'2' is not an element of f32", '', "'300' is not an element of ui8")
    """
    inner = kind.removeprefix("complex<").removesuffix(">")
    match = KIND.fullmatch(inner)
    if match is None or not ELEMENT.search(literal):
        return ""
    if ("(" in literal) != (inner != kind):
        return f"the elements of {kind} are {'pairs' if inner != kind else 'no pairs'}"
    floats, bits = "f" in match["kind"], int(match["bits"])
    low = 0 if floats or match["kind"] == "ui" else -(1 << bits - 1)
    high = 1 << bits - (match["kind"] == "si")
    words = {"true", "false"} if kind == "i1" else set()
    for word in ELEMENT.findall(literal):
        good = word in words or (FLOAT if floats else WHOLE).fullmatch(word) is not None
        if good and word not in words and not (floats and "." in word):
            number = int(word, 16 if "x" in word else 10) if len(word) <= LONGEST + 2 else high
            good = low <= number < high and (number != 0 or word[0] != "-")
        if not good:
            return f"{word[:LONGEST]!r} is not an element of {kind}"
    return ""


def _misfit(literal: str, sizes: list[int]) -> str:
    """What is wrong with a literal; a comma stands between any two elements, however nested.

    A list of lists of sizes a, b, c opens 1 + a + a*b brackets.
    """
    kind = f"tensor<{'x'.join(map(str, sizes))}>"
    if "(" in literal:
        literal = COMPLEX.sub("0", literal)
    lists = literal.count("[")
    elements = literal.count(",") + 1 if re.search(r"\w", literal) else 0
    count = prod(sizes)
    fits = elements == count
    if not lists:  # one element for all
        fits = elements == 1 or not (elements or count)
    if not fits:
        return f"the literal has {elements} element{'s' * (elements != 1)}, {kind} has {count}"
    if lists and count and (not sizes or lists != sum(accumulate([1, *sizes[:-1]], mul))):
        return f"the lists of the literal are not those of {kind}"
    return ""


def _count(row: str, size: int) -> int:
    """How many elements a row has; commas between them may be left out."""
    commas = row.count(",") + 1
    return commas if commas == size else len(ELEMENT.findall(row))


def nested(literal: str, sizes: Sequence[int]) -> bool:
    """Whether the braces of an HLO literal of elements have the sizes of its shape.

    >>> nested("{ { 1, 2, 3 }, { 4, 5, 6 } }", (2, 3)), nested("{ { 1, 2 }, { 3, 4 } }", (4, 1))
    (True, False)
    """
    text = COMMENTS.sub("", literal) if "/*" in literal else literal
    text = COMPLEX.sub("0", text) if "(" in text else text
    for size in reversed(sizes):
        rows = ROW.findall(text)
        if not rows or any(_count(row, size) != size for row in rows):
            return False
        text = ROW.sub("x", text)
    return text.strip() == "x"
