"""Random conditions against brute force, by `tests/support/conditions.py`."""

import sys

import support  # noqa: F401 - finds tests/support
from conditions import main

if __name__ == "__main__":
    sys.exit(main())
