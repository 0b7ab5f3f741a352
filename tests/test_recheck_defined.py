"""Where a text is defined, as `recheck` asks it: wherever Python's own operators have a value."""

from __future__ import annotations

import json
import random
from itertools import product

import pytest
from certificates import seal
from hypothesis import given, settings
from hypothesis import strategies as st
from soundness import maps

from symlayout import prove, recheck
from symlayout.errors import LayoutError

SEEDS = st.integers(0, 10**9)


@pytest.mark.explore
@settings(max_examples=60)
@given(SEEDS)
def test_a_claim_that_is_certified_has_a_value_at_every_point(seed: int) -> None:
    rng = random.Random(seed)
    word = rng.choice(["bounded", "injective", "bijective", "valid", "equal"])
    m = maps.drawn(rng)
    maps_of = maps.same(rng) if word == "equal" else (maps.vanished(rng, m),)
    texts = [x.text for x in maps_of]
    try:
        verdict = getattr(prove, word)(*texts)
        made = verdict.certificate if verdict.proved else None
    except LayoutError:
        return
    if made is None or not recheck(json.loads(json.dumps(made))).ok:
        return
    names = maps.sizes_in(*texts)
    for sizes in product((1, 2, 3), repeat=len(names)):
        env = dict(zip(names, sizes))
        two = word == "equal"
        assert (
            maps.pair_holds(word, maps_of, env) if two else maps.Judge(maps_of[0]).holds(word, env)
        )


@pytest.mark.parametrize("many", [20, 40])
def test_definitions_that_double_each_time_are_too_much(many: int) -> None:
    """A certificate for such a map is turned down, and soon."""
    made = json.loads(json.dumps(prove.bounded("map x < N: t = 1; u = x // t; u in N").certificate))
    rows = "".join(f"t{k + 1} = (t{k} + 1) // (t{k}*t{k} + 2); " for k in range(many))
    claim = {**made["claim"], "arguments": [f"map x < N: t0 = x + 1; {rows}x in N"]}
    forged = {**made, "claim": claim}
    answer = recheck({**forged, "seal": seal(forged)})
    assert not answer.ok
    assert "more work" in answer.failures[0]
