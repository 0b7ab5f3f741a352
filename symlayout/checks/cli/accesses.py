"""`symlayout accesses`: every access of a file's kernels, as it was understood."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from symlayout.checks.kernel_files import lookalikes, read_kernels, sizes_of
from symlayout.checks.project import named
from symlayout.checks.reading import within
from symlayout.errors import LayoutError
from symlayout.programs.kernels.lookalikes import Lookalike
from symlayout.text.escape import as_json, terminal


def run(args: Namespace) -> int:
    """`symlayout accesses FILE[::FUNCTION]`."""
    from symlayout.programs.kernels.forms import listed

    file, _, function = args.file.partition("::")
    own = within(named(file, args.include_outside))
    lines = [
        listed(kernel) | {"launches": [x.to_json() for x in launches]}
        for kernel, launches in read_kernels(file, own, function or None)
    ]
    others = [] if function else lookalikes(file, own)
    if args.json:
        rows = [{"line": x.line, "language": x.language, "name": x.name} for x in others]
        print(as_json({"schema": 1, "file": file, "kernels": lines, "not_read": rows}))
    else:
        for line in _text(file, lines, others):
            print(terminal(line))
    every = [a for kernel in lines for a in kernel["accesses"]]
    skipped = any(kernel["skipped"] for kernel in lines)
    if not lines and others:
        raise LayoutError("SL602", f"no kernel of {file} was read")
    if lines and all(a["doubt"] for a in every) and (every or skipped):
        raise LayoutError("SL602", f"no access of {args.file} was understood")
    return 0


def _text(file: str, kernels: list[dict[str, Any]], others: Sequence[Lookalike]) -> Iterator[str]:
    """What was understood, for people."""
    for kernel in kernels:
        yield from _lines(file, kernel)
    for x in others:
        yield f"{file}:{x.line}: {x.reason}: {x.name}"
    if not kernels and not others:
        yield f"{file} has no kernels"


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
