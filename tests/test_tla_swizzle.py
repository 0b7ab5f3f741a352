import itertools

import numpy as np
import pytest
import sympy
from certificates import seal
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError, prove, recheck, tla
from symlayout.tla import ComposedLayout, Swizzle, bank_conflicts

L = tla.read_layout


def test_composed_layouts_are_index_maps():
    a = L("Swizzle(2,0,2) o 0 o (4,4):(4,1)")
    m = a.index_map()
    for i, j in itertools.product(range(4), range(4)):
        assert m.offset(i, j) == a(i, j) == (4 * i + j) ^ i
    assert (a.size, a.cosize, a.shape) == (16, 16, (4, 4))
    assert prove.bijective(a).proved
    assert prove.equal(a, "(4,4):(4,1)").refuted


@pytest.mark.parametrize(
    ("text", "where", "injective", "bijective"),
    [
        ("Swizzle(3,4,3) o 0 o (8,64):(64,1)", [], "proved", "proved"),
        ("Swizzle(2,0,2) o 0 o (M,4):(4,1)", [], "proved", "proved"),
        ("Swizzle(3,3,3) o 0 o (M,N):(N,1)", ["N % 64 == 0"], "proved", "proved"),
        ("Swizzle(3,3,3) o 0 o (8,N):(N,1)", [], "proved", "refuted"),
        ("Swizzle(3,3,3) o 0 o (M,N):(4,1)", [], "refuted", "refuted"),
        ("Swizzle(1,0,1) o 1 o (4):(1)", [], "proved", "refuted"),
        ("Swizzle(1,0,1) o 0 o (4,2):(0,1)", [], "refuted", "refuted"),
    ],
)
def test_composed_layouts_are_proved_by_rank_and_layout(text, where, injective, bijective):
    made = L(text)
    found = prove.injective(made, where=where)
    assert found.status == injective
    assert prove.bijective(made, where=where).status == bijective
    if injective == "refuted":
        m = made.index_map()
        sizes = found.counterexample.sizes
        assert m.reference(found.counterexample.coords, sizes) == m.reference(
            found.counterexample.other, sizes
        )


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Swizzle(3,3,3) o 0 o (8,N):(N,1)", ["N % 64 == 0"]),
        ("Swizzle(2,0,2) o 4 o (4,M):(1,4)", []),
        ("Swizzle(2,0,2) o S o (K,L):(L,1)", ["S >= 0"]),
        ("compose_swizzle(Swizzle<2,0,2>, (K,L):(L,1), 0)", []),
    ],
)
def test_a_swizzle_leaves_no_block_and_so_no_buffer(text, facts):
    verdict = prove.bounded(text, where=facts)
    assert verdict.proved, verdict
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        *[("coalesce", ()), ("zipped_divide", ("(4,2)",)), ("tile_to_shape", ("(16,8)",))],
        *[("composition", ("4:1",)), ("downcast", (2,)), ("upcast", (2,)), ("contiguity", ())],
        *[("logical_product", ("2:1",)), ("blocked_product", ("(2,2):(1,2)",))],
    ],
)
def test_facts_may_be_about_the_offset_of_a_swizzled_layout(operation, arguments):
    text = "Swizzle(1,1,3) o {} o (8,4):(1,8)"

    def made(offset, where):
        try:
            return str(getattr(tla, operation)(text.format(offset), *arguments, where=where))
        except LayoutError as error:
            return error.code

    here = made("M", "M % 4 == 0").replace("M//2", "4").replace("2*M", "16").replace("M", "8")
    assert here == ("SL801" if operation == "contiguity" else made("8", []))
    with pytest.raises(LayoutError, match="SL301"):
        getattr(tla, operation)(text.format("M"), *arguments, where="N % 4 == 0")


def test_what_begins_at_a_size_has_an_open_common_part():
    with pytest.raises(LayoutError, match="where M lies"):
        tla.max_common_layout("Swizzle(2,2,3) o M o (8,16):(16,1)", "(32,8):(8,1)")


@pytest.mark.parametrize(
    ("word", "text", "where", "scope"),
    [
        ("injective", "Swizzle<3,3,3> o 0 o (M,64):(64,1)", "", " for all M >= 1"),
        ("bounded", "Swizzle<3,3,3> o 0 o (M,64):(64,1)", "", " for all M >= 1"),
        ("onto", "Swizzle<3,3,3> o 0 o (8*M,64):(64,1)", "", " for all M >= 1"),
        ("bijective", "Swizzle<3,3,3> o 0 o (8*M,64):(64,1)", "M >= 4", " for all M >= 4"),
        (
            "injective",
            "Swizzle<2,0,2> o S o (M,N):(N,1)",
            "S >= 0",
            " for all M, N >= 1 and S >= 0",
        ),
        ("injective", "Swizzle<3,3,3> o 0 o (8,64):(64,1)", "", ""),
    ],
)
def test_a_proof_about_a_swizzle_says_for_which_sizes(word, text, where, scope):
    verdict = getattr(prove, word)(text, where=where or ())
    assert verdict.proved
    assert verdict.scope == scope


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
