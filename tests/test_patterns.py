"""What a possessive group holds is atomic: Python up to 3.11.4 goes on in the middle of its last turn.

`(?:(?>ab?))*+` says what `(?:ab?)*+` says, everywhere."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "symlayout"
POSSESSIVE = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")
OPENING = re.compile(r"\((?:\?:|\?P<\w+>)?")


def groups(line):
    """Each group of `line` that is repeated and keeps what it took: what stands after its opening."""
    stack, at, bracket = [], 0, None
    while at < len(line):
        if line[at] == "\\":
            at += 2
            continue
        if bracket is not None:
            if line[at] == "]" and line[bracket + 1 : at] not in ("", "^"):
                bracket = None
        elif line[at] == "[":
            bracket = at
        elif line[at] == "(":
            stack.append(OPENING.match(line, at).end())
        elif line[at] == ")" and stack:
            inside = stack.pop()
            if POSSESSIVE.match(line, at):
                yield line[inside:]
        at += 1


def test_a_group_that_keeps_what_it_took_is_found():
    assert [*groups(r"a(?:b|[)(]c)*+d(?P<n>(?>e))?+(f)*")] == [
        "b|[)(]c)*+d(?P<n>(?>e))?+(f)*",
        "(?>e))?+(f)*",
    ]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.stem)
def test_what_a_possessive_group_holds_is_atomic(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if POSSESSIVE.search(line):
            bad = [text for text in groups(line) if not text.startswith("(?>")]
            assert not bad, f"{path.name}:{number}: {bad[0]}"
