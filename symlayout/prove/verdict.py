"""Verdicts: proved, refuted with a counterexample, unknown with a reason, or vacuous."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, NoReturn, ParamSpec, get_args

from symlayout.errors import LayoutError
from symlayout.expr.outward import keywords, public
from symlayout.hooks import Shown, hook
from symlayout.layouts.claim import Claim, fact_words, sizes_in
from symlayout.layouts.naming import has_size
from symlayout.layouts.notation import Text
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.prove import scope
from symlayout.text.escape import shell
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.expr.facts import Facts

Status = Literal["proved", "refuted", "unknown", "vacuous"]
STATUSES: tuple[Status, ...] = get_args(Status)
SMALLER = "may fail as well)"  # a refutation that says so need not be the smallest


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


@keywords
@dataclass(frozen=True)
class Verdict(Shown):
    """The answer to a claim.

    `status` is "proved", "refuted", "unknown" or "vacuous"; `reason` is for people; `counterexample`
    goes with "refuted"; `details` holds what a claim reports beside its verdict (a result shape,
    which reshape a bitcast is); `certificate` can be checked again without the prover, and is made
    when it is first asked for.
    """

    status: Status
    claim: str
    reason: str
    counterexample: Counterexample | None = None
    _details: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    # the claim as it was asked, or its certificate
    source: Claim | dict[str, Any] | None = field(default=None, compare=False, repr=False)
    least: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    details = public("_details", "What the claim reports beside its verdict.")

    def __post_init__(self) -> None:
        assert self.status in STATUSES, self.status
        assert (self.counterexample is not None) == (self.status == "refuted"), self

    if not TYPE_CHECKING:  # to a type checker a misspelt name is none

        def __getattr__(self, name: str) -> Any:
            """The claim's text, spelled from what was asked."""
            source = vars(self).get("source")
            if name != "claim" or not isinstance(source, Claim):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            object.__setattr__(self, "claim", source.quoted)
            return vars(self)["claim"]

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
        return hook("certificate")(self.source)  # type: ignore[no-any-return]

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is neither true nor false: ask verdict.proved or .refuted")

    @property
    def scope(self) -> str:
        """The sizes for which a proof holds: their names, each with the least value.

        >>> from symlayout import prove
        >>> prove.injective("(M,N):(S,1)", where="S >= N").scope
        ' for all M, N, S >= 1'
        """
        return scope.text(self.least) if self.proved else ""

    @property
    def command(self) -> str:
        """The command line that asks the same, facts included.

        >>> from symlayout import prove
        >>> print(prove.injective("(M,N):(N,1)", where="M > 1").command)
        symlayout prove injective '(M,N):(N,1)' --where 'M > 1'
        """
        question = self.source if isinstance(self.source, Claim) else self.claim
        return f"symlayout prove {question}"

    def __str__(self) -> str:
        facts = self.source.facts if isinstance(self.source, Claim) else ()
        text = "".join(f" {shell(fact_words(str(f)))}" for f in facts)
        return f"{self.status}{self.scope}: {self.claim}{text}\n  {self.reason}"


def left_open(claim: Claim, reason: str) -> Verdict:
    """The verdict on a claim whose text says less than what is asked."""
    return Verdict("unknown", claim.quoted, reason, source=claim)


def may_fail(sizes: Mapping[str, int]) -> str:
    """What a reason says of a counterexample that need not be the smallest."""
    return f" (smaller {'sizes' if sizes else 'places'} {SMALLER}"


P = ParamSpec("P")
# what the claim that is being decided is written as: its arguments and facts
WRITTEN: ContextVar[tuple[Any, ...]] = ContextVar("written", default=())
IDENTIFIER = regex(r"[A-Za-z_]\w*\b(?!\s*\()")
KEY = inspect.Parameter.KEYWORD_ONLY


