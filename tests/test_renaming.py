"""No verdict depends on names, on the order of facts, or on what was asked before.

Claims of every word, asked again by names that sort differently and with their facts turned round.
"""

from __future__ import annotations

import random
import re

import pytest
from soundness.claims import WORDS
from soundness.judging import ask
from soundness.naming import NAMES, difference, other_names, renamed, turned

from symlayout import prove
from symlayout.errors import LayoutError

DRAWS = 5


def answered(claim):
    """The verdict, or the code of the error."""
    try:
        return ask(claim)
    except LayoutError as error:
        return error.code


def claims(word, text):
    rng = random.Random(f"{text}/{word}")
    return [(rng, WORDS[word][1](rng)) for _ in range(DRAWS)]


def same(one, other, table):
    if isinstance(one, str) or isinstance(other, str):
        return "" if one == other else f"{one} here, {other} by other names"
    return difference(one, other, table)


@pytest.mark.sample(4)
@pytest.mark.parametrize("word", list(WORDS))
def test_other_names_and_another_order_of_facts_give_the_same_answer(word):
    for rng, claim in claims(word, "names"):
        first = answered(claim)
        table = other_names(rng, claim)
        again = renamed(turned(rng, claim), table)
        assert not (found := same(first, answered(again), table)), (str(claim), str(again), found)


def test_claims_asked_in_another_order_have_the_same_answers():
    asked = [claim for word in WORDS for _, claim in claims(word, "order")[:2]]
    first = {str(c): answered(c) for c in asked}
    for c in random.Random(3).sample(asked, len(asked)):
        assert not same(first[str(c)], answered(c), {}), str(c)


ROWS = (  # (word, arguments, facts, status): M and N stand for two names, whichever comes first
    ("bytes", ("strided f32[3] strides(M-N)", "4"), ("M > N",), "refuted"),
    ("bytes", ("strided f32[3] strides(M-N)", "4"), ("M == N",), "proved"),
    ("bytes", ("strided f32[3] strides(M-N)", "8*M-8*N+4"), ("M > N",), "proved"),
    ("bytes", ("strided f32[2] strides(N-M)", "4*M-4*N+4"), ("M > N",), "proved"),
    ("bounded", ("strided f32[3] strides(M-N)",), ("M >= N",), "proved"),
    ("bounded", ("strided f32[3] strides(M-N)",), ("M < N",), "refuted"),
    ("bounded", ("strided f32[3] strides(M-N)",), (), "refuted"),
    ("injective", ("strided f32[3] strides(M-N)",), ("M > N",), "proved"),
    ("injective", ("strided f32[3] strides(M-N)",), ("M < N",), "proved"),
    ("injective", ("strided f32[3] strides(M-N)",), (), "refuted"),
    ("onto", ("strided f32[3] strides(M-N)",), ("M == N + 1",), "proved"),
    ("onto", ("f32[M-N]{0}",), (), "refuted"),
    ("onto", ("f32[M-N]{0}",), ("M >= N",), "proved"),
    ("valid", ("strided f32[4] strides(2*M-3*N)",), ("2*M > 3*N",), "proved"),
    ("padding", ("strided f32[2,N] strides(M,1)", "1"), ("M == N",), "proved"),
    ("padding", ("strided f32[2,N] strides(M,1)", "1"), ("M >= N",), "refuted"),
    ("aligned", ("strided f32[2,4] strides(M-N,1)", "16"), ("M == N + 4",), "proved"),
    ("equal", ("f32[M,N]{1,0}", "strided f32[M,N] strides(N,1)"), (), "proved"),
    ("equal", ("f32[M,N]{1,0}", "f32[M,N]{0,1}"), (), "refuted"),
    ("bitcast", ("f32[M,N]{1,0}", "f32[M*N]{0}"), (), "proved"),
    ("reinterpret", ("f32[M,N]{1,0}", "f32[N,M]{1,0}"), (), "proved"),
    ("formula", ("f32[M,N]{1,0}", "i0*N + i1"), (), "proved"),
    ("formula", ("f32[M,N]{1,0}", "i0*M + i1"), (), "refuted"),
    ("holds", ("M - N >= 0",), ("M > N",), "proved"),
    ("holds", ("M - N > 0",), ("M >= N",), "refuted"),
    ("divides", ("M - N", "M*M - N*N"), ("M > N",), "proved"),
    ("divides", ("M - N", "M*M - N*N"), (), "refuted"),
    ("tiles", ("f32[8,8]{1,0:T(M,N)}", "M,N"), (), "proved"),
    ("tiles", ("f32[8,8]{1,0:T(M,N)}", "N,M"), (), "refuted"),
)

