"""Accesses as maps into their arrays."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from symlayout.expr.terms import product, put
from symlayout.expr.tree import Expr, expand
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.terms import MapText
from symlayout.layouts.notation import parse
from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.contract import Promise
from symlayout.programs.kernels.coordinates import Array, equalities, holding, parts_of
from symlayout.programs.kernels.forms import Form
from symlayout.programs.kernels.nodes import TRUE, both, conjuncts
from symlayout.programs.kernels.obligations.claims import claim_about, is_proved
from symlayout.programs.kernels.obligations.reading import Reading


def offset_of(reading: Reading, form: Form) -> IndexFunction:
    """The offset as an index function, sizes that are equal by the facts written alike."""
    f: Any = parse(form.map([form.part(form.offset)], form.guard))
    table = equalities(reading.facts)
    (offset,) = f._outputs
    changed = put(offset, table) if table else offset
    return IndexFunction(f.variables, (changed,), None, f._guard)


def with_equal_sizes(reading: Reading, array: Array) -> Array:
    """The array, sizes that are equal by the facts written alike."""
    table = equalities(reading.facts)

    def change(e: Expr) -> Expr:
        return put(e, table)

    strides = None if array.strides is None else tuple(map(change, array.strides))
    return Array(array.text, array.sizes, strides, change(array.start), array.size)


def map_of(reading: Reading, form: Form, array: Array) -> tuple[MapText, str]:
    """The map into the array, and its box: the results are coordinates, or else the offset."""
    key = form.content, array.text
    if key not in reading.maps:
        reading.maps[key] = _map_of(reading, form, array)
    return reading.maps[key]


def _map_of(reading: Reading, form: Form, array: Array) -> tuple[MapText, str]:
    coords = coordinates_of(reading, form, array)
    if coords is None:
        f = offset_of(reading, form)
        parts, box = parts_of((f._outputs[0],)), parts_of((array.size,))
        return form.map(parts, form.guard, box), str(array.size)
    return form.map(parts_of(coords), form.guard, parts_of(array.sizes)), array.box


def coordinates_of(reading: Reading, form: Form, array: Array) -> tuple[Expr, ...] | None:
    """The offset as coordinates that are proved to lie in the array.

    Others say nothing of a place: what is behind the end of a row may be in the next one.
    """
    coords = holding(
        offset_of(reading, form), with_equal_sizes(reading, array), reading.facts, reading.remember
    )
    if coords is None or (len(coords) == 1 and array.sizes[0] == array.size):
        return coords
    text = form.map(parts_of(coords), form.guard, parts_of(array.sizes))
    claim = claim_about(reading, "bounded", text)
    return coords if is_proved(reading, claim) else None


def is_dense(array: Array) -> bool:
    """Whether every place of the buffer is an element's."""
    return expand(array.size - product(array.sizes)) == 0


def title_of(access: Access) -> str:
    """What an access is called: `load of x in line 3`."""
    return f"{access.kind} of {access.array} in {lines_of(access)}"


def lines_of(access: Access) -> str:
    """The lines that an access stands for."""
    line = access.span.line
    return f"lines {line} to {access.last}" if access.last > line else f"line {line}"


def without_unknowns(access: Access) -> Access:
    """The access without conditions of what is not known: no two places that meet need them."""
    parts = conjuncts(access.guard)
    known = [c for c in parts if not c.unknowns]
    if access.offset.unknowns or len(known) == len(parts):
        return access
    doubt = access.doubt or "a condition of what is not known here is left out"
    return replace(access, guard=reduce(both, known, TRUE), doubt=doubt)


def kind_of(p: Promise) -> str:
    """The kind of a claim that stores do not meet."""
    return "once" if p.written == "once" else "race"
