"""What Jupyter shows: a layout as a picture, a formula as LaTeX, a verdict with its counterexample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.layouts.indexmap import CoordMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.render.draw.pictures import chosen_sizes, picture
from symlayout.render.draw.schedule import caption
from symlayout.render.emit.latex import latex
from symlayout.text.escape import html

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.prove.verdict import Verdict
    from symlayout.prove.when.answer import Condition


def page(value: Any) -> str:
    """The value as a notebook shows it: a picture, formulas, a verdict, or its text.

    >>> from symlayout import when
    >>> print(page(when.injective("(M,N):(1,P)")).partition("<br>")[0])
    <div><b>exactly when P &gt;= M or N == 1</b>
    """
    if isinstance(value, CoordMap):
        return coordinates_html(value)
    if isinstance(value, Swizzle):
        return swizzle_html(value)
    text = str(value)
    for attribute, show in BY_ATTRIBUTE.items():
        if hasattr(value, attribute) and (attribute != "index_map" or "\n" not in text):
            return show(value)
    return f"<pre>{html(text)}</pre>"


def coordinates_html(f: CoordMap) -> str:
    """What goes in and what comes out, an expression for each coordinate.

    >>> from symlayout import CoordMap
    >>> coordinates_html(CoordMap.identity((6, 4)).reshape((3, 8))).count("<tr>")
    3
    """
    ends = " and ".join(f"{c} in [0, {d})" for c, d in zip(f._coords, f._shape))
    rows = "".join(
        f"<tr><td>{k}</td><td><code>{html(str(e))}</code></td><td>{html(str(d))}</td></tr>"
        for k, (e, d) in enumerate(zip(f._exprs, f._sizes))
    )
    head = "<tr><th>coordinate</th><th>is</th><th>of</th></tr>"
    return f"<div>{html(ends)}<table>{head}{rows}</table></div>"


def swizzle_html(swizzle: Swizzle) -> str:
    """The text, and what it does to the smallest array of which it moves every part."""
    rows, columns = 1 << swizzle.bits, 1 << (swizzle.base + abs(swizzle.shift))
    head = f"<div><code>{html(str(swizzle))}</code></div>"
    if rows * columns > 1 << 12:
        return head
    layout = ComposedLayout(swizzle, 0, Layout((rows, columns), (columns, 1)))
    return head + picture(layout, {})


def condition_html(condition: Condition) -> str:
    """The sentence, the claim, and what was proved in both directions."""
    parts = [f"<b>{html(condition.sentence)}</b>", f"<code>{html(condition.claim)}</code>"]
    for word, verdict in (("if", condition.verdict_if), ("only if", condition.verdict_only_if)):
        if verdict is not None:
            parts.append(f"{word}: {html(verdict.status)}, {html(verdict.reason)}")
    return f"<div>{'<br>'.join(parts)}</div>"


COLOURS = {"proved": "#1a7f37", "refuted": "#cf222e", "unknown": "#9a6700", "vacuous": "#9a6700"}


def layout_html(layout: IndexMap, notation: Any = None) -> str:
    """The offset as LaTeX, and the picture at small sizes.

    >>> from symlayout import IndexMap
    >>> layout_html(IndexMap.row_major((2, 3))).startswith("<div>$")
    True
    """
    text = f"<div>${html(latex(layout, layout._shortest))}$</div>"
    try:
        drawing = layout if notation is None else notation
        return f"{text}{_small_picture(drawing)}"
    except LayoutError as error:
        return f"{text}<div>no picture: {html(error.message)}</div>"


def notation_html(layout: Any) -> str:
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
    return f"<div>{html(caption(f))}</div>{_small_picture(f)}"


def _small_picture(drawing: Any) -> str:
    """The picture at small sizes, and which these are."""
    sizes, choices = chosen_sizes(drawing)
    at = ", ".join(f"{n} = {sizes[n]}" for n in choices)
    note = f"<div>at {html(at)}</div>" if choices else ""
    return f"{note}{picture(drawing, sizes)}"


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


# what a value has tells what it is
BY_ATTRIBUTE: dict[str, Callable[[Any], str]] = {
    "formula": layout_html,
    "counterexample": verdict_html,
    "verdict_only_if": condition_html,
    "index_map": notation_html,
}
