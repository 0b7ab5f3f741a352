"""The theorems for every rank, in Rocq: `pytest -n 0 tests/outside/test_rocq_ranks.py`.

It needs `coqc` (`apt-get install coq`), and fails without it.
"""

from __future__ import annotations

import random
import re
import resource
import shutil
import subprocess
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import rocq

import symlayout as sl
from symlayout import broadcast, tla

ROOT = Path(__file__).parents[2]
ALL = {path.stem: path.read_text(encoding="utf-8") for path in rocq.SOURCE.glob("*.v")}
TEXTS = {name: text for name, text in ALL.items() if name.startswith("Rank")}
THEOREM = re.compile(r"^(?:Theorem|Corollary) (\w+)", re.M)
THEOREMS = sorted(
    (name, theorem) for name, text in TEXTS.items() for theorem in THEOREM.findall(text)
)
ASSUMED = re.compile(
    r"\b(?:Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Hypothes[ie]s|Variables?|Context"
    r"|Classical\w*|FunctionalExtensionality|Unset|bypass_check)\b"
)
COMMENT = re.compile(r"\(\*.*?\*\)", re.S)
MOST_SECONDS = 120  # of the processor, for all files
DOCS = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+|-) \| [^|]+\| `(Rank\w+)\.v` \| ([^|]+) \|$", DOCS, re.M)
IMPORTS = "Require Import ZArith List. Import ListNotations. Open Scope Z_scope.\n"


def required(name: str) -> set[str]:
    """The files that a file requires."""
    return set(re.findall(r"Symlayout\.(\w+)", ALL[name])) & set(ALL)


def order() -> list[str]:
    """The files for every rank and those that they require, each after its own requirements."""
    needed, names = {}, list(TEXTS)
    while names:
        name = names.pop()
        needed[name] = required(name)
        names += needed[name] - set(needed)
    return list(TopologicalSorter(needed).static_order())


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files, compiled."""
    folder = tmp_path_factory.mktemp("ranks")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert rocq.present(), rocq.ABSENT
    for name in order():
        shutil.copy(rocq.SOURCE / f"{name}.v", folder)
        rocq.run(folder, folder / f"{name}.v")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < MOST_SECONDS
    return folder


def accepted(library: Path, name: str, text: str) -> bool:
    """Whether coqc accepts a text that imports all files."""
    file = library / f"{name}.v"
    imported = " ".join(name for name in order() if name in TEXTS)
    file.write_text(f"{IMPORTS}From Symlayout Require Import {imported}.\n{text}")
    try:
        rocq.run(library, file)
    except subprocess.CalledProcessError:
        return False
    return True


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_file_assumes_nothing(name: str) -> None:
    assert ASSUMED.findall(COMMENT.sub("", TEXTS[name])) == []


def assumptions(library: Path, name: str, text: str) -> str:
    """The axioms that a proof of all theorems, and of a text's own, rests on."""
    head = f"From Symlayout Require {' '.join(TEXTS)}.\n{text}"
    proofs = [f"@Symlayout.{file}.{theorem}" for file, theorem in THEOREMS]
    every = f"Definition every := ({', '.join([*proofs, 'own'])}).\nPrint Assumptions every.\n"
    (library / f"{name}.v").write_text(head + every)
    return rocq.run(library, library / f"{name}.v").stdout.strip()


def test_each_theorem_is_closed(library: Path) -> None:
    assert len(THEOREMS) > 80
    closed = assumptions(library, "Closed", "Definition own := I.\n")
    assert closed == rocq.CLOSED
    assert "own" in assumptions(library, "Assumed", "Axiom own : 0 = 1.\n")


def test_each_family_of_the_book_has_its_theorems() -> None:
    chapters = {str(int(path.name[:2])) for path in (ROOT / "proofs").glob("*.layout.toml")}
    assert {number for number, _, _ in ROWS} - {"-"} == chapters
    for _, file, cell in ROWS:
        for name in re.findall(r"`(\w+)`", cell):
            assert (file, name) in THEOREMS


