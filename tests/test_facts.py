"""Facts: what they read, what they allow of each symbol, and what contradicts."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, prove, recheck


def test_facts_that_contradict_beyond_what_is_decided_prove_nothing():
    v = prove.injective("(M,N):(N,1)", where="M*M == 2*N*N")
    assert v.status == "unknown"
    assert "whether they can hold is not decided" in v.reason


@pytest.mark.parametrize(
    "where",
    [
        "M*N > 2**31",
        "M*N*K >= 2**40 and N % 7 == 3 and K <= 5",
        "N <= 3 and M*N > 2**50",
        "M*M > 2**62",
    ],
)
def test_facts_that_large_sizes_alone_satisfy(where):
    v = prove.injective("(M,N,K):(N*K,K,1)", where=where)
    assert v.proved, v.reason
    assert recheck(v.certificate).ok


# -- symbols that the claim does not have -----------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "word", "help"),
    [
        ("Q >= 1", "Q", "the names are M, N"),
        ("M <= Q", "Q", "the names are M, N"),
        (["M == 2*q", "q <= 9", "r >= 2"], "r", "the names are M, N"),
        ("Mm % 8 == 0", "Mm", "did you mean 'M'?"),
    ],
)
def test_a_fact_about_something_that_is_not_there(where, word, help):
    with pytest.raises(LayoutError, match=f"unknown name '{word}'") as e:
        prove.injective("f32[M,N]{1,0}", where=where)
    assert e.value.code == "SL301"
    assert e.value.help.startswith(help)


@pytest.mark.parametrize("order", [list, reversed])
def test_long_chains_of_facts_are_taken_once(order):
    chain = list(order([f"a{k} <= a{k + 1}" for k in range(120)]))
    assert prove.holds("a0 <= a120", where=chain).proved
    assert prove.holds("a120 <= a0", where=chain).refuted


@pytest.mark.parametrize(
    "where",
    [
        ["M == 4*m", "symbol m"],
        ["M == 4*m", "m % 2 == 0"],
        ["m == k + 1", "k == N*l", "l >= 1", "m >= 3"],
        ["M < m", "m < 9"],
    ],
)
def test_several_facts_may_bring_in_new_symbols(where):
    assert prove.injective("f32[M,N]{1,0}", where=where).proved
