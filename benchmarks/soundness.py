"""Random claims against brute force: `python benchmarks/soundness.py [--claims 10000] [--seed 0]`.

Claims of every word and notation, with random facts, are decided by the prover and, for all small
sizes, by plain integers from the notations' definitions (`tests/support/soundness/`).  Unsound is:
proved but false at some small size; refuted but the counterexample does not fail by the definitions,
shows wrong values or coordinates, or is not the smallest; vacuous although some sizes satisfy the
facts; a crash; a certificate that the recheck turns down.  Claim n depends on the seed and n alone.
Exits with 1 when anything is unsound.
"""

import sys

import support  # noqa: F401 - finds tests/support
from soundness.campaign import main

if __name__ == "__main__":
    sys.exit(main())
