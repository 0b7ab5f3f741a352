"""Layouts made of layouts, written as calls: `pad_reshape_transpose(...)`, `broadcast_in_dim(...)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.reader import Scanner
from symlayout.expr.terms import Mod, Size, as_expr, value
from symlayout.expr.tree import Expr, Integer, expand
from symlayout.hooks import Shown
from symlayout.layouts.demands import Demand, one_or_equal
from symlayout.layouts.indexmap import CoordMap, IndexMap
from symlayout.layouts.notation import read_plain
from symlayout.layouts.reading import Span, arguments_of, part_from
from symlayout.layouts.xla import Dynamic, Shape
from symlayout.text.limits import NESTING
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

HEAD = regex(r"\s*([A-Za-z_]\w*)\s*\(")
OPTION = regex(r"\s*([A-Za-z_]\w*)\s*=(?!=)")
NUMBERS = regex(r"\s*[({\[]([\d\s,-]*)[)}\]]\s*\Z", re.ASCII)
DIMENSION = regex(r"-?\d{1,9}", re.ASCII)


@dataclass(frozen=True)
class PadReshapeTranspose(Shown):
    """A tiled layout by literal pad, reshape and transpose steps instead of the tile formula.

    >>> from symlayout.layouts.xla.linear import as_shape
    >>> made = PadReshapeTranspose(as_shape("f32[3,5]{1,0:T(2,2)}"))
    >>> print(made, made.index_map().offset(2, 3))
    pad_reshape_transpose(f32[3,5]{1,0:T(2,2)}) 17
    """

    steps_of: Shape

    def __str__(self) -> str:
        return f"pad_reshape_transpose({self.steps_of})"

    def index_map(self) -> IndexMap:
        """The map of the steps.

        Raises `LayoutError` where the shape has a `?`.
        """
        return self._index_map

    @cached_property
    def _index_map(self) -> IndexMap:
        from symlayout.layouts.xla import derive

        return derive(self.steps_of).index_map()


@dataclass(frozen=True)
class BroadcastInDim(Shown):
    """An operand under a larger shape: dimension k of it lies along dimension `dims[k]` of `to`.

    >>> from symlayout.layouts.xla.linear import as_shape
    >>> made = BroadcastInDim(as_shape("f32[3]"), (1,), as_shape("f32[2,3]"))
    >>> print(made, made.index_map().formula)
    broadcast_in_dim(f32[3], dims=(1), to=f32[2,3]) j

    The map takes a coordinate of the result to the operand's place in its own buffer: a size of 1
    is repeated (its coordinate is 0), every other one is the result's; where a size may be either,
    the coordinate is the remainder by it, and that it is one of both is demanded.  Raises
    `LayoutError`: SL702 to SL704, SL711 for dims that name no dimensions, SL713 for a size that is
    neither 1 nor the result's, SL717 for another element type, SL106 for a `to` with a layout.
    """

    operand: Any
    dims: tuple[int, ...]
    to: Shape

    def __post_init__(self) -> None:
        for fault in self._faults():
            raise fault

    def _faults(self) -> Iterator[LayoutError]:
        sizes, rank = self.operand.index_map()._shape, self.to.rank
        dtype = getattr(self.operand, "dtype", self.to.dtype)
        if str(self.to) != str(Shape(self.to.dtype, self.to._dims)):
            message = f"the layout of {self.to} says nothing here: the operand's is what counts"
            yield LayoutError("SL106", message)
        if any(isinstance(d, Dynamic) for d in self.to._dims):
            yield LayoutError("SL700", f"{self.to} has a size that is known at run time only")
        if dtype != self.to.dtype:
            message = f"the operand's element type {dtype} is not the result's, {self.to.dtype}"
            yield LayoutError("SL717", message)
        if len(self.dims) != len(sizes):
            message = f"{len(self.dims)} dims for the {len(sizes)} dimensions of the operand"
            yield LayoutError("SL702", message)
        for k, d in enumerate(self.dims):
            if d < 0:
                yield LayoutError("SL703", f"entry {k} of dims is {d}: it must not be negative")
            if d >= rank:
                message = f"entry {k} of dims is {d}: the result has {rank} dimensions"
                yield LayoutError("SL704", message)
            if d in self.dims[:k]:
                yield LayoutError("SL711", f"dimension {d} occurs twice in dims")
        for k, (a, d) in enumerate(zip(sizes, self.dims)):
            b = self.to._sizes[d]
            if isinstance(a, int) and isinstance(b, int) and a not in (1, b):
                message = f"dimension {k} of the operand is {a}: neither 1 nor {b}, the result's"
                yield LayoutError("SL713", message)

    def __str__(self) -> str:
        dims = ",".join(map(str, self.dims))
        return f"broadcast_in_dim({self.operand}, dims=({dims}), to={self.to})"

    def coordinates(self) -> CoordMap:
        """The operand's coordinate of each coordinate of the result."""
        sizes = self.operand.index_map()._shape
        result = CoordMap.identity(self.to._sizes).apart_from(self.operand.index_map().symbols)
        exprs: list[Expr] = []
        for a, d in zip(sizes, self.dims):
            c = result._coords[d]
            either = c if _same(a, self.to._sizes[d]) else Mod(c, as_expr(a))
            exprs.append(Integer(0) if a == 1 else either)
        return replace(result, _exprs=tuple(exprs), _sizes=sizes)

    @property
    def conditions(self) -> tuple[Demand, ...]:
        """What must hold of sizes that are neither 1 nor written as the result's."""
        both = [(a, self.to._sizes[d]) for a, d in zip(self.operand.index_map()._shape, self.dims)]
        return tuple(
            one_or_equal(k, a, b) for k, (a, b) in enumerate(both) if a != 1 and not _same(a, b)
        )

    def index_map(self) -> IndexMap:
        """The map from the result's coordinates to the operand's offsets."""
        return self._index_map

    @cached_property
    def _index_map(self) -> IndexMap:
        inner: IndexMap = self.operand.index_map()
        index_map = inner.compose(self.coordinates())
        known = None
        if inner.reference is not None:
            known = Repeated(inner.reference, self.dims, tuple(inner._shape))
        index_map = replace(index_map, text=str(self), reference=known)
        own = self.conditions
        return replace(index_map, demands=(*index_map.demanded, *own)) if own else index_map


