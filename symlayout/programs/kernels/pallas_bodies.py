"""What the body of a Pallas kernel reads and writes of its blocks, traced like an index map.

The kernel is called once, with references that note every index: what is loaded is data, of which
nothing is known, and what takes the data or a reference and is not known here is said.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Condition, all_of, negation
from symlayout.expr.terms import Max, as_expr, symbol
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.doors.attributes import only
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.layouts.maps.tracing import Traced, TracedCondition, expression_of
from symlayout.programs.kernels.block_specs import SLICE
from symlayout.programs.kernels.jax_functions import in_our_words
from symlayout.programs.kernels.jax_words import Words
from symlayout.text.names import unused
from symlayout.text.once import cached_property

__all__ = ["Body", "Data", "Touched", "body_of"]

ACCESSES = 2_000  # of one kernel, each as often as it is traced


class Touched(NamedTuple):
    """An access: its name, and the first and the last index along each axis that it says, in a box.

    `doubt` says why it may never be executed.
    """

    name: str
    function: IndexFunction
    doubt: str = ""


class Data:
    """What was loaded, and what is computed of it; what of it is not followed is said to `_note`."""

    __array_ufunc__ = None
    absorbs = True  # a traced integer beside it is data as well

    def __init__(self, note: Callable[[str], object]) -> None:
        self._note = note

    def _more(self, *args: Any, **named: Any) -> Data:
        if _reaches((*args, *named.values()), (Part, Reference)):
            self._note("a function or a block is given to what is not followed")
        return self

    def _refuse(self, why: str) -> NoReturn:
        self._note(why)
        raise LayoutError("SL204", why)

    def __getattr__(self, name: str) -> Data:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __bool__(self) -> NoReturn:
        self._refuse("a condition on what is loaded")

    def __iter__(self) -> NoReturn:
        self._refuse("what is loaded is taken apart")

    def __index__(self) -> NoReturn:
        self._refuse("what is loaded is a number of Python's")

    def __hash__(self) -> int:
        return id(self)

    def __enter__(self) -> Data:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    __call__ = __getitem__ = __neg__ = __invert__ = __abs__ = __pos__ = _more
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _more  # type: ignore[assignment]
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _more
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _more
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __and__ = __rand__ = __or__ = __ror__ = _more
    __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _more


@dataclass(frozen=True)
class Slice:
    """So many elements from a start on, every `stride` of them."""

    start: Any
    size: Any
    stride: Any = None


def _slice(start: Any, size: Any = None, stride: Any = None) -> Slice | slice:
    """`pl.ds(start, size, stride)`; what is given alone is the size, and None is a whole axis."""
    if start is None:
        return slice(None)
    return Slice(0, start, stride) if size is None else Slice(start, size, stride)


class Reference:
    """A block that a kernel is given, with its sizes; each index of it is noted."""

    def __init__(self, name: str, shape: tuple[Any, ...], body: Body) -> None:
        self._name, self._body, self._sizes = name, body, shape

    @property
    def shape(self) -> tuple[Any, ...]:
        """Its sizes, numbers where they are such."""
        return tuple(int(n) if isinstance(n, Integer) else Traced(n, None) for n in self._sizes)

    def __getitem__(self, index: Any) -> Data:
        self._body.touch("load", self._name, self._sizes, index)
        return self._body.data

    def __setitem__(self, index: Any, value: Any) -> None:
        self._body.touch("store", self._name, self._sizes, index)

    @property
    def dtype(self) -> Data:
        """The type of its elements."""
        return self._body.data

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self._sizes)

    @property
    def at(self) -> Part:
        """Its parts by an index."""
        return Part(self)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            self._body.open.append(f"{self._name}.{name} is not followed")
        raise AttributeError(name)


class Part:
    """`ref.at`, or a part of it by an index, which is noted where it is loaded or stored to."""

    def __init__(self, whole: Reference, index: Any = None) -> None:
        self.whole, self.index = whole, index

    def __getitem__(self, index: Any) -> Part:
        if self.index is not None:
            raise LayoutError("SL204", f"a part of a part of {self.whole._name}")
        return Part(self.whole, index)


@dataclass
class Body:
    """What is known while a kernel is traced; `open` says what is not followed."""

    variables: list[Variable]
    names: set[str]
    guard: list[Condition] = field(default_factory=list)
    accesses: list[Touched] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @cached_property
    def data(self) -> Data:
        """What is loaded by it."""
        return Data(self.open.append)

    def touch(self, kind: str, name: str, sizes: tuple[Any, ...], index: Any) -> None:
        """Notes an access: along each axis the first element and the last have to be there."""
        if len(self.accesses) + len(self.open) >= ACCESSES:
            raise LayoutError("SL204", f"more than {ACCESSES:,} accesses")
        title = f"{kind} of {name}"
        ends: list[Any] = []
        box: list[Any] = []
        for part, size in zip(_parts(index, len(sizes), title), sizes):
            for end in _ends(part, title):
                ends.append(end)
                box.append(size)
        if any(isinstance(e, Data) for e in ends):
            self.open.append(f"{title}: an index that was loaded")
        elif ends:
            results = tuple(expression_of(e, None) for e in ends)
            variables = tuple(self.variables) or (Variable("i0", Integer(0), Integer(1)),)
            function = IndexFunction(
                variables, results, tuple(map(as_expr, box)), all_of(self.guard), (), True
            )
            self.accesses.append(Touched(title, function, self.doubts[0] if self.doubts else ""))

    @contextmanager
    def where(self, c: Any) -> Iterator[bool]:
        """What is executed where a condition holds; of data it may be executed anywhere."""
        if isinstance(c, Traced):
            c = c != 0
        guard, doubts = [*self.guard], [*self.doubts]
        if isinstance(c, TracedCondition):
            self.guard.append(c.condition)
        elif isinstance(c, Data):
            self.doubts.append("it is executed where what is loaded says so")
        try:
            yield isinstance(c, (TracedCondition, Data)) or bool(c)
        finally:
            self.guard, self.doubts = guard, doubts

    # -- words of JAX that say what is executed -----------------------------------------------------

    def when(self, c: Any) -> Callable[[Callable[[], Any]], None]:
        """`@pl.when(c)`."""

        def run(function: Callable[[], Any]) -> None:
            with self.where(c) as some:
                if some:
                    function()

        return run

    def cond(self, c: Any, yes: Callable[..., Any], no: Callable[..., Any], *operands: Any) -> Data:
        """`lax.cond`: both ways, each where it is taken."""
        self.when(c)(lambda: yes(*operands))
        if isinstance(c, Traced):
            c = c != 0
        other = c
        if isinstance(c, TracedCondition):
            other = TracedCondition(negation(c.condition), c.run)
        self.when(other if isinstance(other, (TracedCondition, Data)) else not other)(
            lambda: no(*operands)
        )
        return self.data

    def fori_loop(
        self, lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any, **_: Any
    ) -> Any:
        """`lax.fori_loop`: one turn for all; what it carries is data."""
        if any(isinstance(x, Data) for x in (lower, upper)):
            raise LayoutError("SL204", "a loop whose ends are data")
        word = unused("turn", self.names)
        self.names.add(word)
        low, high = expression_of(lower, None), expression_of(upper, None)
        self.variables.append(Variable(word, low, self._end_of(low, high)))
        try:
            body_fun(Traced(symbol(word), None), self._as_data(init_val))
        finally:
            self.variables.pop()
        return self._as_data(init_val)

    def _end_of(self, low: Expr, high: Expr) -> Expr:
        """Where a loop ends, which has no turn where that comes before its beginning."""
        if isinstance(low, Integer) and isinstance(high, Integer):
            return high if low <= high else low
        size = isinstance(high, Symbol) and high.name not in {v.name for v in self.variables}
        return high if low == 0 and size else as_expr(Max(low, high))

    def load(self, ref: Any, index: Any = ..., mask: Any = None, **_: Any) -> Data:
        """`pl.load`; which lanes a mask takes is not known."""
        return self._access("load", ref, index, mask)

    def store(self, ref: Any, *args: Any, mask: Any = None, **_: Any) -> None:
        """`pl.store`, an index before the value where there is one."""
        self._access("store", ref, args[0] if len(args) > 1 else ..., mask)

    def _access(self, kind: str, ref: Any, index: Any, mask: Any) -> Data:
        if isinstance(ref, Part) and ref.index is not None:
            ref, index = ref.whole, ref.index
        if not isinstance(ref, Reference):
            raise LayoutError("SL204", f"a {kind} of what is no block")
        with self.where(True if mask is None else self.data):
            self.touch(kind, ref._name, ref._sizes, index)
        return self.data

    def _as_data(self, value: Any) -> Any:
        """A tree of what a loop carries, as data."""
        if isinstance(value, (tuple, list)):
            return type(value)(map(self._as_data, value))
        return None if value is None else self.data

    def other(self, room: str, name: str, args: Sequence[Any]) -> Data:
        """A word that computes with data: with a function or a block it may do more."""
        if _reaches(args, Part if room == "numpy" else (Part, Reference)):
            self.open.append(f"{name} is not followed")
        return self.data


def body_of(
    kernel: Callable[..., Any],
    grid: Sequence[Any],
    blocks: Sequence[tuple[str, Any]],
    tables: Sequence[Any],
    size_names: set[str],
) -> Body:
    """The accesses of a kernel to its blocks, in every program of the grid.

    Raises `LayoutError` for a kernel that cannot be traced.
    """
    names = [unused(f"i{k}", size_names) for k in range(len(grid))]
    ranges = [Variable(w, Integer(0), as_expr(n)) for w, n in zip(names, grid)]
    body = Body(ranges, {*size_names, *names})
    at = [Traced(symbol(w), None) for w in names]
    words: Words = {
        "when": body.when,
        "cond": body.cond,
        "fori_loop": body.fori_loop,
        "load": body.load,
        "store": body.store,
        "ds": _slice,
        "dslice": _slice,
    }
    references = [
        None if s is None else body.data if s is False else Reference(n, s, body) for n, s in blocks
    ]
    body.open += [f"{n}: a tree of blocks is not followed" for n, s in blocks if s is False]
    traced = in_our_words(kernel, at, grid, words, body.other)
    try:
        traced(*tables, *references)
    except LayoutError as error:
        body.open.append(error.message)
    except Exception as error:  # of the user's own, or of what stands for JAX's
        body.open.append(f"{type(error).__name__}: {error}"[:200])
    return body


def _parts(index: Any, rank: int, title: str) -> list[Any]:
    """An index for each axis: `...` and what is left out are whole ones."""
    row = list(index) if isinstance(index, tuple) else [index]
    dots = [k for k, x in enumerate(row) if x is Ellipsis]
    if len(dots) > 1 or len(row) - len(dots) > rank:
        raise LayoutError("SL204", f"{title}: more indices than the {rank} axes of its block")
    at = dots[0] if dots else len(row)
    return [*row[:at], *[slice(None)] * (rank - len(row) + len(dots)), *row[at + len(dots) :]]


def _ends(part: Any, title: str) -> list[Any]:
    """The first and the last element that an index says; of a whole axis none."""
    if isinstance(part, slice):
        if all(x is None or type(x) is int for x in (part.start, part.stop, part.step)):
            return []  # Python's own, which ends with the axis
        raise LayoutError("SL204", f"{title}: a slice of what is no number: pl.ds is one")
    if hasattr(part, "start") and hasattr(part, "size") and not isinstance(part, Data):
        only(part, *SLICE)
        loaded = [x for x in (part.start, part.size, part.stride) if isinstance(x, Data)]
        if loaded:
            return loaded
        if type(part.size) is int and part.size < 1:
            return []
        last = part.start + (part.stride or 1) * (part.size - 1)
        return [part.start, last]
    if isinstance(part, (Data, Traced)):
        return [part]
    try:
        part = operator.index(part)
    except (TypeError, ValueError):
        message = f"{title}: an index {part!r:.40} is not followed"
        raise LayoutError("SL204", message) from None
    return [part]  # one below 0 counts from the end of an array, of a block in interpret mode alone


def _reaches(args: Iterable[Any], blocks: type | tuple[type, ...]) -> bool:
    """Whether a block is among values or in trees of them, or a function that may come to one."""
    waiting = [*args]
    while waiting:
        x = waiting.pop()
        if isinstance(x, (tuple, list)):
            waiting += x
        elif isinstance(x, Mapping):
            waiting += x.values()
        elif isinstance(x, blocks) or (callable(x) and not _is_plain(x)):
            return True
    return False


def _is_plain(x: Any) -> bool:
    """Whether it is data or a type, of which nothing can be called that comes to a block."""
    return isinstance(x, (Data, type)) or isinstance(getattr(x, "real", None), type)
