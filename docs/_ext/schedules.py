"""The directive `{schedule} NAME SIZES`: a map of the examples, its picture, and its verdicts."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from symlayout import parse
from symlayout.checks.result import Result
from symlayout.checks.runner import check
from symlayout.render.draw.schedule import caption, svg, text
from symlayout.render.draw.sizes import read_sizes

FILE = Path(__file__).parents[2] / "examples" / "schedules.layout.toml"


@lru_cache(maxsize=1)
def results() -> tuple[tuple[str, Result], ...]:
    """Each claim of the file, as it is written there, and what came of it."""
    lines = tomllib.loads(FILE.read_text(encoding="utf-8"))["claim"]
    return tuple((row["prove"], r) for row, r in zip(lines, check([str(FILE)]).results))


class Schedule(Directive):
    """A map as text and as a picture, and what is claimed of it with what the prover answers."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        name, given = self.arguments
        made: list[nodes.Node] = []
        for line, result in results():
            if name not in line.split():
                continue
            claim = result.task.claim
            made += [] if made else self.picture(str(claim.arguments[0]), given)
            said = f"{result.outcome.status}: {result.task.name}\n  {result.outcome.reason}"
            where = "".join(f" --where '{fact}'" for fact in claim.facts)
            made.append(nodes.literal_block(text=f"{line}{where}\n{said}"))
        if not made:
            raise self.error(f"the examples have no claim about {name!r}")
        return made

    def picture(self, written: str, given: str) -> list[nodes.Node]:
        """The map's text, and its picture at the sizes."""
        f = parse(written)
        sizes, _ = read_sizes(f.names, [given])
        shown = f"{caption(f)}, at {given.replace(',', ', ')}"
        drawn = nodes.raw(
            "", f'<div class="picture">{svg(f, sizes, card=False)}</div>', format="html"
        )
        plain = nodes.literal_block(text=text(f, sizes))
        return [
            nodes.literal_block(text=written),
            nodes.paragraph(text=shown[0].upper() + shown[1:] + ":"),
            drawn if self.html else plain,
        ]

    @property
    def html(self) -> bool:
        """Whether the page is made for a browser."""
        settings: Any = self.state.document.settings
        return bool(settings.env.app.builder.format == "html")


def setup(app: Any) -> dict[str, bool]:
    """Registers the directive."""
    app.add_directive("schedule", Schedule)
    return {"parallel_read_safe": True}
