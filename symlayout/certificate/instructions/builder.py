"""The checker's rule of operations that broadcast their two operands by themselves."""

from __future__ import annotations

from symlayout.certificate.broadcasting import BROADCASTS
from symlayout.certificate.instructions.call import Call
from symlayout.certificate.instructions.rows import kinds
from symlayout.certificate.shaping import Rules, is_one, same
from symlayout.programs.hlo.opcodes import rows

BUILT = frozenset(opcode for opcode, row in rows().items() if row.broadcasts)


def builder(r: Rules, c: Call) -> None:
    """An operation of two operands that broadcasts them by itself; a result, where one is written."""
    r.need(c.opcode in BUILT)
    a, b = c.arrays(r, 2)
    kinds(r, c)
    dims = c.integers(r, "broadcast_dimensions")
    r.same_type(a, b)
    BROADCASTS["xla"](r, a.dims, b.dims, dims)
    if c.out is None:
        return
    out, (small, large) = c.result(r), sorted((a.dims, b.dims), key=len)
    if c.opcode == "compare":
        r.need(out.dtype == "pred")
    else:
        r.same_type(a, out)
    r.need(len(out.dims) == len(large))
    places = dims if len(small) < len(large) else range(len(large))
    at = dict(zip(places, small))
    for k, (y, o) in enumerate(zip(large, out.dims)):
        x = at.get(k, y)
        if o.size is None:
            continue  # it is what comes out
        known = [e for e in (x, y) if e.size is not None]  # what is not 1 is the result's
        for e in known:
            r.one_of(is_one(e), same(e, o))
        if len(known) == 2:  # else the other one may be
            r.one_of(same(x, o), same(y, o))
