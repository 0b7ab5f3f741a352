"""`symlayout accesses`: every access of a file's kernels, as it was understood."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from symlayout.checks.kernel_files import read_kernels, sizes_of
from symlayout.checks.project import named
from symlayout.checks.reading import inside
from symlayout.text.escape import as_json, terminal


def run(args: Namespace) -> int:
    """`symlayout accesses FILE[::FUNCTION]`."""
    from symlayout.programs.kernels.forms import listed

    file, _, function = args.file.partition("::")
    with inside(named(file, args.include_outside)):
        lines = [
            listed(kernel) | {"launches": [x.to_json() for x in launches]}
            for kernel, launches in read_kernels(file, function or None)
        ]
    if args.json:
        print(as_json({"schema": 1, "file": file, "kernels": lines}))
        return 0
    for kernel in lines:
        for line in _lines(file, kernel):
            print(terminal(line))
    if not lines:
        print(terminal(f"{file} has no kernels"))
    return 0


def _lines(file: str, kernel: dict[str, Any]) -> list[str]:
    """A kernel for people: a line for each access, and below it what it depends on."""
    lines = [f"{kernel['function']} ({file}:{kernel['line']})"]
    for a in kernel["accesses"]:
        lines.append(f"  {a['line']:>5}  {a['kind']:<6} {a['array']}[{a['index']}]  {a['type']}")
        lines.append(f"         for {a['domain']}" if a["domain"] else "         once")
        if a["guard"]:
            lines.append(f"         if {a['guard']}")
        if a["doubt"]:
            lines.append(f"         not understood: {a['doubt']}")
    for x in kernel["launches"]:
        why = x.get("not_understood")
        text = f"not understood: {why}" if why else sizes_of(x)
        lines.append(f"  {x['line']:>5}  launch {text}")
    lines.extend(f"  {s['line']:>5}  not understood: {s['reason']}" for s in kernel["skipped"])
    return lines
