"""Whatever comes in, there is one clear error and exit code 2, at once and in little memory."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from symlayout.__main__ import main
from symlayout.limits import FILE_BYTES


def refused(capsys: pytest.CaptureFixture[str], *argv: str, seconds: float = 5) -> str:
    """The one error of a command that ends with exit code 2 in time."""
    start = time.process_time()
    code = main(list(argv))
    spent = time.process_time() - start
    seen = capsys.readouterr()
    assert code == 2, seen
    assert spent < seconds
    assert "Traceback" not in seen.err + seen.out
    assert "SL900" not in seen.err + seen.out
    assert len(seen.err) < 5_000
    return seen.err


def special(folder: Path, kind: str) -> str:
    """A path at which there is no file that can be read, ever."""
    path = folder / f"{kind}.layout.toml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse":
        path.touch()
        os.truncate(path, 10_000_000_000)
    elif kind == "zeros":
        return "/dev/zero"
    elif kind == "random":
        path.symlink_to("/dev/urandom")
    return str(path)


SPECIAL = {
    "fifo": "is a pipe",
    "loop": "symbolic links",
    "socket": "no such device",
    "folder": "is a folder",
    "sparse": "is too large",
    "zeros": "is a device",
    "random": "is a device",
    "missing": "no such file",
}


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_no_file_is_not_read(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = special(tmp_path, kind)
    assert SPECIAL[kind] in refused(capsys, "recheck", path)
    (tmp_path / "a.layout.toml").write_text(f"include = ['{path}']\n")
    assert "SL601" in refused(capsys, "check", "a.layout.toml", "--no-cache")
    if kind != "folder":
        assert "SL601" in refused(capsys, "check", path, "--no-cache")
    for ending in (".hlo", ".mlir", ".py", ".cu"):
        link = tmp_path / f"link{ending}"
        link.symlink_to(path)
        if kind != "folder":
            assert "SL601" in refused(capsys, "check", str(link), "--no-cache")
        link.unlink()


NO_TEXT = {
    "half a letter": (b"\xc3", "is not UTF-8"),
    "UTF-16": ("a = 1".encode("utf-16"), "is not UTF-8"),
    "a surrogate": (b"\xed\xa0\x80", "is not UTF-8"),
    "a zero byte": (b"a = '\0'", "zero bytes"),
    "one byte too many": (b"#" * (FILE_BYTES + 1), "at most 10,000,000 bytes"),
}


@pytest.mark.parametrize("kind", NO_TEXT)
def test_what_is_no_text_is_no_file_of_ours(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data, message = NO_TEXT[kind]
    for ending in (".layout.toml", ".py", ".cu", ".json"):
        file = tmp_path / f"a{ending}"
        file.write_bytes(data)
        command = ("recheck",) if ending == ".json" else ("check", "--no-cache")
        assert message in refused(capsys, *command, str(file))


def test_a_byte_order_mark_is_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_bytes(b"\xef\xbb\xbf[[claim]]\nprove = 'injective \"(4):(1)\"'\n")
    assert main(["check", str(file), "--no-cache"]) == 0


def test_a_name_with_a_zero_byte(capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "recheck", "a\0b")
    refused(capsys, "check", "a\0b", "--no-cache")
