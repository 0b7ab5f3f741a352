"""Laws are tested without a clock, and at the same points each time: a change lands or not for what it
changes, never by chance. New points are what `pytest --hypothesis-profile=explore` looks for."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from collections import defaultdict

import pytest
from hypothesis import settings

settings.register_profile("laws", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("laws")

# what `nohup` or a shell's `&` lets processes ignore is what tests send them
signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# verdicts of tests are not the user's
HOME = tempfile.mkdtemp()
os.environ["XDG_CACHE_HOME"] = HOME
os.environ["SYMLAYOUT_CACHE_DIR"] = os.path.join(HOME, "verdicts")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`sample(n)`: of a test's cases n run every time, evenly spread; the others are exploration."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") is not None:
            cases[item.nodeid.partition("[")[0]].append(item)
    for own in cases.values():
        (number,) = own[0].get_closest_marker("sample").args
        usual = {k * len(own) // number for k in range(number)}
        for k, item in enumerate(own):
            if k not in usual:
                item.add_marker("explore")
