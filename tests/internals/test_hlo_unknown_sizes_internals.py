"""Properties of internal modules; `tests/test_hlo_unknown_sizes.py` tests the public interface."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instructions_random import DATA, RIGHT, WRONG

from symlayout import hlo, prove
from symlayout.certificate.opcodes import instruction_goals
from symlayout.errors import LayoutError
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.rules import demands_of

# right for no sizes, one instruction at least for each rule that compares sizes; and for all sizes
NEVER = (DATA / "unknown_sizes_wrong.txt").read_text().strip().splitlines()

# the sizes for which it is right
CONDITIONS = [
    ("f32[?] add(f32[M], f32[N])", lambda m, n: m == n),
    ("f32[?] select(pred[M], f32[?], f32[N])", lambda m, n: m == n),
    ("f32[?,3] reshape(f32[M,N])", lambda m, n: m * n % 3 == 0),
    ("f32[?,M] reshape(f32[N])", lambda m, n: n % m == 0),
    ("f32[N] concatenate(f32[?], f32[M]), dimensions={0}", lambda m, n: n >= m),
    ("f32[N] concatenate(f32[?], f32[M], f32[2]), dimensions={0}", lambda m, n: n >= m + 2),
    ("f32[N] pad(f32[?], f32[]), padding=2_1", lambda m, n: n >= 3),
    ("f32[N] pad(f32[?], f32[]), padding=1_0_1", lambda m, n: n == 1 or n % 2 == 0),
    ("f32[N] reduce-window(f32[?], f32[]), window={size=2 lhs_dilate=2}", lambda m, n: n % 2 == 0),
    ("f32[N] dynamic-slice(f32[?], s32[]), dynamic_slice_sizes={3}", lambda m, n: n == 3),
    ("f32[M] add(f32[?], f32[N]), broadcast_dimensions={0}", lambda m, n: n in (1, m)),
    ("f32[N] real-dynamic-slice(f32[M], s32[?], s32[1], s32[1])", lambda m, n: n <= m),
    ("f32[N] all-gather(f32[?]), dimensions={0}, replica_groups={{0,1}}", lambda m, n: n % 2 == 0),
]


def condition(line: str, rules: str) -> list[tuple]:
    """What the prover, or the checker, demands of the known sizes."""
    if rules == "checker":
        return [tuple(goal) for goal in instruction_goals(line)]
    i = hlo.read_instruction(line)
    shapes = tuple(o.shape for o in i.operands)
    return [c.needs for c in demands_of(Verifier(i.opcode, i.shape, shapes, i.attributes)).checks]


def holds(goals: list[tuple], sizes: dict[str, int]) -> bool:
    """Whether one relation of each goal holds."""
    return all(any(r.holds(sizes) for r in goal) for goal in goals)


@pytest.mark.parametrize("line", NEVER)
def test_equations_that_contradict_each_other_are_refuted(line: str) -> None:
    assert prove.instruction(line).refuted
    assert not holds(condition(line, "checker"), {})


@pytest.mark.parametrize(("line", "right"), CONDITIONS)
@pytest.mark.parametrize("rules", ["prover", "checker"])
def test_the_condition_is_exact(line, right, rules) -> None:
    goals = condition(line, rules)
    for m, n in product(range(1, 8), repeat=2):
        assert holds(goals, {"M": m, "N": n}) == right(m, n), (m, n)


def test_the_reason_names_both_equations() -> None:
    verdict = prove.instruction("f32[?] add(f32[4], f32[5])")
    assert verdict.reason == (
        "SL723: no size of run time fits: dimension 0 of operand 0 and of the result; "
        "dimension 0 of operand 1 and of the result: 5 and 4"
    )
    assert verdict.details["condition"] == "never"
    assert verdict.details["runtime"] == [
        "dimension 0 of operand 0 and of the result: 4 must turn out to be ?",
        "dimension 0 of operand 1 and of the result: 5 must turn out to be ?",
    ]


# -- all small sizes ------------------------------------------------------------------------------

SHAPE = re.compile(r"\b(?:pred|[sufc]\d+|bf16)\[([^\]<]*)\]")

# opcodes whose rules are about `?` itself, not about its value
OWN = re.compile(r"\b(?:broadcast|constant|convolution|bitcast)\(|broadcast_dimensions")

LINES = [line for line in RIGHT + WRONG if SHAPE.search(line) and not OWN.search(line)]

SMALL = [*range(11), 12, 14, 15, 16, 18, 20, 24, 32, 40, 48]


def places(line: str) -> list[tuple[int, int]]:
    """Where the sizes of a text are."""
    return [
        (shape.start(1) + size.start(), shape.start(1) + size.end())
        for shape in SHAPE.finditer(line)
        for size in re.finditer(r"[^,]+", shape[1])
    ]


def put(line: str, spans, words) -> str:
    """The text with these words in the places."""
    for (start, end), word in sorted(zip(spans, words), reverse=True):
        line = line[:start] + str(word) + line[end:]
    return line


@st.composite
def opened(draw) -> tuple[str, list[str]]:
    """An instruction with one or two `?`, and its texts with small sizes in their place."""
    line = draw(st.sampled_from([x for x in LINES if places(x)]))
    spans = places(line)
    if draw(st.booleans()):
        line = put(line, [draw(st.sampled_from(spans))], [draw(st.integers(0, 9))])
        spans = places(line)
    some = draw(st.lists(st.sampled_from(spans), min_size=1, max_size=2, unique=True))
    numbers = {int(n) for n in re.findall(r"\d+", line) if int(n) < 2000}
    known = sorted(numbers | set(SMALL if len(some) == 1 else SMALL[:12]))
    texts = [put(line, some, row) for row in product(known, repeat=len(some))]
    return put(line, some, ["?"] * len(some)), texts


def known_condition(line: str) -> list[tuple]:
    """The demands of an instruction without `?`; one that cannot hold for what is not read."""
    try:
        return condition(line, "prover")
    except LayoutError:
        return [()]


@pytest.mark.explore
@settings(max_examples=400, deadline=None)
@given(opened(), st.integers(1, 4))
def test_some_sizes_of_run_time_satisfy_all_rules(case, n) -> None:
    line, texts = case
    sizes = {"N": n, "B": 5}
    try:
        both = [holds(condition(line, rules), sizes) for rules in ("prover", "checker")]
    except LayoutError:
        return  # nothing is claimed
    assert both[0] == both[1]
    some = any(holds(known_condition(text), sizes) for text in texts)
    assert both[0] or not some
    if both[0] and not some:  # only larger sizes than were tried
        assert re.search(r"reshape|window|pad|gather|all-|scatter|fft|concatenate|slice", line)
