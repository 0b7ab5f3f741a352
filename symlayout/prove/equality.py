"""`equal` and `formula`: two ways to address, the same for every coordinate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.facts import Facts
from symlayout.expr.intervals import allowed, interval
from symlayout.expr.needs import changed
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import as_expr, from_sympy, substitute, symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.applied import applied, unknown_function
from symlayout.layouts.cute.inttuple import congruent, text_of
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.doors.algebra import Algebra
from symlayout.layouts.indexmap import IndexMap, coordinate_words
from symlayout.layouts.notation import parse
from symlayout.prove.applied import Applied
from symlayout.prove.decide import as_map, claim_facts, map_names, shared_coords
from symlayout.prove.maps.arguments import families, index_function
from symlayout.prove.question import Question, Reported
from symlayout.prove.run import Run
from symlayout.prove.search import free_starts
from symlayout.prove.statement import Goal, Offset, Statement, let
from symlayout.prove.verdict import Verdict
from symlayout.prove.word import states
from symlayout.prove.written import also_written

OFFSETS = "at {place} the offsets are {left} and {right}"
SIDES = "at {place} the layout's offset is {left}, yours is {right}"


@states
def equal(a: Any, b: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """Same shape, and the same offset for every coordinate."""
    layouts = families(a, b)
    if layouts is not None:
        from symlayout.prove.maps.blocks import about_families

        return about_families("equal", layouts, where)
    if index_function(a) is not None or index_function(b) is not None:
        from symlayout.prove.maps.pairs import as_function, demands_of, equal_functions

        demands = (*demands_of(a), *demands_of(b))
        return equal_functions(as_function(a), as_function(b), where, demands)
    left, right = as_map(a, "equal", where), as_map(b, "equal", where)
    facts = claim_facts(where, left, right)
    if _are_maps(a, b) and not _same_where_empty(left, right, facts):
        from symlayout.prove.maps.pairs import as_function, equal_functions

        return equal_functions(as_function(a), as_function(b), where)

    def report(verdict: Verdict, run: Run) -> Verdict:
        return _of_nesting(a, b, where, _of_elements(a, b, verdict))

    return Reported(comparison(left, right, facts), report)


def _are_maps(*values: Any) -> bool:
    """Whether all are index functions, which are equal by value: two without a point are equal."""
    return None not in [index_function(x, plain=True) for x in values]


def _same_where_empty(a: IndexMap, b: IndexMap, facts: Facts) -> bool:
    """Whether equal maps have equal shapes, also where both may be empty: else shapes say nothing."""
    known = allowed(facts, [*a.symbols, *b.symbols])
    full = [all(interval(as_expr(d), known)[0] >= 1 for d in m._shape) for m in (a, b)]
    return any(full) or a._shape == b._shape


def _of_nesting(a: Any, b: Any, where: Any, verdict: Verdict) -> Verdict:
    """The verdict; a proof says where the modes of two layouts of shape:stride nest otherwise."""
    if not verdict.proved:
        return verdict
    first, second = (_modes(x, where) for x in (a, b))
    if first is None or second is None or congruent(first, second):
        return verdict
    note = f"same function; nesting differs: {text_of(first)} and {text_of(second)}"
    return replace(verdict, _details={**verdict._details, "nesting": note})


def _modes(x: Any, where: Any) -> Any:
    """The nested shape of a layout of shape:stride, or of what an operation gives; None of others."""
    layout = parse(x) if isinstance(x, str) else x
    if isinstance(layout, Algebra):
        layout = layout.under(where).layout
    if isinstance(layout, ComposedLayout):
        layout = layout.layout
    return layout._shape if isinstance(layout, Layout) else None


def _of_elements(a: Any, b: Any, verdict: Verdict) -> Verdict:
    """The verdict; where two element types differ, a proof says that it is of offsets alone."""
    layouts = [parse(x) if isinstance(x, str) else x for x in (a, b)]
    types = [str(getattr(x, "dtype", None) or "").lower() for x in layouts]
    if not (verdict.proved and all(types)) or types[0] == types[1]:
        return verdict
    note = f"offsets alone, counted in elements: {types[0]} and {types[1]} are two element types"
    return replace(verdict, _details={**verdict._details, "compared": note})


def comparison(a: IndexMap, b: IndexMap, facts: Facts, reason: str = OFFSETS) -> Statement:
    """Two maps have the same coordinates, and the same offset at each of them."""
    names, demands = map_names(a, b), (*a.demanded, *b.demanded)
    shapes = (a._shape, b._shape)
    first, second = (f"({', '.join(map(str, s))})" for s in shapes)
    differ = f"the shapes {first} and {second} differ"
    if a.rank != b.rank:
        doubt = "{goal.left} dimensions against {goal.right}"
        ranks = Goal(a.rank, "==", b.rank, differ, shapes, doubt=doubt)
        return Statement(names, facts, sizes=[ranks], demands=demands)
    coords = shared_coords(a.rank, facts, a, b)
    offsets = {"a": Offset(a, coords), "b": Offset(b, coords)}
    others = [as_expr(d) for d in b._shape if d not in a._shape]
    doubt = "the sizes {goal.left} and {goal.right} are not proved equal"
    return Statement(
        names,
        facts,
        [Goal(let("a"), "==", let("b"), reason)],
        sizes=[Goal(d, "==", e, differ, shapes, doubt=doubt) for d, e in zip(*shapes)],
        coords=coords,
        shape=a._shape,
        offsets=offsets,
        starts=free_starts(a._shape, [*[o.definition for o in offsets.values()], *others], facts),
        demands=demands,
    )


@states
def formula(
    a: Any,
    expr: Any,
    *,
    coords: Any = None,
    language: Literal["python", "c"] | None = None,
    where: Any = (),
    budget: int | None = None,
) -> Question:
    """A hand-written index expression equals the layout's offset."""
    function = index_function(a)
    if function is not None:
        if coords is not None or not isinstance(expr, str):
            raise LayoutError("SL403", "a formula of a map is a text of its own variables")
        from symlayout.prove.maps.pairs import equal_functions, handwritten

        return equal_functions(function, handwritten(function, expr, language), where)
    m = _layout_first(a, expr, where)
    facts = claim_facts(where, m)
    value = Applied(facts)
    text = read_formula(m, expr, facts, coords, language, value, a)
    demands = tuple(
        d if d.coords else replace(d, box=(*d.box, *m._shape), coords=m._coords)
        for d in value.demands
    )
    # where what is written divides by zero, the comparison shows at which coordinate
    own = IndexMap(m._shape, m._coords, text, m._size, m.bits, text=str(expr), demands=demands)
    return comparison(m, own, facts, SIDES)


