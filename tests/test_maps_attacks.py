"""What random claims about index functions have shown to be wrong: each kind of flaw once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import prove, recheck


def test_boxes_too_large_to_be_listed_have_a_first_place_that_is_missing() -> None:
    for size in (2**31, 2**64, 2**200):
        verdict = prove.onto(f"map i < N if i != 1: (i, 0) in ({size}, N)", where="N <= 3")
        assert verdict.counterexample is not None, verdict
        assert verdict.counterexample.sizes == {"N": 1}
        assert verdict.counterexample.left == "(1, 0)"


@pytest.mark.parametrize(
    ("f", "g", "sizes"),
    [
        (
            "map -B <= i < B - A: i + B in 2*B - A",
            "map j < 2*B - A: j - B in B - A",
            {"B": 1, "A": 2},
        ),
        (
            "map -(1 << A) <= i < B - A: i + (1 << A) in B - A + (1 << A)",
            "map j < B - A + (1 << A): j - (1 << A) in B - A",
            {"A": 2, "B": 1},
        ),
        ("map i < N: i in N", "map j < N: j in N - 1", {}),
        ("map i < N: i in N", "map j < N: j in N - 2", {"N": 1}),
    ],
)
def test_a_map_whose_box_has_no_extent_is_the_inverse_of_none(
    f: str, g: str, sizes: dict[str, int]
) -> None:
    verdict = prove.inverse(f, g)
    assert verdict.proved == (not sizes), verdict
    if verdict.counterexample is not None:
        assert verdict.counterexample.sizes == sizes
        assert "the box is -1" in verdict.reason


def test_what_has_no_value_is_found_where_the_search_in_order_ends_early() -> None:
    steps = "r = x//(2*2)*2; w = min(B*(A - B) - r, 2)"
    text = f"map x < B*(A - B)*2, y < A << A, z < A: {steps}; (r + x%4%w, y, z) in (B*A, A << A, A)"
    verdict = prove.bounded(text, where=["A != 1", "A != B + 1", "B % 2 == 0"])
    assert verdict.refuted, verdict
    assert verdict.counterexample is not None
    a, b = (verdict.counterexample.sizes[n] for n in "AB")
    assert b * (a - b) * 2 < 0


def test_powers_inside_the_bounds_of_powers_come_to_an_end() -> None:
    verdict = prove.holds("(A >> A) - A//8 > (1 | A)//(-3)")
    assert verdict.proved, verdict
    line = 'holds "(A >> A) - A//8 > (1 | A)//(-3)"'
    assert recheck(json.loads(json.dumps(verdict.certificate)), line, []).ok


# -- verdicts do not hang on names --------------------------------------------------

RELATIONS = (
    ("X%D + Y%D >= (X + Y)%D", ("-1 <= Y <= 4",)),
    ("X%D + Y%D >= (X + Y)%D", ("-1 <= Y <= 4", "X >= 0")),
    ("X//D + Y//D <= (X + Y)//D", ("-2 <= Y <= 3",)),
    ("(X + Y)//D <= X//D + Y//D + 1", ("0 <= Y <= 4",)),
)

NAMES = (("x", "y", "d"), ("y", "x", "d"), ("b", "a", "c"), ("c", "b", "a"), ("d", "Z", "_"))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("relation", "facts"), RELATIONS)
def test_what_the_solver_says_does_not_hang_on_names(relation: str, facts: tuple[str, ...]) -> None:
    asked = []
    for names in NAMES:
        table = str.maketrans(dict(zip("XYD", names)))
        told = [f.translate(table) for f in facts]
        verdict = prove.holds(relation.translate(table), where=told)
        asked.append((verdict.status, str(verdict.details)))
    assert len(set(asked)) == 1, asked


@pytest.mark.parametrize(
    ("relation", "facts", "sizes"),
    [
        ("(C ^ B) >> B + B < C >> (B == 2 ? 3 : B)", ["B < C"], {"C": 3, "B": 2}),
        ("(x << 63) >> 61 != 4*x + y//9", [], {"x": 1, "y": 1}),
        ("(x*18446744073709551617) % 18446744073709551616 < 5", [], {"x": 5}),
        ("((a | b)*(a | b)) % 16 != 9", ["a >= 2147483648", "b == 2147483649"], None),
    ],
)
def test_values_of_more_than_64_bits_do_not_end_the_search(relation, facts, sizes) -> None:
    verdict = prove.holds(relation, where=facts)
    assert verdict.refuted, verdict
    if sizes is not None:
        assert verdict.counterexample.sizes == sizes


# -- extremes, and powers in conditions --------------------------------------------------


@pytest.mark.parametrize(
    "relation",
    [
        "min(x, y)*max(x, y) == x*y",
        "x*y == max(y, x)*min(x, y)",
        "max(x, y)**2 + min(x, y)**2 == x*x + y*y",
        "min(x, y)*z == min(x*z, y*z)",
    ],
)
@pytest.mark.parametrize("facts", [(), ("x >= -3", "y >= -2", "x != 0")])
def test_products_of_extremes_are_proved_side_by_side(relation: str, facts) -> None:
    here = [f for f in facts if all(n in relation for n in f if n in "xyz")]
    verdict = prove.holds(relation, where=here)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer


@pytest.mark.parametrize(
    ("relation", "sizes"),
    [
        ("min(x, y)*max(x, y) == x*y + x//7*(y//5)", {"x": 7, "y": 5}),
        ("min(x, y)*max(x, x) == x*y", {"x": 1, "y": 2}),
    ],
)
def test_products_of_extremes_with_one_thing_wrong(relation: str, sizes: dict[str, int]) -> None:
    verdict = prove.holds(relation)
    assert verdict.counterexample is not None, verdict
    assert verdict.counterexample.sizes == sizes


def _holds_by_hand(m: int, n: int, k: int) -> bool:
    """Whether (i << (k - 2)) + j lies in [0, m << k) for all i < m, j < n."""
    if k < 2:
        return False
    return all((i << (k - 2)) + j < m << k for i in range(m) for j in range(n))


def test_a_condition_says_where_its_powers_have_a_value() -> None:
    made = sl.when.bounded("map i < M, j < N: (i << (K-2)) + j in M << K")
    assert made.exact
    assert made.text.startswith("K >= 2 and ")
    (term,) = made.relations
    for m, n, k in ((1, 4, 2), (1, 5, 2), (2, 7, 2), (2, 8, 2), (1, 1, 1), (1, 8, 3), (1, 9, 3)):
        at = f"M == {m}", f"N == {n}", f"K == {k}"
        true = all(prove.holds(f"{r} and M*N*K >= 1", where=at).proved for r in term)
        assert true == _holds_by_hand(m, n, k), (m, n, k)


def test_a_condition_repeats_nothing_that_is_known() -> None:
    made = sl.when.bounded("map i < M, j < N: (i << (K-2)) + j in M << K", where="K >= 2")
    assert made.exact
    assert "K >= 2" not in made.text
    again = sl.when.bounded("map i < M, j < N: (i << K) + j in M << K")
    assert again.text == "2**K >= N"


@pytest.mark.parametrize(
    ("left", "op", "right"),
    [
        ("(~(A // C))", "!=", "(C & A) << (4 & A)"),
        ("(~(A // C))", "<", "(C & A) << (4 & A)"),
        ("A // C", ">=", "0 - ((C & A) << (4 & A))"),
    ],
)
def test_sides_may_be_told_in_either_order(left: str, op: str, right: str) -> None:
    other = {"!=": "!=", "<": ">", ">=": "<="}[op]
    for text in (f"{left} {op} {right}", f"{right} {other} {left}"):
        assert prove.holds(text).proved, text


# -- a fact that says a power of two --------------------------------------------------

ONE_BIT = "N & (N - 1) == 0"

SWIZZLES = (
    "map r < R, c < N: r*N + (c ^ (r % N)) in R*N",
    "map r < R, c < N: r*N + (c ^ (r & (N-1))) in R*N",
    "map r < R, c < 8*N: r*8*N + ((c//8) ^ (r % N))*8 + c%8 in R*8*N",
    "map r < R, c < N: (r, c ^ (r % N)) in (R, N)",
)


@pytest.mark.parametrize("text", SWIZZLES)
@pytest.mark.parametrize("facts", [[ONE_BIT], ["0 == (N - 1) & N", "N >= 0"]])
def test_one_bit_alone_makes_a_swizzle_a_bijection(text: str, facts: list[str]) -> None:
    verdict = prove.bijective(text, where=facts)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)), f'bijective "{text}"', facts)
    assert answer.ok, answer


@pytest.mark.sample(3)
@pytest.mark.parametrize("text", SWIZZLES)
@pytest.mark.parametrize(
    "fact", ["N & (N - 2) == 0", "N & (N + 1) == 0", "N & (N - 1) != 0", "N > 1"]
)
def test_no_other_fact_does(text: str, fact: str) -> None:
    assert not prove.bijective(text, where=fact).proved
    certificate = json.loads(json.dumps(prove.bijective(text, where=ONE_BIT).certificate))
    certificate["facts"] = [fact]
    assert not recheck(certificate).ok


@pytest.mark.parametrize("low", [1, 2, 3, 4, 5, 16, 17])
def test_the_least_of_a_power_is_that_of_its_exponent(low: int) -> None:
    text = "map r < R, c < N: (c ^ (r & (N - 1)), r) in (N, R)"
    assert prove.bijective(text, where=[ONE_BIT, f"N >= {low}"]).proved
    least = next(n for n in range(low, 99) if n & (n - 1) == 0)
    bounded = f"map c < N if c < {least}: (c ^ 0*(c & (N - 1)), 0) in (N, 1)"
    assert prove.onto(bounded, where=[ONE_BIT, f"N >= {low}", f"N <= {least}"]).proved
    refuted = prove.bounded(
        "map c < N: (c + (c & (N - 1)), 0) in (N, 1)", where=[ONE_BIT, f"N >= {low}"]
    )
    if low > 1:
        assert refuted.counterexample is not None
        assert refuted.counterexample.sizes == {"N": least}


def test_a_quotient_that_a_fact_divides_is_no_quotient_itself() -> None:
    last = "(i*(i + 1)//2 + j if j < B*(B + 1)//2 else 0) in B*(B + 1)//2"
    text = f"map i < B, j < i + 1 if i*(i + 1)//2 + j < B*(B + 1)//2 - 1: {last}"
    for fact in ("(B*B + B)//2 % B == 0", "min(B, 7) % 3 == 0", "(B ^ 5) % 4 == 0"):
        assert not prove.injective(text, where=fact).refuted
    turned = "map i < B: (i, i + B*(B + 1)//2 // B) in (B, 2*B)"
    assert prove.injective(turned, where="(B*B + B)//2 % B == 0").proved


def test_a_counterexample_names_what_drops_out_as_well() -> None:
    found = prove.holds("(K + C) % (1 - 0) == K").counterexample
    assert found is not None
    assert found.sizes == {"K": 1, "C": 1}
    found = prove.holds("B < C - max(C, C)").counterexample
    assert found is not None
    assert found.sizes == {"B": 1, "C": 1}
    found = prove.holds(
        "(1 if K < 2 or not C % 1 == 0 else abs(K)) < 2 + 0*cdiv(C, 7)"
    ).counterexample
    assert found is not None
    assert found.sizes == {"K": 2, "C": 1}
    for text in ("0*C + K >= 1", "(C ^ C) + K >= 1", "K % 1 + C % 1 == 0"):
        verdict = prove.holds(text, where="C >= 3")
        assert verdict.proved
        assert recheck(
            json.loads(json.dumps(verdict.certificate)), f'holds "{text}"', ["C >= 3"]
        ).ok


def test_facts_that_write_a_size_by_itself_are_no_endless_recursion() -> None:
    text = (
        "map K <= x < K + s, r < M, K <= j < K + s if r == j - M and j//5 < K + N: "
        "min(r, K - 1) in M"
    )
    assert prove.bijective(text).refuted


def test_digits_that_fall_from_an_end_of_their_own_are_told_apart_by_a_common_one() -> None:
    """`-x` for x < k + 1 begins elsewhere for every k: strides beyond one row's reach are too small."""
    text = "map k < N, y < N - k, x < k + 1: (N*N {}1)*k + N*y - x"
    wrong = prove.injective(text.format("- N + "))
    assert wrong.refuted, wrong
    assert wrong.counterexample.sizes == {"N": 2}
    right = prove.injective(text.format("+ "))
    assert right.proved, right
    assert recheck(json.loads(json.dumps(right.certificate))).ok


