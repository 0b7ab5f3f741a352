"""What the languages share: the expression that was found, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from symlayout.checks.comments.clauses import CLAUSES

LAUNCHED = (".cu", ".cuh", ".hip", ".metal", ".cl", ".cce")  # files that may have kernels
C_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".ixx", ".cppm")
C_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tpp")
C_SUFFIXES = (*LAUNCHED, *C_SOURCES, *C_HEADERS)
ABOVE = "write the comment on a line of its own, above the statement that it is about"


@dataclass(frozen=True)
class Found:
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
