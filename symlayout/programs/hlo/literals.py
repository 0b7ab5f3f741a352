"""The literals of MLIR and of HLO: as many elements, in lists of as many, as their types say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod
from operator import mul

from symlayout.text.patterns import regex

DENSE = regex(
    r"\bdense<(?P<literal>[^\"<>]*+)>\s*+:\s*+tensor<(?P<sizes>(?:(?>\d++x))*+)(?=[a-zA-Z!])"
)
COMPLEX = regex(r"\([^()]*+\)")
COMMENTS = regex(r"/\*.*?\*/", re.S)
ROW = regex(r"\{([^{}]*+)\}")
LONGEST = 18  # digits of a size


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
        message = _misfit(m["literal"], [int(w) for w in words])
        if message:
            yield m.start("literal"), message


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
    if lists and count and lists != sum(accumulate([1, *sizes[:-1]], mul)):
        return f"the lists of the literal are not those of {kind}"
    return ""


def nested(literal: str, sizes: Sequence[int]) -> bool:
    """Whether the braces of an HLO literal of elements have the sizes of its shape.

    >>> nested("{ { 1, 2, 3 }, { 4, 5, 6 } }", (2, 3)), nested("{ { 1, 2 }, { 3, 4 } }", (4, 1))
    (True, False)
    """
    text = COMMENTS.sub("", literal) if "/*" in literal else literal
    text = COMPLEX.sub("0", text) if "(" in text else text
    for size in reversed(sizes):
        rows = ROW.findall(text)
        if not rows or any(row.count(",") + 1 != size for row in rows):
            return False
        text = ROW.sub("x", text)
    return text.strip() == "x"
