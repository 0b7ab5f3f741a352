"""Which results are written over which operands: what must share a buffer in a scheduled module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from symlayout.layouts.xla import Shape, TupleShape
from symlayout.programs.hlo.buffers import byte_size
from symlayout.programs.hlo.module import UNKNOWN, Instruction, Module
from symlayout.text.patterns import regex

PATH = r"\{([\d,\s]*+)\}"
KIND = r"(?:(?>\s*+,\s*+(?:may|must)-alias))?+\s*+\)"
ALIAS = regex(rf"{PATH}\s*+:\s*+\(\s*+(\d{{1,9}})\s*+,\s*+{PATH}{KIND}")
TITLE = "input_output_alias"
NUMBER = regex(r"\d{1,9}")
DEEPEST = 20  # fusions in fusions


@dataclass(frozen=True)
class Alias:
    """The array at `path` of a result lies over the array at `inside` of an operand."""

    path: tuple[int, ...]
    operand: int
    inside: tuple[int, ...] = ()


def aliases(text: str) -> list[Alias]:
    """The pairs of `input_output_alias` or `output_to_operand_aliasing`.

    >>> aliases("{ {0}: (1, {}, may-alias), {}: (0, {2,1}) }")
    [Alias(path=(0,), operand=1, inside=()), Alias(path=(), operand=0, inside=(2, 1))]
    """
    return [Alias(_path(m[1]), int(m[2]), _path(m[3])) for m in ALIAS.finditer(text)]


def faults(module: Module) -> Iterator[str]:
    """What is wrong with the title's pairs of an output and the argument under it."""
    text, entry = module.attributes.get(TITLE, ""), module.entry
    root = None if entry is None else entry.root
    if ALIAS.sub("", text).strip("{}, \t\r\n"):
        yield f"{TITLE} is a list of {{output}}: (parameter, {{part}}, may-alias)"
    if entry is None or root is None or root.shape is UNKNOWN:
        return
    seen: set[tuple[int, tuple[int, ...]]] = set()
    met: set[tuple[int, ...]] = set()
    for alias in aliases(text):
        over, number = f"output {_braces(alias.path)} of {TITLE}", alias.operand
        under = f"part {_braces(alias.inside)} of parameter {number}"
        if alias.path in met:
            continue  # which compilers pass over
        met.add(alias.path)
        new = part(root.shape, alias.path)
        if not isinstance(new, Shape):
            yield f"{over} is not an array of the result, {root.shape}"
        if number >= len(entry.parameters):
            yield f"{over} lies over parameter {number}, and there are {len(entry.parameters)}"
            continue
        whole = entry.parameters[number].shape
        old = None if whole is UNKNOWN else part(whole, alias.inside)
        if whole is not UNKNOWN and not isinstance(old, Shape):
            yield f"{over} lies over {under}, which is not an array"
        if (number, alias.inside) in seen:
            yield f"two outputs of {TITLE} lie over {under}"
        seen.add((number, alias.inside))
        if isinstance(new, Shape) and isinstance(old, Shape):
            sizes = byte_size(new), byte_size(old)
            if None not in sizes and sizes[0] != sizes[1]:
                yield f"{over}, {new}, is not as large as {under}, {old}"


def _braces(path: tuple[int, ...]) -> str:
    return f"{{{','.join(map(str, path))}}}"


def part(tree: object, path: tuple[int, ...]) -> object:
    """What of a shape, or of a tree like one, stands at a path, None where there is nothing."""
    for n in path:
        tree = tree[n] if isinstance(tree, (tuple, TupleShape)) and n < len(tree) else None
    return tree


def _path(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in NUMBER.findall(text))


def in_place(module: Module, i: Instruction, depth: int = 0) -> list[Alias]:
    """The results of an instruction that are its operands, changed in some places.

    >>> from symlayout.programs.hlo.reader import read_instruction, read_module
    >>> i = read_instruction("f32[8] dynamic-update-slice(f32[8], f32[2], s32[])")
    >>> in_place(read_module(""), i)
    [Alias(path=(), operand=0, inside=())]
    """
    results = aliases(i.attributes.get("output_to_operand_aliasing", ""))
    if i.opcode == "dynamic-update-slice":
        results.append(Alias((), 0))
    elif i.opcode == "dynamic-update-slice-start":  # with operands, result and state in a tuple
        results.append(Alias((1,), 0))
    elif i.opcode == "all-reduce-start":
        count = len(i.operands)
        results += [Alias(() if count == 1 else (k,), k) for k in range(count)]
    elif i.opcode == "scatter":
        count = len(i.operands) // 2  # as many operands as updates, one index between
        results += [Alias(() if count == 1 else (k,), k) for k in range(count)]
    elif i.opcode in ("fusion", "async-start") and not results and depth < DEEPEST:
        start = (1,) if i.opcode == "async-start" else ()
        results += (replace(a, path=(*start, *a.path)) for a in _inside(module, i, depth))
    return results


def _inside(module: Module, fusion: Instruction, depth: int) -> Iterator[Alias]:
    """The results of a fusion, or of what runs apart, that are made in place from its parameters."""
    for _, name in fusion.called:
        call = module.by_name.get(name)
        root = None if call is None else call.root
        if call is None or root is None:
            continue
        parts: list[tuple[tuple[int, ...], str]] = [((), root.name)]
        if root.opcode == "tuple":
            parts = [((k,), o.name) for k, o in enumerate(root.operands)]
        for path, maker in parts:
            i = call.by_name.get(maker)
            if i is None:
                continue
            for alias in in_place(module, i, depth + 1):
                if alias.path or alias.inside or alias.operand >= len(i.operands):
                    continue
                source = call.by_name.get(i.operands[alias.operand].name)
                is_parameter = source is not None and source.opcode == "parameter"
                if source is not None and is_parameter and source.arguments.isdigit():
                    yield Alias(path, int(source.arguments))
