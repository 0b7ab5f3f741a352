"""Structural forgeries: none is accepted for a false claim, none breaks the recheck."""

from __future__ import annotations

import random

import forgeries
import pytest
from schedules import ROWS

from symlayout import prove, recheck

WORDS = ("equal", "injective", "onto", "bitcast", "holds", "bytes", "divides", "broadcast")
WORDS += ("bijective of maps", "fits of maps")
RARE = "a script for another claim, its parts written anew"  # it comes of itself that none is found


@pytest.fixture(scope="module")
def known():
    return forgeries.pool(1, 0, WORDS)


@pytest.mark.explore
def test_no_forgery_is_accepted_for_a_false_claim(known):
    seen, wrong = forgeries.run(600, 3, known)
    assert not wrong
    assert sum(n for name, n in seen.items() if name.startswith("rejected")) > 400
    assert sum(n for name, n in seen.items() if name.startswith("accepted")) > 10


def test_every_way_of_forging_is_taken(known):
    forger = forgeries.Forger(random.Random(1), known)
    taken = {forger.forged()[0] for _ in range(400)}
    assert taken | {RARE} == set(forger.ways)


def test_no_false_claim_gets_a_proof_by_the_script_of_a_true_one(known):
    """What the author makes of it is rejected, or the claim is true."""
    forger, judge = forgeries.Forger(random.Random(2), known), forgeries.Judge(known)
    scripts = [made for made, _ in known.held if made["by"] == "script"]
    assert scripts
    for _ in range(40):
        made = forger.retold(forger.rng.choice(scripts))
        if made is not None and recheck({**made, "seal": forgeries.seal(made)}).ok:
            assert judge.false(made) is False


def test_the_judge_tells_false_claims(known):
    judge = forgeries.Judge(known)
    for c in known.wrong:
        made = {"word": c.word, "arguments": list(c.args), "options": dict(c.options)}
        assert judge.false({"claim": made, "facts": list(c.facts)})
    for made, _ in known.held:
        assert judge.false(made) is False
        assert recheck(made).ok


@pytest.mark.sample(2)
@pytest.mark.parametrize("row", ROWS[:24:3], ids=lambda r: r.name)
def test_no_change_of_a_script_breaks_the_recheck(row):
    """Moves cut short, made longer, or with another word: rejected or accepted, and nothing raised."""
    made = getattr(prove, row.word)(*row.texts, where=list(row.where)).certificate
    script, seen = made["texts"]["script"], set()
    for k, move in enumerate(script):
        if move[0] in seen:
            continue
        seen.add(move[0])
        others = (
            [],
            move[:-1],
            [*move, "1"],
            ["blocks", *move[1:]],
            ["back"],
            ["split", "x"],
            ["reindex", "0", "1", "1", "x"],
        )
        for other in others:
            texts = {**made["texts"], "script": [*script[:k], other, *script[k + 1 :]]}
            forged = {**made, "texts": texts}
            recheck({**forged, "seal": forgeries.seal(forged)})
