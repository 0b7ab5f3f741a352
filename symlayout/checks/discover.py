"""Which files a path means: a file is itself, a folder every claims file, module and source below."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from symlayout.checks.claims_file import SUFFIX
from symlayout.checks.comments.loader import SUFFIXES
from symlayout.checks.module_file import SUFFIXES as MODULES
from symlayout.checks.module_file import TEXTS, language
from symlayout.errors import LayoutError

KINDS = (SUFFIX, *MODULES, TEXTS, *SUFFIXES)

HIDDEN = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "build", "dist"})


def discover(paths: Iterable[str], suffixes: tuple[str, ...] = KINDS) -> list[str]:
    """The files to check, each once, folders in sorted order.

    Raises `LayoutError` (SL601) for a path that does not exist.
    """
    found: dict[str, None] = {}
    for path in paths:
        if "\0" in path or not os.path.lexists(path):
            raise LayoutError("SL601", f"{path} does not exist")
        for file in _walk(path, suffixes) if os.path.isdir(path) else [path]:
            found.setdefault(file)
    return list(found)


def _walk(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    files: list[str] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(d for d in folders if not d.startswith(".") and d not in HIDDEN)
        files += [str(Path(root) / n) for n in names if n.endswith(suffixes)]
    return sorted(f for f in files if not f.endswith(TEXTS) or language(f) in ("hlo", "mlir"))
