"""Properties of internal modules; `tests/test_fewer_facts.py` tests the public interface."""

from __future__ import annotations

import json
from itertools import product

from certificates import seal

from symlayout import prove, recheck
from symlayout.digits.bounds import Meter
from symlayout.expr.facts import Facts
from symlayout.prove.fewer import left_out, without_facts


def test_what_says_from_where_on_a_size_is_stays() -> None:
    rows = ["N >= 0", "N == -1", "M % 2 == 0", "0 <= M < N", "2*K > -3", "K != 0", "max(K, 0) <= N"]
    for picked in product((False, True), repeat=len(rows)):
        facts = Facts.read([r for r, yes in zip(rows, picked) if yes])
        for without in left_out(facts, Meter()):
            fewer = without_facts(facts, without)
            for name in "KMN":
                assert fewer.bounds_below(name) == facts.bounds_below(name)
                assert fewer.domain(name).low <= facts.domain(name).low or facts.domain(name).empty


def test_a_fact_that_is_needed_cannot_be_left_out() -> None:
    text = "map b < N//K, t < K if b*K + t < N: b*K + t in N"
    verdict = prove.onto(text, where=["N % K == 0", "M % 2 == 0", "M == N + K"])
    assert verdict.proved, verdict
    made = json.loads(json.dumps(verdict.certificate))
    assert recheck(made).ok
    for numbers in (["0"], ["0", "1"], ["0", "1", "2", "3", "4", "5", "6"]):
        script = made["texts"]["script"]
        first = [m for m in script if m[0] in ("join", "back", "box", "without")]
        moves = [*first, ["without", *numbers], *script[len(first) :]]
        forged = {**made, "texts": {**made["texts"], "script": moves}}
        assert not recheck({**forged, "seal": seal(forged)}).ok


def test_the_choices_of_facts_do_not_depend_on_their_order() -> None:
    rows = ["N % 2 == 0", "N >= 0", "M % N == 1", "K != 3", "M*K <= 9"]
    for many in range(1, len(rows) + 1):
        texts = rows[:many]
        forth, back = Facts.read(texts), Facts.read(texts[::-1])
        both = [
            [{str(f.relations[k]) for k in without} for without in left_out(f, Meter())]
            for f in (forth, back)
        ]
        assert all(choice in both[1] for choice in both[0])
        assert [len(c) for c in both[0]] == [len(c) for c in both[1]]
