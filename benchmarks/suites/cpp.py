"""A small reader of tests in C++: variables, calls, and templates whose arguments are numbers.

It evaluates expressions over layouts with the functions that it is given, and finds the statements
of test bodies.  What it does not know is an `Unread`, which the caller counts.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

TOKEN = re.compile(
    r"\s*(?:(\d+)(?:_c|[uUlL]+)?(?!\w)|((?:\w+::)*[A-Za-z_]\w*)|(\"[^\"]*\")|(==|!=|&&|\|\||::|.))",
    re.DOTALL | re.ASCII,
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
SKIPPED = re.compile(r"^\s*#.*$|CUTLASS_TRACE_HOST\(.*?\);", re.MULTILINE)
NUMBER = re.compile(r"_(m?)(\d+)", re.ASCII)


class Unread(Exception):
    """What the reader does not know."""


@dataclass(frozen=True)
class Call:
    """A statement that calls something: its name and its arguments' text."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Assigned:
    """A variable and the text of its value."""

    name: str
    value: str


def without_comments(text: str) -> str:
    """The text without comments, preprocessor lines and traces."""
    return SKIPPED.sub("", COMMENT.sub("", text))


def bodies(text: str, head: str = r"\bTEST(?:_F)?\s*\(([^)]*)\)") -> Iterator[tuple[str, str]]:
    """The name and the body of each test."""
    for found in re.finditer(head, text):
        start = text.find("{", found.end())
        if start < 0 or text[found.end() : start].strip():
            continue
        yield found[1], text[start + 1 : closing(text, start)]


def closing(text: str, at: int) -> int:
    """Where the bracket that opens at a place is closed."""
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] in "({[") - (text[k] in ")}]")
        if depth == 0:
            return k
    raise Unread("a bracket that is not closed")


def statements(body: str) -> Iterator[Call | Assigned | str]:
    """The statements of a body in order, those of plain blocks among them; loops as text."""
    at = 0
    while at < len(body):
        found = re.compile(r"\s*").match(body, at)
        at = found.end() if found else at
        if at >= len(body):
            return
        if body[at] in "{}":
            yield body[at]
            at += 1
            continue
        end = _end(body, at)
        text = body[at:end].strip()
        at = end + 1
        if not text:
            continue
        told = re.fullmatch(
            r"(?:(?:static|const|constexpr)\s+)*(?:auto(?:\s+const)?&?|using|int|\w*Layout)\s+(\w+)\s*=\s*(.*)",
            text,
            re.DOTALL,
        )
        called = re.fullmatch(r"([A-Za-z_][\w:]*)\s*\((.*)\)", text, re.DOTALL)
        if told:
            yield Assigned(told[1], told[2])
        elif called and not re.match(r"(?:for|if|while)\b", text):
            yield Call(called[1], called[2])
        else:
            yield text


def _end(body: str, at: int) -> int:
    """Where a statement ends: at its semicolon, or behind the block of a loop."""
    k, loop = at, re.match(r"(?:for|while|if)\b", body[at:]) is not None
    while k < len(body):
        if body[k] in "([" or (body[k] == "{" and (not loop or k == at)):
            k = closing(body, k)
        elif body[k] == "{":
            return closing(body, k)
        elif body[k] == ";":
            return k
        k += 1
    return k


def parted(text: str) -> list[str]:
    """Arguments, apart at their commas; `<` and `>` of templates nest as brackets do."""
    made, depth, last = [], 0, 0
    for k, c in enumerate(text):
        opens = c in "({[" or (c == "<" and re.search(r"\w\s*$", text[:k]) is not None)
        closes = c in ")}]" or (c == ">" and text[k - 1 : k] != "-")
        depth += opens - closes
        if c == "," and depth == 0:
            made.append(text[last:k].strip())
            last = k + 1
    return [x for x in (*made, text[last:].strip()) if x]


@dataclass
class Words:
    """What names mean: functions of (template arguments, arguments), templates and constants."""

    functions: Mapping[str, Callable[[list[Any], list[Any]], Any]]
    templates: Mapping[str, Callable[[list[Any]], Any]]
    number: Callable[[int], Any]
    call: Callable[[Any, list[Any]], Any]
    same: Callable[[Any, Any], bool]
    constants: Mapping[str, Any] = field(default_factory=dict)


class Reader:
    """Evaluates an expression."""

    def __init__(self, text: str, words: Words, known: Mapping[str, Any]) -> None:
        self.tokens: list[str | int] = [
            int(m[1]) if m[1] else str(m[2] or m[3] or m[4])
            for m in TOKEN.finditer(text.strip())
            if m[0].strip()
        ]
        self.at, self.words, self.known, self.angles = 0, words, known, 0

    def whole(self) -> Any:
        """The value of all of the text."""
        made = self.either()
        if self.at != len(self.tokens):
            raise Unread(f"{self.tokens[self.at]!r}")
        return made

    def peek(self) -> str | int | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise Unread(f"{token!r} expected, found {self.peek()!r}")

    def either(self) -> Any:
        left = self.sum()
        while self.peek() in ("==", "!=", "&&", "||"):
            sign, _ = self.peek(), setattr(self, "at", self.at + 1)
            right = self.sum()
            if sign in ("==", "!="):
                left = self.words.same(left, right) == (sign == "==")
            else:
                left = (left and right) if sign == "&&" else (left or right)
        return left

    def sum(self) -> Any:
        left = self.term()
        while self.peek() in ("+", "-"):
            sign, _ = self.peek(), setattr(self, "at", self.at + 1)
            left = (operator.add if sign == "+" else operator.sub)(left, self.term())
        return left

    def term(self) -> Any:
        left = self.unary()
        while self.peek() in ("*", "/"):
            sign, _ = self.peek(), setattr(self, "at", self.at + 1)
            left = (operator.mul if sign == "*" else operator.floordiv)(left, self.unary())
        return left

    def unary(self) -> Any:
        if self.take("!"):
            return not self.unary()
        if self.take("-"):
            return -self.unary()
        return self.behind(self.atom())

    def behind(self, made: Any) -> Any:
        """Empty braces, calls, and `::value`."""
        while True:
            if self.take("{"):
                self.expect("}")
            elif self.take("("):
                made = self.words.call(made, self.items(")"))
            elif self.take("::"):
                self.at += 1
            else:
                return made

    def items(self, close: str) -> list[Any]:
        made = []
        while not self.take(close):
            if made:
                self.expect(",")
            made.append(self.either() if close != ">" else self.sum())
        return made

    def atom(self) -> Any:
        token = self.peek()
        if token is None:
            raise Unread("an end")
        self.at += 1
        if isinstance(token, int):
            return token
        if token == "(":
            made = self.either()
            self.expect(")")
            return made
        name = str(token).rpartition("::")[2]
        if name in self.known:
            return self.known[name]
        if name in self.words.constants:
            return self.words.constants[name]
        found = NUMBER.fullmatch(name)
        if found:
            return self.words.number(-int(found[2]) if found[1] else int(found[2]))
        if name in ("decltype", "bool", "int") and self.take("("):
            made = self.either()
            self.expect(")")
            return made
        if name in self.words.templates and self.take("<"):
            return self.words.templates[name](self.items(">"))
        if name in self.words.functions:
            kinds = self.items(">") if self.take("<") else []
            self.expect("(")
            return self.words.functions[name](kinds, self.items(")"))
        raise Unread(name)
