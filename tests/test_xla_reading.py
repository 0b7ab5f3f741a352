"""Reading XLA's notation: it prints back the same, and what means nothing gets a caret."""

from __future__ import annotations

import pickle
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xla_random import shapes, with_symbols

from symlayout import LayoutError, parse, xla

TEXTS = (Path(__file__).parent / "data" / "tpu_layout_strings.txt").read_text().splitlines()

PRINTS_BACK = [
    "f32[3,5]",
    "f32[]",
    "f32[0]",
    "f32[3,5]{1,0}",
    "f32[]{:T(128)S(6)}",
    "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
    "f32[2,3]{0,1:PAD(3,5)=0}",
    "f32[2,3]{0,1:PAD(3,5)}",
    "f32[2,3]{0,1:PAD(3,5)=-1.5T(2,2)}",
    "f32[2,3]{0,1:PAD(3,M)=lowestE(32)}",
    "f32[2,3]{0,1:PAD(3,5)=-infL(8)}",
    "f32[10]{0:T(4)L(8)E(16)S(1)M(16)}",
    "f32[M,N]{1,0:T(s,t)(2,1)L(n)}",
    "f32[2*M,N+1]",
    "f32[ceildiv(N,8),N//8,N%8]{2,0,1}",
    "f32[min(M,N),max(M,3)]",
    "f32[<=N,?,3]{0,1,2:T(8)}",
    "f32[<=2*N]",
    "f32[10,20]{1,0:D(D,C)#(u32)*(s64)S(2)P((f32[8]{0}, u32[9]{0}))}",
    "f32[10,20,3]{2,1,0:D(D,C+,S+~)}",
    "f32[10,20]{1,0:D(D,D)}",
    "s4[128,64]{1,0:T(8,128)(8,1)E(4)S(1)SC(0:64)(1:16,32)}",
    "(f32[2]{0:T(128)}, s32[], (pred[4], token[]))",
    "()",
    "b(f32[2,3]{0,1})",
    "token[]",
    "opaque[]",
    *(f"{d}[2]" for d in ("pred", "s1", "u64", "c128", "f8e4m3b11fnuz", "f8e8m0fnu", "f4e2m1fn")),
]


@pytest.mark.parametrize("text", PRINTS_BACK)
def test_prints_back_the_same(text):
    made = xla.read_shape(text)
    assert str(made) == text
    assert eval(repr(made), {n: getattr(xla, n) for n in xla.__all__}) == made
    assert pickle.loads(pickle.dumps(made)) == made


def test_every_real_layout_prints_back_the_same():
    assert [
        t
        for t in TEXTS
        if str(parse(t)) != t
        or str(eval(repr(parse(t)), {n: getattr(xla, n) for n in xla.__all__})) != t
    ] == []
    assert len(TEXTS) > 500


