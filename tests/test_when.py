"""Conditions: what must be required of sizes for a claim to hold, and that nothing more is said."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any

import conditions
import numpy as np
import pytest
from conditions_known import KNOWN, Known
from soundness.arithmetic import holds as plainly
from soundness.claims import claim
from soundness.judging import Claim
from soundness.layouts import Nested
from soundness.truth import Injective, order_of

import symlayout as sl
from symlayout.__main__ import main
from symlayout.errors import LayoutError

LOOKED = 200  # assignments of each known claim


def asked(known: Known) -> Any:
    return getattr(sl.when, known.word)(*known.args, **known.options)


@cache
def asked_once(number: int) -> Any:
    return asked(KNOWN[number])


def true_at(relations: list[list[str]], sizes: dict[str, int]) -> bool:
    """The condition in plain integers."""
    env = {n: [v] for n, v in sizes.items()}
    return any(all(bool(plainly(text, _arrays(env), 1)[0]) for text in t) for t in relations)


def _arrays(env: dict[str, list[int]]) -> dict[str, Any]:
    return {n: np.array(v, dtype=object) for n, v in env.items()}


@pytest.mark.sample(5)
@pytest.mark.parametrize(("number", "known"), list(enumerate(KNOWN)), ids=str)
def test_the_condition_is_the_weakest_one_and_as_short_as_it_can_be(
    number: int, known: Known
) -> None:
    made = asked_once(number)
    assert made.exact, made
    assert made.text == known.text
    seen = 0
    for values in islice(_spread(list(product(*known.box.values()))), LOOKED):
        sizes = dict(zip(known.box, values))
        assert true_at(made.relations, sizes) == known.truth(**sizes), sizes
        seen += 1
    assert seen >= 6


def _spread(rows: list[Any]) -> list[Any]:
    """Some of the rows, from the first to the last."""
    return rows[:: max(1, len(rows) // LOOKED)]


# [a layout or a map, the condition]: the weakest is not known, and no size is left one value
GENERAL = [
    ("(M,N):(S,T)", "S + T > M*S or S + T > N*T"),
    ("map i < M, j < N: i*S + j*T", "S + T > M*S or S + T > N*T"),
    ("(M,N,K):(S,T,1)", "(T >= K and S + T >= K + N*T) or (S >= K and S + T >= K + M*S)"),
    ("map i < M, j < N, k < K: i*S + j*T + k",
     "(T >= K and S + T >= K + N*T) or (S >= K and S + T >= K + M*S)"),
]  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize(("claim", "text"), GENERAL)
def test_a_condition_that_is_not_exact_is_one_of_strides_and_reaches(claim: str, text: str) -> None:
    made = sl.when.injective(claim)
    assert (made.text, made.strength) == (text, "sufficient")
    seen = 0
    for m, n, k, s, t in product((1, 2, 3), (1, 2, 3), (1, 2), range(1, 7), range(1, 7)):
        if true_at(made.relations, {"M": m, "N": n, "K": k, "S": s, "T": t}):
            depth = k if "K" in claim else 1
            places = [i * s + j * t + x for i in range(m) for j in range(n) for x in range(depth)]
            assert len({*places}) == len(places)
            seen += 1
    assert seen > 100


@pytest.mark.explore
def test_random_conditions_are_those_of_brute_force_in_a_larger_box() -> None:
    seen = 0
    for n in range(30):
        drawn = claim(11, n)
        answer = conditions.answered(drawn, random.Random(f"short/{n}"), certificates=n % 3 == 0)
        assert not answer.problem, f"{drawn}: {answer.strength} {answer.text}, {answer.problem}"
        seen += answer.seen
    assert seen > 5_000


@pytest.mark.parametrize(
    ("strength", "relations", "problem"),
    [
        ("exact", [["P >= M"], ["N == 1"]], ""),
        ("exact", [["P >= M"]], "holds at"),
        ("exact", [["P >= M"], ["N <= 2"]], "fails at"),
        ("sufficient", [["P >= M"]], ""),
        ("sufficient", [["P >= M - 1"]], "fails at"),
        ("necessary", [["P >= M - 1"], ["N == 1"]], ""),
        ("necessary", [["P >= M"]], "holds at"),
        ("vacuous", [], "the facts hold"),
        ("exact", [["P >= M", "P % 0 == 0"], ["N == 1"]], "holds at"),
    ],
)
def test_the_comparison_sees_what_is_wrong(
    strength: str, relations: list[list[str]], problem: str
) -> None:
    layout = Nested.of(("M", "N"), ("1", "P"))
    asked = Claim("injective", (layout.text,), (), Injective(order_of(layout), layout))
    found, _ = conditions.compared(asked, strength, relations, random.Random(0))
    assert found.startswith(problem)
    assert bool(found) == bool(problem)


# -- what looks exact among small sizes ------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "args", "where", "text"),
    [
        # thresholds far beyond what is looked at
        ("holds", ("N % 1000 == N",), [], "N <= 999"),
        ("holds", ("N*N*N < 10**12",), [], "N <= 9999"),
        ("bounded", ("f32[M,N,K]{2,1,0}", "2**31"), [], "K*M*N <= 2**31"),
        # signs, and arrays that may be empty
        ("injective", ("(M):(S)",), ["S >= -5"], "S != 0 or M == 1"),
        ("injective", ("(M):(S)",), ["S >= 0", "M >= 0"], "S >= 1 or M == 1 or M == 0"),
        ("onto", ("(M,N):(1,P)",), ["M >= 0", "P >= 0"], "P <= M or N == 1 or M == 0"),
        ("equal", ("f32[M,N]{1,0}", "f32[M,N]{0,1}"), ["M >= 0", "N >= 0"], "M <= 1 or N <= 1"),
        # where something is undefined, the claim fails
        ("equal", ("f32[N-4]{0}", "f32[N-4]{0}"), [], "N >= 4"),
        ("bijective", ("f32[N-4,N-4]{1,0}",), [], "N >= 4"),
        ("divides", ("t", "N"), ["t >= 0"], "t >= 1 and N % t == 0"),
        ("divides", ("t", "N"), ["t >= -3"], "t != 0 and N % t == 0"),
        ("holds", ("M%N >= 0",), ["N >= 0", "N != M"], "N >= 1"),
        ("holds", ("N == N%M",), ["M >= 0"], "N < M"),
        ("holds", ("N == N%M",), ["M >= 0", "N >= M"], "never"),
        ("formula", ("f32[N]{0}", "i//t*t + i%t"), ["t >= 0"], "t >= 1"),
        ("formula", ("f32[N]{0:T(t)}", "i//t*t + i%t"), ["t >= 0"], "t >= 1"),
        # everywhere, nowhere
        ("equal", ("zN(f16,R,C)", "f16[R,C]{0,1:T(16,16)(16,1)}"), [], "always"),
        ("holds", ("N == N + 1",), [], "never"),
        ("onto", ("(4,8):(1,16)",), [], "never"),
        ("broadcast", ("f32[M,N]", "f32[K]"), [], "never"),
        ("broadcast", ("f32[M,N]", "f32[K]", "0,1"), [], "never"),
        ("injective", ("f32[4]{0}",), [], "always"),
        # the facts bound what is meant
        ("equal", ("f32[M,N]{1,0}", "f32[M,N]{0,1}"), ["M >= 2"], "N == 1"),
        ("formula", ("f32[M,N]{1,0:T(8,128)}", "i*N + j"), ["M == 1"], "N <= 128"),
    ],
)
def test_conditions_beyond_small_sizes(
    word: str, args: tuple[str, ...], where: list[str], text: str
) -> None:
    made = getattr(sl.when, word)(*args, where=where)
    assert (made.text, made.exact) == (text, True)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("word", "args", "facts"),
    [
        ("divides", ("M", "N"), ["M >= 0"]),
        ("divides", ("M-N", "N"), []),
        ("padding", ("s8[K//2,max(N,M),4]{1,2,0:T(M,2*K)(4,1)}", "3/2"), ["M >= 0", "K != 2"]),
        ("onto", ("s8[K//N,(N | 1)]{1,0:T(K,8)(2,1)}",), ["N >= 8", "K >= 0"]),
        ("onto", ("f32[N]{0:T(N%8)}",), ["N != 2"]),
        ("bijective", ("f32[N,M]{1,0:T(N%8,M//4)}",), ["M >= 0"]),
    ],
)
def test_a_condition_has_a_value_at_all_sizes(
    word: str, args: tuple[str, ...], facts: list[str]
) -> None:
    made = getattr(sl.when, word)(*args, where=facts)
    assert any("%" in r or "ceildiv" in r for term in made.relations for r in term)
    admitted = 0
    for M, N, K in product(range(17), range(1, 17), range(17)):
        env = {"M": M, "N": N, "K": K, "ceildiv": lambda a, b: -(-a // b), "max": max}
        if all(eval(f, {}, env) for f in facts) and all(
            env[n] or any(f.startswith(f"{n} >=") for f in facts) for n in "MK"
        ):
            admitted += 1
            for term in made.relations:  # all of them are looked at up to the first that is false
                all(eval(r, {}, env) for r in term)
    assert admitted


def test_a_remainder_of_a_sum_is_that_of_its_size() -> None:
    made = sl.when.onto("s4[min(N,K),3*M+3]{1,0:T(16)}", where="N % 3 == 0")
    assert made.relations == [["M % 16 == 15"]]


@pytest.mark.parametrize(
    ("word", "args", "text"),
    [
        ("formula", ("f32[M,N]{1,0}", "i*N + j + i//j"), "never"),
        ("formula", ("f32[M,N]{1,0}", "i*N + j + i//(j - 3)"), "M == 1 and N <= 3"),
        ("formula", ("f32[M,N]{1,0}", "i*N + j//(N - 1 - j)"), "never"),
        ("bounded", ("map i < M, j < N: i//j in K",), "never"),
        ("bounded", ("map i < M, j < N if j > 0: i//j in K",), "M <= K or N == 1"),
        ("injective", ("map i < M, j < N if j > 0: i%j + M*j",), "M == 1 or N == 1"),
        ("bounded", ("map i < M: (0 if i < 1 else (K + 1)//i) in K",), "M == 1"),
        ("bounded", ("map i < M: i//(i - K) in M",), "M == 1"),
        ("equal", ("map i < M: M//i", "map i < M: M//i"), "never"),
        ("inverse", ("map i < M: M//i in M", "map i < M: M//i in M"), "never"),
        ("injective", ("(K,4,P):(-1,0,P)",), "never"),
        ("bounded", ("(K,4,P):(-1,0,1)", "P"), "K == 1"),
    ],
)
def test_what_divides_by_a_coordinate_or_has_a_stride_of_zero_has_a_condition_too(
    word: str, args: tuple[str, ...], text: str
) -> None:
    """Where a coordinate is put in, a divisor may be the number 0: there is no value there."""
    made = getattr(sl.when, word)(*args)
    assert (made.text, made.exact) == (text, True)


def test_what_stands_in_a_branch_that_is_not_taken_divides_by_nothing() -> None:
    made = sl.when.formula("f32[M,N]{1,0}", "i*N + j + (j//(N - 5)*0 if N > 5 else M - 3)")
    assert made.sufficient
    assert "divides" not in made.reason


def test_a_ceiling_that_is_even_splits_what_is_tiled() -> None:
    tiled, even = "f32[ceildiv(K,2),N]{0,1:T(2)L(3)}", "ceildiv(K,2) % 2 == 0"
    assert sl.prove.bijective(tiled, where=even).refuted


def test_facts_that_contradict_each_other_make_no_condition() -> None:
    made = sl.when.equal("f32[N]{0}", "f32[N]{0}", where=["N == 2", "N == 3"])
    assert made.strength == "vacuous"
    assert [made.exact, made.sufficient, made.necessary] == [False] * 3


def test_a_condition_has_no_truth_value_and_its_texts_are_facts() -> None:
    made = sl.when.injective("(M,N):(1,P)")
    with pytest.raises(TypeError):
        bool(made)
    assert made.relations == [["P >= M"], ["N == 1"]]
    for term in made.relations:
        assert sl.prove.injective("(M,N):(1,P)", where=term).proved


@pytest.mark.parametrize("known", KNOWN[::9], ids=str)
def test_other_names_change_nothing_but_names(known: Known) -> None:
    names = sorted({*known.box})
    table = dict(zip(names, [f"{c}_{k}" for k, c in enumerate(reversed(names))]))

    def put(text: str) -> str:
        return re.sub(r"\b[A-Za-z_]\w*\b", lambda m: table.get(m.group(), m.group()), text)

    def told(word: str, args: tuple[str, ...], options: dict[str, Any]) -> Any:
        return getattr(sl.when, word)(*args, **options)

    where = {n: [put(w) for w in v] if n == "where" else v for n, v in known.options.items()}
    other = told(known.word, tuple(map(put, known.args)), where)
    assert other.exact
    for values in islice(_spread(list(product(*known.box.values()))), 60):
        sizes = dict(zip(known.box, values))
        renamed = {table[n]: v for n, v in sizes.items()}
        assert true_at(other.relations, renamed) == known.truth(**sizes), (other.text, sizes)


def test_one_claim_has_one_condition_whatever_was_asked_before() -> None:
    first = [str(asked(k)) for k in KNOWN[:4]]
    again = [str(asked(k)) for k in reversed(KNOWN[:4])][::-1]
    assert first == again


# -- the command line ------------------------------------------------------------------------------


def test_the_proofs_of_both_directions_are_rechecked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "proofs")
    assert main(["when", "injective", "(M,N):(1,P)", "--certificates", folder]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "exactly when: P >= M or N == 1"
    assert "only if proved (certificate)" in out
    files = sorted(p.name for p in Path(folder).iterdir())
    assert files == ["if-1.json", "if-2.json", "only-if-1.json"]
    assert main(["recheck", *[f"{folder}/{f}" for f in files]]) == 0


def test_json_has_the_condition_and_what_was_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["when", "divides", "t", "N", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["relations"] == [["N % t == 0"]]
    assert made["exact"] is True
    assert [row["verdict"] for row in (*made["if"], *made["only_if"])] == ["proved", "proved"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("argv", "code", "out"),
    [
        (["holds", "N == N"], 0, "always"),
        (["holds", "N == N + 1"], 0, "never"),
        (["holds", "N > 2", "--where", "N < 1"], 1, "vacuous:"),
        (["injective", "(M,N):(S,T)"], 1, "holds if:"),
        (["bijective", "Swizzle(2,1,3) o 0 o (M,N):(1,M)"], 1, "fails unless: M*N % 8 == 0\n"),
        (["--help"], 0, "usage:"),
        (["injective", "--help"], 0, "usage:"),
    ],
)
def test_the_head_and_the_exit_code(
    argv: list[str], code: int, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["when", *argv]) == code
    assert capsys.readouterr().out.startswith(out)


@pytest.mark.parametrize(
    "argv",
    [["nonsense", "A"], ["injective"], ["holds", "N ="], ["holds", "N > 1", "--certificates"]],
)
def test_bad_usage_is_an_error_like_any_other(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["when", *argv]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_refuted_claim_says_what_mends_it_unless_told_not_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    claim = ["prove", "equal", "f32[M,N]{1,0}", "f32[M,N]{0,1}"]
    assert main(claim) == 1
    assert capsys.readouterr().out.endswith("  help: it holds exactly when M == 1 or N == 1\n")
    assert main([*claim, "--no-hints"]) == 1
    assert "help" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "claim",
    ["M*2 >= N + 1", "i*D + j != 40", "M*N % 8 == 0", "N <= 7 and M < 3", "M % (N*N + 1) != 3"],
)
def test_no_hint_repeats_what_a_claim_says_itself(
    claim: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", "holds", claim]) == 1
    assert "help" not in capsys.readouterr().out


def test_hints_are_for_the_first_refuted_claims_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"[[claim]]\nprove = \"holds '2*N <= {2 * k}'\"\n" for k in range(3, 15)]
    Path("a.layout.toml").write_text("".join(rows))
    assert main(["check", "a.layout.toml", "--no-cache"]) == 1
    shown = [x.strip() for x in capsys.readouterr().out.splitlines() if "help:" in x]
    assert shown == [f"help: it holds exactly when N <= {k}" for k in range(3, 8)]
    assert main(["check", "a.layout.toml", "--no-cache", "--no-hints"]) == 1
    assert "help:" not in capsys.readouterr().out


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("word", "args", "text", "truth"),
    [
        (
            "injective",
            ("composition((M,N):(N,1), (K):(2))",),
            "2*K - 1 <= M or (M == 2 and K <= N) or (M == 2 and K <= 2)",
            lambda M, N, K: len({(2 * c) % M * N + 2 * c // M for c in range(K)}) == K,
        ),
        (
            "equal",
            ("composition((M,N):(N,1), (K):(1))", "(K):(N)"),
            "K <= M or (N == 1 and M == 1)",
            lambda M, N, K: all(c % M * N + c // M == c * N for c in range(K)),
        ),
    ],
)
def test_what_an_operation_needs_is_part_of_the_condition(
    word: str, args: tuple[str, ...], text: str, truth: Callable[..., bool]
) -> None:
    made = getattr(sl.when, word)(*args)
    assert (made.text, made.strength) == (text, "sufficient")
    for sizes in product(range(1, 8), repeat=3):
        named = dict(zip(("M", "N", "K"), sizes))
        assert truth(**named) or not true_at(made.relations, named)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("injective", "logical_product(1:M, (2*M,M):(2,3))"),
        ("injective", "logical_divide((P,2*P):(2*P,1), (P,4):(1,P))"),
        ("bijective", "logical_divide((2,N):(N,2), (N,K))"),
    ],
)
def test_modes_of_modes_are_looked_at_by_other_coordinates_than_their_dimensions(
    word: str, text: str
) -> None:
    """A counterexample has a coordinate for each dimension, which may be of several modes."""
    assert getattr(sl.when, word)(text).strength in ("sufficient", "exact", "unknown")


def test_an_operation_that_no_fact_makes_possible_is_an_error() -> None:
    with pytest.raises(LayoutError, match="SL800"):
        sl.when.injective("composition((3,5):(5,1), (4):(2))")


@pytest.mark.sample(1)
@pytest.mark.parametrize("text", ["(M,2,N):(M,1,K)", "(M,3,N):(M,1,K)", "(2,M,N):(1,M,K)"])
def test_a_dimension_of_one_place_is_told_apart_where_no_form_is_found_without(text: str) -> None:
    """The stride M is of no one place where M is 1: only the proof can say that."""
    made = sl.when.injective(text)
    assert made.strength == "sufficient"
    shape, strides = (row.strip("()").split(",") for row in text.split(":"))
    for numbers in product(range(1, 5), range(1, 4), range(1, 14)):
        sizes = dict(zip("MNK", numbers))
        extents, steps = ([sizes.get(x) or int(x) for x in row] for row in (shape, strides))
        places = product(*map(range, extents))
        offsets = [sum(i * s for i, s in zip(place, steps)) for place in places]
        assert len(offsets) == len(set(offsets)) or not true_at(made.relations, sizes)
