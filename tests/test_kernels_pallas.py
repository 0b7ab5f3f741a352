"""Pallas' grids and block specs, contracts in decorators, and kernels in tests."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from itertools import groupby, product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import pytest

import symlayout as sl
from symlayout import check
from symlayout.__main__ import main
from symlayout.pytest_plugin import assert_proved

EXAMPLES = Path(__file__).parents[1] / "examples" / "kernels"


class Spec:
    """A block spec as Pallas has them."""

    memory_space: Any = None
    indexing_mode: Any = None
    pipeline_mode: Any = None

    def __init__(self, block_shape: Any, index_map: Callable[..., Any] | None = None) -> None:
        self.block_shape, self.index_map = block_shape, index_map


class Element:
    """A dimension whose index counts elements."""

    def __init__(self, block_size: int, padding: tuple[int, int] = (0, 0)) -> None:
        self.block_size, self.padding = block_size, padding


MATMUL = {
    "grid": ("cdiv(M, 8)", "cdiv(N, 256)", "cdiv(K, 128)"),
    "in_specs": [Spec((8, 128), lambda i, j, k: (i, k)), Spec((128, 256), lambda i, j, k: (k, j))],
    "out_specs": Spec((8, 256), lambda i, j, k: (i, j)),
    "in_shapes": [("M", "K"), ("K", "N")],
    "out_shapes": ("M", "N"),
}


def test_a_matrix_product_is_proved() -> None:
    made = sl.pallas.claims(**MATMUL)
    assert [c.name.split(":")[0] for c in made] == ["in_specs[0]", "in_specs[1]", "out_specs[0]"]
    assert [v.status for v in assert_proved(made)] == ["proved"] * 3


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "blocks counted down": ({"grid": ("M//8", "cdiv(N, 256)", "cdiv(K, 128)")}, "out_specs[0]"),
    "rows and columns changed": ({"in_shapes": [("K", "M"), ("K", "N")]}, "in_specs[0]"),
    "a sum over the first axis": (
        {
            "grid": ("cdiv(K, 128)", "cdiv(M, 8)", "cdiv(N, 256)"),
            "in_specs": [],
            "in_shapes": [],
            "out_specs": Spec((8, 256), lambda k, i, j: (i, j)),
        },
        "out_specs[0]",
    ),
    "one block too far": (
        {"in_specs": [Spec((8, 128), lambda i, j, k: (i + 1, k))], "in_shapes": [("M", "K")]},
        "in_specs[0]",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_mistake_is_refuted_where_it_is(change: str) -> None:
    more, where = CHANGES[change]
    made = sl.pallas.claims(**{**MATMUL, **more}, where=["M >= 8"])
    wrong = [c.name for c in made if c.verdict.status == "refuted"]
    assert wrong
    assert all(name.startswith(where) for name in wrong)


def test_squeezed_elements_whole_arrays_and_tables() -> None:
    made = sl.pallas.claims(
        grid=("S", "P"),
        in_specs=[
            Spec((None, 16, 64), lambda s, p, table: (table[s, p], 0, 0)),
            Spec((1, Element(4)), lambda s, p, table: (s, p)),
            Spec(None),
            None,
        ],
        in_shapes=[("B", 16, 64), ("S", "P + 3"), ("M",), ("N",)],
        prefetch=["B"],
    )
    assert [c.verdict.status for c in made] == ["proved", "proved"]
    spec = Spec((1,), lambda s, table: (table[s],))
    with pytest.raises(sl.LayoutError, match="has no bound"):
        sl.pallas.claims(grid=("S",), in_specs=[spec], in_shapes=[("B",)], prefetch=[None])


def test_facts_may_be_about_what_one_spec_alone_has() -> None:
    made = sl.pallas.claims(
        grid=("M",),
        in_specs=[Spec((1,), lambda i: (i,)), Spec((4, 1), lambda i: (1, 2))],
        in_shapes=[("M",), ("N", "K")],
        where=["N > L", "L >= 4", "K >= M", "M % 2 == 0", "M == 2*P", "symbol P"],
    )
    assert [c.verdict.status for c in made] == ["proved", "refuted"]
    assert made[1].verdict.counterexample.sizes == {"M": 2, "K": 2, "N": 5, "P": 1}


def test_two_programs_that_refute_are_none_of_one_run() -> None:
    spec = Spec((1,), lambda i, j: (j,))
    (claim,) = sl.pallas.claims(grid=(2, "M"), out_specs=[spec], out_shapes=[("M",)])
    assert claim.verdict.counterexample.sizes == {"M": 2}


def test_ranks_that_differ_are_told() -> None:
    spec = Spec((8, 8), lambda i: (i,))
    with pytest.raises(sl.LayoutError, match="1 results of its index map"):
        sl.pallas.claims(grid=(4,), in_specs=[spec], in_shapes=[("M", 8)])
    with pytest.raises(sl.LayoutError, match="a block of rank 2 of an array of 1"):
        sl.pallas.claims(grid=(4,), in_specs=[spec], in_shapes=[("M",)])
    with pytest.raises(sl.LayoutError, match="0 shapes for 1 in_specs"):
        sl.pallas.claims(grid=(4,), in_specs=[spec])


MAPS: list[Callable[..., Any]] = [
    lambda i, j, k: (i, j),
    lambda i, j, k: (j, i),
    lambda i, j, k: (i, k),
    lambda i, j, k: (i, 0),
    lambda i, j, k: (i, (i + j) % 2),
    lambda i, j, k: (0, 0),
    lambda i, j, k: (j // 2, k),
    lambda i, j, k: (i, j // 2),
    lambda i, j, k: (i // 2, 0),
    lambda i, j, k: ((i + 1) // 2, 0),
    lambda i, j, k: (j, k),
    lambda i, j, k: ((i + j) // 3, (i + j) // 2),
    lambda i, j, k: (0 if i > 0 else k, j),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize("number", range(len(MAPS)))
def test_one_go_is_one_run_of_programs(number: int) -> None:
    """A block is revisited by programs in a row or else refuted, counted out for each small grid."""
    m = MAPS[number]
    for grid in product((1, 2, 3), repeat=3):
        for shape in ((1, 1), (2, 2), (3, 2), (2, 3)):
            spec = Spec((1, 1), m)
            (claim,) = sl.pallas.claims(grid=grid, out_specs=[spec], out_shapes=[shape])
            runs = [b for b, _ in groupby(m(*p) for p in product(*map(range, grid)))]
            every = sorted(product(*map(range, shape)))
            if claim.verdict.status == "proved":
                assert sorted(runs) == every, (grid, shape)
            else:
                assert sorted(runs) != every, (grid, shape)


class Slice:
    """What `pl.ds` makes."""

    def __init__(self, start: Any, size: Any) -> None:
        self.start, self.size = start, size


def steps(i: Any, count: int) -> Any:
    """`i // 2` below twice the count, in cases."""
    return sl.where(i < 2, 0, 1 + steps(i - 2, count - 1)) if count else i // 2


# the grid, the block, the index map, the shape, whether it is a result, the statuses
SPECS: dict[str, tuple[Any, Any, Any, Any, bool, list[str]]] = {
    "a grid that may be empty": (
        ("M", "K//128"),
        (8,),
        lambda i, k: (i,),
        ("8*M",),
        True,
        ["refuted"],
    ),
    "a grid that is not": (
        ("M", "cdiv(K, 128)"),
        (8,),
        lambda i, k: (i,),
        ("8*M",),
        True,
        ["proved"],
    ),
    "no program but one": ((), (8,), lambda: (0,), (8,), True, ["proved"]),
    "every program the same": (("N",), (8,), None, (8,), True, ["proved"]),
    "two programs one after the other": (
        *(("2*N", "K"), (4,), lambda i, k: (i // 2,), ("4*N",), True, ["proved"]),
    ),
    "two numbers of a table": (
        *(("M",), (1,), lambda i, t: (t[i + 1] - t[i - 1],), ("M",), False, ["refuted"]),
    ),
    "blocks by a table": (("B",), (1,), lambda i, t: (t[i],), ("B",), True, ["proved", "unknown"]),
    "elements that overlap": (("N",), (Element(4),), lambda i: (i,), ("N + 3",), True, ["refuted"]),
    "elements that do not": (("N",), (Element(4),), lambda i: (4 * i,), ("4*N",), True, ["proved"]),
    "elements with padding": (
        *(("N",), (Element(4, (1, 2)),), lambda i: (i,), ("N",), False, ["proved"]),
    ),
    "a slice": (("N",), (8,), lambda i: (Slice(i, 4),), ("N + 3",), False, ["proved"]),
    "a slice that is too long": (
        ("N",),
        (8,),
        lambda i: (Slice(i, 5),),
        ("N + 3",),
        False,
        ["refuted"],
    ),
    "an argument with the name of a size": (
        *(("N",), (16,), lambda K: (K,), ("16*K",), False, ["refuted"]),
    ),
    "runs that begin late": (
        ("2*N - 1",),
        (1,),
        lambda i: ((i + 1) // 2,),
        ("N",),
        True,
        ["proved"],
    ),
    "a block again, in a row where the axis between has one program": (
        *(("2", "M"), (1,), lambda i, j: (j,), ("M",), True, ["refuted"]),
    ),
    "an array that is smaller than a block that no program has": (
        *(("M - 1",), (Element(4),), lambda i: (4 * i,), ("4*M - 4",), False, ["proved"]),
    ),
    "an array with a size below 0": (
        *(("M - 1",), (2,), lambda i: (i,), ("2*M - 3",), False, ["refuted", "proved"]),
    ),
    "a block again, by a quotient that may be undefined at the program before": (
        *((3,), (1,), lambda i: (i // (2 if i < 2 else i),), (2,), True, ["unknown"]),
    ),
    "a block again, by more cases than a text may have": (
        *((2, 6), (1,), lambda j, i: (steps(i, 14) + 3 * j,), (6,), True, ["unknown"]),
    ),
    "a list": (("N",), (16,), lambda i: [i], ("16*N",), True, ["proved"]),
}


@pytest.mark.parametrize("name", SPECS)
def test_specs_of_every_kind(name: str) -> None:
    grid, block, function, shape, written, statuses = SPECS[name]
    word = "out" if written else "in"
    specs: dict[str, Any] = {f"{word}_specs": [Spec(block, function)], f"{word}_shapes": [shape]}
    made = sl.pallas.claims(grid=grid, prefetch=["B"] * ("table" in name), **specs)
    assert [c.verdict.status for c in made] == statuses


def test_what_a_kernel_moves_itself_is_not_claimed() -> None:
    spec = Spec(None)
    spec.memory_space = "any"
    assert sl.pallas.claims(grid=("N",), out_specs=[spec], out_shapes=[("N",)]) == []
    with pytest.raises(sl.LayoutError, match="a block of 0 elements"):
        sl.pallas.claims(grid=("N",), in_specs=[Spec((0,))], in_shapes=[("N",)])
    spec = Spec((8,), lambda i: (Slice(i, 4),))
    with pytest.raises(sl.LayoutError, match="a result in slices"):
        sl.pallas.claims(grid=("N",), out_specs=[spec], out_shapes=[("N",)])


class Word:
    """A name, a module or a scalar type of JAX's."""


