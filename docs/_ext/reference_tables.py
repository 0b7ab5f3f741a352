"""Directives that make the reference from the sources: claims, errors, theorems, modules."""

from __future__ import annotations

import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from symlayout.checks.explain import explanations
from symlayout.errors import CODES
from symlayout.layouts.vocabulary import CLAIMS

PROOFS = Path(__file__).parents[2] / "proofs"
TITLE = re.compile(r"# # (.*)\n")
STATEMENTS = re.compile(r"^# ## Main statements\n(.*?)^# ## ", re.M | re.S)


class Claims(Directive):
    """Every claim word with its usage, meaning and options."""

    def run(self) -> list[nodes.Node]:
        made: list[nodes.Node] = []
        for word, claim in CLAIMS.items():
            section = nodes.section(ids=[f"claim-{word}"], names=[word])
            section += nodes.title(text=word)
            section += nodes.literal_block(text=f"symlayout prove {claim.usage}")
            section += nodes.paragraph(text=claim.meaning[0].upper() + claim.meaning[1:] + ".")
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


class Module(Directive):
    """Every public name of a module with its signature, its docstring, and a class's own names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        package, _, name = self.arguments[0].partition(".")
        module = getattr(import_module(package), name)
        made: list[nodes.Node] = []
        for word in getattr(module, "__all__", None) or public(module):
            thing = getattr(module, word)
            text = inspect.getdoc(thing)
            if text is None or not callable(thing):
                continue
            section = nodes.section(ids=[f"{name}-{word}".lower()], names=[f"{name}.{word}"])
            section += nodes.title(text=word)
            section += nodes.literal_block(text=f"{name}.{word}{signature(thing)}")
            section += blocks(text)
            if inspect.isclass(thing):
                section += members(thing)
            made.append(section)
        return made


def public(module: Any) -> list[str]:
    """The functions and classes that a module without a list of names defines."""
    return [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]


def signature(thing: Any) -> str:
    """The parameters, without the types that are in the text."""
    try:
        made = inspect.signature(thing)
    except ValueError:
        return ""
    plain = [p.replace(annotation=p.empty) for p in made.parameters.values()]
    return str(made.replace(parameters=plain, return_annotation=made.empty))


def blocks(text: str) -> list[nodes.Node]:
    """The paragraphs of a docstring, and its examples as they are."""
    made: list[nodes.Node] = []
    for block in text.split("\n\n"):
        example = block.startswith(">>>")
        made.append(nodes.literal_block(text=block) if example else paragraph(block))
    return made


def paragraph(text: str) -> nodes.paragraph:
    """A paragraph, what stands in backticks as code."""
    made = nodes.paragraph()
    for k, part in enumerate(text.split("`")):
        made += nodes.literal(text=part) if k % 2 else nodes.Text(part)
    return made


def members(thing: type) -> list[nodes.Node]:
    """The public methods and properties that a class itself describes."""
    rows = nodes.definition_list()
    for name, value in vars(thing).items():
        what = getattr(value, "func", getattr(value, "fget", getattr(value, "__func__", value)))
        text = inspect.getdoc(value) if what is not None else None
        if name.startswith("_") or not inspect.isfunction(what) or text is None:
            continue
        shown = name + (signature(what) if inspect.isfunction(value) else "")
        term = nodes.term("", "", nodes.literal(text=shown))
        rows += nodes.definition_list_item("", term, nodes.definition("", *blocks(text)))
    return [rows] if rows.children else []


def setup(app: Any) -> dict[str, bool]:
    """Registers the directives."""
    app.add_directive("claims", Claims)
    app.add_directive("errors", Errors)
    app.add_directive("reference", Module)
    app.add_directive("theorems", Theorems)
    return {"parallel_read_safe": True}
