"""Which polynomials the digit engine should compute with: our sparse dict, SymPy's, or FLINT's.

The work is what a proof does to the row-major number of an array of some rank: it is built by
Horner's rule, its coordinates are split into digits one after the other (each split makes two new
atoms and substitutes them), it is divided by strides, and its terms are looked at.  Atoms appear
while a proof runs.  Our own polynomials number them; a fixed ring must either have spare generators
from the start (`wide`: 96) or be made anew with every split, all polynomials carried over (`grown`).

All candidates compute the same; the results are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from sympy import ZZ
from sympy.polys.orderings import lex
from sympy.polys.rings import ring
from timing import count_processor_time, measure, table

from symlayout.digits import poly
from symlayout.digits.poly import Poly

WIDE = 96
# a monomial is the descending tuple of its atoms, repeated for powers
Terms = dict[tuple[int, ...], int]


class Library(Protocol):
    """A library's polynomials: made from atoms, added and multiplied with `+` and `*`."""

    def new(self) -> int: ...
    def atom(self, number: int) -> Any: ...
    def carry(self, p: Any) -> Any: ...
    def substitute(self, p: Any, table: Mapping[int, Any]) -> Any: ...
    def divide(self, p: Any, divisor: Any) -> tuple[Any, Any]: ...
    def by_power(self, p: Any, number: int) -> dict[int, Any]: ...
    def atoms(self, p: Any) -> set[int]: ...
    def terms(self, p: Any) -> Terms: ...


class Own:
    """`symlayout.digits.poly.Poly`."""

    def __init__(self) -> None:
        self.count = 0

    def new(self) -> int:
        self.count += 1
        return self.count - 1

    def atom(self, number: int) -> Poly:
        return poly.atom(number)

    def carry(self, p: Poly) -> Poly:
        return p

    def substitute(self, p: Poly, table: Mapping[int, Poly]) -> Poly:
        return p.substitute(table)

    def divide(self, p: Poly, divisor: Poly) -> tuple[Poly, Poly]:
        return p.reduce(divisor)

    def by_power(self, p: Poly, number: int) -> dict[int, Poly]:
        return p.by_power(number)

    def atoms(self, p: Poly) -> set[int]:
        return set(Poly(p.terms).atoms)  # a new one: a polynomial remembers its atoms

    def terms(self, p: Poly) -> Terms:
        return p.terms


def _exponents(terms: Mapping[tuple[int, ...], Any]) -> Terms:
    return {
        tuple(a for a in range(len(m) - 1, -1, -1) for _ in range(m[a])): int(c)
        for m, c in terms.items()
    }


class SympyRing:
    """`sympy.polys.rings`: dicts of exponent tuples as long as the ring has generators."""

    def __init__(self, grown: bool) -> None:
        self.grown = grown
        self.count = 0
        self.make(1 if grown else WIDE)

    def make(self, width: int) -> None:
        self.ring, *self.gens = ring([f"x{k}" for k in range(width)], ZZ, lex)

    def new(self) -> int:
        self.count += 1
        if self.grown and self.count > len(self.gens):
            self.make(self.count)
        return self.count - 1

    def atom(self, number: int) -> Any:
        return self.gens[number]

    def carry(self, p: Any) -> Any:
        return p.set_ring(self.ring) if self.grown else p

    def substitute(self, p: Any, table: Mapping[int, Any]) -> Any:
        return p.compose([(self.gens[a], by) for a, by in table.items()])

    def divide(self, p: Any, divisor: Any) -> tuple[Any, Any]:
        quotient, rest = p.div(divisor)
        return quotient, rest

    def by_power(self, p: Any, number: int) -> dict[int, Any]:
        parts: dict[int, Any] = {}
        for m, c in p.terms():
            rest = (*m[:number], 0, *m[number + 1 :])
            parts.setdefault(m[number], {})[rest] = c
        return {k: self.ring.from_dict(part) for k, part in parts.items()}

    def atoms(self, p: Any) -> set[int]:
        return {a for m in p.monoms() for a, e in enumerate(m) if e}

    def terms(self, p: Any) -> Terms:
        return _exponents(dict(p.terms()))


class Flint:
    """python-flint's `fmpz_mpoly`: C, exponents packed; a Python object for each look inside."""

    def __init__(self, grown: bool) -> None:
        self.grown = grown
        self.count = 0
        self.make(1 if grown else WIDE)

    def make(self, width: int) -> None:
        from flint import Ordering, fmpz_mpoly_ctx

        self.ctx = fmpz_mpoly_ctx.get([f"x{k}" for k in range(width)], Ordering.lex)
        self.gens = self.ctx.gens()

    def new(self) -> int:
        self.count += 1
        if self.grown and self.count > len(self.gens):
            self.make(self.count)
        return self.count - 1

    def atom(self, number: int) -> Any:
        return self.gens[number]

    def carry(self, p: Any) -> Any:
        return p.project_to_context(self.ctx) if self.grown else p

    def substitute(self, p: Any, table: Mapping[int, Any]) -> Any:
        return p.compose(*[table.get(k, g) for k, g in enumerate(self.gens)])

    def divide(self, p: Any, divisor: Any) -> tuple[Any, Any]:
        quotient, rest = divmod(p, divisor)
        return quotient, rest

    def by_power(self, p: Any, number: int) -> dict[int, Any]:
        parts: dict[int, Any] = {}
        for m, c in p.terms():
            rest = (*m[:number], 0, *m[number + 1 :])
            parts.setdefault(int(m[number]), {})[rest] = c
        return {k: self.ctx.from_dict(part) for k, part in parts.items()}

    def atoms(self, p: Any) -> set[int]:
        return {a for m in p.monoms() for a, e in enumerate(m) if e}

    def terms(self, p: Any) -> Terms:
        return _exponents(p.to_dict())