@settings(max_examples=60, deadline=None)
@given(shapes(), st.integers(0, 40), st.integers(0, 7))
def test_made_in_python_prints_and_reads_back_equal(shape, bits, space):
    symbolic, _ = with_symbols(shape)
    for s in (shape, symbolic):
        made = xla.Shape(
            "bf16",
            s.dims,
            s.minor_to_major,
            s.tiles,
            s.padded,
            tail_alignment=s.tail_alignment,
            element_bits=bits,
            memory_space=space,
        )
        assert parse(str(made)) == made
        assert str(parse(str(made))) == str(made)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("F32[3,5]", "f32[3,5]"),
        ("BF16 [ 8 , 128 ] { 1 , 0 : T ( 8 , 128 ) ( 2 , 1 ) S ( 1 ) }", None),
        ("f32[3 // rows\n, 5 /* columns */] // row-major\n{1,0}", "f32[3,5]{1,0}"),
        ("(f32[2], /*index=1*/s32[])", "(f32[2], s32[])"),
        ("f32[2]{0:L(1)E(0)S(0)M(0)}", "f32[2]{0}"),
        ("f32[]{}", "f32[]"),
        ("f32[ceil_div(N, 8)]", "f32[ceildiv(N,8)]"),
        ("f32[2*4]", "f32[8]"),
        ("f32[N // 8]", "f32[N//8]"),
    ],
)
def test_other_spellings(text, canonical):
    assert str(xla.read_shape(text)) == (canonical or "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PRINTS_BACK + TEXTS[::20]), st.randoms(use_true_random=False))
def test_blanks_and_comments_between_tokens_mean_nothing(text, rng):
    tokens = re.findall(r"\w+\+?~?|-\w+\.?\w*|//|<=|=\S+?(?=[TEL}])|.", text)
    blanks = ["", " ", "\n", "\t", "/* a, b] */"]
    spaced = "".join(t + rng.choice(blanks) for t in tokens)
    assert xla.read_shape(spaced) == xla.read_shape(text)


# -- bad texts ------------------------------------------------------------------------------------

BAD = [
    # text, code, what the caret stands under, a word of the message
    ("", "SL100", "", "found nothing"),
    ("   ", "SL100", "", "found nothing"),
    ("f32", "SL101", "", "expected '['"),
    ("f32[3,", "SL200", "", "the end of the text"),
    ("f32[3,5", "SL101", "", "']'"),
    ("f32[3,5]{1,0", "SL101", "", "'}'"),
    ("f32[3,5]{1,0:T(2,2}", "SL101", "}", "')' to close the tile"),
    ("f32[3 5]", "SL101", "5", "']'"),
    ("f32[3,5]{1,0}{1,0}", "SL101", "{", "nothing may follow"),
    ("f32[3]{0:T(2)}, f32[4]", "SL101", ",", "nothing may follow"),
    ("f23[4]", "SL103", "f23", "not an element type"),
    ("float32[4]", "SL103", "float32", "not an element type"),
    ("b(f31[4])", "SL103", "f31", "not an element type"),
    ("[3,5]", "SL101", "[", "expected an element type"),
    ("f32[-1]", "SL102", "-1", "at least 0"),
    ("f32[4, -N]", "SL102", "-N", "negative"),
    ("f32[N/8]", "SL203", "N/8", "'//'"),
    ("f32[N//0]", "SL202", "//", "zero"),
    ("f32[2.5]", "SL101", ".", "']'"),
    ("f32[99999999999999999999]", "SL102", "99999999999999999999", "64-bit"),
    ("f32[8," + "9" * 5000 + "]", "SL102", "9" * 5000, "digits"),
    ("f32[9223372036854775807,2]{1,0}", "SL401", "9223372036854775807,2", "64-bit"),
    ("f32[4294967296,4294967296]", "SL401", "4294967296,4294967296", "64-bit"),
    ("f32[<=-3]", "SL102", "<=-3", "at least 0"),
    ("f32[4,4]{1,1}", "SL104", "1", "twice"),
    ("f32[4,4]{-1,1}", "SL104", "1", "twice"),
    ("f32[4,4]{-3,0}", "SL104", "-3", "not -3"),
    ("f32[4,4]{1,2}", "SL104", "2", "not 2"),
    ("f32[4,4]{0}", "SL104", "0", "1 dimensions of a shape that has 2"),
    ("f32[4]{0,1}", "SL104", "0,1", "2 dimensions of a shape that has 1"),
    ("f32[4]{}", "SL104", "}", "0 dimensions"),
    ("f32[4]{:T(8)}", "SL104", ":", "0 dimensions"),
    ("f32[4,4]{1,}", "SL101", "}", "whole number"),
    ("f32[4]{x}", "SL101", "x", "whole number"),
    ("f32[4]{0:T()}", "SL105", "()", "at least one size"),
    ("f32[4]{0:T}", "SL101", "}", "expected '(' after T"),
    ("f32[4,4]{1,0:T(0,2)}", "SL102", "0", "at least 1"),
    ("f32[4,4]{1,0:T(2,2)(2,0)}", "SL102", "0", "at least 1"),
    ("f32[4,4]{1,0:T(2,*)}", "SL105", "*", "merges"),
    ("f32[4,4]{1,0:T(2,-1)}", "SL105", "-1", "merges"),
    ("f32[4,4]{1,0:T(-7,2)}", "SL102", "-7", "at least 1"),
    ("f32[4,4]{1,0:T(2,-t)}", "SL102", "-t", "negative"),
    ("f32[10]{0:L(0)}", "SL102", "0", "at least 1"),
    ("f32[10]{0:L(-8)}", "SL102", "-8", "at least 1"),
    ("f32[4]{0:E(-4)}", "SL102", "-4", "element size"),
    ("f32[4]{0:E(99999)}", "SL102", "99999", "element size"),
    ("f32[4]{0:S(300)}", "SL102", "300", "memory space"),
    ("f32[4]{0:S(-1)}", "SL102", "-1", "memory space"),
    ("f32[4]{0:M(-1)}", "SL102", "-1", "metadata"),
    ("f32[4]{0:T(2)T(2)}", "SL106", "T", "twice"),
    ("f32[4]{0:S(1)E(4)}", "SL106", "E", "comes before S"),
    ("f32[4]{0:Q(1)}", "SL106", "Q", "not a property"),
    ("f32[4]{0:}", "SL101", "}", "expected a property"),
    ("f32[4]{0:T(2)x}", "SL106", "x", "not a property"),
    ("f32[4]{0:T(2)TT(2)}", "SL106", "TT", "not a property"),
    ("f32[4]{0:T(2)8}", "SL101", "8", "expected a property"),
    ("f32[4]{0:#(u32)}", "SL106", "u32", "sparse"),
    ("f32[4]{0:*(u32)}", "SL106", "u32", "sparse"),
    ("f32[4]{0:D(D)P(f32[4])}", "SL106", "f32[4]", "sparse"),
    ("f32[4]{0:D(C)#(f32)}", "SL106", "f32", "integer type"),
    ("f32[4]{0:D(C)#(x32)}", "SL103", "x32", "not an element type"),
    ("f32[4]{0:D(X)}", "SL106", "X", "level type"),
    ("f32[4]{0:D(D,D)}", "SL106", "D,D", "2 level types"),
    ("f32[4]{0:SC(1:2)}", "SL106", "(1:2)", "physical dimension 1"),
    ("f32[4]{0:SC(0:2)(0:3)}", "SL106", "(0:3)", "twice"),
    ("f32[4]{0:SC(0:3,2)}", "SL106", "(0:3,2)", "increase"),
    ("f32[4]{0:SC(0:0)}", "SL106", "(0:0)", "positive"),
    ("f32[4]{0:SC(0:0,2)}", "SL106", "(0:0,2)", "positive"),
    ("f32[4]{0:SC(0:4)}", "SL106", "(0:4)", "outside dimension 0 of size 4"),
    ("f32[4,8]{0,1:SC(1:2,5)}", "SL106", "(1:2,5)", "outside dimension 0 of size 4"),
    ("f32[4,M]{1,0:SC(1:9)(0:7)}", "SL106", "(0:7)", "outside dimension 0 of size 4"),
    ("f32[4]{0:SC(0)}", "SL101", ")", "':'"),
    ("f32[2,3]{1,0:PAD(3)}", "SL106", "3", "1 widths for 2"),
    ("f32[2,3]{1,0:PAD(3,2)}", "SL102", "2", "smaller than the size 3"),
    ("f32[2,3]{1,0:PAD(3,3)=x}", "SL101", "x", "value"),
    ("(f32[2]", "SL101", "", "')'"),
    ("(f32[2],)", "SL101", ")", "element type"),
    ("token[2]", "SL101", "2", "']'"),
    ("b(", "SL103", "", "element type"),
    ("(" * 200, "SL204", "(", "nested"),
]


@pytest.mark.parametrize(("text", "code", "marked", "words"), BAD, ids=lambda x: str(x)[:30])
def test_bad_text_gets_one_error_with_a_caret(text, code, marked, words):
    with pytest.raises(LayoutError) as caught:
        xla.read_shape(text)
    error = caught.value
    assert error.code == code
    assert words in error.message
    assert error.text == text
    assert text[error.at : error.end or error.at + 1] == marked
    assert ("^" in str(error)) == bool(text)


def test_the_caret_stands_under_the_second_of_two_equal_entries():
    with pytest.raises(LayoutError) as caught:
        xla.read_shape("f32[4,4,4]{1,0,1}")
    assert (caught.value.at, caught.value.end) == (15, 16)
    with pytest.raises(LayoutError) as caught:
        xla.read_shape("(f32[4,4]{1,0:T(2,2)(4,0)}, s32[])")
    assert (caught.value.at, caught.value.end) == (23, 24)


@pytest.mark.parametrize(
    ("word", "wanted"), [("float32", "f32"), ("bool", "pred"), ("bf61", "bf16")]
)
def test_an_unknown_element_type_gets_a_suggestion(word, wanted):
    with pytest.raises(LayoutError) as caught:
        xla.read_shape(f"{word}[4]")
    assert repr(wanted) in caught.value.help


# -- lenient reading ------------------------------------------------------------------------------


def test_lenient_reading_gives_meaning_where_there_is_one_and_says_so():
    made = xla.read_shape("f32[4,4]{-1,0:T(-1,2)S(300)}", lenient=True)
    assert (made.minor_to_major, made.tiles, made.memory_space) == ((1, 0), (("*", 2),), 44)
    assert len(made.notes) == 3
    assert str(made) == "f32[4,4]{1,0:T(*,2)S(44)}"
    assert made.index_map().size == 16
    assert eval(repr(made), {n: getattr(xla, n) for n in xla.__all__}) == made
    assert xla.read_shape("f32[4]{0:S(200)}", lenient=True).memory_space == -56


@pytest.mark.parametrize(
    "text",
    [
        "f32[4,4]{1,1}",
        "f32[4,4]{5,0}",
        "f32[4,4]{1,0:T(0,2)}",
        "f32[4,4]{1,0:T(2,*)}",
        "f32[4]{0:E(-4)}",
    ],
)
def test_lenient_reading_keeps_what_means_nothing_until_it_is_used(text):
    made = xla.read_shape(text, lenient=True)
    assert str(made) == text
    assert made.notes
    for use in (made.index_map, lambda: made.byte_size):
        with pytest.raises(LayoutError):
            use()


@pytest.mark.parametrize(
    "text",
    [
        "f32[4,4]{1,0:T(-7,2)}",
        "f32[10]{0:L(0)}",
        "f32[-1]",
        "f32[4]{0,1}",
        "f32[4]{0:T(2)T(2)}",
        "f32[9223372036854775807,2]{1,0:S(300)}",
        "f32[3,",
    ],
)
def test_lenient_reading_refuses_what_aborts_or_fails_there(text):
    with pytest.raises(LayoutError):
        xla.read_shape(text, lenient=True)


# -- any text at all ------------------------------------------------------------------------------


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PRINTS_BACK + TEXTS[::20]), st.integers(0, 10**9), st.booleans())
def test_damaged_text_reads_or_gets_an_error_with_a_place(text, seed, lenient):
    rng = random.Random(seed)
    letters = list(text)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(letters) + 1)
        what = rng.choice(["", *"0123456789,,()[]{}:*-=<?/TSELDMPbfN #"])
        letters[at : at + rng.randint(0, 1)] = what
    damaged = "".join(letters)
    made = attempt(damaged, lenient)
    if isinstance(made, LayoutError):
        assert made.text == damaged
        assert 0 <= made.at <= len(damaged)
    else:
        assert xla.read_shape(str(made), lenient=lenient) == made


def attempt(text, lenient):
    """The shape, or the error."""
    try:
        return xla.read_shape(text, lenient=lenient)
    except LayoutError as error:
        return error
