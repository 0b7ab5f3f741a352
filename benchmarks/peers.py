"""Other provers and simplifiers on the same claims, whichever are installed: times, ratios, verdicts.

A claim says that two index expressions are equal wherever variables lie in their ranges.  Everybody
gets it in operators of his own: Z3 and cvc5 as integers with div and mod, SymPy as floor and Mod for
`simplify`, isl as a set that is to be empty, TVM for its analyzer, tinygrad for its rewriting.  Who has
no words for a claim (isl for a product of two unknowns, tinygrad for a range without an end) passes.

Times are the thread's processor time, the median of warm runs (the limit's own timer makes the
process's coarse); nobody has more than `--seconds` for a claim.
None of the peers is needed; each that cannot be imported is named and left out.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from timing import OutOfTime, at_most, milliseconds, table

import symlayout as sl

RUNS = 5


@dataclass(frozen=True)
class Claim:
    """`left == right` wherever 0 <= v < end for all variables; an end is a number or a size >= 1.

    Expressions are texts in which `div(a, b)` and `mod(a, b)` round down.
    """

    name: str
    left: str
    right: str
    ends: dict[str, str]

    @property
    def sizes(self) -> list[str]:
        """The sizes: names that are no variables."""
        words = compile(f"({self.left}, {self.right}, {', '.join(self.ends.values())})", "", "eval")
        return [n for n in words.co_names if n not in (*self.ends, "div", "mod")]


TILED = "(div(i,8)*{row} + div(j,128))*1024 + mod(i,8)*128 + mod(j,128)"
FLAT = "div(i*{n} + j, {n})*{n} + mod(i*{n} + j, {n})"
CLAIMS = (
    Claim("a quotient and its remainder", "div(i,8)*8 + mod(i,8)", "i", {"i": "4096"}),
    Claim("unflatten and flatten, numbers", FLAT.format(n=640), "i*640 + j", {"i": "64", "j": "640"}),
    Claim("unflatten and flatten, symbols", FLAT.format(n="N"), "i*N + j", {"i": "M", "j": "N"}),
    Claim("a tile's row of 32 tiles, numbers", TILED.format(row=32),
          "div(i,8)*32768 + div(j,128)*1024 + mod(i*128, 1024) + mod(j,128)",
          {"i": "2048", "j": "4096"}),
    Claim("tiles of (8,128) in digits, symbols",
          "div((p*8 + a), 8)*1024*N + div(q*128 + b, 128)*1024"
          " + mod(p*8 + a, 8)*128 + mod(q*128 + b, 128)",
          "p*1024*N + q*1024 + a*128 + b", {"p": "M", "q": "N", "a": "8", "b": "128"}),
    Claim("tiles of (s,t) in digits, all symbols",
          "div(p*s + a, s)*s*t*N + div(q*t + b, t)*s*t + mod(p*s + a, s)*t + mod(q*t + b, t)",
          "p*s*t*N + q*s*t + a*t + b", {"p": "M", "q": "N", "a": "s", "b": "t"}),
    Claim("three nested quotients", "div(div(div(x,4),8),16)", "div(x,512)", {"x": "1048576"}),
    Claim("a remainder of a remainder", "mod(mod(x,1024),128)", "mod(x,128)", {"x": "1048576"}),
    Claim("four digits of a number",
          "div(x,210)*210 + mod(div(x,30),7)*30 + mod(div(x,6),5)*6 + mod(x,6)", "x", {"x": "44100"}),
    Claim("grouped program ids, symbols",
          "div(x, 8*N)*8 + mod(mod(x, 8*N), 8) + 8*div(mod(x, 8*N), 8)",
          "div(x, 8*N)*8 + mod(x, 8*N)", {"x": "8*N*M"}),
)  # fmt: skip


class Passes(Exception):
    """The peer has no words for the claim."""


Judge = Callable[[Claim], bool]


def ours(claim: Claim) -> bool:
    """Proved by symlayout."""
    names = {"div": "floordiv"}
    left, right = (t.replace("div(", f"{names['div']}(") for t in (claim.left, claim.right))
    where = [f for v, end in claim.ends.items() for f in (f"{v} >= 0", f"{v} < {end}")]
    return sl.prove.holds(f"{left} == {right}", where=where).proved


def evaluated(claim: Claim, make: Callable[[str], Any], div: Any, mod: Any) -> tuple[Any, ...]:
    """Left, right and the ends, over what `make` makes of names."""
    words = {n: make(n) for n in (*claim.ends, *claim.sizes)}
    space = {"__builtins__": {}, "div": div, "mod": mod, **words}
    return tuple(eval(t, space) for t in (claim.left, claim.right, *claim.ends.values()))


def solver_of(module: str, limit: str) -> Callable[[float], Judge]:
    """A solver with Z3's functions in Python; `limit` is its option for milliseconds."""

    def limited(seconds: float) -> Judge:
        smt = import_module(module)

        def judge(claim: Claim) -> bool:
            solver = smt.Solver()
            solver.set(limit, int(seconds * 1000))
            left, right, *ends = evaluated(claim, smt.Int, lambda a, b: a / b, lambda a, b: a % b)
            for v, end in zip(claim.ends, ends):
                solver.add(smt.Int(v) >= 0, smt.Int(v) < end)
            solver.add(*[smt.Int(s) >= 1 for s in claim.sizes], left != right)
            return bool(solver.check() == smt.unsat)

        return judge

    return limited


