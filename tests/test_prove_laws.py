"""Laws between verdicts: of one claim in other words, under more facts, at given numbers."""

from __future__ import annotations

import itertools
import random
import re
from math import prod

import pytest
from soundness import claims as campaign
from soundness.drawing import facts as facts_about
from soundness.maps import OfMaps

from symlayout import LayoutError, parse, prove

CLAIMS = 40

WORDS = (  # those whose arguments are layouts and formulas
    *("equal", "bitcast", "reinterpret", "injective", "onto", "bijective", "bounded", "formula"),
    *("padding", "divides", "aligned"),
)


def claims(seed: int, words=None, count=CLAIMS):
    """Random claims that are decided: (word, arguments, facts, verdict)."""
    found = 0
    for n in itertools.count():
        if found == count:
            return
        drawn = campaign.claim(seed, n, names=0)
        word, args, where = drawn.word, list(drawn.args), list(drawn.facts)
        if drawn.options or word not in (words or WORDS) or isinstance(drawn.truth, OfMaps):
            continue
        if len({*re.findall(r"\b[MNKstPSE]\b", " ".join(args))}) > 3:
            continue
        verdict = ask(word, args, where)
        if verdict is not None and verdict.status in ("proved", "refuted"):
            found += 1
            yield word, args, where, verdict


def ask(word, args, where):
    """The verdict, None where a divisor may be zero."""
    try:
        return getattr(prove, word)(*args, where=where)
    except LayoutError as e:
        if e.code in ("SL202", "SL301"):
            return None
        raise


def renamed(text: str, table: dict[str, str]) -> str:
    return re.sub(r"\b[MNKstPSE]\b", lambda m: table.get(m.group(), m.group()), text)


def test_names_do_not_matter():
    table = {"P": "alpha", "S": "a", "E": "Zeta"} | {
        "M": "Rows",
        "N": "Cols",
        "K": "depth",
        "s": "high",
        "t": "wide",
    }
    for word, args, where, verdict in claims(1):
        other = ask(word, [renamed(a, table) for a in args], [renamed(w, table) for w in where])
        assert other.status == verdict.status, (word, args, where)
        if verdict.refuted:
            one, two = verdict.counterexample.sizes, other.counterexample.sizes
            assert prod(one.values()) == prod(two.values()), (word, args, where)


def test_more_facts_never_refute_what_is_proved():
    rng = random.Random(2)
    for word, args, where, verdict in claims(2):
        if verdict.proved:
            names = sorted({*re.findall(r"\b[MNKstPSE]\b", " ".join(args))})
            more = facts_about(rng, names)
            other = ask(word, args, [*where, *more])
            assert other is None or not other.refuted, (word, args, where, more)


def test_facts_that_a_counterexample_satisfies_keep_it():
    for word, args, where, verdict in claims(3):
        if verdict.refuted:
            found = verdict.counterexample
            exact = [f"{n} == {v}" for n, v in found.sizes.items()]
            again = ask(word, args, [*where, *exact])
            assert again.refuted, (word, args, where, exact)
            assert again.counterexample.sizes == found.sizes
            assert again.counterexample.coords == found.coords
            loose = [f"{n} <= {v + 1}" for n, v in found.sizes.items()]
            again = ask(word, args, [*where, *loose])
            assert again.counterexample == found, (word, args, where, loose)


def test_facts_that_exclude_every_size_prove_nothing():
    for word, args, where, _ in claims(4, count=20):
        names = sorted({*re.findall(r"\b[MNKstPSE]\b", " ".join(args))})
        if names:
            verdict = ask(word, args, [*where, f"{names[0]} != {names[0]}"])
            assert verdict is None or verdict.status == "vacuous", (word, args, where)


def test_dimensions_may_be_permuted_on_both_sides():
    rng = random.Random(6)
    words = ("equal", "injective", "onto", "bijective", "bounded")
    for word, args, where, verdict in claims(6, words):
        if word == "bounded" and len(args) > 1:
            continue
        try:
            maps = [parse(a).index_map() for a in args]
        except LayoutError:  # several results
            continue
        perm = rng.sample(range(maps[0].rank), maps[0].rank)
        other = getattr(prove, word)(*[m.transpose(perm) for m in maps], where=where)
        assert other.status == verdict.status, (word, args, where, perm)


