"""A real browser for tests: the first Chromium that is installed, without a window."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def browser() -> str:
    """The first browser that is there."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found is not None, f"none of {', '.join(NAMES)} is installed"
    return found


def opened(page: Path, *options: str) -> str:
    """What the browser prints."""
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu"]
    command += ["--hide-scrollbars", "--window-size=1280,1600"]
    command += [*options, f"file://{page}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def seen(page: Path) -> str:
    """What a page's script left in `data-seen` of its body."""
    found = re.search(r'data-seen="([^"]*)"', opened(page, "--dump-dom"))
    assert found is not None
    return unescape(found[1])
