"""Colour on a terminal, and none anywhere else; the words that reporters for people share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from symlayout.checks.result import Report, Result, Task
from symlayout.layouts.claim import names_in
from symlayout.programs.kernels.policy import LOG
from symlayout.prove.verdict import STATUSES
from symlayout.text.dumps import opcode_counts
from symlayout.text.lines import columns, count
from symlayout.text.patterns import regex

CODES = {"red": "31;1", "green": "32;1", "yellow": "33;1", "blue": "34", "bold": "1", "dim": "2"}
LARGE = regex(r"\b[0-9]{6,}\b")
LOGARITHM = regex(rf"symbol ({LOG})(\w+)")
MEMORY = re.compile(r"(?:memory|padding) of ")
OF_STATUS = {"proved": "green", "refuted": "red", "unknown": "yellow", "vacuous": "yellow"}


def paint(text: str, colour: str, on: bool) -> str:
    """The text in that colour when colour is on."""
    return f"\x1b[{CODES[colour]}m{text}\x1b[0m" if on else text


def not_checked(report: Report) -> list[tuple[str, str]]:
    """The files in which something is left without a claim, and what that is."""
    results = list(report.left)
    for module in report.modules:
        if module["not_checked"]:
            name = f" in {module['name']}" if module["name"] else ""
            results.append((str(module["file"]), f"{opcode_counts(module['not_checked'])}{name}"))
    return results


def confirmation(row: Mapping[str, str]) -> str:
    """The solver's answer to one proof.

    >>> confirmation({"by": "Z3", "status": "confirmed", "how": "in 14 steps", "note": ""})
    'confirmed by Z3 in 14 steps'
    """
    if row["status"] == "confirmed":
        return f"confirmed by {row['by']} {row['how']}"
    return f"not confirmed by {row['by']} ({row['note']})"


def confirmation_line(report: Report) -> str:
    """How many proofs the solver has confirmed."""
    s = report.confirmations()
    name = next(r.outcome.confirmed["by"] for r in report.results if r.outcome.confirmed)
    done, steps = s["confirmed_as_it_is"] + s["confirmed_in_steps"], s["confirmed_in_steps"]
    total = done + s["not_confirmed"]
    line = f"{name} confirms {done} of {total} proofs of bijectivity, bounds and broadcasts"
    line += " for all sizes"
    line += f" ({steps} step by step)" if steps else ""
    return line + (f"; {s['not_confirmed']} exceed its budget (-v)" if s["not_confirmed"] else "")


def under_assumptions(r: Result) -> str:
    """What of a verdict's facts is assumed, in words after the verdict; "" where nothing is."""
    if not r.task.assumed:
        return ""
    hidden = logarithms(r.task)
    words = {
        n: f"{n} is a power of two" for w, n in hidden.items() if f"symbol {w}" in r.task.assumed
    }
    facts = [f for f in r.task.assumed if not hidden.keys() & names_in(f)]
    text = f" for {', '.join([*map(with_powers, facts), *words.values()])} (assumed)"
    if r.outcome.beyond is None:
        return text
    return f"{text}, fails at {sizes_text(r.task, r.outcome.beyond)}"


def logarithms(task: Task) -> dict[str, str]:
    """The names that assumptions introduce, and the sizes that they are the logarithms of."""
    facts = (*task.assumed, *(f for _, own in task.blocks for f in own))
    every = map(LOGARITHM.fullmatch, facts)
    return {m[1] + m[2]: m[2] for m in every if m is not None}


def sizes_text(task: Task, c: Mapping[str, Any]) -> str:
    """The sizes of a counterexample that have names in the file."""
    hidden = logarithms(task)
    return ", ".join(f"{n} = {v}" for n, v in c["sizes"].items() if n not in hidden)


def with_powers(fact: str) -> str:
    """A fact whose large numbers are powers of two.

    >>> with_powers("n <= 1073741824"), with_powers("G <= 2147483647"), with_powers("H <= 65535")
    ('n <= 2**30', 'G <= 2**31 - 1', 'H <= 65535')
    """

    def power(match: re.Match[str]) -> str:
        number = int(match[0])
        for rest, more in ((0, ""), (1, " - 1")):
            if (number + rest).bit_count() == 1:
                return f"2**{(number + rest).bit_length() - 1}{more}"
        return match[0]

    return LARGE.sub(power, fact)


