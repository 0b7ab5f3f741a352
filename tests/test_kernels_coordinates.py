"""Arrays of several dimensions: what is claimed of a place is of its offset, against plain integers."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from symlayout import check

KERNEL = """
import triton
import triton.language as tl


# symlayout: kernel grid (n,)
#   x is f32[{sizes}]{strides} {promise}
#   where {facts}, n <= 999, m <= 999, s <= 9999
@triton.jit
def f(x, n, m, s, B: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(x + {place}, 0, mask={mask})
"""
ARRAYS = {  # the sizes, the strides, the facts
    "rows of 4": (("n", "4"), ("4", "1"), "n >= 1"),
    "rows of m": (("n", "m"), ("m", "1"), "m >= 2"),
    "rows with a gap": (("n", "m"), ("s", "1"), "s >= m + 9"),
    "columns": (("m", "n"), ("1", "m"), "m <= 3"),
}
PLACES = {
    "a row": ("p*{0} + i", "i < {1}"),
    "what is left of the array": ("p*{0} + i", "p*{0} + i < n*{1}"),
    "two rows": ("p*{0} + i", "(p + 1 < n) & (i < 2*{0})"),
    "one before": ("p*{0} + i - 1", "(p > 0) & (i < {1})"),
    "up to the gap": ("p*{0} + i", "(p + 1 < n) & (i < {0})"),
    "far behind": ("p*{0} + i", "(p < n - 20) & (i < 3*{0})"),
}
NAMES = ("n", "m", "s", "B")


def stored(place: str, mask: str, env: dict[str, int]) -> list[int]:
    """The places that are stored to, by every lane of every program."""
    lanes = [{**env, "p": p, "i": i} for p, i in product(range(env["n"]), range(env["B"]))]
    return [eval(place, {}, at) for at in lanes if eval(mask, {}, at)]


def judged(places: list[int], array: str, env: dict[str, int]) -> dict[str, bool]:
    """Whether all are in the buffer, none is there twice, every element exactly once."""
    sizes, strides, _ = ARRAYS[array]
    rows = [[eval(t, {}, env) for t in texts] for texts in (sizes, strides)]
    elements = [sum(c * s for c, s in zip(at, rows[1])) for at in product(*map(range, rows[0]))]
    return {
        "in bounds": all(0 <= at <= max(elements) for at in places),
        "at most once": len(places) == len(set(places)),
        "written once": all(places.count(e) == 1 for e in elements),
    }


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("way", "promise"),
    [*product(PLACES, ["written at most once"]), *product([*PLACES][:3], ["written once"])],
)
@pytest.mark.parametrize("array", ARRAYS)
def test_verdicts_are_about_places(array: str, way: str, promise: str, tmp_path: Path) -> None:
    sizes, strides, facts = ARRAYS[array]
    step = strides[0] if array != "columns" else "m"
    place, mask = (t.format(step, sizes[1] if array != "columns" else "m") for t in PLACES[way])
    file = tmp_path / "kernel.py"
    given = "" if strides == (sizes[1], "1") else f" strides({','.join(strides)})"
    file.write_text(
        KERNEL.format(
            sizes=",".join(sizes),
            strides=given,
            promise=promise,
            facts=facts,
            place=place,
            mask=mask,
        )
    )
    plain = mask.replace("&", "and")
    wanted = ("in bounds: ", "written at most once: store", "written once: store")
    seen = [r for r in check([str(file)]).results if any(w in r.task.name for w in wanted)]
    assert len(seen) == 2
    for result in seen:
        word = next(
            w for w in ("in bounds", "at most once", "written once") if w in result.task.name
        )
        if result.outcome.status == "proved":
            for row in product((1, 2, 3), (1, 3), (1, 12), (1, 5, 9)):
                env = dict(zip(NAMES, row))
                if eval(facts, {}, env):
                    assert judged(stored(place, plain, env), array, env)[word], (result.task, env)
        if result.outcome.status == "refuted":
            found = (result.outcome.counterexample or {})["sizes"]
            env = {"n": 1, "m": 1, "s": 99, "B": 1} | found
            assert eval(facts, {}, env)
            assert not judged(stored(place, plain, env), array, env)[word], (result.task, env)


@pytest.mark.parametrize(
    ("array", "way", "word", "status"),
    [
        ("rows of 4", "what is left of the array", "in bounds", "proved"),
        ("rows of 4", "what is left of the array", "written at most once: store", "refuted"),
        ("rows of m", "two rows", "in bounds", "proved"),
        ("rows with a gap", "up to the gap", "in bounds", "proved"),
        ("rows with a gap", "a row", "written at most once: store", "proved"),
    ],
)
def test_a_place_behind_a_row_is_in_the_next(
    array: str, way: str, word: str, status: str, tmp_path: Path
) -> None:
    sizes, strides, facts = ARRAYS[array]
    place, mask = (t.format(strides[0], sizes[1]) for t in PLACES[way])
    file = tmp_path / "kernel.py"
    given = "" if strides == (sizes[1], "1") else f" strides({','.join(strides)})"
    row = {"strides": given, "promise": "written at most once", "facts": facts, "place": place}
    file.write_text(KERNEL.format(sizes=",".join(sizes), mask=mask, **row))
    (found,) = [r for r in check([str(file)]).results if word in r.task.name]
    assert found.outcome.status == status, found.outcome
