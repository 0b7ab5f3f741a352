"""Every rule of an opcode leaves a certificate; what the rules refute, the checker refuses too."""

from __future__ import annotations

from contextlib import suppress

import pytest
from certificates import seal
from hypothesis import given, settings
from hypothesis import strategies as st
from instructions_random import RIGHT, WRONG, changed, mistaken

from symlayout import hlo, prove, recheck
from symlayout.certificate.opcodes import RULES, instruction_goals
from symlayout.errors import LayoutError
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.rules import RULES as VERIFIED
from symlayout.programs.hlo.rules import demands_of


def holds(goals, sizes):
    """Whether of each goal one relation holds for these sizes; never, of what nothing is said."""
    return goals is not None and all(any(r.holds(sizes) for r in goal) for goal in goals)


def verified(line):
    """The verifier's demands; None where it does not understand the text."""
    try:
        i = hlo.read_instruction(line)
        shapes = tuple(o.shape for o in i.operands)
        checks = demands_of(Verifier(i.opcode, i.shape, shapes, i.attributes)).checks
    except LayoutError:
        return None
    return [c.needs for c in checks]


def confirmed(line):
    """The checker's demands; None where it confirms nothing."""
    try:
        return instruction_goals(line)
    except LayoutError:
        return None


@pytest.mark.parametrize("line", RIGHT)
def test_what_is_proved_is_certified(line):
    certificate = prove.instruction(line).certificate
    assert certificate is not None
    assert recheck(certificate).ok


@pytest.mark.parametrize("line", WRONG)
def test_the_checker_refuses_what_is_wrong(line):
    goals = instruction_goals(line)
    decided = [g for g in goals if all(not r.names for r in g)]
    assert any(not any(r.holds({}) for r in g) for g in decided)


def test_the_checker_has_a_rule_for_each_opcode_that_the_verifier_has():
    assert set(VERIFIED) <= set(RULES)


def agree(line, sizes):
    """Two sets of rules that share nothing: both hold of the same sizes."""
    wanted, found = verified(line), confirmed(line)
    return all(holds(wanted, {"B": 5, "N": n}) == holds(found, {"B": 5, "N": n}) for n in sizes)


@pytest.mark.sample(4)
@pytest.mark.parametrize("line", RIGHT)
def test_two_readings_agree_whatever_is_changed(line):
    for text in changed(line):
        assert agree(text, (0, 2, 3) if "N" in text else (0,)), text


@pytest.mark.explore
@settings(max_examples=1000, deadline=None)
@given(mistaken(), st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_two_readings_agree_whatever_is_changed_together(line, sizes):
    assert agree(line, sizes)


SIZE = st.integers(0, 6)
TILE = st.integers(1, 4)


@st.composite
def tiled(draw):
    """A tiled array as text, with the places of its elements, counted in plain integers."""
    m, n, a, b = draw(SIZE), draw(SIZE), draw(TILE), draw(TILE)
    rows = draw(st.booleans())
    text = f"[{m},{n}]{{{'1,0' if rows else '0,1'}:T({a},{b})}}"
    big, small = (m, n) if rows else (n, m)
    across = -(-small // b)
    places = {
        ((i // a) * across + j // b) * a * b + (i % a) * b + j % b
        for i in range(big)
        for j in range(small)
    }
    return text, places, -(-big // a) * across * a * b if m * n else 0


@pytest.mark.explore
@settings(max_examples=400)
@given(tiled(), tiled(), st.sampled_from([("f32", "s32"), ("f32", "f32"), ("s8", "f32")]))
def test_a_bitcast_is_certified_exactly_where_the_places_say_so(source, target, types):
    (given_, has, size), (made, wants, other) = source, target
    line = f"{types[1]}{made} bitcast({types[0]}{given_})"
    right = wants <= has and size == other and types[0] != "s8"
    goals = instruction_goals(line)
    assert all(any(r.holds({}) for r in g) for g in goals) == right
    verdict = prove.instruction(line)
    assert verdict.proved == right
    if not right:
        return
    assert recheck(verdict.certificate).ok
    wider = line.replace("[", "[1", 1)  # ten more, or ten times as many
    made = {**verdict.certificate, "claim": {**verdict.certificate["claim"], "arguments": [wider]}}
    if wants:
        assert not recheck({**made, "seal": seal(made)}).ok


@pytest.mark.parametrize(
    "text",
    [
        "token[] reduce-window(f32[4], f32[]), window={size=2}, to_apply=(f32[],f32[])->f32[]",
        "token[] scatter(f32[4], s32[1], f32[1])",
        "token[] batch-norm-inference(f32[4,2], f32[2], f32[2], f32[2], f32[2]), feature_index=1",
    ],
)
def test_an_instruction_of_another_form_than_its_rule_reads_is_refused(text: str) -> None:
    with suppress(LayoutError):
        assert [] in instruction_goals(text)
