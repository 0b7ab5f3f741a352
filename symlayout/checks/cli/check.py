"""`symlayout check`: files and folders, the cache, the processes, the report."""

from __future__ import annotations

import os
import re
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from symlayout.checks.cache import Cache
from symlayout.checks.cache_folder import default_folder
from symlayout.checks.cli.options import (
    assumes,
    budget,
    format_of,
    processes,
    whole,
    write,
    write_json,
)
from symlayout.checks.cli.output import show
from symlayout.checks.cli.progress import progress
from symlayout.checks.config import Config, read_config
from symlayout.checks.module_file import PADDING_SHOWN
from symlayout.checks.project import named as project_named
from symlayout.checks.project import project_of, repository_of
from symlayout.checks.reading import within
from symlayout.checks.result import Origin, Place, Report
from symlayout.checks.runner import Options
from symlayout.checks.runner import check as check_paths
from symlayout.errors import LayoutError
from symlayout.text.escape import terminal
from symlayout.text.limits import ROWS_SHOWN


def run(args: Namespace) -> int:
    """`symlayout check PATH...`; without one it checks the project that it stands in."""
    if args.scheduler is not None and args.backend == "local":
        help = "--backend dask --scheduler ADDRESS"
        raise LayoutError("SL600", "--scheduler is for --backend dask or ray", help=help)
    config, root = read_config(outside=args.include_outside), repository_of(".")
    format = format_of(args, config.format or "full")
    paths = args.paths or config.paths or (os.path.relpath(root),)
    files, kernels = _kernels(paths)
    options = replace(_options(args, config), kernels=kernels)
    if args.dependents:
        from symlayout.checks.dependents import with_dependents

        files = tuple(with_dependents(files))

    def once() -> int:
        return _once(files, options, args, format, config, root)

    if not args.watch:
        return once()
    from symlayout.checks.cli.watch import watch

    return watch(once, files, options.exclude)


def _options(args: Namespace, config: Config) -> Options:
    facts = tuple(Origin(text, Place("--where", 1), False) for text in args.where)
    return Options(
        where=config.where + facts,
        tags=tuple(args.tag) or config.tags,
        every_tag=bool(args.tag),
        exclude=(*config.exclude, *args.exclude),
        git=not args.no_ignore,
        budget=budget(args.budget) or config.budget,
        max_padding=_ratio(args.max_padding or config.max_padding),
        top=_top(args.top),
        jobs=processes(args.jobs),
        backend=args.backend,
        scheduler=args.scheduler,
        include_outside=args.include_outside,
        places=_places(args, config),
        allow_empty=args.allow_empty,
        hints=not args.no_hints,
        first=args.exitfirst,
        solver=args.check,
        whole=not args.paths,
        assume=assumes(args, config),
    )


def _kernels(paths: Iterable[str]) -> tuple[tuple[str, ...], dict[str, frozenset[str]]]:
    """The paths without `::KERNEL`, and the kernels that are named in each file.

    Raises `LayoutError` (SL504) for a kernel that its file does not have.
    """
    files: dict[str, set[str] | None] = {}
    for path in paths:
        file, sign, name = path.partition("::")
        if not sign or os.path.lexists(path) or not os.path.isfile(file):
            files[path] = None
        elif files.setdefault(file, set()) is not None:
            from symlayout.checks.kernel_files import Reader, text_of

            own = within(project_named(file))
            Reader(file, text_of(file, own), own).function(name)
            files[file] = {*(files[file] or ()), name}
    return tuple(files), {f: frozenset(names) for f, names in files.items() if names}


def _places(args: Namespace, config: Config) -> dict[tuple[str, str], Place]:
    """Where the settings name the paths and tags that are not those of the command line."""
    words = {"paths": args.paths, "tags": args.tag}
    return {key: place for key, place in config.places.items() if not words.get(key[0])}


def _once(
    paths: tuple[str, ...],
    options: Options,
    args: Namespace,
    format: str,
    config: Config,
    root: Path,
) -> int:
    start = time.perf_counter()
    folder = None if args.no_cache else args.cache_dir or default_folder()
    projects = {project_of(path).root for path in (".", *paths)}
    with nullcontext() if args.no_cache else Cache(folder, projects) as cache:
        if cache is not None:
            _tell(cache, folder, args.cache_dir is not None)
        report = check_paths(paths, options, cache=cache, progress=progress(sys.stderr))
    if sys.stderr.isatty():
        print(f"\r\x1b[K{time.perf_counter() - start:.1f} s", file=sys.stderr)
    show(report, format, args, root)
    if args.html is not None:
        _write_page(args.html, report)
    if args.certificates is not None:
        _certify(report, args.certificates)
    return 0 if args.exit_zero and report.exit_code == 1 else report.exit_code


def _tell(cache: Cache, folder: str | None, named: bool) -> None:
    """Says why no verdict is kept: the folder is refused, or is asked for and cannot be written."""
    if cache.why:
        message = f"the cache {folder} is not used: {cache.why}"
    elif named and cache.database is None:
        message = f"the cache {folder} cannot be written: no verdict is kept"
    else:
        return
    print(f"symlayout: {terminal(message)}", file=sys.stderr)


def _certify(report: Report, folder: str) -> None:
    """Writes the certificate of each proved claim, by its number and name, and says how many."""
    from symlayout.checks.verdicts import ask

    proved = [r.task for r in report.results if r.outcome.status == "proved"]

    def files() -> Iterator[tuple[str, Any]]:
        for n, task in enumerate(proved, 1):
            certificate = ask(task).certificate  # a verdict of the cache is proved again
            if certificate is not None:
                word = re.sub(r"\W+", "-", task.name or task.claim.word).strip("-")[:60]
                yield f"{n:04}-{word}", certificate

    count = write_json(folder, files())
    missing = len(proved) - count
    more = f"; {missing} proved claims are not certified" if missing else ""
    print(f"symlayout: {count} certificates in {terminal(folder)}{more}", file=sys.stderr)


def _write_page(file: str, report: Report) -> None:
    from symlayout.checks.page import page

    if not report.modules:
        raise LayoutError("SL602", "--html shows the memory of modules, and none was read")
    write(file, page(report))


def _top(text: str | None) -> int:
    """How many buffers the padding report shows."""
    return PADDING_SHOWN if text is None else whole(text, "--top", 0, ROWS_SHOWN)


def _ratio(text: str | None) -> str | None:
    if text is not None:
        from symlayout.expr.ratio import read_ratio

        read_ratio(text)
    return text
