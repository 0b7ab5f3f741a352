"""`fits`: no value that a formula computes on its way leaves its machine integers."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.intermediates import intermediates
from symlayout.expr.machine import Machine, machine
from symlayout.prove.decide import as_map, claim_facts, map_names
from symlayout.prove.maps.arguments import index_function
from symlayout.prove.question import Question
from symlayout.prove.statement import Goal, Statement
from symlayout.prove.word import states

WIDEST = 1024


@states
def fits(
    a: Any,
    bits: Any = None,
    *,
    where: Any = (),
    wraps: Any = None,
    types: Any = None,
    budget: int | None = None,
) -> Question:
    """Every intermediate value lies in its type: of a map as it is written, of a layout's formula.

    A layout's formula, as `--emit python` writes it, is judged in `bits` bits, signed; the sizes
    and coordinates that it reads count as values. (Code in C that is emitted has other values on
    its way, and chooses types that hold them.) A map is judged as its text is written, each part in
    the type that C gives it: numbers, sizes and coordinates are int (32 bits) unless they are cast,
    definitions keep their type, operands are converted by the usual rules; with `bits` everything
    has that many bits, signed. Other notations of maps (einops, linear layouts, thread-value ones)
    are judged as the map that they are, in the order in which code computes it. Unsigned values may
    wrap only with `wraps="ok"`. `types` has the types of sizes and coordinates that are not int, as a
    dict or as text (`s=int64,n=uint32`): so the index of a memory access, written as a map with its
    guard, is asked about in the types that the program declares. What a type says of a size's values
    is no fact: `where` says it (`n <= 2147483647`).

    >>> fits("map r < R, c < C: r*C + c", where=["R <= 4096", "C <= 4096"]).status
    'proved'
    >>> fits("map i < n: i*s", types={"s": "int64"}, where=["n <= 4096", "s <= 9999999"]).status
    'proved'

    A refutation shows the first value that leaves its type, in the order of computing.  Raises
    `LayoutError` (SL502): a width that is none, a layout without one, a type of no such name.
    """
    if wraps not in (None, "ok"):
        raise LayoutError("SL502", f"wraps is 'ok' or is not given, not {wraps!r}")
    width = None if bits is None else read_bits(bits)
    f = index_function(a, plain=True)
    if f is not None:
        from symlayout.prove.maps.fitting import fits_as_written

        return fits_as_written(f, width, where, wraps == "ok", read_types(types))
    if width is None or wraps is not None or types is not None:
        text = "types and wrapping are for maps, and a layout's formula needs a number of bits"
        raise LayoutError("SL502", text, help="fits LAYOUT 32")
    return _emission(a, width, where)


def read_types(types: Any) -> dict[str, Machine]:
    """Types by name, of a dict of texts or of `name=type` joined by commas.

    >>> {n: str(t) for n, t in read_types("s=int64, n=size_t").items()}
    {'s': 'int64', 'n': 'uint64'}
    """
    if types is None:
        return {}
    if isinstance(types, str):
        rows = [part.partition("=") for part in types.split(",")]
        return {name.strip(): machine(kind.strip()) for name, _, kind in rows}
    return {str(name): machine(str(kind)) for name, kind in dict(types).items()}


def _emission(a: Any, width: int, where: Any) -> Statement:
    """What is stated of the formula that is emitted for a layout."""
    m = as_map(a, "fits", where)
    facts = claim_facts(where, m)
    m = m.apart_from(facts.names)
    limit = 2 ** (width - 1)
    formula = m._shortest_under(facts)
    steps = intermediates(formula)
    note = f"at {{place}} the value of {{goal.left}} is {{left}}, beyond {width} bits"
    proof = f"all {len(steps)} values of {formula} stay in [-2**{width - 1}, 2**{width - 1})"
    doubt = f"{{goal.left}} is not proved to fit {width} bits"
    goals = [
        Goal(step, op, end, note, (step, limit - 1), proof, doubt)
        for step in steps
        for op, end in ((">=", -limit), ("<=", limit - 1))
    ]
    return Statement(
        map_names(m), facts, goals, coords=m._coords, shape=m._shape, demands=m.demanded, ends=True
    )


def read_bits(bits: Any) -> int:
    """A number of bits, at least 2."""
    try:
        result = int(str(bits))
    except ValueError:
        message = f"a width is a number of bits such as 32, not {bits!r}"
        raise LayoutError("SL502", message) from None
    if not 2 <= result <= WIDEST:
        raise LayoutError("SL502", f"a width is from 2 to {WIDEST} bits, not {result}")
    return result
