"""Triton's encodings: what each register holds, and what it takes to bring one into another."""

from __future__ import annotations

import random
from itertools import product
from types import SimpleNamespace

import pytest
from soundness import doors

from symlayout import LayoutError, conversion, parse, prove, recheck

AMPERE = "versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]"

MMA = f"#ttg.nvidia_mma<{{{AMPERE}}}>"

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0], CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>"
)


@pytest.mark.parametrize("seed", range(30))
def test_claims_hold_of_what_the_owners_hold(seed: int) -> None:
    f = doors.encoded(random.Random(seed))
    places = [f.at(p) for p in product(*f.domain)]
    read = parse(f.text)
    once, all_ = len(set(places)) == len(places), {*product(*map(range, read.shape))}
    for word, true in (("injective", once), ("onto", {*places} == all_)):
        verdict = getattr(prove, word)(f.text)
        assert verdict.proved == true
        if true:
            assert recheck(verdict.certificate).ok
    assert read.replication * len(all_) == len(places)
    assert prove.equal(f.text, read.map_text).proved


def test_a_slice_is_held_by_more_than_one_lane() -> None:
    held_ = parse(f"#ttg.slice<{{dim = 1, parent = {MMA}}}> on 32")
    assert held_.free == {"register": 0, "lane": 0b11, "warp": 0b01, "block": 0}
    assert held_.replication == 8
    assert prove.onto(held_).proved
    assert prove.injective(held_).refuted


def test_conversions_of_encodings() -> None:
    def of(text: str, shape: str = "32x64") -> str:
        return f"{text} on {shape}"

    rows = "#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0]], warp = [[2, 0]]}>"
    turned = rows.replace("[[0, 1], [0, 2]]", "[[0, 2], [0, 1]]")
    lanes = rows.replace("[[0, 4], [1, 0]]", "[[1, 0], [0, 4]]")
    warps = rows.replace("[[0, 4], [1, 0]]", "[[0, 4], [2, 0]]").replace("[[2, 0]]", "[[1, 0]]")
    found = [conversion(of(rows, "4x8"), of(x, "4x8")).needs for x in (rows, turned, lanes, warps)]
    assert found == ["nothing", "registers", "shuffles", "shared memory"]
    both = "#ttg.linear<{register = [[0, 1]], lane = [[0, 0], [1, 0]]}>"
    other = "#ttg.linear<{register = [[0, 0]], lane = [[0, 1], [1, 0]]}>"
    assert conversion(of(both, "2x2"), of(other, "2x2")).needs == "selection"
    assert conversion(of(other, "2x2"), of(both, "2x2")).needs == "shuffles"
    operand = f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 2}}>"
    assert conversion(of(MMA), of(operand)).needs == "shared memory"
    with pytest.raises(LayoutError, match="sizes"):
        conversion(of(rows, "4x8"), of(rows, "4x16"))
    with pytest.raises(LayoutError, match="not a layout of registers"):
        conversion("f32[4,8]", of(rows, "4x8"))


# -- reading ----------------------------------------------------------------------------------------


