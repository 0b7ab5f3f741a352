"""How deep and how long a TOML text is, told before a parser takes it.

One pass over the text without recursion; what is not valid at all is left to the parser.
"""

from __future__ import annotations

import re

from symlayout.text.limits import KEY_PARTS, TOML_NESTING, VALUES, WORD_CHARACTERS
from symlayout.text.patterns import regex

# every string ends somewhere, so that no character is looked at twice
STRING = r"""\"{3} (?:(?> [^"\\] | \\. | "(?!"") ))*+ (?:"{3,5})?
              | '{3} (?:(?> [^'] | '(?!'') ))*+ (?:'{3,5})?
              | " (?:(?> \\[^\n] | [^"\\\n] ))*+ "? | ' [^'\n]*+ '?"""
TOML = regex(
    rf"""(?P<string> {STRING} ) | (?P<blank> (?:(?> \s | \#[^\n]*+ ))++ )
  | (?P<open> [\[{{] ) | (?P<close> [\]}}] ) | (?P<dot> \. )
  | (?P<word> [A-Za-z0-9_+-]++ ) | (?P<other> . )""",
    re.X | re.S,
)
ASIDE = regex(rf"{STRING} | \s++ | \#[^\n]*+", re.X | re.S)  # what no limit is about
INNERMOST = regex(r"\[[^\[\]{}]*+\]|\{[^\[\]{}]*+\}")
LONG = regex(rf"(?<![A-Za-z0-9_+-])[A-Za-z0-9_+-]{{{WORD_CHARACTERS + 1}}}")
ROUNDS = 3  # of taking innermost brackets away


def _is_plain(text: str) -> bool:
    """Whether a few counts say that a text is within the limits: most texts are far within."""
    rest = ASIDE.sub(" ", text)
    if len(rest) > VALUES or rest.count(".") >= KEY_PARTS or LONG.search(rest):
        return False
    for _ in range(ROUNDS):
        rest = INNERMOST.sub("", rest)
    return rest.count("[") + rest.count("{") <= TOML_NESTING - ROUNDS


def too_much(text: str) -> tuple[str, int] | None:
    """What of a text is beyond the limits, and at which character; None when nothing is.

    >>> too_much("a = 1\\nb = " + "[" * 60)
    ('nested more than 50 deep', 60)
    """
    if (escapes := text.count("\\")) > VALUES:
        return f"{escapes:,} escapes: at most {VALUES:,} are read", text.index("\\")
    if _is_plain(text):
        return None
    depth = parts = values = 0
    joined = False  # whether a dot came last
    for match in TOML.finditer(text):
        kind = match.lastgroup
        if kind == "blank":
            continue
        values += 1
        if kind in ("word", "string"):
            parts = parts + 1 if joined else 1
        joined = kind == "dot"
        depth += (kind == "open") - (kind == "close" and depth > 0)
        if depth > TOML_NESTING:
            return f"nested more than {TOML_NESTING} deep", match.start()
        if parts > KEY_PARTS:
            return f"a key of more than {KEY_PARTS} parts", match.start()
        if kind == "word" and match.end() - match.start() > WORD_CHARACTERS:
            return f"a word of more than {WORD_CHARACTERS:,} characters", match.start()
        if values > VALUES:
            return f"more than {VALUES:,} words and signs", match.start()
    return None
