"""The directive `{figures} START`: the table of benchmarks/README.md whose first row begins so.

No figure is written twice: the site shows what the programs' own page says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

FILE = Path(__file__).parents[2] / "benchmarks" / "README.md"


def rows(start: str) -> list[list[str]]:
    """The cells of the table whose first line begins with that text.

    Raises `ValueError` for a text with which no table begins.
    """
    lines = FILE.read_text(encoding="utf-8").splitlines()
    found = [n for n, line in enumerate(lines) if line.startswith(start)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} tables of benchmarks/README.md begin with {start!r}")
    made = []
    for line in lines[found[0] :]:
        if not line.startswith("|"):
            break
        made.append([cell.strip().replace("\\*", "*") for cell in line.strip("|").split("|")])
    return [made[0], *made[2:]]


class Figures(Directive):
    """A table of figures."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        head, *body = rows(self.arguments[0])
        table, group = nodes.table(), nodes.tgroup(cols=len(head))
        table += group
        for _ in head:
            group += nodes.colspec(colwidth=1)
        for kind, lines in ((nodes.thead, [head]), (nodes.tbody, body)):
            part = kind()
            for line in lines:
                row = nodes.row()
                for cell in line:
                    row += nodes.entry("", shown(cell))
                part += row
            group += part
        return [table]


def shown(cell: str) -> nodes.paragraph:
    """A cell's text, what stands in backticks as code."""
    made = nodes.paragraph()
    for k, part in enumerate(cell.split("`")):
        made += nodes.literal(text=part) if k % 2 else nodes.Text(part.replace("**", ""))
    return made


def setup(app: Any) -> dict[str, bool]:
    """Registers the directive."""
    app.add_directive("figures", Figures)
    return {"parallel_read_safe": True}
