"""C, C++ and CUDA: a scanner for comments, strings and brackets finds the statement below."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from symlayout.checks.comments.above import RAW, Definitions, definitions_in, without_casts
from symlayout.checks.comments.clauses import CLAUSES, MARK, Comment
from symlayout.checks.comments.places import (
    ABOVE,
    INSIDE,
    Found,
    NotFound,
    added,
    is_continuation,
    one_index,
)
from symlayout.text.brackets import split_commas
from symlayout.text.limits import STATEMENT_PARTS
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

LANGUAGE = "c"

# what is never closed ends with the line or the file, so that no character is looked at twice
TOKEN = regex(
    rf"""{RAW}|//[^\n]*+|/\*(?:(?>[^*]|\*(?!/)))*+(?:\*/)?|"(?:(?>\\.|[^"\\\n]))*+"?"""
    r"""|'(?:(?>\\.|[^'\\\n])){1,16}+'|[A-Za-z_]\w*+|\d(?:(?>\w|'(?=\w)))*+|\s++|.""",
    re.S,
)
LINE = regex(r"^[ \t]*#[ \t]*(?!pragma\b)\w*", re.M)  # of the preprocessor
# what follows its sign, up to a comment that is in no string
DIRECTIVE = regex(
    r"""(?:(?>\\.|"(?:(?>\\.|[^"\\\n]))*+"|'(?:(?>\\.|[^'\\\n])){1,16}+'|(?!//|/\*)[^\n\\]))*+""",
    re.S,
)
MACRO = regex(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:[^\n\\]|\\.)*)", re.M | re.S)
ASSIGNMENT = regex(r"(?<![=!<>])(?:[-+*/%&|^]|<<|>>)?=(?!=)")


