"""Claims whose certificates were hard to come by, by the reason why."""

from __future__ import annotations

import json

import pytest
from certificates import seal

from symlayout import prove, recheck

IDIOM = "(i1%M) + (i0%M)*M + (i1//M)*M*M + (i0//M)*M*M*(-(-x//M))"

LAST_OFFSET = "512*ceildiv(D, 64)*((T-1)//8) + 512*((D-1)//64) + (D-1)%64 + 64*((T-1)%8) >= D*T"


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("word", "arguments", "facts"),
    [
        # a remainder of a size that divides: the fact splits what nothing else splits
        (
            "bounded",
            ["s4[3,M]{1,0:T(aa,4)(aa)(1,4)}"],
            ["aa % 5 == 1", "min(M, aa) >= 2", "aa > 2"],
        ),
        ("holds", ["(I*I)%(I*C) == I*(I%C)"], ["C % 4 == 1", "I >= 2"]),
        ("injective", ["f64[M,N//s]{1,0:T(2)(2,3)}"], ["M == ceildiv(N, 2)"]),
        ("injective", ["L0C(f32, N, M)"], ["M % N == 0", "M % 2 == 1"]),
        ("aligned", ["f32[size-4]{0}", "4"], ["size * size <= 20", "size-4 >= 0"]),
        # a remainder that is not 0, and both ends of a tile
        ("holds", [LAST_OFFSET], ["D % 64 >= 1", "D > 64"]),
        ("holds", [LAST_OFFSET], ["T % 8 >= 1", "D > 64"]),
        ("holds", ["64*(q + 1)*ceildiv(T, 8) >= 8*q*T + r*ceildiv(T, 8)"], ["1 <= r < 64"]),
        (
            "holds",
            ["512*(q + 1)*((T-1)//8) + 512*q + r - 1 + 64*((T-1)%8) >= (64*q + r)*T"],
            ["1 <= r < 64"],
        ),
        # a quotient below what bounds its dividend
        ("holds", ["S//C < B and S%C < C"], ["S < B*C"]),
        ("holds", ["(p*B + l)//C < G"], ["0 <= p < P", "0 <= l < B", "P*B <= G*C"]),
        # Python's ceiling
        ("formula", ["f32[R,x]{1,0:T(M,M)}", IDIOM], []),
        ("formula", ["f32[3,n]{1,0:T(3)}", "(i1%3) + (i1//3)*3 + i0*3*(-(-n//3))"], []),
        ("holds", ["-(-N//t) == ceildiv(N, t) and -(-2*N//4) == ceildiv(N, 2)"], []),
        # what two numbers have in common, and extremes of sizes
        ("holds", ["K*K ^ (d%4) <= K*K + d%4"], []),
        ("holds", ["B & max(T, B) <= min(B, max(T, B))"], []),
        ("holds", ["abs(d - (d ^ 1)) == max(d, d ^ 1) - min(d, d ^ 1)"], []),
        # operations on bits in what takes places back to points
        ("onto", ["map i < 4*d, j < d: ((i*d + j) ^ 2) in 4*d*d"], []),
        # a quotient that is not 0 where a coordinate lies below it
        (
            "inverse",
            [
                "map i < d//T, j < T: j*(d//T) + i in (d//T)*T",
                "map x < (d//T)*T: (x%(d//T), x//(d//T)) in (d//T, T)",
            ],
            [],
        ),
        # operations on bits with a number in the sizes of layouts
        ("valid", ["f32[(N ^ 1),N]{1,0:T(3)(4)}"], []),
        ("injective", ["f32[M//d,(d | 3),d-1]{1,2,0:T(M,8)}"], ["d >= 2"]),
        ("bytes", ["f32[T,B & -4]{1,0}", "4*T*(B & -4)"], ["B >= 4"]),
        (
            "equal",
            ["strided f32[K,K ^ 5] strides(2*K,0)", "strided f32[K,K ^ 5] strides(K+K,0)"],
            [],
        ),
        # tiles over a size that is a multiple already: rounded up twice is rounded up once
        ("bounded", ["bf16[N,ceildiv(M,8)*8]{1,0:T(8,16)}"], []),
        ("bounded", ["zZ(s8,ceildiv(M,8)*8,ceildiv(N,2))"], ["M % 4 == 0", "N % 8 == 0"]),
        ("valid", ["f32[K,ceildiv(M,4)*4]{1,0:T(8,8)}"], ["M >= 2"]),
        ("tiles", ["f32[M,ceildiv(M,8)*8]{1,0:T(8,128)}", "(8,128)"], []),
        # a parabola that bends down
        ("bounded", ["map i < N: i*N in 2**62"], ["N <= 2**31"]),
        # one that bends up, which is above its tangents at the ends and at the vertex
        ("bounded", ["map i < N: i*(N - i) in N*N"], []),
        ("bounded", ["map i < 2*N: (i - N)*(i - N) in N*N + 4"], []),
        ("bounded", ["map i < M: i*(M - 1 - i) in M*M//4 + 1"], []),
        ("holds", ["x*x - 2*N*x + N*N + x >= N"], ["x >= -3"]),
        # a power that falls faster than another grows
        ("bounded", ["map i < K, j < K: K*K*i + K*j in 2**31"], ["K <= 1024"]),
        ("fits", ["map i < K, j < K, k < K: (i*K + j)*K + k"], ["K <= 1024"]),
        ("bounded", ["map i < M: i*(M - 1 - i) in N*M"], ["M <= N", "M >= 0"]),
        ("bounded", ["map i < N, j < N: i*N - i*(i - 1)//2 + j in N*(N + 1)"], []),
        ("bounded", ["map i < N: i*K in 2**63"], ["N == K+1", "N <= 2**31"]),
        ("fits", ["map i < K: i*K", "64"], ["K <= 2**30"]),
        ("holds", ["K*(9-K) >= 0"], ["K <= 9"]),
        # the block in which the number of a place lies
        ("onto", ["map i < K, j < N: (i*N + j)//M in ceildiv(K*N, M)"], []),
        ("onto", ["map i < K, j < N: ((i*N + j)//8, 0) in (ceildiv(K*N, 8), 1)"], []),
        ("bounded", ["map r < ceildiv(K*N,M): r*M//N in K"], []),
        # a stride over a size that is rounded up to less than a tile
        ("injective", ["zN(s8,ceildiv(N,4)*4,M)"], []),
        ("valid", ["bf16[M,ceildiv(M,8)*8]{1,0:T(4,128)(4,1)}"], []),
        ("injective", ["s4[M,M,ceildiv(N,8)*8]{2,1,0:T(128)}"], ["M % 3 == 0"]),
        # a product of an extent with both signs in it
        ("bounded", ["pred[8*N,(N ^ 4)]{1,0}"], []),
        ("bijective", ["s4[K,(K ^ 7)]{1,0}"], []),
        # places counted from the last one, of which a block may reach beyond the first
        ("onto", ["map g < G, b < B, i < M: N-1-((g*B+b)*M+i) in N"], ["B*G*M >= N"]),
        ("onto", ["map i < N, j < M if i*M + j < N: N - 1 - (i*M + j) in N"], []),
        ("onto", ["map i < G, j < B-2 if i*(B-2) + j < G: G - 1 - (i*(B-2) + j) in G"], ["B >= 3"]),
        # a swizzle permutes whole blocks
        ("onto", ["Swizzle(3,3,3) o 0 o (M,64):(64,1)"], []),
        ("onto", ["Swizzle(2,1,2) o 0 o (8,8*N):(1,8)"], ["N >= 0"]),
        # strides that are operations on bits with a number
        ("onto", ["bf16[3,(K | 7)]{1,0}"], []),
        ("onto", ["f16[8*N,(M ^ 1)]{1,0}"], ["M >= 2"]),
        # sizes that a fact says, and no less than sizes are
        ("onto", ["f32[d,K,K]{2,0,1}"], ["K >= 0", "ceildiv(K, 8) == M", "M%4 == 0"]),
        # sizes of which one is a power of two, and large
        ("injective", ["map i < B if not i == 1: i in B"], ["B >= 2**63", "B == 2**d", "symbol d"]),
        # a ceiling of a size that is in digits already
        (
            "inverse",
            [
                "map i < ceildiv(d,4), j < (d ^ 1): j*ceildiv(d,4) + i in ceildiv(d,4)*(d ^ 1)",
                "map x < ceildiv(d,4)*(d^1): (x%ceildiv(d,4), x//ceildiv(d,4)) in (ceildiv(d,4), d^1)",
            ],
            [],
        ),
        # no element
        ("injective", ["f32[0,N]{0,1:T(3)(2,4,1)(4,4)}"], ["N * N % 2 == 0", "N >= 2"]),
        ("formula", ["s8[0,2*Z]{1,0}", "min(i1, 2*Z-1) + i0*(2*Z) + 1"], ["Z != 3"]),
        ("onto", ["f32[0,N]{1,0}"], []),
        ("reinterpret", ["f32[0,N]", "bf16[N,0]"], []),
        ("reinterpret", ["bf16[M]{0:T(2)}", "s8[2*M]{0:T(2*2)}"], ["2 <= M < 4"]),
        ("aligned", ["f32[0,N]{1,0}", "4"], []),
        ("aligned", ["f32[0,N]{0,1:T(2,3)}", "8//N"], []),
        ("bitcast", ["f32[2,0]{1,0}", "PaddingRowMajor(2, 0, 3, 4)"], []),
        ("equal", ["pad_reshape_transpose(s4[2*P,0]{1,0:T(2)(*,2)L(3)})"] * 2, []),
        # no element, as facts say
        ("equal", ["f32[b//R,c-1]{1,0:T(4,1)(1)}", "(b//R,c-1):(1,b//R)"], ["b <= c < R"]),
        ("equal", ["bf16[a,i-1]{1,0:T(1)}", "RowMajor(a, i-1, C)"], ["i == 1"]),
        ("onto", ["MxScalezZ(bf16, 2, K//t)"], ["K < t"]),
        ("valid", ["((n//2,2*O),(i,n)):((n*i,n),(O,2))"], ["n == 1"]),
        ("formula", ["(S*N,3):(3,1)", "i0//S + max(i1, 0)%S + (1 << i0//S)"], ["S == 0"]),
        ("formula", ["(N-4,1):(1,N-4)", "i0 + min(i1, 0) + 5//(i1+1)"], ["4 <= N", "N*N <= 20"]),
        ("fits", ["s8[max(M-2,0),K]{1,0:T(4,t)}", "4"], ["M <= 2"]),
        ("reinterpret", ["f32[N-1,M]", "bf16[N//2,N-1]"], ["N == 1"]),
        # a quotient that a fact says is not 0
        ("equal", ["f32[K,M]{1,0:T(4,3)(2,8//t)}"] * 2, ["8//t >= 1"]),
        ("tiles", ["Vector(x1)", "8//j"], ["8//j >= 2", "8//j <= x1"]),
        # coordinates that a combined tile divides as one number
        ("injective", ["f32[P,P]{1,0:T(*,3)(2)}"], []),
        ("injective", ["f32[A,B,C]{2,1,0:T(*,*,t)(4)}"], []),
        ("injective", ["f32[2*N,ceildiv(M,2)]{1,0:T(*,s)(4,s,1)}"], ["s == M"]),
        ("valid", ["s8[2,M]{0,1:T(*,3)(1,t)}"], ["t <= 5"]),
        ("bijective", ["f32[K,6]{1,0:T(*,3)}"], []),
        ("injective", ["pad_reshape_transpose(f32[K,2*K]{1,0:T(4,s)})"], []),
        # as many digits as a number has of a size
        ("bounded", ["f32[M,K]{1,0:T(3)(s)(2,2,1)}"], []),
        ("bounded", ["PaddingColumnMajor(f64, 3, 5, s, t)"], ["max(t, t) <= 5"]),
        ("valid", ["f32[4,K]{0,1:T(4,s)}"], ["s % K == 1", "max(s, s) <= 5"]),
        # few points, as products and extremes say
        ("holds", ["(a*x)/(a*b) == x/b"], ["max(a, b) <= 5", "-1 <= x", "x <= 4"]),
        (
            "injective",
            ["RowMajor(i, 100, n_)"],
            ["i*n_ <= 6", "i == i*i", "max(n_, i) <= 5", "i == n_"],
        ),
        ("bijective", ["((N+1,3,2*K),N):((1,(N+1)*N,((N+1)*N)*3),N+1)"], ["max(K, K) <= 5"]),
        # few points, as bits say
        ("holds", ["N == 5"], ["(N | 1) == 5", "N != 4"]),
        ("holds", ["M + N < 14"], ["(M | N | 2) <= 7", "(M | N) != 7", "M >= 0"]),
        # numbers that are not equal: one is more than the other, or less
        ("holds", ["N/(O - i) <= N"], ["O != i"]),
        ("holds", ["d*ceildiv(2, d) < 2 + d"], ["d != 1", "d / 2 == 2", "d >= -3"]),
        ("holds", ["(x - y)//(x - y) == 1"], ["x != y", "x*y != 2"]),
        ("divides", ["N//2", "0"], ["N != 1"]),
        ("formula", ["f32[8]{0:T(s)}", "i0%s + i0//s*s + 0//(s-2)"], ["s != 2"]),
        # a divisor of which a condition on the way says that it is no 0
        (
            "bounded",
            ["map p < 1 if ((a//b) if (b > 0) else 0) < n: (a//b if 0 < b else 0) in n"],
            ["n >= 1", "b >= -5"],
        ),
        ("bounded", ["map i < N: (0//k if k != 0 else 0) in 1"], ["k >= 0"]),
        ("bounded", ["map i < N if k != 0 and i//k >= 0: 0 in 1"], ["k >= 0"]),
        (
            "fits",
            ["map i < M, j < N if i != j and i - j < 2: (i - j)//(i - j) in N"],
            ["M <= 2**20", "N <= 2**16"],
        ),
        # a map against a layout that demands something of sizes
        ("equal", ["map i < 3*L: i", "((L,3)):((1,L))"], []),
        ("equal", ["map i < 3*L: i in 3*L", "((L,3)):((1,L))"], []),
        ("equal", ["map i < N: i", "f32[N]{0:T(t)}"], ["t >= 0", "t >= 2 - N", "N == 1"]),
        # a place below a guard, in several coordinates
        (
            "fits",
            [
                "map e < E, p < ceildiv(M, 128), q < ceildiv(N, 128), i < 128, j < 128 "
                "if p*128 + i < M and q*128 + j < N: (e*M + p*128 + i)*N + q*128 + j"
            ],
            ["E*M*N <= 2147483647"],
        ),
        # a fact that the digits do not follow
        (
            "injective",
            [
                "map i < B, j < i + 1 if i*(i + 1)//2 + j < B*(B + 1)//2 - 1: "
                "(i*(i + 1)//2 + j if j < B*(B + 1)//2 else 0) in B*(B + 1)//2"
            ],
            ["((B**2 + B)//2)%B == 0"],
        ),
        # facts that no small sizes satisfy
        ("bytes", ["f32[M,N]{1,0}", "4096"], ["M*N == 1024"]),
        (
            "padding",
            ["f32[M,N]{1,0:T(8,128)}", "2"],
            ["M*N >= 512*ceildiv(M, 8)*ceildiv(N, 128)"],
        ),
        ("holds", ["m*(n - 1) > 2**31 - 1 and n > 1"], ["m*n > m + 2**31 - 1", "n < 2**31"]),
        (
            "tiles",
            ["RowMajor(bf16, ceildiv(k,2), k)", "K,h2"],
            ["K == h2*K", "K//2 == 2", "K <= ceildiv(k,2)", "h2 <= k"],
        ),
        # a maximum that facts say is more than one of both, a minimum that is less
        (
            "bounded",
            ["map i < M, j < N: (i << (K-2)) + j in M << K"],
            ["max(K - 1, 0) >= 1", "M*2**(K - 2) + N <= M*2**K + 2**(K - 2)"],
        ),
        ("holds", ["K >= 4 and 1 << (K - 4) >= 1"], ["max(K - 1, 2) >= 3"]),
        ("holds", ["1 << (4 - K) >= 1"], ["min(K - 1, 9) <= 3"]),
        # a square is least at its vertex
        ("holds", ["a*a + b*b >= 2*a*b"], []),
        ("holds", ["x*x + 9 >= 6*x"], ["x >= -100"]),
        # a number that no square is, seen by what squares leave modulo a small number
        ("holds", ["N*N != 2**20 - 1"], []),
        ("holds", ["N*N != 2**15 + 1"], []),
        ("holds", ["N*N + 4*K*K != 8*K + 8"], []),
        # what is never 0 because it is positive
        ("holds", ["2*N*N - M*M != 3*N"], ["N//M == 4"]),
        # without an element nothing divides by what strides do
        ("injective", ["(M):(8//t)"], ["M == 0", "t >= 0"]),
        ("onto", ["(M):(8//t)"], ["M == 0", "t >= 0"]),
        ("bijective", ["((M,3),4):((8//t,2),M)"], ["M < 1", "M > -1", "t >= 0"]),
        ("bounded", ["RowMajor(f32, 4, M, 8//t)"], ["2*M == 0", "t >= 0"]),
        ("equal", ["(M):(8//t)", "(M):(7//t)"], ["M == 0", "t >= 0"]),
        ("bytes", ["strided f32[2,S] strides(2,5%S)", "0"], ["0 <= S", "S <= 0"]),
        ("padding", ["strided f32[2,S] strides(2,5%S)", "2"], ["0 <= S", "S <= 0"]),
        # a stride that may be 0, or of either sign: a proof for each
        ("onto", ["RowMajor(bf16, K, 2*M, P)"], ["0 <= P", "P <= K", "K == M"]),
        ("onto", ["(K,2*M):(P,1)"], ["0 <= P <= 2*M"]),
        ("valid", ["MakeLayout(MakeShape(1,N),MakeStride(8//(p-2),1))"], ["p - 2 != 0"]),
        # what a fact divides by is not 0
        ("broadcast", ["f32[K]", "f32[2]"], ["K//(K - 1) == 2"]),
        ("injective", ["(M,N):(N,1)"], ["M >= 0", "8//M >= 2"]),
        ("holds", ["b*b*c*c + 9 >= 6*b*c"], []),
        (
            "holds",
            ["a*(a+1)%2 == 0 and rank((b*c - 1000036000099)*(b*c - 1000036000099) : 1) == 1"],
            [],
        ),
        ("holds", ["2*a*a + 3*b*b >= 4*a*b"], []),
        # a size that divides a number is at most that number; at most its least value, it is that
        ("injective", ["composition((M,N):(N,1), (K):(2))"], ["2%M == 0", "2*K - 1 <= M"]),
        (
            "injective",
            ["composition((M,N):(N,1), (K):(2))"],
            ["2%M == 0", "M%2 == 0", "K <= M//2"],
        ),
        # what is broadcast are the extents of the coordinates
        ("broadcast", ["map i < 3, j < K: i*5 + j in 3*K", "f32[3,K]"], []),
        ("broadcast", ["pad_reshape_transpose(f32[3,N]{1,0:T(2,4)})", "f32[3,N]"], []),
    ],
)
def test_it_is_certified(word, arguments, facts):
    verdict = getattr(prove, word)(*arguments, where=facts)
    assert verdict.proved, verdict
    assert verdict.certificate is not None
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


