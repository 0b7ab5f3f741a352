"""The pytest plugin: every claim of a claims file is a test item; `assert_proved` for tests.

Only names are imported when pytest starts; the prover is when the first claim runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.checks.result import Problem, Result, Task
    from symlayout.prove.verdict import Verdict

DEFAULT_FILES = ["*.layout.toml"]
MARKER = regex(r"[A-Za-z][A-Za-z0-9_]*")
# markers that pytest has itself: as a tag they would leave a claim out
OWN_MARKERS = frozenset({"skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting `symlayout_files`: which files hold claims."""
    parser.addini(
        "symlayout_files",
        "files whose claims are test items: claims files, *.hlo modules, sources with comments",
        type="args",
        default=DEFAULT_FILES,
    )
    parser.addini(
        "symlayout_hints",
        "whether the first refuted claims say under which condition they hold",
        type="bool",
        default=True,
    )
    parser.addoption(
        "--symlayout-include-outside",
        action="store_true",
        help="read also what claims files name outside of their project",
    )


HINTS: pytest.StashKey[dict[str, str]] = pytest.StashKey()  # of this run, by the claim's key


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects the files that `symlayout_files` names."""
    if any(_fits(file_path, x, parent.config) for x in parent.config.getini("symlayout_files")):
        result: pytest.Collector = ClaimsFile.from_parent(parent, path=file_path)
        return result
    return None


def _fits(file: Path, pattern: str, config: pytest.Config) -> bool:
    """Whether a pattern is of a file's name, or with slashes of its path from the root."""
    if "/" not in pattern:
        return fnmatch(file.name, pattern)
    root = config.rootpath
    return file.is_relative_to(root) and fnmatch(
        file.relative_to(root).as_posix(), pattern.removeprefix("./")
    )


class ClaimsFile(pytest.File):
    """A file of claims; what in it cannot be read is an item that fails."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a claim, and one for every mistake of the file itself."""
        from symlayout.checks.config import read_config
        from symlayout.checks.result import Result
        from symlayout.checks.runner import Options, load, under
        from symlayout.errors import LayoutError
        from symlayout.text.escape import visible

        try:
            config = read_config(self.config.rootpath)
        except LayoutError as error:
            raise self.CollectError(str(error)) from None
        options = Options(
            where=config.where,
            budget=config.budget,
            max_padding=config.max_padding,
            assume=config.assume,
            include_outside=self.config.getoption("symlayout_include_outside"),
        )
        loaded = under(load(str(self.path), options), options)
        names: set[str] = set()
        for number, problem in enumerate(loaded.problems):
            name = f"mistake {number + 1}"
            names.add(name)
            yield ClaimItem.from_parent(self, name=name, entry=problem)
        for entry in loaded.entries:
            task = entry.task if isinstance(entry, Result) else entry
            name = visible(task.name)
            counts = (f" ({n})" for n in count(2))
            name = next(name + end for end in chain([""], counts) if name + end not in names)
            names.add(name)  # one test's id is no other's
            item: ClaimItem = ClaimItem.from_parent(self, name=name, entry=entry)
            item.extra_keyword_matches.update((*task.tags, task.claim.word))
            for tag in filter(MARKER.fullmatch, {*task.tags} - OWN_MARKERS):
                self.config.addinivalue_line("markers", f"{tag}: a tag of claims")
                item.add_marker(tag)
            yield item


