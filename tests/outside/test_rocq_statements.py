"""What theorems for Rocq say, beside brute force: `pytest tests/outside/test_rocq_statements.py`.

Random claims of all words and notations, true ones and false ones, are printed as statements. Rocq
decides each statement at small sizes, by looking at every place. The campaign's own definitions, plain
integers that know nothing of the package, say whether the claim holds there.

It needs `coqc` (`apt-get install coq`); without it each test is skipped, and says so.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import rocq
import rocq_said
from rocq_said import Said, said
from soundness import claims as campaign
from soundness.judging import Claim as Drawn
from soundness.judging import all_names, enumerated

pytestmark = pytest.mark.skipif(not rocq.present(), reason=rocq.ABSENT)

SEED = 7
MOST = 200  # elements of one assignment
EACH = 5  # assignments of one claim
ANSWERS = re.compile(r"= (\[[^]]*\])\s*: list bool")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, built."""
    return rocq.library(tmp_path_factory.mktemp("rocq"))


def sizes(drawn: Drawn) -> tuple[list[dict[str, int]], list[bool]]:
    """Some small sizes that the facts allow, and whether the claim holds there."""
    names = all_names(drawn)
    env, count, _, seen = enumerated(names, drawn.facts, drawn.truth)
    if not count or not seen:
        return [], []
    small = [k for k, v in enumerate(drawn.truth.volume(env, count)) if v <= MOST][:EACH]
    if not small:
        return [], []
    env = {n: values[small] for n, values in env.items()}
    fails = drawn.truth.fails(env, len(small))
    rows = [{n: int(values[k]) for n, values in env.items()} for k in range(len(small))]
    return rows, [not bool(f) for f in fails[: len(small)]]


def asked(k: int, says: Said, rows: list[dict[str, int]]) -> str:
    """The statement as a proposition about sizes, and what it is at some of them."""
    head = f"({' '.join(says.sizes)} : Z)" if says.sizes else ""
    values = [" ".join([f"claim_{k}", *[f"({row[n]})" for n in says.names]]) for row in rows]
    whole = " ->\n  ".join([*says.known, says.says])
    return f"""Definition claim_{k} {head} : Prop := {whole}.
#[export] Instance dec_{k} {head} : Dec ({" ".join([f"claim_{k}", *says.sizes])}).
Proof. unfold claim_{k}; taken_apart. Defined.
Eval vm_compute in [{"; ".join(f"holds ({v})" for v in values)}].
"""


def differences(folder: Path, drawn: list[Drawn]) -> tuple[list[str], Counter[tuple[str, bool]]]:
    """The claims whose statements say something else; how many answers there are, by word."""
    texts, expected, every = list[str](), list[list[bool]](), list[Drawn]()
    for claim in drawn:
        text = said(claim.word, claim.args, claim.options, claim.facts)
        rows, answers = sizes(claim)
        if text is None or not rows or not set(text.names) <= set(rows[0]):
            continue
        texts.append(asked(len(texts), text, rows))
        expected.append(answers)
        every.append(claim)
    file = folder / "statements.v"
    file.write_text("Require Import Symlayout.Decide.\n" + "".join(texts))
    output = rocq.run(folder, file, timeout=600).stdout
    found = [re.findall("true|false", row) for row in ANSWERS.findall(output)]
    assert len(found) == len(texts)
    got = [[x == "true" for x in row] for row in found]
    wrong = [str(c) for c, a, b in zip(every, expected, got) if a != b]
    return wrong, Counter((c.word, x) for c, a in zip(every, expected) for x in a)


def test_statements_hold_where_the_claims_do(folder: Path) -> None:
    wrong, seen = differences(folder, [campaign.claim(SEED, n) for n in range(160)])
    assert wrong == []
    assert len({word for word, _ in seen}) >= 15
    assert min(sum(n for (_, x), n in seen.items() if x == yes) for yes in (True, False)) >= 60


def test_another_statement_is_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rocq_said.WORDS, "injective", rocq_said.of_layouts("onto"))
    drawn = [c for n in range(120) if (c := campaign.claim(SEED, n)).word == "injective"]
    wrong, _ = differences(folder, drawn)
    assert wrong
