"""Z3's check of the moves of a proof by cases: no lie about points, boxes and sizes is confirmed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symlayout.certificate.cases import Case, World, read
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.splits import Splits
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Part
from symlayout.certificate.script import Script
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Either, Less
from symlayout.expr.facts import Relation, read_relations
from symlayout.expr.terms import symbol, value
from symlayout.prove.maps.moves import other_sizes, reindex

LARGEST = 4  # of the sizes that are tried
FACTS = tuple(r for t in ("M >= 1", "N >= 1", "d >= 1") for r in read_relations(t))
WORLD = World(FACTS, ("M", "N", "d"), (), ())


def less(text: str) -> Less:
    left, right = text.split(" < ")
    return Less(read(left), read(right))


def case_of(box: str, results: str, *guard: Condition, ops: tuple[str, ...] = ()) -> Case:
    """A case such as `i < M; j < i + 1` with its results."""
    rows = [less(text) for text in box.split("; ")]
    texts = tuple(map(read, results.split("; ")))
    return Case(tuple((r.left, r.right) for r in rows), texts, guard, (), ops)


def stepped(case: Case, move: Sequence[str], world: World = WORLD) -> tuple[list[Part], list[Case]]:
    """What the move shows, and the cases that it makes."""
    script = Script((), frozenset(), (), "offset")
    parts, cases = script.step(world, case, tuple(move))
    return parts, [c.flat() for c in cases]


def is_confirmed(
    case: Case,
    move: Sequence[str],
    parts: Sequence[Part],
    cases: Sequence[Case],
    counted: bool = True,
    world: World = WORLD,
) -> bool:
    try:
        Splits().of_case(world, case, move, parts, cases, counted)
    except (NotConfirmed, LayoutError):
        return False
    return True


PLAIN = case_of("i < M*d; j < N", "N*i + j")
GUARDED = case_of("i < M; j < N", "i + j", less("i < M"), less("j < 2"))
EMPTY = case_of("i < M; j < N", "i + j", less("i < 0"))
CHOICE = case_of("i < M; j < N", "i + j", Either(less("i < 2"), less("j < d")))
BRANCHES = case_of("i < M", "(i if i < d else M + i)")
TRIANGLE = case_of("i < N; j < i + 1", "(i*i + i)//2 + j")
BLOCKS = ("blocks", "i", "j", "y", "(N*N + N)//2", "(i*i + i)//2 + j", "y")
TURN = case_of("i < N; j < M", "(i + 3*j) % N; j")
TURN_BACK = case_of("i < N; j < M", "(2*j - i) % N; j")
FIRST = case_of("i < M*d; j < N", "N*i + j", less("i < M"), less("j < 2"))
REST = replace(FIRST, guard=(less("M < i + 1"), less("j < 2")))


def turn(way: str, back: str, *results: str) -> tuple[str, ...]:
    return tuple(reindex({"i": back}, {"y": ("N", way)}, results))


DIGITS = tuple(reindex({"i": "d*h + l"}, {"h": ("M", "i//d"), "l": ("d", "i%d")}))
MERGE = tuple(reindex({"i": "y//d", "j": "y - d*(y//d)"}, {"y": ("M*d", "d*i + j")}))
SHIFT = tuple(reindex({"i": "i + M"}, {"i": ("M*d - M", "i - M")}, known=1))
MOVES: dict[str, tuple[Case, tuple[str, ...]]] = {
    "open": (PLAIN, ("split", "open", "i < M")),
    "known": (PLAIN, ("split", "known", "i < M")),
    "before": (FIRST, tuple(reindex({"i": "i"}, {"i": ("M", "i")}, known=1))),
    "behind": (REST, SHIFT),
    "behind, where another extent depends on it": (
        replace(TRIANGLE, guard=(less("1 < i + 1"),)),
        tuple(reindex({"i": "i + 1"}, {"i": ("N - 1", "i - 1")}, known=1)),
    ),
    "digits": (PLAIN, DIGITS),
    "merge": (case_of("i < M; j < d", "(d*i + j)//3"), MERGE),
    "exchange": (PLAIN, tuple(reindex({"i": "j", "j": "i"}, {"i": ("N", "j"), "j": ("M*d", "i")}))),
    "true": (GUARDED, ("split", "true")),
    "keep": (GUARDED, ("split", "known")),
    "false": (EMPTY, ("split", "false")),
    "or": (CHOICE, ("split", "open")),
    "if": (BRANCHES, ("split", "open", "i < d")),
    "empty": (case_of("i < M; j < N - N", "i + j"), ("split", "false", "0 < 1")),
    "extent": (
        case_of("i < M; j < (N*d)//d", "i + j"),
        tuple(reindex({"j": "j"}, {"j": ("N", "j")})),
    ),
    "widen": (case_of("i < M; j < i + 1", "i + j"), ("weaken", "j", "M")),
    "turn": (TURN, turn("(i + 3*j) % N", "(y - 3*j) % N", "y", "j")),
    "turn back": (TURN_BACK, turn("(2*j - i) % N", "(2*j - y) % N", "y", "j")),
    "rows": (TRIANGLE, BLOCKS),
    "rows of one length": (
        case_of("i < M; j < d", "(d*i + j)*2"),
        ("blocks", "i", "j", "y", "M*d", "d*i + j", "2*y"),
    ),
    "rows that become shorter": (
        case_of("i < N; j < N - i", "i*N - (i*i - i)//2 + j"),
        ("blocks", "i", "j", "y", "(N*N + N)//2", "i*N - (i*i - i)//2 + j", "y"),
    ),
}


@pytest.mark.parametrize("kind", MOVES)
def test_a_move_is_confirmed(kind: str) -> None:
    case, move = MOVES[kind]
    parts, cases = stepped(case, move)
    Splits().of_case(WORLD, case, move, parts, cases, counting=True)


# -- lies -----------------------------------------------------------------------------------------


def box_of(k: int, x: str, size: str) -> Callable[[list[Case]], list[Case]]:
    """Another extent of a coordinate of one of the cases."""

    def change(cases: list[Case]) -> list[Case]:
        box = tuple((y, read(size) if y.name == x else d) for y, d in cases[k].box)
        return [replace(c, box=box) if n == k else c for n, c in enumerate(cases)]

    return change


def with_results(k: int, *texts: str) -> Callable[[list[Case]], list[Case]]:
    def change(cases: list[Case]) -> list[Case]:
        other = replace(cases[k], results=tuple(map(read, texts)))
        return [other if n == k else c for n, c in enumerate(cases)]

    return change


def with_guard(k: int, *texts: str) -> Callable[[list[Case]], list[Case]]:
    def change(cases: list[Case]) -> list[Case]:
        other = replace(cases[k], guard=tuple(map(less, texts)))
        return [other if n == k else c for n, c in enumerate(cases)]

    return change


def without(k: int) -> Callable[[list[Case]], list[Case]]:
    return lambda cases: [c for n, c in enumerate(cases) if n != k]


def twice(k: int) -> Callable[[list[Case]], list[Case]]:
    return lambda cases: [*cases, cases[k]]


def renamed(k: int, x: str, y: str) -> Callable[[list[Case]], list[Case]]:
    def change(cases: list[Case]) -> list[Case]:
        box = tuple((symbol(y) if z.name == x else z, d) for z, d in cases[k].box)
        return [replace(c, box=box) if n == k else c for n, c in enumerate(cases)]

    return change


LIES: list[tuple[str, Callable[[list[Case]], list[Case]]]] = [
    ("open", without(0)),
    ("open", without(1)),
    ("open", twice(0)),
    ("open", lambda cases: cases[::-1]),
    ("open", with_guard(0)),
    ("open", with_guard(1, "M < i")),
    ("open", box_of(0, "j", "N + 1")),
    ("open", with_results(1, "N*i + j + M*N + 1")),
    ("known", without(0)),
    ("known", without(1)),
    ("known", lambda cases: cases[::-1]),
    ("before", without(0)),
    ("before", twice(0)),
    ("before", box_of(0, "i", "M + 1")),
    ("before", box_of(0, "i", "M - 1")),
    ("before", box_of(0, "j", "1")),
    ("before", with_guard(0)),
    ("before", with_guard(0, "i < 1")),
    ("before", renamed(0, "i", "M")),
    ("before", renamed(0, "j", "k")),
    ("behind", box_of(0, "i", "M*d")),
    ("behind", box_of(0, "i", "M*d - M - 1")),
    ("behind", with_results(0, "N*i + j")),
    ("behind", with_guard(0, "j < 2", "i < 1")),
    ("behind, where another extent depends on it", box_of(0, "j", "i + 1")),
    ("exchange", box_of(0, "i", "M*d")),
    ("exchange", with_results(0, "N*i + j")),
    ("exchange", with_results(0, "N*j + j")),
    ("digits", box_of(0, "h", "M - 1")),
    ("digits", box_of(0, "h", "M + 1")),
    ("digits", box_of(0, "l", "d - 1")),
    ("digits", box_of(0, "l", "d + 1")),
    ("digits", box_of(0, "h", "M*d")),
    ("digits", with_results(0, "N*(M*h + l) + j")),
    ("digits", with_results(0, "N*(d*l + h) + j")),
    ("digits", with_results(0, "N*i + j")),
    ("digits", without(0)),
    ("merge", box_of(0, "y", "M*d - 1")),
    ("merge", box_of(0, "y", "M*d + 1")),
    ("merge", with_results(0, "y//d")),
    ("true", with_guard(0)),
    ("true", with_guard(0, "j < 1")),
    ("true", with_guard(0, "j < 3")),
    ("keep", with_guard(0)),
    ("false", lambda cases: [PLAIN]),
    ("or", without(0)),
    ("or", without(1)),
    ("or", with_guard(1, "j < d")),
    ("or", with_guard(0)),
    ("or", lambda cases: cases[::-1]),
    ("if", without(1)),
    ("if", lambda cases: cases[::-1]),
    ("if", with_results(0, "M + i")),
    ("if", with_guard(0)),
    ("extent", box_of(0, "j", "N + 1")),
    ("extent", box_of(0, "j", "N - 1")),
    ("widen", lambda cases: [replace(cases[0], loose=False)]),
    ("widen", box_of(0, "j", "i")),
    ("turn", box_of(0, "y", "N + 1")),
    ("turn", box_of(0, "y", "N - 1")),
    ("turn", with_results(0, "y + 1", "j")),
    ("turn", with_results(0, "(y + 3*j) % N", "j")),
    ("turn back", with_results(0, "N - 1 - y", "j")),
    ("rows", box_of(0, "y", "N*N")),
    ("rows", box_of(0, "y", "(N*N + N)//2 + 1")),
    ("rows", box_of(0, "y", "(N*N + N)//2 - 1")),
    ("rows", with_results(0, "y + 1")),
    ("rows", with_results(0, "N + i")),
    ("rows", without(0)),
    ("rows of one length", box_of(0, "y", "M*d + 1")),
    ("rows of one length", with_results(0, "y")),
]


@pytest.mark.parametrize(("kind", "lie"), LIES)
def test_other_cases_than_the_move_makes_are_not_confirmed(
    kind: str, lie: Callable[[list[Case]], list[Case]]
) -> None:
    case, move = MOVES[kind]
    parts, cases = stepped(case, move)
    assert not is_confirmed(case, move, parts, lie(cases))


WRONG_TEXTS = [
    ("digits", (*DIGITS[:7], "M + 1", *DIGITS[8:])),
    ("digits", (*DIGITS[:7], "M - 1", *DIGITS[8:])),
    ("digits", (*DIGITS[:10], "d + 1", DIGITS[11])),
    ("digits", (*DIGITS[:8], "i//M", *DIGITS[9:])),
    ("digits", (*DIGITS[:5], "M*h + l", *DIGITS[6:])),
    ("open", tuple(reindex({"i": "i"}, {"i": ("M*d + 1", "i")}))),
    ("before", tuple(reindex({"i": "i"}, {"i": ("0 - 1", "i")}, known=1))),
    ("before", tuple(reindex({"j": "j"}, {"j": ("M", "j")}, known=1))),
    ("before", SHIFT),
    ("behind", (*SHIFT[:7], "M*d - M + 1", SHIFT[8])),
    ("behind", (*SHIFT[:5], "i + M + 1", *SHIFT[6:])),
    ("behind", ("reindex", "2", *SHIFT[2:])),
    ("exchange", tuple(reindex({"i": "j", "j": "j"}, {"i": ("N", "j"), "j": ("M*d", "i")}))),
    ("exchange", tuple(reindex({"i": "j", "j": "i"}, {"i": ("M*d", "j"), "j": ("N", "i")}))),
    ("merge", (*MERGE[:9], "M*d - 1", MERGE[10])),
    ("merge", (*MERGE[:9], "M*d", "M*i + j")),
    ("false", ("split", "true")),
    ("true", ("split", "false")),
    ("open", ("split", "true", "i < M")),
    ("open", ("split", "false", "0 < 1")),
    ("open", ("split", "false", "i < M*d - 1")),
    ("widen", ("weaken", "j", "i")),
    ("widen", ("weaken", "j", "M - 1")),
    ("extent", tuple(reindex({"j": "j"}, {"j": ("N + 1", "j")}))),
    ("turn", tuple(reindex({"i": "(y - 3*j)%M"}, {"y": ("M", "(i + 3*j)%M")}, ["y", "j"]))),
    ("turn", turn("(i + 3*j) % N", "(y + 3*j) % N", "y", "j")),
    ("rows", (*BLOCKS[:4], "(N*N + N)//2 - 1", *BLOCKS[5:])),
    ("rows", (*BLOCKS[:4], "(N*N + N)//2 + 1", *BLOCKS[5:])),
    ("rows", (*BLOCKS[:5], "(i*i - i)//2 + j", "y")),
    ("rows", (*BLOCKS[:5], "i*N + j", "y")),
    ("rows", (*BLOCKS[:5], "i + j", "y")),
]


@pytest.mark.parametrize(("kind", "move"), WRONG_TEXTS)
def test_a_move_that_shows_nothing_is_not_confirmed(kind: str, move: tuple[str, ...]) -> None:
    """Without what has to be shown of it, which is false."""
    case, _ = MOVES[kind]
    try:
        _, cases = stepped(case, move)
    except Rejected:
        return
    assert not is_confirmed(case, move, [], cases)


# -- worlds ---------------------------------------------------------------------------------------

ROOT = case_of("i < ceildiv(M, d); r < d", "i*d + r", less("i*d + r < M"))
WHOLE = WORLD._replace(roots=(ROOT,), boxes=((read("M"),),))
DIVIDE = tuple(other_sizes({"M": "q*d + b"}, {"q": "M//d", "b": "M%d"}, ["q >= 0", "b < d"]))
WHOLE_ONES = tuple(other_sizes({"M": "q*d"}, {"q": "M//d"}, ["q >= 1"], known=1))
SIGN = ("split", "open", "-1 < M - N")
CALL = tuple(other_sizes({"ceildiv(M, d)": "c"}, {"c": "ceildiv(M, d)"}, ["c >= 1", "c*d >= M"]))
NONE = ("split", "false", "0 < 1")


def worlds_of(move: tuple[str, ...], w: World = WHOLE) -> tuple[list[Part], list[World]]:
    """What a move of a world shows, and the worlds that it makes."""
    worlds: list[World] = []

    class Watch(Script):
        def world(self, w: World, deep: int = 3) -> Iterator[Part]:
            worlds.append(w)
            if len(worlds) == 1:
                yield from super().world(w, deep)

    parts = list(Watch([move], frozenset(), (), "offset").world(w))
    return parts, worlds[1:]


def worlds_confirmed(
    move: tuple[str, ...], parts: Sequence[Part], worlds: Sequence[World], w: World = WHOLE
) -> bool:
    try:
        Splits().of_sizes(w, move, parts, worlds)
    except NotConfirmed:
        return False
    return True


@pytest.mark.parametrize("move", [DIVIDE, SIGN, CALL, ("weaken", "1")])
def test_a_move_of_sizes_is_confirmed(move: tuple[str, ...]) -> None:
    parts, worlds = worlds_of(move)
    Splits().of_sizes(WHOLE, move, parts, worlds)


def test_sizes_that_facts_forbid_are_none_and_others_are_not() -> None:
    never = WHOLE._replace(facts=(*FACTS, *read_relations("M <= 0")))
    assert worlds_confirmed(NONE, [], [], never)
    assert not worlds_confirmed(NONE, [], [])
    assert not worlds_confirmed(("split", "open", "0 < 1"), [], [])


def facts(k: int, change: Callable[[list[Relation]], list[Relation]]) -> Any:
    def lie(worlds: list[World]) -> list[World]:
        other = worlds[k]._replace(facts=tuple(change(list(worlds[k].facts))))
        return [other if n == k else w for n, w in enumerate(worlds)]

    return lie


def more(text: str) -> Callable[[list[Relation]], list[Relation]]:
    return lambda rows: [*rows, *read_relations(text)]


def other_root(k: int, change: Callable[[Case], Case]) -> Any:
    def lie(worlds: list[World]) -> list[World]:
        other = worlds[k]._replace(roots=tuple(map(change, worlds[k].roots)))
        return [other if n == k else w for n, w in enumerate(worlds)]

    return lie


def other_box(k: int, text: str) -> Any:
    def lie(worlds: list[World]) -> list[World]:
        other = worlds[k]._replace(boxes=((read(text),),))
        return [other if n == k else w for n, w in enumerate(worlds)]

    return lie


LIES_OF_SIZES = [
    (DIVIDE, lambda worlds: []),
    (DIVIDE, lambda worlds: worlds * 2),
    (DIVIDE, facts(0, more("q >= 2"))),
    (DIVIDE, facts(0, more("b >= 1"))),
    (DIVIDE, facts(0, more("b < d - 1"))),
    (DIVIDE, facts(0, more("M == 1"))),
    (DIVIDE, other_box(0, "M")),
    (DIVIDE, other_box(0, "q*d + 1")),
    (DIVIDE, other_box(0, "q*d")),
    (DIVIDE, other_root(0, lambda c: replace(c, guard=()))),
    (DIVIDE, other_root(0, lambda c: replace(c, guard=(less("i*d + r < q*d"),)))),
    (DIVIDE, other_root(0, lambda c: replace(c, results=(read("i*d"),)))),
    (DIVIDE, other_root(0, lambda c: replace(c, box=c.box[:1]))),
    (DIVIDE, other_root(0, lambda c: replace(c, ops=(">=",)))),
    (DIVIDE, lambda worlds: [w._replace(roots=()) for w in worlds]),
    (WHOLE_ONES, lambda worlds: worlds),
    (SIGN, lambda worlds: worlds[:1]),
    (SIGN, lambda worlds: worlds[::-1]),
    (SIGN, facts(0, more("M >= N + 1"))),
    (SIGN, facts(1, more("M >= N"))),
    (CALL, facts(0, more("c >= 2"))),
    (CALL, facts(0, more("c*d == M"))),
    (CALL, other_box(0, "c*d")),
    (CALL, lambda worlds: []),
    (("weaken", "1"), facts(0, more("M >= 2"))),
    (("weaken", "1"), other_box(0, "M + 1")),
    (("cases",), lambda worlds: [WHOLE]),
    (("power", "M", "k"), lambda worlds: [WHOLE]),
]


@pytest.mark.parametrize(("move", "lie"), LIES_OF_SIZES)
def test_other_worlds_than_the_move_makes_are_not_confirmed(
    move: tuple[str, ...], lie: Callable[[list[World]], list[World]]
) -> None:
    parts, worlds = worlds_of(move) if move[0] not in ("cases", "power") else ([], [])
    parts = [] if move == WHOLE_ONES else parts
    assert not worlds_confirmed(move, parts, lie(worlds))


# -- brute force ----------------------------------------------------------------------------------


def numbers(case: Case, env: dict[str, int]) -> list[tuple[int, ...]]:
    """The results at all points of a case, for some sizes."""

    def within(rows: Sequence[tuple[Any, Any]], at: dict[str, int]) -> Iterator[dict[str, int]]:
        if not rows:
            yield at
            return
        (x, d), *rest = rows
        for n in range(value(d, at)):
            yield from within(rest, {**at, x.name: n})

    def holds(c: Condition, at: dict[str, int]) -> bool:
        if isinstance(c, Less):
            return value(c.left, at) < value(c.right, at)
        both = isinstance(c, Both)
        return (
            holds(c.first, at) and holds(c.second, at)
            if both
            else (holds(c.first, at) or holds(c.second, at))
        )

    return [
        tuple(value(e, at) for e in case.results)
        for at in within(case.box, env)
        if all(holds(c, at) for c in (*case.guard, *case.premises))
    ]


def is_true(part: Part, env: dict[str, int]) -> bool:
    box = Case(tuple((symbol(x), d) for x, d in part.box.items()), (read("0"),))
    names = [symbol(x) for x in part.box]
    points = numbers(replace(box, results=tuple(names)), env) if names else [()]
    for point in points:
        at = {**env, **dict(zip(part.box, point))}
        supposed = all(r.holds(at) for r in part.premises)
        if supposed and not all(any(r.holds(at) for r in g) for g in part.goals):
            return False
    return True


SMALL = st.sampled_from(["0", "1", "2", "M", "N", "d", "M*d", "M*N", "N - 1", "M + 1", "M - N"])
CASES = [PLAIN, GUARDED, EMPTY, CHOICE, BRANCHES, TRIANGLE, TURN, *[c for c, _ in MOVES.values()]]


def reindexes(x: str, a: str, b: str, results: list[str]) -> list[list[str]]:
    """Other coordinates, with maps that mostly do not undo each other."""
    digits = {"h": (b, f"{x}//({a})"), "l": (a, f"{x}%({a})")}
    return [
        *[reindex({x: x}, {x: (a, x)}, known=n) for n in (0, 1)],
        *[reindex({x: f"{x} + {a}"}, {x: (b, f"{x} - ({a})")}, known=n) for n in (0, 1)],
        reindex({x: f"({a})*h + l"}, digits),
        reindex(
            {"i": f"y//({a})", "j": f"y - ({a})*(y//({a}))"},
            {"y": (f"({a})*({b})", f"({a})*i + j")},
        ),
        reindex({"i": "j", "j": "i"}, {"i": (a, "j"), "j": (b, "i")}),
        reindex({x: f"(y - {b})%({a})"}, {"y": (a, f"({x} + {b})%({a})")}, results),
    ]


@st.composite
def moves(draw: Any) -> tuple[Case, tuple[str, ...]]:
    """A move of some case, which mostly shows something false."""
    case = draw(st.sampled_from(CASES))
    x = draw(st.sampled_from([x.name for x in case.coords]))
    a, b = draw(SMALL), draw(SMALL)
    rows = ("blocks", "i", "j", "y", a, draw(st.sampled_from([f"{b}*i + j", BLOCKS[5]])))
    move = draw(
        st.sampled_from(
            [
                *[("split", how) for how in ("true", "false", "known", "open")],
                *[("split", how, f"{x} < {a}") for how in ("true", "false", "known", "open")],
                ("split", "open", "i < d"),
                ("split", "false", "0 < 1"),
                ("weaken", x, a),
                (*rows, *["y"] * len(case.results)),
                *map(tuple, reindexes(x, a, b, ["y"] * len(case.results))),
            ]
        )
    )
    return case, move


@st.composite
def changes(draw: Any, cases: list[Case]) -> list[Case]:
    """Cases of which something may be another."""
    if not cases or draw(st.booleans()):
        return cases
    k = draw(st.integers(0, len(cases) - 1))
    x = draw(st.sampled_from([x.name for x in cases[k].coords] or ["i"]))
    lie = draw(
        st.sampled_from(
            [
                without(k),
                twice(k),
                box_of(k, x, draw(SMALL)),
                with_guard(k),
                lambda cases: [replace(c, results=tuple(e + 1 for e in c.results)) for c in cases],
                lambda cases: cases[::-1],
            ]
        )
    )
    return lie(cases)


@pytest.mark.explore
@given(drawn=moves(), data=st.data(), counted=st.booleans())
@settings(max_examples=400)
def test_what_is_confirmed_is_so_for_small_sizes(
    drawn: tuple[Case, tuple[str, ...]], data: Any, counted: bool
) -> None:
    """Wherever what the move shows is true, no result is lost; and where points count, none is new."""
    case, move = drawn
    try:
        parts, cases = stepped(case, move)
    except (Rejected, LayoutError):
        assume(False)
    cases = data.draw(changes(cases))
    if not is_confirmed(case, move, parts, cases, counted):
        return
    for sizes in product(range(1, LARGEST + 1), repeat=3):
        env = dict(zip("MNd", sizes))
        try:
            if not all(is_true(part, env) for part in parts):
                continue
            old = Counter(numbers(case, env))
            new = Counter(r for c in cases for r in numbers(c, env))
        except ZeroDivisionError:
            continue
        assert all(n <= new[r] for r, n in old.items()), (env, case, move, cases)
        if counted and not any(c.loose for c in cases):
            assert old == new, (env, case, move, cases)


POINTS = replace(ROOT, ops=(">=",), guard=())
BOTH = WORLD._replace(roots=(POINTS, replace(POINTS, results=(read("M"),))))


def test_roots_that_say_something_of_points_are_shown_one_by_one() -> None:
    parts, worlds = worlds_of(("each",), BOTH)
    assert not parts
    assert [w.roots for w in worlds] == [(root,) for root in BOTH.roots]
    assert worlds_confirmed(("each",), parts, worlds, BOTH)
    for lie in (worlds[:1], worlds[::-1], [worlds[0], worlds[0]], [BOTH, *worlds[1:]], []):
        assert not worlds_confirmed(("each",), parts, lie, BOTH)


def test_places_of_roots_are_not_shown_one_by_one() -> None:
    mixed = BOTH._replace(roots=(POINTS, ROOT))
    with pytest.raises(Rejected, match="places of a root"):
        worlds_of(("each",), mixed)
    assert not worlds_confirmed(("each",), [], [mixed._replace(roots=(POINTS,))], mixed)
