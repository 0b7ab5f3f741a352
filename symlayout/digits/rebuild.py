"""From a polynomial in digits back to an expression, with few divisions."""

from __future__ import annotations

from symlayout.digits.atoms import Root
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Mono, Poly, atom
from symlayout.digits.windows import join
from symlayout.expr.terms import OF_OP, CeilDiv, Exp2, FloorDiv, Mod, symbol
from symlayout.expr.tree import Add, Expr, Integer, Mul, Symbol


class Rebuild:
    """Turns polynomials of one context into expressions of its symbols."""

    def __init__(self, ctx: Context, symbols: dict[int, Symbol] | None = None) -> None:
        self.ctx = ctx
        self.symbols = symbols or {}
        self._memo: dict[int, Expr] = {}
        self._begun = set[int]()

    def expression(self, p: Poly) -> Expr:
        """The expression of a polynomial, digits joined where they can be."""
        whole = self._remultiply(join(self.ctx, p))
        return self._nested(join(self.ctx, whole))

    def _remultiply(self, p: Poly) -> Poly:
        """Symbols that facts have replaced come back where the replacement occurs only whole."""
        for number, by in reversed(self.ctx.replaced.items()):
            info = self.ctx.atoms[number]
            if info.root is not None and self.ctx.roots.get(info.root):
                continue
            by = self.ctx.resolve(by)
            fresh = [a for a in by.atoms if self.ctx.atoms[a].definition[:2][1:] == (number,)]
            for a in fresh:
                parts = by.by_power(a)
                rest = atom(number) - parts.get(0, Poly({}))
                if set(parts) <= {0, 1} and parts[1].is_constant and abs(parts[1].constant) == 1:
                    p = p.substitute({a: rest * parts[1].constant})
                    continue
                split = p.by_power(a)
                over = split[1].exact(parts[1]) if 1 in split else None
                if over is not None and set(split) <= {0, 1}:
                    p = split.get(0, Poly({})) + over * rest
        return p

    # -- sums and products -------------------------------------------------------------------------

    def _nested(self, p: Poly) -> Expr:
        """Horner's form: the atom that most terms share is taken out, divisions first."""
        shared = self._most_shared(p)
        if shared is None:
            return Add(*[self._term(m, c) for m, c in p.terms.items()])
        inside: dict[Mono, int] = {}
        outside: dict[Mono, int] = {}
        for m, c in p.terms.items():
            if shared in m:
                rest = list(m)
                rest.remove(shared)
                inside[tuple(rest)] = c
            else:
                outside[m] = c
        factored = Mul(self.atom(shared), self._nested(Poly(inside)))
        return Add(factored, self._nested(Poly(outside))) if outside else factored

    def _most_shared(self, p: Poly) -> int | None:
        counts: dict[int, int] = {}
        for m in p.terms:
            for a in set(m):
                counts[a] = counts.get(a, 0) + 1
        best = max(counts.items(), key=lambda t: (t[1], self._weight(t[0]), -t[0]), default=(0, 0))
        return best[0] if best[1] > 1 else None

    def _weight(self, number: int) -> int:
        return (
            0 if number in self.symbols or self.ctx.atoms[number].kind in ("size", "coord") else 1
        )

    def _term(self, m: Mono, c: int) -> Expr:
        """A product; `2*2**(k - 1)` is `2**k`."""
        factors = []
        for x in map(self.atom, m):
            less = -int(x.args[0].as_coeff_Add()[0]) if isinstance(x, Exp2) else 0
            if less > 0 and c % 2**less == 0:
                x, c = Exp2(x.args[0] + less), c // 2**less
            factors.append(x)
        return Mul(Integer(c), *factors)

    # -- atoms -------------------------------------------------------------------------------------

    def atom(self, number: int) -> Expr:
        """The expression that an atom stands for."""
        if number not in self._memo:
            if number in self._begun:
                raise Undecided(f"facts write {self.ctx.name(number)} by itself")
            self._begun.add(number)
            self._memo[number] = self._build(number)
        return self._memo[number]

    def _build(self, number: int) -> Expr:
        ctx = self.ctx
        info = ctx.atoms[number]
        if number in self.symbols:
            return self.symbols[number]
        if ctx.by_name.get(info.name) == number:
            return symbol(info.name)
        if info.kind == "window":
            root = ctx.roots[info.definition[0]]
            first, last = (root.digits.index(d) for d in info.definition[1:])
            return self._window(root, first, last)
        if info.kind == "quotient":
            _, p, d = info.definition
            whole = ctx.resolve(p - d + 1)
            if whole.single() is not None:
                return CeilDiv(self.expression(whole), self.expression(ctx.resolve(d)))
            return FloorDiv(self.expression(ctx.resolve(p)), self.expression(ctx.resolve(d)))
        if info.definition and info.definition[0] in OF_OP:
            op, *parts = info.definition
            return OF_OP[op](*[self.expression(ctx.resolve(p)) for p in parts])
        if info.definition and info.definition[0] == "multiple":
            _, parent, m, _ = info.definition
            return FloorDiv(self.atom(parent), Integer(m))
        if info.definition and info.definition[0] == "factor":
            _, parent, d = info.definition
            return FloorDiv(self.atom(parent), self.expression(ctx.resolve(d)))
        if info.definition and info.definition[0] == "slack":
            _, parent, least = info.definition
            return self.atom(parent) - self.expression(ctx.resolve(least))
        root = ctx.roots[self._root_with(number)]
        place = root.digits.index(number)
        return self._window(root, place, place)

    def _root_with(self, number: int) -> int:
        """The root that holds this atom as a digit (an atom may be a root of its own as well)."""
        for name, root in self.ctx.roots.items():
            if number in root.digits and name != number:
                return name
        raise AssertionError(f"atom {number} is not a digit")

    def _window(self, root: Root, first: int, last: int) -> Expr:
        """The digits first..last of x as an expression of x: `x // low % count`."""
        x = self.atom(root.atom)
        low = self.expression(self.ctx.resolve(root.weights[first]))
        if last == len(root.digits) - 1:
            return FloorDiv(x, low)
        above = self.ctx.resolve(root.weights[last + 1])
        remainder = x
        for place in range(len(root.digits) - 1, last + 1, -1):
            outer = self.ctx.resolve(root.weights[place])
            if outer.exact(above) is None:  # x % above is no digit before x % outer is taken
                remainder = Mod(remainder, self.expression(outer))
        if first == 0:
            return Mod(remainder, self.expression(above))
        count = above.exact(self.ctx.resolve(root.weights[first]))
        if count is None:  # a partial tile above: x // low is no digit of a full box
            return FloorDiv(Mod(remainder, self.expression(above)), low)
        return Mod(FloorDiv(remainder, low), self.expression(count))
