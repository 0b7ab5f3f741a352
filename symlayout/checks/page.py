"""The memory of modules as one HTML file that stands alone: tables, pictures, a little script."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Any

from symlayout.checks.pictures import curve, tiles, treemap
from symlayout.checks.report.style import summary_line
from symlayout.checks.result import Report
from symlayout.text.escape import html
from symlayout.text.lines import in_bytes, in_units

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --page: #ffffff; --dim: #59636e;
  --edge: #d0d7de; --part: #9fd0ff; --waste: #ff9a9a; --whole: #54aeff }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --page: #0d1117; --dim: #9198a1;
  --edge: #3d444d; --part: #1f4f80; --waste: #8e2a2f; --whole: #316dca } }
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem;
  color: var(--text); background: var(--page) }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem; overflow-wrap: anywhere }
h3 { font-size: 1rem } .wide { overflow-x: auto }
table { border-collapse: collapse; margin: .6rem 0 }
td, th { padding: .15rem .6rem; vertical-align: top }
th { text-align: left; border-bottom: 1px solid var(--edge) } td.n { text-align: right }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer }
code { font: 12px/1.3 ui-monospace, monospace } .dim { color: var(--dim) }
svg { display: block; max-width: 100%; height: auto } svg text { font-size: 11px; fill: var(--text) }
.part { fill: var(--part); stroke: var(--page) } .waste { fill: var(--waste); stroke: var(--page) }
.whole { fill: var(--whole) } .tile { fill: none; stroke: var(--text); stroke-width: .6 }
.mark { stroke: var(--text); stroke-dasharray: 4 3 }
"""
# sorts a table by the column whose head is pressed, and hides the rows without the searched words
SCRIPT = """
const value = (row, k) => {
  const text = row.cells[k].textContent, number = text.replace(/,/g, "");
  return number !== "" && !isNaN(number) ? Number(number) : text;
};
const order = (a, b) => typeof a !== typeof b ? (typeof a === "number" ? -1 : 1)
  : a < b ? -1 : a > b ? 1 : 0;
for (const button of document.querySelectorAll("th button")) {
  button.onclick = () => {
    const body = button.closest("table").tBodies[0], k = button.parentNode.cellIndex;
    const sign = button.dataset.sign = button.dataset.sign === "-1" ? 1 : -1;
    const rows = [...body.rows].sort((a, b) => sign * order(value(a, k), value(b, k)));
    body.append(...rows);
  };
}
document.querySelector("input").oninput = event => {
  const words = event.target.value.toLowerCase().split(" ");
  for (const row of document.querySelectorAll("tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
  }
};
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'"
TILES_SHOWN = 3
NUMBER = re.compile(r"[\d,\-]+(?:\.\d+)?")


def page(report: Report) -> str:
    """The file's text: nothing in it is taken from elsewhere, and no other script runs."""
    policy = POLICY.format(b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode())
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Memory of modules</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<style>{STYLE}</style></head><body>",
        "<h1>Memory of modules</h1>",
        f"<p>{html(summary_line(report))}</p>",
        '<p><label>Search <input type="search"></label></p>',
    ]
    for module in report.modules:
        rows = [r for r in report.padding if _owner(r) == (module["file"], module["name"])]
        parts += _module(module, rows)
    return "\n".join([*parts, f"<script>{SCRIPT}</script></body></html>", ""])


def _owner(row: dict[str, Any]) -> tuple[Any, Any]:
    return row.get("file"), row.get("module")


