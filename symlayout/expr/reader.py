"""The one grammar of integer expressions.

It is Python's and C's, which agree on precedence: `+ - * // % ** << >> & ^ |`, parentheses, the
signs `- + ~`, decimal and hexadecimal numbers, `min`, `max`, `ceildiv(a, b)` and its other names;
`c ? a : b` of C and `a if c else b` of Python.  A text is in one language throughout: with a single
`/` (or `?`) it is C, and both `/` and `%` round towards zero; otherwise it is Python, and both `//`
and `%` round down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.conditions import Condition, Conditionals
from symlayout.expr.growth import growth, power_growth
from symlayout.expr.needs import Need, keeping, needs_of
from symlayout.expr.operators import CALLS
from symlayout.expr.operators import OPERATORS as ROWS
from symlayout.expr.scanner import BLANK, NUMBER
from symlayout.expr.scanner import LANGUAGES as LANGUAGES
from symlayout.expr.scanner import NAME as NAME
from symlayout.expr.scanner import Names as Names
from symlayout.expr.scanner import Scanner as Scanner
from symlayout.expr.terms import (
    KINDS,
    OF_OP,
    SIMPLE,
    BitAnd,
    Exp2,
    FloorDiv,
    Max,
    Mod,
    exponent_of,
    symbol,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.text.limits import BITS, DIGITS, DIVISIONS, NESTING, OPERATORS
from symlayout.text.patterns import regex

MACHINE_TYPES = ("int32", "uint32", "int64", "uint64", "size_t")
CASTS = ("abs", *MACHINE_TYPES)  # calls with one argument
# what other languages call what is written here with signs
MEANT = {
    "ceil": "write ceildiv(a, b) for a quotient rounded up",
    "floor": "write a//b for a quotient rounded down",
    "pow": "write a**b",
    "int": "quotients are whole as a//b",
    "abs": "write max(x, -x)",
    "sizeof": "write the number of bytes: 4",
    **dict.fromkeys(("CeilDiv", "divUp", "div_up", "DivUp"), "write ceildiv(M, 16)"),
    **dict.fromkeys(
        ("RoundUp", "roundUp", "round_up", "AlignUp", "align_up"), "write ceildiv(M, 16)*16"
    ),
    **dict.fromkeys(("RoundDown", "round_down", "AlignDown", "align_down"), "write M//16*16"),
    **dict.fromkeys(("int32_t", "uint32_t", "int64_t", "uint64_t"), "a cast is written int64(x)"),
}


def suggestion(word: str) -> str | None:
    """What is written here for a function of another language, with or without its module.

    >>> suggestion("np.ceil")
    'write ceildiv(a, b) for a quotient rounded up'
    """
    return MEANT.get(word.rpartition(".")[2])


FUNCTIONS = {word: KINDS[row.name] for word, row in CALLS.items()}
TEMPLATE = regex(r"<\s*\w+\s*>\s*\(", re.A)
QUALIFIED = regex(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.A)

# how tightly each operator binds, loosest first; all of them associate to the left
LEVELS: tuple[tuple[str, ...], ...] = (
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "//", "/", "%", "ceildiv"),
)
OF_TWO = frozenset(["**", "//", "<<", ">>"])
OF_ONE = frozenset("+-*/%&^|")
FIRST = frozenset("+-*/%&<>^|")
DECIMALS = frozenset("0123456789")
SIGNS = frozenset("-+~")
# the operand behind `^`, and a number in front of it or behind it
OPERAND = regex(r"(?:[-+~]\s*)*(?:[\w.]+\s*)?(?:\((?:[^()]|\([^()]*\))*\))?", re.A)
NUMBER_BEHIND = regex(rf"((?:[-+]\s*)*)(?:{NUMBER.pattern}|\(\s*{NUMBER.pattern}\s*\))", re.A)
NATURAL = r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*"
NUMBER_BEFORE = regex(rf"(?<![\w.])(?:{NATURAL}|\(\s*{NATURAL}\s*\))\s*\Z", re.A)
EXCLUSIVE = regex(r"\^(?!=)")
FACTORS = frozenset("*/%<>")
# MLIR's operators that are words
INFIX = regex(r"(floordiv|ceildiv|mod)(?!\w)", re.A)
WORDS = {"floordiv": "//", "mod": "%", "ceildiv": "ceildiv"}
BITS_OF = frozenset(["&", "^", "|"])
QUOTIENTS = frozenset([row.op for row in ROWS if row.form in ("quotient", "remainder")])
NUMBERS: dict[int | None, str] = {2: "two", 3: "three"}


# So many operators, signs and calls, each of one or two nested nodes, make no expression that exceeds a
# limit of growth: at most 3**8 terms of degree 25.  Powers, shifts, conditionals and names of larger
# expressions count as more, and so do numbers of many digits.
LIGHT = 24

# a sign binds tighter than a product, and looser than the power behind its operand
SIGN, POWER = len(LEVELS), len(LEVELS) + 1
LEVEL = {op: n for n, ops in enumerate(LEVELS) for op in ops} | {"**": POWER}


@dataclass
class _Parts:
    """A sum or product until its end is read: SymPy makes it in one step, and as it was printed."""

    kind: Any  # Add or Mul
    parts: list[Expr]
    bits: int = 0  # of the product, at most


@dataclass
class _Group:
    """An open parenthesis or call, and what waits in it for its right operand."""

    word: str  # of a call, "" for a parenthesis
    start: int
    values: list[Expr | _Parts] = field(default_factory=list)
    waiting: list[tuple[str, int, int]] = field(default_factory=list)  # operator, level, place
    arguments: list[Expr] = field(default_factory=list)
    needed: int = 0  # how many needs were known where its present expression begins


class _Expressions:
    """A reader of one expression, without recursion; `names` says what each identifier means."""

    def __init__(self, scanner: Scanner, names: Names, conditional: bool = True) -> None:
        self.s = scanner
        self.names = names
        self.conditional = conditional  # whether it may be a conditional outside of parentheses
        self.needs: list[Need] = []  # of everything that is evaluated
        self.operators = self.divisions = 0
        self.weight = 0  # operators, signs, calls and long numbers: see LIGHT
        self.loose: int | None = None  # where & ^ | stand in no parentheses
        self.start = scanner.at  # of the last operand
        self.cast = False  # whether that is a cast: what code computes
        # the numbers in front of `^`, and where they begin, by the place of `^`
        self.bases: dict[int, tuple[int, int]] = {}

    def whole(self) -> Expr:
        """One expression, which has no value where a part of it that is evaluated has none."""
        expr = keeping(self.read(), self.needs)
        self.s.loose = self.loose
        return expr

    def read(self) -> Expr:
        groups = [_Group("", self.s.at)]
        while True:
            self.operand(groups)
            while True:  # behind an operand: an operator, or the end of a group
                start = self.s.skip(line_comments=False)
                op = self.operator(groups)
                if op is not None:
                    self.push(groups[-1], op, start)
                    break
                self.reduce(groups[-1], 0)
                expr = self.plain(groups[-1].values.pop(), start)
                if self.may_branch(groups) and self.s.more.begins_if(self.s):
                    expr = self.branched(expr, groups[-1])
                if len(groups) == 1:
                    return expr
                groups[-1].arguments.append(expr)
                groups[-1].needed = len(self.needs)
                if groups[-1].word and self.s.take(",", line_comments=False):
                    break
                self.close(groups)

    def branched(self, value: Expr, group: _Group) -> Expr:
        """The conditional whose first case is read."""
        own = self.needs[group.needed :]
        del self.needs[group.needed :]
        value = self.s.more.python_if(self.s, self.names, keeping(value, own))
        self.note_choice(value)
        return value

    def note_choice(self, value: Expr) -> None:
        """Notes a conditional, or what is left of one of which a case is taken for sure."""
        self.weight += LIGHT + 1
        self.needs += needs_of(value)

    def may_branch(self, groups: list[_Group]) -> bool:
        """Whether a conditional may stand here."""
        return self.conditional or len(groups) > 1

    # -- tokens ------------------------------------------------------------------------------------

    def operator(self, groups: list[_Group]) -> str | None:
        text, at = self.s.text, self.s.at
        if self.s.words and (word := INFIX.match(text, at)) is not None:
            self.s.at = word.end()
            return WORDS[word[1]]
        op = text[at : at + 2]
        if op[:1] not in FIRST:
            return None
        if op not in OF_TWO:
            op = op[0]
            after = text[at + 1 : at + 2]
            if op not in OF_ONE or after == "=" or (op in "&|" and after == op):
                return None  # compares, assigns, or joins facts
        self.s.at += len(op)
        self.operators += 1
        self.weight += 1 if op not in ("**", "<<") else LIGHT + 1
        if op in BITS_OF and len(groups) == 1:
            self.loose = at
        if self.operators > OPERATORS:
            message = f"an expression of more than {OPERATORS} operators is too long"
            raise self.s.error("SL204", message, at)
        return op

    def operand(self, groups: list[_Group]) -> None:
        """The signs and opening parentheses in front of an operand, and the operand."""
        signs = 0
        while True:
            at = self.s.skip(line_comments=False)
            if at <= self.s.last_question:
                begun = signs or groups[-1].values or groups[-1].waiting
                if not begun and self.may_branch(groups) and self.s.more.asks(self.s):
                    case = self.s.more.c_if(self.s, self.names)
                    self.note_choice(case)
                    groups[-1].values.append(case)
                    return
            if self.s.depth + len(groups) + signs > NESTING + 1:
                raise self.s.error("SL204", f"more than {NESTING} nested parentheses or signs")
            first = self.s.text[at : at + 1]
            if first in SIGNS:
                self.s.at += 1
                signs += 1
                self.weight += 1
                if first != "+":
                    groups[-1].waiting.append(("neg" if first == "-" else "~", SIGN, at))
                continue
            signs = 0
            if first == "(":
                self.s.at += 1
                groups.append(_Group("", at, needed=len(self.needs)))
                continue
            if first == "/":  # a comment up to the end of the line
                at = self.s.skip()
                first = self.s.text[at : at + 1]
            value = self.number(at) if first in DECIMALS else None
            if value is None:
                match = QUALIFIED.match(self.s.text, at)
                if match is None:
                    message = f"expected a number, a name or '(', found {self.s.what_stands()}"
                    raise self.s.error("SL200", message)
                word, self.s.at = match[0], match.end()
                known = word in FUNCTIONS or word in CASTS
                if known and self.s.take("(", line_comments=False):
                    self.weight += 1
                    groups.append(_Group(word, at, needed=len(self.needs)))
                    continue
                value = self.leaf(word, at)
                self.no_call(word, at)
                if value is None:
                    message = f"the name {word!r} is not known here"
                    raise self.s.error("SL201", message, at, self.s.at)
            groups[-1].values.append(value)
            self.start, self.cast = at, False
            return

    def no_call(self, word: str, at: int) -> None:
        """Raises `LayoutError` (SL201) for a call, as of a template of C++ that is known by a name."""
        template = suggestion(word) and TEMPLATE.match(self.s.text, self.s.at)
        if self.s.text[self.s.at : self.s.at + 1] != "(" and not template:
            return
        message = f"the function {word!r} is not known"
        hint = suggestion(word) or did_you_mean(word, list(FUNCTIONS))
        raise self.s.error("SL201", message, at, self.s.at, hint)

    def number(self, start: int) -> Expr | None:
        match = NUMBER.match(self.s.text, start)
        if match is None:
            return None
        number, self.s.at = match[0], match.end()
        if len(number) < 10 and number.isdigit() and (number[0] != "0" or number == "0"):
            return Integer(int(number))
        if len(number) > DIGITS:
            message = f"a number of {len(number)} digits is too long: the limit is {DIGITS}"
            raise self.s.error("SL204", message, start)
        if len(number) > 1 and number[0] == "0" and number[1].isdigit():
            message = f"a number does not begin with 0: {number} is octal in C"
            raise self.s.error("SL200", message, start)
        self.weight += len(number) // 10
        return Integer(int_of(number.rstrip("uUlL")))

    def close(self, groups: list[_Group]) -> None:
        """The end of a parenthesis or a call: it is an operand of the group around it."""
        group = groups.pop()
        word = group.word
        self.s.expect(")", f"to close {word}(" if word else "to close the parenthesis")
        args = group.arguments
        arity = None if not word else 1 if word in CASTS else CALLS[word].arity
        if arity not in (None, len(args)):
            many = "one argument" if arity == 1 else f"{NUMBERS.get(arity, arity)} arguments"
            message = f"{word} takes {many}, not {len(args)}"
            raise self.s.error("SL200", message, group.start)
        groups[-1].values.append(self.called(word, args, group.start))
        self.start = group.start
        if word:
            self.cast = word in MACHINE_TYPES

    def called(self, word: str, args: list[Expr], at: int) -> Expr:
        """The value of a call, or of what stands in parentheses.

        A cast is the number itself: machine types are for `fits` to judge.
        """
        if not word or word in MACHINE_TYPES:
            return args[0]
        if word == "abs":
            return self.checked(Max(args[0], -args[0]), at)
        kind = FUNCTIONS[word]
        if kind.row.divisor is not None:
            self.divide(args[kind.row.divisor], at, self.s.at)
        result = kind(*args)
        if kind in SIMPLE and isinstance(result, kind):
            self.needs += map(Need, result.demanded)
        return self.checked(result, at)

    def leaf(self, word: str, at: int) -> Expr | None:
        """What a name stands for; None where it has no meaning."""
        meaning = self.names(word)
        if meaning is not None and not isinstance(meaning, Symbol):
            self.weight += LIGHT + 1
            self.needs += needs_of(meaning)
        return meaning

    # -- operators ---------------------------------------------------------------------------------

    def push(self, group: _Group, op: str, at: int) -> None:
        level = LEVEL[op]
        if op in ("/", "//", "%") and self.s.c_division(op, at):
            op = f"c{op}"
        if op == "^":
            self.reduce(group, POWER)
            self.check_base(group, at)
        if op != "**":  # a power of a power is read from the right
            self.reduce(group, level)
        group.waiting.append((op, level, at))

    def check_base(self, group: _Group, at: int) -> None:
        """Raises where a number stands before `^` that was meant to be raised to a power."""
        base = group.values[-1]
        if not isinstance(base, Integer) or self.cast or self.s.exclusive == "always":
            return
        before = group.waiting[-1:]
        inside = bool(before) and before[0][1] > LEVEL["^"]
        signed = not before or before[0][1] == SIGN
        apart = inside and not signed and self.apart(before[0][2], at)
        if not (apart and self.s.exclusive == "apart"):
            check_power(self.s, int(base), self.start, at, inside)
            self.bases[at] = int(base), self.start

    def apart(self, op: int, at: int) -> bool:
        """Whether blanks set `^` apart, and no blanks the operator before it: `x//2 ^ x`."""
        text = self.s.text
        close = not (text[op - 1 : op].isspace() or text[self.start - 1 : self.start].isspace())
        return close and text[at - 1 : at].isspace() and text[at + 1 : at + 2].isspace()

    def reduce(self, group: _Group, level: int) -> None:
        """Applies what waits and binds at least as tightly."""
        while group.waiting and group.waiting[-1][1] >= level:
            op, _, at = group.waiting.pop()
            b = group.values.pop()
            a = None if op in ("neg", "~") else group.values.pop()
            group.values.append(self.apply(op, a, b, at))

    def plain(self, value: Expr | _Parts, at: int) -> Expr:
        """The expression of a sum or product whose end is read."""
        return self.checked(value.kind(*value.parts), at) if isinstance(value, _Parts) else value

    def checked(self, e: Expr, at: int) -> Expr:
        if self.weight <= LIGHT:
            return e
        try:
            growth(e)
        except LayoutError as error:
            raise self.s.error(error.code, error.message, at) from None
        return e

    def apply(self, op: str, a: Expr | _Parts | None, b: Expr | _Parts, at: int) -> Expr | _Parts:
        if op == "neg":
            if isinstance(b, Expr):
                return -b if b.is_Number else _Parts(Mul, [Integer(-1), b])
            return _Parts(Mul, [Integer(-1), *b.parts])
        if op == "~":
            return self.checked(-self.plain(b, at) - 1, at)
        assert a is not None
        if op == "*":
            return self.product(a, b, at)
        b = self.plain(b, at)
        if op in ("+", "-"):
            if isinstance(a, Expr) or a.kind is Mul:
                a = _Parts(Add, [self.plain(a, at)])
            a.parts.append(b if op == "+" else -b)
            return a
        return self.checked(self.combined(op, self.plain(a, at), b, at), at)

    def product(self, a: Expr | _Parts, b: Expr | _Parts, at: int) -> _Parts:
        """Their factors together; a number in front of a sum is not multiplied into it yet."""
        if isinstance(a, Expr):
            a = _Parts(Mul, [a])
        fresh = [b] if isinstance(b, Expr) else b.parts
        a.parts += fresh
        if self.weight > LIGHT:
            a.bits += sum([growth(f).bits for f in fresh])
        if a.bits > BITS:
            message = f"the product has a number of {a.bits} bits; the limit is {BITS}"
            raise self.s.error("SL204", message, at)
        return a

    def combined(self, op: str, a: Expr, b: Expr, at: int) -> Expr:
        if op in QUOTIENTS:
            self.divide(b, at, at + len(op.lstrip("c")))
            return OF_OP[op](a, b)
        match op:
            case "**" if not b.is_Integer and (bits := exponent_of(a)):
                return self.power_of_two(bits * b)
            case "**":
                if not (b.is_Integer and 0 <= b <= 64):
                    raise self.s.error("SL200", "an exponent must be a number from 0 to 64", at)
                try:
                    power_growth(growth(a), int(b)).check()
                except LayoutError as error:
                    raise self.s.error(error.code, error.message, at) from None
                return a ** int(b)
            case "<<" | ">>":
                if b.is_Integer and not 0 <= b <= 63:
                    message = f"{op} by a number is by one from 0 to 63"
                    raise self.s.error("SL200", message, at)
                power = Integer(2 ** int(b)) if b.is_Integer else self.power_of_two(b)
                return a * power if op == "<<" else FloorDiv(a, power)
            case "&":
                return masked(a, b)
            case "^" if at in self.bases and b.is_Integer:
                base, start = self.bases[at]
                raise number_power(self.s, base ^ int(b), start, at, self.s.at)
            case _:
                return OF_OP[op](a, b)

    def power_of_two(self, exponent: Expr) -> Expr:
        """`2**exponent`, which has no value where the exponent is negative."""
        power = Exp2(exponent)
        if isinstance(power, Exp2):
            self.needs += map(Need, power.demanded)
        return power

    def divide(self, divisor: Expr, at: int, end: int) -> None:
        if divisor == 0:
            raise self.s.error("SL202", "division by zero", at, end)
        self.divisions += 1
        if self.divisions > DIVISIONS:
            message = f"an expression of more than {DIVISIONS} divisions is too long"
            raise self.s.error("SL204", message, at, end)
        if not divisor.is_Integer:
            self.needs.append(Need(divisor))


def check_power(s: Scanner, base: int, start: int, at: int, inside: bool = False) -> None:
    """Raises `LayoutError` (SL200) for `2 ^ E`, and for a number `^` number, which mean powers.

    `base` is the number from `start` on, and `at` is the place of `^`.
    """
    help = "put the left side of an exclusive or in parentheses" if inside else None
    behind = _behind(s.text, at + 1)
    number = NUMBER_BEHIND.match(s.text, behind)
    blanks = s.text[at - 1 : at].isspace() and behind > at + 1
    if number and blanks and s.exclusive == "apart" and s.text[number.end() :][:1] in FACTORS:
        number = None  # `4 ^ 2*i`
    if number is not None:
        power = (-1) ** number[1].count("-") * int_of(number[2] or number[3])
        raise number_power(s, base ^ power, start, at, number.end(), help)
    if abs(base) == 2:
        left, right, end = s.text[start:at].strip(), *operand_at(s.text, behind)
        message = f"{left}^{right} is an exclusive or, no power; write {left}**{right}"
        help = help or f"an exclusive or with {left} is written {right} ^ {left}"
        raise s.error("SL200", message, start, end, help)


def operand_at(text: str, at: int) -> tuple[str, int]:
    """The operand that begins at a place, E where none does, and where it ends.

    >>> operand_at("2 ^ (k+1) + m", 3)
    ('(k+1)', 9)
    """
    at = _behind(text, at)
    match = OPERAND.match(text, at)
    end = match.end() if match else at
    return text[at:end].strip() or "E", end


def _behind(text: str, at: int) -> int:
    """The place behind blanks and comments."""
    blank = BLANK.match(text, at)
    return blank.end() if blank else at


def number_power(
    s: Scanner, value: int, start: int, at: int, end: int, help: str | None = None
) -> LayoutError:
    """The error that a number `^` number is an exclusive or."""
    base, power = s.text[start:at].strip(), s.text[at + 1 : end].strip()
    message = f"{base}^{power} is {value} (exclusive or); write {base}**{power}"
    return s.error("SL200", message, start, end, help)


def check_powers(text: str) -> None:
    """Raises `LayoutError` (SL200) for `2 ^ E` and number `^` number in a text of another reader.

    >>> check_powers("2^20 + n")
    Traceback (most recent call last):
    ...
    symlayout.errors.LayoutError: SL200: 2^20 is 22 (exclusive or); write 2**20
      2^20 + n
      ^^^^
    """
    for match in EXCLUSIVE.finditer(text):
        base = NUMBER_BEFORE.search(text, 0, match.start())
        if base is not None:
            scanner = Scanner(text)
            scanner.exclusive = "never"
            check_power(scanner, int_of(base[1] or base[2]), base.start(), match.start())


def int_of(number: str) -> int:
    """The integer that a decimal or hexadecimal number spells."""
    return int(number, 16 if number[:2] in ("0x", "0X") else 10)


def masked(a: Expr, b: Expr) -> Expr:
    """`a & b`: with `2**k - 1` the remainder, with `-2**k` what is left without it.

    >>> x, k = symbol("x"), symbol("k")
    >>> masked(x, 8 * Exp2(k) - 1), masked(-Exp2(k), x), masked(x, Integer(7)), masked(x, k)
    (x%(8*2**k), x - (x%(2**k)), x%8, (x & k))
    """
    for x, mask in ((a, b), (b, a)):
        if mask.is_Integer and mask < 0:
            continue
        if is_power_of_two(mask + 1):
            return Mod(x, mask + 1)
        if not mask.is_Integer and is_power_of_two(-mask):
            return x - Mod(x, -mask)
    return BitAnd(a, b)


def is_power_of_two(e: Expr) -> bool:
    """Whether it is a number 1, 2, 4, ..., or a product of such and of `2**k`.

    >>> is_power_of_two(4 * Exp2(symbol("k"))), is_power_of_two(3 * Exp2(symbol("k")))
    (True, False)
    """
    parts = [f.base if isinstance(f, Pow) else f for f in Mul.make_args(e)]
    return all(f == 1 or isinstance(f, Exp2) or exponent_of(f) for f in parts)


def any_name(word: str) -> Expr | None:
    """Every identifier is a symbol; dotted names are not."""
    return None if "." in word else symbol(word)


def expression_at(scanner: Scanner, names: Names = any_name, conditional: bool = True) -> Expr:
    """Reads one expression where the scanner stands and leaves it behind the expression."""
    if scanner.expressions is None:
        scanner.expressions, scanner.more = _Expressions, Conditionals
    expr: Expr = scanner.expressions(scanner, names, conditional).whole()
    return expr


def condition_at(scanner: Scanner, names: Names = any_name) -> Condition:
    """Reads a condition where the scanner stands: comparisons with `and`, `or`, `not`."""
    if scanner.expressions is None:
        scanner.expressions, scanner.more = _Expressions, Conditionals
    from symlayout.expr.condition_reader import read_condition

    return read_condition(scanner, names)


def read_expression(
    text: str, names: Names = any_name, *, language: str | None = None, code: bool = False
) -> Expr:
    """The expression that a text spells, in Python's or C's syntax.

    >>> read_expression("(i*N + j)//N")
    (N*i + j)//N
    >>> read_expression("(tid >> 5) * 32 + (tid & 31)")
    32*(tid//32) + tid%32

    `names` gives the meaning of each identifier (None where it has none); `language` is "python" or
    "c", by default C when a single `/` occurs.  A divisor that cancels stays as `0 % divisor`, so
    that the expression is undefined where the text is.  `code`: it is source code, in which `2 ^ k`
    is an exclusive or.  Raises `LayoutError` (SL200, SL201, SL202).
    """
    scanner = Scanner(text, language=language)
    scanner.exclusive = "always" if code else scanner.exclusive
    expr = expression_at(scanner, names)
    scanner.end("the expression")
    return expr
