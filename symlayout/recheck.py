"""`recheck`: verifies a certificate with nothing of the prover.

The layouts are read again from the claim's text, and their definitions are walked in exact
arithmetic.  A certificate only says which steps to take; every step is checked where it stands:
a quotient by `P == Q*D + R` and `0 <= R < D`, an inequality by the ends of the ranges or by solvers,
a substitution by the facts.  The last step is the claim itself, from its meaning.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError
from symlayout.recheck_cases import cases
from symlayout.recheck_claims import METHODS, Claim
from symlayout.recheck_ledger import Box, Ledger
from symlayout.recheck_poly import Rejected
from symlayout.terms import Size

FORMAT, VERSION = "symlayout-certificate", 1
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Rechecked:
    """What came of a recheck: whether the claim is proved, what that relied on, what failed."""

    ok: bool
    claim: str
    relied: tuple[str, ...]
    failures: tuple[str, ...]


def seal(certificate: Mapping[str, Any]) -> str:
    """A checksum of all that a certificate holds: whoever changes it by accident is told."""
    content = {k: v for k, v in certificate.items() if k != "seal"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def recheck(certificate: Mapping[str, Any], claim: str | None = None) -> Rechecked:
    """Verifies a certificate without the prover; `claim` is the text that it must be for.

    >>> from symlayout import prove
    >>> made = recheck(prove.injective("f32[M,N]{1,0:T(8,128)}").certificate)
    >>> made.ok, made.claim
    (True, 'injective "f32[M,N]{1,0:T(8,128)}"')

    `failures` names each step that does not hold.  Raises nothing for a certificate that is wrong.
    """
    relied = {"exact identities"}
    text, at = "", "certificate"

    def open(name: str, box: Box, whole: Size | None = None) -> Ledger:
        nonlocal at
        at = name
        part = certificate["parts"][name]
        ledger = Ledger(made.facts, made.names, box, part, whole)
        ledger.relied = relied
        for n, step in enumerate(part["steps"]):
            at = f"{name}: step {n} ({step['step']})"
            ledger.apply(step)
        at = name
        return ledger

    try:
        if (certificate["format"], certificate["version"]) != (FORMAT, VERSION):
            raise Rejected(f"not a {FORMAT} of version {VERSION}")
        made = Claim(certificate)
        text = str(made)
        if claim is not None and shlex.split(claim) != shlex.split(text):
            raise Rejected(f"the certificate is for {text}, not for {claim}")
        sizes = dict(certificate["sizes"])
        default = Ledger(made.facts, made.names, {}, {}).low
        if not made.facts.holds(sizes) or any(sizes[n] < 1 for n in default):
            raise Rejected(f"the sizes {sizes} do not satisfy the facts")
        if certificate["by"] == "cases":
            at = "cases"
            cases(made)
            relied = {"every allowed point"}
        else:
            METHODS[made.word][certificate["by"]](made, open)
        at = "seal"
        if certificate["seal"] != seal(certificate):
            raise Rejected("the certificate has been changed after it was made")
    except (LayoutError, Rejected) as why:
        return Rechecked(False, text, tuple(sorted(relied)), (f"{at}: {why}",))
    except MALFORMED as why:
        return Rechecked(False, text, (), (f"{at}: malformed ({type(why).__name__}: {why})",))
    return Rechecked(True, text, tuple(sorted(relied)), ())
