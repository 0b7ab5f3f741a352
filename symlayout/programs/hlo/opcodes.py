"""The table of opcode rules, `opcodes.toml`: what an instruction demands of types and sizes.

The verifier of modules (`demands`) and the checker of certificates
(`certificate/instructions/rows.py`) read the same rows, each with an interpreter of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from symlayout.text.patterns import regex

FIELDS = {
    *("opcodes", "operands", "any", "results", "lone", "broadcasts", "elementwise"),
    *("attributes", "demands"),
}
ITEM = regex(
    r"(?P<shape>(?:pred|token|[suf]\d++)\[[\d,]*+\])"
    r"|(?P<name>-?\w[\w|]*+)(?P<optional>\?)?(?::(?P<number>\d))?(?:\.(?P<path>\d))?"
    r"(?:\.(?P<aspect>[a-z]++))?(?:\[(?P<index>[^\]]++)\])?"
)
CALL = regex(r"(?P<name>\w++)\((?P<arguments>[^()]*+)\)")
# the relations of what is left of them: a shape, one of its aspects, an attribute and its fields
SHAPE = frozenset({"=", "~", "has"})
ASPECTS = {
    "type": frozenset({"=", "~", "<=", "in"}),
    "part": frozenset({"=", "~"}),
    "bits": frozenset({"="}),
    "rank": frozenset({"=", ">="}),
    "count": frozenset({"="}),
    "sizes": frozenset({"=", "<="}),
}
ATTRIBUTE = frozenset({"=", "<=", ">=", "in", "axis", "axes", "orders"})
FIELDS_OF = {"slice": {"start", "limit", "stride", "length"}, "padding": {"between"}}
OWN_NAMES = ("each", "all", "tuple", "out")  # beside those of the operands
COMPUTATIONS = frozenset({"to_apply", "select", "scatter"})  # whose signatures are repeated apart


class Item(NamedTuple):
    """A part of a side: an operand, a result, an attribute or a literal, and what is meant of it."""

    name: str
    optional: bool = False  # an attribute that may be left out
    number: int | None = None  # of several operands of one name
    path: int | None = None  # an element of a tuple
    aspect: str = ""  # type, part, bits, sizes, rank, count, or a field of an attribute
    picked: str = ""  # the dimensions that are meant
    shape: str = ""  # a literal shape


Side = tuple[Item, ...]


class Demand(NamedTuple):
    """`left relation right if condition`; with arguments it is a call of a function."""

    left: Side
    relation: str
    right: Side = ()
    condition: str = ""
    unless: bool = False
    arguments: tuple[str, ...] | None = None
    message: str = ""  # in place of the one that the verifier makes

    @property
    def names(self) -> set[str]:
        """The names whose values differ from operand to operand."""
        sides = (*self.left, *self.right)
        hits = {i.name for i in sides if i.number is None}
        return hits | {self.condition.partition(".")[0]}


class Row(NamedTuple):
    """The rule of an opcode."""

    opcode: str
    operands: tuple[str, ...]  # their names; of `x...` and `x+` there are several
    demands: tuple[Demand, ...]
    any: frozenset[str] = frozenset()  # which of operands and result need not be arrays
    results: bool = False  # whether there may be several results, one for each operand `x...`
    lone: str = ""  # the computation that says whether one result is in a tuple
    broadcasts: bool = False  # whether builders broadcast its operands
    elementwise: bool = False
    reads: tuple[str, ...] = ()  # attributes that its functions look at

    @property
    def singles(self) -> tuple[str, ...]:
        """The names of one operand each."""
        return tuple(n for n in self.operands if n[-1] not in ".+")

    @property
    def several(self) -> tuple[str, ...]:
        """The names of several operands."""
        return tuple(n.rstrip(".+") for n in self.operands if n[-1] in ".+")

    @property
    def names(self) -> tuple[str, ...]:
        """All names of shapes."""
        return (*self.singles, *self.several, *OWN_NAMES)

    @property
    def least(self) -> int:
        """How many operands there are at least."""
        return len([n for n in self.operands if n[-1] != "."])

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that its demands look at, but for computations."""
        names = {*self.names, *COMPUTATIONS}
        words = [*self.reads, *(["broadcast_dimensions"] if self.broadcasts else [])]
        for d in self.demands:
            literal = d.relation not in ("=", "<=") or any(i.aspect == "type" for i in d.left)
            for item in (*d.left, *(() if literal else d.right)):
                picked = item.picked.lstrip("~").replace("?", "").split(",")
                words += [item.name, *picked]
            words += [*(d.arguments or ()), d.condition.partition("=")[0]]
        own = (w for w in words if w[:1].isalpha() and "." not in w)
        return tuple(dict.fromkeys(w for w in own if w not in names))