def test_a_number_of_bytes_is_not_negative_where_there_is_no_row_either():
    verdict = prove.aligned("s8[ceildiv(M,2)]{0}", "M", where="M >= -1")
    assert verdict.counterexample.sizes == {"M": -1}
    assert "add M >= 0" in verdict.reason
    assert recheck(prove.aligned("s8[ceildiv(M,2)]{0}", "M", where="M >= 0").certificate).ok


@pytest.mark.parametrize("length", [200, 300, 9000])
def test_a_long_name_is_certified(length):
    made = prove.bounded(f"zN(f16,{'C' * length},R)").certificate
    assert recheck(made).ok


def test_a_line_break_is_a_blank():
    made = prove.injective("f32[M,\n  N]{1,0}").certificate
    assert made["claim"]["arguments"] == ["f32[M, N]{1,0}"]
    assert recheck(made, 'injective "f32[M, N]{1,0}"').ok


@pytest.mark.parametrize(
    ("literal", "named"),
    [
        ("f32[M,1]{1,0}", "f32[M,K]{1,0}"),  # each was a run of M, which begins at 0
        ("f32[1,M]{0,1}", "f32[K,M]{0,1}"),
        ("f32[1,M]{1,0}", "f32[K,M]{1,0}"),
        ("f32[M,1]{0,1}", "f32[M,K]{0,1}"),
        ("f32[M,1]{1,0:T(8,128)}", "f32[M,K]{1,0:T(8,128)}"),
    ],
)
def test_a_size_that_is_written_as_1_has_the_rows_of_one_that_is_1(literal, named):
    for step in ("4", "64", "512"):
        asked = prove.aligned(literal, step)
        assert asked.status == prove.aligned(named, step, where="K == 1").status
        assert not asked.proved or recheck(asked.certificate).ok


