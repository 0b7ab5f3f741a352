"""CuTe's operations in the texts of claims: what they are, proved under the claim's facts."""

from __future__ import annotations

import json

import pytest
from algebra_rows import DIVISIBLE

from symlayout import LayoutError, parse, prove, recheck
from symlayout.__main__ import main


@pytest.mark.parametrize(
    ("left", "right", "facts"),
    [
        ("slice_((_,0), zipped_divide((M,N):(N,1), (BM,BN)))", "((BM,BN)):((N,1))", DIVISIBLE),
        ("batch((M,N):(N,1), B)", "(B,M,N):(M*N,N,1)", []),
        ("max_common_layout((M,N):(1,M), (M,N):(1,ld))", "M:1", ["ld > M"]),
        ("domain_distribute((M,N), K)", "K:1", ["M % K == 0"]),
        ("left_inverse((M,N):(N,1), weak=True)", "right_inverse((M,N):(N,1))", []),
        ("coalesce(select(make_layout(M:1, N:2*M, 2:M), 0, 2, 1))", "2*M*N:1", []),
        ("recast(batch((M,N):(N,1), B), 8, 16)", "(B,M,N//2):(M*N//2,N//2,1)", ["N % 2 == 0"]),
        ("nullspace((M,N):(ld,0))", "N:M", ["ld >= 0", "ld >= 4"]),
    ],
)
def test_the_other_operations_are_proved(left: str, right: str, facts: list[str]) -> None:
    verdict = prove.equal(left, right, where=facts)
    assert verdict.proved, verdict
    assert verdict.certificate is None or recheck(verdict.certificate).ok


@pytest.mark.parametrize("name", ["filter", "filter_zeros", "nullspace"])
@pytest.mark.parametrize(("stride", "facts"), [("K", ["K >= 0"]), ("K - 1", []), ("J - K", [])])
def test_a_stride_that_may_be_zero_is_not_taken_for_another_one(
    name: str, stride: str, facts: list[str]
) -> None:
    with pytest.raises(LayoutError, match="is 0") as error:
        prove.injective(f"{name}((M,N):(1,{stride}))", where=facts)
    assert error.value.code == "SL801"


def test_formula_asks_under_the_facts(capsys: pytest.CaptureFixture[str]) -> None:
    from symlayout.__main__ import main

    layout = "composition((M,N):(N,1), (BM,BN):(1,M))"
    facts = [x for f in ("M % BM == 0", "BM <= M", "BN <= N") for x in ("--where", f)]
    assert main(["formula", layout, *facts]) == 0
    assert "i*N + j" in capsys.readouterr().out.replace("N*i", "i*N")


