"""The one grammar of integer expressions, against Python's own and against C's definition."""

import pytest
from core_random import trunc_div
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError
from symlayout.expr.reader import Scanner as TextScanner
from symlayout.expr.reader import any_name, expression_at, read_expression
from symlayout.expr.terms import FloorDiv, Mod, TruncDiv, TruncMod, symbol, value
from symlayout.expr.tree import Integer
from symlayout.text.limits import DIGITS, NESTING

FEW = settings(max_examples=150, deadline=None, derandomize=True)
i, j, N = symbol("i"), symbol("j"), symbol("N")


@st.composite
def texts(draw, division=("//", "%")):
    """A text without parentheses but where drawn, with random blanks; divisors are positive numbers."""

    def blank():
        return draw(st.sampled_from(["", "", " ", "  ", "\t"]))

    def leaf(level: int) -> str:
        kind = draw(st.integers(0, 6))
        if kind == 0 and level:
            return f"({blank()}{expression(level - 1)}{blank()})"
        if kind == 1:
            return draw(st.sampled_from(["-", "+", "- "])) + leaf(level)
        if kind == 2 and level:
            return f"({expression(level - 1)})**{draw(st.integers(0, 3))}"
        if kind == 3:
            return draw(st.sampled_from(["-2**2", "3**2", "0x1F", "0Xa", "2**3**2 % 1000"]))
        if kind <= 5:
            return draw(st.sampled_from(["a", "b", "N"]))
        return str(draw(st.integers(0, 99)))

    def expression(level: int) -> str:
        made = leaf(level)
        for _ in range(draw(st.integers(0, 4))):
            op = draw(st.sampled_from(["+", "-", "*", *division]))
            right = str(draw(st.integers(1, 9))) if op in division else leaf(level)
            made += f"{blank()}{op}{blank()}{right}"
        return made

    return expression(2)


ENVIRONMENTS = st.fixed_dictionaries({n: st.integers(-30, 30) for n in "abN"})


class CInt(int):
    """An integer whose `/` and `%` round towards zero, as C's do."""

    def __truediv__(self, other):
        return CInt(trunc_div(int(self), int(other)))

    def __mod__(self, other):
        return CInt(int(self) - int(other) * trunc_div(int(self), int(other)))

    def __add__(self, other):
        return CInt(int(self) + int(other))

    def __sub__(self, other):
        return CInt(int(self) - int(other))

    def __mul__(self, other):
        return CInt(int(self) * int(other))

    def __neg__(self):
        return CInt(-int(self))

    def __pos__(self):
        return self


@given(texts(), ENVIRONMENTS)
@FEW
def test_python_texts_mean_what_python_says(text, env):
    assert value(read_expression(text, language="python"), env) == eval(text, {}, env)


@given(texts(division=("/", "%")), ENVIRONMENTS)
@FEW
def test_c_texts_mean_what_c_says(text, env):
    if "**" in text:  # no operator of C: Python's power of two CInts is a plain int
        return
    import re

    marked = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)\b", r"C(\1)", text)
    expected = eval(marked, {"C": CInt}, {n: CInt(v) for n, v in env.items()})
    assert value(read_expression(text, language="c"), env) == expected


@given(texts(), ENVIRONMENTS)
@FEW
def test_a_printed_text_reads_back(text, env):
    made = read_expression(text, language="python")
    assert value(read_expression(str(made), language="python"), env) == value(made, env)


@pytest.mark.parametrize(
    "text",
    [
        "a - b - N",
        "a // 3 // 2",
        "a // 3 * 3",
        "a * 3 // 4",
        "a % 7 * 3",
        "a * 3 % 7",
        "-a // 3",
        "-a % 3",
        "- -a",
        "-a**2",
        "2**3**2",
        "a << 2 + 1",
        "a + 1 << 2",
        "a >> 1 << 1",
        "a & 7 + 8",
        "a + b & 15",
        "1 << 3 >> 1",
        "a - -b",
        "a--b",
        "+a",
    ],
)
@pytest.mark.parametrize("env", [{"a": 23, "b": 5, "N": 7}, {"a": -23, "b": -5, "N": 7}])
def test_precedence_is_python_s(text, env):
    assert value(read_expression(text), env) == eval(text, {}, env)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(tid >> 5) * 32 + (tid & 31)", "32*(tid//32) + tid%32"),
        ("ceildiv(N, 8)", "ceildiv(N, 8)"),
        ("cdiv(N, 8) + ceil_div(N, 4)", "ceildiv(N, 4) + ceildiv(N, 8)"),
        ("tl.cdiv(N, 8)", "ceildiv(N, 8)"),
        ("pl.cdiv(N, 8)", "ceildiv(N, 8)"),
        ("min(M, N, 4)", "min(M, N, 4)"),
        ("max(M)", "M"),
        ("floordiv(i, 8)*8 + mod(i, 8)", "8*(i//8) + i%8"),
        ("truncdiv(i, 8) + truncmod(i, 8)", "truncdiv(i, 8) + truncmod(i, 8)"),
        ("i /* a comment // of C */ + 1", "i + 1"),
        ("3u + 5UL + 7ll", "15"),
        ("0x10 + 0", "16"),
        ("min", "min"),
    ],
)
def test_texts(text, expected):
    assert str(read_expression(text)) == expected


