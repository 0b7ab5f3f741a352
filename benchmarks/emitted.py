"""Emitted C beside C by hand: operations, divisions, and gcc's instructions for 25 layouts.

By hand is what one writes who knows the layout: tiles of powers of two as shifts and masks, sums
factored.  Both are compiled as functions of their own with -O2, compared at random places, and their
instructions counted in the assembler's text.  Exit code 1 where emitted code takes more than 1.1 times
the instructions (and 2 more), or where the two disagree.  `--scatter 4096` also times the routines
that copy a whole array against loops with pointers by hand.
"""

from __future__ import annotations

import argparse
import ctypes
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from timing import milliseconds, table

import symlayout as sl
from symlayout.expr.terms import count_operations, value
from symlayout.render.emit import emit

LIMIT, MORE = 1.1, 2
POINTS = 50
UP = "((({0}) - 1 >> {1}) + 1)"


@dataclass(frozen=True)
class Case:
    """A layout, facts, and the body by hand; a size is at most 100, or as `sizes` says."""

    text: str
    hand: str
    where: tuple[str, ...] = ()


N128, M128, M8 = UP.format("N", 7), UP.format("M", 7), UP.format("M", 3)
TILE = "((i >> 3)*" + N128 + " + (j >> 7) << 10)"
CASES = (
    Case("f32[M,N]", "i*N + j"),
    Case("f32[M,N]{0,1}", "j*M + i"),
    Case("f32[A,M,N]", "(i*M + j)*N + k"),
    Case("f32[M,N]{1,0:T(8,128)}", TILE + " + ((i & 7) << 7) + (j & 127)"),
    Case(
        "f32[M,N]{0,1:T(8,128)}",
        "((j >> 3)*" + M128 + " + (i >> 7) << 10) + ((j & 7) << 7) + (i & 127)",
    ),
    Case(
        "bf16[M,N]{1,0:T(8,128)(2,1)}", TILE + " + ((i >> 1 & 3) << 8) + ((j & 127) << 1) + (i & 1)"
    ),
    Case(
        "s8[M,N]{1,0:T(8,128)(4,1)}", TILE + " + ((i >> 2 & 1) << 9) + ((j & 127) << 2) + (i & 3)"
    ),
    Case(
        "f32[A,M,N]{2,1,0:T(8,128)}",
        "((i*((M - 1 >> 3) + 1) + (j >> 3))*" + N128 + " + (k >> 7) << 10)"
        " + ((j & 7) << 7) + (k & 127)",
    ),
    Case(
        "f32[M,N]{1,0:T(2,128)}",
        "((i >> 1)*" + N128 + " + (j >> 7) << 8) + ((i & 1) << 7) + (j & 127)",
    ),
    Case("f32[M]{0:T(1024)}", "i"),
    Case(
        "f32[M,N]{1,0:T(8,100)}",
        "int64_t q = (uint64_t)j / 100; return ((i >> 3)*((uint64_t)(N - 1) / 100 + 1) + q)*800"
        " + (i & 7)*100 + j - q*100",
    ),
    Case(
        "f32[M,N]{1,0:T(s,t)}",
        "int64_t p = i / s, q = j / t; return (p*((N - 1) / t + 1) + q)*s*t + (i - p*s)*t + j - q*t",
    ),
    Case(
        "f32[M,N]{1,0:T(8,128)}",
        "(((i >> 3)*(N >> 7) + (j >> 7)) << 10) + ((i & 7) << 7) + (j & 127)",
        ("N % 128 == 0",),
    ),
    Case(
        "f32[2048,4096]{1,0:T(8,128)}",
        "(i >> 3 << 15) + (j >> 7 << 10) + ((i & 7) << 7) + (j & 127)",
    ),
    Case(
        "bf16[2048,4096]{1,0:T(8,128)(2,1)}",
        "(i >> 3 << 15) + (j >> 7 << 10) + ((i >> 1 & 3) << 8) + ((j & 127) << 1) + (i & 1)",
    ),
    Case("zN(f16,R,C)", "(i << 4) + (j >> 4)*(((R - 1 >> 4) + 1) << 8) + (j & 15)"),
    Case("nZ(f16,R,C)", "(j << 4) + (i >> 4)*(((C - 1 >> 4) + 1) << 8) + (i & 15)"),
    Case(
        "zZ(f16,R,C)", "((i >> 4)*((C - 1 >> 4) + 1) + (j >> 4) << 8) + ((i & 15) << 4) + (j & 15)"
    ),
    Case("((16,R),(16,C)):((16,256),(1,256*R))", "(i << 4) + ((j >> 4)*R << 8) + (j & 15)"),
    Case("(M,N):(1,M)", "j*M + i"),
    Case("strided f32[M,N] strides(S,1) offset 16", "i*S + j + 16"),
    Case(
        "Swizzle(3,3,3) o 0 o (8,64):(64,1)", "int64_t x = (i << 6) + j; return x ^ (x >> 3 & 56)"
    ),
    Case(
        "Swizzle(2,4,3) o 0 o (64,64):(64,1)", "int64_t x = (i << 6) + j; return x ^ (x >> 3 & 48)"
    ),
    Case(
        "map p < 8*K*L: ((p // (4*K))*4 + p % 4)*K + p % (4*K) // 4 in 8*K*L",
        "int64_t w = 4*K, q = p / w, r = p - q*w; return (q*4 + (p & 3))*K + (r >> 2)",
    ),
    Case("pad_reshape_transpose(f32[M,N]{1,0:T(8,128)})", TILE + " + ((i & 7) << 7) + (j & 127)"),
)


