"""symlayout proves tensor layouts right for all sizes.

>>> import symlayout as sl
>>> sl.prove.injective("bf16[M,N]{1,0:T(8,128)(2,1)}").status
'proved'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.text.version import VERSION as __version__

if TYPE_CHECKING:
    from symlayout import prove, tla
    from symlayout.certificate.kernel import recheck
    from symlayout.checks.python import check, scan
    from symlayout.checks.result import Report
    from symlayout.digits.simplification import simplify
    from symlayout.expr.terms import sizes
    from symlayout.layouts import xla
    from symlayout.layouts.claim import Claim
    from symlayout.layouts.doors.conversion import conversion
    from symlayout.layouts.indexmap import CoordMap, IndexMap
    from symlayout.layouts.maps.tracing import index_map, where
    from symlayout.layouts.notation import parse
    from symlayout.programs import hlo
    from symlayout.programs.hlo import broadcast
    from symlayout.programs.kernels import pallas
    from symlayout.programs.kernels.decorator import kernel
    from symlayout.prove import when
    from symlayout.prove.verdict import Verdict
    from symlayout.render import emit

__all__ = [
    "Claim",
    "CoordMap",
    "IndexMap",
    "LayoutError",
    "Report",
    "Verdict",
    "__version__",
    "broadcast",
    "check",
    "conversion",
    "emit",
    "hlo",
    "index_map",
    "kernel",
    "pallas",
    "parse",
    "prove",
    "recheck",
    "scan",
    "simplify",
    "sizes",
    "tla",
    "when",
    "where",
    "xla",
]

# loaded on first use, so that `symlayout --help` and a cached check import neither SymPy nor Z3
_HOMES = {
    "Claim": "symlayout.layouts.claim",
    "CoordMap": "symlayout.layouts.indexmap",
    "IndexMap": "symlayout.layouts.indexmap",
    "Report": "symlayout.checks.result",
    "Verdict": "symlayout.prove.verdict",
    "check": "symlayout.checks.python",
    "conversion": "symlayout.layouts.doors.conversion",
    "index_map": "symlayout.layouts.maps.tracing",
    "kernel": "symlayout.programs.kernels.decorator",
    "parse": "symlayout.layouts.notation",
    "recheck": "symlayout.certificate.kernel",
    "scan": "symlayout.checks.python",
    "simplify": "symlayout.digits.simplification",
    "sizes": "symlayout.expr.terms",
    "where": "symlayout.layouts.maps.tracing",
}
_DOORS = {
    "broadcast": "symlayout.programs.hlo.broadcast",
    "emit": "symlayout.render.emit",
    "hlo": "symlayout.programs.hlo",
    "pallas": "symlayout.programs.kernels.pallas",
    "prove": "symlayout.prove",
    "tla": "symlayout.tla",
    "when": "symlayout.prove.when",
    "xla": "symlayout.layouts.xla",
}


if not TYPE_CHECKING:  # to a type checker a misspelt name is none

    def __getattr__(name: str) -> Any:
        if name in _DOORS:
            return import_module(_DOORS[name])
        if name in _HOMES:
            return getattr(import_module(_HOMES[name]), name)
        near = did_you_mean(name, __all__)
        hint = f": {near}" if near else ""
        raise AttributeError(f"module 'symlayout' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted(__all__)
