"""`simplify`: the same value with fewer divisions, never a longer expression."""

from __future__ import annotations

import time
from math import prod

import pytest
from digit_points import BOX, expressions, grid
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from symlayout import CoordMap, IndexMap, LayoutError, parse, simplify, sizes, xla
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Max, Min, Mod, ceildiv, count_operations, substitute, symbol, value

LAW = settings(max_examples=50, deadline=None, derandomize=True, phases=[Phase.generate])
A, B, C, D, M, N, i, j, p, q = (symbol(n) for n in "ABCDMNijpq")


def divisions(e) -> int:
    return count_operations(e)[0]


def ranges(m: CoordMap | IndexMap) -> list[str]:
    """The facts that a map's coordinates are in range."""
    return [f"0 <= {c} < {d}" for c, d in zip(m.coords, m.shape)]


# -- laws -----------------------------------------------------------------------------------------

FACTS = st.sampled_from(
    [
        BOX,
        (*BOX, "M % 2 == 0"),
        (*BOX, "N % t == 0"),
        (*BOX, "N % 4 == 0", "M == N + 1"),
        (*BOX, "N <= 3", "t == 2"),
        ("i >= 0", "j >= 0", "N >= 0"),
        ("i >= -3", "0 <= j < t"),
        (),
    ]
)


@given(expressions(), FACTS)
@LAW
def test_the_value_is_the_same_and_nothing_grows(e, where):
    made = simplify(e, where=where)
    assert count_operations(made) <= count_operations(e)
    for env in grid(where):
        if defined(e, env):
            assert value(made, env) == value(e, env), env


def defined(e, env) -> bool:
    """Whether no divisor is zero there; where one is, nothing is asked of a shorter form."""
    try:
        value(e, env)
    except LayoutError:
        return False
    return True


@given(expressions(), FACTS)
@LAW
def test_more_facts_keep_the_value_where_they_hold(e, where):
    more = (*where, "t % 2 == 0", "M >= N")
    made = simplify(e, where=more)
    for env in grid(more):
        if not defined(e, env):
            continue
        assert value(made, env) == value(e, env), env


@given(expressions(), FACTS)
@LAW
def test_simplifying_again_changes_no_count(e, where):
    once = simplify(e, where=where)
    again = simplify(once, where=where)
    assert count_operations(again) <= count_operations(once)


@given(expressions(depth=2), st.dictionaries(st.sampled_from("MNt"), st.integers(1, 6)))
@LAW
def test_numbers_for_sizes_before_or_after(e, numbers):
    after = substitute(simplify(e, where=BOX), numbers)
    before = substitute(e, numbers)
    for env in grid():
        if all(env[n] == v for n, v in numbers.items()):
            assert value(after, env) == value(before, env)


FACTORS = st.lists(st.sampled_from([A, B, C, 2, 2, 3, 4, 8]), min_size=1, max_size=5)


@st.composite
def chains(draw):
    """A chain of reshapes and permutes: (the map, the shapes it went through)."""
    factors = draw(FACTORS)

    def split():
        """The factors in order, neighbours multiplied together here and there."""
        shape = []
        for f in factors:
            if shape and draw(st.booleans()):
                shape[-1] = shape[-1] * f
            else:
                shape.append(f)
        return shape

    m = CoordMap.identity(split())
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 2)) == 0 and len(m.sizes) <= 4:
            perm = draw(st.permutations(range(len(m.sizes))))
            m = m.transpose(perm)
            factors = list(m.sizes)
        else:
            m = m.reshape(split())
    return m


