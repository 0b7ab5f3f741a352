"""A case in digits: what its coordinates, expressions and operations on bits come to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import ONE, Poly, atom
from symlayout.digits.powers import below
from symlayout.digits.radix import is_size
from symlayout.digits.rebuild import Rebuild
from symlayout.digits.samples import behind
from symlayout.expr.conditions import Less
from symlayout.expr.terms import BitAnd, BitOr, BitXor, Operation, Where, symbol
from symlayout.expr.tree import Expr, Integer, Symbol, expand
from symlayout.prove.maps.bits import POWERS, operands_of
from symlayout.prove.maps.cases import Case, World, inside


class View:
    """A case in digits: what its coordinates and expressions come to."""

    def __init__(self, world: World, case: Case, first: int | None = None) -> None:
        many = len(case.coords) if first is None else first
        self.world, self.case, self.coords = world, case, case.coords[:many]
        self.begin(case.shape[:many], case.premises if first is None else ())

    def begin(self, shape: tuple[Expr, ...], premises: tuple[Less, ...]) -> None:
        """What is known of the places, and from the premises one after the other.

        Most cases of a world have their places in common with others: each has a copy.
        """
        key = self.coords, shape, premises
        state = self.world.views.get(key)
        if state is None:
            if premises:
                self.begin(shape, premises[:-1])
                gap = self.poly(premises[-1].right) - self.poly(premises[-1].left) - 1
                self.ctx.assume_nonnegative(gap)
            else:
                self.ctx: Context = self.world.context()
                self.env = inside(self.ctx, self.coords, shape)
                self.sizes: list[Poly] = [self.ctx.poly(d, self.env) for d in shape]
                # operations on bits, by atom
                self.bits: dict[int, tuple[Any, tuple[Poly, ...]]] = {}
                self.operations: dict[Symbol, tuple[Any, Expr]] = {}
            state = self.ctx, self.env, self.bits, self.operations, self.sizes
            self.world.views[key] = state
        ctx, *tables, sizes = state
        self.ctx, self.sizes = ctx.fork(), [*sizes]
        self.env, self.bits, self.operations = map(dict, tables)
        self.symbols = {p.single(): c for c, p in self.env.items() if p.terms and c in self.coords}

    def poly(self, e: Expr) -> Poly:
        """The expression in digits, with an atom for each operation on bits; raises `Undecided`."""
        if e.has(Where):
            raise Undecided("a conditional stands open")
        return self.ctx.poly(self.placed(e) if e.has(Operation) else e, self.env)

    def placed(self, e: Expr) -> Expr:
        """The expression with a symbol for each operation on bits."""
        if not e.args:
            return e
        args = [self.placed(a) for a in e.args]
        if not isinstance(e, (BitXor, BitOr, BitAnd)):
            result: Expr = e.func(*args)
            return result
        kind = type(e)
        operands = [self.poly(a) for x in args for a in operands_of(kind, x, self.operations)]
        if kind is BitXor:
            operands = [p for p in dict.fromkeys(operands) if operands.count(p) % 2]
        else:
            operands = list(dict.fromkeys(operands))
        operands.sort(key=repr)
        if not operands:
            return Integer(0)
        if len(operands) == 1:
            only = operands[0]
            name = next((s for s, p in self.env.items() if p == only), None)
            return name if name is not None else self.expr(only)
        key = (kind, tuple(operands))
        same = next((n for n, known in self.bits.items() if known == key), None)
        if same is not None:
            return self.made_by(same)
        ctx = self.ctx
        p = next((q for q in self.powers(operands) if self.below(operands, q, kind)), None)
        number = ctx.new_atom(f"bits{len(self.bits)}", "merged", None if p is None else 0, None)
        if p is not None:
            ctx.atoms[number].high = p - 1
        self.bits[number] = key
        x = symbol(f"$bits{len(self.bits)}")
        self.env[x] = atom(number)
        self.operations[x] = (kind, reduce(kind, args))
        return x

    def made_by(self, number: int) -> Symbol:
        """The symbol of an operation's atom."""
        return next(s for s, p in self.env.items() if p.single() == number and s in self.operations)

    def powers(self, operands: Sequence[Poly]) -> list[Poly]:
        """Powers of two that operands may be below: small numbers, and factors of extents."""
        ends = [self.ctx.high(a) for p in operands for a in sorted(p.atoms)]
        bounds = [below(self.ctx, h + 1) for h in ends if h is not None]
        return [*map(Poly.of, POWERS), *[p for p in dict.fromkeys(bounds) if not p.is_constant]]

    def below(self, operands: Sequence[Poly], p: Poly, kind: Any) -> bool:
        """Whether the result of the operation is in [0, p), a power of 2."""
        fits = [self.ctx.nonneg(q) and self.ctx.nonneg(p - 1 - q) for q in operands]
        return any(fits) if kind is BitAnd else all(fits)

    def polys(self, many: Sequence[Expr]) -> list[Poly]:
        """The expressions in digits, each with all the digits that any of them has made."""
        ctx = self.ctx
        for _ in range(3):
            before = len(ctx.replaced)
            polys = [self.poly(e) for e in many]
            if len(ctx.replaced) == before or not ctx.has_opaque:
                break
            ctx.forget()
        return [ctx.resolve(p) for p in polys]

    def expr(self, p: Poly) -> Expr:
        """A polynomial of coordinates and sizes as an expression."""
        hits = {n: c for n, c in self.symbols.items() if n is not None}
        hits |= {n: self.made_by(n) for n in self.bits}
        result = expand(Rebuild(self.ctx, hits).expression(self.ctx.resolve(p)))
        return self.unplaced(result) if self.bits else result

    def unplaced(self, e: Expr) -> Expr:
        """The expression with operations on bits in the place of their symbols."""
        table = {}
        for x in e.free_symbols & self.operations.keys():
            number = self.env[x].single()
            assert number is not None
            kind, operands = self.bits[number]
            table[x] = reduce(kind, [self.expr(q) for q in operands])
        return e.xreplace(table)

    # -- what atoms are ---------------------------------------------------------------------------

    def coordinate(self, number: int) -> bool:
        """Whether a coordinate, or a digit of one, is behind the atom."""
        hits = behind(self.ctx, atom(number))
        return not (hits.isdisjoint(self.bits) and is_size(self.ctx, *hits))

    def behind(self, p: Poly) -> set[int]:
        """The atoms of p and those that these are made of, operations on bits included."""
        hits, pending = set[int](), behind(self.ctx, p)
        while pending:
            n = pending.pop()
            if n not in hits:
                hits.add(n)
                if n in self.bits:
                    for q in self.bits[n][1]:
                        pending |= behind(self.ctx, q)
        return hits

    def free_of(self, p: Poly, numbers: set[int]) -> bool:
        """Whether none of the atoms is behind the polynomial."""
        return self.behind(self.ctx.resolve(p)).isdisjoint(numbers)

    def reached(self) -> list[Poly]:
        """The results in digits; everything else that is evaluated has a value."""
        polys = self.polys(self.case.values)
        return polys[len(polys) - len(self.case.results) :]

    def removable(self, x: Symbol) -> bool:
        """Whether nothing but what is evaluated speaks of the coordinate."""
        case = self.case
        return not (case.premises or case.guard or any(d.has(x) for d in case.shape))

    def new(self, x: int) -> Symbol:
        """A new name like that of a coordinate."""
        return self.world.fresh(f"{self.symbols[x].name.strip('$')}_", self.case)

    def atom(self, y: Symbol, high: Poly | None) -> int:
        """The atom of a new coordinate."""
        number = self.ctx.new_atom(y.name, "coord", 0, high)
        self.symbols[number] = y
        self.env[y] = atom(number)
        return number

    def plain(self, p: Poly) -> bool:
        """Whether only sizes are in it."""
        return not any(self.coordinate(a) for a in self.ctx.resolve(p).atoms)

    def extent(self, number: int) -> Poly:
        """The extent of a coordinate."""
        high = self.ctx.high(number)
        assert high is not None
        return high + 1

    def at_least(self, p: Poly, scale: Poly | None = None) -> bool:
        """p >= 0, also where only a multiple of it is seen to be more than the divisor below 0.

        Of sizes alone it has to be so whether or not the case has a point.
        """
        ctx = self.ctx
        if self.plain(p) and not ctx.resolve(p).is_constant:
            ctx = self.world.context()
            p = ctx.poly(self.expr(p))
            scale = None if scale is None else ctx.poly(self.expr(scale))
        if ctx.nonneg(p):
            return True
        return scale is not None and scale != ONE and ctx.nonneg(p * scale + scale - 1)
