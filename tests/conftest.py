"""Laws are tested without a clock: a slow machine fails none of them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("laws", deadline=None)
settings.load_profile("laws")
