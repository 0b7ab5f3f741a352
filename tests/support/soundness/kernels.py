"""Random kernels under random contracts against what they do when they are run.

    cd tests/support && python -m soundness.kernels 200 --seed 7

Triton's kernels are run by plain NumPy, C's by the compiler, at small sizes that satisfy the facts.
The table of accesses has to be what is executed, no claim that is proved may fail, and what is
refuted has to fail at the sizes of its counterexample.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from soundness import asking, hardware, kernel_texts, machine
from soundness.kernel_texts import Text

Env = dict[str, int]
Places = dict[tuple[int, str, str], Counter[int]]  # by line, array and what is done there
VALUES = {"n": (1, 2, 3, 5), "m": (1, 2, 3), "A": (1, 2, 4), "B": (1, 2, 4)}
POINTS = 4_000  # of one map
LARGE = 40  # a size of a counterexample that is run
MISTAKES = (  # of kernels that nobody compiles, and those that run on and on
    machine.Endless,
    *(ValueError, TypeError, AttributeError, NameError, OverflowError, ZeroDivisionError),
)
BOUNDS = re.compile(r"f: in bounds: (\w+) of (\w) in line (\d+)$")
ONE = re.compile(r"f: (?:no race|written [a-z ]+): (\w+) of (\w) in line (\d+)$")
TWO = re.compile(r"f: (?:no race|written [a-z ]+): (\w+) of (\w) in line (\d+) and in line (\d+)$")
ALL = re.compile(r"f: written once: all of (\w)$")


@dataclass
class Tally:
    """What was compared, and what is wrong."""

    kernels: int = 0
    runs: int = 0
    seconds: float = 0.0  # that the package took
    accesses: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


# -- maps, as Python reads them ----------------------------------------------------------------------


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


FUNCTIONS = {
    "ceildiv": lambda a, b: -(-a // b),
    "truncdiv": _truncated,
    "truncmod": lambda a, b: a - b * _truncated(a, b),
    "min": min,
    "max": max,
    "abs": abs,
}


def _parts(text: str) -> list[str]:
    depth, made = 0, [""]
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            made.append("")
        else:
            made[-1] += c
    return [p.strip() for p in made if p.strip()]


def _value(text: str, env: Env) -> int:
    return int(eval(text, {"__builtins__": {}, **FUNCTIONS}, dict(env)))


def points(text: str, env: Env) -> Counter[int] | None:
    """The results of a map's text at all of its points; None where they are too many."""
    head, _, result = text.removeprefix("map ").partition(": ")
    domain, _, guard = head.partition(" if ")
    while domain.count("(") != domain.count(")"):  # a choice in a range
        more, _, guard = guard.partition(" if ")
        domain = f"{domain} if {more}"
    ranges = []
    for part in _parts(domain):
        found = re.fullmatch(r"(?:(.*) <= )?(\w+) < (.*)", part)
        if found is None:
            return None
        ranges.append((found[2], found[1] or "0", found[3]))
    made: Counter[int] = Counter()
    count = 0

    def visit(k: int, here: Env) -> bool:
        nonlocal count
        if k == len(ranges):
            count += 1
            if not guard or _value(f"({guard})", here):
                made[_value(result, here)] += 1
            return count <= POINTS
        name, low, high = ranges[k]
        first, last = _value(low, here), _value(high, here)
        return last - first <= POINTS and all(
            visit(k + 1, {**here, name: v}) for v in range(first, last)
        )

    return made if visit(0, dict(env)) else None


# -- a kernel that is run ------------------------------------------------------------------------------


class Run:
    """Runs one text at sizes; `places` are by line, array and kind."""

    def __init__(self, text: Text, folder: Path) -> None:
        self.text = text
        self.program: hardware.Program | None = None
        if not text.python:
            given = [("array", a) for a in text.arrays] + [("int", n) for n in ("n", "m", "A", "B")]
            self.program = hardware.Program(text.text, "f", given, folder)

    def sizes(self, text: str, env: Env) -> tuple[int, ...]:
        """A grid's or a block's sizes."""
        plain = {**FUNCTIONS, "cdiv": FUNCTIONS["ceildiv"]}
        return tuple(int(eval(p, {"__builtins__": {}, **plain}, dict(env))) for p in _parts(text))

    def __call__(self, env: Env) -> Places:
        """What is accessed.

        Raises `Endless`, or what a mistake of the kernel raises.
        """
        grid = self.sizes(self.text.grid, env)
        if self.program is not None:
            block = self.sizes(self.text.block, env)
            lines = self.program.run((*grid, 1), (*block, 1), env, env["n"])
        else:
            memory = {"t": [(k * 5 + 2) % env["n"] for k in range(env["n"])]}
            own = {k: env[k] for k in ("n", "m")}
            constants = {k: env[k] for k in ("A", "B")}
            arrays = tuple(self.text.arrays)
            whole = (*grid, 1, 1)[:3]
            _, lines = machine.run(self.text.text, "f", whole, arrays, own, constants, memory)
        made: Places = defaultdict(Counter)
        for (line, array, kind, at), n in lines.items():
            made[line, array, kind][at] += n
        return made


