"""Random host code in C++ that launches a kernel, and what it is seen to pass when it runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

KERNEL = (
    "__global__ void copy(const float* x, float* y, int n, long m, unsigned k, short s, bool f) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n + m + k + s + f) y[i] = x[i];\n}\n"
)
HELPERS = """#define TEN 10
#define TWELVE 12u
constexpr int SIX = 6;
typedef long big_t;
int inc(int p) { return p + 1; }
int up(int p, int q) { return (p + q - 1) / q; }
int seven(int p) { if (p > 3) { return 7; } return p; }
int changed(int p) { p = p + 2; return p; }
void fill(int& p) { p = 3; }
void put(int* p) { *p = 5; }
int W = 9;
void set_w() { W = W + 3; }
"""
HARNESS = """#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
static sigjmp_buf there;
static void by_zero(int) { siglongjmp(there, 1); }
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
static void seen(int line, dim3 g, dim3 t, int n, long m, unsigned k, short s, bool f) {
  printf("%d %u %u %u %u %u %u %d %ld %u %d %d\\n", line, g.x, g.y, g.z, t.x, t.y, t.z, n, m, k, s, f);
}
#define assert(c) do { if (!(c)) throw 1; } while (0)
#define TORCH_CHECK(c) assert(c)
#define CHECK_LE(a, b) assert((a) <= (b))
"""
LAUNCH = re.compile(r"copy<<<(.*)>>>\(x, y, (.*)\);")
NUMBERS = (0, 1, 2, 3, 4, 5, 8, 16, 33)
TYPES = ("int", "unsigned", "long", "size_t", "auto", "short", "uint8_t", "uint32_t", "big_t")


class Hosts:
    """One function of host code for each seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = ["a", "b", "c", "d"]
        self.count = 0

    def one(self, *texts: str) -> str:
        """One of them."""
        return self.random.choice(texts)

    def number(self, deep: int = 2) -> str:
        """An expression."""
        if deep == 0:
            fixed = ("TEN", "SIX", "W", "3u", "TWELVE", "4l", "0x5", str(self.random.randrange(9)))
            return self.one(*self.names, *self.names, *fixed)
        e, v = (lambda: self.number(deep - 1)), self.one(*self.names)
        to = self.one("int", "unsigned", "long", "short", "size_t", "bool", "big_t")
        made: list[Callable[[], str]] = [
            lambda: self.number(0),
            *[lambda: f"({e()} {self.one(*'+-*/%')} {e()})"] * 4,
            lambda: f"{self.one('inc', 'seven', 'changed')}({e()})",
            lambda: f"up({e()}, {self.one('4', v)})",
            lambda: f"std::{self.one('min', 'max')}<int>({e()}, {e()})",
            lambda: f"({self.truth(deep - 1)} ? {e()} : {e()})",
            lambda: f"{self.one(f'({to})', f'static_cast<{to}>')}({e()})",
            lambda: f"({v} = {e()})",
            lambda: self.one(f"{v}++", f"--{v}"),
            lambda: f"({self.truth(deep - 1)})",
            lambda: f"-({e()})",
            lambda: f"({e()}, {e()})",
        ]
        return self.random.choice(made)()

    def truth(self, deep: int = 2) -> str:
        """A condition."""
        less = max(deep - 1, 0)
        sign = self.one("<", "<=", ">", ">=", "==", "!=")
        made = f"{self.number(less)} {sign} {self.number(less)}"
        if deep and self.random.randrange(3) == 0:
            return self.one(f"({self.truth(less)} {self.one('&&', '||')} {made})", f"!({made})")
        return made

    def launch(self, sizes: str = "") -> str:
        """A launch in one line."""
        sizes = sizes or f"{self.number(1)}, {self.one('64', self.number(0))}"
        return f"copy<<<{sizes}>>>(x, y, {', '.join(self.number(1) for _ in range(5))});"

    def block(self, deep: int, most: int = 2) -> list[str]:
        """Statements in a scope of their own, or in one that looks like one."""
        known = self.names[:]
        made = [x for _ in range(self.random.randrange(most) + 1) for x in self.statement(deep - 1)]
        self.names = known
        return made

    def statement(self, deep: int) -> list[str]:
        """A statement in its lines."""
        e, v = self.number, self.one(*self.names)
        self.count += 1
        made: list[Callable[[], list[str]]] = [
            lambda: self.declaration(f"v{self.count}"),
            lambda: [f"{v} {self.one('', *'+-*/')}= {e()};"],
            lambda: [f"{self.one('assert', 'TORCH_CHECK')}({self.truth()});"],
            lambda: [f"CHECK_LE({e(1)}, {e(1)});"],
            lambda: [self.launch()],
        ]
        return self.random.choice([*made, *(self.compound(deep) if deep else [])])()

    def declaration(self, word: str) -> list[str]:
        """A variable with a name of its own."""
        type, value = self.one(*TYPES), self.number()
        self.names.append(word)
        return [self.one(f"{type} {word} = {value};", f"{type} {word}({value});")]

    def compound(self, deep: int) -> list[Callable[[], list[str]]]:
        """Statements that others stand in, and what else changes a variable."""
        e, block, own = self.number, self.block, f"w{self.count}"
        v, plain = self.one(*self.names), self.one("a", "d")
        ends = self.one("return;", "throw 1;", "{ return; }", ";")
        return [
            lambda: [f"if ({self.truth()}) {{", *block(deep), "} else {", *block(deep), "}"],
            lambda: [f"if ({self.truth()}) {ends}"],
            lambda: [f"for (int i = 0; i < {self.random.randrange(3)}; i++) {{", *block(deep), "}"],
            lambda: [f"while ({self.truth()}) {{", *block(deep), "break; }"],
            lambda: ["do {", *block(deep), "} while (0);"],
            lambda: [f"switch ({e(1)}) {{", *self.cases(deep), "}"],
            lambda: ["try {", *block(deep, 3), "} catch (...) {", *block(deep), "}"],
            lambda: ["{", f"int {plain} = {e()};", *block(deep), "}"],
            lambda: [f"auto {own} = [&]() {{", *block(deep), "};", f"{own}();"],
            lambda: [f"{self.one(f'fill({plain})', f'put(&{plain})', 'set_w()')};"],
            lambda: [f"int* {own} = &{plain};", f"*{own} = {e(1)};"],
            lambda: [f"auto& {own} = {v};", f"{own} = {e(1)};"],
            lambda: [
                f"dim3 {own}({e(1)}, {e(0)});",
                f"{own}.x = {e(1)};",
                self.launch(f"{own}, 8"),
            ],
            lambda: [f"dim3 {own} = {e(1)};", self.launch(f"{own}, {own}")],
            lambda: [f"if (int t = {e(1)}; t > {e(0)}) {{", *block(deep), "}"],
            lambda: ["#ifdef NEVER", *block(deep), "#else", *block(deep), "#endif"],
            lambda: [f"static int {own} = {e(0)};", f"{v} = {own};", f"{own} += 1;"],
            lambda: [f"bool {own} = {e(1)};", f"{v} = {own} * 3;"],
        ]

    def cases(self, deep: int) -> list[str]:
        """What a switch has."""
        return ["case 3: {", *self.block(deep), "break; }", "default: {", *self.block(deep), "}"]

    def function(self, word: str) -> str:
        """The function, in which a launch stands last."""
        lines = [*self.block(3, 7), self.launch()]
        head = f"void {word}(float* x, float* y, int a, unsigned b, long c, int d) {{\n"
        return head + "\n".join(lines) + "\n}\n"


