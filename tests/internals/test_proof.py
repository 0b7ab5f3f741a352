"""A certificate at the door: what is not of the form is malformed, never an exception."""

from __future__ import annotations

import copy
import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import prove, recheck
from symlayout.__main__ import main
from symlayout.certificate import kernel as module
from symlayout.certificate.codec import read_proof, seal
from symlayout.certificate.definitions import full_rank
from symlayout.certificate.json_text import read_json
from symlayout.certificate.proof import Malformed, Statement


def made_of(word, *args, where=(), **options):
    verdict = getattr(prove, word)(*args, where=list(where), **options)
    return json.loads(json.dumps(verdict.certificate))


@pytest.fixture(scope="module")
def held():
    """holds with a law step, and solvers asked."""
    return made_of("injective", "f32[M,N]{1,0:T(8,128)}", where=["N >= 2"])


def rejected(made):
    answer = recheck({**made, "seal": seal(made)})
    assert not answer.ok
    (failure,) = answer.failures
    assert failure.isascii()
    assert failure.isprintable()
    return failure


# -- classes of forgeries that were once accepted --------------------------------------------


def bare(
    word, args, options=None, facts=(), steps=(), goals=(), texts=None, hint=None, by="definition"
):
    """A certificate that is written by hand, of one part."""
    made = {
        "format": "symlayout-certificate",
        "version": 4,
        "claim": {"word": word, "arguments": list(args), "options": dict(options or {})},
        "facts": list(facts),
        "hint": hint,
        "sizes": dict.fromkeys("MN", 1),
        "by": by,
        "texts": texts or {},
        "parts": {"sizes": {"steps": list(steps), "goals": list(goals)}},
    }
    return {**made, "seal": seal(made)}


@pytest.mark.parametrize(
    "wrong",
    [False, True, 0, 1, None, 1.5, "0", "x y", "N", "q|) (assert false", "min", "\u0430", ""],
)
def test_what_is_no_name_introduces_nothing(wrong):
    # once: the name false, which is read as the number 0, made "y == x" say that x is 0
    let = {"step": "law", "law": "let", "with": {"x": "1"}, "new": {"y": wrong}, "why": []}
    made = bare("holds", ["N == 0"], steps=[let], goals=[["this", 0, ["known", "known"]]])
    assert "name" in rejected(made)


@pytest.mark.parametrize(
    "why", ["smt", ["smt", "(set-logic QF_LIA)(check-sat)"], {"smt": "x"}, ["this", 0, "smt"]]
)
def test_solvers_read_nothing_of_a_certificate(why):
    rejected(bare("holds", ["N == 0"], goals=[why]))


@pytest.mark.parametrize("hint", ["1,0", [1, 0], "0,1", True])
@pytest.mark.parametrize("word", ["bitcast", "equal", "holds"])
def test_a_permutation_stands_only_where_it_is_an_option(word, hint):
    args = ["f32[M,N]{1,0}", "f32[N,M]{0,1}"] if word != "holds" else ["N == N"]
    by = "digits" if word == "bitcast" else "definition"
    assert "hint" in rejected(bare(word, args, hint=hint, by=by))


@pytest.mark.parametrize(
    ("word", "args", "options"),
    [
        ("bitcast", ["f32[M,N]{1,0}", "f32[N,M]{0,1}", "--perm", "1,0"], {}),
        ("holds", ["N == N", "N == 0"], {}),
        ("holds", [], {}),
        ("onto", ["f32[N]{0}", "--where"], {}),
        ("onto", ["f32[N]{0}"], {"where": "N == 1"}),
        ("onto", ["f32[N]{0}"], {"perm": "0"}),
        ("bitcast", ["f32[M,N]{1,0}", "f32[N,M]{0,1}"], {"perm": [1, 0]}),
        ("bitcast", ["f32[M,N]{1,0}", "f32[N,M]{0,1}"], {"perm": "1,0 --where x"}),
        ("equal", [["f32[N]{0}"], "f32[N]{0}"], {}),
        ("equal", ["f32[N]{0}", "f32[N]{0} \x1b[2K\rproved"], {}),
        ("equal", ["f32[N]{0}", "f32[N]{0}\n"], {}),
        ("equal", ["f32[N]{0}", "f32[\u202eN]{0}"], {}),
        ("padding", ["f32[N]{0}", "inf"], {}),
        ("padding", ["f32[N]{0}", "1e999999999"], {}),
        ("padding", ["f32[N]{0}", 2], {}),
        ("fits", ["f32[N]{0}", "-1"], {}),
        ("aligned", ["f32[N]{0}", "4"], {"dim": 0}),
    ],
)
def test_arguments_and_options_have_their_places(word, args, options):
    assert "malformed: " in rejected(bare(word, args, options))


