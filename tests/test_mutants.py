"""The tables of mutation testing speak of modules, tests and statements that there are."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import mutants
import pytest

ROOT = Path(mutants.ROOT)
ROWS = tomllib.loads(mutants.KNOWN.read_text("utf-8"))["mutant"]


@lru_cache
def statements(module: str) -> frozenset[tuple[str, str]]:
    """The statements of a module, each with the function that it stands in."""

    def inside(node: ast.AST, scope: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            scope = f"{scope}.{node.name}" if scope else node.name
        for child in ast.iter_child_nodes(node):
            yield from inside(child, scope)
        if isinstance(node, ast.stmt):
            for name in ("body", "orelse", "finalbody", "handlers", "cases"):
                if getattr(node, name, None):
                    setattr(node, name, [])
            yield scope, ast.unparse(node)

    source = (ROOT / "symlayout" / f"{module}.py").read_text("utf-8")
    return frozenset(inside(ast.parse(source), ""))


@pytest.mark.parametrize("module", mutants.TESTS)
def test_each_module_has_tests(module: str) -> None:
    assert (ROOT / "symlayout" / f"{module}.py").exists()
    files = " ".join(mutants.test_files(ROOT, module))
    assert [name for name in mutants.TESTS[module] if f"test_{name}" not in files] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['module']} {r['scope']}: {r['before']}")
def test_what_is_known_is_of_a_statement_that_is_there(row: dict[str, str]) -> None:
    assert (row["scope"], row["before"]) in statements(row["module"]), row
