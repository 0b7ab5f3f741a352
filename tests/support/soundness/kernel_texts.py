"""Kernels at random: those that people write with a word changed, and statements nobody would write.

A kernel comes with the contract above it; sizes are n and m, constants A and B (block sizes in C),
arrays x, y and t, the numbers in t are below n.
"""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

SIZES = ("n", "m")
BLOCKS = ("A", "B")
HEAD = "import triton\nimport triton.language as tl\n\n\n"
KERNELS = tomllib.loads((Path(__file__).parent / "kernels.toml").read_text())
CHANGES = {
    r"<(?![<=])": ["<=", "<", "!="],
    r"(?<![<>])>=": [">", "!="],
    r"(?<![=<>!])==": ["!=", "<"],
    r"\bn\b": ["m", "(n - 1)", "(n + 1)"],
    r"\bm\b": ["n", "(m - 1)"],
    r"\bA\b": ["B", "2", "(A + 1)"],
    r"\bB\b": ["A", "3"],
    r"(?<=[ (])1\b": ["2", "0", "(-1)"],
    r"(?<=[ (])0\b": ["1", "(-1)"],
    r" \+ ": [" - ", " * ", " ^ "],
    r" - ": [" + "],
    r" \* ": [" + "],
    r"//": ["%"],
    r" % ": [" // "],
    r" and ": [" or "],
    r" & ": [" | "],
    r" && ": [" || "],
    r"\|\|": ["&&"],
    r"\bmin\b": ["max"],
    r"\bint\b": ["unsigned", "long long", "short", "size_t", "unsigned char"],
    r"\bunsigned\b": ["int", "size_t"],
    r"\+\+": ["--"],
    r"\+= ": ["-= "],
    r"\bbreak\b": ["continue", "pass", "return"],
    r"\bcontinue\b": ["break", "return"],
    r"\bprogram_id\(0\)": ["program_id(1)", "num_programs(0)"],
    r"\bthreadIdx\.x\b": ["blockIdx.x", "threadIdx.y"],
    r"\bi\b": ["(i)", "j", "k"],
    r"\(\((a)\) \* 2\)": ["(a * 2)", "(a) * 2", "a + a"],
    r"\(n - 1\)\n": ["n - 1\n"],
}
FACTS = ("n % A == 0", "m >= A", "n <= m", "n >= 3", "A == B", "m % B == 0", "n >= 2, m >= 2")


@dataclass(frozen=True)
class Text:
    """A kernel `f` with its contract; `grid` and `block` are sizes as texts, `arrays` sizes by name."""

    text: str
    python: bool
    grid: str
    block: str
    arrays: dict[str, str]
    facts: tuple[str, ...]
    sensible: bool = True  # one that people write, with a word changed


def drawn(rng: random.Random, python: bool) -> Text:
    """A kernel."""
    facts = tuple(rng.sample(FACTS, rng.choice((0, 0, 1, 1, 2))))
    if python and rng.random() < 0.4:
        body, grid, said = (
            _nonsense(rng),
            rng.choice(["n", "3", "m", "cdiv(n, A)"]),
            "x is f32[n*m]",
        )
        return replace(_text(body, python, grid, "", said, facts), sensible=False)
    language = "triton" if python else "c"
    chosen = rng.choice(KERNELS[language])
    grid, block, said = chosen["grid"], chosen.get("block", ""), chosen["arrays"]
    whole = f"{KERNELS['above'][language]}\0{chosen['body']}"
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        whole = _changed(rng, whole)
    above, body = whole.split("\0")
    if rng.random() < 0.1:
        grid = rng.choice(["n", "m", "cdiv(n, A)", "cdiv(m, B)", "n * m"])
    return _text(body, python, grid, block, said, facts, above)


def _changed(rng: random.Random, text: str) -> str:
    pattern = rng.choice([p for p in CHANGES if re.search(p, text)])
    found = rng.choice(list(re.finditer(pattern, text)))
    if pattern == r"\bi\b" and not re.search(r"\b[jk] = ", text):
        return text
    return text[: found.start()] + rng.choice(CHANGES[pattern]) + text[found.end() :]


def _text(
    body: str,
    python: bool,
    grid: str,
    block: str,
    said: str,
    facts: tuple[str, ...],
    above: str = "",
) -> Text:
    mark = "#" if python else "//"
    head = f"kernel grid ({grid},)" + (f" block ({block},)" if block else "")
    lines = [f"{mark} symlayout: {head}", *[f"{mark}   {x}" for x in said.split("; ")]]
    more = facts if python else (*facts, "n <= 1024, m <= 1024, A <= 64, B <= 64")
    lines += [f"{mark}   where {', '.join(more)}"] if more else []
    arrays = {}
    for x in said.split("; "):
        found = re.match(r"(\w) is \w+\[(.*?)\]", x)
        assert found is not None
        arrays[found[1]] = "*".join(f"({d})" for d in found[2].split(","))
    rows = [f"    {x}" for x in body.splitlines()]
    if python:
        given = f"{', '.join(arrays)}, n, m, A: tl.constexpr, B: tl.constexpr"
        code = f"@triton.jit\ndef f({given}):\n" + "\n".join(rows) + "\n"
        return Text(
            HEAD + above + "\n".join(lines) + "\n" + code, python, grid, block, arrays, facts
        )
    table = "long long" if "t is s64" in said else "int"
    given = ", ".join(f"{table if a == 't' else 'float'}* {a}" for a in arrays)
    code = (
        f"__global__ void f({given}, int n, int m, int A, int B) {{\n" + "\n".join(rows) + "\n}\n"
    )
    return Text(above + "\n".join(lines) + "\n" + code, python, grid, block, arrays, facts)


