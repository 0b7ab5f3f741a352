"""What each command does: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from symlayout.checks.result import Outcome, Report, Result, Task, counterexample_lines, plain
from symlayout.errors import CODES, LayoutError, did_you_mean

if TYPE_CHECKING:
    from symlayout.indexmap import IndexMap
    from symlayout.prover.verdict import Verdict


def colourful(stream: TextIO) -> bool:
    """Whether the stream is a terminal that wants colour (NO_COLOR is obeyed)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def formula(args: Namespace) -> int:
    """`symlayout formula LAYOUT`."""
    from symlayout.notation import parse

    if args.at is not None and args.emit is not None:
        raise LayoutError("SL600", "--at asks for a number and --emit for code: give one of them")
    layout = parse(args.layout)
    made: IndexMap = layout.index_map()
    expr = made.under(args.where) if args.where else made.formula
    at = None if args.at is None else _offset(made, args.at, args.where)
    code = None
    if args.emit:
        from symlayout.emit import emit

        code = emit(made, args.emit, formula=expr)
    if args.json:
        data: dict[str, Any] = {
            "schema": 1,
            "layout": str(layout),
            "where": args.where,
            "shape": plain(made.shape),
            "coords": [c.name for c in made.coords],
            "formula": str(expr),
            "size": plain(made.size),
        }
        if at is not None:
            data |= {"at": plain(at[0]), "offset": plain(at[1])}
        if code is not None:
            data |= {"emit": args.emit, "code": code}
        print(json.dumps(data, indent=2))
    elif at is not None:
        print(at[1])
    elif code is not None:
        print(code, end="")
    else:
        for c, d in zip(made.coords, made.shape):
            print(f"{c} in [0, {d})")
        print(f"size    {made.size}")
        print(f"offset  {expr}")
    return 0


def _offset(made: IndexMap, text: str, where: list[str]) -> tuple[list[Any], Any]:
    from symlayout.reader import read_expression
    from symlayout.terms import as_size, substitute

    coords = [as_size(read_expression(part)) for part in text.split(",")] if text.strip() else []
    offset = made.offset(*coords)
    if not isinstance(offset, int) and where:
        names = {c.name: v for c, v in zip(made.coords, coords)}
        offset = substitute(made.under(where), names)
    return coords, offset


def prove(args: Namespace) -> int:
    """`symlayout prove CLAIM ARGS...`."""
    task, options = _task(args)
    if options.help:
        from symlayout.claims import CLAIMS

        print(f"usage: symlayout prove {CLAIMS[args.claim].usage} [--where FACT]...")
        print(f"\n{CLAIMS[args.claim].meaning}")
        return 0
    from symlayout.checks.checker import ask

    verdict = ask(task)
    if options.certificate:
        _write_certificate(verdict, options.certificate)
    report = Report((Result(task, Outcome.of(verdict)),))
    if options.json:
        from symlayout.checks.report import render

        print(render(report, "json"), end="")
    else:
        _print_verdict(task, report.results[0].outcome)
    return report.exit_code


def _task(args: Namespace) -> tuple[Task, Namespace]:
    """The claim of a command line, and the options that may stand among its arguments."""
    from symlayout.checks.words import read_claim, split

    rest, options = _common_options(args)
    line = shlex.join([args.claim, *rest])
    if options.help:
        read_claim_word(args.claim)
        return Task("", args.claim, ()), options
    claim = read_claim(split(line), line)
    arguments = tuple(w.text for w in claim.arguments)
    own = tuple((n, w.text) for n, w in claim.options)
    where, budget = tuple(options.where), _budget(options.budget)
    return Task(line, claim.word, arguments, own, where, budget=budget), options


def read_claim_word(word: str) -> None:
    """Raises `LayoutError` (SL502) unless it is a claim word."""
    from symlayout.claims import CLAIMS

    if word not in CLAIMS:
        hint = did_you_mean(word, list(CLAIMS)) or f"the claim words are {', '.join(CLAIMS)}"
        raise LayoutError("SL502", f"{word!r} is no claim word", help=hint)


