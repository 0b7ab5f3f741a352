import pytest

from symlayout import LayoutError, parse, prove, tla


def test_queries_go_through_nested_modes():
    L = tla.read_layout("((4,2),(4,(3,5))):((4,16),(1,(32,96)))")
    assert tla.rank(L, 1, 1) == 2
    assert tla.depth(L, 1) == 2
    assert tla.shape(L, 1, 1, 0) == 3
    assert tla.stride(L, 1, 1) == (32, 96)
    assert tla.size(L, 1) == 60
    assert str(tla.get(L, 1, 1)) == "(3,5):(32,96)"
    assert str(tla.flatten(L)) == "(4,2,4,3,5):(4,16,1,32,96)"
    with pytest.raises(LayoutError, match="no mode 2"):
        tla.get(L.shape, 2)


# -- reading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "(_2,4):(_12,_1)",
        "((16,2),(16,3)):((16,256),(1,512))",
        "((_16,R),(16,C)):((16,_256),(1,256*R))",
        "(M,N):(N,1)",
        "M*N:1",
        "8:2",
        "(8):(2)",
        "_8:_2",
        "(M,ceildiv(N, 8)):(1,M)",
        "(4,4):(4,-1)",
        "((16,7),(16,3)):((16,256),(1,1792)):(100,33)",
        "(4,7,4,3):(4,48,1,16):(25,10)",
        "zN(f16, R, C)",
        "PaddingRowMajor(f16, R, C, br, bc)",
        "Vector(f32, n)",
        "NC1HWC0(f16, N, C1, H, W, 16)",
        "Strided(f16, M, N, N, 1)",
    ],
)
def test_a_text_prints_back(text):
    made = tla.read_layout(text)
    assert str(made) == text
    assert tla.read_layout(str(made)) == made
    assert eval(repr(made), {"read_layout": tla.read_layout}) == made


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("( (16 ,R),(16,C) ) : ( (16,256),(1,R*256) )", "((16,R),(16,C)):((16,256),(1,256*R))"),
        ("(4,8)", "(4,8):(1,4)"),
        ("(M+1)*2:1", "2*M + 2:1"),
        ("_16//2:1", "8:1"),
        ("((M+1)*2,4):(4,1)", "(2*M + 2,4):(4,1)"),
        ("(8,):(2,)", "(8):(2)"),
        ("zN( f16,R,C )", "zN(f16, R, C)"),
    ],
)
def test_spellings_of_one_layout(text, same):
    assert tla.read_layout(text) == tla.read_layout(same)


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("(2,3):(1,(2,3))", "SL107", 9),
        ("(2,3):(1)", "SL107", 6),
        ("(2,-3):(1,2)", "SL102", 3),
        ("(2,3):(1,2", "SL101", 10),
        ("(2,3):", "SL200", 6),
        ("(2,3)x", "SL101", 5),
        ("(2,3):(1,2):(4,4)", "SL107", 12),
        ("():():(M)", "SL107", 6),
        ("Swizzle(2000,0,2000) o 0 o (8,N):(N,1)", "SL204", 0),
        ("Swizzle(1,0,256) o 0 o (8,N):(N,1)", "SL204", 0),
        ("(2,3):(1,2):(2,(3,1))", "SL107", 12),
        ("(2,3):(1,2):(2,1,1)", "SL107", 12),
        ("(2,3):(1,2):(2,-1)", "SL102", 15),
        ("(2,1/0):(1,2)", "SL202", 4),
        ("zN(fp16,R,C)", "SL103", 3),
        ("zN(R,C)", "SL103", 0),
        ("zM(f16,R,C)", "SL100", 0),
        ("zN(f16,R)", "SL107", 0),
        ("zN(f16,-3,4)", "SL102", 0),
        ("PaddingRowMajor(f16,R,C,0,4)", "SL102", 0),
        ("zN(f16,R,C", "SL101", 10),
        ("(" * 200 + "1" + ")" * 200 + ":1", "SL204", 101),
    ],
)
def test_bad_texts_have_a_place(text, code, at):
    with pytest.raises(LayoutError) as e:
        tla.read_layout(text)
    assert (e.value.code, e.value.at) == (code, at)


