"""How the shape of an instruction follows from its operands: one rule for each opcode.

Only sizes and element types count here, not layouts.  Sizes may be symbolic: a rule leaves demands
(`Demands`), which hold, fail, or are a condition.  An opcode without a rule passes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from symlayout.errors import LayoutError, did_you_mean
from symlayout.programs.hlo import builder, control
from symlayout.programs.hlo.broadcast.check import Broken, Demands
from symlayout.programs.hlo.demands import run
from symlayout.programs.hlo.opcodes import rows, words
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.unknown import closed, named

Rule = Callable[[Verifier], None]


def rule_of(opcode: str) -> Rule | None:
    """The rule of an opcode, also of one that runs apart (`slice-start`), or None."""
    hit = RULES.get(opcode)
    if hit is not None:
        return hit
    base, _, part = opcode.rpartition("-")
    if base not in RULES or part not in APART or f"{base}-start" in RULES or base in OWN:
        return None
    return APART[part]


def demands_of(v: Verifier) -> Demands:
    """What must hold of the sizes for the instruction's shape to follow from its operands.

    >>> from symlayout.layouts.xla import read_shape
    >>> a, b = read_shape("f32[2,3]"), read_shape("f32[2,4]")
    >>> demands_of(Verifier("negate", a, (b,), {})).checks[0].message
    'dimension 1 of the operand and of the result: 4 and 3'

    Raises `LayoutError` (SL721) for an opcode without a rule, or an attribute not understood.
    """
    rule = builder.builder_rule if builder.broadcasts(v) else rule_of(v.opcode)
    if rule is None:
        message = f"no rule says what shape {v.opcode!r} gives"
        raise LayoutError("SL721", message, help=did_you_mean(v.opcode, list(RULES)))
    for key, hits in WORDS.items():
        if v.attributes.get(key, hits[0]) not in hits:
            v.unread(key)
    v.operands, v.result = tuple(map(named, v.operands)), named(v.result)
    with suppress(Broken):
        rule(v)
        v.checks += closed(v.later)
    return v


def _begun(v: Verifier) -> None:
    """An operation that runs apart: its own rule, for what will come out."""
    control.async_start_rule(v)
    if "called" not in v.attributes:
        control.bound(v)
        RULES[v.opcode.removesuffix("-start")](replace(v, result=v.results[1]))


RULES: dict[str, Rule] = {opcode: partial(run, row=row) for opcode, row in rows().items()}
OWN = frozenset({"send", "recv"})  # with a `-done`, and begun by themselves
APART: dict[str, Rule] = {"start": _begun, "update": control.continues, "done": control.ends}

WORDS = words()
# the attributes that a rule looks at: all that a claim about the instruction repeats
ATTRIBUTES = tuple(dict.fromkeys(key for row in rows().values() for key in row.attributes))
