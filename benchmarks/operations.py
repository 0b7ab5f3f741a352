"""Index formulas as others simplify them: operations and divisions beside ours and those by hand.

The definition of each layout of `emitted.py` is given to whoever is installed: TVM's analyzer, the
simplifier of PyTorch's inductor, LEGO's (its checkout on PYTHONPATH), and SymPy.  Each knows the ranges
of the coordinates and that sizes are at least 1; facts that only we can take are left out for the
others.  Counted are different subexpressions with an operator (what is written twice is computed once),
and of them the quotients and remainders; ours are those of emitted NumPy, where shifts and masks are
none.  What a simplifier gives is evaluated at random places; where it differs, it says so.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from emitted import CASES, Case
from timing import OutOfTime, at_most, table

import symlayout as sl
from symlayout.expr.terms import value
from symlayout.render.emit import emit

Simplifier = Callable[[str, Mapping[str, str], list[str]], str]
POINTS = 30
NAMES = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "ceildiv": lambda a, b: -(-a // b),
}
DIVIDES = (ast.FloorDiv, ast.Mod)


def counts(text: str) -> tuple[int, int]:
    """The operations and the divisions of an expression, or of a function, in Python.

    >>> counts("i//8*N + i//8 + min(i, j)")
    (5, 1)
    """
    parts = {
        ast.dump(n): n
        for n in ast.walk(ast.parse(text))
        if isinstance(n, (ast.BinOp, ast.Call)) or (isinstance(n, ast.UnaryOp) and not number(n))
    }
    divisions = [
        n
        for n in parts.values()
        if (isinstance(n, ast.BinOp) and isinstance(n.op, DIVIDES))
        or (isinstance(n, ast.Call) and getattr(n.func, "id", "") in ("floordiv", "mod", "ceildiv"))
    ]
    ceilings = sum(
        isinstance(n, ast.Call) and getattr(n.func, "id", "") == "ceildiv" for n in divisions
    )
    return len(parts) + ceilings, len(divisions)  # a ceiling is a sum as well


def number(n: ast.UnaryOp) -> bool:
    return isinstance(n.operand, ast.Constant)


def tvm() -> Simplifier:
    """TVM's analyzer, canonical and rewriting simplifiers in turn, as its passes ask it."""
    module = import_module("tvm")
    tir = import_module("tvm.tirx" if hasattr(module, "tirx") else "tvm.tir")
    try:
        arith = import_module("tvm.sym")  # since 0.27
    except ImportError:
        arith = import_module("tvm.arith")

    def text(e: Any) -> str:
        kind = type(e).__name__
        if kind == "IntImm":
            return f"({int(e.value)})"
        if kind == "Var":
            return str(e.name)
        op = {"Add": "+", "Sub": "-", "Mul": "*", "FloorDiv": "//", "FloorMod": "%"}.get(kind)
        if op:
            return f"({text(e.a)} {op} {text(e.b)})"
        if kind in ("Min", "Max"):
            return f"{kind.lower()}({text(e.a)}, {text(e.b)})"
        raise ValueError(kind)

    def simplify(formula: str, ends: Mapping[str, str], sizes: list[str]) -> str:
        known = {n: tir.Var(n, "int64") for n in (*ends, *sizes)}
        words = {**known, "floordiv": tir.floordiv, "mod": tir.floormod, "min": tir.min,
                 "max": tir.max, "ceildiv": lambda a, b: tir.floordiv(a + b - 1, b)}  # fmt: skip
        analyzer = arith.Analyzer()
        for n in sizes:
            analyzer.update(known[n], arith.ConstIntBound(1, arith.ConstIntBound.POS_INF))
        for n, end in ends.items():
            extent = eval(calls(end), {**words})
            extent = tir.IntImm("int64", extent) if isinstance(extent, int) else extent
            analyzer.bind(known[n], module.ir.Range(tir.IntImm("int64", 0), extent))
        return text(analyzer.simplify(eval(calls(formula), {**words}), 3))

    return simplify


def inductor() -> Simplifier:
    """The simplifier that inductor applies to the index of every load and store."""
    import_module("torch")
    allocator = import_module("torch._inductor.sizevars").SizeVarAllocator()
    functions = import_module("torch.utils._sympy.functions")
    sympy = import_module("sympy")

    def simplify(formula: str, ends: Mapping[str, str], sizes: list[str]) -> str:
        words = of_sympy(ends, sizes) | {
            "floordiv": functions.FloorDiv,
            "mod": lambda a, b: functions.ModularIndexing(a, 1, b),
            "ceildiv": lambda a, b: functions.FloorDiv(a + b - 1, b),
        }
        ranges = {words[n]: sympy.sympify(eval(calls(e), {**words})) for n, e in ends.items()}
        definition = sympy.sympify(eval(calls(formula), {**words}))
        return printed(allocator.simplify_with_ranges(definition, ranges))

    return simplify


def of_sympy(ends: Mapping[str, str], sizes: list[str]) -> dict[str, Any]:
    """SymPy's symbols and functions by name."""
    sympy = import_module("sympy")
    return {
        **{n: sympy.Symbol(n, integer=True, nonnegative=True) for n in ends},
        **{n: sympy.Symbol(n, integer=True, positive=True) for n in sizes},
        "floordiv": lambda a, b: sympy.floor(a / b),
        "mod": sympy.Mod,
        "min": sympy.Min,
        "max": sympy.Max,
        "ceildiv": lambda a, b: sympy.floor((a + b - 1) / b),
    }


