"""Random texts of CuTe's operations, of numbers or of sizes, nested."""

from __future__ import annotations

import random
from collections.abc import Callable

NAMES = ("M", "N", "K", "L", "ld")
FACTS = (
    *("M % 2 == 0", "N % 4 == 0", "M % K == 0", "K >= 2", "M >= N", "ld >= N", "ld % N == 0"),
    *("L == 1", "N % K == 0", "M == 1", "N % 6 == 0", "K == 2*L"),
)
WORDS = ("logical", "zipped", "tiled", "flat")


class Texts:
    """Draws texts; with `symbols` sizes are names as well."""

    def __init__(self, rng: random.Random, symbols: bool) -> None:
        self.rng, self.symbols = rng, symbols

    def one(self, *options: str) -> str:
        return self.rng.choice(options)

    def size(self) -> str:
        if self.symbols and self.rng.random() < 0.6:
            return self.one(*NAMES[:4])
        return self.one(*"11223446", "8")

    def modes(self, rank: int = 0) -> str:
        """`shape:stride`: compact in one order or the other, or with any strides."""
        rank = rank or self.rng.randint(1, 3)
        sizes = [self.size() for _ in range(rank)]
        kind = self.rng.random()
        steps = ["*".join(sizes[:k]) or "1" for k in range(rank)]
        if kind > 0.35:
            steps = ["*".join(sizes[k + 1 :]) or "1" for k in range(rank)]
        if kind > 0.7:
            more = ("M", "N", "K*M", "ld", "2*N") if self.symbols else ("5", "9", "24")
            steps = [self.one(*"012348", "12", "16", *more) for _ in sizes]
        if rank == 3 and self.rng.random() < 0.4:
            return "({},({},{})):({},({},{}))".format(*sizes, *steps)
        return f"{sizes[0]}:{steps[0]}" if rank == 1 else f"({','.join(sizes)}):({','.join(steps)})"

    def swizzled(self) -> str:
        bits = self.rng.randint(0, 2)
        shift = self.rng.choice([1, -1]) * self.rng.randint(bits, 3) if bits else 1
        swizzle = f"Swizzle({bits},{self.rng.randint(0, 2)},{shift})"
        return f"{swizzle} o {self.one(*'0014')} o {self.modes()}"

    def operand(self, depth: int) -> str:
        kind = self.rng.random()
        if depth and kind < 0.45:
            return self.operation(depth - 1)
        return self.modes() if kind < 0.9 else self.swizzled()

    def tiler(self) -> str:
        a, b = self.size(), self.size()
        pair = f"({a}:{self.one(*'12')},{b}:{self.one(*'12')})"
        return self.one(
            f"({a},{b})", f"({a},{b})", a, f"{a}:{self.one(*'1124')}", pair, self.modes()
        )

    def operation(self, depth: int) -> str:
        """An operation, whose operands may be operations."""
        a, b = self.operand(depth), self.operand(depth)
        draw: Callable[..., str] = self.one
        n, word = self.size(), draw(*WORDS)
        bound = draw("24", "36", "64", *(("M*N", "4*M*N", "M*N*K") if self.symbols else ()))
        wide = draw("8", "24", *(("4*M", "8*N") if self.symbols else ()))
        return draw(
            *(f"coalesce({a})", f"coalesce({a}, (1,1))", f"complement({a})"),
            *(f"complement({a}, {bound})", f"complement({a}, 36, weak=True)", f"filter({a})"),
            *(f"filter_zeros({a})", f"nullspace({a})", f"left_inverse({a})"),
            *(f"left_inverse({a}, weak=True)", f"right_inverse({a})", f"flatten({a})"),
            *(f"make_layout_like({a})", f"append({a}, {self.modes(1)})", f"batch({a}, {n})"),
            *(f"prepend({a}, {self.modes(1)}, 4)", f"PrependDim({a}, {n}, {self.size()})"),
            *(f"composition({a}, {b})", f"composition({a}, {self.tiler()})"),
            f"composition(Swizzle<{draw('1,0,1', '2,0,2', '2,1,3', '1,1,-1')}>, {a})",
            f"compose_swizzle(Swizzle<2,0,2>, {a}, {draw(*'048')})",
            f"tile_to_shape({a}, ({wide},{wide}){draw('', ', (1,0)', ', order=(0,1)')})",
            *(f"replace({a}, {draw(*'012')}, {self.modes()})", f"take({a}, {draw(*'01')}, 2)"),
            *(f"group_modes({a}, 0, {draw(*'123')})", f"select({a}, 1, 0)", f"get({a}, 1)"),
            f"recast({a}, {draw('4', '8', '16', '32')}, {draw('4', '8', '16', '24')})",
            *(f"unflatten({a}, ((0,0),0))", f"make_layout_tile({a}, ({n},{self.size()}))"),
            f"get_tile_layout({a}, ({n},{self.size()}), ({draw(*'0123')},{draw(*'0123')}))",
            *(f"max_common_layout({a}, {b})", f"{word}_divide({a}, {self.tiler()})"),
            f"{word}_divide({a}, {self.tiler()})",
            f"{draw(*WORDS, 'blocked', 'raked')}_product({a}, {draw(self.tiler(), b)})",
            *(f"upcast({a}, {draw(*'1234')})", f"downcast({a}, {draw(*'123')})"),
            f"slice_({draw('(_,1)', '(0,_)', '(_,(0,_))', '((_,0),_)', '_', '(1,_,_)')}, {a})",
            *(f"slice_layout((_,0), {a})", f"dice({draw('(_,1)', '(0,_)', '(_,(0,_))')}, {a})"),
            f"domain_distribute(({n},{self.size()}), {self.size()})",
            f"make_ordered_layout(({n},{self.size()},2), {draw('(0,1,2)', '(2,0,1)')})",
            f"make_layout({a}, {b})",
        )
