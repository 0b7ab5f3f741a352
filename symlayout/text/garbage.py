"""How often a process of ours looks for garbage: expressions live long and seldom form circles."""

from __future__ import annotations

import gc

NEW_OBJECTS = 300_000  # with Python's own 700 it takes a tenth of the time of a thousand claims


def collect_rarely() -> None:
    """Lets Python look for circles of garbage less often, in a process that is ours alone."""
    gc.set_threshold(NEW_OBJECTS)


def collect_no_more() -> None:
    """At the end of such a process: what it still holds goes with it, and is not gone through."""
    gc.disable()
    gc.freeze()