def lego() -> Simplifier:
    """LEGO's simplifier: Z3 decides which quotients and remainders of SymPy's are none."""
    simplify_ops = import_module("lego.z3_simplifier").simplify_ops
    sympy = import_module("sympy")

    def simplify(formula: str, ends: Mapping[str, str], sizes: list[str]) -> str:
        words = of_sympy(ends, sizes)
        bounds = {words[n]: (0, eval(calls(end), {**words})) for n, end in ends.items()}
        more = [sympy.Ge(words[n], 1, evaluate=False) for n in sizes]
        definition = sympy.sympify(eval(calls(formula), {**words}))
        return printed(simplify_ops(definition, bounds, more))

    return simplify


def plain() -> Simplifier:
    """SymPy's `simplify`."""
    sympy = import_module("sympy")
    return lambda formula, ends, sizes: printed(
        sympy.simplify(eval(calls(formula), of_sympy(ends, sizes)))
    )


def printed(e: Any) -> str:
    """An expression of SymPy's, or of inductor's, in Python."""
    if e.is_Integer:
        return f"({int(e)})"
    if e.is_Symbol:
        return str(e.name)
    kind, args = type(e).__name__, e.args
    if kind == "floor":
        top, below = args[0].as_numer_denom()
        return f"({printed(top)} // {printed(below)})"
    if kind in ("FloorDiv", "CleanDiv"):
        return f"({printed(args[0])} // {printed(args[1])})"
    if kind in ("Mod", "PythonMod"):
        return f"({printed(args[0])} % {printed(args[1])})"
    if kind == "ModularIndexing":
        inner = printed(args[0]) if args[1] == 1 else f"({printed(args[0])} // {printed(args[1])})"
        return f"({inner} % {printed(args[2])})"
    if kind in ("Min", "Max"):
        return f"{kind.lower()}({', '.join(map(printed, args))})"
    if kind == "Pow" and args[1].is_Integer and args[1] > 0:
        return "(" + "*".join([printed(args[0])] * int(args[1])) + ")"
    if kind in ("Add", "Mul"):
        return "(" + (" + " if kind == "Add" else "*").join(map(printed, args)) + ")"
    raise ValueError(kind)


def calls(formula: str) -> str:
    """The formula with calls for its divisions, for algebras whose `//` and `%` are others."""

    class Calls(ast.NodeTransformer):
        def visit_BinOp(self, n: ast.BinOp) -> ast.AST:
            self.generic_visit(n)
            word = {ast.FloorDiv: "floordiv", ast.Mod: "mod"}.get(type(n.op))
            name = ast.Name(word or "", ast.Load())
            return ast.Call(name, [n.left, n.right], []) if word else n

    return ast.unparse(ast.fix_missing_locations(Calls().visit(ast.parse(formula, mode="eval"))))


PEERS: dict[str, Callable[[], Simplifier]] = {
    "TVM": tvm,
    "inductor": inductor,
    "LEGO": lego,
    "SymPy": plain,
}


def agrees(case: Case, m: sl.IndexMap, text: str) -> bool:
    """Whether it is the definition at random places."""
    rng = random.Random(1)
    for _ in range(POINTS):
        sizes = {n: rng.randint(1, 700) * (128 if case.where else 1) for n in m.symbols}
        place = {c.name: rng.randrange(value(d, sizes)) for c, d in zip(m.coords, m.shape)}
        if eval(text, {**NAMES, **sizes, **place}) != value(m._raw, {**sizes, **place}):
            return False
    return True


def row(case: Case, peers: Mapping[str, Simplifier], seconds: float) -> list[str]:
    m = sl.parse(case.text).index_map()
    formula = m.under(list(case.where)) if case.where else m.formula
    where = f" where {', '.join(case.where)}" if case.where else ""
    cells = [case.text.replace("pad_reshape_transpose", "prt") + where]
    code = emit(m, "numpy", formula=formula, name="f", where=list(case.where))
    for text in (str(m._raw), code):
        cells.append("{} {}".format(*counts(text)))
    ends = {c.name: str(d) for c, d in zip(m.coords, m.shape)}
    for simplify in peers.values():
        try:
            with at_most(seconds):
                text = simplify(str(m._raw), ends, list(m.symbols))
            cells.append("{} {}".format(*counts(text)) + " wrong" * (not agrees(case, m, text)))
        except OutOfTime:
            cells.append("?")
        except Exception as error:
            cells.append(f"- {type(error).__name__}"[:12])
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for a layout (10)")
    options = parser.parse_args()
    peers: dict[str, Simplifier] = {}
    for name, make in PEERS.items():
        try:
            peers[name] = make()
        except (ImportError, AttributeError, OSError) as error:
            print(f"{name} is left out: {error}")
    rows = [row(case, peers, options.seconds) for case in CASES]
    total = ["all that everybody has"]
    every = [r for r in rows if all(c[:1].isdigit() and "wrong" not in c for c in r[1:])]
    for column in list(zip(*every))[1:]:
        pairs = [cell.split() for cell in column]
        total.append(" ".join(str(sum(int(p[k]) for p in pairs)) for k in (0, 1)))
    rows.append(total)
    print("operations, divisions")
    print(table(("layout", "definition", "symlayout", *peers), rows, left=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
