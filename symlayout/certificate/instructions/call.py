"""An instruction as the checker's rules see it, and what they ask of shapes and computations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

from symlayout.certificate.definitions import at_least
from symlayout.certificate.shaping import Array, Extent, Rules, array, equality
from symlayout.errors import LayoutError
from symlayout.expr.terms import Mod
from symlayout.expr.tree import Dummy, Expr, Integer
from symlayout.layouts.xla import Dynamic, TupleShape, read_shape

TOKEN = "token[]"
KINDS = {
    "pred": r"pred",
    "signed": r"s\d+",
    "unsigned": r"u\d+",
    "floating": r"b?f\d\w*",
    "complex": r"c\d+",
}


class Call(NamedTuple):
    """An instruction: what comes out, what goes in, its attributes as text."""

    opcode: str
    out: Any
    operands: tuple[Any, ...]
    attributes: dict[str, str]

    # -- attributes -------------------------------------------------------------------------------

    def at(self, r: Rules, key: str) -> str:
        """An attribute that there must be."""
        r.need(key in self.attributes)
        return self.attributes[key]

    def word(self, key: str) -> str:
        """An attribute without blanks, empty where it is left out."""
        return "".join(self.attributes.get(key, "").split())

    def numbers(self, r: Rules, key: str) -> list[int]:
        """The integers of an attribute such as `dimensions={1,0}`, which there must be."""
        r.need(re.fullmatch(r"\{?\s*(-?\d+(\s*,\s*-?\d+)*)?\s*\}?", self.at(r, key)) is not None)
        return [int(w) for w in re.findall(r"-?\d+", self.attributes[key])]

    def integers(self, r: Rules, key: str) -> list[int]:
        """The integers of an attribute, none where it is left out."""
        return self.numbers(r, key) if key in self.attributes else []

    def number(self, r: Rules, key: str) -> int:
        """The one integer of an attribute that there must be."""
        hits = self.numbers(r, key)
        r.need(len(hits) == 1)
        return hits[0]

    def number_or(self, r: Rules, key: str, default: int) -> int:
        """The one integer of an attribute, or what it is when it is left out."""
        return self.number(r, key) if key in self.attributes else default

    def axis(self, r: Rules, key: str, rank: int) -> int:
        """The one integer of an attribute, which names one of so many dimensions."""
        n = self.number(r, key)
        r.need(0 <= n < rank)
        return n

    # -- operands and results ---------------------------------------------------------------------

    def arrays(self, r: Rules, least: int, most: int | None = None) -> list[Array]:
        """The operands, which are arrays: so many, or up to `most`."""
        r.need(least <= len(self.operands) <= (least if most is None else most))
        r.need(all(hasattr(s, "_dims") for s in self.operands))
        return [array(s) for s in self.operands]

    def result(self, r: Rules) -> Array:
        """The result, which is an array."""
        return array_of(r, self.out)

    def results(self, r: Rules) -> list[Any]:
        """What comes out: an array, or a tuple of several."""
        if hasattr(self.out, "_dims"):
            return [self.out]
        r.need(len(self.out) != 1)
        return list(self.out)

    def pairs(self, r: Rules) -> list[tuple[Array, Array]]:
        """Each operand with its result."""
        answers = self.results(r)
        r.need(len(answers) >= 1)
        return [(a, array_of(r, b)) for a, b in zip(self.arrays(r, len(answers)), answers)]


Rule = Callable[[Rules, Call], None]
MANY = 1000  # operands


def unknown(what: str) -> NoReturn:
    """Raises `LayoutError`: the checker cannot follow, and confirms nothing."""
    raise LayoutError("SL723", f"the checker knows no {what}")


# -- shapes ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Marked(Dynamic):
    """A `?` with a symbol of its own."""

    mark: Dummy = field(default_factory=lambda: Dummy("later"), compare=False)


def marked(shape: Any) -> Any:
    """The shape with a symbol for every `?` in it."""
    if isinstance(shape, TupleShape):
        return TupleShape(tuple(map(marked, shape)))
    dims = getattr(shape, "_dims", ())
    if all(getattr(d, "_bound", d) is not None for d in dims):
        return shape
    new = tuple(Marked() if getattr(d, "_bound", d) is None else d for d in dims)
    return replace(shape, dims=new)


def array_of(r: Rules, shape: Any) -> Array:
    """The array that a shape is."""
    r.need(hasattr(shape, "_dims"))
    return array(shape)


def fixed(size: int | Expr) -> Extent:
    """A size that is that number."""
    return Extent(Integer(size) if isinstance(size, int) else size)


def known(e: Extent) -> Expr:
    """A size or its bound."""
    return unknown("sizes like these: they are known at run time") if e.size is None else e.size


def whole(e: Extent) -> int:
    """A size that is a number."""
    if e.size is None or not e.size.is_Integer:
        unknown("sizes like these: they are no numbers")
    return int(e.size)


def scalar(dtype: str) -> Array:
    """An array without dimensions."""
    return Array((), dtype)


def together(items: Sequence[Any]) -> Any:
    """A tuple of several; one by itself."""
    return items[0] if len(items) == 1 else tuple(items)


def entries(r: Rules, shape: Any, least: int, most: int | None = None) -> tuple[Any, ...]:
    """The parts of a tuple, which has so many at least."""
    r.need(hasattr(shape, "__len__") and least <= len(shape))
    r.need(most is None or len(shape) <= most)
    return tuple(shape)


def alike(r: Rules, a: Any, b: Any) -> None:
    """The same extents and types, but for the precision of floats; one by one in tuples."""
    _compared(r, a, b, r.same_type)


def identical(r: Rules, a: Any, b: Any) -> None:
    """The same extents and the very types: what is only passed on."""
    _compared(r, a, b, r.one_type)


def _compared(r: Rules, a: Any, b: Any, types: Callable[[Array, Array], None]) -> None:
    if hasattr(a, "_dims") and hasattr(b, "_dims"):
        x, y = array(a), array(b)
        types(x, y)
        r.same_sizes(x.dims, y.dims)
    elif hasattr(a, "__len__") and hasattr(b, "__len__"):
        r.need(len(a) == len(b))
        for x, y in zip(a, b):
            _compared(r, x, y, types)
    else:
        r.need(type(a) is type(b) and str(a) == str(b))


def fits(r: Rules, x: Extent, y: Extent) -> None:
    """The first size is no larger."""
    r.goals += [[g] for g in at_least(x.expr, y.expr)]


def multiple(r: Rules, e: Extent, parts: int) -> None:
    """So many parts have no rest, where their number is known."""
    if parts > 1 and e.size is None:
        r.one_of(equality(e.expr, Dummy("later") * parts))
    elif parts > 1:
        r.one_of(equality(Mod(e.expr, Integer(parts)), Integer(0)))


def distinct(r: Rules, hits: Sequence[int], rank: int) -> None:
    """Each is one of so many dimensions, and no other's."""
    r.need(len(set(hits)) == len(hits) and all(0 <= k < rank for k in hits))


