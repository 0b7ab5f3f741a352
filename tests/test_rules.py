"""The rewriting rules, each with its condition: proved, true at every small point, and by Z3.

A row is a rule, the two sides, and the facts under which they are equal.  Z3 gets each of the
one-step lemmas in purified form: `x // d` is a fresh q with `x == d*q + r`, `0 <= r < d`.
"""

from __future__ import annotations

import pytest

from symlayout import prove

NONNEGATIVE = ("x >= 0", "y >= 0")

# rule, left, right, facts, whether Z3 proves it at once
RULES = [
    # R1: a multiple of the divisor comes out, whatever the signs
    ("R1", "(d*u + v)//d", "u + v//d", (), True),
    ("R1", "(d*u + v)%d", "v%d", (), False),
    ("R1", "(v - d*u)//d", "v//d - u", (), True),
    ("R1", "(8*u + v + 24)//8", "u + 3 + v//8", (), True),
    ("R1", "(d*a*u + v)//(d*a)", "u + v//(d*a)", (), False),
    # R2: less than one divisor
    ("R2", "v//d", "0", ("0 <= v < d",), True),
    ("R2", "v%d", "v", ("0 <= v < d",), True),
    ("R2", "(v + w)//d", "0", ("v >= 0", "w >= 0", "v + w < d"), True),
    ("R2", "(d - 1 - v)//d", "0", ("0 <= v < d",), True),
    # R3: quotients of quotients
    ("R3", "(x//a)//b", "x//(a*b)", NONNEGATIVE[:1], False),
    ("R3", "(x//4)//8", "x//32", NONNEGATIVE[:1], True),
    ("R3", "(x//a + c)//b", "(x + a*c)//(a*b)", ("x >= 0", "c >= 0"), False),
    ("R3", "(x//4 + 3)//8", "(x + 12)//32", NONNEGATIVE[:1], True),
    ("R3", "(x//a)//b//c", "x//(a*b*c)", NONNEGATIVE[:1], False),
    # R4: remainders of remainders, and quotients of remainders
    ("R4", "(x%(a*b))//a", "(x//a)%b", NONNEGATIVE[:1], False),
    ("R4", "(x%32)//4", "(x//4)%8", NONNEGATIVE[:1], True),
    ("R4", "(x%(k*c))%c", "x%c", NONNEGATIVE[:1], False),
    ("R4", "(x%24)%8", "x%8", NONNEGATIVE[:1], True),
    # R5: a quotient and its remainder join
    ("R5", "d*(x//d) + x%d", "x", NONNEGATIVE[:1], True),
    ("R5", "a*((x//a)%b) + x%a", "x%(a*b)", NONNEGATIVE[:1], False),
    ("R5", "4*((x//4)%8) + x%4", "x%32", NONNEGATIVE[:1], True),
    ("R5", "a*b*(x//(a*b)) + a*((x//a)%b) + x%a", "x", NONNEGATIVE[:1], False),
    # R6: a common factor that the remainder does not reach
    ("R6", "(g*x + r)//(g*y)", "x//y", ("x >= 0", "y >= 1", "0 <= r < g"), False),
    ("R6", "(4*x + r)//(4*y)", "x//y", ("x >= 0", "y >= 1", "0 <= r < 4"), False),
    ("R6", "(4*x + r)//12", "x//3", ("x >= 0", "0 <= r < 4"), True),
    ("R6", "(g*x + r)%(g*y)", "g*(x%y) + r", ("x >= 0", "y >= 1", "0 <= r < g"), False),
    # R7: through the mixed-radix bound
    ("R7", "(q*s + r)//(k*s)", "q//k", ("q >= 0", "0 <= r < s"), False),
    ("R7", "((i*N + j)*K + k)//(N*K)", "i", ("i >= 0", "0 <= j < N", "0 <= k < K"), False),
    ("R7", "((i*N + j)*K + k)//K%N", "j", ("i >= 0", "0 <= j < N", "0 <= k < K"), False),
    ("R7", "((i*N + j)*K + k)%K", "k", ("i >= 0", "0 <= j < N", "0 <= k < K"), False),
    # R8: a coefficient may lose multiples of the modulus
    ("R8", "(9*x + y)%8", "(x + y)%8", NONNEGATIVE, True),
    ("R8", "(7*x + y)%8", "(y + 15*x)%8", NONNEGATIVE, True),
    ("R8", "((c + 1)*x)%c", "x%c", NONNEGATIVE[:1], False),
    ("R8", "(8*x + y)%8", "y", ("x >= 0", "0 <= y < 8"), True),
    # R9: a constant is split by the divisor
    ("R9", "(x + 19)//8", "(x + 3)//8 + 2", NONNEGATIVE[:1], True),
    ("R9", "(x + 19)%8", "(x + 3)%8", NONNEGATIVE[:1], True),
    ("R9", "(x + d)//d", "x//d + 1", NONNEGATIVE[:1], True),
    ("R9", "(x - 16)//8", "x//8 - 2", NONNEGATIVE[:1], True),
    # R10: padding
    ("R10", "ceildiv(N, q)", "(N - 1)//q + 1", (), True),
    ("R10", "ceildiv(ceildiv(N, a), b)", "ceildiv(N, a*b)", (), False),
    ("R10", "ceildiv(ceildiv(N, 8), 4)", "ceildiv(N, 32)", (), True),
    ("R10", "ceildiv(N, 128)*128", "N", ("N % 128 == 0",), True),
    ("R10", "min(j//q, (N - 1)//q)", "j//q", ("0 <= j < N",), False),
    ("R10", "min(j//8, ceildiv(N, 8) - 1)", "j//8", ("0 <= j < N",), True),
    ("R10", "max(ceildiv(N, q)*q, N)", "ceildiv(N, q)*q", (), False),
    ("R10", "(j//q)//ceildiv(N, q)", "0", ("0 <= j < N",), False),
    # whole numbers: m*p + m - 1 >= 0 says p >= 0
    ("R10", "max(ceildiv(N, 4), y)", "y", ("4*y >= N",), True),
    ("R10", "max(N//4, y)", "y", ("4*y >= N - 3",), True),
]


