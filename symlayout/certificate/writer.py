"""Writes the steps of a certificate, each with its reasons, beside the state that they lead to.

What a law demands is shown by a `Witness`; what new unknowns are worth at sample points is kept, so
that what is false is turned down at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import gcd, prod
from typing import Any

from symlayout.certificate.exact import FREE, Poly, Rejected, as_poly
from symlayout.certificate.kernel import Checker
from symlayout.certificate.ledger import KNOWN, PLAIN, Ledger, constant, product
from symlayout.certificate.proof import (
    Both,
    Coordinate,
    Fact,
    Have,
    Instance,
    Plain,
    Reason,
    Signed,
    Solve,
    Step,
    This,
    Use,
    laws,
)
from symlayout.certificate.state import refuse
from symlayout.certificate.witness import SMT, Effort, Witness, value_at
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.samples import LARGEST_EXPONENT
from symlayout.expr.facts import Relation
from symlayout.expr.lawtexts import arguments
from symlayout.expr.operators import BY_NAME
from symlayout.expr.terms import TruncDiv, TruncMod
from symlayout.expr.tree import Expr

ONE = as_poly(1)
# where -1 >= 0 is known: `cancel` demands that of the divisor 0, and says what one wants
ABSURD = Instance("cancel", (("d", Poly()),), (KNOWN, KNOWN))
FROM_FALSE: dict[str, Reason] = {"==": Both(ABSURD, ABSURD), "!=": Signed(True, ABSURD)}


class Writer:
    """Writes down steps, and takes each in a state of its own: what it has not found is checked."""

    book: Ledger
    moment: tuple[int, ...]  # of which the ledger is

    def __init__(
        self,
        facts: Sequence[Relation],
        names: Sequence[str],
        box: Mapping[str, Expr],
        points: Sequence[dict[str, int]],
        effort: Effort,
    ) -> None:
        self.keep(Checker(facts, names, box, work=FREE))
        self.steps: list[Step] = []
        self.numbers: dict[str, int] = {}  # of the ledger's atoms, by unknown ...
        self.inners: dict[Poly, Inner] = {}  # ... and polynomials in them
        self.stated: list[Poly] = []  # what facts and coordinates say is not negative
        self.low: dict[str, Poly] = {}
        self.high: dict[str, Poly] = {}
        self.gains: list[Poly] = []  # bounds that the digit engine may not see
        self.solver = False  # whether a solver may give a reason
        self.nowhere = False  # whether a size of the box is at most 0
        self.small = gives_numbers(facts)
        self.points = [dict(p) for p in points]  # the unknowns' values where all holds
        self.quotients: dict[str, tuple[Poly, Poly, Poly]] = {}  # dividend, divisor, remainder
        self.either: dict[str, tuple[Poly, Poly]] = {}  # what a minimum or maximum is one of
        self.effort = effort
        self.count = 0
        self.scope: frozenset[str] = frozenset()  # names that are no new ones

    def keep(self, state: Checker) -> None:
        """From now on the steps are taken in that state."""
        self.state, self.resolve = state, state.resolve
        state.missing, self.moment = self.missing, ()

    @property
    def ledger(self) -> Ledger:
        """What has been shown so far, for the engine's search."""
        moment = len(self.steps), len(self.points), len(self.low), len(self.high)
        if moment != self.moment:
            self.moment, self.book = moment, Ledger(self)
        return self.book

    @property
    def witness(self) -> Witness:
        """Who is asked for reasons: a new one for each question."""
        return Witness(self)

    @property
    def sizes(self) -> set[str]:
        """The names of the claim's sizes."""
        return {n for r in self.state.facts for n in r.names} - set(self.state.box)

    def missing(self, word: Any, *operands: Poly) -> Poly:
        """What an operation is that no step has rewritten; raises `Rejected`."""
        return refuse(word, *operands)

    def walk(self, e: Any, env: Mapping[str, Poly] | None = None) -> Poly:
        """The polynomial of an expression, by steps for what is in it."""
        return self.state.walk(e, env)

    def why(self, op: str, p: Poly) -> Reason:
        """The reason for `p op 0`; raises `Rejected` where none is found."""
        p = self.resolve(p)
        hit = self.search(op, p)
        if hit is None and self.solver and op in ("==", "!=") and possible(self, op, p):
            hit = self.witness.obligation([(op, p)])
            if hit is None and op == "!=":
                hit = self.witness.obligation_of_sign(p)
        if hit is None:
            raise Rejected(f"no reason is found why {p} {op} 0")
        return hit

    def search(self, op: str, p: Poly) -> Reason | None:
        """A reason for `p op 0`; for "==" and "!=" without a solver."""
        match op:
            case _ if self.nowhere:
                return FROM_FALSE.get(op, ABSURD)
            case "==" if not p.terms:
                return Plain("identity")
            case "==" if p in self.state.known and -p in self.state.known:
                return Both(KNOWN, KNOWN)
            case "==":
                least = self.witness.reason(p, False) if possible(self, op, p) else None
                most = None if least is None else self.witness.reason(-p, False)
                return None if least is None or most is None else Both(least, most)
            case "!=" if p in self.state.nonzero or -p in self.state.nonzero:
                return KNOWN
            case "!=":
                for positive, x in ((True, p - 1), (False, -p - 1)):
                    inner = self.witness.reason(x, False)
                    if inner is not None:
                        return Signed(positive, inner)
                return self.witness.left_over(op, p)
            case _:
                return self.witness.reason(at_least(op, p), self.solver)

    def reason(self, goal: Sequence[Relation]) -> This:
        """Why one of the relations holds; raises `Rejected` where no reason is found."""
        sides = [(r.op, self.walk(r.left) - self.walk(r.right)) for r in goal]
        before, self.solver = self.solver, self.solver and len(sides) == 1
        try:
            for k, (op, p) in enumerate(sides):
                with suppress(Rejected):
                    return This(k, self.why(op, p))
        finally:
            self.solver = before
        hit = self.witness.obligation(sides) if self.solver and len(sides) != 1 else None
        if hit is None:
            raise Rejected(f"no reason is found why {' or '.join(map(str, goal))}")
        return This(None, SMT)

    def step(self, s: Step, check: bool = True) -> None:
        """Takes a step and writes it down; raises `Rejected` where it cannot be taken.

        A reason that has been found for it need not be checked.
        """
        before = len(self.state.known)
        if check:
            self.state.apply(s)
        else:
            self.state.take(s)
        self.steps.append(s)
        if isinstance(s, (Fact, Coordinate)):
            self.stated += list(self.state.known)[before:]
        if isinstance(s, Coordinate) or (isinstance(s, Use) and s.new):
            self.place(s)

    def law(self, name: str, new: Mapping[str, str] | None = None, **env: Poly) -> None:
        """An instance of a law; raises `Rejected` where a premise is not shown."""
        law = laws()[name]
        for r in law.conclusions if not law.new else ():
            self.walk(r.right, env)  # divisions in it get their steps first
        whys = [self.why(r.op, self.state.apart(r, env)) for r in law.premises]
        self.instance(name, whys, new, check=False, **env)

    def instance(
        self,
        name: str,
        whys: Sequence[Reason],
        new: Mapping[str, str] | None = None,
        check: bool = True,
        **env: Poly,
    ) -> None:
        """An instance of a law for these reasons."""
        table = {v: self.resolve(p) for v, p in env.items()}
        self.step(Use(name, table, dict(new or {}), tuple(whys)), check)

    def attempt(self, take: Any, *args: Any, **fields: Any) -> bool:
        """Takes a step that may be left out."""
        before, self.solver = self.solver, False
        try:
            take(*args, **fields)
        except Rejected:
            return False
        finally:
            self.solver = before
        return True

    def have(self, p: Poly, why: Reason | None = None, check: bool = True) -> None:
        """p >= 0 as a step of its own, for a reason that is found unless it is given."""
        p = self.resolve(p)
        if p not in self.state.known:
            self.step(Have(p, self.why(">=", p) if why is None else why), check and why is not None)

    def apart_from_zero(self, p: Poly) -> None:
        """p != 0 as a step of its own, where what divides its terms shows it."""
        p = self.resolve(p)
        rest = sum(c for m, c in p.terms if not m)
        d = gcd(*[c for m, c in p.terms if m])
        if self.search("!=", p) is None and d and rest % d:
            u = Poly.of((m, c // d) for m, c in p.terms)
            self.law("uneven", d=as_poly(d), u=u, r=as_poly(rest % d))

    def bound(self, name: str, limit: Poly, end: str) -> None:
        """An end of an unknown's range."""
        x = as_poly(name)
        p, why = self.resolve(x - limit if end == "low" else limit - x), None
        if p not in self.state.known and name in self.quotients and name in p.atoms:
            why = self.witness.of_quotient(name, self.resolve(limit), end)
        self.have(p, why, check=False)
        (self.low if end == "low" else self.high)[name] = limit

    def attempt_bound(self, name: str, limit: Poly, end: str) -> bool:
        """An end of an unknown's range, where it is shown."""
        return self.attempt(self.bound, name, limit, end)

    def end(self, x: str, end: str) -> Poly | None:
        """An end of the range of an unknown that still stands."""
        limits = self.low if end == "low" else self.high
        if x not in limits:
            return None
        limit = self.resolve(limits[x])
        return None if x in limit.atoms else limit

    def solve(self, name: str, p: Poly) -> None:
        """From now on the unknown stands for that polynomial."""
        p = self.resolve(p)
        self.step(Solve(name, p, self.why("==", p - as_poly(name))), check=False)

    def place(self, s: Coordinate | Use) -> None:
        """Gives a step's new unknowns their values at the sample points; leaves those without any."""
        if isinstance(s, Coordinate):
            high = self.resolve(self.walk(self.state.box[s.name]) - 1)
            tops = [value_at(high, point) for point in self.points]
            for k, (top, point) in enumerate(zip(tops, self.points)):
                point[s.name] = top * ((k + len(point)) % 4) // 3
            self.points = [point for top, point in zip(tops, self.points) if top >= 0]
        else:
            self.points = [point for point in self.points if set_new(s, point)]

    def name(self, letter: str) -> str:
        """A new name."""
        while True:
            self.count += 1
            text = f"{letter}{self.count}"
            if text not in self.state.names and text not in self.scope:
                return text

    def split(self, p: Poly, d: Poly, q: str, r: str) -> None:
        """Euclid's split, remembered for questions about the quotient."""
        self.law("Euclid", {"q": q, "r": r}, x=p, d=d)
        self.low[r], self.high[r] = Poly(), d - 1
        self.quotients[q] = p, d, as_poly(r)
        most = self.most(p) if self.small else None
        if most is not None and most >= 0 and q not in self.high:
            bound_quotient(self, p, d, as_poly(q), as_poly(r), most)
        bound_product(self, p, d, as_poly(q))

    def least(self, d: Poly) -> int:
        """A number that a divisor is never below: at least 1."""
        total = 0
        for m, c in d.terms:
            lows = [constant(self.end(a, "low") or Poly()) or 0 for a in m]
            if min([c, *lows]) < 0:
                return 1
            total += c * prod(lows)
        return max(total, 1)

    def most(self, p: Poly) -> int | None:
        """A number that a polynomial of unknowns that are not negative never exceeds."""
        total = 0
        for m, c in p.terms:
            for a in m if c > 0 else ():
                high = self.end(a, "high")
                top = None if high is None or a not in self.state.natural else self.most(high)
                if top is None:
                    return None
                c *= top
            total += max(c, 0) if m else c
        return total

    def truncate(self, a: Poly, b: Poly) -> None:
        """C's quotient and remainder: those of |a| and |b|, with signs that are shown."""
        below = self.witness.fails(b - 1) and not self.witness.fails(-b - 1)
        signs = ("towards_zero", "towards_zero_from_below")
        for name in ("towards_zero_signs",) if below else signs:
            with suppress(Rejected):
                self.law(name, x=a, d=b)
                return
        names = self.name("q"), self.name("r")
        self.law("truncation", dict(zip("qr", names)), x=a, d=b)
        self.solve(names[1], a - b * as_poly(names[0]))

    def extreme(self, word: str, a: Poly, b: Poly, name: str) -> None:
        """The smaller or larger of both as a new unknown."""
        self.law(word, {"m": name}, a=a, b=b)
        self.either[name] = (a, b)


def possible(writer: Writer, op: str, p: Poly) -> bool:
    """Whether the relation holds at the sample points."""
    at = [value_at(p, point) for point in writer.points]
    return all((v == 0) == (op == "==") for v in at)


def set_new(s: Use, point: dict[str, int]) -> bool:
    """The values of a step's new unknowns at a sample point; False where there are none."""
    values = {x: value_at(p, point) for x, p in s.arguments.items()}
    new = s.new
    match s.law:
        case "let":
            point[new["y"]] = values["x"]
        case "Euclid":
            point[new["q"]], point[new["r"]] = divmod(values["x"], values["d"])
        case "truncation":
            both = values["x"], values["d"]
            point[new["q"]], point[new["r"]] = TruncDiv.row.at(*both), TruncMod.row.at(*both)
        case "power":
            if not 0 <= values["k"] <= LARGEST_EXPONENT:
                return False
            point[new["p"]] = 2 ** values["k"]
        case "min" | "max" as word:
            least = word == "min"
            point[new["m"]] = (min if least else max)(values["a"], values["b"])
        case word if word in BY_NAME:
            row = BY_NAME[word]
            operands = [values[x] for x in arguments(row)]
            if not row.defined(*operands):
                return False
            point[new["r"]] = row.at(*operands)
    return True


def bound_product(writer: Writer, p: Poly, d: Poly, q: Poly) -> None:
    """p < f*u and d = f*g: g*q is less than u."""
    high = writer.end(str(p), "high") if len(p.terms) == 1 else None
    if high is None:
        return
    for f in sorted(d.atoms):
        u, g = part(high + 1, f), part(d, f)
        if u is None or g is None or not g.atoms:
            continue
        inside = writer.witness.direct(high - d * q)
        positive = None if inside is None else writer.witness.direct(as_poly(f) - 1)
        if inside is not None and positive is not None:
            why = Instance("cancel", (("d", as_poly(f)),), (positive, inside))
            if writer.attempt(writer.have, u - 1 - g * q, why):
                writer.gains.append(u - 1 - g * q)


def bound_quotient(writer: Writer, p: Poly, d: Poly, q: Poly, r: Poly, most: int) -> None:
    """A quotient of what is at most a number: d*q does not exceed it, and the least d does not."""
    least = writer.least(d)
    if not writer.attempt_bound(str(q), Poly(), "low"):
        return
    limit, rest = as_poly(most // least), writer.resolve(p - d * q - r)
    # most - p >= 0, p - d*q >= 0 and (d - least)*q >= 0: together most - least*q >= 0
    rows = [(ONE, rest), (ONE, writer.resolve(r)), (d - least, q)]
    why = writer.witness.direct(limit * least + (least - 1) - p)
    for factor, known in rows:
        a, b = writer.witness.direct(factor), writer.witness.direct(known)
        if a is None or b is None or why is None:
            return
        why = product(factor, known, a, b, why)
    assert why is not None
    reason = Instance("cancel", (("d", as_poly(least)),), (PLAIN, why))
    if writer.attempt(writer.have, limit - q, reason):
        writer.high[str(q)] = limit


def gives_numbers(facts: Iterable[Relation]) -> bool:
    """Whether sizes are bounded by numbers, which bound what is made of them."""
    return any("<" in r.op and r.left.is_Symbol and r.right.is_Integer for r in facts)


def at_least(op: str, p: Poly) -> Poly:
    """The polynomial that is >= 0 where `p op 0`."""
    p = -p if "<" in op else p
    return p if "=" in op else p - 1


def part(p: Poly, x: str) -> Poly | None:
    """p / x, where x is in every term."""
    if not all(x in m for m, _ in p.terms):
        return None
    return Poly.of((tuple(a for k, a in enumerate(m) if k != m.index(x)), c) for m, c in p.terms)
