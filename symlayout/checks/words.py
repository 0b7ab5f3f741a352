"""A claim's line: split like a shell does, then read against the table of claim words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlayout.errors import LayoutError, did_you_mean
from symlayout.prove.vocabulary import CLAIMS

NAME = re.compile(r"[A-Za-z_][\w.-]*")
# what looks like a function of a layout: then the readers are asked
FUNCTION = re.compile(r"\b(?:offset|crd2offset|size|cosize|bytes|rank|true_rank)\s*\(")
# arguments that are layouts, or names of layouts; all others are expressions, numbers, relations
LAYOUTS = frozenset({"A", "B", "TILE"})


@dataclass(frozen=True)
class Word:
    """One word of a line, its characters [at, end) there, and whether any of it was quoted."""

    text: str
    at: int = 0
    end: int = 0
    quoted: bool = False


@dataclass(frozen=True)
class ClaimLine:
    """A line that was read: the claim word, its arguments and its options."""

    word: str
    arguments: tuple[Word, ...]
    options: tuple[tuple[str, Word], ...] = ()


def split(line: str) -> tuple[Word, ...]:
    """The words of a line: blanks separate, single or double quotes and a backslash keep.

    >>> [w.text for w in split("equal hbm 'f32[M, N]{1,0}' --perm 1,0")]
    ['equal', 'hbm', 'f32[M, N]{1,0}', '--perm', '1,0']

    Raises `LayoutError` (SL502) at a quote that is not closed.
    """
    words: list[Word] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        word = _word(line, at)
        words.append(word)
        at = word.end
    return tuple(words)


def _word(line: str, at: int) -> Word:
    start, text, quoted = at, [], False
    while at < len(line) and not line[at].isspace():
        c = line[at]
        if c in "'\"":
            close = line.find(c, at + 1)
            if close < 0:
                raise LayoutError("SL502", f"the quote {c} is never closed", text=line, at=at)
            text.append(line[at + 1 : close])
            quoted, at = True, close + 1
        elif c == "\\" and at + 1 < len(line):
            text.append(line[at + 1])
            quoted, at = True, at + 2
        else:
            text.append(c)
            at += 1
    return Word("".join(text), start, at, quoted)


def read_claim(words: Sequence[Word], line: str) -> ClaimLine:
    """The claim that the words spell; `line` is their text, for messages.

    >>> line = "bitcast hbm tile --perm=1,0"
    >>> made = read_claim(split(line), line)
    >>> made.word, [a.text for a in made.arguments], made.options[0][0]
    ('bitcast', ['hbm', 'tile'], 'perm')

    Raises `LayoutError` (SL502): an unknown word or option, a wrong number of arguments.
    """
    if not words:
        raise LayoutError("SL502", "the claim is empty", text=line, at=0, help=_words_help())
    head, *rest = words
    claim = CLAIMS.get(head.text)
    if claim is None:
        hint = did_you_mean(head.text, list(CLAIMS)) or _words_help()
        raise _at(f"{head.text!r} is no claim word", line, head, hint)
    arguments: list[Word] = []
    options: dict[str, Word] = {}
    while rest:
        word = rest.pop(0)
        if word.text == "--" and not word.quoted:
            arguments += rest
            break
        if not word.text.startswith("--") or line[word.at] != "-":  # quoted: an argument
            arguments.append(word)
            continue
        name, equals, text = word.text[2:].partition("=")
        if name not in claim.options:
            hint = did_you_mean(name, list(claim.options)) or f"usage: {claim.usage}"
            raise _at(f"{claim.word!r} has no option --{name}", line, word, hint)
        if name in options:
            raise _at(f"the option --{name} is given twice", line, word)
        if equals:
            options[name] = Word(text, word.at + len(name) + 3, word.end, word.quoted)
        elif rest:
            options[name] = rest.pop(0)
        else:
            raise _at(f"the option --{name} needs a value", line, word, f"usage: {claim.usage}")
    _check_count(claim.word, arguments, line, words[-1])
    return ClaimLine(claim.word, tuple(arguments), tuple(options.items()))


def _check_count(word: str, arguments: Sequence[Word], line: str, last: Word) -> None:
    claim = CLAIMS[word]
    least, most = claim.required, len(claim.arguments)
    if least <= len(arguments) <= most:
        return
    wanted = f"{least}" if least == most else f"{least} to {most}"
    plural = "" if wanted == "1" else "s"
    mark = arguments[most] if len(arguments) > most else last
    text = f"{word!r} takes {wanted} argument{plural}, not {len(arguments)}"
    raise _at(text, line, mark, f"usage: {claim.usage}")


def _at(message: str, line: str, word: Word, help: str | None = None) -> LayoutError:
    return LayoutError("SL502", message, text=line, at=word.at, end=word.end, help=help)


def _words_help() -> str:
    return f"the claim words are {', '.join(CLAIMS)}"


def is_layout_argument(claim: ClaimLine, position: int) -> bool:
    """Whether that argument is a layout, so that a bare name there must be a known one."""
    if claim.word == "divides" and len(claim.arguments) == 2:
        return False
    return CLAIMS[claim.word].arguments[position].strip("[]") in LAYOUTS


def resolve(claim: ClaimLine, layouts: Mapping[str, str], line: str) -> tuple[str, ...]:
    """The arguments as text: a bare word that names a layout becomes that layout's text.

    Raises `LayoutError` (SL504) for a bare name that no layout has.
    """
    texts: list[str] = []
    for k, word in enumerate(claim.arguments):
        name = None if word.quoted else NAME.fullmatch(word.text)
        if name and word.text in layouts and _may_be_layout(claim, k):
            texts.append(layouts[word.text])
            continue
        if name and is_layout_argument(claim, k):
            known = ", ".join(layouts) or "none"
            hint = did_you_mean(word.text, list(layouts)) or f"the layouts here: {known}"
            message = f"no layout is called {word.text!r}"
            raise LayoutError("SL504", message, text=line, at=word.at, end=word.end, help=hint)
        texts.append(word.text if is_layout_argument(claim, k) else named(word.text, layouts))
    return tuple(texts)


def named(text: str, layouts: Mapping[str, str]) -> str:
    """A relation, a fact or an expression, with the layouts whose names its functions are given.

    >>> named("size(hbm) == 4", {"hbm": "f32[4]"})
    'size(f32[4]) == 4'
    """
    if not (layouts and FUNCTION.search(text)):
        return text
    from symlayout.layouts.applied import with_layouts

    return with_layouts(text, layouts)


def _may_be_layout(claim: ClaimLine, position: int) -> bool:
    return claim.word == "divides" or is_layout_argument(claim, position)
