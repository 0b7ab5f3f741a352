"""What is printed, written for where it goes: a function for each target.

Names, reasons and lines of files are other people's: nothing in them may look like a line of ours,
move a cursor, turn the direction of writing, start a workflow command or end an element.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from typing import Any

from symlayout.text.limits import MESSAGE_CHARACTERS
from symlayout.text.patterns import regex

# what cannot be seen: controls, formats (directions, zero width), surrogates, separators
UNSEEN = regex(r"[^\x20-\x7e]")
# runners take `::name` at the start of a line for a command (GitHub's), and anywhere `##[name]`,
# `##vso[name]` (Azure's) or `##teamcity[name]`
ANYWHERE = regex(r"##(?=\w*\[)")
COMMAND = regex(r"##(?=\w*\[)|^(\s*):(?=:)")
# XML 1.0 has no way to write these characters
NOT_XML = regex("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def visible(text: str) -> str:
    """One line in which every character is seen: a backslash and a number stands for the others.

    >>> print(visible("a\\x1b[2J\\nproved: b\\u202e"))
    a\\x1b[2J\\nproved: b\\u202e
    """
    if text.isascii() and text.isprintable():
        return text
    return UNSEEN.sub(_code, text)


def _code(match: re.Match[str]) -> str:
    c = match.group()
    if c.isprintable():
        return c
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(c)
    n = ord(c)
    return short or (f"\\x{n:02x}" if n < 256 else f"\\u{n:04x}" if n < 65536 else f"\\U{n:08x}")


def terminal(text: str) -> str:
    """One line for a terminal, or for the log of a CI.

    >>> print(terminal("::error::no"), terminal("##[error]no"), terminal("a::b"))
    \\x3a:error::no #\\x23[error]no a::b
    """
    return COMMAND.sub(
        lambda m: "#\\x23" if m.group(1) is None else f"{m.group(1)}\\x3a", visible(text)
    )


def message(text: str) -> str:
    """One line for a terminal, cut where it is far too long to be read.

    >>> len(message("a" * 1_000_000))
    2004
    """
    cut = text[:MESSAGE_CHARACTERS]
    return terminal(cut) + (" ..." if len(cut) < len(text) else "")


def workflow(text: str) -> str:
    """The message of a GitHub workflow command: its line breaks are kept.

    >>> workflow("50%\\n::error::no")
    '50%25%0A::error::no'
    """
    lines = (visible(line).replace("%", "%25") for line in text.split("\n"))
    return ANYWHERE.sub(r"#\\x23", "%0A".join(lines))


def workflow_property(text: str) -> str:
    """A property of a GitHub workflow command."""
    return workflow(text).replace(":", "%3A").replace(",", "%2C")


def as_json(data: Any) -> str:
    """JSON in ASCII in which no text of a value is a command of a CI.

    >>> print(as_json("##vso[task.setvariable variable=PATH]x"))
    "#\\u0023vso[task.setvariable variable=PATH]x"
    """
    return ANYWHERE.sub(r"#\\u0023", json.dumps(data, indent=2))


def xml(text: str) -> str:
    """Text of an XML element or attribute, in ASCII: what XML cannot hold is a question mark.

    >>> xml("\\x1b]]> <\\"ü")
    '?]]&gt; &lt;&quot;&#252;'
    """
    result = ANYWHERE.sub("#&#35;", _marked_up(NOT_XML.sub("?", text)))
    return result.encode("ascii", "xmlcharrefreplace").decode()


def html(text: str) -> str:
    """Text of an HTML or SVG element or attribute.

    >>> html("<b>\\u202e")
    '&lt;b&gt;\\\\u202e'
    """
    lines = [_marked_up(visible(line)).replace("'", "&#x27;") for line in text.split("\n")]
    return "\n".join(lines)


def _marked_up(text: str) -> str:
    for sign, entity in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        text = text.replace(sign, f"&{entity};")
    return text


def shell(words: Iterable[str]) -> str:
    """Words as a shell reads them, in one line: `$'...'` holds what cannot be seen.

    >>> print(shell(["equal", "f32[4]", "a\\x1b'"]))
    equal 'f32[4]' $'a\\x1b\\''
    """
    return " ".join(_shell(w) for w in words)


def _shell(word: str) -> str:
    if visible(word) == word:
        return shlex.quote(word)
    return "$'" + visible(word.replace("\\", "\\\\")).replace("'", "\\'") + "'"
