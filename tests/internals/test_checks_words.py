"""The shell-like line of a claim, and the table that it is read against."""

from __future__ import annotations

import json
import pickle
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import parse, prove
from symlayout.__main__ import main
from symlayout.checks.result import Task
from symlayout.checks.runner import load
from symlayout.checks.words import resolve
from symlayout.errors import LayoutError
from symlayout.layouts.claim import Claim, read_claim, split
from symlayout.layouts.vocabulary import CLAIMS

# what a shell shows as it is: `$'...'` holds the rest
PRINTED = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
TEXTS = st.lists(st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=12))


@given(TEXTS)
def test_split_is_the_inverse_of_the_shells_join(words: list[str]) -> None:
    assert list(split(shlex.join(words))) == words


@given(TEXTS)
def test_every_word_knows_its_place(words: list[str]) -> None:
    line = shlex.join(words)
    for word in split(line):
        assert shlex.split(line[word.at : word.end]) == [word]
        assert word.quoted == (line[word.at : word.end] != word)


@pytest.mark.parametrize(("line", "at"), [("equal 'A", 6), ('equal "A', 6), ("equal A B'", 9)])
def test_an_open_quote_is_an_error(line: str, at: int) -> None:
    with pytest.raises(LayoutError) as caught:
        split(line)
    assert (caught.value.code, caught.value.at) == ("SL502", at)


def read(line: str, **layouts: str) -> tuple[str, tuple[str, ...], dict[str, str]]:
    claim = read_claim(split(line), line)
    return claim.word, resolve(claim, layouts, line).texts, dict(claim.options)


def test_bare_names_of_layouts_become_their_text() -> None:
    assert read("equal hbm 'f32[M, N]'", hbm="f32[4]") == ("equal", ("f32[4]", "f32[M, N]"), {})
    assert read("formula hbm N", hbm="f32[N]", N="f32[1]")[1] == ("f32[N]", "N")
    assert read("bounded hbm M*N", hbm="f32[M,N]")[1] == ("f32[M,N]", "M*N")
    assert read("divides B N")[1] == ("B", "N")


def test_quoted_names_stay() -> None:
    assert read("injective 'hbm'", hbm="f32[4]")[1] == ("hbm",)


def test_options_stand_anywhere() -> None:
    for line in ("bitcast --perm 1,0 a b", "bitcast a --perm=1,0 b", "bitcast a b --perm '1,0'"):
        assert read(line, a="f32[1]", b="f32[2]") == (
            "bitcast",
            ("f32[1]", "f32[2]"),
            {"perm": "1,0"},
        )


def test_two_dashes_end_the_options() -> None:
    assert read("formula 'f32[4]' -- --i")[1] == ("f32[4]", "--i")
    assert read("formula 'f32[4]' '--i'")[1] == ("f32[4]", "--i")


@pytest.mark.parametrize(
    ("line", "marked", "text"),
    [
        ("", "", "empty"),
        ("eqaul a b", "eqaul", "did you mean 'equal'"),
        ("xyzzy a", "xyzzy", "the claim words are"),
        ("equal 'f32[4]'", "'f32[4]'", "takes 2 arguments, not 1"),
        ("injective 'f32[4]' q w", "q", "takes 1 argument, not 3"),
        ("bounded 'f32[4]' 1 2", "2", "takes 1 to 2 arguments, not 3"),
        ("bitcast a b --perx 1", "--perx", "did you mean '--perm'"),
        ("injective a --perm 1", "--perm", "usage: injective A"),
        ("bitcast a b --perm 1 --perm 2", "--perm", "twice"),
        ("bitcast a b --perm", "--perm", "needs a value"),
        ("injective hbn", "hbn", "did you mean 'hbm'"),
        ("injective zzz", "zzz", "the layouts here: hbm"),
    ],
)
def test_bad_lines_are_marked(line: str, marked: str, text: str) -> None:
    with pytest.raises(LayoutError) as caught:
        read(line, hbm="f32[4]", a="f32[1]", b="f32[2]")
    error = caught.value
    assert line[error.at : error.end].startswith(marked)
    assert text in str(error)


@pytest.mark.parametrize("word", CLAIMS)
def test_every_claim_word_reads_its_own_usage(word: str) -> None:
    claim = CLAIMS[word]
    names = {a.strip("[]"): "f32[4]" for a in claim.arguments}
    line = " ".join([word, *names, *(f"--{o} 1" for o in claim.options)])
    got, arguments, options = read(line, **names)
    assert got == word
    assert len(arguments) == len(claim.arguments)
    assert set(options) == set(claim.options)


@given(st.lists(PRINTED))
def test_the_replay_of_a_task_is_the_task(texts: list[str]) -> None:
    task = Task("", Claim("equal", ("f32[M, N]", "it's"), (), tuple(texts)))
    argv = shlex.split(task.replay)
    assert argv[:5] == ["symlayout", "prove", "equal", "f32[M, N]", "it's"]
    assert argv[6::2] == texts


@given(PRINTED, PRINTED, PRINTED, st.lists(PRINTED, max_size=3))
def test_a_claims_text_and_its_json_give_it_back(a: str, b: str, at: str, facts: list[str]) -> None:
    claim = Claim("tiles", (a, b), (("at", at),), tuple(facts))
    assert Claim.parse(str(claim)) == claim
    assert Claim.from_json(json.loads(json.dumps(claim.to_json()))) == claim
    assert pickle.loads(pickle.dumps(claim)) == claim


def test_a_replay_takes_no_argument_for_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    task = Task("", Claim("holds", ("--N==N",), (), ("N>2",)), budget=7000)
    assert main(shlex.split(task.replay)[1:]) == 0
    assert capsys.readouterr().out.startswith("proved")


def test_a_value_and_its_text_have_one_key_and_go_to_other_processes_as_text() -> None:
    text = "f32[M,N]{1,0:T(8,128)}"
    value, written = Claim("valid", (parse(text),)), Claim("valid", (text,))
    assert (value.key, value.line) == (written.key, written.line)
    assert pickle.loads(pickle.dumps(value)) == written
    keys = [
        Claim("bounded", a, (), f).key
        for a, f in (((text,), ()), ((text, "4"), ()), ((text,), ("N > 1",)))
    ]
    assert len(set(keys)) == 3


def test_a_claim_is_one_value_through_every_door(tmp_path: Path) -> None:
    text = "f32[2,3]{1,0}"
    files = {
        "a.layout.toml": f"[[claim]]\nprove = 'valid \"{text}\"'\n",
        "a.py": f'# symlayout: valid "{text}"\nx = 1\n',
        "a.hlo": f"ENTRY e {{\n  ROOT x = {text} parameter(0)\n}}\n",
    }
    claims = [Claim.parse(f"valid '{text}'")]
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        claims += [e.claim for e in load(str(tmp_path / name)).entries if isinstance(e, Task)]
    source = prove.valid(text).source
    assert isinstance(source, Claim)
    assert {(c, c.key) for c in (*claims, source)} == {(claims[0], claims[0].key)}
    assert len(claims) == 4
