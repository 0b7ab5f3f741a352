"""Files where the command line expects something else: what reads them."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress

from symlayout.errors import LayoutError

LONGEST = 1000  # characters of a path


def hint(text: str | None) -> str | None:
    """What to do with a text that is the name of a file or folder; None where it is not.

    >>> hint("no such file"), hint(os.curdir)
    (None, '. is a folder: symlayout check . reads it')
    """
    if text == "-":
        return "the standard input is not read: give the text itself"
    if text and len(text) < LONGEST:
        with suppress(OSError, ValueError):  # a name that no file can have
            if os.path.exists(text):
                kind = "folder" if os.path.isdir(text) else "file"
                return f"{text} is a {kind}: symlayout check {shlex.quote(text)} reads it"
    return None


def with_hint(error: LayoutError) -> LayoutError:
    """An error about a text that is not a layout or claim, and a file: its help is what reads that."""
    help = hint(error.text)
    if help is None:
        return error
    at, end = error.at, error.end
    return LayoutError(error.code, error.message, text=error.text, at=at, end=end, help=help)
