"""Structural forgeries of certificates, by `tests/support/forgeries.py`."""

import sys

import support  # noqa: F401 - finds tests/support
from forgeries import main

if __name__ == "__main__":
    sys.exit(main())
