"""Every example in a docstring runs, in the package as it is installed."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import symlayout

MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(symlayout.__path__, "symlayout.")
    if not found.name.endswith("__main__")
)


@pytest.mark.parametrize("name", ["symlayout", *MODULES])
def test_examples_run(name: str) -> None:
    result = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    count = sum(len(test.examples) for name in MODULES for test in finder.find(import_module(name)))
    assert count > 300
