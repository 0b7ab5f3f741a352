"""One error for every bad input: what is wrong, by which rule, and where in the text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

CODES: dict[str, str] = {
    "SL100": "the text is not in any known notation",
    "SL101": "a token is missing or out of place",
    "SL102": "a number is out of the range that its place allows",
    "SL103": "the element type is not known",
    "SL104": "minor_to_major is not a permutation of the dimensions",
    "SL105": "a tile means nothing for this shape",
    "SL106": "a layout property means nothing here",
    "SL107": "a shape and its strides do not fit together",
    "SL108": "a coordinate does not fit the shape",
    "SL200": "an expression cannot be read",
    "SL201": "a name is not known here",
    "SL202": "a divisor is zero",
    "SL203": "an expression is not integral",
    "SL204": "a text or an expression is too large",
    "SL300": "a fact cannot be read",
    "SL301": "a fact has a name that is not known",
    "SL400": "a coordinate is out of range",
    "SL401": "a value does not fit 64-bit integers",
    "SL402": "a size is missing, or is not a number",
    "SL403": "shapes do not agree",
    "SL404": "an index map has no inverse",
    "SL405": "too large to enumerate",
    "SL500": "a claims file cannot be read",
    "SL501": "a key of a claims file is not known",
    "SL502": "a claim cannot be read",
    "SL503": "a value of a claims file has the wrong type",
    "SL504": "a name of a layout, a kernel or a parameter is not known",
    "SL505": "a claim in a comment finds no expression",
    "SL506": "source code cannot be read",
    "SL507": "a comment or a file looks like claims, and is not read as such",
    "SL508": "an expected refutation says no reason",
    "SL509": "what reads this language is not installed",
    "SL600": "the command line cannot be understood",
    "SL601": "a file cannot be read",
    "SL602": "nothing in a path could be checked",
    "SL603": "a process that shares the work cannot be started",
    "SL900": "an internal error",
    "SL700": "a broadcast cannot be asked this way",
    "SL701": "operands of different rank need broadcast_dimensions",
    "SL702": "broadcast_dimensions has one entry for each dimension of the smaller operand",
    "SL703": "an entry of broadcast_dimensions is negative",
    "SL704": "an entry of broadcast_dimensions is too large",
    "SL705": "matched sizes are neither equal nor is one of them 1",
    "SL706": "a static size is matched with a dynamic one",
    "SL707": "broadcast_dimensions is not strictly increasing",
    "SL708": "broadcast_dimensions of operands of one rank is neither absent nor the identity",
    "SL709": "sizes in one dimension are neither equal nor is one of them 1",
    "SL710": "a bounded size with an unbounded one is given a bound that does not hold",
    "SL711": "an entry of broadcast_dimensions occurs twice",
    "SL712": "the result of a broadcast is neither static nor with one bounded dimension",
    "SL713": "an operand's size is neither 1 nor the result's",
    "SL714": "aligned sizes are neither equal nor is one of them 1",
    "SL715": "an operand's size differs from the size of the result's dimension",
    "SL716": "operands of different rank where rank promotion is forbidden",
    "SL717": "element types that do not go together in a broadcast",
    "SL720": "a module's text cannot be read",
    "SL721": "an instruction cannot be read",
    "SL722": "a name is not defined in its computation",
    "SL723": "the shape of an instruction does not follow from its operands",
    "SL724": "a name is defined twice",
    "SL725": "a module is not built as modules are",
    "SL800": "no layout satisfies the law of the operation",
    "SL801": "whether a layout satisfies the law of the operation is not decided",
}


class LayoutError(ValueError):
    """Input that has no meaning, with the rule it breaks and the place in its text.

    >>> print(LayoutError("SL102", "tile size 0 must be at least 1", text="f32[4]{0:T(0)}", at=11))
    SL102: tile size 0 must be at least 1
      f32[4]{0:T(0)}
                 ^

    `code` is a key of `CODES`; `text` is what was read, `at` and `end` the span in it (character
    numbers), `help` says what would mend it; `needs` are facts, each of which would help to decide.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        text: str | None = None,
        at: int | None = None,
        end: int | None = None,
        help: str | None = None,
        needs: tuple[str, ...] = (),
    ) -> None:
        assert code in CODES, code
        super().__init__(message)
        self.code = code
        self.message = message
        self.text = text
        self.at = at
        self.end = end
        self.help = help
        self.needs = needs

    def __str__(self) -> str:
        from symlayout.text import escape

        lines = [f"{self.code}: {escape.message(self.message)}"]
        if self.text and self.at is not None:  # an empty text has no place to show
            lines += caret(self.text, self.at, self.end)
        if self.help:
            lines.append(f"  help: {escape.message(self.help)}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.code, self.message, self.text, self.at, self.end, self.help))


def _rebuild(
    code: str, message: str, text: str | None, at: int | None, end: int | None, help: str | None
) -> LayoutError:
    return LayoutError(code, message, text=text, at=at, end=end, help=help)


def caret(text: str, at: int, end: int | None = None, width: int = 100) -> list[str]:
    """The line of `text` that holds character `at`, and under it a caret (several for a span)."""
    start = text.rfind("\n", 0, at) + 1
    stop = text.find("\n", at)
    line = text[start : stop if stop >= 0 else len(text)].replace("\t", " ")
    from symlayout.text.suggestions import excerpt

    return excerpt(line, at - start, (end or at + 1) - at, width)


def did_you_mean(word: str, known: list[str]) -> str | None:
    """A help text that names the known word nearest to `word`, or None.

    >>> did_you_mean("SL1O5", ["SL105", "SL715"]), did_you_mean("SL150", ["SL105", "SL715"])
    ("did you mean 'SL105'?", "did you mean 'SL105'?")
    """
    from symlayout.text import suggestions

    return suggestions.did_you_mean(word, known)


def unknown_name(
    name: str,
    text: str,
    known: Iterable[str],
    introduce: str = "--symbol {0}, or a fact 'symbol {0}',",
) -> LayoutError:
    """The error of a name in a fact that nothing else has; `introduce` says how to make it known.

    >>> print(unknown_name("BLOK", "N % BLOK == 0", ["BLOCK", "N"]))
    SL301: unknown name 'BLOK' in 'N % BLOK == 0'
      N % BLOK == 0
          ^^^^
      help: did you mean 'BLOCK'? (--symbol BLOK, or a fact 'symbol BLOK', introduces a name)
    """
    names, place = sorted(known), place_of(name, text)
    near = did_you_mean(name, names) or f"the names are {', '.join(names) or 'none'}"
    return LayoutError(
        "SL301",
        f"unknown name {name!r} in {text!r}",
        text=text,
        at=place and place.start(),
        end=place and place.end(),
        help=f"{near} ({introduce.format(name)} introduces a name)",
    )


def no_size(name: str, sizes: Iterable[str], subject: str = "claim") -> LayoutError:
    """The error of a value for a size that something does not have.

    >>> print(no_size("BLOK", ["BLOCK", "N"]))
    SL402: 'BLOK' is not a size of this claim (its sizes: BLOCK, N)
      help: did you mean 'BLOCK'?
    """
    known = list(sizes)
    message = f"{name!r} is not a size of this {subject} (its sizes: {', '.join(known) or 'none'})"
    return LayoutError("SL402", message, help=did_you_mean(name, known))


def place_of(name: str, text: str) -> re.Match[str] | None:
    """Where a text has a name."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)


def internal(error: BaseException) -> str:
    """One line for a failure of ours, with the place in the code, for a report."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        name = os.path.basename(trace.tb_frame.f_code.co_filename)
        place = f" ({name}:{trace.tb_lineno})"
    from symlayout.text import escape

    text = escape.visible(" ".join(str(error)[:2000].split())[:200])
    return f"SL900: internal error: {type(error).__name__}: {text}{place}"
