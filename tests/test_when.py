"""Conditions: what must be required of sizes for a claim to hold, and that nothing more is said."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

import pytest
from conditions_known import KNOWN, Known
from soundness.arithmetic import holds as plainly

import symlayout as sl

LOOKED = 400  # assignments of each known claim


def asked(known: Known) -> Any:
    return getattr(sl.when, known.word)(*known.args, **known.options)


def true_at(relations: list[list[str]], sizes: dict[str, int]) -> bool:
    """The condition in plain integers."""
    env = {n: [v] for n, v in sizes.items()}
    return any(all(bool(plainly(text, _arrays(env), 1)[0]) for text in t) for t in relations)


def _arrays(env: dict[str, list[int]]) -> dict[str, Any]:
    import numpy as np

    return {n: np.array(v, dtype=object) for n, v in env.items()}


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_the_condition_is_the_weakest_one_and_as_short_as_it_can_be(known: Known) -> None:
    made = asked(known)
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


def test_there_are_enough_of_every_word() -> None:
    from symlayout.layouts.vocabulary import CLAIMS

    assert len(KNOWN) >= 60
    assert {k.word for k in KNOWN} == {*CLAIMS}
