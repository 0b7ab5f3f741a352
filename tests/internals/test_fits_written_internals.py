"""Properties of internal modules; `tests/test_fits_written.py` tests the public interface."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import PIDS
from test_fits_written import LARGEST

from symlayout import Claim, LayoutError, prove, recheck
from symlayout.certificate.cases import Case
from symlayout.certificate.definedness import comparison
from symlayout.certificate.elaborator import with_checksum
from symlayout.certificate.enumeration import Room, demands_hold
from symlayout.certificate.exact import Work
from symlayout.certificate.functions import function
from symlayout.certificate.machine import demands as machine_demands
from symlayout.expr.conditions import Either, Less
from symlayout.expr.facts import COMPARE
from symlayout.expr.machine import BOOL, INT, INT64, UINT32, UINT64, Machine, common, promotion
from symlayout.expr.terms import Mod, symbol
from symlayout.expr.tree import Integer


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("map i < 3: 0*int32(m)", LARGEST),
        ("map i < 3: int32(m) - int32(m) + i", LARGEST),
        ("map i < 3: 0*max(int32(uint32(m)), 5)", LARGEST),
        ("map i < 3 if n != 0: n*0 + 0*int32(m)", LARGEST),
        ("map i < 3: m*1000 - 1000*m + i", LARGEST // 1000),
        ("map i < 3: (i if m*m < 5 else i)", 46340),
    ],
)
def test_a_size_of_which_the_result_does_not_depend_counts(text: str, most: int) -> None:
    other = ["n <= 5"] if "n !=" in text else []
    made = prove.fits(text, where=[*other, f"m <= {most}"])
    assert made.proved
    assert recheck(made.certificate).ok
    for more in ([f"m <= {most + 1}"], []):
        made = prove.fits(text, where=[*other, *more])
        assert made.refuted
        assert made.counterexample.sizes["m"] == most + 1
        assert abs(int(made.counterexample.left)) > LARGEST


def test_types_of_sizes_and_coordinates() -> None:
    where = ["n <= 1000000", "s <= 1000000"]
    assert prove.fits("map i < n: i*s", where=where).refuted
    for types in ({"s": "int64"}, "s=int64", "s = int64, n=int32"):
        verdict = prove.fits("map i < n: i*s", where=where, types=types)
        assert verdict.proved
        assert recheck(verdict.certificate).ok
    verdict = prove.fits("map i < n: i*s", where=where, types={"s": "int64"})
    line = "fits 'map i < n: i*s' --types s=int64 --where 'n <= 1000000' --where 's <= 1000000'"
    assert str(Claim.parse(line)) == str(verdict.source)
    for wrong, said in (("k=int64", "'k'"), ("s=int7", "int7"), ("s", "''")):
        with pytest.raises(LayoutError, match=said):
            prove.fits("map i < n: i*s", types=wrong)


def test_no_certificate_speaks_of_another_formula() -> None:
    verdict = prove.fits("map i < N: i*2 - i in N", 32, where="N <= 99")
    assert verdict.proved
    certificate = json.loads(json.dumps(verdict.certificate))
    assert recheck(certificate).ok
    # i*2 - i is i, but 2*i leaves 7 bits where i does not
    for arguments in (["map i < N: i*2 - i in N", "8"], ["map i < N: i*2 - i in N", "7"]):
        forged = {**certificate, "claim": {**certificate["claim"], "arguments": arguments}}
        assert not recheck(with_checksum(forged)).ok
    small = prove.fits("map i < N: i in N", 8, where="N <= 99")
    assert recheck(json.loads(json.dumps(small.certificate))).ok


GRID_FACTS = ["n <= 1073741824", "B <= 65536"]

CERTIFIED = [
    ("map r < R, c < C: int64(r)*C + c", None, {}, ["R <= 1048576", "C <= 8192"]),
    ("map b < ceildiv(n, B), t < B if b*B + t < n: b*B + t in n", None, {}, GRID_FACTS),
    (PIDS, None, {}, ["M <= 65536", "N <= 1024", "G <= 64"]),
    ("map i < n: uint32(i)*7", None, {"wraps": "ok"}, []),
    ("map i < n: i*s", None, {"types": {"s": "int64"}}, ["n <= 4096", "s <= 9999999"]),
    ("map i < n: (i//(3 - n) if n < 3 else i%n)", 16, {}, ["n <= 4096"]),
    ("map i < n: ~(i ^ (i//2)) & 7", 8, {}, ["n <= 64"]),
    ("map i < n: i/2*2 + i%3 - abs(-i)", 8, {}, ["n <= 60"]),
]


@pytest.mark.parametrize(("text", "bits", "options", "where"), CERTIFIED)
def test_what_fits_is_certified_and_nothing_narrower(text, bits, options, where) -> None:
    verdict = prove.fits(text, bits, where=where, **options)
    assert verdict.proved
    certificate = json.loads(json.dumps(verdict.certificate))
    assert recheck(certificate).ok, recheck(certificate).failures
    claim = certificate["claim"]
    narrow = {**claim, "arguments": [text, "2"], "options": {}}
    assert not recheck(with_checksum({**certificate, "claim": narrow})).ok
    for k, move in enumerate(certificate["texts"]["script"]):
        if move[0] == "about":  # a demand that nobody shows
            script = [*certificate["texts"]["script"]]
            script[k] = ["about", *move[2:]]
            texts = {**certificate["texts"], "script": script}
            assert not recheck(with_checksum({**certificate, "texts": texts})).ok


OTHERS = [
    ("einops b (h d) n -> b n (h d), d=8", ["b <= 4", "h <= 9", "n <= 4"]),
    (
        "affine_map<(d0, d1)[s0] -> (d0 floordiv 8, d1 mod 128 + s0)>",
        ["D0 <= 99", "D1 <= 99", "s0 <= 99"],
    ),
    ("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 63]", []),
    ("linear register [[0,1],[0,2]], lane [[1,0],[2,1]] -> dim0 4, dim1 4", []),
    ("#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}> on 4x8", []),
    (
        "tensor<32x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], "
        "warpsPerCTA = [4, 1], order = [1, 0]}>>",
        [],
    ),
    ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> on 64x64", []),
    ("tv ((4,8),(2,2)):((32,1),(16,8)) on (16,8)", []),
    ("atom SM80_16x8x16_F32F16F16F32_TN A", []),
    ("(4,(2,3)):(1@0,(1@0@1,2@1@1))", []),
    ("(M,(3,N)):(1@1,(1@0,3@0))", ["M <= 32", "M >= 0", "N <= 9", "N >= 0"]),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("text", "where"), OTHERS)
def test_what_fits_of_other_notations_is_certified(text, where) -> None:
    verdicts = [prove.fits(text, bits, where=where) for bits in range(2, 16)]
    least = [v.status for v in verdicts].index("proved")
    assert least > 0
    assert all(v.refuted for v in verdicts[:least])
    for verdict in (verdicts[least], prove.fits(text, where=where)):
        certificate = json.loads(json.dumps(verdict.certificate))
        assert recheck(certificate).ok, recheck(certificate).failures
        for bits in range(2, least + 2):
            narrow = {**certificate["claim"], "arguments": [text, str(bits)]}
            assert not recheck(with_checksum({**certificate, "claim": narrow})).ok


def test_what_is_computed_for_a_layout_is_shown_to_be_its_own() -> None:
    """The checker has its own definition of a layout; the values are those of the map that is read."""
    text = "linear lane [[1,0],[2,1]] -> dim0 4, dim1 4"
    own, other = map(function, (text, text.replace("[2,1]", "[2,3]")))
    for f, right in ((own, True), (other, False)):
        asked = machine_demands(f, text, "8", {}, Work())
        assert demands_hold(asked, {}, Room()) == right
    for wrong in ("linear lane [[1,0]] -> dim0 4, dim1 4", "linear lane [[1],[2]] -> dim0 4"):
        with pytest.raises(LayoutError, match="other points"):
            machine_demands(function(wrong), text, "8", {}, Work())


def test_demands_at_all_points_are_met_in_plain_integers() -> None:
    """Conditions count, one of several ways suffices, and what has no value is no proof."""
    i = symbol("i")
    box, ends = ((i, Integer(9)),), (">=",)
    good, bad = Case(box, (i,), ops=ends), Case(box, (i - 5,), ops=ends)
    guarded = Case(box, (i - 5,), guard=(Less(Integer(4), i),), ops=ends)
    apart = Case(box, (Mod(i, i),), ops=ends)
    for ways, wanted in (((good,), True), ((bad,), False), ((guarded,), True), ((bad, good), True)):
        assert demands_hold([ways], {}, Room()) == wanted
        assert not demands_hold([ways, (bad,), ways], {}, Room())
    with pytest.raises(LayoutError, match="SL202"):
        demands_hold([(apart,)], {}, Room())
    with pytest.raises(LayoutError, match="other points"):
        demands_hold([(good, guarded)], {}, Room())
    with pytest.raises(LayoutError, match="too many"):
        demands_hold([(good,)], {}, Room(8))


# -- against values one by one ---------------------------------------------------------------------


class Overflow(Exception):
    """A value left its type."""


@dataclass(frozen=True)
class Int:
    """An integer of a machine type: Python's own operators, and C's conversions."""

    x: int
    bits: int
    signed: bool

    def made(self, x: int) -> Int:
        low = -(2 ** (self.bits - 1)) if self.signed else 0
        if not low <= x < low + 2**self.bits:
            raise Overflow
        return Int(x, self.bits, self.signed)

    def both(self, other: Any) -> tuple[Int, Int]:
        other = of(other)
        a, b = max((n.bits, not n.signed) for n in (self, other))
        kind = Int(0, a, not b)
        return kind.made(self.x), kind.made(other.x)

    def __add__(self, o: Any) -> Int:
        a, b = self.both(o)
        return a.made(a.x + b.x)

    def __sub__(self, o: Any) -> Int:
        a, b = self.both(o)
        return a.made(a.x - b.x)

    def __mul__(self, o: Any) -> Int:
        a, b = self.both(o)
        return a.made(a.x * b.x)

    def __floordiv__(self, o: Any) -> Int:
        a, b = self.both(o)
        return a.made(a.x // b.x)

    def __mod__(self, o: Any) -> Int:
        a, b = self.both(o)
        a.made(a.x // b.x)
        return a.made(a.x % b.x)

    def __and__(self, o: Any) -> Int:
        a, b = self.both(o)
        return a.made(a.x & b.x)

    def __xor__(self, o: Any) -> Int:
        a, b = self.both(o)
        return a.made(a.x ^ b.x)

    def __or__(self, o: Any) -> Int:
        a, b = self.both(o)
        return a.made(a.x | b.x)

    def __lt__(self, o: Any) -> bool:
        return self.compared("<", o)

    def compared(self, op: str, o: Any) -> bool:
        a, b = self.both(o)
        return bool(COMPARE[op](a.x, b.x))

    def shifted(self, op: str, o: Any) -> Int:
        count = of(o).x
        if not 0 <= count < self.bits:
            raise Overflow
        return self.made(self.x << count if op == "<<" else self.x >> count)

    def __neg__(self) -> Int:
        return self.made(-self.x)


def of(given: Any) -> Int:
    return given if isinstance(given, Int) else Int(32, 32, True).made(given)


def cast(bits: int, signed: bool) -> Any:
    return lambda a: Int(0, bits, signed).made(of(a).x)


CASTS = {
    "int32": cast(32, True),
    "uint32": cast(32, False),
    "int64": cast(64, True),
    "size_t": cast(64, False),
}

leaf = st.sampled_from(["i", "j", "N", "K(1)", "K(3)", "K(50000)"])


def more(inner: Any) -> Any:
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "//", "%", "&", "|", "^"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(st.sampled_from([*CASTS]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(inner, inner, inner, inner).map(
            lambda t: f"(int64({t[0]}) if {t[1]} < {t[2]} else int64({t[3]}))"
        ),
        inner.map(lambda t: f"(-{t})"),
    )


@given(st.recursive(leaf, more, max_leaves=6), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_the_verdict_is_that_of_every_point(text: str, most: int) -> None:
    judged = True
    for n in range(1, most + 1):
        for i, j in product(range(n), range(n, n + 2)):
            names = {"i": of(i), "j": of(j), "N": of(n), "K": of, **CASTS}
            try:
                eval(text, {"__builtins__": {}}, names)
            except (Overflow, ZeroDivisionError):
                judged = False
    shown = text.replace("K(", "(")
    with suppress(LayoutError):  # `1 ^ 1`, say, looks like a power
        verdict = prove.fits(f"map i < N, N <= j < N + 2: {shown}", where=f"N <= {most}")
        assert verdict.status == ("proved" if judged else "refuted"), (shown, verdict)


FORMS = [  # for Python's operators on `Int`, and as a map has it
    *[(f"({{0}} {op} {{1}})",) * 2 for op in ("+", "-", "*", "//", "%", "&", "|", "^")],
    *[(f"shifted('{op}', {{0}}, {{1}})", f"({{0}} {op} {{1}})") for op in ("<<", ">>")],
    *[(f"{word}({{0}})",) * 2 for word in CASTS],
    *[
        (
            f"(int64({{0}}) if compared('{op}', {{1}}, {{2}}) else int64({{3}}))",
            f"(int64({{0}}) if {{1}} {op} {{2}} else int64({{3}}))",
        )
        for op in COMPARE
    ],
    ("(-{0})",) * 2,
]


def wider(inner: Any) -> Any:
    """What one of the forms makes of others, in both ways."""
    return st.tuples(st.sampled_from(FORMS), *[inner] * 4).map(
        lambda t: tuple(form.format(*[x[k] for x in t[1:]]) for k, form in enumerate(t[0]))
    )


EDGES = st.sampled_from(["i", "i", "j", "N", "K(1)", "K(16)", "K(31)", f"K({LARGEST})"])

BOTH = st.recursive(EDGES.map(lambda x: (x, x.replace("K(", "("))), wider, max_leaves=7)

WORDS = {
    "shifted": lambda op, a, b: of(a).shifted(op, b),
    "compared": lambda op, a, b: of(a).compared(op, b),
}


@given(BOTH, st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_what_the_checker_asks_is_what_every_point_says(texts: tuple[str, str], n: int) -> None:
    judged, answer = True, False
    for i, j in product(range(n), range(n, n + 2)):
        names = {"i": of(i), "j": of(j), "N": of(n), "K": of, **WORDS, **CASTS}
        try:
            eval(texts[0], {"__builtins__": {}}, names)
        except (Overflow, ZeroDivisionError):
            judged = False
    text = f"map i < N, N <= j < N + 2: {texts[1]}"
    with suppress(LayoutError):  # what divides by the number 0, say, is no map
        answer = demands_hold(
            machine_demands(function(text), text, None, {}, Work()), {"N": n}, Room()
        )
    assert answer == judged, text


def test_what_is_not_computed_may_divide_by_0() -> None:
    found = prove.fits("map i < N: 7//i if i > 0 else 300", 8, where="N <= 5")
    assert found.refuted
    assert found.counterexample.coords == (0,)
    assert prove.fits("map i < N: 7//i if i > 0 else 100", 8, where="N <= 5").proved


@pytest.mark.parametrize("op", [*COMPARE])
def test_a_comparison_is_that_of_integers(op: str) -> None:
    for a, b in product(range(-3, 4), repeat=2):
        c = comparison(op, Integer(a), Integer(b))
        sides = [c] if isinstance(c, Less) else [c.first, c.second]
        parts = [s.left < s.right for s in sides]
        assert (any if isinstance(c, Either) else all)(parts) == COMPARE[op](a, b)


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ("3 << int64(30)", False),  # a count of bits widens nothing
        ("int64(3) << 30", True),
        ("1 << int64(30)", True),
        ("3 >> int64(30)", True),
        ("(1 << 30) >> int64(31)", True),
    ],
)
def test_a_shift_has_the_type_of_what_is_shifted(value: str, holds: bool) -> None:
    text = f"map i < 2: {value}"
    assert prove.fits(text).proved == holds
    assert (
        demands_hold(machine_demands(function(text), text, None, {}, Work()), {}, Room()) == holds
    )


# two types of operands, and the one that C converts both to
PROMOTIONS = [
    (Machine(16, False), Machine(16, False), INT),
    (Machine(8), Machine(16, False), INT),
    (BOOL, BOOL, INT),
    (BOOL, UINT32, UINT32),
    (Machine(8, False), INT64, INT64),
    (INT, UINT32, UINT32),
    (INT64, UINT32, INT64),
    (INT64, UINT64, UINT64),
    (INT, UINT64, UINT64),
]


@pytest.mark.parametrize(("a", "b", "both"), PROMOTIONS)
def test_two_types_are_promoted_to_one(a: Machine, b: Machine, both: Machine) -> None:
    assert promotion(a, b) == promotion(b, a) == both
    assert common([a, None, b]) == both
    assert common([b]) == b.promoted
    assert common([None]) is None


def test_machine_types() -> None:
    assert Machine(8).holds(-128)
    assert not Machine(8).holds(128)
    assert Machine(8, False).wrapped(-1) == 255
    assert Machine(8).wrapped(200) == -56


BLOCKS = ["M <= 1048576", "N <= 1048576", "32 <= BM <= 1024", "32 <= BN <= 1024"]

GROUPED = "pid//(G*ceildiv(N, BN))*G"

LAST = f"min(ceildiv(M, BM) - {GROUPED}, G)"

INSIDE = "pid%(G*ceildiv(N, BN))"


@pytest.mark.parametrize(
    ("domain", "value", "more"),
    [
        # a quotient is bounded by the least divisor, not by the dividend alone
        ("p < ceildiv(M, BM)", "p*ceildiv(N, BN)", []),
        # no sizes of the smallest products satisfy the facts
        ("p < ceildiv(M, BM), q < ceildiv(N, BN)", "p*BM + q", ["N >= BN", "M >= BM"]),
        # p < A*c: G*(p // (G*c)) is less than A
        ("pid < ceildiv(M, BM)*ceildiv(N, BN), i < BM", f"({GROUPED} + pid%G)*BM + i", []),
        # a divisor that is a minimum
        ("pid < ceildiv(M, BM)*ceildiv(N, BN)", f"({GROUPED} + ({INSIDE})%{LAST})*BM", []),
        # and by cases of sizes
        ("pid < ceildiv(M, BM)*ceildiv(N, BN)", f"({INSIDE})//{LAST}*BN", []),
    ],
)
def test_the_values_of_blocked_kernels_are_certified(
    domain: str, value: str, more: list[str]
) -> None:
    bounds = [*BLOCKS, "G <= 1024"] if "G" in value else BLOCKS
    verdict = prove.fits(f"map {domain}: {value}", where=[*bounds, *more])
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer.failures
