"""Directives that make the reference from the sources: claims, errors, theorems."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from gallery import console

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
import structure

from symlayout.checks.explain import explanations
from symlayout.errors import CODES
from symlayout.layouts.vocabulary import CLAIMS

PROOFS = Path(__file__).parents[2] / "proofs"
EXAMPLES = tomllib.loads((Path(__file__).parents[1] / "claims.toml").read_text(encoding="utf-8"))
TITLE = re.compile(r"# # (.*)\n")
STATEMENTS = re.compile(r"^# ## Main statements\n(.*?)^# ## ", re.M | re.S)


class Claims(Directive):
    """Every claim word with its usage, its meaning, and an example of it proved and refuted."""

    def run(self) -> list[nodes.Node]:
        made: list[nodes.Node] = []
        for word, claim in CLAIMS.items():
            section = nodes.section(ids=[f"claim-{word}"], names=[word])
            section += nodes.title(text=word)
            section += nodes.paragraph(text=claim.meaning[0].upper() + claim.meaning[1:] + ".")
            section += nodes.literal_block(text=f"symlayout prove {claim.usage}")
            for status, code in (("proved", 0), ("refuted", 1)):
                example = EXAMPLES[word][status]
                if "why" in example:
                    section += nodes.paragraph(text=example["why"])
                section += console(f"prove {example['claim']}", code)
            made.append(section)
        return made


class Errors(Directive):
    """Every error code with its page."""

    def run(self) -> list[nodes.Node]:
        made: list[nodes.Node] = []
        for code, meaning in CODES.items():
            page = explanations()[code]
            section = nodes.section(ids=[code.lower()], names=[code])
            section += nodes.title(text=f"{code}: {meaning}")
            section += nodes.paragraph(text=page.why)
            section += nodes.literal_block(text=page.example.strip())
            if page.file:
                section += nodes.literal_block(text=page.file.strip())
            section += nodes.paragraph(text=page.cure)
            made.append(section)
        return made


class Theorems(Directive):
    """Every chapter of the proofs: what it states, and the obligations that prove it."""

    def run(self) -> list[nodes.Node]:
        return [self.chapter(file) for file in sorted(PROOFS.glob("*.layout.toml"))]

    def chapter(self, file: Path) -> nodes.Node:
        text = file.read_text(encoding="utf-8")
        title, stated = TITLE.match(text), STATEMENTS.search(text)
        if title is None or stated is None:
            raise self.error(f"{file.name} has no title, or no main statements")
        number = file.name.partition("-")[0]
        section = nodes.section(ids=[f"theorem-{number}"], names=[title[1]])
        section += nodes.title(text=title[1])
        for block in re.sub("^# ?", "", stated[1], flags=re.M).strip("\n").split("\n\n"):
            formula = block.startswith(" ")
            section += (nodes.literal_block if formula else nodes.paragraph)(text=block)
        obligations = nodes.bullet_list()
        for claim in tomllib.loads(text)["claim"]:
            obligations += nodes.list_item("", nodes.paragraph(text=claim["name"]))
        section += obligations
        return section


class TrustedLines(Directive):
    """The parts that a recheck rests on: their modules, the lines of these, and the lines that run."""

    def run(self) -> list[nodes.Node]:
        rows: dict[str, list[tuple[str, int, int]]] = {part: [] for part in structure.TRUSTED}
        for row in structure.checker_lines():
            rows[structure.part_of(row[0])].append(row)
        lines = [("", "modules", "lines", "lines that run")]
        for part, modules in rows.items():
            run, size = (sum(m[k] for m in modules) for k in (1, 2))
            own = part in structure.LOGIC
            names = ", ".join(Path(m[0]).name for m in modules) if own else str(len(modules))
            lines.append((part, names, f"{size:,}", f"{run:,}"))
        return [table(lines)]


def table(rows: Sequence[Sequence[str]]) -> nodes.table:
    """A table whose first row is its head."""
    group = nodes.tgroup(cols=len(rows[0]))
    group += [nodes.colspec(colwidth=1) for _ in rows[0]]
    for kind, part in ((nodes.thead, rows[:1]), (nodes.tbody, rows[1:])):
        body = kind()
        for texts in part:
            row = nodes.row()
            for text in texts:
                entry = nodes.entry()
                entry += nodes.paragraph(text=text)
                row += entry
            body += row
        group += body
    result = nodes.table()
    result += group
    return result


def setup(app: Any) -> dict[str, bool]:
    """Registers the directives."""
    app.add_directive("claims", Claims)
    app.add_directive("errors", Errors)
    app.add_directive("theorems", Theorems)
    app.add_directive("trusted-lines", TrustedLines)
    return {"parallel_read_safe": True}
