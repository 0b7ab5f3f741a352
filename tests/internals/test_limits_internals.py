"""Properties of internal modules; `tests/test_limits.py` tests the public interface."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from test_limits import refused

from symlayout.__main__ import main
from symlayout.checks import claims_file
from symlayout.text.limits import FILE_BYTES

NO_TEXT = {
    "half a letter": (b"\xc3", "is not UTF-8"),
    "UTF-16": ("a = 1".encode("utf-16"), "is not UTF-8\n  help: it seems to be UTF-16"),
    "a surrogate": (b"\xed\xa0\x80", "is not UTF-8"),
    "a zero byte": (b"a = '\0'", "zero bytes"),
    "one byte too many": (b"#" * (FILE_BYTES + 1), "000,000 bytes are read"),
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


def test_rows_of_many_claims_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_file, "FILE_CLAIMS", 100)
    values = ", ".join(map(str, range(40)))
    claim = f"[[claim]]\nprove = 'injective \"({{n}}):(1)\"'\nfor = {{n = [{values}]}}\n"
    file = tmp_path / "a.layout.toml"
    file.write_text(claim * 3)
    assert "more than 100 claims" in refused(capsys, "check", str(file), "--no-cache")
    monkeypatch.setattr(claims_file, "CLAIM_CHARACTERS", 1000)
    file.write_text(claim)
    assert main(["check", str(file), "--no-cache"]) == 2
    assert "more than 1,000 characters" in capsys.readouterr().err


def test_many_facts_that_hang_together(tmp_path: Path) -> None:
    facts = ", ".join(f"'A{n} >= A{n + 1}'" for n in reversed(range(20_000)))
    file = tmp_path / "a.layout.toml"
    file.write_text(f"facts.where = [{facts}]\n[[claim]]\nprove = 'injective \"(B):(1)\"'\n")
    start = time.process_time()
    claims_file.load(str(file))
    assert time.process_time() - start < 15
