"""The moves of a proof by cases as the certificate has them: a few general ones, as texts.

The prover has a move for each way to take a case apart.  For the checker each is a condition that
splits a case, or other coordinates with both maps between them and the old ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symlayout.expr.conditions import ALWAYS, Less
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod
from symlayout.expr.tree import Expr, Integer, Symbol, expand
from symlayout.prove.maps.cases import Case, Move, World
from symlayout.prove.maps.goals import Script

Row = list[str]
EVERY = 1000  # more facts than a claim has


def texts_of(script: Script) -> list[Row]:
    """The moves of a proof; what follows in one of the cases of a move comes where that one begins."""
    rows, waiting = list[Row](), {Case: list[list[Row]](), World: list[list[Row]]()}
    for move, subject in script:
        if subject is None:
            rows.append(plain(move))
            continue
        pending = waiting[type(subject)]
        rows += pending.pop() if pending else []
        first, after = (
            general(subject, move) if isinstance(subject, Case) else of_sizes(subject, move)
        )
        rows += first
        pending += reversed(after)
    return rows


def plain(move: Move) -> Row:
    """A move with its texts one after the other."""
    row = Row()
    for part in move:
        if isinstance(part, tuple) and isinstance(part[0], tuple):
            row += [str(len(part)), *[str(e) for pair in part for e in pair]]
        elif isinstance(part, tuple):
            row += map(str, part)
        else:
            row.append(str(part))
    return row[:5] if move[0] == "bits" else row


def of_sizes(world: World, move: Move) -> tuple[list[Row], list[list[Row]]]:
    """A move of a world, and what comes first in each of the worlds that it makes."""
    nothing = list[Row]()
    match move:
        case ("cases",):
            return [plain(move)], []
        case ("impossible",):
            return [["split", "false", str(ALWAYS)]], []
        case ("sizes", e):
            return [sign(e)], [nothing, nothing]
        case ("divide", x, d, a, b):
            least = min(world.facts.domain(x.name).low, 1)
            back, forth = {x: a * d}, {a: FloorDiv(x, d)}
            whole = other_sizes(back, forth, [f"{a} >= {max(least, 0)}"], known=1)
            back, forth = {x: a * d + b}, {a: FloorDiv(x, d), b: Mod(x, d)}
            rest = other_sizes(back, forth, [f"{a} >= 0", f"{b} >= 1", f"{b} < {d}"], known=1)
            return [["split", "open", str(Less(Mod(x, d), Integer(1)))]], [[whole], [rest]]
        case ("value", x, number):
            return [other_sizes({x: number}, {}, [])], [nothing]
        case ("call", c, e, low):
            known = [f"{c} >= {low}"]
            if isinstance(e, (CeilDiv, FloorDiv)):
                x, d = e.args
                known.append(f"{c * d} {'>=' if isinstance(e, CeilDiv) else '<='} {x}")
            return [other_sizes({e: c}, {c: e}, known)], [nothing]
        case ("general", table, values, facts):
            known = [str(r) for r in facts]
            return [other_sizes(dict(table), dict(values), known, known=EVERY)], [nothing]
    return [plain(move)], [nothing]


def sign(e: Expr) -> Row:
    """Whether an expression of sizes is at least 0."""
    return ["split", "open", str(Less(Integer(-1), e))]


def other_sizes(
    back: Mapping[Expr, Expr], forth: Mapping[Symbol, Expr], facts: Sequence[str], known: int = 0
) -> Row:
    """Other sizes: the old ones by the new ones, what each new one is, and what is known of them."""
    pairs = [part for table in (back, forth) for row in table.items() for part in row]
    return ["reindex", *map(str, [known, len(back), len(forth), *pairs, *facts])]


def general(case: Case, move: Move) -> tuple[list[Row], list[list[Row]]]:
    """A move of a case, and what comes first in each of the cases that it makes."""
    nothing = list[Row]()
    match move:
        case ("leaf",):
            return [plain(move)], []
        case ("true",):
            return [["split", "true"]], [nothing]
        case ("false",):
            return [["split", "false"]], []
        case ("empty", _):
            return [["split", "false", str(ALWAYS)]], []
        case ("keep",):
            return [["split", "known"]], [nothing]
        case ("or",):
            return [["split", "open"]], [nothing, nothing]
        case ("if", p, q):
            return [["split", "open", str(Less(p, q))]], [nothing, nothing]
        case ("cut", x, at):
            size = expand(case.shape[case.coords.index(x)] - at)
            low = reindex({x: x}, {x: (at, x)}, known=1)
            high = reindex({x: x + at}, {x: (size, x - at)}, known=1)
            return [["split", "open", str(Less(x, at))]], [[low], [high]]
        case ("below", x, at):
            return [reindex({x: x}, {x: (at, x)}, known=1)], [nothing]
        case ("from", x, at):
            size = expand(case.shape[case.coords.index(x)] - at)
            return [reindex({x: x + at}, {x: (size, x - at)}, known=1)], [nothing]
        case ("digits", x, d, count, high, low):
            digits = {high: (count, FloorDiv(x, d)), low: (d, Mod(x, d))}
            return [reindex({x: d * high + low}, digits)], [nothing]
        case ("merge", x, z, y):
            many, step = (case.shape[case.coords.index(c)] for c in (x, z))
            back = {x: FloorDiv(y, step), z: y - step * FloorDiv(y, step)}
            return [reindex(back, {y: (many * step, step * x + z)})], [nothing]
        case ("widen", x, size):
            return [plain(("weaken", x, size))], [nothing]
        case ("some", node, y, size, which):
            return [plain(("weaken", node, y, size, int(which)))], [nothing]
        case ("common", node, y, which):
            return [plain(("weaken", node, y, node.args[int(which[0])] + 1, which))], [nothing]
        case ("cancel", node, p, q, by):
            return [plain(("rewrite", node, by, 1, q, p))], [nothing]
        case ("instead", node, by):
            return [plain(("rewrite", node, by, 1, node, by))], [nothing]
        case ("words", k, by, many, *rest):
            multiples = [(x, d * FloorDiv(x, d)) for x, d in zip(rest[::2], rest[1::2])][:many]
            texts = [*[e for pair in multiples for e in pair], *rest[2 * many :]]
            return [plain(("rewrite", k, by, many, *texts))], [nothing]
        case ("renamed", "blocks" | "xor" as word, *texts):
            return [plain((word, *texts))], [nothing]
        case ("extent", x, size):
            return [reindex({x: x}, {x: (size, x)})], [nothing]
        case ("renamed", "turn", (x,), y, size, remainder, *results):
            e = remainder.args[0]
            sign = e.coeff(x)
            turned = Mod(expand(sign * (y - e + sign * x)), size)
            return [reindex({x: turned}, {y: (size, remainder)}, results)], [nothing]
    return [plain(move)], [nothing]


def reindex(
    back: Mapping[Symbol, Expr],
    forth: Mapping[Symbol, tuple[Expr, Expr]],
    results: Sequence[Expr] = (),
    known: int = 0,
) -> Row:
    """Other coordinates: the old ones by the new ones; of each of these its extent and what it is."""
    rows: list[Any] = [known, len(back), len(forth)]
    rows += [part for row in back.items() for part in row]
    rows += [part for y, (size, e) in forth.items() for part in (y, size, e)]
    return ["reindex", *map(str, [*rows, *results])]