def test_a_false_statement_is_refused(library: Path) -> None:
    statement = "Goal xla_offset [1; 0]%nat [[Size 2; Size 2]] [3; 5] [2; 3] = {}.\n"
    assert accepted(library, "Right", statement.format(17) + "Proof. reflexivity. Qed.\n")
    assert not accepted(library, "Wrong", statement.format(18) + "Proof. reflexivity. Qed.\n")


# -- the definitions are those of symlayout, at random numbers ----------------------------------------


def listed(numbers: object) -> str:
    """A list of Rocq."""
    return "[" + "; ".join(map(str, numbers)) + "]"  # type: ignore[call-overload]


def below(draw: random.Random, sizes: list[int]) -> list[int]:
    return [draw.randrange(size) for size in sizes]


def tiled(draw: random.Random) -> list[str]:
    """An XLA layout of any rank with tiles: its number of elements, and an offset."""
    rank = draw.randint(1, 4)
    sizes = [draw.randint(1, 7) for _ in range(rank)]
    minor_to_major = draw.sample(range(rank), rank)
    tiles = [
        [draw.randint(1, 4) for _ in range(draw.randint(1, 3))] for _ in range(draw.randint(0, 3))
    ]
    tiles = [[0 if draw.random() < 0.2 and len(tile) <= rank else t for t in tile[:-1]] + tile[-1:]
             for tile in tiles]  # fmt: skip
    text = "".join(f"({','.join('*' if t == 0 else str(t) for t in tile)})" for tile in tiles)
    order = ",".join(map(str, minor_to_major)) + (f":T{text}" if text else "")
    layout = sl.parse(f"f32[{','.join(map(str, sizes))}]{{{order}}}")
    entries = listed(listed("Star" if t == 0 else f"Size {t}" for t in tile) for tile in tiles)
    place = below(draw, sizes)
    found = layout.index_map()
    head = f"{listed(minor_to_major)}%nat {entries} {listed(sizes)}"
    return [
        f"xla_offset {head} {listed(place)} = {found.evaluate(*place)}",
        f"xla_places {head} = {found.size}",
    ]


Nested = int | tuple["Nested", ...]


def profile(draw: random.Random, depth: int) -> Nested:
    if depth == 0 or draw.random() < 0.4:
        return draw.randint(1, 5)
    return tuple(profile(draw, depth - 1) for _ in range(draw.randint(1, 3)))


def like(draw: random.Random, shape: Nested) -> Nested:
    if isinstance(shape, int):
        return draw.randint(0, 40)
    return tuple(like(draw, mode) for mode in shape)


def tree(shape: Nested, stride: Nested) -> str:
    if isinstance(shape, int):
        return f"Mode {shape} {stride}"
    assert isinstance(stride, tuple)
    return f"Modes {listed(tree(s, d) for s, d in zip(shape, stride, strict=True))}"


def coordinate(c: Nested) -> str:
    return f"Number {c}" if isinstance(c, int) else f"Tuple {listed(map(coordinate, c))}"


def split(draw: random.Random, shape: Nested) -> Nested:
    if isinstance(shape, int) or draw.random() < 0.4:
        return draw.randint(0, 60)
    return tuple(split(draw, mode) for mode in shape)


def nested(draw: random.Random) -> list[str]:
    """A nested layout, at a coordinate of any of its profiles."""
    shape = profile(draw, 3)
    stride, c = like(draw, shape), split(draw, shape)
    offset = tla.crd2offset(c, shape, stride)
    return [f"crd2offset ({tree(shape, stride)}) ({coordinate(c)}) = {offset}"]


def swizzled(draw: random.Random) -> list[str]:
    bits, base = draw.randint(0, 3), draw.randint(0, 4)
    shift = draw.choice([1, -1]) * draw.randint(max(bits, 1), 4)
    x = draw.randrange(4096)
    layout = sl.parse(f"Swizzle({bits},{base},{shift}) o 0 o 4096:1")
    found = layout.index_map().evaluate(x)
    return [f"swizzle {bits} {base} ({shift}) {x} = {found}"]


