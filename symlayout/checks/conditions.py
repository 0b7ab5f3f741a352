"""Facts under which the algebra of a claim can be decided, where a claim's own facts leave it open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from symlayout.errors import LayoutError

TRIES = 12  # layouts that are looked at
DEEPEST = 3  # facts that are added


def with_condition(error: LayoutError, texts: Iterable[str], facts: Sequence[Any]) -> LayoutError:
    """The error with facts that are enough as its help, if it asks for some and these are known.

    >>> from symlayout import parse
    >>> text = "logical_divide((M,N):(N,1), 32)"
    >>> try:
    ...     parse(text).under(()).layout
    ... except LayoutError as error:
    ...     print(with_condition(error, [text], ()).help)
    add --where 'M % 32 == 0', or another fact that decides it
    """
    if error.code != "SL801" or not error.needs:
        return error
    texts = [t for t in map(str, texts) if _is_algebra(t)]
    hits = _enough(texts, tuple(facts), error, [TRIES])
    if hits:
        options = " ".join(f"--where '{_option_text(fact)}'" for fact in hits)
        error.help = f"add {options}, or another fact that decides it"
    return error


def _option_text(fact: str) -> str:
    from symlayout.expr.facts import read_relations
    from symlayout.prove.when.answer import spelling

    return " and ".join(map(spelling, read_relations(fact)))


def _is_algebra(text: str) -> bool:
    from symlayout.layouts.notation import notation_of

    return notation_of(text).name == "algebra"


def _enough(
    texts: list[str], facts: tuple[Any, ...], error: LayoutError, tries: list[int]
) -> list[str]:
    """The fewest of the facts that errors name under which all layouts are decided."""
    more = _chain(texts, facts, error, (), tries)
    for fact in more[:-1]:
        rest = [f for f in more if f != fact]
        if _error_of(texts, (*facts, *rest)) is None:
            more = rest
    return more


def _chain(
    texts: list[str], facts: tuple[Any, ...], error: LayoutError, more: tuple[str, ...], tries: Any
) -> list[str]:
    """Facts that errors name one after the other, until there is no error."""
    if len(more) == DEEPEST:
        return []
    for need in sorted(error.needs, key=_price):
        if not tries[0]:
            return []
        tries[0] -= 1
        case = (*more, need)
        if _contradict((*facts, *case)):
            continue
        further = _error_of(texts, (*facts, *case))
        if further is None:
            return list(case)
        if further.code == "SL801" and (hits := _chain(texts, facts, further, case, tries)):
            return hits
    return []


def _contradict(facts: Sequence[Any]) -> bool:
    from symlayout.digits.assume import context_of
    from symlayout.expr.facts import Facts

    known = Facts.read(list(facts))
    return bool(context_of(known, sorted(known.names)).contradiction)


def _price(need: str) -> int:
    """Facts that people state come first: that a size is a multiple of a number, or at least one."""
    divisor = need.partition("%")[2].removesuffix(" == 0").strip()
    return 1 if not divisor else 0 if divisor.isdigit() else 2


def _error_of(texts: list[str], facts: Sequence[Any]) -> LayoutError | None:
    """The first error of the layouts under these facts."""
    from symlayout.layouts.notation import parse

    for text in texts:
        layout = parse(text)
        with suppress(RecursionError):
            try:
                layout.under(list(facts)).index_map()
            except LayoutError as error:
                return error
    return None
