"""How the code is built, in numbers and goals, by `tests/support/structure.py`."""

import sys

import support  # noqa: F401 - finds tests/support
from structure import main

if __name__ == "__main__":
    sys.exit(main())
