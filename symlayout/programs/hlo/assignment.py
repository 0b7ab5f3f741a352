"""The compiler's own count of memory: what it writes beside a module when it dumps it.

`-buffer-assignment.txt` lists its allocations and the values in them, `-memory-usage-report.txt`
the total for each memory space.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from symlayout.programs.hlo.memory import HOST, Footprint
from symlayout.text.lines import in_bytes
from symlayout.text.patterns import regex

BESIDE = ("-buffer-assignment.txt", "-memory-usage-report.txt")
ALLOCATION = regex(
    r"^allocation \d++:(?: 0x[0-9a-f]++,)? size (?P<size>\d++)(?P<rest>[^\n]*+)", re.M
)
VALUE = regex(
    r"^ value: <\d++ (?P<name>[^\s{}<>]++)(?:(?>\{(?P<path>[\d,]*+)\}))?+(?: \(phi\))? @\d++>"
    r" \(size=\d++,offset=(?P<offset>\d++)\)",
    re.M,
)
COLOUR = regex(r"\bcolor (\d++)")
SPACE = regex(r"^Memory Space:[^\n]*?\(color=(?P<colour>\d++)\)", re.M)
TOTAL = regex(r"^Total bytes(?: used)?: (?P<bytes>\d++)", re.M)
TEMPORARY = "preallocated-temp"


@dataclass(frozen=True)
class Assignment:
    """Bytes as the compiler counts them; None where the files beside the module do not say.

    Arguments and outputs in the memory of the host are left out.  `spaces` are the totals of each
    memory space, with what its allocations share and leave unused; `temporaries` what of them is no
    argument, output or constant.  `offsets` say where in the latter each value lies, by the name
    of its instruction and its place in the result.
    """

    arguments: int | None = None
    outputs: int | None = None
    spaces: tuple[tuple[int, int], ...] = ()
    temporaries: tuple[tuple[int, int], ...] = ()
    offsets: dict[tuple[str, tuple[int, ...]], int] = field(
        default_factory=dict, repr=False, hash=False
    )

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON can hold them."""
        spaces = {str(n): size for n, size in self.spaces}
        temporaries = {str(n): size for n, size in self.temporaries}
        counts = {"arguments": self.arguments, "outputs": self.outputs}
        return {**counts, "spaces": spaces, "temporaries": temporaries}

    def add_offsets(self, module: dict[str, Any]) -> None:
        """Adds where the compiler puts temporaries to what JSON holds of a module."""
        for space in module["spaces"].values():
            for row in space["alive"]:
                at = self.offsets.get((row["name"], tuple(row["part"])))
                if at is not None and row["kind"] == "temporary":
                    row["offset"] = at


def read_assignment(text: str) -> Assignment:
    """The counts of either file, or of both in one text.

    >>> read_assignment('''BufferAssignment:
    ... allocation 0: size 8, output shape is |u32[2]|, maybe-live-out:
    ...  value: <7 f @0> (size=8,offset=0): u32[2]{0}
    ... allocation 1: size 4, parameter 0, shape |s32[]| at ShapeIndex {}:
    ... ''')
    Assignment(arguments=4, outputs=8, spaces=((0, 12),), temporaries=())
    """
    spaces: Counter[int] = Counter()
    temporaries: Counter[int] = Counter()
    offsets: dict[tuple[str, tuple[int, ...]], int] = {}
    arguments = outputs = 0
    hits = list(ALLOCATION.finditer(text))
    ends = [a.start() for a in hits[1:]]
    for a, end in zip(hits, [*ends, len(text)]):
        rest, size = a["rest"], int(a["size"])
        match = COLOUR.search(rest)
        colour = 0 if match is None else int(match[1])
        if "thread-local" not in rest:
            spaces[colour] += size
        if colour != HOST:
            arguments += size if re.search(r"\bparameter \d", rest) else 0
            outputs += size if "maybe-live-out" in rest else 0
        if TEMPORARY in rest:
            temporaries[colour] += size
            for v in VALUE.finditer(text, a.end(), end):
                path = tuple(int(n) for n in (v["path"] or "").split(",") if n)
                offsets[v["name"], path] = int(v["offset"])
    if not hits:
        places = [(s.start(), int(s["colour"])) for s in SPACE.finditer(text)]
        for total in TOTAL.finditer(text):
            before = [colour for at, colour in places if at < total.start()]
            spaces[before[-1] if before else 0] += int(total["bytes"])
        return Assignment(None, None, tuple(sorted(spaces.items())))
    first, second = (tuple(sorted(sizes.items())) for sizes in (spaces, temporaries))
    return Assignment(arguments, outputs, first, second, offsets)


def comparison(own: Footprint, theirs: Assignment) -> Iterator[str]:
    """Lines about where both counts agree, and where not."""
    if theirs.arguments is not None and own.arguments is not None:
        same = "the same" if own.arguments == theirs.arguments else f"{own.arguments:,} here"
        yield f"  the compiler counts {theirs.arguments:,} bytes of arguments, {same}"
    temporaries = dict(theirs.temporaries)
    for number, size in theirs.spaces:
        space = own.spaces.get(number)
        room = f"  the compiler allocates {in_bytes(size)} in S({number})"
        if space is None or space.needed is None:
            yield room
            continue
        share = f" ({100 * space.needed / size:.1f} %)" if size else ""
        yield f"{room}; {space.needed:,} are needed{share}"
        gap = temporaries.get(number, 0) - (space.temporaries or 0)
        if gap > 0:
            room = in_bytes(temporaries[number])
            yield f"    its temporaries take {room}, of which {in_bytes(gap)} are gaps and tables"
