"""Properties of internal modules; `tests/test_algebra_texts.py` tests the public interface."""

from __future__ import annotations

import inspect
import random
import re
from itertools import product

import pytest
from algebra_rows import SYMBOLIC, Offsets, _box

from symlayout import LayoutError, parse, tla
from symlayout.certificate.layouts import layout_map
from symlayout.expr.facts import COMPARE, Facts
from symlayout.expr.terms import value
from symlayout.layouts.applied import WORDS
from symlayout.layouts.doors.operations import FIRST, OPERATIONS, OPTIONS, OTHERS


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_is_one_of_the_algebra(name: str) -> None:
    assert callable(getattr(tla, name))


# what an operation gives that is neither a layout nor something with one
PLAIN = {
    *("bool", "int", "str", "Size", "IntTuple", "Direction", "BankConflicts", "Coalescing"),
    *("Derivation", "tuple[Any, ...]"),
}


def test_every_operation_that_gives_a_layout_may_stand_for_one_or_says_why_not() -> None:
    expressions = [w for w in WORDS if w in tla.__all__]
    given = {getattr(tla, n) for n in (*OPERATIONS, *OTHERS, *expressions)}
    functions = {n: f for n in tla.__all__ if inspect.isfunction(f := getattr(tla, n))}
    open_ = {n for n, f in functions.items() if inspect.signature(f).return_annotation not in PLAIN}
    assert {n for n in open_ if functions[n] not in given} == set()
    assert {*OPERATIONS, *OTHERS} <= {*functions}
    assert {*FIRST, *OPTIONS} <= {*OPERATIONS}
    assert not {*OPERATIONS} & {*OTHERS}


@pytest.mark.parametrize("name", OTHERS)
def test_an_operation_that_gives_no_layout_says_what_it_gives(name: str) -> None:
    with pytest.raises(LayoutError, match=re.escape(OTHERS[name])) as error:
        parse(f"zipped_divide({name}((M,N):(N,1), 4), 8)")
    assert error.value.code == "SL100"


def test_every_operation_is_among_the_cases() -> None:
    cases = " ".join(text for text, _, _ in SYMBOLIC)
    assert [name for name in OPERATIONS if f"{name}(" not in cases] == []


@pytest.mark.parametrize(("text", "facts", "offsets"), SYMBOLIC)
def test_an_operation_is_what_it_is_in_plain_integers(
    text: str, facts: list[str], offsets: Offsets
) -> None:
    """The map that claims are about, at random sizes that satisfy the facts."""
    rng, made = random.Random(5), parse(text).under(facts).index_map()
    names, looked = list(inspect.signature(offsets).parameters), 0
    assert {*names} == {*made.symbols}
    known = [r for fact in facts for r in Facts.read(fact).relations]
    while looked < 12:
        env = {n: rng.randint(1, 6) for n in names}
        if not all(r.holds(env) for r in known):
            continue
        box = _box(*[value(d, env) for d in made.shape])
        asked = [{c.name: x for c, x in zip(made.coords, place)} | env for place in box]
        assert [value(made.raw, at) for at in asked] == offsets(**env), (text, env)
        looked += 1


def test_the_checker_s_operations_are_those_of_the_algebra() -> None:
    """At every coordinate of random layouts of numbers, the size included."""
    rng, compared = random.Random(3), 0
    while compared < 300:
        a, b = (
            f"({rng.randint(1, 4)},{rng.randint(1, 4)}):({rng.randint(0, 9)},{rng.randint(0, 9)})"
            for _ in "ab"
        )
        m, n, p, q = (rng.randint(1, 4) for _ in range(4))
        block = rng.choice([f"({m},{n}):(1,{m})", f"({m},{n}):({n},1)", a])
        text = rng.choice(
            [
                f"composition({a}, {b})",
                f"upcast({a}, {rng.choice([1, 2, 3, 4])})",
                f"blocked_product({block}, {b})",
                f"raked_product({block}, {b})",
                f"logical_product({block}, {b})",
                f"tile_to_shape({block}, ({m * p},{n * q}))",
            ]
        )
        try:
            made, apart = parse(text).index_map(), layout_map(text)
        except LayoutError:
            continue  # there is no such layout
        if not all(r.holds({}) for r in apart.demands):
            continue
        assert [int(d) for d in apart.shape] == [int(d) for d in made.shape], text
        for place in product(*[range(int(d)) for d in apart.shape]):
            env = {c.name: x for c, x in zip(apart.coords, place)}
            assert value(apart.raw, env) == made.offset(*place), (text, place)
        assert value(apart.size, {}) == int(made.size), text
        compared += 1


def test_a_layout_is_one_mode_for_the_checker_exactly_where_coalescing_gives_one() -> None:
    rng, one, more = random.Random(4), 0, 0
    while min(one, more) < 60:
        sizes = [rng.choice([1, 1, 2, 3]) for _ in range(rng.randint(1, 4))]
        steps, below = [], rng.randint(0, 2)
        for n in sizes:
            steps.append(below if n > 1 and rng.random() < 0.8 else rng.randint(0, 6))
            below *= n
        text = f"({','.join(map(str, sizes))}):({','.join(map(str, steps))})"
        whole = parse(text).index_map()
        flat = tla.coalesce(parse(text))
        found = layout_map(f"coalesce({text})")
        assert all(COMPARE[r.op](value(r.left, {}), value(r.right, {})) for r in found.demands)
        holds = len(found.shape) == 1
        assert holds == isinstance(flat.shape, int), text
        if not holds:
            more += 1
            continue
        one += 1
        (c,), points = found.coords, range(int(found.shape[0]))
        assert len(points) == flat.shape, text
        assert [value(found.raw, {c.name: x}) for x in points] == [flat(x) for x in points], text
        assert value(found.size, {}) == int(whole.size), text


def test_a_bound_that_is_no_multiple_is_rounded_up() -> None:
    """The number of copies, (2*M*N + 5)/8, has no integer coefficients."""
    made = parse("complement(2:4, 2*M*N + 5)").under([]).index_map()
    assert [value(d, {"M": 2, "N": 3}) for d in made.shape] == [4, 3]


@pytest.mark.parametrize(
    ("value", "said", "help"),
    [
        ((1, 4), "(1,4) has no strides", "(1,4):(1,1)"),
        (8, "8 has no strides", "8:1"),
        (object, "a value of type type is not a layout", "(M,N):(N,1)"),
        (None, "None is not a layout", "(M,N):(N,1)"),
    ],
)
def test_no_class_name_is_the_message_for_what_is_no_layout(value, said, help):
    with pytest.raises(LayoutError) as e:
        tla.raked_product("(32,8):(8,1)", value)
    assert said in e.value.message
    assert help in e.value.help
