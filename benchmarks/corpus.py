"""The corpus of claims with their answers: `python benchmarks/corpus.py [--update] [--add FILE]`.

See `tests/support/corpus.py`.
"""

from __future__ import annotations

import sys

import support  # noqa: F401 - finds tests/support
from corpus import main

if __name__ == "__main__":
    sys.exit(main())
