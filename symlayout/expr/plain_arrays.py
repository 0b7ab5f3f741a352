"""Arrays in plain integers, for searches where there is no NumPy, as in a browser.

They are flat lists with a shape.  An operation on two of them follows NumPy's rules of broadcasting,
integers have no end, and a division by 0 gives 0.  `plain_numpy` has the functions.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, product, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

Shape = tuple[int, ...]


class Type(NamedTuple):
    """A type of elements, `int64(5)` being a number of that type."""

    name: str
    kind: str
    convert: Callable[[Any], Any]

    def __call__(self, x: Any) -> Any:
        return self.convert(x)

    def __eq__(self, other: object) -> bool:
        return typed(other).name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


int64, int32, uint64 = (Type(n, "iu"[n[0] == "u"], int) for n in ("int64", "int32", "uint64"))
float64, float32 = Type("float64", "f", float), Type("float32", "f", float)
bool_, object_ = Type("bool", "b", bool), Type("object", "O", lambda x: x)


def typed(dtype: Any) -> Type:
    """The type that a `dtype` names."""
    if isinstance(dtype, Type):
        return dtype
    known = {bool: bool_, int: int64, float: float64, object: object_, "bool": bool_}
    return known.get(dtype, int64) if isinstance(dtype, (type, str)) else object_


def _type_of(values: Sequence[Any]) -> Type:
    if not values:
        return float64
    if all(isinstance(x, bool) for x in values):
        return bool_
    return float64 if any(isinstance(x, float) for x in values) else int64


class Array:
    """A flat list of numbers with a shape.

    >>> a = arange(6).reshape((2, 3))
    >>> (a + array([[10], [20]])).tolist(), a[1].tolist(), a[a > 2].tolist()
    ([[10, 11, 12], [23, 24, 25]], [3, 4, 5], [3, 4, 5])
    """

    __array_ufunc__ = None
    __slots__ = ("dtype", "shape", "v")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, v: list[Any], shape: Shape | None = None, dtype: Type | None = None) -> None:
        self.v = v
        self.shape: Shape = (len(v),) if shape is None else shape
        self.dtype = _type_of(v) if dtype is None else dtype

    # -- as a container ---------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """How many elements it has."""
        return len(self.v)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def flat(self) -> list[Any]:
        """The elements in row-major order."""
        return self.v

    @property
    def T(self) -> Array:
        """Rows for columns."""
        if self.ndim < 2:
            return self
        rows, columns = self.shape
        v = [self.v[r * columns + c] for c in range(columns) for r in range(rows)]
        return Array(v, (columns, rows), self.dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.v) if self.ndim == 1 else (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.item())

    def __repr__(self) -> str:
        return f"array({self.tolist()})"

    def item(self) -> Any:
        """The one element."""
        (only,) = self.v
        return only

    def tolist(self) -> Any:
        """The elements as lists within lists."""
        if self.ndim == 0:
            return self.v[0]
        return list(self.v) if self.ndim == 1 else [row.tolist() for row in self]

    def copy(self) -> Array:
        """The same elements, apart."""
        return Array(list(self.v), self.shape, self.dtype)

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """The elements as another type."""
        kind = typed(dtype)
        return Array(list(map(kind.convert, self.v)), self.shape, kind)

    def ravel(self) -> Array:
        """The elements in one row."""
        return Array(self.v, (len(self.v),), self.dtype)

    def reshape(self, *shape: Any) -> Array:
        """The elements in another shape, of which one side may be -1."""
        sides = list(shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape)
        if -1 in sides:
            rest = -math.prod(sides)
            sides[sides.index(-1)] = len(self.v) // rest if rest else 0
        return Array(self.v, tuple(sides), self.dtype)

    # -- parts ------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if self.ndim == 1:
            if isinstance(key, slice):
                return Array(self.v[key], None, self.dtype)
            if isinstance(key, int):
                return self.v[key]
        if isinstance(key, (Array, list)):
            return self._choice(key if isinstance(key, Array) else asarray(key))
        places, shape = self._places(key if isinstance(key, tuple) else (key,))
        if not shape:
            return self.v[places[0]]
        return Array([self.v[p] for p in places], shape, self.dtype)

    def _choice(self, key: Array) -> Array:
        """The elements, or rows, that a mask or an array of numbers chooses."""
        if key.dtype.kind == "b" and key.ndim == self.ndim:
            return Array(list(compress(self.v, key.v)), None, self.dtype)
        at = [k for k, x in enumerate(key.v) if x] if key.dtype.kind == "b" else key.v
        shape = (len(at),) if key.dtype.kind == "b" else key.shape
        if self.ndim == 1:
            v = self.v
            return Array([v[int(k)] for k in at], shape, self.dtype)
        rows = [self[int(k)].v for k in at]
        return Array(list(chain.from_iterable(rows)), (*shape, *self.shape[1:]), self.dtype)

    def _places(self, key: tuple[Any, ...]) -> tuple[list[int], Shape]:
        """Where the elements of a key of numbers, slices, None and one array stand, and their shape."""
        if Ellipsis in [k for k in key if not isinstance(k, Array)]:
            at = next(n for n, k in enumerate(key) if k is Ellipsis)
            missing = self.ndim - sum(k is not None for k in key) + 1
            key = (*key[:at], *[slice(None)] * missing, *key[at + 1 :])
        axes: list[list[int]] = []
        shape: list[int] = []
        below = math.prod(self.shape)
        sides = iter(self.shape)
        for k in [*key, *[slice(None)] * (self.ndim - sum(k is not None for k in key))]:
            if k is None:
                shape.append(1)
                continue
            side = next(sides)
            below //= max(1, side)
            if isinstance(k, slice):
                numbers = list(range(side)[k])
                shape.append(len(numbers))
            elif isinstance(k, Array):
                mask = k.dtype.kind == "b"
                numbers = [n for n, x in enumerate(k.v) if x] if mask else list(map(int, k.v))
                shape.append(len(numbers))
            else:
                numbers = [range(side)[int(k)]]
            axes.append([n * below for n in numbers])
        return [sum(at) for at in product(*axes)], tuple(shape)

    def __setitem__(self, key: Any, value: Any) -> None:
        places: Iterable[int]
        if isinstance(key, Array):
            mask = key.dtype.kind == "b"
            places = [n for n, x in enumerate(key.v) if x] if mask else [int(k) for k in key.v]
        elif self.ndim == 1 and isinstance(key, slice):
            places = range(len(self.v))[key]
        elif self.ndim == 1 and not isinstance(key, tuple):
            places = [range(len(self.v))[int(key)]]
        else:
            places = self._places(key if isinstance(key, tuple) else (key,))[0]
        values = asarray(value)
        convert = self.dtype.convert
        for place, x in zip(places, values.v if values.size != 1 else repeat(values.v[0])):
            self.v[place] = convert(x)

    # -- what is said of all elements -------------------------------------------------------------

    def _along(self, f: Callable[[Iterable[Any]], Any], axis: int | None) -> Any:
        if axis is None or self.ndim == 1:
            return f(self.v)
        table = self if axis in (1, -1) else self.T
        return Array([f(row.v) for row in table])

    def any(self, axis: int | None = None) -> Any:
        """Whether some element is true."""
        return self._along(any, axis)

    def all(self, axis: int | None = None) -> Any:
        """Whether every element is true."""
        return self._along(all, axis)

    def sum(self, axis: int | None = None) -> Any:
        """The sum."""
        return self._along(sum, axis)

    def min(self, axis: int | None = None) -> Any:
        """The least element."""
        return self._along(min, axis)

    def max(self, axis: int | None = None) -> Any:
        """The greatest element."""
        return self._along(max, axis)

    def prod(self, axis: int | None = None) -> Any:
        """The product."""
        return self._along(math.prod, axis)

    def cumsum(self) -> Array:
        """The sums of all elements so far."""
        return Array(list(accumulate(self.v)), None, self.dtype)

    def repeat(self, counts: Any) -> Array:
        """Each element so many times."""
        times = broadcast_to(counts, self.shape).v
        return Array([x for x, n in zip(self.v, times) for _ in range(int(n))], None, self.dtype)

    # -- arithmetic -------------------------------------------------------------------------------

    if TYPE_CHECKING:  # the others are made below

        def __mod__(self, other: Any) -> Array: ...
        def __floordiv__(self, other: Any) -> Array: ...
        def __sub__(self, other: Any) -> Array: ...

    def __neg__(self) -> Array:
        return Array(list(map(operator.neg, self.v)), self.shape, self.dtype)

    def __invert__(self) -> Array:
        f = operator.not_ if self.dtype.kind == "b" else operator.invert
        return Array(list(map(f, self.v)), self.shape, self.dtype)

    def __abs__(self) -> Array:
        return Array(list(map(abs, self.v)), self.shape, self.dtype)


def _at_zeros(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: f(a, b) if b else 0


COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
DIVISIONS = {f: _at_zeros(f) for f in (operator.floordiv, operator.mod, operator.truediv)}
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{n: getattr(operator, n) for n in (*COMPARISONS, "add", "sub", "mul", "lshift", "rshift")},
    **{"and": operator.and_, "or": operator.or_, "xor": operator.xor, "pow": operator.pow},
    **{f.__name__: f for f in DIVISIONS},
}


def apply(f: Callable[[Any, Any], Any], a: Any, b: Any, dtype: Type | None = None) -> Array:
    """The operation element by element, one of the two being an array."""
    columns: list[Any] = []
    if isinstance(a, Array) and isinstance(b, Array) and a.shape != b.shape:
        a, b = broadcast_arrays(a, b)
    shape = a.shape if isinstance(a, Array) else b.shape
    for x in (a, b):
        if not isinstance(x, (Array, int, float)):
            return apply(f, asarray(a), asarray(b), dtype)
        columns.append(x.v if isinstance(x, Array) else repeat(x, math.prod(shape)))
    if f in DIVISIONS and (0 in b.v if isinstance(b, Array) else b == 0):
        f = DIVISIONS[f]
    v = list(map(f, *columns))
    return Array(v, shape, dtype or (_type_of(v[:1]) if v else int64))


def _method(name: str, f: Callable[[Any, Any], Any], reverse: bool) -> Callable[..., Any]:
    dtype = bool_ if name in COMPARISONS else None
    if reverse:
        return lambda self, other: apply(f, other, self, dtype)
    return lambda self, other: apply(f, self, other, dtype)


def _in_place(f: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def method(self: Array, other: Any) -> Array:
        self.v[:] = apply(f, self, other).v
        return self

    return method


for _name, _f in OPERATIONS.items():
    setattr(Array, f"__{_name}__", _method(_name, _f, False))
    if _name not in COMPARISONS:
        setattr(Array, f"__r{_name}__", _method(_name, _f, True))
        setattr(Array, f"__i{_name}__", _in_place(_f))


# -- functions ------------------------------------------------------------------------------------


def asarray(data: Any, dtype: Any = None) -> Array:
    """What is given as an array.

    >>> asarray([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if isinstance(data, Array):
        return data if dtype is None or data.dtype == typed(dtype) else data.astype(dtype)
    kind = None if dtype is None else typed(dtype)
    if not isinstance(data, (list, tuple, range)):
        return Array([data if kind is None else kind.convert(data)], (), kind)
    if data and isinstance(data[0], (list, tuple, Array)):
        rows = [asarray(row, dtype) for row in data]
        v = list(chain.from_iterable(row.v for row in rows))
        return Array(v, (len(rows), *rows[0].shape), kind)
    items = [x.item() if isinstance(x, Array) else x for x in data]
    return Array(items if kind is None else list(map(kind.convert, items)), None, kind)


def array(data: Any, dtype: Any = None) -> Array:
    """A new array of what is given."""
    return asarray(data, dtype).copy()


def _sides(shape: Any) -> Shape:
    return tuple(map(int, shape)) if isinstance(shape, (tuple, list)) else (int(shape),)


def full(shape: Any, x: Any, dtype: Any = None) -> Array:
    """An array of one number."""
    sides = _sides(shape)
    kind = _type_of([x]) if dtype is None else typed(dtype)
    return Array([kind.convert(x)] * math.prod(sides), sides, kind)


def zeros(shape: Any, dtype: Any = float64) -> Array:
    """An array of noughts."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float64) -> Array:
    """An array of ones."""
    return full(shape, 1, dtype)


def arange(*ends: Any, dtype: Any = None) -> Array:
    """The numbers of a range."""
    return Array(list(range(*map(int, ends))), None, int64)


def broadcast_to(data: Any, shape: Any) -> Array:
    """The array with sides of 1 repeated.

    >>> broadcast_to(array([[1], [2]]), (2, 3)).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    a, sides = asarray(data), _sides(shape)
    if a.shape == sides:
        return a
    if a.size == 1:
        return Array(a.v * math.prod(sides), sides, a.dtype)
    own = (1,) * (len(sides) - a.ndim) + a.shape
    below = list(accumulate(reversed(own), operator.mul, initial=1))[-2::-1]
    if any(n not in (1, side) for n, side in zip(own, sides)):
        raise ValueError(f"{a.shape} cannot be broadcast to {sides}")
    steps = [
        [k * step if n > 1 else 0 for k in range(side)] for n, side, step in zip(own, sides, below)
    ]
    return Array([a.v[sum(at)] for at in product(*steps)], sides, a.dtype)


def _common(shapes: Sequence[Shape]) -> Shape:
    rank = max(map(len, shapes))
    columns = zip(*((1,) * (rank - len(s)) + s for s in shapes))
    return tuple(next((n for n in column if n != 1), 1) for column in columns)


def broadcast_arrays(*arrays: Any) -> list[Array]:
    """The arrays in their common shape."""
    known = [asarray(a) for a in arrays]
    shape = _common([a.shape for a in known]) if known else ()
    return [broadcast_to(a, shape) for a in known]
