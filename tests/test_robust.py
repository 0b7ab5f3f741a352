"""Claims that stay proved in other forms: numbers for sizes, more facts, other spellings.

Each row is proved, has a certificate that is accepted, and agrees with plain integers at small sizes.
The rows after them are false, and differ from true ones by a number.
"""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any

import pytest

import symlayout as sl

WORD = re.compile(r"[A-Za-z_]\w*")
LANGUAGE = {"if", "else", "and", "or", "not", "map", "in", "min", "max", "ceildiv"}
VALUES = (1, 2, 3, 4, 6, 8, 12)


def ceildiv(a: int, b: int) -> int:
    """The quotient rounded up."""
    return -(-a // b)


FUNCTIONS = {"ceildiv": ceildiv, "min": min, "max": max}


def value(text: str, env: dict[str, int]) -> Any:
    """What Python computes."""
    return eval(text, {"__builtins__": {}}, {**FUNCTIONS, **env})


def outside_brackets(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that stand in no bracket."""
    parts, depth, begin = list[str](), 0, 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if not depth and text.startswith(mark, k):
            parts.append(text[begin:k])
            begin = k + len(mark)
    return [*parts, text[begin:]]


def places(text: str, env: dict[str, int]) -> list[Any]:
    """What a map reaches, point by point."""
    head, tail = text.removeprefix("map ").split(":", 1)
    *lets, result = outside_brackets(tail, ";")
    domain, *guard = outside_brackets(head, " if ")
    rows, reached = [part.split("<", 1) for part in outside_brackets(domain, ",")], list[Any]()

    def visit(k: int, here: dict[str, int]) -> None:
        if k < len(rows):
            for n in range(value(rows[k][1].strip(), here)):
                visit(k + 1, {**here, rows[k][0].strip(): n})
            return
        if all(value(g.strip(), here) for g in guard):
            for let in lets:
                name, e = let.split("=", 1)
                here = {**here, name.strip(): value(e.strip(), here)}
            reached.append(value(outside_brackets(result, " in ")[0].strip(), here))

    visit(0, env)
    return reached


def true_at(word: str, text: str, env: dict[str, int]) -> bool:
    """Whether the claim holds at these sizes, in plain integers."""
    reached = places(text, env)
    once = len(set(reached)) == len(reached)
    if word == "injective":
        return once
    box = value(outside_brackets(text, " in ")[1], env)
    every = set(range(box)) if isinstance(box, int) else set(product(*map(range, box)))
    within = set(reached) <= every
    return within and {"bounded": True, "bijective": once and set(reached) == every}.get(
        word, set(reached) == every
    )


def truths(word: str, text: str, where: tuple[str, ...]) -> list[bool]:
    """The claim at small sizes that satisfy the facts."""
    own = set(re.findall(r"(\w+)\s*<(?![<=])|(\w+)\s*=(?!=)", text.replace("<<", "")))
    own = {n for pair in own for n in pair if n} - {"K", "n", "M", "N"}
    names = [n for n in dict.fromkeys(WORD.findall(text)) if n not in LANGUAGE | own]
    results = []
    for row in product(VALUES, repeat=len(names)):
        env = dict(zip(names, row))
        if all(value(f, env) for f in where) and len(results) < 60:
            results.append(true_at(word, text, env))
    return results


STRIDED = "map t < {T}, i < {count}: t + i*{T} in n"
COUNTS = ("(n + {T} - 1 - t)//{T}", "(n + {U} - t)//{T}", "ceildiv(n - t, {T})")
ROWS: list[tuple[str, str, tuple[str, ...]]] = [
    ("bijective", STRIDED.format(T=T, count=count.format(T=T, U=T - 1)), where)
    for T, count, where in (
        *[(3, count, ()) for count in COUNTS],
        *[(128, count, ("n >= 2",)) for count in COUNTS],
        *[(T, COUNTS[T % 2 + 1], ()) for T in (7, 8, 16, 32, 64, 100, 128)],
    )
]
ROWS += [
    ("bijective", f"map t < {T}, i < (n + {T - 1} - t) >> {k}: t + i*{T} in n", ())
    for T, k in ((8, 3), (128, 7))
]
GROUPED = (
    "map pid < M*{N}: first = pid//({G}*{N})*{G}; width = min(M - first, {G}); "
    "(first + pid%({G}*{N})%width, pid%({G}*{N})//width) in (M, {N})"
)
ROWS += [
    ("bijective", GROUPED.format(N=N, G=G), where)
    for N, G, where in (
        (64, 8, ()),
        (16, 4, ("M >= 2",)),
        ("N", 8, ("M >= 8",)),
        (2, "G", ()),
        (128, "G", ("M >= 2*G",)),
        (7, 3, ()),
        ("N", "G", ("M >= 2",)),
    )
]
VECTORS = "map i < {I}, j < n: ((i*n+j)//{V}%{T}, (i*n+j)//{W}*{V} + (i*n+j)%{V})"
ROWS += [
    ("injective", VECTORS.format(I=rows, V=V, T=T, W=V * T), ())
    for rows, V, T in ((16, 8, 128), (4, 2, 3), (3, 4, 8), ("I", 8, 32), (16, 16, 16))
]
POWER = ("N & (N - 1) == 0",)
ROWS += [
    ("bijective", f"map r < {R}, c < N: r*N + (c ^ (r % N)) in {R}*N", POWER)
    for R in (2, 5, 8, 16, "R")
]
ROWS += [
    ("bijective", f"map r < {R}, c < N: (c ^ (r & (N - 1)), r) in (N, {R})", (*POWER, least))
    for R, least in ((3, "N >= 2"), (8, "N >= 2"), (16, "N >= 4"))
]
BLOCKED = "map c < {C}, h < H, w < W: (((c//B)*H + h)*W + w)*B + c%B in {C}*H*W"
ROWS += [("bijective", BLOCKED.format(C=C), (f"{C} % B == 0",)) for C in (64, 6, 12, "C", 100)]
CHUNKS = "map s < {S}, t < ceildiv(N, {S}) if s*ceildiv(N, {S}) + t < N: t + s*ceildiv(N, {S}) in N"
ROWS += [("bijective", CHUNKS.format(S=S), ()) for S in (4, 7, 128)]
SHARES = "map p < {P}: x = p % X; l = p // X; x*({P}//X) + min(x, {P} % X) + l in {P}"
ROWS += [("bijective", SHARES.format(P=P), ()) for P in (3, 7, 16, "P")]

GROUPS_LESS = GROUPED.replace("{G}", "(K-1)")
ROWS += [("bijective", GROUPS_LESS.format(N=N), ("K >= 2",)) for N in (2, 7, "N")]
ROWS += [
    ("bijective", GROUPS_LESS.format(N=7), facts)
    for facts in (("2*K >= 4",), ("K > 1",), ("K >= 2", "K % 2 == 0", "M <= 100"))
]
LANES = ("n % B == 0", "B >= 9", "symbol k", "B == 2**k", "k >= 4", "k <= 20", "n % 128 == 0")
ROWS += [
    ("bijective", "map n < N, c < 64, h < H: ((n*(64//B) + c//B)*H + h)*B + c%B in N*64*H", where)
    for where in (("64 % B == 0",), ("0 == 64 % B",), ("64 % B == 0", "N >= 2"))
]
ROWS += [
    ("bijective", f"map i < {c}//B, j < B: {e} in {c}", (f"{c} % B == 0",))
    for c in (12, 16, 24)
    for e in ("i*B + j", f"i + j*({c}//B)", f"{c} - 1 - i*B - j")
]

LAST = "map it < ceildiv({K},{B}), k < ({first} if {when} else {other}): it*{B} + k in {K}"
ROWS += [
    ("bijective", LAST.format(K=K, B=B, first=first, when=when, other=other), ())
    for K, B in (("K", "B"), ("K", 32), (100, "B"))
    for first, when, other in (
        (f"{K} - it*{B}", f"it == {K}//{B}", f"{B}"),
        (f"{K} % {B}", f"it == {K}//{B}", f"{B}"),
        (f"{B}", f"it < {K}//{B}", f"{K} - it*{B}"),
        (f"{K} - it*{B}", f"{K} - it*{B} <= {B}", f"{B}"),
    )
    if (K, B) == ("K", "B") or when == f"it == {K}//{B}"
]
ROWS += [
    ("bijective", "map i < N, j < N if j <= i: i*(i+1)//2 + j in N*(N+1)//2", ()),
    ("bijective", "map i < N, j < N if i >= j: i*(i+1)//2 + j in N*(N+1)//2", ("N >= 3",)),
    ("bijective", "map i < N, j < N if j < i: i*(i-1)//2 + j in N*(N-1)//2", ()),
    ("bijective", "map i < N, j < N if j >= i: i*N - i*(i+1)//2 + j in N*(N+1)//2", ()),
    ("bijective", "map i < 12, j < 12 if j <= i: i*(i+1)//2 + j in 78", ()),
    ("bijective", "map i < N, j < M if j <= i: i*(i+1)//2 + j in N*(N+1)//2", ("M >= N",)),
    ("bounded", "map i < N, j < N if j <= i: i*(i+1)//2 + j in N*(N+1)//2", ()),
]
SHARDS = (
    "map d < {A}*{B}, i < ceildiv(M,{A}), j < ceildiv(N,{B}) "
    "if (d//{B})*ceildiv(M,{A})+i < M and (d%{B})*ceildiv(N,{B})+j < N: "
    "((d//{B})*ceildiv(M,{A}) + i, (d%{B})*ceildiv(N,{B})+j) in (M, N)"
)
ROWS += [
    ("bijective", SHARDS.format(A=A, B=B), ())
    for A, B in ((2, 4), (4, 2), (2, 3), ("A", 2), ("A", "B"))
]
GRID = "map b < G, t < {T}, i < ceildiv({rest}, G*{T}): i*(G*{T}) + b*{T} + t in n"
ROWS += [
    (word, GRID.format(T=T, rest=rest.format(T=T)), ())
    for T in (3, "T")
    for word in ("bounded", "bijective")
    for rest in ("max(n - (b*{T} + t), 0)", "(n - b*{T} - t if n > b*{T} + t else 0)")
]
ROWS += [
    ("bounded", "map t < T, i < ceildiv(max(n - t, 0), T): i*T + t in n", ()),
    ("bounded", "map t < T, i < max(n - t, 0)//2: 2*i + t in n", ()),
    ("bounded", "map t < T, i < max(n - t, 0): n - 1 - i - t in n", ()),
]

FALSE: list[tuple[str, str, tuple[str, ...]]] = [
    ("bijective", "map t < 128, i < (n + 126 - t)//128: t + i*128 in n", ()),
    ("bijective", "map t < 128, i < (n + 128 - t)//128: t + i*128 in n", ()),
    ("bijective", "map t < 128, i < (n + 127 - t)//128: t + i*127 in n", ()),
    ("bijective", "map t < 7, i < (n + 7 - t)//8: t + i*7 in n", ()),
    ("bijective", GROUPED.format(N=64, G=8).replace("pid//(8*64)*8", "pid//(4*64)*8"), ()),
    ("bijective", GROUPED.format(N=6, G=2).replace("width = min(M - first, 2)", "width = 2"), ()),
    ("injective", VECTORS.format(I=4, V=2, T=3, W=8), ()),
    ("injective", VECTORS.format(I=4, V=2, T=3, W=12), ()),
    ("injective", VECTORS.format(I=16, V=8, T=64, W=1024), ()),
    ("bijective", "map r < 8, c < N: r*N + (c ^ (r % N)) in 8*N", ()),
    ("bijective", "map r < 8, c < N: r*N + (c ^ r) in 8*N", POWER),
    ("bijective", BLOCKED.format(C=64), ()),
    ("bijective", "map i < 15//B, j < B: i*B + j in 16", ("16 % B == 0",)),
    ("bijective", "map i < 16//B, j < B: i*B + j in 16", ("16 % B <= 1",)),
    (
        "bijective",
        GROUPS_LESS.format(N=7).replace("width = min(M - first, (K-1))", "width = K-1"),
        ("K >= 2",),
    ),
    (
        "bijective",
        LAST.format(K="K", B="B", first="K - it*B - 1", when="it == K//B", other="B"),
        (),
    ),
    ("bijective", LAST.format(K="K", B="B", first="K % B", when="it == K//B - 1", other="B"), ()),
    ("bijective", "map i < N, j < N if j <= i + 1: i*(i+1)//2 + j in N*(N+1)//2", ()),
    ("bijective", "map i < N, j < N if j < i: i*(i+1)//2 + j in N*(N+1)//2", ()),
    ("bijective", "map i < N, j < M if j <= i: i*(i+1)//2 + j in N*(N+1)//2", ("M + 1 >= N",)),
    ("bijective", SHARDS.format(A=2, B=4).replace("(d%4)", "(d%3)"), ()),
    ("bounded", GRID.format(T=3, rest="max(n - (b*3 + t), 1)"), ()),
    ("bounded", "map t < T, i < max(n - t, 0): i + t + 1 in n", ()),
    ("bijective", SHARES.format(P=7).replace("7 % X", "8 % X"), ()),
]


@pytest.mark.parametrize(("word", "text", "where"), ROWS)
def test_what_is_true_is_proved_with_a_certificate(
    word: str, text: str, where: tuple[str, ...]
) -> None:
    verdict = getattr(sl.prove, word)(text, where=where)
    assert verdict.proved, verdict
    certificate = verdict.certificate
    assert certificate is not None
    assert sl.recheck(json.loads(json.dumps(certificate))).ok
    seen = truths(word, text, where)
    assert seen
    assert all(seen)


def test_a_fact_that_divides_a_size_by_a_number_loses_no_proof() -> None:
    for where in (LANES, LANES[:-1], (*LANES, "n <= 1000000"), (*LANES, "n >= 256")):
        verdict = sl.prove.bijective(
            "map pid < n//B, lane < B: B*pid + (lane ^ 8) in n", where=where
        )
        assert verdict.proved, verdict
        assert sl.recheck(json.loads(json.dumps(verdict.certificate))).ok


MULTIPLES = [
    ("equal", ("flat_divide((128,N):(N,1), (BM,BN))", "(BM,BN,128//BM,N//BN):(N,1,BM*N,BN)")),
    ("equal", ("coalesce(zipped_divide((128,N):(N,1), (BM,N)))", "(BM,N,128//BM):(N,1,BM*N)")),
    ("bijective", ("f32[128,N]{1,0:T(BM,BN)}",)),
    ("bounded", ("f32[128,N]{0,1:T(BM,BN)}",)),
    ("holds", ("ceildiv(128, BM)*BM == 128",)),
    ("holds", ("256//BM == 2*(128//BM)",)),
    ("holds", ("ceildiv(127, BM) == 128//BM",)),
    ("holds", ("129//BM == 128//BM",)),
]


@pytest.mark.parametrize(("word", "arguments"), MULTIPLES)
def test_a_divisor_of_a_number_divides_it(word: str, arguments: tuple[str, ...]) -> None:
    other = ["BM >= 2"] + ["N % BN == 0"] * ("BN" in arguments[0])
    where = ["128 % BM == 0", *other]
    verdict = getattr(sl.prove, word)(*arguments, where=where)
    assert verdict.proved, verdict
    assert sl.recheck(json.loads(json.dumps(verdict.certificate))).ok
    without = getattr(sl.prove, word)(*arguments, where=other)
    assert without.refuted or word == "bounded"


ENDS = "max(0, a + d - W) + {tile} >= min(q + d, a + T + d)"
INEQUALITIES = [
    (ENDS.format(tile="ceildiv(min(q + d, W + T), C)*C"), ("0 <= d", "0 <= a")),
    (ENDS.format(tile="min(q + d, W + T)"), ("0 <= d", "0 <= a")),
    (ENDS.format(tile="ceildiv(min(q + d, W + T), 4)*4"), ("0 <= d", "0 <= a")),
    (ENDS.format(tile="ceildiv(min(q + d, W + T), C)*C").replace("W", "W*C"), ("0 <= d", "0 <= a")),
    ("max(0, a - W) + ceildiv(min(q, W + T), C)*C >= min(q, a + T)", ()),
    ("min(x, y) <= ceildiv(min(x, y), C)*C", ()),
    ("ceildiv(M,16)*ceildiv(N,16) <= 4*ceildiv(M,32)*ceildiv(N,32)", ()),
    ("ceildiv(M,4)*ceildiv(N,3) <= 6*ceildiv(M,8)*ceildiv(N,9)", ()),
    ("ceildiv(M,4)*ceildiv(N,4) <= ceildiv(M,2)*ceildiv(N,2)", ()),
    ("w//min(a, b) <= w", ()),
    ("w//min(a, b) <= max(w//a, w//b)", ()),
    ("w//min(a, b)*min(a, b) <= w", ()),
    ("w//max(a, b) <= min(w//a, w//b)", ()),
]


@pytest.mark.parametrize(("text", "where"), INEQUALITIES)
def test_an_inequality_of_extremes_and_quotients_is_proved(
    text: str, where: tuple[str, ...]
) -> None:
    verdict = sl.prove.holds(text, where=where)
    assert verdict.proved, verdict
    assert sl.recheck(json.loads(json.dumps(verdict.certificate))).ok
    names = sorted({n for n in WORD.findall(text) if n not in LANGUAGE})
    few = (0, 1, 2, 5) if len(names) > 4 else (0, 1, 2, 3, 5, 8, 13)
    natural = {n for n in names if f"0 <= {n}" in where}
    rows = (dict(zip(names, row)) for row in product(few, repeat=len(names)))
    seen = [value(text, env) for env in rows if all(v or n in natural for n, v in env.items())]
    assert seen
    assert all(seen)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (INEQUALITIES[0][0].replace(">=", "> 1 +"), INEQUALITIES[0][1]),
        (INEQUALITIES[0][0].replace("0, a", "1 - a, a").replace("W +", "W - 1 +"), ("0 <= a",)),
        ("ceildiv(M,16)*ceildiv(N,16) <= 3*ceildiv(M,32)*ceildiv(N,32)", ()),
        ("ceildiv(M,4)*ceildiv(N,3) <= 5*ceildiv(M,8)*ceildiv(N,9)", ()),
        ("w//min(a, b) <= min(w//a, w//b)", ()),
        ("w//min(a, b) <= w - 1", ()),
    ],
)
def test_a_false_inequality_is_refuted(text: str, where: tuple[str, ...]) -> None:
    assert sl.prove.holds(text, where=where).refuted


STRIDES = "map b < G, t < {T}, i < ceildiv({rest}, G*{T}): {value}"
STRIDE_ROWS = [
    ("max(n - (b*256 + t), 0)", 256, "i*(G*256)"),
    ("max(n - (b*256 + t), 0)", 256, "b*256 + t + i*(G*256)"),
    ("max(n - (b*T + t), 0)", "T", "i*(G*T)"),
    ("max(n - (b*T + t), 0)", "T", "b*T + t + i*(G*T)"),
    ("(n - b*128 - t if n > b*128 + t else 0)", 128, "i*(G*128)"),
    ("max(0, n - (b*64 + t))", 64, "i*(G*64)"),
]


@pytest.mark.parametrize(("rest", "T", "result"), STRIDE_ROWS)
def test_the_steps_of_a_loop_with_the_stride_of_the_grid_fit(
    rest: str, T: Any, result: str
) -> None:
    where = ["n <= 1073741824", "G <= 65535", *["T <= 1024"] * (T == "T")]
    verdict = sl.prove.fits(STRIDES.format(T=T, rest=rest, value=result), where=where)
    assert verdict.proved, verdict
    assert sl.recheck(json.loads(json.dumps(verdict.certificate))).ok


@pytest.mark.parametrize("limit", ["n <= 4294967296", "G <= 65535"])
def test_steps_that_leave_the_type_do_not_fit(limit: str) -> None:
    text = STRIDES.format(T=256, rest="max(n - (b*256 + t), 0)", value="(i + 1)*(G*256)")
    assert sl.prove.fits(text, where=[limit]).refuted


@pytest.mark.parametrize(("word", "text", "where"), FALSE)
def test_what_is_false_by_a_number_is_refuted(word: str, text: str, where: tuple[str, ...]) -> None:
    verdict = getattr(sl.prove, word)(text, where=where)
    assert verdict.refuted, verdict
    example = verdict.counterexample
    assert example is not None
    assert not true_at(word, text, example.sizes)


@pytest.mark.parametrize(("rows", "columns", "step"), [(4, 3, 1), (4, 9, 8), (8, 5, 1), (2, 3, 2)])
def test_a_size_that_divides_and_is_a_multiple_is_written_so_once(
    rows: int, columns: int, step: int
) -> None:
    """Each normal form wrote R as `4*(R//4)` once more, inside the one before, without an end."""
    text = f"map r < R, c < {columns}: r*{step} + (c ^ (r % R)) in R*{step + 1}"
    verdict = sl.prove.bijective(text, where=f"R % {rows} == 0")
    assert verdict.refuted, verdict
