"""Reading: a scanner with one kind of error, and the one grammar of integer expressions.

The grammar is Python's and C's, which agree on precedence: `+ - * // % ** << >> &`, parentheses,
unary minus, decimal and hexadecimal numbers, `min`, `max`, `ceildiv(a, b)` and its other names.
A single `/` makes the text C: then `/` and `%` round towards zero, as C's do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sympy import Add, Expr, Integer

from symlayout.errors import LayoutError
from symlayout.terms import (
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    divisors_of,
    symbol,
)

NAME = re.compile(r"[A-Za-z_]\w*")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU]?)?(?!\w)")
BLANK = re.compile(r"(?:\s+|/\*.*?\*/)*", re.S)
BLANK_OR_LINE_COMMENT = re.compile(r"(?:\s+|/\*.*?\*/|//[^\n]*)*", re.S)

MAY_BE_BLANK = frozenset(" \t\r\n\f\v/")

LARGEST_TEXT = 1_000_000
DEEPEST = 100
LONGEST_NUMBER = 1000  # characters

Names = Callable[[str], Expr | None]


class Scanner:
    """A text and a position in it; every `take` skips white space and comments first."""

    def __init__(self, text: str, at: int = 0) -> None:
        if len(text) > LARGEST_TEXT:
            raise LayoutError("SL100", f"a text of {len(text)} characters is too long to read")
        self.text = text
        self.at = at
        self.depth = 0

    def skip(self, line_comments: bool = True) -> int:
        """Skips blanks and returns the position after them."""
        if self.text[self.at : self.at + 1] not in MAY_BE_BLANK:
            return self.at
        blank = BLANK_OR_LINE_COMMENT if line_comments else BLANK
        found = blank.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
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
            raise self.error("SL101", f"expected {word!r} {why}, found {self.found()}")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Takes what the pattern matches here."""
        self.skip()
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group()

    def name(self) -> str | None:
        """Takes an identifier."""
        return self.match(NAME)

    def done(self) -> bool:
        """Whether only blanks remain."""
        return self.skip() == len(self.text)

    def end(self, what: str) -> None:
        """Raises when anything but blanks remains."""
        if not self.done():
            raise self.error("SL101", f"nothing may follow {what}, found {self.found()}")

    def found(self) -> str:
        """What stands here, for a message."""
        self.skip()
        if self.at >= len(self.text):
            return "the end of the text"
        word = re.compile(r"\w+|.", re.S).match(self.text, self.at)
        assert word is not None
        return repr(word.group()[:40])

    def error(
        self,
        code: str,
        message: str,
        at: int | None = None,
        end: int | None = None,
        help: str | None = None,
    ) -> LayoutError:
        """The error of that code with a caret at `at` (here by default)."""
        place = self.at if at is None else at
        return LayoutError(code, message, text=self.text, at=place, end=end, help=help)


CEIL_NAMES = ("ceildiv", "ceil_div", "cdiv", "tl.cdiv", "pl.cdiv")
FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "min": Min,
    "max": Max,
    "floordiv": FloorDiv,
    "mod": Mod,
    "truncdiv": TruncDiv,
    "truncmod": TruncMod,
    **dict.fromkeys(CEIL_NAMES, CeilDiv),
}
QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")

# how tightly each operator binds, loosest first; all of them associate to the left
LEVELS: tuple[tuple[str, ...], ...] = (("&",), ("<<", ">>"), ("+", "-"), ("*", "//", "/", "%"))
FIRST = tuple(frozenset(op[0] for op in level) for level in LEVELS)


