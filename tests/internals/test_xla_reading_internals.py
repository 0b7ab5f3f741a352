"""Properties of internal modules; `tests/test_xla_reading.py` tests the public interface."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, xla
from symlayout.expr.reader import Scanner
from symlayout.expr.terms import ceildiv, floordiv, symbol


def test_sizes_are_expressions_and_names_are_symbols():
    m, n = symbol("M"), symbol("N")
    assert xla.read_shape("f32[2*M, ceildiv(N,8), N//8]").dims == (
        2 * m,
        ceildiv(n, 8),
        floordiv(n, 8),
    )


def test_tuples_buffers_tokens():
    made = xla.read_shape("(f32[2], b(s32[M]{0}), token[])")
    assert isinstance(made, xla.TupleShape)
    assert [type(s) for s in made] == [xla.Shape, xla.BufferShape, xla.OpaqueShape]
    assert (len(made), made[0].dims) == (3, (2,))
    assert made[1].byte_size == 4 * symbol("M")
    assert made[1].index_map().shape == (symbol("M"),)
    for element in (made, made[2]):
        with pytest.raises(LayoutError) as error:
            element.index_map()
        assert error.value.code == "SL106"


# -- inside a larger text -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shape", "rest"),
    [
        ("f32[8]{0:T(128)} parameter(0)", "f32[8]{0:T(128)}", " parameter(0)"),
        ("f32[8] {\n  ROOT x", "f32[8]", "{\n  ROOT x"),
        ("f32[8]{0} {", "f32[8]{0}", " {"),
        ("f32[]{:T(128)S(6)} constant(1)", "f32[]{:T(128)S(6)}", " constant(1)"),
        ("(f32[2]{0}, s32[]) tuple(a)", "(f32[2]{0}, s32[])", " tuple(a)"),
        ("f32[M] x", "f32[M]", " x"),
    ],
)
def test_a_shape_at_the_head_of_a_text(text, shape, rest):
    scanner = Scanner("  " + text)
    assert str(xla.shape_at(scanner)) == shape
    assert scanner.text[scanner.at :].lstrip() == rest.lstrip()


def test_the_caller_says_what_names_mean():
    known = {"M": symbol("rows")}
    assert str(xla.shape_at(Scanner("f32[2*M]"), known.get)) == "f32[2*rows]"
    with pytest.raises(LayoutError) as error:
        xla.shape_at(Scanner("f32[2*K]"), known.get)
    assert (error.value.code, error.value.at) == ("SL201", 6)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"dtype": "f23"}, "SL103"),
        ({"dims": (-1,), "minor_to_major": (0,)}, "SL102"),
        ({"dims": (2.5,), "minor_to_major": (0,)}, "SL203"),
        ({"minor_to_major": (1, 1)}, "SL104"),
        ({"minor_to_major": (5, 0)}, "SL104"),
        ({"tiles": ((0, 2),)}, "SL102"),
        ({"tiles": ((2, "*"),)}, "SL105"),
        ({"tiles": ((2, "x y"),)}, "SL101"),
        ({"tiles": ((),)}, "SL105"),
        ({"tail_alignment": 0}, "SL102"),
        ({"padded_dimensions": (3,)}, "SL106"),
        ({"element_bits": -4}, "SL102"),
        ({"memory_space": 300}, "SL102"),
        ({"index_type": "u32"}, "SL106"),
        ({"minor_to_major": ("1", 0)}, "SL203"),
        ({"minor_to_major": (symbol("M"), 0)}, "SL203"),
        ({"levels": ("D", "X")}, "SL106"),
        ({"padding_value": 0}, "SL106"),
        ({"padded_dimensions": (4, 4), "padding_value": "zero"}, "SL106"),
        ({"padded_dimensions": (4, 4), "padding_value": float("nan")}, "SL106"),
        ({"dims": (2**62, 4)}, "SL401"),
    ],
)
def test_values_made_in_python_are_validated_too(fields, code):
    with pytest.raises(LayoutError) as caught:
        xla.Shape(**{"dtype": "f32", "dims": (4, 4), **fields})
    assert caught.value.code == code


def test_lenient_reading_lets_pass_what_moves_no_element():
    for text in ("f32[4]{0:T()}", "f32[4]{0:#(u32)}", "f32[4]{0:SC(1:2)}", "f32[4]{0:D(D,D)}"):
        made = xla.read_shape(text, lenient=True)
        assert str(made) == text
        assert made.notes
        assert made.index_map()._raw == symbol("i")
    assert xla.read_shape("f32[4]{0:}", lenient=True).index_map().size == 4
