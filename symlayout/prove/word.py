"""Claim words as functions: each reads its arguments and returns a question, which is decided here.

What a word's function returns is a `Question`; called by its name it gives the verdict, and
`word.question(...)` is the question itself, for whoever decides it with another effort.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from time import perf_counter
from typing import Any, ParamSpec, Protocol, cast

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.layouts.claim import Claim
from symlayout.layouts.notation import Text
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.prove import scope
from symlayout.prove.fewer import BUDGET, Settled
from symlayout.prove.question import Question
from symlayout.prove.run import Fewer, Run
from symlayout.prove.verdict import Verdict
from symlayout.prove.written import Written
from symlayout.text.once import cached_property

P = ParamSpec("P")
KEY = inspect.Parameter.KEYWORD_ONLY


class Word(Protocol[P]):
    """A claim word: called, it decides; its question is what it states."""

    question: Callable[P, Question]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Verdict:
        """The verdict."""


def states(statement: Callable[P, Question], name: str = "") -> Word[P]:
    """A claim word, of the function that reads its arguments and says what it states."""
    signature = inspect.signature(statement).replace(return_annotation="Verdict")
    name = name or statement.__name__
    named = {*CLAIMS[name].options, *[n for n, p in signature.parameters.items() if p.kind == KEY]}
    own = {*named, "expr"}  # these are no layouts
    binding = _binding(signature)

    def question(*args: P.args, **kwargs: P.kwargs) -> Question:
        from symlayout.expr.choices import split_choices
        from symlayout.prove.applied import expansion

        try:
            call = binding(args, kwargs)
        except TypeError as error:
            raise TypeError(f"prove.{name}{signature} {error}") from None
        plain, choices = split_choices(call.get("where", ()))
        call["where"] = facts = Facts.read(expansion(plain))
        if choices:
            from symlayout.prove.alternatives import Alternatives

            ask: Any = question
            return Alternatives(lambda case: ask(**{**call, "where": case}), facts, choices)
        texts = {n: x for n, x in call.items() if isinstance(x, str) and n not in own}
        if any("?" in x for x in texts.values()):
            from symlayout.layouts.doors.mlir import separated

            texts = dict(zip(texts, separated(list(texts.values()))))
        for n, value in texts.items():  # read once, whoever asks for it
            call[n] = value if isinstance(value, Text) else Text(value)
        return Asked(name, statement, call, frozenset(named))

    @wraps(statement)
    def ask(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        return question(*args, **kwargs).decided(Run())

    result: Any = ask
    result.__signature__, result.question = signature, question
    result.__annotations__ = {**statement.__annotations__, "return": "Verdict"}
    return cast(Word[P], result)


@dataclass(frozen=True)
class Asked(Question):
    """A claim as it is asked: a word, its arguments by name, and what it states of them."""

    word: str
    statement: Callable[..., Question]
    call: dict[str, Any]
    named: frozenset[str]  # of the arguments, those that are options

    @property
    def facts(self) -> Facts:
        """The facts, read."""
        facts: Facts = self.call["where"]
        return facts

    @cached_property
    def question(self) -> Question:
        """What is stated; raises `LayoutError` for arguments that mean nothing."""
        return self.statement(**self.call)

    def own(self, run: Run) -> Run:
        """The run with this claim's own words, and its own budget of the solver."""
        effort, budget = run.effort, self.call.get("budget")
        if effort.solver != budget:
            effort = replace(effort, solver=budget)
        written = Written((*self.call.values(), *self.facts.relations))
        return Run(effort, written, run.fewer or Fewer(self.facts, self.under), run.meter)

    def under(self, facts: Facts) -> Question:
        """What is stated under other facts, to be decided with little of the solver."""
        return self.statement(**{**self.call, "where": facts, "budget": BUDGET})

    def subjects(self, run: Run) -> list[Any]:
        """Those of what is stated."""
        return self.question.subjects(self.own(run))

    def decided(self, run: Run) -> Verdict:
        """The verdict, which remembers what was asked: so a certificate can be made of it."""
        start = perf_counter()
        try:
            verdict = self.question.decided(self.own(run))
        except Settled as by_fewer:
            if run.fewer is not None:  # this is a part of what is asked
                raise
            verdict = by_fewer.verdict
        least = scope.under(verdict.least, self.facts)
        seconds = perf_counter() - start
        return replace(verdict, source=self.claim, least=least, seconds=seconds)

    @property
    def claim(self) -> Claim:
        """The claim as a value."""
        values = {n: v for n, v in self.call.items() if n not in ("where", "budget")}
        arguments, options = [], []
        for n, v in values.items():
            if v is not None and n in self.named:
                options.append((n, _option(n, v)))
            elif v is not None:
                arguments.append(_argument(self.word, v))
        return Claim(self.word, tuple(arguments), tuple(options), self.facts.relations)


def _binding(
    signature: inspect.Signature,
) -> Callable[[Sequence[Any], Mapping[str, Any]], dict[str, Any]]:
    """`signature.bind` of parameters that all have names, in a tenth of the time where it succeeds."""
    rows = signature.parameters
    places = [n for n, p in rows.items() if p.kind != KEY]
    required = {n for n, p in rows.items() if p.default is p.empty}

    def binding(args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
        call = dict(zip(places, args))
        call |= {n: options[n] for n in rows if n in options}
        if len(call) < len(args) + len(options) or not required <= call.keys():
            signature.bind(*args, **options)  # which says what is wrong
        return call

    return binding


def _argument(word: str, value: Any) -> Any:
    """Sizes as a tuple, and relations as one text: what a claim's value holds."""
    if word == "holds" and not isinstance(value, str):
        return " and ".join(map(str, Facts.read(value).relations))
    return _readable(value)


def _readable(value: Any) -> Any:
    """Sizes as a tuple, and SymPy's own functions as ours, whose texts can be read."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return tuple(map(_readable, value))
    if not hasattr(value, "free_symbols"):  # nothing of SymPy's
        return value
    from symlayout.expr.terms import from_sympy

    try:
        return from_sympy(value)
    except LayoutError:  # a ratio
        return value


def _option(name: str, value: Any) -> Any:
    """A permutation, names, a place or types as one text without blanks."""
    if isinstance(value, dict):
        value = [f"{n}={x}" for n, x in value.items()]
    if isinstance(value, (list, tuple)) and value:
        value = ",".join(map(str, _readable(value)))
    if not isinstance(value, str):
        return value
    if name == "at":
        return "".join(value.split())
    return re.sub(r"[\s,]+", ",", re.sub(r"\s*=\s*", "=", value.strip()))
