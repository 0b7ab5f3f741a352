"""The recheck: sound arithmetic, no step that does not follow, nothing of the prover."""

from __future__ import annotations

import ast
import copy
import importlib.util
import json
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import prove, recheck_poly
from symlayout.digits.context import Context
from symlayout.facts import Facts
from symlayout.prover.witness import Witness
from symlayout.recheck import recheck, seal
from symlayout.recheck_ledger import Ledger
from symlayout.recheck_poly import Poly, Rejected, refutes, smt, smt_term

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "symlayout").glob("recheck*.py"))


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def campaign():
    return load("certificates")


@pytest.fixture(scope="module")
def tiled():
    where = ["N % 128 == 0", "M <= 4096"]
    made = prove.bijective("f32[M,N]{1,0:T(1,128)}", where=where).certificate
    return json.loads(json.dumps(made))


# -- independence --------------------------------------------


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_recheck_imports_nothing_of_the_prover(file):
    for node in ast.walk(ast.parse(file.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert not name.startswith(("symlayout.prover", "symlayout.digits", "symlayout.prove"))
            assert "simplification" not in name
            assert name != "symlayout.certificate"


def test_recheck_does_not_run_the_digit_engine(tiled, monkeypatch):
    def refuse(self):
        raise AssertionError("the prover was asked")

    monkeypatch.setattr(Context, "__init__", refuse)
    assert recheck(tiled).ok


# -- arithmetic --------------------------------------------

NAMES = ("x", "y", "z")
monomials = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda m: tuple(sorted(m)))
polys = st.dictionaries(monomials, st.integers(-5, 5), max_size=5).map(Poly.of)
points = st.fixed_dictionaries({n: st.integers(-9, 9) for n in NAMES})


def at(p, point):
    total = 0
    for m, c in p.terms:
        for a in m:
            c *= point[a]
        total += c
    return total


@given(polys, polys, points)
def test_arithmetic_is_that_of_integers(p, q, point):
    assert at(p + q, point) == at(p, point) + at(q, point)
    assert at(p - q, point) == at(p, point) - at(q, point)
    assert at(p * q, point) == at(p, point) * at(q, point)
    assert at(p.put({"x": q}), point) == at(p, {**point, "x": at(q, point)})
    powers = p.powers("y")
    assert at(p, point) == sum(at(c, point) * point["y"] ** k for k, c in enumerate(powers))


@given(polys)
def test_text_reads_back(p):
    assert Poly.read(str(p)) == p


@pytest.mark.parametrize(
    "text", ["", "x y", "3x", "2*", "x+", "2 3", "x-", "x//2", None, True, 1.5]
)
def test_what_is_no_polynomial(text):
    with pytest.raises(Rejected):
        Poly.read(text)


@given(polys, points)
@settings(max_examples=20, deadline=None)
def test_smt_text_has_the_value_of_the_polynomial(p, point):
    holding = [f"(= |{n}| {smt_term(Poly.read(v))})" for n, v in point.items()]
    wrong = f"(distinct {smt_term(p)} {smt_term(Poly.read(at(p, point)))})"
    assert refutes(smt(NAMES, [*holding, wrong]))


def test_solvers_must_agree(monkeypatch):
    text = smt({"x"}, ["(>= |x| 1)", "(< |x| 1)"])
    assert refutes(text) == ["Z3", "cvc5"]
    monkeypatch.setattr(recheck_poly, "_cvc5", lambda text: "sat")
    with pytest.raises(Rejected, match="Z3 says unsat, cvc5 says sat"):
        refutes(text)
    monkeypatch.setattr(recheck_poly, "_cvc5", lambda text: "")
    assert refutes(text) == ["Z3"]
    monkeypatch.setattr(recheck_poly, "z3_answer", lambda text: "unknown")
    with pytest.raises(Rejected):
        refutes(text)


# -- inequalities --------------------------------------------


def ledger(**ranges):
    """A ledger with ranges low <= x <= high, high a text or None."""
    made = Ledger(Facts.read([f"{n} >= 0" for n in ranges]), list(ranges), {}, {})
    for name, (low, high) in ranges.items():
        made.bound(name, Poly.read(low), "low")
        if high is not None:
            made.bound(name, Poly.read(high), "high")
    return made


@given(polys)
@settings(max_examples=150, deadline=None)
def test_a_reason_that_is_accepted_is_a_proof(p):
    made = ledger(x=(0, 3), y=(1, "x + 1"), z=(-2, 2))
    why = Witness(made).reason(p, solver=False)
    box = [(x, y, z) for x in range(4) for y in range(1, x + 2) for z in range(-2, 3)]
    lowest = min(at(p, dict(zip(NAMES, v))) for v in box)
    if why is not None:
        made.nonneg(p, why)
        assert lowest >= 0
    if lowest < 0:
        for tree in TREES:
            with pytest.raises(Rejected):
                made.nonneg(p, tree)


TREES = [
    ["plain"],
    ["low", "x"],
    ["high", "y", ["low", "x"]],
    ["ends", "z", ["plain"], ["low", "x"]],
    ["ends", "x", ["ends", "y", ["plain"], ["plain"]], ["plain"]],
    ["use", 0, "1", ["plain"]],
    ["use", 3, "x", ["high", "x"]],
    ["times", "2", ["plain"], ["plain"]],
    None,
    [],
    "plain",
]


@pytest.mark.parametrize(
    ("p", "why", "message"),
    [
        ("x - 1", ["plain"], "is not plain"),
        ("3 - x", ["low", "x"], "is not plain"),
        ("4 - x", ["high", "w"], "has no high end"),
        ("x*x", ["ends", "x", ["plain"], ["plain"]], "is not linear"),
        ("x", ["use", -1, "1", ["plain"]], "no reason is given"),
        ("x", ["use", 0, "-1", ["plain"]], "is not plain"),
        ("-x", ["times", "0", ["plain"], ["plain"]], "is not plain"),
        ("x", ["smt", "(check-sat)"], "not the one that the step needs"),
        ("x", ["plane"], "no reason is given"),
    ],
)
def test_reasons_that_do_not_hold(p, why, message):
    with pytest.raises(Rejected, match=message):
        ledger(x=(0, 3)).nonneg(Poly.read(p), why)


# -- steps --------------------------------------------

EUCLID = {"of": "N + 7", "by": "8", "q": "q.1", "r": "r.1", "positive": ["plain"]}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"step": "split", **EUCLID, "by": "-8"}, "positive: -9 >= 0 is not plain"),
        ({"step": "split", **EUCLID, "q": "N"}, "'N' is no new name"),
        ({"step": "split", **EUCLID, "r": "q.1"}, "'q.1' is no new name"),
        ({"step": "let", "name": "2", "be": "N"}, "is no new name"),
        ({"step": "solve", "atom": "N", "is": "1", "least": ["plain"], "most": ["plain"]}, "least"),
        (
            {"step": "solve", "atom": "N", "is": "N", "least": ["plain"], "most": ["plain"]},
            "cannot be replaced",
        ),
        ({"step": "low", "atom": "N", "limit": "2", "why": ["plain"]}, "why"),
        ({"step": "high", "atom": "N", "limit": "2", "why": ["plain"]}, "why"),
        ({"step": "digit", "name": "d.1", "count": "N - 1", "some": ["plain"]}, "some"),
        ({"step": "offset"}, "'offset' is no step"),
        ({"step": "choose", "word": "min", "a": "N", "b": "M", "why": ["plain"]}, "why"),
        ({"step": "guess"}, "'guess' is no step"),
    ],
)
def test_steps_that_do_not_follow(step, message):
    made = Ledger(Facts(), ["M", "N"], {}, {})
    with pytest.raises(Rejected, match=message):
        made.apply(step)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Q": "q.1 + 1"}, "is not"),
        ({"R": "r.1 - 7"}, "is not"),
        ({"Q": "q.1 - 1", "R": "r.1 + 8"}, "most"),
        ({"Q": "q.1 + 1", "R": "r.1 - 8"}, "least"),
        ({"D": "-8", "Q": "-q.1"}, "positive"),
    ],
)
def test_divisions_that_do_not_hold(change, message):
    made = Ledger(Facts(), ["N"], {}, {})
    made.apply({"step": "split", **EUCLID})
    made.apply(
        {
            "step": "solve",
            "atom": "N",
            "is": "8*q.1 + r.1 - 7",
            "least": ["use", 2, "1", ["plain"]],
            "most": ["use", 1, "1", ["plain"]],
        }
    )
    good = {"step": "divide", "P": "8*q.1 + r.1", "D": "8", "Q": "q.1", "R": "r.1"}
    good |= {"positive": ["plain"], "least": ["plain"], "most": ["high", "r.1"]}
    with pytest.raises(Rejected, match=message):
        made.apply({**good, **change})
    made.apply(good)
    quotient = made.quotient(Poly.read("8*q.1 + r.1"), Poly.read("8"))
    assert quotient == (Poly.read("q.1"), Poly.read("r.1"))


