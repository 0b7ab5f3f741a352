"""Runs C's kernels: the text, compiled as C++ whose pointers write down what they access.

A pointer is a class, so that the integers, their types and conversions are the compiler's own.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from signal import SIGFPE

from soundness.machine import Endless, Lines

PRELUDE = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <sys/types.h>
#define QUIET
#define __global__
#define __device__
#define __restrict__
struct Dim { unsigned x, y, z; };
static Dim blockIdx, threadIdx, blockDim, gridDim;
static long steps = 0;
static long modulus = 1;
static void note(int line, const char* name, const char* kind, long long at) {
  if (++steps > 200000) exit(9);
  printf("%d %s %s %lld\\n", line, name, kind, at);
}
struct Place {
  long long at; int line;
  template <class T> Place(T at, int line = __builtin_LINE()) : at((long long)at), line(line) {}
};
template <class T> struct Address { const char* name; long long at; int line; };
template <class T> struct Ref {
  const char* name; long long at; int line;
  Ref(const char* name, long long at, int line) : name(name), at(at), line(line) {}
  Ref(const Ref&) = default;
  operator T() const { note(line, name, "load", at); return (T)((at * 5 + 2) % modulus); }
  Ref& operator=(T) { note(line, name, "store", at); return *this; }
  Ref& operator=(const Ref& other) { return *this = (T)other; }
  Ref& operator+=(T) { note(line, name, "load", at); return *this = T(); }
  Address<T> operator&() const { return {name, at, line}; }
};
template <class T> struct Pointer {
  const char* name; long long at;
  Ref<T> operator[](Place p) const { return {name, at + p.at, p.line}; }
  Pointer operator+(Place p) const { return {name, at + p.at}; }
  Pointer operator-(Place p) const { return {name, at - p.at}; }
  Pointer& operator+=(Place p) { at += p.at; return *this; }
  Pointer& operator-=(Place p) { at -= p.at; return *this; }
  Pointer& operator++() { ++at; return *this; }
  Pointer operator++(int) { Pointer old = *this; ++at; return old; }
};
template <class T, class V> T atomicAdd(Address<T> p, V) {
  note(p.line, p.name, "atomic", p.at); return T();
}
template <class A, class B> static auto min(A a, B b) { return a < b ? a : b; }
template <class A, class B> static auto max(A a, B b) { return a > b ? a : b; }
"""
POINTER = re.compile(r"\b(?:const\s+)?(float|int|long long)\s*\*\s*(?=\w)")
TABLE = re.compile(r"(int|long long)\s*\*\s*t\b")  # the parameter t


class NotCompiled(Exception):
    """The compiler turns a text down."""


class Program:
    """A kernel that is compiled; its arrays are named as its parameters are."""

    def __init__(
        self, text: str, name: str, parameters: Sequence[tuple[str, str]], folder: Path
    ) -> None:
        self.names = [n for kind, n in parameters if kind != "array"]
        given = []
        for kind, n in parameters:
            table = TABLE.search(text)
            element = table[1] if n.startswith("t") and table else "float"
            given.append(f'Pointer<{element}>{{"{n}", 0}}' if kind == "array" else f"value_{n}")
        values = "".join(f"  {k} value_{n} = ({k})next();\n" for k, n in parameters if k != "array")
        source = folder / "kernel.cpp"
        body = POINTER.sub(lambda m: f"Pointer<{m[1]}> ", text)
        loops = "".join(
            f"for ({of}.{k} = 0; {of}.{k} < {size}.{k}; ++{of}.{k})\n"
            for of, size in (("blockIdx", "gridDim"), ("threadIdx", "blockDim"))
            for k in "xyz"
        )
        source.write_text(
            f"{PRELUDE}\n#line 1\n{body}\n"
            "static char** word;\nstatic long next() { return atol(*++word); }\n"
            "int main(int, char** words) {\n  word = words;\n  modulus = next();\n"
            "  gridDim.x = next();\n  gridDim.y = next();\n  gridDim.z = 1;\n"
            "  blockDim.x = next();\n  blockDim.y = next();\n  blockDim.z = 1;\n"
            f"{values}  {loops}  {name}({', '.join(given)});\n"
            "  return 0;\n}\n"
        )
        self.file = folder / "kernel"
        words = [
            "g++",
            "-std=c++17",
            "-O0",
            "-w",
            "-fsanitize=undefined",
            "-o",
            str(self.file),
            str(source),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotCompiled(done.stderr)

    def run(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        sizes: Mapping[str, int],
        modulus: int = 1,
    ) -> Lines:
        """What is accessed, by lines.

        Raises `Endless` for a kernel that goes on and on, `ZeroDivisionError` for one that divides
        by 0.
        """
        words = [modulus, *grid[:2], *block[:2], *[sizes[n] for n in self.names]]
        done = subprocess.run(
            [str(self.file), *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )
        if done.returncode == -SIGFPE:
            raise ZeroDivisionError
        if done.returncode != 0:
            raise Endless
        found: Lines = Counter()
        for row in done.stdout.splitlines():
            line, name, kind, at = row.split()
            found[int(line), name, kind, int(at)] += 1
        return found
