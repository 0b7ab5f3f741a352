"""The structure of MLIR text: operations with their types, regions and blocks, whatever the dialect.

Operations are found by how statements begin; what an operation says is left to its dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from symlayout.errors import LayoutError
from symlayout.programs.hlo.nesting import TEXTS
from symlayout.text.patterns import regex

DEEPEST = 60  # regions in regions
MOST_BLOCKS = 200  # of a region, of which the ways are followed
BLANK = regex(r"(?:(?>\s++|//[^\n]*+))*+")
VALUE = r"%[\w$.\-]++(?:(?>:\d++))?+"
RESULTS = regex(rf"({VALUE}(?:(?>\s*+,\s*+{VALUE}))*+)\s*+=(?!=)\s*+")
ONE = regex(r"%([\w$.\-]+)(?::(\d+))?")
OPERATION = regex(r'"(?P<quoted>[^"\\\n]++)"|(?P<op>[A-Za-z_][\w$]*+(?:\.[\w$.]++)?)')
WORDS = r"return|call|call_indirect|module|constant|cond_br|br|assert|yield"
# how a statement begins behind a line break, and what may stand behind the brace of a region
BEGINS = regex(
    rf"\s*+(?:\}}|\Z|{VALUE}(?:(?>\s*+,\s*+{VALUE}))*+\s*+=(?!=)|\^|#[\w.$\-]++\s*+=|!\w++\s*+=|\{{-#"
    rf'|(?:"[\w$.\-]++"(?=\s*+\()|[A-Za-z_][\w$]*+\.[\w$.]++)(?!\s*+[=,])|(?:{WORDS})\b(?!\s*+=))'
)
REGION = regex(
    rf"\{{(?:(?>\s++|//[^\n]*+))*+(?:\^|{VALUE}(?:(?>\s*+,\s*+{VALUE}))*+\s*+=(?!=)"
    rf'|(?:"[\w$.\-]++"(?=\s*+\()|[A-Za-z_][\w$]*+\.[\w$.]++)(?!\s*+[=,}}])|(?:{WORDS})\b(?!\s*+=)'
    r"|(?:stablehlo|mhlo|func)\.return\b)"
)
EMPTY = regex(r"\{(?:(?>\s++|//[^\n]*+))*+\}")
# what begins another statement behind the types of one, on the same line
NEXT = rf"(?<=\s)(?:[A-Za-z_][\w$]*+\.[\w$.]++(?!\s*+[=,])|(?:{WORDS})\b(?!\s*+=))"
QUOTED = regex(r'"[A-Za-z_][\w$]*+\.[\w$.]++"\s*+\((?!#)')
TOKEN = regex(
    TEXTS
    + r"|//[^\n]*+|->|[<>]=|[(){}\[\]<>\n]|(?<=[\s)\]}>\w]):(?=[\s(!a-z])"
    + r"|(?<=\s)%[\w$.\-]++(?:(?>:\d++))?+(?=\s*+=[^=])|"
    + NEXT,
    re.S,
)
COMMENT = regex(TEXTS + r"|//[^\n]*+", re.S)
LABEL = regex(r"\^(?P<name>[\w$.\-]++)\s*+(?=[(:])")
SUCCESSOR = regex(rf"{TEXTS}|\^(?P<name>[\w$.\-]++)", re.S)
OPENS, CLOSES = frozenset("([{<"), {")": "(", "]": "[", "}": "{", ">": "<"}


def uncommented(text: str) -> str:
    """The text with blanks in place of its comments: every other character keeps its place.

    >>> uncommented('a // "b"\\n"c // d"')
    'a       \\n"c // d"'
    """
    if "//" not in text:
        return text
    return COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else " " * len(m[0]), text)


@dataclass
class Block:
    """A block: its name, its arguments (a span of text), and its operations."""

    name: str = ""
    arguments: tuple[int, int] = (0, 0)
    operations: list[Operation] = field(default_factory=list)
    at: int = 0


@dataclass
class Region:
    """The blocks of a region, the first of which is entered."""

    blocks: list[Block] = field(default_factory=lambda: [Block()])

    @property
    def arguments(self) -> tuple[int, int]:
        """The arguments of the first block."""
        return self.blocks[0].arguments

    @property
    def operations(self) -> list[Operation]:
        """The operations of all blocks."""
        return [op for block in self.blocks for op in block.operations]


@dataclass
class Operation:
    """One operation: its results, its text outside regions, and where its types begin.

    `colon` is the place behind the last `:` outside brackets, `arrow` that behind the `->` that
    follows it (or that follows the name, without a colon); 0 where there is none.
    """

    name: str
    results: list[tuple[str, int]]
    at: int
    begin: int
    end: int = 0
    colon: int = 0
    arrow: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)


class Reader:
    """A position in MLIR text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, message: str, at: int) -> LayoutError:
        return LayoutError("SL720", message, text=self.text, at=min(at, len(self.text)))

    def skip(self, at: int, stop: int) -> int:
        match = BLANK.match(self.text, at, stop)
        return at if match is None else match.end()

    def operations(self, at: int, stop: int, depth: int = 0) -> Iterator[Operation]:
        """The operations up to the brace that closes the region, or the end of the text."""
        while (at := self.skip(at, stop)) < stop and self.text[at] != "}":
            if self.text.startswith("{-#", at):  # resources
                end = self.text.find("#-}", at, stop)
                at = stop if end < 0 else end + 3
            elif self.text[at] in "#!":
                at = self.alias_end(at, stop)
            else:
                result = self.operation(at, stop, depth)
                yield result
                at = result.end
        self.at = at

    def alias_end(self, at: int, stop: int) -> int:
        """Where the definition of an alias ends: a line break outside brackets, no type behind it."""
        for token, depth, end in self.tokens(at, stop):
            ends = token == "\n" and depth <= 0 and not self.goes_on(at, end)
            if ends and not self.text.startswith(":", self.skip(end, stop)):
                return end
        return stop

    def ways_to(self, blocks: list[Block]) -> list[set[int]]:
        """For each block the other blocks on every way to it: what they define is known there.

        Where there is no way, all is known.  None are told of very many blocks.

        Raises `LayoutError` for a block that is not there.
        """
        if len(blocks) > MOST_BLOCKS:
            return []
        after = self.successors(blocks)
        reached, left = {0}, [0]
        while left:
            new = after[left.pop()] - reached
            reached |= new
            left += new
        before = {k: [p for p in reached if k in after[p]] for k in reached - {0}}
        everything = {*range(len(blocks))}
        ways = [{0}, *[everything] * (len(blocks) - 1)]
        changed = True
        while changed:
            changed = False
            for k, hits in before.items():
                now = {k} | set.intersection(*(ways[p] for p in hits))
                changed |= now != ways[k]
                ways[k] = now
        return [way - {k} if k in reached else way for k, way in enumerate(ways)]

    def successors(self, blocks: list[Block]) -> list[set[int]]:
        """The blocks that the last operation of each goes on with."""
        numbers = {b.name: k for k, b in enumerate(blocks)}
        after: list[set[int]] = []
        for block in blocks:
            spans = [span for op in block.operations[-1:] for span in op.spans]
            hits = [m for a, b in spans for m in SUCCESSOR.finditer(self.text, a, b) if m["name"]]
            for match in hits:
                if match["name"] not in numbers:
                    message = f"^{match['name']} is not a block of this region"
                    raise self.error(message, match.start())
            after.append({numbers[m["name"]] for m in hits})
        return after

    def tokens(self, at: int, stop: int) -> Iterator[tuple[str, int, int]]:
        """Brackets and what ends a line: the token, the depth and the place behind it."""
        depth = 0
        for match in TOKEN.finditer(self.text, at, stop):
            token = match.group()
            depth += (token in OPENS) - (token in CLOSES)
            yield token, depth, match.end()

    def region(self, at: int, stop: int, depth: int) -> tuple[Region, int]:
        """The region whose brace is at `at`, and the place behind the closing one."""
        if depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} regions in each other", at)
        result = Region([])
        start, at = at, self.skip(at + 1, stop)
        while True:
            label = LABEL.match(self.text, at, stop)
            if label is not None or not result.blocks:
                result.blocks.append(Block(at=at))
            block = result.blocks[-1]
            if label is not None:
                block.name, at = label["name"], label.end()
                if self.text[at] == "(":
                    end = self.bracket_end(at, stop)
                    block.arguments = (at + 1, end - 1)
                    at = end
                at = self.skip(at, stop)
                if not self.text.startswith(":", at):
                    raise self.error("expected ':' behind the block's name", at)
                at += 1
            elif self.text.startswith("^", at):
                raise self.error("expected a block's name and ':'", at)
            block.operations += self.operations_to_label(at, stop, depth)
            at = self.at
            if at >= stop:
                raise self.error("the region is never closed", start)
            if self.text[at] == "}":
                return result, at + 1

    def operations_to_label(self, at: int, stop: int, depth: int) -> Iterator[Operation]:
        """The operations of one block."""
        while (at := self.skip(at, stop)) < stop and self.text[at] not in "}^":
            result = self.operation(at, stop, depth)
            yield result
            at = result.end
        self.at = at

    def bracket_end(self, at: int, stop: int) -> int:
        """The place behind the bracket that closes the one at `at`."""
        for token, depth, end in self.tokens(at, stop):
            if token in CLOSES and depth == 0:
                return end
        raise self.error(f"{self.text[at]!r} is never closed", at)

    def operation(self, at: int, stop: int, depth: int) -> Operation:
        """The operation at `at`."""
        start = at
        results: list[tuple[str, int]] = []
        match = RESULTS.match(self.text, at, stop)
        if match is not None:
            results = [(m[1], int(m[2] or 1)) for m in ONE.finditer(match[1])]
            at = match.end()
        named = OPERATION.match(self.text, at, stop)
        if named is None:
            raise self.error("expected an operation such as stablehlo.add", at)
        result = Operation(named["op"] or named["quoted"], results, start, named.end())
        self.rest(result, stop, depth)
        return result

    def rest(self, op: Operation, stop: int, depth: int) -> None:
        """What stands behind an operation's name: text, and regions."""
        text, at, piece = self.text, op.begin, op.begin
        open_at: list[str] = []
        while True:
            match = TOKEN.search(text, at, stop)
            if match is None:
                if open_at:
                    raise self.error(f"{open_at[-1]!r} of {op.name} is never closed", op.at)
                op.end = stop
                break
            token, at = match.group(), match.end()
            apart = not open_at and has_body(op.name)
            if token == "{" and self.opens_region(max(piece, at - 80), match.start(), stop, apart):
                op.spans.append((piece, match.start()))
                result, at = self.region(match.start(), stop, depth + 1)
                op.regions.append(result)
                piece = at
                if not open_at and op.name in BODIES:
                    break_at = self.skip(at, stop)
                    if not text.startswith("loc(", break_at):
                        op.end = at
                        return
            elif token in OPENS:
                open_at.append(token)
                if len(open_at) > 200:
                    raise self.error("more than 200 brackets in each other", match.start())
            elif token in CLOSES:
                if not open_at:
                    op.end = match.start()
                    if token != "}":
                        raise self.error(f"{token!r} closes nothing here", match.start())
                    break
                if open_at[-1] != CLOSES[token]:
                    raise self.error(f"{open_at[-1]!r} of {op.name} is never closed", op.at)
                open_at.pop()
            elif open_at:
                continue
            elif token == "->":
                op.arrow = at
            elif token == ":":
                op.colon, op.arrow = at, 0
            elif token == "\n":
                if BEGINS.match(text, at, stop) and not self.goes_on(piece, at):
                    op.end = at
                    break
            elif (
                token[0] == "%" and op.name in LOOPS and not text[op.begin : match.start()].strip()
            ):
                continue  # the variable of a loop
            elif token[0] == "%" or self.another(op, piece, match):
                op.end = match.start()
                break
        op.spans.append((piece, op.end))

    def opens_region(self, since: int, at: int, stop: int, empty: bool) -> bool:
        """Whether a brace opens a region, which may be empty, and not a list of attributes."""
        if self.text[since:at].rstrip().endswith("attributes"):
            return False
        if REGION.match(self.text, at, stop):
            return True
        return empty and EMPTY.match(self.text, at, stop) is not None

    def another(self, op: Operation, piece: int, match: re.Match[str]) -> bool:
        """Whether a word outside brackets begins an operation behind the types of this one."""
        text, at = self.text, match.start()
        word = text[at].isalpha() or QUOTED.match(text, at) is not None
        typed = bool(op.colon) or match.group() in BODIES
        return word and typed and not self.goes_on(max(piece, op.colon - 1), at)

    def goes_on(self, piece: int, at: int) -> bool:
        """Whether what stands before a place asks for more, such as a type."""
        return self.text[max(piece, at - 80) : at].rstrip().endswith((":", "->", ",", "="))


def has_body(name: str) -> bool:
    """Whether empty braces behind an operation are its region."""
    return name in BODIES or name.startswith(("scf.", "affine."))


LOOPS = frozenset({"scf.for", "affine.for"})
# operations whose last region ends them
BODIES = frozenset({"module", "builtin.module", "func.func"})
