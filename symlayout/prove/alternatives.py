"""A claim under facts with alternatives: proved where it is proved in every case.

Each case has the plain facts and one alternative of every other one.  Cases whose facts contradict
each other do not count, unless all do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symlayout.digits.sizes import rank
from symlayout.errors import LayoutError, place_of
from symlayout.expr.choices import Case, Choice, combinations, occurrences
from symlayout.expr.facts import Facts
from symlayout.prove.question import Question
from symlayout.prove.run import Run
from symlayout.prove.scope import joined
from symlayout.prove.verdict import Verdict

Named = tuple[Case, Verdict]


@dataclass(frozen=True)
class Alternatives(Question):
    """A claim, as it is asked under facts, with the plain facts and the others.

    >>> from symlayout import prove
    >>> prove.divides("8", "N", where="N == 16 or N % 24 == 0").status
    'proved'
    """

    ask: Callable[[Facts], Question]
    plain: Facts
    choices: Sequence[Choice]

    def decided(self, run: Run) -> Verdict:
        """The verdict on all cases."""
        plain, choices = self.plain, self.choices
        count = Counter(plain.occurrences) + occurrences(choices)
        known = frozenset(n for n, many in count.items() if many > 1)
        beside = plain.beside | known | {n for c in choices for n in _introduced(c)}
        cases = list(combinations(choices))
        try:
            facts = [replace(plain.and_(case), beside=beside) for case in cases]
            verdicts = [self.ask(f).decided(run) for f in facts]
        except LayoutError as error:
            raise _written(error, choices) from None
        verdict = _joined(list(zip(cases, verdicts)))
        seconds = sum(v.seconds for v in verdicts)
        source = verdict.source
        if source is not None and not isinstance(source, dict):
            texts = (*plain.relations, *map(str, choices))
            source = replace(source, facts=texts)
        least = joined(v.least for v in verdicts if v.proved)
        return replace(verdict, seconds=seconds, source=source, least=least)


def _written(error: LayoutError, choices: Sequence[Choice]) -> LayoutError:
    """The error of a name in the fact that has it as it was written."""
    name = (error.text or "")[error.at : error.end] if error.code == "SL301" else ""
    for choice in choices:
        if name in choice.names and any(str(r) == error.text for c in choice.cases for r in c):
            text = choice.text or str(choice)
            place = place_of(name, text)
            error.message = f"unknown name {name!r} in {text!r}"
            error.text, error.at = text, place and place.start()
            error.end = place and place.end()
            break
    return error


def _introduced(choice: Choice) -> frozenset[str]:
    return frozenset(n for case in choice.cases for n in Facts(case).introduced)


def _joined(named: Sequence[Named]) -> Verdict:
    """The verdict on all cases together."""
    refuted = [(case, v) for case, v in named if v.refuted]
    if refuted:
        case, verdict = min(refuted, key=_smallness)
        return replace(verdict, reason=_in_case(case, verdict))
    for case, verdict in named:
        if verdict.status == "unknown":
            return replace(verdict, reason=_in_case(case, verdict))
    some = [(case, v) for case, v in named if v.proved]
    if not some:
        return replace(named[0][1], reason=f"in every case {named[0][1].reason}")
    reasons = dict.fromkeys(v.reason for _, v in some)
    reason = "; ".join(reasons) if len(reasons) == 1 else "; ".join(_in_case(c, v) for c, v in some)
    empty = f" of {len(named)} that has sizes" if len(some) < len(named) else ""
    return replace(some[0][1], reason=f"in each case{empty}: {reason}")


def _smallness(named: Named) -> Any:
    example = named[1].counterexample
    assert example is not None
    return rank(list(example.sizes.values()))


def _in_case(case: Case, verdict: Verdict) -> str:
    return f"where {' and '.join(map(str, case))}: {verdict.reason}"
