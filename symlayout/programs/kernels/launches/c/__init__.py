"""Host code in C++ as Python's tree, for the launches `kernel<<<grid, block>>>(..)` in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from symlayout.expr.machine import INT, INT64
from symlayout.programs.kernels.c import named_parameters, template_names
from symlayout.programs.kernels.c.lowering.trees import Tree
from symlayout.programs.kernels.c.module import CModule
from symlayout.programs.kernels.launches.c.statements import Lowering
from symlayout.programs.kernels.launches.c.uses import uses
from symlayout.programs.kernels.launches.host import Host
from symlayout.programs.kernels.launches.launch import Call
from symlayout.programs.kernels.launches.python import OTHERWISE
from symlayout.programs.kernels.launches.values import Given, Signature
from symlayout.text.patterns import regex

MACRO = regex(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(((?:.*\\\n)*.*)", re.MULTILINE)
STRING = regex(r'"(?:[^"\\\n]|\\.)*"')
ENDING = regex(r"abort|exit|throw|return|trap|terminate|raise|fatal|assert|check|enforce", re.I)


def calls(module: CModule, constants: Mapping[str, int]) -> list[Call]:
    """The launches in a file in the order of its lines, with those that are not understood."""
    functions = module.function_trees
    kernels = {n: _signature(functions[n]) for n in module.kernels if len(module.local[n]) == 1}
    table: dict[tuple[int, int], Call] = {}
    used = list(uses(module.root, kernels))
    if not used:
        return []
    idle = _idle("\n".join([module.text, *module.headers]))
    nodes = {n: getattr(v, "node", None) for n, v in module.values.items()}
    unsigned = [n for n, v in nodes.items() if v is not None and v.unsigned]
    helpers = {}
    for word, trees in functions.items():
        if _is_value(trees):
            lowering = Lowering(functions, kernels, idle, unsigned)
            helpers[word] = lowering.function(trees[0])
    for word, trees in module.local.items():
        for t in trees if word not in kernels else ():
            if b"<<<" not in t.text and b"LaunchKernelGGL" not in t.text:
                continue
            lowering = Lowering(functions, kernels, idle, unsigned)
            function = lowering.function(t)
            host = Host(kernels, helpers, constants, Given())
            env: dict[str, Any] = {a.arg: host.leaf() for a in function.args.args}
            for n, leaf in env.items():
                type = lowering.types[n]
                host.loose.update({leaf.word} if type.computed not in (INT, INT64) else ())
                host.whole.update({leaf.word} if type.machine and type.word != "dim3" else ())
            if b"goto " not in t.text:
                host.follow(function.body, env)
            for key, call in host.calls.items():
                at = lowering.places[key]
                several = at in table and table[at] != call
                why = "it stands where several ways lead"
                table[at] = Call(call.kernel, call.line, why=why) if several else call
    made_of = []
    for word, line, place_of in used:
        known = table.get(place_of) if place_of is not None else None
        why = OTHERWISE if place_of is None else "no way that is followed leads there"
        made_of.append(known or Call(word, line, why=why))
    return sorted(made_of, key=lambda c: c.line)


def _signature(trees: list[Tree]) -> Signature:
    types = dict(named_parameters(trees[0]))
    small = {n: t.small for n, t in types.items() if t.small is not None}
    return Signature((*types,), {}, template_names(trees[0]), small)


def _idle(text: str) -> frozenset[str]:
    """Macros that are called as checks are, and go on where what they check is false."""
    macros = ((m[1], STRING.sub("", m[2])) for m in MACRO.finditer(text))
    return frozenset(word for word, body in macros if ENDING.search(body) is None)


def _is_value(trees: list[Tree]) -> bool:
    """Whether a function is short enough to be nothing but a value."""
    return len(trees) == 1 and len(trees[0].text) < 400 and b"return" in trees[0].text
