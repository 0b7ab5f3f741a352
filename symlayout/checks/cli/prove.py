"""`symlayout prove`: one claim, its words read as those of a claims file are."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symlayout.checks.cli.options import budget, colourful, symbol, write
from symlayout.checks.conditions import with_condition
from symlayout.checks.hints import with_hints
from symlayout.checks.result import SOLVERS, Outcome, Report, Result, Task, account
from symlayout.errors import LayoutError
from symlayout.layouts.vocabulary import CLAIMS, claim_word
from symlayout.text.escape import terminal

if TYPE_CHECKING:
    from symlayout.prove.verdict import Verdict


def run(args: Namespace) -> int:
    """`symlayout prove CLAIM ARGS...`."""
    task, options = task_of(args)
    if options.help:
        print(f"usage: symlayout prove {CLAIMS[args.claim].usage} [--where FACT]...")
        print(f"\n{CLAIMS[args.claim].meaning}")
        if CLAIMS[args.claim].more:
            print(f"\n{CLAIMS[args.claim].more}")
        print('\nfacts such as --where "N % 128 == 0" restrict the sizes; sizes are at least 1')
        return 0
    from symlayout.checks.checker import confirmed, query
    from symlayout.checks.verdicts import ask

    try:
        verdict = ask(task)
    except LayoutError as error:
        raise with_condition(error, task.claim.texts, task.claim.facts) from None
    if options.certificate is not None:
        _write_certificate(verdict, options.certificate)
    outcome = Outcome.of(verdict)
    if verdict.proved and options.check != "none":
        outcome = confirmed(task, outcome, lambda: verdict.certificate)
        if (problem := outcome.problem) is not None:
            raise LayoutError(problem.code, problem.message, help=problem.help)
    if options.smt is not None:
        write(options.smt, query(task.claim))
    result = Result(task, outcome)
    report = Report(tuple([result] if options.no_hints else with_hints([result])))
    if options.json:
        from symlayout.checks.report import render

        print(render(report, "json"), end="")
    else:
        _print_verdict(report.results[0], verdict.scope)
    if options.rocq is not None:  # after the verdict: not every proof can be printed
        _write_theorem(verdict, options.rocq)
    return report.exit_code


def task_of(args: Namespace) -> tuple[Task, Namespace]:
    """The claim of a command line, and the options that may stand among its arguments."""
    from symlayout.layouts.claim import Claim, read_claim, split

    rest, options = _common_options(args)
    line = shlex.join([args.claim, *rest])
    if options.help:
        return Task("", Claim(claim_word(args.claim).word)), options
    if options.check not in SOLVERS:
        raise LayoutError("SL600", f"--check is one of {', '.join(SOLVERS)}, not {options.check!r}")
    claim = replace(read_claim(split(line), line), facts=tuple(options.where))
    task = Task(line, claim, budget=budget(options.budget), solver=options.check)
    return task, options


def _common_options(args: Namespace) -> tuple[list[str], Namespace]:
    rest: list[str] = []
    hit = Namespace(
        where=list(args.where),
        certificate=args.certificate,
        budget=args.budget,
        json=args.json,
        help=False,
        no_hints=getattr(args, "no_hints", False),
        check=getattr(args, "check", "none"),
        smt=getattr(args, "smt", None),
        rocq=getattr(args, "rocq", None),
    )
    files = ("--certificates",) if args.command == "when" else ("--certificate",)
    own = ("--check", "--smt", "--rocq") if args.command == "prove" else ()
    words = list(args.words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
            break
        if word in ("-h", "--help"):
            hit.help = True
        elif word == "--json":
            hit.json = True
        elif word == "--no-hints" and args.command == "prove":
            hit.no_hints = True
        elif name in ("--where", "--symbol", *files, "--budget", *own):
            if not equals:
                if not words:
                    raise LayoutError("SL600", f"the option {name} needs a value")
                value = words.pop(0)
            if name in ("--where", "--symbol"):
                hit.where.append(symbol(value) if name == "--symbol" else value)
            else:
                setattr(hit, "certificate" if name in files else name[2:], value)
        else:
            rest.append(word)
    return rest, hit


def _write_certificate(verdict: Verdict, file: str) -> None:
    if _certified(verdict):
        write(file, json.dumps(verdict.certificate, indent=1) + "\n")


def _write_theorem(verdict: Verdict, file: str) -> None:
    from symlayout.certificate.rocq.export import rocq

    certificate = verdict.certificate
    if _certified(verdict) and certificate is not None:
        write(file, rocq([certificate]))


def _certified(verdict: Verdict) -> bool:
    """Whether there is a certificate; it is said why there is none."""
    if verdict.certificate is not None:
        return True
    why = f"a verdict {verdict.status!r} has no certificate"
    if verdict.proved:
        why = "not certified: no proof is found that consists of the laws of certificates"
    print(f"symlayout: {why}", file=sys.stderr)
    return False


def _print_verdict(result: Result, scope: str) -> None:
    from symlayout.checks.report.style import OF_STATUS, confirmation, paint

    on, task, outcome = colourful(sys.stdout), result.task, result.outcome
    status = outcome.status + terminal(f"{scope}{outcome.condition}")
    head = paint(status, OF_STATUS[outcome.status], on)
    print(f"{head}: {terminal(task.claim.line)}")
    lines = account(result)
    if outcome.confirmed is not None:
        lines.append(f"solver       {confirmation(outcome.confirmed)}")
    for name, value in outcome.details.items():
        lines += _detail(name, value) if name != "directions" else []  # which are for programs
    if sizes := (outcome.counterexample or {}).get("sizes"):
        lines.append(f"replay       symlayout prove {task.claim.at(sizes)}")
    if result.hint:
        lines.append(f"help: {result.hint}")
    for line in lines:
        print(f"  {terminal(line)}")


def _detail(name: str, value: Any) -> list[str]:
    """What a claim reports beside its verdict; texts of several lines (SMT-LIB) one below another.

    >>> _detail("shape", ["M", 4]), _detail("obligations", ["(assert p)\\n(check-sat)\\n"])
    (['shape        ["M", 4]'], ['obligations', '  (assert p)', '  (check-sat)'])
    """
    if isinstance(value, list) and any(isinstance(v, str) and "\n" in v for v in value):
        return [name, *[f"  {line}" for v in value for line in str(v).splitlines()]]
    return [f"{name:<12} {value if isinstance(value, str) else json.dumps(value)}"]
