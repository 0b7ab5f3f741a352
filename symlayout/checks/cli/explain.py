"""`symlayout explain`: what an error code means."""

from __future__ import annotations

from argparse import Namespace

from symlayout.checks.explain import explanation
from symlayout.errors import CODES


def run(args: Namespace) -> int:
    """`symlayout explain [CODE]`."""
    if args.code is None:
        for code, meaning in CODES.items():
            print(f"{code}  {meaning}")
        return 0
    print(explanation(args.code), end="")
    return 0