def _of_arrays(*given: Any) -> NoReturn:
    raise TypeError("not a valid JAX type")


def _as_jax(name: str, words: str) -> Any:
    """A module of JAX's that knows the words, and that none of them takes what is traced."""
    module = ModuleType(name)
    for word in words.split():
        space = {"__name__": name, "raised": _of_arrays}
        exec(f"def {word}(*given): raised(*given)", space)
        setattr(module, word, space[word])
    return module


jnp = _as_jax("jax.numpy", "where minimum maximum clip mod logical_and logical_not int32 sort")
lax = _as_jax("jax.lax", "div rem select select_n cond clamp")
pl = _as_jax("jax.experimental.pallas", "cdiv program_id num_programs")


def halves(i: Any) -> Any:
    return lax.div(i, 2)


def from_the_end(i: Any, j: Any) -> Any:
    return (pl.num_programs(0) - 1 - i) * pl.num_programs(1) + j


# the index map, and what it is in plain integers
WORDS: list[tuple[Callable[..., Any], Callable[[int, int], int]]] = [
    (lambda i, j: jnp.where(i == 0, j, i - 1), lambda i, j: j if i == 0 else i - 1),
    (lambda i, j: jnp.minimum(i, 2), lambda i, j: min(i, 2)),
    (lambda i, j: lax.div(i - 3, 2), lambda i, j: int((i - 3) / 2)),
    (lambda i, j: lax.rem(i - 3, 2), lambda i, j: (i - 3) - 2 * int((i - 3) / 2)),
    (lambda i, j: jnp.mod(i - 3, 2), lambda i, j: (i - 3) % 2),
    (
        lambda i, j: lax.select(jnp.logical_and(i > 1, j > 0), j, i),
        lambda i, j: j if i > 1 and j else i,
    ),
    (lambda i, j: lax.select_n(jnp.logical_not(i > 1), j, i), lambda i, j: j if i > 1 else i),
    (
        lambda i, j: lax.cond(i > j, lambda x: x + 1, halves, i),
        lambda i, j: i + 1 if i > j else i // 2,
    ),
    (lambda i, j: lax.clamp(1, i, j), lambda i, j: min(max(i, 1), j)),
    (lambda i, j: pl.cdiv(i, 2).astype(jnp.int32), lambda i, j: -(-i // 2)),
    (lambda i, j: jnp.int32(i > 1) + j, lambda i, j: (i > 1) + j),
    (lambda i, j: pl.program_id(1) + halves(i), lambda i, j: j + i // 2),
    (from_the_end, lambda i, j: (2 - i) * 3 + j),
    (partial(lambda k, i, j: jnp.maximum(i, k), 1), lambda i, j: max(i, 1)),
]


@pytest.mark.parametrize("number", range(len(WORDS)))
def test_words_of_jax_are_said_of_what_is_traced(number: int) -> None:
    """Blocks of one element reach the least and the greatest value of the index map, and no more."""
    index, plain = WORDS[number]
    values = [plain(i, j) for i in range(3) for j in range(3)]
    low, high = min(values), max(values)
    sizes = (
        (low, high - low + 1, "proved"),
        (low + 1, high - low, "refuted"),
        (low, high - low, "refuted"),
    )
    for start, size, status in sizes:
        spec = Spec((1,), moved(index, start))
        made = sl.pallas.claims(grid=(3, 3), in_specs=[spec], in_shapes=[(size,)])
        assert [c.verdict.status for c in made] == [status], (start, size)


def moved(index: Callable[..., Any], start: int) -> Callable[..., Any]:
    return lambda i, j: (index(i, j) - start,)


def test_a_word_that_is_not_followed_is_named_with_the_users_line() -> None:
    spec = Spec((1,), lambda i: (jnp.sort(i),))
    with pytest.raises(sl.LayoutError, match=r"sort of a traced integer is not .*jnp.sort\(i\)"):
        sl.pallas.claims(grid=(4,), in_specs=[spec], in_shapes=[(4,)])
    spec = Spec((1,), lambda i: (i.astype("int8"),))
    with pytest.raises(sl.LayoutError, match="int8 is none"):
        sl.pallas.claims(grid=(4,), in_specs=[spec], in_shapes=[(4,)])


def test_trees_of_specs_have_claims_for_each() -> None:
    one, far = Spec((8,), lambda i: (i,)), Spec((8,), lambda i: (i + 1,))
    made = sl.pallas.claims(
        grid=(("rows", "N"),),
        in_specs={"x": [one, far], "y": far},
        in_shapes={"y": ("8*N",), "x": [("8*N",), ("8*N",)]},
    )
    assert [(c.name.split(":")[0], c.verdict.status) for c in made] == [
        ("in_specs['x'][0]", "proved"),
        ("in_specs['x'][1]", "refuted"),
        ("in_specs['y']", "refuted"),
    ]
    wrong: list[tuple[Any, Any, str]] = [
        ({"x": one}, {"y": (8,)}, "other keys"),
        ([[one]], [(8,)], "8 is no list"),
        ([one], (8,), "8 is no list"),
        ([Word()], [(8,)], "is no block spec"),
        ([Spec((Indirect(8),), lambda i: (i,))], [(8,)], "indices are an array"),
    ]
    for specs, shapes, message in wrong:
        with pytest.raises(sl.LayoutError, match=message):
            sl.pallas.claims(grid=(1,), in_specs=specs, in_shapes=shapes)


class Indirect:
    """A dimension that is gathered."""

    def __init__(self, block_size: int) -> None:
        self.block_size = block_size


class NoBlockSpec:
    """What says that the whole array is the block."""


class Unblocked:
    """Said of a spec whose indices all count elements, in older versions."""

    padding = None


class Mode:
    """How a result is buffered."""

    def __init__(self, name: str) -> None:
        self.revisit = SimpleNamespace(name=name)


def test_one_element_whole_arrays_and_modes() -> None:
    scalar = Spec((), lambda i: ())
    made = sl.pallas.claims(
        grid=("N",),
        in_specs=[scalar, NoBlockSpec()],
        in_shapes=[(), ("M",)],
        out_specs=[scalar, NoBlockSpec()],
        out_shapes=[(), ("M",)],
    )
    assert [c.verdict.status for c in made] == ["proved"] * 2
    old = Spec((4,), lambda i: (i,))
    old.indexing_mode = Unblocked()
    for size, status in (("N + 3", "proved"), ("N + 2", "refuted")):
        made = sl.pallas.claims(grid=("N",), in_specs=[old], in_shapes=[(size,)])
        assert [c.verdict.status for c in made] == [status]
    for name, statuses in (("ANY", ["proved", "proved"]), ("IMMEDIATE", ["refuted"])):
        again = Spec((4,), lambda i, j: (j,))
        again.pipeline_mode = Mode(name)
        made = sl.pallas.claims(grid=(2, "N"), out_specs=again, out_shapes=("4*N",))
        assert [c.verdict.status for c in made] == statuses


def test_tables_have_sizes_where_they_are_said() -> None:
    def where_next(h: Any, i: Any, following: Any, kinds: Any, none: Any) -> Any:
        assert following.shape == kinds.shape
        assert none is None
        h = 0 if following.shape[0] == 1 else h
        return (jnp.where(kinds[h, i].astype(jnp.int32) > 0, following[h, i], 0),)

    spec, tables = Spec((1,), where_next), [("B", (1, "N")), (3, (1, "N")), ()]
    made = sl.pallas.claims(grid=(4, "N"), in_specs=[spec], in_shapes=[("B",)], prefetch=tables)
    assert [c.verdict.status for c in made] == ["proved"]
    with pytest.raises(sl.LayoutError, match="the sizes of prefetch0 are asked for"):
        sl.pallas.claims(grid=(4, 4), in_specs=[spec], in_shapes=[("B",)], prefetch=["B", 3, ()])


KERNEL = """
import symlayout
import triton
import triton.language as tl


@symlayout.kernel(
    grid="cdiv(n, B)",
    x_ptr="f32[n]",
    y_ptr="f32[n] written once",
    where=("n <= 1073741824", "B <= 65536"),
)
@triton.jit
def copy(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
"""


class Module:
    """As much of a module as importing needs."""

    def __getattr__(self, name: str) -> Any:
        return (lambda f: f) if name == "jit" else Module()


def imported(file: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(sys.modules, "triton", Module())
    monkeypatch.setitem(sys.modules, "triton.language", Module())
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_decorator_is_a_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNEL)
    assert main(["check", str(file), "--no-cache"]) == 0
    assert "5 proved" in capsys.readouterr().out
    file.write_text(KERNEL.replace("i, mask=i < n), ", "i), "))
    assert main(["check", str(file), "--no-cache"]) == 1
    file.write_text(KERNEL.replace('"f32[n]"', "4"))
    assert main(["check", str(file), "--no-cache"]) == 2
    file.write_text(KERNEL.replace('"f32[n]"', "shape"))
    assert main(["check", str(file), "--no-cache"]) == 2
    assert "a contract in a decorator is written in texts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("import symlayout as lay", "lay.kernel"),
        ("import os, symlayout as lay", "lay.kernel"),
        ("from symlayout import kernel", "kernel"),
        ("from symlayout import prove, kernel as contract", "contract"),
        ("from symlayout import (\n    prove,\n    kernel as contract,\n)", "contract"),
    ],
)
def test_the_decorator_by_any_name_is_a_contract(tmp_path: Path, line: str, name: str) -> None:
    file = tmp_path / "k.py"
    text = KERNEL.replace("import symlayout\n", f"{line}\n").replace(
        "@symlayout.kernel", f"@{name}"
    )
    file.write_text(text)
    assert [r.outcome.status for r in check([str(file)]).results] == ["proved"] * 5


def test_a_kernel_is_asserted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "good_kernel.py"
    file.write_text(KERNEL)
    module = imported(file, monkeypatch)
    assert [o.status for o in assert_proved(module.copy)] == ["proved"] * 5
    other = tmp_path / "bad_kernel.py"
    other.write_text(KERNEL.replace(", mask=i < n)\n", ")\n"))
    with pytest.raises(AssertionError, match="in bounds: store of y_ptr"):
        assert_proved(imported(other, monkeypatch).copy)
    with pytest.raises(AssertionError, match="has no contract"):
        assert_proved(test_ranks_that_differ_are_told)
    # what cannot be read in its file may be of this kernel
    slip = KERNEL.replace(
        "    i = tl", '    # symlayout: expect refuted "no such" because "x"\n    i = tl'
    )
    (tmp_path / "slip_kernel.py").write_text(slip)
    with pytest.raises(AssertionError, match="has mistakes: no claim of a contract is about this"):
        assert_proved(imported(tmp_path / "slip_kernel.py", monkeypatch).copy)


def test_a_kernel_with_several_launches_is_asserted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = KERNEL.replace('    grid="cdiv(n, B)",\n', "") + (
        "\n\ndef run(x, y, n):\n"
        "    assert n <= 1024\n"
        "    copy[(triton.cdiv(n, 64),)](x, y, n, B=64)\n"
        "    copy[(triton.cdiv(n, 128),)](x, y, n, B=128)\n"
    )
    file = tmp_path / "twice_kernel.py"
    file.write_text(text)
    made = assert_proved(imported(file, monkeypatch).copy)
    assert {o.status for o in made} == {"proved"}
    assert len(made) > 5
    file = tmp_path / "worse_kernel.py"
    file.write_text(text.replace("triton.cdiv(n, 128)", "n // 128"))
    with pytest.raises(AssertionError, match="written once"):
        assert_proved(imported(file, monkeypatch).copy)


ALIASED = {
    "grid": ("cdiv(M, 8)",),
    "in_specs": [Spec((8,), lambda i, table: (i,)), None],
    "in_shapes": [("M",), ("N", 4)],
    "out_specs": [Spec((8,), lambda i, table: (i,)), Spec((8, 4), lambda i, table: (i, 0))],
    "out_shapes": [("M",), ("M", 4)],
    "prefetch": [None],
}


@pytest.mark.parametrize(
    ("pairs", "where", "status"),
    [
        ({1: 0}, [], "proved"),
        ({2: 1}, [], "refuted"),
        ({2: 1}, ["M == N", "K >= N", "symbol K"], "proved"),
        ({1: 0, 2: 1}, ["M == 2*P", "N == 2*P"], "proved"),
    ],
)
def test_a_result_is_as_large_as_the_argument_whose_memory_it_has(
    pairs: dict[int, int], where: list[str], status: str
) -> None:
    made = sl.pallas.claims(**ALIASED, input_output_aliases=pairs, where=where)
    found = [c for c in made if "in the memory of" in c.name]
    assert len(found) == len(pairs)
    assert {c.verdict.status for c in found} == {status}


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ({0: 0}, "0 is no argument of 3, of which 1 are scalar prefetch arguments"),
        ({3: 0}, "3 is no argument"),
        ({1: 2}, "2 is no result of 2"),
        ({True: 0}, "True is no argument"),
        ({1: 1}, "an array of rank 2 for one of 1"),
        ({1: 0, 2: 0}, "an array of rank 1 for one of 2"),
    ],
)
def test_a_pair_that_is_none_is_told(pairs: dict[int, int], said: str) -> None:
    with pytest.raises(sl.LayoutError, match=said):
        sl.pallas.claims(**ALIASED, input_output_aliases=pairs)