@pytest.mark.parametrize(
    ("word", "layouts", "facts"),
    [
        ("bijective", ["zipped_divide((M,N):(N,1), (16,8))"], ["M % 16 == 0", "N % 8 == 0"]),
        ("injective", ["zipped_divide((M,N):(1,ldc), (BM,BN))"], [*DIVISIBLE, "ldc >= M"]),
        (
            "equal",
            [
                "flat_divide((M,N):(N,1), (BM,BN))",
                "(BM,BN,M//BM,N//BN):(N,1,BM*N,BN)",
            ],
            DIVISIBLE,
        ),
        ("injective", ["tiled_divide(zN(f16,R,C), (16,16))"], ["R % 16 == 0", "C % 16 == 0"]),
        ("bijective", ["zipped_divide(memref<8x16xf32>, (4,4))"], []),
        ("bijective", ["zipped_divide(f32[M,N], (16,8))"], ["M % 16 == 0", "N % 8 == 0"]),
        ("bijective", ["logical_divide((M,N):(N,1), (BM,BN))"], DIVISIBLE),
        (
            "equal",
            [
                "logical_divide((M,N):(N,1), (BM:1, BN:1))",
                "((BM,M//BM),(BN,N//BN)):((N,BM*N),(1,BN))",
            ],
            DIVISIBLE,
        ),
        (
            "equal",
            ["composition((M,N):(N,1), (BM,BN):(1,M))", "(BM,BN):(N,1)"],
            ["M % BM == 0", "BM <= M", "BN <= N"],
        ),
        ("bijective", ["composition((M,N):(N,1), (M,N):(1,M))"], []),
        ("bijective", ["tile_to_shape((8,8):(8,1), (8*M,8*N))"], []),
        ("bijective", ["blocked_product((8,8):(8,1), (M,N):(N,1))"], []),
        ("bijective", ["raked_product((4,8):(8,1), (M,N):(N,1))"], []),
        ("bijective", ["logical_product((4,2):(2,1), (M,N):(N,1))"], []),
        ("injective", ["composition((M,N):(ld,1), (M,N):(1,M))"], ["ld >= N"]),
        ("bijective", ["upcast((M,N):(N,1), 2)"], ["N % 2 == 0"]),
        ("equal", ["upcast((M,N):(N,1), 2)", "(M,N//2):(N//2,1)"], ["N % 2 == 0"]),
        ("equal", ["coalesce((M,N):(N,1))", "N:1"], ["M == 1"]),
        ("equal", ["coalesce((M,1,N):(1,5,M))", "M*N:1"], []),
        ("equal", ["coalesce((2,(1,6)):(1,(6,2)))", "12:1"], []),
    ],
)
def test_divides_are_proved_and_certified(word: str, layouts: list[str], facts: list[str]) -> None:
    verdict = getattr(prove, word)(*layouts, where=facts)
    assert verdict.proved, verdict
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


@pytest.mark.parametrize(
    ("left", "right", "facts"),
    [
        ("composition((M,N):(N,1), (M,N):(1,M))", "(M,N):(N,1)", []),
        ("coalesce((M,N):(1,M))", "M*N:1", []),
        ("coalesce(composition((8,8):(1,8), (4,2):(1,4)))", "8:1", []),
        ("right_inverse((M,N):(N,1))", "(N,M):(M,1)", []),
        ("logical_divide((M,N):(N,1), (4:2, 8:1))",
         "((4,(2,M//8)),(8,N//8)):((2*N,(N,8*N)),(1,8))", ["M % 8 == 0", "N % 8 == 0"]),
        ("composition(Swizzle<2,0,2>, (8,4):(4,1))", "Swizzle(2,0,2) o 0 o (8,4):(4,1)", []),
        ("zipped_divide(S<2,0,2> o 0 o (8,4):(4,1), (4,2))",
         "Swizzle(2,0,2) o 0 o ((4,2),(2,2)):((4,1),(16,2))", []),
        ("logical_product((4,M):(1,4), 3:1)", "((4,M),3):((1,4),4*M)", []),
        ("zipped_divide((1,N):(N,1), (64,64))", "((64,64),(1,N//64)):((N,1),(0,64))", ["N % 64 == 0"]),
        ("zipped_divide((M,N):(N,1), (64,64))", "((64,64),(1,N//64)):((N,1),(0,64))",
         ["N % 64 == 0", "M == 1"]),
    ],
)  # fmt: skip
def test_operations_nest_and_equal_what_they_are(left: str, right: str, facts: list[str]) -> None:
    verdict = prove.equal(left, right, where=facts)
    assert verdict.proved, verdict
    assert verdict.certificate is None or recheck(verdict.certificate).ok


def test_a_wrong_answer_is_refuted() -> None:
    wrong = "((16,8),(M//16,N//8)):((N,1),(16,8))"
    verdict = prove.equal(
        "zipped_divide((M,N):(N,1), (16,8))", wrong, where=["M % 16 == 0", "N % 8 == 0"]
    )
    assert verdict.refuted
    assert verdict.counterexample.left != verdict.counterexample.right


