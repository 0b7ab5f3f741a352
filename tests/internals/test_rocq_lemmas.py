"""The lemmas of `proofs/coq/Lemmas.v` say what the laws of certificates say."""

from __future__ import annotations

import re
from pathlib import Path

from symlayout.certificate.proof import laws
from symlayout.certificate.rocq.lemmas import lemma

COQ = Path(__file__).parents[2] / "proofs" / "coq"


def test_each_law_is_a_lemma_word_for_word() -> None:
    text = (COQ / "Lemmas.v").read_text()
    statements = re.findall(r"^Lemma .*?\.$(?=\nProof\.$)", text, re.M | re.S)
    assert statements == [lemma(word) for word in laws()]


def test_nothing_is_taken_for_granted() -> None:
    for file in COQ.glob("*.v"):
        assert (
            re.search(r"\b(Admitted|admit|Axiom|Parameter|Hypothesis)\b", file.read_text()) is None
        )
