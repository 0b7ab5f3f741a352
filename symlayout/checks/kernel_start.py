"""A contract to start from: the grid and the layouts that a kernel's own masks suggest."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from symlayout.checks.kernel_files import Reader
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import Node, conjuncts, terms

THREADS_OF_A_BLOCK = 256
Index = tuple[Node, ...]  # terms without a product with a parameter


def contract_of(reader: Reader, function: ast.FunctionDef) -> list[str]:
    """The lines of a contract: the grid, unless a launch in the file says it, and every array."""
    kernel = reader.read(function)
    lines = []
    launches = [x for x in reader.launches(function, kernel) if not x.why]
    block = _block(kernel)
    if not launches:
        lines.append(f"kernel grid ({_grid(kernel)}){f' block {block}' if block else ''}")
    types = getattr(reader.module, "parameters", {}).get(id(function), {})
    for word in dict.fromkeys(a.array for a in kernel.accesses if a.array not in kernel.shared):
        kinds = {a.kind for a in kernel.accesses if a.array == word}
        written = " written once" if kinds == {"store"} else ""
        written = " accumulated" if kinds == {"atomic"} else written
        spelling = getattr(types.get(word), "word", "")
        sizes = ",".join(_sizes(kernel, word))
        lines.append(
            f"  {word} is {_element(spelling, kernel.elements.get(word, 0))}[{sizes}]{written}"
        )
    return lines if not launches else ["kernel", *lines]


def comment(lines: list[str], sign: str, indent: str = "") -> str:
    """The contract as comments above a kernel.

    >>> print(comment(["kernel grid (n,)", "  x is f32[n]"], "#"), end="")
    # symlayout: kernel grid (n,)
    #   x is f32[n]
    """
    head, *rest = lines
    rows = [f"{indent}{sign} symlayout: {head}", *(f"{indent}{sign} {x}" for x in rest)]
    return "".join(f"{x}\n" for x in rows)


def _element(spelling: str, bits: int) -> str:
    """The element type as layouts have it; f32 where the code does not say one."""
    if "bfloat" in spelling:
        return "bf16"
    if any(x in spelling for x in ("float", "half", "double")) or not spelling:
        return f"f{bits or 32}"
    if any(x in spelling for x in ("int", "long", "short", "char", "unsigned")) and bits:
        return f"{'u' if spelling.startswith('u') else 's'}{bits}"
    return f"f{bits or 32}"


def _bounds(kernel: Kernel) -> Iterator[tuple[Access, Node, Node]]:
    """What masks say: an index is less than a size; where it is one too wide, it means that as well."""
    own = {*kernel.parameters}
    for access in kernel.accesses:
        for c in conjuncts(access.guard):
            if c.op in ("<", "<=", ">", ">="):
                index, size = c.args if c.op[0] == "<" else c.args[::-1]
                if size.names <= own and not (size.unknowns or index.names <= own):
                    yield access, index, size


def _size_of(kernel: Kernel, index: Node) -> str:
    """The size that a mask compares an index with, else the end of a loop; "" where none is known."""
    for access, left, right in _bounds(kernel):
        del access
        if _plain(left) == _plain(index):
            return right.text({})
    ranges = [r for a in kernel.accesses for r in a.ranges]
    for r in ranges:
        if index.op == "name" and index.word == r.word and r.high.names <= {*kernel.parameters}:
            return r.high.text({})
    return ""


def _plain(node: Node) -> frozenset[tuple[str, int]]:
    """The terms of an index without casts and lanes' axes."""
    return frozenset((_text(t), sign) for t, sign in terms(_uncast(node)) if t.value != 0)


def _uncast(node: Node) -> Node:
    while node.op == "cast":
        (node,) = node.args
    if node.op in ("+", "-"):
        return Node(node.op, tuple(map(_uncast, node.args)))
    return node


def _text(node: Node) -> str:
    return node.text(dict.fromkeys(range(8), "lane"))


def _axis_size(kernel: Kernel, word: str, axis: int) -> str:
    """How many programs an axis needs: as many as blocks of the size that its index is less than."""
    own = kernel.programs.get(axis + THREADS)
    for access, left, right in _bounds(kernel):
        names = {x.word for x in left.leaves}
        if word not in names:
            continue
        lanes = [x for x in left.leaves if x.op == "lane"]
        if own is not None and own in names:
            return f"cdiv({right.text({})}, {_threads(kernel)[axis]})"
        if lanes and access.shape[lanes[0].number].value != 1:
            return f"cdiv({right.text({})}, {access.shape[lanes[0].number].text({})})"
        return right.text({})
    return "grid" + ("", "_y", "_z")[axis]


def _grid(kernel: Kernel) -> str:
    axes = [k for k in (*kernel.programs, *kernel.grids) if k < THREADS]
    parts = [
        _axis_size(kernel, kernel.programs.get(k, ""), k) for k in range(max(axes, default=0) + 1)
    ]
    if not axes:
        return "1,"
    return ", ".join(parts) + ("," if len(parts) == 1 else "")


def _threads(kernel: Kernel) -> tuple[int, ...]:
    """A usual block along each axis."""
    axes = max((k for k in (*kernel.programs, *kernel.grids) if k >= THREADS), default=THREADS)
    return ((THREADS_OF_A_BLOCK, 1, 1), (16, 16, 1), (8, 8, 4))[axes - THREADS]


def _block(kernel: Kernel) -> str:
    """The block of a kernel that asks for its threads."""
    axes = [k for k in (*kernel.programs, *kernel.grids) if k >= THREADS]
    if not axes:
        return ""
    sizes = _threads(kernel)[: max(axes) - THREADS + 1]
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _sizes(kernel: Kernel, array: str) -> list[str]:
    """The sizes of an array: of each index of its widest access, outermost first."""
    best: list[str] = []
    for access in kernel.accesses:
        if access.array == array:
            sizes = _dimensions(kernel, access)
            if len(sizes) > len(best) or not all(best):
                best = sizes
    if len(best) > 1 and all(best[1:]):
        return [best[0] or f"{array}_rows", *best[1:]]
    return best if len(best) == 1 and best[0] else [f"{array}_size"]


def _dimensions(kernel: Kernel, access: Access) -> list[str]:
    """`i*N + j` as the sizes of i and j, where the stride of i is that of j."""
    whole = _size_of(kernel, access.offset)
    if whole:
        return [whole]
    rows = [t for t, sign in terms(_uncast(access.offset)) if sign > 0]
    for t in map(_uncast, rows):
        if t.op != "*":
            continue
        for index, stride in (t.args, t.args[::-1]):
            stride = _uncast(stride)
            if stride.op == "name" and stride.word in kernel.parameters:
                return [_size_of(kernel, _uncast(index)), stride.word]
    return [""]