def certified(claim: Callable[P, Verdict], word: str = "") -> Callable[P, Verdict]:
    """A claim whose verdict remembers what was asked, so that a certificate can be made of it."""
    signature = inspect.signature(claim)
    name = word or claim.__name__
    named = {*CLAIMS[name].options, *[n for n, p in signature.parameters.items() if p.kind == KEY]}
    own = {*named, "expr"}  # these are no layouts
    binding = _binding(signature)

    @wraps(claim)
    def ask(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        from symlayout.expr.choices import split_choices
        from symlayout.expr.facts import Facts
        from symlayout.prove.applied import expansion
        from symlayout.prove.fewer import ASKED, Asked, Settled

        try:
            call = binding(args, kwargs)
        except TypeError as error:
            raise TypeError(f"prove.{name}{signature} {error}") from None
        plain, choices = split_choices(call.get("where", ()))
        call["where"] = facts = Facts.read(expansion(plain))
        if choices:
            from symlayout.prove.alternatives import by_cases

            return by_cases(lambda case: ask(**{**call, "where": case}), facts, choices)  # type: ignore[call-arg]
        texts = {n: x for n, x in call.items() if isinstance(x, str) and n not in own}
        if any("?" in x for x in texts.values()):
            from symlayout.layouts.doors.mlir import separated

            texts = dict(zip(texts, separated(list(texts.values()))))
        for n, value in texts.items():  # read once, whoever asks for it
            call[n] = value if isinstance(value, Text) else Text(value)
        again = None
        if not WRITTEN.get():  # else it is a part of what is asked
            again = ASKED.set(Asked(facts, partial(_under, claim, signature, call)))
        token = WRITTEN.set((*call.values(), *facts.relations))
        names: dict[str, int] = {}
        try:
            verdict = scope.noting(names, partial(claim, **call))
        except Settled as by_fewer:
            if again is None:
                raise
            verdict = by_fewer.verdict
        finally:
            WRITTEN.reset(token)
            if again is not None:
                ASKED.reset(again)
        values = {n: v for n, v in call.items() if n not in ("where", "budget")}
        arguments = [
            _argument(name, v) for n, v in values.items() if n not in named and v is not None
        ]
        options = [(n, _option(n, v)) for n, v in values.items() if n in named and v is not None]
        source = Claim(name, tuple(arguments), tuple(options), facts.relations)
        object.__setattr__(verdict, "source", source)
        object.__setattr__(verdict, "least", scope.under(names, facts))
        vars(verdict).pop("claim", None)  # spelled when it is asked for: that can take longer
        return verdict

    return ask


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


def _under(claim: Any, signature: inspect.Signature, call: dict[str, Any], facts: Any) -> Verdict:
    """The verdict on the same under other facts, with little of the solver."""
    from symlayout.prove.fewer import BUDGET

    effort = {"budget": BUDGET} if "budget" in signature.parameters else {}
    verdict = claim(**{**call, "where": facts, **effort})
    assert isinstance(verdict, Verdict)
    return verdict


def as_written(names: Iterable[str]) -> tuple[str, ...]:
    """The names in the order in which the claim's text has them, and then those of facts alone.

    An expression knows no such order: its terms are sorted by name, and answers must not be.
    """
    arguments = tuple(dict.fromkeys(names))
    if len(arguments) < 2:
        return arguments
    place: dict[str, int] = {}
    for part in (part for w in WRITTEN.get() for part in _parts(w)):
        for word in IDENTIFIER.findall(part):
            place.setdefault(word, len(place))
        if all(n in place for n in arguments):  # what follows need not be spelled
            break
    return tuple(sorted(arguments, key=lambda n: place.get(n, len(place))))


def _parts(text: Any) -> Iterator[str]:
    """A text, or what a map made by hand is printed as, field by field."""
    from symlayout.layouts.indexmap import IndexMap

    if not isinstance(text, IndexMap):
        yield str(text)
        return
    for f in fields(text):
        if f.repr:
            yield f"{f.name}={getattr(text, f.name)!r}"


def also_written(other_than: Any = None) -> frozenset[str]:
    """The names of the claim's layouts and relations, also where a term cancels: facts may use them.

    `(M,1):(1,S)` has the symbol S, though no offset depends on it.  A text `other_than` the one that
    is read may use them too.
    """
    from symlayout.layouts.xla.dtypes import BITS  # its folder needs SymPy, and a cache does not

    texts = [w for w in WRITTEN.get() if isinstance(w, Text) and w != other_than]
    return frozenset(n for t in texts for n in sizes_in(t)) - BITS.keys()


def check_names(facts: Facts, names: Iterable[str]) -> None:
    """Raises `LayoutError` (SL301) for facts with names that the claim does not have."""
    others = facts.written - {*names}
    texts = [w for w in WRITTEN.get() if isinstance(w, Text)] if others else []
    facts.check_names({*names, *(n for n in others if any(has_size(t, n) for t in texts))})


def _argument(word: str, value: Any) -> Any:
    """Sizes as a tuple, and relations as one text: what a claim's value holds."""
    if word == "holds" and not isinstance(value, str):
        from symlayout.expr.facts import Facts

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