def test_two_sided_claims_are_symmetric():
    for word, args, where, verdict in claims(7, ("equal", "bitcast", "reinterpret")):
        other = ask(word, args[::-1], where)
        opposite = "refuted" if verdict.proved else "proved"
        assert other.status != opposite, (word, args, where)


def test_claims_that_follow_from_each_other():
    for _, args, where, _ in claims(9, ("injective", "onto", "bijective"), 12):
        one, all_, both = (ask(w, args, where) for w in ("injective", "onto", "bijective"))
        if both.proved:
            assert not one.refuted
            assert not all_.refuted
        if one.refuted or all_.refuted:
            assert not both.proved
        assert not (one.proved and all_.proved and both.refuted)
        same = prove.equal(args[0], args[0], where=where)
        again = prove.reinterpret(args[0], args[0], where=where)
        if same.proved:
            assert again.status in ("proved", "unknown")
        else:  # the layout is undefined somewhere, which refutes every word
            assert [v.status for v in (same, again, one, all_, both)] == ["refuted"] * 5


def test_a_verdict_has_no_truth_value():
    for verdict in (prove.injective("(N):(1)"), prove.injective("(N):(0)")):
        with pytest.raises(TypeError, match="neither true nor false"):
            bool(verdict)
        assert verdict.proved != verdict.refuted
        assert verdict.status in str(verdict)
        assert verdict.claim in str(verdict)
        assert verdict.seconds >= 0


@pytest.mark.parametrize("budget", [0, -1, 1.5, True, "100"])
def test_a_budget_is_a_positive_number_of_steps(budget):
    with pytest.raises(LayoutError) as e:
        prove.injective("(N):(1)", budget=budget)
    assert e.value.code == "SL502"
    assert repr(budget) in str(e.value)


def test_a_small_budget_is_never_a_wrong_answer():
    claim = ("(M,N):(N*N + N, N + 1)", "M*N*N*N")
    full, tiny = prove.bounded(*claim), prove.bounded(*claim, budget=1)
    assert tiny.status in (full.status, "unknown")


@pytest.mark.parametrize(
    ("word", "args"),
    [
        ("injective", ("(M,N):(N,1)",)),
        ("equal", ("(M,N):(N,1)", "f32[M,N]{1,0}")),
        ("bitcast", ("(M,N):(N,1)", "f32[M*N]{0}")),
        ("divides", ("2", "2*M")),
        ("bytes", ("f32[M]{0}", "4*M")),
        ("padding", ("f32[M]{0}", 1)),
        ("aligned", ("f32[M]{0}", 4)),
        ("formula", ("f32[M]{0}", "i")),
    ],
)
def test_every_claim_knows_its_symbols(word, args):
    assert getattr(prove, word)(*args).proved
    with pytest.raises(LayoutError) as e:
        getattr(prove, word)(*args, where="Q >= 2")
    assert e.value.code == "SL301"
    assert getattr(prove, word)(*args, where=["M == 2*Q", "symbol Q"]).proved
    assert getattr(prove, word)(*args, where=["M >= 3", "M <= 2"]).status == "vacuous"


@pytest.mark.parametrize("text", ["f32[M,N]{1,0}", "f32[M,N]{0,1}", "f32[M,N]{1,0:T(2,2)}"])
def test_sizes_that_may_be_zero(text):
    where = ["M >= 0", "N >= 0"]
    assert prove.injective(text, where=where).proved
    assert prove.bounded(text, where=where).proved
    assert prove.equal(text, text, where=where).proved
    assert prove.bounded(text, "M*N - 1", where=where).refuted


def test_a_division_by_a_size_of_zero_is_a_counterexample():
    verdict = prove.formula("f32[M,N]{1,0}", "(i*N*N + j*N)//N", where="N >= 0")
    assert not verdict.refuted or verdict.counterexample.sizes["N"] >= 1
    verdict = prove.divides("M", "M*N", where="M >= 0")
    assert verdict.refuted
    assert verdict.counterexample.sizes["M"] == 0
