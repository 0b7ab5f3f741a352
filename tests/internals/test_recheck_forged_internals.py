"""Properties of internal modules; `tests/test_recheck_forged.py` tests the public interface."""

from __future__ import annotations

import json

import pytest
from certificates import seal
from test_recheck_forged import Certificate, with_claim

from symlayout import Claim, prove, recheck
from symlayout.certificate import functions, layouts
from symlayout.certificate.definedness import Evaluation
from symlayout.certificate.elaborator import certificate

# -- what cancels divides all the same ------------------------------------------------------------

ROW = "map x < 2: {}"

AT = "map x < 2: t = 0; {} in 1"  # of which no value is anything but 0

ONE = "map x < 2: t = 1; {} in 1"

IN = "map x < 2: t = 0; x + {} * t in 2"

CANCELLED: list[tuple[str, list[str], list[tuple[str, str]], list[str]]] = [
    # word, arguments with {} for an operation, what stands there: with a value, and without one
    ("bounded", [AT.format("({}) * t")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [AT.format("t * ({})")], [("7 % (x + 1)", "7 % x")], []),
    ("bounded", [AT.format("({}) * t")], [("ceildiv(3, x + 1)", "ceildiv(3, x)")], []),
    ("bounded", [AT.format("({}) * t")], [("5 / (x + 1)", "5 / x")], []),
    ("bounded", [AT.format("({}) * t")], [("truncmod(5, x + 1)", "truncmod(5, x)")], []),
    ("bounded", [ONE.format("({}) % t")], [("1 << (x + 1)", "1 << (x - 1)")], []),
    ("bounded", [ONE.format("({}) % t")], [("9 >> (x + 1)", "9 >> (x - 1)")], []),
    ("bounded", [ONE.format("({}) % t")], [("2**(x + 1)", "2**(x - 1)")], []),
    ("bounded", [ONE.format("({}) % t")], [("4**(x + 1)", "4**(x - 1)")], []),
    ("bounded", [ROW.format("t = {}; (5 // t) - (5 // ({})) in 1")], [("x + 1", "x")], []),
    ("bounded", [ROW.format("t = {}; u = t; u - t in 1")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [ROW.format("u = {}; 0 in 1")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [ONE.format("u = ({}) % t; 0")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [ONE.format("u = ({}) % t; u")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [AT.format("7 // (t*({}) + 1) * t")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [AT.format("({}) & t")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [ROW.format("u = {}; min(u, u) - u in 1")], [("5 // (x + 1)", "5 // x")], []),
    ("bounded", [AT.format("u = (5 // x if {} else 3); u * t")], [("x > 0", "x < 1")], []),
    ("bounded", [AT.format("u = (3 if {} else 5 // x); u * t")], [("x < 1", "x > 0")], []),
    ("bounded", [AT.format("u = (5 // x if {} else 3); u * t")], [
        ("x > 0 and 5 // x > 1", "5 // x > 1 and x > 0")], []),
    ("bounded", [AT.format("u = (5 if {} else 3); u * t")], [
        ("x == 0 or 5 // x > 1", "x == 1 or 5 // x > 1")], []),
    ("bounded", ["map x < N: t = 0; ({}) * t in N"], [("5 // N", "5 // (N - 1)")], []),
    ("bounded", ["map x < N: t = 0; ({}) * t in N"], [("5 // (N + K)", "5 // (N - K)")], []),
    ("bounded", ["map x < N, y < M: t = x - x; ({}) * t in 1"], [
        ("5 // (x + y + 1)", "5 // (x + y)")], ["N >= 0"]),
    ("injective", [IN], [("(5 // (x + 1))", "(5 // x)")], []),
    ("valid", [IN], [("(5 // (x + 1))", "(5 // x)")], []),
    ("onto", [IN], [("(5 // (x + 1))", "(5 // x)")], []),
    ("bijective", [IN], [("(5 // (x + 1))", "(5 // x)")], []),
    ("equal", [IN, "map x < 2: x in 2"], [("(5 // (x + 1))", "(5 // x)")], []),
    ("equal", ["map x < 2: x in 2", IN], [("(5 // (x + 1))", "(5 // x)")], []),
    ("inverse", [IN, "map y < 2: y in 2"], [("(5 // (x + 1))", "(5 // x)")], []),
    ("inverse", ["map y < 2: y in 2", IN], [("(5 // (x + 1))", "(5 // x)")], []),
    ("disjoint", [IN, "map y < 2: y + 2 in 4"], [("(5 // (x + 1))", "(5 // x)")], []),
    ("formula", [IN, "x"], [("(5 // (x + 1))", "(5 // x)")], []),
    # of layouts and maps of arithmetic alone not every claim looks at each offset
    ("injective", ["map i < 1: {} in 9"], [("5 // n", "5 // (n - 1)")], []),
    ("onto", ["map i < 4, j < 2: i + ({})*0 in 4"], [("5 // (j + 1)", "5 // (j - 1)")], []),
    ("padding", ["map i < 4: {} in 4", "1"], [("5 // (i + 1)", "5 // i")], []),
    ("holds", ["offset(map i < 4: {} in 9, k)*0 == 0"], [
        ("5 // (i + 1)", "5 // i")], ["0 <= k", "k < 4"]),
]  # fmt: skip


def sealed(made: Certificate) -> Certificate:
    return {**made, "seal": seal(made)}


@pytest.fixture
def by_any_value(monkeypatch: pytest.MonkeyPatch):
    """A prover and a checker that do not ask whether something has a value, for as long as it is on."""

    def switch(on: bool) -> None:
        layouts._layout_map.cache_clear()
        functions._measured.cache_clear()
        monkeypatch.undo()
        if on:
            monkeypatch.setattr(Evaluation, "whole", lambda self, tree, box: [])

    yield switch
    switch(False)


@pytest.mark.parametrize(
    ("word", "texts", "pairs", "where"),
    CANCELLED,
    ids=[f"{w} {p[0][1]}" for w, _, p, _ in CANCELLED],
)
def test_what_cancels_has_to_have_a_value(word, texts, pairs, where, by_any_value):
    ((good, bad),) = pairs
    true, false = ([t.replace("{}", p) for t in texts] for p in (good, bad))
    made = json.loads(json.dumps(getattr(prove, word)(*true, where=where).certificate))
    assert recheck(made).ok  # the true claim is certified, with all that shows where it is defined
    of_another = with_claim(made, arguments=false)
    of_another["sizes"] = {**dict.fromkeys("NKMnk", 1), **of_another["sizes"]}
    by_any_value(True)
    silent = json.loads(json.dumps(certificate(Claim(word, tuple(true), (), tuple(where)))))
    forged = sealed({**with_claim(silent, arguments=false), "sizes": of_another["sizes"]})
    accepted = recheck(forged)
    # nothing else is wrong with it; the parser keeps what some texts divide by as a division of 0
    assert accepted.ok or "Mod(0, k)" in accepted.failures[0], accepted.failures
    by_any_value(False)
    for wrong in (forged, sealed(of_another), sealed({**silent, "claim": forged["claim"]})):
        answer = recheck(wrong)
        assert not answer.ok, answer.claim
