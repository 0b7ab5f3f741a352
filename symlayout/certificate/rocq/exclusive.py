"""An exclusive or in the place of a coordinate, as steps of Rocq.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from typing import NamedTuple

from symlayout.certificate.cases import Case, World, operands, read, whole_number
from symlayout.certificate.moves import Move
from symlayout.certificate.part import Part
from symlayout.certificate.rocq.terms import missing, name, outer, term
from symlayout.certificate.rocq.walk import End, Walk, Went
from symlayout.expr.terms import BitXor, put, symbol
from symlayout.expr.tree import Expr, Symbol


class Pair(NamedTuple):
    """A move's x and y = x ^ other, how the results write y, and how many bits both have."""

    x: Symbol
    y: Symbol
    other: Expr
    node: Expr
    bits: int

    @property
    def back(self) -> Expr:
        """The coordinate by the new one."""
        result: Expr = BitXor(self.y, self.other)
        return result


def pair_of(case: Case, move: Move) -> Pair:
    """The parts of a move; raises `LayoutError` for one of several pairs."""
    _, x, y, _, many, *texts = move
    old, n = symbol(x), case.extent(symbol(x))
    node, same = read(texts[0]), operands(read(texts[1]))
    if whole_number(many) != 1 or len(same) != 2 or len(operands(node)) != 2:
        raise missing("an exclusive or of more than two, or several of them")
    other = same[1] if same[0] == old else same[0]
    if old in other.free_symbols or not n.is_Integer:
        raise missing("an exclusive or with bits of its own")
    return Pair(old, symbol(y), other, node, int(n).bit_length() - 1)


class Exclusive(Walk):
    """Goes through a move that takes an exclusive or as a coordinate, and back."""

    def xor(self, w: World, case: Case, move: Move, end: End) -> None:
        """The exclusive or is a coordinate, and the old one is what gives it back."""
        (goals, free), (after,) = self.script.step(w, case, move)
        p = pair_of(case, move)
        x, y, q = name(p.x.name), name(p.y.name), outer(term(p.other))
        self.say(f"pose proof {self.at(goals)} as G'.")
        self.say(f"destruct (named (Z.lxor {x} ({q}))) as [{y} Y'].")
        self.node(p, f"Z.lxor {x} ({q})")
        self.below(p, x, y, "Y'")
        self.results_by(after, free)
        self.say(f"pose proof (lxor_twice {x} {y} _ Y') as X'.", "kept Y'; kept G'; clear Z'.")
        aside = self.set_aside(x)
        self.say(f"destruct X'; clear L'{aside} U'{aside}.")
        before = self.olds
        self.olds = {o: put(e, {p.x: p.back}) for o, e in before.items()}
        for o, e in self.olds.items():
            self.say(f"assert (N' : {o} = {outer(term(e))}) by (rewrite O'{o}; same).")
            self.say(f"clear O'{o}; rename N' into O'{o}.")
        self.goes(Went(move, case, after, [goals, free], before, back={p.x: p.back}), w, end)
        self.olds = before

    def node(self, p: Pair, same: str) -> None:
        """That the exclusive or in the results is that of the coordinate."""
        a, b = (f"({outer(term(e))})" for e in operands(p.node))
        self.say(f"assert (Z' : Z.lxor {a} {b} = {same}).")
        self.say("{ first [apply f_equal2; known | rewrite Z.lxor_comm; apply f_equal2; known]. }")

    def below(self, p: Pair, x: str, y: str, equal: str) -> None:
        """The range of an exclusive or, which has the name y by a hypothesis."""
        ranges = "ltac:(known) ltac:(known) ltac:(known) ltac:(known)"
        q = outer(term(p.other))
        proof = f"lxor_below {2**p.bits} {p.bits} {x} ({q}) eq_refl ltac:(lia) {ranges}"
        self.say(f"destruct ({proof}) as [L'{y} U'{y}].")
        self.say(f"rewrite <- {equal} in L'{y}, U'{y}.")

    def results_by(self, case: Case, free: Part) -> None:
        """Results in the words of another case, in which the exclusive or is a coordinate."""
        self.say("rewrite <- Y' in Z'.")
        if self.lemmas[free.name].goals:
            self.say(f"pose proof {self.at(free)} as R'.")
        for v, e in zip(self.values, case.results):
            self.say(f"assert (N' : {v} = {outer(term(e))}).")
            self.say(f"{{ rewrite V'{v}; rewrite ?Z'; first [same | known]. }}")
            self.say(f"clear V'{v}; rename N' into V'{v}.")
        if self.lemmas[free.name].goals:
            self.say("clear R'.")

    def back_up(self, went: Went) -> None:
        """Also from after such a move to before it."""
        if went.move[0] != "xor":
            super().back_up(went)
            return
        p = pair_of(went.before, went.move)
        x, y, q = name(p.x.name), name(p.y.name), outer(term(p.other))
        # what is said of the other number does not depend on x, which has the range of y
        self.say(f"assert (B' : 0 <= {q} /\\ {q} < {2**p.bits}).", "{")
        self.say(f"destruct (named {y}) as [{x} E']; rewrite <- E' in L'{y}, U'{y}.")
        self.say(f"rename L'{y} into L'{x}; rename U'{y} into U'{x}.")
        self.say(f"pose proof {self.at(went.parts[0])} as G'; known.", "}")
        self.say(f"destruct (named (Z.lxor {y} ({q}))) as [{x} X'].")
        self.below(p, y, x, "X'")
        self.say(f"pose proof {self.at(went.parts[0])} as G'.")
        self.say(f"pose proof (eq_sym (lxor_twice {y} {x} _ X')) as Y'.")
        self.node(p, f"Z.lxor {x} ({q})")
        self.results_by(went.before, went.parts[1])
        for o, e in went.olds.items():
            self.say(f"assert (N' : {o} = {outer(term(e))}) by (rewrite O'{o}, ?X'; same).")
            self.say(f"clear O'{o}; rename N' into O'{o}.")
        self.say("clear B'; kept X'; kept Y'; kept Z'; kept G'.")