def is_token(r: Rules, *shapes: Any) -> None:
    """Tokens, which order what devices do."""
    r.need(all(str(s) == TOKEN for s in shapes))


def is_array(r: Rules, shape: Any, dtype: str, *sizes: int) -> None:
    """An array of that very type and these sizes."""
    a = array_of(r, shape)
    r.need(a.dtype == dtype)
    r.same_sizes(a.dims, [fixed(n) for n in sizes])


# -- types ----------------------------------------------------------------------------------------


def is_kind(dtype: str, kinds: str) -> bool:
    """Whether a type is one of these: pred, signed, unsigned, floating, complex."""
    return any(re.fullmatch(KINDS[k], dtype) for k in kinds.split())


def of_kinds(r: Rules, kinds: str, *arrays: Array) -> None:
    """Types that are one of these kinds."""
    r.need(all(is_kind(a.dtype, kinds) for a in arrays))


# -- computations ---------------------------------------------------------------------------------


class Signature(NamedTuple):
    """What a computation takes, and its root."""

    parameters: tuple[Any, ...]
    root: Any


def signature(r: Rules, text: str) -> Signature | None:
    """The computation that a text such as `(f32[], f32[])->f32[]` spells; None of a mere name."""
    argument, arrow, root = text.partition("->")
    if not arrow:
        return None
    return Signature(entries(r, marked(read_shape(argument)), 0), marked(read_shape(root)))


def called(r: Rules, c: Call, key: str) -> Signature | None:
    """The computation that an attribute spells."""
    return signature(r, c.attributes.get(key, ""))
