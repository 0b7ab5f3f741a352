"""Properties of internal modules; `tests/test_tv.py` tests the public interface."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from symlayout import parse
from symlayout.__main__ import main
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


def test_operands_of_one_instruction_agree_on_rows_and_columns() -> None:
    """A warp's rows of C are rows of A, its columns rows of B; the same lanes hold them on Ampere."""
    a, b, c = (of_atom("SM80_16x8x16_F32F16F16F32_TN", x) for x in "ABC")
    for lane in range(32):
        rows = {c.at((lane, v), {})[0] for v in range(4)}
        assert rows == {a.at((lane, v), {})[0] for v in range(8)}
        assert {b.at((lane, v), {})[0] for v in range(4)} == {lane // 4}


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
