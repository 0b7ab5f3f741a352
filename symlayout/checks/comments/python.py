"""Python: the comments by its own tokenizer, the expressions by its own parser."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

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
from symlayout.checks.comments.upward import Definitions
from symlayout.text.limits import STATEMENT_PARTS
from symlayout.text.lines import lines_of, starts_of, syntax_place

LANGUAGE = "python"
BLANK = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING)


class Source:
    """A Python file: its comments that claim, and the expression below a line."""

    starts: list[int]
    lines: list[str]

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = lines_of(text)
        self.starts = starts_of(self.lines)
        self.statements: list[ast.stmt] | None = None  # in the order of the file
        self.inside: set[int] = set()  # lines that end inside of a statement, or of its head
        self.definitions: Definitions | None = None
        self.tokens: list[tuple[int, int, str]] | None = None  # rows, columns, comments
        self.strings: list[tuple[int, int, str]] = []  # those that are statements, likewise

    def spans(self) -> list[tuple[int, str]]:
        """Every comment, with where it begins.

        Raises `NotFound` for a text that is not Python.
        """
        return [(self.starts[row - 1] + column, string) for row, column, string in self._tokens()]

    def docstrings(self) -> list[tuple[int, str]]:
        """Every string that is a statement, with where it begins."""
        self._tokens()
        return [(self.starts[row - 1] + column, string) for row, column, string in self.strings]

    def _tokens(self) -> list[tuple[int, int, str]]:
        if self.tokens is None:
            self.tokens = []
            try:
                lines = io.StringIO(self.text, newline=None).readline
                begins = True
                for token in tokenize.generate_tokens(lines):
                    if token.type == tokenize.COMMENT:
                        self.tokens.append((*token.start, token.string))
                    if token.type == tokenize.STRING and begins:
                        self.strings.append((*token.start, token.string))
                    if token.type not in BLANK:
                        begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            except (tokenize.TokenError, SyntaxError, RecursionError, MemoryError) as error:
                raise self._not_python() or NotFound(
                    f"not Python: {error.args[0] if error.args else 'nested too deeply'}",
                    *(0, 0, "SL506"),
                ) from None
        return self.tokens

    def _not_python(self) -> NotFound | None:
        """The mistake where Python's parser sees it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(self.text)
        except SyntaxError as error:
            at = syntax_place(self.text, error)
            return NotFound(f"not Python: {error.msg}", at, at, "SL506")
        except (RecursionError, MemoryError, ValueError):
            pass
        return None

    def comments(self) -> list[Comment]:
        """The comments with the mark, each joined with the lines that continue it.

        Raises `NotFound` for a text that is not Python.
        """
        hits = self._tokens()
        results = []
        for n, (row, column, string) in enumerate(hits):
            body = string.lstrip("#")
            if not body.lstrip().startswith(MARK):
                continue
            shift = string.index(MARK) + len(MARK)
            text, after = string[shift:], row
            if text.split(None, 1)[:1] == ["kernel"]:
                after = _last_row(hits[n:])
                results.append(Comment(text, self.starts[row - 1] + column + shift, after))
                continue
            for next_row, _, more in islice(hits, n + 1, n + 1 + len(CLAUSES)):
                if next_row != after + 1 or not is_continuation(more.lstrip("#")):
                    break
                text, after = f"{text} {more.lstrip('#').strip()}", next_row
            results.append(Comment(text, self.starts[row - 1] + column + shift, after))
        return results

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
        if self.statements is None:
            self.statements = self._tree_statements(comment)
            self.inside = {row for s in self.statements for row in _rows(s)}
        line = bisect_right(self.statements, comment.after, key=lambda node: node.lineno)
        if line == len(self.statements):
            raise NotFound("no statement follows the comment", comment.at, comment.at, help=ABOVE)
        if bisect_right(self.starts, comment.at) in self.inside:
            raise NotFound(INSIDE, comment.at, comment.at, help=ABOVE)
        statement = self.statements[line]
        if sum(1 for _ in islice(ast.walk(statement), STATEMENT_PARTS + 1)) > STATEMENT_PARTS:
            message = f"the statement below has more than {STATEMENT_PARTS:,} parts"
            raise NotFound(message, comment.at, comment.at)
        rest = {*known, *names_of(meanings), *([of] if of else [])}
        at, end = self._span(statement)
        node = _choice(statement, of, at, min(end, at + 40))
        if of and node is None:
            node = self._moved_index(statement, of, rest)
        if not isinstance(node, ast.expr):
            what = f"index of {of}" if of else "expression"
            raise NotFound(f"the statement below has no {what}", at, min(end, at + 40))
        at, end = self._span(node)
        table = {ast.unparse(ast.parse(left, mode="eval")): r for left, r in _pairs(meanings)}
        if self.definitions is not None and known:
            node = self.definitions.put_in(node, statement, rest)
        change = _Meanings(table | ({of: "0"} if of else {})).visit(node)
        return Found(ast.unparse(ast.fix_missing_locations(change)), at, end)

    def _tree_statements(self, comment: Comment) -> list[ast.stmt]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a strange escape is not our business
                tree = ast.parse(self.text)
                statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
                self.definitions = Definitions(tree)
        except SyntaxError as error:
            at = syntax_place(self.text, error)
            raise NotFound(f"not Python: {error.msg}", at, at, "SL506") from None
        except (RecursionError, MemoryError, ValueError):
            message = "not Python that can be read: nested too deeply"
            raise NotFound(message, comment.at, comment.at, "SL506") from None
        return sorted(statements, key=lambda node: (node.lineno, node.col_offset))

    def _span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        def at(line: int, column: int) -> int:
            # the parser counts bytes of UTF-8
            before = self.lines[line - 1].encode()[:column].decode(errors="ignore")
            return self.starts[line - 1] + len(before)

        start = at(node.lineno, node.col_offset)
        return start, at(node.end_lineno or node.lineno, node.end_col_offset or 0) or start

    def _moved_index(self, statement: ast.stmt, of: str, rest: Collection[str]) -> ast.expr | None:
        """The largest sum that begins at the array by the definitions above."""
        assert self.definitions is not None
        for node in ast.walk(statement):
            loaded = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            if isinstance(node, (ast.BinOp, ast.Name)) and loaded:
                change = self.definitions.put_in(node, statement, rest)
                if of in _terms(change):
                    return ast.copy_location(change, node)
        return None


