"""Properties of internal modules; `tests/test_maps_files.py` tests the public interface."""

from __future__ import annotations

import pytest
from test_maps_files import GROUPED, HEAD

from symlayout.checks.claims_file import load_text
from symlayout.checks.result import Problem, Result, Task


def tasks(text: str) -> list[Task]:
    loaded = load_text("a.layout.toml", text)
    assert loaded.problems == ()
    return [e for e in loaded.entries if isinstance(e, Task)]


def test_a_name_stands_for_the_maps_text() -> None:
    grouped, four, _, pair, _ = tasks(GROUPED)
    assert grouped.claim.texts == (
        "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G); "
        "(first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)",
    )
    assert four.claim.texts == (
        "map b < ceildiv(n, 4), t < 4 if (b*4 + t < n) and (t >= 0 or b < 0): b*4 + t in n",
    )
    assert pair.claim.texts[1] == "map i < M, j < N: i*N + j in M*N"


def test_a_files_facts_speak_of_sizes_not_of_variables() -> None:
    grouped, _, _, pair, other = tasks(GROUPED)
    assert grouped.claim.facts == pair.claim.facts == ("M <= 64",)
    assert other.claim.facts == ("i <= 9",)


@pytest.mark.parametrize(
    ("text", "code", "marked", "words"),
    [
        ("maps = 3", "SL503", "3", "must be a table"),
        ("[maps]\na = 'i < 4: i'", "SL503", "'i", "must be a table"),
        (f"{HEAD}reslt = 'k'", "SL501", "reslt", "did you mean 'result'"),
        (HEAD, "SL503", "[maps.a]", "needs a key 'result'"),
        ("[maps.a]\nresult = 'k'", "SL503", "[maps.a]", "needs a key 'domain'"),
        (f"{HEAD}result = []", "SL503", "[]", "result has no text"),
        (f"{HEAD}result = [3]", "SL503", "3", "must be a text"),
        (f"{HEAD}result = 'k'\nmap = 'k < 3: k'", "SL503", "domain", "is part of it"),
        ("[maps.a]\nmap = 7", "SL503", "7", "must be a text"),
        ("[layouts]\na = 'f32[4]'\n[maps.a]\nmap = 'k < 3: k'", "SL503", "[maps.a]", "another"),
    ],
)
def test_every_mistake_has_its_place(text: str, code: str, marked: str, words: str) -> None:
    problem = load_text("a.layout.toml", text).problems[0]
    assert problem.code == code
    assert problem.place is not None
    line = text.split("\n")[problem.place.line - 1]
    assert line[problem.place.column - 1 :].startswith(marked)
    assert words in f"{problem.message} {problem.help}"


def own(text: str) -> list[Problem]:
    entries = load_text("a.layout.toml", text).entries
    found = [e.outcome.problem for e in entries if isinstance(e, Result)]
    return [p for p in found if p is not None]


def test_names_of_maps_are_known_to_errors() -> None:
    (problem,) = own(GROUPED.replace("bijective grouped", "bijective gruoped"))
    assert "grouped" in str(problem.help)
