"""Properties of internal modules; `tests/test_checks_docs.py` tests the public interface."""

from __future__ import annotations

import re
import shlex
import tomllib

import pytest
from test_checks_docs import DOCS, lines_of

from symlayout.__main__ import main
from symlayout.expr.facts import read_relations
from symlayout.expr.reader import Scanner, any_name, expression_at
from symlayout.layouts.cute.formats import FORMATS
from symlayout.layouts.doors.operations import SIGNATURES
from symlayout.layouts.notation import NOTATIONS, notation_of
from symlayout.layouts.vocabulary import CLAIMS


def test_the_grammar_has_an_example_of_every_notation() -> None:
    assert {notation_of(text).name for text in lines_of("layout")} == set(NOTATIONS)


def test_the_grammar_has_the_arguments_of_every_operation() -> None:
    text = (DOCS / "grammar.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z][A-Z_, .\[\]]*)` \| (`\w+`(?:, `\w+`)*) \|$", text, re.M)
    table = {name: signature for signature, names in rows for name in re.findall(r"\w+", names)}
    assert table == dict(SIGNATURES)
    names = text.partition("The names of formats are ")[2].partition(".")[0]
    assert {*re.findall(r"`(\w+)`", names)} == {*FORMATS}


@pytest.mark.parametrize("text", lines_of("expression"))
def test_an_expression_of_the_grammar_is_read_whole(text: str) -> None:
    scanner = Scanner(text)
    expression_at(scanner, any_name)
    assert scanner.skip() == len(text)


@pytest.mark.parametrize("text", lines_of("fact"))
def test_a_fact_of_the_grammar_is_a_fact(text: str) -> None:
    assert read_relations(text)


EXAMPLES = tomllib.loads((DOCS / "claims.toml").read_text(encoding="utf-8"))


def test_every_claim_word_has_examples() -> None:
    assert list(EXAMPLES) == list(CLAIMS)


@pytest.mark.sample(7)
@pytest.mark.parametrize("status", ["proved", "refuted"])
@pytest.mark.parametrize("word", CLAIMS)
def test_an_example_of_a_claim_is_what_it_says(
    word: str, status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = shlex.split(EXAMPLES[word][status]["claim"])
    assert argv[0] == word
    assert main(["prove", *argv]) == (status == "refuted")
    assert re.match(rf"{status}( for all .*)?: {word} ", capsys.readouterr().out)
