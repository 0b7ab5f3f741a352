"""Random HLO instructions in long form, with the demands that their definitions make on sizes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from soundness.arithmetic import names_in, top_level
from soundness.drawing import facts, guards, shape, size
from soundness.judging import Claim
from soundness.layouts import times
from soundness.truth import AtRunTime, Relations

Made = tuple[list[str], str, list[str]]  # the result's sizes, what follows it, the demands
NEVER = "0 == 1"


def same(a: list[str], b: list[str]) -> list[str]:
    """That two shapes are equal."""
    if len(a) != len(b):
        return [NEVER]
    return [f"({x}) == ({y})" for x, y in zip(a, b)]


def array(dims: list[str], dtype: str = "f32") -> str:
    """A shape as text."""
    return f"{dtype}[{','.join(dims)}]"


def near(rng: random.Random, dims: list[str]) -> list[str]:
    """The sizes, one of them another at times."""
    made = list(dims)
    if made and rng.random() < 0.4:
        made[rng.randrange(len(made))] = size(rng)
    return made


def elementwise(rng: random.Random) -> Made:
    a = shape(rng)
    b, out = near(rng, a), near(rng, a)
    code = rng.choice(["add", "multiply", "maximum"])
    return out, f"{code}({array(a)}, {array(b)})", same(a, out) + same(b, out)


def transpose(rng: random.Random) -> Made:
    a = shape(rng)
    perm = rng.sample(range(len(a)), len(a))
    exact = [a[p] for p in perm]
    out = near(rng, exact)
    listed = ",".join(map(str, perm))
    return out, f"transpose({array(a)}), dimensions={{{listed}}}", same(exact, out)


def reshape(rng: random.Random) -> Made:
    a = shape(rng)
    out = list(a)
    if len(out) > 1 and rng.random() < 0.7:
        k = rng.randrange(len(out) - 1)
        out[k : k + 2] = [times(out[k], out[k + 1])]
    out = near(rng, rng.sample(out, len(out)))
    return out, f"reshape({array(a)})", [f"{times(*a)} == {times(*out)}"]


def slice_(rng: random.Random) -> Made:
    a = shape(rng)
    out, windows, needs = [], [], []
    for d in a:
        start, step = rng.choice([0, 0, 1, 2]), rng.choice([1, 1, 2, 3])
        limit = start + rng.randint(0, 5)
        count = -(-(limit - start) // step)
        windows.append(f"[{start}:{limit}" + (f":{step}]" if step > 1 else "]"))
        out.append(str(count) if rng.random() < 0.75 else size(rng))
        needs += [f"{limit} <= {d}", f"{count} == {out[-1]}"]
    return out, f"slice({array(a)}), slice={{{','.join(windows)}}}", needs


def pad(rng: random.Random) -> Made:
    a = shape(rng)
    exact, entries = [], []
    for d in a:
        low, high, inside = (
            rng.choice([-1, 0, 0, 1]),
            rng.choice([-1, 0, 1, 2]),
            rng.choice([0, 0, 1]),
        )
        if d.isdigit() and int(d) + low + high < 0:
            low = high = 0
        entries.append(f"{low}_{high}" + (f"_{inside}" if inside else ""))
        exact.append(f"{d}+{low}+{high}+max({d}-1,0)*{inside}".replace("+-", "-"))
    out = [e if rng.random() < 0.4 else _short(rng, d, e) for d, e in zip(a, exact)]
    text = f"pad({array(a)}, f32[]), padding={'x'.join(entries)}"
    return out, text, [*[f"{e} >= 0" for e in exact], *same(exact, out)]


def _short(rng: random.Random, d: str, exact: str) -> str:
    return rng.choice([d, f"{d}+1", f"{d}+2", f"2*({d})", size(rng)])


def concatenate(rng: random.Random) -> Made:
    a = shape(rng)
    axis = rng.randrange(len(a))
    b = near(rng, a)
    b[axis] = size(rng)
    out = near(rng, [*a[:axis], f"{a[axis]}+{b[axis]}", *a[axis + 1 :]])
    needs = [f"{a[axis]}+{b[axis]} == {out[axis]}"]
    rest = [k for k in range(len(a)) if k != axis]
    needs += same([a[k] for k in rest], [out[k] for k in rest])
    needs += same([b[k] for k in rest], [out[k] for k in rest])
    return out, f"concatenate({array(a)}, {array(b)}), dimensions={{{axis}}}", needs


def reduce(rng: random.Random) -> Made:
    a = shape(rng)
    gone = sorted(rng.sample(range(len(a)), rng.randint(1, len(a))))
    exact = [d for k, d in enumerate(a) if k not in gone]
    out = near(rng, exact)
    listed = ",".join(map(str, gone))
    return out, f"reduce({array(a)}, f32[]), dimensions={{{listed}}}", same(exact, out)


def dot(rng: random.Random) -> Made:
    m, k, n, b = (size(rng) for _ in range(4))
    k2, b2 = (x if rng.random() < 0.8 else size(rng) for x in (k, b))
    if rng.random() < 0.5:
        dims = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
        out = near(rng, [m, n])
        needs = same([k], [k2]) + same([m, n], out)
        return out, f"dot({array([m, k])}, {array([k2, n])}), {dims}", needs
    dims = (
        "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"
    )
    out = near(rng, [b, m, n])
    needs = same([b], [b2]) + same([k], [k2]) + same([b, m, n], out)
    return out, f"dot({array([b, m, k])}, {array([b2, k2, n])}), {dims}", needs


def dynamic_slice(rng: random.Random) -> Made:
    a = shape(rng)
    sizes = [str(rng.randint(1, 4)) for _ in a]
    out = near(rng, sizes)
    starts = ", ".join(["s32[]"] * len(a))
    text = f"dynamic-slice({array(a)}, {starts}), dynamic_slice_sizes={{{','.join(sizes)}}}"
    return out, text, same(sizes, out) + [f"{s} <= {d}" for s, d in zip(sizes, a)]


def compare(rng: random.Random) -> Made:
    a = shape(rng)
    b, out = near(rng, a), near(rng, a)
    return out, f"compare({array(a)}, {array(b)}), direction=LT", same(a, b) + same(a, out)


KINDS: dict[str, Callable[[random.Random], Made]] = {
    "elementwise": elementwise,
    "transpose": transpose,
    "reshape": reshape,
    "slice": slice_,
    "pad": pad,
    "concatenate": concatenate,
    "reduce": reduce,
    "dot": dot,
    "dynamic-slice": dynamic_slice,
    "compare": compare,
}


# -- sizes that run time tells --------------------------------------------------------------------

Shapes = list[list[str]]
RUN_TIME = 0.2  # of the instructions have sizes that run time tells
LATER = "later"  # what such a size is called in demands; a `?` in the text
ALIKE = {  # instructions of which every operand has the result's sizes: code, element types
    "add": ("f32", ["f32", "f32"]),
    "select": ("f32", ["pred", "f32", "f32"]),
    "clamp": ("f32", ["f32", "f32", "f32"]),
    "complex": ("c64", ["f32", "f32"]),
    "compare": ("pred", ["f32", "f32"]),
}


def some_later(rng: random.Random, shapes: Shapes) -> Shapes:
    """The shapes with one to three sizes that are known at run time only, each by its own name."""
    places = [(k, d) for k, dims in enumerate(shapes) for d in range(len(dims))]
    shapes = [list(dims) for dims in shapes]
    for n, (k, d) in enumerate(rng.sample(places, min(len(places), rng.choice([1, 1, 2, 2, 3])))):
        shapes[k][d] = f"{LATER}{n}"
    return shapes


Parts = tuple[str, list[str], Shapes]  # the text, the demands, all shapes


def alike(rng: random.Random) -> Parts:
    """Operands and a result of the same sizes, or nearly."""
    code, (dtype, types) = rng.choice(list(ALIKE.items()))
    a = shape(rng)
    shapes = some_later(rng, [a, *[near(rng, a) for _ in types]])
    texts = ", ".join(map(array, shapes[1:], types))
    tail = ", direction=LT" if code == "compare" else ""
    needs = [r for b in shapes[1:] for r in same(b, shapes[0])]
    return f"{array(shapes[0], dtype)} {code}({texts}){tail}", needs, shapes


def joined(rng: random.Random) -> Parts:
    """A concatenation."""
    a = shape(rng)
    axis = rng.randrange(len(a))
    b, sizes = near(rng, a), list(a)
    b[axis] = size(rng)
    sizes[axis] = f"{a[axis]}+{b[axis]}"
    out, a, b = shapes = some_later(rng, [near(rng, sizes), a, b])
    needs = [f"({a[axis]}) + ({b[axis]}) == ({out[axis]})"]
    rest = [k for k in range(len(a)) if k != axis]
    for x in (a, b):
        needs += same([x[k] for k in rest], [out[k] for k in rest])
    text = f"{array(out)} concatenate({array(a)}, {array(b)}), dimensions={{{axis}}}"
    return text, needs, shapes


def turned(rng: random.Random) -> Parts:
    """A transpose."""
    a = shape(rng)
    perm = rng.sample(range(len(a)), len(a))
    out, a = shapes = some_later(rng, [near(rng, [a[p] for p in perm]), a])
    text = f"transpose({array(a)}), dimensions={{{','.join(map(str, perm))}}}"
    return f"{array(out)} {text}", same([a[p] for p in perm], out), shapes


def summed(rng: random.Random) -> Parts:
    """A reduction."""
    a = shape(rng)
    gone = sorted(rng.sample(range(len(a)), rng.randint(1, len(a))))
    kept = [k for k in range(len(a)) if k not in gone]
    out, a = shapes = some_later(rng, [near(rng, [a[k] for k in kept]), a])
    text = f"reduce({array(a)}, f32[]), dimensions={{{','.join(map(str, gone))}}}"
    return f"{array(out)} {text}", same([a[k] for k in kept], out), shapes


def at_run_time(rng: random.Random) -> Claim:
    """An instruction with `?` for some sizes, which are found out at run time."""
    text, needs, shapes = rng.choice([alike, alike, joined, turned, summed])(rng)
    sizes = [d for dims in shapes for d in dims]
    later = tuple(d for d in sizes if d.startswith(LATER))
    if not later or re.search("//|%", text):  # beside a `?` these are C's
        return at_run_time(rng)
    names = tuple(n for n in names_in(*sizes) if n not in later)
    needs += [f"{d} >= 0" for d in sizes if d not in later]
    truth = AtRunTime(names, tuple(needs), later)
    known = (*facts(rng, names), *guards(rng, [(d, 0) for d in sizes if d not in later]))
    text = re.sub(rf"{LATER}\d", "?", text)
    return Claim("instruction", (text,), known, truth, "instruction")


def instruction(rng: random.Random) -> Claim:
    """An instruction whose shape is right, or nearly."""
    if rng.random() < RUN_TIME:
        return at_run_time(rng)
    kind = rng.choice(list(KINDS))
    out, rest, needs = KINDS[kind](rng)
    if "//" in rest or "//" in "".join(out):  # where a module's text has a comment
        return instruction(rng)
    dtype = "pred" if kind == "compare" else "f32"
    if rng.random() < 0.02 and kind != "dot":  # which may give any element type that is asked for
        dtype, needs = "s32", [NEVER]
    text = f"{array(out, dtype)} {rest}"
    operands = [p.partition("]")[0] for p in rest.split("[")[1:]]
    sizes = [
        *out,
        *[d for o in operands if "=" not in o and ":" not in o for d in top_level(o) if d],
    ]
    names = tuple(names_in(*sizes))
    known = (*facts(rng, names), *guards(rng, [(d, 0) for d in sizes]))
    needs = [*needs, *[f"{d} >= 0" for d in sizes]]
    return Claim("instruction", (text,), known, Relations(names, tuple(needs)), "instruction")