def sympy(seconds: float) -> Judge:
    sympy = import_module("sympy")

    def make(name: str) -> Any:
        return sympy.Symbol(name, integer=True, nonnegative=True)

    def judge(claim: Claim) -> bool:
        left, right, *_ = evaluated(claim, make, lambda a, b: sympy.floor(a / b), sympy.Mod)
        sympy.core.cache.clear_cache()
        return bool(sympy.simplify(left - right) == 0)

    return judge


def isl(seconds: float) -> Judge:
    isl = import_module("islpy")

    def judge(claim: Claim) -> bool:
        if claim.sizes:
            raise Passes
        made = evaluated(claim, Text, lambda a, b: Text(f"floor(({a})/{b})"),
                         lambda a, b: Text(f"(({a}) mod {b})"))  # fmt: skip
        left, right = made[:2]
        ranges = " and ".join(f"0 <= {v} < {e}" for v, e in claim.ends.items())
        text = f"{{ [{', '.join(claim.ends)}] : {ranges} and {left} != {right} }}"
        return bool(isl.Set(text).is_empty())

    return judge


class Text(str):
    """An expression in isl's words."""

    def __add__(self, other: object) -> Text:  # type: ignore[override]
        return Text(f"{self} + {other}")

    def __mul__(self, other: object) -> Text:  # type: ignore[override]
        return Text(f"{other}*({self})")

    __rmul__ = __mul__


def tvm(seconds: float) -> Judge:
    tvm = import_module("tvm")
    tir = import_module("tvm.tirx" if hasattr(tvm, "tirx") else "tvm.tir")
    try:
        arith = import_module("tvm.sym")  # since 0.27
    except ImportError:
        arith = import_module("tvm.arith")

    def judge(claim: Claim) -> bool:
        made: dict[str, Any] = {}

        def make(name: str) -> Any:
            made[name] = tir.Var(name, "int64")
            return made[name]

        left, right, *ends = evaluated(claim, make, tir.floordiv, tir.floormod)
        analyzer = arith.Analyzer()
        for s in claim.sizes:
            analyzer.update(made[s], arith.ConstIntBound(1, arith.ConstIntBound.POS_INF))
        for v, end in zip(claim.ends, ends):
            analyzer.bind(made[v], tvm.ir.Range(tir.IntImm("int64", 0), end))
        return bool(analyzer.can_prove_equal(left, right))

    return judge


def tinygrad(seconds: float) -> Judge:
    ops = import_module("tinygrad.uop.ops")

    def judge(claim: Claim) -> bool:
        if claim.sizes:
            raise Passes

        def make(name: str) -> Any:
            return ops.UOp.variable(name, 0, int(claim.ends[name]) - 1)

        left, right, *_ = evaluated(claim, make, lambda a, b: a // b, lambda a, b: a % b)
        made = (left - right).simplify()
        return bool(made.vmin == made.vmax == 0)

    return judge


PEERS: dict[str, Callable[[float], Judge]] = {
    "Z3": solver_of("z3", "timeout"),
    "cvc5": solver_of("cvc5.pythonic", "tlimit-per"),
    "SymPy": sympy,
    "isl": isl,
    "TVM": tvm,
    "tinygrad": tinygrad,
}


def timed(judge: Judge, claim: Claim, seconds: float) -> tuple[str, float]:
    """What is said of the claim, and the median of the milliseconds."""
    taken = []
    try:
        for _ in range(RUNS):
            with at_most(seconds):
                start = time.thread_time()
                proved = judge(claim)
                taken.append(time.thread_time() - start)
            if taken[-1] > seconds / RUNS:
                break
    except Passes:
        return "-", 0.0
    except OutOfTime:
        return "unknown", seconds * 1e3
    except Exception as error:
        if judge is ours:
            raise
        return type(error).__name__[:12], 0.0
    return "proved" if proved else "unknown", statistics.median(taken) * 1e3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for a claim (3)")
    options = parser.parse_args()
    judges: dict[str, Judge] = {}
    for name, make in PEERS.items():
        try:
            judges[name] = make(options.seconds)
        except (ImportError, AttributeError) as error:
            print(f"{name} is left out: {error}")
    rows, wrong = [], 0
    for claim in CLAIMS:
        for _ in range(2):
            said, own = timed(ours, claim, 60.0)
        wrong += said != "proved"
        row = [claim.name, said, milliseconds(own)]
        for judge in judges.values():
            verdict, took = timed(judge, claim, options.seconds)
            if verdict == "-" or not took:
                row.append(verdict)
            else:
                row.append(f"{verdict} {milliseconds(took)} ({took / own:.2g})")
        rows.append(row)
    print(
        f"milliseconds of processor time, in brackets as multiples of ours; {options.seconds:g} s each"
    )
    print(table(("claim", "symlayout", "ms", *judges), rows, left=2))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
