"""The rooms of the package and the imports between them, measured from the source.

    python benchmarks/rooms.py                       # rooms, sizes, arrows, circles
    python benchmarks/rooms.py --svg docs/rooms.svg  # the picture of ARCHITECTURE.md

Imports inside functions and for types count.  Exits with 1 when an import goes up, or a circle is
more than an import for types.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

PACKAGE = Path(__file__).parents[2] / "symlayout"
# from the ground up: a room imports only rooms before it
ROOMS = (
    "text",
    "expr",
    "digits",
    "layouts",
    "programs",
    "prove",
    "certificate",
    "tla",
    "render",
    "checks",
)
LOOSE = ("__init__", "__main__", "errors", "hooks", "pytest_plugin")
BELOW = ("errors", "hooks")  # loose modules that any room but the first may import
LARGEST_CIRCLE = 4
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
BETWEEN = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}


class Import(NamedTuple):
    """`source` imports `target`; `types` where it stands under TYPE_CHECKING."""

    source: str
    target: str
    types: bool


@dataclass(frozen=True)
class Module:
    """A module of the package: its name without `symlayout.`, its syntax and its text."""

    name: str
    tree: ast.Module
    text: str = ""

    @property
    def lines(self) -> int:
        """All lines."""
        return self.text.count("\n")

    @property
    def code(self) -> int:
        """The lines but for blank ones, comments and docstrings."""
        return code_lines(self.text)

    @property
    def room(self) -> str:
        """The folder that it stands in; a loose module is a room of its own."""
        return self.name.partition(".")[0]

    def functions(self) -> Iterator[tuple[str, int]]:
        """The name and the length in lines of every function."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def code_lines(text: str) -> int:
    """The lines of a module but for blank ones, comments and docstrings.

    >>> code_lines("'Words.'\\n\\n# more\\nx = (1,\\n     2)\\n")
    2
    """
    lines = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in BETWEEN:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines -= {*range(first.lineno, (first.end_lineno or first.lineno) + 1)}
    return len(lines)


@cache
def modules(package: Path = PACKAGE) -> dict[str, Module]:
    """All modules by name; a folder's `__init__` goes by the folder's name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found[name] = Module(name, ast.parse(text), text)
    return found


def imports(known: Mapping[str, Module]) -> list[Import]:
    """Every import of one module of the package by another, each once."""
    found: dict[tuple[str, str], bool] = {}
    for module in known.values():
        for node, types in _statements(module.tree):
            for target in _targets(node, known):
                if target != module.name:
                    key = (module.name, target)
                    found[key] = found.get(key, True) and types
    return [Import(a, b, types) for (a, b), types in found.items()]


def _statements(tree: ast.AST, types: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    for node in ast.iter_child_nodes(tree):
        yield node, types
        checking = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        yield from _statements(node, types or checking)


def _targets(node: ast.AST, known: Mapping[str, Module]) -> Iterator[str]:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [a.name for a in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [f"{node.module}.{a.name}" for a in node.names]
    for name in names:
        head, _, rest = name.partition(".")
        if head == "symlayout":
            while rest and rest not in known:
                rest = rest.rpartition(".")[0]
            yield rest or "__init__"


def upward(known: Mapping[str, Module], arrows: Iterable[Import]) -> list[Import]:
    """The imports of a room that stands above the importing one, or of a loose module on top."""
    order = {room: k for k, room in enumerate((ROOMS[0], *BELOW, *ROOMS[1:]))}
    top = len(order)
    return [
        i
        for i in arrows
        if order.get(known[i.target].room, top) > order.get(known[i.source].room, top)
    ]


def circles(known: Mapping[str, Module], arrows: Iterable[Import]) -> list[tuple[str, ...]]:
    """Groups of modules that import each other, directly or through others."""
    after: dict[str, list[str]] = {name: [] for name in known}
    for i in arrows:
        after[i.source].append(i.target)
    found, seen = [], set[str]()
    for name in known:
        if name not in seen:
            group = {m for m in _reached(after, name) if name in _reached(after, m)}
            seen |= group | {name}
            if len(group) > 1:
                found.append(tuple(sorted(group)))
    return found


def _reached(after: Mapping[str, list[str]], start: str) -> set[str]:
    reached, waiting = set[str](), [start]
    while waiting:
        for name in after[waiting.pop()]:
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def picture(known: Mapping[str, Module], arrows: Iterable[Import]) -> str:
    """The rooms as an SVG, from the ground up, with the number of imports between them."""
    width, row, left = 560, 46, 150
    shown = [r for r in reversed(ROOMS) if any(m.room == r for m in known.values())]
    y = {room: 20 + k * row for k, room in enumerate(shown)}
    height = 20 + len(shown) * row
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13" role="img">',
        "<title>The rooms of symlayout</title>",
    ]
    counts: dict[tuple[str, str], int] = {}
    for i in arrows:
        pair = (known[i.source].room, known[i.target].room)
        if pair[0] != pair[1] and pair[0] in y and pair[1] in y:
            counts[pair] = counts.get(pair, 0) + 1
    for (a, b), n in sorted(counts.items()):
        steps = (y[b] - y[a]) // row
        x, bend = left + 150, 20 + 34 * abs(steps)
        parts.append(
            f'<path d="M {x} {y[a] + 15} C {x + bend} {y[a] + 15}, {x + bend} {y[b] + 15}, '
            f'{x} {y[b] + 15}" fill="none" stroke="{"#6e7781" if steps > 0 else "#cf222e"}" '
            f'stroke-width="{min(1 + n / 12, 5):.1f}" opacity="0.55"/>'
        )
    for room, top in y.items():
        own = [m for m in known.values() if m.room == room]
        lines = sum(m.lines for m in own)
        parts.append(
            f'<rect x="{left}" y="{top}" width="150" height="30" rx="5" fill="#ddf4ff" '
            f'stroke="#0969da"/><text x="{left + 75}" y="{top + 20}" text-anchor="middle">{room}'
            f'</text><text x="{left - 10}" y="{top + 20}" text-anchor="end" fill="#57606a">'
            f"{len(own)} modules, {lines} lines</text>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Prints the rooms; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--svg", metavar="FILE", help="write the picture there")
    chosen = parser.parse_args(arguments)
    known = modules()
    arrows = imports(known)
    if chosen.svg:
        Path(chosen.svg).write_text(picture(known, arrows), encoding="utf-8")
    for room in ROOMS:
        own = [m for m in known.values() if m.room == room]
        below = sorted({known[i.target].room for i in arrows if known[i.source].room == room})
        print(f"{room:12} {len(own):3} modules {sum(m.lines for m in own):6} lines", end="  -> ")
        print(" ".join(r for r in below if r != room))
    every = known.values()
    total, code = sum(m.lines for m in every), sum(m.code for m in every)
    print(
        f"{len(known)} modules of {total} lines, {code} of them neither blank, comment nor docstring"
    )
    longest = max((n, f"{m.name}.{f}") for m in known.values() for f, n in m.functions())
    middle = median(m.lines for m in known.values())
    print(f"median module {middle:.0f} lines; longest function {longest[1]}, {longest[0]} lines")
    wrong = [f"goes up: {i.source} -> {i.target}" for i in upward(known, arrows)]
    plain = [i for i in arrows if not i.types]
    wrong += [f"circle: {' '.join(c)}" for c in circles(known, plain)]
    wrong += [f"large circle: {' '.join(c)}" for c in circles(known, arrows) if len(c) > 4]
    print("\n".join(wrong) or "imports go down only")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