def test_sizes_are_at_least_one_unless_a_fact_says_otherwise():
    for fact, least in (
        ("N >= 0", None),
        ("N > -3", None),
        ("N == 5", None),
        ("0 <= N", None),
        ("N <= 9", 1),
        ("N % 4 == 0", 1),
        ("N != 0", 1),
        ("N*N >= 0", 1),
        ("N + M >= 0", 1),
        ("N//2 >= 0", 1),
    ):
        made = Ledger(Facts.read(fact), ["N"], {}, {})
        assert made.low.get("N") == (None if least is None else Poly.read(least)), fact


def test_c_division_by_negative_numbers():
    wrong = prove.formula("strided f32[N] strides(1)", "0 - (2*i+1)/(0-2) - 1")
    right = prove.formula("strided f32[N] strides(1)", "0 - (2*i+1)/(0-2)")
    assert wrong.refuted
    assert wrong.counterexample.left != wrong.counterexample.right
    assert right.proved
    assert recheck(right.certificate).ok


# -- whole certificates --------------------------------------------


def changed(certificate, path, value):
    made = copy.deepcopy(certificate)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return {**made, "seal": seal(made)}


def test_what_it_relied_on(tiled):
    made = recheck(tiled)
    assert made.ok
    assert not made.failures
    assert made.relied == ("ends of ranges", "exact identities")
    assert made.claim == 'bijective "f32[M,N]{1,0:T(1,128)}"'


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("claim", "word"), "onto", "certificate|offsets|inverse"),
        (("claim", "arguments", 0), "f32[M,N]{1,0:T(8,128)}", "offsets"),
        (("claim", "arguments", 0), "f32[M,N]{1,0:T(1,64)}", "offsets"),
        (("facts", 0), "N % 127 == 0", "certificate: the sizes"),
        (("facts", 0), "N % 64 == 0", "offsets: step"),
        (("facts",), ["M <= 4096"], "offsets: step"),
        (("sizes", "N"), 127, "certificate: the sizes"),
        (("sizes", "M"), 0, "certificate: the sizes"),
        (("sizes",), {}, "certificate: "),
        (("version",), 2, "not a symlayout-certificate of version 1"),
        (("format",), "proof", "not a symlayout-certificate"),
        (("by",), "luck", "certificate|sizes"),
        (("parts",), {}, "offsets: malformed"),
        (("facts", 1), "M <<= 4096", "certificate"),
    ],
)
def test_another_claim_or_fact_is_rejected(tiled, path, value, where):
    made = recheck(changed(tiled, path, value))
    assert not made.ok
    assert any(w in made.failures[0] for w in where.split("|")), made.failures


