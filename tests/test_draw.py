"""Pictures: every element's offset is shown, padding is marked, borders stand where tiles begin."""

from __future__ import annotations

import subprocess
import sys

import pytest

from symlayout import parse
from symlayout.__main__ import main


def test_a_notation_without_offsets_says_why() -> None:
    assert "no offsets: dimension 0 of f32[?,5] has no size" in parse("f32[?,5]")._repr_html_()


def test_showing_loads_nothing_before_it_is_asked_for() -> None:
    code = (
        "import sys; from symlayout.layouts.strided import Strided; from symlayout.tla import Layout; "
        "from symlayout.layouts.xla import Shape; "
        "print(any(m.startswith(('symlayout.render')) for m in sys.modules)); "
        "Shape('f32', (2, 3))._repr_html_(); print('symlayout.render.draw.notebook' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_a_formula_shows_as_latex() -> None:
    made = parse("f32[M,N]{1,0:T(8,128)}").index_map()
    assert "\\left\\lfloor \\frac{i}{8} \\right\\rfloor" in made.formula._repr_latex_()


def test_svg_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "f32[2,3]", "--svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")


def test_three_levels_have_three_kinds_of_borders(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "f32[4,8]{1,0:T(4,4)(2,4)(2,1)}"]) == 0
    out = capsys.readouterr().out
    assert "0 |  0 '  2 '  4 '  6 | 16 ' 18" in out
    assert "  |....+" in out


def test_the_padding_value_is_in_every_picture(capsys: pytest.CaptureFixture[str]) -> None:
    layout = "f32[2,3]{0,1:PAD(3,5)=0}"
    assert main(["show", layout, "--svg"]) == 0
    assert "padding (hatched) holds 0</text>" in capsys.readouterr().out
    assert main(["show", layout]) == 0
    assert "in parentheses, and hold 0" in capsys.readouterr().out
    assert "holds 0</text>" in parse(layout)._repr_html_()


@pytest.mark.parametrize("options", [[], ["--svg"], ["--banks"], ["--banks", "--svg"], ["--html"]])
@pytest.mark.parametrize(
    "text",
    [
        "f32[M,N]{1,0:T(8,128)}",
        "strided f32[M,N] strides(N,1)",
        "Swizzle(1,0,1) o 0 o (M,N):(N,1)",
        "map i < M, j < N: i*N + j in M*N",
    ],
)
@pytest.mark.parametrize(("m", "n"), [(0, 4), (4, 0), (0, 0)])
def test_every_array_without_elements_has_a_picture(
    text: str, options: list[str], m: int, n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = ["--where", "M >= 0", "--where", "N >= 0", "--size", f"M={m},N={n}"]
    assert main(["show", text, *options, *facts]) == 0, capsys.readouterr().err
    shown = capsys.readouterr().out
    if options in (["--svg"], ["--banks", "--svg"]):
        assert "(no elements)" in shown
