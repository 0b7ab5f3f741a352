"""What would mend refuted claims: the condition under which each holds, for the first few of a run."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from symlayout.checks.cache import Cache, key
from symlayout.checks.fixes import fixes
from symlayout.checks.kernel_fixes import Attempts
from symlayout.checks.reading import NOWHERE, Within
from symlayout.checks.result import Outcome, Result, Task
from symlayout.errors import LayoutError
from symlayout.expr.facts import SIDES, Relation, read_relations
from symlayout.expr.tree import Expr
from symlayout.layouts.claim import Claim
from symlayout.programs.kernels.policy import USUAL, Settings
from symlayout.text.patterns import regex

MOST = 5  # claims of a run that are asked for their condition
POWER = regex(r"\b([A-Za-z_]\w*+) *+\^ *+([2-9])(?!\w)", re.A)
PROOFS = 16  # that are tried for each


def hint(task: Task) -> str:
    """The sentence that says under which sizes a claim holds, "" where none is found.

    >>> from symlayout.layouts.claim import Claim
    >>> hint(Task("", Claim("injective", ("(M,N):(1,P)",))))
    'it holds exactly when P >= M or N == 1'
    >>> hint(Task("", Claim("formula", ("(M,N):(N,1)", "i*N + j^2"))))
    'it holds for no sizes; ^ is the exclusive or: write j**2 for the power'
    """
    note = "" if task.derived else _power_note(task.claim)
    text = _condition_or_slip(task)
    return "; ".join(t for t in (text, note if "**" not in text else "") if t)


def _power_note(claim: Claim) -> str:
    """What `^` between a name and a small number means, where a claim has it."""
    match = next(filter(None, map(POWER.search, claim.texts)), None)
    if match is None:
        return ""
    return f"^ is the exclusive or: write {match[1]}**{match[2]} for the power"


def _condition_or_slip(task: Task) -> str:
    """What a claim was meant to be, else under which sizes it holds, "" where neither is known."""
    from symlayout.checks.checker import condition_of

    try:
        if message := correction(task):
            return message
        condition = condition_of(task, PROOFS)
    except (Exception, RecursionError):  # no report is lost for a hint
        return ""
    sufficient = condition.strength in ("exact", "sufficient") and condition.text != "always"
    if not (condition.names and sufficient) or _repeats(condition.relations, task.claim):
        return ""
    never = condition.text == "never"
    return "it holds for no sizes" if never else f"it holds {condition.sentence}"


def _repeats(relations: list[list[str]], claim: Claim) -> bool:
    """Whether a condition only says what the claim `holds` says itself."""

    def canonical(r: Relation) -> tuple[str, frozenset[Expr]]:
        if r.op not in SIDES:
            return r.op, frozenset((r.left - r.right, r.right - r.left))
        sign, shift = SIDES[r.op]
        return ">=", frozenset((sign * (r.left - r.right) - shift,))

    if claim.word != "holds" or len(relations) != 1:
        return False
    try:
        forms = [list(map(canonical, read_relations(t))) for t in (*claim.texts, *relations[0])]
    except LayoutError:  # a condition of moduli, or joined in another way
        return False
    return set(forms[0]) == {r for one in forms[1:] for r in one}


def each(tasks: Iterable[Task]) -> list[str]:
    """The hints of several claims."""
    return [hint(task) for task in tasks]


def correction(task: Task) -> str:
    """What a refuted claim was meant to be, if that is proved; else "".

    >>> from symlayout.layouts.claim import Claim
    >>> correction(Task("", Claim("formula", ("f32[M,N]", "(i - 1)*N + j - 1"))))
    'it holds with coordinates that count from 1; here they count from 0'
    """
    from symlayout.checks.verdicts import ask

    claim = task.claim
    for other, message in _others(claim) if not task.derived else ():
        try:
            if ask(replace(task, claim=other)).proved:
                return message
        except LayoutError:
            continue
    return ""


def _others(claim: Claim) -> Iterator[tuple[Claim, str]]:
    """Claims that are written by mistake as this one, and what to say if one of them holds."""
    texts = claim.texts
    if any("^" in t for t in texts):
        powers = tuple(t.replace("^", "**") for t in texts)
        yield replace(claim, arguments=powers), "it holds with ** for ^, which is exclusive or"
    if claim.word == "equal":
        yield from _with_true_sizes(claim)
    if claim.word != "formula":
        return
    from symlayout.layouts.notation import parse

    arguments = dict(claim.options)
    own = [c.name for c in parse(texts[0]).index_map()._coords]
    names = str(arguments.get("coords", ",".join(own))).replace(",", " ").split()
    later = re.sub(r"[A-Za-z_]\w*", lambda m: f"({m[0]} + 1)" if m[0] in names else m[0], texts[1])
    from_one = "it holds with coordinates that count from 1; here they count from 0"
    yield replace(claim, arguments=(texts[0], later)), from_one
    if len(names) > 1:
        turn = ",".join(reversed(names))
        options = tuple({**arguments, "coords": turn}.items())
        yield replace(claim, options=options), f"it holds with --coords {turn}"


def _with_true_sizes(claim: Claim) -> Iterator[tuple[Claim, str]]:
    """A layout without its true sizes beside one that has them, as a format has: both with them."""
    from symlayout.layouts.cute.inttuple import text_of
    from symlayout.layouts.cute.layout import Layout
    from symlayout.layouts.notation import parse

    texts = list(claim.texts)
    for text, other in (texts, texts[::-1]):
        whole, bare = parse(other), parse(text)
        if not (isinstance(whole, Layout) and isinstance(bare, Layout)) or bare.name:
            continue
        if bare._origin == Layout(bare._shape, bare._stride)._origin != whole._origin:
            right = f"{text}:{text_of(whole._origin)}"
            arguments = tuple(right if t is text else t for t in texts)
            message = f"it holds with the true sizes as the third part: {right}"
            yield replace(claim, arguments=arguments), message


def with_hints(
    results: Sequence[Result],
    cache: Cache | None = None,
    ask: Callable[[list[Task]], list[str]] = each,
    known: dict[str, str] | None = None,
    text: str | None = None,
    settings: Settings = USUAL,
    within: Within = NOWHERE,
) -> list[Result]:
    """The results, the first refuted claims that should hold with what would mend them.

    `known` has what was found for earlier results of the same run, and is added to.  `text` is that
    of their one file, where it is not the one on disk; `settings` are those that it is read under,
    and files of the projects `within` are read again.
    """
    known = {} if known is None else known
    keys = [key(r.task) if _mendable(r) else "" for r in results]
    claims = _foremost(results, known)
    if cache is None:
        known.update(zip(claims, ask(list(claims.values()))))
    else:
        tasks = {f"when {k}": task for k, task in claims.items()}
        known.update(zip(claims, cache.remember_all(tasks, ask)))
    attempts = Attempts(settings, within)
    return [
        _with_hint(r, known.get(k, ""), text, attempts if k in known else None) if k else r
        for k, r in zip(keys, results)
    ]


def _foremost(results: Iterable[Result], known: Collection[str]) -> dict[str, Task]:
    """The first claims that should hold and do not, each once, as many as are still asked."""
    first: dict[str, Task] = {}
    for r in results if len(known) < MOST else ():
        if _mendable(r) and (name := key(r.task)) not in known:
            first.setdefault(name, r.task)
    return dict(islice(first.items(), max(0, MOST - len(known))))


class Foremost:
    """The claims of a run that get a hint, each known as soon as all before it are judged."""

    def __init__(self, entries: Sequence[Task | Result], cache: Cache | None) -> None:
        self.cache = cache
        self.rest = deque(entries)
        self.seen: set[str] = set()

    def among(self, outcomes: Mapping[str, Outcome]) -> list[Task]:
        """Those that have become known since it was last asked, and whose hints are not."""
        new = _foremost(self._judged(outcomes), self.seen)
        self.seen |= new.keys()
        remembers = self.cache.remembers if self.cache is not None else lambda content: False
        return [task for k, task in new.items() if not remembers(f"when {k}")]

    def _judged(self, outcomes: Mapping[str, Outcome]) -> Iterator[Result]:
        while self.rest:
            one = self.rest[0]
            if isinstance(one, Task):
                if (name := key(one)) not in outcomes:
                    return
                one = Result(one, outcomes[name])
            self.rest.popleft()
            yield one


def _mendable(r: Result) -> bool:
    """Whether a claim that should hold is refuted for what can be a condition or a slip."""
    if r.outcome.status != "refuted" or r.task.expect != "proved":
        return False
    if (r.outcome.counterexample or {}).get("sizes") or r.task.claim.word in ("formula", "equal"):
        return True
    if r.task.code is not None:
        return True
    return "^" in r.task.claim.line and not r.task.derived


def _with_hint(r: Result, hint: str, text: str | None, attempts: Attempts | None) -> Result:
    if attempts is None:  # the foremost claims alone get changes
        return r
    hinted = replace(r, hint=hint) if hint else r
    changes = tuple(fixes(hinted, text, attempts))
    return replace(hinted, changes=changes) if changes else hinted