def test_each_change_of_a_step_is_rejected_and_named(tiled):
    steps = tiled["parts"]["offsets"]["steps"]
    for n, step in enumerate(steps):
        for key in set(step) & {"P", "D", "Q", "R", "of", "by", "is"}:
            value = f"{step[key]} + 1"
            made = recheck(changed(tiled, ("parts", "offsets", "steps", n, key), value))
            assert not made.ok
            assert int(re.search(r"step (\d+) ", made.failures[0])[1]) >= n


def test_steps_that_are_missing_or_in_another_order(tiled):
    steps = tiled["parts"]["offsets"]["steps"]
    for n, step in enumerate(steps):
        if step["step"] in ("split", "solve", "divide", "coordinate"):
            less = [s for k, s in enumerate(steps) if k != n]
            assert not recheck(changed(tiled, ("parts", "offsets", "steps"), less)).ok, step
    turned = list(reversed(steps))
    assert not recheck(changed(tiled, ("parts", "offsets", "steps"), turned)).ok


def test_the_digits_must_be_those_of_the_layout(tiled):
    for key in ("stride", "count", "digit"):
        old = tiled["parts"]["offsets"]["digits"][0][key]
        path = ("parts", "offsets", "digits", 0, key)
        assert not recheck(changed(tiled, path, f"{old} + 1")).ok
    swapped = tiled["parts"]["offsets"]["digits"][::-1]
    assert not recheck(changed(tiled, ("parts", "offsets", "digits"), swapped)).ok


