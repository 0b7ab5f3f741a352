"""The launches of Triton's kernels in a Python file."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from symlayout.programs.kernels.launches.host import Host, names_of
from symlayout.programs.kernels.launches.launch import Call
from symlayout.programs.kernels.launches.values import Signature
from symlayout.programs.kernels.syntax import defaults_of, dotted_name, parameters_of

OTHERWISE = "the kernel is used there in a way that is not read as a launch"


def calls(
    tree: ast.Module, kernels: Mapping[str, ast.FunctionDef], constants: Mapping[str, int]
) -> list[Call]:
    """The launches in a file in the order of its lines, with those that are not understood."""
    launched = {id(f) for f in kernels.values()}
    uses = list(_uses(tree, kernels, launched))
    if not uses:
        return []
    nodes = list(ast.walk(tree))
    names = names_of(nodes)
    once = names.once
    signatures = {n: _signature(f) for n, f in kernels.items() if n in once}
    every = [f for f in nodes if isinstance(f, ast.FunctionDef)]
    plain = (f for f in tree.body if isinstance(f, ast.FunctionDef) and not f.decorator_list)
    functions = {f.name: f for f in plain if f.name in once}
    known = {n: v for n, v in constants.items() if n in once}
    host_code = [f for f in every if id(f) not in launched]
    callers = [f for f in host_code if any(_is_use(x, kernels) for x in ast.walk(f))]
    table: dict[int, Call] = {}
    for f in callers:
        inside = names_of(ast.walk(f)).elsewhere if names.elsewhere else ()
        host = Host(signatures, functions, known, replace(names, elsewhere=inside))
        own = [*parameters_of(f), f.args.vararg, f.args.kwarg]
        host.follow(f.body, {a.arg: host.leaf() for a in own if a is not None})
        table |= host.calls
    host = Host(signatures, functions, known, names)
    host.follow([s for s in tree.body if not isinstance(s, (ast.FunctionDef, ast.ClassDef))], {})
    table |= host.calls
    launches = []
    for word, x, launch in uses:
        call = table.get(id(launch)) if launch is not None else None
        why = OTHERWISE if launch is None else "no way that is followed leads there"
        launches.append(call or Call(word, x.lineno, why=why))
    return sorted(launches, key=lambda c: c.line)


def _is_use(x: ast.AST, kernels: Collection[str]) -> bool:
    return isinstance(x, ast.Name) and x.id in kernels and isinstance(x.ctx, ast.Load)


def _uses(
    tree: ast.AST, kernels: Mapping[str, ast.FunctionDef], launched: set[int]
) -> Iterator[tuple[str, ast.Name, ast.Call | None]]:
    """Every use of a kernel's name in host code, with the launch that it is part of."""
    heads: dict[int, ast.Call] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        x = waiting.pop()
        if id(x) in launched:
            continue
        if isinstance(x, ast.Call) and isinstance(x.func, ast.Subscript):
            heads[id(x.func.value)] = x
        if isinstance(x, ast.Name) and _is_use(x, kernels):
            yield x.id, x, heads.get(id(x))
        waiting += ast.iter_child_nodes(x)


def _signature(f: ast.FunctionDef) -> Signature:
    """The parameters; what `triton.autotune` and its like choose has no default."""
    numbers = {
        n: int(d.value)
        for n, d in (defaults_of(f) if len(f.decorator_list) == 1 else {}).items()
        if isinstance(d, ast.Constant) and isinstance(d.value, (int, bool))
    }
    return Signature(tuple(a.arg for a in parameters_of(f)), numbers)


def tuning_ranges(f: ast.FunctionDef) -> dict[str, tuple[int, int, int]]:
    """Of parameters that `triton.autotune` chooses: least, largest, and the decorator's line."""
    return {n: (min(values), max(values), line) for n, (values, line) in _tuned(f).items()}


def tuned_values(f: ast.FunctionDef) -> dict[str, list[int]]:
    """The values of parameters that `triton.autotune` chooses, each once."""
    return {n: sorted({*values}) for n, (values, _) in _tuned(f).items()}


def _tuned(f: ast.FunctionDef) -> dict[str, tuple[list[int], int]]:
    """The values of parameters that `triton.autotune` chooses, and the decorator's line."""
    table: dict[str, tuple[list[int], int]] = {}
    for d in f.decorator_list:
        if not (isinstance(d, ast.Call) and dotted_name(d.func).split(".")[-1] == "autotune"):
            continue
        arguments = {k.arg: k.value for k in d.keywords} | dict(zip(("configs",), d.args))
        listed = arguments.get("configs")
        rows = [_config(e) for e in listed.elts] if isinstance(listed, ast.List) else [None]
        if None in rows:
            continue
        configs = [r for r in rows if r is not None]
        for n in configs[0] if configs else ():
            if any(n not in r for r in configs):
                continue
            table[n] = [r[n] for r in configs], d.lineno
    return table


def _config(e: ast.expr) -> dict[str, int] | None:
    """The numbers of `triton.Config({"BLOCK": 128}, num_warps=4)`."""
    if not (isinstance(e, ast.Call) and e.args and isinstance(e.args[0], ast.Dict)):
        return None
    pairs = list(zip(e.args[0].keys, e.args[0].values))
    numbers = {}
    for k, v in pairs:
        if not isinstance(k, ast.Constant):
            return None
        if isinstance(v, ast.Constant) and type(v.value) is int:
            numbers[str(k.value)] = v.value
    return numbers
