"""The sizes for which a verdict holds: every name of the claim with its least value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symlayout.expr.facts import Facts


def of_names(names: Iterable[str], facts: Facts) -> dict[str, int]:
    """The names with the least values that the facts allow."""
    return {name: facts.domain(name).low for name in names}


def under(scope: Mapping[str, int], facts: Facts) -> dict[str, int]:
    """The scope under the facts of the whole claim: a part may be proved under fewer."""
    return {name: max(low, facts.domain(name).low) for name, low in scope.items()}


def joined(scopes: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The scope of several cases together."""
    least: dict[str, int] = {}
    for scope in scopes:
        for name, low in scope.items():
            least[name] = min(least.get(name, low), low)
    return least


def text(least: Mapping[str, int]) -> str:
    """The scope in words; nothing for a claim without sizes.

    >>> text({"M": 1, "N": 1, "S": 0}), text({"M": 1}), text({})
    (' for all M, N >= 1 and S >= 0', ' for all M >= 1', '')
    """
    groups: dict[int, list[str]] = {}
    for name, low in least.items():
        groups.setdefault(low, []).append(name)
    parts = [f"{', '.join(names)} >= {low}" for low, names in groups.items()]
    return f" for all {' and '.join(parts)}" if parts else ""
