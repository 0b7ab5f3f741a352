"""`symlayout completion`: a script that completes the command line in a shell."""

from __future__ import annotations

from argparse import Namespace


def run(args: Namespace) -> int:
    """`symlayout completion SHELL`."""
    from symlayout.checks.cli.main import parser
    from symlayout.checks.cli.shells import script

    print(script(args.shell, parser()), end="")
    return 0
