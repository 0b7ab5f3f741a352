"""Index functions: reading, printing, and values in plain integers."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from symlayout import LayoutError, parse, prove

GROUPED = (
    "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G); "
    "(first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)"
)
TEXTS = [
    GROUPED,
    "map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%8 in R*64",
    "map b < ceildiv(n, B), t < B if b*B + t < n: b*B + t in n",
    "map i < N, j < i + 1: i*(i+1)//2 + j",
    "map -2 <= i < 3 if i != 0 and not (i < 0 or i > N): (i + 2,) in (5,)",
    "map i < N: i % 2 == 0 ? i/2 : (N - 1) - i/2 in N",
    "map i < N: (i//k if k != 0 else i) in N",
    "map i < N: ~i & 6 | -i",
    "map i < 4: (i, 3 - i if i > 1 or i == 0 else abs(i - 2))",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_printed_reads_back(text: str) -> None:
    made = parse(text)
    assert parse(str(made)) == made
    assert str(parse(str(made))) == str(made)


@pytest.mark.parametrize(
    ("text", "sizes", "meaning"),
    [
        ("map i < N: i % 2 == 0 ? i/2 : (N - 1) - i/2", {"N": 7},
         lambda i: i // 2 if i % 2 == 0 else 6 - i // 2),
        ("map -5 <= i < N: i//3*10 + i%3", {"N": 6}, lambda i: i // 3 * 10 + i % 3),
        ("map -5 <= i < N: i/3*10 + i%3", {"N": 6}, lambda i: int(i / 3) * 10 + i - 3 * int(i / 3)),
        ("map -9 <= i < N: ~i & 6 | -i ^ 3", {"N": 9}, lambda i: ~i & 6 | -i ^ 3),
        ("map -4 <= i < N: 7//i if i else_ 0".replace("if i else_", "if i != 0 else"), {"N": 4},
         lambda i: 7 // i if i != 0 else 0),
        ("map i < N: a = i*2; b = a if a < 5 && i != 1 else -a; a*b", {"N": 6},
         lambda i: i * 2 * (i * 2 if i * 2 < 5 and i != 1 else -i * 2)),
        ("map i < N: (i < 3) ? (i < 1 ? 5 : 6) : i > 4 ? 7 : 8", {"N": 7},
         lambda i: [5, 6, 6, 8, 8, 7, 7][i]),
    ],
)  # fmt: skip
def test_values(text: str, sizes: dict[str, int], meaning: Callable[[int], int]) -> None:
    made = parse(text)
    low = int(made.variables[0].low)
    points = list(made.points(sizes))
    assert points == [(i,) for i in range(low, sizes["N"])]
    assert [made.at(p, sizes) for p in points] == [(meaning(i),) for (i,) in points]


def test_the_guard_and_ranges_of_variables_before() -> None:
    made = parse("map i < N, j < i if i != 2 and (j == 0 or 6 // j > 2): (i, j)")
    wanted = [(i, j) for i in range(5) for j in range(i) if i != 2 and (j == 0 or 6 // j > 2)]
    assert list(made.points({"N": 5})) == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("map i: i", "expected a range"),
        ("map i < N: i = 3; i", "has a meaning already"),
        ("map i < N: k = j; j = 3; k", "is used above it"),
        ("map i < N, i < M: i", "has a meaning already"),
        ("map i < N: i in i", "which is not a size"),
        ("map i < N: (i, i) in 3", "1 size of the box for 2 results"),
        ("map i < N: x = 2 i", "expected ';'"),
        ("map i < N if i: i", "a condition compares two sides"),
        ("map i < N: i // 2 + i / 2", "use one"),
        ("map i < N: uint16(i)", "nothing may follow|not known"),
    ],
)
def test_errors_say_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(LayoutError, match=said):
        parse(text)


def test_bits_are_for_every_expression() -> None:
    assert prove.formula("f32[N]{0}", "i ^ 0").proved
    assert prove.formula("f32[N]{0}", "i ^ 1").refuted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("map i < N if " + " and ".join(["i < 3"] * 3000) + ": i", "more than 100 comparisons"),
        ("map i < N if " + " < ".join(["i"] * 3000) + ": i", "more than 100 comparisons"),
        ("map i < N if " + "(" * 300 + "i < 3" + ")" * 300 + ": i", "more than 100 nested"),
        ("map i < N: " + "1 if i < 3 and i < 2 else " * 30 + "2", "more than 2000 parts"),
        ("map i < N: " + "(i < 3 ? 1 : " * 120 + "2" + ")" * 120, "nested"),
        ("map i < N: " + "".join(f"q{k} = i; " for k in range(300)) + "i", "200 definitions"),
        ("map i < N if ! i < 3: i/2", "binds tighter"),
        ("map i <= N: i", "expected '<'"),
        ("map i < N: i\x00", "nothing may follow"),
        ("map i < N: \u202ei", "ASCII"),
    ],
)
def test_what_is_too_much_or_odd_is_told_at_once(text: str, said: str) -> None:
    start = time.perf_counter()
    with pytest.raises(LayoutError, match=said):
        parse(text)
    assert time.perf_counter() - start < 5


def test_a_map_of_arithmetic_is_an_index_map() -> None:
    assert prove.equal("map i < M, j < N: i*N + j in M*N", "f32[M,N]{1,0}").proved
    assert prove.formula("map i < M*N: i//N*N + i%N in M*N", "i").proved
    assert prove.bijective("map i < N: N - 1 - i in N").proved
    assert prove.bijective("map i < N: N - i in N").refuted
    assert prove.equal("map i < N: i", "f32[N]{0}").proved
    assert prove.equal("map i < N: i", "f32[M]{0}").refuted