def forged(made, **changes):
    result = {**json.loads(json.dumps(made)), **changes}
    return recheck({**result, "seal": seal(result)})


def test_only_where_there_is_no_place_are_goals_left_out():
    made = prove.equal("f32[0,N]{1,0}", "f32[0,N]{0,1}").certificate
    assert made["parts"]["offsets"] == {"steps": [], "goals": []}
    for one in ("1", "M", "K-K+1"):
        claim = {**made["claim"], "arguments": [f"f32[{one},N]{{1,0}}", f"f32[N,{one}]{{0,1}}"]}
        assert not forged(made, claim=claim, sizes={"M": 2, "N": 2, "K": 1}).ok
        claim = {**made["claim"], "arguments": [f"f32[{one},N]{{1,0}}", f"f32[{one},N]{{0,1}}"]}
        assert not forged(made, claim=claim, sizes={"M": 2, "N": 2, "K": 1}).ok


def test_a_size_that_a_fact_makes_0_is_one_only_with_that_fact():
    made = prove.equal("bf16[a,i-1]{1,0:T(1)}", "RowMajor(a, i-1, C)", where="i <= 1").certificate
    assert {"step": "have", "that": "-1"}.items() <= made["parts"]["offsets"]["steps"][-1].items()
    assert forged(made).ok
    for fact in ("i <= 2", "i >= 1", "i != 2", "a <= 1", "C <= 1"):
        assert not forged(made, facts=[fact]).ok
    for shape in ("[a,i+1]", "[a,2-i]", "[a,i*i]"):
        texts = [f"bf16{shape}{{1,0:T(1)}}", f"RowMajor({shape[1:-1]}, C)"]
        assert not forged(made, claim={**made["claim"], "arguments": texts}).ok


