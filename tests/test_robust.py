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
    rows, reached = [part.split("<") for part in outside_brackets(domain, ",")], list[Any]()

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
    for T in (3, 7, 8, 16, 32, 64, 100, 128)
    for count in COUNTS
    for where in ((), ("n >= 2",))
    if T in (3, 128) or (count != COUNTS[0] and not where)
]
ROWS += [
    ("bijective", f"map t < {T}, i < (n + {T - 1} - t) >> {k}: t + i*{T} in n", ())
    for T, k in ((8, 3), (16, 4), (128, 7))
]
GROUPED = (
    "map pid < M*{N}: first = pid//({G}*{N})*{G}; width = min(M - first, {G}); "
    "(first + pid%({G}*{N})%width, pid%({G}*{N})//width) in (M, {N})"
)
ROWS += [
    ("bijective", GROUPED.format(N=N, G=G), where)
    for N, G in ((64, 8), (16, 4), ("N", 8), (2, "G"), (128, "G"), (7, 3), ("N", "G"))
    for where in ((), ("M >= 2",))
    if where or N != "N"
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
    ("bijective", f"map r < {R}, c < N: (c ^ (r & (N - 1)), r) in (N, {R})", (*POWER, "N >= 4"))
    for R in (3, 8, 16)
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
    ("bijective", "map n < N, c < 64, h < H: ((n*(64//B) + c//B)*H + h)*B + c%B in N*64*H", where)
    for where in (("64 % B == 0",), ("0 == 64 % B",), ("64 % B == 0", "N >= 2"))
]
ROWS += [
    ("bijective", f"map i < {c}//B, j < B: {e} in {c}", (f"{c} % B == 0",))
    for c in (12, 16, 24)
    for e in ("i*B + j", f"i + j*({c}//B)", f"{c} - 1 - i*B - j")
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


@pytest.mark.parametrize(("word", "text", "where"), FALSE)
def test_what_is_false_by_a_number_is_refuted(word: str, text: str, where: tuple[str, ...]) -> None:
    verdict = getattr(sl.prove, word)(text, where=where)
    assert verdict.refuted, verdict
    example = verdict.counterexample
    assert example is not None
    assert not true_at(word, text, example.sizes)
