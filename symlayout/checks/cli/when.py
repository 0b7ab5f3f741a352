"""`symlayout when`: the condition on sizes under which a claim holds."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from symlayout.checks.cli.options import colourful, write_json
from symlayout.checks.cli.prove import task_of
from symlayout.checks.result import Task
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.text.escape import as_json, terminal

if TYPE_CHECKING:
    from symlayout.prove.verdict import Verdict
    from symlayout.prove.when.answer import Condition

HEADS = {
    "exact": "exactly when",
    "sufficient": "holds if",
    "necessary": "fails unless",
    "unknown": "unknown",
    "vacuous": "vacuous",
}
COLOURS = {"exact": "green", "unknown": "yellow", "vacuous": "yellow"}


def run(args: Namespace) -> int:
    """`symlayout when CLAIM ARGS...`; 0 where the condition is exact."""
    task, options = task_of(args)
    if options.help:
        print(f"usage: symlayout when {CLAIMS[args.claim].usage} [--where FACT]...")
        print(f"\nunder which sizes: {CLAIMS[args.claim].meaning}")
        return 0
    from symlayout.checks.checker import condition_of

    condition = condition_of(task)
    if options.certificate is not None:
        write_json(options.certificate, _files(condition))
    if options.json:
        print(as_json(data(task, condition)))
    else:
        for line in lines(task, condition, colourful(sys.stdout)):
            print(line)
    return 0 if condition.exact else 1


def lines(task: Task, condition: Condition, colour: bool = False) -> list[str]:
    """The condition, and what is proved of it in each direction."""
    from symlayout.checks.report.style import paint

    head = paint(HEADS[condition.strength], COLOURS.get(condition.strength, "yellow"), colour)
    if condition.strength == "vacuous":
        return [f"{head}: {terminal(condition.reason)}"]
    if condition.strength == "unknown":
        text = condition.reason or "no condition is found that could be proved"
        return [f"{head}: {terminal(text)}"]
    results = [f"{head}: {terminal(condition.text)}"]
    if condition.text in ("always", "never"):
        results = [paint(condition.text, "green", colour)]
    results += [f"  where   {terminal(fact)}" for fact in task.claim.facts]
    if condition.text != "never":
        results.append(f"  if      {_proof_text(condition.verdict_if)}")
    if condition.text != "always":
        only = _proof_text(condition.verdict_only_if)
        if condition.necessary and condition.reason:
            every = ", ".join(condition.names)
            others = "all sizes" if condition.text == "never" else f"every other {every}"
            only += f": for {others} {condition.reason}"
        results.append(f"  only if {terminal(only)}")
    if condition.note:
        results.append(f"  note    {terminal(condition.note)}")
    return results


def _proof_text(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not proved"
    many = certificates(verdict)
    if None in many:
        return "proved"
    return "proved (certificate)" if len(many) == 1 else f"proved ({len(many)} certificates)"


def certificates(verdict: Verdict | None) -> list[dict[str, Any] | None]:
    """The certificates of a verdict's cases; None for one that has none."""
    if verdict is None:
        return []
    cases = verdict._details.get("cases", [verdict])
    return [v.certificate for v in cases if v.status != "vacuous"]


def data(task: Task, condition: Condition) -> dict[str, Any]:
    """The condition as plain data."""
    return {
        "schema": 1,
        **task.claim.to_json(),
        "condition": condition.text,
        "relations": condition.relations,
        "strength": condition.strength,
        "exact": condition.exact,
        "reason": condition.reason,
        "if": _cases(condition.verdict_if),
        "only_if": _cases(condition.verdict_only_if),
    }


def _cases(verdict: Verdict | None) -> list[dict[str, Any]]:
    """What was proved, one claim after the other."""
    if verdict is None:
        return []
    return [
        {
            "claim": v.claim,
            "where": list(map(str, getattr(v.source, "facts", ()))),
            "verdict": v.status,
            "reason": v.reason,
            "certified": bool(v.certificate),
        }
        for v in verdict._details.get("cases", [verdict])
    ]


def _files(condition: Condition) -> Iterator[tuple[str, Any]]:
    """A certificate for each case of both directions, by its name."""
    for way, verdict in (("if", condition.verdict_if), ("only-if", condition.verdict_only_if)):
        for n, certificate in enumerate(certificates(verdict), 1):
            if certificate is not None:
                yield f"{way}-{n}", certificate
