"""The elements of an SVG picture: no style sheet and no ids, so that pictures share a page in peace."""

from __future__ import annotations

from colorsys import hls_to_rgb

from symlayout.text.escape import html

# light, and told apart by people who see few colours
FILLS = ("#cfe3f7", "#fbe3c0", "#d5ecd4", "#eadcf2", "#f7d4d4", "#e6e6c8")
INK, RED = "#1f2328", "#cf222e"
GAP, PER_LETTER = 14, 6.7
FONT = 'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="11"'
HATCH = 7  # between two lines of what is hatched


class Canvas:
    """What has been drawn, and how far it reaches.

    >>> c = Canvas()
    >>> c.cell(10, 10, 30, 20, "7", FILLS[0], "(0, 1): offset 7")
    >>> made = c.svg("a layout", "one cell")
    >>> made.count("<rect"), "viewBox" in made, "<title>(0, 1): offset 7</title>" in made
    (2, True, True)
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.lines: list[str] = []  # above all cells
        self.wide = self.high = 0.0

    def reach(self, x: float, y: float) -> None:
        """The picture holds this point."""
        self.wide, self.high = max(self.wide, x), max(self.high, y)

    def cell(
        self, x: float, y: float, w: float, h: float, text: str, fill: str, title: str
    ) -> None:
        """A box with a text, and what is said of it when a pointer rests there."""
        self.reach(x + w, y + h)
        box = f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}"/>'
        lines = text.split("\n")
        label = "".join(
            f'<text x="{x + w / 2:g}" y="{y + _line(h, k, len(lines)):g}">{html(line)}</text>'
            for k, line in enumerate(lines)
            if line
        )
        self.parts.append(f"<g><title>{html(title)}</title>{box}{label}</g>")

    def hatched(self, x: float, y: float, w: float, h: float, text: str, title: str) -> None:
        """A box of padding: diagonal lines, and its text in grey."""
        self.reach(x + w, y + h)
        steps = []
        for k in range(HATCH, int(w + h), HATCH):
            low = min(k, h)
            high = min(k, w)
            steps.append(f"M{x + k - low:g} {y + low:g}L{x + high:g} {y + k - high:g}")
        side = f'x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"'
        box = f'<rect {side} fill="#8b949e" fill-opacity=".12"/>'
        lines = f'<path d="{"".join(steps)}" stroke="#8b949e" stroke-opacity=".45" fill="none"/>'
        at = f'x="{x + w / 2:g}" y="{y + h / 2 + 0.5:g}"'
        label = f'<text {at} fill="currentColor" opacity=".6">{html(text)}</text>'
        inside = f"<title>{html(title)}</title>{box}{lines}{label}"
        self.parts.append(f'<g data-padding="1">{inside}</g>')

    def label(self, x: float, y: float, text: str, start: bool = False) -> None:
        """A text beside the cells."""
        left = ' text-anchor="start"' if start else ""
        place = f'x="{x:g}" y="{y:g}"{left} fill="currentColor" opacity=".75"'
        self.parts.append(f"<text {place}>{html(text)}</text>")
        self.reach(x + len(text) * PER_LETTER if start else x, y + 8)

    def stroke(
        self, path: str, colour: str = "currentColor", width: float = 1.0, more: str = ""
    ) -> None:
        """A line above the cells."""
        drawing = f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{more}/>'
        self.lines.append(drawing)

    def svg(self, title: str, desc: str, card: bool = True) -> str:
        """The whole element; a card is a white ground, without it the page's own colours show."""
        wide, high = self.wide + GAP, self.high + GAP
        colour = f' color="{INK}"' if card else ""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" '
            f'width="{wide:g}" height="{high:g}" role="img" aria-label="{html(title)}" {FONT} '
            f'text-anchor="middle" dominant-baseline="central"{colour}>'
        )
        text = f"<title>{html(title)}</title><desc>{html(desc)}</desc>"
        ground = f'<rect width="{wide:g}" height="{high:g}" rx="6" fill="#fff"/>' if card else ""
        cells = ['<g fill="#1f2328" stroke="none">', *self.parts, "</g>"]
        lines = ['<g pointer-events="none">', *self.lines, "</g>"] if self.lines else []
        return "\n".join([head, text, ground, *cells, *lines, "</svg>"]) + "\n"


def _line(high: float, k: int, count: int) -> float:
    """How far below a box's upper edge the k-th of its lines stands."""
    return high / 2 + 0.5 + (k - (count - 1) / 2) * 12


def hue(number: int, count: int, light: float = 0.8) -> str:
    """One of `count` colours around the circle.

    >>> hue(0, 32), hue(8, 32)
    ('#f0a8a8', '#ccf0a8')
    """
    r, g, b = (round(255 * c) for c in hls_to_rgb(number % count / count, light, 0.7))
    return f"#{r:02x}{g:02x}{b:02x}"


def shade(colour: str, steps: int) -> str:
    """The colour a little darker, for a tile inside a tile.

    >>> shade("#ffffff", 1)
    '#ebebeb'
    """
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(p * 0.92**steps):02x}" for p in parts)
