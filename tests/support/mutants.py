"""Mutation testing of the modules that decide: `python benchmarks/mutants.py [--seed 0]`.

Makes small wrong changes (mutants) to one module at a time, a seeded sample of `--count` for each
module, and runs the module's own fast tests on each.  A mutant that fails a test, or runs
out of its time, is killed; what survives is printed as a diff line.  Survivors that
`mutants_known.toml` explains (no test could or should tell them apart) do not count in the score.

All of it happens in a temporary copy.  Each mutant runs in a fork of a process that has SymPy, Z3
and pytest loaded.  (mutmut 3 leaves decorated functions alone, which here are half of the algebra,
and cosmic-ray starts a new interpreter for each mutant.)
"""

from __future__ import annotations

import argparse
import ast
import compileall
import copy
import os
import py_compile
import random
import resource
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KNOWN = Path(__file__).with_name("mutants_known.toml")
CHECKER = ("meaning_maps", "recheck", "meaning", "recheck_forged", "certificate")
MAPS = ("maps_prove", "maps_schedules", "maps", "prove_cases")
FAMILIES = ("family", "shifts", "recheck_forged")
ENGINE = ("ceiling_signs", "prove_cases", "digits_laws", "rules", "digits")
# the tests of each module, those that fail soonest first
TESTS = {
    "expr/facts": ("odd_facts", "facts", "facts_laws", "prove_cases"),
    "expr/domains": ("odd_facts", "facts", "facts_laws", "prove_cases"),
    "expr/relations": ("odd_facts", "facts", "facts_laws", "prove_cases"),
    "digits/poly": ("poly", "digits_laws", "rules", "digits"),
    "digits/context": (*ENGINE, "simplify"),
    "digits/state": (*ENGINE, "simplify"),
    "digits/division": (*ENGINE, "simplify"),
    "digits/samples": ENGINE,
    "digits/bounds": ENGINE,
    "digits/windows": (*ENGINE, "simplify"),
    "digits/assume": ("odd_facts", *ENGINE, "facts"),
    "digits/rebuild": ("simplify", "rules", "digits", "digits_laws", "prove_cases", "inverse"),
    "digits/radix": (*ENGINE, "inverse"),
    "digits/placement": ENGINE,
    "digits/solver": ("prove_cases", "digits_laws", "facts", "prove_fits"),
    "prove/statement": ("statement", "prove_cases"),
    "prove/decide": ("prove_empty", "prove_numbers", "statement", "prove_laws", "prove_cases"),
    "prove/search": ("prove_smallest", "prove_laws", "prove_cases"),
    "prove/demands": ("prove_defined", "prove_empty", "prove_cases"),
    "prove/image": ("prove_laws", "prove_cases"),
    "prove/holes": ("prove_laws", "prove_cases"),
    "prove/bijection": ("prove_laws", "prove_cases"),
    "prove/tiling": ("tla_tiles_claim", "prove_cases"),
    "prove/applied": ("applied",),
    "prove/broadcasting": ("broadcast_prove",),
    "prove/definedness": ("prove_defined", "prove_zero_divisors"),
    "prove/equality": ("prove_cases",),
    "prove/measures": ("statement", "prove_cases"),
    "prove/relation": ("residues", "prove_holds"),
    "prove/fitting": ("prove_fits", "fits_written", "prove_cases"),
    "prove/maps/cases": MAPS,
    "prove/maps/choice": MAPS,
    "prove/maps/claims": ("maps_functions", "prove_empty", *MAPS, "maps_attacks"),
    "prove/maps/ends": MAPS,
    "prove/maps/everywhere": MAPS,
    "prove/maps/failures": ("blocks", *MAPS),
    "prove/maps/fitting": ("fits_written", *MAPS),
    "prove/maps/goals": ("maps_functions", "fits_written", *MAPS, "maps_attacks"),
    "expr/intervals": ("intervals", *MAPS),
    "expr/operators": ("operators", "terms", "plain", "operator_recipe"),
    "expr/ranges": ("operators", "intervals"),
    "prove/maps/pairs": ("maps_functions", "linear", "maps_attacks", *MAPS),
    "prove/maps/ranks": ("maps_functions", "linear", "family", "blocks"),
    "prove/maps/replay": ("fits_written", *MAPS),
    "prove/maps/roots": MAPS,
    "prove/maps/undone": ("maps_functions", *MAPS),
    "prove/maps/view": MAPS,
    "prove/maps/walk": MAPS,
    "prove/when/atoms": ("when",),
    "prove/when/course": ("when",),
    "prove/when/failures": ("when",),
    "prove/when/forms": ("when",),
    "prove/when/labels": ("when",),
    "prove/when/points": ("when",),
    "certificate/codec": ("proof", "recheck"),
    "certificate/exact": ("certificate_exact", "recheck", "certificate"),
    "certificate/state": ("recheck", "linear", "certificate", "certificate_sides"),
    "certificate/kernel": ("recheck", "linear", "certificate", "certificate_sides"),
    "certificate/reading": ("meaning", "certificate", "recheck", "certificate_sides"),
    "certificate/semantics": ("meaning", "certificate", "recheck", "certificate_sides"),
    "certificate/definitions": ("meaning", "certificate", "recheck", "certificate_sides"),
    "certificate/target": ("proof", "recheck"),
    "certificate/enumeration": ("meaning", "certificate"),
    "certificate/definedness": ("recheck_defined", "fits_written", *CHECKER),
    "certificate/functions": ("triton", *CHECKER),
    "certificate/words": ("words", "moves"),
    "certificate/cases": ("moves", "bits_laws", *CHECKER),
    "certificate/moves": ("moves", *CHECKER),
    "certificate/machine": ("fits_written", *CHECKER),
    "certificate/bits": CHECKER,
    "certificate/algebra": ("algebra_certified", *CHECKER),
    "certificate/asking": ("algebra_certified", *CHECKER),
    "certificate/modes": ("algebra_certified", *CHECKER),
    "certificate/inverses": ("algebra_certified", *CHECKER),
    "certificate/recasting": ("algebra_certified", *CHECKER),
    "certificate/rearranging": ("algebra_certified", *CHECKER),
    "certificate/operands": ("algebra_certified", *CHECKER),
    "certificate/products": ("algebra_certified", *CHECKER),
    "certificate/applied": CHECKER,
    "certificate/layouts": CHECKER,
    "certificate/encodings": ("triton", *CHECKER),
    "certificate/blocks": ("blocks", *FAMILIES),
    "certificate/padded": ("triton", "meaning", "recheck"),
    "certificate/shares": ("triton", "meaning", "recheck"),
    "certificate/units": ("triton", "meaning", "recheck"),
    "certificate/proof": ("proof", "lemmas", "recheck"),
    "certificate/renaming": ("moves", *CHECKER),
    "certificate/arranging": ("moves", *CHECKER),
    "certificate/rewriting": ("moves", "words"),
    "certificate/goals": ("moves", *CHECKER),
    "certificate/storage": ("meaning", "certificate", "recheck", "certificate_sides"),
    "certificate/transfers": ("meaning", "certificate", "recheck", "certificate_sides"),
    "certificate/tiles": ("meaning", "certificate", "recheck", "certificate_sides"),
    "certificate/broadcasts": ("broadcast_prove", "recheck_forged"),
    "certificate/script": ("moves", *CHECKER),
    "certificate/worlds": ("moves", *CHECKER),
    "certificate/casewise": ("fact_alternatives", *CHECKER),
    "certificate/opening": CHECKER,
    "certificate/composites": CHECKER,
    "certificate/swizzles": CHECKER,
    "certificate/fragments": ("triton", *CHECKER),
    "certificate/vectors": ("triton", *CHECKER),
    "certificate/broadcasting": ("broadcast_prove", "recheck_forged"),
    "certificate/shaping": ("certificate_opcodes", "broadcast_prove", "recheck_forged"),
    "certificate/instructions/call": ("certificate_opcodes",),
    "certificate/instructions/control": ("certificate_opcodes",),
    "certificate/instructions/devices": ("certificate_opcodes",),
    "certificate/instructions/binding": ("certificate_opcodes", "opcode_rows"),
    "certificate/instructions/builder": ("certificate_opcodes", "hlo_builder_kinds"),
    "certificate/instructions/fields": ("certificate_opcodes",),
    "certificate/instructions/functions": ("certificate_opcodes",),
    "certificate/instructions/indices": ("certificate_opcodes",),
    "certificate/instructions/moves": ("certificate_opcodes",),
    "certificate/instructions/rows": ("certificate_opcodes", "opcode_rows", "hlo_builder_kinds"),
    "certificate/instructions/windows": ("certificate_opcodes",),
    "digits/atoms": (*ENGINE, "shifts", "simplify"),
    "digits/bitwise": ("bits_laws", "shifts", *ENGINE, "maps_prove"),
    "digits/powers": ("bits_laws", "shifts", "prove_cases", "digits_laws", "family"),
    "digits/residues": ("residues", "prove_cases"),
    "digits/roots": ("roots",),
    "digits/clauses": ("clauses",),
    "digits/sizes": ("clauses", "prove_smallest", "broadcast_prove"),
    "expr/tree": ("tree", "terms", "printing", "operations", "shifts", "digits_laws"),
    "expr/words": ("words", "bit_forms"),
    "prove/maps/words": ("bit_forms", "shifts"),
    "expr/folding": ("tree", "terms", "printing", "operations", "shifts"),
    "prove/maps/bits": ("shifts", *MAPS),
    "prove/maps/blocks": ("blocks", *FAMILIES),
    "prove/maps/renamed": ("prove_renaming", *MAPS),
    "prove/maps/unsettled": MAPS,
    "layouts/filling": ("prove_reinterpret", "hlo_top", "tla_layout"),
    "layouts/doors/family": ("family", "linear", "shifts"),
    "tla/structure": ("tla_operands", "tla_modes", "tla_algebra", "tla_layout"),
    "tla/operands": ("tla_operands", "tla_swizzle", "tla_algebra"),
    "tla/chain": ("tla_operands", "tla_swizzle", "algebra_texts"),
    "tla/swizzles": ("tla_swizzle", "tla_inverses", "tla_operands"),
}
ORDER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OPPOSITE = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
WORDS = {"min": "max", "max": "min", "any": "all", "all": "any", "gcd": "max", "lcm": "max"}
MEMORY = 4 << 30