def _module(module: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    sign = module["sign"]
    title = " ".join(t for t in (module["name"], module["stage"]) if t)
    yield f"<h2>{html(title or 'module')} <span class=dim>{html(module['file'])}</span></h2>"
    table = f" and a table of {module['pointers']} pointers" if module["pointers"] else ""
    counts = [_bytes(module[k]) for k in ("arguments", "outputs")]
    yield f"<p>arguments {counts[0]}, outputs {counts[1]}{table}</p>"
    if module["host_arguments"] or module["host_outputs"]:
        counts = [_bytes(module[k]) for k in ("host_arguments", "host_outputs")]
        yield f"<p>in the host's memory: arguments {counts[0]}, outputs {counts[1]}</p>"
    columns = ("bytes", "wasted", "buffers", "peak", "temporaries", "needed")
    yield _table(
        ("space", *columns),
        [[_space(n, s), *(_number(s[k]) for k in columns)] for n, s in module["spaces"].items()],
    )
    if module["left_out"]:
        yield f"<p>computed without {module['left_out']} instructions that could not be read</p>"
    if module["not_checked"]:
        hit = ", ".join(f"{n} {op}" for op, n in module["not_checked"].items())
        yield f"<p>not checked: {html(hit)}</p>"
    for n, space in module["spaces"].items():
        yield from _over_time(_space(n, space), {**space, "at": sign + space["at"]}, sign)
    if rows:
        yield "<h3>Buffers, the most wasted bytes first</h3>"
        yield treemap(rows)
        yield "<p class=dim>red: padding; the numbers are those of the table</p>"
        yield _table(
            ("#", "wasted", "factor", "bytes each", "live", "line", "buffer", "made by", "from",
             "in the source"),
            [_cells(n, r, sign) for n, r in enumerate(rows, 1)],
        )  # fmt: skip
        yield from [d for d in map(tiles, rows) if d][:TILES_SHOWN]


def _space(n: str, space: dict[str, Any]) -> str:
    return f"S({n}) {html(space['called'])}".rstrip()


def _over_time(title: str, space: dict[str, Any], sign: str) -> Iterator[str]:
    """What is needed from instruction to instruction, and who is alive at the peak."""
    picture = curve(space)
    if not picture:
        return
    yield f"<h3>{title} over the schedule</h3>"
    yield picture
    rest = space["alive_count"] - len(space["alive"])
    more = f" (the largest; {rest:,} more)" if rest else ""
    yield f"<p>alive at the peak, <code>{html(space['at'])}</code>{more}:</p>"
    head = ("bytes", "", "kind", "made by", "buffer")
    rows = [
        [
            _number(b["bytes"]),
            in_units(b["bytes"]),
            b["kind"],
            html(sign + b["name"] + (f"{{{','.join(map(str, b['part']))}}}" if b["part"] else "")),
            f"<code>{html(b['shape'])}</code>",
            *([_number(b.get("offset"))] if any("offset" in a for a in space["alive"]) else []),
        ]
        for b in space["alive"]
    ]
    yield _table((*head, *["offset"] * (len(rows[0]) - len(head) if rows else 0)), rows)


def _number(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"


def _bytes(n: int | None) -> str:
    return "unknown" if n is None else in_bytes(n)


def _cells(n: int, r: dict[str, Any], sign: str) -> list[str]:
    origin = " ".join(t for t in (r["op_name"], r["source"]) if t)
    why = list(r["why"])
    if r["better"]:
        why.append(f"better: {r['better']} with {in_bytes(r['better_bytes'])}")
    below = "".join(f"<br><span class=dim>{html(text)}</span>" for text in why)
    text = f"<code>{html(r['shape'])}</code>{below}"
    numbers = [_number(n), _number(r["wasted"]), f"{r['factor']:.2f}"]
    numbers += [_number(r[k]) for k in ("physical_bytes", "at_once", "line")]
    made_by = html(f"{r['opcode']} {sign}{r['name']}")
    no_change = f"no change proposed: {r['no_change']}" if r.get("no_change") else ""
    return [*numbers, text, made_by, html(origin), html(r["suggestion"] or no_change)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles = "".join(f"<th><button>{html(h)}</button></th>" for h in head)
    lines = [f"<div class=wide><table><thead><tr>{titles}</tr></thead><tbody>"]
    for row in rows:
        cells = [f"<td class=n>{c}</td>" if NUMBER.fullmatch(c) else f"<td>{c}</td>" for c in row]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])
