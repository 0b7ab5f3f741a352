"""`symlayout explain`: what an error code means, why it matters, an example, and what to do."""

from __future__ import annotations

import textwrap
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symlayout.errors import CODES, LayoutError, did_you_mean
from symlayout.programs.kernels.scan.finding import CODES as FINDINGS

WIDTH = 90


@dataclass(frozen=True)
class Explanation:
    """Why a code matters, an example (a command, or Python after `>>>`), and what mends it.

    `file` is the text of the claims file that the example's command names.
    """

    why: str
    example: str
    cure: str
    file: str = ""


@cache
def explanations() -> dict[str, Explanation]:
    """The page of every code, from the table beside this module."""
    text = Path(__file__).with_name("explanations.toml").read_text(encoding="utf-8")
    return {code: Explanation(**row) for code, row in tomllib.loads(text).items()}


def explanation(code: str) -> str:
    """The page on a code.

    >>> print(explanation("SL202").splitlines()[0])
    SL202: a divisor is zero
    >>> print(explanation("overflow").splitlines()[0])
    overflow: a 32-bit product of run-time sizes can leave its type

    Raises `LayoutError` (SL600) for a code that does not exist.
    """
    code = code.upper() if code.upper() in CODES else code  # an l may be meant as a 1
    if code.lower() in FINDINGS:
        return _finding(code.lower())
    if code not in CODES:
        hint = did_you_mean(code, [*CODES, *FINDINGS]) or "symlayout explain lists all codes"
        raise LayoutError("SL600", f"there is no code {code!r}", help=hint)
    e = explanations()[code]
    lines = [f"{code}: {CODES[code]}", "", *textwrap.wrap(e.why, WIDTH)]
    lines += ["", "For example:", *textwrap.indent(e.example, "    ").splitlines(), ""]
    if e.file:
        lines += [f"with {e.example.split()[-1]}:", *textwrap.indent(e.file, "    ").splitlines()]
        lines.append("")
    lines += textwrap.wrap(f"What to do: {e.cure}", WIDTH)
    return "\n".join(lines) + "\n"


def _finding(code: str) -> str:
    """The page on a code of a scan."""
    text = (
        f"`symlayout scan` reports it, with a change of the source where one is right. A comment "
        f"`symlayout: ignore[{code}]` in the line, or above it, suppresses it. With a contract, "
        "`symlayout check` proves that a kernel does not have it."
    )
    return "\n".join([f"{code}: {FINDINGS[code]}", "", *textwrap.wrap(text, WIDTH), ""])