@pytest.mark.parametrize(
    ("coord", "code"),
    [((1, 2, 3), "SL108"), ((1, (2, 3)), "SL108"), (-1, "SL400"), ((1, -2), "SL400")],
)
def test_bad_coordinates(coord, code):
    with pytest.raises(LayoutError) as e:
        tla.crd2offset(coord, (4, 8), (8, 1))
    assert e.value.code == code


def test_a_call_checks_the_range_and_crd2offset_the_strides():
    L = tla.read_layout("(4,8):(8,1)")
    assert L(3, 7) == L((3, 7)) == L(31) == 31
    for bad in ((4, 0), (0, 8), (32,)):
        with pytest.raises(LayoutError, match=r"is not in \[0"):
            L(*bad)
    with pytest.raises(LayoutError, match="do not fit"):
        tla.crd2offset((1, 2), (4, 8), (1, 2, 3))
    with pytest.raises(LayoutError, match=r"not in \[0, 32\)"):
        tla.idx2crd(32, (4, 8))
    with pytest.raises(LayoutError, match="is negative"):
        tla.make_layout((4, -8))
    with pytest.raises(LayoutError, match="is negative"):
        tla.make_shape(4, (2, -1))


def test_row_major_is_the_plain_array():
    assert prove.equal("(M,N):(N,1)", "f32[M,N]{1,0}").proved
    assert prove.equal("(M,N):(1,M)", "f32[M,N]{0,1}").proved
    assert prove.equal("(M,N):(1,M)", "f32[M,N]{1,0}").refuted


def test_negative_strides_count_as_in_cute():
    L = tla.read_layout("(4,4):(-4,1)")
    assert L.cosize == 16
    assert L(3, 0) == -12
    assert str(tla.read_layout("(M,N):(-N,1)").cosize) == "M*N"


SYMBOLIC = [
    "RowMajor(f16,R,C)",
    "ColumnMajor(f16,R,C)",
    "Vector(f16,n)",
    "VectorLayout(f16,n)",
    "zN(f16,R,C)",
    "nZ(s8,R,C)",
    "zZ(f32,R,C)",
    "nN(f16,R,C)",
    "L0C(f32,R,C)",
    "Weight4BitnZ(s4,R,C)",
    "MxScalezZ(R,C)",
    "MxScalenN(R,C)",
    "PaddingRowMajor(f16,R,C,br,bc)",
    "PaddingColumnMajor(f16,R,C,br,bc)",
    "NC1HWC0(f16,n,C1,H,W,16)",
    "CI1KHKWCOCI0(f16,CI1,KH,KW,CO,16)",
    "NDC1HWC0(f16,n,D,C1,H,W,16)",
    "KDC1KHKWN1N0C0(f16,K,N1,N0,16)",
]


@pytest.mark.parametrize("text", SYMBOLIC)
def test_every_format_is_injective_bounded_and_fills_its_padded_box(text):
    L = parse(text)
    assert prove.injective(L).proved
    assert prove.bounded(L).proved
    padded = tuple(tla.product(sizes) for sizes, _ in L.groups)
    assert prove.bijective(tla.Layout(L.shape, L.stride, padded)).proved


def test_transposed_formats():
    for a, b in (("nZ", "zN"), ("nN", "zZ")):
        left = parse(f"{a}(f16,R,C)").index_map()
        right = parse(f"{b}(f16,C,R)").index_map().transpose((1, 0))
        assert prove.equal(left, right).proved


def test_offsets_of_the_small_fractal_example():
    L = tla.read_layout("((4,2),(4,3)):((4,16),(1,32))")
    assert [L(0, j) for j in range(9)] == [0, 1, 2, 3, 32, 33, 34, 35, 64]
    assert sorted(L(i) for i in range(96)) == list(range(96))
