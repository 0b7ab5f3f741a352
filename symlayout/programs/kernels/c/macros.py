"""Macros that are no expressions, put in the place of their names as a preprocessor does.

Lines stay where they are: what a macro stands for is put into the line of its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from symlayout.errors import LayoutError
from symlayout.text.patterns import regex

REPLACED = 20_000  # macros that are put in the place of names in one file
NESTED = 100  # macros inside one another
GROWTH = 400_000  # characters that the text of a file grows by
LONGEST = 20_000  # characters of one macro's text with its arguments
TOKENS = (
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![\w'])'(?:[^'\\\n]|\\.)+'"
    r"|^[ \t]*\#(?:[^\n\\]|\\\r?\n|\\.)*|[A-Za-z_]\w*"
)
PARTS = regex(TOKENS, re.S | re.M)
EACH = regex(TOKENS + "|.", re.S | re.M)
OPENED = regex(r"\s*\(")
DIRECTIVE = regex(r"[ \t]*#[ \t]*(\w+)[ \t]*(.*)", re.S)
DEFINED = regex(r"(\w+)(\(([^()]*)\))?(.*)", re.S)
PRAGMA = regex(r'_Pragma\s*\(\s*"(?:[^"\\]|\\.)*"\s*\)')
NOISE = regex(
    r"(?:\s|__restrict__|__restrict|\brestrict\b|__forceinline__|__noinline__|\binline\b|\b__inline__\b"
    r"|\bvolatile\b|__host__)*"
)


@dataclass(frozen=True)
class Macro:
    """What a name stands for; `names` are its parameters, None where it has none."""

    names: tuple[str, ...] | None
    body: str

    @property
    def is_text(self) -> bool:
        """Whether its text can be put in its place: without `#` and `##`."""
        return "#" not in self.body and "__VA_OPT__" not in self.body

    @property
    def is_noise(self) -> bool:
        """Whether it says nothing of what is computed."""
        return self.names is None and NOISE.fullmatch(self.body) is not None

    @property
    def variadic(self) -> bool:
        return self.names is not None and self.names[-1:] == ("...",)


State = dict[str, frozenset[Macro]]


@dataclass
class Branch:
    """A condition of the preprocessor: what was defined before it, and behind each of its ways."""

    before: State
    ways: list[State] = field(default_factory=list)
    other: bool = False


class Table:
    """What is defined at the place that is read."""

    def __init__(self) -> None:
        self.now: State = {}
        self.branches: list[Branch] = []

    def read(self, line: str) -> None:
        """A directive."""
        match = DIRECTIVE.match(re.sub(r"\\\r?\n", " ", line))
        if match is None:
            return
        word, rest = match[1], match[2]
        if word == "define":
            entry = definition(rest)
            if entry is not None:
                self.now[entry[0]] = frozenset([entry[1]])
        elif word == "undef":
            self.now.pop(rest.split()[0] if rest.split() else "", None)
        elif word in ("if", "ifdef", "ifndef"):
            self.branches.append(Branch(dict(self.now)))
        elif word in ("elif", "else", "elifdef", "elifndef") and self.branches:
            self.branches[-1].ways.append(self.now)
            self.branches[-1].other |= word == "else"
            self.now = dict(self.branches[-1].before)
        elif word == "endif" and self.branches:
            branch = self.branches.pop()
            ways = [*branch.ways, self.now]
            self.now = _union(ways if branch.other else [*ways, branch.before])

    def at(self, word: str) -> Macro | None:
        """What a name stands for, where that is one thing."""
        macros = self.now.get(word)
        if not macros:
            return None
        if all(m.is_noise for m in macros):
            return Macro(None, "")
        (only,) = macros if len(macros) == 1 else (None,)
        return only if only is not None and only.is_text else None


def _union(ways: list[State]) -> State:
    union: State = {}
    for way in ways:
        for word, macros in way.items():
            union[word] = union.get(word, frozenset()) | macros
    return union


def definition(text: str) -> tuple[str, Macro] | None:
    """The name that a `#define` gives, and what it stands for.

    >>> definition("TWICE(a) ((a) * 2)")
    ('TWICE', Macro(names=('a',), body='((a) * 2)'))
    """
    match = DEFINED.match(text)
    if match is None:
        return None
    body = re.sub(r"/\*.*?\*/", " ", match[4].split("//")[0], flags=re.S)
    body = " ".join(PRAGMA.sub(" ", body).split())
    names = None
    if match[2] is not None:
        names = tuple(n.strip() for n in match[3].split(",")) if match[3].strip() else ()
    return match[1], Macro(names, body)


Plain = Callable[[str, Macro], bool]


def expand(texts: Sequence[str], plain: Plain) -> list[str]:
    """A file and those that it includes, with macros in the place of their names.

    Those that are `plain` stay, and so do names that stand for several things at their place, and
    macros whose arguments have blocks in them.

    >>> expand(["#define EACH for (int i = 0; i < n; i++)", "EACH x[i] = 1;"], lambda *_: False)[1]
    'for (int i = 0; i < n; i++) x[i] = 1;'
    """
    meanings: dict[str, set[Macro]] = {}
    places: dict[str, set[int]] = {}
    for k, text in enumerate(texts):
        for word, macro in _definitions(text):
            meanings.setdefault(word, set()).add(macro)
            places.setdefault(word, set()).add(k)
    exceptions = {w for w, m in meanings.items() if _is_kept(w, m, len(places[w]), plain)}
    expansions = []
    for k, text in enumerate(texts):
        used = (meanings.keys() - exceptions) & _words(text)
        others = [w for w in used if places[w] != {k}]
        one = {w: frozenset(meanings[w]) for w in others if _is_one(meanings[w])}
        known = tuple(sorted(one.items()))
        expansions.append(_of_one(text, known, frozenset(used)) if used else text)
    return expansions


def _is_one(macros: set[Macro]) -> bool:
    return len(macros) == 1 or all(m.is_noise for m in macros)


def _is_kept(word: str, macros: set[Macro], files: int, plain: Plain) -> bool:
    """Whether a macro stays: one that is plain, or of which several files say several things."""
    if word.startswith("__"):
        return True  # a word of the language, or what stands for it elsewhere
    if len(macros) > 1:
        return files > 1 and not _is_one(macros)
    return plain(word, *macros)


@lru_cache(maxsize=256)
def _of_one(
    text: str, known: tuple[tuple[str, frozenset[Macro]], ...], used: frozenset[str]
) -> str:
    table = Table()
    table.now = dict(known)
    return _Expansion(text, table, used).expansion()


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]\w*", text))


@lru_cache(maxsize=256)
def _directives(text: str) -> tuple[str, ...]:
    """The lines of the preprocessor, those in comments left out."""
    if "define" not in text:
        return ()
    return tuple(m[0] for m in PARTS.finditer(text) if m[0].lstrip()[:1] == "#")


@lru_cache(maxsize=256)
def _definitions(text: str) -> tuple[tuple[str, Macro], ...]:
    matches = (DIRECTIVE.match(re.sub(r"\\\r?\n", " ", line)) for line in _directives(text))
    definitions = (definition(m[2]) for m in matches if m is not None and m[1] == "define")
    return tuple(d for d in definitions if d is not None)


def too_many(word: str, limit: str) -> LayoutError:
    """The error for macros that expand to more than is read."""
    reason = f"with the macro {word} the file expands to more than {limit} macros"
    return LayoutError("SL506", reason, help="check the preprocessed text of the kernel")


class _Expansion:
    """One text that is read from its beginning to its end."""

    def __init__(self, text: str, table: Table, used: frozenset[str]) -> None:
        self.text, self.table, self.used = text, table, used
        self.grown = self.count = 0
        self.first: re.Match[str] | None = None  # the name that is expanded

    def expansion(self) -> str:
        """The text, expanded."""
        out: list[str] = []
        at = 0
        while (m := PARTS.search(self.text, at)) is not None:
            out.append(self.text[at : m.start()])
            at = m.end()
            if m[0].lstrip()[:1] == "#":
                self.table.read(m[0])
            self.first = m
            new = self._use(self.text, m, frozenset())
            if new is None:
                out.append(m[0])
                continue
            put, at = new
            lines = self.text.count("\n", m.start(), at)
            blank = max(0, at - m.start() - len(put)) if lines == 0 else 0
            out += [put, " " * blank, "\n" * lines]
        out.append(self.text[at:])
        return "".join(out)

    def _use(self, text: str, m: re.Match[str], hidden: frozenset[str]) -> tuple[str, int] | None:
        """What a name stands for with its arguments, and where they end; None where it stays.

        Raises `LayoutError` (SL506) for macros that expand too often, or too deep.
        """
        word = m[0]
        known = word in self.used and word not in hidden
        macro = self.table.at(word) if known else None
        if macro is None:
            return None
        self.count += 1
        if self.count > REPLACED or len(hidden) >= NESTED:
            raise self._too_many(f"{REPLACED:,}" if self.count > REPLACED else f"{NESTED} nested")
        end, values = m.end(), dict[str, str]()
        if macro.names is not None:
            call = _arguments(text, end)
            table = _bindings(macro, call[0]) if call is not None else None
            if call is None or table is None:
                return None
            values, end = table, call[1]
        put = _substitution(macro.body, values)
        if len(put) > LONGEST:
            return None
        if self.grown > GROWTH:
            raise self._too_many(f"{GROWTH:,} characters of")
        expansion = self._inside(put, hidden | {word})
        self.grown += max(0, len(expansion) - (end - m.start()))
        return expansion, end

    def _too_many(self, limit: str) -> LayoutError:
        assert self.first is not None
        line = self.text.count("\n", 0, self.first.start()) + 1
        return too_many(f"{self.first[0]} in line {line}", limit)

    def _inside(self, text: str, hidden: frozenset[str]) -> str:
        """What a macro stands for, with the macros that stand in it."""
        out: list[str] = []
        at = 0
        while (m := PARTS.search(text, at)) is not None:
            out.append(text[at : m.start()])
            new = self._use(text, m, hidden)
            out.append(m[0] if new is None else new[0])
            at = m.end() if new is None else new[1]
        return "".join([*out, text[at:]])


def _substitution(body: str, values: dict[str, str]) -> str:
    """A macro's text with its arguments."""
    return PARTS.sub(lambda m: values.get(m[0], m[0]), body) if values else body