def _rows(statement: ast.stmt) -> range:
    """The lines that end inside of a statement; of a compound one, inside of its head.

    >>> list(_rows(ast.parse("if (a and\\n  b):\\n  x = 1").body[0]))
    [1]
    """
    parts: list[ast.AST] = [statement]
    if hasattr(statement, "body") or hasattr(statement, "cases"):
        inside = (ast.stmt, ast.ExceptHandler, ast.match_case)
        parts = [x for x in ast.iter_child_nodes(statement) if not isinstance(x, inside)]
    ends = [getattr(x, "end_lineno", None) or 0 for p in parts for x in (p, *ast.walk(p))]
    return range(statement.lineno, max(ends, default=0))


def _choice(statement: ast.stmt, of: str | None, at: int, end: int) -> ast.expr | None:
    """The expression of a statement that is meant."""
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Subscript):
        target = ast.unparse(statement.target)
        if of in (None, target):
            added(target, of, isinstance(statement.op, ast.Add), at, end)
            return statement.value
    if of is None:
        return _value(statement)
    indices = list(_indices(statement, of))
    one_index(of, [ast.unparse(x) for x in indices], at, end)
    return indices[0] if indices else None


def _indices(node: ast.AST, of: str) -> Iterator[ast.expr]:
    """The indices of `of[...]`, and the largest sums that have `of` as a term."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == of:
        yield node.slice
    elif isinstance(node, ast.BinOp) and of in _terms(node):
        yield node
    else:
        for part in ast.iter_child_nodes(node):
            yield from _indices(part, of)


def names_of(meanings: Mapping[str, str]) -> set[str]:
    """The names that meanings are given to."""
    return {left for left in meanings if left.isidentifier()}


def _last_row(hits: list[tuple[int, int, str]]) -> int:
    """The last of the lines that belong to the first comment: those that are indented below it."""
    row = hits[0][0]
    for next_row, _, more in hits[1:]:
        if next_row != row + 1 or not more.lstrip("#").startswith("  "):
            break
        row = next_row
    return row


def _value(statement: ast.stmt) -> ast.expr | None:
    """The assigned or returned value; of an element that is stored or loaded, its index."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    stored = targets[0]
    if isinstance(stored, ast.Subscript):
        return stored.slice
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Subscript) and not _only_broadcasts(value.slice):
        return value.slice
    return value if isinstance(value, ast.expr) else None


def _terms(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) + _terms(node.right)
    return [ast.unparse(node)]


def _pairs(meanings: Mapping[str, str]) -> list[tuple[str, str]]:
    for left in meanings:
        try:
            ast.parse(left, mode="eval")
        except SyntaxError:
            raise NotFound(f"{left!r} is no Python expression", 0, 0) from None
    return list(meanings.items())


class _Meanings(ast.NodeTransformer):
    """Puts meanings in the place of parts of the code; `x[:, None]` has the values of `x`."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr):
            meaning = self.known.get(ast.unparse(node))
            if meaning is not None:
                # a name whose text is the meaning; parentheses keep its precedence
                return ast.Name(f"({meaning})", ast.Load())
            if isinstance(node, ast.Subscript) and _only_broadcasts(node.slice):
                return self.visit(node.value)
        change: ast.AST = super().visit(node)
        return change


def _only_broadcasts(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    full = ast.unparse(ast.Slice())
    return all(
        ast.unparse(p) == full or (isinstance(p, ast.Constant) and p.value is None) for p in parts
    )
