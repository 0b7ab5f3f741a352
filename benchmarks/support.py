"""Programs that are run import this first: it finds what they share with the tests, `tests/support`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
