"""A scanner: a text and a position in it, with one kind of error and one language of expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from symlayout.errors import LayoutError
from symlayout.expr.tree import Expr
from symlayout.text.limits import CHARACTERS, RANK
from symlayout.text.patterns import regex

NAME = regex(r"[A-Za-z_]\w*", re.A)
NUMBER = regex(r"(0[xX][0-9a-fA-F]+|\d+)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU]?)?(?!\w)", re.A)
BLANK = regex(r"(?:\s+|/\*.*?\*/)*", re.S | re.A)
BLANK_OR_LINE_COMMENT = regex(r"(?:\s+|/\*.*?\*/|//[^\n]*)*", re.S | re.A)
WORD = regex(r"[A-Za-z_]\w*", re.A)
# what tells a condition in parentheses, and a `?` of this expression, from other text
MARK = regex(
    r"/\*.*?\*/|<<|>>|[<>]=?|==|!=|!|&&|\|\||[()\[\]{},;:?]|(?<![\w.])(?:and|or|not|if|else|in)\b",
    re.S | re.A,
)
RELATION = regex(r"==|!=|<=|>=|<(?!<)|>(?!>)")
# what a search for the language looks at; a line comment stands where no operator can
SLASH = regex(r"/\*.*?\*/|(?:(?<![\w)\s])|(?<![\w)\s])\s+|^)//[^\n]*|//|/|\?|\belse\b", re.S | re.A)
OF_LANGUAGE = {"/": "c", "?": "c", "//": "python", "else": "python"}

MAY_BE_BLANK = frozenset(" \t\r\n\f\v/")

LANGUAGES = (None, "python", "c")
Names = Callable[[str], Expr | None]


class Scanner:
    """A text and a position in it; every `take` skips white space and comments first.

    `language` is that of all its expressions: "python", "c", or what its divisions say.
    """

    at: int
    last_question: int
    mixed: bool
    slash: int

    def __init__(self, text: str, at: int = 0, language: str | None = None) -> None:
        if len(text) > CHARACTERS:
            message = f"a text of {len(text)} characters is too long to read"
            raise LayoutError("SL204", f"{message}: the limit is {CHARACTERS}")
        if language not in LANGUAGES:
            raise LayoutError("SL200", f"the language is 'python' or 'c', not {language!r}")
        self.text = text
        self.at = at
        self.depth = 0
        self.comparisons = 0  # that have been read
        self.expressions: Any = None  # what reads an expression
        self.more: Any = None  # what reads conditions
        # where `^` behind a number is no slip for a power: in source code it never is, and where
        # coordinates are, not in `x//2 ^ x`
        self.exclusive: Literal["always", "apart", "never"] = "apart"
        self.words = False  # whether `floordiv`, `ceildiv` and `mod` stand between their operands
        self.last_question = text.rfind("?")
        self.language = language
        self.mixed = language == "c"  # whether `/` and `//` may both occur
        self.slash = at  # where the operator stands that decided on the language
        self.loose: int | None = None  # where & ^ | stand, the last expression's, in no parentheses

    def c_division(self, op: str, at: int) -> bool:
        """Whether this operator rounds towards zero, as in C; the first one settles the language.

        Raises `LayoutError` (SL200) for a division of the other language.
        """
        self.speaks(op, at)
        return op == "/" or (op == "%" and self.language == "c")

    def speaks(self, op: str, at: int) -> None:
        """Settles the language by an operator, if none has; `%` is in the language of all others.

        Raises `LayoutError` (SL200) for an operator of the other language.
        """
        own = OF_LANGUAGE.get(op)
        if self.language is None:
            self.language, self.slash = own or self._language_ahead(), at
        if own not in (None, self.language) and not self.mixed:
            at = at if own == "c" else self.slash
            hint = "truncdiv(a, b), truncmod(a, b), floordiv(a, b) and mod(a, b) are of no language"
            message = "'/' is C's division and '//' Python's, and % goes with one of them: use one"
            if op in ("?", "else"):
                message = "'c ? a : b' and '/' are C's, 'a if c else b' and '//' Python's: use one"
            raise self.error("SL200", message, at, help=hint)

    @property
    def in_c(self) -> bool:
        """Whether the text's language is C, as far as it says."""
        return (self.language or self._language_ahead()) == "c"

    def _language_ahead(self) -> str:
        """The language of the next operator that only one language has."""
        languages = (OF_LANGUAGE.get(m.group()) for m in SLASH.finditer(self.text, self.at))
        return next((own for own in languages if own is not None), "python")

    def skip(self, line_comments: bool = True) -> int:
        """Skips blanks and returns the position after them."""
        if self.text[self.at : self.at + 1] not in MAY_BE_BLANK:
            return self.at
        blank = BLANK_OR_LINE_COMMENT if line_comments else BLANK
        match = blank.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.at

    def peek(self, word: str, line_comments: bool = True) -> bool:
        """Whether `word` comes next."""
        self.skip(line_comments)
        return self.text.startswith(word, self.at)

    def take(self, word: str, line_comments: bool = True) -> bool:
        """Takes `word` when it comes next."""
        if not self.peek(word, line_comments):
            return False
        self.at += len(word)
        return True

    def expect(self, word: str, why: str) -> None:
        """Takes `word`, or raises: `why` says what it would have closed or opened."""
        if not self.take(word):
            raise self.missing(f"{word!r} {why}")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Takes what the pattern matches here."""
        self.skip()
        match = pattern.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match.group()

    def need(self, pattern: re.Pattern[str], what: str) -> str:
        """Takes what the pattern matches here, or raises: `what` says what is wanted."""
        word = self.match(pattern)
        if word is None:
            raise self.missing(what)
        return word

    def name(self) -> str | None:
        """Takes an identifier."""
        return self.match(NAME)

    def done(self) -> bool:
        """Whether only blanks remain."""
        return self.skip() == len(self.text)

    def end(self, what: str) -> None:
        """Raises when anything but blanks remains."""
        if not self.done():
            raise self.error("SL101", f"nothing may follow {what}, found {self.what_stands()}")

    def what_stands(self) -> str:
        """What stands here, for a message."""
        self.skip()
        if self.at >= len(self.text):
            return "the end of the text" if self.text.strip() else "nothing: the text is empty"
        word = re.compile(r"\w+|.", re.S | re.A).match(self.text, self.at)
        assert word is not None
        c = word.group()
        if c.isascii():
            return repr(c[:40])
        return f"{c!a} (U+{ord(c):04X}), and names and numbers are written in ASCII"

    def check_rank(self, count: int) -> None:
        """Raises `LayoutError` (SL102) when a layout has more dimensions than may be."""
        if count > RANK:
            raise self.error("SL204", f"a layout of more than {RANK} dimensions")

    def missing(self, what: str, at: int | None = None, help: str | None = None) -> LayoutError:
        """The error that something else stands where that is wanted."""
        return self.error("SL101", f"expected {what}, found {self.what_stands()}", at, help=help)

    def error(
        self,
        code: str,
        message: str,
        at: int | None = None,
        end: int | None = None,
        help: str | None = None,
    ) -> LayoutError:
        """The error of that code with a caret at `at` (here by default)."""
        from symlayout.expr.slips import slip

        place = self.at if at is None else at
        help = help or slip(self.text, place, message)
        return LayoutError(code, message, text=self.text, at=place, end=end, help=help)


def loosely(s: Scanner) -> None:
    """Raises `LayoutError` (SL200) for `a & b == c` in C, where == binds tighter than &."""
    if s.loose is not None and s.in_c:
        s.skip(line_comments=False)
        message = f"in C, {s.text[s.loose]} binds looser than a comparison: put it in parentheses"
        raise s.error("SL200", message, s.loose)
