"""A picture as one HTML file that stands alone, with a slider for every size.

The page may load nothing and run nothing but its own script, whose hash its policy names.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

from symlayout.render.draw.model import Json, model
from symlayout.text.escape import html

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1f2328; --line: #d0d7de }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #e6edf3; --line: #30363d } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem;
  background: var(--ground); color: var(--ink) }
h1 { font: 600 1.05rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0 }
dd { margin: 0; font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
.sliders { display: flex; flex-wrap: wrap; gap: .4rem 1.5rem }
.sliders label { display: flex; align-items: center; gap: .5rem }
.sliders span { font-family: ui-monospace, monospace; font-weight: 600 }
.sliders input[type=number] { width: 5.5rem; font: inherit }
.frame { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px }
"""
START = (
    'symlayoutPicture.mount(document.getElementById("picture"), '
    'JSON.parse(document.getElementById("model").textContent));\n'
)


def script() -> str:
    """The program that draws a model: the package's own file."""
    return files("symlayout.render.draw").joinpath("picture.js").read_text(encoding="utf-8")


def json_text(data: Any) -> str:
    """JSON for inside a page: no character of it can end the element that it stands in.

    >>> json_text({"a": "</script>"})
    '{"a": "\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def policy(code: str, style: str) -> str:
    """A content security policy under which these two run, and nothing else."""
    script_hash, style_hash = (
        b64encode(sha256(text.encode()).digest()).decode() for text in (code, style)
    )
    return (
        f"default-src 'none'; script-src 'sha256-{script_hash}'; style-src 'sha256-{style_hash}'; "
        "base-uri 'none'; form-action 'none'"
    )


def page(layout: Any, sizes: Mapping[str, int]) -> str:
    """The file's text.

    >>> from symlayout import parse
    >>> made = page(parse("f32[M,N]{1,0:T(8,128)}"), {"M": 12, "N": 192})
    >>> made.count("<script"), "http-equiv" in made
    (2, True)
    """
    return _page(model(layout, sizes))


def _page(data: Json) -> str:
    code = script() + START
    rows = "".join(f"<dt>{html(k)}</dt><dd>{html(v)}</dd>" for k, v in data["lines"])
    body = [
        f"<h1>{html(data['title'])}</h1>",
        f"<dl>{rows}</dl>" if rows else "",
        '<div id="picture"></div>',
        f'<script type="application/json" id="model">{json_text(data)}</script>',
        f"<script>{code}</script></body></html>",
    ]
    return "\n".join([*_head(data["title"], code), *body, ""])


def _head(title: str, code: str) -> list[str]:
    """A page up to its body, in which that program runs."""
    return [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy(code, STYLE)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html(title)}</title><style>{STYLE}</style></head><body>",
    ]


def still(title: str, picture: str) -> str:
    """A page around a picture that has no sizes to change."""
    body = f'<h1>{html(title)}</h1><div class="frame">{picture}</div></body></html>'
    return "\n".join([*_head(title, ""), body, ""])