@pytest.mark.parametrize("word", ["injective", "bounded", "valid", "onto", "bijective"])
@pytest.mark.parametrize("text", ["map r < M, x < 0: x + x in -1", "map x < -1: x in K"])
def test_a_number_below_0_is_no_extent_even_where_there_is_no_place(word: str, text: str) -> None:
    verdict = getattr(prove, word)(text)
    assert verdict.refuted, verdict
    assert "is -1" in verdict.reason


@pytest.mark.explore
@settings(max_examples=20)
@given(
    quotient=st.booleans(),
    slope=st.integers(1, 2),
    by=st.sampled_from(("i + 1", "2*i + 1", "i + K", "i*K + 1")),
    stride=st.integers(1, 8),
    scale=st.integers(-2, 3),
)
def test_a_size_by_a_coordinate_is_another_number_at_each(
    quotient: bool, slope: int, by: str, stride: int, scale: int
) -> None:
    """Digits of a size are sizes only where what divides it is one: else nothing begins there."""
    part = f"({slope}*K){'//' if quotient else '%'}({by})"
    for text in (f"{scale}*({part}) + {stride}*i", f"min({part}, 3) + {stride}*i"):
        verdict = prove.injective(f"map i < 5: {text}")
        for K in range(1, 25):
            values = [eval(text, {"i": i, "K": K, "min": min}) for i in range(5)]
            assert verdict.status != "proved" or len({*values}) == 5, (text, K)


