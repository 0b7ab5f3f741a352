"""What the modules behind `tests/test_tla_swizzle.py` promise each other."""

import itertools

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tla_swizzle import L

from symlayout import LayoutError, prove, recheck, tla
from symlayout.certificate.codec import seal
from symlayout.expr.terms import value
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle, rank_over_f2
from symlayout.tla.banks import bank_conflicts


def by_definition(swizzle, x):
    """CuTe's own words: x ^ shiftr(x & yyy, S)."""
    mask = ((1 << swizzle.bits) - 1) << (swizzle.base + max(0, swizzle.shift))
    moved = (x & mask) >> swizzle.shift if swizzle.shift >= 0 else (x & mask) << -swizzle.shift
    return x ^ moved


swizzles = st.builds(
    lambda b, m, more, sign: Swizzle(b, m, sign * (b + more)),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 2),
    st.sampled_from([1, -1]),
)


@settings(deadline=None)
@given(swizzles)
def test_a_swizzle_is_its_definition_on_numbers_arrays_and_expressions(s):
    count = 1 << max(s.width, 1)
    truth = [by_definition(s, x) for x in range(count)]
    assert [s(x) for x in range(count)] == truth
    assert s(np.arange(count)).tolist() == truth
    i = sympy.Symbol("i", integer=True)
    m = ComposedLayout(s, 0, tla.make_layout(count)).index_map()
    assert m.evaluate(np.arange(count)).tolist() == truth
    assert [m.reference((x,), {}) for x in range(count)] == truth
    assert str(s(i)) == str(s.expression(i))


@settings(deadline=None)
@given(swizzles)
def test_rank_of_the_bit_matrix_says_whether_it_is_bijective(s):
    for width in range(s.width + 2):
        image = {s(x) for x in range(1 << width)}
        assert s.bijective(width) == (image == set(range(1 << width)))
    assert s.bijective()


@settings(deadline=None)
@given(st.lists(st.integers(0, 31), max_size=6))
def test_rank_over_two_elements_counts_the_span(rows):
    span = {0}
    for r in rows:
        span |= {x ^ r for x in span}
    assert 1 << rank_over_f2(rows) == len(span)


def test_bad_swizzles():
    for bad, rule in [
        ((-1, 0, 3), "bits must be at least 0"),
        ((1, -1, 3), "base must be at least 0"),
        ((3, 0, 2), "shorter than its 3 bits"),
        ((3, 0, 2.5), "must be an integer"),
    ]:
        with pytest.raises(LayoutError, match=rule):
            Swizzle(*bad)


def test_composed_layouts_read_and_print():
    text = "Swizzle(3,4,3) o 0 o (8,64):(64,1)"
    made = L(text)
    assert isinstance(made, ComposedLayout)
    assert str(made) == text
    assert L(str(made)) == made
    assert eval(repr(made), {"read_layout": L}) == made
    assert str(L("Swizzle(1,0,1) o (4):(1)")) == "Swizzle(1,0,1) o 0 o (4):(1)"
    for bad, at in (
        ("Swizzle(3,4)", 7),
        ("Swizzle(3,4,3)", 14),
        ("Swizzle(3,4,3) o", 15),
        ("Swizzle(3,4,2) o 8:1", 0),
        ("Swizzle(3,4,3) o 0 o (8,4):(1)", 27),
        ("Swizzle(1,0,1) o 0 o Swizzle(1,0,1) o 0 o 4:1", 21),
        ("Swizzle(N,0,1) o 0 o 4:1", 0),
    ):
        with pytest.raises(LayoutError) as e:
            L(bad)
        assert e.value.at == at


def test_a_swizzle_on_a_moved_layout():
    a = ComposedLayout(Swizzle(2, 0, 2), 5, L("(4,2):(2,1)"))
    assert [a(k) for k in range(8)] == [by_definition(a.swizzle, 5 + a.layout(k)) for k in range(8)]
    assert a.cosize == 16
    for bad in (
        lambda: ComposedLayout(Swizzle(1, 0, 1), -1, L("4:1")),
        lambda: ComposedLayout(Swizzle(1, 0, 1), 0, L("4:-1")),
    ):
        with pytest.raises(LayoutError, match="negative"):
            bad()


