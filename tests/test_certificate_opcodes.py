"""Every rule of an opcode leaves a certificate; what the rules refute, the checker refuses too."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import prove
from symlayout.certificate.kernel import recheck
from symlayout.certificate.opcodes import instruction_goals
from symlayout.errors import LayoutError
from symlayout.programs.hlo.reader import read_instruction

DATA = Path(__file__).parent / "data"
RIGHT = (DATA / "instructions_right.txt").read_text().strip().splitlines()
WRONG = (DATA / "instructions_wrong.txt").read_text().strip().splitlines()
# whose claim is about the places of elements, not about shapes
ABOUT_PLACES = {"bitcast"}


def opcode(line):
    return read_instruction(line).opcode


@pytest.mark.parametrize("line", [x for x in RIGHT if opcode(x) not in ABOUT_PLACES])
def test_what_is_proved_is_certified(line):
    certificate = prove.instruction(line).certificate
    assert certificate is not None
    assert recheck(certificate).ok


@pytest.mark.parametrize("line", [x for x in WRONG if opcode(x) not in ABOUT_PLACES])
def test_the_checker_refuses_what_is_wrong(line):
    goals = instruction_goals(line)
    decided = [g for g in goals if all(not r.names for r in g)]
    assert any(not any(r.holds({}) for r in g) for g in decided)


@pytest.mark.parametrize("line", [x for x in RIGHT if opcode(x) in ABOUT_PLACES])
def test_places_have_no_certificate_yet(line):
    with pytest.raises(LayoutError, match="no rule"):
        instruction_goals(line)
