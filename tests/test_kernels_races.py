"""No race: no two threads reach a place at once, whatever one of them does alone; by plain integers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_kernels_attacks import HEADER, contract, of, verdicts

from symlayout import check

BLOCK = (4, 2)
MOST = 4  # the parameter m
AT = [
    "threadIdx.x + threadIdx.y * 4",
    "threadIdx.x * 2 + threadIdx.y",
    "threadIdx.x",
    "threadIdx.y",
]
PLACES = ["{}", "({}) / 2", "({}) + 1", "7 - ({})", "({}) % 4", "({}) ^ 1", "({}) + 8", "0"]
IN_TURNS = ["{} + k * 8", "({}) * 4 + k", "{} + k", "{} + (k % 2) * 8", "(k * 8 + {}) % 16", "k"]
MASKS = ["", "threadIdx.x < 2", "threadIdx.y == 0", "m > 2", "threadIdx.x < threadIdx.y"]
TURNS_MASKS = ["k < 2", "threadIdx.x < k"]


class Store(NamedTuple):
    """A store in the turns of a loop, if it has an end, where a mask holds."""

    end: str
    mask: str
    place: str
    atomic: bool

    def text(self) -> str:
        made = f"atomicAdd(&t[{self.place}], 1);" if self.atomic else f"t[{self.place}] = 1;"
        made = f"if ({self.mask}) {made}" if self.mask else made
        return f"for (int k = 0; k < {self.end}; k++) {made}" if self.end else made


@st.composite
def stores(draw: st.DrawFn) -> Store:
    end = draw(st.sampled_from(["", "", "3", "m", "threadIdx.x"]))
    place = draw(st.sampled_from(PLACES + IN_TURNS * bool(end))).format(draw(st.sampled_from(AT)))
    mask = draw(st.sampled_from(MASKS + TURNS_MASKS * bool(end)))
    return Store(end, mask, place, draw(st.sampled_from([False, False, True])))


def value(text: str, x: int, y: int, m: int, k: int) -> int:
    """What an expression of C comes to; nothing in it is below 0."""
    text = text.replace("threadIdx.x", "x").replace("threadIdx.y", "y").replace("/", "//")
    return int(eval(text, {}, {"x": x, "y": y, "m": m, "k": k}))


def reached(store: Store, m: int) -> Iterator[tuple[tuple[int, int], int]]:
    """The threads and the places that they store to."""
    for x in range(BLOCK[0]):
        for y in range(BLOCK[1]):
            for k in range(value(store.end, x, y, m, 0) if store.end else 1):
                if not store.mask or value(store.mask, x, y, m, k):
                    yield (x, y), value(store.place, x, y, m, k)


def have_race(every: list[Store], m: int) -> bool:
    """Whether two threads reach a place, one of them by a store that is no atomic."""
    at = [(thread, place, s.atomic) for s in every for thread, place in reached(s, m)]
    return any(p == q and t != u and not (one and other) for t, p, one in at for u, q, other in at)


@pytest.mark.explore
@given(st.lists(stores(), min_size=1, max_size=2))
@settings(max_examples=25)
def test_no_race_is_proved_where_none_is_and_refuted_where_one_is(every: list[Store]) -> None:
    body = "\n  ".join(s.text() for s in every)
    above = contract("//", f"grid (1,) block {BLOCK}; where 1 <= m; where m <= {MOST}")
    with tempfile.TemporaryDirectory() as folder:
        text = f"{above}{HEADER}int m) {{\n  __shared__ float t[128];\n  {body}\n}}\n"
        found = of(verdicts(Path(folder) / "k.cu", text), "no race")
    race = any(have_race(every, m) for m in range(1, MOST + 1))
    assert ("refuted" in found) == race, (found, body)
    assert found <= {"proved", "refuted"}, body


@pytest.mark.parametrize("array", ["x", "t"])
@pytest.mark.parametrize("grid", [1, 2])
def test_one_thread_has_no_race_where_the_kernel_names_none(
    tmp_path: Path, array: str, grid: int
) -> None:
    above = contract("//", f"grid ({grid},) block (1,); x is f32[64]; where n <= 60")
    loop = f"for (int i = 0; i < n; i++) {{\n    {array}[i / 2] = 1;\n    {array}[5] = 2;\n  }}"
    text = f"{above}{HEADER}int n) {{\n  __shared__ float t[64];\n  {loop}\n}}\n"
    found = of(verdicts(tmp_path / "k.cu", text), "no race: store")
    assert found == {"refuted" if array == "x" and grid > 1 else "proved"}


FOR_ALL = {  # two loops without a barrier between them, for every number of threads
    "a thread comes to its places again": (
        "for (int i = threadIdx.x; i < n; i += blockDim.x) t[i] = 0;",
        "for (int j = threadIdx.x; j < n; j += blockDim.x) t[j] += 1;",
        {"proved"},
    ),
    "a thread comes to its neighbour's": (
        "for (int i = threadIdx.x; i < n; i += blockDim.x) t[i] = 0;",
        "for (int j = threadIdx.x; j < n - 1; j += blockDim.x) t[j + 1] += 1;",
        {"proved", "refuted"},
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", FOR_ALL)
@pytest.mark.parametrize("block", ["(B,)", "(64,)"])
def test_loops_over_an_array_that_a_block_shares(tmp_path: Path, name: str, block: str) -> None:
    first, second, status = FOR_ALL[name]
    body = f"int n) {{\n  extern __shared__ float t[];\n  {first}\n  {second}\n}}\n"
    text = f"{contract('//', f'grid (1,) block {block}; t is f32[n]; where n >= 1')}{HEADER}{body}"
    statuses = of(verdicts(tmp_path / "k.cu", text), "no race")
    if block == "(B,)" and "refuted" in status:  # a load of one warp, which may run in step
        statuses -= {"unknown"}
    assert statuses == status


BARRIERS = {  # what stores between two barriers, a loop of which every turn comes to one
    "turns of which the last ones are of some threads": (
        "for (int i = threadIdx.x; i < n; i += 4)",
        "t[threadIdx.x + i] = 1;",
        {"unknown"},  # the other threads do not come to the last barrier
    ),
    "one place in each turn": (
        "for (int i = threadIdx.x; i < n; i += 4)",
        "t[i / 4] = 1;",
        {"unknown"},
    ),
    "counters that begin at other places, in one turn at one": (
        "for (int i = threadIdx.x; i < n + threadIdx.x; i++)",
        "t[i - threadIdx.x] = 1;",
        {"unknown"},
    ),
    "one place for all where there is no turn": (
        "for (int i = n; i > 2; i--)",
        "t[threadIdx.x * (n - 2)] = 1;",
        {"proved"},
    ),
    "an end that is chosen": (
        "for (int i = 0; i < (n > m ? n : m); i++)",
        "t[threadIdx.x * (i + 1)] = 1;",
        {"proved"},
    ),
}


@pytest.mark.parametrize("name", BARRIERS)
def test_turns_with_a_barrier_are_those_of_all_threads(tmp_path: Path, name: str) -> None:
    loop, stores, status = BARRIERS[name]
    loop = f"__shared__ float t[64];\n  {loop} {{ {stores} __syncthreads(); }}"
    body = f"int n, int m) {{\n  {loop}\n}}\n"
    text = f"{contract('//', 'grid (1,) block (4,); where n <= 30, m <= 30')}{HEADER}{body}"
    assert of(verdicts(tmp_path / "k.cu", text), "no race") == status


ONE, OTHER = "t[threadIdx.x] = 1;", "t[3 - threadIdx.x] = 2;"
AROUND = {  # a way around the barriers between two stores, if there is one
    "two in a row": (f"{ONE} __syncthreads(); __syncthreads(); {OTHER}", False),
    "a turn and the next one, barriers at both ends": (
        f"for (int j = 0; j < n; j++) {{ {ONE} __syncthreads(); {OTHER} __syncthreads(); }}",
        False,
    ),
    "a loop that has turns": (
        f"{ONE} for (int j = 0; j < 3; j++) __syncthreads(); "
        f"for (int j = 3; j < n; j++) __syncthreads(); {OTHER}",
        False,
    ),
    "two loops that may have no turn": (
        f"{ONE} for (int j = 3; j < n; j++) __syncthreads(); "
        f"for (int j = 4; j < n; j++) __syncthreads(); {OTHER}",
        True,
    ),
    "the next turn, barriers in inner loops": (
        f"for (int j = 0; j < n; j++) {{ {ONE} for (int i = 0; i < 2; i++) __syncthreads(); "
        f"for (int i = 0; i < 2; i++) __syncthreads(); {OTHER} }}",
        True,
    ),
    "the next turn, barriers in a function": (
        f"for (int j = 0; j < n; j++) {{ {ONE} twice(); {OTHER} }}",
        True,
    ),
    "the next turn, all in a branch": (
        f"for (int j = 0; j < n; j++) if (n > 5) {{ {ONE} __syncthreads(); __syncthreads(); {OTHER} }}",
        True,
    ),
    "the next turn, the last part in a branch": (
        f"for (int j = 0; j < n; j++) {{ {ONE} __syncthreads(); "
        f"if (n > 3) {{ __syncthreads(); {OTHER} }} }}",
        True,
    ),
    "the next turn, some turns go on early": (
        f"for (int j = 0; j < n; j++) {{ {ONE} if (j == 3) continue; __syncthreads(); "
        f"__syncthreads(); {OTHER} }}",
        True,
    ),
    "all in a branch": (
        f"if (n > 5) {{ {ONE} __syncthreads(); {OTHER} }} else __syncthreads();",
        False,
    ),
    "a loop that may have no turn, and the second way of a branch": (
        f"{ONE} for (int j = 3; j < n; j++) __syncthreads(); "
        f"if (n > 5) __syncthreads(); else {OTHER}",
        True,
    ),
    "an atomic in the second way, in the text before a store": (
        "for (int j = 3; j < n; j++) __syncthreads(); "
        f"for (int j = 0; j < n; j++) {{ atomicAdd(&t[0], 1); __syncthreads(); {ONE} }}",
        True,
    ),
    "a kernel that returns early": (f"if (n > 3) return; {ONE} __syncthreads(); {OTHER}", False),
    "a function that returns early": (f"{ONE} early(n); {OTHER}", True),
    "a barrier in each way of a branch": (
        f"{ONE} if (n > 3) __syncthreads(); else twice(); {OTHER}",
        False,
    ),
}
TURNS = "t[(threadIdx.x + j) % 4] = j;"
PERHAPS = {  # what a barrier that is not always there, or none of the whole block, leaves to say
    "behind `and`": (f"{ONE} bool b = n > 5 && __syncthreads_or(1); {OTHER}", {"refuted"}),
    "behind `or`": (f"{ONE} bool b = n > 5 || __syncthreads_or(1); {OTHER}", {"refuted"}),
    "in a choice": (f"{ONE} n > 5 ? twice() : (void)0; {OTHER}", {"refuted"}),
    "in a branch": (f"{ONE} if (n > 5) __syncthreads(); {OTHER}", {"refuted"}),
    "in a branch that the store is in, too": (
        f"{ONE} if (n > 5) __syncthreads(); if (n > 5) {OTHER}",
        {"unknown"},
    ),
    "in all turns but the last": (
        f"for (int j = 0; j < n; j++) {{ {TURNS} if (j + 1 < n) __syncthreads(); }}",
        {"unknown"},
    ),
    "in a function that a turn calls": (
        f"for (int j = 0; j < n; j++) {{ {TURNS} twice(); }}",
        set(),
    ),
    "in a loop of a turn": (
        f"for (int j = 0; j < n; j++) {{ {TURNS} for (int i = 0; i < 2; i++) __syncthreads(); }}",
        set(),
    ),
    "of a part of the block": (
        f"auto block = cg::tiled_partition<2>(cg::this_thread_block()); {ONE} block.sync(); {OTHER}",
        {"unknown"},
    ),
    "a function of the file that is none": (f"{ONE} barrier(n); {OTHER}", {"refuted"}),
    "a function of a foreign namespace": (
        f"{ONE} bool b = any::__syncthreads_or(1); {OTHER}",
        {"unknown"},
    ),
    "a method that is named like one": (f"{ONE} other.__syncthreads(); {OTHER}", {"unknown"}),
    "a foreign function of the block": (
        f"auto b = cg::this_thread_block(); {ONE} any::sync(b); {OTHER}",
        {"unknown"},
    ),
    "one that votes": (f"{ONE} bool b = __syncthreads_and(1); {OTHER}", set()),
    "one of no namespace": (f"{ONE} ::__syncthreads(); {OTHER}", set()),
    "of a group that is the block": (
        f"auto b = cg::this_thread_block(); {ONE} b.sync(); {OTHER} cg::sync(b); {ONE}",
        set(),
    ),
}
FUNCTIONS = """__device__ int barrier(int n) { return n; }
__device__ void twice() { __syncthreads(); __syncthreads(); }
__device__ void early(int n) { if (n > 3) return; __syncthreads(); __syncthreads(); }
"""


@pytest.mark.parametrize("name", AROUND)
def test_ways_around_barriers_are_seen(tmp_path: Path, name: str) -> None:
    body, around = AROUND[name]
    above = f"{FUNCTIONS}{contract('//', 'grid (1,) block (4,)')}{HEADER}"
    text = f"{above}int n) {{\n  __shared__ float t[4];\n  {body}\n}}\n"
    found = of(verdicts(tmp_path / "k.cu", text), "no race")
    assert found == ({"proved", "unknown"} if around else {"proved"})


@pytest.mark.parametrize("name", PERHAPS)
def test_barriers_that_may_not_be_there(tmp_path: Path, name: str) -> None:
    body, more = PERHAPS[name]
    above = f"{FUNCTIONS}{contract('//', 'grid (1,) block (4,)')}{HEADER}"
    text = f"{above}int n) {{\n  __shared__ float t[4];\n  {body}\n}}\n"
    assert of(verdicts(tmp_path / "k.cu", text), "no race") - {"proved"} == more


def test_turns_that_say_nothing_of_a_place_may_have_an_end_that_is_chosen(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < (n > m ? n : 2); i++) t[threadIdx.x + 4] = 1;"
    body = f"int n, int m) {{\n  __shared__ float t[64];\n  {loop}\n}}\n"
    text = f"{contract('//', 'grid (1,) block (4,)')}{HEADER}{body}"
    assert of(verdicts(tmp_path / "k.cu", text), "no race") == {"proved"}


def test_a_refutation_names_two_threads(tmp_path: Path) -> None:
    body = (
        "int m) {\n  __shared__ float t[64];\n  t[threadIdx.x] = 1;\n  t[threadIdx.x * 2] = 2;\n}\n"
    )
    path = tmp_path / "k.cu"
    path.write_text(f"{contract('//', 'grid (1,) block (8,)')}{HEADER}{body}")
    (made,) = [r for r in check([str(path)]).results if r.outcome.status == "refuted"]
    example = made.outcome.counterexample
    assert example is not None
    assert (example["coords"], example["left"]) == ([2, 1], "2")
    assert "one thread may" in made.task.because


LOADED = {  # a loop whose end a table says, what is promised of x, and what is found
    "a place for each turn and thread": (
        "for (int i = 0; i < table[0]; i++) x[i * 4 + threadIdx.x] = 1;",
        "written at most once",
        {"proved"},
    ),
    "the same, an end for each thread": (
        "for (int i = 0; i < table[threadIdx.x]; i++) x[i * 4 + threadIdx.x] = 1;",
        "written at most once",
        {"proved"},
    ),
    "a place for each turn": (
        "for (int i = 0; i < table[0]; i++) x[i] = 1;",
        "written at most once",
        {"refuted"},
    ),
    "a place for each thread": (
        "for (int i = 0; i < table[0]; i++) x[threadIdx.x] = 1;",
        "",
        {"proved"},
    ),
    "as many turns as there may be": (
        "for (int i = 0; i < table[0]; i++) x[i * 4 + threadIdx.x] = 1;",
        "written once",
        {"unknown"},
    ),
    "an end between two numbers": (
        "for (int i = table[0]; i < table[1]; i++) x[i * 4 + threadIdx.x] = 1;",
        "written at most once",
        {"unknown"},
    ),
    "each second turn": (
        "for (int i = 0; i < table[1]; i += 2) x[i * 4 + threadIdx.x] = 1;",
        "written at most once",
        {"unknown"},
    ),
}


@pytest.mark.parametrize("name", LOADED)
def test_how_many_turns_there_are_is_one_number(tmp_path: Path, name: str) -> None:
    loop, promise, status = LOADED[name]
    above = contract("//", "grid (1,) block (4,)")
    above += (
        f"//   x is f32[4*n - 4] {promise}\n//   table is i32[4] below n\n//   where n <= 1048576\n"
    )
    text = f"{above}{HEADER}const int* table, int n) {{\n  {loop}\n}}\n"
    title = f"{promise or 'no race'}: store"
    assert of(verdicts(tmp_path / "k.cu", text), title) == status


EMPTY = {  # loops without a turn, in whose text all threads store to one place
    "between two numbers": ("for (int i = 4; i < 2; i++) t[0] = 1;", {"proved"}),
    "between two numbers, with a barrier": (
        "for (int i = 4; i < 2; i++) { t[0] = 1; __syncthreads(); }",
        {"proved"},
    ),
    "inside of one that has turns": (
        "for (int j = 0; j < n; j++) for (int i = 4; i < 2; i++) t[0] = 1;",
        {"proved"},
    ),
    "up to a size that is 0": ("for (int i = 0; i < z; i++) t[0] = 1;", {"vacuous"}),
    "that is none": ("for (int i = 2; i < 4; i++) t[0] = 1;", {"refuted"}),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_loop_without_a_turn_has_no_race(tmp_path: Path, name: str) -> None:
    loop, status = EMPTY[name]
    above = contract("//", "grid (1,) block (4,); where z >= 0, z <= 0")
    text = f"{above}{HEADER}int n, int z) {{\n  __shared__ float t[4];\n  {loop}\n}}\n"
    assert of(verdicts(tmp_path / "k.cu", text), "no race") == status
