"""A picture as data: expressions as straight-line steps, which a page computes without reading text.

What a page gets is JSON: numbers, names, and steps of a dozen operations; nothing in it is code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symlayout.expr.arrays import program
from symlayout.expr.conditions import Condition, Less
from symlayout.expr.terms import as_expr
from symlayout.layouts.maps.function import IndexFunction
from symlayout.render.draw.levels import level_formulas

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

Json = dict[str, Any]


def expression(e: Any) -> Json:
    """The steps of an expression, and where its value stands.

    >>> from symlayout.expr.terms import symbol
    >>> expression(symbol("N") * 2)
    {'steps': [['t.0', '*', 2, 'N']], 'value': 't.0'}
    """
    results = program(as_expr(e))
    return {"steps": [list(s[:4]) for s in results.steps], "value": results.result}


def condition(c: Condition) -> list[Any]:
    """What holds of a point: comparisons, and what joins them."""
    parts = map(expression, c.args) if isinstance(c, Less) else map(condition, c.args)
    return [c.row.op, *parts]


def model(layout: Any, sizes: Mapping[str, int]) -> Json:
    """The picture of a layout or a map, whose sizes begin with those.

    >>> from symlayout import parse
    >>> made = model(parse("f32[M,N]{1,0:T(8,128)}"), {"M": 12, "N": 192})
    >>> made["kind"], made["sizes"], made["coords"], len(made["levels"])
    ('layout', [['M', 12, 1], ['N', 192, 1]], ['i', 'j'], 1)
    """
    if isinstance(layout, IndexFunction) and not layout.plain:
        return _of_map(layout, sizes)
    index_map: IndexMap = layout.index_map() if hasattr(layout, "index_map") else layout
    least = dict(index_map.least)
    value = getattr(layout, "padding_value", None)
    return {
        "kind": "layout",
        "title": str(index_map.text or layout),
        "sizes": [[n, v, min(v, least.get(n, 1))] for n, v in sizes.items()],
        "coords": [c.name for c in index_map._coords],
        "shape": [expression(d) for d in index_map._shape],
        "size": expression(index_map._size),
        "offset": expression(index_map._raw),
        "levels": [
            [expression(e) for e in level] for level in level_formulas(layout, index_map._coords)
        ],
        "bits": index_map.bits,
        "held": None if value is None else str(value),
        "lines": [["offset", str(index_map._shortest)], ["size", str(index_map._size)]],
    }


def _of_map(f: IndexFunction, sizes: Mapping[str, int]) -> Json:
    return {
        "kind": "map",
        "title": str(f),
        "sizes": [[n, v, min(v, 1)] for n, v in sizes.items()],
        "variables": [[v.name, expression(v._low), expression(v._high)] for v in f.variables],
        "guard": None if f._guard is None else condition(f._guard),
        "results": [expression(e) for e in f._outputs],
        "box": None if f._box is None else [expression(d) for d in f._box],
        "lines": [],
    }
