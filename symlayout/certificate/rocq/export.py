"""Certificates as a file of theorems, which `coqc` checks with `proofs/coq` and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from symlayout.certificate.alternatives import ALTERNATIVES
from symlayout.certificate.codec import read_proof
from symlayout.certificate.exact import Rejected, Work
from symlayout.certificate.rocq.leaves import by_leaves
from symlayout.certificate.rocq.numbers import by_numbers
from symlayout.certificate.rocq.scripts import by_script
from symlayout.certificate.rocq.terms import missing
from symlayout.certificate.rocq.theorem import theorem
from symlayout.errors import LayoutError

HEAD = """\
(* coqc -R proofs/coq Symlayout FILE.v accepts what follows: the proofs of its theorems hold. *)

Require Import Symlayout.Words.
"""


def rocq(certificates: Sequence[Mapping[str, Any]]) -> str:
    """The text of a file with a theorem for each certificate.

    >>> from symlayout import prove
    >>> text = rocq([prove.holds("(8*x + 3)//8 == x").certificate])
    >>> print(*text.splitlines()[-11:-5], sep="\\n")
    Theorem claim :
      forall x : Z,
      x >= 1 ->
      (3 + 8 * x) / 8 = x.
    Proof.
      intros x F0'.

    Raises `LayoutError` (SL106) for a claim or a step that the library in Rocq does not know yet.
    """
    titles = (
        ["claim"] if len(certificates) == 1 else [f"claim_{k}" for k in range(len(certificates))]
    )
    texts = [one(c, title) for c, title in zip(certificates, titles)]
    return "\n".join([HEAD, *texts, *[f"Print Assumptions {title}." for title in titles]]) + "\n"


def one(certificate: Mapping[str, Any], title: str) -> str:
    """The lemmas and the theorem of a certificate."""
    if certificate.get("by") == ALTERNATIVES:
        raise missing("a fact with alternatives")
    try:
        proof = read_proof(certificate, Work())
        try:
            return by_script(proof, title) if proof.by == "script" else theorem(proof, title)
        except LayoutError as why:
            for other in (by_numbers, by_leaves):
                with suppress(LayoutError):
                    return other(proof, title)
            raise why
    except LayoutError:
        raise
    except (Rejected, ValueError) as why:  # as many reasons as goals, and so on
        raise LayoutError(
            "SL106", f"no theorem for Rocq: the certificate is wrong: {why}"
        ) from None
