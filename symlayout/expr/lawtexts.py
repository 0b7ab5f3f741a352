"""The laws of an operator's row as relations."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from symlayout.expr.operators import ARGUMENTS, Operator
from symlayout.expr.relations import Relation, read_relations


class OperatorLaw(NamedTuple):
    """Where the operator has a value and the premises hold, its result r satisfies the conclusion."""

    premises: tuple[Relation, ...]
    conclusion: Relation


def arguments(row: Operator) -> tuple[str, ...]:
    """The names of the arguments in laws; an operator of any number has laws about two."""
    return tuple(ARGUMENTS[: row.arity or 2])


@cache
def laws_of(row: Operator) -> tuple[OperatorLaw, ...]:
    """The laws of a row.

    >>> from symlayout.expr.operators import BY_NAME
    >>> for law in laws_of(BY_NAME["BitAnd"]):
    ...     print(*law.premises, law.conclusion, sep="; ")
    x >= 0; y >= 0; r <= x
    x >= 0; y >= 0; r <= y
    x >= 0; y >= 0; r >= 0
    """
    results = []
    for text in row.laws:
        before, _, after = text.rpartition("=>")
        premises = [r for part in before.split(",") if part.strip() for r in read_relations(part)]
        (conclusion,) = read_relations(after)
        results.append(OperatorLaw(tuple(premises), conclusion))
    return tuple(results)


def demands_of(row: Operator) -> tuple[Relation, ...]:
    """What the arguments satisfy where the operator has a value.

    >>> from symlayout.expr.operators import BY_NAME
    >>> print(*demands_of(BY_NAME["Exp2"]), *demands_of(BY_NAME["Mod"]))
    x >= 0 y != 0
    """
    words = arguments(row)
    texts = [f"{words[k]} >= 0" for k in row.natural]
    texts += [] if row.divisor is None else [f"{words[row.divisor]} != 0"]
    return tuple([r for text in texts for r in read_relations(text)])
