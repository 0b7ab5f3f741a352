"""Terms that come to 0 and may have no value: what cancels divides all the same.

A text is undefined where an operation in it is that is computed, whatever becomes of its value.  Here
such operations are drawn with what hides them; the judges read the texts as they are written.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

SHIFTS = ("(1 << {})", "(9 >> {})", "2**{}")
DIVISIONS = ("5 // {}", "7 % {}", "ceildiv(3, {})", "({} - 4) // {}")
OFTEN = 0.08  # how many relations, formulas and arguments have such a term


def partial(rng: random.Random, names: Sequence[str], shifts: bool = True) -> str:
    """An operation without a value at some values of the names, or (at times) with one at all."""
    x = rng.choice(names)
    y = rng.choice([*[n for n in names if n != x], "1", "2"])
    if shifts and rng.random() < 0.25:
        return rng.choice(SHIFTS).format(
            rng.choice([x, f"({x} - 1)", f"({x} - 2)", f"({y} - {x})"])
        )
    near = [x, f"({x} - 1)", f"({x} - 2)", f"({x} - {y})", f"({x} % 2)", f"({x} * {y})"]
    never = [f"({x} + 1)", f"({x}*{x} + 1)", f"(2*{x} - 1)", f"({x} % 3 + 1)"]
    d = rng.choice(never if rng.random() < 0.45 else near)
    return rng.choice(DIVISIONS).replace("{}", d)


def nothing(rng: random.Random, names: Sequence[str], p: str) -> str:
    """An expression that is 0 wherever the operation has a value."""
    x = rng.choice(names)
    return rng.choice(
        [
            f"({p})*0",
            f"0*({p})",
            f"(({p}) - ({p}))",
            f"(({p}) % 1)",
            f"({p})*({x} - {x})",
            f"(max({p}, {p}) - ({p}))",
            f"(0 % (({p})*0 + 1))",
        ]
    )


def hidden(rng: random.Random, names: Sequence[str], text: str, shifts: bool = True) -> str:
    """The expression with a term more that comes to 0."""
    term = nothing(rng, names, partial(rng, names, shifts))
    return f"{text} + {term}" if rng.random() < 0.7 else f"{term} + {text}"


def seldom(rng: random.Random, names: Sequence[str], text: str) -> str:
    """The expression, at times with such a term; none where there are no names to speak of."""
    return hidden(rng, names, text, False) if names and rng.random() < OFTEN else text


def condition(rng: random.Random, names: Sequence[str]) -> str:
    """A comparison of a name with another one or a number."""
    x, y = rng.choice(names), rng.choice([*names, "0", "1", "2"])
    return f"{x} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {y}"


# -- index functions ------------------------------------------------------------------------------


class Parts:
    """The parts of a map's text, of which a draw changes some."""

    def __init__(
        self,
        domain: Sequence[tuple[str, str, str]],
        guard: str,
        lets: Sequence[tuple[str, str]],
        results: Sequence[str],
        box: Sequence[str],
        sizes: Sequence[str],
    ) -> None:
        self.domain, self.guard, self.lets = list(domain), guard, list(lets)
        self.results, self.box, self.sizes = list(results), list(box), list(sizes)

    @property
    def names(self) -> list[str]:
        """The variables and the sizes."""
        return [*[name for name, *_ in self.domain], *self.sizes]

    @property
    def text(self) -> str:
        """The map."""
        domain = ", ".join(f"{low} <= {n} < {high}" for n, low, high in self.domain)
        guard = f" if {self.guard}" if self.guard else ""
        lets = "".join(f"{n} = {e} ; " for n, e in self.lets)
        results, box = (", ".join(row) for row in (self.results, self.box))
        if len(self.results) > 1:
            results, box = f"({results})", f"({box})"
        return f"map {domain}{guard} : {lets}{results} in {box}"

    def define(self, text: str) -> str:
        """A definition, by a name that nothing has."""
        self.lets.append((f"u{len(self.lets)}", text))
        return self.lets[-1][0]

    def add(self, rng: random.Random, term: str) -> None:
        """One result with a term more."""
        k = rng.randrange(len(self.results))
        self.results[k] = f"{self.results[k]} + {term}"


