"""Directives that make the reference from the code: `{claims}` and `{errors}`."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from symlayout.checks.explain import explanations
from symlayout.claims import CLAIMS
from symlayout.errors import CODES


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


def setup(app: Any) -> dict[str, bool]:
    """Registers the directives."""
    app.add_directive("claims", Claims)
    app.add_directive("errors", Errors)
    return {"parallel_read_safe": True}
