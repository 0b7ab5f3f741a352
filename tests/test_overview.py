"""A run over files of several kinds says what was checked, and what is refuted on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout.__main__ import main

CLAIMS = """[[claim]]
name = "columns overlap"
prove = "injective '(M,N):(1,P)'"
expect = "refuted"
because = "P may be less than M"
"""
MODULE = """HloModule m
ENTRY %main (x: f32[3]) -> f32[3] {
  %x = f32[3]{0:T(8)} parameter(0)
  ROOT %y = f32[3]{0:T(8)} negate(%x)
}
"""
STABLEHLO = """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.abs %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
SOURCE = "# symlayout: formula 'f32[M,N]' coords i,j of x\nx[i*N + j]\n"
OVERVIEW = """checked 1 claims file, 1 source file, 1 compiler module
1 claim is refuted on purpose: it shows a defect and says why
memory and padding of the modules: `symlayout check -v`, or check one file

"""


def printed(files: dict[str, str], capsys: pytest.CaptureFixture[str], *options: str) -> str:
    for name, text in files.items():
        Path(name).write_text(text)
    assert main(["check", *files, "--no-cache", *options]) == 0
    return capsys.readouterr().out


FILES = {"a.layout.toml": CLAIMS, "b.py": SOURCE, "m.hlo": MODULE}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_overview(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(FILES, capsys)
    assert OVERVIEW in out
    assert out.endswith("4 claims in 3 files (3 proved, 1 refuted): all as expected\n")
    assert "padding of m.hlo" not in out


def test_verbose_shows_the_memory_of_modules(capsys: pytest.CaptureFixture[str]) -> None:
    assert "memory of m.hlo" in printed(FILES, capsys, "-v")


@pytest.mark.parametrize("name", FILES)
def test_one_file_has_no_overview(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed({name: FILES[name]}, capsys)
    assert "on purpose" not in out
    assert ("memory of m.hlo" in out) == (name == "m.hlo")


def test_many_refutations_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    twice = {"a.layout.toml": CLAIMS + CLAIMS.replace("overlap", "collide"), "b.py": SOURCE}
    out = printed(twice, capsys)
    assert "2 claims are refuted on purpose: each shows a defect and says why\n" in out


def test_modules_are_ranked_by_what_they_waste(capsys: pytest.CaptureFixture[str]) -> None:
    wide = MODULE.replace("T(8)", "T(64)")
    files = {"a.hlo": MODULE, "b.hlo": wide, "c.hlo": MODULE, "d.mlir": STABLEHLO}
    out = printed(files, capsys)
    table = out.partition("modules by the bytes that they waste in S(0):\n")[2].partition("\n\n")[0]
    names = [line.rsplit("  ", 1)[-1].split()[0] for line in table.splitlines()[1:]]
    assert sorted(names) == ["a.hlo", "b.hlo", "c.hlo"]
    wasted = [int(line.split()[1].replace(",", "")) for line in table.splitlines()[1:]]
    assert wasted == sorted(wasted, reverse=True)
    assert names[1:] == sorted(names[1:])
    assert out.index("modules by the bytes") < out.index("memory of a.hlo")


@pytest.mark.parametrize("name", FILES)
def test_one_module_is_not_ranked(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed({name: FILES[name]}, capsys)
    assert "modules by the bytes" not in out
    assert ("claims made of compiler modules: " in out) == (name == "m.hlo")


def test_the_claims_of_modules_are_counted_by_what_they_are_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = printed(FILES, capsys)
    line = out.partition("claims made of compiler modules: ")[2].partition("\n")[0]
    numbers = dict(reversed(part.split(" ", 1)) for part in line.split(", "))
    assert numbers
    alone = printed({"m.hlo": MODULE}, capsys).splitlines()[-1]
    assert sum(map(int, numbers.values())) == int(alone.split()[0])
