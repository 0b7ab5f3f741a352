"""Properties of internal modules; `tests/test_hlo_reader.py` tests the public interface."""

from __future__ import annotations

import re

import pytest
from test_hlo_reader import DATA, MODULES

from symlayout import hlo, prove
from symlayout.errors import LayoutError
from symlayout.programs.hlo import reader
from symlayout.programs.hlo.nesting import closing, split_commas, without_comments

DUMPS = DATA.parent / "dumps"


@pytest.mark.parametrize("file", [*MODULES, *sorted(DUMPS.glob("*.hlo"))], ids=lambda f: f.name)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_line_at_once_is_the_line_step_by_step(file, end, monkeypatch):
    text = file.read_text().replace("\n", end)
    at_once = hlo.read_module(text)
    monkeypatch.setattr(reader, "LINE", re.compile("(?!)"))
    by_steps = hlo.read_module(text)
    assert at_once == by_steps
    for a, b in zip(at_once.instructions, by_steps.instructions):
        assert (a.at, a.shape_at, a.shape_end) == (b.at, b.shape_at, b.shape_end)
        assert dict(a.attributes) == dict(b.attributes)
        assert a.called == b.called


def test_nesting():
    text = without_comments('f(a{"}"}, /* ) */ b) rest')
    assert text[closing(text, 1) :] == " rest"
    assert [w for _, w in split_commas('a{x,y}, "b,c", d')] == ["a{x,y}", '"b,c"', "d"]
    assert without_comments('"/*" a // "b\n/*\n*/') == '"/*" a      \n  \n  '


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("f32[N//K]{0:T(B//2)} a //b", "f32[N//K]{0:T(B//2)} a    "),
        ("f32[N /*n*/ //K] a", "f32[N       //K] a"),
        ("slice={[0:N//2]}, sizes={N//2,1} //,", "slice={[0:N//2]}, sizes={N//2,1}    "),
        ("ENTRY e { // [1]", "ENTRY e {       "),
        ("constant(1)//[N//2]", "constant(1)        "),
        ("a={ //b\n}", "a={    \n}"),
        ("f32[ //b\n3]", "f32[    \n3]"),
        ('a="[//]" //]', 'a="[//]"    '),
    ],
)
def test_a_division_between_sizes_is_no_comment(text, plain):
    assert without_comments(text) == plain


def test_an_instruction_with_a_division_in_its_shape():
    assert prove.instruction("f32[N//K] negate(f32[N//K])").status == "proved"
    assert prove.instruction("f32[N//K] negate(f32[N//2])").status == "refuted"
    for broken in ("(a", "(a]", "(" * 3):
        with pytest.raises(LayoutError) as caught:
            closing(broken, 0)
        assert caught.value.code == "SL721"


@pytest.mark.parametrize(
    ("line", "modules"),
    [("// -----", 2), ("  // -----  ", 2), ("// ----------", 1), ("// ----- tests", 1)],
)
def test_a_comment_of_hyphens_separates_alone_on_its_line(line, modules):
    first = "HloModule a\n%f {\n  ROOT x = f32[] parameter(0)\n}\n"
    second = "ENTRY e {\n  y = f32[] parameter(0)\n  ROOT c = f32[] call(y), to_apply=%f\n}\n"
    texts = reader.read_modules(f"{first}{line}\n{second}")
    assert len(texts) == modules
    assert [m.problems == () for m in texts] == ([True, False] if modules == 2 else [True])
