"""Properties of internal modules; `tests/test_operations.py` tests the public interface."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import IndexMap, LayoutError, parse, prove
from symlayout.expr.evaluation import evaluate
from symlayout.expr.facts import read_relations
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import symbol, value
from symlayout.render.emit import emit

NAMES = ("i", "j", "N")


def truncated(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def leaves() -> Any:
    numbers = st.integers(0, 9).map(lambda n: (str(n), str(n), lambda env: n))
    names = st.sampled_from(NAMES).map(lambda n: (n, n, lambda env: env[n]))
    return st.one_of(numbers, names)


def grown(inner: Any) -> Any:
    """(Python's text, C's text, the value in plain integers by C's or Python's rules)."""

    def binary(t: Any) -> Any:
        (a, b, f), op, (c, d, g) = t
        plain = {
            "+": lambda x, y: x + y,
            "-": lambda x, y: x - y,
            "*": lambda x, y: x * y,
            "&": lambda x, y: x & y,
            "|": lambda x, y: x | y,
            "^": lambda x, y: x ^ y,
        }[op]
        return f"({a} {op} {c})", f"({b} {op} {d})", lambda env: plain(f(env), g(env))

    def divided(t: Any) -> Any:
        (a, b, f), n, rest = t
        if rest:
            return f"({a} % {n})", f"({b} % {n})", lambda env: env["%"](f(env), n)
        return f"({a} // {n})", f"({b} / {n})", lambda env: env["/"](f(env), n)

    def chosen(t: Any) -> Any:
        (p, p2, fp), op, (q, q2, fq), (a, a2, fa), (b, b2, fb) = t
        test = {
            "<": lambda x, y: x < y,
            ">=": lambda x, y: x >= y,
            "==": lambda x, y: x == y,
            "!=": lambda x, y: x != y,
        }[op]
        pick = lambda env: fa(env) if test(fp(env), fq(env)) else fb(env)  # noqa: E731
        return f"({a} if {p} {op} {q} else {b})", f"({p2} {op} {q2} ? {a2} : {b2})", pick

    def shifted(t: Any) -> Any:
        (a, b, f), n, left = t
        move = (lambda env: f(env) << n) if left else (lambda env: f(env) >> n)
        return f"({a} {'<<' if left else '>>'} {n})", f"({b} {'<<' if left else '>>'} {n})", move

    flipped = inner.map(lambda t: (f"(~{t[0]})", f"(~{t[1]})", lambda env: ~t[2](env)))
    return st.one_of(
        st.tuples(inner, st.sampled_from("+-*&|^"), inner).map(binary),
        st.tuples(inner, st.integers(1, 9), st.booleans()).map(divided),
        st.tuples(inner, st.sampled_from(["<", ">=", "==", "!="]), inner, inner, inner).map(chosen),
        st.tuples(inner, st.integers(0, 4), st.booleans()).map(shifted),
        flipped,
    )


expressions = st.recursive(leaves(), grown, max_leaves=7)

points = st.tuples(st.integers(-9, 12), st.integers(-3, 12), st.integers(1, 9))


@given(expressions, points)
@settings(max_examples=200, deadline=None)
def test_both_languages_are_read_by_their_own_rules(made: Any, point: Any) -> None:
    python, c, plain = made
    env = dict(zip(NAMES, point))
    floor = {**env, "/": lambda a, b: a // b, "%": lambda a, b: a % b}
    towards_zero = {**env, "/": truncated, "%": lambda a, b: a - b * truncated(a, b)}
    for text, language, rules in ((python, "python", floor), (c, "c", towards_zero)):
        e = read_expression(text, language=language, code=True)
        assert value(e, env) == plain(rules)
        assert value(read_expression(str(e)), env) == plain(rules)
        assert value(read_expression(f"{e} + 1"), env) == plain(rules) + 1
        assert value(read_expression(f"2*({e})"), env) == 2 * plain(rules)


@given(expressions, st.lists(points, min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_arrays_have_the_same_values(made: Any, rows: list[Any]) -> None:
    e = read_expression(made[0], code=True)
    columns = {n: np.array([row[k] for row in rows]) for k, n in enumerate(NAMES)}
    expected = [value(e, dict(zip(NAMES, row))) for row in rows]
    assert np.broadcast_to(evaluate(e, columns, {}), (len(rows),)).tolist() == expected


@given(expressions, points)
@settings(max_examples=100, deadline=None)
def test_emitted_python_and_sympy_have_the_same_values(made: Any, point: Any) -> None:
    e = read_expression(made[0], code=True)
    i, j, _ = map(symbol, NAMES)
    m = IndexMap((64, 64), (i, j), i * 0, 1, symbols=("N",))
    expected = value(e, dict(zip(NAMES, point)))
    space: dict[str, Any] = {}
    exec(emit(m, "python", formula=e), space)
    assert space["offset"](*point) == expected
    exec(emit(m, "sympy", formula=e), space)
    given_ = {sympy.Symbol(n): x for n, x in zip(NAMES, point)}
    assert sympy.sympify(space["offset"]).subs(given_, simultaneous=True) == expected
    assert emit(m, "latex", formula=e).count("{") == emit(m, "latex", formula=e).count("}")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("(i % 4)**2", r"\left(i \bmod 4\right)^{2}"),
        ("(i // 3)**2", r"\left\lfloor \frac{i}{3} \right\rfloor^{2}"),
        ("(i & 3)**3", r"\left(i \bmod 4\right)^{3}"),
        ("(i | N)**2", r"\left(i \mathbin{|} N\right)^{2}"),
        ("min(i, 3)**2", r"\min\left(i, 3\right)^{2}"),
        ("(1 << i)**2", r"\left(2^{i}\right)^{2}"),
        ("(i if i < 3 else 2)**2", r"\right)^{2}"),
    ],
)
def test_powers_of_functions_are_written_in_latex(text: str, latex: str) -> None:
    e = read_expression(text)
    i, j, _ = map(symbol, NAMES)
    m = IndexMap((64, 64), (i, j), i * 0, 1, symbols=("N",))
    assert emit(m, "latex", formula=e).strip().endswith(latex)


def test_emitted_c_has_the_same_values(tmp_path: Path) -> None:
    texts = [
        "(i ^ j) | (N & 6)",
        "(i if i < j else -j) ^ ~N",
        "i % 4 if (i & 1) == 0 and j != 3 else (j - 7)//2",
        "((i << 2) | (j >> 1)) ^ (i if N >= 3 else j)*3 + 1",
    ]
    i, j, _ = map(symbol, NAMES)
    m = IndexMap((64, 64), (i, j), i * 0, 1, symbols=("N",))
    made = [emit(m, "c", formula=read_expression(t), name=f"f{k}") for k, t in enumerate(texts)]
    rows = [(a, b, n) for a in (-5, 0, 3, 8) for b in (-2, 1, 7) for n in (1, 4, 6)]
    calls = [
        f'printf("%lld\\n", (long long)f{k}({a}, {b}, {n}));'
        for k in range(len(texts))
        for a, b, n in rows
    ]
    source = list(dict.fromkeys("\n".join(made).split("\n\n")))
    file = tmp_path / "f.c"
    file.write_text(
        "#include <stdio.h>\n" + "\n\n".join(source) + f"\nint main(void) {{ {' '.join(calls)} }}\n"
    )
    subprocess.run(["cc", "-w", "-o", str(tmp_path / "f"), str(file)], check=True)
    out = subprocess.run([str(tmp_path / "f")], capture_output=True, text=True, check=True).stdout
    expected = [value(read_expression(t), dict(zip(NAMES, row))) for t in texts for row in rows]
    assert list(map(int, out.split())) == expected


@given(expressions, expressions, st.sampled_from(["==", "<=", "!="]))
@settings(max_examples=80, deadline=None)
def test_what_is_proved_of_bits_is_true(a: Any, b: Any, op: str) -> None:
    """Every verdict against all small values: the prover must not be wrong about bits."""
    where = ["i >= 0", "j >= -2", "i <= 3", "j <= 2", "N <= 3"]
    a, b = (read_expression(side[0], code=True) for side in (a, b))
    text = f"{a} {op} {b}"
    used = read_relations(text)[0].names
    verdict = prove.holds(text, where=[f for f in where if f[0] in used])
    false = [
        (i, j, n)
        for i in range(4)
        for j in range(-2, 3)
        for n in range(1, 4)
        if not read_relations(text)[0].holds({"i": i, "j": j, "N": n})
    ]
    assert verdict.status == ("refuted" if false else "proved"), (text, verdict)


def test_bits_and_choices_in_layouts() -> None:
    layout = parse("strided f32[M,N] strides((N ^ 1) | 4, (2 if N < 3 else 1))")
    assert parse(str(layout)) == layout
    m = layout.index_map()
    assert m.evaluate([0, 1], [0, 2], M=2, N=3).tolist() == [0, 8]
    assert parse("f32[N | 1]{0}").index_map().size == read_expression("N | 1")
    assert prove.formula("f32[M,8]{1,0}", "i*8 | j").proved
    assert prove.formula("f32[M,8]{1,0}", "i*8 | (j ^ 1)").refuted
    assert prove.formula("f32[M,N]{1,0}", "j < N ? i*N + j : 7").proved
    assert prove.formula("f32[M,N]{1,0}", "i*N + j if j < N - 1 else i*N + N - 1").proved


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("i / 2 if i < 3 else j", "use one"),
        ("i < 3 ? i // 2 : j", "use one"),
        ("i if i < 3", "expected 'else'"),
        ("i < 3 ? i", "expected ':'"),
        ("i ? 1 : 2", "compares two sides"),
        ("i ^", "expected a number"),
        ("i ^ ^ j", "expected a number"),
        ("i ^= 3", "nothing may follow"),
        ("(i & 3 == 0 ? 1 : 2)", "binds looser"),
        ("i/2 + (j ^ 1 < 3 ? 1 : 2)", "binds looser"),
    ],
)
def test_errors_say_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(LayoutError, match=said):
        read_expression(text)


def test_in_c_a_comparison_binds_tighter_than_bits() -> None:
    """C reads `i & 3 == 0` as `i & (3 == 0)`: nobody means that."""
    with pytest.raises(LayoutError, match="binds looser"):
        read_relations("i & 3 == i/2")
    assert str(read_relations("(i & 3) == i/2")[0]) == "i%4 == truncdiv(i, 2)"
    assert str(read_relations("i & 3 == i//2")[0]) == "i%4 == i//2"


def test_a_question_mark_makes_the_text_c() -> None:
    assert value(read_expression("i < 9 ? i % 4 : 0"), {"i": -3}) == -3
    assert value(read_expression("i % 4 if i < 9 else 0"), {"i": -3}) == 1
