"""What undoes an index function: its variables as expressions of its results.

Nothing rests on how they are found: that they give back each point, or reach each place, is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import permutations
from math import gcd

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import BitXor, CeilDiv, FloorDiv, Max, Min, Mod, free_names, put, symbol
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol, exact_quotient, expand
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps import units
from symlayout.prove.maps.residual import Residue, moduli
from symlayout.text.once import cached_property

ZERO: Expr = Integer(0)
ONE: Expr = Integer(1)
ROUNDS = 24  # equations that are looked at until each variable is known
Equation = tuple[Expr, Expr]  # a number that is known, and what comes to it


@dataclass
class Unknowns:
    """Equations for the variables of a function, some of which are known.

    `loose` is to find some variables that lead to a result, where several may.
    """

    f: IndexFunction
    facts: Facts
    loose: bool
    marks: tuple[Symbol, ...]
    known: dict[Symbol, Expr] = field(default_factory=dict)
    modular: bool = False  # whether a digit is sought by what a sum leaves modulo another stride
    residues: dict[Residue, None] = field(default_factory=dict)  # of which it knows what is left

    def __post_init__(self) -> None:
        self.equations: list[Equation] = list(zip(self.marks, self.f._outputs))

    @cached_property
    def ranges(self) -> dict[Symbol, tuple[Expr, Expr]]:
        """The first value of each variable, and how many it has."""
        return {symbol(v.name): (v._low, expand(v._high - v._low)) for v in self.f.variables}

    def open(self, e: Expr) -> bool:
        """Whether a variable that is not known occurs."""
        return not e.free_symbols.isdisjoint(self.ranges.keys() - self.known.keys())

    def put(self, e: Expr) -> Expr:
        """The expression with what is known of its variables."""
        return put(e, self.known)

    def solution(self) -> tuple[Expr, ...] | None:
        """The variables in their order; None where one is not found."""
        for _ in range(ROUNDS):
            settled = [(k, self.put(e)) for k, e in self.equations]
            self.equations = [(k, e) for k, e in settled if self.open(e)]
            steps = (self.alone, self.of_remainder, *[self.modulo] * self.modular, self.of_sum)
            rows = range(len(self.equations))
            further = (
                self.joined()
                or self.shorter()
                or any(self.solved(step, k) for step in steps for k in rows)
            )
            if not (further or (self.loose and (self.relaxed() or self.choose()))):
                break
        own = [symbol(v.name) for v in self.f.variables]
        return tuple(self.known[x] for x in own) if all(x in self.known for x in own) else None

    def joined(self) -> bool:
        """Quotient and remainder of a number as the number; an extreme by a difference."""
        for m, n in permutations(range(len(self.equations)), 2):
            (a, p), (b, q) = self.equations[m], self.equations[n]
            if isinstance(p, FloorDiv) and isinstance(q, Mod) and p.args == q.args:
                self.equations[m] = a * p.args[1] + b, p.args[0]
                del self.equations[n]
                return True
            if isinstance(p, (Min, Max)) and len(p.args) == 2:
                for x, y in (p.args, p.args[::-1]):
                    if expand(x - y - q) == 0:  # min(x, y) is y + min(x - y, 0)
                        self.equations[m] = a - p.func(b, ZERO), y
                        return True
        return False

    def shorter(self) -> bool:
        """A number that is known in the place of what comes to it, in other equations."""
        for value, part in self.equations if len(self.equations) > 1 else ():
            rows = [(a, e if e == part else e.xreplace({part: value})) for a, e in self.equations]
            if rows != self.equations:
                self.equations = rows
                return True
        return False

    def solved(self, step: Callable[[Expr, Expr], list[Equation] | None], k: int) -> bool:
        """Whether a step has led from an equation to simpler ones."""
        equations = step(*self.equations[k])
        if equations is not None:
            self.equations[k : k + 1] = equations
        return equations is not None

    def alone(self, value: Expr, e: Expr) -> list[Equation] | None:
        """A variable, an exclusive or, or a sum in which one item with the factor 1 or -1 is open."""
        if isinstance(e, Symbol):
            self.known[e] = value
            return []
        if isinstance(e, BitXor):
            both = e.args, e.args[::-1]
            equations: list[Equation] = [(BitXor(value, a), b) for a, b in both if not self.open(a)]
            return equations[:1] or None
        items, rest = self.items(e) if isinstance(e, (Add, Mul)) else ({}, ZERO)
        unit = len(items) == 1 and set(items.values()) <= {ONE, -ONE}
        return [((value - rest) * c, x) for x, c in items.items()] if unit else None

    def of_remainder(self, value: Expr, e: Expr) -> list[Equation] | None:
        """`(c*x + rest) % m` for one x, and a c that has an inverse modulo m."""
        if not isinstance(e, Mod) or self.open(e.args[1]):
            return None
        items, rest = self.items(e.args[0])
        if len(items) != 1:
            return None
        ((x, c),) = items.items()
        quotient = FloorDiv(*e.args)
        if not isinstance(x, Symbol) or any(q.has(quotient) for _, q in self.equations):
            return None  # both together are the number
        low = self.put(self.ranges[x][0])
        if self.open(low):
            return None
        back = self.of_product(value - rest, c, e.args[1], low, self.ranges[x][1])
        return None if back is None else [(back, x)]

    def modulo(self, value: Expr, e: Expr) -> list[Equation] | None:
        """`c*x + m*y + rest` for a number m: x by what c*x leaves modulo m, and then y."""
        items, rest = self.items(e) if isinstance(e, (Add, Mul)) else ({}, ZERO)
        for y, m in items.items() if len(items) == 2 else ():
            ((x, c),) = [row for row in items.items() if row[0] != y]
            if not (isinstance(x, Symbol) and m.is_Integer and m > 1) or c.is_Integer:
                continue
            low = self.put(self.ranges[x][0])
            back = None if self.open(low) else self.of_product(
                Mod(value - rest, m), c, m, low, self.ranges[x][1]
            )  # fmt: skip
            if back is not None:
                return [(back, x), (value, e)]
        return None

    def of_product(self, value: Expr, c: Expr, m: Expr, low: Expr, count: Expr) -> Expr | None:
        """The one of so many numbers from `low` on that c times is the value modulo m."""
        unit = self.inverse(c, m)
        if unit is not None:
            return low + Mod(expand(unit * value - low), m)
        if not isinstance(m, Integer) or not 1 < m <= units.LARGEST:
            return None
        if not {s.name for s in c.free_symbols} <= {*self.f.names}:
            return None
        divisors = units.common_divisors(c, int(m), self.facts)
        few = int(count) if isinstance(count, Integer) else 1
        if not divisors or divisors[-1] * few > m or len(divisors) > units.DIVISORS:
            return None
        step = min(units.base(int(m)) * divisors[-1], int(m))
        self.residues.update(dict.fromkeys(Residue(n, step) for n in free_names(c)))
        return units.quotient(value, c, int(m), low, divisors)

    def inverse(self, c: Expr, m: Expr) -> Expr | None:
        """A number that c times is 1 modulo m."""
        if c in (ONE, -ONE):
            return c
        if isinstance(c, Integer) and isinstance(m, Integer):
            return units.inverse_of(c, int(m)) if m > 1 else None
        if isinstance(c, Integer) and isinstance(m, Symbol) and int(c) > 1:
            d, k = self.facts.domain(m.name), int(c)
            if d.modulus % k == 0 and gcd(d.first, k) == 1:
                return FloorDiv(m * (-pow(d.first, -1, k) % k) + 1, c)
            self.residues.setdefault(Residue(m.name, k))
            return units.inverse_modulo(k, m, self.facts)
        for r in self.facts.relations:
            if r.op == "==" and r.right == 1 and isinstance(r.left, Mod) and r.left.args[1] == m:
                quotient = exact_quotient(r.left.args[0], c)
                if quotient is not None:
                    return quotient
        return None

    def items(self, e: Expr) -> tuple[dict[Expr, Expr], Expr]:
        """What is not known in a sum, each with its factor; and what is known."""
        items, rest = dict[Expr, Expr](), ZERO
        for t in Add.make_args(expand(e)):
            factors = Mul.make_args(t)
            opened = [x for x in factors if self.open(x)]
            if opened:
                item = Mul(*opened)
                items[item] = items.get(item, ZERO) + Mul(*[x for x in factors if x not in opened])
            else:
                rest = rest + t
        return items, rest

    def of_sum(self, value: Expr, e: Expr) -> list[Equation] | None:
        """A sum, as digits by strides from the greatest on."""
        if not isinstance(e, (Add, Mul)):
            return None
        items, rest = self.items(e)
        if len(items) > 1 and all(c.could_extract_minus_sign() for c in items.values()):
            return [(-value, expand(-e))]  # counted from where the places end
        value, equations = value - rest, list[Equation]()
        rows = list[tuple[Expr, Expr, Expr, Expr, bool]]()
        for x, c in items.items():
            low, count = self.range(x)
            down = c.could_extract_minus_sign()
            if (down or len(items) > 1) and (low is None or count is None):
                return None
            first, many = low or ZERO, count or ONE
            value = value - c * (first + many - 1 if down else first) if len(items) > 1 else value
            rows.append((x, c, first, many, down))
        if len(rows) == 1:
            ((x, c, *_),) = rows
            return [(FloorDiv(value, c), x)]
        rows.sort(key=lambda row: weight(row[1]), reverse=True)
        for x, c, first, many, down in rows:
            stride = -c if down else c
            digit = FloorDiv(value, stride) if stride != ONE else value
            if self.loose and x != rows[-1][0]:
                digit = Min(digit, many - 1)
                value = expand(value - stride * digit)
            else:
                value = Mod(value, stride)
            equations.append((first + (many - 1 - digit if down else digit), x))
        return equations

    def range(self, x: Expr) -> tuple[Expr | None, Expr | None]:
        """The first value of an expression, and how many it may have, as far as they are seen."""
        low: Expr | None = None
        count: Expr | None = None
        if isinstance(x, Symbol):
            low, count = self.ranges.get(x, (None, None))
        elif isinstance(x, Mod):
            low, count = ZERO, self.most(x.args[1])
        elif isinstance(x, FloorDiv):
            low, count = self.range(x.args[0])
            d = x.args[1]
            if low != 0 or count is None:
                return None, None
            count = count if self.open(d) else CeilDiv(count, d)  # it is at least 1
        if low is None or count is None or self.open(low) or self.open(count):
            return None, None
        return low, count

    def most(self, e: Expr) -> Expr:
        """The expression, or the operand of a minimum that is known where the other one is not."""
        hits = e.args if isinstance(e, Min) and self.open(e) else ()
        return next((a for a in hits if not self.open(a)), e)

    def relaxed(self) -> bool:
        """A number whose quotient, remainder or extreme the result is."""
        for k, (value, e) in enumerate(self.equations):
            equation: Equation | None = None
            if isinstance(e, FloorDiv) and not self.open(e.args[1]):
                equation = value * e.args[1], e.args[0]
            elif isinstance(e, Mod):
                equation = value, e.args[0]
            elif isinstance(e, (Min, Max)):
                equation = value, next(a for a in e.args if self.open(a))
            if equation is not None:
                self.equations[k] = equation
                return True
        return False

    def choose(self) -> bool:
        """The first value for a variable that no equation is left for."""
        left = [x for x in self.ranges if x not in self.known]
        if not left:
            return False
        self.known[left[-1]] = self.put(self.ranges[left[-1]][0])
        return True


def weight(c: Expr) -> tuple[int, int]:
    """Where a stride stands in the order of strides: by its degree, and by its number."""
    number, rest = c.as_coeff_Mul()
    powers = (f.exp if isinstance(f, Pow) else ONE for f in Mul.make_args(rest) if f != 1)
    return sum(map(int, powers)), abs(int(number))


def solutions(
    f: IndexFunction, facts: Facts, word: str
) -> Iterator[tuple[str, tuple[Expr, ...], tuple[Residue, ...]]]:
    """Expressions of results for the variables, and the letter that the results' names begin with.

    Sizes of which it matters what they leave modulo a number come last.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> F = read_map("map i < N, j < 8: (j*5 % 8, i - j) in (8, N)")
    >>> next(solutions(F, Facts(), "injective"))
    ('r', (r1 + 5*r0%8, 5*r0%8), ())
    """
    names = {*f.names, *facts.names, *[v.name for v in f.variables], *[n for n, _ in f._lets]}
    letter = "r"
    while any(n.startswith(letter) for n in names):
        letter += "r"
    marks = tuple(symbol(f"{letter}{k}") for k in range(len(f._results)))
    before = set[tuple[Expr, ...]]()
    for loose, modular in ((False, False), (False, True), (True, False))[: 2 + (word == "onto")]:
        solution: tuple[Expr, ...] | None = None
        with suppress(LayoutError):  # something divides by 0 at a value that was chosen
            unknowns = Unknowns(f, facts, loose, marks, modular=modular)
            solution = unknowns.solution()
        if solution is not None and solution not in before:
            before.add(solution)
            yield letter, solution, moduli(unknowns.residues, facts)
