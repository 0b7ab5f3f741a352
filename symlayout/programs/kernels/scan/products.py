"""32-bit products of two run-time quantities in an address, with sizes at which they overflow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from symlayout.expr.machine import INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import conjuncts, narrow, num
from symlayout.programs.kernels.scan.finding import Evidence, Finding, Limits
from symlayout.programs.kernels.scan.setting import Setting
from symlayout.programs.kernels.scan.witness import EDGE, Env, search_of
from symlayout.text.patterns import regex

# arrays with a number for each row, channel or part, by their names
SMALL = regex(r"partial|mean|r?std|inv_?var|lse|len(s|gths?)?$|freqs?|scale|bias|weight|gamma|beta")


SHORT = 128  # what a mask asks of so few numbers says nothing of a row
MANY = 16  # turns or lanes that make a dimension


def overflow(kernel: Kernel, limits: Limits, settings: Sequence[Setting]) -> Iterator[Finding]:
    """A finding for each array, at the first access whose address can overflow in a launch."""
    seen: set[tuple[str, Term]] = set()
    done: set[str] = set()
    for access in kernel.accesses:
        if access.array in kernel.images:
            continue  # no device has one of 2**31 pixels
        if access.doubt or access.array in done:
            continue
        for whole in narrow(access.offset):
            products = list(_products(whole, kernel))
            if not products or (access.array, whole) in seen:
                continue
            seen.add((access.array, whole))
            if not _has_rows(access.offset, products[0], kernel):
                continue
            ways = (_finding(kernel, access, whole, products[0], limits, s) for s in settings)
            finding = next((f for f in ways if f is not None), None)
            if finding is not None:
                done.add(access.array)
                yield finding
                break


def _products(node: Term, kernel: Kernel) -> Iterator[Term]:
    """The outermost 32-bit products of two or more factors that grow, a program's number among them."""
    if node.op == "*" and node.bits == 32:
        factors = _undone([f for f in _factors(node) if _grows(f, kernel)])
        if len(factors) > 1 and any(_runs(f, kernel) for f in factors):
            yield node
            return
    for a in node.args:
        yield from _products(a, kernel)


def _undone(factors: list[Term]) -> list[Term]:
    """The factors less divisors that they are multiplied with: `e // t * t` is no more than `e`."""
    for f in factors:
        if f.op in ("//", "/"):
            rest = [x for x in factors if x is not f]
            divisors = _factors(f.args[1])
            if all(d in rest for d in divisors):
                for d in divisors:
                    rest.remove(d)
                return [f.args[0], *rest]
    return factors


def _factors(node: Term) -> list[Term]:
    return [f for a in node.args for f in _factors(a)] if node.op == "*" else [node]


def _runs(node: Term, kernel: Kernel) -> bool:
    """Whether it depends on a program id or on a loop's counter."""
    return not node.names <= {*kernel.parameters, *kernel.grids.values()}


def _has_rows(offset: Term, product: Term, kernel: Kernel) -> bool:
    """Whether something else is added that has a range: then the product is that of a row's stride.

    One index times a stride alone is a vector's, whose stride is 1 most often.
    """
    rest = [t for t in _terms(offset) if not t.contains(product)]
    return any(x.op == "lane" or _runs(x, kernel) for t in rest for x in t.leaves)


def _long_rows(kernel: Kernel, access: Access, product: Term) -> bool:
    """Whether what is added to the product reaches as far as a run-time size, by a mask or a loop."""
    masked = {
        x
        for c in conjuncts(access.guard)
        if c.op in ("<", "<=") and _grows(c.args[1], kernel)
        if not _most(c.args[0], access) < SHORT
        for x in c.args[0].leaves
        if _is_lane(x, kernel)
    }
    loops = {r.word for r in access.ranges if not r.loaded and _grows(r.high, kernel)}
    rest = [t for t in _terms(access.offset) if not t.contains(product)]
    leaves = {x for t in rest for x in t.leaves}
    return bool(leaves & masked) or any(x.word in loops for x in leaves)


def _most(node: Term, access: Access) -> float:
    """A number that a value is never above, by the code alone: `t % 32` is not, whatever `t` is."""
    if node.op == "num":
        return node.number
    if node.op == "lane":
        size = access.shape[node.number].value
        return float("inf") if size is None else size - 1
    parts = [_most(a, access) for a in node.args]
    match node.op:
        case "+":
            return sum(parts)
        case "*":
            return prod(parts) if min(parts) > 0 else float("inf")
        case "%" | "rem" | "&":
            return parts[1]
        case "min":
            return min(parts)
        case "cast" | "//":
            return parts[0]
    return float("inf")


def _is_slice(kernel: Kernel, access: Access) -> bool:
    """Whether another array has rows of such arrays: a weight or a bias, which is small."""
    own = set(_terms(access.offset)) - {num(0, INT64)}
    for other in kernel.accesses:
        terms = set(_terms(other.offset))
        more = {x for t in terms - own for x in t.leaves if x.op == "name"}
        if other.array != access.array and own < terms and any(_runs(x, kernel) for x in more):
            return True
    return False


