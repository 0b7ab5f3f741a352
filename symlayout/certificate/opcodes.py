"""What instructions demand of sizes: the checker's own rules, one for each opcode.

Each demand is a goal, as in `shaping.py`; the texts alone are read with the modules' reader.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from symlayout.certificate.instructions.call import Call, Rule, marked
from symlayout.certificate.instructions.rows import RULES
from symlayout.certificate.shaping import Array, Broken, Rules, array, is_false, open_in, sides
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.programs.hlo.instruction_reader import read_instruction
from symlayout.programs.hlo.opcodes import rows, words


def rule_of(opcode: str) -> Rule | None:
    """The rule of an opcode, also of one that runs apart (`slice-start`), or None."""
    base, _, part = opcode.rpartition("-")
    begun = f"{base}-start" in RULES or base in ("send", "recv")  # with rules of their own
    if opcode in RULES or base not in RULES or begun:
        return RULES.get(opcode)
    from symlayout.certificate.instructions.control import done, start, update

    return {"start": start(RULES[base]), "update": update, "done": done}.get(part)


def instruction_goals(text: str) -> list[list[Relation]]:
    """What must hold of the sizes for the instruction's shape to follow from its operands.

    >>> made = instruction_goals("f32[3,N] transpose(f32[M,3]), dimensions={1,0}")
    >>> [str(r) for goal in made for r in goal]
    ['N >= 0', 'M >= 0', 'M == N']

    Raises `LayoutError` for an opcode that has no rule here.
    """
    instruction = read_instruction(text)
    shapes = tuple(marked(o.shape) for o in instruction.operands if o.shape is not None)
    # no result is written: what a text begins with is an opcode, and no buffer `b(f32[4])`
    bare = re.match(r"\s*(?!b\()[A-Za-z][\w\-]*\(", text) is not None
    shape = None if bare else marked(instruction.shape)
    call = Call(instruction.opcode, shape, shapes, dict(instruction.attributes))
    row = rows().get(call.opcode)
    own = row is not None and row.broadcasts and "broadcast_dimensions" in call.attributes
    rule = rule_of_builder() if bare or own else rule_of(call.opcode)
    if rule is None or len(shapes) != len(instruction.operands):
        raise LayoutError("SL723", f"the checker has no rule for {call.opcode}")
    for key, known in words().items():
        if call.attributes.get(key, known[0]) not in known:
            raise LayoutError("SL723", f"the checker knows no {key}={call.attributes[key]}")
    r = Rules()
    r.natural(*parts(call.out), *[a for s in shapes for a in parts(s)])
    try:
        with suppress(Broken):
            rule(r, call)
            return of_known_sizes(r)
    except (AttributeError, LookupError, TypeError, ValueError):  # a tuple for an array, two axes
        message = f"the checker's rule for {call.opcode} does not read this one"
        raise LayoutError("SL723", message) from None
    return [goal for goal in r.goals if not open_in(*sides(goal))]  # one of them cannot hold


def of_known_sizes(r: Rules) -> list[list[Relation]]:
    """The goals without sizes of run time, and without what is false of numbers."""
    if r.curves or any(open_in(*sides(goal)) for goal in r.goals):
        from symlayout.certificate.runtime import existing

        return existing(r.goals, r.curves)
    return [[x for x in goal if not is_false(x)] for goal in r.goals]


def rule_of_builder() -> Rule:
    """The rule of operations whose result follows from the operands."""
    from symlayout.certificate.instructions.builder import builder

    return builder


def parts(shape: Any) -> list[Array]:
    """The arrays in a shape."""
    if shape is None:
        return []
    if hasattr(shape, "_dims"):
        return [array(shape)]
    return [a for s in shape for a in parts(s)] if hasattr(shape, "__len__") else []
