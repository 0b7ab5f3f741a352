"""What a mistake shows: the known word that is meant, and the place in a line."""

from __future__ import annotations

import difflib
from itertools import takewhile

from symlayout.text import escape

ALIKE = str.maketrans("oilszb", "011528")  # letters that look like digits


def excerpt(line: str, column: int, length: int, width: int = 100) -> list[str]:
    """A part of the line, `width` characters around the column, and carets under the span.

    >>> print("\\n".join(excerpt("a\x1bb c", 2, 1)))
      a\\x1bb c
           ^
    """
    left = max(0, column - width // 2)
    text = line[left : left + width]
    before, span = text[: column - left], text[column - left :][: max(1, length)]
    # as much wider as what is written for a character that cannot be seen
    mark = "^" * max(1, len(escape.visible(span)))
    return [
        f"  {escape.terminal(text)}",
        "  " + " " * len(escape.terminal(before + ":")[:-1]) + mark,
    ]


def did_you_mean(word: str, known: list[str]) -> str | None:
    """A help text that names the known word nearest to `word`, or None.

    >>> did_you_mean("zM", ["zN", "nZ"]), did_you_mean("RowMajr", ["RowMajor"])
    ("did you mean 'zN'?", "did you mean 'RowMajor'?")
    """
    if len(word) > 60:  # no slip of a name
        return None
    known = known[:1000]
    near = [k for k in known if k.lower() == word.lower()]
    near = near or [k for k in known if _look(k) == _look(word)][:1] or _nearest(word, known)
    if not near and len(word) == 2:  # one letter of two
        near = [k for k in known if len(k) == 2 and k[0] == word[0]]
    return f"did you mean {' or '.join(map(repr, near))}?" if near else None


def _look(word: str) -> str:
    """A word as it looks: O is 0, and l is 1."""
    return word.lower().translate(ALIKE)


def _nearest(word: str, known: list[str]) -> list[str]:
    """The most similar known word, if it is similar at all.

    Of several the one with the same letters in another order, or else the longest common beginning.
    """
    best: tuple[float, bool, int] = (0.6, False, 0)
    near: list[str] = []
    matcher = difflib.SequenceMatcher()
    matcher.set_seq2(word)
    for name in known:
        matcher.set_seq1(name)
        if matcher.real_quick_ratio() < best[0] or matcher.quick_ratio() < best[0]:
            continue
        beginning = sum(1 for _ in takewhile(lambda ends: ends[0] == ends[1], zip(name, word)))
        rank = (matcher.ratio(), sorted(name) == sorted(word), beginning)
        if rank > best or (rank == best and not near):
            best, near = rank, [name]
    return near