def _same(a: Size, b: Size) -> bool:
    """Whether two sizes are equal whatever their symbols are."""
    return a == b or expand(as_expr(a) - as_expr(b)) == 0


@dataclass(frozen=True)
class Repeated:
    """The operand's offset by its own definition, at the coordinates that the result's have."""

    reference: Callable[[tuple[int, ...], Mapping[str, int]], int]
    dims: tuple[int, ...]
    shape: tuple[Size, ...]

    def __call__(self, coords: tuple[int, ...], sizes: Mapping[str, int]) -> int:
        place = [0 if value(n, sizes) == 1 else coords[d] for n, d in zip(self.shape, self.dims)]
        return self.reference(tuple(place), sizes)


# -- reading ---------------------------------------------------------------------------------------


def calls(text: str) -> bool:
    """Whether the text begins with the name of a function of layouts."""
    head = HEAD.match(text)
    return head is not None and head[1] in FUNCTIONS


def read_call(text: str, depth: int = 0) -> Any:
    """The layout that a call spells.

    >>> print(read_call("broadcast_in_dim( f32[3], dims = (1), to = f32[2, 3] )").index_map().shape)
    (2, 3)

    Raises `LayoutError` with the place of the mistake.
    """
    scanner = Scanner(text)
    head = HEAD.match(text)
    if head is None or head[1] not in FUNCTIONS:
        raise scanner.error("SL100", f"expected one of {', '.join(FUNCTIONS)}")
    if depth > NESTING:
        raise scanner.error("SL204", f"more than {NESTING} nested calls")
    name, (arguments, end) = head[1], arguments_of(scanner, head.end())
    scanner.at = end
    scanner.end("the layout")
    start = scanner.text.index(name)
    values, options = _by_name(scanner, name, arguments)
    try:
        return FUNCTIONS[name](scanner, depth, values, options)
    except LayoutError as error:
        if error.text is None:
            raise scanner.error(error.code, error.message, start, end, error.help) from None
        raise


def _by_name(s: Scanner, name: str, spans: list[Span]) -> tuple[list[Span], dict[str, Span]]:
    """The arguments without a name, and those with one."""
    arguments: list[Span] = []
    options: dict[str, Span] = {}
    known = OPTIONS[name]
    for a, b in spans:
        match = OPTION.match(s.text, a, b)
        if match is None:
            arguments.append((a, b))
            continue
        word = ALIASES.get(match[1], match[1])
        if word not in known:
            help = did_you_mean(match[1], list(known)) or f"usage: {USAGE[name]}"
            message = f"{name} has no option {match[1]!r}"
            raise s.error("SL101", message, match.start(1), match.end(1), help)
        if word in options:
            raise s.error("SL101", f"{match[1]} is given twice", match.start(1), match.end(1))
        options[word] = (match.end(), b)
    if len(arguments) != 1 or set(options) != set(known):
        raise s.error("SL101", f"usage: {USAGE[name]}", 0)
    return arguments, options


def _layout(s: Scanner, span: Span, depth: int) -> Any:
    """The layout of an argument; mistakes are shown in the whole text."""
    text = s.text[slice(*span)]
    with part_from(s, span[0]):
        return read_call(text, depth + 1) if calls(text) else read_plain(text)


def _shape(s: Scanner, span: Span, depth: int) -> Shape:
    result = _layout(s, span, depth)
    if not isinstance(result, Shape):
        raise s.error("SL100", f"expected an XLA shape, not {result}", *span)
    return result


def _steps(s: Scanner, depth: int, arguments: list[Span], options: dict[str, Span]) -> Any:
    return PadReshapeTranspose(_shape(s, arguments[0], depth))


def _in_dim(s: Scanner, depth: int, arguments: list[Span], options: dict[str, Span]) -> Any:
    a, b = options["dims"]
    match = NUMBERS.match(s.text[a:b])
    words = match[1].split(",") if match and match[1].strip() else []
    if words and not words[-1].strip():
        words.pop()  # (1,)
    if match is None or not all(DIMENSION.fullmatch(w.strip()) for w in words):
        raise s.error("SL700", "dims are numbers such as (0,2)", a, b)
    operand = _layout(s, arguments[0], depth)
    return BroadcastInDim(operand, tuple(map(int, words)), _shape(s, options["to"], depth))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "pad_reshape_transpose": _steps,
    "broadcast_in_dim": _in_dim,
}
OPTIONS: dict[str, tuple[str, ...]] = {
    "pad_reshape_transpose": (),
    "broadcast_in_dim": ("dims", "to"),
}
ALIASES = {"broadcast_dimensions": "dims", "dimensions": "dims"}
USAGE = {
    "pad_reshape_transpose": "pad_reshape_transpose(f32[M,N]{1,0:T(8,128)})",
    "broadcast_in_dim": "broadcast_in_dim(f32[3], dims=(1), to=f32[2,3])",
}
