"""`symlayout formula`: the offset as a formula, as code, or at a coordinate."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symlayout.checks.result import plain
from symlayout.errors import LayoutError
from symlayout.layouts.naming import has_size
from symlayout.text.escape import as_json, terminal

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.maps.function import IndexFunction


def run(args: Namespace) -> int:
    """`symlayout formula LAYOUT`."""
    from symlayout.layouts.maps.function import IndexFunction
    from symlayout.layouts.notation import parse
    from symlayout.prove.applied import expansion

    if args.at is not None and args.emit is not None:
        raise LayoutError("SL600", "--at asks for a number and --emit for code: give one of them")
    if args.loops and args.emit is None:
        raise LayoutError("SL600", "--loops is for code", help="--emit c --loops")
    others = [o for o in ("at", "emit", "json") if args.spelling and getattr(args, o)]
    if others:
        message = f"--spelling prints the layout alone, and --{others[0]} something else"
        raise LayoutError("SL600", message, help="give one of them")
    layout = parse(args.layout)
    if hasattr(layout, "under"):
        layout = layout.under(expansion(args.where))
    if args.spelling is not None:
        print(_spelling(layout, args.spelling))
        return 0
    if isinstance(layout, IndexFunction) and not layout.plain:
        where = expansion(args.where)
        own = {*layout.names, *(v.name for v in layout.variables)}
        _look_at(where, own, args.layout)
        return _of_function(layout, args, where)
    index_map: IndexMap = layout.index_map()
    if args.coords is not None:
        index_map = index_map.named(args.coords)
    where = expansion(args.where)
    _look_at(where, {*index_map.symbols}, args.layout)
    expr = index_map._shortest_under(where) if where else index_map._shortest
    size = _size(index_map, where)
    at = None if args.at is None else _offset(layout, index_map, args.at, where)
    code = None
    if args.emit:
        from symlayout.render.emit import emit

        code = emit(index_map, args.emit, formula=expr, where=where, loops=args.loops)
    data: dict[str, Any] = {
        "schema": 1,
        "layout": str(layout),
        "where": args.where,
        "shape": plain(index_map._shape),
        "coords": [c.name for c in index_map._coords],
        "formula": str(expr),
        "size": plain(size),
    }
    if modes := modes_text(layout):
        data["shape_stride"] = modes
    if at is not None:
        data |= {"at": plain(at[0]), "offset": plain(at[1])}
    lines = [f"{c} in [0, {d})" for c, d in zip(index_map._coords, index_map._shape)]
    lines += [f"size    {size}", f"offset  {expr}"]
    _print(args, data, None if at is None else str(at[1]), code, lines)
    return 0


def modes_text(layout: Any) -> str:
    """Shape and strides of what an operation gives or an atom is; "" for any other layout.

    >>> from symlayout import parse
    >>> modes_text(parse("logical_divide((8,8):(8,1), (4,4))")), modes_text(parse("(2,3):(3,1)"))
    ('((4,2),(4,2)):((8,32),(1,4))', '')
    """
    from symlayout.layouts.cute.layout import Layout
    from symlayout.layouts.doors.algebra import Algebra
    from symlayout.layouts.doors.tv import ThreadValue

    if not isinstance(layout, (Algebra, ThreadValue)):
        return ""
    modes = layout.layout
    return str(replace(modes, name="") if isinstance(modes, Layout) else modes)


def _print(
    args: Namespace, data: dict[str, Any], at: str | None, code: str | None, lines: list[str]
) -> None:
    """What is asked for: all as JSON, the value at a place, code, or the lines for people."""
    if modes := data.get("shape_stride"):
        lines = [modes, *lines]
    if args.json:
        data |= {} if code is None else {"emit": args.emit, "code": code}
        print(as_json(data))
    elif at is not None:
        print(at)
    elif code is not None:
        print(code, end="")
    else:
        print("\n".join(lines))


def _look_at(where: list[Any], known: set[str], text: str) -> None:
    """Says so where the facts contradict each other; raises `LayoutError` (SL301) for other names."""
    if not where:
        return
    from symlayout.digits.assume import context_of
    from symlayout.expr.facts import Facts

    facts = Facts.read(where)
    facts.check_names({*known, *(n for n in facts.written if has_size(text, n))})
    if context_of(facts, sorted(facts.names)).contradiction:
        message = f"the facts contradict each other: {terminal(str(facts))}"
        print(f"symlayout: {message}", file=sys.stderr)


def _size(m: IndexMap, where: list[Any]) -> Any:
    """The elements of the buffer, shorter where strides of either sign are told apart by the facts."""
    from symlayout.digits.simplification import shortest
    from symlayout.expr.terms import Max, Min, as_expr

    size = as_expr(m._size)
    return shortest(size, where) if size.has(Max, Min) else m._size


def _of_function(f: IndexFunction, args: Namespace, where: list[Any]) -> int:
    """`symlayout formula MAP`, of a map that is not a formula over a box: all of its parts."""
    from symlayout.expr.reader import read_expression
    from symlayout.render.emit import emit

    if args.coords is not None:
        raise LayoutError("SL600", "--coords names the coordinates of a layout: a map has its own")
    code = emit(f, args.emit, where=where, loops=args.loops) if args.emit else None
    parts: dict[str, Any] = {
        "domain": list(map(str, f.variables)),
        "guard": None if f._guard is None else str(f._guard),
        "let": [f"{n} = {e}" for n, e in f._lets],
        "results": list(map(str, f._results)),
        "box": None if f._box is None else plain(f._box),
    }
    place = None
    if args.at is not None:
        place = f.placed([read_expression(t) for t in args.at.split(",")])
    data = {"schema": 1, "layout": str(f), "where": args.where, **parts}
    data |= {} if place is None else {"at": args.at, "place": plain(place)}
    if modes := modes_text(f):
        data["shape_stride"] = modes
    rows = [("domain", d) for d in parts["domain"]]
    rows += [("guard", parts["guard"])] if f._guard is not None else []
    rows += [("let", e) for e in parts["let"]] + [("result", e) for e in parts["results"]]
    rows += [("box", str(d)) for d in f._box or ()]
    lines = [f"{word:<7} {text}" for word, text in rows]
    _print(args, data, None if place is None else ", ".join(map(str, place)), code, lines)
    return 0


def _spelling(layout: Any, spelling: str) -> str:
    """The layout in another notation, which says the same of it."""
    from symlayout.expr.terms import substitute, symbol
    from symlayout.layouts.doors.back import einops_text, encoding_text, linear_text, map_text
    from symlayout.layouts.doors.linear import Linear
    from symlayout.layouts.maps.function import IndexFunction, function_of
    from symlayout.layouts.xla import proto_text
    from symlayout.layouts.xla.composite import BufferShape, OpaqueShape, TupleShape
    from symlayout.layouts.xla.shape import Shape
    from symlayout.render.emit.affine import affine_text, indexing_text
    from symlayout.tla import Layout, cpp_text

    if spelling == "cpp" and isinstance(layout, Layout):
        return cpp_text(layout)
    if spelling == "proto" and isinstance(layout, (Shape, TupleShape, BufferShape, OpaqueShape)):
        return proto_text(layout)
    if spelling == "text":
        return str(replace(layout, name="") if isinstance(layout, Layout) else layout)
    if spelling == "cute" and (modes := modes_text(layout)):
        return modes
    if spelling in ("cute", "memref") and hasattr(layout, "index_map"):
        return _of_strides(layout, spelling)
    if spelling in ("ttg", "linear") and isinstance(layout, Linear):
        return encoding_text(layout) if spelling == "ttg" else linear_text(layout)
    writers = {
        "map": map_text, "einops": einops_text, "affine": affine_text, "indexing": indexing_text
    }  # fmt: skip
    if spelling in writers and hasattr(layout, "index_map"):
        own = isinstance(layout, IndexFunction)
        function = layout if own else function_of(layout.index_map())
        if not function.variables:  # what reads these asks for a coordinate
            raise LayoutError("SL203", f"{layout} has no dimension: {spelling} cannot say it")
        text = writers[spelling](function)
        if spelling == "affine":
            letters = {v.name: symbol(f"d{k}") for k, v in enumerate(function.variables)}
            highs = [substitute(v._high, letters) for v in function.variables]
            ends = ", ".join(f"d{k} < {high}" for k, high in enumerate(highs))
            message = f"the domain, {ends}, is not written: an affine map has none"
            print(f"symlayout: {terminal(message)}", file=sys.stderr)
        return text
    kinds = {
        "cpp": "layouts of shape:stride",
        "proto": "XLA shapes",
    }
    kinds |= dict.fromkeys(writers, "layouts and maps")
    kinds |= dict.fromkeys(("cute", "memref"), "layouts with offsets")
    kinds |= dict.fromkeys(("ttg", "linear"), "linear layouts")
    raise LayoutError("SL600", f"--spelling {spelling} is for {kinds[spelling]}, not {layout}")


def _of_strides(layout: Any, spelling: str) -> str:
    """A layout with offsets as a memref type, or as `shape:stride`."""
    from symlayout.layouts.doors.back import memref_text, padding_behind
    from symlayout.layouts.xla.shape import Shape
    from symlayout.tla import as_layout, to_tla

    if spelling == "memref":
        text, size = memref_text(layout), None
    else:
        other = to_tla(layout) if isinstance(layout, Shape) else as_layout(layout)
        text, size = str(other), other.index_map()._size
    if padding_behind(layout.index_map(), size):
        message = (
            f"the padding behind the last element of {layout} is not written: {spelling} has none"
        )
        print(f"symlayout: {terminal(message)}", file=sys.stderr)
    return text


def _offset(layout: Any, index_map: IndexMap, text: str, where: list[Any]) -> tuple[list[Any], Any]:
    """The coordinate and its offset: one number for each dimension, nested, or one in all."""
    from symlayout.expr.reader import read_expression
    from symlayout.expr.terms import as_size, substitute
    from symlayout.layouts.applied import tuple_value
    from symlayout.layouts.cute.inttuple import transform
    from symlayout.layouts.cute.layout import Layout

    text = text.strip()
    text = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text  # a list of Python's
    question = tuple_value(f"({text},)", read_expression) if text else ()
    coords = [transform(as_size, c) for c in question]
    if isinstance(layout, Layout) and (len(coords) != index_map.rank or _has_tuple(coords)):
        return coords, layout(*coords)
    if len(coords) == 1 and isinstance(coords[0], tuple):
        coords = list(coords[0])
    if _has_tuple(coords):
        raise LayoutError("SL108", f"{layout} has no nested modes: give one number a dimension")
    offset = index_map.offset(*coords)
    if not isinstance(offset, int) and where:
        names = {c.name: v for c, v in zip(index_map._coords, coords)}
        offset = substitute(index_map._shortest_under(where), names)
    return coords, offset


def _has_tuple(coords: list[Any]) -> bool:
    return any(isinstance(c, tuple) for c in coords)
