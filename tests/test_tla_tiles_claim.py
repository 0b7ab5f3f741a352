import shlex

import pytest

from symlayout import LayoutError, parse, prove, tla
from symlayout.__main__ import main

INSIDE = ["p < R", "q < C"]


def test_what_is_to_be_masked():
    a, least = "(M,N):(N,1)", ["M >= 4", "N >= 8"]
    both = ["4*i0 + i2 >= M", "8*i1 + i3 >= N"]
    assert prove.tiles(a, "4,8", where=least).details["masked"] == both
    assert prove.tiles(a, "4,8", where=["M % 4 == 0", *least]).details["masked"] == both[1:]
    assert prove.tiles(a, "4,8", where=["M % 4 == 0", "N % 8 == 0"]).details["masked"] == []
    at = prove.tiles("zN(f16, 64, 60)", "16,16", at="16,48")
    assert at.proved
    assert at.details["masked"] == ["j + 48 >= 60"]


def test_off_the_grid_is_refuted_with_the_condition():
    right = prove.tiles("zN(f16, 64, 64)", "16,16", at="16,32")
    wrong = prove.tiles("zN(f16, 64, 64)", "16,16", at="8,8")
    assert right.proved
    assert wrong.refuted
    assert wrong.details["sufficient"] == "the tile begins at a multiple of (16, 16)"
    found = wrong.counterexample
    parent, k = parse("zN(f16, 64, 64)"), found.coords
    tile = tla.make_layout_tile(parent, (16, 16))
    assert found.left == parent(8, 8) + tile(*k)
    assert found.right == parent(8 + k[0], 8 + k[1])
    assert found.left != found.right


def test_a_tile_that_recomputes_its_strides():
    parent, large = "PaddingRowMajor(f16, R, C, 16, 16)", ["R >= 32", "C >= 32"]
    recomputed = prove.tiles(parent, "PaddingRowMajor(f16, 32, 32, 16, 16)", where=large)
    assert recomputed.refuted
    assert "sufficient" not in recomputed.details
    inherited = tla.make_layout_tile(parse(parent), (32, 32))
    assert prove.tiles(parent, inherited, where=["R > 16", "C >= 32"]).proved
    assert prove.tiles(parent, str(inherited), where=["R >= 32", "C > 16"]).proved


@pytest.mark.parametrize(
    ("tile", "at", "code"),
    [
        ("12", None, "SL403"),
        ("4,4,4", None, "SL403"),
        ("0,4", None, "SL102"),
        ("4,", None, "SL200"),
        ("(4,4", None, "SL101"),
        ("4,4", "1", "SL403"),
        ("4,4", "-1,0", "SL102"),
        ("4,4", "64,0", "SL400"),
        ("(4):(1)", None, "SL403"),
    ],
)
def test_bad_tiles(tile, at, code):
    with pytest.raises(LayoutError) as e:
        prove.tiles("zN(f16, 64, 64)", tile, at=at)
    assert e.value.code == code


@pytest.mark.parametrize(
    "fact", ["p % 2 == 0", "p == 2*h and h < 9", "max(p, R) <= 50", "p*q <= R"]
)
def test_facts_about_a_place_are_no_facts_about_the_grid(fact):
    made = prove.tiles("zN(f16,R,C)", "16,16", at="p,q", where=[fact, "R % 2 == 1", *INSIDE])
    assert made.refuted
    assert made.details["sufficient"] == "the tile begins at a multiple of (16, 16)"


def test_facts_about_sizes_stay_where_a_tile_is_at_a_place():
    tile = "(16,(16,2)):(16,(1,256))"  # the tile of an array with 16 rows
    for fact, condition in (("R > 16", None), ("r == 1", "the tile begins at a multiple of")):
        facts = ["R == 16*r", "symbol r", fact, "p % 2 == 0", "C >= 32", *INSIDE]
        made = prove.tiles("zN(f16,R,C)", tile, at="p,q", where=facts)
        assert made.refuted
        assert made.details.get("sufficient", "None").startswith(str(condition))


def test_a_place_inside_does_not_let_a_size_be_0():
    made = prove.tiles("s8[M+1,K]{1,0:T(3,3)}", "3,4", at="0,q", where=["q < K", "K >= 4"])
    assert made.counterexample.sizes == {"M": 1, "K": 4, "q": 1}
    made = prove.tiles(
        "s8[M+1,K]{1,0:T(3,3)}", "3,4", at="0,q", where=["M >= 0", "q < K", "K >= 4"]
    )
    assert made.counterexample.sizes == {"M": 0, "K": 4, "q": 1}


