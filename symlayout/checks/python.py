"""`symlayout.check` and `symlayout.scan`: files and folders, from Python as from the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from symlayout.checks.project import named
from symlayout.checks.reading import within
from symlayout.checks.result import SOLVERS, Origin, Place, Report
from symlayout.checks.runner import Options
from symlayout.checks.runner import check as check_paths
from symlayout.checks.scanning import Scan, limits_of, scan_file, sources_of
from symlayout.errors import LayoutError

Path = str | os.PathLike[str]


def check(
    paths: Path | Iterable[Path],
    *,
    where: str | Sequence[str] = (),
    solver: str = "none",
    assume: bool = True,
    hints: bool = False,
    budget: int | None = None,
    exclude: Sequence[str] = (),
    allow_empty: bool = False,
    jobs: int = 1,
) -> Report:
    """The report on every claim of files and folders: claims files, kernels, modules and sources.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "one.layout.toml")
    ...     text = file.write_text('[[claim]]\\nname = "a"\\nprove = "injective f32[M,N]"\\n')
    ...     report = check(file)
    >>> [(r.task.name, r.outcome.status) for r in report.results], report.exit_code
    ([('a', 'proved')], 0)

    `where` adds facts to every claim, and `solver` names who confirms the proofs: "z3" or "cvc5".
    `assume=False` leaves out what is assumed about sizes that a kernel's contract does not bound.
    Raises `LayoutError` for a solver that is unknown.

    `hints` looks for what would make a claim true, and `budget` is the solver's rlimit for a claim.
    `exclude` has patterns of paths, and `jobs` is the number of processes. Verdicts are not kept.

    Bad input is among the report's `problems`, and loses nothing else; `allow_empty` accepts paths in
    which there is nothing to check. See `symlayout check` for what is read.
    """
    if solver not in SOLVERS:
        message = f"{solver!r} is not a solver"
        raise LayoutError("SL600", message, help=f"solver is one of {', '.join(SOLVERS)}")
    facts = [where] if isinstance(where, str) else where
    options = Options(
        where=tuple(Origin(f, Place("where", 1), False) for f in facts),
        exclude=tuple(exclude),
        budget=budget,
        jobs=jobs,
        allow_empty=allow_empty,
        hints=hints,
        solver=solver,
        assume=assume,
    )
    return check_paths(_names(paths), options)


def scan(
    paths: Path | Iterable[Path], *, assume: bool = True, max_size: int = 0, max_elements: int = 0
) -> Scan:
    """The defects of kernels without a contract, in files and folders.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "copy.py")
    ...     text = file.write_text(
    ...         "import triton, triton.language as tl\\n@triton.jit\\n"
    ...         "def copy(x, y, n, B: tl.constexpr):\\n"
    ...         "    i = tl.program_id(0)*B + tl.arange(0, B)\\n"
    ...         "    tl.store(y + i, tl.load(x + i, mask=i < n))\\n")
    ...     result = scan(file)
    >>> [finding.code for finding, place in result.findings]
    ['bounds']

    `max_size` bounds the sizes, `max_elements` the arrays; without them `assume=False` takes what the
    types allow. `findings` pairs each finding with its place, `skipped` has what is not understood.
    Raises `LayoutError` for a path that does not exist.
    """
    names, result = _names(paths), Scan()
    limits, projects = limits_of(assume, max_size, max_elements), within(*map(named, names))
    for file in sources_of(names, projects):
        result.join(scan_file(file, projects, limits))
    return result


def _names(paths: Path | Iterable[Path]) -> list[str]:
    """The paths as texts."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(p) for p in paths]
