"""The normal form of operations on bits, and the checker's own: equal words are equal numbers."""

from __future__ import annotations

import random

import pytest

from symlayout.certificate.exact import Rejected
from symlayout.certificate.words import Words as Checked
from symlayout.expr.terms import (
    BitAnd,
    BitOr,
    BitXor,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    symbol,
    value,
)
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.expr.words import Words, WordTooLarge

I, J, K, N = map(symbol, "ijkN")  # noqa: E741
WIDTHS = {J: 3, N: 5}  # the others may have any sign
NUMBERS = (0, 1, 2, 3, 5, 7, 8, 12, 56, -1, -2, -8)


class Draw:
    """Random expressions, and the same in other words."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def expression(self, deep: int) -> Expr:
        rng = self.rng
        if not deep or rng.random() < 0.12:
            return rng.choice([I, J, K, N]) if rng.random() < 0.8 else Integer(rng.choice(NUMBERS))
        a, n = self.expression(deep - 1), Integer(2 ** rng.randint(1, 3))
        other = self.expression(deep - 1)
        one = [a * n, a * 3, -a - 1, Mod(a, n), FloorDiv(a, n), CeilDiv(a, n), a * other]
        two = [BitXor(a, other), BitOr(a, other), BitAnd(a, other), a + other, a - other]
        few = [Min(a, other), Max(a, other), FloorDiv(a, 3), Mod(a, 6), Mod(a, 12)]
        result: Expr = rng.choice([*one, *two, *two, *few])
        return result

    def other(self, e: Expr) -> Expr:
        """The expression in other words."""
        if not e.args:
            return e
        e = e.func(*map(self.other, e.args))
        if self.rng.random() < 0.4 or len(e.args) != 2:
            return e
        a, b = e.args
        both = BitAnd(a, b)
        forms: dict[type, list[Expr]] = {
            BitXor: [a + b - 2 * both, BitOr(a, b) - both],
            BitOr: [a + b - both, BitXor(BitXor(a, b), both), -BitAnd(-a - 1, -b - 1) - 1],
            BitAnd: [BitAnd(b, a), a + b - BitOr(a, b), -BitOr(-a - 1, -b - 1) - 1],
        }
        if isinstance(e, Mod):
            return self.rng.choice([e, BitAnd(a, b - 1), a - b * FloorDiv(a, b)])
        forms[BitXor].append(BitOr(BitAnd(a, -b - 1), BitAnd(b, -a - 1)))
        return self.rng.choice([e, *forms.get(type(e), [])])

    def point(self) -> dict[str, int]:
        rng = self.rng
        k = rng.choice([rng.randrange(-9, 9), rng.randrange(-5000, 5000)])
        return {"i": rng.randrange(-70, 70), "j": rng.randrange(8), "k": k, "N": rng.randrange(32)}


def accepts(e: Expr) -> bool:
    """Whether the checker finds that it is 0."""
    words = Checked()
    for x, bits in WIDTHS.items():
        words.limit(x, bits)
    try:
        words.check_zero(e)
    except Rejected:
        return False
    return True


def one_form(words: Words, a: Expr, b: Expr) -> bool:
    """Whether both have the same normal form."""
    try:
        return words.of(a) == words.of(b)
    except WordTooLarge:
        return False


def agree(seed: int, count: int) -> None:
    draw = Draw(random.Random(seed))
    equal = proved = checked = 0
    for _ in range(count):
        a = draw.expression(draw.rng.choice([2, 3, 3]))
        b = draw.other(a) if draw.rng.random() < 0.7 else draw.expression(2)
        b += draw.rng.choice([0, 0, 0, 1, -8])
        same = all(value(a - b, p) == 0 for p in (draw.point() for _ in range(40)))
        words = Words(WIDTHS.get)
        zero, accepted = words.zero(a - b), accepts(a - b)
        assert same or not (zero or accepted), (a, b)
        assert same or not one_form(words, a, b), (a, b)
        equal, proved, checked = equal + same, proved + zero, checked + accepted
        try:
            form = words.expression(words.of(a))
        except WordTooLarge:
            continue
        assert all(value(form - a, p) == 0 for p in (draw.point() for _ in range(5))), (a, form)
    assert min(proved, checked) > 0.85 * equal > 0.3 * count


def test_equal_words_are_equal_numbers() -> None:
    agree(1, 250)


@pytest.mark.explore
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_equal_words_are_equal_numbers(seed: int) -> None:
    agree(seed, 2000)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (BitXor(8 * I, J), 8 * I + J),  # J has three bits
        (BitOr(I + N, 0), N + I),
        (I * K - BitAnd(I * K, 12), BitAnd(I * K, -13)),
        (FloorDiv(64 * I * K + N, 64), I * K),  # N has five bits
        (FloorDiv(16 * I * K + N, 16), I * K + FloorDiv(N, 16)),
        (Mod(I + K, 2), BitXor(Mod(I, 2), Mod(K, 2))),
        (8 * FloorDiv(I + K, 8) + Mod(K + I, 8), I + K),
        (Min(BitXor(I, K), N), Min(N, I + K - 2 * BitAnd(I, K))),
        (BitAnd(Mod(I, 2) * N, 3), Mod(I, 2) * BitAnd(N, 3)),  # a bit takes or leaves a word
    ],
)
def test_the_same_words(a: Expr, b: Expr) -> None:
    assert Words(WIDTHS.get).zero(a - b)
    assert accepts(a - b)
    assert not Words(WIDTHS.get).zero(a - b + 1)
    assert not accepts(a - b + 1)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (FloorDiv(I, 12), FloorDiv(I, 8)),  # not a power of two
        (Mod(I, 6), Mod(I, 4)),
        (Mod(I, 12), BitAnd(I, 11)),
        (CeilDiv(I, 24), CeilDiv(I, 16)),
        (BitOr(I, K), BitXor(I, K)),
        (Mod(I, 2) * K, BitAnd(I, K)),
        (I * K, BitAnd(I, K)),
        (3 * BitXor(I, K), BitXor(3 * I, 3 * K)),
        (BitXor(I, K) ** 2, BitXor(I * I, K * K)),
        (Min(I, K), Max(I, K)),
        (FloorDiv(I + K, 2), FloorDiv(I, 2) + FloorDiv(K, 2)),
        (BitXor(I, N), I + N),
    ],
)
def test_other_words(a: Expr, b: Expr) -> None:
    points = [{"i": i, "j": 0, "k": k, "N": n} for i in range(30) for k in (3, 5) for n in (0, 9)]
    assert any(value(a - b, p) for p in points)
    assert not Words(WIDTHS.get).zero(a - b)
    assert not accepts(a - b)


def test_without_widths_carries_are_possible() -> None:
    e = BitXor(8 * I, J) - 8 * I - J
    assert not Words(lambda _: None).zero(e)
    with pytest.raises(Rejected, match="not 0"):
        Checked().check_zero(e)


@pytest.mark.parametrize("x", [4 * I + BitAnd(J, 3), Mod(I, 8), Integer(3), BitXor(I, J)])
def test_only_a_leaf_has_a_width(x: Expr) -> None:
    with pytest.raises(Rejected, match="not a word of its own"):
        Checked().limit(x, 2)


def test_a_width_is_told_once() -> None:
    words = Checked()
    words.limit(Symbol("i"), 3)
    with pytest.raises(Rejected, match="not a word of its own"):
        words.limit(Symbol("i"), 2)


@pytest.mark.parametrize("e", [2**700 * I, Mod(I, 2**700), FloorDiv(I, 2**1100) - I])
def test_words_that_are_too_large(e: Expr) -> None:
    assert not Words(WIDTHS.get).zero(BitXor(e, J) - I)
    assert not accepts(BitXor(e, J) - I)
