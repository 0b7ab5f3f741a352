"""What MLIR's verifier asks of element types and of the regions of StableHLO's operations.

HLO mixes precisions where StableHLO does not, so the shape rules that both share leave this open.
Each rule was compared with the verifier of jaxlib on modules that it accepts and refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from symlayout.layouts.xla import AnyShape, Shape
from symlayout.layouts.xla.dtypes import BITS, is_integral
from symlayout.programs.hlo.module import UNKNOWN

PARTS = {"c64": "f32", "c128": "f64"}  # the type of a complex number's parts
OF_PARTS = frozenset({"abs", "imag", "real"})
SAME = frozenset({"all_gather", "all_to_all", "collective_broadcast", "collective_permute"})
# which region combines elements, and whether initial values stand after the arrays
REDUCERS = {
    "all_reduce": (0, False),
    "reduce": (0, True),
    "reduce_scatter": (0, False),
    "reduce_window": (0, True),
    "select_and_scatter": (1, False),
}
BRANCHES = frozenset({"case", "if"})
Shapes = Sequence[AnyShape]


class Signature(NamedTuple):
    """What a region takes and gives; None where the text does not say it."""

    arguments: Shapes | None
    answers: Shapes | None


def region_breaches(
    short: str, args: Shapes, outs: Shapes, regions: Sequence[Signature]
) -> Iterator[str]:
    """What the verifier would say of an operation; nothing where a type is not known."""
    if short in OF_PARTS:
        yield from _types(args, outs, PARTS)
    elif short in SAME:
        yield from _types(args, outs, {})
    elif short in BRANCHES:
        for k, region in enumerate(regions):
            if region.arguments:
                yield f"has {len(region.arguments)} arguments in branch {k}, which takes none"
    elif short in REDUCERS:
        number, initial = REDUCERS[short]
        if number >= len(regions):
            return
        if short == "select_and_scatter":  # of which HLO's rule does not see the regions
            yield from _selection(regions[0], args)
            yield from _counts(regions[1])
        if short == "all_reduce":  # each array by itself
            for k, value in enumerate(args):
                yield from _reduction(regions[number], [value], outs[k : k + 1])
            return
        count = len(args) // 2 if initial else len(outs)
        yield from _reduction(regions[number], args[:count], outs)


def _types(args: Shapes, outs: Shapes, parts: dict[str, str]) -> Iterator[str]:
    """Each result has the element type of its operand, or that of the parts of one."""
    for k, (a, b) in enumerate(zip(args, outs)):
        if isinstance(a, Shape) and isinstance(b, Shape):
            expected = parts.get(a.dtype, a.dtype)
            if b.dtype != expected:
                yield f"gives {b.dtype} in result {k}, not {expected}"


def _selection(region: Signature, args: Shapes) -> Iterator[str]:
    """Two elements of the operand are compared: the answer is one truth value."""
    if region.arguments is not None:
        if len(region.arguments) != 2:
            yield f"selects by {len(region.arguments)} arguments, not 2"
        elif args and isinstance(args[0], Shape):
            element = str(Shape(args[0].dtype, ()))
            for k, p in enumerate(region.arguments):
                if p is not UNKNOWN and str(p) != element:
                    yield f"takes {p} as argument {k} of its selection, not {element}"
    if region.answers is not None and UNKNOWN not in region.answers:
        words = ", ".join(map(str, region.answers))
        if words != "pred[]":
            yield f"selects by ({words}), not by one pred[]"


def _counts(region: Signature) -> Iterator[str]:
    """Two elements are combined to one."""
    for shapes, count, what in ((region.arguments, 2, "arguments"), (region.answers, 1, "answers")):
        if shapes is not None and len(shapes) != count:
            yield f"scatters by a region of {len(shapes)} {what}, not {count}"


def _reduction(region: Signature, args: Shapes, outs: Shapes) -> Iterator[str]:
    """Elements are promoted to the types that the region gives; those are the results' types."""
    arguments, answers = region
    if arguments is None or answers is None or UNKNOWN in (*arguments, *answers):
        return
    if (len(arguments), len(answers)) != (2 * len(args), len(args)):
        return  # which HLO's rule tells
    for k, (value, answer) in enumerate(zip(args, answers)):
        for p in (arguments[k], arguments[len(args) + k]):
            if str(p) != str(answer):
                yield f"takes {p} and gives {answer} in its region"
                break
        if not isinstance(answer, Shape):
            yield f"gets {answer} from its region, not a scalar"
            continue
        if isinstance(value, Shape) and not _promotable(value.dtype, answer.dtype):
            yield f"promotes {value.dtype} to {answer.dtype} in its region"
        out = outs[k] if k < len(outs) else UNKNOWN
        if isinstance(out, Shape) and out.dtype != answer.dtype:
            yield f"gives {out.dtype} in result {k}, and its region {answer.dtype}"


def _promotable(before: str, after: str) -> bool:
    """Whether the verifier lets the first element type become the second one.

    Integers may get wider; floating point numbers may also get narrower.
    """
    kinds = _kind(before), _kind(after)
    if kinds[0] != kinds[1]:
        return False
    return kinds[0] in ("float", "?") or before == after or _bits(before) <= _bits(after)


def promotes(args: Shapes, outs: Shapes) -> bool:
    """Whether integers of the operands get another type in a reduction, as HLO does not allow."""
    pairs = [(a, b) for a, b in zip(args, outs) if isinstance(a, Shape) and isinstance(b, Shape)]
    return any(a.dtype != b.dtype and _kind(a.dtype) == _kind(b.dtype) != "float" for a, b in pairs)


def _kind(dtype: str) -> str:
    if dtype not in BITS:
        return "?"
    if dtype == "pred" or is_integral(dtype):
        return "integer"
    return "complex" if dtype in PARTS else "float"


def _bits(dtype: str) -> int:
    return 1 if dtype == "pred" else BITS[dtype]
