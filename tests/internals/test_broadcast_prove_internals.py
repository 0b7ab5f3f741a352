"""Properties of internal modules; `tests/test_broadcast_prove.py` tests the public interface."""

from __future__ import annotations

from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout.digits.sizes import SizeReasoner, clauses_text, sizes_in_order
from symlayout.expr.facts import Facts, read_relations
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import value
from symlayout.programs.hlo.broadcast import extents, plan
from symlayout.prove import broadcast

TOKENS = ("1", "2", "3", "M", "N", "K")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_conditions_are_exact_and_counterexamples_smallest(data):
    rank = data.draw(st.integers(1, 2))
    a = data.draw(st.lists(st.sampled_from(TOKENS), min_size=rank, max_size=rank))
    b = data.draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=rank))
    dims = data.draw(st.sampled_from(list(combinations(range(rank), len(b)))))
    made = broadcast(f"f32[{','.join(a)}]", f"f32[{','.join(b)}]", dims)
    names = list(dict.fromkeys(t for t in (*a, *b) if t.isalpha()))
    legal = {}
    for sizes in product(range(1, 6), repeat=len(names)):
        env = dict(zip(names, sizes))
        legal[sizes] = legal_by_numbers(a, b, dims, env)
        assert holds(made.details["condition"], env) == legal[sizes], made
    assert (made.status == "proved") == all(legal.values())
    if made.refuted:
        broken = [s for s, ok in legal.items() if not ok]
        smallest = min(broken, key=lambda s: (volume(s), s))
        assert tuple(made.counterexample.sizes[n] for n in names) == smallest


FACTS = ("M == N", "M >= 2", "N % 2 == 0", "K == 2*N", "M <= 3", "N >= 0", "K != 1", "M + N == K")

SIZES = ("1", "2", "M", "N", "K", "2*M", "N + 1", "M*N", "max(M, K)", "ceildiv(N, 2)")


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_under_facts_verdict_condition_and_result_are_those_of_numbers(data):
    rank = data.draw(st.integers(1, 2))
    a = data.draw(st.lists(st.sampled_from(SIZES), min_size=rank, max_size=rank))
    b = data.draw(st.lists(st.sampled_from(SIZES), min_size=rank, max_size=rank))
    dialect = data.draw(st.sampled_from(["xla", "numpy", "stablehlo", "hlo"]))
    dims = None if dialect in ("xla", "numpy") else tuple(range(rank))
    names = [n for n in "MNK" if any(n in t for t in (*a, *b))]
    known = [f for f in FACTS if all(n in names for n in "MNK" if n in f)]
    where = data.draw(st.lists(st.sampled_from(known), max_size=2)) if known else []
    made = broadcast(f"f32[{','.join(a)}]", f"f32[{','.join(b)}]", dims, dialect, where)
    facts = Facts.read(where)
    lows = [0 if n == "N" and "N >= 0" in where else 1 for n in names]
    seen = legal = 0
    for sizes in product(*[range(low, 7) for low in lows]):
        env = dict(zip(names, sizes))
        if not facts.holds(env):
            continue
        seen += 1
        x, y = (tuple(value(read_expression(t), env) for t in shape) for shape in (a, b))
        plain = plan(extents(x), extents(y), dims, dialect)
        ok = plain.failure() is None
        legal += ok
        if made.status in ("proved", "refuted"):
            assert holds(made.details["condition"], env) == ok, (made, env)
        if ok:
            result = tuple(value(d, env) for d in made.details["shape"])
            assert result == tuple(e.bound for e in plain.result), (made, env)
    if made.status == "proved":
        assert seen == legal > 0
    elif made.status == "refuted":
        assert facts.holds(made.counterexample.sizes)
    else:
        assert made.status == "vacuous"
        assert seen == 0


def volume(sizes):
    total = 1
    for s in sizes:
        total *= s
    return total


def legal_by_numbers(a, b, dims, env):
    def numbers(tokens):
        return extents(tuple(env[t] if t.isalpha() else int(t) for t in tokens))

    return plan(numbers(a), numbers(b), dims).failure() is None


def holds(condition, env):
    if condition in ("always", "never"):
        return condition == "always"
    parts = [p[1:-1] if p[0] == "(" and " or " in p else p for p in condition.split(" and ")]
    return all(any(read_relations(r)[0].holds(env) for r in p.split(" or ")) for p in parts)


def test_every_small_shape_has_a_verdict_that_agrees_with_its_rules():
    shapes = [s for r in range(3) for s in product(range(3), repeat=r)]
    for a, b in product(shapes, shapes):
        small, large = sorted((len(a), len(b)))
        for dims in [None] if small == large else permutations(range(large), small):
            made = broadcast(a, b, dims)
            legal = plan(extents(a), extents(b), dims).failure() is None
            assert made.status == ("proved" if legal else "refuted"), (a, b, dims)
            assert made.details["condition"] == ("always" if legal else "never")


# -- the order of sizes, and conditions ------------------------------------------------------------


