"""Reading conditions: comparisons joined by `and`, `or` and `not`, of Python and of C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symlayout.expr.scanner import MARK, RELATION, WORD, Names, Scanner, loosely
from symlayout.text.limits import COMPARISONS, NESTING

if TYPE_CHECKING:
    from symlayout.expr.conditions import Condition

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
COMPARING = frozenset(["<", ">", "<=", ">=", "==", "!=", "!", "&&", "||", "and", "or", "not"])


def read_condition(s: Scanner, names: Names) -> Condition:
    """Reads a condition where the scanner stands.

    >>> from symlayout.expr.reader import condition_at, any_name
    >>> print(condition_at(Scanner("i < n and not (j == 0 or k >= 2)"), any_name))
    (i < n and ((1 < j + 1 or j + 1 < 1) and k + 1 < 3))

    Raises `LayoutError` (SL200, SL300) with the place of the mistake.
    """
    condition = _both_at(s, names)
    while takes(s, "or", "||"):
        _count(s)
        condition = s.more.either(condition, _both_at(s, names))
    return condition


def _both_at(s: Scanner, names: Names) -> Condition:
    condition = _one_at(s, names)
    while takes(s, "and", "&&"):
        _count(s)
        condition = s.more.both(condition, _one_at(s, names))
    return condition


def takes(s: Scanner, word: str, sign: str) -> bool:
    """Whether the word or the sign comes next, which is then read."""
    s.skip(line_comments=False)
    match = WORD.match(s.text, s.at)
    if match is not None and match.group() == word:
        s.at = match.end()
        return True
    return not (sign == "!" and s.peek("!=", False)) and s.take(sign, line_comments=False)


def _one_at(s: Scanner, names: Names) -> Condition:
    turns = 0
    while takes(s, "not", "!"):
        turns += 1
        tight = s.text[s.at - 1] == "!" and s.text[s.skip(line_comments=False) :][:1] not in "(!"
        if tight:
            message = "! binds tighter than a comparison: put the comparison in parentheses"
            raise s.error("SL200", message)
    deeper(s)
    condition: Condition
    s.skip(line_comments=False)
    if s.text.startswith("(", s.at) and opens_condition(s.text, s.at):
        s.at += 1
        condition = read_condition(s, names)
        s.expect(")", "to close the condition")
    else:
        condition = _chain_at(s, names)
    s.depth -= 1
    return s.more.negated(condition) if turns % 2 else condition


def _count(s: Scanner) -> None:
    s.comparisons += 1
    if s.comparisons > COMPARISONS:
        raise s.error("SL204", f"more than {COMPARISONS} comparisons in one text")


def deeper(s: Scanner) -> None:
    """Counts one more condition around what is read; raises `LayoutError` (SL204) for too many."""
    s.depth += 1
    if s.depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested conditions")


def _chain_at(s: Scanner, names: Names) -> Condition:
    comparisons: list[Condition] = []
    left = _side_at(s, names)
    while True:
        s.skip(line_comments=False)
        match = RELATION.match(s.text, s.at)
        if match is None:
            break
        s.at = match.end()
        _count(s)
        right = _side_at(s, names)
        comparisons.append(s.more.compared(match.group(), left, right))
        left = right
    if not comparisons:
        raise s.error("SL300", f"a condition compares two sides, found {s.what_stands()} instead")
    whole = comparisons.pop()
    while comparisons:
        whole = s.more.both(comparisons.pop(), whole)
    return whole


def _side_at(s: Scanner, names: Names) -> Any:
    """One side of a comparison; raises `LayoutError` where C would read another one."""
    side = s.expressions(s, names, False).whole()
    loosely(s)
    return side


def opens_condition(text: str, at: int) -> bool:
    """Whether the parenthesis that opens here holds a condition, not an expression."""
    ends = _closed(text, at)
    close = ends.get(at, len(text))
    while True:  # parentheses around nothing but others say nothing
        inner = at + 1 + len(text[at + 1 : close]) - len(text[at + 1 : close].lstrip())
        if ends.get(inner) != len(text[:close].rstrip()) - 1:
            break
        at, close = inner, ends[inner]
    depth, seen = 0, False
    for match in MARK.finditer(text, at, close):
        mark = match.group()
        depth += (mark in OPENING) - (mark in CLOSING)
        if depth == 1 and mark in ("?", "if", ","):
            return False
        seen = seen or (depth == 1 and mark in COMPARING)
    return seen


def _closed(text: str, at: int) -> dict[int, int]:
    """Where each parenthesis from here on is closed, up to the end of the first."""
    opened: list[int] = []
    ends: dict[int, int] = {}
    for match in MARK.finditer(text, at):
        if match.group() in OPENING:
            opened.append(match.start())
        elif match.group() in CLOSING:
            ends[opened.pop()] = match.start()
            if not opened:
                break
    return ends
