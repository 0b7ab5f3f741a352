"""Index functions in claims files and in comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

GROUPED = """
[facts]
where = ["M <= 64", "i <= 9"]

[maps.grouped]
domain = ["pid < M*N"]
let = ["first = pid//(G*N)*G", "width = min(M - first, G)"]
result = ["first + pid%(G*N)%width", "pid%(G*N)//width"]
box = ["M", "N"]

[maps.guarded]
domain = ["b < ceildiv(n, {B})", "t < {B}"]
guard = ["b*{B} + t < n", "t >= 0 or b < 0"]
result = "b*{B} + t"
box = "n"

[maps.rows]
map = "i < M, j < N: i*N + j in M*N"

[[claim]]
prove = "bijective grouped"

[[claim]]
prove = "bijective guarded"
for = { B = [4, "T"] }

[[claim]]
prove = "inverse 'map k < M*N: (k//N, k%N) in (M, N)' rows"

[[claim]]
prove = "injective f32[i]"
"""


def test_the_claims_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text(GROUPED)
    assert check([str(file)]).exit_code == 0


HEAD = "[maps.a]\ndomain = ['k < M*N']\n"

CLAIM = "[[claim]]\nprove = 'injective a'\n"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (f"{HEAD}let = ['q = k//N', 'r = k %% N']\nresult = 'q'\n{CLAIM}", "% N"),
        (f"{HEAD}let = ['q = k//N', 'q = k % N']\nresult = 'q'\n{CLAIM}", "q = k % N"),
        (f"{HEAD}guard = ['k < N', 'k']\nresult = 'k'\n{CLAIM}", "']"),
        (f"{HEAD}result = ['k', 'k // 0']\n{CLAIM}", "// 0"),
        (f"[maps.a]\nmap = 'k < 4 + : k'\n{CLAIM}", ": k"),
        (f"[maps.a]\nmap = 'map k < 4 + : k'\n{CLAIM}", ": k"),
    ],
)
def test_a_mistake_in_a_part_is_marked_there(tmp_path: Path, text: str, marked: str) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text(text)
    (problem,) = check([str(file)]).all_problems
    assert problem.place is not None
    line = text.split("\n")[problem.place.line - 1]
    assert line[problem.place.column - 1 :].startswith(marked)


@pytest.mark.parametrize(("suffix", "mark"), [(".py", "#"), (".cu", "//")])
def test_maps_in_comments(tmp_path: Path, suffix: str, mark: str) -> None:
    file = tmp_path / f"kernel{suffix}"
    file.write_text(
        f'{mark} symlayout: bijective "map i < M, j < N: i*N + j in M*N" name "rows"\n'
        f'{mark} symlayout: fits "map r < R, c < 64: r*64 + c" where R <= 1000000\n'
        f'{mark} symlayout: fits "map r < R, c < 64: r*64 + c" expect refuted because "wide"\n'
    )
    report = check([str(file)])
    assert [r.outcome.status for r in report.results] == ["proved", "proved", "refuted"]
    assert report.exit_code == 0