PAIRS = (("M", "N"), ("N", "M"), ("S", "E"), ("E", "S"), ("b", "a"), ("Z", "a"), ("x10", "x1"))


@pytest.mark.sample(7)
@pytest.mark.parametrize(("word", "arguments", "facts", "status"), ROWS)
def test_either_order_of_two_names(word, arguments, facts, status):
    for one, two in PAIRS:

        def named(text, one=one, two=two):
            return "".join({"M": one, "N": two}.get(c, c) for c in text)

        asked = getattr(prove, word)(*map(named, arguments), where=list(map(named, facts)))
        assert asked.status == status, (one, two)


def test_the_names_sort_in_every_way():
    assert len(set(NAMES)) == len(NAMES)
    assert sorted(NAMES) != list(NAMES) != sorted(NAMES, key=str.lower)


def test_the_smallest_counterexample_goes_by_the_order_of_the_text():
    for one, two in PAIRS:
        v = prove.padding(f"RowMajor(3*{one}-2*{two}, {two}, P)", 1, where=f"{one}*{two} == 12")
        assert list(v.counterexample.sizes) == [one, two, "P"]
        assert v.counterexample.sizes == {one: 1, two: 12, "P": 1}
        v = prove.divides(f"f32[{two},2*{one}-3*{two}]{{1,0:T(2)}}", where=f"{one} >= 2*{two}")
        assert list(v.counterexample.sizes) == [two, one]


def test_divides_speaks_of_every_size_of_the_layout():
    assert prove.divides("f32[M,4*N]{1,0:T(4)}", where="M >= 2").proved
    refuted = prove.divides("f32[M-4,4*N]{1,0:T(4)}")
    assert refuted.counterexample.sizes == {"M": 1, "N": 1}


@pytest.mark.parametrize("name", ["i", "j", "k", "l", "i0", "h", "q"])
def test_a_name_of_the_facts_alone_is_no_coordinate(name):
    tall = [f"N == 2*{name}", f"{name} <= 3"]
    for word, *args in (
        ("tiles", "f32[2*N,N]{1,0:T(2,2)}", "2,2"),
        ("tiles", "f32[2*N,N]{1,0:T(2,2)}", "3,3"),
        ("tiles", "f32[2*N,N+1]{1,0:T(2,M)}", "(2,1):(1,1)"),
        ("equal", "f32[N,M]{1,0}", "f32[N,M]{0,1}"),
        ("injective", "f32[N,M]{1,0:T(2,2)}"),
        ("onto", "f32[N,M]{1,0:T(2,2)}"),
        ("bijective", "f32[N,M]{1,0:T(2,1)}"),
        ("bounded", "f32[N,M]{1,0:T(2,1)}", "2*N"),
        ("bitcast", "f32[N,M]{1,0}", "f32[M,N]{1,0}"),
        ("reinterpret", "f32[N,M]{1,0:T(2,2)}", "f32[N,M]{1,0}"),
        ("aligned", "f32[M,N]{1,0}", "8"),
        ("formula", "f32[M,N]{1,0}", "i0*N + i1"),
        ("fits", "f32[N,2]{1,0}", "4"),
    ):
        if word == "formula" and name in ("i0", "i", "j"):
            continue  # which are the coordinates there
        other = [re.sub(rf"\b{name}\b", "other_", f) for f in tall]
        one, two = (getattr(prove, word)(*args, where=w) for w in (tall, other))
        assert not difference(one, two, {name: "other_"}), (word, args)
