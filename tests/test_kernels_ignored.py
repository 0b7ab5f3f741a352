"""What leaves a finding of a scan out, and what does not: comments, and an earlier scan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symlayout import scan
from symlayout.__main__ import main

KERNEL = """import triton
import triton.language as tl


@triton.jit
def wide(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + column, mask=column < N)  # END
    tl.store(y_ptr + row.to(tl.int64) * stride + column, x, mask=column < N)
"""

IGNORED = {
    "symlayout: ignore[overflow]": True,
    "symlayout: ignore": True,
    "symlayout:ignore [ bounds , overflow ]": True,
    "symlayout: ignore[bounds] and symlayout: ignore[overflow]": True,
    "symlayout: ignore[bounds]": False,
    "symlayout: ignore[]": False,
    "symlayout: ignore[over-flow]": False,  # no code that there is
    "symlayout: ignore[overflow": False,
    "symlayout: ignored": False,
    "symlayout: ignore-not": False,
}


@pytest.mark.parametrize("said", IGNORED)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_comment_ignores_what_it_names(tmp_path: Path, said: str, end: str) -> None:
    file = tmp_path / "k.py"
    for text in (
        KERNEL.replace("END", said),
        KERNEL.replace("    x = tl", f"    # {said}\n    x = tl"),
    ):
        file.write_bytes(text.replace("\n", end).encode())
        assert bool(scan(file).findings) != IGNORED[said]


def test_a_text_that_says_ignore_is_no_comment(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    text = KERNEL.replace("  # END", "")
    file.write_text(
        text.replace("mask=column < N)\n    tl.s", "other='symlayout: ignore')\n    tl.s")
    )
    assert scan(file).findings


def scanned(file: str, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    main(["scan", file, "--json", *options])
    return json.loads(capsys.readouterr().out)


NAMES = ["a b.py", "a%41.py", "a:b,c.py", "é.py", "a\nb.py", "-a.py"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    from urllib.parse import unquote, urlsplit

    file = tmp_path / name
    file.write_text(KERNEL)
    assert scanned(str(file), capsys)["findings"][0]["file"] == str(file)
    assert main(["scan", str(file), "--format", "github"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    fields = line.removeprefix("::warning ").split("::")[0]
    place = dict(f.split("=") for f in fields.split(","))["file"]
    for code, sign in (("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        place = place.replace(code, sign)
    assert place == str(file)
    assert main(["scan", str(file), "--format", "sarif"]) == 1
    (hit,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    uri = hit["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(urlsplit(uri).path) == str(file)
    assert main(["scan", str(file)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 5
