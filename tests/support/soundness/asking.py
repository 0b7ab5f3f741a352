"""The one door to the package: what is asked of it, and what it answers.

Nothing here says what a claim means; the other modules of the campaign import nothing of the package.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

SEARCH: list[int] = []  # how many points an undecided claim is searched for, at last


def verdict(
    word: str, args: Sequence[str], facts: Sequence[str], options: Mapping[str, str]
) -> Any:
    """The prover's verdict on a claim."""
    from symlayout.prove import question_of
    from symlayout.prove.run import Effort, Run

    effort = Effort(more=SEARCH[-1], fewer=False) if SEARCH else Effort()
    return question_of(word, *args, where=list(facts), **options).decided(Run(effort))


def refusal(error: Exception) -> tuple[str, str] | None:
    """Code and message of an error that the package raises on purpose."""
    from symlayout.errors import LayoutError

    return (error.code, error.message) if isinstance(error, LayoutError) else None


def recheck(certificate: Any, line: str, facts: Sequence[str]) -> list[str] | None:
    """Why the certificate is turned down for this claim; None where it is accepted."""
    from symlayout.certificate.kernel import recheck as checked

    answer = checked(json.loads(json.dumps(certificate)), line, list(facts))
    return None if answer.ok else list(answer.failures)


def emitted(text: str, facts: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The code whose values `fits` speaks of: (name, expression) line by line; its coordinates."""
    from symlayout import parse
    from symlayout.render.emit import emit

    m = parse(text).index_map()
    code = emit(m, "python", formula=m.under(list(facts)), where=list(facts))
    lines = re.findall(r"^ +(?:(\w+) =|return) (.*)$", code, re.MULTILINE)
    return tuple((name or "result", value) for name, value in lines), tuple(
        c.name for c in m.coords
    )


def limit_search(points: int) -> None:
    """How many points an undecided claim is searched for."""
    SEARCH.append(points)


def forget() -> None:
    """Empties the caches that grow from claim to claim."""
    from sympy.core.cache import clear_cache

    clear_cache()


def condition(
    word: str, args: Sequence[str], facts: Sequence[str], options: Mapping[str, str]
) -> Any:
    """The condition under which a claim holds."""
    from symlayout import when

    return getattr(when, word)(*args, where=list(facts), **options)


def rechecked(verdict: Any) -> list[str]:
    """Why a verdict's certificate is turned down; nothing where it has none or is accepted."""
    made = None if verdict.status != "proved" else verdict.certificate
    if made is None:
        return []
    from symlayout.certificate.kernel import recheck as checked

    answer = checked(json.loads(json.dumps(made)))
    return [] if answer.ok else list(answer.failures)


def answer(*words: str) -> tuple[int, Any]:
    """What a command prints as JSON, and how it ends."""
    from symlayout.__main__ import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(list(words))
    try:
        return code, json.loads(out.getvalue())
    except ValueError:
        return code, None
