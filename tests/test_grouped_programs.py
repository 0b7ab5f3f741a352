"""Programs in groups of rows, the last of which may have fewer: each block is reached once."""

import json

import pytest

from symlayout import prove, recheck

ROWS, COLUMNS = "ceildiv(M, BM)", "ceildiv(N, BN)"


def grouped(rows: str, columns: str, size: str) -> tuple[str, str]:
    """The row and the column of a program among groups of so many rows."""
    height = f"min({rows} - pid//({size}*{columns})*{size}, {size})"
    row = f"pid//({size}*{columns})*{size} + pid%({size}*{columns})%{height}"
    return row, f"pid%({size}*{columns})//{height}"


def masked(size: str) -> str:
    row, column = grouped(ROWS, COLUMNS, size)
    m, n = f"({row})*BM + i", f"{column}*BN + j"
    return (
        f"map pid < {ROWS}*{COLUMNS}, i < BM, j < BN if {m} < M and {n} < N: ({m}, {n}) in (M, N)"
    )


def plain(size: str, swapped: bool = False) -> str:
    row, column = grouped("R", "C", size)
    places, box = ((column, row), "C, R") if swapped else ((row, column), "R, C")
    return f"map pid < R*C: ({places[0]}, {places[1]}) in ({box})"


def rows_alone(tile: str) -> str:
    row, column = grouped(f"ceildiv(M, {tile})", "C", "G")
    m = f"({row})*{tile} + i"
    return f"map pid < ceildiv(M, {tile})*C, i < {tile} if {m} < M: ({m}, {column}) in (M, C)"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (masked("G"), ["BM >= 32", "BN >= 32", "G <= 1024"]),
        (masked("8"), ["BM >= 32"]),
        (plain("G"), []),
        (plain("8"), []),
        (plain("G", swapped=True), ["G == 4"]),
        (rows_alone("128"), []),
        (rows_alone("BM"), ["BM >= 16"]),
    ],
)
def test_each_place_has_one_program(text: str, facts: list[str]) -> None:
    verdict = prove.bijective(text, where=facts)
    assert verdict.proved
    assert recheck(json.loads(json.dumps(verdict.certificate))).ok


@pytest.mark.parametrize(
    "text",
    [
        "map pid < R*C: (pid//(G*C)*G + pid%(G*C)%G, pid%(G*C)//G) in (R, C)",
        "map pid < R*C: (pid//(G*C)*G + pid%(G*C)%min(R, G), pid%(G*C)//min(R, G)) in (R, C)",
        plain("G").replace("in (R, C)", "in (R, C + 1)"),
        plain("G").replace("pid < R*C", "pid < R*C + 1"),
        plain("G").replace("pid < R*C", "pid < R*C - 1"),
    ],
)
def test_groups_that_miss_or_repeat_a_place_are_refuted(text: str) -> None:
    assert prove.bijective(text, where="R*C >= 2").refuted


def test_the_certificate_takes_sizes_apart_for_one_root_alone() -> None:
    verdict = prove.bijective(masked("G"), where=["BM >= 32", "BN >= 32", "G <= 1024"])
    certificate = verdict.certificate
    assert ["each"] in certificate["texts"]["script"]
    assert len(certificate["parts"]) < 60  # 172 where all roots are shown in each world of sizes
    assert recheck(json.loads(json.dumps(certificate))).ok


FIRST = f"{ROWS} - pid//(G*{COLUMNS})*G"  # how many rows are left for a group


@pytest.mark.parametrize(
    "text",
    [
        f"map pid < {ROWS}*C: {ROWS} - pid//(G*C)*G - 1 in {ROWS}",
        f"map pid < {ROWS}*{COLUMNS}: {FIRST} - 1 in {ROWS}",
        f"map pid < {ROWS}*{COLUMNS}: (0 if min({FIRST}, G) >= 1 else 1) in 1",
        f"map pid < {ROWS}*{COLUMNS}: {grouped(ROWS, COLUMNS, 'G')[0]} in {ROWS}",
        f"map pid < {ROWS}*{COLUMNS}: {grouped(ROWS, COLUMNS, '8')[0]} in {ROWS}",
    ],
)
def test_the_first_row_of_a_group_is_below_the_rows_with_no_size_taken_apart(text: str) -> None:
    verdict = prove.bounded(text)
    assert verdict.proved
    assert "cases" not in verdict.reason
    assert recheck(json.loads(json.dumps(verdict.certificate))).ok


def test_a_row_of_a_group_times_its_tile_fits_and_its_certificate_says_why() -> None:
    """Below the height of its group first, then below the rows, and by these below M."""
    facts = ["G <= 16", "16 <= BM", "BM <= 2**20", "M <= 2**30", "C <= 2**26", f"{ROWS}*C < 2**31"]
    text = f"map pid < {ROWS}*C: ({grouped(ROWS, 'C', 'G')[0]})*BM"
    verdict = prove.fits(text, where=facts)
    assert verdict.proved
    assert recheck(json.loads(json.dumps(verdict.certificate))).ok
