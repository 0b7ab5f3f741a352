"""Types that nobody writes: of `auto` and of templates, with what they do to numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

# the parameter, the index, the facts, whether it is in an array of 256
NARROW = {
    "a byte": ("unsigned char c", "c", "n >= 1", "proved"),
    "a byte, of which a fact says less": ("uint8_t c", "c", "c <= 999", "proved"),
    "a byte with a sign": ("signed char c", "2 * c + 1", "n >= 1", "proved"),
    "a byte and one": ("unsigned char c", "c + 1", "n >= 1", "refuted"),
    "a part of a short": ("short c", "c / 128", "n >= 1", "proved"),
    "a short without a sign": ("uint16_t c", "c >> 8", "n >= 1", "proved"),
    "a truth value": ("bool c", "c + 254", "n >= 1", "proved"),
    "a byte through another size": ("unsigned char c", "n - 1", "n <= c", "proved"),
    "the last byte of 64 bits": ("long long c", "(unsigned char)c", "n >= 1", "proved"),
    "the last byte of 64 bits without a sign": ("size_t c", "(uint8_t)c", "n <= c", "proved"),
    "the last byte of a remainder": ("short c", "(uint8_t)(c % 1000)", "n >= 1", "proved"),
    "the last byte, with a sign, of 64 bits without": (
        *("size_t c", "(signed char)c + 128", "n >= 1", "proved"),
    ),
    "products of shorts": ("short c", "(c * c * 2) / 8388608", "n >= 1", "proved"),
}


@pytest.mark.parametrize("case", NARROW)
def test_a_parameter_is_no_more_than_its_type_holds(case: str, tmp_path: Path) -> None:
    parameter, index, facts, status = NARROW[case]
    file = tmp_path / "k.cu"
    file.write_text(
        "// symlayout: kernel grid (2,) block (4,)\n//   x is f32[256]\n//   where "
        f"{facts}, n <= 9999\n__global__ void f(float* x, int n, {parameter}) {{\n"
        f"  x[{index}] += 1;\n}}\n"
    )
    results = check([str(file)]).results
    bounds = {r.outcome.status for r in results if "in bounds" in r.task.name}
    fits = {r.outcome.status for r in results if "no overflow" in r.task.name}
    assert (bounds, fits | {"proved"}) == ({status}, {"proved"})
