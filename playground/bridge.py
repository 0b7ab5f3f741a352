"""What the page asks of the package: JSON in, JSON out, nothing of it being code.

A question has a `layout`, a claim `word`, its further `arguments` and `facts`.  Runs in a browser
(Pyodide) and anywhere else; without NumPy the search works in plain integers.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
PROOFS = 16  # that the page's condition may take
LONGEST = 20_000  # characters of one text
LABEL = 13  # columns of what a line of a counterexample begins with


def start() -> None:
    """Loads what the first question needs; the plain arrays where there is no NumPy."""
    if importlib.util.find_spec("numpy") is None:
        from symlayout.expr.plain_numpy import stand_in

        stand_in()
    look({"layout": "f32[M,N]{1,0:T(8,128)}"})
    judge({"layout": "f32[M,N]{1,0:T(8,128)}", "word": "injective"})


def answer(text: str) -> str:
    """The answer to a question whose `ask` is look, judge or condition.

    There always is one: a page without an answer would show the one before.
    """
    from symlayout.errors import LayoutError, internal

    question = json.loads(text)
    asked: Callable[[Json], Json] = {"look": look, "judge": judge, "condition": condition}[
        question["ask"]
    ]
    try:
        for name, value in question.items():
            if len(str(value)) > LONGEST:
                raise LayoutError("SL204", f"{name} has more than {LONGEST:,} characters")
        made = asked(question)
    except LayoutError as error:
        made = {"error": error.message, "code": error.code, "help": error.help or ""}
    except (RecursionError, MemoryError):
        made = {"error": "this is too large for the browser", "code": "", "help": ""}
    except Exception as error:
        message = internal(error).removeprefix("SL900: ")
        made = {"error": message, "code": "SL900", "help": ""}
    return json.dumps(made)


def facts_of(question: Json) -> tuple[str, ...]:
    """The facts, a line each."""
    lines = str(question.get("facts", "")).splitlines()
    return tuple(line.strip() for line in lines if line.strip())


def look(question: Json) -> Json:
    """What the text is: the formula, code, and the model of its picture.

    Raises `LayoutError` for a text that is no layout.
    """
    from symlayout.layouts.cute.swizzle import ComposedLayout
    from symlayout.layouts.maps.function import IndexFunction
    from symlayout.layouts.notation import notation_of, parse
    from symlayout.render import emit
    from symlayout.render.draw import swizzles
    from symlayout.render.draw.model import model
    from symlayout.render.draw.pictures import chosen_sizes

    text = str(question["layout"])
    layout = parse(text)
    made: Json = {"notation": notation_of(text).name, "text": str(layout), "picture": None}
    is_map = isinstance(layout, IndexFunction) and not layout.plain
    subject = layout if is_map else layout.index_map()
    made["code"] = {kind: emit.emit(subject, kind) for kind in ("python", "c", "latex")}
    sizes = _sizes(layout, question)
    made["model"] = model(layout, chosen_sizes(layout)[0] if sizes is None else sizes)
    if isinstance(layout, ComposedLayout) and not subject.symbols:
        made["picture"] = swizzles.svg(layout, {}, card=False)
    return made


def _sizes(layout: Any, question: Json) -> dict[str, int] | None:
    """The sizes of a shared link, as far as they are the layout's, or sizes that the facts allow."""
    from symlayout.errors import LayoutError
    from symlayout.layouts.maps.function import IndexFunction
    from symlayout.render.draw.sizes import read_sizes, wishes_of, wishes_of_map

    is_map = isinstance(layout, IndexFunction) and not layout.plain
    names = layout.names if is_map else layout.index_map().symbols
    wishes = wishes_of_map(layout) if is_map else wishes_of(layout.index_map())
    given = [part for part in str(question.get("sizes", "")).split(",") if part]
    known = [part for part in given if part.partition("=")[0] in names]
    for where in (facts_of(question), ()):
        try:
            return read_sizes(names, known, where, wishes)[0]
        except LayoutError:
            continue
    return None


def _task(question: Json) -> Any:
    """The claim as the command line would read it."""
    from symlayout.checks.result import Task
    from symlayout.layouts.claim import read_claim, split
    from symlayout.layouts.vocabulary import claim_word

    word = claim_word(str(question["word"]))
    first = [] if word.arguments[0] in ("TEXT", "RELATION") else [str(question["layout"])]
    more = str(question.get("arguments", "")).strip()
    line = " ".join([word.word, *map(_spelled, first), *_split(more, word)])
    from dataclasses import replace

    return Task(line, replace(read_claim(split(line), line), facts=facts_of(question)))


def _spelled(text: str) -> str:
    """The text as one word of a line, and no option."""
    letters = [f"\\{c}" if c in "'\"\\" or c.isspace() else c for c in text]
    return "\\" * text.startswith("-") + "".join(letters) or "''"


def _split(more: str, word: Any) -> list[str]:
    """The further arguments: one as it stands where there is one, quoted words otherwise."""
    expected = len(word.arguments) - (word.arguments[0] not in ("TEXT", "RELATION"))
    whole = expected == 1 and " --" not in f" {more}" and more[:1] not in ("'", '"')
    return [_spelled(more)] if whole and more else [more]


def judge(question: Json) -> Json:
    """The verdict on the claim, with its counterexample in rows.

    Raises `LayoutError` for what is no claim.
    """
    from symlayout.checks.result import Outcome, Result, counterexample_lines
    from symlayout.checks.verdicts import ask

    task = _task(question)
    outcome = Outcome.of(ask(task))
    rows = [["reason", outcome.reason]]
    if outcome.counterexample:
        for line in counterexample_lines(Result(task, outcome)):
            name, value = line[:LABEL].strip(), line[LABEL:].strip()
            rows.append([name, value])
    for name, value in outcome.details.items():
        rows.append([name, value if isinstance(value, str) else json.dumps(value)])
    sizes = dict(outcome.counterexample.get("sizes") or {}) if outcome.counterexample else {}
    where = "".join(f" --where {shlex.quote(fact)}" for fact in task.claim.facts)
    command = f"symlayout prove {task.claim.line}{where}"
    return {"status": outcome.status, "rows": rows, "sizes": sizes, "command": command}


def condition(question: Json) -> Json:
    """Under which sizes the claim holds.

    Raises `LayoutError` for what is no claim.
    """
    from symlayout.checks.checker import condition_of

    made = condition_of(_task(question), PROOFS)
    return {"sentence": made.sentence, "strength": made.strength, "relations": made.relations}