class Source:
    """A C file: its comments that claim, and the expression below a line."""

    def __init__(self, text: str) -> None:
        self.text = text

    def spans(self) -> list[tuple[int, str]]:
        """Every comment, with where it begins."""
        return [(at, token) for at, token, _ in self._scanned]

    @cached_property
    def _scanned(self) -> list[tuple[int, str, bool]]:
        """Every comment, and whether it stands inside of parentheses that a statement has opened.

        Raises `NotFound` for a raw string that has no end.
        """
        results = []
        open: list[str] = []
        at, fresh = 0, True
        while at < len(self.text):
            match = TOKEN.match(self.text, at)
            assert match is not None  # of one character, or more
            token, start, at = match.group(), at, match.end()
            if token.startswith(("//", "/*")):
                results.append((start, token, bool(open) and open[-1] != "{"))
                continue
            if match[1] is not None and not token.endswith(f'){match[1]}"'):
                raise NotFound("a raw string is never closed", start, start + 1, "SL506")
            if token == "#" and fresh:  # brackets in a macro may be for another line
                end = DIRECTIVE.match(self.text, at)
                at = at if end is None else end.end()
            elif token in ("(", "[", "{"):
                open.append(token)
            elif token == "}":
                while open and open.pop() != "{":
                    pass
            elif token in (")", "]") and open and open[-1] != "{":
                open.pop()
            fresh = "\n" in token if token.isspace() else False
        return results

    @cached_property
    def _inside(self) -> set[int]:
        """Where comments end that stand inside of a statement."""
        return {at + len(token) for at, token, inside in self._scanned if inside}

    @cached_property
    def _macros(self) -> dict[str, list[str]]:
        """What names stand for that have no parameters."""
        names: dict[str, list[str]] = {}
        for match in MACRO.finditer(self.text):
            body = re.sub(r"//.*|/\*.*?\*/", "", match[2], flags=re.S).strip()
            names.setdefault(match[1], []).append(body)
        return names

    def comments(self) -> list[Comment]:
        """The comments with the mark, each joined with the line comments that continue it."""
        results = []
        lines = self.spans()
        for n, (at, token) in enumerate(lines):
            body = token.lstrip("/*!<").lstrip()
            if not body.startswith(MARK):
                continue
            shift = token.index(MARK) + len(MARK)
            text = token[shift:].removesuffix("*/") if token.startswith("/*") else token[shift:]
            end = at + len(token)
            if text.split(None, 1)[:1] == ["kernel"]:
                last = end - 1 if token.startswith("/*") else self._last(lines[n:])
                results.append(Comment(text, at + shift, self.text.count("\n", 0, last) + 1))
                continue
            for next_at, more in islice(lines, n + 1, n + 1 + len(CLAUSES)):
                apart = self.text[end:next_at]
                body = more.lstrip("/")
                if apart.strip() or apart.count("\n") != 1 or not is_continuation(body):
                    break
                text, end = f"{text} {body.strip()}", next_at + len(more)
            if text.split(None, 1)[:1] == ["expect"]:  # of a kernel: these tell their last line
                end = self.text.count("\n", 0, end - 1) + 1
            results.append(Comment(text, at + shift, end))
        return results

    def _last(self, lines: list[tuple[int, str]]) -> int:
        """The place in the last of the line comments that continue a contract, indented."""
        last, first = lines[0][0], lines[0]
        end = first[0] + len(first[1])
        for at, token in lines[1:]:
            apart = self.text[end:at]
            if apart.strip() or apart.count("\n") != 1 or not re.match(r"//+  ", token):
                break
            last, end = at, at + len(token)
        return last

    def find(
        self,
        comment: Comment,
        of: str | None,
        meanings: Mapping[str, str],
        known: Collection[str] = (),
    ) -> Found:
        """The expression of the statement below the comment.

        Names that are not known, as coordinates or sizes, mean what is assigned to them above.
        Raises `NotFound`, with the place of what stands there instead.
        """
        at, code = self._statement(comment.after)
        if not code.strip():
            raise NotFound("no statement follows the comment", comment.at, comment.at, help=ABOVE)
        start, end = self._choice(at, code, of)
        rest = {*known, *meanings, *([of] if of else [])}
        above = definitions_in(self.text, comment.at) if known else None
        targets = _moved_index(above, code, of) if of and above else None
        if above is not None and targets is not None and start < 0:
            start, end, shift = targets
            both = f"({without_casts(shift)}) + ({without_casts(code[start:end])})"
            expression = above.put_in(both, rest)
            self._check_macros(expression, at + start, at + end)
            return Found(put_in(expression, meanings), at + start, at + end)
        if start < 0:
            first = at + len(code) - len(code.lstrip())
            what = f"index of {of}" if of else "assigned or returned value"
            raise NotFound(f"the statement below has no {what}", first, at + len(code.rstrip()))
        while start < end and code[start].isspace():
            start += 1
        end = start + len(code[start:end].rstrip())
        expression = without_casts(code[start:end])
        if above is not None:
            expression = above.put_in(expression, rest)
        self._check_macros(expression, at + start, at + end)
        return Found(put_in(expression, meanings), at + start, at + end)

    def _choice(self, at: int, code: str, of: str | None) -> tuple[int, int]:
        """Where in the statement the expression is that is meant."""
        first, last = at + len(code) - len(code.lstrip()), at + len(code.rstrip())
        match = _assignment(code)
        target = re.fullmatch(r"\s*([\w.>-]+)\s*", code[: match.start()]) if match else None
        if match and target and len(match[0]) > 1 and of in (None, target[1]):
            added(target[1], of, match[0] == "+=", first, last)
            return match.end(), match.end() + len(split_commas(code[match.end() :])[0])
        if of is None:
            return _value(code)
        spans = list(_indices(code, of))
        one_index(of, [code[start:end].strip() for start, end in spans], first, last)
        return spans[0] if spans else (-1, -1)

    def _check_macros(self, expression: str, at: int, end: int) -> None:
        """Raises for a macro that means another expression where it stands than by itself."""
        for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", expression)):
            for body in self._macros.get(name, ()):
                if not re.fullmatch(r"[\w']+", body) and not _is_closed(body):
                    message = f"{name} is a macro for {body}, which has no parentheses around it"
                    raise NotFound(message, at, end)

    def _statement(self, after: int) -> tuple[int, str]:
        """The text up to the `;` that no bracket holds; comments in it become blanks.

        Raises `NotFound` where it is not sure which statement that is.
        """
        if after in self._inside:
            raise NotFound(INSIDE, after, after, help=ABOVE)
        parts: list[str] = []
        depth = 0
        for count, match in enumerate(TOKEN.finditer(self.text, after)):
            token = match.group()
            if count > 2 * STATEMENT_PARTS:
                message = f"the statement below has more than {STATEMENT_PARTS:,} parts"
                raise NotFound(message, match.start(), match.end())
            if token.startswith(("//", "/*")):
                token = " " * len(token)
            depth += (token in ("(", "[")) - (token in (")", "]"))
            if token in ("{", "}") or (token == ";" and depth <= 0):
                break
            parts.append(token)
        code = "".join(parts)
        line = LINE.search(code)
        if line is not None:
            at, end = after + line.start(), after + line.end()
            message = "a line of the preprocessor stands between the comment and what it speaks of"
            raise NotFound(message, at, end, help=ABOVE)
        return after, code


