"""What it takes to bring a tensor from one distributed layout into another: registers, lanes, or more.

Whoever holds an element in the one layout has to hand it to whoever wants it in the other.  Both are
linear over F2, so the holder may stand in the same lane exactly where every vector by which the two
differ is a sum of vectors of registers; in the same warp, of registers and lanes; and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError
from symlayout.layouts.doors.bits import Span
from symlayout.layouts.doors.linear import Linear
from symlayout.text.patterns import regex

LEVELS = ("register", "lane", "warp", "block")
SAID = {
    "nothing": "every register holds its element already",
    "registers": "each lane moves elements among its own registers",
    "selection": (
        "each lane has its elements in registers of its own, in which ones depends on the lane"
    ),
    "shuffles": "lanes of a warp exchange elements: no shared memory is needed",
    "shared memory": "warps of a block exchange elements, through shared memory",
    "shared memory of other blocks": "blocks exchange elements",
}
NEEDS = tuple(SAID)
ARROW = regex(r">\s*->\s*(?=tensor\b)|(?<=\d)\s+->\s*(?=#)")


@dataclass(frozen=True)
class Conversion:
    """From one layout to another: `needs` is one of `NEEDS`, `because` the bits that ask for it.

    >>> a = Linear.of({"register": [(1,)], "lane": [(2,)]}, {"dim0": 4})
    >>> b = Linear.of({"register": [(2,)], "lane": [(1,)]}, {"dim0": 4})
    >>> print(conversion(a, b))
    shuffles: lanes of a warp exchange elements: no shared memory is needed
      register bit 0 holds (1), and is to hold (2)
      lane bit 0 holds (2), and is to hold (1)
    """

    needs: str
    because: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.needs}: {SAID[self.needs]}"]
        return "\n".join([*lines, *[f"  {b}" for b in self.because]])


def _of_level(a: Linear, name: str) -> list[int]:
    return [a.number(v) for v in dict(a.ins).get(name, ())]


def conversion(source: Any, target: Any) -> Conversion:
    """What it takes to have the elements of `source` where `target` wants them.

    Both are texts or values of linear layouts with inputs register, lane, warp and block.  Raises
    `LayoutError` (SL403) for other layouts, for different tensors or numbers of lanes, warps and
    blocks, and where nobody holds an element that is wanted.
    """
    a, b = _distribution(source), _distribution(target)
    if [d for _, d in a.outs] != [d for _, d in b.outs]:
        sizes = [[d for _, d in x.outs] for x in (a, b)]
        raise LayoutError("SL403", f"tensors of the sizes {sizes[0]} and {sizes[1]}")
    for name in LEVELS[1:]:
        many = [1 << len(_of_level(x, name)) for x in (a, b)]
        if many[0] != many[1]:
            raise LayoutError("SL403", f"{many[0]} {name}s of the one, {many[1]} of the other")
    if all(_of_level(a, name) == _of_level(b, name) for name in LEVELS):
        return Conversion(NEEDS[0])
    alike = all(_of_level(a, name) == _of_level(b, name) for name in LEVELS[1:])
    reach, differ = Span(), _of_level(b, "register")
    pairs = [(x, y) for n in LEVELS[1:] for x, y in zip(_of_level(a, n), _of_level(b, n))]
    differ += [x ^ y for x, y in pairs]
    for k, name in enumerate(LEVELS):
        for v in _of_level(a, name):
            reach.add(v)
        missing = [v for v in differ if reach.combination(v) is None]
        if not missing:
            needs = NEEDS[1] if k == 0 and alike else NEEDS[k + 2]
            return Conversion(needs, tuple(_because(a, b)))
    place = a.place(missing[0])
    raise LayoutError("SL403", f"nobody holds the element {place} of the source, which is wanted")


def _because(a: Linear, b: Linear) -> list[str]:
    """The bits whose elements differ."""
    hits = []
    for name in LEVELS:
        old, new = _of_level(a, name), _of_level(b, name)
        for k, y in enumerate(new):
            x = old[k] if k < len(old) else 0
            if x != y:
                place, to = (", ".join(map(str, a.place(n))) for n in (x, y))
                hits.append(f"{name} bit {k} holds ({place}), and is to hold ({to})")
    return hits


def _distribution(value: Any) -> Linear:
    from symlayout.layouts.notation import parse

    result = parse(value) if not isinstance(value, Linear) else value
    if not isinstance(result, Linear) or not {n for n, _ in result.ins} <= {*LEVELS}:
        hint = "such as tensor<32x32xf16, #ttg.blocked<...>> -> tensor<32x32xf16, #ttg.linear<...>>"
        raise LayoutError(
            "SL403", f"{value} is not a layout of registers, lanes and warps", help=hint
        )
    return result


def conversion_in(text: str) -> tuple[str, str] | None:
    """The two layouts of `A -> B`; None for any other text.

    >>> conversion_in("tensor<4xf32, #ttg.a<{}>> -> tensor<4xf32, #ttg.b<{}>>")
    ('tensor<4xf32, #ttg.a<{}>>', 'tensor<4xf32, #ttg.b<{}>>')
    """
    match = ARROW.search(text)
    if match is None:
        return None
    cut = match.start() + match[0].index("->")
    return text[:cut].strip(), text[cut + 2 :].strip()