# -- what nobody would write -----------------------------------------------------------------------


def _nonsense(rng: random.Random) -> str:
    """Statements that change u, v and q, and access x."""
    lines = ["p = tl.program_id(0)", "i = tl.arange(0, A)", "u = p + 1", "v = n - p", "q = x"]
    return "\n".join([*lines, *_statements(rng, 2), "tl.store(q + u, v)"])


def _expression(rng: random.Random, deep: int = 2) -> str:
    if deep == 0 or rng.random() < 0.3:
        return rng.choice(["p", "n", "m", "u", "v", "1", "2", "3", "A", "B"])
    a, b = _expression(rng, deep - 1), _expression(rng, deep - 1)
    c = _condition(rng, deep - 1)
    made = [
        *(f"({a} {op} {b})" for op in "+-*+-*^&|"),
        *(f"({a} {op} {d})" for op in ("//", "%") for d in ("2", "3", "A", "m")),
        *(f"tl.{f}({a}, {b})" for f in ("minimum", "maximum")),
        *(f"{f}({a}, {b})" for f in ("min", "max")),
        f"tl.cdiv({a}, 2)",
        f"({a} if {c} else {b})",
        f"tl.where({c}, {a}, {b})",
        f"({a} >> 1)",
        f"({a} << 1)",
        f"(-{a})",
        f"(~{a})",
        f"tl.cast({a}, tl.int64)",
    ]
    return rng.choice(made)


def _condition(rng: random.Random, deep: int = 1) -> str:
    a, b = _expression(rng, deep), _expression(rng, deep)
    made = f"{a} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {b}"
    return made if rng.random() < 0.8 else f"0 <= {a} < {b}"


def _test(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return _condition(rng)
    word = rng.choice(["and", "or"])
    made = f"{_condition(rng)} {word} {_condition(rng)}"
    return made if rng.random() < 0.7 else f"not ({made})"


def _statements(rng: random.Random, deep: int, loop: bool = False) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.randint(1, 3)):
        lines += _statement(rng, deep, loop)
    return lines


def _statement(rng: random.Random, deep: int, loop: bool) -> list[str]:
    kind = rng.randrange(13 if deep else 6)
    e = _expression(rng)
    inside = [f"    {x}" for x in _statements(rng, deep - 1, loop or kind >= 9)] if deep else []
    if kind == 0:
        return [f"{rng.choice('uv')} = {e}"]
    if kind == 1:
        return [f"{rng.choice('uvq')} {rng.choice(['+=', '-='])} {e}"]
    if kind == 2:
        return [f"u, v = {rng.choice(['v, u', f'{e}, u', f'(v, {e})'])}"]
    if kind in (3, 4):
        mask = f"(i + {_expression(rng, 1)} < {_expression(rng, 1)}) & (i < {e})"
        place = f"q + i * {_expression(rng, 0)} + {_expression(rng, 1)}"
        return [f"tl.load({place}, mask={mask})" if kind == 3 else f"tl.load({place})"]
    if kind == 5:
        if loop and rng.random() < 0.5:
            return [f"if {_test(rng)}:", f"    {rng.choice(['continue', 'break'])}"]
        return [f"if {_test(rng)}:", "    return"] if not loop else [f"u = {e}"]
    if kind in (6, 7, 8):
        lines = [f"if {_test(rng)}:", *inside]
        if rng.random() < 0.5:
            lines += ["else:", *[f"    {x}" for x in _statements(rng, deep - 1, loop)]]
        return lines
    counter = f"k{deep}"
    if kind == 12:
        start = f"{counter} = {rng.choice(['0', 'p', '1'])}"
        more = f"    {counter} += {rng.choice(['1', '2', 'A', 'tl.num_programs(0)'])}"
        return [start, f"while {counter} < {rng.choice('nm')}:", *inside, more]
    ends = rng.choice(
        [
            "n",
            "0, m",
            "p, n",
            "1, m + 2, 2",
            "0, n - m",
            "B",
            "m, -1, -1",
            "n, 0, -2",
            "p, n, A",
            "v",
        ]
    )
    word = rng.choice(["range", "range", "tl.range", "tl.static_range"])
    word = "range" if "p" in ends or "v" in ends else word
    return [f"for {counter} in {word}({ends}):", *inside, f"    tl.load(q + {counter} * m + u)"]
