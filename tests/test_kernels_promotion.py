"""The types that C computes in: what is promoted, what wins, and what a comparison compares."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

HEAD = "// symlayout: kernel grid (2,) block (4,)\n//   x is f32[10**15]\n//   where "
# parameters, the index, the facts, and whether no value overflows
OVERFLOWS = {
    "two unsigned shorts": ("ushort a, ushort b", "(size_t)(a * b)", "a >= 1", "refuted"),
    "two small unsigned shorts": (
        *("uint16_t a, uint16_t b", "(size_t)(a * b)", "a <= 46340, b <= 46340", "proved"),
    ),
    "two bytes": ("uint8_t a, uint8_t b", "a * b * a", "a >= 1", "proved"),
    "two signed bytes": ("signed char a, int8_t b", "a * b + 16256", "a >= 1", "proved"),
    "a byte and an int": ("uint8_t a, int b", "a * b", "b >= 1", "refuted"),
    "int64 and uint32": ("int64_t a, unsigned b", "a + b * 1ll", "a <= 2**40, b >= 1", "proved"),
    "uint32 and int64": ("unsigned a, int64_t b", "a * b", "a >= 1, b <= 2**30", "proved"),
    "uint32 and int": ("unsigned a, int b", "a * b", "a >= 2, b >= 1", "refuted"),
    "int and int64": ("int a, long long b", "a * b", "a >= 1, b <= 2**30", "proved"),
    "truth values": ("int a, int b", "((a > 1) + (b > 1)) * a", "a <= 2**29", "proved"),
    "more truth values": ("int a, int b", "((a > 1) + (b > 1)) * a", "a >= 1", "refuted"),
    "a truth value of int64": ("int64_t a, int b", "(a > 1) * b * 2", "b >= 1", "refuted"),
    "a shift by int64": ("int a, int64_t b", "a << (int64_t)22", "a >= 1", "refuted"),
    "a shift of int64": ("int a, int64_t b", "(int64_t)a << 3", "a >= 1", "proved"),
    "a shift of int": ("int a, int64_t b", "(int64_t)(a << 3)", "a >= 1", "refuted"),
    "a shift of a byte": ("uint8_t a, int b", "a << 22", "b >= 1", "proved"),
    "a choice of two types": ("int a, int64_t b", "(b > 4 ? a : b) * 4", "b <= 2**30", "proved"),
}


def answers(parameters: str, index: str, facts: str, folder: Path) -> list[tuple[str, str]]:
    """The kinds of results with their statuses."""
    file = folder / "k.cu"
    kernel = f"__global__ void f(float* x, {parameters}) {{\n  float v = x[{index}];\n}}\n"
    file.write_text(f"{HEAD}{facts}\n{kernel}")
    results = check([str(file)]).results
    return [(r.task.name.split(": ")[1], r.outcome.status) for r in results]


@pytest.mark.sample(4)
@pytest.mark.parametrize("case", OVERFLOWS)
def test_a_value_is_computed_in_the_type_that_c_gives_it(case: str, tmp_path: Path) -> None:
    parameters, index, facts, status = OVERFLOWS[case]
    told = answers(parameters, index, facts, tmp_path)
    fits = {s for (kind, s) in told if kind == "no overflow"}
    assert fits | {"proved"} == {status, "proved"}, told


# the index, and whether it is in an array of 8 whatever the parameters are
PLACES = {
    "uint32 below int": ("unsigned u, int i", "(i < u ? 8 : 0) * (i < 0)", "u >= 1", "proved"),
    "int below int": ("int u, int i", "(i < u ? 8 : 0) * (i < 0)", "u >= 1", "refuted"),
    "int64 below uint32": (
        "unsigned u, int64_t i",
        "(i < u ? 8 : 0) * (i < 0)",
        "u >= 1",
        "refuted",
    ),
    "ushort below int": ("ushort u, int i", "(i < u ? 8 : 0) * (i < 0)", "u >= 1", "refuted"),
    "a loaded truth value": ("const bool* u, int i", "u[0] + 6", "i >= 1", "proved"),
    "a loaded truth value and one": ("const bool* u, int i", "u[0] + 7", "i >= 1", "unknown"),
    "a loaded byte": ("const uint8_t* u, int i", "u[0] / 32", "i >= 1", "proved"),
    "a loaded byte with a sign": (
        *("const signed char* u, int i", "u[0] / 32 + 4", "i >= 1", "proved"),
    ),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("case", PLACES)
def test_a_place_is_where_the_types_put_it(case: str, tmp_path: Path) -> None:
    parameters, index, facts, status = PLACES[case]
    file = tmp_path / "k.cu"
    arrays = "".join("//   u is u8[9]\n" for _ in [0] if "*" in parameters)
    file.write_text(
        "// symlayout: kernel grid (2,) block (4,)\n//   x is f32[8]\n"
        f"{arrays}//   where {facts}, i >= -9\n"
        f"__global__ void f(float* x, {parameters}) {{\n  float v = x[{index}];\n}}\n"
    )
    results = check([str(file)]).results
    bounds = {r.outcome.status for r in results if "in bounds: load of x" in r.task.name}
    assert bounds == {status}, [(r.task.name, r.outcome.status) for r in results]