@given(chains(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=40, deadline=None, derandomize=True, phases=[Phase.generate])
def test_chains_of_reshapes_and_permutes(m, a, b, c):
    env = {"A": a, "B": b, "C": c}
    simple = m.simplified()
    shape = [value(d, env) for d in m.shape]
    count = prod(shape)
    for number in range(0, count, max(1, count // 40)):
        at, rest = dict(env), number
        for coord, d in zip(reversed(m.coords), reversed(shape)):
            rest, at[coord.name] = divmod(rest, d)
        for made, given_ in zip(simple.exprs, m.exprs):
            assert value(made, at) == value(given_, at)
            assert count_operations(made) <= count_operations(given_)


@given(FACTORS, st.data())
@settings(max_examples=30, deadline=None, derandomize=True, phases=[Phase.generate])
def test_a_reshape_and_back_leaves_no_division(factors, data):
    m = CoordMap.identity(factors)
    merged = []
    for f in factors:
        if merged and data.draw(st.booleans()):
            merged[-1] = merged[-1] * f
        else:
            merged.append(f)
    back = m.reshape(merged).reshape(factors).simplified()
    kept = [c if d != 1 else 0 for c, d in zip(m.coords, m.shape)]
    assert list(back.exprs) == kept


@given(st.permutations(range(4)), st.permutations(range(4)))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_permutes_need_no_division(first, second):
    m = CoordMap.identity((A, B, C, D)).transpose(first).transpose(second)
    assert [divisions(e) for e in m.simplified().exprs] == [0] * 4
    assert divisions(m.index_map().formula) == 0
    assert m.exprs == tuple(m.coords[first[k]] for k in second)


# -- the shortest forms ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where", "shortest"),
    [
        ("8*(i//8) + i%8", ("i >= 0",), "i"),
        ("(i*N + j)//N", ("0 <= j < N", "i >= 0"), "i"),
        ("(i*N + j)%N", ("0 <= j < N", "i >= 0"), "j"),
        ("(i//4)//8 + (i//2)//16", ("i >= 0",), "2*(i//32)"),
        ("i%32//8*8 + i%8", ("i >= 0",), "i%32"),
        ("((i*N + j)*K + k)//K%N", ("0 <= i < M", "0 <= j < N", "0 <= k < K"), "j"),
        ("(6*i*s + 4*s*j + 2*k)//(2*s)", ("i >= 0", "j >= 0", "0 <= k < s"), "3*i + 2*j"),
        ("(i*t + j)//t*u + (i*t + j)%t//u", ("i >= 0", "0 <= j < t", "j < u"), "i*u"),
        ("ceildiv(N, 128)*128 - N", ("N % 128 == 0",), "0"),
        ("(i*ceildiv(N, 8)*8 + j)//(ceildiv(N, 8)*8)", ("i >= 0", "0 <= j < N"), "i"),
        ("ceildiv(ceildiv(M, 4), 2)", (), "ceildiv(M, 8)"),
        ("min(i//8, ceildiv(M, 8) - 1)", ("0 <= i < M",), "i//8"),
        ("max(M, N)", ("M >= N",), "M"),
        ("min(M*N, M)", (), "M"),
        ("N//4", ("N == 4*n",), "n"),
        ("N % 6", ("N % 12 == 5",), "5"),
        ("(M - N) % 2", ("M % 2 == 1", "N % 2 == 1"), "0"),
        ("(i + 1)%1 + i//1", (), "i"),
        ("i*0 + 3 - 3", (), "0"),
        ("truncdiv(i, 8)", ("i >= 0",), "i//8"),
        ("i / 8 * 8 + i % 8", ("i >= 0",), "i"),
    ],
)
def test_texts_come_down_to_their_shortest_form(text, where, shortest):
    made = simplify(text, where=where)
    wanted = read_expression(shortest)
    assert count_operations(made) <= count_operations(wanted), made
    names = sorted({s.name for s in made.free_symbols | wanted.free_symbols})
    for env in grid(where, tuple(dict.fromkeys([*names, *Facts.read(where).names])), 4, 300):
        assert value(made, env) == value(wanted, env)


@pytest.mark.parametrize(
    ("text", "ideal"),
    [
        ("f32[M,N]{1,0:T(8,128)}", 5),
        ("f32[M,N]{1,0:T(s,t)}", 5),
        ("f32[2048,2048]{1,0:T(8,128)}", 4),
        ("f32[A,B,M,N]{3,2,1,0:T(8,128)}", 6),
        ("f32[M,N]{0,1:T(8,128)}", 5),
        ("f32[M,N]{1,0}", 0),
        ("f32[M,N,K]{0,2,1}", 0),
        ("bf16[M,N]{1,0:T(8,128)(2,1)}", 7),
    ],
)
def test_the_divisions_of_a_tile(text, ideal):
    made = xla.pad_reshape_transpose(text)
    assert divisions(simplify(made._raw, where=ranges(made))) == ideal
    assert divisions(made.formula) == ideal
    assert divisions(parse(text).index_map().formula) == ideal


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("f32[M,N]{1,0}", ()),
        ("f32[M,N]{0,1}", ()),
        ("f32[M,N]{1,0:T(8,128)}", ()),
        ("f32[M,N]{1,0:T(s,t)}", ()),
        ("bf16[M,N]{1,0:T(8,128)(2,1)}", ()),
        ("f32[M,N]{1,0:T(8,128)}", ("M % 8 == 0", "N % 128 == 0")),
        ("strided f32[M,N] strides(S,1)", ("S >= N",)),
    ],
)
def test_a_tile_followed_by_its_inverse_has_no_division(text, where):
    layout = parse(text).index_map()
    back = layout.inverse(where)
    for c, e in zip(layout.coords, back.exprs):
        inside = substitute(e, {back.coords[0].name: layout._raw})
        assert simplify(inside, where=[*ranges(layout), *where]) == c


