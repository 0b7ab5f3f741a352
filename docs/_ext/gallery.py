"""The directive `{picture} LAYOUT`: a layout drawn when the page is made, and a claim about it.

`{ask} ARGUMENTS` runs a command and shows it with what it prints.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives

from symlayout import parse
from symlayout.__main__ import main
from symlayout.render.draw import threads
from symlayout.render.draw.interactive import page
from symlayout.render.draw.pictures import chosen_sizes, picture
from symlayout.render.draw.sizes import read_sizes


def answer(command: str, code: int | None = None) -> str:
    """What a command prints.

    Raises `ValueError` for another exit code than the expected one, or for bad input.
    """
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        got = main(shlex.split(command))
    if got == 2 or (code is not None and got != code):
        raise ValueError(f"{command}: exit code {got}\n{out.getvalue()}")
    return out.getvalue()


def console(command: str, code: int | None = None) -> nodes.Node:
    """A command and its answer, as a terminal shows them."""
    text = f"$ symlayout {command}\n{answer(command, code).rstrip()}"
    return nodes.literal_block(text=text, classes=["console"])


class Picture(Directive):
    """A layout's picture, inline; a page with sliders where it has sizes; the claim's verdict."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "size": directives.unchanged,
        "tv": directives.unchanged,
        "bits": directives.positive_int,
        "claim": directives.unchanged,
        "where": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        text = " ".join(self.arguments[0].split())
        layout = parse(text)
        sizes, _ = chosen_sizes(layout)
        if "size" in self.options:
            sizes, _ = read_sizes(list(sizes), [self.options["size"]])
        made: list[nodes.Node] = [nodes.literal_block(text=text)]
        html = self.state.document.settings.env.app.builder.format == "html"
        if html:
            made += self.drawn(layout, sizes)
        else:
            made.append(nodes.literal_block(text=str(layout)))
        if "claim" in self.options:
            claim = self.options["claim"].replace("@", shlex.quote(text))
            if "where" in self.options:
                claim += f" --where {shlex.quote(self.options['where'])}"
            made.append(console(f"prove {claim}"))
        return made

    def drawn(self, layout: Any, sizes: dict[str, int]) -> list[nodes.Node]:
        """The picture, what its sizes are, and the way to the page with sliders."""
        tile = self.options.get("tv")
        if tile:
            svg = threads.svg(layout.index_map(), sizes, threads.read_tile(tile), card=False)
        else:
            svg = picture(layout, sizes, bits=self.options.get("bits", 16), card=False)
        at = ", ".join(f"{n} = {v}" for n, v in sizes.items())
        link = f' · <a href="{self.sliders(layout, sizes)}">with sliders</a>' if sizes else ""
        note = f'<p class="picture-links">at {at}{link}</p>' if sizes else ""
        return [nodes.raw("", f'<div class="picture">{svg}</div>{note}', format="html")]

    def sliders(self, layout: Any, sizes: dict[str, int]) -> str:
        """The address of a page of its own, which is written beside the site's."""
        name = re.sub(r"\W+", "-", str(layout)).strip("-").lower()[:80] + ".html"
        folder = Path(self.state.document.settings.env.app.outdir) / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(page(layout, sizes), encoding="utf-8")
        return f"pictures/{name}"


class Ask(Directive):
    """A command of symlayout with its answer."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {"code": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        return [console(" ".join(self.arguments[0].split()), self.options.get("code"))]


def setup(app: Any) -> dict[str, bool]:
    """Registers the directives."""
    app.add_directive("picture", Picture)
    app.add_directive("ask", Ask)
    return {"parallel_read_safe": True}
