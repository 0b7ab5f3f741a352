"""What rows of `opcodes.toml` ask of functions, as the checker's goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symlayout.certificate.broadcasting import BROADCASTS
from symlayout.certificate.definitions import at_least, bits_of, product
from symlayout.certificate.instructions.call import (
    Call,
    array_of,
    called,
    entries,
    fits,
    fixed,
    identical,
    is_array,
    is_kind,
    is_token,
    known,
    marked,
    of_kinds,
    scalar,
    unknown,
)
from symlayout.certificate.instructions.control import FUNCTIONS as CONTROL
from symlayout.certificate.instructions.devices import FUNCTIONS as DEVICES
from symlayout.certificate.instructions.fields import FIELDS
from symlayout.certificate.instructions.indices import FUNCTIONS as INDICES
from symlayout.certificate.instructions.moves import FUNCTIONS as MOVES
from symlayout.certificate.instructions.windows import FUNCTIONS as WINDOWS
from symlayout.certificate.shaping import (
    Array,
    Curve,
    Extent,
    Rules,
    equality,
    is_one,
    same,
)
from symlayout.expr.relations import Relation
from symlayout.expr.terms import FloorDiv, Max, Mod
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.xla import read_shape

WIDER = {"f32": "c64", "f64": "c128"}


def _same_bits(r: Rules, c: Call, a: Array, out: Array) -> None:
    """Of the wider type there are fewer: its last dimension has the parts."""
    x, y = bits_of(a.dtype), bits_of(out.dtype)
    r.need(is_kind(a.dtype, "complex") == is_kind(out.dtype, "complex"))
    if "pred" in (a.dtype, out.dtype) and x != y:
        unknown("bits of pred")
    left, right = list(a.dims), list(out.dims)
    if x > y:
        left.append(fixed(x // y))
    elif y > x:
        right.append(fixed(y // x))
    r.same_sizes(left, right)


def _literal(r: Rules, c: Call, key: str, out: Array) -> None:
    """As many numbers as elements."""
    r.need(not any(e.later for e in out.dims))
    r.one_of(equality(Integer(c.number(r, key)), product(map(known, out.dims))))


def _maps(r: Rules, c: Call, key: str, many: Sequence[Array], out: Array) -> None:
    """A computation of scalars, one of each operand."""
    if (hit := called(r, c, key)) is not None:
        r.need(len(hit.parameters) == len(many))
        for a, element in zip((*many, out), (*hit.parameters, hit.root)):
            r.alike(array_of(r, element), scalar(a.dtype))


def _in_dim(r: Rules, c: Call, a: Array, key: str, out: Array) -> None:
    """Every dimension keeps its size in the one that it becomes."""
    explicit = key in c.attributes or bool(a.dims)
    BROADCASTS["hlo"](r, a.dims, out.dims, c.numbers(r, key) if explicit else [])


def _starts(r: Rules, c: Call, starts: Sequence[Array], a: Array) -> None:
    """Integers of one type, one for each dimension: scalars, or one list."""
    of_kinds(r, "signed unsigned", *starts)
    for s in starts:
        r.one_type(s, starts[0])
    if len(starts) == 1 and len(starts[0].dims) == 1:
        r.equal(starts[0].dims[0], fixed(len(a.dims)))
    else:
        r.need(len(starts) == len(a.dims) and all(not s.dims for s in starts))


def _adjoin(r: Rules, c: Call, many: Sequence[Array], key: str, out: Array) -> None:
    """Sizes of one dimension add up."""
    axis = c.number(r, key)
    r.equal(fixed(sum((a.dims[axis].expr for a in many), Integer(0))), out.dims[axis])


def _pads(r: Rules, c: Call, a: Array, out: Array) -> None:
    """Each dimension with what is put beside its elements and between them."""
    rows = FIELDS["padding"](r, c)
    r.need(len(rows) == len(a.dims) == len(out.dims))
    for row, e, o in zip(rows, a.dims, out.dims):
        _padded(r, e, o, row.margin, row.between)


def _padded(r: Rules, e: Extent, o: Extent, margin: int, between: int) -> None:
    """A size with what is put beside its elements and between them."""

    def image(n: Expr) -> Expr:
        return n + margin + Max(n - 1, Integer(0)) * between

    def room(n: Expr) -> list[list[Relation]]:
        reached = (n - 1) * (between + 1) + 1  # where there is an element
        return [[x] for x in at_least(0, reached + margin)] if margin < 0 else []

    def inverse(n: Expr, whole: Expr) -> list[list[Relation]]:
        """No element and the margin alone, or whole steps behind the first element."""
        steps = FloorDiv(whole - margin - 1, Integer(between + 1))
        exact = Relation("==", Mod(whole - margin - 1, Integer(between + 1)), Integer(0))
        empty = Relation("==", whole, Integer(margin))
        return [
            [empty, exact],
            [empty, Relation(">=", whole, Integer(margin + 1))],
            [Relation("==", n, Max(steps + 1, Integer(0)))],
        ]

    if e.size is None:
        r.curves.append(Curve(e.expr, o.expr, image, inverse, room))
    else:
        r.goals += room(e.size)
        r.equal(fixed(image(e.size)), o)


def _element(r: Rules, c: Call, key: str) -> None:
    """One element of a tuple."""
    parts = entries(r, c.operands[0], 0)
    identical(r, parts[c.axis(r, key, len(parts))], c.out)


def _feeds(r: Rules, c: Call, key: str) -> None:
    """Data become a token; the shape of the data may be written again."""
    is_token(r, c.out)
    if key in c.attributes:
        identical(r, c.operands[0], marked(read_shape(c.attributes[key])))


def _compares(r: Rules, c: Call, key: str, many: Sequence[Array]) -> None:
    """A computation compares two scalars of each operand."""
    if (hit := called(r, c, key)) is not None:
        r.need(len(hit.parameters) == 2 * len(many))
        is_array(r, hit.root, "pred")
        for k, p in enumerate(hit.parameters):
            r.alike(array_of(r, p), scalar(many[k // 2].dtype))


def _transforms(r: Rules, c: Call, word: str, key: str, a: Array, out: Array) -> None:
    """A transform keeps sizes; of a real one's spectrum the last dimension has the first half."""
    kind, lengths = c.at(r, word), c.numbers(r, key)
    r.need(kind in ("FFT", "IFFT", "RFFT", "IRFFT") and 1 <= len(lengths) <= 3)
    r.need(len(a.dims) == len(out.dims) >= len(lengths))
    real, spectrum = (a, out) if kind == "RFFT" else (out, a)
    of_kinds(r, "complex", spectrum)
    r.need((WIDER.get(real.dtype) if "R" in kind else real.dtype) == spectrum.dtype)
    if "R" not in kind:  # what a complex transform goes over changes no size
        r.same_sizes(real.dims, spectrum.dims)
        return
    lead = len(a.dims) - len(lengths)
    r.same_sizes(real.dims[:lead], spectrum.dims[:lead])
    for k, length in enumerate(lengths):
        last = k == len(lengths) - 1
        r.need(length >= 0)
        r.equal(real.dims[lead + k], fixed(length))
        if last and length == 0 and kind == "IRFFT":  # of no spectrum, or of one element
            fits(r, spectrum.dims[lead + k], fixed(1))
        else:
            r.equal(spectrum.dims[lead + k], fixed(length // 2 + 1 if last and length else length))


def _sets_size(r: Rules, c: Call, key: str, a: Array, out: Array) -> None:
    """One size is known at run time: it has the same bound, or is no larger."""
    axis = c.number(r, key)
    x, y = a.dims[axis], out.dims[axis]
    if y.later and None not in (x.size, y.size):
        r.one_of(same(Extent(x.size), Extent(y.size)))
    else:
        fits(r, y, x)


def _repeats(r: Rules, c: Call, key: str, a: Array, out: Array) -> None:
    """Sizes stay, or are 1."""
    dims = c.numbers(r, key)
    r.need(len(dims) == len(a.dims))
    for x, k in zip(a.dims, dims):
        if x.size is not None and out.dims[k].size is not None:
            r.one_of(is_one(x), same(x, out.dims[k]))


def _listed(r: Rules, c: Call, sizes: Sequence[Array], out: Array) -> None:
    """One list of integers, or scalars of type s32."""
    if len(sizes) == 1 and sizes[0].dims:
        of_kinds(r, "signed unsigned", *sizes)
        r.same_sizes(sizes[0].dims, [fixed(len(out.dims))])
    else:
        r.need(len(sizes) == len(out.dims))
        r.need(all(s.dtype == "s32" and not s.dims for s in sizes))


FUNCTIONS: dict[str, Callable[..., None]] = {
    **CONTROL,
    **DEVICES,
    **INDICES,
    **MOVES,
    **WINDOWS,
    "adjoin": _adjoin,
    "compares": _compares,
    "element": _element,
    "feeds": _feeds,
    "in_dim": _in_dim,
    "listed": _listed,
    "literal": _literal,
    "maps": _maps,
    "padded": _pads,
    "repeats": _repeats,
    "same_bits": _same_bits,
    "sets_size": _sets_size,
    "starts": _starts,
    "transforms": _transforms,
}