def read_side(text: str) -> Side:
    """The items of one side of a demand.

    >>> [(i.name, i.aspect, i.picked) for i in read_side("x.sizes[~dimensions]+k")]
    [('x', 'sizes', '~dimensions'), ('k', '', '')]
    """
    hits = [ITEM.fullmatch(word) for word in text.split("+")]
    if None in hits:
        raise ValueError(f"{text!r} is not a side of a demand")
    return tuple(_item(m.groupdict()) for m in hits if m is not None)


def _item(m: Mapping[str, Any]) -> Item:
    number, path = (None if m[key] is None else int(m[key]) for key in ("number", "path"))
    words = (m["aspect"] or "", m["index"] or "", m["shape"] or "")
    return Item(m["name"] or "", m["optional"] is not None, number, path, *words)


def read_demand(text: str, message: str = "") -> Demand:
    """A demand of the table; raises `ValueError` for what is none.

    Only demands on sizes and ranks take a message.

    >>> read_demand("p.sizes = out.sizes if p.rank").condition
    'p.rank'
    """
    body, word, condition = text, "", ""
    for key in ("if", "unless"):
        if f" {key} " in text:
            body, word, condition = text.partition(f" {key} ")
    call = CALL.fullmatch(body)
    if call is not None:
        arguments = tuple(call["arguments"].replace(",", " ").split())
        return Demand((), call["name"], (), condition, word == " unless ", arguments)
    words = body.split(" ")
    if len(words) != 3 or words[1] not in SHAPE | ATTRIBUTE:
        raise ValueError(f"{text!r} is not a demand")
    left, right = read_side(words[0]), read_side(words[2])
    if message and not any(i.aspect in ("sizes", "rank") for i in (*left, *right)):
        raise ValueError(f"{text!r} is a demand that takes no message")
    return Demand(left, words[1], right, condition, word == " unless ", None, message)


def check_row(row: Row) -> None:
    """A row asks of each name what it has; raises `ValueError` where it does not.

    A demand that an interpreter took for another one could be weaker than it reads.
    """
    for d in row.demands:
        name, _, aspect = d.condition.partition(".")
        good = aspect in ("", "rank", "parts") and (not aspect or name in row.names)
        for item in (*d.left, *d.right):
            shape = bool(item.shape) or item.name in row.names
            fields = FIELDS_OF.get(item.name, {""})
            good &= item.aspect in ASPECTS or not item.aspect if shape else item.aspect in fields
            good &= shape or (item.number is None and item.path is None)
        if d.left:
            item, other = d.left[0], d.right[0]
            shape = item.name in row.names
            allowed = ASPECTS.get(item.aspect, SHAPE)
            good &= d.relation in (allowed if shape else ATTRIBUTE)
            whole = shape and not item.aspect and d.relation in ("=", "~")
            good &= not whole or (
                (bool(other.shape) or other.name in row.names) and not other.aspect
            )
        if not good:
            raise ValueError(f"{row.opcode} has a demand that does not fit its names: {d}")


def read_rows(text: str) -> dict[str, Row]:
    """The rows of a table by opcode; raises `ValueError` for one that cannot be read."""
    rows: dict[str, Row] = {}
    for fields in tomllib.loads(text).get("row", []):
        if not set(fields) <= FIELDS:
            raise ValueError(f"a row has {sorted(fields)}, and not only {sorted(FIELDS)}")
        pairs = ([d] if isinstance(d, str) else d for d in fields["demands"])
        demands = tuple(read_demand(*pair) for pair in pairs)
        values = {
            key: fields[key]
            for key in FIELDS - {"opcodes", "operands", "demands", "any", "attributes"}
            if key in fields
        }
        for opcode in fields["opcodes"].split():
            if opcode in rows:
                raise ValueError(f"two rows for {opcode}")
            operands, free, reads = (
                tuple(fields.get(key, "").split()) for key in ("operands", "any", "attributes")
            )
            rows[opcode] = Row(opcode, operands, demands, frozenset(free), reads=reads, **values)
            check_row(rows[opcode])
    return rows


@cache
def table_text() -> str:
    """The text of `opcodes.toml`."""
    return (files("symlayout.programs.hlo") / "opcodes.toml").read_text(encoding="utf-8")


@cache
def rows() -> dict[str, Row]:
    """The table."""
    return read_rows(table_text())


@cache
def words() -> dict[str, tuple[str, ...]]:
    """The words of attributes that leave the shape as it is, or that a demand asks for."""
    table = tomllib.loads(table_text())["words"]
    return {key: tuple(text.split()) for key, text in table.items()}
