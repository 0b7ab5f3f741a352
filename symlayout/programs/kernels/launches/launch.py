"""A launch in the kernel's own names: what the host passed, matched by argument, never by spelling."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import NEGATED, Facts
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import compare, conjuncts, name, rebuilt

MOST = 40  # facts of one launch


@dataclass(frozen=True)
class Parts:
    """A tuple, or the three sizes of a `dim3`."""

    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    """A launch as the host has it; `why` says what of it is not understood.

    `arguments` are those that are passed, by parameter; `facts` are conditions that hold there, and
    `loose` the values of host code whose sums may wrap around.
    """

    kernel: str
    line: int
    grid: Any = None
    block: Any = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    facts: tuple[tuple[Term, int], ...] = ()
    loose: frozenset[str] = frozenset()
    why: str = ""


@dataclass(frozen=True)
class Fact:
    """What is so of the parameters, and the line of host code that says it."""

    text: str
    line: int


@dataclass(frozen=True)
class Launch:
    """A launch over the kernel's parameters; `why` says what of it is not understood."""

    line: int
    grid: tuple[Term, ...] | None = None
    block: tuple[Term, ...] | None = None
    facts: tuple[Fact, ...] = ()
    why: str = ""

    @property
    def numbers(self) -> dict[str, int]:
        """The parameters that are passed numbers."""
        matches = (re.fullmatch(r"(\w+) == (-?\d+)", f.text) for f in self.facts)
        return {m[1]: int(m[2]) for m in matches if m is not None}

    @property
    def key(self) -> tuple[Any, ...]:
        """What two launches have in common that owe the same."""
        return self.grid, self.block, tuple(f.text for f in self.facts), self.why

    @property
    def _sizes(self) -> dict[str, list[str]]:
        sizes = {"grid": self.grid, "block": self.block}
        return {k: [n.text({}) for n in v] for k, v in sizes.items() if v is not None}

    def to_json(self) -> dict[str, Any]:
        """The launch as plain data."""
        data: dict[str, Any] = {"line": self.line, **self._sizes}
        data["facts"] = [{"text": f.text, "line": f.line} for f in self.facts]
        return data | ({"not_understood": self.why} if self.why else {})

    def __str__(self) -> str:
        """The launch for people, in one line."""
        if self.why:
            return f"the launch in line {self.line} is not understood: {self.why}"
        sizes = [f"{k} ({', '.join(texts)})" for k, texts in self._sizes.items()]
        facts = ", ".join(f"{f.text} (line {f.line})" for f in self.facts)
        return f"launch in line {self.line}: {' '.join(sizes)}{f'; {facts}' if facts else ''}"


class NotPassed(Exception):
    """A value of the host that the kernel does not get."""


def launch_of(
    call: Call,
    parameters: Collection[str],
    pointers: Collection[str],
    unsigned: Collection[str] = (),
) -> Launch:
    """The launch over the kernel's parameters, of which those that are `unsigned` have no sign."""
    if call.why:
        return Launch(call.line, why=call.why)
    table: dict[Term, str] = {}
    facts: dict[str, int] = {}
    arguments = {p: v for p, v in call.arguments.items() if p in parameters and isinstance(v, Term)}
    for p, v in arguments.items():
        if p in pointers or v.is_condition:
            continue
        if v.value is not None:
            if v.value >= 0 or p not in unsigned:
                facts.setdefault(f"{p} == {v.value}", call.line)
        elif v in table:
            facts.setdefault(f"{p} == {table[v]}", call.line)
        else:
            table[v] = p
    for v, p in table.items():
        if v.op != "name" and not _drops(v, None if p in unsigned else call.loose):
            _add(facts, compare("==", name(p, None), v), table, parameters, call.line, v)
    for v, p in table.items():
        most = _most(v) if v.args and p not in unsigned else None
        if most is not None:
            facts.setdefault(f"{p} <= {most}", call.line)
    for c, line in call.facts:
        if not _wraps(c, call.loose):
            for part in conjuncts(c):
                _add(facts, part, table, parameters, line)
    try:
        grid = _sizes("grid", call.grid, table, parameters, call.loose)
        block = _sizes("block", call.block, table, parameters, call.loose)
    except NotPassed as error:
        return Launch(call.line, why=str(error))
    first_facts = [Fact(text, line) for text, line in facts.items()][:MOST]
    return Launch(call.line, grid, block, tuple(first_facts))


def _add(
    facts: dict[str, int],
    c: Term,
    table: Mapping[Term, str],
    parameters: Collection[str],
    line: int,
    own: Term | None = None,
) -> None:
    """Adds a comparison of parameters; of anything else nothing is known."""
    if c.op not in NEGATED:
        return
    try:
        known = {v: p for v, p in table.items() if v != own}
        text = in_parameters(c, known, parameters).text({})
        Facts().and_(text)
    except (NotPassed, LayoutError):
        return
    facts.setdefault(text, line)


def _most(v: Term) -> int | None:
    """The number that a value is never above, whatever else of it the kernel does not get."""
    if v.op == "num":
        return v.number
    options, least = v.args, v.op == "min"
    if v.op == "where":
        c, *options = v.args  # type: ignore[assignment]
        order = {"<": options, "<=": options, ">": options[::-1], ">=": options[::-1]}
        least = [*c.args] == [*order.get(c.op, ())]
    elif not least:
        return None
    ends = [n for n in map(_most, options) if n is not None]
    if least:
        return min(ends, default=None)
    return max(ends) if len(ends) == len(options) else None


def _wraps(c: Term, loose: frozenset[str]) -> bool:
    """Whether a sum or a product of values without a sign, which C takes modulo 2**32, is asked."""
    if c.op in ("+", "-", "*") and any(x.word in loose for x in c.leaves):
        return True
    return any(_wraps(a, loose) for a in c.args)


def _drops(v: Term, loose: Collection[str] | None) -> bool:
    """Whether a difference is taken of values without a sign (None: of any): below 0 it is large."""
    own = v.op == "-" and (loose is None or any(x.word in loose for x in v.leaves))
    return own or any(_drops(a, loose) for a in v.args)


def _sizes(
    word: str,
    value: Any,
    table: Mapping[Term, str],
    parameters: Collection[str],
    loose: Collection[str],
) -> tuple[Term, ...] | None:
    """The sizes; one that is passed as no argument is a size of its own: `grid0`, `block1`."""
    if value is None:
        return None
    parts = value.parts if isinstance(value, Parts) else (value,)
    if not 1 <= len(parts) <= 3:
        raise NotPassed(f"its {word} is not one to three sizes")
    sizes = []
    for k, p in enumerate(parts):
        own = f"{word}{k}"
        try:
            plain = isinstance(p, Term) and not p.is_condition and not _drops(p, loose)
            sizes.append(in_parameters(p, table, parameters) if plain else name(own, None))
        except NotPassed:
            if own in parameters:
                raise NotPassed(f"a size of its {word} is passed as no argument") from None
            sizes.append(name(own, None))
    while len(sizes) > 1 and sizes[-1].value == 1:
        sizes.pop()
    return tuple(sizes)


def in_parameters(node: Term, table: Mapping[Term, str], parameters: Collection[str]) -> Term:
    """The value over the kernel's parameters, each part that is passed by its parameter's name.

    Raises `NotPassed` for a value that the kernel does not get.
    """
    if node in table:
        return name(table[node], None)
    if node.op == "num":
        return node
    if node.op == "name" and node.word in parameters:
        return node
    if not node.args:
        raise NotPassed("a size of it is passed as no argument")
    return rebuilt(node, tuple(in_parameters(a, table, parameters) for a in node.args))
