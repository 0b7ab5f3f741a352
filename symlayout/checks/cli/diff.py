"""`symlayout diff`: two dumps of one program, and whether more is wasted than a limit allows."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

from symlayout.checks.cli.options import whole
from symlayout.checks.discover import discover
from symlayout.checks.module_file import language_read, module_text
from symlayout.checks.project import named
from symlayout.checks.reading import Within, within
from symlayout.errors import LayoutError
from symlayout.text.dumps import best_stages
from symlayout.text.escape import as_json, terminal
from symlayout.text.limits import ROWS_SHOWN
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.programs.hlo.module import Module

NAMELESS = "(without a name)"
LIMIT = regex(r"(\d{1,15})(%?)")


def run(args: Namespace) -> int:
    """`symlayout diff A B`: exit code 1 when the waste grew by more than the limit."""
    from symlayout.programs.hlo.differences import SHOWN, difference
    from symlayout.programs.hlo.pairing import paired

    top = SHOWN if args.top is None else whole(args.top, "--top", 0, ROWS_SHOWN)
    amount, percent = _limit(args.limit)
    pairs = paired(*[modules(p, args.include_outside) for p in (args.before, args.after)])
    if not pairs.both:
        raise LayoutError("SL602", f"{args.before} and {args.after} have no module in common")
    lines = [(a, b, difference(a, b)) for a, b in pairs.both]
    first = sum(d.wasted[0] for *_, d in lines)
    second = sum(d.wasted[1] for *_, d in lines)
    limit = first * amount // 100 if percent else amount
    good = second - first <= limit
    if args.json:
        data = [{"name": a.name or b.name, **d.as_json()} for a, b, d in lines]
        only = {"before": [m.name for m in pairs.before], "after": [m.name for m in pairs.after]}
        report = {"schema": 1, "modules": data, "only": only, "within_limit": good}
        print(as_json(report))
        return 0 if good else 1
    for a, b, d in lines:
        print(terminal(_title(a, b)))
        for line in d.lines(top):
            print(terminal(line))
    for path, alone in ((args.before, pairs.before), (args.after, pairs.after)):
        for module in alone:
            print(terminal(f"only in {path}: {module.name or NAMELESS}"))
    verdict = "within" if good else "above"
    print(f"wasted: {first:,} -> {second:,} bytes, {verdict} the limit of {limit:,} more")
    return 0 if good else 1


def modules(path: str, outside: bool = False) -> list[Module]:
    """The HLO modules of a file or folder, the last stage of each.

    Raises `LayoutError` for what cannot be read whole.
    """
    return _modules(path, within(named(path, outside)))


def _modules(path: str, within: Within) -> list[Module]:
    from symlayout.programs.hlo.claims import modules_of

    results: list[Module] = []
    files = discover([path], within, git=False)  # dumps are ignored by git, most often
    if os.path.isdir(path):
        files = best_stages(f for f in files if language_read(f, within) == "hlo")[0]
    for file in files:
        for module in modules_of(module_text(file, within)[0], file):
            if module.problems:
                raise _of_file(file, module.problems[0])
            if module.dialect == "hlo":
                results.append(module)
    if not results:
        raise LayoutError("SL602", f"{path} holds no HLO module")
    return results


def _of_file(file: str, error: LayoutError) -> LayoutError:
    """The error with the name of its file: two are read."""
    message = f"{file}: {error.message}"
    at, end, help = error.at, error.end, error.help
    return LayoutError(error.code, message, text=error.text, at=at, end=end, help=help)


def _title(a: Module, b: Module) -> str:
    """The name of a module, and that of the other where it is another one."""
    one, two = (m.name or NAMELESS for m in (a, b))
    return f"module {one}" if one == two else f"module {one}, compared with {two}"


def _limit(text: str) -> tuple[int, bool]:
    """Bytes, or a share of what was wasted before."""
    match = LIMIT.fullmatch(text)
    if match is None:
        message = f"--limit is a number of bytes or a share such as 5%, not {text!r}"
        raise LayoutError("SL600", message)
    return int(match[1]), bool(match[2])