def test_the_claim_is_the_whole_claim():
    made = made_of("injective", "strided f32[M,N] strides(P,1)", where=["P >= N", "M <= 9"])
    claim = recheck(made).claim
    assert claim == 'injective "strided f32[M,N] strides(P,1)" --where "P >= N" --where "M <= 9"'
    assert recheck(made, claim).ok
    assert not recheck(made, 'injective "strided f32[M,N] strides(P,1)"').ok
    assert not recheck(made, claim + ' --where "M == 3"').ok


def test_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "proof.json"
    asked = ["injective", "strided f32[M,N] strides(P,1)", "--where", "P >= N"]
    assert main(["prove", *asked, "--certificate", str(file)]) == 0
    said = 'injective "strided f32[M,N] strides(P,1)"'
    capsys.readouterr()
    assert main(["recheck", str(file)]) == 0
    assert f'accepted: {said} --where "P >= N"' in capsys.readouterr().out
    assert main(["recheck", str(file), "--claim", said, "--where", "P >= N"]) == 0
    assert main(["recheck", str(file), "--claim", said]) == 1
    assert main(["recheck", str(file), "--claim", said, "--where", "P >= M"]) == 1
    assert main(["recheck", str(file), "--where", "P >= N"]) == 2
    capsys.readouterr()
    data = json.loads(file.read_text())
    data["claim"]["arguments"][0] += "\x1b[1A\raccepted: holds"
    file.write_text(json.dumps({**data, "seal": seal(data)}))
    assert main(["recheck", str(file)]) == 1
    assert "\x1b" not in capsys.readouterr().out


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
    monkeypatch.setattr(module, "answers", lambda text: {"Z3": "unsat", "cvc5": "unsat"})
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
        read_proof(value)
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


SWIZZLED = [
    ("injective", "Swizzle(3,3,3) o 0 o (M,N):(N,1)", []),
    ("injective", "Swizzle(2,3,-3) o 16 o (M,N):(1,M)", []),
    ("bijective", "Swizzle(3,3,3) o 0 o (M,N):(N,1)", ["M % 8 == 0", "N % 8 == 0"]),
    ("bijective", "Swizzle(2,0,3) o 0 o (8,N):(1,8)", ["N % 4 == 0"]),
]


@pytest.mark.parametrize(("word", "text", "facts"), SWIZZLED)
def test_swizzled_claims_have_certificates(word, text, facts):
    answer = recheck(made_of(word, text, where=facts))
    assert answer.ok, answer.failures


def test_a_swizzle_permutes_whole_blocks_only():
    made = made_of("bijective", SWIZZLED[2][1], where=SWIZZLED[2][2])
    assert not recheck({**made, "facts": []}).ok
    assert rejected({**made, "facts": ["M >= 8", "N >= 8"], "sizes": {"M": 8, "N": 9}})
    moved = {**made["claim"], "arguments": ["Swizzle(3,3,3) o 8 o (M,N):(N,1)"]}
    assert rejected({**made, "claim": moved})
    parts = {k: v for k, v in made["parts"].items() if k != "blocks"}
    assert rejected({**made, "parts": parts})


# -- remainders -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["(N**5 - N) % 30 == 0", "(N**7 - N) % 42 == 0", "(M*M*N*N) % 8 <= 4"]
)
def test_claims_by_remainders_have_certificates(text):
    made = made_of("holds", text)
    assert "'remainders'" in str(made["parts"])
    answer = recheck(made)
    assert answer.ok, answer.failures
    assert not {"Z3", "cvc5"} & {*answer.relied}
    for name in list(made["parts"]):
        assert rejected({**made, "parts": {k: v for k, v in made["parts"].items() if k != name}})


@pytest.mark.parametrize(
    ("word", "arguments", "where"),
    [
        ("divides", ["-2", "M*M - M"], []),
        ("holds", ["ceildiv(d, -3) - max(d, d) < d"], []),
        ("holds", ["ceildiv(x, y) == 0 - x"], ["y == -1"]),
        ("holds", ["x%(x - a)*ceildiv(y, -3) >= x + x"], ["x >= -1", "x <= -1"]),
    ],
)
def test_negative_divisors_have_certificates(word, arguments, where):
    answer = recheck(made_of(word, *arguments, where=where))
    assert answer.ok, answer.failures


@pytest.mark.parametrize(
    "text", ["(Q + L)%Z == (Q%Z + L%Z)%Z", "(Q - L)%Z == (Q%Z - L%Z)%Z", "(Q*L)%Z == (Q%Z*(L%Z))%Z"]
)
def test_remainders_of_symbols_come_before_those_of_their_sums(text):
    answer = recheck(made_of("holds", text, where=["L >= -9"] if "*" not in text else []))
    assert answer.ok, answer.failures


def test_claims_by_remainders_that_are_false():
    made = made_of("holds", "(N**5 - N) % 30 == 0")
    for text in ("(N**5 - N) % 60 == 0", "(N**3 - N) % 30 == 0", "(N**5 - N) % 30 == 1"):
        assert rejected({**made, "claim": {**made["claim"], "arguments": [text]}})
    assert rejected({**made, "facts": ["N >= -5"]})
