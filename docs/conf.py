"""The site: `sphinx-build -W docs docs/_build/html`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import symlayout

project = "symlayout"
author = "the symlayout authors"
copyright = "the symlayout authors, Apache-2.0"
version = release = symlayout.__version__
extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "figures",
    "gallery",
    "python_reference",
    "reference_tables",
    "schedules",
    "words_found",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "symlayout"
html_static_path = ["_static"]
html_css_files = ["symlayout.css"]
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0a5bb5",
        "color-brand-content": "#0a5bb5",
        "font-stack--monospace": "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6cb6ff",
        "color-brand-content": "#6cb6ff",
    },
    "top_of_page_buttons": [],
}
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
highlight_language = "none"