def test_a_tile_after_its_inverse_is_the_offset_itself():
    layout = parse("f32[8*m,128*n]{1,0:T(8,128)}").index_map()
    back = layout.inverse()
    inside = substitute(layout._raw, {c.name: e for c, e in zip(layout.coords, back.exprs)})
    o = back.coords[0]
    assert simplify(inside, where=[f"0 <= {o} < {layout.size}"]) == o


def test_padding_then_flat_then_back():
    padded = [ceildiv(M, 8) * 8, ceildiv(N, 128) * 128]
    m = CoordMap.identity((M, N)).pad(padded).reshape([padded[0] * padded[1]]).reshape(padded)
    assert m.simplified().exprs == m.coords


# -- what goes in ---------------------------------------------------------------------------------


def test_texts_expressions_and_numbers_go_in():
    assert simplify("8*(i//8) + i%8") == i
    assert simplify(8 * (read_expression("i//8")) + Mod(i, 8)) == i
    assert simplify(7) == 7
    assert simplify(Min(i, Max(i, 3))) == i


def test_sympy_s_own_functions_go_in():
    import sympy

    assert simplify(8 * sympy.floor(i / 8) + sympy.Mod(i, 8)) == i


def test_the_least_value_of_a_size_symbol_is_a_fact():
    n = sizes("N", min=8)
    assert str(simplify(Max(n, 8))) == "N"
    assert simplify(Max(symbol("N"), 8)) == Max(symbol("N"), 8)


def test_a_divisor_that_may_be_zero_is_left_alone():
    e = read_expression("(i*N)//N")
    assert simplify(e, where="N >= 0") == e
    assert simplify(e, where="N >= 1") == i


@pytest.mark.parametrize(
    ("given_", "where", "code"),
    [
        ("i +", (), "SL200"),
        ("i // 0", (), "SL202"),
        ("i", "N", "SL300"),
        ("i", 7, "SL300"),
        (1.5, (), "SL203"),
        (symbol("x") / 2, (), "SL203"),
    ],
)
def test_bad_input(given_, where, code):
    with pytest.raises(LayoutError) as e:
        simplify(given_, where=where)
    assert e.value.code == code


def test_many_quotients_of_one_coordinate_are_quick() -> None:
    text = " + ".join(f"(x//{k})*{k} + x%{k}" for k in range(2, 62))
    start = time.process_time()
    assert str(simplify(text, where=["x >= 0"])) == "60*x"
    assert str(simplify(text)) == "60*x"
    assert time.process_time() - start < 1.5  # a tenth of it on an idle machine
