"""How long proofs take, beside plain Z3 and cvc5 on the same claims with div and mod as written.

Every time is of a warm interpreter and of one whole claim: facts read, claim proved or refuted, the
verdict made.  No verdict is remembered from run to run; three columns show what could be:

    maps   the index maps are made beforehand (median of the runs)
    text   the layouts are read from their texts in every run (median)
    new    from text, and every run has symbols of names not seen before (median)

A limit is held against `maps` and `text`; `new` shows how much SymPy's own cache of sums and
products gives.  Then refutations with their counterexamples, and the growth over rank and tile levels.
Exit code 1 when a limit is passed, a verdict is not the expected one, or the growth is no low
polynomial.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import plain
from timing import (
    OutOfTime,
    Times,
    at_most,
    count_processor_time,
    measure,
    measure_each,
    milliseconds,
    table,
)

import symlayout as sl
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Size, ceildiv
from symlayout.layouts.indexmap import CoordMap, IndexMap
from symlayout.prove.verdict import Verdict

STEEPEST = 4.0  # the power of the rank beyond which a row of the growth table is called a cliff
CELL = 3.0  # seconds of processor time that one cell of the growth table may take
Tiles = Sequence[Sequence[str]]


def pad_reshape_transpose(dims: Sequence[str], tiles: Tiles) -> IndexMap:
    """The index map of a tiled array made by array operations, without the tile formula."""
    array = CoordMap.identity([read_expression(d) for d in dims])
    for tile in tiles:
        widths: list[Size] = [read_expression(t) for t in tile]
        lead, n = len(array.sizes) - len(widths), len(widths)
        counts = [ceildiv(d, t) for d, t in zip(array.sizes[lead:], widths)]
        untiled = array.sizes[:lead]
        array = array.pad([*untiled, *(c * t for c, t in zip(counts, widths))])
        array = array.reshape([*untiled, *(x for pair in zip(counts, widths) for x in pair)])
        outside = [lead + 2 * k for k in range(n)]
        within = [lead + 2 * k + 1 for k in range(n)]
        array = array.transpose([*range(lead), *outside, *within])
    return array.index_map()


def tiled(dims: Sequence[str], tiles: Tiles) -> str:
    """The XLA text of a row-major array with those tiles."""
    order = ",".join(str(k) for k in reversed(range(len(dims))))
    levels = "".join(f"({','.join(t)})" for t in tiles)
    return f"f32[{','.join(dims)}]{{{order}:T{levels}}}"


@dataclass(frozen=True)
class Claim:
    """A row: a claim word, its layouts, the facts, the limit in ms, and the expected verdict.

    `steps` are dimensions and tiles of which pad-reshape-transpose makes the right side; `inverse`
    asks for the inverse in closed form as well.
    """

    title: str
    limit: float
    word: str
    layouts: tuple[str, ...]
    where: tuple[str, ...] = ()
    steps: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None = None
    inverse: bool = False
    expected: str = "proved"

    def maps(self) -> list[IndexMap]:
        made = [sl.parse(text).index_map() for text in self.layouts]
        return made if self.steps is None else [*made, pad_reshape_transpose(*self.steps)]

    def prove(self, maps: Sequence[IndexMap]) -> Verdict:
        verdict: Verdict = getattr(sl.prove, self.word)(*maps, where=self.where)
        if self.inverse:
            maps[0].inverse(self.where)
        return verdict

    def renamed(self, mark: str) -> Claim:
        """The same claim with other names for all its symbols."""
        names = {n for m in self.maps() for n in m.symbols}
        names |= {w for fact in self.where for w in re.findall(r"[A-Za-z]\w*", fact)}
        word = re.compile(rf"\b({'|'.join(sorted(names))})\b") if names else None

        def new(text: str) -> str:
            return word.sub(rf"\1{mark}", text) if word else text

        steps = self.steps and (
            tuple(map(new, self.steps[0])),
            tuple(tuple(map(new, t)) for t in self.steps[1]),
        )
        layouts, where = tuple(map(new, self.layouts)), tuple(map(new, self.where))
        return Claim(self.title, self.limit, self.word, layouts, where, steps, self.inverse)


def against_steps(rank: int, limit: float) -> Claim:
    dims = tuple(f"d{k}" for k in range(rank))
    tile = tuple(f"t{k}" for k in range(rank))
    title = f"tile formula = pad-reshape-transpose, all sizes and tiles symbolic, rank {rank}"
    return Claim(title, limit, "equal", (tiled(dims, [tile]),), steps=(dims, (tile,)))


TPU = "bf16[M,N]{1,0:T(8,128)(2,1)}"
PQ = "f32[M,N]{1,0:T(p,q)}"
CLAIMS = (
    against_steps(2, 5),
    against_steps(4, 25),
    against_steps(6, 150),
    Claim(f"{TPU} injective", 10, "injective", (TPU,)),
    Claim(f"{TPU} bounded", 10, "bounded", (TPU,)),
    Claim(
        f"{TPU} bijective, 8 | M, 128 | N",
        10,
        "bijective",
        (TPU,),
        ("M % 8 == 0", "N % 128 == 0"),
    ),
    Claim("three symbolic tile sizes injective", 30, "injective", ("f32[K,M,N]{2,1,0:T(p,q,r)}",)),
    Claim(
        "tile (p,q), M = p*m, N = q*n bijective, and its inverse",
        5,
        "bijective",
        (PQ,),
        ("M == p*m", "N == q*n"),
        inverse=True,
    ),
    Claim(
        "the same with the sizes written p*m, q*n",
        5,
        "bijective",
        ("f32[p*m,q*n]{1,0:T(p,q)}",),
        inverse=True,
    ),
    Claim("two symbolic tile levels injective", 20, "injective", ("f32[M,N]{1,0:T(p,q)(r,s)}",)),
    Claim(
        "pitch i*S + j with S >= N injective",
        20,
        "injective",
        ("strided f32[M,N] strides(S,1)",),
        ("S >= N",),
    ),
    Claim(
        "f32[2048,2048]{1,0:T(8,128)} bijective",
        5,
        "bijective",
        ("f32[2048,2048]{1,0:T(8,128)}",),
    ),
)


def refutation(left: str, right: str, *where: str) -> Claim:
    title = f"{left} = {right}" + (f", {', '.join(where)}" if where else "")
    return Claim(title, 50, "equal", (left, right), where, expected="refuted")


REFUTED = (
    refutation(PQ, "f32[M,N]{1,0:T(q,p)}"),
    refutation(PQ, "f32[M,N]{1,0:T(r,s)}"),
    refutation(PQ, "f32[M,N]{0,1:T(p,q)}"),
    refutation(PQ, "f32[M,N]{1,0:T(p,q)(r,s)}"),
    refutation(PQ, "f32[M,N]{1,0:T(q,p)}", "p >= 4", "q >= 4"),
    refutation("f32[M,N]{1,0:T(p,q)(r,s)}", "f32[M,N]{1,0:T(p,q)(s,r)}", "M % p == 0"),
)


@dataclass(frozen=True)
class Row:
    """A claim's times, and whether its verdict and all its times are as wanted."""

    claim: Claim
    verdict: Verdict
    maps: Times
    text: Times
    new: Times

    @property
    def good(self) -> bool:
        worst = max(self.maps.median, self.text.median)
        return self.verdict.status == self.claim.expected and worst <= self.claim.limit

    def cells(self) -> list[str]:
        times = [milliseconds(t.median) for t in (self.maps, self.text, self.new)]
        least = milliseconds(self.maps.least)
        return [self.claim.title, self.verdict.status, least, *times, f"{self.claim.limit:g}"]


