"""Laws are tested without a clock, and at the same points each time: a change lands or not for what it
changes, never by chance. New points are what `pytest --hypothesis-profile=explore` looks for."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile

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
