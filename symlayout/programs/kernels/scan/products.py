"""32-bit products of two run-time quantities in an address, with sizes at which they overflow."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.nodes import Node
from symlayout.programs.kernels.scan.finding import Finding, Limits
from symlayout.programs.kernels.scan.witness import Env, search_of

EDGE = 1 << 31


def overflow(kernel: Kernel, limits: Limits) -> Iterator[Finding]:
    """A finding for each array, at the first access whose address can overflow."""
    seen: set[tuple[str, Node]] = set()
    done: set[str] = set()
    for access in kernel.accesses:
        if access.doubt or access.array in done:
            continue
        for product in _products(access.offset, kernel):
            if (access.array, product) in seen:
                continue
            seen.add((access.array, product))
            found = _finding(kernel, access, product, limits)
            if found is not None:
                done.add(access.array)
                yield found
                break


def _products(node: Node, kernel: Kernel) -> Iterator[Node]:
    """The innermost 32-bit products of two factors that both grow with sizes."""
    inner = [p for a in node.args for p in _products(a, kernel)]
    yield from inner
    grows = node.op == "*" and all(_grows(a, kernel) for a in node.args)
    if grows and node.bits == 32 and not inner:
        yield node


def _grows(node: Node, kernel: Kernel) -> bool:
    """Whether a value has no bound but those of sizes: lanes and what is loaded do not count."""
    match node.op:
        case "name":
            return node.word not in kernel.constants
        case "+" | "-" | "*" | "max" | "where":
            return any(_grows(a, kernel) for a in node.args)
        case "min":
            return all(_grows(a, kernel) for a in node.args)
        case "%" | "rem":
            return all(_grows(a, kernel) for a in node.args)
        case "//" | "/" | "cdiv" | "cast":
            return _grows(node.args[0], kernel)
    return False


def _names(node: Node, kernel: Kernel) -> set[str]:
    """The names that make a value large."""
    if node.op == "name":
        return {node.word} - {*kernel.constants}
    kept = node.args[:1] if node.op in ("//", "/", "cdiv") else node.args
    return {n for a in kept for n in _names(a, kernel)}


def _finding(kernel: Kernel, access: Access, product: Node, limits: Limits) -> Finding | None:
    search = search_of(kernel, access, limits)

    def test(env: Env) -> bool:
        if search.value(product, env) < EDGE:
            return False
        return 0 <= search.value(access.offset, env) < limits.elements

    env = search.find(test, large=_names(product, kernel))
    if env is None or any(env[n] > limits.size for n in search.parameters):
        return None
    used = search.form.names_in(product) | {x.word for x in product.leaves if x.op == "name"}
    sizes = {n: v for n, v in env.items() if n in used}
    text = search.form.text(product)
    factor = search.form.text(product.args[0])
    return Finding(
        "overflow",
        access.span,
        kernel.name,
        text,
        f"{text} is computed in 32 bits and is {search.value(product, env):,} there, above "
        f"{EDGE - 1:,}; the address in {access.array} is then another one",
        f"widen a factor before the product: ({factor}).to(tl.int64)",
        sizes,
    )
