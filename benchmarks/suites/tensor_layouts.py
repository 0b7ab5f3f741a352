"""tensor-layouts' own tests, run as they are: each call of an operation is asked of ours as well.

The tests of a checkout are run with its own package; what they call is wrapped.  An answer of ours is
held against theirs at every index; where the two differ, or only one answers, the operation's law in
plain integers says who is right.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from symlayout import LayoutError, tla

MOST = 4096  # indices that are looked at
FILES = (
    "layouts.py",
    "composed.py",
    "external.py",
    "tensor.py",
    "analysis.py",
    "paper_examples.py",
)
NAMES = {
    "compose": "composition",
    **dict.fromkeys(("coalesce", "complement", "right_inverse", "left_inverse", "nullspace"), ""),
    **dict.fromkeys(("logical_divide", "zipped_divide", "tiled_divide", "flat_divide"), ""),
    **dict.fromkeys(("logical_product", "zipped_product", "tiled_product", "flat_product"), ""),
    **dict.fromkeys(("blocked_product", "raked_product", "upcast", "downcast", "flatten"), ""),
    **dict.fromkeys(("append", "prepend", "replace", "max_common_layout", "max_common_vector"), ""),
    **dict.fromkeys(("crd2offset", "idx2crd", "congruent", "weakly_congruent", "compatible"), ""),
    "group": "group_modes",
}


SAID: list[str] = []  # pytest takes what is printed while tests run


class Unread(Exception):
    """An operand that is nothing to us: a tensor, or a function."""


# -- their values ------------------------------------------------------------------------------------


def leaves(shape: Any, stride: Any) -> list[tuple[int, int]]:
    """The sizes and strides, side by side."""
    if isinstance(shape, tuple):
        return [leaf for s, d in zip(shape, stride) for leaf in leaves(s, d)]
    return [(int(shape), int(stride))]


def at(x: Any, index: int) -> int:
    """The offset of an index, of a layout of theirs or of ours."""
    if hasattr(x, "preoffset"):
        return at(x.outer, int(x.preoffset) + at(x.inner, index))
    if isinstance(x, tla.Chain):
        return at(x.outer, at(x.inner, index))
    if hasattr(x, "bits") and hasattr(x, "base"):
        return int(x(index))
    if isinstance(x, tla.ComposedLayout):
        return int(x.swizzle(int(x.offset) + at(x.layout, index)))
    total, sign = 0, -1 if index < 0 else 1
    index = abs(index)
    flat = leaves(x.shape, x.stride)
    for k, (size, step) in enumerate(flat):
        total += (index if k == len(flat) - 1 else index % size if size else 0) * step
        index = index // size if size else 0
    swizzle = getattr(x, "swizzle", None)
    return int(swizzle(sign * total)) if swizzle is not None else sign * total


def size(x: Any) -> int:
    """How many indices a layout has."""
    made = 1
    for n in _flat(x.shape):
        made *= int(n)
    return made


def _flat(x: Any) -> list[Any]:
    return [y for part in x for y in _flat(part)] if isinstance(x, (tuple, list)) else [x]


def is_layout(x: Any) -> bool:
    """Whether it is a layout, theirs or ours."""
    return hasattr(x, "shape") and (
        hasattr(x, "stride") or hasattr(x, "inner") or hasattr(x, "layout")
    )


def ours(x: Any) -> Any:
    """An operand of theirs as one of ours."""
    name = type(x).__name__
    if name == "Layout":
        made = tla.Layout(x.shape, x.stride)
        return made if x.swizzle is None else tla.ComposedLayout(ours(x.swizzle), 0, made)
    if name == "Swizzle":
        return tla.Swizzle(x.bits, x.base, x.shift)
    if name == "ComposedLayout":
        outer, inner = ours(x.outer), ours(x.inner)
        if isinstance(outer, tla.Swizzle) and isinstance(inner, tla.Layout):
            return tla.ComposedLayout(outer, int(x.preoffset), inner)
        if x.preoffset == 0 and isinstance(inner, tla.ComposedLayout | tla.Chain):
            return tla.Chain(outer, inner)
        raise Unread(name)
    if isinstance(x, tuple):
        return tuple(map(ours, x))
    if name == "Tile":
        return tuple(map(ours, x))
    if x is None or isinstance(x, (int, str)):
        return x
    raise Unread(name)


# -- the laws ---------------------------------------------------------------------------------------


def indices(count: int) -> range:
    """All indices, or many."""
    return range(0, count, max(1, count // MOST))


def lawful(name: str, given: tuple[Any, ...], made: Any) -> bool | None:
    """Whether an answer keeps the law of its operation; None where this program has no law for it."""
    if not is_layout(made):
        return None
    a, *rest = given
    if name == "compose" and is_layout(rest[0]):
        b = rest[0]
        return size(made) == size(b) and all(
            at(made, c) == at(a, at(b, c)) for c in indices(size(b))
        )
    if name in ("coalesce", "flatten"):
        return size(made) == size(a) and all(at(made, c) == at(a, c) for c in indices(size(a)))
    if name == "left_inverse":
        return all(at(a, at(made, at(a, i))) == at(a, i) for i in indices(size(a)))
    if name == "right_inverse":
        return all(at(a, at(made, i)) == i for i in indices(size(made)))
    if name == "nullspace":
        return all(at(a, at(made, i)) == at(a, 0) for i in indices(size(made)))
    if name == "complement" and size(a) * size(made) <= 1 << 16:
        image = {at(a, i) for i in range(size(a))}
        sums = [x + at(made, j) for x in image for j in range(size(made))]
        return len(set(sums)) == len(sums)
    if name == "max_common_layout":
        return all(at(x, at(made, i)) == i for x in (a, rest[0]) for i in indices(size(made)))
    if name in ("logical_divide", "zipped_divide", "tiled_divide", "flat_divide"):
        return _rearranged(a, made)
    return None


def _rearranged(a: Any, made: Any) -> bool | None:
    """Whether all offsets of a layout are those of its divided form, where nothing is padded."""
    if size(a) != size(made) or size(a) > MOST:
        return None
    return sorted(at(a, i) for i in range(size(a))) == sorted(at(made, i) for i in range(size(a)))


def alike(x: Any, y: Any) -> bool:
    """Whether two answers say the same."""
    if is_layout(x) and is_layout(y):
        return size(x) == size(y) and all(at(x, i) == at(y, i) for i in indices(size(x)))
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return [int(n) for n in _flat(x)] == [int(n) for n in _flat(y)]
    return bool(x == y)


# -- the suite --------------------------------------------------------------------------------------


def asked(name: str, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Our answer."""
    arguments = [ours(x) for x in given]
    if name == "complement":
        arguments += [ours(options["cosize_bound"])] if options.get("cosize_bound") else []
        try:
            return tla.complement(*arguments)
        except LayoutError:
            return tla.complement(*arguments, weak=True)
    if options:
        raise Unread(", ".join(options))
    if name == "left_inverse":
        try:
            return tla.left_inverse(*arguments)
        except LayoutError:
            return tla.left_inverse(*arguments, weak=True)
    return getattr(tla, NAMES[name] or name)(*arguments)