def kinds(report: Report) -> dict[str, int]:
    """How many files of each kind were checked."""
    modules = {str(m["file"]) for m in report.modules}
    counts: dict[str, int] = {}
    for file in report.files:
        kind = "source file" if not file.endswith(".toml") else "claims file"
        kind = "compiler module" if file in modules else kind
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def overview(report: Report) -> list[str]:
    """For a run over files of several kinds: what was checked, and what is refuted on purpose."""
    files = kinds(report)
    if len(files) < 2:
        return []
    lines = [f"checked {', '.join(count(n, kind) for kind, n in files.items())}"]
    defects = sum(r.as_expected and r.task.expect == "refuted" for r in report.results)
    if defects:
        verb, each = ("claim is", "it") if defects == 1 else ("claims are", "each")
        lines.append(f"{defects} {verb} refuted on purpose: {each} shows a defect and says why")
    larger = {r.task.name.partition(": ")[0] for r in report.results if r.outcome.beyond}
    if larger:
        verb = "kernel fails" if len(larger) == 1 else "kernels fail"
        lines.append(f"{len(larger)} {verb} where sizes are larger than assumed: `-v` shows them")
    if any(MEMORY.match(note) for note in report.notes):
        lines.append("memory and padding of the modules: `symlayout check -v`, or check one file")
    return lines


# what a claim that is made of a module is about
OF_MODULES = {
    **dict.fromkeys(("valid",), "layout"),
    **dict.fromkeys(("bitcast", "reinterpret", "equal"), "bitcast"),
    **dict.fromkeys(("instruction", "broadcast"), "shape"),
    "padding": "limit of padding",
}


def module_claims(report: Report) -> list[str]:
    """What the claims that nobody wrote are about: those that are made of compilers' modules."""
    files = {str(m["file"]) for m in report.modules}
    words = [
        OF_MODULES.get(r.task.claim.word, r.task.claim.word)
        for r in report.results
        if r.task.place is not None and r.task.place.file in files
    ]
    kinds = dict.fromkeys([w for w in OF_MODULES.values() if w in words] + sorted(words))
    parts = [
        count(words.count(w), w, w.replace("limit", "limits") if " " in w else "") for w in kinds
    ]
    return [f"claims made of compiler modules: {', '.join(parts)}"] if parts else []


def ranking(report: Report) -> list[str]:
    """The modules of a run by the bytes of HBM that padding wastes, the worst first."""
    rows = []
    tasks = [r.task for r in report.results if r.task.claim.word == "valid"]
    laid_out = {t.place.file for t in tasks if t.place is not None}
    for module in report.modules:
        space = module["spaces"].get("0")
        if space is not None and module["file"] in laid_out:
            logical = space["bytes"] - space["wasted"]
            factor = space["bytes"] / logical if logical else 1.0
            needed = "-" if space["needed"] is None else f"{space['needed']:,}"
            name = f"{module['file']} ({module['name']})" if module["name"] else module["file"]
            cells = needed, f"{space['wasted']:,}", f"{factor:.2f}", name
            rows.append((space["wasted"], factor, cells))
    if len(rows) < 2:
        return []
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    table = columns(
        [("needed", "wasted", "factor", "module"), *(c for *_, c in rows)], frozenset({3})
    )
    return ["modules by the bytes that they waste in S(0):", *(f"  {line}" for line in table)]


def summary_line(report: Report) -> str:
    """The last line: how many claims are as expected, of what kind, and what went wrong."""
    s = report.summary()
    good = [f"{s[k]} {k}" for k in STATUSES if s[k]]
    parts = f" ({', '.join(good)})" if good else ""
    line = f"{count(s['claims'], 'claim')} in {count(s['files'], 'file')}{parts}: "
    if s["exit_code"] == 0:
        return line + "all as expected"
    tail = [f"{s['as_expected']} as expected"]
    if report.wrong:
        tail.append(f"{len(report.wrong)} not as expected")
    if s["errors"]:
        tail.append(count(s["errors"], "error"))
    return line + ", ".join(tail)
