"""`symlayout.when`: the condition on sizes under which a claim holds.

Every claim word is a function with the arguments that it has in `symlayout.prove`; it returns a
`Condition` instead of a verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symlayout.prove.when.answer import Condition


def condition(word: str, *args: Any, where: Any = (), **options: Any) -> Condition:
    from symlayout import prove
    from symlayout.expr.facts import Facts
    from symlayout.prove.applied import expanded
    from symlayout.prove.when.course import course

    claim = getattr(prove, word)

    def ask(facts: Facts, budget: int) -> Any:
        return claim(*args, where=facts, budget=budget, **options)

    return course(ask, Facts.read(expanded(where)))


def __getattr__(word: str) -> Callable[..., Condition]:
    from symlayout.prove import _HOMES

    if word not in _HOMES:
        raise AttributeError(f"module 'symlayout.when' has no claim {word!r}")
    return partial(condition, word)


def __dir__() -> list[str]:
    from symlayout.prove import _HOMES

    return sorted(_HOMES)
