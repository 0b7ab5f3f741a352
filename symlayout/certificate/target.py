"""Which claim a certificate must be for: a line, as a command line has it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

from symlayout.certificate.alternatives import meaning, spelling
from symlayout.certificate.exact import Rejected
from symlayout.certificate.proof import Statement
from symlayout.errors import LayoutError


class Asked(NamedTuple):
    """The claim that a certificate must be for."""

    words: list[str]
    options: dict[str, str]
    facts: set[Any]  # relations, and the cases of facts with alternatives


def claim_of(claim: str, where: Sequence[str]) -> Asked:
    """A claim as a command line has it, whose facts may stand in it or in `where`."""
    results = Asked([], {}, {m for f in where for m in meaning(f)})
    try:
        words = iter(shlex.split(claim))
    except ValueError as error:
        raise LayoutError("SL600", f"the claim cannot be read: {error}") from None
    for word in words:
        if not re.fullmatch(r"--[a-z_]+", word):
            results.words.append(word)
        elif word in ("--where", "--symbol"):
            start = "symbol " if word == "--symbol" else ""
            results.facts.update(meaning(start + next(words, "")))
        else:
            results.options[word[2:]] = next(words, "")
    return results


def compare(statement: Statement, targets: Asked) -> None:
    """Raises `Rejected` for another word, argument, option or fact."""
    facts = {m for f in statement.facts for m in meaning(f)}
    if Asked(statement.words, dict(statement.options), facts) != targets:
        texts = [*targets.words, *[f"--{k} {v}" for k, v in targets.options.items()]]
        texts += [f'--where "{f}"' for f in sorted(map(spelling, targets.facts))]
        raise Rejected(f"certificate: it is for {statement}, not for {' '.join(texts)}")
