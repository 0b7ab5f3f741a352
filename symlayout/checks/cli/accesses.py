"""`symlayout accesses`: every access of a file's kernels, as it was understood."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from symlayout.checks.kernel_files import read_kernels
from symlayout.text.escape import terminal


def run(args: Namespace) -> int:
    """`symlayout accesses FILE[::FUNCTION]`."""
    from symlayout.programs.kernels.forms import listed

    file, _, function = args.file.partition("::")
    made = [listed(kernel) for kernel, _ in read_kernels(file, function or None)]
    if args.json:
        print(json.dumps({"schema": 1, "file": file, "kernels": made}, indent=2))
        return 0
    for kernel in made:
        for line in _lines(file, kernel):
            print(terminal(line))
    if not made:
        print(terminal(f"{file} has no kernels"))
    return 0


def _lines(file: str, kernel: dict[str, Any]) -> list[str]:
    """A kernel for people: a line for each access, and below it what it depends on."""
    made = [f"{kernel['function']} ({file}:{kernel['line']})"]
    for a in kernel["accesses"]:
        made.append(f"  {a['line']:>5}  {a['kind']:<6} {a['array']}[{a['index']}]  {a['type']}")
        made.append(f"         for {a['domain']}" if a["domain"] else "         once")
        if a["guard"]:
            made.append(f"         if {a['guard']}")
        if a["doubt"]:
            made.append(f"         not understood: {a['doubt']}")
    for s in kernel["skipped"]:
        made.append(f"  {s['line']:>5}  not understood: {s['reason']}")
    return made