def _bindings(macro: Macro, arguments: list[str]) -> dict[str, str] | None:
    """The arguments by name; None where their number is another one, or statements stand in them."""
    assert macro.names is not None
    if any(c in "".join(arguments) for c in "{}#") or "<<<" in "".join(arguments):
        return None
    names = list(macro.names)
    if not names and arguments == [""]:
        arguments = []
    if macro.variadic:
        fixed = len(names) - 1
        if len(arguments) < fixed:
            return None
        arguments = [*arguments[:fixed], ", ".join(arguments[fixed:])]
        names[-1] = "__VA_ARGS__"
    if len(names) != len(arguments):
        return None
    return dict(zip(names, arguments))


def _arguments(text: str, at: int) -> tuple[list[str], int] | None:
    """The arguments in the parentheses that follow a name, and where they end."""
    opened = OPENED.match(text, at)
    if opened is None:
        return None
    parts, depth, at = [""], 1, opened.end()
    while (m := EACH.match(text, at)) is not None:
        at = m.end()
        c = m[0]
        if c.startswith(("//", "/*")):
            continue
        depth += (c in "([{") - (c in ")]}") if len(c) == 1 else 0
        if depth == 0:
            return [" ".join(p.split()) for p in parts], at
        if c == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += c
        if sum(map(len, parts)) > LONGEST:
            return None
    return None
