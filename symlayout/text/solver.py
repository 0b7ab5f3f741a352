"""Z3, whose library never comes from the working directory: `from symlayout.text.solver import z3`.

Z3's own module looks for its library in the working directory first, and a checkout may hold a file of
that name.  The folders to search are therefore set before the import.
"""

from __future__ import annotations

import builtins
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

FOLDERS = "Z3_LIB_DIRS"  # the built-in name that Z3's module reads


def _folders() -> list[str]:
    """Where an installed Z3 has its library: beside its modules, or in the environment's `lib`."""
    spec = find_spec("z3")
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    inside = [os.path.join(place, "lib") for place in places]
    return [*places, *inside, os.path.join(sys.prefix, "lib")]


def _module() -> Any:
    """The module `z3`; folders that the user has set stay."""
    if "z3" in sys.modules or hasattr(builtins, FOLDERS):
        return import_module("z3")
    setattr(builtins, FOLDERS, _folders())
    try:
        return import_module("z3")
    finally:
        delattr(builtins, FOLDERS)


z3 = _module()
