"""`symlayout lsp`: the language server; pygls speaks the protocol, `editor` knows what to say."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from symlayout.checks.editor import Diagnostic, Document, Outdated, document_of, reads
from symlayout.checks.result import Fix, Place, Problem
from symlayout.errors import LayoutError, internal
from symlayout.text.version import VERSION

T = TypeVar("T")


class OneLine(logging.Formatter):
    """Messages of pygls for the editor's log: an error in one line, without its traceback."""

    def formatException(self, ei: Any) -> str:
        """The kind of an error, and what it says."""
        return f"{ei[0].__name__}: {ei[1]}"


class Server(LanguageServer):
    """A language server with one thread that proves: no solver may be asked by two at once."""

    def __init__(self) -> None:
        sync = types.TextDocumentSyncKind.Full
        super().__init__("symlayout", VERSION, text_document_sync_kind=sync)
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="proves")
        self.latest: dict[str, int] = {}  # how often each document has been changed
        self.documents: dict[str, Document] = {}
        self.open: set[str] = set()  # a client may also speak of what it has closed

    async def work(self, task: Callable[[], T]) -> T:
        """What a task gives, made in the thread that proves."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, task)

    async def check(self, uri: str) -> None:
        """Checks a document and shows what is known; what a newer text outdates is dropped."""
        file = path_of(uri)
        if file is None or not reads(file) or uri not in self.open:
            return
        number = self.latest.get(uri, 0) + 1
        self.latest[uri] = number
        text = self.workspace.get_text_document(uri).source
        loop = asyncio.get_running_loop()

        def outdated() -> bool:
            return self.latest.get(uri) != number

        def show(document: Document) -> None:
            if not outdated():  # it may have been closed since
                self.show(uri, document)

        def answer(document: Document) -> None:
            loop.call_soon_threadsafe(show, document)

        def run() -> Document | None:
            try:
                return None if outdated() else document_of(file, text, outdated, answer)
            except Outdated:
                return None
            except LayoutError as error:  # of the settings
                return _failure(file, text, error.code, error.message)
            except (Exception, RecursionError) as error:
                return _failure(file, text, "SL900", internal(error))

        document = await self.work(run)
        if document is not None:
            show(document)

    def show(self, uri: str, document: Document) -> None:
        """Hands the editor a document's diagnostics."""
        self.documents[uri] = document
        results = [_diagnostic(d, document) for d in document.diagnostics()]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, results))


def _failure(file: str, text: str, code: str, message: str) -> Document:
    return Document(file, text, problems=[Problem(code, message, Place(file, 1))])


def path_of(uri: str) -> str | None:
    """The file that a document's address names, if it is one.

    >>> path_of("file:///a%20b/c.layout.toml"), path_of("untitled:1")
    ('/a b/c.layout.toml', None)
    """
    parts = urlsplit(uri)
    return url2pathname(unquote(parts.path)) if parts.scheme == "file" else None


def _units(line: str, column: int) -> int:
    """A column, counted from 1 in letters, as the protocol counts: from 0, in 16 bits."""
    return len(line[: max(0, column - 1)].encode("utf-16-le", "surrogatepass")) // 2


def _letters(line: str, units: int) -> int:
    """The inverse of `_units`."""
    encoded = line.encode("utf-16-le", "surrogatepass")[: 2 * units]
    return len(encoded.decode("utf-16-le", "ignore")) + 1


def _range(place: Place, document: Document, width: int | None = None) -> types.Range:
    lines = document.lines
    number = min(place.line, len(lines))
    line = lines[number - 1]
    end = place.column + (place.width if width is None else width)
    start = types.Position(number - 1, _units(line, place.column))
    return types.Range(start, types.Position(number - 1, _units(line, end)))


def _diagnostic(d: Diagnostic, document: Document) -> types.Diagnostic:
    severity = types.DiagnosticSeverity(d.severity)
    where = _range(d.place, document)
    return types.Diagnostic(where, d.message, severity=severity, code=d.code, source="symlayout")


def _action(uri: str, fix: Fix, document: Document) -> types.CodeAction:
    where = _range(fix.place, document, fix.removed)
    if fix.last is not None:
        line, column = fix.last
        units = _units(document.lines[min(line, len(document.lines)) - 1], column)
        where = types.Range(where.start, types.Position(line - 1, units))
    edit = types.TextEdit(where, fix.text)
    return types.CodeAction(
        fix.title,
        kind=types.CodeActionKind.QuickFix,
        edit=types.WorkspaceEdit(changes={uri: [edit]}),
    )


def make_server() -> Server:
    """The server with all that it answers."""
    server = Server()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.open.add(params.text_document.uri)
        await server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        await server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        for uri in list(server.documents):  # what includes it may say something else now
            await server.check(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.open.discard(uri)
        server.latest.pop(uri, None)
        server.documents.pop(uri, None)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.get(params.text_document.uri)
        at = params.position
        if document is None or at.line >= len(document.lines):
            return None
        column = _letters(document.lines[at.line], at.character)
        markdown = await server.work(lambda: document.hover(at.line + 1, column))
        text = types.MarkupContent(types.MarkupKind.Markdown, markdown)
        return types.Hover(text) if markdown else None

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix]),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        document = server.documents.get(uri)
        if document is None:
            return []
        fixes = document.changes(params.range.start.line + 1, params.range.end.line + 1)
        return [_action(uri, fix, document) for fix in fixes]

    return server
