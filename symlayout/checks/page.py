"""The memory of modules as one HTML file that stands alone: tables, a map of memory, drawn tiles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from symlayout.checks.report.style import summary_line
from symlayout.checks.result import Report
from symlayout.text.escape import html
from symlayout.text.patterns import regex

STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; color: #1f2328 }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; margin: .6rem 0 } td, th { padding: .15rem .6rem }
th { text-align: left; border-bottom: 1px solid #d0d7de } td.n { text-align: right }
code { font: 12px/1.3 ui-monospace, monospace } .dim { color: #656d76 } svg { display: block }
"""
WIDTH, HEIGHT = 900, 280
TILES_SHOWN = 3
SHAPE = regex(r"\w+\[(?P<sizes>[\d,]*)\]\{(?P<order>[\d,]*):T\((?P<tile>\d+(?:,\d+)?)\)")
Box = tuple[float, float, float, float]


def page(report: Report) -> str:
    """The file's text."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Memory of modules</title>',
        f"<style>{STYLE}</style></head><body>",
        "<h1>Memory of modules</h1>",
        f"<p>{html(summary_line(report))}</p>",
    ]
    for module in report.modules:
        rows = [r for r in report.padding if _owner(r) == (module["file"], module["name"])]
        parts += _module(module, rows)
    return "\n".join([*parts, "</body></html>", ""])


def _owner(row: dict[str, Any]) -> tuple[Any, Any]:
    return row.get("file"), row.get("module")


def _module(module: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    title = " ".join(t for t in (module["name"], module["stage"]) if t)
    yield f"<h2>{html(title or 'module')} <span class=dim>{html(module['file'])}</span></h2>"
    table = f" and a table of {module['pointers']} pointers" if module["pointers"] else ""
    counts = [_number(module[k]) for k in ("arguments", "outputs")]
    yield f"<p>arguments {counts[0]} bytes, outputs {counts[1]} bytes{table}</p>"
    yield _table(
        ("space", "bytes", "wasted", "buffers", "peak"),
        [
            [f"S({n})", *(_number(s[k]) for k in ("bytes", "wasted", "buffers", "peak"))]
            for n, s in module["spaces"].items()
        ],
    )
    if module["not_checked"]:
        hit = ", ".join(f"{n} {op}" for op, n in module["not_checked"].items())
        yield f"<p>not checked: {html(hit)}</p>"
    if rows:
        yield _map(rows)
        yield _table(
            ("wasted", "bytes", "live", "buffer", "made by", "from", "in the source"),
            [_cells(r) for r in rows],
        )
        drawings = [d for d in map(_tiles, rows) if d][:TILES_SHOWN]
        yield from drawings


def _number(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"


def _cells(r: dict[str, Any]) -> list[str]:
    origin = " ".join(t for t in (r["op_name"], r["source"]) if t)
    why = "; ".join(r["why"])
    text = f"<code>{html(r['shape'])}</code><br><span class=dim>{html(why)}</span>"
    numbers = [_number(r[k]) for k in ("wasted", "physical_bytes", "at_once")]
    made_by = html(f"{r['opcode']} {r['name']}")
    return [*numbers, text, made_by, html(origin), html(r["suggestion"])]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["<table><tr>" + "".join(f"<th>{html(h)}</th>" for h in head) + "</tr>"]
    for row in rows:
        cells = [
            f"<td class=n>{c}</td>" if re.fullmatch(r"[\d,\-]+", c) else f"<td>{c}</td>"
            for c in row
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


# -- pictures -------------------------------------------------------------------------------------


def _map(rows: Sequence[dict[str, Any]]) -> str:
    """A treemap: an area for each row, its padding shaded."""
    areas = [(r["physical_bytes"] * r["at_once"], r) for r in rows]
    areas = sorted((a for a in areas if a[0] > 0), key=lambda a: -a[0])
    total = sum(a for a, _ in areas)
    if not total:
        return ""
    lines = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">']
    scaled = [a * WIDTH * HEIGHT / total for a, _ in areas]
    for (x, y, w, h), (size, r) in zip(squares(scaled, (0, 0, WIDTH, HEIGHT)), areas):
        share = r["wasted"] / size
        title = html(f"{r['shape']}: {size:,} bytes, {r['wasted']:,} wasted, {r['name']}")
        lines.append(f"<g><title>{title}</title>")
        lines.append(_rect((x, y, w, h), "#54aeff66"))
        lines.append(_rect((x, y + h * (1 - share), w, h * share), "#cf222e99"))
        if w > 90 and h > 16:
            text = html(r["shape"][: int(w / 7)])
            lines.append(f'<text x="{x + 4:.1f}" y="{y + 13:.1f}" font-size="11">{text}</text>')
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", "<p class=dim>red: padding</p>"])


def _rect(box: Box, colour: str) -> str:
    x, y, w, h = (f"{n:.1f}" for n in box)
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{colour}" stroke="#fff"/>'


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


def _tiles(r: dict[str, Any]) -> str:
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
        f'<svg width="{across * wide * scale + 2:.0f}" height="{down * tall * scale + 2:.0f}">',
        _rect((0, 0, across * wide * scale, down * tall * scale), "#cf222e99"),
        _rect((0, 0, columns * scale, rows * scale), "#54aeff"),
    ]
    for k in range(down):
        for n in range(across):
            x, y = n * wide * scale, k * tall * scale
            lines.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide * scale:.1f}" '
                f'height="{tall * scale:.1f}" fill="none" stroke="#1f2328" stroke-width=".6"/>'
            )
    return "\n".join([*lines, "</svg>"])
