"""What a Triton file takes from other files of its project: functions, numbers, and modules."""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from symlayout.programs.kernels.syntax import dotted_name
from symlayout.programs.kernels.triton.state import Module
from symlayout.programs.kernels.values import Function, Value
from symlayout.text.limits import READ_CHARACTERS, READ_FILES

# names that Triton's language goes by, unless they are imported from elsewhere
ROOTS = frozenset(["tl", "triton", "language", "ttl", "libdevice", "tldevice", "math"])
LINKS = 8  # from one file to the next for one name
# of a file, how many folders up, and a module's name with dots: the file of that module and its text
Beside = Callable[[str, int, str], tuple[str, str] | None]


@dataclass(frozen=True)
class Builtin:
    """A function of Triton's language, which a file gives the same name."""


Meaning: TypeAlias = "Value | Module | Builtin | None"


class Project:
    """The files that a file imports, each read when a name of it is first needed."""

    def __init__(self, beside: Beside, read: Callable[..., Module | None]) -> None:
        self.beside, self.read = beside, read
        self.modules: dict[str, Module | None] = {}
        self.characters = 0

    def load(self, file: str, level: int, dotted: str) -> Module | None:
        """The module that a file calls so; None for one that is no file of the project."""
        one = self.beside(file, level, dotted)
        if one is None:
            return None
        path, text = one
        if path not in self.modules:
            self.characters += len(text)
            within = len(self.modules) < READ_FILES and self.characters <= READ_CHARACTERS
            self.modules[path] = self.read(text, path, self) if within else None
        return self.modules[path]


def imported(
    statement: ast.Import | ast.ImportFrom, name: ast.alias
) -> tuple[int, str, str] | None:
    """What an import gives a name: folders up, the module, and the word of it, "" for itself.

    `import a.b` gives `a` a meaning that other imports add to: None.
    """
    if isinstance(statement, ast.ImportFrom):
        return statement.level, statement.module or "", name.name
    return None if "." in name.name and not name.asname else (0, name.name, "")


def meaning(module: Module, word: str, links: int = LINKS) -> Meaning:
    """What a name with dots stands for at the top of a file, as far as its project says.

    A name with several definitions means nothing, nor does one that several stars may have brought.
    """
    first, _, rest = word.partition(".")
    target = _own(module, first, links)
    if not rest:
        return target
    return meaning(target, rest, links) if isinstance(target, Module) else None


def _own(module: Module, word: str, links: int) -> Meaning:
    if word in module.builtins:
        return Builtin()
    if module.bound.get(word, 0) > 1:
        return None
    if word in module.values:
        return module.values[word]
    if word in module.functions:
        return Function(module.functions[word], module)
    if links == 0:
        return None
    if word not in module.imports:
        return None if word in module.bound else _of_star(module, word, links)
    level, dotted, part = module.imports[word]
    whole = module.load(level, dotted)
    if not part:
        return whole
    if whole is not None and (whole.stars or not {part, "__getattr__"}.isdisjoint(whole.bound)):
        return _own(whole, part, links - 1)
    return module.load(level, f"{dotted}.{part}".lstrip("."))


def _of_star(module: Module, word: str, links: int) -> Meaning:
    """What a star brings, where all stars are of files of the project and one of them alone has it."""
    modules: list[Module] = []
    for level, dotted in module.stars if not word.startswith("_") else ():
        whole = module.load(level, dotted)
        if whole is None or "__all__" in whole.bound:
            return None
        if whole.stars or word in whole.bound:
            modules.append(whole)
    return _own(modules[0], word, links - 1) if len(modules) == 1 else None


def is_language(module: Module, word: str) -> bool:
    """Whether a name is that of Triton's language, or of a module of it."""
    return word in module.roots or (word in ROOTS and word not in module.imports)


def builtins_of(module: Module, body: list[ast.stmt]) -> frozenset[str]:
    """The names that a file gives Triton's functions of the same name alone: `gather = tl.gather`.

    Where a version of Triton lacks it, a function that does nothing may stand for it.
    """
    words: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and all(map(_does_nothing, node.body)):
            words.setdefault(node.name, []).append("")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            root, _, last = dotted_name(node.value).rpartition(".")
            if is_language(module, root.partition(".")[0]):
                word = last.removeprefix("_experimental_")
                words.setdefault(node.targets[0].id, []).append(word)
    return frozenset(
        n
        for n, meanings in words.items()
        if len(meanings) == module.bound.get(n) and {*meanings} - {""} == {n}
    )


def _does_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Return(value=None | ast.Constant(value=None)):
            return True
    return False


def at_call(function: ast.FunctionDef, call: ast.Call) -> ast.FunctionDef:
    """The function of another file as if it stood where it is called: lines are those of one file."""
    clone = deepcopy(function)
    for x in ast.walk(clone):
        place: Any = x
        if hasattr(x, "lineno"):
            ast.copy_location(place, call)
    return clone
