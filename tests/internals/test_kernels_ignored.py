"""What leaves a finding of a scan out, and what does not: comments, and an earlier scan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symlayout.__main__ import main
from symlayout.checks.scanning import read_baseline, scan_file
from symlayout.programs.kernels.scan.finding import Limits

KERNEL = """import triton
import triton.language as tl


@triton.jit
def wide(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + column, mask=column < N)  # END
    tl.store(y_ptr + row.to(tl.int64) * stride + column, x, mask=column < N)
"""
LIMITS = Limits(1 << 30, 1 << 36)
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
        assert bool(scan_file(str(file), LIMITS).findings) != IGNORED[said]


def test_a_text_that_says_ignore_is_no_comment(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    text = KERNEL.replace("  # END", "")
    file.write_text(
        text.replace("mask=column < N)\n    tl.s", "other='symlayout: ignore')\n    tl.s")
    )
    assert scan_file(str(file), LIMITS).findings


def scanned(file: str, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    main(["scan", file, "--json", *options])
    return json.loads(capsys.readouterr().out)


def test_a_baseline_knows_as_many_as_there_were(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same finding may move; one more like it is a new one; a path may be spelled otherwise."""
    monkeypatch.chdir(tmp_path)
    file, known = Path("k.py"), Path("known.json")
    file.write_text(KERNEL)
    known.write_text(json.dumps(scanned("./k.py", capsys)))
    file.write_text("# moved\n\n" + KERNEL)
    assert scanned("k.py", capsys, "--baseline", str(known))["findings"] == []
    (one,) = json.loads(known.read_text())["findings"]
    known.write_text(json.dumps({"findings": [one, one]}))
    assert list(read_baseline(str(known)).values()) == [2]
    known.write_text(json.dumps({"findings": []}))
    assert len(scanned("k.py", capsys, "--baseline", str(known))["findings"]) == 1


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


@pytest.mark.explore
def test_coordinates_are_remembered_with_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cached check tries no points again, and says the same; a changed contract is tried anew."""
    from symlayout.programs.kernels import coordinates

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(
        "SYMLAYOUT_CACHE_DIR", str(tmp_path / "verdicts")
    )  # other tests check this kernel
    contract = "# symlayout: kernel grid (M,)\n#   y_ptr is f32[M,N] strides(stride, 1)\n"
    facts = "#   where stride >= N, BLOCK >= N\n"
    file = tmp_path / "k.py"
    file.write_text(KERNEL.replace("@triton.jit", f"{contract}{facts}@triton.jit"))
    tried: list[int] = []
    plain = coordinates._speaks_against

    def counted(*given: Any) -> bool:
        tried.append(1)
        return plain(*given)

    monkeypatch.setattr(coordinates, "_speaks_against", counted)
    main(["check", str(file), "--no-hints"])
    first = capsys.readouterr().out
    assert tried
    tried.clear()
    main(["check", str(file), "--no-hints"])
    assert (capsys.readouterr().out, tried) == (first, [])
    main(["check", str(file), "--no-cache"])
    assert tried
    tried.clear()
    file.write_text(file.read_text().replace("stride >= N,", "stride >= N + 1,"))
    main(["check", str(file), "--no-hints"])
    assert tried