def factor(rng: random.Random, m: Parts, p: str) -> None:
    """Times a definition that is 0."""
    x = rng.choice(m.names)
    z = m.define(rng.choice(["0", "0", f"{x} - {x}", "4 % 2", "min(0, 3)"]))
    m.add(rng, rng.choice([f"({p})*{z}", f"{z}*({p})", f"(0 % ({z}*({p}) + 1))"]))


def modulus(rng: random.Random, m: Parts, p: str) -> None:
    """Modulo a definition that is 1."""
    m.add(rng, f"(({p}) % {m.define(rng.choice(['1', '3 // 2', '2 - 1']))})")


def difference(rng: random.Random, m: Parts, p: str) -> None:
    """Minus itself, by another name."""
    u = m.define(p)
    v = m.define(rng.choice([p, u, f"{u}*1"]))
    m.add(rng, rng.choice([f"{u} - {v}", f"{v} - {u}", f"{u} - ({p})"]))


def renamed(rng: random.Random, m: Parts, p: str) -> None:
    """Divided by a variable that has another name."""
    x = rng.choice(m.names)
    m.add(rng, f"(5 // {m.define(x)} - 5 // {x})")


def unused(rng: random.Random, m: Parts, p: str) -> None:
    """A definition that nothing uses, or that another unused one does."""
    u = m.define(p)
    if rng.random() < 0.4:
        m.define(rng.choice([f"{u} + 1", f"{u}*0", f"7 // ({u}*0 + 2)", f"7 // ({u} + 1)"]))


def untaken(rng: random.Random, m: Parts, p: str) -> None:
    """In one branch of a conditional."""
    c = condition(rng, m.names)
    branches = [f"({p} if {c} else 0)", f"(0 if {c} else {p})", f"({p} if {c} else {p})"]
    u = m.define(rng.choice(branches))
    if rng.random() < 0.5:
        m.add(rng, f"{u}*{m.define('0')}")


def behind(rng: random.Random, m: Parts, p: str) -> None:
    """In a guard, beside what may decide it."""
    c, test = condition(rng, m.names), f"{p} >= {rng.choice(['0', '-99', '1'])}"
    made = rng.choice([f"{c} and {test}", f"{c} or {test}", f"{test} or {c}", f"{test} and {c}"])
    m.guard = f"({m.guard}) and ({made})" if m.guard and rng.random() < 0.5 else made


def tested(rng: random.Random, m: Parts, p: str) -> None:
    """In the condition of a conditional whose branches are alike."""
    c, word = condition(rng, m.names), rng.choice(["and", "or"])
    test = rng.choice([f"{c} {word} {p} >= 0", f"{p} >= 0 {word} {c}", f"({p})*0 >= 0"])
    k = rng.randrange(len(m.results))
    m.results[k] = f"({m.results[k]} if {test} else {m.results[k]})"


def ending(rng: random.Random, m: Parts, p: str) -> None:
    """In the end of a range, or in the box, which speak of sizes."""
    names = m.sizes or ["2"]
    term = nothing(rng, names, partial(rng, names))
    if rng.random() < 0.5:
        k = rng.randrange(len(m.box))
        m.box[k] = f"{m.box[k]} + {term}"
        return
    k = rng.randrange(len(m.domain))
    name, low, high = m.domain[k]
    m.domain[k] = (name, low, f"{high} + {term}")


def plain(rng: random.Random, m: Parts, p: str) -> None:
    """As a term that comes to 0 as it is written."""
    m.add(rng, nothing(rng, m.names, p))


KINDS: tuple[Callable[[random.Random, Parts, str], None], ...] = (
    *(factor, factor, modulus, difference, renamed, unused, untaken),
    *(behind, tested, ending, plain),
)


def changed(rng: random.Random, m: Parts) -> str:
    """The map's text with one or two such operations in it."""
    for kind in rng.sample(KINDS, rng.choice([1, 1, 2])):
        kind(rng, m, partial(rng, m.names))
    return m.text