def test_the_seal_finds_what_no_step_needs(tiled):
    made = copy.deepcopy(tiled)
    made["sizes"]["M"] = 2  # as good a witness
    assert recheck({**made, "seal": seal(made)}).ok
    assert recheck(made).failures == ("seal: the certificate has been changed after it was made",)


def test_for_which_claim(tiled):
    assert recheck(tiled, 'bijective "f32[M,N]{1,0:T(1,128)}"').ok
    assert recheck(tiled, "bijective f32[M,N]{1,0:T(1,128)}").ok
    assert "is for" in recheck(tiled, "onto f32[M,N]{1,0:T(1,128)}").failures[0]


@pytest.mark.parametrize("given", [{}, {"format": 1}, {"claim": []}, {"facts": "N"}])
def test_what_is_no_certificate(given):
    assert not recheck(given).ok


def test_too_deep_a_reason(tiled):
    tree = ["plain"]
    for _ in range(100_000):
        tree = ["low", "M", tree]
    made = changed_without_seal(tiled, tree)
    assert not recheck(made).ok


def changed_without_seal(certificate, tree):
    """The certificate with one reason replaced by a tree that no JSON text could hold."""
    step = {**certificate["parts"]["offsets"]["steps"][-1], "most": tree}
    steps = [*certificate["parts"]["offsets"]["steps"][:-1], step]
    part = {**certificate["parts"]["offsets"], "steps": steps}
    return {**certificate, "parts": {**certificate["parts"], "offsets": part}}


def test_an_empty_range_proves_nothing():
    # a digit of count 0 would make everything true: that there is one is shown before it is used
    made = Ledger(Facts(), ["N"], {}, {})
    step = {"step": "digit", "name": "d.1", "count": "0", "some": ["use", 1, "1", ["plain"]]}
    with pytest.raises(Rejected, match="some"):
        made.apply(step)


def test_coordinates_do_not_prove_sizes_equal():
    # with an element at hand N == max(N, 1); without one it need not be
    made = prove.equal("f32[N]{0}", "strided f32[max(N,1)] strides(1)", where="N >= 0")
    assert not made.proved


def test_mutants(campaign):
    originals = campaign.certificates()
    seen, wrong = campaign.campaign(1500, 7, originals)
    assert not wrong
    assert seen["rejected"] > 900
    assert seen["rejected"] == seen["rejected, with the step's name"]


def test_small_maps_by_brute_force():
    """Random strided maps: what a certificate says is injective or onto, is."""
    for strides in product((0, 1, 2, 3, 6), repeat=2):
        text = f"strided f32[3,2] strides({strides[0]},{strides[1]})"
        held = [strides[0] * a + strides[1] * b for a in range(3) for b in range(2)]
        for word, true in (
            ("injective", len(set(held)) == 6),
            ("onto", set(held) == set(range(max(held) + 1))),
        ):
            verdict = getattr(prove, word)(text)
            assert verdict.proved == true
            if true:
                assert recheck(verdict.certificate).ok
            else:
                assert verdict.certificate is None
