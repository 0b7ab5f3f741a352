"""Our table of matrix and copy instructions beside what their makers publish.

    python benchmarks/atoms.py CHECKOUT   # of NVIDIA/cutlass: include/cute/atom
    python benchmarks/atoms.py CHECKOUT   # of ROCm/amd_matrix_instruction_calculator

Reads the traits of CUTLASS's headers, following their aliases and bases, or asks AMD's calculator, and
compares each operand at every thread and value: the same element, or the same bit for copies.  Nothing
of the checkout is kept.  Exits with 1 where one differs.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from suites.cpp import Reader, Unread, Words, closing, parted, without_comments
from suites.cute_core import FUNCTIONS, TEMPLATES, leaves, same

from symlayout import LayoutError, tla
from symlayout.layouts.doors.tv import atoms
from symlayout.tla import Layout, Static

FOLDER = "include/cute/atom"
CALCULATOR = "matrix_calculator.py"
HEAD = re.compile(r"struct\s+(?:MMA|Copy)_Traits\s*<")
CONSTANT = re.compile(r"constexpr\s+(?:static\s+)?int\s+(\w+)\s*=\s*([^;]+);")
WIDTH = re.compile(r"(?:cute::)?sizeof_bits<[^<>]*>::value|(?:cute::)?sizeof_bits_v<[^<>]*>")
OF_OTHERS = re.compile(r"(?:typename\s+)?(?:MMA|Copy)_Traits<\s*(\w+)\s*>::(\w+)")
WIDTHS = {"F16": 16, "BF16": 16, "TF32": 32, "S8": 8, "F8": 8, "4B": 32, "8B": 64, "16B": 128}
ALIAS = re.compile(r"(?:template\s*<([^<>]*)>\s*)?using\s+(\w+)\s*=\s*([^;]+);")
OPERANDS = {
    **{"A": "ALayout", "B": "BLayout", "C": "CLayout"},
    **{"source": "SrcLayout", "target": "DstLayout"},
}
OTHERS = {  # names that the headers spell in another way
    "SM61_1x1x4_S32S8S8S32": "SM61_DP4A",
    "SM61_1x1x2_S32S16S16S32": "SM61_DP2A",
}
FIFTH = re.compile(r"SM100_(\d+)x(\d+)x\d+_(?:F16|F32|S32)(BF16|TF32|F16|S8|F8)\w*_SS")
KINDS = {"F16": "F16BF16", "BF16": "F16BF16", "TF32": "TF32", "S8": "S8", "F8": "F8F6F4"}


@dataclass
class Traits:
    """What a header says of an instruction: the text of each layout, and what it is derived from."""

    name: str
    layouts: dict[str, str]
    base: str = ""


@dataclass
class Header:
    """All traits of the checkout, and the aliases that they use."""

    traits: dict[str, Traits] = field(default_factory=dict)
    aliases: dict[str, tuple[list[str], str]] = field(default_factory=dict)

    def member(self, name: str, member: str, given: dict[str, str]) -> Any:
        """A layout or a shape of an instruction, or None where the headers have none or hide it."""
        traits = self.traits.get(name)
        while traits is not None and member not in traits.layouts:
            traits = self.traits.get(traits.base)
        if traits is None:
            return None
        text = traits.layouts[member]
        other = OF_OTHERS.fullmatch(text)
        if other is not None:
            return self.member(other[1], other[2], given)
        width = given.get("width", "sizeof")
        own = {k: WIDTH.sub(width, v) for k, v in (traits.layouts | given).items()}
        try:
            return self.value(own[member], own)
        except (Unread, LayoutError) as error:
            print(f"  {name} {member}: {error}")
            return None

    def value(self, text: str, own: dict[str, str], depth: int = 0) -> Any:
        """The value of a type, its names followed."""
        if depth > 20:
            raise Unread("a circle of names")
        words = set(re.findall(r"[A-Za-z_]\w*", text))
        known = {
            w: self.value(own[w], own, depth + 1) for w in words if w in own and own[w] != text
        }
        templates = dict(TEMPLATES)
        for w in words - set(known):
            names, body = self.aliases.get(w, ([], ""))
            if names:
                templates[w] = self._template(names, body, depth)
            elif body and w not in templates:
                known[w] = self.value(body, own, depth + 1)
        words_ = Words(FUNCTIONS, templates, Static, lambda f, given: f(*given), same)
        return Reader(re.sub(r"\btypename\b", "", text), words_, known).whole()

    def _template(self, names: list[str], body: str, depth: int) -> Any:
        def instance(kinds: list[Any]) -> Any:
            text = body
            for name, kind in zip(names, kinds):
                text = re.sub(rf"\b{name}\b", str(int(kind)), text)
            return self.value(text, {}, depth + 1)

        return instance


def read(folder: Path) -> Header:
    """The traits of all headers of a folder."""
    header = Header()
    for file in sorted(folder.glob("*_traits*.hpp")):
        text = without_comments(file.read_text(encoding="utf-8"))
        for traits in _traits(text):
            header.traits.setdefault(traits.name, traits)
        for parameters, name, body in ALIAS.findall(text):
            names = [p.split()[-1] for p in parted(parameters)]
            header.aliases.setdefault(name, (names, body.strip()))
    return header


def _traits(text: str) -> Iterator[Traits]:
    for head in HEAD.finditer(text):
        name = re.match(r"(?:\s*\w+\s*::)*\s*(\w+)", text[head.end() :])
        start = text.find("{", head.end())
        before = text[head.end() : start]
        if name is None or ";" in before:
            continue
        base = re.search(r">\s*:\s*(?:public\s+)?(?:MMA|Copy)_Traits\s*<\s*([\w:]+)", before)
        body = text[start + 1 : closing(text, start)]
        layouts = {n: t.strip() for _, n, t in ALIAS.findall(body)}
        layouts |= dict(CONSTANT.findall(body))
        yield Traits(name[1], layouts, base[1].rpartition("::")[2] if base else "")


def header_name(ours: str, known: dict[str, Traits]) -> tuple[str, dict[str, str]]:
    """The name that the headers have for one of our instructions, and what it binds there."""
    plain = OTHERS.get(ours, ours)
    for name in (plain, plain + "_TN", plain.replace("SM90_", "MMA_")):
        if name in known:
            return name, {}
    fifth = FIFTH.fullmatch(ours)
    if fifth is not None:
        given = {"M": fifth[1], "N": fifth[2], "width": str(WIDTHS[fifth[3]])}
        return f"SM100_MMA_{KINDS[fifth[3]]}_SS", given
    sized = re.fullmatch(r"(\w+)_(\d+B)", ours)
    if sized is not None:
        return sized[1], {"width": str(WIDTHS[sized[2]])}
    shape = re.match(r"(SM120_\d+x\d+x\d+)_", ours)
    if shape is not None:
        return f"{shape[1]}_TN_VS" if ours.endswith("SCALED") else f"{shape[1]}_TN", {}
    return plain, {}


def values(x: Layout) -> list[list[int]]:
    """For each thread the numbers of its values, in their order."""
    threads, of_one = (leaves(s, d) for s, d in zip(_pair(x.shape), _pair(x.stride)))

    def sums(modes: list[tuple[int, Any]]) -> list[int]:
        made = [0]
        for count, step in modes:
            made = [a + i * int(step) for i in range(count) for a in made]
        return made

    return [[t + v for v in sums(of_one)] for t in sums(threads)]


def _pair(x: Any) -> tuple[Any, Any]:
    return x if isinstance(x, tuple) and len(x) == 2 else (x, 1)


def compare_nvidia(folder: Path) -> bool:
    """Prints what is the same as in CUTLASS's headers; whether all of it is."""
    header = read(folder)
    tally: Counter[str] = Counter()
    met = set()
    for atom in atoms().values():
        if atom.name.startswith("AMD"):
            continue
        name, given = header_name(atom.name, header.traits)
        met.add(name)
        found = {k: header.member(name, OPERANDS[k], given) for k in atom.layouts}
        if not any(found.values()):
            tally["not in the headers"] += 1
            print(f"  not in the headers: {atom.name}")
            continue
        wrong = []
        shape = header.member(name, "Shape_MNK", given)
        if shape and tuple(map(int, shape)) != atom.shape:
            wrong.append(f"shape: {shape}")
        for operand, theirs in found.items():
            ours = tla.read_layout(atom.layouts[operand])
            if theirs is None:
                tally["operands that the headers do not spell rightly"] += 1
            elif values(ours) != values(theirs):
                wrong.append(f"{operand}: {ours} here, {theirs} there")
            else:
                tally["operands the same"] += 1
        tally["instructions that differ" if wrong else "instructions the same"] += 1
        for line in wrong:
            print(f"  {atom.name} {line}")
    tally["traits that we have no instruction for"] = len(set(header.traits) - met)
    for what, count in sorted(tally.items()):
        print(f"{count:5} {what}")
    return not tally["instructions that differ"]


