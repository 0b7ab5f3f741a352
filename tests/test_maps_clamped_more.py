"""What the modules behind `tests/test_maps_clamped.py` promise each other."""

from __future__ import annotations

import json
import re

import pytest
from certificates import seal
from test_maps_clamped import GROUPED, TILES

from symlayout import prove, recheck


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (GROUPED.replace("K", "(K-1)"), ["K >= 2"]),
        (GROUPED.replace("K", "(2*K+1)"), []),
        (f"map w < W, i < cdiv({TILES} - w, W): w + i*W in {TILES}", []),
    ],
)
def test_a_name_says_no_more_than_is_shown(text: str, where: list[str]) -> None:
    """A name that is in use, or a least value that is not reached, is turned down."""
    made = json.loads(json.dumps(prove.bijective(text, where=where).certificate))
    script = made["texts"]["script"]
    leasts = [(k, t) for k, m in enumerate(script) for t in m if re.fullmatch(r"\w+ >= \d+", t)]
    assert leasts
    for k, least in leasts:
        name, low = least.split(" >= ")
        more = [t if t != least else f"{name} >= {int(low) + 1}" for t in script[k]]
        for move in (more, [re.sub(rf"\b{name}\b", "M", t) for t in script[k]]):
            moves = [*script[:k], move, *script[k + 1 :]]
            forged = {**made, "texts": {**made["texts"], "script": moves}}
            assert not recheck({**forged, "seal": seal(forged)}).ok, move
    assert prove.bijective(text.replace("w + i*W", "w + i*W + 1"), where=where).status != "unknown"
