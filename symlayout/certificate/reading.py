"""What a claim of a certificate says, read again from its texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from symlayout.certificate.asking import points_of
from symlayout.certificate.bits import of_all_sizes
from symlayout.certificate.calls import Meant
from symlayout.certificate.definedness import Demands
from symlayout.certificate.definitions import Law, Map, names_in, plain
from symlayout.certificate.exact import Rejected, Work, polynomial
from symlayout.certificate.functions import IMAGES, Function, function, of_map
from symlayout.certificate.functions import WORDS as OF_FUNCTIONS
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.machine import demands
from symlayout.certificate.part import Goal
from symlayout.certificate.proof import Drawn, Statement
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.relations import Relation, read_relations
from symlayout.expr.terms import Mod, symbol
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.applied import applied, tuple_value
from symlayout.layouts.maps.reader import read_map
from symlayout.layouts.notation import notation_of, parse
from symlayout.text.once import cached_property

if TYPE_CHECKING:
    from symlayout.certificate.blocks import Course
    from symlayout.expr.facts import Facts

OPEN = re.compile(r"\b(?:memref|tensor)\s*<")
WORD = re.compile(r"[A-Za-z_]\w*")
# words whose arguments another module reads, which is imported when a claim has that word
READERS = {"broadcast": "broadcasts", "tiles": "tiles"}


def relation(op: str, left: Any, right: Any) -> Goal:
    """A goal of one relation."""
    return [Relation(op, plain(left), plain(right))]


@lru_cache(maxsize=128)  # each way to a proof begins with it
def _formula(text: str, names: tuple[tuple[str, Expr], ...], language: str | None) -> Expr:
    """The expression of a text, in which these names have a meaning."""
    return read_expression(text, dict(names).get, language=language, code=language is not None)


def pairs(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The pairs of two lists; raises `LayoutError` where one is longer."""
    if len(a) != len(b):
        raise LayoutError("SL403", f"{len(a)} and {len(b)} dimensions")
    return list(zip(a, b))


def inside(place: Sequence[Any], shape: Sequence[Any]) -> list[Goal]:
    """0 <= place < shape."""
    both = pairs(place, shape)
    return [g for x, d in both for g in (relation(">=", x, 0), relation("<", x, d))]


def numerals(text: str) -> list[int]:
    """The numbers of a list such as "{1,0}"."""
    return [int(w) for w in re.findall(r"-?\d+", text)]


def expressions(text: Any) -> list[Expr]:
    """The expressions of a list such as "(16, BN)"."""
    result = tuple_value(f"({text},)", read_expression)
    return list(result[0] if len(result) == 1 and isinstance(result[0], tuple) else result)


def slope_of(r: Relation, name: str, work: Work) -> int:
    """How often a fact has that size, where it speaks of that alone and not of its powers; or 0."""
    if r.names != {name} or r.op == "!=":
        return 0
    try:
        line = polynomial(r.left - r.right, work)
    except Rejected:  # it divides
        return 0
    return dict(line.terms).get((name,), 0) if line.degree == 1 else 0


def least_given(r: Relation, name: str, work: Work) -> bool:
    """Whether the fact is a bound from below of that size alone: then it need not be >= 1."""
    slope = slope_of(r, name, work)
    return bool(slope != 0 and (r.op == "==" or (slope > 0) == (r.op in (">", ">="))))


def nothing(facts: Sequence[Relation], work: Work) -> set[str]:
    """The sizes that facts say are 0: what holds of 0 alone, and neither of -1 nor of 1.

    Linear facts about one size leave it an interval.
    """
    hits = set[str]()
    for n in {n for r in facts for n in r.names}:
        rows = [r for r in facts if slope_of(r, n, work)]
        at = [all(r.holds({n: v}) for r in rows) for v in (-1, 0, 1)]
        hits |= {n} if at == [False, True, False] else set()
    return hits


