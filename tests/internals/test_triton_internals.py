"""Properties of internal modules; `tests/test_triton.py` tests the public interface."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_triton import BLOCKED, MMA, MOVED, PADDED

from symlayout import LayoutError, conversion, parse, prove, recheck
from symlayout.certificate.bits import bits
from symlayout.certificate.encodings import elements
from symlayout.certificate.functions import function
from symlayout.certificate.padded import padded_place
from symlayout.expr.terms import value
from symlayout.layouts.doors.conversion import NEEDS
from symlayout.layouts.doors.linear import Linear
from symlayout.layouts.maps.function import IndexFunction

HOPPER = "versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]"

MFMA = (
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], "
    "isTransposed = false}>"
)

WMMA = (
    "#ttg.amd_wmma<{{version = {}, isTranspose = true, "
    "ctaLayout = {{register = [[1, 0]], warp = [[0, 1], [2, 0]]}}}}>"
)

CUBES = (
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 2, 2], instrShape = [32, 32, 8], "
    "isTransposed = true}>"
)

WIDE = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [%s], isTransposed = true}>"

SHARED_BY_BLOCKS = (
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], "
    "order = [0, 1], CTAsPerCGA = [4, 2], CTASplitNum = [2, 2], CTAOrder = [0, 1]}>"
)

VECTORS = "register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [], block = []"

ENCODINGS = [
    f"{MMA} on 64x32",
    f"{MMA} on 4x4",
    f"#ttg.nvidia_mma<{{{HOPPER}}}> on 128x64",
    f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 2}}> on 32x64",
    f"#ttg.dot_op<{{opIdx = 1, parent = {MMA}, kWidth = 4}}> on 32x64",
    f"#ttg.dot_op<{{opIdx = 1, parent = {BLOCKED}}}> on 8x64",
    f"#ttg.slice<{{dim = 0, parent = {BLOCKED}}}> on 64",
    f"#ttg.slice<{{dim = 1, parent = {MMA}}}> on 64",
    f"{BLOCKED} on 64x32",
    f"#ttg.linear<{{{VECTORS}}}> on 4x4",
    "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1]}> on 32x16",
    "#ttg.shared_linear<{offset = [[0, 1], [1, 1]]}, alignment = 16> on 2x2",
    "!ttg.memdesc<8x8xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, "
    "order = [1, 0]}>, #smem, mutable>",
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], "
    "isTransposed = true, tilesPerWarp = [2, 1]}> on 256x64",
    "#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 2, 1], instrShape = [16, 16, 32], "
    "isTransposed = false, elementBitWidth = 64}> on 2x32x32",
    "#ttg.amd_mfma<{version = 2, warpsPerCTA = [1, 1], instrShape = [64, 4, 4], "
    "isTransposed = true}> on 64x16",
    f"#ttg.dot_op<{{opIdx = 0, parent = {MFMA}, kWidth = 8}}> on 64x64",
    f"#ttg.dot_op<{{opIdx = 1, parent = {MFMA}, kWidth = 4}}> on 64x64",
    f"#ttg.slice<{{dim = 1, parent = {MFMA}}}> on 64",
    f"#ttg.dot_op<{{opIdx = 0, parent = {CUBES}, kWidth = 4}}> on 2x64x64",
    f"#ttg.dot_op<{{opIdx = 1, parent = {CUBES}, kWidth = 8}}> on 4x64x64",
    f"#ttg.dot_op<{{opIdx = 0, parent = {WIDE % '64, 4, 4'}, kWidth = 4}}> on 64x64",
    f"#ttg.dot_op<{{opIdx = 1, parent = {WIDE % '4, 64, 4'}, kWidth = 4}}> on 64x64",
    f"{SHARED_BY_BLOCKS} on 64x64",
    f"#ttg.dot_op<{{opIdx = 0, parent = {SHARED_BY_BLOCKS}}}> on 64x64",
    f"{WMMA.format(1).replace('true', 'false')} on 64x32",
    f"{WMMA.format(2).replace('true', 'false')} on 32x64",
    "#ttg.amd_wmma<{version = 2, isTranspose = false, "
    "ctaLayout = {register = [[0, 1, 0]], warp = [[0, 0, 1]]}}> on 4x32x64",
    f"{WMMA.format(1)} on 64x32",
    f"{WMMA.format(2)} on 64x32",
    f"{WMMA.format(2)} on 8x8",
    f"#ttg.dot_op<{{opIdx = 0, parent = {WMMA.format(1)}, kWidth = 16}}> on 64x64",
    f"#ttg.dot_op<{{opIdx = 1, parent = {WMMA.format(2)}, kWidth = 8}}> on 64x64",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}> on 64x128",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 32}> on 32x16",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = true, elementBitWidth = 8}> on 512x8",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, "
    "fp4Padded = true}> on 16x64",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, "
    "rank = 3}> on 4x4x32",
    "#ttg.amd_rotating_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [1, 0]}> on 64x16",
    "tensor<64x64x!tt.ptr<f16>, #triton_gpu.blocked<{sizePerThread = [1, 4], "
    "threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>",
]


@pytest.mark.parametrize("text", ENCODINGS)
def test_the_checker_has_the_same_elements_by_arithmetic(text: str) -> None:
    read = parse(text)
    assert parse(str(read)) == read
    apart, found = bits(text), elements(read.encoding, read.shape)
    assert apart is not None
    counts = list(found.counts.values())
    assert counts == [1 << len(v) for _, v in read.ins]
    rng = random.Random(text)
    for _ in range(200):  # it is linear: each point is the sum of its bits
        point = tuple(rng.randrange(n) for n in counts)
        assert tuple(found.at(point)) == read.at(point, {}) == apart.at(point)


# -- conversions ------------------------------------------------------------------------------------


def needed(a: Linear, b: Linear) -> str | None:
    """By looking at every element that is wanted: who holds it, and in how wide a circle."""
    holders: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for point in a.points({}):
        holders.setdefault(a.at(point, {}), []).append(point)
    wanted = {p: b.at(p, {}) for p in b.points({})}
    if a.columns == b.columns and [len(v) for _, v in a.ins] == [len(v) for _, v in b.ins]:
        return NEEDS[0]
    registers = range(1 << len(dict(a.ins)["register"]))
    for p in b.points({}):  # the same register for all lanes, warps and blocks
        others = [q for q in wanted if q[0] == p[0]]
        if not any(all(a.at((r, *q[1:]), {}) == wanted[q] for q in others) for r in registers):
            break
    else:
        return NEEDS[1]
    for level in range(4):  # the inputs that must be the same: those behind this one
        near = all(
            any(q[level + 1 :] == p[level + 1 :] for q in holders.get(place, ()))
            for p, place in wanted.items()
        )
        if near:
            return NEEDS[level + 2]
    return None


@st.composite
def distributed(draw, sizes, bits_):
    vector = st.tuples(*[st.integers(0, d - 1) for d in sizes])
    units = [tuple(1 << k if a == d else 0 for a in range(len(sizes)))
             for d, n in enumerate(sizes) for k in range(n.bit_length() - 1)]  # fmt: skip
    names = ("register", "lane", "warp", "block")
    own = [draw(st.integers(0, 2)), *bits_]
    shuffled = [*draw(st.permutations(units)), *[draw(vector) for _ in range(8)]]
    rows, at = {}, 0
    for name, n in zip(names, own):
        rows[name] = shuffled[at : at + n]
        at += n
    return Linear.of(rows, {f"dim{k}": d for k, d in enumerate(sizes)})


@settings(max_examples=150)
@given(st.data())
def test_a_conversion_needs_what_looking_at_every_element_says(data):
    sizes = [2 ** data.draw(st.integers(0, 2)) for _ in range(2)]
    own = [data.draw(st.integers(0, 1)) for _ in range(3)]
    a, b = (data.draw(distributed(sizes, own)) for _ in range(2))
    if data.draw(st.booleans()):  # a few vectors are exchanged
        rows = {n: list(v) for n, v in a.ins}
        rows["register"].reverse()
        b = Linear.of(rows, dict(a.outs))
    want = needed(a, b)
    if want is None:
        with pytest.raises(LayoutError, match="nobody holds"):
            conversion(a, b)
    else:
        assert conversion(a, b).needs == want


@pytest.mark.parametrize("text", [f"{PADDED} on 16x16", f"{MOVED} on 8x4"])
def test_padding_leaves_places_empty(text: str) -> None:
    read = parse(text)
    assert parse(str(read)) == read
    offsets = [read.at(p, {})[0] for p in read.points({})]
    apart = function(text)
    assert [
        value(apart.results[0], {f"dim{k}": x for k, x in enumerate(p)}) for p in read.points({})
    ] == offsets
    assert len(set(offsets)) == len(offsets)
    assert max(offsets) + 1 == int(read.box[0]) == int(apart.places[0])
    for word in ("injective", "bounded"):
        verdict = getattr(prove, word)(text)
        assert verdict.proved
        assert recheck(verdict.certificate).ok
    assert prove.onto(text).refuted
    for pair in ((text, IndexFunction.__str__(read)), (IndexFunction.__str__(read), text)):
        assert recheck(prove.equal(*pair).certificate).ok


@pytest.mark.parametrize("seed", range(20))
def test_an_offset_in_vectors_is_found_again(seed: int) -> None:
    """The checker's expressions give the offset of each element that the vectors of bits reach."""
    rng, shape = random.Random(seed), [4, 8]
    vectors = [(1, 0), (2, 0), (0, 1), (0, 2), (0, 4)]
    rng.shuffle(vectors)
    for _ in range(8):  # sums of others keep them independent
        k, other = rng.sample(range(5), 2)
        vectors[k] = tuple(x ^ y for x, y in zip(vectors[k], vectors[other]))
    row = padded_place({"offset": vectors, "pads": [(8, 1)]}, shape)
    reached = set()
    for offset in range(32):
        place = [0, 0]
        for k, v in enumerate(vectors):
            if offset >> k & 1:
                place = [x ^ y for x, y in zip(place, v)]
        assert value(row.offset, {"dim0": place[0], "dim1": place[1]}) == offset + offset // 8
        reached.add(tuple(place))
    assert len(reached) == 32
    dependent = [*vectors[:4], tuple(x ^ y for x, y in zip(vectors[0], vectors[1]))]
    with pytest.raises(LayoutError, match="every element once"):
        padded_place({"offset": dependent, "pads": []}, shape)


