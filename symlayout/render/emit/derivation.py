"""LaTeX of a derivation: the sum of its terms, and the shapes on the way."""

from __future__ import annotations

from typing import Any

from symlayout.expr.terms import as_expr
from symlayout.expr.tree import Expr
from symlayout.render.emit.latex import Printer

# what ends in an underscore, a brace or a percent sign would not be text
ESCAPES = str.maketrans({c: f"\\{c}" for c in "_{}%&#$"})


def latex(derivation: Any) -> str:
    r"""The derivation as an `align*` environment.

    >>> from symlayout.layouts.xla import derive
    >>> print(latex(derive("f32[2,3]{0,1}")).splitlines()[1])
      \operatorname{linear\ index} &= j \cdot 2 \\
    """
    printer = Printer()
    rows = [*_terms(derivation, printer), *_steps(derivation, printer)]
    body = " \\\\\n".join(f"  {row}" for row in rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


def _terms(derivation: Any, printer: Printer) -> list[str]:
    if not hasattr(derivation, "terms"):
        return []
    head = r"\operatorname{linear\ index}"
    parts = [_term(as_expr(t.coordinate), t.stride, printer) for t in derivation.terms]
    if (start := getattr(derivation, "start", 0)) != 0:
        parts.append(printer.doprint(as_expr(start)))
    parts = parts or ["0"]
    signs = [f"{head} &= ", *[r"&\quad {} + "] * (len(parts) - 1)]
    rows = [f"{sign}{part}" for sign, part in zip(signs, parts)]
    if (swizzle := getattr(derivation, "swizzle", None)) is not None:
        both = [(swizzle.target + k, swizzle.source + k) for k in range(swizzle.bits)]
        bits = [rf"x_{{{t}}} &\leftarrow x_{{{t}}} \oplus x_{{{s}}}" for t, s in both]
        rows = [rows[0].replace(head, "x"), *rows[1:], *bits]
    return rows


def _term(coordinate: Expr, stride: Any, printer: Printer) -> str:
    left = printer.doprint(coordinate)
    left = rf"\left({left}\right)" if coordinate.is_Add else left
    step = as_expr(stride)
    right = printer.doprint(step)
    return rf"{left} \cdot " + (rf"\left({right}\right)" if step.is_Add else right)


def _steps(derivation: Any, printer: Printer) -> list[str]:
    rows = []
    for step in getattr(derivation, "steps", ()):
        sizes = r" \times ".join(_size(d, printer) for d in step.sizes) or r"\text{a scalar}"
        rows.append(rf"&{sizes} && \text{{{step.operation.translate(ESCAPES)}}}")
    return rows


def _size(d: Any, printer: Printer) -> str:
    e = as_expr(d)
    text: str = printer.doprint(e)
    return rf"\left({text}\right)" if e.is_Add else text