def test_sizes_come_smallest_first():
    facts = Facts.read(["M % 2 == 0", "N <= 5", "M != N"])
    found = list(sizes_in_order(facts, ["M", "N"], 60))
    order = [(s["M"] * s["N"], s["M"], s["N"]) for s in found]
    assert order == sorted(order)
    assert tuple(found[0].values()) == (2, 1)
    assert all(facts.holds(s) for s in found)
    assert list(sizes_in_order(Facts.read(["M >= 3", "M <= 2"]), ["M"])) == []


def test_a_condition_loses_what_follows_from_the_rest():
    reasoner = SizeReasoner(Facts(), ("M", "N"))
    clauses = [read_relations("M == 2"), read_relations("N == M"), read_relations("N == 2")]
    short, directions = reasoner.shortened(clauses)
    assert clauses_text(short) == "M == 2 and N == M"
    assert directions == {"necessary": "unsat", "sufficient": "unsat"}
    assert reasoner.shortened([read_relations("M == 0")])[0] is None


@pytest.mark.parametrize(
    ("a", "b", "dims", "dialect", "where"),
    [
        ("f32[A-B,1,C]", "f32[C,1,A-B]", None, "xla", ()),
        ("f32[2*A,A-B]", "f32[C,C,A-B]", [1, 2], "hlo", ()),
        ("f32[A,3,A-B]", "f32[A//2]", [2], "xla", ("A >= 3",)),
        ("f32[A,B-2]", "f32[C,B-2]", None, "numpy", ("B != 1",)),
        ("f32[C,A%B]", "f32[2,A%B]", None, "xla", ("B >= 0", "A >= 2")),
    ],
)
def test_a_condition_says_that_sizes_have_values_and_are_not_negative(a, b, dims, dialect, where):
    made = broadcast(a, b, dims, dialect, where=where)
    plain = [s[4:-1].split(",") for s in (a, b)]
    seen = set()
    for row in product(range(7), repeat=3):
        env = dict(zip("ABC", row))
        low = {n: int(f"{n} >= 0" not in where) for n in env}
        if any(env[n] < low[n] for n in env) or not all(eval(f, {}, env) for f in where):
            continue
        try:
            p, q = ([eval(e, {}, env) for e in side] for side in plain)
        except ZeroDivisionError:
            ok = False
        else:
            ok = min(*p, *q) >= 0
            ok = ok and plan(extents(p), extents(q), dims, dialect).failure() is None
        if "condition" in made.details:
            assert holds(made.details["condition"], env) == ok, (made, env)
        seen.add(ok)
    assert seen == {True, False}
    assert made.status == "refuted"


@given(st.integers(-20, 20), st.integers(-9, 9).filter(bool))
def test_z3_terms_mean_what_the_expressions_mean(a, b):
    import z3

    from symlayout.expr.smt import term
    from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod, symbol

    x, y = symbol("x"), symbol("y")
    variables = {"x": z3.IntVal(a), "y": z3.IntVal(b)}
    makers = (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod, Min, Max, lambda p, q: p**2 - 3 * q)
    for make in makers:
        e = make(x, y)
        assert z3.simplify(term(e, variables)).as_long() == value(e, {"x": a, "y": b}), e


def test_the_checker_knows_element_types_too():
    from symlayout.certificate.proof import Statement
    from symlayout.certificate.semantics import Claim

    def goals(a, b):
        options = (("dims", "0"), ("dialect", "stablehlo"))
        return Claim(Statement("broadcast", (a, b), options)).goals

    assert [] in goals("f32[3]", "f16[3]")
    assert [] not in goals("f32[3]", "f32[3]")


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("broadcast_in_dim(f32[3], dims=(1), to=f32[4,3])", "4,3"),
        ("broadcast_in_dim(f32[3], dims=(0), to=f32[3,3])", "3,3"),
        ("broadcast_in_dim(f32[], dims=(), to=f32[2])", "2"),
        ("(4,4):(1,4):(3,2)", "3,2"),
        ("((2,2),4):((1,8),2):(3,4)", "3,4"),
        ("((3,1),3):((1,1),3)", "3,3"),
        ("Swizzle(1,0,1) o 0 o (3,3):(3,1)", "3,3"),
        ("zN(f16,3,5)", "3,5"),
        ("pad_reshape_transpose(f32[3,5]{1,0:T(2,4)})", "3,5"),
        ("map i < 3, j < 5: i*5 + j in 15", "3,5"),
        ("strided f32[3,5] strides(1,3)", "3,5"),
        ("MakeLayout(MakeShape(Int<3>{}, Int<5>{}), MakeStride(Int<5>{}, Int<1>{}))", "3,5"),
    ],
)
def test_what_is_broadcast_are_the_extents_of_the_coordinates(text, sizes):
    """Not padded modes, nor the numbers of dimensions that a text happens to have."""
    assert [str(e) for e in extents(text)] == sizes.split(",")
    assert broadcast(text, f"f32[{sizes}]").proved
    numbers = [int(n) for n in sizes.split(",")]
    for k in range(len(numbers)):
        other = ",".join(str(n + 2 * (j == k)) for j, n in enumerate(numbers))
        assert broadcast(text, f"f32[{other}]").refuted
    assert broadcast(text, f"f32[{','.join(map(str, numbers[1:]))}]").refuted == (len(numbers) > 1)