HEAD = ("claim", "verdict", "least", "maps", "text", "new", "limit ms", "")


def timed(claim: Claim, seconds: float) -> Row:
    """The three columns of a claim."""
    maps = claim.maps()
    verdict = claim.prove(maps)
    named = [claim.renamed(f"_{k}") for k in range(25)]
    return Row(
        claim,
        verdict,
        measure(lambda: claim.prove(maps), seconds=seconds),
        measure(lambda: claim.prove(claim.maps()), seconds=seconds),
        measure_each((partial(_whole, c) for c in named), seconds=seconds),
    )


def _whole(claim: Claim) -> Verdict:
    return claim.prove(claim.maps())


def show(rows: Sequence[Row]) -> bool:
    """Prints the rows; whether all are good."""
    print(table(HEAD, [[*r.cells(), "ok" if r.good else "OVER"] for r in rows], left=2))
    return all(r.good for r in rows)


# -- plain solvers -------------------------------------------------------------------------------------


def beside(claims: Sequence[Claim], limit: float) -> None:
    """The same claims as written, given to whatever solvers are installed."""
    solvers = plain.available()
    print(f"\nthe same claims as written, with div and mod, {limit:g} s each")
    rows = []
    for claim in claims:
        text = plain.negation(claim.word, claim.maps(), claim.where)
        rows.append([claim.title, *map(str, plain.ask(text, solvers, limit))])
    print(table(("claim", *solvers), rows))


