"""The checker's own rules of what devices do together, of control, and of what runs apart.

`ALSO` are demands beside those of a rule: on the computations that run, and on types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from symlayout.certificate.operations import (
    MORE,
    Rule,
    constant_size,
    entries,
    integers,
    results,
    same_shapes,
    unknown,
)
from symlayout.certificate.shaping import FLOATS, Array, Extent, Rules, array
from symlayout.layouts.xla import read_shape

IOTA = re.compile(r"\[(?:\d+,)*(?P<size>\d+)\]<=\[\d+(?:,\d+)*\](?:T\(\d+(?:,\d+)*\))?")
WHOLE = re.compile(r"[su]\d+|pred")


def _identity(r: Rules, c: Any) -> None:
    r.need(len(c.given) >= 1)
    same_shapes(r, c.given[0] if len(c.given) == 1 else c.given, c.out)


def _start(rule: Rule) -> Rule:
    """The operands in a tuple, what the operation itself gives, and contexts."""

    def made(r: Rules, c: Any) -> None:
        out = entries(r, c.out, 2)
        same_shapes(r, c.given, out[0])
        rule(r, c._replace(out=out[1]))

    return made


def _ragged(r: Rules, c: Any) -> None:
    """The result is shaped as the output that is given."""
    r.need(len(c.given) == 6)
    same_shapes(r, c.given[1], c.out)


def _second(r: Rules, c: Any) -> None:
    """What was begun comes out."""
    r.need(len(c.given) == 1)
    same_shapes(r, entries(r, c.given[0], 2)[1], c.out)


def _permute_start(r: Rules, c: Any) -> None:
    out = entries(r, c.out, 2)
    r.need(len(c.given) == 1)
    same_shapes(r, c.given[0], out[0])
    same_shapes(r, c.given[0], out[1])


def _outfed(r: Rules, c: Any) -> None:
    r.need(len(c.given) == 2 and str(c.given[1]) == str(c.out) == "token[]")


def _after(r: Rules, c: Any) -> None:
    """Tokens become one."""
    r.need(all(str(e) == "token[]" for e in (*c.given, c.out)))


def _sent(r: Rules, c: Any) -> None:
    out = entries(r, c.given[0], 3) if len(c.given) == 1 else r.no()
    r.need(len(out) == 3 and str(out[2]) == str(c.out) == "token[]")


def _first(r: Rules, c: Any) -> None:
    r.need(len(c.given) == 2 and str(c.given[1]) == "token[]")
    same_shapes(r, c.given[0], c.out)


def _branches(text: str) -> Iterator[str]:
    """The signatures of a list in braces."""
    depth, start = 0, 1
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 1 and letter == ",":
            yield text[start:at]
            start = at + 1
    yield text[start:-1]


def _conditional(r: Rules, c: Any) -> None:
    text = c.attributes.get("branch_computations", "").strip()
    both = [c.attributes.get(f"{word}_computation", "") for word in ("true", "false")]
    branches = list(_branches(text)) if text.startswith("{") else both
    if not all("->" in b for b in branches):
        unknown("branches without signatures")
    r.need(len(c.given) == len(branches) + 1 and hasattr(c.given[0], "dims"))
    which = array(c.given[0])
    r.need(not which.dims and which.dtype in ("pred", "s32"))
    for branch, operand in zip(branches, c.given[1:]):
        argument, _, root = branch.partition("->")
        taken = entries(r, read_shape(argument), 0)
        r.need(len(taken) <= 1)
        same_shapes(r, operand, taken[0] if taken else taken)
        same_shapes(r, read_shape(root), c.out)


def _device(r: Rules, c: Any) -> None:
    r.need(not c.given and c.result(r) == Array((), "u32"))


# -- groups of devices ----------------------------------------------------------------------------


def group(r: Rules, c: Any) -> int:
    """How many devices are in each group, 0 where that is not said; each device is in one."""
    text = "".join(c.attributes.get("replica_groups", "").split())
    match = IOTA.fullmatch(text)
    if match is not None:
        return int(match["size"])
    if text in ("", "{}", "{{}}"):
        return 0
    if re.fullmatch(r"\{\{\d+(,\d+)*\}(,\{\d+(,\d+)*\})*\}", text) is None:
        unknown("groups of that form")
    groups = [[int(n) for n in re.findall(r"\d+", g)] for g in text.split("},{")]
    named = sorted(n for g in groups for n in g)
    r.need(named == list(range(len(named))))
    return len(groups[0]) if len({len(g) for g in groups}) == 1 else 0


def exact(c: Any) -> bool:
    """Whether a group is all that take part: else every partition brings one of its own."""
    everywhere = c.attributes.get("use_global_device_ids") == "true"
    return everywhere or "channel_id" not in c.attributes


def _gather(small: bool) -> Rule:
    """The operand is a part of the result for each device, or the result one of the operand."""

    def rule(r: Rules, c: Any) -> None:
        answers = results(c)
        (axis,) = integers(c, r, "dimensions") or (0,)
        size = group(r, c)
        for a, shape in zip(c.arrays(r, len(answers)), answers):
            out = array(shape)
            r.same_type(a, out)
            part, total = (a, out) if small else (out, a)
            r.need(len(part.dims) == len(total.dims) and 0 <= axis < len(part.dims))
            for k, (x, y) in enumerate(zip(part.dims, total.dims)):
                if k != axis:
                    r.equal(x, y)
                elif size and exact(c) and None not in (x.size, y.size):
                    r.equal(Extent(x.size * size, x.later), y)
                elif x.size is not None and y.size is not None and x.size.is_Integer:
                    r.need(bool(y.size.is_Integer) and int(x.size) > 0)
                    r.need(int(y.size) % (int(x.size) * max(1, size)) == 0)
                else:
                    unknown("parts of sizes that are no numbers")

    return rule


def _exchange(r: Rules, c: Any) -> None:
    if "split_dimension" not in c.attributes:
        _identity(r, c)
        for axis in integers(c, r, "dimensions"):
            for a in c.arrays(r, 1, 1000):
                size = group(r, c)
                r.need(0 <= axis < len(a.dims))
                whole = a.dims[axis].size
                r.need(not size or whole is None or not whole.is_Integer or int(whole) % size == 0)
        return
    (a,), out, size = c.arrays(r, 1), c.result(r), group(r, c)
    (split,), (union,) = (c.numbers(r, f"{key}_dimension") for key in ("split", "concat"))
    r.same_type(a, out)
    r.need(len(a.dims) == len(out.dims) and {split, union} <= {*range(len(a.dims))})
    for k, (x, y) in enumerate(zip(a.dims, out.dims)):
        if x.size is None or y.size is None or not size:
            unknown("exchange of sizes that are not known")
        if k == split:
            y = Extent(y.size * size, y.later)
        if k == union:
            x = Extent(x.size * size, x.later)
        r.equal(x, y)


def _gather_start(r: Rules, c: Any) -> None:
    out = entries(r, c.out, 2)
    same_shapes(r, c.given if hasattr(out[0], "__len__") else c.given[0], out[0])
    _gather(True)(r, c._replace(out=out[1]))


def _pairs(r: Rules, c: Any) -> None:
    text = "".join(c.at(r, "source_target_pairs").split())
    hits = re.findall(r"\{(\d+),(\d+)\}", text)
    r.need(text == "{" + ",".join(f"{{{a},{b}}}" for a, b in hits) + "}")
    for side in zip(*hits):
        r.need(len(set(side)) == len(side))


def _reduction(r: Rules, c: Any) -> None:
    """Two scalars for each result, what is reduced so far first, and one for each comes out."""
    text = c.attributes.get("to_apply", "")
    if "->" not in text:
        return
    argument, _, root = text.partition("->")
    taken, result = entries(r, read_shape(argument), 0), read_shape(root)
    scalars = [result] if hasattr(result, "dims") else list(result)
    alone = len(taken) == 2 and len(scalars) == 1
    r.need(alone or len(scalars) == len(results(c)))
    r.need(len(taken) == 2 * len(scalars))
    r.need(all(hasattr(s, "dims") and not array(s).dims for s in (*taken, *scalars)))
    for p, s in zip(taken, scalars):
        same_shapes(r, p, s)


def _in_groups(r: Rules, c: Any) -> None:
    group(r, c)
    _reduction(r, c)


# -- demands beside those of a rule ---------------------------------------------------------------


def _loop(r: Rules, c: Any) -> None:
    for key in ("condition", "body"):
        text = c.attributes.get(key, "")
        if "->" in text:
            argument, _, root = text.partition("->")
            taken = read_shape(argument)
            same_shapes(r, taken[0] if len(taken) == 1 else taken, c.out)
            target = read_shape("pred[]") if key == "condition" else c.out
            same_shapes(r, read_shape(root), target)


def _sort(r: Rules, c: Any) -> None:
    many = c.arrays(r, 1, 1000)
    (axis,) = integers(c, r, "dimensions") or (0,)
    for a in many:
        r.need(0 <= axis < max(1, len(a.dims)))
        r.same_sizes(a.dims, many[0].dims)
    text = c.attributes.get("to_apply", "")
    if "->" in text:
        argument, _, root = text.partition("->")
        r.need(len(read_shape(argument)) == 2 * len(many))
        same_shapes(r, read_shape(root), read_shape("pred[]"))


def _turn(r: Rules, c: Any) -> None:
    (a,), dims = c.arrays(r, 1), c.numbers(r, "dimensions")
    r.need(len(set(dims)) == len(dims) and all(0 <= k < len(a.dims) for k in dims))


def _starts(first: int) -> Rule:
    def rule(r: Rules, c: Any) -> None:
        a, *rest = c.arrays(r, 1, 1000)
        starts = rest[first - 1 :]
        r.need(all(WHOLE.fullmatch(s.dtype) and s.dtype != "pred" for s in starts))
        if len(starts) == 1 and len(starts[0].dims) == 1:
            r.equal(starts[0].dims[0], constant_size(len(a.dims)))
        else:
            r.need(len(starts) == len(a.dims) and all(not s.dims for s in starts))

    return rule


def _of(pattern: re.Pattern[str]) -> Rule:
    def rule(r: Rules, c: Any) -> None:
        r.need(all(pattern.fullmatch(a.dtype) for a in c.arrays(r, 1, 1000)))

    return rule


REAL = re.compile(FLOATS.pattern + r"|c\d+")
NUMBER = re.compile(REAL.pattern + r"|[su]\d+")
COUNT = re.compile(r"[su]\d+")
SIGNED = re.compile(REAL.pattern + r"|s\d+")
FLOATING = (
    "acos acosh asin asinh atan2 atanh cbrt cholesky cosh cosine exponential exponential-minus-one "
    "imag log log-plus-one logistic real rsqrt sine sinh sqrt tan tanh triangular-solve"
)
FLOAT = "ceil erf floor is-finite reduce-precision round-nearest-afz round-nearest-even"
INTEGRAL = (
    "clz count-leading-zeros mulhi popcnt shift-left shift-right-arithmetic shift-right-logical"
)
ALSO: dict[str, Rule] = {
    **dict.fromkeys(FLOATING.split(), _of(REAL)),
    **dict.fromkeys(FLOAT.split(), _of(FLOATS)),
    **dict.fromkeys(INTEGRAL.split(), _of(COUNT)),
    **dict.fromkeys(["and", "not", "or", "xor"], _of(WHOLE)),
    **dict.fromkeys(["divide", "negate", "power", "remainder", "subtract"], _of(NUMBER)),
    **dict.fromkeys(["abs", "sign"], _of(SIGNED)),
    "all-reduce": _in_groups,
    "all-reduce-start": _in_groups,
    "collective-permute": _pairs,
    "collective-permute-start": _pairs,
    "dynamic-slice": _starts(1),
    "dynamic-update-slice": _starts(2),
    "reduce": _reduction,
    "reduce-scatter": _reduction,
    "reduce-window": _reduction,
    "reverse": _turn,
    "scatter": _reduction,
    "sort": _sort,
    "while": _loop,
}


def _send(r: Rules, c: Any) -> None:
    out = entries(r, c.out, 3)
    r.need(len(out) == 3 and str(out[1]) == "u32[]" and str(out[2]) == "token[]")
    r.need(len(c.given) == (2 if c.opcode == "send" else 1) and str(c.given[-1]) == "token[]")
    if c.opcode == "send":
        same_shapes(r, c.given[0], out[0])


def _receive(r: Rules, c: Any) -> None:
    out = entries(r, c.out, 2)
    r.need(len(c.given) == 1 and len(out) == 2 and str(out[1]) == "token[]")
    same_shapes(r, entries(r, c.given[0], 3)[0], out[0])


def _feed(r: Rules, c: Any) -> None:
    out = entries(r, c.out, 2)
    r.need([str(e) for e in c.given] == ["token[]"])
    r.need(len(out) == 2 and str(out[1]) == "token[]")


def _generator(r: Rules, c: Any) -> None:
    r.need(len(c.given) == 1)
    if hasattr(c.out, "__len__"):
        same_shapes(r, c.given[0], entries(r, c.out, 2)[0])


def _from_nothing(r: Rules, c: Any) -> None:
    r.need(not c.given and str(c.out).partition("{")[0] == "u64[2]")


TOGETHER: dict[str, Rule] = {
    "add-dependency": _first,
    "after-all": _after,
    "all-gather": _gather(True),
    "all-gather-done": _second,
    "all-gather-start": _gather_start,
    "all-reduce": _identity,
    "all-reduce-done": _identity,
    "all-reduce-start": _identity,
    "all-to-all": _exchange,
    "collective-broadcast": _identity,
    "collective-permute": _identity,
    "collective-permute-done": _second,
    "collective-permute-start": _permute_start,
    "conditional": _conditional,
    "copy": _identity,
    "domain": _identity,
    "infeed": _feed,
    "opt-barrier": _identity,
    "outfeed": _outfed,
    "partition-id": _device,
    "ragged-all-to-all": _ragged,
    "recv": _send,
    "recv-done": _receive,
    "reduce-scatter": _gather(False),
    "replica-id": _device,
    "rng-bit-generator": _generator,
    "rng-get-and-update-state": _from_nothing,
    "send": _send,
    "send-done": _sent,
}
APART = ("slice", "dynamic-slice", "dynamic-update-slice", "fusion")


def _both(rule: Rule, also: Rule) -> Rule:
    def made(r: Rules, c: Any) -> None:
        rule(r, c)
        also(r, c)

    return made


def with_more(rules: dict[str, Rule]) -> dict[str, Rule]:
    """All rules: those given, these, and what runs apart by them."""
    names = {**rules, **MORE, **TOGETHER}
    names |= {word: _both(names[word], also) for word, also in ALSO.items()}
    starts = {f"{base}-start": _start(names[base]) for base in APART}
    done = {f"{base}-done": _second for base in (*APART, "async", "call", "custom-call")}
    asynchronous = {"async-start": _start(names["fusion"]), "async-update": _identity}
    return {**names, **starts, **done, **asynchronous}