@pytest.mark.parametrize(
    ("word", "text", "status"),
    [
        ("injective", "map i < 5: K%(i + 1) + i*2", "refuted"),
        ("injective", "map i < 5, j < 2: (K//(i + 1) + i*2, j)", "refuted"),
        ("injective", "map i < 1 if i != 0: K//i + i*2", "proved"),  # a point is none or one
        ("injective", "map i < M: (i + N//(i + 2))%M", "refuted"),  # no rotation by a number
        # i in digits by j + 1 tells nothing of j
        ("injective", "map i < N, j < M: q = i//(j + 1); i", "refuted"),
        ("injective", "map i < 4, j < 3: (i//(j + 1))*(j + 1) + i%(j + 1)", "refuted"),
        ("injective", "map i < 4, j < 3: q = i%(j + 1); 4*j + i", "proved"),
        ("onto", "map i < M: (0 if i < 1 else K//i) in K", "refuted"),
        ("onto", "map i < M: (i if i < 1 else (K + i)//i) in M", "refuted"),
        ("onto", "map i < 3 if i > 0: 1//i in 2", "proved"),
        ("onto", "map i < M//4, j < N if j == 0 or M//j > 1: 0 in (M//4)*N", "refuted"),
        ("onto", "map i < 8, 1 <= j < 4*P: j + 0%(i*K) in 32*P", "refuted"),
    ],
)
def test_what_divides_by_a_coordinate_is_answered(word: str, text: str, status: str) -> None:
    """Where a value is chosen for a coordinate a divisor may be 0: nothing is there then."""
    verdict = getattr(prove, word)(text)
    assert verdict.status == status, verdict
    if status == "proved":
        assert recheck(json.loads(json.dumps(verdict.certificate))).ok


