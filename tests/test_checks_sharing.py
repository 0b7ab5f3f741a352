"""Sharing and repeating: includes, parametrised claims, tags, settings of a project, modules."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from symlayout import check
from symlayout.__main__ import main


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.layout.toml").write_text(text)


def test_included_mistakes_are_marked_in_their_own_file(tmp_path: Path) -> None:
    write(tmp_path, shared='[layouts]\nbad = "f32[4"\n', mine=(
        "include = ['shared.layout.toml']\n[[claim]]\nprove = 'onto bad'\n"
    ))  # fmt: skip
    assert main(["check", str(tmp_path / "mine.layout.toml"), "--no-cache"]) == 2


def test_what_shared_facts_say_through_other_names_holds_of_a_claim(tmp_path: Path) -> None:
    maps = ("map i < 5: i in n", "map i < 6: i in n", "map i < p: i in 7")
    write(
        tmp_path,
        a='[facts]\nwhere = ["n > m", "m >= 4", "1 <= p < q < 9"]\n'
        + "".join(f"[[claim]]\nprove = \"bounded '{m}'\"\n" for m in maps),
    )
    result = check([str(tmp_path / "a.layout.toml")])
    assert [r.outcome.status for r in result.results] == ["proved", "refuted", "proved"]
    assert [{*r.task.claim.facts} for r in result.results] == [
        {"n >= 5"},
        {"n >= 5"},
        {"1 <= p", "p <= 7"},
    ]
    assert not result.all_problems


def test_facts_that_no_fact_about_a_claim_stands_for_are_told(tmp_path: Path) -> None:
    text = "[facts]\nwhere = ['n*m <= 64']\n"
    write(tmp_path, a=text + "[[claim]]\nprove = 'onto \"(n):(1)\"'\n")
    first, second = check([str(tmp_path / "a.layout.toml")]).all_problems
    assert (first.code, first.message) == ("SL301", "unknown name 'm' in 'n*m <= 64'")
    assert (second.code, "not checked" in second.message) == ("SL500", True)


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, list[str]]:
    code = main(["check", *argv, "--json", "--no-cache"])
    return code, [c["name"] for c in json.loads(capsys.readouterr().out)["claims"]]


TAGGED = (
    "[[claim]]\nname = 'one'\nprove = 'onto \"(4):(1)\"'\ntags = ['fast']\n"
    "[[claim]]\nname = 'two'\nprove = 'onto \"(4):(1)\"'\ntags = ['slow', 'big']\n"
    "[[claim]]\nname = 'three'\nprove = 'onto \"(4):(1)\"'\n"
)


def test_tags_select(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, a=TAGGED)
    assert checked(capsys, ".", "--tag", "big") == (0, ["two"])
    assert checked(capsys, ".", "--tag", "big", "--tag", "fast") == (0, ["one", "two"])
    assert checked(capsys, ".") == (0, ["one", "two", "three"])


def test_facts_of_the_command_line_hold_for_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a="[[claim]]\nname = 'n'\nprove = 'onto \"(M,2):(2,1)\"'\n")
    assert checked(capsys, str(tmp_path), "--where", "M == 2") == (0, ["n"])
    assert checked(capsys, str(tmp_path), "--where", "M = 2") == (2, ["n"])
    assert checked(capsys, str(tmp_path), "--where", "Q <= 4") == (2, ["n"])  # it fits no claim
    assert checked(capsys, str(tmp_path), "--where", "Q << 4") == (2, ["n"])


def test_settings_that_name_what_is_not_there_say_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a=TAGGED)
    monkeypatch.chdir(tmp_path)
    for line, column, words in (
        ('paths = ["a.layout.tml"]', 11, "did you mean 'a.layout.toml'?"),
        ('tags = ["fsat"]', 10, "did you mean 'fast'?"),
    ):
        (tmp_path / "pyproject.toml").write_text(f"[tool.symlayout]\n{line}\n")
        assert main(["check", "--no-cache"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"pyproject.toml:2:{column}: error: SL60")
        assert words in said


def test_without_paths_the_project_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert main(["check"]) == 2
    assert "no claims found below ..:" in capsys.readouterr().err
    write(tmp_path, a=TAGGED)
    assert checked(capsys) == (0, ["one", "two", "three"])


MODULE = """HloModule small

