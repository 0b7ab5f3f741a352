"""What Z3 is asked about a claim: formulas made from the claim's text, with nothing of its proof.

A claim holds where each of its obligations does.  An obligation has one or more ways to show it; a way
is a list of queries; a query says that the hypotheses imply a goal, for all integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from symlayout.certificate.cases import Case, read
from symlayout.certificate.confirm.formulas import (
    Obligation,
    Query,
    Variables,
    Way,
    always,
    fresh,
    least,
    named,
    sides,
    without_factor,
)
from symlayout.certificate.confirm.solving import OTHER, Asker, Budget
from symlayout.certificate.definitions import Map, names_in, plain, product
from symlayout.certificate.functions import IMAGES, Function, round_trips
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Texts
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.reader import read_expression
from symlayout.expr.smt import Terms
from symlayout.expr.terms import BITS, PARTIAL, put, symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.expr.whole import both, either

# words whose proved claims Z3 confirms: bijectivity, bounds, broadcast legality
BIJECTIVITY = ("injective", "onto", "bijective", "valid", "tiles", "inverse", "disjoint")
CONFIRMED = frozenset([*BIJECTIVITY, "bounded", "fits", "broadcast", "instruction"])


class Questions:
    """The obligations of one claim; its facts hold in each of them."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.asker = claim, Asker()
        self.context = self.asker.context
        self.sizes = Variables(self.context)
        self.positive = {
            symbol(n) for n in claim.names if any(least(r, n) >= 1 for r in claim.facts)
        }
        self.terms = Terms(self.sizes, self.context, named(self.context), self.positive)
        self.facts = tuple(self.defined(*sides(claim.facts)))
        self.facts += tuple(self.terms.relation(r) for r in claim.facts)
        self.all_terms = [self.terms]
        self.of_layouts = False  # whether the claim is about layouts, by their definitions
        self.axiom_counts = Counter[Terms]()  # how many axioms of each the solver knows

    @property
    def axioms(self) -> list[Any]:
        """The facts, and what the quotients and remainders are."""
        return [*self.facts, *[a for t in self.all_terms for a in t.axioms]]

    def new_axioms(self) -> Iterator[Any]:
        """Those that the solver does not know yet."""
        if not self.asker.known:
            yield from self.facts
        for t in self.all_terms:
            yield from t.axioms[self.axiom_counts[t] :]
            self.axiom_counts[t] = len(t.axioms)

    @property
    def linear(self) -> bool:
        """Whether no unknowns are multiplied."""
        return not any(t.products for t in self.all_terms)

    @property
    def better_in_steps(self) -> bool:
        """Whether a layout's sizes are multiplied and divided: then steps are confirmed sooner."""
        return self.of_layouts and not self.linear and any(t.quotients for t in self.all_terms)

    @property
    def opaque(self) -> bool:
        """Whether there are operations that Z3 does not know: then a counterexample may not be one."""
        return any(t.opaque for t in self.all_terms)

    @property
    def has_bits(self) -> bool:
        """Whether a function of the claim has operations on bits."""
        results = [e for f in self.claim.functions for e in f.results]
        results += [m.raw for m in self.claim.maps]
        return any(type(x) in BITS for e in results for x in always(e))

    def replace_exact_quotients(self) -> None:
        """From now on a quotient is a product where Z3 confirms from the facts that it is that one."""
        for t in self.all_terms:
            t.exact = self.exact_quotient

    def exact_quotient(self, a: Expr, b: Expr) -> Expr | None:
        """The quotient of a division without remainder, where facts say that a is a product."""
        for r in self.claim.facts if not b.is_Integer else ():
            for one, other in ((r.left, r.right), (r.right, r.left)) if r.op == "==" else ():
                quotient = without_factor(other, b) if one == a else None
                if quotient is None:
                    continue
                self.asker.know(self.new_axioms())
                goals = [self.terms(a) == self.terms(b) * self.terms(quotient), self.terms(b) != 0]
                if self.asker.holds((), self.both(goals), Budget.HINT) == "confirmed":
                    return quotient
        return None

    # -- formulas ---------------------------------------------------------------------------------

    def both(self, formulas: Sequence[Any]) -> Any:
        """The conjunction."""
        return both(formulas, self.context)

    def either(self, formulas: Sequence[Any]) -> Any:
        """The disjunction."""
        return either(formulas, self.context)

    def defined(self, *expressions: Expr, terms: Terms | None = None) -> list[Any]:
        """What gives the expressions values: no divisor is 0, no exponent is negative."""
        terms, hits = terms or self.terms, dict[Any, None]()
        for e in expressions:
            for x in always(e):
                row = x.row if isinstance(x, PARTIAL) else None
                if row and row.divisor is not None and not x.args[row.divisor].is_Integer:
                    hits[terms(x.args[row.divisor]) != 0] = None
                for a in [x.args[k] for k in row.natural] if row else ():
                    if not a.is_Integer:
                        hits[terms(a) >= 0] = None
        return list(hits)

    def inside(self, box: Sequence[tuple[Symbol, Expr]], terms: Terms | None = None) -> list[Any]:
        """The coordinates are in the box; raises `LayoutError` where one has the name of a size."""
        t = terms or self.terms
        for x, d in box:
            if x.name in self.claim.names:
                raise LayoutError("SL401", f"{x} is a size and a coordinate")
            if d.is_Integer and d > 0:
                t.widths[x.name] = max(t.widths.get(x.name, 0), (int(d) - 1).bit_length())
        return [b for x, d in box for b in (t(x) >= 0, t(x) < t(d))]

    def renamed(self, coords: Sequence[Symbol], suffix: str) -> Terms:
        """Terms in which these coordinates are others, and sizes the same."""
        names = {x.name for x in coords}
        for n in self.claim.names:
            if n not in names:
                self.sizes[n]
        shared = {n: v for n, v in self.sizes.items() if n not in names}
        variables = Variables(self.context, suffix, shared)
        terms = Terms(variables, self.context, named(self.context, suffix), self.positive)
        terms.exact = self.terms.exact
        self.all_terms.append(terms)
        return terms

    # -- obligations ------------------------------------------------------------------------------

    def obligations(self, texts: Texts) -> Iterator[tuple[str, Obligation]]:
        """Everything that has to hold, by name.

        `texts` are the expressions of a certificate, such as an inverse: another way to show the same.
        Raises `LayoutError` for a claim that is not turned into formulas.
        """
        claim = self.claim
        if claim.shapes:
            raise LayoutError("SL106", "layouts of all sizes 2**k are not formulas over integers")
        for k, ways in enumerate(claim.duties):
            queries = [self.points(f"value {k}", c) for c in ways]
            yield f"value {k}", [[q if len(ways) == 1 else q.as_hint()] for q in queries]
        if claim.word == "fits" and claim.functions:
            return
        if claim.functions and (
            claim.by_script or not claim.maps or claim.word in ("inverse", "disjoint")
        ):
            yield from self.of_functions(texts)
            return
        self.of_layouts = True
        if claim.maps and claim.word in ("bounded", *IMAGES):
            yield from self.of_map(claim.maps[0], texts)
        else:
            for part in claim.parts("definition", texts):
                yield part.name, [[self.of_part(part)]]

    def of_part(self, part: Part) -> Query:
        """All goals of a part, at all places of its box."""
        terms = self.terms
        box = [(symbol(c), d) for c, d in part.box.items()]
        hypotheses = [*self.inside(box), *map(terms.relation, part.premises)]
        goals = [self.either([terms.relation(r) for r in goal]) for goal in part.goals]
        return Query(part.name, tuple(hypotheses), self.both(goals))

    def points(self, name: str, case: Case) -> Query:
        """What a case claims of its results at each of its points."""
        terms = self.terms
        hypotheses = self.of_domain(case)
        zero = plain(0)
        goals = [terms.relation(Relation(op, e, zero)) for e, op in zip(case.results, case.ops)]
        return Query(name, tuple(hypotheses), self.both(goals))

    def of_domain(self, case: Case, terms: Terms | None = None) -> list[Any]:
        """The points of a case: box, guard and premises."""
        t = terms or self.terms
        return [*self.inside(case.box, t), *map(t, (*case.guard, *case.premises))]

    def of_functions(self, texts: Texts) -> Iterator[tuple[str, Obligation]]:
        """Claims about index functions, by the roots that the claim's meaning has."""
        claim, world = self.claim, self.claim.world
        for part in claim.before_cases():
            yield part.name, [[self.of_part(part)]]
        words = set(IMAGES.get(claim.word, ()))
        for k, root in enumerate(world.roots):
            if root.ops or not words:
                yield f"points {k}", [[self.points(f"points {k}", root)]]
        if claim.word == "disjoint":
            one, other = (root for root in world.roots if not root.ops)
            yield "apart", [[self.apart(one, other)]]
        if not words:
            return
        f = claim.functions[0]
        undone = self.undone(f, texts)
        bounds = [self.points("bounds", f.inside)] if f.places is not None else []
        if claim.word == "onto":  # a place may have several points, and a point none of the places
            ways = [(*bounds, self.twice(f.root), *way) for way in self.count(f)]
            yield "onto", [*[[q.as_hint() for q in way] for way in ways], *undone]
            return
        if bounds and "bounded" in words:
            yield "bounds", [bounds]
        if "injective" in words:
            yield "injective", [[self.twice(f.root)], *undone]
        if "onto" in words:
            yield "onto", [*self.count(f), *undone]

    def undone(self, f: Function, texts: Texts) -> list[Way]:
        """That the function a certificate names gives back each point, and a point for each place."""
        for move in texts.script:
            if move[0] == "back" and len(move) > 1:
                _, letter, *rows = move
                reserved = {*self.claim.names, *[x.name for x, _ in f.box]}
                marks = [symbol(fresh(f"{letter}{k}", reserved)) for k in range(len(f.results))]
                results = [read(t) for t in rows]
                if not names_in(*results) <= {*self.claim.names, *[s.name for s in marks]}:
                    return []
                cases = round_trips(self.claim.word, f, marks, results)
                return [[self.points("inverse", c).as_hint() for c in cases]]
        return []

    def count(self, f: Function) -> list[Way]:
        """As many points as places: with injectivity and bounds every place has a point."""
        coords = {x for x, _ in f.box}
        if f.guard or f.places is None or any(coords & d.free_symbols for _, d in f.box):
            return []
        t = self.terms
        domain, places = product(d for _, d in f.box), product(f.places)
        goals = [t(domain) == t(places), *[t(d) >= 0 for _, d in f.box]]
        return [[Query("count", (), self.both(goals))]]

    def twice(self, root: Case) -> Query:
        """Two points with the same results are the same point."""
        terms = self.renamed(root.coords, OTHER)
        hypotheses = [*self.of_domain(root), *self.of_domain(root, terms)]
        hypotheses += [self.terms(e) == terms(e) for e in root.results]
        same = [self.terms(x) == terms(x) for x in root.coords]
        return Query("injective", tuple(hypotheses), self.both(same))

    def apart(self, one: Case, other: Case) -> Query:
        """No point of the one has the results of a point of the other."""
        terms = self.renamed([*one.coords, *other.coords], OTHER)
        hypotheses = [*self.of_domain(one), *self.of_domain(other, terms)]
        hypotheses += [self.terms(a) == terms(b) for a, b in zip(one.results, other.results)]
        return Query("disjoint", tuple(hypotheses), self.either([]))

    def of_map(self, m: Map, texts: Texts) -> Iterator[tuple[str, Obligation]]:
        """Claims about the offsets of a layout: bounds, two elements, and how many there are."""
        claim, word, terms = self.claim, self.claim.word, self.terms
        demands = [terms.relation(r) for r in m.demands]
        demands += [self.either([terms.relation(r) for r in goal]) for goal in claim.demands]
        demands += self.defined(*claim.sizes)  # also where there is no element
        if demands:
            yield "defined", [[Query("defined", (), self.both(demands))]]
        for k, law in enumerate(claim.laws()):
            hypotheses = tuple(self.inside(list(zip(law.coords, law.shape))))
            yield f"law {k}", [[Query(f"law {k}", hypotheses, terms.relation(law.relation))]]
        box = list(zip(m.coords, m.shape))
        within = tuple(self.inside(box))
        offset = terms(m.raw)
        if values := self.defined(m.raw):  # what follows supposes that offsets have values
            yield "values", [[Query("values", within, self.both(values))]]
        if word in ("bounded", "valid", "bijective"):
            size = terms((*claim.sizes, m.size)[0])
            yield "bounds", [[Query("bounds", within, self.both([offset >= 0, offset < size]))]]
        if word in ("injective", "valid", "bijective"):
            yield "injective", [[self.two_elements(m)], *self.given_back(m, texts)]
        if word in ("onto", "bijective"):
            ways: list[Way] = []
            if word == "bijective":
                shape = [terms(d) >= 0 for d in m.shape]
                goals = [terms(product(m.shape)) == terms(m.size), *shape]
                ways.append([Query("count", (), self.both(goals))])
            yield "onto", [*ways, *self.covered(m, texts)]

    def two_elements(self, m: Map) -> Query:
        """Two elements with one offset are the same."""
        terms, box = self.renamed(m.coords, OTHER), list(zip(m.coords, m.shape))
        hypotheses = [*self.inside(box), *self.inside(box, terms)]
        hypotheses += [*self.defined(m.raw), *self.defined(m.raw, terms=terms)]
        hypotheses.append(self.terms(m.raw) == terms(m.raw))
        same = [self.terms(c) == terms(c) for c in m.coords]
        return Query("injective", tuple(hypotheses), self.both(same))

    def given_back(self, m: Map, texts: Texts) -> list[Way]:
        """The certificate's expressions of the offset give each element's coordinates back."""
        if texts.lists is None or "back" not in texts.lists:
            return []
        name = texts.offset
        back = [read_expression(t) for t in texts.lists["back"]]
        sizes = names_in(*back) - {name}
        if not sizes <= set(self.claim.names) or len(back) != len(m.coords):
            return []
        results = [put(e, {symbol(name): m.raw}) for e in back]
        goals = self.defined(*results)
        goals += [self.terms(e) == self.terms(c) for e, c in zip(results, m.coords)]
        hypotheses = (*self.inside(list(zip(m.coords, m.shape))), *self.defined(m.raw))
        return [[Query("inverse", hypotheses, self.both(goals), exact=False)]]

    def covered(self, m: Map, texts: Texts) -> list[Way]:
        """The certificate's coordinates of an offset lie in the box and have that offset."""
        if texts.lists is None or "inverse" not in texts.lists:
            return []
        part = self.claim.covering("inverse", m, texts)
        return [[self.of_part(part).as_hint()]]