@pytest.mark.parametrize(
    ("layout", "tile", "fact"),
    [
        ("zN(f16,R,C)", "16,32", "16*ceildiv(C, 16) >= 32"),
        ("zN(f16,R,C)", "h,1", "16*ceildiv(R, 16) >= h"),
        ("(M,N):(N,1)", "BM,BN", "N >= BN"),
        ("f32[M,N]{1,0:T(8,128)}", "9,1", "8*ceildiv(M, 8) >= 9"),
        ("f32[M,N]{0,1:T(8,128)}", "1,9", "8*ceildiv(N, 8) >= 9"),
        ("f32[M,N]{1,0:PAD(P,N)}", "2,1", "P >= 2"),
        ("f32[M,N]{1,0:T(*,8)}", "2,1", "M >= 2"),
        ("Swizzle(1,0,1) o 0 o (M,N):(N,1)", "3,1", "M >= 3"),
        ("strided f32[M] strides(2)", "5", "M >= 5"),
        ("f32[M,N]{1,0:T(s,t)}", "s,t", None),
        ("f32[M,N,K]{2,1,0:T(t)}", "1,1,t", None),
    ],
)
def test_a_tile_larger_than_its_layout_is_undefined(layout, tile, fact):
    facts = ["P >= M"] if "P" in layout else []
    made = prove.tiles(layout, tile, where=facts)
    if fact is None:
        assert made.proved
        return
    assert made.counterexample.left == "undefined"
    assert made.reason.endswith(f"add {fact}")
    assert "is larger than its layout" in made.reason
    helped = [fact, "M >= BM"] if "BM" in tile else [fact]
    again = prove.tiles(layout, tile, where=[*facts, *helped])
    assert again.proved or "larger than its layout" not in again.reason


@pytest.mark.parametrize(
    "layout", ["(4,4):(4,1)", "f32[4,4]", "zN(4,4,4,4)", "f32[4,4]{1,0:T(2,2)}"]
)
def test_a_tile_of_numbers_larger_than_its_layout_is_an_error(layout):
    with pytest.raises(LayoutError, match="the tile of 8 is larger than dimension 0"):
        prove.tiles(layout, "8,4")
    assert prove.tiles(layout, "4,4").proved
    assert prove.tiles("f32[3,3]{1,0:T(2,2)}", "4,4").proved  # ragged, within the last tiles


def test_an_extent_that_is_0_by_itself_is_the_number_0():
    # once: `T*0` was no number, the corner was taken to lie inside, and the claim was proved
    for extent in ("0", "T*0", "T-T", "0*T*K"):
        text = f"((4,{extent}),3):((1,4),1)"
        assert all(type(d) is int for d in parse(text).index_map().shape)
        with pytest.raises(LayoutError, match="SL400"):
            prove.tiles(text, "2,1", at="2,0")
        assert prove.tiles(text, "2,1", at="k,0").refuted
        assert prove.tiles(text, "2,1").proved


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("'RowMajor(M,N)' 16,16 --at 8,8 --where M>=20 --where N>=20", "i + 8 >= M or j + 8 >= N"),
        ("'RowMajor(M,N)' 16,16 --at 8,8 --where M>=24 --where N>=20", "j + 8 >= N"),
        ("'RowMajor(M,N)' 16,16 --at 8,8 --where M>=24 --where N>=24", ""),
        ("'f32[20,32]' 16,16", "16*i0 + i2 >= 20"),
        ("'f32[32,32]' 16,16", ""),
        ("'zN(f16,R,C)' 16,32 --where C>=32", "16*i0 + i2 >= R or 32*i1 + i3 >= C"),
    ],
)
def test_the_first_line_says_what_code_masks(typed, said, capsys):
    assert main(["prove", "tiles", *shlex.split(typed)]) == 0
    first = capsys.readouterr().out.partition("\n")[0]
    assert first.startswith("proved")
    assert (f", if code masks {said}: tiles " in first) if said else "masks" not in first


def test_help_says_what_at_is(capsys):
    assert main(["prove", "tiles", "--help"]) == 0
    out = capsys.readouterr().out
    assert "AT is the element at which one tile begins, not the number of a tile" in out
    example = out.partition("example: symlayout ")[2].partition("\n")[0]
    assert main(shlex.split(example)) == 0


@pytest.mark.parametrize(
    "typed",
    [
        "tiles 'zN(f16,M,N)' 128,128",
        "tiles 'zN(f16,R,C)' 16,32",
        "tiles 'f32[M,N]' 16,16",
        "tiles 'RowMajor(M,N)' 8,8 --at 0,8",
        "injective 'map i < N - 4: i in N'",
    ],
)
def test_one_condition_is_named_and_it_is_enough(typed, capsys):
    argv = ["prove", *shlex.split(typed)]
    assert main(argv) == 1
    out = capsys.readouterr().out
    condition = out.partition("help: it holds exactly when ")[2].strip()
    assert condition
    assert "; add " not in out
    assert "undefined" not in out
    assert main([*argv, "--where", condition]) == 0
    assert main([*argv, "--no-hints"]) == 1
    assert "; add " in capsys.readouterr().out
