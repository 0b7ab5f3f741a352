"""Properties of internal modules; `tests/test_kernels_trust_c.py` tests the public interface."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from test_kernels_trust_c import INDEX, kernel, of, verdicts

from symlayout.programs.kernels import rolling
from symlayout.programs.kernels.obligations import pairs


@pytest.mark.explore
@pytest.mark.parametrize("seed", range(6))
def test_many_stores_are_told_the_same_as_every_pair_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = Random(seed)
    steps = [rng.choice([1, 1, 2, 3]) for _ in range(7)]
    places = [sum(steps[:k]) for k in range(7)]
    if seed % 2:
        places[rng.randrange(7)] = rng.choice(places)
    rng.shuffle(places)
    row = max(places) + 1 - (seed == 4)
    stores = [f"  if (i < n) y[i * {row} + {at}] = 1;" for at in places]
    text = kernel(INDEX + "\n".join(stores)).replace("y is s32[n]", f"y is s32[n,{row}]")
    every = verdicts(tmp_path / "k.cu", text)
    monkeypatch.setattr(rolling, "MANY", 4)
    monkeypatch.setattr(pairs, "PAIRS", 19)
    together = verdicts(tmp_path / "k.cu", text)
    assert len(together) < len(every)
    for part in ("no race", "in bounds"):
        assert of(together, part) == of(every, part)
