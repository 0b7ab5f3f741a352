"""Thread-value layouts and the instructions that are known: every element as often as it is said."""

from __future__ import annotations

import shlex

import pytest

from symlayout import LayoutError, parse, prove, recheck
from symlayout.__main__ import main


@pytest.mark.parametrize("name", ["SM80_16x8x16_F32F16F16F32_TN", "AMD_MFMA_F32_32x32x8_F16"])
def test_a_fragment_is_covered_once_and_certified(name: str) -> None:
    for operand in "ABC":
        verdict = prove.bijective(f"atom {name} {operand}")
        assert verdict.proved
        assert recheck(verdict.certificate).ok


def test_sizes_may_be_symbols() -> None:
    text = "tv ((4,8,4),(2,2,n)):((128,1,16),(64,8,512)) on (64,8*n)"
    verdict = prove.bijective(text)
    assert verdict.proved
    assert recheck(verdict.certificate).ok
    assert parse(str(parse(text))) == parse(text)
    assert prove.bijective("tv (4,n):(n,1) on (n,5)").refuted
    assert prove.bounded("tv (4,n):(n,1) on (n,5)").proved
    assert prove.bijective("tv (t,v):(v,1) on (v,t)").proved


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tv (4,8):(8,1)", "SL101"),
        ("tv (4,8):(8,1) on (32", "SL101"),
        ("tv (4,8):(8,1) on ()", "SL403"),
        ("tv (4,8):(8,1) on (0)", "SL403"),
        ("tv (4,8):(8) on (32)", "SL107"),
        ("tv (4,8,2):(8,1,32) on (64)", "SL107"),
        ("tv 32:1 on (32)", "SL107"),
        ("atom SM80_16x8x16_F32F16F16F32_TN D", "SL106"),
        ("atom SM80_16x8x16 A", "SL106"),
        ("atom SM80_16x8x16_F32F16F16F32_TN", "SL101"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code, error.value


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("onto 'tv ((4,8),(2,2)):((32,1),(16,8)) on (16,64)'", "no thread holds element (0, 8)"),
        ("onto 'tv (4,2):(1,4) on (4,4)'", "no thread holds element (0, 2)"),
        (
            "bijective 'tv ((4,8),(2,2)):((32,1),(16,8)) on (16,64)'",
            "no thread holds element (0, 8)",
        ),
        (
            "injective 'tv ((4,8),(2,2)):((32,0),(16,8)) on (16,64)'",
            "thread 0, value 0 and thread 4, value 0 both hold element (0, 0)",
        ),
        (
            "injective 'tv (4,2):(1,0) on (2,2)'",
            "thread 0, value 0 and thread 0, value 1 both hold",
        ),
    ],
)
def test_a_failure_is_told_in_threads_and_values(claim, said, capsys):
    assert main(["prove", *shlex.split(claim)]) == 1
    assert said in capsys.readouterr().out
