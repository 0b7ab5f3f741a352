"""Properties of internal modules; `tests/test_kernels_assumptions.py` tests the public interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_kernels_assumptions import DATA, ROWS, SUM, UNBOUNDED, kernel, statuses

from symlayout import check
from symlayout.__main__ import main
from symlayout.checks.report import json as as_json
from symlayout.checks.report import render
from symlayout.expr.facts import Facts
from symlayout.programs.kernels.access import Kernel, Span


def test_an_assumption_is_a_fact_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    report = check([str(path)])
    rows = {c["name"]: c for c in as_json.data(report)["claims"]}
    (row,) = [c for n, c in rows.items() if "no overflow: mask" in n]
    assert row["assumed"] == ["n <= 1073741824"]
    assert {*row["assumed"]} <= {*row["where"]}
    assert all("assumed" not in c for n, c in rows.items() if "in bounds" in n)
    text = render(report, "full")
    assert text.count("assumed where a contract gives no bound") == 1
    bounded = kernel("if (i < n) y[i] = 1;", "int n", "where n <= 1000")
    path.write_text(bounded)
    assert "assumed" not in render(check([str(path)]), "full")


SCANS = {  # options, the setting, and how many findings there are
    "the default": ([], "", 1),
    "by name": (["--assume", "default"], "none", 1),
    "nothing": (["--assume", "none"], "", 1),
    "nothing by the settings": ([], "none", 1),
    "small sizes": (["--max-size", "100"], "", 0),
    "small sizes alone": (["--max-size", "100", "--assume", "none"], "", 0),
    "small arrays alone": (["--max-elements", "1000", "--assume", "none"], "none", 0),
}


@pytest.mark.parametrize("name", SCANS)
def test_scan_takes_the_words_of_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from symlayout.programs.kernels.scan import finding

    options, setting, findings = SCANS[name]
    (tmp_path / "k.py").write_text(ROWS)
    if setting:
        text = f'[tool.symlayout]\nassume = "{setting}"\n'
        (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    asked = set()
    own = finding.Limits.of

    def of(limits: finding.Limits, kernel: Kernel, size: str) -> int:
        asked.add(own(limits, kernel, size))
        return own(limits, kernel, size)

    monkeypatch.setattr(finding.Limits, "of", of)
    assert main(["scan", "k.py", *options]) == (1 if findings else 0)
    none = "none" in options or (setting == "none" and "default" not in options)
    most = 100 if "--max-size" in options else 2**31 - 1 if none else 2**30
    assert asked <= {most}
    assert asked or "--max-elements" in options


def test_sizes_of_64_bits_are_larger() -> None:
    from symlayout.programs.kernels.scan.finding import UNBOUNDED, Limits

    one = Kernel("f", Span(1), ("n", "m", "u"), wide=("m",), unsigned=("u",))
    assert [Limits().of(one, n) for n in ("n", "m", "u", "k")] == [2**30, 2**36, 2**30, 2**30]
    wide = [2**31 - 1, 2**62, 2**32 - 1, 2**62]
    assert [UNBOUNDED.of(one, n) for n in ("n", "m", "u", "k")] == wide


def test_the_cache_tells_claims_under_assumptions_from_others(tmp_path: Path) -> None:
    from symlayout.checks.cache import key

    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    keys = [{key(r.task) for r in check([str(path)], assume=a).results} for a in (True, False)]
    assert keys[0] != keys[1]


LARGER = {  # a kernel, part of a claim's name, and whether it fails at larger sizes of the types
    "a size and five": (kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;"), "no overflow", True),
    "twice a size": (kernel("int j = n * 2; if (i < n && j > 0) y[i] = 1;"), "no overflow", False),
    "a size less five": (
        kernel("int j = n - 5; if (i < n && j > 0) y[i] = 1;"), "no overflow", False,
    ),
    "a size that has a bound": (
        kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;", "int n", "where n <= 5000"),
        "no overflow", False,
    ),
    "nothing is assumed": (
        kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;", "int n", "assume none"),
        "no overflow", False,
    ),
    "64 bits": (
        kernel("int j = (int)(n / 64); if (i < 9 && j > 0) y[i] = 1;", "long long n",
               "where n >= 9", grid="1,"),
        "no overflow", True,
    ),
    "64 bits without a failure": (
        kernel("long long j = n - 1; if (i < 9 && j > 0) y[i] = 1;", "long long n",
               "where n >= 9", grid="1,"),
        "no overflow", False,
    ),
    "32 bits without a sign": (
        kernel("unsigned j = u * 3; if (i < n && j > 0) y[i] = 1;", "int n, unsigned u"),
        "no overflow", True,
    ),
    "a size that only an array has": (
        kernel("y[blockIdx.x * 2LL + threadIdx.x] = 1;", "int n", grid="R,", block="2,",
               array="f32[R,2]"),
        "no overflow", False,
    ),
    "a launch of that many rows": (
        kernel("if (i < n) y[i] = 1;", "int n", grid="cdiv(n, 256) * 500,"), "launch", True,
    ),
    "an array of that many elements": (
        kernel("y[n - 1] = 1;", grid="1,", block="1,", array="f32[1073741824]"), "in bounds", True,
    ),
    "a loop": (
        kernel("for (int k = i; k < n; k += 4096) y[k] = 1;", grid="16,"), "no overflow", True,
    ),
}  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", LARGER)
def test_a_failure_at_larger_sizes_has_its_witness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    text, part, fails = LARGER[name]
    path = tmp_path / "k.cu"
    path.write_text(text)
    report = check([str(path)])
    own = [r for r in report.results if part in r.task.name and r.outcome.status == "proved"]
    hits = [r for r in own if r.outcome.beyond]
    assert bool(hits) == fails, [(r.task.name, r.task.assumed) for r in own]
    for r in hits:
        assert r.outcome.beyond is not None
        sizes = r.outcome.beyond["sizes"]
        assumed, facts = Facts.read(r.task.assumed), Facts.read(r.task.of_types().claim.facts)
        assert not assumed.holds(sizes)
        assert facts.holds(sizes)
    text = render(report, "full")
    assert text.count(" where sizes are larger than assumed\n") == bool(
        [r for r in report.results if r.outcome.beyond]
    )
    rows = [c["beyond"] for c in as_json.data(report)["claims"] if "beyond" in c]
    assert rows == [r.outcome.beyond for r in report.results if r.outcome.beyond]
    main(["check", "--no-cache", "-v", str(path)])
    shown = [x for x in capsys.readouterr().out.split("\n") if "(assumed), fails at " in x]
    assert len(shown) == len(rows)


def test_a_witness_is_told_in_words_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    text = render(check([str(path)]), "full")
    assert "note: f: 1 claim fails where sizes are larger than assumed" in text
    assert "`n + 5` is 2147483648; an int32 is at most 2147483647" in text
    assert "n = 2147483643" in text


def test_a_witness_is_kept_with_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from symlayout.checks import checker

    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    outputs = []
    for _ in range(2):
        assert main(["check", "--json", "--cache-dir", str(tmp_path / "cache"), str(path)]) == 0
        outputs.append([c.get("beyond") for c in json.loads(capsys.readouterr().out)["claims"]])
        monkeypatch.setattr(checker, "beyond", None)
    assert outputs[0] == outputs[1]
    assert [c["sizes"] for c in outputs[0] if c] == [{"n": 2147483643}]


@pytest.mark.explore
def test_claims_that_rest_on_one_are_told_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SUM.format(fact=""))
    report = check([str(path)])
    unknown = [r for r in report.results if r.outcome.status == "unknown"]
    assert len(unknown) > 20
    text = render(report, "full")
    assert text.count("unknown, expected proved") <= 3
    assert " claims\n" in text
    assert "rests on 'no overflow: an end of the loop in line 8'" in text
    assert "the counter of the loop is 2147483648; int32 is at most 2147483647" in text
    main(["check", "--no-cache", "--no-hints", "-v", str(path)])
    shown = capsys.readouterr().out
    assert shown.count("unknown, expected proved") == len(unknown)
    path.write_text(SUM.format(fact="//   where G <= 65535\n"))
    assert {*statuses(check([str(path)])).values()} == {"proved"}


def test_a_launch_that_fails_is_told_by_its_axis(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text((DATA / "launch_limit.cu").read_text())
    text = render(check([str(path)]), "full")
    assert "n1 = 65536: grid.y is 65536; it is at most 65535" in text


def test_no_bound_is_asked_for_what_is_not_understood(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    text = kernel("if (i < n) y[t[i]] = 1;", "const int* t, int n", "t is i32[n]")
    path.write_text(text)
    shown = render(check([str(path)]), "full")
    assert "the contract may say `below SIZE`" in shown
    assert "help: bound" not in shown
