"""The modules, their sizes and imports, by `tests/support/rooms.py`."""

import sys

import support  # noqa: F401 - finds tests/support
from rooms import main

if __name__ == "__main__":
    sys.exit(main())
