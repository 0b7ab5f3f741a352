"""An instruction whose operands have the names of a row of `opcodes.toml`, for the checker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symlayout.certificate.instructions.call import (
    Call,
    array_of,
    called,
    entries,
    marked,
    together,
)
from symlayout.certificate.instructions.fields import FIELDS
from symlayout.certificate.shaping import Array, Extent, Rules
from symlayout.expr.tree import Integer
from symlayout.layouts.xla import read_shape
from symlayout.programs.hlo.opcodes import Demand, Item, Row, Side, read_side


class Bound:
    """The shapes that the names of a row mean."""

    def __init__(self, r: Rules, c: Call, row: Row) -> None:
        self.r, self.c, self.row = r, c, row
        answers = self.answers() if row.results else [c.out]
        count, several = len(c.operands), len(row.several)
        r.need(row.least <= count and (several > 0 or count == row.least))
        r.need(not row.results or count == len(row.singles) + several * len(answers))
        if "operands" not in row.any:
            r.need(all(hasattr(s, "_dims") for s in c.operands))
        if "result" not in row.any:
            r.need(all(hasattr(s, "_dims") for s in answers))
        self.one: dict[str, Any] = dict(zip(row.singles, c.operands))
        self.one |= {"all": together(c.operands), "tuple": c.operands}
        self.many: dict[str, Any] = {"each": c.operands}
        rest = c.operands[len(row.singles) :]
        for name in row.several:
            size = len(answers) if row.results else len(rest)
            self.many[name], rest = rest[:size], rest[size:]
        if row.results:
            self.many["out"] = answers
        else:
            self.one["out"] = c.out

    def answers(self) -> list[Any]:
        """The results; one is in a tuple where the computation gives a tuple as well."""
        r, c = self.r, self.c
        if self.row.lone and called(r, c, self.row.lone) is not None and hasattr(c.out, "__len__"):
            return list(c.out)
        return c.results(r)

    def turns(self, demand: Demand) -> Iterator[Bound]:
        """The same for one operand of several after the other, where a demand names these."""
        names = [n for n in demand.names if n in self.many and demand.arguments is None]
        own = self.one
        rows = zip(*(self.many[n] for n in names)) if names else [()]
        for row in rows:
            self.one = own | dict(zip(names, row))
            yield self
        self.one = own

    # -- values -----------------------------------------------------------------------------------

    def is_shape(self, item: Item) -> bool:
        """Whether an item is an operand, a result or a literal shape."""
        return bool(item.shape) or item.name in self.one or item.name in self.many

    def shape(self, item: Item) -> Any:
        """The shape that an item names."""
        if item.shape:
            return marked(read_shape(item.shape))
        whole = self.one[item.name] if item.number is None else self.many[item.name][item.number]
        return whole if item.path is None else entries(self.r, whole, item.path + 1)[item.path]

    def array(self, item: Item) -> Array:
        """The array that an item names."""
        return array_of(self.r, self.shape(item))

    def value(self, word: str) -> Any:
        """An argument of a function: arrays where they are such, or the name of an attribute."""
        if word in self.many:
            return [self.array(Item(word, number=k)) for k in range(len(self.many[word]))]
        (item,) = read_side(word)
        if not self.is_shape(item):
            return word
        shape = self.shape(item)
        return array_of(self.r, shape) if hasattr(shape, "_dims") else shape

    def numbers(self, item: Item) -> list[int]:
        """The numbers of an attribute, or of one of its fields."""
        if item.name in FIELDS:
            return [getattr(entry, item.aspect) for entry in FIELDS[item.name](self.r, self.c)]
        reader = self.c.integers if item.optional else self.c.numbers
        return reader(self.r, item.name)

    def sizes(self, side: Side) -> list[Extent]:
        """The sizes that a side lists."""
        return [e for item in side for e in self.extents(item)]

    def extents(self, item: Item) -> list[Extent]:
        """The sizes of an array, of those of its dimensions that are meant, or of an attribute."""
        if not self.is_shape(item):
            numbers = self.numbers(item)
            self.r.need(all(n >= 0 for n in numbers))
            return [Extent(Integer(n)) for n in numbers]
        dims = list(self.array(item).dims)
        if item.aspect == "rank":
            return [Extent(Integer(len(dims)))]
        if item.picked in ("", ":-1", ":-2"):
            return dims[: int(item.picked[1:])] if item.picked else dims
        if item.picked.lstrip("-").isdigit():
            return [dims[int(item.picked)]]
        keys = item.picked.removeprefix("~").replace("?", "").split(",")
        named = [k for key in keys for k in self.c.integers(self.r, key)]
        if item.picked[0] == "~":
            return [e for k, e in enumerate(dims) if k not in named]
        return [dims[k] for k in named]
