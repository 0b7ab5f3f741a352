"""Identities of polynomials for Rocq: both sides as the terms that `Polynomials.by_poly` computes with.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

TOKEN = re.compile(r"\s*(\d+|[A-Za-z_][\w']*|[-+*()])")
KINDS = {"+": "add'", "-": "sub'", "*": "mul'"}


class NoPolynomial(Exception):
    """A text with something else than sums and products."""


class Terms:
    """Reads texts as `terms` and `replay` print them; `after` says what unknowns are replaced by."""

    def __init__(self, after: Mapping[str, str]) -> None:
        self.after = after
        self.unknowns: dict[str, int] = {}

    def read(self, text: str) -> str:
        """The polynomial of a text."""
        words = TOKEN.findall(text)
        if "".join(words) != re.sub(r"\s", "", text):
            raise NoPolynomial(text)
        words.reverse()
        result = self.total(words)
        if words:
            raise NoPolynomial(text)
        return result

    def total(self, words: list[str]) -> str:
        """A sum."""
        if words and words[-1] == "-":
            words.pop()
            number = bool(words) and words[-1].isdigit() and (len(words) < 2 or words[-2] in "+-)")
            result = f"(num' (-{words.pop()}))" if number else f"(opp' {self.product(words)})"
        else:
            result = self.product(words)
        while words and words[-1] in "+-":
            kind = KINDS[words.pop()]
            result = f"({kind} {result} {self.product(words)})"
        return result

    def product(self, words: list[str]) -> str:
        """A product."""
        result = self.factor(words)
        while words and words[-1] == "*":
            words.pop()
            result = f"(mul' {result} {self.factor(words)})"
        return result

    def factor(self, words: list[str]) -> str:
        """A number, an unknown, or a sum in brackets."""
        if not words:
            raise NoPolynomial("nothing")
        word = words.pop()
        if word == "(":
            result = self.total(words)
            if not words or words.pop() != ")":
                raise NoPolynomial("no bracket")
            return result
        if word.isdigit():
            return f"(num' {word})"
        if word in "+-*)":
            raise NoPolynomial(word)
        if word in self.after:
            return self.read(self.after[word])
        return f"(var' {self.unknowns.setdefault(word, len(self.unknowns))})"


def identical(left: str, right: str, after: Mapping[str, str]) -> str:
    """The proof that two texts are the same polynomial once unknowns are replaced.

    >>> identical("x + 1", "1 + x", {})
    "(by_poly [x] (add' (var' 0) (num' 1)) (add' (num' 1) (var' 0)) eq_refl)"
    """
    terms = Terms(after)
    try:
        first, second = terms.read(left), terms.read(right)
    except NoPolynomial:
        return "ltac:(ring)"
    return f"(by_poly [{'; '.join(terms.unknowns)}] {first} {second} eq_refl)"


def natural(text: str, signs: Mapping[str, str]) -> str:
    """The proof that a polynomial is not negative, as none of its unknowns and coefficients is.

    >>> natural("2 * x + 1", {"x": "H"})
    "(by_signs [x] (add' (mul' (num' 2) (var' 0)) (num' 1)) (conj H I) eq_refl)"
    """
    terms = Terms({})
    p, proof = terms.read(text), "I"
    for x in reversed(terms.unknowns):
        proof = f"(conj {signs[x]} {proof})"
    return f"(by_signs [{'; '.join(terms.unknowns)}] {p} {proof} eq_refl)"