def test_a_single_slash_makes_the_text_c():
    assert read_expression("i / 8") == TruncDiv(i, 8)
    assert read_expression("i / 8 + i % 8") == TruncDiv(i, 8) + TruncMod(i, 8)
    assert read_expression("i % 8", language="c") == TruncMod(i, 8)
    assert read_expression("i // 8 + i % 8") == FloorDiv(i, 8) + Mod(i, 8)
    assert read_expression("i % 8") == Mod(i, 8)


def test_names_have_the_meaning_that_is_given():
    table = {"row": i, "blockDim.x": Integer(256)}
    made = read_expression("row*blockDim.x + 1", table.get)
    assert made == 256 * i + 1
    assert any_name("a.b") is None


def test_an_expression_inside_a_text_leaves_what_follows():
    s = TextScanner("(M+1)*2, N", 0)
    assert expression_at(s) == 2 * symbol("M") + 2
    assert s.text[s.at :] == ", N"
    s = TextScanner("i == 3")
    assert expression_at(s) == i
    assert s.text[s.at :].strip() == "== 3"


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("", "SL200", 0),
        ("   ", "SL200", 3),
        ("1 +", "SL200", 3),
        ("* 3", "SL200", 0),
        ("i +* 3", "SL200", 3),
        ("i ** -1", "SL200", 2),
        ("i ** j", "SL200", 2),
        ("2 ** 65", "SL200", 2),
        ("i j", "SL101", 2),
        ("(i + 1", "SL101", 6),
        ("i + 1)", "SL101", 5),
        ("i << 64", "SL200", 2),
        ("i >> -1", "SL200", 2),
        ("3 ** j", "SL200", 2),
        ("2 ** -1", "SL200", 2),
        ("i // 0", "SL202", 2),
        ("i % (2 - 2)", "SL202", 2),
        ("i / 0", "SL202", 2),
        ("ceildiv(i, 0)", "SL202", 0),
        ("ceildiv(i)", "SL200", 0),
        ("mod(i, 2, 3)", "SL200", 0),
        ("min()", "SL200", 4),
        ("min(i, )", "SL200", 7),
        ("010", "SL200", 0),
        ("i*010", "SL200", 2),
        ("00", "SL200", 0),
        ("7up", "SL200", 0),
        ("0x", "SL200", 0),
        ("1.5", "SL101", 1),
        ("i / 8 + i // 8", "SL200", 2),
        ("a.b + 1", "SL201", 0),
        ("1 + foo.bar", "SL201", 4),
        ("i = 3", "SL101", 2),
        ("i += 3", "SL101", 2),
        ("i; j", "SL101", 1),
        ("é + \u0661", "SL200", 0),
    ],
)
def test_bad_texts_have_a_code_and_a_place(text, code, at):
    with pytest.raises(LayoutError) as e:
        read_expression(text)
    assert (e.value.code, e.value.at) == (code, at)
    assert e.value.text == text
    assert ("^" in str(e.value)) == bool(text)  # an empty one has no place to show


def test_the_caret_stands_under_the_mistake():
    with pytest.raises(LayoutError) as e:
        read_expression("ceildiv(N, 8) * foo.bar + 1")
    lines = str(e.value).splitlines()
    assert lines[0].startswith("SL201")
    assert lines[1][lines[2].index("^") :].startswith("foo.bar")
    assert lines[2].count("^") == len("foo.bar")


def test_a_slash_in_a_python_text_is_an_error():
    with pytest.raises(LayoutError) as e:
        read_expression("i / 8", language="python")
    assert (e.value.code, e.value.at) == ("SL200", 2)
    with pytest.raises(LayoutError) as e:
        read_expression("i", language="fortran")
    assert e.value.code == "SL200"


