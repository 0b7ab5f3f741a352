"""Properties of internal modules; `tests/test_kernels_messages.py` tests the public interface."""

from __future__ import annotations

from test_kernels_messages import CASES

from symlayout.__main__ import main


def test_without_hints_nothing_is_tried(tmp_path, monkeypatch, capsys):
    from symlayout.checks import kernel_edits

    def fail(*args: object) -> None:
        raise AssertionError(args)

    monkeypatch.setattr(kernel_edits, "edits", fail)
    file = tmp_path / "kernel.cu"
    file.write_text(CASES[12].text, encoding="utf-8")
    assert main(["check", "--no-cache", "--no-hints", str(file)]) == 1
    assert "help: write" not in capsys.readouterr().out


def test_a_reason_has_no_invented_names():
    from symlayout import Claim
    from symlayout.checks.report.kernels import UNPROVED, lines
    from symlayout.checks.result import Outcome, Result, Task
    from symlayout.programs.kernels.access import Kernel, Span
    from symlayout.programs.kernels.written import Code

    code = Code("", Kernel("f", Span(1)), (), "bounds", Span(1))
    for reason in ("in the case N = 64*a0: pid_0r >= 0 is not shown", "in the case c0 = 1: no"):
        task = Task("f: in bounds", Claim("bounded", ("map i < N: i in N",)), code=code)
        assert list(lines(Result(task, Outcome("unknown", reason)))) == [UNPROVED]
