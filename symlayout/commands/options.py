"""What several commands share: colour, and options that are numbers."""

from __future__ import annotations

import os
from typing import TextIO

from symlayout.errors import LayoutError


def budget(text: str | None) -> int | None:
    """The solver's resource units that an option gives."""
    if text is None:
        return None
    if not text.isdigit() or int(text) < 1:
        raise LayoutError("SL600", f"--budget is a positive number, not {text!r}")
    return int(text)


def colourful(stream: TextIO) -> bool:
    """Whether the stream is a terminal that wants colour (NO_COLOR is obeyed)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()
