"""Proved claims of the corpus in other forms, by `tests/support/monotone.py`."""

import sys

import support  # noqa: F401 - finds tests/support
from monotone import main

if __name__ == "__main__":
    sys.exit(main())