# -- AMD ----------------------------------------------------------------------------------------------


def calculator(checkout: Path) -> Any:
    """AMD's matrix calculator as a module; what it prints tables with is not needed."""
    sys.modules.setdefault("tabulate", ModuleType("tabulate")).tabulate = None  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("matrix_calculator", checkout / CALCULATOR)
    if spec is None or spec.loader is None or not (checkout / CALCULATOR).is_file():
        raise SystemExit(f"{checkout / CALCULATOR} is no file: give a checkout of the calculator")
    module = importlib.util.module_from_spec(spec)
    sys.modules["matrix_calculator"] = module
    spec.loader.exec_module(module)
    return module


def instance(module: Any, name: str) -> Any:
    """The calculator's object for one of our instructions, or None."""
    short = re.sub(r"^AMD_|(?<=WMMA_)GFX1[12]_", "", name).lower()
    family = re.search(r"GFX1[12]", name)
    isas = ("cdna1", "cdna2", "cdna3")
    kind, width = "InstCalcGfx9", 64
    if family is not None:
        isas, width = ({"GFX11": "rdna3", "GFX12": "rdna4"}[family[0]],), 32
        kind = f"InstCalc{family[0].title()}"
    # the first ISAs have no underscores and no number of blocks, the last one no `1k`
    for spelled in (short, short.replace("_1k", ""), re.sub(r"_\d+b(?=_)", "", short)):
        for told, facts in (row for isa in isas for row in module.dict_insts[isa].items()):
            if told.removeprefix("v_").replace("_", "") == spelled.replace("_", ""):
                return getattr(module, kind)(told, facts, width)
    return None


