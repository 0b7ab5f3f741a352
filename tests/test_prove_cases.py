"""Claims kept as small files, by what becomes of them: proved, refuted, undefined, vacuous, invalid."""

from __future__ import annotations

import json
import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import symlayout as sl

CASES = Path(__file__).parent / "cases"


def load(status: str) -> list[Any]:
    """The cases of one folder, each a pytest parameter."""
    found = []
    for path in sorted((CASES / status).glob("*.toml")):
        for n, case in enumerate(tomllib.loads(path.read_text())["case"]):
            found.append(pytest.param(case, id=f"{path.stem}-{n}-{' '.join(case['claim'])}"))
    assert found, status
    return found


def ask(case: dict[str, Any]) -> sl.Verdict:
    word, *args = case["claim"]
    options = {
        k: case[k]
        for k in ("perm", "coords", "at", "where")
        if isinstance(case.get(k), (str, list))
    }
    if isinstance(options.get("coords"), list):
        del options["coords"]
    return getattr(sl.prove, word)(*args, **options)


@pytest.mark.parametrize("case", load("signs"))
def test_the_sign_of_a_stride_follows_from_the_facts(case):
    """Whatever its symbols are called, and on whichever side of the minus they stand."""
    verdict = ask(case)
    assert verdict.refuted, verdict
    assert verdict.counterexample.sizes == case["sizes"]


@pytest.mark.sample(14)
@pytest.mark.parametrize("case", load("undefined"))
def test_undefined_is_refuted_with_what_is_undefined(case):
    """Where something in a claim is undefined, the reason names it and the fact that is missing."""
    verdict = ask(case)
    assert verdict.refuted, verdict
    assert verdict.counterexample.sizes == case["sizes"]
    assert verdict.reason == case["reason"]
    facts = [case.get("where", [])] if isinstance(case.get("where"), str) else case.get("where", [])
    _, _, fact = verdict.reason.partition("; add ")
    if fact:  # which excludes the assignment: the same counterexample is not found again
        again = ask({**case, "where": [*facts, fact]})
        assert again.counterexample is None or again.counterexample.sizes != case["sizes"]


@pytest.mark.parametrize("case", load("invalid"))
def test_invalid(case):
    with pytest.raises(sl.LayoutError) as e:
        ask(case)
    assert e.value.code == case["code"], e.value
    if "at" in case:
        assert e.value.at == case["at"]


STATUSES = ("proved", "refuted", "signs", "undefined", "vacuous")

NO_SIZES = re.compile(
    r"[fsub]\d+|bf16|pred|strided|strides|offset|T|L|PAD|S|E|min|max|ceildiv|floordiv|truncdiv|truncmod|mod|o|Swizzle|b|and|symbol|[ijkc]\d?"
    r"|[zn][ZN]|L0C|(Row|Column|Padding|Weight|Mx|NC1|CI1|Vector|Strided)\w*"
)

COORDINATES = ("i", "j", "k", "i0", "i1")  # what coordinates are called by themselves

NAMES = ("Z9", "a0", "_q", "M", "N", "zz", "B", "X1", "e9", "Q")

ANSWERS: dict[str, str] = {}


def status_of(case: dict[str, Any]) -> str:
    """The verdict's status, asked once for all orders and names."""
    key = json.dumps(case, sort_keys=True)
    if key not in ANSWERS:
        ANSWERS[key] = ask(case).status
    return ANSWERS[key]


@pytest.mark.explore
@pytest.mark.parametrize("seed", range(3))
def test_no_verdict_depends_on_names_or_on_the_order_of_facts(seed):
    rng, seen = random.Random(seed), 0
    for case in [p.values[0] for status in STATUSES for p in load(status)]:
        where = case.get("where", [])
        where = [where] if isinstance(where, str) else where
        place = [case["at"]] if isinstance(case.get("at"), str) else []
        texts = [*case["claim"][1:], *where, *place]
        words = {w for t in texts for w in re.findall(r"\b[A-Za-z_]\w*\b(?!\()", t)}
        names = sorted(w for w in words if not NO_SIZES.fullmatch(w))
        if "coords" in case or case["claim"][0] == "instruction" or "_" in str(case["claim"]):
            continue
        own = case["claim"][0] == "formula" or any("map" in t or "->" in t for t in texts)
        others = rng.sample(NAMES if own else (*NAMES, *COORDINATES), len(names))
        table = dict(zip(names, others))

        def put(text, table=table):
            return re.sub(r"\b[A-Za-z_]\w*", lambda m: table.get(m[0], m[0]), text)

        word, *arguments = case["claim"]
        facts = rng.sample([put(f) for f in where], len(where))
        renamed = {**case, "claim": [word, *map(put, arguments)], "where": facts}
        renamed |= {"at": put(place[0])} if place else {}
        assert ask(renamed).status == status_of(case), renamed
        seen += bool(names)
    assert seen > 100