def test_a_text_prints_as_it_reads() -> None:
    text = "zipped_divide(composition((M,N):(N,1), (8,8):(1,8)), (4,4))"
    assert str(parse(text)) == text
    assert parse(" cute::zipped_divide( (M,8):(8,1),(2,4) )") == parse(
        "zipped_divide((M,8):(8,1), (2,4))"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("zipped_divide((M,N):(N,1))", "SL100"),
        ("zipped_divide((M,N):(N,1), (2,2), 3)", "SL100"),
        ("zipped_divide((M,N):(N,1), (2,2)", "SL101"),
        ("zipped_divide((M,N):(N,1), (2,2)) x", "SL101"),
        ("left_inverse(4:1, strong=True)", "SL100"),
        ("left_inverse(4:1, weak=True, weak=True)", "SL100"),
        ("left_inverse(4:1, weak=3)", "SL100"),
        ("left_inverse(weak=True)", "SL100"),
        ("slice_((_,0))", "SL100"),
        ("append(4:1, 4:4, 2, rank=3)", "SL100"),
        ("tile_to_shape((8,8):(8,1), (8,8), (1,0), order=(1,0))", "SL100"),
        ("append(4:1, rank=1000000000)", "SL204"),
        ("prepend(4:1, 4:4, 1000000000)", "SL204"),
        ("domain_distribute(0, 0)", "SL102"),
        ("domain_distribute(-4, 4)", "SL102"),
        ("slice_((_,0,1), (M,N):(N,1))", "SL108"),
        ("get((M,N):(N,1), 5)", "SL108"),
        ("get((M,N):(N,1), M)", "SL203"),
        ("take((M,N):(N,1), 1, K)", "SL203"),
        ("group_modes((4,2):(1,4), 1:1, 1)", "SL203"),
        ("make_ordered_layout((M,N), (a,b))", "SL203"),
        ("domain_distribute((M,N), K)", "SL801"),
        ("domain_distribute((M,N), (K,2:1))", "SL203"),
        ("compose_swizzle(4:1, 4:1)", "SL107"),
        ("compose_swizzle(Swizzle<2,0,2>, Swizzle<2,0,2>)", "SL107"),
        ("make_layout(4:1, 3)", "SL107"),
        ("max_common_layout((M,N):(1,M), 4)", "SL107"),
        ("coalesce(" * 200 + "4:1" + ")" * 200, "SL204"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text).index_map()
    assert error.value.code == code


def test_what_facts_leave_open_is_said() -> None:
    with pytest.raises(LayoutError, match="divides"):
        prove.injective("composition((M,N):(N,1), (K,2):(1,K))")
    with pytest.raises(LayoutError, match="not a shape:stride"):
        prove.injective("coalesce(map i < M: i in M)")


def test_a_batch_of_a_layout_with_a_mode_of_no_sizes() -> None:
    made = parse("batch(group_modes((2,3):(3,1), 1, 1), 4)").index_map()
    assert made.offset(3, 1, 0, 2) == 3 * 6 + 5


@pytest.mark.parametrize(
    ("text", "facts", "reason"),
    [
        ("slice_((_,1), (M,N):(N,1))", [], "add N >= 2"),
        ("slice_((_,K), (M,8):(8,1))", [], "add K <= 7"),
        ("slice_layout((_,K-9), (M,8):(8,1))", ["K <= 12"], "the coordinate K - 9 is -8 at K = 1"),
        ("slice_((_,(K,_)), Swizzle<1,0,2> o 0 o (M,(N,2)):(2*N,(2,1)))", [], "K"),
        ("slice_((_,K), zipped_divide((M,8):(8,1), (2,2)))", ["M % 2 == 0"], "K"),
    ],
)
def test_a_slice_beyond_its_mode_is_not_defined(text: str, facts: list[str], reason: str) -> None:
    verdict = prove.equal(text, text, where=facts)
    assert verdict.refuted, verdict
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("slice_((_,1), (M,N):(N,1))", ["N >= 2"]),
        ("slice_((_,0), (M,N):(N,1))", []),
        ("slice_((_,K), (M,N):(N,1))", ["K < N"]),
        ("slice_((0,(_,K)), (M,(2,N)):(2*N,(N,1)))", ["0 <= K < N"]),
    ],
)
def test_a_slice_within_its_mode_is_defined_and_certified(text: str, facts: list[str]) -> None:
    verdict = prove.injective(text, where=facts)
    assert verdict.proved, verdict
    assert recheck(verdict.certificate).ok


