"""What a Triton file takes from other files of its project: functions, numbers, and modules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from symlayout.programs.kernels.syntax import assigned_names, dotted_name, every_node, name_given
from symlayout.programs.kernels.triton.language import ELSEWHERE, ROOTS
from symlayout.programs.kernels.triton.module import Module
from symlayout.programs.kernels.values import Function, Value
from symlayout.text.limits import READ_CHARACTERS, READ_FILES

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
            self.modules[path] = None  # while it is read, to files that it imports
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


def path_of_import(statement: ast.Import | ast.ImportFrom, name: ast.alias) -> str:
    """The path of what an import takes from Triton; "" for what it takes from elsewhere.

    >>> statement = ast.parse("from triton.language import store as put").body[0]
    >>> path_of_import(statement, statement.names[0])
    'triton.language.store'
    """
    path = name.name
    if isinstance(statement, ast.ImportFrom):
        if statement.level:
            return ""
        path = f"{statement.module}.{path}"
    elif not name.asname:
        path = path.split(".")[0]
    path = ELSEWHERE.get(path, path)
    return path if path.split(".")[0] == "triton" else ""


def language_path(module: Module, word: str) -> str:
    """The path in Triton's modules of a dotted name; "" for a name that is certainly not Triton's,
    or that several statements give several meanings.

    >>> language_path(Module(), "tl.store"), language_path(Module(), "np.store")
    ('triton.language.store', '')
    """
    first, _, rest = word.partition(".")
    paths = module.language.get(first, ())
    if not paths and first not in module.bound and first in ROOTS:
        paths = (ROOTS[first],)
    plain = len({p.split(".")[-1] for p in paths}) == 1 or (rest and paths)
    if not plain or first in module.replaced or _is_replaced(module, first):
        return ""
    return f"{paths[0]}.{rest}" if rest else paths[0]


def _is_replaced(module: Module, word: str) -> bool:
    """Whether a star brings another meaning of a name from a file of the project."""
    others = (module.load(level, dotted) for level, dotted in module.stars)
    return any(m is not None and (word in m.bound or word in m.replaced) for m in others)


def may_be_of_star(module: Module, word: str) -> bool:
    """Whether a star of another module than Triton's may bring a name that nothing else brings."""
    others = (module.load(level, dotted) for level, dotted in module.stars)
    return any(m is None or m.stars or word in m.bound for m in others)


def replaced_names(body: list[ast.stmt]) -> frozenset[str]:
    """The names of Triton's modules that a file gives another meaning as well.

    Where an import fails, a name may have any other one; and None anywhere.
    """
    names = set[str]()
    for node in body:
        if isinstance(node, ast.If):
            both = {n for s in node.body for n in _from_triton(s)}
            names |= replaced_names(node.body) | (replaced_names(node.orelse) - both)
        elif isinstance(node, ast.Try):
            names |= replaced_names([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.With):
            names |= replaced_names(node.body)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {name_given(a) for a in node.names if not path_of_import(node, a)}
        elif not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)):
            names |= _bound_by(node)
    return frozenset(names)


def _from_triton(node: ast.stmt) -> Iterator[str]:
    """The names that imports in a statement take from Triton."""
    for x in ast.walk(node):
        if isinstance(x, (ast.Import, ast.ImportFrom)):
            yield from (name_given(a) for a in x.names if path_of_import(x, a))


def _bound_by(node: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning where it stands."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        changed = (n for x in every_node(node) if isinstance(x, ast.Global) for n in x.names)
        return {node.name, *changed}
    return assigned_names([node])


def builtins_of(module: Module, body: list[ast.stmt]) -> frozenset[str]:
    """The names that a file gives Triton's functions of the same name alone: `gather = tl.gather`.

    Where a version of Triton lacks it, a function that does nothing may stand for it.
    """
    words: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and all(map(_does_nothing, node.body)):
            words.setdefault(node.name, []).append("")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            word = language_path(module, dotted_name(node.value)).split(".")[-1]
            if word:
                words.setdefault(node.targets[0].id, []).append(word.removeprefix("_experimental_"))
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
