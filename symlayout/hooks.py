"""What a lower room asks of a higher one; the package says where it is found.

Values show themselves in notebooks and verdicts carry certificates, but neither knows of pictures or
of the certificate's author; texts name operations of the algebra, and claims of kernels are proved when
they are asked.  Imports go down only.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_HOMES = {
    "html": ("symlayout.render.draw.notebook", "page"),
    "certificate": ("symlayout.certificate.elaborator", "certificate"),
    "verdict": ("symlayout.prove.kept", "kept_verdict"),
    "open": ("symlayout.prove.verdict", "left_open"),
    "algebra": ("symlayout.tla.texts", "applied"),
}


class Shown:
    """A value that notebooks show as a page does: its text, its formula, its picture."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(hook("html")(self))


def hook(name: str) -> Callable[..., Any]:
    """The function of that name, imported when it is first asked for.

    >>> from symlayout import parse
    >>> hook("html")(parse("f32[?]"))
    '<div><code>f32[?]</code></div><div>no offsets: dimension 0 of f32[?] has no size</div>'
    """
    module, function = _HOMES[name]
    return getattr(import_module(module), function)  # type: ignore[no-any-return]
