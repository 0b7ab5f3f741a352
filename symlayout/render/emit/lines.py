"""What emitters share: precedence, names that a language keeps for itself, shared parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.intermediates import factors_in_order, terms_in_order
from symlayout.expr.terms import BITS, Application, Exp2
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol, preorder_traversal
from symlayout.render.emit.factoring import Group, groups
from symlayout.text.names import unused

# how tightly text binds: a sum, a product (`*`, `/`, `%` and `//` alike), a sign, an atom
SUM, PRODUCT, SIGN, ATOM = range(4)


@dataclass(frozen=True)
class Text:
    """A piece of code and how tightly it binds."""

    code: str
    level: int = ATOM

    def at(self, level: int) -> str:
        """The code, in parentheses where it binds less tightly than `level`."""
        return self.code if self.level >= level else f"({self.code})"


Call = Callable[[Expr, Callable[[Expr], Text]], Text]


def write(e: Expr, names: Mapping[Any, str], call: Call, factored: bool = False) -> Text:
    """The code of an expression; `call` writes divisions and extremes, all else is shared.

    `names` has the symbols, and parts that were computed before.
    A sum is `factored` where the fewest multiplications are wanted, not the shape of the formula.
    """

    def visit(x: Expr) -> Text:
        if x in names:
            return Text(names[x])
        if isinstance(x, Integer):
            return Text(str(x), ATOM if x >= 0 else SIGN)
        if isinstance(x, Add):
            return _sum(groups(x) if factored else terms_in_order(x), visit)
        if isinstance(x, Mul):
            return _product(x, visit)
        if isinstance(x, Pow) and x.exp.is_Integer and x.exp > 0:
            return Text("*".join([visit(x.base).at(ATOM)] * int(x.exp)), PRODUCT)
        if type(x) in BITS:
            # in parentheses of their own: they bind looser than comparisons in C
            return Text(f"({f' {BITS[type(x)]} '.join(visit(a).at(SIGN) for a in x.args)})")
        return call(x, visit)

    return visit(e)


def _sum(items: Sequence[Group | Expr], visit: Callable[[Expr], Text]) -> Text:
    code = ""
    for term in items:
        if isinstance(term, Group):
            part = f"{visit(term.factor).at(ATOM)}*({_sum(term.items, visit).code})"
            code = f"{code} + {part}" if code else part
            continue
        minus = term.could_extract_minus_sign() and code
        part = visit(-term if minus else term).at(PRODUCT)
        code += (f" - {part}" if minus else f" + {part}") if code else part
    return Text(code, SUM)


def _product(e: Expr, visit: Callable[[Expr], Text]) -> Text:
    number, rest = e.as_coeff_Mul()
    if number == -1:
        # -(a*b), not (-a)*b: a sign binds tighter than a division in C and looser in Python's **
        return Text(f"-{visit(rest).at(ATOM)}", SIGN)
    parts = [visit(f).at(SIGN if f.is_Integer else ATOM) for f in factors_in_order(e)]
    return Text("*".join(parts), PRODUCT)


def safe_names(
    symbols: Sequence[Symbol], reserved: Collection[str], others: Collection[str] = ()
) -> dict[Symbol, str]:
    """A name for each symbol: its own, with an underscore where the language keeps it.

    C's compilers keep all that begins with two underscores.
    """
    used = set(others) | {s.name for s in symbols}
    names: dict[Symbol, str] = {}
    for s in symbols:
        name = s.name
        if name in reserved or name in others or name.startswith("__"):
            name = unused(f"{name}_", {*used, *reserved})
            used.add(name)
        names[s] = name
    return names


def fresh(used: Collection[str]) -> Iterator[Symbol]:
    """t0, t1, ...: symbols whose names are not in use."""
    number = 0
    while True:
        if f"t{number}" not in used:
            yield Symbol(f"t{number}")
        number += 1


Rows = list[tuple[Symbol, Expr]]


def share(
    rows: Sequence[tuple[Symbol, Expr]], results: Sequence[Expr], used: Collection[str], cost: int
) -> tuple[Rows, list[Expr]]:
    """Definitions, those of parts that occur several times among them, and the results that are left.

    `cost` is the length of the text that a definition adds: only what pays for it is shared.
    """
    from symlayout.expr.edge import common_parts
    from symlayout.expr.terms import as_expr, put, rebuild, symbol

    pairs, left = common_parts([*[e for _, e in rows], *results], fresh(used))
    parts, rest = [(symbol(s.name), as_expr(p)) for s, p in pairs], list(map(as_expr, left))
    lets: Rows = []
    inlined: dict[Any, Expr] = {}
    for number, (name, part) in enumerate(parts):
        part = put(part, inlined)
        later = [p for _, p in parts[number + 1 :]] + rest
        uses = sum(x == name for p in later for x in preorder_traversal(p))
        text = len(str(part))
        pays = text * uses > text + uses * len(name.name) + cost
        if uses < 2 or not pays or isinstance(part, Exp2):  # by a power of two it is shifted
            inlined[name] = part
        else:
            lets.append((name, part))
    rest = [put(e, inlined) for e in rest]
    definitions = in_order([(s, e) for (s, _), e in zip(rows, rest)], lets)
    ours = {s for s, _ in lets}
    table = dict(zip((s for s, _ in definitions if s in ours), fresh(used)))
    swap: Any = lambda s: table.get(s, s)  # noqa: E731 - t0, t1, ... without gaps
    definitions = [(table.get(s, s), rebuild(p, swap)) for s, p in definitions]
    return definitions, [rebuild(e, swap) for e in rest[len(rows) :]]


def repeated(expressions: Sequence[Expr], cost: int) -> list[Expr]:
    """Parts that occur several times, inner ones first; never some of the terms of a sum.

    Code that computes them once has the same values on its way as code without names.
    `cost` is the length of the text that a definition adds: only what pays for it is shared.
    """
    counts = Counter(x for e in expressions for x in preorder_traversal(e) if x.args)
    shared: dict[Expr, None] = {}
    for x in sorted(counts, key=lambda x: (-len(str(x)), str(x))):
        if counts[x] < 2 or isinstance(x, Exp2):  # by a power of two it is shifted
            continue
        text, uses = len(str(x)), _uses(x, expressions, shared)
        if uses >= 2 and text * uses > text + uses * len("t0") + cost:
            shared[x] = None
    return list(shared)[::-1]


def _uses(part: Expr, expressions: Sequence[Expr], shared: Collection[Expr]) -> int:
    """How often code computes a part where `shared` ones are computed once."""
    left = [*expressions, *[a for x in shared for a in x.args]]
    number = 0
    while left:
        x = left.pop()
        number += x == part
        if x not in shared:
            left += x.args
    return number


def in_order(rows: Rows, parts: Rows) -> Rows:
    """The definitions with the parts among them, each behind what it speaks of."""
    definitions, ours = list(rows), {s for s, _ in parts}
    for s, part in parts:
        names = part.free_symbols
        at = 1 + max((k for k, (n, _) in enumerate(definitions) if n in names), default=-1)
        while at < len(definitions) and definitions[at][0] in ours:
            at += 1
        definitions.insert(at, (s, part))
    return definitions


def parameters(layout: Any, formula: Expr) -> list[Symbol]:
    """The coordinates, then the sizes that the formula or the layout has, in order."""
    from symlayout.expr.terms import free_names, symbol

    coords = list(layout._coords)
    by_name = {s.name: s for s in formula.free_symbols}
    names = list(dict.fromkeys([*layout.symbols, *free_names(formula)]))
    known = {c.name for c in coords}
    return coords + [by_name.get(n, symbol(n)) for n in names if n not in known]


def by_row(e: Expr, language: str, visit: Callable[[Expr], Text]) -> Text:
    """An operator by the template that its row has for the language; `LayoutError` without one."""
    template = e.row.code.get(language) if isinstance(e, Application) else None
    if template is None:
        raise not_code(e, language)
    return Text(template.format(*[visit(a).code for a in e.args]))


def not_code(e: Expr, language: str) -> LayoutError:
    """The error for an expression that the language has no words for."""
    return LayoutError("SL203", f"{e} is not an integer expression that {language} can compute")
