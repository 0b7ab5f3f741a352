"""What Jupyter shows: a layout as a picture, a formula as LaTeX, a verdict with its counterexample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.layouts.maps.function import IndexFunction
from symlayout.render.draw.pictures import chosen_sizes, picture
from symlayout.render.draw.schedule import caption
from symlayout.render.emit.latex import latex
from symlayout.text.escape import html

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.notation import Layout
    from symlayout.prove.verdict import Verdict


def shown(value: Any) -> str:
    """The value as a notebook shows it: an index map, a verdict, or a layout in any notation."""
    if hasattr(value, "formula"):
        return layout_html(value)
    return verdict_html(value) if hasattr(value, "counterexample") else notation_html(value)


COLOURS = {"proved": "#1a7f37", "refuted": "#cf222e", "unknown": "#9a6700", "vacuous": "#9a6700"}


def layout_html(layout: IndexMap, notation: Any = None) -> str:
    """The offset as LaTeX, and the picture at small sizes.

    >>> from symlayout import IndexMap
    >>> layout_html(IndexMap.row_major((2, 3))).startswith("<div>$")
    True
    """
    text = f"<div>${html(latex(layout, layout.formula))}$</div>"
    try:
        drawn = layout if notation is None else notation
        sizes, chosen = chosen_sizes(drawn)
        shown = ", ".join(f"{n} = {sizes[n]}" for n in chosen)
        note = f"<div>at {html(shown)}</div>" if chosen else ""
        return f"{text}{note}{picture(drawn, sizes)}"
    except LayoutError as error:
        return f"{text}<div>no picture: {html(error.message)}</div>"


def notation_html(layout: Layout) -> str:
    """The layout as it is written, the offset as LaTeX, and the picture at small sizes.

    >>> from symlayout import parse
    >>> notation_html(parse("f32[?]"))
    '<div><code>f32[?]</code></div><div>no offsets: dimension 0 of f32[?] has no size</div>'
    """
    text = f"<div><code>{html(str(layout))}</code></div>"
    try:
        if isinstance(layout, IndexFunction) and not layout.plain:
            return text + map_html(layout)
        return text + layout_html(layout.index_map(), layout)
    except LayoutError as error:
        return f"{text}<div>no offsets: {html(error.message)}</div>"


def map_html(f: IndexFunction) -> str:
    """The picture of a map at small sizes.

    >>> from symlayout import parse
    >>> map_html(parse("map p < 4: (p//2, p%2) in (2, 2)")).count("<rect")
    5
    """
    sizes, chosen = chosen_sizes(f)
    at = ", ".join(f"{n} = {sizes[n]}" for n in chosen)
    note = f"<div>at {html(at)}</div>" if chosen else ""
    return f"<div>{html(caption(f))}</div>{note}{picture(f, sizes)}"


def verdict_html(verdict: Verdict) -> str:
    """The status, the claim, the reason, and both sides at the counterexample.

    >>> from symlayout.prove.verdict import Verdict
    >>> print(verdict_html(Verdict("proved", "injective A", "mixed radix")))
    <div><b style="color:#1a7f37">proved</b>: <code>injective A</code><br>mixed radix</div>
    """
    status = f'<b style="color:{COLOURS[verdict.status]}">{verdict.status}</b>'
    head = f"{status}: <code>{html(verdict.claim)}</code><br>{html(verdict.reason)}"
    c = verdict.counterexample
    if c is None:
        return f"<div>{head}</div>"
    rows = {"sizes": ", ".join(f"{n} = {v}" for n, v in c.sizes.items())}
    if c.coords:
        rows["coordinates"] = f"{c.coords}" + (f" and {c.other}" if c.other else "")
    rows |= {side: str(v) for side, v in (("left", c.left), ("right", c.right)) if v is not None}
    cells = "".join(f"<tr><th>{k}</th><td>{html(v)}</td></tr>" for k, v in rows.items() if v)
    return f"<div>{head}<table>{cells}</table></div>"