ENTRY main {
  x = f32[4,128]{1,0:T(8,128)} parameter(0)
  ROOT y = f32[4,128]{1,0:T(8,128)} copy(x)
}
"""


def test_modules_are_checked_and_their_waste_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "small.hlo"
    file.write_text(MODULE)
    assert main(["check", str(tmp_path), "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert f"padding of {file}, the most wasted bytes first:" in out
    assert "f32[4,128]{1,0:T(8,128)}" in out
    assert main(["check", str(file), "--json", "--no-cache"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["claims"][0]["line"] == 4
    assert data["padding"]
    assert main(["check", str(file), "--no-cache", "--max-padding", "1.5"]) == 1
    assert "refuted" in capsys.readouterr().out
    file.write_text(MODULE.replace("copy(x)", "copy(x"))
    assert main(["check", str(file), "--no-cache"]) == 2
    got = capsys.readouterr()
    assert "small.hlo:5:" in got.err
    assert got.out.splitlines()[-1].endswith("1 error")


STABLEHLO = """func.func @main(%a: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""

# none of these holds an operation of StableHLO; some are no text at all
OTHERS = {
    "affine.mlir": b"func.func @f(%a: memref<3x!x.y>) { affine.for %i = 0 to 3 {} return }\n",
    "broken.mlir": b"func.func @main(%a: tensor<3x {\n",
    "bytes.mlir": b"ML\xefR\x0dStableHLO_v1.0\x00\xff",
    "empty.mlir": b"",
}


def test_stablehlo_is_found_in_folders_and_other_dialects_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.mlir").write_text(STABLEHLO)
    assert main(["check", ".", "--no-cache"]) == 0
    alone = capsys.readouterr()
    confirmed = "Z3 confirms 2 of 2 proofs of bijectivity, bounds and broadcasts for all sizes\n\n"
    about = "claims made of compiler modules: 2 shapes\n"
    assert alone.out == f"{confirmed}{about}2 claims in 1 file (2 proved): all as expected\n"
    for number, (name, content) in enumerate(OTHERS.items(), 1):
        (tmp_path / name).write_bytes(content)
        if (
            name == "bytes.mlir" and find_spec("jaxlib") is not None
        ):  # which reads it, and says why not
            assert main(["check", ".", "--no-cache"]) == 2
            assert "bytes.mlir is not text: it is MLIR bytecode" in capsys.readouterr().err
            (tmp_path / name).unlink()
            continue
        assert main(["check", ".", "--no-cache"]) == 0
        got = capsys.readouterr()
        assert got.err == ""
        note, _, rest = got.out.partition("\n\n")
        assert rest == alone.out
        texts = [n for n in list(OTHERS)[:number] if n != "bytes.mlir"]
        lines = [f"passed over: {len(texts)} .mlir files hold no StableHLO ({', '.join(texts)})"]
        if number == 1:
            lines = ["passed over: affine.mlir holds no StableHLO"]
        if (tmp_path / "bytes.mlir").exists():
            cure = "`pip install 'symlayout[jax]'` lets symlayout read bytecode"
            lines.append(f"passed over: bytes.mlir is MLIR bytecode; {cure}")
        assert note.splitlines() == lines


@pytest.mark.parametrize("name", OTHERS)
def test_another_dialect_that_is_named_is_read(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(OTHERS[name])
    main(["check", str(tmp_path), str(file), "--no-cache"])
    got = capsys.readouterr()
    assert "passed over" not in got.out
    assert " in 1 file" in got.out


def test_a_mistake_in_stablehlo_is_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "main.mlir").write_text(STABLEHLO.replace("tensor<2x3xf32> {", "tensor<2x3 {"))
    assert main(["check", str(tmp_path), "--no-cache"]) == 2
    assert "main.mlir:1:" in capsys.readouterr().err


def test_a_layout_that_cannot_be_read_costs_its_own_claims_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text(
        '[layouts]\nhbm = 5\nrow = "f32[N]{0}"\n[maps.g]\nreslt = ["i"]\n'
        '[[claim]]\nprove = "injective hbm"\n[[claim]]\nprove = "injective row"\n'
        '[[claim]]\nprove = "injective g"\n[[claim]]\nprove = "injective h"\n'
    )
    report = check([str(file)])
    reasons = [r.outcome.reason if r.outcome.problem else r.outcome.status for r in report.results]
    assert reasons == [
        "not checked: the layout 'hbm' cannot be read",
        "proved",
        "not checked: the layout 'g' cannot be read",
        "no layout is called 'h'",
    ]