@dataclass(frozen=True)
class Mutant:
    """One change: the text between two places of a module becomes another."""

    module: str
    scope: str  # the function
    start: int
    end: int
    new: str
    line: int

    def apply(self, source: str) -> str:
        """The module's text with the change."""
        return source[: self.start] + self.new + source[self.end :]

    def lines(self, source: str) -> tuple[str, str]:
        """The changed lines, before and after."""
        first = source.rfind("\n", 0, self.start) + 1
        last = (source + "\n").find("\n", self.end)
        after = source[first : self.start] + self.new + source[self.end : last]
        return flat(source[first:last]), flat(after)

    def statements(self, source: str) -> tuple[str, str]:
        """The changed statement before and after, apart from its block, however it is formatted."""
        return statement_at(source, self.start, self.end), statement_at(
            self.apply(source), self.start, self.start + len(self.new)
        )

    def diff(self, source: str) -> str:
        """The changed lines as a diff."""
        return "- {} / + {}".format(*self.lines(source))


def flat(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def statement_at(source: str, start: int, end: int) -> str:
    """The innermost statement around a piece of text, without the statements inside of it.

    >>> statement_at("if (a and\\n        b):\\n    pass", 4, 5)
    'if a and b:'
    """
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    around: ast.stmt | None = None
    for node in ast.walk(ast.parse(source)):  # outer ones first
        if isinstance(node, ast.stmt):
            first = starts[node.lineno - 1] + node.col_offset
            last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            if first <= start and end <= last:
                around = node
    if around is None:
        return ""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        if getattr(around, name, None):
            setattr(around, name, [])
    return ast.unparse(around)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may wrongly stand in place of this one."""
    match node:
        case ast.Compare(ops=[op]):
            for table in (ORDER, OPPOSITE):
                if type(op) in table:
                    made = copy.deepcopy(node)
                    made.ops = [table[type(op)]()]
                    yield made
        case ast.Compare(ops=[_, *_] as ops):
            for k, op in enumerate(ops):
                if type(op) in ORDER:
                    made = copy.deepcopy(node)
                    made.ops[k] = ORDER[type(op)]()
                    yield made
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            made = copy.deepcopy(node)
            made.op = ARITHMETIC[type(op)]()
            yield made
            if isinstance(node, ast.AugAssign):
                yield ast.Pass()
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield ast.Constant(node.value + 1)
            yield ast.Constant(node.value - 1)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=inner):
            yield inner
        case ast.BoolOp(op=op, values=values):
            made = copy.deepcopy(node)
            made.op = ast.And() if isinstance(op, ast.Or) else ast.Or()
            yield made
            for k in range(len(values)):
                rest = values[:k] + values[k + 1 :]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.IfExp(test=test, body=body, orelse=other):
            yield ast.IfExp(test, other, body)
        case ast.Call(args=[a, b, *rest], func=func, keywords=words) if not any(
            isinstance(x, ast.Starred) for x in (a, b)
        ):
            yield ast.Call(func, [b, a, *rest], words)
            if isinstance(func, ast.Name) and func.id in WORDS:
                yield ast.Call(ast.Name(WORDS[func.id]), node.args, words)
        case ast.Call(func=ast.Name(id=name)) if name in WORDS:
            yield ast.Call(ast.Name(WORDS[name]), node.args, node.keywords)
        case ast.Return(value=ast.Tuple(elts=[a, b])):
            yield ast.Return(ast.Tuple([b, a]))
        case ast.Return(value=value) if value is not None:
            yield ast.Return(ast.Constant(None))
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()
        case ast.comprehension(ifs=[_, *_]):
            pass  # its conditions are expressions of their own
    deletable = ast.Return | ast.Continue | ast.Break | ast.Raise
    stored = isinstance(node, ast.Assign) and not any(
        isinstance(t, ast.Name | ast.Tuple) for t in node.targets
    )
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if stored or called or isinstance(node, deletable):
        yield ast.Pass()


def mutants_of(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of the text."""
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    found: dict[tuple[int, int, str], Mutant] = {}

    def visit(node: ast.AST, scope: str, parent: ast.AST | None) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            scope = f"{scope}.{node.name}" if scope else node.name
        if isinstance(node, ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom):
            return  # messages; what only tells the type checker something
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if hasattr(node, "lineno"):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            old = source[start:end]
            for made in changes(node):
                new = ast.unparse(ast.fix_missing_locations(made))
                if isinstance(made, ast.expr) and not isinstance(parent, ast.stmt):
                    new = f"({new})"
                if flat(new).strip("()") != flat(old).strip("()"):
                    mutant = Mutant(module, scope, start, end, new, node.lineno)
                    found.setdefault((start, end, new), mutant)
        for name, child in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for x in child if isinstance(child, list) else [child]:
                if isinstance(x, ast.AST):
                    visit(x, scope, node)

    visit(ast.parse(source), "", None)
    return list(found.values())


def sample(module: str, source: str, count: int, seed: int) -> list[Mutant]:
    """That many mutants of the module, the same ones for the same seed."""
    every = mutants_of(module, source)
    rng = random.Random(f"{seed} {module}")
    return sorted(rng.sample(every, min(count, len(every))), key=lambda m: (m.start, m.new))


# -- running --------------------------------------------------------------------------------------


class First:
    """Remembers the first test that fails."""

    nodeid = ""

    def pytest_runtest_logreport(self, report) -> None:  # type: ignore[no-untyped-def]
        """A phase of a test is over."""
        if report.failed and not self.nodeid:
            self.nodeid = report.nodeid

    def pytest_collectreport(self, report) -> None:  # type: ignore[no-untyped-def]
        """A file is collected."""
        if report.failed and not self.nodeid:
            self.nodeid = f"{report.nodeid} (collecting)"


def run(copied: Path, files: list[str], seconds: float) -> tuple[str, float]:
    """Runs the test files in a fork: what killed the mutant ("" if nothing), processor seconds."""
    read, write = os.pipe()
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if child == 0:
        os.close(read)
        code, first = 3, First()
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            limit = max(1, int(seconds))
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            import pytest

            options = ["-x", "-q", "-n", "0", "-m", "", "-p", "no:cacheprovider"]  # all cases
            code = int(pytest.main([*options, *files], plugins=[first]))
            import symlayout

            assert Path(symlayout.__file__).is_relative_to(copied)
        except BaseException as error:
            first.nodeid = first.nodeid or f"{type(error).__name__}: {error}"
        finally:
            os.write(write, (first.nodeid or ("" if code == 0 else f"exit {code}")).encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8", errors="replace") as pipe:
        killer = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        killer = killer or f"time or memory (signal {status})"
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return killer, ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


def prepare() -> Path:
    """A copy of the repository to mutate, its byte code kept by content and not by time."""
    copied = Path(tempfile.mkdtemp(prefix="mutants-"))
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "docs")
    shutil.copytree(ROOT, copied, ignore=ignored, dirs_exist_ok=True)
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(copied / "symlayout", quiet=1, invalidation_mode=mode)
    os.chdir(copied)
    sys.path[0] = str(copied)
    os.environ |= {"PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
    return copied


def preload() -> None:
    """Imports what no mutant changes."""
    import _pytest.assertion.rewrite  # noqa: F401
    import hypothesis.strategies  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import sympy.polys.polytools  # noqa: F401
    import z3  # noqa: F401


def test_files(copied: Path, module: str) -> list[str]:
    """The test files of a module that exist."""
    forms = (
        "tests/test_{}.py",
        "tests/internals/test_{}.py",
        "tests/internals/test_{}_internals.py",
    )
    named = [form.format(name) for name in TESTS[module] for form in forms]
    return [name for name in named if (copied / name).exists()]


def explained(m: Mutant, source: str, known: list[dict[str, str]]) -> str:
    """Why no test kills it, when that is known (whatever it becomes, where a row has no `after`)."""
    before, after = m.statements(source)
    for row in known:
        same = (row["module"], row["scope"], row["before"]) == (m.module, m.scope, before)
        if same and row.get("after", after) == after:
            return row["why"]
    return ""


@lru_cache
def usual_time(copied: Path, files: tuple[str, ...]) -> float:
    """Processor seconds of the test files without any mutant, of which none may fail."""
    sys.dont_write_bytecode = False
    failure, seconds = run(copied, [*files], 600)
    sys.dont_write_bytecode = True
    if failure:
        raise SystemExit(f"{', '.join(files)} fail without any mutant: {failure}")
    return seconds


def test_module(copied: Path, module: str, chosen: list[Mutant], verbose: bool) -> list[Mutant]:
    """Runs the mutants of one module; returns those that survive."""
    path = copied / "symlayout" / f"{module}.py"
    source = path.read_text(encoding="utf-8")
    files = test_files(copied, module)
    usual = usual_time(copied, tuple(files))
    survivors = []
    try:
        for m in chosen:
            path.write_text(m.apply(source), encoding="utf-8")
            killer, seconds = run(copied, files, 1.5 * usual + 3)
            if not killer:
                survivors.append(m)
            if verbose:
                print(f"  {module}:{m.line} [{m.scope}] {m.diff(source)}")
                print(f"    {killer or 'SURVIVED'} {seconds:.1f} s", flush=True)
    finally:
        path.write_text(source, encoding="utf-8")
    return survivors


def main() -> int:
    """Prints killed and survived for each module, and each survivor."""
    parser = argparse.ArgumentParser(description="mutation testing of the modules that decide")
    parser.add_argument("--count", type=int, default=8, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--module", choices=sorted(TESTS), action="append")
    parser.add_argument("--verbose", action="store_true", help="every mutant and what killed it")
    parser.add_argument("--least", type=float, default=0.9, help="the score below which it fails")
    given = parser.parse_args()
    known = tomllib.loads(KNOWN.read_text("utf-8"))["mutant"] if KNOWN.exists() else []
    modules = given.module or list(TESTS)
    copied = prepare()
    preload()
    began = time.process_time() + sum(os.times()[2:4])
    rows = []
    try:
        for module in modules:
            source = (copied / "symlayout" / f"{module}.py").read_text(encoding="utf-8")
            chosen = sample(module, source, given.count, given.seed)
            survivors = test_module(copied, module, chosen, given.verbose)
            reasons = [explained(m, source, known) for m in survivors]
            rows.append((module, len(chosen), len(survivors), sum(map(bool, reasons))))
            print("{}: {} mutants, {} survive, {} of them explained".format(*rows[-1]), flush=True)
            for m, why in zip(survivors, reasons):
                print(f"  {module}:{m.line} {m.scope}: {m.diff(source)}", flush=True)
                if why:
                    print(f"    {why}")
    finally:
        shutil.rmtree(copied, ignore_errors=True)
    made, survived, fine = (sum(row[k] for row in rows) for k in (1, 2, 3))
    killed = made - survived
    score = killed / max(1, made - fine)
    spent = time.process_time() + sum(os.times()[2:4]) - began
    print(f"{made} mutants (seed {given.seed}): {killed} killed, {survived} survive; {spent:.0f} s")
    print(f"raw score {killed / max(1, made):.1%}; without the {fine} explained ones {score:.1%}")
    return 0 if score >= given.least else 1


if __name__ == "__main__":
    sys.exit(main())