class ClaimItem(pytest.Item):
    """A claim as a test; it passes when the verdict is the expected one."""

    def __init__(self, *, entry: Task | Result | Problem, **more: Any) -> None:
        super().__init__(**more)
        self.entry = entry

    def runtest(self) -> None:
        """Judges the claim.

        Raises `ClaimFailed` with the report for people.
        """
        from symlayout.checks.checker import judge
        from symlayout.checks.hints import with_hints
        from symlayout.checks.report.full import problem_lines, result_lines
        from symlayout.checks.result import Problem, Result, Task

        entry = self.entry
        if isinstance(entry, Task):
            entry = Result(entry, judge(entry))
        problem = entry if isinstance(entry, Problem) else entry.outcome.problem
        if problem is not None:
            raise ClaimFailed("\n".join(problem_lines(problem)))
        if isinstance(entry, Result) and not entry.as_expected:
            if self.config.getini("symlayout_hints"):
                names = self.config.stash.setdefault(HINTS, {})
                (entry,) = with_hints([entry], known=names)
            raise ClaimFailed("\n".join(result_lines(entry)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of a claim that failed, without a traceback."""
        if isinstance(excinfo.value, ClaimFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file, the line, and the claim's name."""
        place = getattr(self.entry, "place", None)
        if place is None and hasattr(self.entry, "task"):
            place = self.entry.task.place
        return self.path, place.line - 1 if place else None, self.name


class ClaimFailed(Exception):
    """A claim whose verdict is not the expected one, or that cannot be read."""


def assert_proved(claim: Any, *arguments: Any, where: Any = (), **options: Any) -> Any:
    """Asserts that a claim is proved; the failure shows the counterexample.

    >>> assert_proved("injective", "f32[M,N]{1,0:T(8,128)}").status
    'proved'

    `claim` is a claim word with its arguments and options, or a verdict; a claim of
    `symlayout.pallas.claims`, or their list; or a kernel with a contract in its file, of which every
    claim has to be as expected.  Returns the verdict, or the list of them; raises `AssertionError`
    with the sizes, the coordinates and both sides of a counterexample.
    """
    __tracebackhide__ = True
    if isinstance(claim, (list, tuple)):
        assert claim, "there is no claim in the list"
        return [assert_proved(c) for c in claim]
    if callable(getattr(claim, "fn", claim)):
        return _assert_kernel(getattr(claim, "fn", claim))
    claim = getattr(claim, "verdict", claim)
    return _assert("proved", claim, arguments, where, options)


def _assert_kernel(function: Any) -> list[Any]:
    """The outcomes of a kernel's contract, all of them as expected."""
    __tracebackhide__ = True
    import inspect

    from symlayout.checks.checker import judge
    from symlayout.checks.comments.loader import load
    from symlayout.checks.reading import ANYWHERE
    from symlayout.checks.report.full import result_lines
    from symlayout.checks.result import Result, Task
    from symlayout.text.escape import terminal

    function = inspect.unwrap(function)
    file, word = inspect.getsourcefile(function), function.__name__
    loaded = load(str(file), ANYWHERE)  # pytest has imported it
    heads = (f"{word}: ", f"{word} (launch in line ")
    own = [e for e in loaded.entries if _name_of(e).startswith(heads)]
    broken = [p.message for p in loaded.problems]
    # contracts that cannot be read, and expectations of no claim
    failures = [e for e in loaded.entries if isinstance(e, Result) and e.outcome.problem]
    broken += [e.outcome.reason for e in failures if e not in own]
    assert own, f"{word} has no contract in {file}: {'; '.join(broken) or 'none is there'}"
    assert not broken, f"{file} has mistakes: {'; '.join(broken)}"
    results = [Result(e, judge(e)) if isinstance(e, Task) else e for e in own]
    wrong = [terminal(line) for r in results if not r.as_expected for line in result_lines(r)]
    assert not wrong, "\n".join(wrong)
    return [r.outcome for r in results]


def _name_of(entry: Any) -> str:
    return str(getattr(entry, "task", entry).name)


def assert_refuted(
    claim: str | Verdict, *arguments: Any, where: Any = (), **options: Any
) -> Verdict:
    """Asserts that a claim is refuted, by a counterexample that the returned verdict has.

    >>> assert_refuted("injective", "(M,N):(1,1)").counterexample.coords
    (0, 1)
    """
    __tracebackhide__ = True
    return _assert("refuted", claim, arguments, where, options)


def _assert(
    expected: str, claim: str | Verdict, arguments: Any, where: Any, options: Any
) -> Verdict:
    __tracebackhide__ = True
    from symlayout import prove
    from symlayout.layouts.vocabulary import claim_word

    verdict: Any = claim
    if isinstance(claim, str):
        verdict = getattr(prove, claim_word(claim).word)(*arguments, where=where, **options)
    if verdict.status == expected:
        return verdict  # type: ignore[no-any-return]
    from symlayout.checks.hints import hint
    from symlayout.checks.result import Outcome, Result, Task, counterexample_lines
    from symlayout.layouts.claim import Claim
    from symlayout.text.escape import terminal

    source = verdict.source if isinstance(verdict.source, Claim) else Claim("")
    result = Result(Task("", source), Outcome.of(verdict))
    lines = [f"{verdict.status}: {verdict.claim}", f"  reason       {verdict.reason}"]
    if verdict.refuted:
        lines += [f"  {line}" for line in counterexample_lines(result)]
        mended = hint(result.task) if expected == "proved" and source.word else ""
        lines += [f"  help: {mended}"] if mended else []
    raise AssertionError("\n".join(map(terminal, lines)))