def _moved_index(hit: Definitions, code: str, of: str) -> tuple[int, int, str] | None:
    """The index of a pointer that is `of` moved by something, and that: `row = of + r*ld; row[c]`."""
    pattern = re.compile(rf"\s*&?\s*{re.escape(of)}\s*(?:\+(.*)|\[(.*)\])\s*", re.S)
    for m in re.finditer(r"(?<![\w.>])([A-Za-z_]\w*)\s*\[", code):
        shift = pattern.fullmatch(hit.of(m[1]) or "")
        if shift is not None:
            start, end = _index(code, m[1])
            return start, end, (shift[1] or shift[2]).strip()
    return None


def _value(code: str) -> tuple[int, int]:
    """The assigned value, or what is returned; of an element that is stored or loaded, its index."""
    match = re.match(r"\s*return\b", code) or _assignment(code)
    if match is None:
        return -1, -1
    stored = re.match(r"[\s*]*(\w+)\s*\[", code[: match.start()])
    if stored is not None:
        return _index(code, stored.group(1))
    end = match.end() + len(split_commas(code[match.end() :])[0])
    loaded = re.fullmatch(r"\s*(\w+)\s*\[.*\]\s*", code[match.end() : end], re.S)
    if loaded is not None:
        start, stop = _index(code[match.end() : end], loaded.group(1))
        if code[match.end() + stop : end].strip() == "]":
            return match.end() + start, match.end() + stop
    return match.end(), end


def _assignment(code: str) -> re.Match[str] | None:
    depth = 0
    for at, c in enumerate(code):
        depth += (c in "([{") - (c in ")]}")
        match = ASSIGNMENT.match(code, at) if depth == 0 else None
        if match is not None:
            return match
    return None


def _index(code: str, of: str) -> tuple[int, int]:
    """What stands in `of[...]`, or behind `of +`, where that is first."""
    return next(_indices(code, of), (-1, -1))


def _indices(code: str, of: str) -> Iterator[tuple[int, int]]:
    """What stands in `of[...]`, or behind `of +`."""
    for match in re.finditer(rf"(?<![\w.>]){re.escape(of)}(?!\w)\s*(\[|\+(?![+=]))", code):
        depth, at = 0, match.end()
        while at < len(code) and not (depth == 0 and code[at] in "])},;"):
            depth += (code[at] in "([{") - (code[at] in ")]}")
            at += 1
        yield match.end(), at


def _is_closed(text: str) -> bool:
    """Whether parentheses stand around all of a text.

    >>> _is_closed("(a + (b))"), _is_closed("(a) + (b)")
    (True, False)
    """
    depth = 0
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return c == ")" and at == len(text) - 1
    return False


def put_in(expression: str, meanings: Mapping[str, str]) -> str:
    """The expression with each meaning in the place of what it stands for, whole words only.

    >>> put_in("threadIdx.x + 32 * tx", {"threadIdx.x": "j%32", "tx": "i"})
    '(j%32) + 32 * (i)'
    """
    if not meanings:
        return expression
    longest = sorted(meanings, key=len, reverse=True)
    table = {_compact(name): meanings[name] for name in longest}
    spelling = "|".join(r"\s*".join(map(re.escape, _parts(name))) for name in longest)
    pattern = rf"(?<![\w.])(?:{spelling})(?![\w])"
    return re.sub(pattern, lambda m: f"({table[_compact(m.group())]})", expression)


def _parts(name: str) -> list[str]:
    return re.findall(r"\w+|\S", name)


def _compact(name: str) -> str:
    return "".join(_parts(name))
