"""Properties of internal modules; `tests/test_algebra_certified.py` tests the public interface."""

from __future__ import annotations

import random
from itertools import product
from math import prod

import pytest
from algebra_random import FACTS, NAMES, Texts

from symlayout import LayoutError, parse
from symlayout.certificate.asking import points_of
from symlayout.certificate.layouts import layout_map
from symlayout.expr.facts import Facts
from symlayout.expr.terms import value
from symlayout.layouts.doors.operations import OPERATIONS


def places(coords, shape, env):
    for place in product(*[range(value(d, env)) for d in reversed(shape)]):
        yield {**env, **dict(zip([c.name for c in coords], reversed(place)))}


def offsets(m, env):
    """The shape, and the offsets of all coordinates, the first one fastest."""
    shape = [value(d, env) for d in m.shape]
    return shape, [value(m.raw, at) for at in places(m.coords, m.shape, env)]


def stands(m, env):
    """Whether all that the checker's reading rests on holds at these sizes."""
    return all(r.holds(env) for r in m.demands) and all(
        law.relation.holds(at) for law in m.laws for at in places(law.coords, law.shape, env)
    )


def read(text, *facts, points=()):
    """The product's map, and that of the checker by these sizes; None where there is none."""
    maps, known = [], points_of(points)
    for reading in (lambda: parse(text).under(facts).index_map(), lambda: layout_map(text, known)):
        try:
            maps.append(reading())
        except LayoutError:
            maps.append(None)
    return maps


@pytest.mark.explore
def test_the_checker_reads_operations_on_numbers_as_the_algebra_does():
    rng, seen = random.Random(8), set()
    texts, compared = Texts(rng, False), 0
    while compared < 900 or seen != {*OPERATIONS}:
        text = texts.operation(rng.choice([0, 1, 1, 2]))
        theirs, ours = read(text)
        if ours is None or prod(value(d, {}) for d in ours.shape) > 4000 or not stands(ours, {}):
            continue
        assert theirs is not None, text
        assert offsets(ours, {}) == offsets(theirs, {}), text
        assert value(ours.size, {}) == value(theirs.size, {}), text
        compared += 1
        seen.add(text.partition("(")[0])


def sizes_for(facts, rng, many):
    known, hits = Facts.read(facts), []
    for _ in range(3000):
        env = {n: rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 12]) for n in NAMES}
        if known.holds(env):
            hits.append(env)
        if len(hits) == many:
            break
    return hits


def test_the_checker_reads_operations_on_sizes_as_the_algebra_does():
    """With many sizes to decide by, wherever what the reading rests on holds."""
    rng, compared = random.Random(9), 0
    texts = Texts(rng, True)
    while compared < 250:
        facts = rng.sample(FACTS, rng.choice([0, 1, 2]))
        points = sizes_for(facts, rng, 40)
        text = texts.operation(rng.choice([0, 0, 1]))
        if len(points) < 20:
            continue
        theirs, ours = read(text, *facts, points=points[:30])
        if theirs is None or ours is None:
            continue
        for env in points[30:36]:
            if stands(ours, env) and prod(value(d, env) for d in ours.shape) < 2000:
                assert offsets(ours, env) == offsets(theirs, env), (text, facts, env)
                compared += 1


def test_no_list_of_sizes_makes_a_false_claim_true():
    """Random lists of sizes, also poor ones: where a reading stands it is the algebra's at once, or
    it rests on something that fails at other sizes that the facts allow."""
    rng, stood = random.Random(10), 0
    texts = Texts(rng, True)
    while stood < 120:
        facts = rng.sample(FACTS, rng.choice([0, 1, 2]))
        points, text = sizes_for(facts, rng, 60), texts.operation(rng.choice([0, 0, 1]))
        if len(points) < 30:
            continue
        some = rng.sample(points, rng.choice([1, 1, 2, 3]))
        theirs, ours = read(text, *facts, points=some)
        if theirs is None or ours is None:
            continue
        if any(prod(value(d, env) for d in ours.shape) > 2000 for env in points[:40]):
            continue
        if not all(stands(ours, env) for env in points):
            continue  # which nobody can show
        stood += 1
        for env in points[:8]:
            assert offsets(ours, env)[1] == offsets(theirs, env)[1], (text, facts, env)
