"""Mutation testing of the modules that decide, by `tests/support/mutants.py`."""

import sys

import support  # noqa: F401 - finds tests/support
from mutants import main

if __name__ == "__main__":
    sys.exit(main())
