"""Forgeries by hand, kind by kind: none is accepted on the command line, and no print misleads."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from certificates import seal

from symlayout import prove, recheck
from symlayout.__main__ import main

Certificate = dict[str, Any]

TILED = "f32[M,N]{1,0:T(8,128)}"


@pytest.fixture(scope="module")
def tiled() -> Certificate:
    return json.loads(json.dumps(prove.injective(TILED).certificate))


def asked(made: Certificate, folder: Path, capsys: pytest.CaptureFixture[str], *more: str):
    """The exit code of `recheck` for the certificate, sealed anew, and what it prints."""
    file = folder / "made.json"
    file.write_text(json.dumps({**made, "seal": seal(made)}))
    code = main(["recheck", str(file), *more])
    out, err = capsys.readouterr()
    return code, out + err


def with_claim(made: Certificate, **parts: Any) -> Certificate:
    return {**copy.deepcopy(made), "claim": {**made["claim"], **parts}}


def steps_with_new_names(made: Certificate) -> list[dict[str, Any]]:
    return [s for part in made["parts"].values() for s in part["steps"] if s.get("new")]


@pytest.mark.parametrize("name", [False, True, 0, 1.5, None, [], {}, ["q1"], {"q": "q1"}, ""])
def test_a_new_name_is_a_name(tiled, name, tmp_path, capsys):
    forged = copy.deepcopy(tiled)
    step = steps_with_new_names(forged)[0]
    step["new"][next(iter(step["new"]))] = name
    code, said = asked(forged, tmp_path, capsys)
    assert (code, "malformed" in said) == (1, True) or (code, isinstance(name, float)) == (2, True)


INJECTED = [
    "q) (assert false) (declare-const r Int",
    "q 0) (assert (= 0 1)) (declare-const r",
    "|q| Int) (assert false) ;",
    "q\n(check-sat)\n(exit)",
    'q" (echo "unsat") "',
    "q;",
    "\u0251",
]


@pytest.mark.parametrize("name", INJECTED)
def test_no_name_reaches_a_solver_as_text(tiled, name, tmp_path, capsys):
    forged = copy.deepcopy(tiled)
    step = steps_with_new_names(forged)[0]
    step["new"][next(iter(step["new"]))] = name
    assert asked(forged, tmp_path, capsys)[0] == 1
    sized = with_claim(tiled, arguments=[TILED.replace("M", name)])
    assert asked({**sized, "sizes": {name: 1, "N": 1}}, tmp_path, capsys)[0] == 1
    assert asked({**copy.deepcopy(tiled), "facts": [f"{name} >= 1"]}, tmp_path, capsys)[0] == 1


@pytest.mark.parametrize(
    "options",
    [
        {"perm": "1,0"},
        {"perm": [1, 0]},
        {"coords": "x,y"},
        {"at": "0,0"},
        {"where": "M == 1"},
        {"dims": "0"},
        {"": ""},
        [],
        "perm",
        None,
    ],
)
def test_an_option_that_the_claim_does_not_have(tiled, options, tmp_path, capsys):
    code, said = asked(with_claim(tiled, options=options), tmp_path, capsys)
    assert code == 1, said


@pytest.mark.parametrize(
    "more",
    [
        ["--perm", "1,0"],
        ["--where", "M == 1"],
        ["--perm=1,0"],
        [{"perm": "1,0"}],
        [{"where": "M == 1"}],
        ["1,0"],
        [None],
        [["f32[M]"]],
    ],
)
def test_an_argument_too_many(tiled, more, tmp_path, capsys):
    code, said = asked(with_claim(tiled, arguments=[TILED, *more]), tmp_path, capsys)
    assert code == 1, said


FACTS = ["N%128 == 0", "M >= 9", "M == 8", "N <= 5", "8*M <= N", "2*M == N"]


@pytest.mark.parametrize("fact", FACTS)
def test_facts_are_printed_and_compared(fact, tmp_path, capsys):
    made = json.loads(json.dumps(prove.injective(TILED, where=fact).certificate))
    line = f'injective "{TILED}"'
    code, said = asked(made, tmp_path, capsys)
    assert (code, f'accepted: {line} --where "{fact}"' in said) == (0, True), said
    assert asked(made, tmp_path, capsys, "--claim", line)[0] == 1
    others = [f for f in FACTS if f != fact]
    assert asked(made, tmp_path, capsys, "--claim", line, "--where", others[0])[0] == 1
    code, said = asked(made, tmp_path, capsys, "--claim", line, "--where", fact)
    assert code == 0, said
    both = ("--claim", line, "--where", fact, "--where", others[1])
    assert asked(made, tmp_path, capsys, *both)[0] == 1


CONTROLS = ["\x1b[2K\x1b[1A", "\r", "\n", "\b" * 9, "\u202e", "\x9b31m", "\x00", "\u2028", "\t\x7f"]


@pytest.mark.parametrize("letters", CONTROLS)
def test_nothing_printed_moves_the_cursor(tiled, letters, tmp_path, capsys):
    places = [
        with_claim(tiled, arguments=[f"f32[8]{letters}"]),
        with_claim(tiled, arguments=[f"f32[M{letters},N]{{1,0:T(8,128)}}"]),
        with_claim(tiled, word=f"injective{letters}"),
        with_claim(tiled, options={f"perm{letters}": f"1,0{letters}"}),
        {**copy.deepcopy(tiled), "facts": [f"M >= 1{letters}"]},
        {**copy.deepcopy(tiled), f"format{letters}": 1},
        {**copy.deepcopy(tiled), "by": f"cases{letters}"},
        {**copy.deepcopy(tiled), "sizes": {f"M{letters}": 1, "N": 1}},
    ]
    for forged in places:
        _, said = asked(forged, tmp_path, capsys)
        assert not [c for c in said if c != "\n" and not c.isprintable()], (forged, said)
        assert not any(line.startswith(("accepted: f", "8]")) for line in said.splitlines())


@pytest.mark.parametrize("size", ["-8", "0", "0-8", "M-M", "-M", "8-16", "(0-2)*4", "-2"])
def test_a_tile_of_no_size(tiled, size, tmp_path, capsys):
    for text in (f"f32[M,N]{{1,0:T({size},128)}}", f"f32[M,N]{{1,0:T(8,128)({size},1)}}"):
        code, said = asked(with_claim(tiled, arguments=[text]), tmp_path, capsys)
        assert code == 1, said
    made = json.loads(
        json.dumps(
            prove.tiles("f32[M,N]{1,0:T(8,128)}", "8,128", where="N >= 128 and M >= 8").certificate
        )
    )
    code, said = asked(
        with_claim(made, arguments=[made["claim"]["arguments"][0], f"{size},128"]), tmp_path, capsys
    )
    assert code == 1, said


@pytest.mark.parametrize(
    "key", ["facts", "claim", "sizes", "by", "texts", "parts", "format", "version"]
)
@pytest.mark.parametrize("value", [None, False, 0, 1.5, "", [], {}, [[]], {"a": {}}])
def test_a_part_of_another_type(tiled, key, value, tmp_path, capsys):
    code, said = asked({**copy.deepcopy(tiled), key: value}, tmp_path, capsys)
    none = key == "format" or isinstance(value, float)  # no certificate at all, or no JSON of one
    assert code == (2 if none else 0 if (key, value) == ("facts", []) else 1)
    assert len(said.splitlines()) <= 3


CUBES = "(N*N*N) % 9 != 4"


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("(N*N*N) % 9 != 8", None),  # the reasons of a true claim, for one that is false
        (CUBES, ["remainders", 8, 0, "plain"]),
        (CUBES, ["remainders", 3, 0, "plain"]),
        (CUBES, ["remainders", 1, 0, "plain"]),
        (CUBES, ["remainders", 0, 0, "plain"]),
        (CUBES, ["remainders", -9, 0, "plain"]),
        (CUBES, ["remainders", "9", 0, "plain"]),
        (CUBES, ["remainders", 9, -1, "plain"]),
        (CUBES, ["remainders", 9, 0]),
        (CUBES, ["remainders", 9, 0, "plain", "plain"]),
        (CUBES, ["remainders", 10**9, 0, "plain"]),
    ],
)
def test_what_is_left_modulo_a_number(claim, reason, tmp_path, capsys):
    made = json.loads(json.dumps(prove.holds(CUBES).certificate))
    assert asked(made, tmp_path, capsys)[0] == 0
    (goals,) = [part["goals"] for part in made["parts"].values() if part["goals"]]
    assert goals[0][2] == ["remainders", 9, 0, "plain"]
    goals[0][2] = reason or goals[0][2]
    code, said = asked(with_claim(made, arguments=[claim]), tmp_path, capsys)
    assert code == 1, said


def test_what_is_left_above_a_bound(tmp_path, capsys):
    made = json.loads(json.dumps(prove.holds("(N*N) % 4 <= 1").certificate))
    goals = made["parts"]["sizes"]["goals"]
    assert goals[0][2][:3] == ["remainders", 4, 2]
    for below in (0, 1, 3, 4, 128):  # it is at least -2, and may leave 1
        forged = copy.deepcopy(made)
        forged["parts"]["sizes"]["goals"][0][2][2] = below
        assert asked(forged, tmp_path, capsys)[0] == 1
    false = with_claim(made, arguments=["(N*N) % 4 <= 0"])
    assert asked(false, tmp_path, capsys)[0] == 1


@pytest.mark.parametrize("formula", ["t", "t + 0*i", "t//1", "min(t, t)", "2*t - t"])
def test_a_formula_has_no_unknown_of_a_step(formula: str) -> None:
    """A name for the whole offset would hide that `2*N*i` is beyond 32 bits on its way."""
    layout, fact, place = "(M,N,2):(2*N,2,1)", "M*N <= 1073741824", "k + 2*j + 2*N*i"
    assert prove.fits(layout, 32, where=[fact]).refuted
    true = prove.bounded(layout, where=[fact]).certificate
    claim = prove.fits(layout, 32, where=["M*N <= 1000"]).certificate
    bounds = true["parts"]["bounds"]
    rest = ["product", {"a": "2", "b": "1073741824 - M*N"}, "plain", "known", "known"]
    steps = [
        {"step": "fact", "fact": 0},
        {"step": "have", "that": place, "why": bounds["goals"][0][2]},
        {"step": "have", "that": f"2*M*N - 1 - ({place})", "why": bounds["goals"][1][2]},
        {"step": "have", "that": f"2147483647 - ({place})", "why": rest},
        {"step": "law", "law": "let", "with": {"x": place}, "new": {"y": "t"}, "why": []},
        {"step": "solve", "atom": "t", "is": place, "why": ["known", "known"]},
    ]
    goals = [["this", 0, "identity"], ["this", 0, "plain"], ["this", 0, "known"]]
    goals[1][2] = ["product", {"a": "1", "b": place}, "plain", "known", "plain"]
    parts = {"defined": true["parts"]["defined"]}
    parts["offsets"] = {"steps": [*bounds["steps"], *steps], "goals": goals}
    said = {**claim["claim"], "options": {"formula": formula}}
    data = {**claim, "claim": said, "facts": [fact], "texts": {"offset": "offset"}, "parts": parts}
    del data["seal"]
    answer = recheck({**data, "seal": seal(data)})
    assert answer.failures == ("certificate: t is not a size of the layout",)
