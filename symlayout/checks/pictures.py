"""Pictures of a module's memory as SVG: a map of buffers, bytes over the schedule, drawn tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.text.escape import html
from symlayout.text.patterns import regex

WIDTH, HEIGHT = 900, 280
LETTER, LINE = 6.5, 16  # of the labels
SHAPE = regex(r"\w+\[(?P<sizes>[\d,]*)\]\{(?P<order>[\d,]*):T\((?P<tile>\d+(?:,\d+)?)\)")
Box = tuple[float, float, float, float]


def treemap(rows: Sequence[dict[str, Any]]) -> str:
    """A map: an area for each row, with its number in the table, its padding shaded."""
    areas = [(r["physical_bytes"] * r["at_once"], n, r) for n, r in enumerate(rows, 1)]
    areas = sorted((a for a in areas if a[0] > 0), key=lambda a: -a[0])
    total = sum(a for a, *_ in areas)
    if not total:
        return ""
    lines = [_open(WIDTH, HEIGHT, "buffers by bytes")]
    scaled = [a * WIDTH * HEIGHT / total for a, *_ in areas]
    for (x, y, w, h), (size, n, r) in zip(squares(scaled, (0, 0, WIDTH, HEIGHT)), areas):
        share = r["wasted"] / size
        title = html(f"{r['shape']}: {size:,} bytes, {r['wasted']:,} wasted, {r['name']}")
        lines.append(f"<g><title>{title}</title>")
        lines.append(_rect((x, y, w, h), "part"))
        lines.append(_rect((x, y + h * (1 - share), w, h * share), "waste"))
        for k, label in enumerate(_label(n, r["shape"], w, h)):
            at = f'x="{x + 4:.1f}" y="{y + 13 + k * LINE:.1f}"'
            lines.append(f"<text {at}>{html(label)}</text>")
        lines.append("</g>")
    return "\n".join([*lines, "</svg>"])


def _label(n: int, shape: str, width: float, height: float) -> list[str]:
    """The number of a buffer with its array and its layout, as much as fits; no part is cut."""
    array, brace, layout = shape.partition("{")
    for lines in (
        [f"{n}: {shape}"],
        [f"{n}: {array}", brace + layout],
        [f"{n}: {array}"],
        [f"{n}"],
    ):
        if max(map(len, lines)) * LETTER < width - 8 and len(lines) * LINE < height:
            return lines
    return []


def _open(width: float, height: float, label: str) -> str:
    """How a picture begins: no wider than the page."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
    return f'<svg {size} role="img" aria-label="{html(label)}">'


def _rect(box: Box, kind: str) -> str:
    x, y, w, h = (f"{n:.1f}" for n in box)
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{w}" height="{h}"/>'


def curve(space: dict[str, Any]) -> str:
    """The bytes that are needed from the first instruction to the last, with the peak.

    The line above is what arguments, outputs and temporaries need together.
    """
    points = space["curve"]
    top = max([*points, space["needed"] or 0])
    if len(points) < 2 or not top:
        return ""
    wide, base = WIDTH / len(points), HEIGHT - LINE
    heights = [base - (base - LINE) * p / top for p in (*points, space["needed"] or 0)]
    steps = [f"{(k + n) * wide:.1f},{y:.1f}" for k, y in enumerate(heights[:-1]) for n in (0, 1)]
    at, level = (points.index(max(points)) + 0.5) * wide, heights[-1]
    label = html(f"{max(points):,} bytes at {space['at']}")
    side = "end" if at > WIDTH / 2 else "start"
    return "\n".join([
        _open(WIDTH, HEIGHT, "bytes from instruction to instruction"),
        f'<polygon class="part" points="0,{base} {" ".join(steps)} {WIDTH},{base}"/>',
        f'<line class="mark" x1="0" x2="{WIDTH}" y1="{level:.1f}" y2="{level:.1f}"/>',
        f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{LINE}" y2="{base}"/>',
        f'<text x="{at:.1f}" y="{HEIGHT - 4}" text-anchor="{side}">{label}</text>',
        f'<text x="0" y="{LINE - 4}">needed: {space["needed"] or 0:,} bytes</text>',
        "</svg>",
    ])  # fmt: skip


def squares(areas: Sequence[float], box: Box) -> list[Box]:
    """Rectangles of those areas that fill the box, row after row along its shorter side.

    >>> [tuple(round(n) for n in b) for b in squares([4, 2, 2], (0, 0, 4, 2))]
    [(0, 0, 2, 2), (2, 0, 2, 1), (2, 1, 2, 1)]
    """
    results: list[Box] = []
    x, y, w, h = box
    start = 0
    while start < len(areas) and w > 0 and h > 0:
        side, end = min(w, h), start + 1
        while end < len(areas) and _worst(areas[start : end + 1], side) <= _worst(
            areas[start:end], side
        ):
            end += 1
        total = sum(areas[start:end])
        depth, along = total / side, 0.0
        for a in areas[start:end]:
            length = a / depth if depth else 0.0
            box = (x, y + along, depth, length) if w >= h else (x + along, y, length, depth)
            results.append(box)
            along += length
        x, y, w, h = (x + depth, y, w - depth, h) if w >= h else (x, y + depth, w, h - depth)
        start = end
    return results + [(x, y, 0.0, 0.0)] * (len(areas) - len(results))


def _worst(row: Sequence[float], side: float) -> float:
    total = sum(row)
    return max(max(side * side * a / total**2, total**2 / (side * side * a)) for a in row)


def tiles(r: dict[str, Any]) -> str:
    """The last two dimensions in memory with the grid of tiles: what no element covers is padding."""
    match = SHAPE.match(r["shape"])
    sizes = [int(n) for n in match["sizes"].split(",") if n] if match else []
    if match is None or "," not in match["tile"] or len(sizes) < 2 or not r["wasted"]:
        return ""
    order = [int(n) for n in match["order"].split(",")]
    columns, rows = sizes[order[0]], sizes[order[1]]
    tall, wide = map(int, match["tile"].split(","))
    down, across = -(-rows // tall), -(-columns // wide)
    if not rows or not columns or down > 64 or across > 64:
        return ""
    scale = min(400 / (across * wide), 160 / (down * tall))
    lines = [
        f"<p><code>{html(r['shape'])}</code>: dimension {order[1]} down, {order[0]} across</p>",
        _open(across * wide * scale + 2, down * tall * scale + 2, "elements in their tiles"),
        _rect((0, 0, across * wide * scale, down * tall * scale), "waste"),
        _rect((0, 0, columns * scale, rows * scale), "whole"),
    ]
    for k in range(down):
        for n in range(across):
            x, y = n * wide * scale, k * tall * scale
            lines.append(_rect((x, y, wide * scale, tall * scale), "tile"))
    return "\n".join([*lines, "</svg>"])