def conflicts(offsets, bits, banks=32):
    """Rounds by counting: the most distinct words in one bank."""
    words = {b // 4 for x in offsets for b in range(x * bits // 8, (x + 1) * bits // 8)}
    return max(sum(w % banks == k for w in words) for k in range(banks))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("stride", [1, 2, 4, 8, 17, 32, 64])
def test_bank_conflicts_are_counted(bits, stride):
    access = tla.make_layout(32, stride)
    found = bank_conflicts(access, bits)
    assert found.ways == conflicts([k * stride for k in range(32)], bits)
    assert found.extra == found.ways - found.least >= 0


def test_a_swizzle_takes_conflicts_away():
    column = tla.make_layout(32, 32)
    assert bank_conflicts(column, 32).ways == 32
    swizzled = tla.compose_swizzle(Swizzle(5, 0, 5), column)
    assert bank_conflicts(swizzled, 32).ways == 1
    assert bank_conflicts(tla.make_layout(32, 0), 32).ways == 1
    with pytest.raises(LayoutError, match="need numbers"):
        bank_conflicts(L("32:N"), 32)
    with pytest.raises(LayoutError, match="banks must be at least 1"):
        bank_conflicts(column, 32, banks=0)


@pytest.mark.parametrize("s", [Swizzle(3, 4, 3), Swizzle(2, 0, 2), Swizzle(2, 1, -3)], ids=str)
def test_the_expression_is_the_xor_for_every_number_of_16_bits(s):
    import z3

    x = z3.BitVec("x", 16)

    def encode(e):
        if e.is_Integer:
            return z3.BitVecVal(int(e), 16)
        if e.is_Symbol:
            return x
        parts = [encode(a) for a in e.args]
        name = type(e).__name__
        if name == "Add":
            return sum(parts[1:], parts[0])
        if name == "Mul":
            made = parts[0]
            for part in parts[1:]:
                made = made * part
            return made
        return z3.UDiv(*parts) if name == "FloorDiv" else z3.URem(*parts)

    mask = ((1 << s.bits) - 1) << s.source
    read = x & z3.BitVecVal(mask, 16)
    moved = z3.LShR(read, s.shift) if s.shift >= 0 else read << -s.shift
    solver = z3.Solver()
    solver.add(encode(s.expression(sympy.Symbol("x", integer=True))) != x ^ moved)
    assert solver.check() == z3.unsat


def test_composed_layouts_compose_and_slice():
    s, a = Swizzle(2, 0, 2), L("(8,4):(4,1)")
    made = tla.composition(s, a)
    assert str(made) == "Swizzle(2,0,2) o 0 o (8,4):(4,1)"
    inner = tla.composition(made, "(4,4):(1,8)")
    for i, j in itertools.product(range(4), range(4)):
        assert inner(i, j) == made(i + 8 * j)
    zipped = made.map(tla.zipped_divide, (4, 2))
    for r, c in itertools.product(range(8), range(4)):
        assert zipped((r % 4, c % 2), (r // 4, c // 2)) == made(r, c)
    row = made.slice((3, tla._))
    assert [row(j) for j in range(4)] == [made(3, j) for j in range(4)]
    with pytest.raises(LayoutError):
        tla.composition(made, "(6,8):(3,4)")


def test_a_buffer_of_no_whole_blocks_may_be_left():
    assert prove.bounded("Swizzle(2,0,2) o 0 o (5,3):(3,1)").proved
    assert prove.bounded("Swizzle(2,0,2) o 0 o (5,3):(3,1)", 15).refuted
    assert prove.bounded("Swizzle(2,0,2) o S-3 o (4,4):(4,1)").refuted
    assert "add S >= 3" in prove.injective("Swizzle(2,0,2) o S-3 o (4,4):(4,1)").reason
    assert prove.injective("Swizzle(2,0,2) o S-3 o (4,4):(4,1)", where="S >= 3").proved
    made = prove.bounded("Swizzle(2,0,2) o 0 o (5,3):(3,1)").certificate
    claim = {**made["claim"], "arguments": [made["claim"]["arguments"][0], "15"]}
    forged = {**made, "claim": claim}
    assert not recheck({**forged, "seal": seal(forged)}).ok


@pytest.mark.parametrize(
    ("text", "facts", "sizes"),
    [
        ("Swizzle(2,0,-4) o 0 o (N,2):(2,1)", ["N % 32 == 0"], [{"N": 32}, {"N": 64}]),
        ("Swizzle(2,3,2) o 0 o (M,M):(M,1)", ["M % 8 == 0"], [{"M": 8}, {"M": 24}]),
        ("Swizzle(2,0,3) o 0 o M:1", ["M <= 8"], [{"M": 1}, {"M": 7}, {"M": 8}]),
    ],
)
def test_a_right_inverse_of_sizes_is_told_of_whole_blocks_alone(text, facts, sizes):
    """Where the size is no multiple of the swizzle's block, it takes indices beyond the layout's."""
    with pytest.raises(LayoutError, match="is undecided"):
        tla.right_inverse(text)
    made, there = tla.right_inverse(text, where=facts), L(text)
    for env in sizes:
        offsets = in_order(there, env)
        assert [offsets[x] for x in in_order(made, env)] == list(range(len(offsets)))


def in_order(layout, sizes):
    """The offset of each index, the first mode fastest."""
    index_map = layout.index_map()
    shape = [value(d, sizes) for d in index_map.shape]
    rows = [row[::-1] for row in itertools.product(*map(range, shape[::-1]))]
    return index_map.evaluate(*map(np.array, zip(*rows)), **sizes).tolist()