# -- growth --------------------------------------------------------------------------------------------


def hardware(rank: int, levels: int) -> Tiles:
    """Tile sizes that are numbers: (..,2,8,128) under (..,2,1) and so on down."""
    first = ["2"] * max(0, rank - 2) + ["8", "128"][-rank:]
    rest = (["2"] * rank, ["1"] * (rank - 1) + ["2"], ["1"] * rank)
    return [first, *rest][:levels]


def symbolic(rank: int, levels: int) -> Tiles:
    """Every tile size of every level a symbol of its own."""
    return [[f"{letter}{k}" for k in range(rank)] for letter in "tuvw"[:levels]]


def cell(word: str, dims: Sequence[str], tiles: Tiles) -> tuple[float, str]:
    """The least milliseconds of a claim and its verdict; infinite when it takes too long."""
    maps = [sl.parse(tiled(dims, tiles)).index_map()]
    try:
        with at_most(CELL):
            if word == "equal":
                maps.append(pad_reshape_transpose(dims, tiles))
            run: Callable[[], Verdict] = lambda: getattr(sl.prove, word)(*maps)  # noqa: E731
            start = time.process_time()
            status = run().status
            first = time.process_time() - start
            least = measure(run, most=5, seconds=0.3).least if first < 0.5 else first * 1e3
            return least, status
    except OutOfTime:
        return math.inf, ""


def growth(word: str, tiles_of: Callable[[int, int], Tiles], title: str) -> bool:
    """A table over rank and levels; whether every column grows as a low polynomial."""
    print(f"\n{title}: ms by rank and tile levels (each cell at most {CELL:g} s)")
    grid: dict[tuple[int, int], float] = {}
    rows = []
    good = True
    for rank in range(1, 9):
        row = [str(rank)]
        for levels in range(1, 5):
            if grid.get((rank - 1, levels)) == math.inf:
                grid[rank, levels] = math.inf
                row.append("-")
                continue
            dims = [f"d{k}" for k in range(rank)]
            least, status = cell(word, dims, tiles_of(rank, levels))
            grid[rank, levels] = least
            good = good and status == "proved"
            said = "" if status in ("proved", "") else f" {status}"
            row.append((milliseconds(least) if least < math.inf else f"> {CELL * 1e3:g}") + said)
        rows.append(row)
    powers = [power(grid[4, levels], grid[8, levels]) for levels in range(1, 5)]
    rows.append(["power", *(f"{p:.1f}" if p < math.inf else "-" for p in powers)])
    print(table(("rank", *(f"{n} level{'s' * (n > 1)}" for n in range(1, 5))), rows))
    return good and all(p <= STEEPEST for p in powers)


def power(at_four: float, at_eight: float) -> float:
    """The power of the rank with which the time grows from rank 4 to rank 8."""
    return math.log2(at_eight / at_four) if at_eight < math.inf else math.inf


# -- the program ---------------------------------------------------------------------------------------


def parts(options: argparse.Namespace) -> Iterator[bool]:
    clock = "processor time" if options.cpu else "wall clock"
    print(f"proofs, warm, ms of {clock}")
    yield show([timed(c, options.seconds) for c in CLAIMS])
    print(f"\nrefutations of two symbolic tilings, warm, ms of {clock}")
    refuted = [timed(c, options.seconds) for c in REFUTED]
    yield show(refuted)
    for row in refuted:
        example = row.verdict.counterexample
        print(f"  {row.claim.title}:\n    {example if example else row.verdict.reason}")
    if not options.no_growth:
        for tiles_of, what in ((symbolic, "symbolic"), (hardware, "numbers")):
            for word, right in (("equal", " to pad-reshape-transpose"), ("injective", "")):
                yield growth(word, tiles_of, f"{word}{right}, sizes symbolic, tile sizes {what}")
    if options.limit > 0:
        beside([*CLAIMS, *REFUTED[:2]], options.limit)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=20.0, metavar="SECONDS", help=(
        "for each claim and plain solver; 0 leaves the solvers out (20)"
    ))  # fmt: skip
    parser.add_argument("--seconds", type=float, default=0.5, help="for each time measured (0.5)")
    parser.add_argument("--cpu", action="store_true", help="processor time, on a busy machine")
    parser.add_argument("--no-growth", action="store_true", help="leave out rank and tile levels")
    options = parser.parse_args()
    if options.cpu:
        count_processor_time()
    return 0 if all(list(parts(options))) else 1


if __name__ == "__main__":
    sys.exit(main())