PARTIAL = (  # all of them 0 wherever they have a value, which is not everywhere
    "0//j",
    "0%j",
    "0//(j - 2)",
    "0//(M - j - 1)",
    "8*(j//j) - 8",
    "8//j*0",
    "min(0//j, 0)",
    "(1 << (j - 1))*0",
)


@pytest.mark.parametrize("part", PARTIAL)
@pytest.mark.parametrize(
    "text",
    [
        "(j, (i + {s})%8)",
        "(j, ({s} - i)%8)",
        "(2*j, (i + {s})%8)",
        "(j, ((i + {s})%8)//2, (i + {s})%8%2)",
        "8*j + (i + {s})%8",
        "(j, i ^ ({s}))",
        "(j, (i ^ ({s}))%8)",
        "(j, 7 - (i + {s})%8)",
    ],
)
def test_what_a_coordinate_is_turned_by_has_a_value(text: str, part: str) -> None:
    """A rotation that goes by what has no value somewhere reaches nothing there."""
    for extent in ("4", "M"):
        written = f"map i < 8, j < {extent}, k < M: {text.format(s=part)[:-1]}, k)"
        if not text.startswith("("):
            written = f"map i < 8, j < {extent}, k < M: ({text.format(s=part)}, k)"
        assert prove.injective(written).status == "refuted", written


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("map i < M, j < N: (i, (j if i%2 == 0 else N - 1 - j))", "proved"),
        ("map i < M, j < 2: (i, (j if i%3 == 0 else 1 - j))", "proved"),
        ("map i < N, j < M: (i if j < K else N - i, j)", "proved"),
        ("map i < N, j < M: (i if i < K else 2*i, j)", "proved"),
        ("map i < 2*M, j < 4: (((i + 1)%(2*M) if j < M else i), j)", "proved"),
        ("map i < N, j < M: (i if i < K else K - 1, j)", "refuted"),
        ("map i < M, j < N: (i//2, (j if i%2 == 0 else N - 1 - j))", "refuted"),
    ],
)
def test_rows_there_and_back_need_no_box(text: str, status: str) -> None:
    """Both branches have an end: what a conditional comes to is less than the larger one."""
    verdict = prove.injective(text)
    assert verdict.status == status, verdict
    if status == "proved":
        assert recheck(json.loads(json.dumps(verdict.certificate))).ok