def assignments(facts: tuple[str, ...]) -> Iterator[Env]:
    """The small sizes that satisfy the facts."""
    for values in product(*VALUES.values()):
        env = dict(zip(VALUES, values))
        if all(eval(p, {"__builtins__": {}}, dict(env)) for f in facts for p in f.split(", ")):
            yield env


# -- what is compared ----------------------------------------------------------------------------------


def compared(text: Text, folder: Path, tally: Tally, rng: random.Random) -> None:
    """One kernel."""
    file = folder / ("k.py" if text.python else "k.cu")
    file.write_text(text.text)
    try:
        run = Run(text, folder)
    except hardware.NotCompiled:
        tally.counts["not compiled"] += 1
        return
    start = time.perf_counter()
    _, table = asking.answer("accesses", f"{file}::f", "--json")
    report: Any = {"claims": []}
    if not text.python or rng.random() < (0.5 if text.sensible else 0.05):
        _, report = asking.answer("check", str(file), "--format", "json")
    if table is None or report is None:
        tally.counts["refused"] += 1
        return
    (kernel,) = table["kernels"]
    tally.seconds += time.perf_counter() - start
    claims = report["claims"]
    told = [p for p in report.get("problems", ()) if p.get("code") == "SL900"]
    if told:
        tally.wrong.append(f"an internal error: {told[0]}\n{text.text}")
    tally.kernels += 1
    for c in claims:
        tally.counts[c["verdict"]] += 1
    if _rests(claims):
        tally.counts["may overflow"] += 1  # the other claims are those of mathematics
        return
    envs = list(assignments(text.facts))
    rng.shuffle(envs)
    for env in envs[: 12 if text.python else 30]:
        with suppress(*MISTAKES):
            try:
                found = run(env)
            except ZeroDivisionError:
                if claims and all(c["verdict"] == "proved" for c in claims):
                    tally.wrong.append(f"all is proved, and it divides by 0\nat {env}\n{text.text}")
                    break
                raise
            tally.runs += 1
            wrong = [
                *_table(kernel, text, run, env, found, tally),
                *_proved(claims, text, env, found),
            ]
            if wrong and not claims:  # the table rests on what a contract would be asked
                _, report = asking.answer("check", str(file), "--format", "json")
                wrong = [] if report is not None and _rests(report["claims"]) else wrong
            for said in wrong:
                tally.wrong.append(f"{said}\nat {env}\n{text.text}")
            if wrong:
                break
    for c in claims:
        if c["verdict"] == "refuted":
            _refuted(c, text, run, tally)


def _rests(claims: list[Any]) -> bool:
    """Whether something is not shown that the other claims and the table rest on."""
    apart = [c for c in claims if re.search("no overflow|no wrap|no divisor", c["name"])]
    return any(c["verdict"] != "proved" for c in apart)


def _environment(kernel: Mapping[str, Any], text: Text, run: Run, env: Env) -> Env:
    """The sizes by the names that the table has."""
    grid, block = run.sizes(text.grid, env), run.sizes(text.block, env) if text.block else ()
    made = dict(env)
    for k, axis in enumerate("xyz"):
        made[f"grid{k}"] = made[f"gridDim_{axis}"] = (*grid, 1, 1, 1)[k]
        made[f"blockDim_{axis}"] = made[f"block{k}"] = (*block, 1, 1, 1)[k]
    return made


def _table(
    kernel: Mapping[str, Any], text: Text, run: Run, env: Env, found: Places, tally: Tally
) -> Iterator[str]:
    """Where the table of accesses is not what is executed."""
    here = _environment(kernel, text, run, env)
    said: Places = defaultdict(Counter)
    open_ = set()
    exact = not kernel["skipped"]
    for a in kernel["accesses"]:
        key = (a["line"], a["array"], a["kind"])
        try:
            made = points(a["map"], here)
        except ZeroDivisionError:
            made = None
        except NameError:
            made = None
        if made is None:
            open_.add(key)
            continue
        tally.accesses += 1
        said[key].update(made)
        if a["doubt"]:
            exact = False
    for key in {*said, *found} - open_:
        if exact and not _times(said[key], found[key]):
            yield f"{key} is {_short(said[key])} in the table, and {_short(found[key])} when it is run"
        elif not exact and key in said and not set(found[key]) <= set(said[key]):
            yield f"{key} reaches {_short(found[key])}, in the table {_short(said[key])}"