def function(name: str, arguments: list[str], body: str, kind: str) -> str:
    """C of the hand-written body."""
    given = ", ".join(f"{kind} {a}" for a in arguments)
    text = body if "return" in body else f"return {body}"
    return f"{kind} {name}({given}) {{ {text.replace('int64_t', kind)}; }}\n"


def instructions(assembly: str, name: str) -> tuple[int, int]:
    """How many instructions the function has, and how many of them divide."""
    body = re.search(rf"^{name}:\n(.*?)\.cfi_endproc", assembly, re.S | re.M)
    assert body is not None
    lines = [x.strip() for x in body[1].split("\n")]
    code = [x for x in lines if x and not x.startswith((".", "#")) and not x.endswith(":")]
    return len(code), sum(bool(re.match(r"i?div", x)) for x in code)


def compared(case: Case, compiler: str, folder: Path) -> list[str]:
    """The row of a case."""
    m = sl.parse(case.text).index_map()
    formula = m.under(list(case.where)) if case.where else m.formula
    code = emit(m, "c", formula=formula, name="emitted", where=list(case.where))
    head = re.search(r"^static inline (\w+) emitted\((.*)\) \{", code, re.M)
    assert head is not None
    kind, names = head[1], [a.split()[-1] for a in head[2].split(", ")]
    text = code.replace("static inline " + kind + " emitted", kind + " emitted")
    source = folder / "both.c"
    source.write_text(text + function("by_hand", names, case.hand, kind))
    flags = [
        compiler,
        "-O2",
        "-std=gnu11",
        "-fno-asynchronous-unwind-tables",
        "-fcf-protection=none",
    ]
    flags = [f for f in flags if "unwind" not in f]
    subprocess.run([*flags, "-S", "-o", str(folder / "both.s"), str(source)], check=True)
    library = folder / f"{abs(hash(case))}.so"
    subprocess.run([*flags, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    agree(case, m, ctypes.CDLL(str(library)), names, kind)
    assembly = (folder / "both.s").read_text()
    ours, hand = instructions(assembly, "emitted"), instructions(assembly, "by_hand")
    within = ours[0] <= LIMIT * hand[0] + MORE
    where = f" where {', '.join(case.where)}" if case.where else ""
    shown = case.text.replace("pad_reshape_transpose", "prt")
    numbers = [count_operations(formula)[1], ours[1], hand[1], ours[0], hand[0]]
    ratio = f"{ours[0] / hand[0]:.2f}"
    return [shown + where, kind, *map(str, numbers), ratio, "ok" if within else "OVER"]


def agree(case: Case, m: sl.IndexMap, library: ctypes.CDLL, names: list[str], kind: str) -> None:
    """Raises `SystemExit` where the two functions and the definition are not one."""
    rng = random.Random(1)
    given = {"uint32_t": ctypes.c_uint32, "int32_t": ctypes.c_int32}.get(kind, ctypes.c_int64)
    for function in (library.emitted, library.by_hand):
        function.argtypes, function.restype = [given] * len(names), given
    for _ in range(POINTS):
        sizes = {n: rng.randint(1, 700) * (128 if case.where else 1) for n in m.symbols}
        shape = [value(d, sizes) for d in m.shape]
        place = {c.name: rng.randrange(d) for c, d in zip(m.coords, shape)}
        env = {**place, **sizes}
        values = [env[n.rstrip("_")] for n in names]
        found = library.emitted(*values), library.by_hand(*values), value(m._raw, env)
        if len(set(found)) != 1:
            raise SystemExit(f"{case.text} at {env}: emitted, by hand and defined are {found}")


POINTERS = """
void by_hand(const float *restrict from, float *restrict to, int64_t M, int64_t N) {
  int64_t tiles = (N + 127) / 128;
  for (int64_t p = 0; p < M; p += 8) {
    float *row = to + p * tiles * 128;
    int64_t rows = M - p < 8 ? M - p : 8;
    for (int64_t q = 0; q < N; q += 128) {
      int64_t columns = N - q < 128 ? N - q : 128;
      const float *s = from + p * N + q;
      float *t = row + q * 8;
      for (int64_t a = 0; a < rows; ++a, s += N, t += 128)
        for (int64_t b = 0; b < columns; ++b) t[b] = s[b];
    }
  }
}
"""


def scatter(side: int, compiler: str, folder: Path) -> str:
    """The time of the routine that packs an array, and of pointers by hand."""
    m = sl.parse("f32[M,N]{1,0:T(8,128)}").index_map()
    source, library = folder / "scatter.c", folder / "scatter.so"
    source.write_text(emit(m, "c", name="tiled", loops=True) + POINTERS)
    flags = ["-O2", "-std=gnu11", "-shared", "-fPIC", "-o", str(library)]
    subprocess.run([compiler, *flags, str(source)], check=True)
    made = ctypes.CDLL(str(library))
    data = np.arange(side * side, dtype=np.float32).reshape(side, side)
    out = [np.zeros(m.concrete({"M": side, "N": side})[1], dtype=np.float32) for _ in range(2)]
    least = [1e9, 1e9]
    for _ in range(9):
        for k, name in enumerate(("tiled_pack", "by_hand")):
            address = [ctypes.c_void_p(a.ctypes.data) for a in (data, out[k])]
            start = time.process_time()
            getattr(made, name)(*address, ctypes.c_int64(side), ctypes.c_int64(side))
            least[k] = min(least[k], (time.process_time() - start) * 1e3)
    if not np.array_equal(out[0], out[1]):
        raise SystemExit("the routine and the pointers by hand disagree")
    ratio = f"{least[0] / least[1]:.2f}"
    times = " ms, by hand ".join(map(milliseconds, least))
    return f"{side} x {side} of f32 into tiles of (8,128): {times} ms, {ratio} times"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--scatter", type=int, default=4096, help="side of the array (4096; 0: none)"
    )
    options = parser.parse_args()
    compiler = shutil.which("gcc")
    if compiler is None:
        print("there is no gcc")
        return 1
    with tempfile.TemporaryDirectory() as name:
        rows = [compared(case, compiler, Path(name)) for case in CASES]
        head = (
            "layout",
            "type",
            "operations",
            "div",
            "by hand",
            "instructions",
            "by hand",
            "ratio",
            "",
        )
        print(table(head, rows, left=2))
        total = [sum(int(r[k]) for r in rows) for k in (5, 6)]
        print(
            f"\nall: {total[0]} instructions, {total[1]} by hand, {total[0] / total[1]:.2f} times"
        )
        if options.scatter:
            print(scatter(options.scatter, compiler, Path(name)))
    return 1 if any(r[-1] != "ok" for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