def _common_options(args: Namespace) -> tuple[list[str], Namespace]:
    rest: list[str] = []
    found = Namespace(
        where=list(args.where),
        certificate=args.certificate,
        budget=args.budget,
        json=args.json,
        help=False,
    )
    words = list(args.words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
            break
        if word in ("-h", "--help"):
            found.help = True
        elif word == "--json":
            found.json = True
        elif name in ("--where", "--certificate", "--budget"):
            if not equals:
                if not words:
                    raise LayoutError("SL600", f"the option {name} needs a value")
                value = words.pop(0)
            if name == "--where":
                found.where.append(value)
            else:
                setattr(found, name[2:], value)
        else:
            rest.append(word)
    return rest, found


def _write_certificate(verdict: Verdict, file: str) -> None:
    if verdict.certificate is None:
        print(f"symlayout: a verdict {verdict.status!r} has no certificate", file=sys.stderr)
        return
    try:
        Path(file).write_text(json.dumps(verdict.certificate, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise LayoutError("SL601", f"{file} cannot be written: {error.strerror}") from None


def _print_verdict(task: Task, outcome: Outcome) -> None:
    from symlayout.checks.report.style import OF_STATUS, paint

    on = colourful(sys.stdout)
    print(f"{paint(outcome.status, OF_STATUS[outcome.status], on)}: {task.claim}")
    for fact in task.where:
        print(f"  where        {fact}")
    print(f"  reason       {outcome.reason}")
    if outcome.counterexample:
        for line in counterexample_lines(outcome.counterexample, outcome.reason):
            print(f"  {line}")
    for name, value in outcome.details.items():
        print(f"  {name:<12} {value if isinstance(value, str) else json.dumps(value)}")


def check(args: Namespace) -> int:
    """`symlayout check PATH...`."""
    from contextlib import nullcontext

    from symlayout.checks.cache import FOLDER, Cache
    from symlayout.checks.config import read_config
    from symlayout.checks.report import render
    from symlayout.checks.result import Origin, Place
    from symlayout.checks.runner import Options
    from symlayout.checks.runner import check as run

    config = read_config()
    paths = args.paths or config.paths
    if not paths:
        raise LayoutError("SL600", "nothing to check: give a PATH, or paths in pyproject.toml")
    if args.json and args.format not in (None, "json"):
        raise LayoutError("SL600", f"--json and --format {args.format} contradict each other")
    format = "json" if args.json else args.format or config.format or "full"
    facts = tuple(Origin(text, Place("--where", 1), False) for text in args.where)
    options = Options(
        where=config.where + facts,
        tags=tuple(args.tag) or config.tags,
        budget=_budget(args.budget) or config.budget,
        max_padding=args.max_padding or config.max_padding,
        jobs=_jobs(args.jobs or config.jobs),
        backend=args.backend,
        scheduler=args.scheduler,
    )
    start = time.perf_counter()
    folder = args.cache_dir or config.cache_dir or FOLDER
    with nullcontext() if args.no_cache else Cache(folder) as cache:
        report = run(paths, options, cache=cache, progress=_progress(sys.stderr))
    if sys.stderr.isatty():
        print(f"\r\x1b[K{time.perf_counter() - start:.1f} s", file=sys.stderr)
    if format == "full":
        from symlayout.checks.report import full

        print(full.diagnostics(report, colourful(sys.stderr)), end="", file=sys.stderr)
        print(full.results(report, colourful(sys.stdout)), end="")
    else:
        print(render(report, format), end="")
    return report.exit_code


def _budget(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdigit() or int(text) < 1:
        raise LayoutError("SL600", f"--budget is a positive number, not {text!r}")
    return int(text)


def _jobs(text: str | None) -> int:
    if text is None:
        return 1
    if text == "auto":
        return os.cpu_count() or 1
    if not text.isdigit() or not 1 <= int(text) <= 1024:
        raise LayoutError("SL600", f"--jobs is a number from 1 to 1024 or auto, not {text!r}")
    return int(text)


def _progress(stream: TextIO) -> Any:
    if not stream.isatty():
        return lambda done, of, name: None
    last = [0.0]

    def show(done: int, of: int, name: str) -> None:
        now = time.monotonic()
        if now - last[0] > 0.1:
            last[0] = now
            stream.write(f"\r\x1b[K{done}/{of} {name[:60]}")
            stream.flush()

    return show


def show(args: Namespace) -> int:
    """`symlayout show LAYOUT`."""
    from symlayout.draw.sizes import read_sizes
    from symlayout.draw.text import draw
    from symlayout.notation import parse

    made: IndexMap = parse(args.layout).index_map()
    sizes, chosen = read_sizes(made, args.size, args.where)
    if chosen:
        names = ", ".join(f"{n}={sizes[n]}" for n in chosen)
        print(f"symlayout: sizes chosen for the picture: {names} (--size)", file=sys.stderr)
    if args.svg:
        from symlayout.draw.svg import svg

        print(svg(made, sizes), end="")
        return 0
    print(draw(made, sizes, colour=colourful(sys.stdout), width=_width()), end="")
    return 0


def _width() -> int:
    import shutil

    return max(40, shutil.get_terminal_size((100, 24)).columns)


def recheck(args: Namespace) -> int:
    """`symlayout recheck CERTIFICATE`: 0 when every step holds, 1 when one does not."""
    from symlayout.checks.report.style import paint
    from symlayout.checks.toml_file import read_text

    text = read_text(args.certificate)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"{args.certificate} is not JSON: {error.msg.lower()}"
        raise LayoutError("SL601", problem, text=text, at=error.pos) from None
    except RecursionError:
        raise LayoutError("SL601", f"{args.certificate} is nested too deeply") from None
    if not isinstance(data, dict):
        raise LayoutError("SL601", f"{args.certificate} holds no certificate, but another value")
    from symlayout.recheck import recheck as verify

    made = verify(data, args.claim)
    if args.json:
        print(json.dumps({"schema": 1, **asdict(made)}, indent=2))
        return 0 if made.ok else 1
    word, colour = ("accepted", "green") if made.ok else ("rejected", "red")
    print(f"{paint(word, colour, colourful(sys.stdout))}: {made.claim or args.certificate}")
    if made.ok:
        print(f"  relied on    {', '.join(made.relied) or 'exact arithmetic alone'}")
    for failure in made.failures:
        print(f"  failed       {failure}")
    return 0 if made.ok else 1


def explain(args: Namespace) -> int:
    """`symlayout explain [CODE]`."""
    from symlayout.checks.explain import explanation

    if args.code is None:
        for code, meaning in CODES.items():
            print(f"{code}  {meaning}")
        return 0
    print(explanation(args.code.upper()), end="")
    return 0


def schema(args: Namespace) -> int:
    """`symlayout schema [claims|report]`."""
    from symlayout import checks

    file = Path(checks.__file__).with_name(f"{args.kind}.schema.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    if args.kind == "claims":
        from symlayout.claims import CLAIMS

        words = rf"^\s*({'|'.join(CLAIMS)})(\s|$)"
        data["definitions"]["claim"]["properties"]["prove"]["pattern"] = words
    print(json.dumps(data, indent=2))
    return 0


def completion(args: Namespace) -> int:
    """`symlayout completion SHELL`."""
    from symlayout.cli import parser
    from symlayout.completion import script

    print(script(args.shell, parser()), end="")
    return 0