def format_of_cubes(draw: random.Random) -> list[str]:
    name, (dtype, c0) = (
        draw.choice(["zN", "nZ", "zZ", "nN"]),
        draw.choice([("f16", 16), ("s8", 32)]),
    )
    sizes = [draw.randint(1, 70), draw.randint(1, 70)]
    place = below(draw, sizes)
    layout = sl.parse(f"{name}({dtype}, {sizes[0]}, {sizes[1]})")
    found = layout.index_map().evaluate(*place)
    return [f"offset_at ({name} 16 {c0} {sizes[0]} {sizes[1]}) {listed(place)} = {found}"]


def expanded(draw: random.Random) -> list[str]:
    larger = [draw.randint(1, 5) for _ in range(draw.randint(1, 4))]
    entries = sorted(draw.sample(range(len(larger)), draw.randint(1, len(larger))))
    smaller = [draw.choice([1, larger[k]]) for k in entries]
    texts = [f"f32[{','.join(map(str, sizes))}]" for sizes in (smaller, larger)]
    found = broadcast.broadcast(texts[0], texts[1], entries, "xla")
    return [
        f"broadcast_shape {listed(entries)}%nat {listed(smaller)} {listed(larger)} = {listed(found)}"
    ]


def algebra(draw: random.Random) -> list[str]:
    """The complement of a layout, of which symlayout gives the coalesced one."""
    modes, stride = [], 1
    for _ in range(draw.randint(1, 3)):
        stride *= draw.randint(1, 3)
        modes.append((draw.randint(2, 4), stride))
        stride *= modes[-1][0]
    bound = stride * draw.randint(1, 3)
    found = tla.complement(layout_of(modes), bound)
    x = draw.randrange(bound // layout_of(modes).size)
    offset = tla.crd2offset(x, found.shape, found.stride)
    return [
        f"offset (complement {pairs(modes)} {bound}) {x} = {offset}",
        f"size_of (complement {pairs(modes)} {bound}) = {found.size}",
    ]


def pairs(modes: list[tuple[int, int]]) -> str:
    return listed(f"({s}, {d})" for s, d in modes)


def layout_of(modes: list[tuple[int, int]]) -> tla.Layout:
    return tla.Layout(tuple(s for s, _ in modes), tuple(d for _, d in modes))


def composed(draw: random.Random) -> list[str]:
    """Powers of two, of which one always divides the other; the stride of B may be 0."""
    modes = [(2 ** draw.randint(0, 3), draw.randint(0, 50)) for _ in range(draw.randint(1, 3))]
    size = layout_of(modes).size
    step = draw.choice([0, 1, 2, 4, 8])
    count = 2 ** draw.randint(0, 2)
    if step * (count - 1) >= size:
        step = 0
    found = tla.composition(layout_of(modes), tla.Layout(count, step))
    x = draw.randrange(count)
    offset = tla.crd2offset(x, found.shape, found.stride)
    return [
        f"offset (compose {pairs(modes)} {count} {step}) {x} = {offset}",
        f"size_of (coalesce {pairs(modes)}) = {size}",
        f"offset (coalesce {pairs(modes)}) {size - 1} = {sum((s - 1) * d for s, d in modes)}",
    ]


def inverted(draw: random.Random) -> list[str]:
    """A compact layout, its modes in any order."""
    sizes = [draw.randint(2, 5) for _ in range(draw.randint(1, 4))]
    fastest_first = draw.sample(range(len(sizes)), len(sizes))
    strides, stride = [0] * len(sizes), 1
    for k in fastest_first:
        strides[k], stride = stride, stride * sizes[k]
    modes = list(zip(sizes, strides, strict=True))
    found = tla.right_inverse(layout_of(modes))
    x = draw.randrange(stride)
    offset = tla.crd2offset(x, found.shape, found.stride)
    return [f"offset (right_inverse {listed(fastest_first)}%nat {pairs(modes)}) {x} = {offset}"]


KINDS = (tiled, nested, swizzled, format_of_cubes, expanded, algebra, composed, inverted)


@pytest.mark.parametrize("kind", KINDS)
def test_a_definition_is_that_of_symlayout(library: Path, kind) -> None:
    draw = random.Random(20)
    goals = [goal for _ in range(80) for goal in kind(draw)]
    text = "".join(f"Goal {goal}.\nProof. vm_compute. reflexivity. Qed.\n" for goal in goals)
    assert accepted(library, f"Same_{kind.__name__}", text)
