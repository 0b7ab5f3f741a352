"""Where there is no NumPy, plain lists do what it does, and every verdict is the same."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from symlayout import prove, when

CASES = Path(__file__).parent / "cases" / "refuted"

CONDITIONED = ("injective", "divides", "formula", "padding", "fits", "onto", "tiles")

ASK = f"""
CONDITIONED = {CONDITIONED!r}
import json, sys
import sympy
from symlayout.expr.plain_numpy import stand_in
stand_in()
from symlayout import prove, when
answers = []
for word, *arguments in json.load(sys.stdin):
    v = getattr(prove, word)(*arguments)
    c = v.counterexample
    answers.append([v.status, c and [c.sizes, list(c.coords), c.left, c.right]])
    if word in CONDITIONED:
        answers[-1].append(getattr(when, word)(*arguments).text)
import numpy
print(json.dumps([numpy.__version__, answers]))
"""


@pytest.mark.explore
def test_refutations_are_the_same_without_numpy() -> None:
    rows = tomllib.loads((CASES / "equal.toml").read_text())["case"]
    rows += tomllib.loads((CASES / "places.toml").read_text())["case"]
    claims = [r["claim"] for r in rows if set(r) <= {"claim", "sizes", "coords", "left", "right"}]
    tiled = "f32[M,N]{1,0:T(8,128)}"
    claims += [["injective", "bf16[M,N]{1,0:T(8,128)(2,1)}"], ["divides", tiled]]
    claims += [["injective", "(M,N):(1,P)"], ["padding", tiled, "4"], ["fits", tiled, "32"]]
    claims += [["onto", "(M,N):(N+3,1)"], ["tiles", "zN(f16,M,N)", "32,16"]]
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        input=json.dumps(claims),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    version, answers = json.loads(done.stdout)
    assert version == "0"
    for (word, *arguments), answer in zip(claims, answers, strict=True):
        v = getattr(prove, word)(*arguments)
        c = v.counterexample
        wanted = [v.status, c and [c.sizes, list(c.coords), c.left, c.right]]
        if word in CONDITIONED:
            wanted.append(getattr(when, word)(*arguments).text)
        assert answer == json.loads(json.dumps(wanted)), (word, arguments)
    assert len(answers) > 12