def _times(said: Counter[int], found: Counter[int]) -> bool:
    """Whether they are the same, each place as often; by programs that the table does not name, too."""
    if not said or not found:
        return not said and not found
    more = max(1, found.total() // said.total())
    return found == Counter({at: k * more for at, k in said.items()})


def _short(places: Counter[int]) -> str:
    return str(dict(sorted(places.items())))[:200]


def _holds(name: str, text: Text, env: Env, found: Places) -> bool | None:
    """Whether a claim is true of a run; None for one that is of something else."""
    if (m := BOUNDS.match(name)) is not None:
        size = _value(text.arrays[m[2]], env)
        return all(0 <= at < size for at in found[int(m[3]), m[2], m[1]])
    if (m := ONE.match(name)) is not None:
        own = found[int(m[3]), m[2], m[1]]
        alone = sum(k == m[2] and w != "load" for _, k, w in found if found[_, k, w]) <= 1
        if "written once" in name and alone and "all of" not in name:
            return None if len(own) == 0 else all(v == 1 for v in own.values())
        return all(v == 1 for v in own.values())
    if (m := TWO.match(name)) is not None:
        first, second = (_stored(found, int(n), m[2]) for n in (m[3], m[4]))
        return m[3] == m[4] or not first & second
    if (m := ALL.match(name)) is not None:
        return _written(m[1], text, env, found)
    return None


def _stored(found: Places, line: int, array: str) -> set[int]:
    """The places that a line writes."""
    return {
        at for (n, a, w), p in found.items() if (n, a) == (line, array) and w != "load" for at in p
    }


def _written(array: str, text: Text, env: Env, found: Places) -> bool:
    """Whether every element is written exactly once."""
    whole: Counter[int] = Counter()
    for (_, name, kind), places in found.items():
        if name == array and kind != "load":
            whole.update(places)
    return whole == Counter(range(_value(text.arrays[array], env)))


def _proved(claims: list[dict[str, Any]], text: Text, env: Env, found: Places) -> Iterator[str]:
    """Claims that are proved, and false."""
    for c in claims:
        if c["verdict"] == "proved" and _holds(c["name"], text, env, found) is False:
            yield f"proved, and false: {c['name']} ({c['claim']} {c['arguments']})"
        if c["verdict"] == "vacuous":
            yield f"vacuous, and there are sizes: {c['name']}"
    if any("understood" in c["name"] for c in claims):
        return
    for array in text.arrays:
        own = [c for c in claims if re.search(rf"written once: .*\b{array}\b", c["name"])]
        whole = any(c["claim"] == "bijective" for c in own)
        whole = whole and all(c["verdict"] == "proved" for c in own)
        if whole and not _written(array, text, env, found):
            yield f"proved that {array} is written once, and it is not"


def _refuted(c: dict[str, Any], text: Text, run: Run, tally: Tally) -> None:
    """Runs a counterexample."""
    sizes = (c.get("counterexample") or {}).get("sizes") or {}
    if c["claim"] == "fits" or not (BOUNDS.match(c["name"]) or ONE.match(c["name"])):
        return
    if any(v > LARGE for v in sizes.values()):
        tally.counts["not run again"] += 1
        return
    for rest in assignments(text.facts):
        env = {**rest, **sizes}
        if not all(
            eval(p, {"__builtins__": {}}, dict(env)) for f in text.facts for p in f.split(", ")
        ):
            continue
        try:
            found = run(env)
        except ZeroDivisionError:
            tally.counts["run again"] += 1
            return
        except MISTAKES:
            tally.counts["not run again"] += 1
            return
        holds = _holds(c["name"], text, env, found)
        once = BOUNDS.match(c["name"]) is None and "written once" in c["name"]
        array = (BOUNDS.match(c["name"]) or ONE.match(c["name"]))[2]  # type: ignore[index]
        if holds is False or (once and not _written(array, text, env, found)):
            tally.counts["run again"] += 1
            return
    tally.counts["refuted, and not seen"] += 1
    tally.wrong.append(f"refuted, and true: {c['name']} at {sizes}\n{text.text}")


def run(count: int, seed: int, say: Callable[[str], None] = print, c: float = 0.4) -> Tally:
    """So many random kernels."""
    rng = random.Random(seed)
    tally = Tally()
    for _ in range(count):
        text = kernel_texts.drawn(rng, rng.random() >= c)
        before = len(tally.wrong)
        with tempfile.TemporaryDirectory() as folder:
            compared(text, Path(folder), tally, rng)
        for said in tally.wrong[before:]:
            say(said)
    return tally


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--c", type=float, default=0.4, help="the share of kernels in C")
    parser.add_argument(
        "--points", type=int, default=100_000, help="of a search for a counterexample"
    )
    options = parser.parse_args()
    asking.limit_search(options.points)
    start = time.perf_counter()
    made = run(options.count, options.seed, c=options.c)
    print(
        f"{made.kernels} kernels, {made.runs} runs, {made.accesses} maps of accesses at these sizes"
    )
    print(f"{made.seconds:.0f} s for answers")
    print(dict(made.counts), f"{len(made.wrong)} wrong, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
