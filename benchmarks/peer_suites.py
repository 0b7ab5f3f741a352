"""Other projects' own tests, asked of our algebra: how many are answered, and how many differ.

    python benchmarks/peer_suites.py pycute CHECKOUT          # of NVIDIA/cutlass: test/python/pycute
    python benchmarks/peer_suites.py cute CHECKOUT            # of the same: test/unit/cute/core, in C++
    python benchmarks/peer_suites.py tensor-layouts CHECKOUT  # of facebookresearch/tensor-layouts
    python benchmarks/peer_suites.py triton CHECKOUT          # of triton-lang/triton: unittest/Tools

The tests are read from the checkout and nothing of them is kept.  Names of pycute are bound to ours
through a module of the same name, C++ is read as it stands (`suites/`), and what tensor-layouts' tests
call is asked of ours as well.  Each call of a test's helper, and each assertion outside of one, is
counted as answered, refused (an error of ours) or different, judged by counting in plain integers.
Exits with 1 where one differs and ours is not right.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import unittest
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from symlayout import LayoutError, tla
from symlayout.tla.values import offsets_at


class Layout:
    """A layout with the interface of pycute's."""

    def __init__(self, shape: Any, stride: Any = None) -> None:
        self.held = tla.make_layout(shape, stride)

    shape = property(lambda self: self.held.shape)
    stride = property(lambda self: self.held.stride)

    def __call__(self, *coord: Any) -> int:
        if len(coord) == 1 and isinstance(coord[0], int):  # beyond its size it goes on
            return int(offsets_at(self.held, [coord[0]])[0])
        return int(self.held(*coord))

    def __len__(self) -> int:
        return int(self.held.rank)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.held == other.held

    def __hash__(self) -> int:
        return hash(self.held)

    def __repr__(self) -> str:
        return str(self.held)


def ours(x: Any) -> Any:
    """Their layouts as ours, in tuples as well."""
    if isinstance(x, tuple):
        return tuple(map(ours, x))
    return x.held if isinstance(x, Layout) else x


def bound(name: str) -> Callable[..., Any]:
    """An operation of ours on their layouts."""
    operation = getattr(tla, name)

    def call(*arguments: Any) -> Any:
        made = operation(*map(ours, arguments))
        return Layout(made.shape, made.stride) if isinstance(made, tla.Layout) else made

    return call


def complement(layout: Layout) -> Layout:
    """What pycute means by it: no sum twice, whether or not every place is met."""
    made = tla.complement(layout.held, 1, weak=True)
    return Layout(made.shape, made.stride)


def inner_product(a: Any, b: Any) -> int:
    """The sum of products of two tuples that nest alike."""
    if isinstance(a, tuple):
        return sum(map(inner_product, a, b))
    return int(a * b)


def pycute() -> ModuleType:
    """A module with the names of pycute's tests."""
    made = ModuleType("pycute")
    names = ("coalesce", "composition", "left_inverse", "right_inverse", "product")
    for name in (*names, "shape_div", "logical_divide", "logical_product", "zipped_divide"):
        setattr(made, name, bound(name))
    made.__dict__.update(
        Layout=Layout,
        complement=complement,
        size=lambda x: int(tla.size(ours(x))),
        cosize=lambda x: int(tla.cosize(ours(x))),
        prefix_product=lambda x: tla.make_layout(x).stride,
        inner_product=inner_product,
    )
    return made


def counted(check: Callable[..., Any], tally: Counter[str], said: list[str]) -> Callable[..., Any]:
    """A check that counts what comes of it."""

    def call(self: Any, *arguments: Any, **options: Any) -> None:
        try:
            check(self, *arguments, **options)
            tally["answered"] += 1
        except LayoutError as error:
            tally["refused"] += 1
            said.append(f"refused: {', '.join(map(str, arguments))}: {error.message}")
        except AssertionError as error:
            tally["differ"] += 1
            said.append(f"differ: {', '.join(map(str, arguments))}: {error}")

    return call


def run(folder: Path, module: ModuleType, left_out: tuple[str, ...]) -> Counter[str]:
    """Every test file of a folder."""
    tally: Counter[str] = Counter()
    said: list[str] = []
    sys.modules[module.__name__] = module
    for file in sorted(folder.glob("test_*.py")):
        if file.stem in left_out:
            tally["left out"] += 1
            continue
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        tests = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tests)
        for case in vars(tests).values():
            if isinstance(case, type) and issubclass(case, unittest.TestCase):
                _count_in(case, tally, said)
        found = unittest.defaultTestLoader.loadTestsFromModule(tests)
        outcome = unittest.TestResult()
        found.run(outcome)
        for test, trace in outcome.errors + outcome.failures:
            tally["differ"] += 1
            said.append(f"differ: {test}: {trace.splitlines()[-1]}")
    for line in said:
        print(line[:200])
    return tally


def _count_in(case: type, tally: Counter[str], said: list[str]) -> None:
    """The helpers of a test class are counted, or its assertions where it has none."""
    helpers = [n for n in vars(case) if n.startswith("helper_")]
    for name in helpers or ["assertEqual"]:
        setattr(case, name, counted(getattr(case, name), tally, said))


def pycute_in(checkout: Path) -> Counter[str]:
    """pycute's tests of a checkout of CUTLASS."""
    folder = checkout / "test" / "python" / "pycute"
    if not folder.is_dir():
        raise SystemExit(f"{folder} is no folder: give a checkout of NVIDIA/cutlass")
    return run(folder, pycute(), ("test_typing",))  # which is about Python's types


def main() -> None:
    """Prints what came of a suite."""
    from suites import cute_core, tensor_layouts, triton_linear

    suites = {
        "pycute": pycute_in,
        "cute": cute_core.run,
        "tensor-layouts": tensor_layouts.run,
        "triton": triton_linear.run,
    }
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suite", choices=suites)
    parser.add_argument("checkout", type=Path)
    args = parser.parse_args()
    tally = suites[args.suite](args.checkout)
    if not tally:
        raise SystemExit(f"{args.checkout} has no such tests")
    print(", ".join(f"{n} {what}" for what, n in sorted(tally.items())))
    raise SystemExit(1 if tally["differ"] or tally["differs, ours is wrong"] else 0)


if __name__ == "__main__":
    main()
