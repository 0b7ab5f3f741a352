"""The compiler's own count of memory: what it writes beside a module when it dumps it.

`-buffer-assignment.txt` lists its allocations, `-memory-usage-report.txt` their total for each
memory space.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from symlayout.programs.hlo.memory import Footprint
from symlayout.text.patterns import regex

BESIDE = ("-buffer-assignment.txt", "-memory-usage-report.txt")
ALLOCATION = regex(
    r"^allocation \d++:(?: 0x[0-9a-f]++,)? size (?P<size>\d++)(?P<rest>[^\n]*+)", re.M
)
COLOUR = regex(r"\bcolor (\d++)")
SPACE = regex(r"^Memory Space:[^\n]*?\(color=(?P<colour>\d++)\)", re.M)
TOTAL = regex(r"^Total bytes(?: used)?: (?P<bytes>\d++)", re.M)


@dataclass(frozen=True)
class Assignment:
    """Bytes as the compiler counts them; None where the files beside the module do not say.

    `spaces` are the totals of each memory space, with what its allocations share and leave unused.
    """

    arguments: int | None = None
    outputs: int | None = None
    spaces: tuple[tuple[int, int], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON can hold them."""
        spaces = {str(n): size for n, size in self.spaces}
        return {"arguments": self.arguments, "outputs": self.outputs, "spaces": spaces}


def read_assignment(text: str) -> Assignment:
    """The counts of either file, or of both in one text.

    >>> read_assignment('''BufferAssignment:
    ... allocation 0: size 8, output shape is |u32[2]|, maybe-live-out:
    ...  value: <7 f @0> (size=8,offset=0): u32[2]{0}
    ... allocation 1: size 4, parameter 0, shape |s32[]| at ShapeIndex {}:
    ... ''')
    Assignment(arguments=4, outputs=8, spaces=((0, 12),))
    """
    spaces: Counter[int] = Counter()
    arguments = outputs = 0
    hits = list(ALLOCATION.finditer(text))
    for a in hits:
        rest, size = a["rest"], int(a["size"])
        colour = COLOUR.search(rest)
        if "thread-local" not in rest:
            spaces[0 if colour is None else int(colour[1])] += size
        arguments += size if re.search(r"\bparameter \d", rest) else 0
        outputs += size if "maybe-live-out" in rest else 0
    if not hits:
        places = [(s.start(), int(s["colour"])) for s in SPACE.finditer(text)]
        for total in TOTAL.finditer(text):
            before = [colour for at, colour in places if at < total.start()]
            spaces[before[-1] if before else 0] += int(total["bytes"])
        return Assignment(None, None, tuple(sorted(spaces.items())))
    return Assignment(arguments, outputs, tuple(sorted(spaces.items())))


def comparison(own: Footprint, theirs: Assignment) -> list[str]:
    """Lines about where both counts agree, and where not."""
    lines = []
    if theirs.arguments is not None and own.arguments is not None:
        same = "the same" if own.arguments == theirs.arguments else f"{own.arguments:,} here"
        lines.append(f"  the compiler counts {theirs.arguments:,} bytes of arguments, {same}")
    for number, size in theirs.spaces:
        space = own.spaces.get(number)
        peak = None if space is None else space.peak
        if peak is None:
            lines.append(f"  the compiler allocates {size:,} bytes in S({number})")
        else:
            share = f"{100 * peak / size:.0f} %" if size else "-"
            room = f"{size:,} bytes in S({number})"
            lines.append(f"  the compiler allocates {room}: the peak is {share} of it")
    return lines