MODES = {
    "logical_divide((8,8):(8,1), (4,4))": "((4,2),(4,2)):((8,32),(1,4))",
    "complement(4:2, 16)": "(2,2):(1,8)",
    "composition((8,8):(8,1), (4,2):(1,4))": "(4,2):(8,32)",
    "zipped_divide((8*M,4*N):(4*N,1), (8,4))": "((8,4),(M,N)):((4*N,1),(32*N,4))",
    "right_inverse((4,8):(8,1))": "(8,4):(4,1)",
    "raked_product((4,4):(4,1), (1,4):(1,1))": "((1,4),(4,4)):((0,4),(16,1))",
    "compose_swizzle(Swizzle<3,3,3>{}, (8,64):(64,1))": "Swizzle(3,3,3) o 0 o (8,64):(64,1)",
    "atom SM80_16x8x16_F32F16F16F32_TN C": "((4,8),(2,2)):((32,1),(16,8))",
    "tv ((4,8),(2,2)):((32,1),(16,8)) on (16,8)": "((4,8),(2,2)):((32,1),(16,8))",
}


@pytest.mark.parametrize("text", MODES)
def test_the_shape_and_strides_of_an_operation_are_the_first_line(text, capsys):
    assert main(["formula", text]) == 0
    assert capsys.readouterr().out.partition("\n")[0] == MODES[text]
    assert main(["formula", text, "--spelling", "cute"]) == 0
    assert capsys.readouterr().out == MODES[text] + "\n"
    assert main(["formula", text, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shape_stride"] == MODES[text]
    assert main(["show", text, "--size", "M=2,N=2"] if "M," in text else ["show", text]) == 0
    assert capsys.readouterr().out.partition("\n")[0] == MODES[text]


@pytest.mark.parametrize("text", ["(M,N):(N,1)", "zN(f16,M,N)", "f32[M,N]", "map i < M: i in M"])
def test_other_layouts_are_not_repeated(text, capsys):
    assert main(["formula", text, "--json"]) == 0
    assert "shape_stride" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        ("logical_divide((8,8):(8,1), (4,4))", "(8,8):(8,1)", "((4,2),(4,2)) and (8,8)"),
        ("(8,8):(8,1)", "logical_divide((8,8):(8,1), (4,4))", "(8,8) and ((4,2),(4,2))"),
        ("((2,2),4):((1,2),4)", "(4,4):(1,4)", "((2,2),4) and (4,4)"),
        ("((M,2),4):((1,M),2*M)", "(2*M,4):(1,2*M)", "((M,2),4) and (2*M,4)"),
        ("((2,2),4):((1,2),4)", "((4,1),4):((1,9),4)", ""),
        ("Swizzle(1,0,2) o 0 o ((2,2),4):((1,2),4)", "Swizzle(1,0,2) o 0 o (4,4):(1,4)",
         "((2,2),4) and (4,4)"),
        ("(M,N):(N,1)", "f32[M,N]", ""),
        ("(M,N):(N,1)", "RowMajor(M,N)", ""),
    ],
)  # fmt: skip
def test_equal_layouts_that_nest_otherwise_are_told(a, b, note):
    verdict = prove.equal(a, b)
    assert verdict.proved
    said = verdict.details.get("nesting", "")
    assert said == (f"same function; nesting differs: {note}" if note else "")
    assert "nesting" not in prove.equal(a, a).details
