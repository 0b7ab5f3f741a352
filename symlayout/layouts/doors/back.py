"""Layouts as texts that other systems read: MLIR's memref types, Triton's linear encodings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count
from math import prod
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import FloorDiv, Mod, Size, as_expr, floordiv, substitute, symbol
from symlayout.expr.tree import Add, Expr, Integer, Mul, expand
from symlayout.layouts.doors.affine import linear_parts
from symlayout.layouts.doors.linear import Linear, Vector
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import RESERVED
from symlayout.layouts.strided import row_major

_WORDS = {"pred": "i1", "c64": "complex<f32>", "c128": "complex<f64>"}
REGISTERS = ("register", "lane", "warp", "block")


def memref_text(layout: Any) -> str:
    """A layout with a stride for each dimension as a memref type; what is not a number is `?`.

    >>> from symlayout.layouts.notation import parse
    >>> memref_text(parse("strided f32[4,N] strides(N,1) offset 3"))
    'memref<4x?xf32, strided<[?, 1], offset: 3>>'
    >>> memref_text(parse("memref<4x?x?xf32>"))  # row-major, which `?` would not say
    'memref<4x?x?xf32>'

    Raises `LayoutError` (SL203) for a layout that strides and an offset do not say.
    """
    m = layout.index_map()
    parts = linear_parts(m._raw, m._coords)
    if parts is None:
        message = f"{layout} is not said by a stride for each dimension"
        raise LayoutError("SL203", message, help="--emit affine writes it as a map")
    steps, start = parts
    sizes = "".join(f"{_number(d)}x" for d in m._shape)
    apart = [d - as_expr(e) for d, e in zip(steps, row_major(m._shape))]
    if not (all(d.is_Integer for d in steps) or any(e.expand() != 0 for e in (start, *apart))):
        return f"memref<{sizes}{_element(layout, m.bits)}>"
    strides = ", ".join(map(_number, steps))
    offset = "" if start == 0 else f", offset: {_number(start)}"
    return f"memref<{sizes}{_element(layout, m.bits)}, strided<[{strides}]{offset}>>"


def padding_behind(m: IndexMap, size: Size | None = None) -> bool:
    """Whether the buffer goes on behind the last element that strides say, or behind `size`.

    >>> from symlayout.layouts.notation import parse
    >>> texts = "f32[M]", "f32[4]{0:T(128)}", "f32[M]{0:L(7)}"
    >>> [padding_behind(parse(t).index_map()) for t in texts]
    [False, True, True]
    """
    parts = linear_parts(m._raw, m._coords)
    if size is None and parts is None:
        return False
    steps, start = parts or ([], Integer(0))
    ends = [(as_expr(d) - 1) * e for d, e in zip(m._shape, steps)]
    end = as_expr(size) if size is not None else Add(start, *ends) + 1
    names = sorted({str(s) for e in (as_expr(m._size), end, *ends) for s in e.free_symbols})
    for first in (2, 5, 11):  # sizes of which no tile is a divisor, at which strides are positive
        at = {n: first + k for k, n in enumerate(names)}
        if any(_at(e, at) < 0 for e in (start, *ends)):
            return False
        if _at(as_expr(m._size), at) > _at(end, at):
            return True
    return False


def _at(e: Expr, values: dict[str, int]) -> int:
    return int(str(substitute(e, values)))


def _number(e: Size | Expr) -> str:
    result = as_expr(e)
    return str(result) if result.is_Integer else "?"


def _element(layout: Any, bits: int | None) -> str:
    """MLIR's element type: by the layout's own, or by its bits."""
    dtype = str(getattr(layout, "dtype", "") or "")
    if not dtype:
        return "index" if bits is None else f"i{bits}"
    match = re.fullmatch(r"([su])(\d+)", dtype)
    if match is not None:
        return ("ui" if match[1] == "u" else "i") + match[2]
    float_ = re.fullmatch(r"(f\d+)(e\d+m\d+.*)", dtype)  # f8E4M3FN
    return float_[1] + float_[2].upper() if float_ else _WORDS.get(dtype, dtype)


def encoding_text(layout: Linear) -> str:
    """A linear layout of registers, lanes, warps and blocks, or of offsets, as Triton's encoding.

    >>> print(encoding_text(Linear.of({"lane": [(0, 1), (1, 0)]}, {"dim0": 2, "dim1": 2})))
    #ttg.linear<{register = [], lane = [[0, 1], [1, 0]], warp = [], block = []}> on 2x2

    Raises `LayoutError` (SL203) for other inputs.
    """
    arguments, shape = dict(layout.ins), "x".join(str(d) for _, d in layout.outs)
    kind: str = "linear"
    names: tuple[str, ...] = REGISTERS
    if "offset" in arguments:
        kind, names = "shared_linear", ("offset", "block")
    if not arguments.keys() <= {*names}:
        message = f"{', '.join(arguments)} are not the inputs {', '.join(REGISTERS)}"
        raise LayoutError("SL203", message)
    fields = ", ".join(f"{n} = {_vectors(arguments.get(n, ()))}" for n in names)
    return f"#ttg.{kind}<{{{fields}}}> on {shape}"


def _vectors(vectors: tuple[Vector, ...]) -> str:
    return f"[{', '.join(str(list(v)) for v in vectors)}]"


def linear_text(layout: Linear) -> str:
    """A linear layout, of Triton's or not, by its vectors.

    >>> linear_text(Linear.of({"lane": [1, 2]}, {"dim0": 4}))
    'linear lane [[1],[2]] -> dim0 4'
    """
    return str(Linear.of(dict(layout.ins), dict(layout.outs)))


def map_text(f: IndexFunction) -> str:
    """An index function as a map; a layout's is its offset over its coordinates.

    >>> from symlayout.layouts.maps.function import function_of
    >>> from symlayout.layouts.notation import parse
    >>> print(map_text(function_of(parse("f32[M,8]{0,1}").index_map())))
    map i < M, j < 8: M*j + i in 8*M

    Raises `LayoutError` (SL203) for a size that is a word of maps: the text would not read back.
    """
    for name in filter(RESERVED, f.names):
        raise LayoutError("SL203", f"the size {name} is a word of maps: give it another name")
    return IndexFunction.__str__(f)


def einops_text(f: IndexFunction) -> str:
    """A function that takes digits of its variables apart and puts each of them in one result.

    >>> from symlayout.layouts.notation import parse
    >>> einops_text(parse("einops b (h d) n -> b n (h d), h=8"))
    'einops b (a0 d) n -> b n (a0 d), a0=8'
    >>> from symlayout.layouts.maps.function import function_of
    >>> einops_text(function_of(parse("(M,N):(1,M)").index_map()))
    'einops M N -> (N M)'

    Axes have the names of their sizes, or a0, a1, ... with sizes behind them.  Raises `LayoutError`
    (SL203) for a function that is not a rearrangement of whole digits.
    """
    if f._guard is not None or any(v._low != 0 for v in f.variables):
        raise LayoutError(
            "SL203", f"{f} is not a rearrangement: it has a guard, or begins elsewhere"
        )
    outputs = f.inlined._results
    digits = [d for r in outputs for d in _digits_of(r, f)]
    axes: dict[tuple[Expr, Expr], str] = {}
    left = []
    for v in f.variables:
        own = {below: size for x, below, size, _ in digits if x == v.name}
        chain = _chain(own, v._high, f)
        for below, size in chain:
            plain = size.is_Symbol and str(size) not in axes.values() and not RESERVED(str(size))
            axes[symbol(v.name), below] = str(size) if plain else ""
        left.append([(symbol(v.name), below) for below, _ in reversed(chain)])
    sizes: dict[tuple[Expr, Expr], Expr] = {
        (symbol(x), below): size for x, below, size, _ in digits
    }
    fresh = (f"a{k}" for k in count() if f"a{k}" not in {*axes.values(), *f.names})
    axes = {key: name or next(fresh) for key, name in axes.items()}
    right = []
    for k, r in enumerate(outputs):
        keys: dict[Expr, tuple[Expr, Expr]] = {
            step: (symbol(x), below) for x, below, _, step in _digits_of(r, f)
        }
        total = prod_of(sizes[key] for key in keys.values())
        if f._box is not None and (as_expr(f._box[k]) - total).expand() != 0:
            raise LayoutError("SL203", f"{r} does not fill {f._box[k]}: it is not a rearrangement")
        chain = _chain({s: sizes[a] for s, a in keys.items()}, total, f)
        right.append([keys[s] for s, _ in chain][::-1])
    placed = [key for group in right for key in group]
    if sorted(map(str, placed)) != sorted(map(str, axes)) or len(digits) != len(axes):
        raise LayoutError(
            "SL203", f"{f} is not a rearrangement: a digit is left out, or stands twice"
        )
    lengths = [f"{axes[key]}={sizes[key]}" for key in axes if axes[key] != str(sizes[key])]
    sides = [" ".join(_group([axes[key] for key in g]) for g in side) for side in (left, right)]
    return ", ".join([f"einops {sides[0]} -> {sides[1]}", *lengths])


def _group(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({' '.join(names)})" if names else "1"


def prod_of(sizes: Iterable[Expr]) -> Expr:
    """Their product."""
    return prod(sizes, start=Integer(1))


def _digits_of(result: Expr, f: IndexFunction) -> list[tuple[str, Expr, Expr, Expr]]:
    """The digits that a sum is made of: variable, what is below it, its size, its weight."""
    highs: dict[Expr, Expr] = {symbol(v.name): v._high for v in f.variables}
    digits = []
    for term in Add.make_args(expand(result)):
        if term == 0:
            continue
        own = [a for a in Mul.make_args(term) if a.free_symbols & {*highs}]
        if len(own) != 1:
            raise LayoutError(
                "SL203", f"{term} is not a digit: the function is not a rearrangement"
            )
        (atom,) = own
        step = prod_of(a for a in Mul.make_args(term) if a is not atom)
        inner, size = atom.args if isinstance(atom, Mod) else (atom, None)
        x, below = inner.args if isinstance(inner, FloorDiv) else (inner, Integer(1))
        if x not in highs or (x.free_symbols | below.free_symbols) & {*highs} != {x}:
            raise LayoutError(
                "SL203", f"{atom} is not a digit: the function is not a rearrangement"
            )
        if size is None:
            size = _quotient(highs[x], below)
        digits.append((x.name, below, size, step))
    return digits


def _quotient(whole: Expr, part: Expr) -> Expr:
    """A product without the factors of another; the quotient as it is where that cannot be."""
    left = list(Mul.make_args(whole))
    number = prod_of(a for a in left if a.is_Integer)
    left = [a for a in left if not a.is_Integer]
    for a in Mul.make_args(part):
        if a.is_Integer and number % a == 0:
            number = number // a
        elif a in left:
            left.remove(a)
        else:
            return as_expr(floordiv(whole, part))
    return number * prod_of(left)


def _chain(steps: Mapping[Expr, Expr], total: Expr, f: IndexFunction) -> list[tuple[Expr, Expr]]:
    """The digits from the lowest on: each begins where those below it end, and all fill the total."""
    left, below, chain = dict(steps), as_expr(1), list[tuple[Expr, Expr]]()
    while left:
        key = next((k for k in left if (k - below).expand() == 0), None)
        if key is None:
            raise LayoutError("SL203", f"{f} is not a rearrangement of whole digits")
        chain.append((key, left.pop(key)))
        below = (below * chain[-1][1]).expand()
    if (below - total).expand() != 0:
        raise LayoutError("SL203", f"{f} is not a rearrangement: the digits do not fill {total}")
    return chain