def test_registers_of_what_is_larger_than_the_tensor() -> None:
    """A blocked encoding's, a linear one's and a slice's are none, as in Triton 3.9."""
    big = (
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [1, 2], "
        "order = [1, 0]}>"
    )
    texts = [
        f"{big} on 2x1",
        f"{big} on 2x2",
        f"#ttg.slice<{{dim = 1, parent = {big}}}> on 2",
        "#ttg.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4]]}> on 2x2",
    ]
    found = [dict(parse(t).ins) for t in texts]
    assert [f["register"] for f in found] == [
        (),
        ((0, 1),),
        (),
        ((0, 1), (1, 0)),
    ]
    assert found[0]["lane"] == ((0, 0), (0, 0), (0, 0), (0, 0), (1, 0))
    assert found[3]["lane"] == ((0, 0),)
    for text in texts:
        apart = bits(text)
        assert apart is not None
        assert dict(apart.inputs)["register"] == len(dict(parse(text).ins)["register"])
    alone = big.replace("[2, 16]", "[1, 1]").replace("[1, 2]", "[1, 1]")
    assert prove.injective(f"{alone} on 1x4").proved
    assert prove.injective(f"{alone} on 1x2").proved


@pytest.mark.parametrize(
    ("register", "lane", "more"),
    [
        ([], [[1, 0], [0, 1]], ((0, 2), (2, 0))),
        ([[1, 0]], [[0, 1]], ((2, 0), (0, 2))),
        ([[0, 0], [0, 1], [1, 0]], [], ((0, 2), (2, 0))),
        ([[1, 0], [0, 1]], [[2, 0]], ((0, 2),)),
    ],
)
def test_registers_of_what_is_smaller_than_the_tensor(
    register: list[list[int]], lane: list[list[int]], more: tuple[tuple[int, int], ...]
) -> None:
    """A linear one's repeat it along the dimensions in which they move, then from the last."""
    text = f"#ttg.linear<{{register = {register}, lane = {lane}}}> on 4x4"
    read = parse(text)
    assert dict(read.ins)["register"] == (*map(tuple, register), *more)
    found = elements(read.encoding, read.shape)
    for point in product(*(range(2 ** len(vs)) for _, vs in read.ins)):
        assert tuple(found.at(point)) == read.at(point, {})
