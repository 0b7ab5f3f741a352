"""The checker's rules of tuples, calls, loops, branches, and of what runs apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symlayout.certificate.instructions.call import (
    Call,
    Rule,
    Signature,
    array_of,
    called,
    entries,
    identical,
    is_array,
    signature,
    together,
    unknown,
)
from symlayout.certificate.shaping import Rules


def _runs(r: Rules, c: Call, hit: Signature | None) -> None:
    """A computation takes the operands and gives the result."""
    if hit is None:
        r.no()
    identical(r, c.operands, hit.parameters)
    identical(r, c.out, hit.root)


def _call(r: Rules, c: Call) -> None:
    _runs(r, c, called(r, c, "called"))


def _while(r: Rules, c: Call) -> None:
    for key in ("condition", "body"):
        if (hit := called(r, c, key)) is not None:
            identical(r, together(hit.parameters), c.out)
            is_array(r, hit.root, "pred") if key == "condition" else identical(r, hit.root, c.out)


def _listed(text: str) -> Iterator[str]:
    """The signatures of a list in braces."""
    depth, start = 0, 1
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 1 and letter == ",":
            yield text[start:at]
            start = at + 1
    yield text[start:-1]


def _conditional(r: Rules, c: Call) -> None:
    text = c.attributes.get("branch_computations", "").strip()
    both = [c.attributes.get(f"{word}_computation", "") for word in ("true", "false")]
    branches = [signature(r, b) for b in (_listed(text) if text.startswith("{") else both)]
    r.need(len(c.operands) == len(branches) + 1)
    which = array_of(r, c.operands[0])
    r.need(not which.dims and which.dtype in ("pred", "s32"))
    r.need(which.dtype == "s32" or len(branches) == 2)
    for branch, operand in zip(branches, c.operands[1:]):
        if branch is None:
            unknown("branches without signatures")
        _runs(r, c._replace(operands=(operand,)), branch)


# -- what runs apart ------------------------------------------------------------------------------


def start(rule: Rule) -> Rule:
    """The operands in a tuple, what the operation itself gives, and contexts.

    Of a computation the first operands are enough, and a part of what it gives: the rest is given
    by updates.
    """

    def check(r: Rules, c: Call) -> None:
        operand, out, *_ = entries(r, c.out, 2)
        identical(r, c.operands, operand)
        if (hit := called(r, c, "called")) is None:
            if _nothing(out):
                unknown("results that are not said yet")
            rule(r, c._replace(out=out))
        else:
            _front(r, operand, hit.parameters)
            _front(r, out, hit.root)

    return check


def _nothing(shape: Any) -> bool:
    """The empty tuple: what is not said yet."""
    return hasattr(shape, "__len__") and len(shape) == 0


def _front(r: Rules, part: Any, full: Any) -> None:
    """A shape, or a tuple of its first elements, each of them such a part; or nothing."""
    if _nothing(part):
        return
    if hasattr(part, "__len__") and hasattr(full, "__len__"):
        r.need(len(part) <= len(full))
        for x, y in zip(part, full):
            _front(r, x, y)
    else:
        identical(r, part, full)


def _begun(r: Rules, c: Call) -> tuple[tuple[Any, ...], Any]:
    """What is under way: the operands up to here, and what will come out."""
    r.need(len(c.operands) >= 1)
    operands, out, *_ = entries(r, c.operands[0], 2)
    return entries(r, operands, 0), out


def update(r: Rules, c: Call) -> None:
    """What is under way, with the operands that come with it."""
    operands, out = _begun(r, c)
    now, result, *_ = entries(r, c.out, 2)
    identical(r, (*operands, *c.operands[1:]), now)
    _front(r, out, result)


def done(r: Rules, c: Call) -> None:
    """What has come out."""
    r.need(len(c.operands) == 1)
    out = _begun(r, c)[1]
    if _nothing(out) and not _nothing(c.out):
        unknown("results that are not said yet")
    _front(r, out, c.out)


FUNCTIONS: dict[str, Rule] = {
    "begins": start(_call),
    "calls": _call,
    "chooses": _conditional,
    "continues": update,
    "ends": done,
    "loops": _while,
}
