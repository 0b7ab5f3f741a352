"""Properties of internal modules; `tests/test_cli.py` tests the public interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import run

from symlayout import Verdict, prove
from symlayout.checks.cli import main as cli
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.prove import kept
from symlayout.prove.verdict import Counterexample


def fake(monkeypatch: pytest.MonkeyPatch, word: str, verdict: Verdict) -> list[object]:
    calls: list[object] = []

    def claim(*texts: str, where: list[str], **options: str) -> Verdict:
        calls.append((texts, where, options))
        return verdict

    monkeypatch.setattr(prove, word, claim, raising=False)
    monkeypatch.setattr(kept, "_verdicts", {})
    return calls


PROVED = Verdict("proved", "injective", "because", source={"version": 1})

REFUTED = Verdict("refuted", "equal", "they differ", Counterexample({"M": 1}, (0, 2), 3, 5))

UNKNOWN = Verdict("unknown", "injective", "the budget is spent")

VACUOUS = Verdict("vacuous", "injective", "N > 5 and N < 3")


@pytest.mark.parametrize("target", cli.TARGETS)
def test_formula_emits_every_target(capsys: pytest.CaptureFixture[str], target: str) -> None:
    code, out, err = run(capsys, "formula", "f32[M,N]{1,0:T(8,128)}", "--emit", target)
    assert (code, err) == (0, "")
    assert out.endswith("\n")
    assert "128" in out


@pytest.mark.parametrize(
    ("verdict", "code"), [(PROVED, 0), (REFUTED, 1), (UNKNOWN, 1), (VACUOUS, 1)]
)
def test_prove_exit_codes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verdict: Verdict, code: int
) -> None:
    fake(monkeypatch, "injective", verdict)
    got, out, err = run(capsys, "prove", "injective", "f32[N]{0}")
    assert (got, err) == (code, "")
    assert out.startswith(f"{verdict.status}: injective 'f32[N]{{0}}'\n")
    assert verdict.reason in out


def test_prove_hands_over_texts_facts_and_options(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = fake(monkeypatch, "bitcast", PROVED)
    argv = ["prove", "--where", "N > 1", "bitcast", "f32[M,N]", "--perm", "1,0", "f32[N,M]"]
    assert run(capsys, *argv, "--where=M <= 5")[0] == 0
    assert calls == [(("f32[M,N]", "f32[N,M]"), ["N > 1", "M <= 5"], {"perm": "1,0"})]


def test_prove_as_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, "equal", REFUTED)
    code, out, _ = run(capsys, "prove", "equal", "A", "B", "--json")
    data = json.loads(out)
    assert code == 1
    assert data["schema"] == 1
    (claim,) = data["claims"]
    assert claim["verdict"] == "refuted"
    assert claim["claim"] == "equal"
    assert claim["counterexample"] == {"sizes": {"M": 1}, "coords": [0, 2], "left": 3, "right": 5}
    assert data["summary"]["refuted"] == 1


def test_prove_writes_the_certificate(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(monkeypatch, "injective", PROVED)
    file = tmp_path / "proof.json"
    assert run(capsys, "prove", "injective", "A", "--certificate", str(file))[0] == 0
    assert json.loads(file.read_text()) == {"version": 1}
    code, _, err = run(capsys, "prove", "injective", "A", "--certificate", str(tmp_path))
    assert code == 2
    assert "SL601" in err


def test_prove_explains_each_claim(capsys: pytest.CaptureFixture[str]) -> None:
    for word, claim in CLAIMS.items():
        code, out, _ = run(capsys, "prove", word, "--help")
        assert code == 0
        assert claim.usage in out
        assert claim.meaning in out


def test_an_internal_error_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(argv: list[str]) -> int:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(cli, "run", broken)
    code, out, err = run(capsys, "anything")
    assert (code, out) == (2, "")
    assert err.startswith(
        "symlayout: SL900: internal error: RuntimeError: two lines (test_cli_internals.py:"
    )
    assert err.count("\n") == 1


def test_an_interrupt_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(argv: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "run", interrupted)
    assert run(capsys, "anything") == (130, "", "symlayout: interrupted\n")
