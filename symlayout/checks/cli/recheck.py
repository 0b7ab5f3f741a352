"""`symlayout recheck`: a certificate verified without the prover."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlayout.checks.cli.options import colourful, write
from symlayout.checks.project import named
from symlayout.checks.reading import Within, within
from symlayout.checks.walking import walk
from symlayout.errors import LayoutError
from symlayout.text.escape import as_json, terminal
from symlayout.text.limits import CERTIFICATE_BYTES

HELP = "certificates are written by prove --certificate FILE, check and when --certificates DIR"

if TYPE_CHECKING:
    from symlayout.certificate.kernel import Rechecked


def run(args: Namespace) -> int:
    """`symlayout recheck PATH...`: 0 when every step of each holds, 1 when one does not."""
    from symlayout.certificate.kernel import recheck

    if args.where and args.claim is None:
        raise LayoutError("SL600", "--where goes with --claim: the facts of the claim")
    read: dict[str, dict[str, Any]] = {}
    for path in args.certificate:
        own = within(named(path, args.include_outside))
        read |= {file: _read(file, own) for file in _files(path)}
    results = [(file, recheck(c, args.claim, args.where)) for file, c in read.items()]
    good = all(answer.ok for _, answer in results)
    if args.json and len(results) == 1:
        print(as_json({"schema": 1, **asdict(results[0][1])}))
    elif args.json:
        rows = [{"file": file, **asdict(answer)} for file, answer in results]
        print(as_json({"schema": 1, "ok": good, "certificates": rows}))
    else:
        for file, answer in results:
            _print(file, answer)
    if args.rocq is not None and good:  # at the end: not every proof can be printed
        from symlayout.certificate.rocq.export import rocq

        write(args.rocq, rocq(list(read.values())))
    return 0 if good else 1


def _files(path: str) -> list[str]:
    """A file, or the certificates that a folder holds; raises `LayoutError` (SL602) for none."""
    if not os.path.isdir(path):
        return [path]
    every = (os.path.join(f, name) for f, _, names in walk(path) for name in names)
    files = sorted(str(Path(f)) for f in every if f.endswith(".json"))
    if not files:
        message = f"{path} holds no certificate: no file there ends in .json"
        raise LayoutError("SL602", message)
    return files


def _read(file: str, within: Within) -> dict[str, Any]:
    """The JSON object of a file; raises `LayoutError` (SL601)."""
    from symlayout.certificate.codec import FORMAT
    from symlayout.certificate.json_text import read_json
    from symlayout.certificate.proof import Malformed

    text = within.text(file, CERTIFICATE_BYTES).rstrip()
    if not text:
        raise LayoutError("SL601", f"{file} holds no certificate: it is empty", help=HELP)
    try:
        data = read_json(text)
    except Malformed as error:
        raise LayoutError("SL601", f"{file} holds no certificate: {error}") from None
    except json.JSONDecodeError as error:
        problem = f"{file} is not JSON: {error.msg.lower()}"
        raise LayoutError("SL601", problem, text=text, at=min(error.pos, len(text))) from None
    if not isinstance(data, dict):
        raise LayoutError("SL601", f"{file} holds no certificate, but another value", help=HELP)
    if data.get("format") != FORMAT:
        what = f"its format is not {FORMAT!r}" if "format" in data else "it has no 'format'"
        raise LayoutError("SL601", f"{file} holds no certificate: {what}", help=HELP)
    return data


def _print(file: str, verdict: Rechecked) -> None:
    from symlayout.checks.report.style import paint

    word, colour = ("accepted", "green") if verdict.ok else ("rejected", "red")
    print(f"{paint(word, colour, colourful(sys.stdout))}: {terminal(verdict.claim or file)}")
    if verdict.ok:
        print(f"  relied on    {terminal(', '.join(verdict.relied) or 'exact arithmetic alone')}")
    for failure in verdict.failures:
        print(f"  failed       {terminal(failure)}")
