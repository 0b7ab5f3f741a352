"""Changes of a kernel with which a refuted claim is proved: each is put in, read and judged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from symlayout.checks.kernel_values import BARRIER, values_of
from symlayout.checks.reading import NOWHERE, Within
from symlayout.checks.result import Fix, Loaded, Place, Result, Task
from symlayout.errors import LayoutError
from symlayout.programs.kernels.policy import USUAL, Remember, Settings, memory
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.checks.kernel_source import Edit
    from symlayout.programs.kernels.written import Code

WORK = 480  # claims that are read again for one refuted claim, at most
FEWEST, MOST = 4, 40  # changes that are tried for one claim
MAY_VANISH = ("fits", "divisor", "blocks")  # claims of these kinds may have nothing left to show
PARTED = ("race",)  # nor have these where a barrier was added
LINE = regex(r"(?<=\bline )\d+|(?<=\blines )\d+|(?<=\d to )\d+")


@dataclass
class Attempts:
    """What was tried for the claims of a run: the changes that were right are tried first."""

    settings: Settings = USUAL  # that files are read under
    within: Within = NOWHERE  # what may be read
    fixes: dict[tuple[str, str], list[Edit]] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    # what a changed file asks while it is read: most of it has not changed
    remember: Remember = field(default_factory=memory)
    loaded: dict[tuple[str, str], Loaded] = field(default_factory=dict)  # files as they are

    def status(self, task: Task) -> str:
        """The verdict on a claim, judged once."""
        from symlayout.checks.cache import key
        from symlayout.checks.checker import judge

        name = key(task)
        if name not in self.statuses:
            self.statuses[name] = judge(replace(task, solver="none"), notes=False).status
        return self.statuses[name]


def code_fixes(result: Result, text: str, attempts: Attempts) -> list[Fix]:
    """The best change of the source with which a refuted claim about a kernel is proved.

    A change that leaves the claim unknown, or makes another claim of the kernel worse, is not one.
    """
    code, place, c = result.task.code, result.task.place, result.outcome.counterexample
    if code is None or place is None or c is None or code.text != text:
        return []
    known = attempts.fixes.setdefault((place.file, code.kernel.name), [])
    before = _claims(place.file, text, code.kernel.name, attempts)
    least = _elsewhere(result, before, attempts)
    best: tuple[int, Edit] | None = None
    seen = set[str]()
    tries = max(FEWEST, min(MOST, WORK // max(1, len(before.entries))))
    for edit in [*known, *islice(_candidates(place.file, result, values_of(result)), tries)]:
        changed = edit.on(text)
        if changed in seen or changed == text:
            continue
        seen.add(changed)
        after = _claims(place.file, changed, code.kernel.name, attempts)
        if edit.text.endswith("\n"):
            after = _numbered_as_before(after, text.count("\n", 0, edit.at) + 1)
        vanish = (*MAY_VANISH, *(PARTED if BARRIER in edit.text else ()))
        left = _left(result, before, after, attempts, vanish)
        if left is not None and (best is None or left < best[0]):
            best = left, edit
        if left is not None and left <= least:
            break
    if best is None:
        return []
    if best[1] not in known:
        known.append(best[1])
    return [fix_of(place.file, text, best[1])]


def fix_of(file: str, text: str, edit: Edit) -> Fix:
    """The edit as a fix."""
    first, *more = text[edit.at : edit.end].split("\n")
    place = Place.of(file, text, edit.at, edit.at + len(first))
    last = (place.line + len(more), len(more[-1]) + 1) if more else None
    return Fix(edit.title, place, edit.text, edit.end - edit.at, last)


def _candidates(file: str, result: Result, values: dict[str, int]) -> Iterator[Edit]:
    """The changes to try; none where the source is not followed."""
    from symlayout.checks.kernel_edits import edits  # whose imports few runs need

    code = result.task.code
    assert code is not None
    with suppress(RecursionError, ValueError, IndexError):
        yield from edits(file, code, values)


def _claims(file: str, text: str, kernel: str, attempts: Attempts) -> Loaded:
    from symlayout.checks.comments.loader import load_text

    settings = attempts.settings._replace(remember=attempts.remember)
    try:
        return load_text(file, text, attempts.within, only=(kernel,), settings=settings)
    except LayoutError:
        return Loaded(file)


def _elsewhere(result: Result, loaded: Loaded, attempts: Attempts) -> int:
    """How many claims are not as expected that are of another kind, and rest on no others."""
    kinds = [
        t.code.kind
        for tasks in _tasks(loaded).values()
        for t in tasks[:1]
        if t.code is not None and not t.rests and not _all_proved(tasks, attempts)
    ]
    return sum(result.task.code is not None and k != result.task.code.kind for k in kinds)


def _numbered_as_before(loaded: Loaded, line: int) -> Loaded:
    """Claims of a file with a new line, by the names that they have without it."""

    def before(match: re.Match[str]) -> str:
        number = int(match[0])
        return str(number - (number > line))

    entries = [
        replace(e, name=LINE.sub(before, e.name)) if isinstance(e, Task) else e
        for e in loaded.entries
    ]
    return replace(loaded, entries=tuple(entries))


def _tasks(loaded: Loaded) -> dict[str, list[Task]]:
    table: dict[str, list[Task]] = {}
    for e in loaded.entries:
        if isinstance(e, Task):
            table.setdefault(e.name, []).append(e)
    return table


def _unread(loaded: Loaded) -> Counter[str]:
    """What has no claim, with the reason, and the mistakes of a file."""
    rows = [e for e in loaded.entries if isinstance(e, Result)]
    problems = [f"{p.code} {p.message}" for p in loaded.problems]
    return Counter([*problems, *(f"{r.task.name}: {r.outcome.reason}" for r in rows)])


def _left(
    result: Result, before: Loaded, after: Loaded, attempts: Attempts, vanish: tuple[str, ...]
) -> int | None:
    """How many claims of the changed kernel are not proved; None where the change is not a fix."""
    if _unread(after) - _unread(before):
        return None
    old, new = _tasks(before), _tasks(after)
    name, code = result.task.name, result.task.code
    assert code is not None
    if name not in old or not _all_proved(new.get(name, ()), attempts):
        return None
    if name not in new and code.kind not in vanish:
        return None
    kinds = {n: rows[0].code.kind for n, rows in old.items() if rows[0].code is not None}
    if any(n not in new and kinds.get(n) not in vanish for n in old):
        return None
    if any(not _uses_its_axes(code, t.code) for rows in new.values() for t in rows):
        return None
    left = sum(not e.as_expected for e in after.entries if isinstance(e, Result))
    for n, tasks in new.items():
        if _all_proved(tasks, attempts):
            continue
        if n not in old or _all_proved(old[n], attempts):
            return None
        if not _refuted(tasks, attempts) and _refuted(old[n], attempts):
            return None
        left += 1
    return left


def _uses_its_axes(before: Code, after: Code | None) -> bool:
    """Whether a changed kernel still asks for each axis that has programs, and for no other one.

    A program's number along an axis that the launch lacks is 0: all programs do the same.
    """
    if after is None:
        return True
    old, new = _axes(before), _axes(after)
    has_one = [k for k in old ^ new if _programs(after, k) == 1]
    return old <= new | {*has_one} and not (new - old) & {*has_one}


def _axes(code: Code) -> set[int]:
    """The axes of programs and threads that accesses of a kernel ask for."""
    nodes = [n for a in code.kernel.accesses for n in a.nodes]
    words = {w for n in nodes for w in n.names}
    return {k for k, w in code.kernel.programs.items() if w in words}


def _programs(code: Code, axis: int) -> int | None:
    """How many programs or threads a launch has along an axis, where that is a number."""
    if code.grid is None:
        return None
    return code.grid[axis].value if axis < len(code.grid) else 1


def _all_proved(tasks: Sequence[Task], attempts: Attempts) -> bool:
    """Whether all claims of one name are as their file expects."""
    return all(attempts.status(t) == t.expect for t in tasks)


def _refuted(tasks: Sequence[Task], attempts: Attempts) -> bool:
    """Whether one of the claims is refuted."""
    return any(attempts.status(t) == "refuted" for t in tasks)
