"""Bodies of Pallas kernels: every index is in its block, as brute force over all programs has it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from test_kernels_pallas import Spec, _as_jax

import symlayout as sl

jnp = _as_jax("jax.numpy", "zeros_like where minimum int32 dot arange")
lax = _as_jax("jax.lax", "fori_loop cond while_loop rem switch")
pl = _as_jax("jax.experimental.pallas", "cdiv program_id num_programs when ds load store core_map")


def asked(kernel: Callable[..., Any], **given: Any) -> list[tuple[str, str]]:
    """The claims about a kernel with one block of (B, 16) to read and one to write, of M programs."""
    spec = Spec(("B", 16), lambda i: (i, 0))
    settings: dict[str, Any] = {
        "grid": ("M",),
        "in_specs": [spec],
        "in_shapes": [("M*B", 16)],
        "out_specs": [spec],
        "out_shapes": [("M*B", 16)],
    }
    made = sl.pallas.claims(**{**settings, **given}, kernel=kernel)
    assert all(c.verdict.status == "proved" for c in made if not c.name.startswith("kernel"))
    kept = [c for c in made if c.name.startswith("kernel: ")]
    return [(c.name.removeprefix("kernel: "), c.verdict.status) for c in kept]


LOAD, STORE = "load of in_specs[0] is in its block", "store of out_specs[0] is in its block"


def whole(x: Any, o: Any) -> None:
    o[...] = jnp.dot(x[...], x[:, 3:])


def rows(x: Any, o: Any) -> None:
    def turn(k: Any, carry: Any) -> Any:
        o[pl.ds(k, 1), :] = x[k] * 2 + carry
        return carry + x[k].sum()

    lax.fori_loop(0, x.shape[0], turn, (0.0, None))


def one_too_far(x: Any, o: Any) -> None:
    def turn(k: Any, carry: Any) -> Any:
        o[k + 1] = x[k]
        return carry

    lax.fori_loop(lower=0, upper=x.shape[0], body_fun=turn, init_val=0)


def behind_a_condition(x: Any, o: Any) -> None:
    @pl.when(pl.program_id(axis=0) < 16)
    def _() -> None:
        o[0, pl.program_id(0)] = lax.cond(
            pl.program_id(0) > 3, lambda: x[0, pl.program_id(0) - 4], lambda: x[0, 15]
        )


def in_the_wrong_way(x: Any, o: Any) -> None:
    lax.cond(pl.program_id(0) < 16, lambda: x[0, 0], lambda: x[0, pl.program_id(0)])


def behind_data(x: Any, o: Any) -> None:
    @pl.when(x[0, 0] > 0)
    def _() -> None:
        o[0, 15] = 1
        o[0, 16] = 1


def masked(x: Any, o: Any) -> None:
    v = pl.load(x.at[0, pl.ds(0, 16)])
    pl.store(o, (0, pl.ds(0, 32)), v, mask=jnp.arange(32) < 16)


def by_data(x: Any, o: Any) -> None:
    o[x[0, 0].astype("int32"), 0] = 1


def not_followed(x: Any, o: Any) -> None:
    lax.while_loop(lambda c: c < 3, lambda c: x[c], 0)
    o.swap(1)


def a_function_in_a_list(x: Any, o: Any) -> None:
    lax.switch(pl.program_id(0), [lambda: o.__setitem__((0, 16), 1), lambda: None])


def a_function_that_a_word_decorates(x: Any, o: Any) -> None:
    @pl.core_map(None)
    def _() -> None:
        o[0, 16] = 1


def a_function_given_to_data(x: Any, o: Any) -> None:
    x[0].at[0].apply({"f": lambda: o.__setitem__((0, 16), 1)})


def a_block_given_to_data(x: Any, o: Any) -> None:
    x[0].store_to(o)


def a_condition_on_data_whose_error_is_caught(x: Any, o: Any) -> None:
    try:
        if x[0, 0] > 0:
            o[0, 16] = 1
    except Exception:
        pass


def last_of_a_program(x: Any, o: Any) -> None:
    i = pl.program_id(0)
    last = pl.num_programs(0) - 1
    o[0, jnp.minimum(lax.rem(i, 16), 15)] = x[0, jnp.where(i == last, 15, 0)]


KNOWN: dict[Callable[..., Any], list[tuple[str, str]]] = {
    whole: [],
    rows: [(LOAD, "proved"), (STORE, "proved"), (LOAD, "proved")],
    one_too_far: [(LOAD, "proved"), (STORE, "refuted")],
    behind_a_condition: [(LOAD, "proved"), (LOAD, "proved"), (STORE, "proved")],
    in_the_wrong_way: [(LOAD, "proved"), (LOAD, "refuted")],
    behind_data: [(LOAD, "proved"), (STORE, "proved"), (STORE, "unknown")],
    masked: [(LOAD, "proved"), (STORE, "unknown")],
    by_data: [(LOAD, "proved"), ("store of out_specs[0]: an index that was loaded", "unknown")],
    last_of_a_program: [(LOAD, "proved"), (STORE, "proved")],
}


@pytest.mark.parametrize("kernel", KNOWN, ids=lambda k: k.__name__)
def test_every_index_is_in_its_block(kernel: Callable[..., Any]) -> None:
    found = asked(kernel)
    assert [*dict.fromkeys(found)] == [*dict.fromkeys(KNOWN[kernel])]


def test_what_is_not_followed_is_said() -> None:
    said = [name for name, status in asked(not_followed) if status == "unknown"]
    assert said[:2] == ["while_loop is not followed", "out_specs[0].swap is not followed"]


@pytest.mark.parametrize(
    "kernel",
    [
        *(a_function_in_a_list, a_function_that_a_word_decorates, a_function_given_to_data),
        *(a_block_given_to_data, a_condition_on_data_whose_error_is_caught),
    ],
    ids=lambda k: k.__name__,
)
def test_nothing_that_may_come_to_a_block_is_passed_over(kernel: Callable[..., Any]) -> None:
    assert "unknown" in [status for _, status in asked(kernel)]


def test_what_data_decides_takes_no_doubt_from_what_it_does_not() -> None:
    def kernel(x: Any, o: Any) -> None:
        pl.when(x[0, 0] > 0)(lambda: o.__setitem__((0, 16), 1))
        o[0, 16] = 1

    assert asked(kernel) == [(LOAD, "proved"), (STORE, "unknown"), (STORE, "refuted")]


@pytest.mark.parametrize(("part", "status"), [((3,), "proved"), ((4,), "refuted"), ((None,), "")])
def test_a_part_with_one_number_begins_at_0(part: tuple[Any, ...], status: str) -> None:
    def kernel(o: Any) -> None:
        o[pl.ds(*part)] = 0

    spec = Spec((3,), lambda i: (0,))
    made = sl.pallas.claims(grid=(1,), out_specs=[spec], out_shapes=[(3,)], kernel=kernel)
    assert [c.verdict.status for c in made if c.name.startswith("kernel")] == [status] * (
        status > ""
    )


def test_tables_scratch_and_arguments_that_are_none() -> None:
    def kernel(table: Any, x: Any, none: Any, o: Any, scratch: Any, semaphore: Any) -> None:
        assert none is None
        o[table[pl.program_id(0)], 0] = scratch[pl.program_id(0), 3]
        semaphore[0] = x.at[0, 3]

    made = asked(
        kernel,
        prefetch=["B"],
        in_specs=[Spec(("B", 16), lambda i, table: (i, 0)), None],
        in_shapes=[("M*B", 16), None],
        out_specs=[Spec(("B", 16), lambda i, table: (i, 0))],
        scratch_shapes=[SimpleNamespace(shape=("M", 4)), object()],
    )
    assert made[:2] == [("load of scratch_shapes[0] is in its block", "proved"), (STORE, "proved")]
    assert made[2][1] == "unknown"


@pytest.mark.parametrize(
    "index", ["(i + j) % 4", "i*2 + j - 1", "i // 2 + j*2", "3 - i", "i*j - 1", "-1", "-5", "j"]
)
def test_brute_force_agrees(index: str) -> None:
    def kernel(o: Any) -> None:
        i = pl.program_id(0)
        lax.fori_loop(0, i + 1, lambda j, c: o.__setitem__(EVALUATED(i, j), 1), 0)

    EVALUATED = eval(f"lambda i, j: {index}")
    found = [EVALUATED(i, j) for i in range(3) for j in range(i + 1)]
    want = all(0 <= x < 4 for x in found)  # below 0 it counts from the end in interpret mode alone
    spec = Spec((4,), lambda i: (0,))
    made = sl.pallas.claims(grid=(3,), out_specs=[spec], out_shapes=[(4,)], kernel=kernel)
    (claim,) = [c for c in made if c.name.startswith("kernel")]
    assert claim.verdict.status == ("proved" if want else "refuted")


@pytest.mark.parametrize(
    ("ends", "status"),
    [
        *[((2, -2), "proved"), ((4, 2), "proved"), ((0, "i - 1"), "proved"), ((2, "i"), "proved")],
        *[(("i", "M"), "refuted"), (("i + 4", "i"), "proved"), ((0, "i + 2"), "refuted")],
    ],
)
def test_a_loop_that_ends_before_its_beginning_has_no_turn(ends: Any, status: str) -> None:
    def kernel(o: Any) -> None:
        i, m = pl.program_id(0), pl.num_programs(0)
        low, high = (eval(str(e), {"i": i, "M": m}) for e in ends)
        lax.fori_loop(low, high, lambda j, c: o.__setitem__(j, 1), 0)

    spec = Spec((4,), lambda i: (0,))
    made = sl.pallas.claims(
        grid=("M",), out_specs=[spec], out_shapes=[(4,)], kernel=kernel, where=["M <= 5"]
    )
    (claim,) = [c for c in made if c.name.startswith("kernel")]
    assert claim.verdict.status == status


def test_parts_of_two_elements_end_in_the_block() -> None:
    for start, size, stride in product(range(3), range(4), (None, 1, 2)):

        def kernel(o: Any, part: Any = (start, size, stride)) -> None:
            o[pl.ds(*part)] = 0

        ends = start + (stride or 1) * (size - 1)
        spec = Spec((3,), lambda i: (0,))
        made = sl.pallas.claims(grid=(1,), out_specs=[spec], out_shapes=[(3,)], kernel=kernel)
        found = [c.verdict.status for c in made if c.name.startswith("kernel")]
        assert found == ([] if size == 0 else ["proved" if ends < 3 else "refuted"])