def seen(functions: Mapping[int, str], folder: Path) -> list[tuple[int, list[int]]]:
    """Each launch when the functions run: whose it is, its line, sizes and arguments."""
    text = HARNESS + HELPERS
    calls = ""
    for k, one in functions.items():
        own = LAUNCH.sub(r"seen(__LINE__, \1, \2);", one)
        text += f"namespace n{k} {{\n#line 1\n{own}}}\n"
        for turn in range(10):
            random = Random(turn)
            given = ", ".join(str(random.choice(NUMBERS)) for _ in range(4))
            calls += f'  printf("of {k}\\n"); W = 9;\n  if (!sigsetjmp(there, 1))'
            calls += f" try {{ n{k}::run(0, 0, {given}); }} catch (...) {{}}\n"
    text += f"int main() {{\n  signal(SIGFPE, by_zero);\n{calls}}}\n"
    (folder / "hosts.cpp").write_text(text)
    compiler = shutil.which("g++") or shutil.which("clang++") or shutil.which("c++")
    assert compiler is not None, "a compiler of C++ is needed"
    made = [compiler, "-std=c++17", "-w", "-fwrapv", "-o", str(folder / "hosts"), "hosts.cpp"]
    subprocess.run(made, check=True, cwd=folder)
    out = subprocess.run([str(folder / "hosts")], check=True, capture_output=True, text=True).stdout
    found: list[tuple[int, list[int]]] = []
    whose = 0
    for row in out.splitlines():
        if row.startswith("of "):
            whose = int(row[3:])
        else:
            found.append((whose, [int(w) for w in row.split()]))
    return found
