"""The table of opcodes: two interpreters, and the verdicts of the code that they took the place of.

`instructions_verdicts.txt` was written by the rules that the verifier and the checker had before
there was a table, each its own: for five assignments of sizes whether an instruction is right, or
`-` where the rules did not understand it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from instructions_random import changed
from test_opcode_recipe import ROWS

from symlayout.certificate import opcodes as checker
from symlayout.certificate.instructions import rows as goals_of
from symlayout.certificate.instructions.functions import FUNCTIONS as GOALS
from symlayout.certificate.opcodes import instruction_goals
from symlayout.errors import LayoutError
from symlayout.programs.hlo import demands as messages_of
from symlayout.programs.hlo import rules as verifier
from symlayout.programs.hlo.functions import FUNCTIONS as MESSAGES
from symlayout.programs.hlo.opcodes import read_demand, read_rows, rows
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.reader import read_instruction
from symlayout.programs.hlo.rules import demands_of

DATA = Path(__file__).parents[1] / "data" / "instructions_verdicts.txt"
LINES = DATA.read_text().splitlines()
SIZES = [
    {"B": b, "N": n, "M": m} for b, n, m in ((5, 0, 1), (5, 2, 2), (5, 3, 3), (2, 1, 0), (7, 6, 4))
]


def holds(goals):
    """One digit for each assignment of sizes."""
    return "".join(
        str(int(all(any(r.holds(sizes) for r in goal) for goal in goals))) for sizes in SIZES
    )


def verified(text):
    """What the verifier says of an instruction."""
    try:
        i = read_instruction(text)
        shapes = tuple(o.shape for o in i.operands)
        demands = demands_of(Verifier(i.opcode, i.shape, shapes, i.attributes))
    except LayoutError:
        return "-"
    return holds([c.needs for c in demands.checks])


def confirmed(text):
    """What the checker says of it."""
    try:
        return holds(instruction_goals(text))
    except LayoutError:
        return "-"


@pytest.mark.parametrize("part", range(8))
def test_the_verdicts_are_those_of_two_readings_that_shared_nothing(part):
    for line in LINES[part::8]:
        verifier, checker, text = line.split(" ", 2)
        assert (verified(text), confirmed(text)) == (verifier, checker), text


def test_the_verdicts_are_of_every_opcode_and_of_both_kinds():
    for opcode in rows():
        own = [line.split(" ", 2)[:2] for line in LINES if f" {opcode}(" in line]
        assert any("0" in verdict[0] for verdict in own), opcode
    right = [line for line in LINES if line.startswith("11111 11111")]
    assert len(right) > 500
    assert len(LINES) > 2500


@pytest.mark.parametrize("what", [w for w, row in ROWS.items() if "broadcasts" not in row[0]])
def test_both_interpreters_agree_on_a_row_whatever_is_changed(what, monkeypatch):
    table, right, *_ = ROWS[what]
    for opcode, row in read_rows(f"[[row]]\n{table}").items():
        monkeypatch.setitem(verifier.RULES, opcode, partial(messages_of.run, row=row))
        monkeypatch.setitem(checker.RULES, opcode, partial(goals_of.run, row=row))
    texts = [right, *changed(right)]
    verdicts = {text: (verified(text), confirmed(text)) for text in texts}
    assert [t for t, (a, b) in verdicts.items() if a != b and "-" not in (a, b)] == []
    assert {"00000", "11111"} <= {a for a, _ in verdicts.values()}
    # what the verifier does not read is nothing that the checker confirms
    assert not any("1" in b for a, b in verdicts.values() if a == "-")


@pytest.mark.parametrize(
    "text",
    [
        "x.type",
        "x.type ~",
        "x.type == y.type",
        "x.sizes = y.sizes when x.rank",
        "x .type ~ y.type",
        "x.sizes[] = out.sizes",
        "f(x",
        "",
    ],
)
def test_a_demand_that_cannot_be_read_is_an_error(text):
    with pytest.raises(ValueError, match="demand"):
        read_demand(text)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[[row]]\nopcodes = "a a"\ndemands = []', "two rows for a"),
        ('[[row]]\nopcodes = "a"\ndemands = []\ntypes = "f32"', "a row has"),
        ('[[row]]\nopcodes = "a"\ndemands = ["x"]', "not a demand"),
        ('[[row]]\nopcodes = "a"\ndemands = [["x ~ out", "no"]]', "takes no message"),
        *(
            (f'[[row]]\nopcodes = "a"\noperands = "x y"\ndemands = ["{text}"]', "does not fit")
            for text in (
                "z.sizes = out.sizes",
                "x.sizes ~ out.sizes",
                "x.typ ~ out.type",
                "x.rank <= out.rank",
                "x = dimensions",
                "x ~ out.type",
                "dimensions ~ out",
                "slice.strat <= slice.limit",
                "x.sizes = out.sizes if z.rank",
                "x.sizes = out.sizes if x.sizes",
                "k.1 >= 0",
            )
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_an_error(table, message):
    with pytest.raises(ValueError, match=message):
        read_rows(table)


def test_both_interpreters_have_every_function_that_a_row_names_and_no_other():
    names = {d.relation for row in rows().values() for d in row.demands if d.arguments is not None}
    assert names == set(MESSAGES) == set(GOALS)
