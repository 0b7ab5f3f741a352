"""Which counterexample is the smallest: the least product of the sizes, a 0 counted as 1; then the
sizes in the order in which the claim's text names them."""

from __future__ import annotations

import pytest

from symlayout import prove


def test_a_size_of_0_is_no_shortcut():
    made = prove.broadcast("f32[M,M//2,0]", "f32[M,2*N,0]", where="N >= 0")
    assert made.counterexample.sizes == {"M": 1, "N": 1}


@pytest.mark.parametrize(
    ("divisor", "number", "facts", "sizes"),
    [
        ("M+1", "M*N*K", ["K * N % 2 == 0", "K <= 7"], {"M": 2, "N": 1, "K": 2}),
        ("N//2", "M*N*K", ["2 <= K < 4", "K * M == 6", "K != N"], {"N": 1, "M": 2, "K": 3}),
        ("2*b*a", "3*a", [], {"b": 1, "a": 1}),
        ("7", "b + a*a", ["a * b % 2 == 0"], {"b": 1, "a": 2}),
        ("7", "a*a + b", ["a * b % 2 == 0"], {"a": 1, "b": 2}),
    ],
)
def test_sizes_of_divides_come_as_the_text_names_them(divisor, number, facts, sizes):
    made = prove.divides(divisor, number, where=facts)
    assert list(made.counterexample.sizes.items()) == list(sizes.items())


def test_a_permutation_does_not_change_the_order_of_sizes():
    for b, perm in (("f32[M,N]{1,0}", "0,1"), ("f32[N,M]{1,0}", "1,0")):
        made = prove.bitcast("f32[M,N]{1,0:T(2,2)}", b, perm=perm, where="M*N % 2 == 0")
        assert list(made.counterexample.sizes.items()) == [("M", 1), ("N", 2)]
    turned = prove.bitcast("f32[M,N]{1,0}", "f32[N,M]{1,0}", perm="1,0", where="M != N")
    assert turned.counterexample.sizes == {"M": 2, "N": 3}


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("instruction", ("f32[3*b-2*a] multiply(f32[3*b-2*a], f32[a])",)),
        ("broadcast", ("f32[3*b-2*a]", "f32[a]")),
        ("broadcast", ("f32[3*q-2*a]", "f32[a]")),
    ],
)
def test_sizes_of_shapes_come_as_the_text_names_them(word, text):
    made = getattr(prove, word)(*text)
    assert list(made.counterexample.sizes.values()) == [1, 2]
