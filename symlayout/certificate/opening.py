"""The claim of a certificate, and what verifies it: one proof, or one for each case of its facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symlayout.certificate.alternatives import ALTERNATIVES
from symlayout.certificate.codec import read_proof, seal
from symlayout.certificate.exact import Rejected, Work
from symlayout.certificate.proof import Proof, Statement


def opened(
    certificate: Any, verify: Callable[[Proof, Work], set[str]], work: Work
) -> tuple[Statement, Callable[[], set[str]]]:
    """The claim of a certificate, and what verifies it and tells what it relies on.

    Raises `Malformed` for what is not a certificate, and later `Rejected` for what does not hold.
    """

    def verified(one: Any) -> tuple[Proof, set[str]]:
        proof = read_proof(one, work)
        return proof, grounds(proof, one)

    def grounds(proof: Proof, one: Any) -> set[str]:
        relied = verify(proof, work)
        check_seal(one)
        return relied

    if type(certificate) is dict and certificate.get("by") == ALTERNATIVES:
        from symlayout.certificate.casewise import read_alternatives, verify_cases

        statement, cases = read_alternatives(certificate)

        def of_cases() -> set[str]:
            relied = verify_cases(statement, cases, verified, work)
            check_seal(certificate)
            return relied

        return statement, of_cases
    proof = read_proof(certificate, work)
    return proof.claim, lambda: grounds(proof, certificate)


def check_seal(certificate: Mapping[str, Any]) -> None:
    """Raises `Rejected` for a certificate that has been changed by accident."""
    if certificate["seal"] != seal(certificate):
        raise Rejected("seal: the certificate has been changed after it was made")
