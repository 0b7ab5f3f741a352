"""Which claims files of a project include others: these hold their layouts, maps and facts too."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path

from symlayout.checks.claims_file import SUFFIX
from symlayout.checks.discover import walk
from symlayout.checks.ignoring import Ignored
from symlayout.checks.measure import too_much
from symlayout.checks.project import project_of, real
from symlayout.checks.reading import read_text
from symlayout.checks.silence import CLAIM
from symlayout.errors import LayoutError
from symlayout.text.limits import CLAIMS_BYTES


def with_dependents(paths: Iterable[str]) -> list[str]:
    """The paths, and the claims files that include one of them, directly or through others.

    TOML of another ending that has no claims is no path of its own: others may include it.
    """
    names = dict.fromkeys(paths)
    known = {real(path) for path in names}
    roots = dict.fromkeys(project_of(path).root for path in names if path.endswith(".toml"))
    rest = {f: _includes(f) for root in roots for f in _claims_files(root)}
    while new := [f for f, theirs in rest.items() if theirs & known]:
        for file in new:
            del rest[file]
            known.add(real(file))
            if not any(real(path) == real(file) for path in names):
                names[file] = None
    return [name for name in names if not _is_other(name)]


def _is_other(file: str) -> bool:
    """Whether a file is TOML without claims, that is no claims file by its ending."""
    if not file.endswith(".toml") or file.endswith(SUFFIX):
        return False
    try:
        return CLAIM.search(read_text(file, CLAIMS_BYTES)) is None
    except LayoutError:  # the check says so
        return False


def _claims_files(root: Path) -> list[str]:
    top = os.path.relpath(root)
    return walk(top, (SUFFIX,), Ignored.below(top))


def _includes(file: str) -> set[Path]:
    """The files that a claims file includes; one that cannot be read has none."""
    try:
        text = read_text(file, CLAIMS_BYTES)
        names = tomllib.loads(text).get("include", []) if too_much(text) is None else []
    except (LayoutError, ValueError):
        return set()
    texts = names if isinstance(names, list) else []
    return {real(str(Path(file).parent / n)) for n in texts if isinstance(n, str)}
