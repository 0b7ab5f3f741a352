"""Properties of internal modules; `tests/test_proof.py` tests the public interface."""

from __future__ import annotations

import copy
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_proof import made_of, rejected

from symlayout import recheck
from symlayout.__main__ import main
from symlayout.certificate import solvers
from symlayout.certificate.codec import read_proof
from symlayout.certificate.exact import Work
from symlayout.certificate.json_text import read_json
from symlayout.certificate.proof import Malformed, Statement
from symlayout.certificate.swizzles import full_rank


@pytest.fixture(scope="module")
def held():
    """holds with a law step, and solvers asked."""
    return made_of("injective", "f32[M,N]{1,0:T(8,128)}", where=["N >= 2"])


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"sizes": {"N": Infinity}}',
        '{"sizes": {"N": NaN}}',
        '{"sizes": {"N": -Infinity}}',
        '{"sizes": {"N": 1e999999999}}',
        '{"sizes": {"N": 1.0}}',
        '{"sizes": {"N": 1%s}}' % ("0" * 5000),
        "[" * 100_000,
        '{"a":' * 50_000,
    ],
)
def test_texts_that_are_no_certificate(tmp_path, capsys, text):
    with pytest.raises(Malformed):
        read_json(text)
    file = tmp_path / "proof.json"
    file.write_text(text)
    assert main(["recheck", str(file)]) == 2
    assert "SL601" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "((N+1)**64)**64",
        "((M+N+1)**64)**64",
        "(M + N + 1)**64*(M - N)**64",
        "*".join(f"(a{k} + 1)" for k in range(40)),
        "N*(" * 90 + "1" + ")" * 90 + "*(N + 1)**64*(N - 1)**64*(N+2)**64",
        "((9**64)**60)*N",
    ],
)
def test_a_step_that_is_too_large_ends_at_a_limit(held, text):
    made = copy.deepcopy(held)
    steps = made["parts"]["offsets"]["steps"]
    steps.insert(0, {"step": "have", "that": text, "why": "plain"})
    start = time.process_time()
    assert "limit" in rejected(made)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        f"f32[{','.join(['N'] * 5000)}]",
        f"({','.join(['2'] * 3000)}):({','.join(['1'] * 3000)})",
        f"f32[N]{{0:T({','.join(['2'] * 2000)})}}",
        "Swizzle(2000,0,2000) o 0 o (M,N):(N,1)",
        f"strided f32[{','.join(['N'] * 99)}] strides({','.join(['1'] * 99)})",
    ],
)
def test_a_layout_that_is_too_large_to_write_out_ends_at_a_limit(held, text):
    made = copy.deepcopy(held)
    made["claim"]["arguments"] = [text]
    start = time.process_time()
    assert re.search("limit|more than", rejected(made))
    assert time.process_time() - start < 5


@pytest.mark.explore
def test_all_work_together_has_a_limit(held, monkeypatch):
    made = copy.deepcopy(held)
    monkeypatch.setattr(solvers, "answers", lambda text: {"Z3": "unsat", "cvc5": "unsat"})
    powers = [{"step": "have", "that": f"(M + N + {k})**40", "why": "smt"} for k in range(99)]
    for steps in (powers, [{"step": "have", "that": "N", "why": "smt"}] * 400):
        made["parts"]["offsets"]["steps"] = steps
        assert "more work than" in rejected(made)


def test_steps_parts_and_sizes_are_counted(held):
    step = {"step": "fact", "fact": 0}
    many = {"steps": [step] * 30_000, "goals": []}
    assert "limit" in rejected({**held, "parts": {"offsets": many}})
    parts = {f"p{'a' * k}": many for k in range(9)}
    assert "limit" in rejected({**held, "parts": parts})
    assert "limit" in rejected({**held, "facts": ["N >= 1"] * 2000})
    assert "limit" in rejected({**held, "sizes": {f"N{k}": 1 for k in range(2000)}})
    assert "not a number" in recheck({**held, "sizes": {"M": 10**5000, "N": 2}}).failures[0]


# -- values of any type anywhere --------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def leaves(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from leaves(inner, (*path, key))


@pytest.mark.explore
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_value_anywhere_is_answered(held, data):
    made = copy.deepcopy(held)
    path = data.draw(st.sampled_from(list(leaves(held))))
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = data.draw(values)
    answer = recheck(made)
    assert not answer.ok or made == held
    assert all(f.isascii() and f.isprintable() for f in answer.failures)


@given(values)
@settings(deadline=None)
def test_any_value_is_no_certificate(value):
    with pytest.raises(Malformed):
        read_proof(value, Work())
    assert not recheck(value).ok


def test_a_statement_is_what_a_shell_reads():
    import shlex

    given = Statement("holds", ('N == 1 /* "$x`\\" */',), (), ("M != 'a'",))
    words = shlex.split(str(given))
    assert words == ["holds", *given.arguments, "--where", *given.facts]


# -- swizzles ---------------------------------------------------------------------------------


@pytest.mark.parametrize("low", range(4))
@pytest.mark.parametrize("high", range(4))
@pytest.mark.parametrize("bits", range(1, 4))
def test_full_rank_is_being_a_permutation(low, high, bits):
    def moved(x):
        return x ^ sum(1 << (low + k) for k in range(bits) if x >> (high + k) & 1)

    count = 2 ** (max(low, high) + bits)
    assert full_rank(low, high, bits) == (sorted(map(moved, range(count))) == list(range(count)))
