"""Verdicts: proved, refuted with a counterexample, unknown with a reason, or vacuous."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, NoReturn, ParamSpec

from symlayout.hooks import hook
from symlayout.prove.vocabulary import CLAIMS

NUMBER = re.compile(r"\d+([./]\d+)?")
PLAIN = re.compile(r"[\w.,+*/%-]+")
STATUSES = ("proved", "refuted", "unknown", "vacuous")


@dataclass(frozen=True)
class Counterexample:
    """Where a claim fails: the sizes by name, the coordinates, and the two values that disagree.

    `other` is the second coordinate where two elements collide; `left` and `right` are numbers, or
    a short text where a side has no value (a division by zero, an offset that nothing hits).
    """

    sizes: dict[str, int]
    coords: tuple[int, ...]
    left: int | str | None
    right: int | str | None
    other: tuple[int, ...] | None = None
    note: str = ""

    def __str__(self) -> str:
        sizes = ", ".join(f"{n} = {v}" for n, v in self.sizes.items())
        parts = [sizes] if sizes else []
        if self.note:
            parts.append(self.note)
        return "; ".join(parts)


@dataclass(frozen=True)
class Verdict:
    """The answer to a claim.

    `status` is "proved", "refuted", "unknown" or "vacuous"; `reason` is for people; `counterexample`
    goes with "refuted"; `details` holds what a claim reports beside its verdict (a result shape,
    which reshape a bitcast is); `certificate` can be checked again without the prover, and is made
    when it is first asked for.
    """

    status: str
    claim: str
    reason: str
    counterexample: Counterexample | None = None
    details: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    # the claim as it was asked (word, arguments, options and facts), or its certificate
    source: tuple[Any, ...] | dict[str, Any] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        assert self.status in STATUSES, self.status
        assert (self.counterexample is not None) == (self.status == "refuted"), self

    @property
    def proved(self) -> bool:
        """Whether the claim holds for all sizes that satisfy the facts, and some do."""
        return self.status == "proved"

    @property
    def refuted(self) -> bool:
        """Whether there is a counterexample."""
        return self.status == "refuted"

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """The proof as JSON, for `recheck`; None for a verdict that is not "proved"."""
        if self.source is None or not self.proved:
            return None
        if isinstance(self.source, dict):
            return self.source
        return hook("certificate")(*self.source)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        return str(hook("html")(self))

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is neither true nor false: ask verdict.proved or .refuted")

    def __str__(self) -> str:
        return f"{self.status}: {self.claim}\n  {self.reason}"


P = ParamSpec("P")
# what the claim that is being decided is written as: its arguments and facts
WRITTEN: ContextVar[tuple[Any, ...]] = ContextVar("written", default=())
IDENTIFIER = re.compile(r"[A-Za-z_]\w*\b(?!\s*\()")
KEY = inspect.Parameter.KEYWORD_ONLY


def certified(claim: Callable[P, Verdict], word: str = "") -> Callable[P, Verdict]:
    """A claim whose verdict remembers what was asked, so that a certificate can be made of it."""
    signature = inspect.signature(claim)
    name = word or claim.__name__
    named = {*CLAIMS[name].options, *[n for n, p in signature.parameters.items() if p.kind == KEY]}

    @wraps(claim)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        from symlayout.expr.facts import Facts
        from symlayout.prove.applied import expanded

        given = signature.bind(*args, **kwargs)
        facts = Facts.read(expanded(given.arguments.get("where", ())))
        given.arguments["where"] = facts
        token = WRITTEN.set((*given.arguments.values(), *facts.relations))
        try:
            verdict = claim(*given.args, **given.kwargs)
        finally:
            WRITTEN.reset(token)
        values = {n: v for n, v in given.arguments.items() if n not in ("where", "budget")}
        arguments = [v for n, v in values.items() if n not in named]
        options = {n: _option(n, v) for n, v in values.items() if n in named}
        object.__setattr__(verdict, "source", (name, arguments, options, facts))
        object.__setattr__(verdict, "claim", claim_text(name, arguments, options))
        return verdict

    return asked


def as_written(names: Iterable[str]) -> tuple[str, ...]:
    """The names in the order in which the claim's text has them, and then those of facts alone.

    An expression knows no such order: its terms are sorted by name, and answers must not be.
    """
    given = tuple(dict.fromkeys(names))
    if len(given) < 2:
        return given
    place: dict[str, int] = {}
    for written in WRITTEN.get():
        for word in IDENTIFIER.findall(str(written)):
            place.setdefault(word, len(place))
    return tuple(sorted(given, key=lambda n: place.get(n, len(place))))


def claim_text(word: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The claim as a command line has it, so that `symlayout prove` reads it again.

    >>> claim_text("tiles", ["zN(f16,R,C)", (16, 32)], {"at": "p,q"})
    'tiles "zN(f16,R,C)" "16,32" --at p,q'
    """
    words = [_quoted(_argument(word, a)) for a in arguments if a is not None]
    known = [n for n in options if n in CLAIMS[word].options and options[n] is not None]
    return " ".join([word, *words, *[f"--{n} {_plain(str(options[n]))}" for n in known]])


def _argument(word: str, given: Any) -> str:
    """The text of a layout, of sizes, of relations, or what stands for a map that has none."""
    if isinstance(given, str):
        return given
    if word == "holds":
        from symlayout.expr.facts import Facts

        return " and ".join(map(str, Facts.read(given).relations))
    if isinstance(given, (list, tuple)):
        listed = ",".join(map(str, given))
        return f"[{listed}]" if word == "broadcast" else listed
    text = getattr(given, "text", None)
    return f"<map of shape {list(given.shape)}>" if text == "" else str(text or given)


def _option(name: str, given: Any) -> Any:
    """A permutation, names or a place as one text without blanks."""
    if isinstance(given, (list, tuple)) and given:
        given = ",".join(map(str, given))
    if not isinstance(given, str):
        return given
    return "".join(given.split()) if name == "at" else re.sub(r"[\s,]+", ",", given.strip())


def _quoted(text: str) -> str:
    """In double quotes, unless it is a number (or has such quotes in it)."""
    if NUMBER.fullmatch(text):
        return text
    return shlex.quote(text) if '"' in text else f'"{text}"'


def _plain(text: str) -> str:
    """In quotes only where blanks or brackets ask for them."""
    return text if PLAIN.fullmatch(text) else _quoted(text)