def places(module: Any, calc: Any, operand: str) -> dict[tuple[int, int], int]:
    """For each lane and value of an operand the number of its element in the tile."""
    facts = calc.inst_info
    m, n, k, blocks = (facts[x] for x in ("m", "n", "k", "blocks"))
    rows, columns = {"A": (m, k), "B": (n, k), "C": (m, n)}[operand]
    kind = facts["out_type" if operand == "C" else "in_type"]
    bits = module.get_data_size(kind)
    made: dict[tuple[int, int], int] = {}
    for x, y, b in itertools.product(range(rows), range(columns), range(blocks)):
        i, j, inner = {"A": (x, 0, y), "B": (0, x, y), "C": (x, y, 0)}[operand]
        where = operand.lower().replace("c", "d")
        _, register, lanes = calc._get_reg_lanes(where, i, j, inner, b, 0, 0, 0, 0)
        number = re.search(r"(\d+)\]?(?:\.\[\d+:(\d+)\])?$", register)
        if number is None:
            raise SystemExit(f"{register} is no register")
        value = (int(number[1]) * 32 + int(number[2] or 0)) // bits
        for lane in lanes:
            made[lane, value] = x + rows * (y + columns * b)
    return made


def compare_amd(checkout: Path) -> bool:
    """Prints what is the same as in AMD's calculator; whether all of it is."""
    module = calculator(checkout)
    tally: Counter[str] = Counter()
    for atom in atoms().values():
        if not atom.name.startswith("AMD"):
            continue
        calc = instance(module, atom.name)
        if calc is None:
            tally["not in the calculator"] += 1
            print(f"  not in the calculator: {atom.name}")
            continue
        wrong = []
        for operand, text in atom.layouts.items():
            ours = values(tla.read_layout(text))
            mine = {(t, v): x for t, row in enumerate(ours) for v, x in enumerate(row)}
            if mine == places(module, calc, operand):
                tally["operands the same"] += 1
            else:
                wrong.append(operand)
        tally["instructions that differ" if wrong else "instructions the same"] += 1
        for operand in wrong:
            print(f"  {atom.name} {operand} differs: {atom.layouts[operand]}")
    for what, count in sorted(tally.items()):
        print(f"{count:5} {what}")
    return not tally["instructions that differ"]


def main() -> None:
    """Prints what is the same, and every operand that differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    checkout = parser.parse_args().checkout
    if (checkout / FOLDER).is_dir():
        good = compare_nvidia(checkout / FOLDER)
    elif (checkout / CALCULATOR).is_file():
        good = compare_amd(checkout)
    else:
        raise SystemExit(f"{checkout} has neither {FOLDER} nor {CALCULATOR}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
