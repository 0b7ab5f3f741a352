"""An operation that broadcasts its operands takes the numbers that it takes without."""

from __future__ import annotations

import json

import pytest

from symlayout.__main__ import main

WRONG = [
    ("and", "f32"),
    ("or", "c64"),
    ("xor", "bf16"),
    ("shift-left", "f32"),
    ("shift-right-logical", "pred"),
    ("shift-right-arithmetic", "f64"),
    ("atan2", "s32"),
    ("subtract", "pred"),
    ("divide", "pred"),
    ("remainder", "pred"),
    ("power", "pred"),
]
RIGHT = [
    ("and", "pred"),
    ("or", "u8"),
    ("xor", "s32"),
    ("shift-left", "u32"),
    ("atan2", "bf16"),
    ("subtract", "s4"),
    ("power", "c64"),
    ("add", "pred"),
    ("maximum", "f32"),
]
FORMS = [
    "{t}[2,N] {op}({t}[2,N], {t}[N]), broadcast_dimensions={{1}}",
    "{t}[2,N] {op}({t}[2,N], {t}[2,N]), broadcast_dimensions={{0,1}}",
    "{op}({t}[2,N], {t}[N]), broadcast_dimensions={{1}}",
    "{op}({t}[2,1], {t}[2,N])",
]


def verdict(capsys, *arguments):
    """The exit code and the claim that the command prints."""
    code = main(["prove", "instruction", *arguments, "--json"])
    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    return code, claim


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("op", "dtype"), WRONG)
def test_numbers_without_a_meaning_are_refuted(capsys, form, op, dtype):
    code, claim = verdict(capsys, form.format(op=op, t=dtype))
    assert (code, claim["verdict"]) == (1, "refuted")
    assert f"{op} is of" in claim["reason"]
    assert f"numbers, not {dtype}" in claim["reason"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("op", "dtype"), RIGHT)
def test_numbers_with_a_meaning_are_proved_and_certified(capsys, tmp_path, form, op, dtype):
    file = tmp_path / "proof.json"
    text = form.format(op=op, t=dtype)
    code, claim = verdict(capsys, text, "--certificate", str(file))
    assert (code, claim["verdict"]) == (0, "proved")
    assert main(["recheck", str(file), "--claim", f'instruction "{text}"']) == 0
