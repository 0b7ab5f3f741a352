"""Laws are tested without a clock, and at the same points each time: a change lands or not for what it
changes, never by chance. New points are what `pytest --hypothesis-profile=explore` looks for."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("laws", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("laws")
