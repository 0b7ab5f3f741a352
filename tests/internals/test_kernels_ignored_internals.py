"""Properties of internal modules; `tests/test_kernels_ignored.py` tests the public interface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_kernels_ignored import KERNEL, scanned

from symlayout.__main__ import main
from symlayout.checks.scanning import read_baseline


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
