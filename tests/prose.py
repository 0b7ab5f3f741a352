"""The prose of the project, and how much of it reads as if it were translated.

`IDIOMS` lists expressions that technical English does not use, with a replacement each.
`Prose` counts them, and sentences of more than 35 words, in Markdown pages, docstrings and messages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

LONG = 35

# expression: what to write instead
IDIOMS = {
    r"is no (?!longer\b|more\b)": "is not, fails, is unknown",
    r"(?:is|are|was) none\b": "is not, does not exist",
    r"nothing (?:that|which)\b": "not ... anything that",
    r"(?:says|said|tells|told) of\b": "is about, describes",
    r"(?:speaks?|tells?) of\b": "is about",
    r"what (?:is|was) (?!the\b|a\b|an\b|this\b|it\b)\w+": "the argument, the code that ...",
    r"what (?:remains|follows|comes|goes|beside|stays)\b": "the rest, the following",
    r"all (?:else )?that (?:is|was)\b": "everything",
    r"behind\b": "after",
    r"stands?\b": "is",
    r"stood\b": "was",
    r"comes? to\b": "equals",
    r"whatever\b": "any",
    r"such as (?:is|are|it)\b": "",
    r"turns? of (?:a|the|its|one|each)\b": "iteration",
    r"(?:each|one|every|any|last|first|another) turn\b": "iteration",
    r"without a sign\b": "unsigned",
    r"leaves? (?:its type|their type|32 bits|the type)": "overflows",
    r"ways out\b": "branches, early exits",
    r"endings?\b": "extension",
    r"mend(?:s|ed|ing)?\b": "fix",
    r"laws?\b": "lemma, property",
    r"campaigns?\b": "fuzzing",
    r"rooms?\b": "module, package",
    r"doors?\b": "adapter, importer",
    r"house\b": "architecture",
    r"as high as what\b": "clipped at the edge",
    r"holes?\b": "padding, gaps",
    r"owes?\b": "needs",
    r"may (?:meet|part)\b": "alias, separate",
    r"resource units\b": "rlimit",
    r"true size": "origin shape",
    r"made by fusion\b": "produced by",
    r"(?:a|one|no|same|the|its|each|every|two|that|any) places?\b": "offset, location, element",
    r"(?:is|are) known of\b": "is known about",
    r"(?:is|are) (?:said|known|found|made|read|taken) nowhere\b": "is not ...",
    r"nowhere\b": "not ... anywhere",
    r"by halves\b": "incomplete",
    r"by itself\b": "alone",
    r"asked (?:whether|for|about)\b": "checks",
    r"inside one another\b": "nested",
    r"inside of\b": "inside",
    r"an? (?:\w+ )?or of ands\b": "disjunction of conjunctions",
    r"hangs? on\b": "depends on",
    r"cannot be asked\b": "is not supported",
    r"of (?:one's|your|its|their|our|his) own\b": "own, separate",
}
_IDIOM = re.compile(r"\b(?:" + "|".join(IDIOMS) + ")", re.I)
_WORD = re.compile(r"\w[\w'-]*")
_END = re.compile(r"(?<=[.!?])\s+|(?<=:)\s*\n\s*\n")


@dataclass(frozen=True)
class Prose:
    """Paragraphs, each a text without line breaks that matter.

    >>> Prose(("It is no array. It stays.",)).idioms
    ['is no ']
    """

    paragraphs: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        parts = (s.strip() for p in self.paragraphs for s in _END.split(p))
        return [s for s in parts if _WORD.search(s)]

    @property
    def words(self) -> int:
        return sum(len(_WORD.findall(p)) for p in self.paragraphs)

    @property
    def idioms(self) -> list[str]:
        return [m.group() for p in self.paragraphs for m in _IDIOM.finditer(p)]

    @property
    def long(self) -> list[str]:
        return [s for s in self.sentences if len(_WORD.findall(s)) > LONG]

    @property
    def rates(self) -> tuple[float, float]:
        """Idioms in 1,000 words, and long sentences in 100."""
        long = 100 * len(self.long) / max(1, len(self.sentences))
        return 1000 * len(self.idioms) / max(1, self.words), long


def markdown(text: str) -> Prose:
    """The prose of a page: no code, no pictures, each cell and each item a paragraph.

    >>> markdown("# A\\n\\nSee `x is no y`:\\n\\n- one\\n- two\\n\\n```\\nis no\\n```\\n").paragraphs
    ('A', 'See _:', 'one', 'two')
    """
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1$", "\n", text, flags=re.M | re.S)
    text = re.sub(r"`+[^`]+`+", "_", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^(?:#+| *[-*]|\d+\.) ", "\n\n", text, flags=re.M)
    text = re.sub(r"^\|.*\|$", lambda m: m.group().replace("|", "\n\n"), text, flags=re.M)
    parts = (" ".join(p.split()) for p in re.split(r"\n\s*\n", text))
    return Prose(tuple(p for p in parts if _WORD.search(p)))


def docstring(text: str) -> Prose:
    """A docstring without its examples."""
    kept, example = [], False
    for line in text.splitlines():
        example = line.lstrip().startswith(">>> ") or (example and bool(line.strip()))
        kept.append("" if example else line)
    return markdown("\n".join(kept))


def modules(package: Path) -> Iterator[ast.Module]:
    for path in sorted(package.rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(trees: Iterable[ast.Module]) -> Prose:
    """All docstrings of these modules."""
    nodes = [n for tree in trees for n in ast.walk(tree) if isinstance(n, _DOCUMENTED)]
    texts = [text for text in map(ast.get_docstring, nodes) if text]
    return Prose(tuple(p for text in texts for p in docstring(text).paragraphs))


def messages(trees: Iterable[ast.Module]) -> Prose:
    """All string literals of three words or more that are no docstring and no regular expression.

    >>> messages([ast.parse('raise LayoutError("SL1", f"{x!r} is no layout")')]).paragraphs
    ('_ is no layout',)
    """
    return Prose(tuple(text for tree in trees for text in _literals(tree)))


def _literals(tree: ast.Module) -> Iterator[str]:
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        text = _text(node)
        if text is None:
            stack += ast.iter_child_nodes(node)
        elif len(_WORD.findall(text)) >= 3 and not re.search(r"\\[bswdn(.\[]|\(\?|\]\+|\]\*", text):
            yield re.sub(r"'[^']*'|`[^`]*`", "_", text)
        if isinstance(node, ast.JoinedStr):
            stack += [v for v in node.values if isinstance(v, ast.FormattedValue)]


def _text(node: ast.AST) -> str | None:
    """What a literal says, with `_` for each value in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(v) or "_" for v in node.values)
    return None
