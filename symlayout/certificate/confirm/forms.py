"""Terms in Z3's normal form of polynomials."""

from __future__ import annotations

from typing import Any

from symlayout.certificate.confirm.formulas import Variables
from symlayout.certificate.confirm.solving import Asker
from symlayout.certificate.exact import Poly
from symlayout.expr.whole import array, number, product, simplified, total, with_all


class Forms:
    """Terms of one part of a proof, where unknowns are replaced by what they equal."""

    def __init__(self) -> None:
        from symlayout.text.solver import z3

        self.z3, self.asker = z3, Asker()
        self.context = self.asker.context
        self.value: list[tuple[Any, Any]] = []  # what an unknown has been replaced by
        self.replacement: Any = None  # the same as Z3's arrays
        self.form = z3.ParamsRef(self.context)  # of a polynomial: a sum of products, sorted
        for setting in ("som", "sort_sums"):
            self.form.set(setting, True)
        self.polynomials: dict[Poly, Any] = {}
        self.unknowns, self.numbers = Variables(self.context), dict[int, Any]()
        self.normals: dict[int, tuple[Any, Any]] = {}  # until an unknown is replaced
        self.simple: dict[int, Any] = {}  # terms that the simplifier leaves as they are

    def unknown(self, name: str) -> Any:
        """The integer of that name."""
        return self.unknowns[name]

    def number(self, n: int) -> Any:
        """The term of a number."""
        hit = self.numbers.get(n)
        if hit is None:
            hit = self.numbers[n] = number(n, self.context)
        return hit

    def normal(self, t: Any) -> Any:
        """The term with every replaced unknown replaced, in Z3's normal form of polynomials."""
        key = t.key
        hit = self.normals.get(key)
        if hit is None:
            u = self.replaced(t)
            while u.key not in self.simple:  # Z3's simplifier may need several passes
                before, u = u, simplified(u, self.form.params)
                if before.key == u.key:
                    self.simple[u.key] = u
            hit = self.normals[key] = t, self.simple[u.key]
        return hit[1]

    def replaced(self, t: Any) -> Any:
        """The term with every replaced unknown replaced."""
        if not self.value:
            return t
        if self.replacement is None:
            self.replacement = [array([row[k] for row in self.value]) for k in (0, 1)]
        return with_all(t, len(self.value), *self.replacement)

    def polynomial(self, p: Poly) -> Any:
        """A polynomial of the certificate."""
        hit = self.polynomials.get(p)
        if hit is None:
            rows = [([self.number(c)] * (c != 1), map(self.unknown, m)) for m, c in p.terms]
            terms = [product([*c, *m] or [self.number(1)]) for c, m in rows]
            hit = self.polynomials[p] = total(terms or [self.number(0)])
        return self.normal(hit)
