"""The campaign's reading of claims shares nothing with the prover's and the checker's.

The imports of every module are followed, those inside of functions included.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import soundness

HOME = Path(soundness.__file__).parent
DOOR = "asking"  # the one module that asks the package
ASKED = {  # what the door may have from the package: questions, and their answers
    *("symlayout.parse", "symlayout.errors.LayoutError"),
    *(
        "symlayout.certificate.kernel.recheck",
        "symlayout.render.emit.emit",
        "symlayout.prove.question_of",
        "symlayout.prove.run.Effort",
        "symlayout.prove.run.Run",
        "symlayout.when",
        "symlayout.__main__.main",
    ),
}
MEANING = ("arithmetic", "layouts", "truth", "spots")  # what a claim means
DRAWN = (
    "drawing",
    "relations",
    "instructions",
    "claims",
    "naming",
    "doors",
    "vanishing",
)  # which claims are made
MODULES = sorted(path.stem for path in HOME.glob("*.py"))


def imports(module):
    """The full names that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse((HOME / f"{module}.py").read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found |= {f"{node.module}.{a.name}" for a in node.names}
    return found


def modules_behind(module):
    """The campaign's modules that a module needs, itself included."""
    found, todo = set(), [module]
    while todo:
        m = todo.pop()
        if m not in found:
            found.add(m)
            parts = [name.split(".") for name in imports(m)]
            todo += [p[1] for p in parts if p[0] == "soundness" and p[1] in MODULES]
    return found


def of_package(names):
    return {n for n in names if n.split(".")[0] == "symlayout"}


@pytest.mark.parametrize("module", [m for m in MODULES if m != DOOR])
def test_only_the_door_imports_the_package(module):
    assert not of_package(imports(module))


def test_the_door_only_asks():
    assert of_package(imports(DOOR)) == ASKED


@pytest.mark.parametrize("module", MEANING)
def test_what_claims_mean_stands_on_plain_integers_alone(module):
    behind = modules_behind(module)
    assert behind <= set(MEANING)
    others = {n.split(".")[0] for m in behind for n in imports(m)} - {"soundness"}
    assert others <= {"__future__", "abc", "ast", "collections", "dataclasses", "fractions"} | {
        *("functools", "math", "numpy", "random", "re", "typing")
    }


def test_every_module_is_looked_at():
    assert {
        *MEANING,
        *DRAWN,
        DOOR,
        "judging",
        "vanishing",
        "campaign",
        "maps",
        "families",
        "typed",
        *("kernels", "kernel_texts", "machine", "hardware"),
        "__init__",
    } == set(MODULES)


def test_names_are_not_built_for_import():
    for module in MODULES:
        words = {
            n.id
            for n in ast.walk(ast.parse((HOME / f"{module}.py").read_text()))
            if isinstance(n, ast.Name)
        }
        built = words & {"__import__", "import_module", "importlib", "exec", "eval"}
        # of texts that they wrote themselves
        own = {"maps": {"eval"}, "kernels": {"eval"}, "machine": {"exec"}}
        assert built <= own.get(module, set())


def test_nothing_of_the_package_uses_the_campaign():
    import symlayout

    for path in Path(symlayout.__file__).parent.rglob("*.py"):
        assert "soundness" not in path.read_text(), path
