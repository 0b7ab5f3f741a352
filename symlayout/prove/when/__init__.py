"""`symlayout.when`: the condition on sizes under which a claim holds.

Every claim word is a function with the arguments that it has in `symlayout.prove`; it returns a
`Condition` instead of a verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec

if TYPE_CHECKING:
    from symlayout.layouts.vocabulary import Name
    from symlayout.prove.verdict import Verdict
    from symlayout.prove.when.answer import Condition

    P = ParamSpec("P")


def condition(
    word: Name,
    *args: Any,
    where: Any = (),
    budget: int | None = None,
    proofs: int | None = None,
    **options: Any,
) -> Condition:
    """The condition on sizes under which a claim holds.

    >>> print(condition("injective", "(M,N):(1,P)"))
    exactly when P >= M or N == 1

    `budget` is the solver's for each proof, in its own rlimit, `proofs` how many are tried.
    Raises `LayoutError` as the claim does.
    """
    from symlayout.errors import LayoutError
    from symlayout.expr.choices import split_choices
    from symlayout.expr.facts import Facts
    from symlayout.layouts.vocabulary import claim_word
    from symlayout.prove import question_of
    from symlayout.prove.applied import expansion
    from symlayout.prove.when.admissible import admissible
    from symlayout.prove.when.course import course

    name = claim_word(word).word

    def ask(facts: Facts, steps: int) -> Any:
        return question_of(name, *args, where=facts, budget=budget or steps, **options)

    plain, choices = split_choices(where)
    if choices:
        message = f"no condition is looked for under a fact with alternatives: {choices[0]}"
        help = f"ask for each case: --where '{' and '.join(map(str, choices[0].cases[0]))}'"
        raise LayoutError("SL300", message, help=help)
    facts = Facts.read(expansion(plain))
    try:
        return course(ask, facts, proofs)
    except LayoutError as error:
        hit = admissible(lambda more: course(ask, more, proofs), facts, error)
        if hit is None:
            raise
        return hit


if TYPE_CHECKING:
    from symlayout import prove

    def _condition_of(claim: Callable[P, Verdict]) -> Callable[P, Condition]: ...

    equal = _condition_of(prove.equal)
    bitcast = _condition_of(prove.bitcast)
    reinterpret = _condition_of(prove.reinterpret)
    injective = _condition_of(prove.injective)
    onto = _condition_of(prove.onto)
    bijective = _condition_of(prove.bijective)
    bounded = _condition_of(prove.bounded)
    formula = _condition_of(prove.formula)
    broadcast = _condition_of(prove.broadcast)
    valid = _condition_of(prove.valid)
    instruction = _condition_of(prove.instruction)
    padding = _condition_of(prove.padding)
    bytes = _condition_of(prove.bytes)
    tiles = _condition_of(prove.tiles)
    divides = _condition_of(prove.divides)
    fits = _condition_of(prove.fits)
    aligned = _condition_of(prove.aligned)
    inverse = _condition_of(prove.inverse)
    disjoint = _condition_of(prove.disjoint)
    holds = _condition_of(prove.holds)
else:

    def __getattr__(word):
        from symlayout.layouts.vocabulary import CLAIMS, suggestion

        if word not in CLAIMS:
            raise AttributeError(f"module 'symlayout.when' has no claim {word!r}{suggestion(word)}")
        return partial(condition, word)


def __dir__() -> list[str]:
    from symlayout.layouts.vocabulary import CLAIMS

    return sorted(CLAIMS)
