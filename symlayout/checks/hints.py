"""What would mend refuted claims: the condition under which each holds, for the first few of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symlayout.checks.cache import Cache, key
from symlayout.checks.result import Result, Task

MOST = 5  # claims of a run that are asked for their condition
PROOFS = 16  # that are tried for each


def hint(task: Task) -> str:
    """The sentence that says under which sizes a claim holds, "" where none is found.

    >>> from symlayout.layouts.claim import Claim
    >>> hint(Task("", Claim("injective", ("(M,N):(1,P)",))))
    'it holds exactly when P >= M or N == 1'
    """
    from symlayout.checks.checker import condition_of

    try:
        made = condition_of(task, PROOFS)
    except (Exception, RecursionError):  # no report is lost for a hint
        return ""
    if not made.names or made.strength not in ("exact", "sufficient") or made.text == "always":
        return ""
    return "it holds for no sizes" if made.text == "never" else f"it holds {made.sentence}"


def hinted(
    results: Iterable[Result], cache: Cache | None = None, known: dict[str, str] | None = None
) -> list[Result]:
    """The results, the first refuted claims that should hold with what would mend them.

    `known` has what was found for earlier results of the same run, and is added to.
    """
    made: list[Result] = []
    known = {} if known is None else known
    for r in results:
        example = r.outcome.counterexample or {}
        if r.outcome.status == "refuted" and r.task.expect == "proved" and example.get("sizes"):
            k = key(r.task)
            if k not in known and len(known) < MOST:
                known[k] = _kept(r.task, k, cache)
            r = replace(r, hint=known.get(k, ""))
        made.append(r)
    return made


def _kept(task: Task, k: str, cache: Cache | None) -> str:
    return hint(task) if cache is None else cache.remember(f"when {k}", lambda: hint(task))
