"""The language server, asked by a real client over its own streams."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.workspace import Workspace

from symlayout.__main__ import main
from symlayout.checks import lsp
from symlayout.checks.editor import Document, Outdated, document_of
from symlayout.checks.lsp import Server, _letters, _units, make_server

WRONG = """[layouts]
hbm = "f32[M,N]{1,0:T(8,128)}"

[[claim]]
prove = 'formula hbm "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"'

[[claim]]
prove = 'injective "bf16[M,N]{1,0:T(8,128)(2,1)}"'
"""
WAIT = 60.0


class Editor:
    """An editor: what it was told of each document, and what it asks."""

    def __init__(self) -> None:
        self.client = LanguageClient("editor", "1")
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(given: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(given)

    async def __aenter__(self) -> Editor:
        await self.client.start_io(sys.executable, "-m", "symlayout", "lsp")
        given = types.InitializeParams(capabilities=types.ClientCapabilities())
        made = await asyncio.wait_for(self.client.initialize_async(given), WAIT)
        assert made.server_info is not None
        assert made.server_info.name == "symlayout"
        self.client.initialized(types.InitializedParams())
        return self

    async def __aexit__(self, *more: Any) -> None:
        await asyncio.wait_for(self.client.shutdown_async(None), WAIT)
        self.client.exit(None)
        await asyncio.wait_for(self.client.stop(), WAIT)

    def open(self, uri: str, text: str) -> None:
        item = types.TextDocumentItem(uri, "toml", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, text: str, version: int) -> None:
        name = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(name, [whole]))

    async def until(self, count: int) -> list[types.Diagnostic]:
        """The diagnostics as soon as there are that many."""
        while True:
            given = await asyncio.wait_for(self.told.get(), WAIT)
            if len(given.diagnostics) == count:
                return list(given.diagnostics)

    async def hover(self, uri: str, line: int, character: int) -> str:
        at = types.Position(line, character)
        name = types.TextDocumentIdentifier(uri)
        asked = self.client.text_document_hover_async(types.HoverParams(name, at))
        made = await asyncio.wait_for(asked, WAIT)
        return "" if made is None else made.contents.value

    async def actions(self, uri: str, line: int) -> list[Any]:
        where = types.Range(types.Position(line, 0), types.Position(line, 1))
        name = types.TextDocumentIdentifier(uri)
        given = types.CodeActionParams(name, where, types.CodeActionContext([]))
        made = await asyncio.wait_for(self.client.text_document_code_action_async(given), WAIT)
        return list(made or [])


def put(text: str, edit: types.TextEdit) -> str:
    lines = text.split("\n")
    line, at = edit.range.start.line, edit.range.start.character
    assert edit.range.start == edit.range.end
    lines[line] = lines[line][:at] + edit.new_text + lines[line][at:]
    return "\n".join(lines)


def test_an_editor_gets_verdicts_formulas_and_changes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "a.layout.toml"
    file.write_text("not what the editor shows")

    async def session() -> None:
        uri = file.as_uri()
        async with Editor() as editor:
            editor.open(uri, WRONG)
            wrong, right = await editor.until(2)
            assert wrong.severity == types.DiagnosticSeverity.Error
            assert (wrong.range.start.line, wrong.source) == (4, "symlayout")
            assert "the layout's 1024" in wrong.message
            assert "help: it holds exactly when N % 128 == 0 or M <= 8" in wrong.message
            assert right.severity == types.DiagnosticSeverity.Hint
            assert right.message.startswith("proved: ")

            shown = await editor.hover(uri, 4, 12)
            assert "**refuted**" in shown
            assert "sizes        M = 9, N = 1" in shown
            layout = WRONG.split("\n")[7].index("bf16") + 3
            assert "offset  2048*(i//16)" in await editor.hover(uri, 7, layout) or (
                "offset  " in await editor.hover(uri, 7, layout)
            )
            assert "1024*ceildiv(N, 128)*(i//8)" in await editor.hover(uri, 1, 10)
            assert await editor.hover(uri, 2, 0) == ""
            assert await editor.hover(uri, 400, 0) == ""

            offered = await editor.actions(uri, 4)
            assert [a.title for a in offered] == ["require N % 128 == 0", "require M <= 8"]
            (edit,) = offered[0].edit.changes[uri]
            mended = put(WRONG, edit)
            assert 'where = ["N % 128 == 0"]' in mended
            assert await editor.actions(uri, 7) == []

            editor.change(uri, "[[claim", 2)  # while it is typed ...
            editor.change(uri, mended, 3)  # ... and then it is there
            done = await editor.until(2)
            assert [d.severity for d in done] == [types.DiagnosticSeverity.Hint] * 2

    asyncio.run(session())


def test_an_editor_of_code_and_mistakes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    code = (
        '# symlayout: formula "f32[M,N]{1,0}" coords r, c\nx = r*M + c\n# Symlayout: injective x\n'
    )

    async def session() -> None:
        uri = (tmp_path / "a b.py").as_uri()
        async with Editor() as editor:
            editor.open(uri, code)
            near, wrong = await editor.until(2)
            assert (near.code, near.range.start.line) == ("SL507", 2)
            assert (wrong.code, wrong.range.start.line, wrong.range.start.character) == (
                "refuted",
                1,
                4,
            )
            (action, *_) = await editor.actions(uri, 1)
            (edit,) = action.edit.changes[uri]
            assert edit.new_text.startswith(" where ")
            assert edit.range.start.line == 0
            editor.open((tmp_path / "x.txt").as_uri(), "nothing of ours")
            editor.open("untitled:1", WRONG)
            bad = (tmp_path / "b.layout.toml").as_uri()
            editor.open(bad, "[[claim]]\nprove = 'injectiv \"f32[4]\"'\n")
            (slip,) = await editor.until(1)
            assert slip.code == "SL502"
            assert "did you mean 'injective'?" in slip.message

    asyncio.run(session())


def test_a_document_that_was_closed_is_not_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = (tmp_path / "a.layout.toml").as_uri()
    server = make_server()
    shown: list[str] = []
    monkeypatch.setattr(server, "show", lambda uri, document: shown.append(uri))
    monkeypatch.setattr(Server, "workspace", Workspace(None))
    server.workspace.put_text_document(types.TextDocumentItem(uri, "toml", 1, WRONG))

    def closing(close: bool, loop: asyncio.AbstractEventLoop) -> None:
        closed = threading.Event()

        def document(file: str, text: str, outdated: Any, told: Any) -> Document:
            made = Document(file, text)
            if close:
                loop.call_soon_threadsafe(closed.wait)  # what is told comes behind the closing
            told(made)
            if close:
                server.latest.pop(uri)  # as the handler does, in another thread
                closed.set()
            return made

        monkeypatch.setattr(lsp, "document_of", document)

    async def session(close: bool) -> list[str]:
        closing(close, asyncio.get_running_loop())
        shown.clear()
        await server.check(uri)
        await asyncio.sleep(0)
        return list(shown)

    assert asyncio.run(session(close=False)) == []  # never opened
    server.open.add(uri)
    assert asyncio.run(session(close=False)) == [uri, uri]
    assert asyncio.run(session(close=True)) == []


def test_a_newer_text_ends_the_work_on_an_older_one() -> None:
    told: list[Document] = []
    with pytest.raises(Outdated):
        document_of("a.layout.toml", WRONG, lambda: True, told.append)
    assert len(told) == 1


@pytest.mark.parametrize("line", ["abc", "a\U0001f600c\u00e9", ""])
def test_columns_are_counted_as_the_protocol_counts(line: str) -> None:
    for column in range(1, len(line) + 2):
        units = _units(line, column)
        assert units == len(line[: column - 1].encode("utf-16-le")) // 2
        assert _letters(line, units) == column


def test_without_pygls_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "symlayout.checks.lsp", None)
    assert main(["lsp"]) == 2
    assert "pip install 'symlayout[lsp]'" in capsys.readouterr().err


@pytest.mark.parametrize("goodbye", [True, False])
def test_an_editor_that_goes_leaves_no_error(goodbye):
    """Its end was an internal error, with exit code 2."""

    def written(**message: Any) -> bytes:
        text = json.dumps({"jsonrpc": "2.0", **message})
        return f"Content-Length: {len(text)}\r\n\r\n{text}".encode()

    begin = written(id=1, method="initialize", params={"processId": None, "capabilities": {}})
    end = written(id=2, method="shutdown") + written(method="exit")
    command = [sys.executable, "-m", "symlayout", "lsp"]
    process = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1)
    out, err = process.communicate(begin + (end if goodbye else b""), timeout=WAIT)
    assert b'"symlayout"' in out
    assert (process.returncode, err) == (0, b"")


def test_an_error_in_the_editors_log_is_one_line() -> None:
    try:
        raise BrokenPipeError("the editor has gone")
    except BrokenPipeError:
        error = sys.exc_info()
    record = logging.LogRecord("pygls", logging.ERROR, "", 0, "Error sending data", (), error)
    line = lsp.OneLine().format(record)
    assert line == "Error sending data\nBrokenPipeError: the editor has gone"
