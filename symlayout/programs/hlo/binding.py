"""An instruction whose operands have the names of a row of `opcodes.toml`, for the verifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from symlayout.layouts.xla import AnyShape, Shape, TupleShape, read_shape
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.fields import FIELDS
from symlayout.programs.hlo.opcodes import Demand, Item, Row, Side, read_side
from symlayout.programs.hlo.parts import CODE, Verifier, parts_of, whole_of
from symlayout.programs.hlo.unknown import named


class Place(NamedTuple):
    """A shape, and what it is in a message: `operand 0`, `element 1 of the result`."""

    shape: AnyShape
    title: str


class Entry(NamedTuple):
    """A size in a list: of a dimension of an array, or a number of an attribute."""

    extent: Extent
    owner: str
    at: int | None = None
    of_array: bool = False
    key: str = ""  # the attribute that names the dimension

    def __str__(self) -> str:
        if self.at is None:
            return self.owner
        place = f"{'dimension' if self.of_array else 'entry'} {self.at} of {self.owner}"
        return f"{place} ({self.key})" if self.key else place


class Bound:
    """An instruction whose operands have the names of a row."""

    def __init__(self, v: Verifier, row: Row) -> None:
        self.v = v
        self.row = row
        self.many: dict[str, list[Place]] = {}
        self.places: dict[str, Place] = {}
        self.bind()

    # -- names ------------------------------------------------------------------------------------

    def bind(self) -> None:
        """As many operands and results as the row has, arrays where it wants these."""
        v, row = self.v, self.row
        answers = self.answers() if row.results else (v.result,)
        shapes = self.operands(len(answers))
        rest = list(shapes)
        for name in row.singles:
            self.places[name] = rest.pop(0)
        for name in row.several:
            count = len(answers) if row.results else len(rest)
            self.many[name], rest = rest[:count], rest[count:]
        self.many["each"] = shapes
        self.places["all"] = Place(
            whole_of(v.operands), "the operand" if len(shapes) == 1 else "the operands"
        )
        self.places["tuple"] = Place(TupleShape(v.operands), "the operands")
        if row.results:
            single = len(answers) == 1
            titles = ["the result" if single else f"result {k}" for k in range(len(answers))]
            self.many["out"] = [Place(*pair) for pair in zip(answers, titles)]
        else:
            self.places["out"] = Place(v.result, "the result")

    def answers(self) -> tuple[AnyShape, ...]:
        """The results; a tuple of one is none, or its computation gives one as well."""
        v, answers = self.v, parts_of(self.v.result)
        if not self.row.lone or v.computation(self.row.lone) is None:
            return v.results
        return answers

    def operands(self, results: int) -> list[Place]:
        """The operands, as many as the row has."""
        v, row, count = self.v, self.row, len(self.v.operands)
        if row.results:
            target = len(row.singles) + results * len(row.several)
            rule = f"{count} operands for {results} results: {row.opcode} takes {target}"
            v.demand(count == target, rule)
        good = row.least <= count and (bool(row.several) or count == row.least)
        least = f"{row.least} or more" if row.several else f"{row.least}"
        v.demand(good, f"{row.opcode} takes {least} operands, not {count}")
        titles = ["the operand"] if count == 1 else [f"operand {k}" for k in range(count)]
        hits = [Place(*pair) for pair in zip(v.operands, titles)]
        for shape, title in hits:
            good = isinstance(shape, Shape) or "operands" in row.any
            v.demand(good, f"{title} of {row.opcode} is not an array")
        if "result" not in row.any:
            for shape in parts_of(v.result) if row.results else (v.result,):
                v.demand(isinstance(shape, Shape), f"the result of {row.opcode} is not an array")
        return hits

    def turns(self, demand: Demand) -> Iterator[Bound]:
        """The instruction with one operand of several after the other, where a demand names these."""
        hits = [name for name in demand.names if name in self.many]
        if not hits or demand.arguments is not None:
            yield self
            return
        own = self.places
        for k in range(min(len(self.many[name]) for name in hits)):
            self.places = {**own, **{name: self.many[name][k] for name in hits}}
            yield self
        self.places = own

    def place(self, item: Item) -> Place:
        """The shape that an item names, and what it is in messages."""
        if item.shape:
            return Place(named(read_shape(item.shape)), item.shape)
        k = item.number
        place = self.places[item.name] if k is None else self.many[item.name][k]
        if item.path is None:
            return place
        title = f"{place.title} of {self.row.opcode}"
        element = self.v.elements(place.shape, item.path + 1, title)[item.path]
        return Place(element, f"element {item.path} of {place.title}")

    def array(self, item: Item) -> tuple[Shape, str]:
        """The array that an item names, and what it is in messages."""
        place = self.place(item)
        if not isinstance(place.shape, Shape):
            self.v.fail(CODE, f"{place.title} of {self.row.opcode} is not an array")
        return place.shape, place.title

    def is_shape(self, item: Item) -> bool:
        """Whether an item is an operand, a result or a literal shape."""
        return bool(item.shape) or item.name in self.places or item.name in self.many

    # -- values -----------------------------------------------------------------------------------

    def value(self, word: str) -> Any:
        """An argument of a function: a shape, the shapes of several operands, or an attribute."""
        if word in self.many:
            return [place.shape for place in self.many[word]]
        (item,) = read_side(word)
        return self.place(item).shape if self.is_shape(item) else word

    def key(self, item: Item) -> str:
        """An attribute, and what of it is meant, in a message."""
        return f"{item.name}.{item.aspect}" if item.aspect else item.name

    def constants(self, item: Item) -> list[int]:
        """The numbers of an attribute."""
        reader = FIELDS.get(item.name)
        if reader is not None:
            return [getattr(row, item.aspect) for row in reader(self.v)]
        return list(self.v.integers(item.name) if item.optional else self.v.numbers(item.name))

    def sizes(self, side: Side) -> list[Entry]:
        """The sizes that a side lists."""
        return [entry for item in side for entry in self.entries(item)]

    def entries(self, item: Item) -> list[Entry]:
        """The sizes of an item."""
        if not self.is_shape(item):
            return self.listed(item)
        if item.aspect == "rank":
            shape, owner = self.array(item)
            return [Entry(Extent(shape.rank), f"the number of dimensions of {owner}")]
        shape, owner = self.array(item)
        key = item.picked if item.picked[:1].isalpha() and item.picked != "dimensions" else ""
        hits = [Entry(e, owner, k, True, key) for k, e in enumerate(extents(shape))]
        return [hits[k] for k in self.dimensions(item.picked, len(hits))]

    def listed(self, item: Item) -> list[Entry]:
        """The numbers of an attribute as sizes."""
        numbers, key = self.constants(item), self.key(item)
        for k, n in enumerate(numbers):
            self.v.demand(n >= 0, f"entry {k} of {key} is {n}, below 0")
        if len(numbers) == 1:
            return [Entry(Extent(numbers[0]), key)]
        return [Entry(Extent(n), key, k) for k, n in enumerate(numbers)]

    def dimensions(self, index: str, rank: int) -> Sequence[int]:
        """The dimensions that an index names."""
        if index in ("", ":-1", ":-2"):
            return range(rank)[: int(index[1:]) if index else rank]
        if index.lstrip("-").isdigit():
            return [range(rank)[int(index)]]
        keys = [key.rstrip("?") for key in index.removeprefix("~").split(",")]
        hits = [k for key in keys for k in self.v.integers(key)]
        return [k for k in range(rank) if k not in hits] if index[0] == "~" else hits

    def title(self, side: Side) -> str:
        """What a list of sizes is in a message."""
        titles = []
        for item in side:
            place = self.place(item).title if self.is_shape(item) else self.key(item)
            index = item.picked.replace("?", "")
            if index[:1] == "~":
                place = f"{place} without {index[1:].replace(',', ' and ')}"
            elif index not in ("", "dimensions"):
                place = f"{place} at {index}"
            titles.append(place)
        return " with ".join(titles)