NONE = ["split", "false", "0 < 1"]  # no sizes at all


def test_neither_side_of_what_is_not_0_can_be_left_out():
    made = prove.holds("N/(O - i) <= N", where="O != i").certificate
    script = made["texts"]["script"]
    assert [m[:2] for m in script].count(["split", "open"]) == 2
    assert forged(made).ok
    for k, move in enumerate(script):
        for other in (NONE, ["cases"], ["split", "open", "-1 < O - 1"], None):
            moves = [*script[:k], *([] if other is None else [other]), *script[k + 1 :]]
            if other != move:
                assert not forged(made, texts={**made["texts"], "script": moves}).ok
    for fact in ("O >= i", "O != i + 1", "O != 1"):
        assert not forged(made, facts=[fact], sizes={"N": 1, "O": 2, "i": 1}).ok


def test_a_layout_against_a_map_is_defined():
    made = prove.equal("map i < N: i", "f32[N]{0:T(t)}", where="t >= 1").certificate
    assert forged(made).ok
    assert made["parts"]["defined"]["goals"]
    parts = {k: v for k, v in made["parts"].items() if k != "defined"}
    assert not forged(made, parts=parts).ok
    assert not forged(made, parts={**parts, "defined": {"steps": [], "goals": []}}).ok
    for fact in ("t >= 0", "t >= -1", "t + N >= 1"):
        assert not forged(made, facts=[fact]).ok