# -- the work ------------------------------------------------------------------------------------------


def horner(lib: Library, coords: Sequence[Any], sizes: Sequence[Any]) -> Any:
    """The row-major number of the coordinates."""
    number = coords[0]
    for c, d in zip(coords[1:], sizes[1:]):
        number = number * d + c
    return number


def start(lib: Library, rank: int) -> tuple[list[int], list[int], list[int]]:
    """The numbers of the atoms of sizes, tile sizes and coordinates."""
    made = [[lib.new() for _ in range(rank)] for _ in range(3)]
    return made[0], made[1], made[2]


def proof(lib: Library, rank: int) -> Any:
    """One run of everything: build, split each coordinate, divide by the stride, look inside."""
    sizes, tiles, coords = start(lib, rank)
    number = horner(lib, [lib.atom(c) for c in coords], [lib.atom(d) for d in sizes])
    for c, t in zip(coords, tiles):
        high, low = lib.new(), lib.new()
        number = lib.carry(number)
        number = lib.substitute(number, {c: lib.atom(t) * lib.atom(high) + lib.atom(low)})
        lib.by_power(number, high)
        lib.atoms(number)
    stride = lib.atom(sizes[-1])
    quotient, rest = lib.divide(number, stride)
    return quotient * stride + rest


def run(make: Callable[[], Library], rank: int) -> Any:
    """The whole work, from a library without any atoms."""
    return proof(make(), rank)


class Pieces:
    """The single operations, on polynomials made beforehand."""

    def __init__(self, lib: Library, rank: int) -> None:
        self.lib = lib
        sizes, tiles, coords = start(lib, rank)
        self.new = [lib.new() for _ in range(2 * rank)]
        atoms = [lib.atom(c) for c in coords]
        self.number = horner(lib, atoms, [lib.atom(d) for d in sizes])
        self.split = {
            c: lib.atom(t) * lib.atom(q) + lib.atom(r)
            for c, t, q, r in zip(coords, tiles, self.new, self.new[rank:])
        }
        self.digits = lib.substitute(self.number, self.split)
        self.stride = lib.atom(sizes[-1])
        self.factor = horner(lib, [lib.atom(t) for t in tiles], [lib.atom(d) for d in sizes])

    def operations(self) -> dict[str, Callable[[], Any]]:
        lib = self.lib
        return {
            "add": lambda: self.digits + self.number,
            "multiply": lambda: self.digits * self.factor,
            "substitute": lambda: lib.substitute(self.number, self.split),
            "divide": lambda: sum(lib.divide(self.digits, self.stride)),
            "by power": lambda: lib.by_power(self.digits, self.new[0])[1],
            "atoms": lambda: lib.atoms(self.digits),
        }


def candidates() -> dict[str, Callable[[], Library]]:
    """The libraries that are installed."""
    from importlib.util import find_spec

    made: dict[str, Callable[[], Library]] = {
        "own": Own,
        "SymPy wide": lambda: SympyRing(False),
        "SymPy grown": lambda: SympyRing(True),
    }
    if find_spec("flint"):
        made |= {"FLINT wide": lambda: Flint(False), "FLINT grown": lambda: Flint(True)}
    return made


def agree(makers: Mapping[str, Callable[[], Library]], rank: int) -> None:
    """Raises unless all libraries give the same polynomials."""
    own = Own()
    whole = own.terms(proof(own, rank))
    parts = {n: f() for n, f in Pieces(Own(), rank).operations().items()}
    for name, make in makers.items():
        lib = make()
        if lib.terms(proof(lib, rank)) != whole:
            raise SystemExit(f"{name}: the whole proof comes out different")
        lib = make()
        for operation, run in Pieces(lib, rank).operations().items():
            made = run() if operation == "atoms" else lib.terms(run())
            want = parts[operation]
            if made != (want if operation == "atoms" else want.terms):
                raise SystemExit(f"{name}: {operation} comes out different")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 6])
    parser.add_argument("--cpu", action="store_true", help="processor time, on a busy machine")
    options = parser.parse_args()
    if options.cpu:
        count_processor_time()
    makers = candidates()
    for rank in options.ranks:
        agree(makers, rank)
        pieces = {name: Pieces(make(), rank).operations() for name, make in makers.items()}
        rows = []
        for operation in next(iter(pieces.values())):
            times = [measure(pieces[n][operation], most=2001, seconds=0.1).median for n in makers]
            rows.append([operation, *(f"{t * 1e3:.1f}" for t in times)])
        whole = [
            measure(partial(run, make, rank), most=501, seconds=0.3).median
            for make in makers.values()
        ]
        rows.append(["a proof, atoms added", *(f"{t * 1e3:.1f}" for t in whole)])
        print(f"rank {rank}, median microseconds")
        print(table(("operation", *makers), rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