@pytest.mark.parametrize("text", ["(" * 5000 + "i" + ")" * 5000, "min(" * 5000, "(" * 101])
def test_deep_nesting_is_an_error_and_no_crash(text):
    with pytest.raises(LayoutError) as e:
        read_expression(text)
    assert e.value.code == "SL204"


def test_nesting_up_to_the_limit_is_read():
    n = NESTING - 1
    assert read_expression("(" * n + "i" + ")" * n) == i


def test_numbers_of_any_length_up_to_the_limit():
    assert read_expression("9" * DIGITS) == 10**DIGITS - 1
    assert read_expression("1" + "0" * 40 + " // 7") == 10**40 // 7
    with pytest.raises(LayoutError) as e:
        read_expression("i + " + "9" * (DIGITS + 1))
    assert (e.value.code, e.value.at) == ("SL204", 4)


def test_a_text_too_long_to_read():
    with pytest.raises(LayoutError) as e:
        read_expression("i+" * 600_000 + "i")
    assert e.value.code == "SL204"


def test_long_sums_are_read():
    made = read_expression(" + ".join(f"{k}*i" for k in range(500)))
    assert made == 500 * 499 // 2 * i


def at_64(made):
    """The value where every symbol is 64."""
    return value(made, dict.fromkeys(map(str, made.free_symbols), 64))


def outcome_of(text):
    """The expression, or the error."""
    try:
        made = read_expression(text)
        at_64(made)
    except LayoutError as error:
        return error
    return made


@given(st.text(alphabet="ijN0123456789+-*/%()<>&,. =\n\x00é", max_size=30))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_any_text_is_read_or_refused_with_one_error(text):
    outcome = outcome_of(text)
    if isinstance(outcome, LayoutError):
        assert outcome.code in ("SL200", "SL201", "SL202", "SL101", "SL204")
        assert outcome.at is not None
        assert 0 <= outcome.at <= len(text)
    else:
        assert at_64(read_expression(str(outcome))) == at_64(outcome)


def test_names_are_corrected_where_they_are_known():
    from symlayout import prove

    with pytest.raises(LayoutError) as e:
        prove.formula("f32[Rows,Cols]{1,0}", "i*Cosl + j")
    assert e.value.code == "SL201"
    assert e.value.help == "did you mean 'Cols'?"
    assert (e.value.at, e.value.end) == (2, 6)


@st.composite
def divided(draw, depth=3):
    """A text whose divisors may be 0, and whose quotients may cancel."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(["i", "j", "0", "1", "2", "N"]))
    op = draw(st.sampled_from(["+", "-", "*", "//", "%", "min", "-", "**0"]))
    a = draw(divided(depth=depth - 1))
    if op == "**0":
        return f"({a})**0"
    b = a if op == "-" and draw(st.booleans()) else draw(divided(depth=depth - 1))
    return f"min({a}, {b})" if op == "min" else f"({a}) {op} ({b})"


@pytest.mark.explore
@given(divided(), st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 2))
@settings(max_examples=600, deadline=None, derandomize=True)
def test_an_expression_is_undefined_where_its_text_is(text, a, b, c):
    env = {"i": a, "j": b, "N": c}
    try:
        wanted = eval(text, {}, {**env, "min": min})
    except ZeroDivisionError:
        with pytest.raises(LayoutError, match="division by zero"):
            value(read_expression(text), env)
    else:
        assert value(read_expression(text), env) == wanted


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("(1//i) % 1", "0%i"),
        ("0*(1//i) + j", "j + 0%i"),
        ("j//i - j//i", "0%i"),
        ("(j % (i + 1))**0", "0%(i + 1) + 1"),
        ("3 // (1 + 0*ceildiv(2, i))", "0%i + 3"),
        ("1//i - 1//i + 1//j - j//i", "1//j - (j//i)"),
        ("min(1//i, 1//i)", "1//i"),
        ("(1//8) % 1", "0"),
        ("(5//i if 1 < 2 else 3)*0", "0%i"),
        ("-(7 if 2 < 1 else 5//i + 1)", "-(5//i) - 1"),
        ("(2 < 1 ? 7 : 5/i + 1)*0", "0%i"),
        ("(1//j if 2 < 1 else 3)*0", "0"),
        ("((5//i if 1 < 2 else 3)*0 if i > 0 else j)", "(0%i if 0 < i else j)"),
    ],
)
def test_a_divisor_that_cancels_stays(text, kept):
    assert str(read_expression(text)) == kept