def test_arrays_that_are_broadcast_have_the_extents_of_their_coordinates():
    made = prove.broadcast("map i < 3, j < K: i*5 + j in 3*K", "f32[3,K]").certificate
    assert forged(made).ok
    for text in ("map i < 3, j < K+1: i*5 + j", "map i < 4, j < K: i", "map j < 3, i < 2: i", "K"):
        assert not forged(made, claim={**made["claim"], "arguments": [text, "f32[3,K]"]}).ok


def test_a_square_is_no_more_than_it_is():
    made = prove.holds("a*a + b*b >= 2*a*b").certificate
    assert forged(made).ok
    for text in ("a*a + b*b >= 2*a*b + 1", "a*a + b*b >= 3*a*b", "a*a + b >= 2*a*b", "a*b >= b*b"):
        assert not forged(made, claim={**made["claim"], "arguments": [text]}).ok
    (goal,) = made["parts"]["sizes"]["goals"]
    (*cancel, square), d = goal[2], int(goal[2][1]["d"])
    assert (cancel[0], square[0]) == ("cancel", "square")
    for other in ("a + b", "a - 2*b", "a - b - 1", "a", "0", f"{d}*a - {d}*b"):
        wrong = [*goal[:2], [*cancel, ["square", {"a": other}, *square[2:]]]]
        assert not forged(made, parts={"sizes": {"steps": [], "goals": [wrong]}}).ok


