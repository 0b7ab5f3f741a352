"""Clamps, reflections and programs that are dealt out: proved for all sizes, and certified."""

from __future__ import annotations

import json
from itertools import product

import pytest

from symlayout import prove, recheck

NEAR = "map i < N, k < 2*R + 1: "

DEALT = "map p < P: x = p % X; l = p // X; "

SHORT = f"{DEALT}s = P//X; t = P % X; "

TALL = f"{DEALT}c = cdiv(P,X); t = (X if P % X == 0 else P % X); "


def _certified(word: str, text: str, where: list[str]) -> None:
    verdict = getattr(prove, word)(text, where=where)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer.failures


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("map i < N: max(i - K, 0) in N", ["K >= 0"]),
        (f"{NEAR}min(max(i + k - R, 0), N - 1) in N", ["R >= 0"]),
        (f"{NEAR}(min(max(i + k - R, 0), N - 1), k) in (N, 2*R + 1)", []),
        (f"{NEAR}x = abs(i + k - R); (x if x < N else 2*(N - 1) - x) in N", ["0 <= R < N"]),
        ("map i < N, j < M: max(j - 1, 0) + M*max(i - 1, 0) in N*M", []),
        ("map i < N, k < K: (max(i + k - R, 0), 0) in (N + K, 1)", ["R >= 0"]),
    ],
)
def test_a_clamp_stays_inside(text: str, where: list[str]) -> None:
    _certified("bounded", text, where)


@pytest.mark.parametrize(
    "text",
    [
        f"{NEAR}min(max(i + k - R, 0), N) in N",
        f"{NEAR}max(i + k - R, 0) in N",
        f"{NEAR}x = abs(i + k - R); (x if x < N else 2*N - x) in N",
    ],
)
def test_a_wrong_clamp_is_refuted(text: str) -> None:
    assert prove.bounded(text, where="0 <= R < N").refuted


@pytest.mark.parametrize(
    "text",
    [
        f"{SHORT}(x*(s + 1) + l if x < t else t*(s + 1) + (x - t)*s + l) in P",
        f"{DEALT}x*(P//X) + min(x, P % X) + l in P",
        f"{TALL}(x*c + l if x < t else t*c + (x - t)*(c - 1) + l) in P",
    ],
)
@pytest.mark.parametrize("dies", ["X", "8"])
def test_programs_are_dealt_out_once_each(text: str, dies: str) -> None:
    _certified("bijective", text.replace("X", dies), [])


@pytest.mark.parametrize(
    "text",
    [
        f"{DEALT}x*(P//X) + l in P",
        f"{SHORT}(x*(s + 1) + l if x < t else t*s + (x - t)*s + l) in P",
        f"{TALL}(x*c + l if x < t else t*c + (x - t)*c + l) in P",
    ],
)
def test_programs_dealt_out_wrongly(text: str) -> None:
    verdict = prove.bijective(text)
    assert verdict.refuted
    assert verdict.counterexample is not None
    sizes = verdict.counterexample.sizes
    product_of_sizes = sizes["P"] * sizes["X"]

    def places(p: int, x: int) -> list[int]:
        body = text.removeprefix("map p < P: ").removesuffix(" in P")
        *lets, result = body.split("; ")
        found = []
        for program in range(p):
            env = {"P": p, "X": x, "p": program, "cdiv": lambda a, b: -(-a // b)}
            for one in lets:
                name, _, e = one.partition(" = ")
                env[name] = eval(e, {}, env)
            found.append(eval(result, {}, env))
        return sorted(found)

    assert places(sizes["P"], sizes["X"]) != list(range(sizes["P"]))
    for p, x in product(range(1, product_of_sizes), repeat=2):
        if p * x < product_of_sizes:
            assert places(p, x) == list(range(p)), (p, x)


def test_a_certificate_for_facts_that_contradict_in_digits() -> None:
    verdict = prove.holds("((a)) ^ (a >> 1) >= 0", where=["a // 2 == a", "-3 <= a <= 3"])
    assert verdict.proved
    made = verdict.certificate
    assert made is None or recheck(json.loads(json.dumps(made))).ok


GROUPED = "map p < M*N: f = p//(K*N)*K; w = min(M - f, K); (f + p%(K*N)%w, p%(K*N)//w) in (M, N)"

TILES = "cdiv(M,B)*cdiv(N,D)"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("text", "where"),
    [
        (GROUPED.replace("K", "(K+1)"), []),
        (GROUPED.replace("N", "(N+1)").replace("K", "(2*K+1)"), []),
        (GROUPED.replace("N", "(N & -4)"), ["N >= 4"]),
        (GROUPED.replace("N", "(1 << N)"), []),
        (f"map w < W, i < cdiv({TILES} - w, W): w + i*W in {TILES}", []),
        ("map i < M ^ 1, j < N, k < K: i + (M ^ 1)*(j + k*N) in N*(M ^ 1)*K", []),
        (
            "map t < M*(N & -4), x < N: t//(N & -4)*(N & -4)*N + t%(N & -4)*N + x in M*(N & -4)*N",
            [],
        ),
    ],
)
def test_expressions_in_the_place_of_sizes(text: str, where: list[str]) -> None:
    _certified("bijective", text, where)


@pytest.mark.parametrize(
    ("word", "text", "where"),
    [
        ("bijective", "map s < K, t < -(-N//K) if s * -(-N//K) + t < N: t + s * -(-N//K) in N", []),
        ("injective", "map s < K, i < -(-(N - s)//K): s + i*K in N", []),
        ("onto", "map s < K, t < -(-N//K) if s*cdiv(N, K) + t < N: t + s * -(-N//K) in N", []),
        ("bounded", "map i < M, j < N & -4: i - j + N - 1 in N + M - 1", []),
        ("bounded", "map i < (M if M > N else N), j < K: i*K + j in max(M, N)*K", []),
        ("injective", "map p < M*N: x = p % N; y = p//N; (y, (x + y) % N) in (M, 8)", []),
        ("injective", "map i < M, j < N: (i//4, i%4, j + 2) in (M, 4, N)", []),
    ],
)
def test_ceilings_as_python_has_them_and_boxes_that_are_too_small(
    word: str, text: str, where: list[str]
) -> None:
    _certified(word, text, where)


@pytest.mark.parametrize(
    "text",
    [
        "map i < M, j < N: (i, j) in (M, N - M)",
        "map i < M, j < N: (i, j//2) in (M, N)",
        "map s < K, i < -((N - s)//K): s + i*K in N",
    ],
)
def test_a_box_below_0_and_places_that_meet_are_refuted(text: str) -> None:
    assert prove.injective(text).refuted