def _has_larger(kernel: Kernel, access: Access) -> bool:
    """Whether another array has a dimension more: where this one is that large, it fits no more."""
    own = _roles(kernel, access)
    return any(
        other.array != access.array and own < _roles(kernel, other) for other in kernel.accesses
    )


def _roles(kernel: Kernel, access: Access) -> set[tuple[str, object]]:
    """What an index runs with: programs, loops of many turns, the lanes of blocks by their sizes."""
    loops = {r.word: r for r in access.ranges if not r.loaded}
    programs = {*kernel.programs.values()}
    roles: set[tuple[str, object]] = set()
    for x in access.offset.leaves:
        if x.op == "lane" and not _few(access.shape[x.number]):
            roles.add(("lane", access.shape[x.number]))
        many = x.word in loops and not _few(loops[x.word].high)
        if x.op == "unknown" or x.word in programs or many:
            roles.add((x.op, x.word))
    return roles


def _few(count: Term) -> bool:
    return count.value is not None and count.value < MANY


def _is_in_row(kernel: Kernel, access: Access, whole: Term) -> bool:
    """Whether rows are counted in 64 bits beside it: then it is a place in one of them."""
    for t in _terms(access.offset):
        if t.op != "*" or t.bits < 64 or t.contains(whole):
            continue
        factors = [f for f in _factors(t) if _grows(f, kernel)]
        if len(factors) > 1 and any(_runs(f, kernel) for f in factors):
            return True
    return False


def _is_multiplied(node: Term, part: Term) -> bool:
    """Whether the part is multiplied further, in 64 bits: then it counts rows."""
    if node == part:
        return False
    inside = [a for a in node.args if a.contains(part)]
    return node.op == "*" or any(_is_multiplied(a, part) for a in inside)


def _terms(node: Term) -> list[Term]:
    if node.op in ("+", "cast"):
        return [t for a in node.args for t in _terms(a)]
    return [node]


def _grows(node: Term, kernel: Kernel) -> bool:
    """Whether a value has no bound but those of sizes: lanes and what is loaded do not count."""
    match node.op:
        case "name":
            few = _of_threads(node.word, kernel) or node.word in kernel.grids.values()
            return node.word not in kernel.constants and not few
        case "+" | "-" | "*" | "max" | "where":
            return any(_grows(a, kernel) for a in node.args)
        case "min":
            return all(_grows(a, kernel) for a in node.args)
        case "%" | "rem":
            return all(_grows(a, kernel) for a in node.args)
        case "//" | "/" | "cdiv" | "cast":
            return _grows(node.args[0], kernel)
    return False


def _of_threads(word: str, kernel: Kernel) -> bool:
    """Whether it is a thread's number or how many there are: a block has few."""
    named = (kernel.programs, kernel.grids)
    return any(word == w and axis >= THREADS for d in named for axis, w in d.items())


def _is_lane(x: Term, kernel: Kernel) -> bool:
    return x.op == "lane" or (x.op == "name" and _of_threads(x.word, kernel))


def _names(node: Term, kernel: Kernel) -> set[str]:
    """The names that make a value large."""
    if node.op == "name":
        return {node.word} - {*kernel.constants}
    args = node.args[:1] if node.op in ("//", "/", "cdiv") else node.args
    return {n for a in args for n in _names(a, kernel)}


def _wide(kernel: Kernel, text: str) -> str:
    return f"({text}).to(tl.int64)" if kernel.language == "triton" else f"(int64_t)({text})"


def _finding(
    kernel: Kernel,
    access: Access,
    whole: Term,
    product: Term,
    limits: Limits,
    setting: Setting,
) -> Finding | None:
    search = search_of(kernel, access, setting)
    edge = EDGE << whole.unsigned

    def test(env: Env) -> bool:
        if search.value(whole, env) < edge:
            return False
        return 0 <= search.value(access.offset, env) < limits.elements

    env = search.find(test, large=_names(product, kernel))
    if env is None or any(env[n] > limits.of(kernel, n) for n in search.parameters):
        return None
    used = search.form.names_in(whole) | whole.names
    ends = [n for w, *ends in search.form.variables if w in used for n in ends]
    used = used.union(*(n.names & {*kernel.parameters} for n in ends))
    axes = [k for k, w in kernel.programs.items() if w in used]
    used |= setting.related((), axes)
    text = search.form.text(whole)
    factors = [f for f in _factors(product) if _grows(f, kernel)]
    factor = next(f for f in factors if _runs(f, kernel))
    sure = _long_rows(kernel, access, product) and not _is_multiplied(access.offset, whole)
    sure = sure and not (_is_slice(kernel, access) or _is_in_row(kernel, access, whole))
    sure = sure and SMALL.search(access.array.lower()) is None
    sure = sure and not _has_larger(kernel, access)
    sure = sure and not (kernel.small and whole.unsigned)
    return Finding(
        "overflow",
        access.span,
        kernel.name,
        text,
        f"{text} overflows 32 bits: it is {search.value(whole, env):,}, above {edge - 1:,}, "
        f"so the address into {access.array} wraps",
        f"widen a factor before the product: {_wide(kernel, search.form.text(factor))}",
        {n: v for n, v in env.items() if n in used},
        "high" if sure else "medium",
        Evidence(access, env),
    )
