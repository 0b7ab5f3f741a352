"""`symlayout recheck`: a certificate verified without the prover."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import asdict

from symlayout.commands.options import colourful
from symlayout.errors import LayoutError


def run(args: Namespace) -> int:
    """`symlayout recheck CERTIFICATE`: 0 when every step holds, 1 when one does not."""
    from symlayout.checks.report.style import paint
    from symlayout.checks.toml_file import read_text

    text = read_text(args.certificate)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"{args.certificate} is not JSON: {error.msg.lower()}"
        raise LayoutError("SL601", problem, text=text, at=error.pos) from None
    except RecursionError:
        raise LayoutError("SL601", f"{args.certificate} is nested too deeply") from None
    if not isinstance(data, dict):
        raise LayoutError("SL601", f"{args.certificate} holds no certificate, but another value")
    from symlayout.recheck import recheck as verify

    made = verify(data, args.claim)
    if args.json:
        print(json.dumps({"schema": 1, **asdict(made)}, indent=2))
        return 0 if made.ok else 1
    word, colour = ("accepted", "green") if made.ok else ("rejected", "red")
    print(f"{paint(word, colour, colourful(sys.stdout))}: {made.claim or args.certificate}")
    if made.ok:
        print(f"  relied on    {', '.join(made.relied) or 'exact arithmetic alone'}")
    for failure in made.failures:
        print(f"  failed       {failure}")
    return 0 if made.ok else 1
