"""The one error: its text, its caret, and that it survives a process boundary."""

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError, parse, prove
from symlayout.errors import CODES, caret, did_you_mean


def test_every_code_has_a_meaning_and_is_used():
    source = Path(__file__).parent.parent / "symlayout"
    text = "\n".join(p.read_text() for p in source.rglob("*.py") if p.name != "errors.py")
    used = set(re.findall(r'"(SL\d{3})"', text))
    assert used <= set(CODES)
    for code, meaning in CODES.items():
        assert re.fullmatch(r"SL\d{3}", code)
        assert meaning
        assert not meaning.endswith(".")


def test_the_text_of_an_error():
    e = LayoutError("SL102", "too small", text="f32[4]{0:T(0)}", at=11, end=12, help="use 1")
    assert str(e).splitlines() == [
        "SL102: too small",
        "  f32[4]{0:T(0)}",
        "             ^",
        "  help: use 1",
    ]
    assert isinstance(e, ValueError)
    assert e.args == ("too small",)


def test_without_a_place_there_is_no_caret():
    assert str(LayoutError("SL900", "oh")) == "SL900: oh"
    assert str(LayoutError("SL900", "oh", text="abc")) == "SL900: oh"
    assert str(LayoutError("SL900", "oh", text="", at=0)) == "SL900: oh"


def test_an_error_keeps_everything_when_pickled():
    e = LayoutError("SL102", "too small", text="T(0)", at=2, end=3, help="use 1")
    again = pickle.loads(pickle.dumps(e))
    assert type(again) is LayoutError
    for name in ("code", "message", "text", "at", "end", "help"):
        assert getattr(again, name) == getattr(e, name)
    assert str(again) == str(e)


@given(
    st.text(alphabet="abc \t\n", max_size=400),
    st.integers(0, 400),
    st.integers(0, 20),
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_the_caret_stands_under_the_character(text, at, length):
    at = min(at, len(text))
    shown, mark = caret(text, at, at + length if length else None)
    assert len(shown) <= 102
    assert "\n" not in shown + mark
    column = mark.index("^")
    assert set(mark.strip()) == {"^"}
    if at < len(text) and text[at] not in "\n":
        assert shown[column] == text[at].replace("\t", " ")
        assert mark.count("^") <= max(length, 1)


def test_the_caret_is_on_the_line_of_the_mistake():
    assert caret("ab\ncde\nf", 4, 6) == ["  cde", "   ^^"]
    assert caret("ab\ncde\nf", 4, 99) == ["  cde", "   ^^"]


@pytest.mark.parametrize(
    ("word", "known", "help"),
    [
        ("Colums", ["Rows", "Columns"], "did you mean 'Columns'?"),
        ("x", ["Rows", "Columns"], None),
        ("N", [], None),
    ],
)
def test_did_you_mean(word, known, help):
    assert did_you_mean(word, known) == help


@pytest.mark.parametrize(
    "call",
    [
        lambda: parse(""),
        lambda: parse(7),
        lambda: parse("what is this"),
        lambda: prove.equal("f32[4]{0}", "f32[4]{1}"),
        lambda: prove.equal("f32[4]{0}", 3),
        lambda: prove.injective(None),
        lambda: prove.injective("f32[N]{0}", where="N"),
        lambda: prove.injective("f32[N]{0}", where=3),
        lambda: prove.injective("f32[N]{0}", where="N == 1 or N"),
        lambda: prove.bounded("f32[N]{0}", "N*Q"),
        lambda: prove.padding("f32[N]{0}", "much"),
        lambda: prove.aligned("(N):(1)", 4),
        lambda: prove.bytes("(N):(1)", 4),
        lambda: prove.formula("f32[N]{0}", "i +"),
        lambda: prove.divides("(N):(1)"),
    ],
)
def test_every_bad_input_is_one_layout_error(call):
    with pytest.raises(LayoutError) as e:
        call()
    assert e.value.code in CODES
    assert str(e.value).startswith(e.value.code)
