"""Thread-value layouts and the instructions that are known: every element as often as it is said."""

from __future__ import annotations

import shlex
from math import prod

import numpy as np
import pytest

from symlayout import LayoutError, parse, prove
from symlayout.__main__ import main
from symlayout.certificate.kernel import recheck
from symlayout.layouts.cute.inttuple import flatten
from symlayout.layouts.doors.tv import atoms, of_atom


def test_every_operand_of_every_instruction_is_covered() -> None:
    counted: dict[tuple[str, tuple[int, ...]], set[int]] = {}
    for name, atom in atoms().items():
        for operand, text in atom.layouts.items():
            tile = atom.tiles[operand]
            if (text, tile) not in counted:
                layout = of_atom(name, operand).layout
                numbers = np.zeros(1, dtype=int)
                for n, d in zip(flatten(layout.shape), flatten(layout.stride)):
                    numbers = np.add.outer(numbers, np.arange(int(n)) * int(d)).ravel()
                assert numbers.min() == 0
                assert numbers.max() == prod(tile) - 1, (name, operand)
                counted[text, tile] = set(np.bincount(numbers).tolist())
            assert counted[text, tile] == {atom.copies.get(operand, 1)}, (name, operand)
    assert len(counted) > 100


@pytest.mark.parametrize("name", ["SM80_16x8x16_F32F16F16F32_TN", "AMD_MFMA_F32_32x32x8_F16"])
def test_a_fragment_is_covered_once_and_certified(name: str) -> None:
    for operand in "ABC":
        verdict = prove.bijective(f"atom {name} {operand}")
        assert verdict.proved
        assert recheck(verdict.certificate).ok


def test_operands_of_one_instruction_agree_on_rows_and_columns() -> None:
    """A warp's rows of C are rows of A, its columns rows of B; the same lanes hold them on Ampere."""
    a, b, c = (of_atom("SM80_16x8x16_F32F16F16F32_TN", x) for x in "ABC")
    for lane in range(32):
        rows = {c.at((lane, v), {})[0] for v in range(4)}
        assert rows == {a.at((lane, v), {})[0] for v in range(8)}
        assert {b.at((lane, v), {})[0] for v in range(4)} == {lane // 4}


def test_sizes_may_be_symbols() -> None:
    text = "tv ((4,8,4),(2,2,n)):((128,1,16),(64,8,512)) on (64,8*n)"
    verdict = prove.bijective(text)
    assert verdict.proved
    assert recheck(verdict.certificate).ok
    assert parse(str(parse(text))) == parse(text)
    assert prove.bijective("tv (4,n):(n,1) on (n,5)").refuted
    assert prove.bounded("tv (4,n):(n,1) on (n,5)").proved
    assert prove.bijective("tv (t,v):(v,1) on (v,t)").proved


def test_triton_s_accumulator_is_the_instruction_s_fragment() -> None:
    mma = "versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]"
    encoded = parse(f"#ttg.nvidia_mma<{{{mma}}}> on 16x8")
    fragment = of_atom("SM80_16x8x16_F32F16F16F32_TN", "C")
    assert all(encoded.at((v, t, 0, 0), {}) == fragment.at((t, v), {})
               for v in range(4) for t in range(32))  # fmt: skip


def test_the_list_and_the_picture_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "atoms"]) == 0
    listed = capsys.readouterr().out
    assert "SM80_16x8x16_F32F16F16F32_TN\n" in listed
    assert "  C: ((4,8),(2,2)):((32,1),(16,8)) on 16x8\n" in listed
    assert main(["show", "atom SM80_8x8x4_F64F64F64F64_TN C"]) == 0
    assert "0 |  0,0  0,1  1,0  1,1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tv (4,8):(8,1)", "SL101"),
        ("tv (4,8):(8,1) on (32", "SL101"),
        ("tv (4,8):(8,1) on ()", "SL403"),
        ("tv (4,8):(8,1) on (0)", "SL403"),
        ("tv (4,8):(8) on (32)", "SL107"),
        ("tv (4,8,2):(8,1,32) on (64)", "SL107"),
        ("tv 32:1 on (32)", "SL107"),
        ("atom SM80_16x8x16_F32F16F16F32_TN D", "SL106"),
        ("atom SM80_16x8x16 A", "SL106"),
        ("atom SM80_16x8x16_F32F16F16F32_TN", "SL101"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code, error.value


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("onto 'tv ((4,8),(2,2)):((32,1),(16,8)) on (16,64)'", "no thread holds element (0, 8)"),
        ("onto 'tv (4,2):(1,4) on (4,4)'", "no thread holds element (0, 2)"),
        (
            "bijective 'tv ((4,8),(2,2)):((32,1),(16,8)) on (16,64)'",
            "no thread holds element (0, 8)",
        ),
        (
            "injective 'tv ((4,8),(2,2)):((32,0),(16,8)) on (16,64)'",
            "thread 0, value 0 and thread 4, value 0 both hold element (0, 0)",
        ),
        (
            "injective 'tv (4,2):(1,0) on (2,2)'",
            "thread 0, value 0 and thread 0, value 1 both hold",
        ),
    ],
)
def test_a_failure_is_told_in_threads_and_values(claim, said, capsys):
    assert main(["prove", *shlex.split(claim)]) == 1
    assert said in capsys.readouterr().out