class _Expressions:
    """A recursive-descent reader of one expression; `names` says what each identifier means."""

    def __init__(self, scanner: Scanner, names: Names, c_division: bool) -> None:
        self.s = scanner
        self.names = names
        self.c_division = c_division
        self.divisors: list[Expr] = []  # those that are not numbers

    def whole(self) -> Expr:
        """One expression, undefined wherever one of the divisors that are written is 0."""
        return undefined_at_zeros(self.read(), self.divisors)

    def operator(self, level: int) -> str | None:
        start = self.s.skip(line_comments=False)
        if self.s.text[start : start + 1] not in FIRST[level]:
            return None
        for op in LEVELS[level]:
            if self.s.text.startswith(op, start):
                after = self.s.text[self.s.at + len(op) : self.s.at + len(op) + 1]
                if op == "*" and after == "*":
                    continue
                if op == "&" and after == "&":
                    return None  # joins facts, not numbers
                if op in "+-*/%&" and after == "=":
                    return None
                self.s.at += len(op)
                return op
        return None

    def read(self, level: int = 0) -> Expr:
        if level == len(LEVELS):
            return self.unary()
        left = self.read(level + 1)
        while True:
            start = self.s.skip(line_comments=False)
            op = self.operator(level)
            if op is None:
                return left
            left = self.apply(op, left, self.read(level + 1), start)

    def apply(self, op: str, a: Expr, b: Expr, at: int) -> Expr:
        if op in ("//", "/", "%"):
            self.divide(b, at, at + len(op))
        match op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "//":
                return FloorDiv(a, b)
            case "/":
                return TruncDiv(a, b)
            case "%":
                return TruncMod(a, b) if self.c_division else Mod(a, b)
            case "<<" | ">>":
                if not (b.is_Integer and 0 <= b <= 63):
                    raise self.s.error("SL200", f"{op} needs a number from 0 to 63 behind it", at)
                return a * 2 ** int(b) if op == "<<" else FloorDiv(a, Integer(2 ** int(b)))
            case _:
                mask, other = (a, b) if a.is_Integer else (b, a)
                if not (mask.is_Integer and mask >= 0 and (int(mask) & (int(mask) + 1)) == 0):
                    raise self.s.error(
                        "SL200", "& needs a mask of the form 2**n - 1 on one side", at
                    )
                return Mod(other, mask + 1)

    def divide(self, divisor: Expr, at: int, end: int) -> None:
        if divisor == 0:
            raise self.s.error("SL202", "division by zero", at, end)
        if not divisor.is_Integer:
            self.divisors.append(divisor)

    def unary(self) -> Expr:
        if self.s.take("-", line_comments=False):
            return -self.unary()
        if self.s.take("+", line_comments=False):
            return self.unary()
        base = self.primary()
        at = self.s.skip(line_comments=False)
        if self.s.take("**", line_comments=False):
            exponent = self.unary()
            if not (exponent.is_Integer and 0 <= exponent <= 64):
                raise self.s.error("SL200", "an exponent must be a number from 0 to 64", at)
            return base ** int(exponent)
        return base

    def primary(self) -> Expr:
        self.s.skip(line_comments=False)
        self.s.depth += 1
        if self.s.depth > DEEPEST:
            raise self.s.error("SL200", f"more than {DEEPEST} nested parentheses")
        try:
            return self.atom()
        finally:
            self.s.depth -= 1

    def atom(self) -> Expr:
        start = self.s.at
        number = self.s.match(NUMBER)
        if number is not None:
            if len(number) > LONGEST_NUMBER:
                raise self.s.error("SL200", f"a number of {len(number)} digits is too long", start)
            if len(number) > 1 and number[0] == "0" and number[1].isdigit():
                raise self.s.error(
                    "SL200", f"a number does not begin with 0: {number} is octal in C", start
                )
            return Integer(int(number.rstrip("uUlL"), 0 if number[:2] in ("0x", "0X") else 10))
        if self.s.take("(", line_comments=False):
            inside = self.read()
            self.s.expect(")", "to close the parenthesis")
            return inside
        word = self.s.match(QUALIFIED)
        if word is None:
            raise self.s.error("SL200", f"expected a number, a name or '(', found {self.s.found()}")
        if word in FUNCTIONS and self.s.take("(", line_comments=False):
            return self.call(word, start)
        meaning = self.names(word)
        if meaning is None:
            raise self.s.error("SL201", f"the name {word!r} is not known here", start, self.s.at)
        return meaning

    def call(self, word: str, start: int) -> Expr:
        args = [self.read()]
        while self.s.take(",", line_comments=False):
            args.append(self.read())
        self.s.expect(")", f"to close {word}(")
        if word not in ("min", "max") and len(args) != 2:
            raise self.s.error("SL200", f"{word} takes two arguments, not {len(args)}", start)
        if word not in ("min", "max"):
            self.divide(args[1], start, self.s.at)
        return FUNCTIONS[word](*args)


def any_name(word: str) -> Expr | None:
    """Every identifier is a symbol; dotted names are not."""
    return None if "." in word else symbol(word)


def expression_at(scanner: Scanner, names: Names = any_name, *, c_division: bool = False) -> Expr:
    """Reads one expression where the scanner stands and leaves it behind the expression."""
    return _Expressions(scanner, names, c_division).whole()


def undefined_at_zeros(e: Expr, divisors: Iterable[Expr]) -> Expr:
    """The expression with `0 % d` added for each divisor d that it has lost.

    Sums and products cancel while they are made: `(1//i) % 1` and `x//i - x//i` are 0, although
    neither has a value where i is 0.  So is `0 % i`, and nothing cancels that.
    """
    lost = dict.fromkeys(divisors)
    if lost:
        for kept in divisors_of(e):
            lost.pop(kept, None)
    return e + Add(*[Mod(Integer(0), d) for d in lost]) if lost else e


def read_expression(text: str, names: Names = any_name, *, language: str | None = None) -> Expr:
    """The expression that a text spells, in Python's or C's syntax.

    >>> read_expression("(i*N + j)//N")
    (N*i + j)//N
    >>> read_expression("(tid >> 5) * 32 + (tid & 31)")
    32*(tid//32) + tid%32

    `names` gives the meaning of each identifier (None where it has none); `language` is "python" or
    "c", by default C when a single `/` occurs.  A divisor that cancels stays as `0 % divisor`, so
    that the expression is undefined where the text is.  Raises `LayoutError` (SL200, SL201, SL202).
    """
    if language not in (None, "python", "c"):
        raise LayoutError("SL200", f"the language is 'python' or 'c', not {language!r}")
    scanner = Scanner(text)
    single = re.search(r"(?<![/*])/(?![/*])", text)
    if single and (language == "python" or "//" in text):
        raise scanner.error(
            "SL200", "'/' is C's division and '//' Python's: use one", single.start()
        )
    made = expression_at(scanner, names, c_division=bool(single) or language == "c")
    scanner.end("the expression")
    return made