def readable(row):
    rule, left, right, where, _ = row
    return f"{rule}: {left} = {right}" + (f" [{', '.join(where)}]" if where else "")


@pytest.mark.parametrize("row", RULES, ids=readable)
def test_a_rule_is_proved(row):
    _, left, right, where, _ = row
    layout = "strided f32[1] strides(0) offset "
    verdict = prove.equal(layout + f"({left})", layout + f"({right})", where=where)
    assert verdict.proved, verdict


# -- R11: neighbouring modes merge ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("apart", "merged", "where", "same"),
    [
        ("strided f32[M,N] strides(N,1)", "strided f32[M*N] strides(1)", (), True),
        ("strided f32[M,N] strides(N*s,s)", "strided f32[M*N] strides(s)", (), True),
        ("strided f32[M,N,K] strides(N*K,K,1)", "strided f32[M,N*K] strides(N*K,1)", (), True),
        ("strided f32[M,N,K] strides(N*S,S,1)", "strided f32[M*N,K] strides(S,1)", (), True),
        ("strided f32[8,16] strides(16,1)", "strided f32[128] strides(1)", (), True),
        ("strided f32[M,N] strides(S,1)", "strided f32[M*N] strides(1)", ("S == N",), True),
        ("strided f32[M,N] strides(S,1)", "strided f32[M*N] strides(1)", ("S > N",), False),
        ("strided f32[M,N] strides(1,M)", "strided f32[M*N] strides(1)", (), False),
        ("strided f32[M,N] strides(1,M)", "strided f32[M*N] strides(1)", ("M == 1",), True),
    ],
)
def test_modes_merge_when_the_stride_is_the_size_below(apart, merged, where, same):
    verdict = prove.bitcast(apart, merged, where=where)
    assert verdict.status == ("proved" if same else "refuted"), verdict
