"""How the code is built, in numbers: `python benchmarks/structure.py [--suite] [--reach]`.

One line for each measure: what it is today, and the goal.  Exits with 1 when a goal is missed; the
size of the package has none.  `--suite` also runs the default test suite, and `--reach` also
measures which functions the examples and the proofs call: both take minutes.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "symlayout"
TESTS = ROOT / "tests"

# what a test may import without hanging on how the package is built
PUBLIC = ("symlayout", "symlayout.__main__", "symlayout.tla", "symlayout.prove", "symlayout.xla")
PUBLIC = (*PUBLIC, "symlayout.broadcast", "symlayout.emit", "symlayout.hlo", "symlayout.pallas")
PUBLIC = (*PUBLIC, "symlayout.errors", "symlayout.pytest_plugin")

TEN: tuple[tuple[str, str], ...] = (
    ('injective "bf16[M,N]{1,0:T(8,128)(2,1)}"', ""),
    (
        'formula "f32[M,N]{1,0:T(8,128)}" "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"',
        "N % 128 == 0",
    ),
    ('bijective "map i < M, j < N: i*N + j in M*N"', ""),
    ('injective "linear register [[0,1],[0,2]], lane [[1,0],[2,1]] -> dim0 4, dim1 4"', ""),
    ('bijective "map i < M*N: (i//N, i%N) in (M, N)"', ""),
    ('instruction "f32[2,3] add(f32[2,3], f32[2,3])"', ""),
    ('equal "zN(f16,R,C)" "f16[R,C]{0,1:T(16,16)(16,1)}"', ""),
    (
        'bijective "#ttg.blocked<{sizePerThread=[1,2], threadsPerWarp=[8,4], warpsPerCTA=[2,2], '
        'order=[1,0]}> on 32x32"',
        "",
    ),
    (
        'equal "zipped_divide((8*M,4*N):(4*N,1), (8,4))" "((8,4),(M,N)):((4*N,1),(32*N,4))"',
        "",
    ),
    ('fits "map r < R, c < 8: int64(r)*8 + c"', "R <= 100000"),
)

# what a proof rests on, by the beginning of the file's name: the first that fits
TRUSTED: Mapping[str, tuple[str, ...]] = {
    "what is known, and the steps": ("certificate/state", "certificate/kernel"),
    "reasons and laws": ("certificate/proof",),
    "polynomials": ("certificate/exact",),
    "cases and their moves": tuple(
        f"certificate/{n}."
        for n in (
            *("part", "cases", "script", "worlds", "goals"),
            *("moves", "renaming", "arranging", "rewriting", "words"),
        )
    ),
    "what claims and layouts mean": ("certificate/",),
    "expressions and their texts": ("expr/",),
    "readers of layouts": ("layouts/", "tla/"),
    "readers of instructions": ("programs/",),
    "texts, errors, the package": ("",),
}
LOGIC = tuple(TRUSTED)[:4]


def part_of(name: str) -> str:
    """The part of what is trusted that a module belongs to."""
    return next(k for k, heads in TRUSTED.items() if name.startswith(heads))


# forms of the same idea, by file and definition: what is no longer there counts no longer.
# Not a form of an integer expression, because each holds an `Expr` and no tree of its own:
# - `Less`, `Both` and `Either` (expr/conditions.py), which are kinds of `Expr`, as `Add` is;
# - `Traced` (layouts/maps/tracing.py): an `Expr`, and the call of the function that it belongs to;
# - `Extent` (programs/hlo/broadcast/extent.py): a size, which is an `Expr`, and whether it is a bound;
# - `Run` (layouts/doors/family.py): vectors over F2, whose exponents are `Expr`s.
# `Program` (expr/arrays.py) is compiled from an `Expr`, and no expression is made of one: it is an
# evaluator.  `evaluate` (expr/evaluation.py) divides arrays in blocks for it, and computes nothing.
# `evaluate` (digits/roots.py) is Horner's scheme on a list of coefficients, without operators.
# `Type` (expr/plain_arrays.py) is a `dtype` where there is no NumPy: it has no bits and no bounds.
FORMS: Mapping[str, tuple[str, ...]] = {
    "representations of an integer expression": (
        "expr/tree.py:Expr",
        "expr/edge.py:Made",
        "expr/term.py:Term",
        "digits/poly.py:Poly",
        "certificate/exact.py:Poly",
    ),
    "evaluators at numbers": (
        "expr/terms.py:value",
        "expr/plain.py:function",
        "expr/arrays.py:Program",
        "prove/maps/replay.py:_Point",
    ),
    "models of machine types": ("expr/machine.py:Machine",),
    "searches of small sizes": (
        "digits/sizes.py:sizes_in_order",
        "digits/sizes.py:choices_in_order",
        "prove/search.py:points",
        "prove/maps/walk.py:Walk",
        "prove/image.py:search",
        "prove/statement.py:search",
        "prove/definedness.py:search",
        "prove/when/course.py:search",
        "certificate/enumeration.py:points",
        "certificate/casework.py:points",
        "layouts/maps/function.py:points",
    ),
}
FORM_GOALS = (2, 1, 1, 1)


class Measure(NamedTuple):
    """One line of the table; a goal of None is not asked for, and a value of None not measured."""

    name: str
    value: float | None
    goal: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the goal is reached, or there is none."""
        if self.value is None or self.goal is None:
            return True
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def child(code: str, *arguments: str, path: Path = ROOT) -> Any:
    """What a new process prints as JSON in its last line."""
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", code, *arguments]
    out = subprocess.run(command, env=environment, cwd=path, capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(f"a measurement failed: {out.stderr.strip().splitlines()[-1]}")
    return json.loads(out.stdout.strip().splitlines()[-1])


PROVE = """
import json, shlex, sys
import symlayout as sl
def proved(line, fact):
    word, *arguments = shlex.split(line)
    verdict = getattr(sl.prove, word)(*arguments, **({"where": [fact]} if fact else {}))
    assert verdict.status == "proved", (line, verdict.reason)
    return verdict
"""
COUNT_CALLS = """
class Calls:
    def __enter__(self):
        self.number = 0
        def profile(frame, event, arg):
            self.number += event in ("call", "c_call")
        sys.setprofile(profile)
        return self
    def __exit__(self, *_):
        sys.setprofile(None)
"""
CERTIFICATES = f"""{PROVE}
print(json.dumps([proved(*row).certificate for row in json.loads(sys.argv[1])]))
"""
RECHECK = """
import collections, inspect, json, os, sys
from symlayout import recheck
lines, own = set(), os.sep + "symlayout" + os.sep
def trace(frame, event, arg):
    code = frame.f_code
    if own not in code.co_filename or not code.co_flags & inspect.CO_NEWLOCALS:
        return None  # a module or the body of a class: what is imported on the way
    def local(frame, event, arg):
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return local
    return local
rows = json.loads(open(sys.argv[1]).read())
sys.settrace(trace)
answers = [recheck(certificate, line, facts).ok for certificate, line, facts in rows]
sys.settrace(None)
assert all(answers)
loaded = [m.__file__ for n, m in sys.modules.items() if n.split(".")[0] == "symlayout" and m.__file__]
run = collections.Counter(file for file, _ in lines)
rows = [(f.split(own)[-1], run[f], len(open(f).read().splitlines())) for f in loaded]
print(json.dumps(sorted(rows)))
"""
RATIO = f"""{PROVE}{COUNT_CALLS}
line, fact = json.loads(sys.argv[1])
proved(line, fact).certificate  # what is loaded and kept is not counted
from symlayout.prove.verdict import Verdict
with Calls() as proof:
    verdict = proved(line, fact)
with Calls() as certificate:
    verdict.certificate
print(json.dumps(certificate.number / proof.number))
"""
KERNEL = f"""{COUNT_CALLS}
import contextlib, io, json, sys
from symlayout.expr import reader
from symlayout.__main__ import main
read, texts = reader.read_expression.__code__, 0
def profile(frame, event, arg):
    global calls, texts
    calls += event == "call"
    texts += event == "call" and frame.f_code is read
calls = 0
sys.setprofile(profile)
with contextlib.redirect_stdout(io.StringIO()):
    main(["check", "examples/kernels/matmul.py", "--no-cache", "--jobs", "1"])
sys.setprofile(None)
print(json.dumps([texts, calls]))
"""
CORE = f"""{PROVE}
for line, fact in json.loads(sys.argv[1]):
    proved(line, fact)
from symlayout.__main__ import main
main(["formula", "f32[M,N]{{1,0:T(8,128)}}"])
print(json.dumps(True))
"""


def checker_lines() -> list[tuple[str, int, int]]:
    """The modules that a recheck of the ten certificates loads: lines that it runs, and all lines."""
    certificates = child(CERTIFICATES, json.dumps(TEN))
    rows = [(c, line, [fact] if fact else []) for c, (line, fact) in zip(certificates, TEN)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.json")
        file.write_text(json.dumps(rows))
        return [(name, run, lines) for name, run, lines in child(RECHECK, str(file))]


def rechecks() -> Iterator[Measure]:
    """What the recheck of the ten certificates runs and loads, and how long the logic is."""
    rows = checker_lines()
    run, loaded = (sum(row[k] for row in rows) for k in (1, 2))
    yield Measure("lines that the recheck of ten certificates runs", run, 2000)
    yield Measure("lines that it loads", loaded, 8000)
    files = {str(p.relative_to(PACKAGE)): p for p in PACKAGE.rglob("*.py")}
    own = [p for name, p in files.items() if part_of(name) in LOGIC]
    logic = sum(len(p.read_text().splitlines()) for p in own)
    yield Measure("lines of the trusted logic", logic, 1300)


def calls() -> Iterator[Measure]:
    """What a certificate and a kernel cost."""
    (claim,) = [row for row in TEN if row[0].startswith("formula")]
    yield Measure(
        "calls of a certificate over those of its proof", child(RATIO, json.dumps(claim)), 1.5
    )
    texts, number = child(KERNEL)
    yield Measure("texts that the grammar reads for matmul.py", texts, 40)
    yield Measure("function calls for matmul.py", number, 2_000_000)


def sources(folder: Path = PACKAGE) -> dict[Path, ast.Module]:
    """The package's modules."""
    return {p: ast.parse(p.read_text()) for p in sorted(folder.rglob("*.py"))}


def classes() -> Iterator[Measure]:
    """The deepest class of our own, and the most methods of a class with its bases."""
    depth, methods = child(CLASSES)
    yield Measure("deepest class", depth, 3)
    yield Measure("most methods of a class with its bases", methods, 40)


def forms(trees: Mapping[Path, ast.Module]) -> Iterator[Measure]:
    """How many forms of the same idea there are."""
    known = {
        f"{p.relative_to(PACKAGE)}:{n.name}"
        for p, tree in trees.items()
        for n in ast.walk(tree)
        if isinstance(n, (ast.ClassDef, ast.FunctionDef))
    }
    for (name, rows), goal in zip(FORMS.items(), FORM_GOALS):
        yield Measure(name, len(known & {*rows}), goal)
    hidden = [n for t in trees.values() for n in ast.walk(t) if _is_call(n, "ContextVar")]
    yield Measure("ContextVars", len(hidden), 0)


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def inner_imports(folder: Path = TESTS) -> float:
    """The share, in percent, of the lines of tests whose file imports a name that is not public."""
    inside = outside = 0
    for p in sorted(folder.rglob("*.py")):
        text = p.read_text()
        lines = len(text.splitlines())
        if _imports_inside(ast.parse(text)):
            inside += lines
        else:
            outside += lines
    return round(100 * inside / (inside + outside), 1)


def _imports_inside(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module in PUBLIC
            names = [node.module] if whole else [f"{node.module}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        if any(n.split(".")[0] == "symlayout" and n not in PUBLIC for n in names):
            return True
    return False


def core_alone() -> bool:
    """Whether proofs and formulas work in a copy without kernels and modules."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "symlayout")
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.rmtree(copy / "programs")
        try:
            return bool(child(CORE, json.dumps(TEN[:1]), path=Path(folder)))
        except SystemExit:
            return False


def package_lines() -> int:
    """All lines of the package's modules."""
    return sum(len(p.read_text().splitlines()) for p in PACKAGE.rglob("*.py"))


def suite() -> float:
    """Processor time of the default test suite, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)


CLASSES = """
import importlib, inspect, json, pkgutil, symlayout
for module in pkgutil.walk_packages(symlayout.__path__, "symlayout."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
def below(cls):
    return {cls}.union(*[below(c) for c in type.__subclasses__(cls)])
known = {c for c in below(object) if c.__module__.split(".")[0] == "symlayout"}
def depth(cls):
    return (cls in known) and 1 + max(map(depth, cls.__bases__))
def methods(cls):
    return {n for c in cls.__mro__ if c in known for n, f in vars(c).items() if inspect.isroutine(f)}
print(json.dumps([max(map(depth, known)), max(len(methods(c)) for c in known)]))
"""
REACH = """
import contextlib, io, json, os, sys
codes, own = set(), os.sep + "symlayout" + os.sep
def profile(frame, event, arg):
    if event == "call":
        codes.add(frame.f_code)
sys.setprofile(profile)
from symlayout.__main__ import main
with contextlib.redirect_stdout(io.StringIO()):
    main(["check", "examples", "proofs", "--no-cache", "--jobs", "1"])
sys.setprofile(None)
rows = [(c.co_filename, c.co_firstlineno) for c in codes if own in c.co_filename]
print(json.dumps(rows))
"""


def reach(trees: Mapping[Path, ast.Module]) -> float:
    """The share, in percent, of statements in functions that `check examples proofs` calls."""
    called = {(Path(f).resolve(), n) for f, n in child(REACH)}
    total = covered = 0
    for p, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
                size = sum(isinstance(n, ast.stmt) for n in ast.walk(node)) - 1
                total += size
                covered += size * ((p.resolve(), first) in called)
    return round(100 * covered / total, 1)


def measures(with_suite: bool, with_reach: bool) -> Iterator[Measure]:
    """All lines of the table, in order."""
    trees = sources()
    yield from rechecks()
    yield from calls()
    yield from classes()
    yield from forms(trees)
    yield Measure("percent of test lines in files that import internals", inner_imports(), 40)
    yield Measure("the core works without kernels and modules", float(core_alone()), 1, True)
    processor = suite() if with_suite else None
    yield Measure("processor time of the test suite, in seconds", processor, 480)
    share = reach(trees) if with_reach else None
    yield Measure("percent of statements that examples and proofs reach", share, 60, True)
    yield Measure("lines of the package", package_lines())


def row(m: Measure) -> str:
    """One line of the table."""
    value = "not measured"
    if m.value is not None:
        value = f"{m.value:,.4g}" if m.value < 1000 else f"{m.value:,.0f}"
    goal = "" if m.goal is None else f"{'at least' if m.at_least else 'at most'} {m.goal:,}"
    return f"{m.name:56} {value:>14}  {goal:20} {'' if m.met else 'missed'}".rstrip()


def main(arguments: Sequence[str] | None = None, say: Callable[[str], None] = print) -> int:
    """Prints the table; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="store_true", help="run the default test suite too")
    parser.add_argument("--reach", action="store_true", help="measure what the examples reach too")
    options = parser.parse_args(arguments)
    missed = 0
    for m in measures(options.suite, options.reach):
        say(row(m))
        missed += not m.met
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