def wrapped(name: str, theirs: Callable[..., Any], tally: Counter[str]) -> Callable[..., Any]:
    """Their operation, which asks ours beside it."""

    @wraps(theirs)
    def call(*given: Any, **options: Any) -> Any:
        made: Any = None
        error: Exception | None = None
        try:
            made = theirs(*given, **options)
        except Exception as e:  # what it raises is the test's
            error = e
        try:
            tally[_verdict(name, given, options, made, error)] += 1
        except Unread:
            tally["operands that are nothing to us"] += 1
        if error is not None:
            raise error
        return made

    return call


def _verdict(
    name: str, given: tuple[Any, ...], options: dict[str, Any], made: Any, error: Exception | None
) -> str:
    if any(hasattr(x, "data") or type(x).__name__ == "Tensor" for x in given):
        raise Unread("a tensor")
    text = f"{name}({', '.join(map(str, given))})"
    try:
        mine = asked(name, given, options)
    except LayoutError as e:
        if error is not None:
            return "both refuse"
        kept = lawful(name, given, made)
        if kept is False:
            return "refused by us, their answer breaks the law"
        _say("refused", f"{text} is {made}: {e.message}")
        return "refused"
    except (TypeError, ValueError, AttributeError, IndexError, KeyError) as e:
        if error is not None:
            return "both refuse"
        _say("an error of Python", f"{text}: {type(e).__name__} {e}")
        return "an error of Python"
    if error is not None:
        kept = lawful(name, given, mine)
        if kept is False:
            _say("breaks the law", f"{text}: {mine}")
        return "answered by us alone" if kept is not False else "differs, ours is wrong"
    if alike(mine, made):
        return "the same"
    right, wrong = lawful(name, given, mine), lawful(name, given, made)
    if right and not wrong:
        return "differs, theirs is wrong"
    if right and name == "max_common_layout" and size(mine) > size(made):
        return "differs, ours is larger"
    if right:
        return "differs, both keep the law"
    _say("differs", f"{text}: {mine} here, {made} there")
    return "differs, ours is wrong" if right is False else "differs, no law to judge by"


def _say(what: str, text: str) -> None:
    SAID.append(f"  {what}: {' '.join(text.split())[:230]}")


def run(checkout: Path) -> Counter[str]:
    """Runs the tests of the checkout, its operations wrapped."""
    import pytest

    sys.path.insert(0, str(checkout / "src"))
    import tensor_layouts

    pictures = ModuleType("tensor_layouts.viz")  # which only tests of pictures ask
    pictures.__getattr__ = lambda name: None  # type: ignore[method-assign]
    sys.modules["tensor_layouts.viz"] = pictures
    tally: Counter[str] = Counter()
    for name in NAMES:
        theirs = getattr(tensor_layouts, name, None)
        if theirs is not None:
            setattr(tensor_layouts, name, wrapped(name, theirs, tally))
    files = [str(checkout / "tests" / f) for f in FILES if (checkout / "tests" / f).is_file()]
    if not files:
        raise SystemExit(f"{checkout} has no tests of tensor-layouts")
    pytest.main(
        [
            "-q",
            "-p",
            "no:cacheprovider",
            "--no-header",
            "-o",
            "addopts=",
            "--tb=no",
            "--continue-on-collection-errors",
            *files,
        ]
    )
    print("\n".join(sorted(set(SAID))), file=sys.stderr)
    return tally
