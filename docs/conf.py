"""The site: `sphinx-build -W docs docs/_build/html`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import symlayout

project = "symlayout"
author = "the symlayout authors"
version = release = symlayout.__version__
extensions = ["myst_parser", "reference_tables", "schedules", "words_found"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {
    "description": "Proves tensor layouts right for all sizes",
    "page_width": "1000px",
}
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
highlight_language = "none"
