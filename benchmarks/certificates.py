"""Mutated certificates: how many does the recheck accept? By `tests/support/certificates.py`."""

import sys

import support  # noqa: F401 - finds tests/support
from certificates import main

if __name__ == "__main__":
    sys.exit(main())
