"""Index functions: `map DOMAIN [if GUARD]: [NAME = EXPR;]* RESULT [in BOX]`."""

from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.layouts.maps.reader import read_map

__all__ = ["IndexFunction", "Variable", "read_map"]
