"""A contract to start from: the grid and the layouts that a kernel's own masks suggest."""

from __future__ import annotations

import ast
from itertools import pairwise

from symlayout.checks.kernel_dimensions import Dimension
from symlayout.checks.kernel_extents import Extents
from symlayout.checks.kernel_files import Reader
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import CeilDiv, symbol
from symlayout.expr.tree import ONE, Expr, Integer, Symbol, exact_quotient, expand
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.launches import Launch

THREADS_OF_A_BLOCK = 256


def contract_of(reader: Reader, function: ast.FunctionDef) -> list[str]:
    """The lines of a contract: the grid, unless a launch in the file says it, the arrays, and facts."""
    kernel = reader.read(function)
    launches = [x for x in reader.launches(function, kernel) if not x.why]
    types = getattr(reader.module, "parameters", {}).get(id(function), {})
    extents = Extents(kernel, {})
    sizes = _of_launch(launches[0]) if launches else _of_masks(extents, _counts(extents, types))
    extents.put_sizes(sizes)
    lines, facts = ["kernel"], list[str]()
    if not launches:
        block = _tuple([e for k, e in sizes.items() if k >= THREADS])
        grid = _tuple([e for k, e in sizes.items() if k < THREADS] or [ONE])
        lines = [f"kernel grid {grid}{f' block {block}' if block else ''}"]
    for word in dict.fromkeys(a.array for a in kernel.accesses if a.array not in kernel.shared):
        kinds = {a.kind for a in kernel.accesses if a.array == word}
        written = " written once" if kinds == {"store"} else ""
        written = " accumulated" if kinds == {"atomic"} else written
        spelling = getattr(types.get(word), "word", "")
        element = _element(spelling, kernel.elements.get(word, 0))
        rows = _sizes(extents, word)
        lines.append(f"  {word} is {element}{_layout(rows)}{written}")
        facts += _rows_apart(rows) if written else []
    return [*lines, *([f"  where {', '.join(dict.fromkeys(facts))}"] if facts else [])]


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


def _of_launch(launch: Launch) -> dict[int, Expr]:
    """The sizes of a launch in the file along each axis."""
    rows = [*enumerate(launch.grid or ()), *enumerate(launch.block or (), THREADS)]
    return {k: read_expression(n.text({})) for k, n in rows}


def _counts(extents: Extents, types: dict[str, object]) -> list[str]:
    """The parameters that may be the number of elements: integers that are no constants."""
    real = ("float", "double", "half", "bool")
    return [
        p
        for p in extents.plain
        if not any(w in str(getattr(types.get(p), "word", "")) for w in real)
    ]


def _of_masks(extents: Extents, counts: list[str]) -> dict[int, Expr]:
    """A grid and a block of as many programs and threads as the masks need."""
    kernel = extents.kernel
    axes = {*kernel.programs, *kernel.grids}
    last = max((k for k in axes if k >= THREADS), default=None)
    sizes: dict[int, Expr] = {}
    if last is not None:
        usual = ((THREADS_OF_A_BLOCK, 1, 1), (16, 16, 1), (8, 8, 4))[last - THREADS]
        for k in range(THREADS, last + 1):
            sizes[k] = Integer(extents.threads(k) or usual[k - THREADS])
        extents.put_sizes(sizes)
    for k in range(max((k for k in axes if k < THREADS), default=-1) + 1):
        own = extents.axis(k) or _of_whole(extents, k, counts)
        sizes[k] = own or symbol(f"grid{k}")
    return sizes


def _of_whole(extents: Extents, axis: int, counts: list[str]) -> Expr | None:
    """The blocks of a kernel without masks, where one parameter alone may be the number of elements."""
    word = symbol(extents.kernel.programs.get(axis, ""))
    for access in extents.kernel.accesses if len(counts) == 1 else ():
        rows = extents.dimensions(access)
        if len(rows) == 2 and rows[1] == (rows[0].stride, ONE) and str(word) in str(access.offset):
            return CeilDiv(symbol(counts[0]), rows[0].stride)
    return None


def _tuple(sizes: list[Expr]) -> str:
    """Sizes as a contract has them."""
    texts = ", ".join(map(_contract_text, sizes))
    return f"({texts}{',' if len(sizes) == 1 else ''})" if sizes else ""


def _contract_text(e: Expr) -> str:
    return str(e).replace("ceildiv(", "cdiv(")


def _sizes(extents: Extents, array: str) -> list[Dimension]:
    """The dimensions of an array, of one whose size nothing says with a size of its own."""
    return _complete(array, extents.array(array)) or [Dimension(symbol(f"{array}_size"), ONE)]


def _complete(array: str, rows: list[Dimension]) -> list[Dimension]:
    """The dimensions with sizes that nothing says: as far as the next stride, or of any size."""
    result = list[Dimension]()
    for k, (size, stride) in enumerate(rows):
        between = exact_quotient(rows[k - 1].stride, stride) if k else None
        if not isinstance(size, (Symbol, Integer)) and isinstance(between, (Symbol, Integer)):
            size = between
        if size is None and (k or len(rows) == 1):
            return []
        result.append(Dimension(size or symbol(f"{array}_rows"), stride))
    return result


def _layout(rows: list[Dimension]) -> str:
    """The sizes, and the strides where rows may be apart."""
    sizes = ",".join(_contract_text(d.size) for d in rows if d.size is not None)
    if rows[-1].stride == 1 and not _rows_apart(rows):
        return f"[{sizes}]"
    return f"[{sizes}] strides({', '.join(_contract_text(d.stride) for d in rows)})"


def _rows_apart(rows: list[Dimension]) -> list[str]:
    """That no row reaches into the next one, where the strides do not say it."""
    pairs = [(a.stride, expand(b.size * b.stride)) for a, b in pairwise(rows) if b.size]
    return [f"{_contract_text(a)} >= {_contract_text(b)}" for a, b in pairs if a != b]
