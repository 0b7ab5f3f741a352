"""What the languages share: the expression that was found, or why there is none."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from symlayout.checks.comments.clauses import CLAUSES

LAUNCHED = (".cu", ".cuh", ".hip", ".metal", ".cl", ".cce")  # files that may have kernels
C_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".ixx", ".cppm")
C_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tpp")
C_SUFFIXES = (*LAUNCHED, *C_SOURCES, *C_HEADERS)
ABOVE = "write the comment on a line of its own, above the statement that it is about"

INSIDE = "the comment stands inside of a statement, and would speak of the one below"


class Found(NamedTuple):
    """The expression with meanings put in, and the characters [at, end) of the file it stands in."""

    expression: str
    at: int
    end: int


class NotFound(Exception):
    """No expression: why, and the characters [at, end) of the file where one was looked for."""

    message: str
    at: int
    end: int
    code: str
    help: str | None

    def __init__(
        self, message: str, at: int, end: int, code: str = "SL505", help: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.at, self.end, self.code, self.help = message, at, end, code, help


def is_continuation(body: str) -> bool:
    """Whether the body of a comment line continues a claim: indented, beginning with a clause.

    >>> is_continuation("   where N > 1"), is_continuation(" where it is explained")
    (True, False)
    """
    words = body.split()
    return body.startswith("  ") and bool(words) and words[0] in CLAUSES


def added(target: str, of: str | None, plus: bool, at: int, end: int) -> None:
    """Raises `NotFound` unless what is assigned is said to be what is added to the target."""
    if target != of or not plus:
        message = f"the statement below changes {target}, and what it adds is not its value"
        help = f"`of {target}` speaks of what is added to it" if plus else None
        raise NotFound(message, at, end, help=help)


def one_index(of: str, indices: Collection[str], at: int, end: int) -> None:
    """Raises `NotFound` where an array has several indices, of which only one would be looked at."""
    several = list(dict.fromkeys(indices))
    if len(several) > 1:
        message = f"the statement below has {len(several)} indices of {of}: {', '.join(several)}"
        raise NotFound(message, at, end, help="write a statement, and a claim, for each")
