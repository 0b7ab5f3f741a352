"""`symlayout derive`: how a layout or a broadcast comes about, step by step, and the proof of it."""

from __future__ import annotations

import re
from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from symlayout.checks.result import plain
from symlayout.errors import LayoutError
from symlayout.text.escape import as_json
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.prove.verdict import Verdict

OPERATION = regex(r"\s*(?!broadcast_in_dim\b|b\s*\()[a-z][a-z0-9-]*\s*\([^:]*[a-z0-9]\[")


def run(args: Namespace) -> int:
    """`symlayout derive LAYOUT`."""
    from symlayout import prove
    from symlayout.layouts.doors.conversion import conversion, conversion_in
    from symlayout.prove.applied import expansion

    pair = conversion_in(args.layout)
    if pair is not None:
        result = conversion(*pair)
        data = {"schema": 1, "layout": args.layout, **asdict(result)}
        print(as_json(data) if args.json else result)
        return 0
    where = expansion(args.where)
    result = derivation(args.layout, where)
    sides = result.sides()
    verdict = prove.equal(*sides, where=_about(sides, args.layout, where))
    if args.json:
        proof = {"verdict": verdict.status, "reason": verdict.reason}
        data = {"schema": 1, "layout": args.layout, "where": args.where}
        print(as_json({**data, **plain(to_json(result)), "proof": proof}))
    elif args.emit == "latex":
        from symlayout.render.emit.derivation import latex

        print(latex(result), end="")
    else:
        print(result)
        print(_conclusion(result, verdict))
    return 0 if verdict.proved else 1


def _about(sides: Any, text: str, where: Any) -> Any:
    """The facts without those that speak of the text's other sizes alone."""
    from symlayout.expr.facts import Facts

    inside = {n for m in sides for n in (*m.symbols, *(x for d in m.demanded for x in d.names))}
    others = set(re.findall(r"[A-Za-z_]\w*", text)) - inside
    return [r for r in Facts.read(where).relations if not (r.names and r.names <= others)]


def derivation(text: str, where: Any = ()) -> Any:
    """The derivation of a layout's text, or of a broadcast.

    >>> print(derivation("add(f32[4], f32[1,2]), broadcast_dimensions={0}").intermediate)
    (4, 2)

    Raises `LayoutError` for what has no derivation.
    """
    from symlayout.layouts.cute.layout import Layout
    from symlayout.layouts.cute.swizzle import ComposedLayout
    from symlayout.layouts.functions import BroadcastInDim, PadReshapeTranspose
    from symlayout.layouts.notation import parse
    from symlayout.layouts.strided import Strided
    from symlayout.layouts.xla import Shape

    if OPERATION.match(text):
        return _operation(text, where)
    result: Any = parse(text)
    if isinstance(result, PadReshapeTranspose):
        result = result.steps_of
    if isinstance(result, Shape):
        from symlayout.layouts.xla import derive as of_shape

        return of_shape(result, where)
    if isinstance(result, (Layout, ComposedLayout, Strided)):
        from symlayout.tla import derive as of_modes

        return of_modes(result, where)
    if isinstance(result, BroadcastInDim):
        from symlayout.programs.hlo.broadcast.derivation import in_dim

        return in_dim(result, where)
    raise LayoutError(
        "SL100",
        f"{result} has no derivation",
        help="XLA shapes, shape:stride, swizzled and strided layouts, "
        "add(A, B), broadcast_dimensions={..} and broadcast_in_dim(A, dims=(..), to=B) have one",
    )


def _operation(text: str, where: Any) -> Any:
    """The broadcast of a binary operation as builders write it."""
    from symlayout.programs.hlo.broadcast.derivation import derive
    from symlayout.programs.hlo.builder import operation_dims
    from symlayout.programs.hlo.reader import read_instruction

    instruction = read_instruction(text)
    a, b = (o.shape for o in instruction.operands)
    return derive(a, b, operation_dims(instruction), where, text.strip())


def to_json(derivation: Any) -> dict[str, Any]:
    """A derivation as data: its steps, its terms, and what comes out."""
    data: dict[str, Any] = {}
    if hasattr(derivation, "steps"):
        data["steps"] = [{"operation": s.operation, "sizes": s.sizes} for s in derivation.steps]
    if hasattr(derivation, "terms"):
        data["terms"] = [
            {
                "coordinate": t.coordinate,
                "stride": t.stride,
                **({"mode": t.path, "size": t.size} if hasattr(t, "path") else {}),
            }
            for t in derivation.terms
        ]
    for name in ("start", "swizzle", "intermediate", "result", "size"):
        if getattr(derivation, name, None) is not None:
            data[name] = getattr(derivation, name)
    if "swizzle" in data:
        data["swizzle"] = str(data["swizzle"])
    return data


def _conclusion(derivation: Any, verdict: Verdict) -> str:
    what = derivation.agreement
    return f"{verdict.status}: {what}" + ("" if verdict.proved else f": {verdict.reason}")
