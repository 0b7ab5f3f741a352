"""Properties of internal modules; `tests/test_blocks.py` tests the public interface."""

from __future__ import annotations

import random

import pytest
from soundness import families
from test_blocks import dense, single

from symlayout import LayoutError
from symlayout.certificate.blocks import Course, Rows, block_parts, shapes
from symlayout.certificate.exact import Rejected, Work
from symlayout.expr.terms import value

MODES = ("all", "all", "top", "bottom")

Sizes = dict[str, int]


def follows(word: str, layouts: list[Course], rows: Rows, sizes: Sizes) -> bool:
    """Whether the checker takes the rows, and every goal holds at these sizes."""
    try:
        parts = list(block_parts(word, layouts, rows, Work()))
    except (Rejected, LayoutError):
        return False
    asked = [p for p in parts if all(r.holds(sizes) for r in p.premises)]
    return all(any(r.holds(sizes) for r in goal) for p in asked for goal in p.goals)


def attacked(rng: random.Random, word: str, layouts: list[Course], sizes: Sizes) -> Rows:
    """Rows that cut everything into single bits: their goals hold at these sizes, whatever is claimed.

    The bits that links name, and some of their numbers, are any.
    """
    if word == "bounded":
        return [["none"]] * (rng.random() < 0.2)
    mode = rng.choice(MODES)
    first = layouts[0].stages
    ends = [*first[0].lengths, *first[-1].sizes]
    ends += [e for course in layouts for stage in course.stages[:-1] for e in stage.sizes]
    cuts = [[str(k) for k in range(value(e, sizes) + 1)] or ["0"] for e in ends]
    rows: list[list[str]] = [["leaf", mode], *[["axis", *row] for row in cuts]]
    for course in layouts:
        for stretch in (s for stage in course.stages for row in stage.inputs for s in row):
            bits = [(c, b) for c, each in enumerate(stretch.vector) for b in range(len(each))]
            one = [rng.choice(bits)] if bits else []
            other = one * len(bits) if rng.random() < 0.2 else bits
            for c, b in other if mode == "all" else one:
                span = stretch.first, stretch.vector[c][b], stretch.many
                rows.append(["link", *map(str, (c, b, *[value(e, sizes) for e in span]))])
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        row = rng.choice(rows[1:])
        at = rng.randrange(1, len(row))
        row[at] = rng.choice([row[at], "0", "1", "2", "3", row[rng.randrange(1, len(row))], "-1"])
    if rng.random() < 0.3:
        what = rng.choice([f"k - {rng.randint(0, 4)}", f"m - {rng.randint(0, 4)}", "k - m", "-k"])
        more: list[list[list[str]]] = rng.sample([rows, [["none"]], [["none"]]], 2)
        rows = [["fork", what], *more[0], *more[1]]
    return rows


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(10))
def test_no_rows_show_a_false_claim(seed: int) -> None:
    rng, taken = random.Random(seed), 0
    for _ in range(60):
        word, f = rng.choice(families.WORDS), rng.choice([families.drawn, dense])(rng)
        maps: list[families.Map] = [f]
        if word in ("equal", "inverse"):
            maps.append(families.partner(rng, f, word))
        if word == "equal" and rng.random() < 0.5:
            maps = [f, rng.choice([dense(rng), single(rng, f)])]
        elif rng.random() < 0.3:
            maps = families.followed(rng, f, word)
        try:
            layouts = shapes(word, [m.text for m in maps])
        except LayoutError:
            continue
        every = [e for e in families.assignments(["k", "m"], []) if families.small(maps, e)]
        for sizes in rng.sample(every, min(2, len(every))) if layouts else []:
            true = families.true(word, maps, sizes)
            for _ in range(6):
                rows = attacked(rng, word, layouts, sizes)
                shown = follows(word, layouts, rows, sizes)
                assert true or not shown, (word, [m.text for m in maps], sizes, rows)
                taken += shown
    assert taken > 20


def test_each_bit_of_a_vector_has_a_link_of_its_own() -> None:
    texts = ["linear i [[7]*2**k] -> 2**(k+2)", "linear i [[1]*2**k] -> 2**(k+2)"]
    link = ["link", "0", "0", "0", "0", "1"]
    rows = [["leaf", "all"], ["axis", "0", "1"], ["axis", "0", "1", "2", "3"], *[link] * 4]
    assert not follows("equal", shapes("equal", texts), rows, {"k": 1})
    same = [texts[1]] * 2
    assert follows("equal", shapes("equal", same), rows[:-2], {"k": 1})