def test_two_arguments_for_one_result_and_other_types_are_told() -> None:
    def shaped(dtype: str) -> SimpleNamespace:
        return SimpleNamespace(shape=("M",), dtype=dtype)

    given: dict[str, Any] = {"grid": (1,), "in_specs": [None, None], "out_specs": [None]}
    arrays = {"in_shapes": [shaped("f32"), shaped("f32")], "out_shapes": [shaped("f32")]}
    with pytest.raises(sl.LayoutError, match="two arguments"):
        sl.pallas.claims(**given, **arrays, input_output_aliases={0: 0, 1: 0})
    arrays["out_shapes"] = [shaped("bf16")]
    with pytest.raises(sl.LayoutError, match="elements of bf16 for those of f32"):
        sl.pallas.claims(**given, **arrays, input_output_aliases={0: 0})


def test_a_dimension_of_an_exported_function_is_read() -> None:
    class _DimExpr:
        def __init__(self, text: str) -> None:
            self.text = text

        def __str__(self) -> str:
            return self.text

    made = sl.pallas.claims(
        grid=(_DimExpr("floordiv(M + 7, 8)"), _DimExpr("M^2")),
        out_specs=Spec((8, 1), lambda i, j: (i, j)),
        out_shapes=(_DimExpr("M"), _DimExpr("M^2")),
    )
    assert {c.verdict.status for c in made} == {"proved"}
    made = sl.pallas.claims(
        grid=(_DimExpr("floordiv(M, 8)"),),
        out_specs=Spec((8,), lambda i: (i,)),
        out_shapes=(_DimExpr("M"),),
    )
    assert [c.verdict.status for c in made] == ["refuted"]


def test_an_argument_that_is_none_is_no_array() -> None:
    made = sl.pallas.claims(
        grid=(4,),
        in_specs=[None, Spec((8,), lambda i: (i,)), {"a": None}],
        in_shapes=[None, (32,), {"a": None}],
        out_specs=[Spec((8,), lambda i: (i,))],
        out_shapes=[(32,)],
        input_output_aliases={0: 0},
    )
    assert [c.verdict.status for c in made] == ["proved"] * 3
