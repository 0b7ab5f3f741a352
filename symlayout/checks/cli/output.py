"""Where the report of a check goes: the two streams, files, and the summary page of a CI run."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from symlayout.checks import statistics
from symlayout.checks.cli.options import colourful, write
from symlayout.checks.report import full, render
from symlayout.checks.report.style import summary_line
from symlayout.checks.result import Report
from symlayout.checks.rooted import with_paths_from_root

ENDINGS = {".json": "json", ".sarif": "sarif", ".xml": "junit", ".md": "markdown"}
FOR_PEOPLE = ("full", "concise")
SUMMARY = "GITHUB_STEP_SUMMARY"  # a file whose text GitHub shows on the page of a run


def show(report: Report, format: str, args: Namespace, root: Path) -> None:
    """Prints the report and writes it to the files that are asked for.

    Raises `LayoutError` (SL601) for a file that cannot be written.
    """
    elsewhere = with_paths_from_root(report, root)
    in_file = False
    for file in args.output_file:
        theirs = ENDINGS.get(os.path.splitext(file)[1].lower(), format)
        in_file = in_file or theirs == format
        write(file, render(report if theirs in FOR_PEOPLE else elsewhere, theirs))
    summary = os.environ.get(SUMMARY)
    if format == args.format == "github" and summary:  # the settings of a checkout write nothing
        write(summary, render(elsewhere, "markdown"), "a")
    if in_file:
        if not args.quiet:
            print(summary_line(report))
    elif format == "full":
        _for_people(report, args)
    elif not (args.quiet and format == "concise" and report.exit_code == 0):
        text = report if format in FOR_PEOPLE else elsewhere
        print(render(text, format), end="")
    if args.statistics:
        stream = sys.stdout if format in FOR_PEOPLE else sys.stderr
        print("\n".join(["", *statistics.lines(report)]), file=stream)


def _for_people(report: Report, args: Namespace) -> None:
    print(full.diagnostics(report, colourful(sys.stderr)), end="", file=sys.stderr)
    on = colourful(sys.stdout)
    if args.verbose:
        for line in full.listing(report, on):
            print(line)
    if args.quiet:
        print(full.failures(report, on, args.verbose), end="")
    else:
        print(full.results(report, on, args.verbose), end="")