def test_a_divisor_is_no_0_only_where_the_condition_is_on_the_way():
    text = "map i < N: (i//{} if {} else 0) in N"
    made = prove.bounded(text.format("k", "k > 0"), where="k >= -1").certificate
    assert forged(made).ok
    for divisor, condition in (("k", "k >= 0"), ("k", "N > 0"), ("k - 1", "k > 0"), ("k", "k < 0")):
        claim = {**made["claim"], "arguments": [text.format(divisor, condition)]}
        assert not forged(made, claim=claim).ok
        for moves in ([*made["texts"]["script"]], []):
            assert not forged(made, claim=claim, texts={**made["texts"], "script": moves}).ok


@pytest.mark.parametrize("bytes_", ["0", "-4", "0-N", "N-N", "4-8*N"])
def test_an_empty_array_is_aligned_to_no_number_below_1(bytes_):
    made = prove.aligned("f32[0,N]", "4").certificate
    assert forged(made).ok
    claim = {**made["claim"], "arguments": ["f32[0,N]", bytes_]}
    assert not forged(made, claim=claim).ok


def test_an_alignment_to_no_bytes_is_none_of_an_empty_array_either():
    made = prove.aligned("f32[0]", "4").certificate
    claim = {**made["claim"], "arguments": ["f32[0]", "0"]}
    assert not forged(made, claim=claim).ok


@pytest.mark.parametrize("name", ["mod", "max", "ceildiv", "truncmod"])
def test_a_size_may_have_a_function_s_name(name):
    made = prove.bounded(f"(4,({name},N)):(E<0>,(E<1,0>,E<1,1>))").certificate
    assert forged(made).ok
    other = prove.injective(f"({name},N):(N,1)", where=f"{name} == 3").certificate
    assert forged(other).ok
    assert not forged(other, facts=[f"{name} == 4"]).ok


@pytest.mark.parametrize("strides", ["(N,64)", "(64,N)", "(1,1)"])
def test_of_equal_steps_prover_and_checker_take_one_row(strides):
    """At the sizes where they look the steps are equal: each took a row of its own."""
    text = f"strided f32[M,N] strides{strides}"
    along = [prove.aligned(text, "256", dim=dim) for dim in ("0", "1")]
    asked = prove.aligned(text, "256")
    assert asked.status == along[1].status
    for row, verdict in enumerate(along):
        if verdict.proved:
            whole = {**verdict.certificate["claim"], "options": {}}
            assert forged(verdict.certificate, claim=whole).ok == (row == 1)