def test_objects_are_read_by_their_vectors() -> None:
    triton = SimpleNamespace(
        bases=[("register", [[0, 1]]), ("lane", [[1, 0]])], out_dims=[("dim0", 2), ("dim1", 2)]
    )
    gluon = SimpleNamespace(reg_bases=[[0, 1]], lane_bases=[[1, 0]], warp_bases=[], block_bases=[],
                            shape=[2, 2])  # fmt: skip
    shared = SimpleNamespace(offset_bases=[[0, 1], [1, 1]], block_bases=[], shape=[2, 2])
    assert str(parse(triton)) == "linear register [[0,1]], lane [[1,0]] -> dim0 2, dim1 2"
    assert parse(gluon).ins[:2] == parse(triton).ins
    assert prove.bijective(shared).proved


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("#ttg.blocked<{}> on 4x4", "SL101"),
        ("#ttg.blocked<{order = [1, 0]}> on 4x4", "SL101"),
        (f"{BLOCKED} on 48x32", "SL403"),
        (f"{BLOCKED} on 64", "SL403"),
        (f"{BLOCKED}", "SL101"),
        (f"{BLOCKED} on", "SL101"),
        (f"{BLOCKED} on NxM", "SL101"),
        (f"{BLOCKED.replace('[1, 4]', '[1, 3]')} on 64x32", "SL403"),
        (f"{BLOCKED.replace('[1, 0]', '[1, 1]')} on 64x32", "SL403"),
        (f"{BLOCKED.replace('[1, 0]', 'true')} on 64x32", "SL403"),
        (f"{BLOCKED.replace('[1, 4]', '4')} on 64x32", "SL107"),
        (f"{BLOCKED.replace('[2, 1], CTAO', '[4, 1], CTAO')} on 64x32", "SL403"),
        (f"{MMA} on 64", "SL403"),
        (f"{MMA.replace('16, 8', '16, 7')} on 16x16", "SL403"),
        (f"{MMA.replace('Major = 2', 'Major = 9')} on 16x16", "SL100"),
        ("#ttg.nonsense<{}> on 4", "SL100"),
        ("#ttg.linear<{lane = [[1]]}> on 4x4", "SL107"),
        ("#ttg.linear<{lane = 3}> on 4x4", "SL107"),
        ("#ttg.slice<{dim = 5, parent = #ttg.linear<{}>}> on 4", "SL403"),
        ("#ttg.slice<{dim = 0, parent = 5}> on 4", "SL101"),
        ("#ttg.slice<{dim = 0, parent = #ttg.shared_linear<{offset = []}>}> on 4", "SL403"),
        (f"#ttg.dot_op<{{opIdx = 2, parent = {MMA}, kWidth = 2}}> on 4x4", "SL403"),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}}}> on 4x4", "SL101"),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 3}}> on 4x4", "SL403"),
        ("#ttg.linear<{lane = [[1, 0]]}> on 99999999999999999999999x4", "SL204"),
        ("#ttg.linear<{lane = [[1, 0]], lane = []}> on 4x4", "SL101"),
        ("#ttg.linear<{lane = [[1, 0]} on 4x4", "SL101"),
        ("tensor<4x4xf16, #ttg.linear<{}>", "SL101"),
        ("tensor<4x4xf16 #ttg.linear<{}>>", "SL101"),
        ("#ttg.slice<{dim = 0, parent = " * 300, "SL204"),
        ("#ttg.linear<{lane = " + "[" * 300, "SL204"),
        (f"#ttg.linear<{{}}> on {'x'.join(['2'] * 70)}", "SL204"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code, error.value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [8, 8, 8]}> on 32x32",
            "SL403",
        ),
        ("#ttg.amd_mfma<{warpsPerCTA = [1, 1], instrShape = [64, 4, 4]}> on 64x4", "SL403"),
        ("#ttg.amd_mfma<{warpsPerCTA = [1, 1]}> on 64x4", "SL101"),
        ("#ttg.amd_mfma<{warpsPerCTA = [1], instrShape = [16, 16, 4]}> on 64", "SL403"),
        ("#ttg.amd_wmma<{version = 4}> on 32x32", "SL100"),
        ("#ttg.amd_wmma<{version = 1, ctaLayout = {warp = [[3, 0]]}}> on 32x32", "SL403"),
        ("#ttg.amd_wmma<{version = 1, ctaLayout = [1]}> on 32x32", "SL101"),
        ("#ttg.amd_wmma<{version = 1, ctaLayout = {warp = [[1, 0]]> on 32x32", "SL101"),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16}> on 8x32",
            "SL403",
        ),
        ("#ttg.nvmma_shared<{swizzlingByteWidth = 8, elementBitWidth = 16}> on 8x32", "SL403"),
        ("#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16}> on 64", "SL403"),
    ],
)
def test_what_no_matrix_unit_has_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code


PADDED = "#ttg.padded_shared<[32:+4, 64:+8] {order = [1, 0], shape = [16, 16]}>"

MOVED = "#ttg.padded_shared<[8:+1] {offset = [[0, 1], [0, 2], [2, 0], [4, 0], [1, 1]], block = []}>"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"{PADDED} on 16x8", "SL403"),
        (f"{PADDED.replace('32:+4', '3:+4')} on 16x16", "SL403"),
        (f"{PADDED.replace('32:+4, 64:+8', '')} on 16x16", "SL403"),
        (f"{PADDED.replace('32:+4', '32:4')} on 16x16", "SL101"),
        (f"{PADDED.replace('[1, 0]', '[1, 1]')} on 16x16", "SL403"),
        (f"{MOVED.replace('[1, 1]', '[4, 0]')} on 8x4", "SL403"),
        (f"{MOVED.replace('block = []', 'block = [[8, 0]]')} on 16x4", "SL100"),
        (f"#ttg.slice<{{dim = 0, parent = {PADDED}}}> on 16", "SL100"),
    ],
)
def test_what_padding_has_not_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code
