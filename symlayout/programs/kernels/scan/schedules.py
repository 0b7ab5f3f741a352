"""Programs that leave work out or do it twice: tiles counted down, schedules not one to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.nodes import TooLarge, conjuncts
from symlayout.programs.kernels.scan.finding import Evidence, Finding
from symlayout.programs.kernels.scan.setting import Setting
from symlayout.programs.kernels.scan.witness import Env, run_of

SMALL = (3, 2, 4, 1)
PROGRAMS = 96  # that are looked at
DRAWS = 256


def rounded_down(kernel: Kernel, settings: Sequence[Setting]) -> Iterator[Finding]:
    """A count of tiles `N // B` where a mask asks for N: a tile that is partly inside is left out."""
    done: set[Term] = set()
    if any(h.kind == "assume" for h in kernel.hints):
        return
    for access in kernel.accesses:
        for count, mask in _counts(kernel, access):
            size, block = count.args
            if size in done or access.doubt:
                continue
            done.add(size)
            text, env = count.text({}), _partly_outside(size, block, settings)
            if env is None:
                continue
            yield Finding(
                "schedule",
                access.span,
                kernel.name,
                text,
                f"{text} counts the tiles of {size.word} rounded down, and the mask "
                f"{mask.text(_lanes(mask))} is for a tile that is partly outside: none works on it",
                f"round up: cdiv({size.word}, {block.text({})})",
                env,
                evidence=Evidence(access, env, node=count),
            )


def _partly_outside(size: Term, block: Term, settings: Sequence[Setting]) -> Env | None:
    """A size that is one more than a tile, as a launch may have it."""
    for setting in settings:
        width = block.value or setting.numbers.get(block.word, 2)
        env = {size.word: width + 1} | ({} if block.value else {block.word: width})
        if width > 1 and setting.allows(env):
            return env
    return None


def _lanes(node: Term) -> dict[int, str]:
    return {x.number: f"lane{x.number}" for x in node.leaves if x.op == "lane"}


def _counts(kernel: Kernel, access: Access) -> Iterator[tuple[Term, Term]]:
    """The counts of tiles that loops around an access end at, each with a mask for its size."""
    for r in access.ranges:
        if r.loaded or r.low.value != 0 or not _is_count(r.high, kernel):
            continue
        size = r.high.args[0]
        for c in conjuncts(access.guard):
            speaks = r.word in c.args[0].names
            if c.op == "<" and c.args[1] == size and speaks and not _tail(kernel, access, r.high):
                yield r.high, c


def _is_count(node: Term, kernel: Kernel) -> bool:
    if node.op not in ("//", "/"):
        return False
    size, block = node.args
    known = (block.value or 0) > 1 or (block.op == "name" and block.word in kernel.constants)
    run_time = size.op == "name" and size.word in kernel.parameters
    return known and run_time and size.word not in kernel.constants


def _tail(kernel: Kernel, access: Access, count: Term) -> bool:
    """Whether the rest is worked on elsewhere."""
    others = [a for a in kernel.accesses if a.array == access.array and a.ranges != access.ranges]
    return any(a.offset.contains(count) or a.guard.contains(count) for a in others)


# -- not one to one --------------------------------------------------------------------------------


def twice(kernel: Kernel, settings: Sequence[Setting]) -> Iterator[Finding]:
    """Two programs that store the same tile, because its number is taken apart wrongly."""
    for access in kernel.accesses:
        if access.kind != "store" or access.doubt or access.array in kernel.shared:
            continue
        for axis, word in sorted(kernel.programs.items()):
            if axis < 3 and kernel.language == "triton":
                finding = _collision(kernel, access, word, settings)
                if finding is not None:
                    yield finding
                    return


def _collision(
    kernel: Kernel, access: Access, word: str, settings: Sequence[Setting]
) -> Finding | None:
    own = {*kernel.parameters, *kernel.grids.values()}
    parts = list(dict.fromkeys(_coordinates(access.offset, word)))
    if not parts or any(p.op == "name" for p in parts):
        return None  # it stands there itself
    free = {n for p in parts for n in p.names} - {word}
    if any(x.op != "name" for p in parts for x in p.leaves) or not free <= own:
        return None
    pairs = {op for p in parts for op in ("//", "%") if _divides(p, op, word)}
    if pairs != {"//", "%"} or any(
        word in c.names for c in conjuncts(access.guard) if c.op == "=="
    ):
        return None
    try:
        sizes = list(dict.fromkeys(s for p in parts for s in _sizes(p, word, kernel)))
        ways = (_collision_example(parts, sizes, sorted(free), word, s) for s in settings)
        example = next((e for e in ways if e is not None), None)
    except TooLarge:
        return None
    if example is None:
        return None
    env, first, second = example
    text = ", ".join(p.text({}) for p in parts)
    return Finding(
        "schedule",
        access.span,
        kernel.name,
        text,
        f"programs {first} and {second} have the same tile ({text}), and both store it",
        "take the number apart by one size: p // n and p % n",
        env,
        "high",
    )


def _coordinates(node: Term, word: str) -> Iterator[Term]:
    """The parts of a sum of products that speak of the program."""
    if word not in node.names:
        return
    if node.op in ("+", "-", "*", "cast"):
        for a in node.args:
            yield from _coordinates(a, word)
    else:
        yield node


def _divides(node: Term, op: str, word: str) -> bool:
    """Whether the program's own number is divided so."""
    if node.op in (op, {"//": "/", "%": "rem"}[op]):
        a = node.args[0]
        return a.op == "name" and a.word == word
    return False


def _sizes(node: Term, word: str, kernel: Kernel) -> Iterator[Term]:
    """How many tiles there are along an axis: what it divides by, without the compiler's numbers."""
    if word not in node.names:
        if node.op == "*":
            for a in node.args:
                yield from _sizes(a, word, kernel)
        elif not node.names <= {*kernel.constants}:
            yield node
        return
    for a in node.args:
        yield from _sizes(a, word, kernel)


def _collision_example(
    parts: list[Term], sizes: list[Term], free: list[str], word: str, setting: Setting
) -> tuple[Env, int, int] | None:
    """Small sizes and two programs below their product with the same coordinates."""
    runs, counts = [run_of(p) for p in parts], [run_of(s) for s in sizes]
    numbers = setting.numbers
    scale = max([1, *(n for w, n in numbers.items() if w in free)])
    choices = [(numbers[n],) if n in numbers else [k * scale for k in SMALL] for n in free]
    for values in islice(product(*choices), DRAWS):
        env = dict(zip(free, values))
        seen: dict[tuple[int, ...], int] = {}
        try:
            programs = prod(c(env) for c in counts)
            if len(free) > 1 and programs < 2:
                continue
            for p in range(min(programs, PROGRAMS)):
                at = tuple(r({**env, word: p}) for r in runs)
                if at in seen and setting.allows({**env, word: p}):
                    return env, seen[at], p
                seen[at] = p
        except ZeroDivisionError:
            continue
    return None