class Reading:
    """A claim's maps, functions, facts, demands, and goals about sizes alone.

    The sizes `points` decide what operations on layouts are.  Raises `LayoutError` for a text that
    cannot be read.
    """

    word: str
    options: dict[str, str]
    facts: list[Relation]
    by_script: bool
    known: set[str]
    work: Work  # what computing what it says may cost
    written: tuple[Relation, ...]  # the facts without those that sizes are at least 1
    names: list[str]

    def __init__(
        self,
        statement: Statement,
        hint: str | None = None,
        points: Sequence[Mapping[str, int]] = (),
        work: Work | None = None,
    ) -> None:
        self.work = work or Work()
        self.word, self.arguments = statement.word, list(statement.arguments)
        self.options = dict(statement.options)
        self.hint = hint
        self.points = points_of(points)
        self.facts = list(dict.fromkeys(r for f in statement.facts for r in read_relations(f)))
        self.demands: list[Goal] = []  # where one does not hold, the claim is not defined
        self.resting: list[Law] = []  # what layouts within expressions rest on
        self.goals: list[Goal] = []  # of claims about sizes alone
        self.first: list[Expr] = []  # where the one tile of `tiles --at` begins
        self.sizes: list[Expr] = []  # arguments that are sizes
        self.maps: list[Map] = []
        self.functions: list[Function] = []
        self.by_script = False  # whether it is about functions that are no map of one box
        self.duties: Demands = []  # where functions are defined; by `fits`, of the values of a map
        self.shapes: list[Course] = []  # linear layouts of all sizes
        self.read_arguments()
        self.known = {n for m in self.maps for n in m.names}
        self.known |= {n for r in self.facts for n in r.names}
        self.known |= {n for f in self.functions for n in f.names}
        self.known |= {n for s in self.shapes for n in s.names}
        if self.word in READERS:
            module = import_module(f"symlayout.certificate.{READERS[self.word]}")
            module.read(self)
        else:
            getattr(self, f"_read_{self.word}", lambda: None)()
        self.name_sizes()
        self.own = frozenset(self.facts)  # those of the claim, whatever a proof adds

    def read_arguments(self) -> None:
        """The layouts and index functions that the claim is about."""
        if sum("?" in t for a in self.arguments for t in OPEN.split(str(a))[1:]) > 1:
            raise LayoutError("SL402", "two types have sizes without names")
        if any(map(of_all_sizes, self.arguments)):
            from symlayout.certificate.blocks import shapes

            self.shapes = shapes(self.word, self.arguments)
        if self.word in OF_FUNCTIONS and not self.shapes:
            self.functions = self.read_functions()
            both = [d for f in self.functions for d in f.definitions]
            self.duties = list(dict.fromkeys(both))
        # whether something is said of the places that functions reach, beside those demands
        self.of_places = bool(self.functions) and self.word != "fits"
        many = {"equal": 2, "bitcast": 2, "reinterpret": 2}.get(self.word, 1)
        for a in self.arguments[:many] if not self.shapes else ():
            if self.word not in ("divides", "holds", "broadcast", "instruction"):
                try:
                    self.maps.append(layout_map(a, self.points))
                except LayoutError:
                    if not self.functions:
                        raise
                    self.by_script = True

    def name_sizes(self) -> None:
        """The names of all sizes, each of which is at least 1 where no fact says otherwise."""
        self.written = tuple(self.facts)
        names = self.known | {n for r in self.facts for n in r.names}
        names |= names_in(*self.first, *self.sizes)
        names |= {n for m in self.maps for n in m.names}
        names |= {n for goal in self.demands for r in goal for n in r.names}
        self.names = sorted(names | {n for goal in self.goals for r in goal for n in r.names})
        self.maps = [m.apart_from(set(self.names)) for m in self.maps]
        self.check_variables()
        for n in self.names:
            if not any(least_given(r, n, self.work) for r in self.facts):
                self.facts.append(Relation(">=", symbol(n), Integer(1)))
        if any(m.within for m in self.maps):
            none = nothing(self.facts, self.work)
            self.maps = [m.where_0(none) if m.within else m for m in self.maps]

    @cached_property
    def assumptions(self) -> Facts:
        """The facts as those who look for a proof ask them."""
        from symlayout.expr.facts import Facts

        return Facts(self.written)

    def check_variables(self) -> None:
        """Raises `LayoutError` where a variable has the name of a size, of which facts say more."""
        for n in {x.name for f in self.functions for x, _ in f.box} & set(self.names):
            raise LayoutError("SL401", f"{n} is a variable of a map, and a size as well")

    def text(self, k: int) -> str:
        """An argument that is a text; raises `LayoutError` for any other."""
        if k >= len(self.arguments):
            raise LayoutError("SL502", f"{self.word} has no argument {k + 1} here")
        argument = self.arguments[k]
        if not isinstance(argument, str):
            raise LayoutError("SL100", f"{argument} stands where a text is wanted")
        return argument

    def allows(self, sizes: Mapping[str, int]) -> bool:
        """Whether the facts hold of these sizes: then the claim says something."""
        return all(r.holds(sizes) for r in self.facts)

    # -- what the texts say -----------------------------------------------------------------------

    def _read_bounded(self) -> None:
        names = {n: symbol(n) for n in self.known}
        self.sizes = [read_expression(str(t), names.get) for t in self.arguments[1:]]

    _read_aligned = _read_bytes = _read_bounded

    def _read_inverse(self) -> None:
        if not (self.functions or self.shapes):
            raise LayoutError("SL502", f"{self.word} speaks of maps")

    _read_disjoint = _read_inverse

    def _read_fits(self) -> None:
        if not self.functions:
            if self.options.keys() - {"formula"}:
                raise LayoutError("SL502", "types and wrapping are for maps")
            return
        if "formula" in self.options:
            raise LayoutError("SL502", "a map is its own formula")
        bits = self.text(1) if len(self.arguments) > 1 else None
        self.by_script = True
        self.duties = demands(self.functions[0], self.text(0), bits, self.options, self.work)

    def _read_holds(self) -> None:
        calls = Meant(self.points)
        self.goals = [[r] for r in read_relations(*applied(self.text(0), calls))]
        self.demands = [[r] for r in calls.demands]
        self.resting = calls.laws

    def _read_divides(self) -> None:
        if len(self.arguments) == 1:
            self.maps.append(m := layout_map(self.text(0), self.points))
            if not hasattr(parse(self.text(0)), "_tiles"):
                raise LayoutError("SL403", f"{self.text(0)} is not an XLA layout, which has tiles")
            values = list(m.pairs)
        else:
            values = [(read_expression(self.text(0)), read_expression(self.text(1)))]
        self.goals = [relation("==", Mod(x, d), 0) for d, x in values]

    def _read_instruction(self) -> None:
        from symlayout.certificate.opcodes import instruction_goals  # modules are read for it

        self.goals = list(instruction_goals(self.text(0)))

    def formula(self, calls: Meant) -> Expr:
        """The hand-written expression of `formula`, in the map's own coordinates."""
        m, argument = self.maps[0], self.options.get("coords")
        words = argument.replace(",", " ").split() if argument else []
        if argument and (len(set(words)) != len(m.coords) or self.known & set(words)):
            raise LayoutError("SL401", f"{argument!r} does not name the coordinates")
        meaning = {**{n: symbol(n) for n in self.known}, **dict(zip(words, m.coords))}
        for k, c in enumerate(m.coords if not argument else ()):
            for word in (c.name, f"i{k}", "ijklmnopq"[k : k + 1]):
                meaning.setdefault(word, c)
        for word in WORD.findall(str(self.arguments[0])):  # a symbol whose term cancels
            meaning.setdefault(word, symbol(word))
        language = self.options.get("language")
        text, names = applied(self.text(1), calls, meaning.get)
        if names == meaning.get:  # nothing in it is called
            return self.at_place(m, _formula(text, tuple(meaning.items()), language))
        e = read_expression(text, names, language=language, code=language is not None)
        return self.at_place(m, e)

    def at_place(self, m: Map, e: Expr) -> Expr:
        """An expression of sizes and a map's coordinates; raises `LayoutError` for other names."""
        new = names_in(e) - {c.name for c in m.coords} - set(self.names)
        if new:
            raise LayoutError("SL201", f"{min(new)} is not a size of the layout")
        return e

    def read_functions(self) -> list[Function]:
        """The index functions of a claim about them; none where it is about layouts."""
        many = 1 if self.word in IMAGES or self.word in ("bounded", "formula", "fits") else 2
        arguments = self.arguments[:many]
        if self.word in IMAGES and isinstance(arguments[0], Drawn):
            with suppress(LayoutError):
                return [function(arguments[0], self.points, self.work)]
            return []
        if not any(isinstance(a, str) and notation_of(a).functions for a in arguments):
            return []
        results = [function(a, self.points, self.work) for a in arguments]
        if self.word == "formula":
            read = parse(self.text(0))
            domain, guard = ", ".join(map(str, read.variables)), read._guard
            head = f"map {domain}{'' if guard is None else f' if {guard}'}"
            text = f"{head}: {self.text(1)}"
            results.append(of_map(read_map(text, self.options.get("language")), self.work))
        if self.word == "bounded" and len(self.arguments) > 1:
            if len(results[0].results) != 1:
                raise LayoutError("SL403", f"{self.text(0)} has several results")
            size = read_expression(str(self.arguments[1]))
            results = [results[0].in_box(size, self.work)]
        return results
