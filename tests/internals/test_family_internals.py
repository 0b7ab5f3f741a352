"""Properties of internal modules; `tests/test_family.py` tests the public interface."""

from __future__ import annotations

import random

import pytest
from soundness import families
from test_family import LOW_FIRST, XOR, about

from symlayout import LayoutError, parse, prove, recheck
from symlayout.layouts.doors.family import Family
from symlayout.layouts.doors.linear import Linear
from symlayout.layouts.vocabulary import CLAIMS

IMAGES = ("injective", "valid", "onto", "bijective")


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(40))
def test_an_instance_is_what_the_pieces_say(seed: int) -> None:
    drawn = families.drawn(random.Random(seed))
    read = parse(drawn.text)
    assert parse(str(read)) == read
    for env in families.assignments(list(families.NAMES), []):
        if not families.small([drawn], env):
            continue
        if not drawn.defined(env):
            if isinstance(read, Family):
                with pytest.raises(LayoutError):
                    read.instance(env)
            continue
        made = read.instance(env) if isinstance(read, Family) else read
        points = list(made.points({}))
        assert [made.at(p, {}) for p in points] == [drawn.place(p, env) for p in points]
        assert [d for _, d in made.outs] == drawn.box(env)


def test_a_text_of_numbers_is_a_layout_of_one_size() -> None:
    made = parse("linear i [[1,0]*2**2, [0,1]*4], j [[2**1*2,0]] -> 8, 2*2")
    assert isinstance(made, Linear)
    assert str(made) == "linear i [[1,0],[2,0],[0,1],[0,2]], j [[4,0]] -> dim0 8, dim1 4"


@pytest.mark.parametrize("word", CLAIMS)
def test_no_other_claim_breaks_the_check(word: str) -> None:
    made = prove.bijective(LOW_FIRST).certificate
    for arguments in ([LOW_FIRST], [LOW_FIRST] * 2, [LOW_FIRST, "4"], [f"{XOR} o {XOR}"] * 2):
        claim = {**made["claim"], "word": word, "arguments": arguments}
        for by in ("blocks", "script", "cases"):
            follows = by == "blocks" and arguments == [LOW_FIRST] and word in IMAGES
            assert recheck(about(made, claim=claim, by=by)).ok == follows