def _layout_first(a: Any, expr: Any, where: Any) -> IndexMap:
    """The layout's map; where the other argument is the layout the error says so."""
    try:
        return as_map(a, "formula", where)
    except LayoutError as error:
        try:
            as_map(expr, "formula", where)
        except (LayoutError, AttributeError):
            raise error from None
        error.help = "the layout comes first, then the expression: formula A EXPR"
        raise


def read_formula(
    m: IndexMap,
    expr: Any,
    facts: Facts,
    coords: Any = None,
    language: str | None = None,
    value: Applied | None = None,
    layout: Any = None,
) -> Expr:
    """The expression in the map's own coordinate symbols; `value` is of the layouts in it.

    It may have the names of the layout's text as well.
    """
    sizes = set(m.symbols) | facts.names
    meaning = coordinate_names(m, sizes, coords)
    sizes |= also_written(layout) - meaning.keys()

    def names(word: str) -> Expr | None:
        if word in meaning:
            return meaning[word]
        return symbol(word) if word in sizes else None

    if callable(expr):
        help = "symlayout.index_map(function, {'i': 'M', 'j': 'N'}) makes a map for `prove equal`"
        raise LayoutError("SL203", "a function is not an index expression", help=help)
    if not isinstance(expr, str):
        result = from_sympy(expr)
        unknown = {s.name for s in result.free_symbols} - sizes - set(meaning)
        if unknown:
            raise LayoutError("SL201", f"the name {min(unknown)!r} is not known here")
        return changed(result, lambda e: as_expr(substitute(e, meaning)))
    try:
        plain, inside = applied(expr, value or Applied(facts), names)
        return read_expression(plain, inside, language=language, code=language is not None)
    except LayoutError as error:
        if error.text is not None and "_call" in error.text:
            error.text = expr
        if error.code == "SL201" and error.text is not None:
            word = error.text[error.at : error.end]
            known = [*dict.fromkeys([*meaning, *sorted(sizes)])]
            error.help = (
                error.help
                or _own_coordinates(m, error.text, known, coords)
                or did_you_mean(word, known)
                or f"names known here: {', '.join(known)}"
            )
        raise unknown_function(error) from None


def _own_coordinates(m: IndexMap, text: str, known: Sequence[str], coords: Any) -> str | None:
    """What helps where other names than the map's coordinates, or more than an index, are written."""
    if text.lstrip().startswith("return "):
        return "give the expression alone, without 'return'"
    if re.match(r"\s*[A-Za-z_]\w*\s*\[", text):
        return "give the index alone, without the array: i*N + j of A[i*N + j]"
    words = dict.fromkeys(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?![\w(]|<\w+>\()", text))
    fresh = [w for w in words if w not in known]
    used = {c.name for c in m._coords} & {*words}  # a name beside these is no coordinate
    if coords is not None or used or len(fresh) != m.rank or not fresh:
        return None
    options = _orders(fresh)
    return f"name the coordinates, in their order: {' or '.join(f'--coords {o}' for o in options)}"


# how the name of a row begins, and that of a column
ROWS_FIRST = (("row", "col"), ("r", "c"), ("y", "x"), ("h", "w"), ("m", "n"), ("i", "j"))


def _orders(names: Sequence[str]) -> list[str]:
    """The orders in which names may be those of the coordinates: a row comes before its column.

    >>> _orders(["col", "row"]), _orders(["x", "y"]), _orders(["a", "b"])
    (['row,col'], ['y,x'], ['a,b', 'b,a'])
    """
    if len(names) != 2:
        return [",".join(names)]
    for row, col in ROWS_FIRST:
        for first, second in (names, names[::-1]):
            if first.lower().startswith(row) and second.lower().startswith(col):
                return [f"{first},{second}"]
    return [",".join(names), ",".join(names[::-1])]


def coordinate_names(m: IndexMap, sizes: set[str], coords: Any) -> dict[str, Symbol]:
    """The coordinates' names: those given, or i0, i1, ..., i, j, k, ... and the map's own."""
    if coords is not None:
        arguments = coordinate_words(coords, m.rank)
        clash = set(arguments) & sizes
        if clash:
            message = f"{min(clash)!r} names a coordinate, and a size of the layout or of a fact"
            raise LayoutError("SL201", message)
        if len(set(arguments)) != len(arguments):
            message = f"the coordinate names {' '.join(arguments)} are not distinct"
            raise LayoutError("SL201", message)
        return dict(zip(arguments, m._coords))
    meaning: dict[str, Symbol] = {}
    for k, c in enumerate(m._coords):
        for word in (c.name, f"i{k}", "ijklmnopq"[k : k + 1]):
            if word and word not in sizes:
                meaning.setdefault(word, c)
    return meaning
