import itertools

import pytest

from symlayout import LayoutError, prove, recheck, tla

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
