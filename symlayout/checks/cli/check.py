"""`symlayout check`: files and folders, the cache, the processes, the report."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from contextlib import nullcontext
from typing import Any, TextIO

from symlayout.checks.cache import FOLDER, Cache
from symlayout.checks.cli.options import budget, colourful, whole
from symlayout.checks.config import read_config
from symlayout.checks.module_file import PADDING_SHOWN
from symlayout.checks.report import full, render
from symlayout.checks.result import Origin, Place, Report
from symlayout.checks.runner import Options
from symlayout.checks.runner import check as check_paths
from symlayout.errors import LayoutError
from symlayout.text.escape import terminal
from symlayout.text.limits import JOBS, ROWS_SHOWN


def run(args: Namespace) -> int:
    """`symlayout check PATH...`."""
    config = read_config()
    paths = args.paths or config.paths
    if not paths:
        raise LayoutError("SL600", "nothing to check: give a PATH, or paths in pyproject.toml")
    if args.json and args.format not in (None, "json"):
        raise LayoutError("SL600", f"--json and --format {args.format} contradict each other")
    format = "json" if args.json else args.format or config.format or "full"
    facts = tuple(Origin(text, Place("--where", 1), False) for text in args.where)
    options = Options(
        where=config.where + facts,
        tags=tuple(args.tag) or config.tags,
        budget=budget(args.budget) or config.budget,
        max_padding=_ratio(args.max_padding or config.max_padding),
        top=_top(args.top),
        jobs=_jobs(args.jobs or config.jobs),
        backend=args.backend,
        scheduler=args.scheduler,
        include_outside=config.include_outside,
        allow_empty=args.allow_empty,
        hints=not args.no_hints,
    )
    start = time.perf_counter()
    folder = args.cache_dir or config.cache_dir or FOLDER
    with nullcontext() if args.no_cache else Cache(folder) as cache:
        report = check_paths(paths, options, cache=cache, progress=_progress(sys.stderr))
    if sys.stderr.isatty():
        print(f"\r\x1b[K{time.perf_counter() - start:.1f} s", file=sys.stderr)
    if format == "full":
        print(full.diagnostics(report, colourful(sys.stderr)), end="", file=sys.stderr)
        print(full.results(report, colourful(sys.stdout)), end="")
    else:
        print(render(report, format), end="")
    if args.html:
        _write_page(args.html, report)
    if args.certificates:
        from symlayout.checks.certificates import write_certificates

        written, missing = write_certificates(report, args.certificates)
        more = f"; {missing} proved claims are not certified" if missing else ""
        print(
            f"symlayout: {written} certificates in {terminal(args.certificates)}{more}",
            file=sys.stderr,
        )
    return report.exit_code


def _write_page(file: str, report: Report) -> None:
    from symlayout.checks.page import page

    if not report.modules:
        raise LayoutError("SL602", "--html shows the memory of modules, and none was read")
    try:
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(page(report))
    except OSError as error:
        raise LayoutError("SL601", f"{file} cannot be written: {error.strerror}") from None


def _top(given: str | None) -> int:
    """How many buffers the padding report shows."""
    return PADDING_SHOWN if given is None else whole(given, "--top", 0, ROWS_SHOWN)


def _jobs(text: str | None) -> int:
    if text == "auto":
        return os.cpu_count() or 1
    return 1 if text is None else whole(text, "--jobs", 1, JOBS)


def _ratio(text: str | None) -> str | None:
    if text is not None:
        from symlayout.expr.ratio import read_ratio

        read_ratio(text)
    return text


def _progress(stream: TextIO) -> Any:
    if not stream.isatty():
        return lambda done, of, name: None
    last = [0.0]

    def show(done: int, of: int, name: str) -> None:
        now = time.monotonic()
        if now - last[0] > 0.1:
            last[0] = now
            stream.write(f"\r\x1b[K{done}/{of} {terminal(name[:60])}")
            stream.flush()

    return show
