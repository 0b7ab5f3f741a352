"""Reading `shape:stride`, `shape:stride:origin` and format names such as `zN(f16, R, C)`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.reader import FUNCTIONS, Scanner, expression_at
from symlayout.expr.terms import as_expr, as_size, coordinate_symbols, free_names
from symlayout.expr.tree import Add, Integer
from symlayout.layouts.cute.identifiers import STATIC, names, static
from symlayout.layouts.cute.inttuple import IntTuple, flatten, prefix_product
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.reading import items, part_from, shown_at
from symlayout.text.limits import NESTING
from symlayout.text.patterns import regex

OPERATORS = ("*", "+", "-", "/", "%", "&", "<", ">", "^", "|", "?", "if ")
# CuTe's C++ prints `Sw<3,4,3>`, its Python `S<3,4,3>`
SIGNED = regex(r"-?\d{1,9}(?!\w)", re.A)
BYTE_LOG = 3  # the logarithm of the bits of a byte
# how CuTe prints a pointer to shared memory between a swizzle and a layout
POINTER = regex(r"smem_ptr\s*\[\s*(\d{1,4})\s*b\s*\]\s*\(\s*\w*\s*\)\s*o\b", re.A)
SWIZZLE = regex(r"\s*(?:Swizzle\b|Sw?\s*<)")


@dataclass(frozen=True)
class _Node:
    """A piece of an IntTuple and where it stands in the text."""

    value: Any
    start: int
    end: int
    parts: tuple[_Node, ...] | None = None


def read_layout(text: str) -> Any:
    """The layout that a text spells.

    >>> print(read_layout("((_16, R), (16, C)) : ((16, 256), (_1, R*256))"))
    ((_16,R),(16,C)):((16,256),(_1,256*R))
    >>> read_layout("(M,N):(N,1):(m,n)").origin
    (m, n)

    A text such as `Swizzle(3,4,3) o 0 o (8,64):(64,1)` gives a `ComposedLayout`, all others a
    `Layout`.  Without strides (`(4,8)`) they are the compact ones, leftmost mode fastest.  Raises
    `LayoutError` with the place of the mistake.
    """
    if not isinstance(text, str):
        raise LayoutError("SL100", f"a layout is a text, not {type(text).__name__}")
    return _read_layout(Scanner(text))


def read_strides(text: str) -> Any:
    """The same for a text that says its strides: a shape alone is not a layout.

    Raises `LayoutError` (SL101) for `(M,N)` or `(pid//2)`, with what may be meant.
    """
    return _read_layout(Scanner(text), bare=False)


def _read_layout(scanner: Scanner, bare: bool = True) -> Any:
    text = scanner.text
    scanner.skip()
    named = re.match(r"([A-Za-z_]\w*)\s*\(", text[scanner.at :])
    if SWIZZLE.match(text, scanner.at):
        return _composition(scanner)
    if named and named.group(1) not in FUNCTIONS:
        from symlayout.layouts.cute.formats import read_format

        return read_format(scanner)
    shape = _node(scanner)
    _check_sizes(shape, scanner)
    stride = _node(scanner) if scanner.take(":") else None
    origin = _node(scanner) if stride and scanner.take(":") else None
    if stride is None and scanner.peek(";"):
        message = f"nothing may follow the shape, found {scanner.what_stands()}"
        raise scanner.error("SL101", message, help="a colon stands before the strides: (M,N):(N,1)")
    scanner.end("the layout")
    if stride is not None:
        _check_nesting(shape, stride, scanner)
    elif not bare:
        raise _no_layout(scanner, shape)
    return _placed(scanner, shape, stride, origin)


def _no_layout(s: Scanner, shape: _Node) -> LayoutError:
    """The error for a shape, or an expression, without strides."""
    text = s.text.strip()
    sizes = [as_expr(d) for d in flatten(shape.value)]
    names = free_names(*sizes)
    if len(names) == 1 and not all(d.is_Symbol or d.is_Integer for d in sizes):
        end = "N" if names != ["N"] else "M"
        suggestion = f"map {names[0]} < {end}: {text}"
        message = f"{text} is an expression, and no layout"
    else:
        coords = coordinate_symbols(len(sizes), names)
        domain = ", ".join(f"{c} < {d}" for c, d in zip(coords, sizes))
        row = [prod(sizes[k + 1 :], start=Integer(1)) for k in range(len(sizes))]
        offset = Add(*[c * w for c, w in zip(coords, row)])
        suggestion = f"map {domain}: {offset} in {prod(sizes, start=Integer(1))}"
        message = f"{text} is a shape, and no layout: it says no strides"
    steps = str(Layout(shape.value, prefix_product(shape.value)))
    help = f"an index function: {suggestion!r}; a layout, its first mode fastest: {steps!r}"
    return s.error("SL101", message, shape.start, shape.end, help=help)


def _composition(s: Scanner) -> Any:
    """A swizzle, the offset (0 when it is left out), and the layout, each after ` o `."""
    from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle

    start = s.skip()
    s.name()
    numbers = _in_angles(s) if s.peek("<") else _node(s)
    if s.take("{"):  # `Swizzle<3,3,3>{}` makes an object of the type
        s.expect("}", "to close the brace")
    if numbers.parts is None or len(numbers.parts) != 3:
        raise s.error("SL101", "Swizzle takes (bits, base, shift)", numbers.start, numbers.end)
    s.expect("o ", "after the swizzle")
    at = s.skip()
    pointer = POINTER.match(s.text, s.at)
    offset: Any = 0
    first = None if pointer else _node(s)
    if pointer:
        s.at = pointer.end()
    elif first is not None and s.take("o "):
        offset = first.value
    else:
        s.at = at
    begin = s.skip()
    if SWIZZLE.match(s.text, s.at):
        raise s.error("SL101", "a swizzle is composed with shape:stride, not with a swizzle")
    with part_from(s, begin):
        rest = Scanner(s.text[begin:])
        rest.language = s.language  # one text, one language
        inner = _read_layout(rest)
    with shown_at(s, start, at):
        if pointer:
            return _of_bytes(numbers.value, int(pointer[1]), inner)
        return ComposedLayout(Swizzle(*numbers.value), offset, inner)


def _of_bytes(numbers: tuple[int, int, int], width: int, inner: Layout) -> Any:
    """A layout that CuTe prints with `smem_ptr[16b]`: its swizzle is of the addresses in bytes.

    >>> print(read_layout("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"))
    Swizzle(3,3,3) o 0 o (8,64):(64,1)

    An element of 2**k bytes moves the lowest bit of the swizzle down by k.  Raises `LayoutError`
    (SL102) for a width that is not a power of two, or a swizzle inside of an element.
    """
    from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle

    bits, base, shift = numbers
    if width & (width - 1) or not width:
        raise LayoutError("SL102", f"{width} bits of an element are not a power of two")
    lowest = base + BYTE_LOG - (width.bit_length() - 1)
    if lowest < 0:
        message = f"the swizzle of {1 << base} bytes moves parts of elements of {width} bits"
        raise LayoutError("SL102", message)
    return ComposedLayout(Swizzle(bits, lowest, shift), 0, replace(inner, bits=width))


def _in_angles(s: Scanner) -> _Node:
    """The numbers of `<3,4,3>`."""
    start = s.skip()

    def number() -> _Node:
        at = s.skip()
        return _Node(int(s.need(SIGNED, "a number")), at, s.at)

    s.expect("<", "before the numbers of a swizzle")
    parts = items(s, ">", "between the numbers of a swizzle", number)
    return _Node(tuple(p.value for p in parts), start, s.at, tuple(parts))


def _placed(scanner: Scanner, shape: _Node, stride: _Node | None, origin: _Node | None) -> Layout:
    steps = prefix_product(shape.value) if stride is None else stride.value
    true: Any = ()
    if origin is not None:
        true = origin.value if isinstance(origin.value, tuple) else (origin.value,)
        if any(isinstance(d, tuple) for d in true):
            message = "an origin shape has one integer per dimension"
            raise scanner.error("SL107", message, origin.start)
        _check_sizes(origin, scanner)
    at = origin or stride or shape
    with shown_at(scanner, at.start, at.end):
        return Layout(shape.value, steps, true)


def read_inttuple(text: str) -> IntTuple:
    """The IntTuple that a text spells.

    >>> read_inttuple("(_2,(3,M))")
    (Static(2), (3, M))
    """
    scanner = Scanner(text)
    result = _node(scanner)
    scanner.end("the tuple")
    value: IntTuple = result.value
    return value


def _node(s: Scanner) -> _Node:
    start = s.skip()
    if s.peek("(") and opens_tuple(s.text, s.at):
        s.at += 1
        s.depth += 1
        if s.depth > NESTING:
            raise s.error("SL204", f"more than {NESTING} nested parentheses")
        parts: list[_Node] = []
        while not s.take(")"):
            if parts:
                s.expect(",", "between the modes")
                if s.take(")"):
                    break
            s.check_rank(len(parts) + 1)
            parts.append(_node(s))
        s.depth -= 1
        return _Node(tuple(p.value for p in parts), start, s.at, tuple(parts))
    word = s.match(STATIC)
    s.skip(line_comments=False)
    if word is not None and not s.text.startswith(OPERATORS, s.at):
        return _Node(static(word), start, s.at)
    s.at = start
    return _Node(as_size(expression_at(s, names)), start, s.at)


def opens_tuple(text: str, at: int) -> bool:
    """Whether the parenthesis at `at` opens a tuple: no operator follows its end."""
    level = 0
    for position in range(at, len(text)):
        level += {"(": 1, ")": -1}.get(text[position], 0)
        if level == 0:
            after = text[position + 1 :].lstrip()
            return not after.startswith(OPERATORS)
    return True


def _check_sizes(node: _Node, s: Scanner) -> None:
    if node.parts is not None:
        for part in node.parts:
            _check_sizes(part, s)
    elif isinstance(node.value, int) and node.value < 0:
        raise s.error("SL102", f"the size {int(node.value)} is negative", node.start, node.end)


def _check_nesting(shape: _Node, stride: _Node, s: Scanner) -> None:
    if shape.parts is None and stride.parts is None:
        return
    if shape.parts is None or stride.parts is None or len(shape.parts) != len(stride.parts):
        target = s.text[shape.start : shape.end]
        raise s.error(
            "SL107",
            f"these strides do not nest as the shape {target} does",
            stride.start,
            stride.end,
            "write one stride for each size, in the same parentheses: (M,N):(N,1)",
        )
    for a, b in zip(shape.parts, stride.parts):
        _check_nesting(a, b, s)
