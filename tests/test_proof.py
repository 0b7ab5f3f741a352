"""A certificate at the door: what is not of the form is malformed, never an exception."""

from __future__ import annotations

import json

import pytest
from certificates import seal

from symlayout import prove, recheck
from symlayout.__main__ import main


def made_of(word, *args, where=(), **options):
    verdict = getattr(prove, word)(*args, where=list(where), **options)
    return json.loads(json.dumps(verdict.certificate))


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
        "version": 6,
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
