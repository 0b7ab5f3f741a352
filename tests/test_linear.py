"""Linear layouts over F2: what they are, their algebra, and what is proved of them by rank."""

from __future__ import annotations

import pytest
from certificates import seal

from symlayout import LayoutError, parse, prove, recheck


@pytest.mark.parametrize("many", ["1", "m"])
def test_linear_layouts_meet_at_0(many):
    verdict = prove.disjoint(
        f"linear a [[1,0],[2,0]] -> x 4, y 2**{many}",
        f"linear a [[1,0]], b [[0,1]*2**{many}] -> x 4, y 2**{many}",
    )
    assert verdict.refuted
    assert verdict.counterexample.coords == (0,)
    assert verdict.counterexample.other == (0, 0)


def test_many_bits_are_no_more_work():
    rows = ",".join(f"[{1 << k}]" for k in range(60))
    assert prove.bijective(f"linear offset [{rows}]").proved
    twice = prove.injective(f"linear offset [{rows}], lane [[1]]")
    assert twice.refuted
    assert twice.counterexample.other == (1, 0)
    assert prove.onto(f"linear offset [{rows}] -> {1 << 61}").refuted


def test_a_forged_rank_is_refused():
    made = prove.bijective("linear lane [[1,0],[0,1]]").certificate
    for text in ("linear lane [[1,0],[1,0]] -> 2, 2", "linear lane [[1,0],[0,1]] -> 2, 4"):
        assert not recheck(about(made, text)).ok
    assert not recheck(about(made, "map i < 2, j < 2: (i, j) in (2, 2)")).ok
    assert recheck(about(made, "linear lane [[0,1],[1,1]] -> 2, 2")).ok


def about(certificate, text):
    """The same certificate of another claim, with its own seal."""
    made = {**certificate, "claim": {**certificate["claim"], "arguments": [text]}}
    return {**made, "seal": seal(made)}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("linear lane [[1,0],[2]]", "SL403"),
        ("linear lane [[1]], lane [[2]]", "SL201"),
        ("linear if [[1]]", "SL201"),
        ("linear lane [[1]] -> a 2, a 2", "SL201"),
        ("linear lane [[1]] -> 3", "SL403"),
        ("linear lane [[1]] -> 0", "SL403"),
        ("linear lane [[2]] -> 2", "SL403"),
        ("linear lane [[-1]]", "SL101"),
        ("linear lane [[1,]]", "SL101"),
        ("linear lane [[1]] x", "SL101"),
        ("linear lane [[1]", "SL101"),
        ("linear lane [[N]]", "SL101"),
        ("linear lane [[1]] -> N", "SL101"),
        (f"linear lane [[{10**30}]]", "SL204"),
        (f"linear lane [{','.join(['[1]'] * 64)}]", "SL204"),
        (f"linear lane [{','.join(['[1]'] * 70)}]", "SL204"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code
