"""How a broadcast comes about: the InDim step and the degenerate step, with every shape between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from symlayout.digits.simplification import under
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.outward import keywords, public
from symlayout.expr.terms import Size
from symlayout.layouts.demands import Demand, one_or_equal
from symlayout.layouts.functions import BroadcastInDim
from symlayout.layouts.indexmap import CoordMap, IndexMap
from symlayout.programs.hlo.broadcast.extent import equal, extents
from symlayout.programs.hlo.broadcast.maps import broadcast_map, in_dim_maps, known_sizes, size_map
from symlayout.programs.hlo.broadcast.rules import broadcast, plan


class Step(NamedTuple):
    """One step: what it does, and the sizes after it."""

    operation: str
    sizes: tuple[Size, ...]


@keywords
@dataclass(frozen=True)
class Derivation:
    """A broadcast of two operands, step by step.

    `small` and `large` are the operands' sizes, `dims` the broadcast_dimensions; `stretch` takes a
    coordinate of the intermediate shape to the smaller operand, `expand` one of the result to the
    intermediate shape, `direct` one of the result to the smaller operand; `other` is the larger
    operand's.
    """

    _small: tuple[Size, ...]
    _large: tuple[Size, ...]
    dims: tuple[int, ...]
    stretch: CoordMap
    expand: CoordMap
    direct: CoordMap
    other: CoordMap | None = None
    title: str = ""
    where: Any = ()
    demands: tuple[Demand, ...] = ()
    agreement = "the steps, one after the other, are the broadcast"

    small = public("_small", "The sizes of the smaller operand.")
    large = public("_large", "The sizes of the larger operand.")
    result = public("_result", "The sizes of the result.")
    intermediate = public("_intermediate", "The sizes between the two steps.")
    steps = public("_steps", "The shapes on the way, the smaller operand first, by the facts.")

    @property
    def _result(self) -> tuple[Size, ...]:
        """The sizes of the result."""
        return self.expand._shape

    @property
    def _intermediate(self) -> tuple[Size, ...]:
        """The sizes between the two steps."""
        return self.stretch._shape

    @property
    def _steps(self) -> tuple[Step, ...]:
        """The shapes on the way, the smaller operand first, by the facts."""
        return tuple(Step(s.operation, under(s.sizes, self.where)) for s in self._as_they_are())

    def _as_they_are(self) -> tuple[Step, ...]:
        dims = ",".join(map(str, self.dims))
        results = [Step("the smaller operand", self._small)]
        if len(self._small) < len(self._large) or self.other is None:
            results.append(Step(f"InDim, broadcast_dimensions={{{dims}}}", self._intermediate))
        else:
            results = [Step("one operand", self._small)]
        if self.other is None:
            results[0] = Step("the operand", self._small)
            results.append(Step("degenerate dimensions", self._result))
            return tuple(results)
        sizes = _sizes(under(self._large, self.where))
        results.append(Step(f"degenerate dimensions, with {sizes}", self._result))
        return tuple(results)

    def sides(self) -> tuple[IndexMap, IndexMap]:
        """The smaller operand's number of each element of the result: at once, and in two steps.

        They are defined where sizes that meet are equal or 1.
        """
        small = IndexMap.row_major(self._small)
        once = small.compose(self.direct)
        twice = small.compose(self.stretch).compose(self.expand)
        return replace(once, demands=(*once.demanded, *self.demands)), twice

    def __str__(self) -> str:
        width = max(len(s.operation) for s in self._steps)
        lines = [self.title] if self.title else []
        lines += [f"  where {r}" for r in Facts.read(self.where).relations]
        lines += [f"  {s.operation:<{width}}  {_sizes(s.sizes)}" for s in self._steps]
        place = f"({', '.join(map(str, self.direct._coords))})"
        lines.append(f"element {place} of the result is made of")
        for result, sizes in ((self.other, self._large), (self.direct, self._small)):
            if result is not None:
                exprs = under(result._exprs, self.where, result._coords, result._shape)
                at = f"({', '.join(map(str, exprs))})"
                lines.append(f"  element {at} of {_sizes(under(sizes, self.where))}")
        return "\n".join(lines)


def _sizes(sizes: Sequence[Any]) -> str:
    return f"[{', '.join(map(str, sizes))}]"


def derive(
    a: Any, b: Any, dims: Sequence[int] | None = None, where: Any = (), title: str = ""
) -> Derivation:
    """The steps by which XLA broadcasts two operands of a binary operation.

    >>> print(derive("f32[4,3,1]", "f32[1,2]", [1, 2]))
      the smaller operand                    [1, 2]
      InDim, broadcast_dimensions={1,2}      [4, 1, 2]
      degenerate dimensions, with [4, 3, 1]  [4, 3, 2]
    element (i, j, k) of the result is made of
      element (i, j, 0) of [4, 3, 1]
      element (0, k) of [1, 2]

    Facts may tell which size is 1.  Raises `LayoutError` with the code of the first rule that
    fails, SL700 for a size that is known at run time only.
    """
    first, second = _static(a), _static(b)
    small, large = (first, second) if len(first) < len(second) else (second, first)
    known = known_sizes(where, (*small, *large))
    if len(small) < len(large):
        entries = tuple(dims or ())
        stretch, expand = in_dim_maps(small, large, entries, where)
    else:
        entries = tuple(range(len(small)))
        broadcast(large, small, dims)  # raises where it is certainly not legal
        union = plan(extents(large), extents(small), dims, known=known).result
        stretch = CoordMap.identity(small)
        expand = size_map(small, [e.bound for e in union], None, known)
    result = expand._shape
    direct = size_map(small, result, entries, known)
    other = size_map(large, result, None, known)
    met = [(k, small[k], large[d]) for k, d in enumerate(entries)]
    demands = [one_or_equal(*row, either=True) for row in met if _open(*row[1:])]
    return Derivation(
        small, large, entries, stretch, expand, direct, other, title, where, tuple(demands)
    )


def _open(a: Size, b: Size) -> bool:
    """Whether sizes that meet may be neither equal nor 1."""
    return a != 1 and b != 1 and equal(a, b) is not True


def in_dim(layout: BroadcastInDim, where: Any = ()) -> Derivation:
    """The steps of `broadcast_in_dim`: sizes are put along `dims`, then those of 1 are repeated.

    >>> from symlayout import parse
    >>> print(in_dim(parse("broadcast_in_dim(f32[3,1], dims=(1,2), to=f32[2,3,4])")))
    broadcast_in_dim(f32[3,1], dims=(1,2), to=f32[2,3,4])
      the operand                        [3, 1]
      InDim, broadcast_dimensions={1,2}  [2, 3, 1]
      degenerate dimensions              [2, 3, 4]
    element (i, j, k) of the result is made of
      element (j, 0) of [3, 1]
    """
    small, result = layout.operand.index_map()._shape, layout.to._sizes
    between = list(result)
    for size, d in zip(small, layout.dims):
        between[d] = size
    stretch = broadcast_map(small, between, layout.dims)
    expand = broadcast_map(between, result)
    direct = layout.coordinates()
    title, demands = str(layout), layout.conditions
    return Derivation(
        small, result, layout.dims, stretch, expand, direct, None, title, where, demands
    )


def _static(shape: Any) -> tuple[Size, ...]:
    hits = extents(shape)
    for e in hits:
        if e.dynamic:
            raise LayoutError("SL700", f"the size {e} is known at run time only: give it a name")
    return tuple(e.bound for e in hits)
