"""Broadcasting in the dialects of XLA, StableHLO and NumPy: rules, results, and index maps.

>>> from symlayout.programs.hlo.broadcast import broadcast
>>> [str(e) for e in broadcast("f32[M,1]", "f32[1,N]")]
['M', 'N']
"""

from symlayout.programs.hlo.broadcast.check import Check, Demands
from symlayout.programs.hlo.broadcast.derivation import derive
from symlayout.programs.hlo.broadcast.extent import Extent, extent, extents
from symlayout.programs.hlo.broadcast.maps import broadcast_map, in_dim_maps
from symlayout.programs.hlo.broadcast.result import common_size, joined_size
from symlayout.programs.hlo.broadcast.rules import DIALECTS, Plan, broadcast, plan
from symlayout.programs.hlo.broadcast.types import kind, type_fault

__all__ = [
    "DIALECTS",
    "Check",
    "Demands",
    "Extent",
    "Plan",
    "broadcast",
    "broadcast_map",
    "common_size",
    "derive",
    "extent",
    "extents",
    "in_dim_maps",
    "joined_size",
    "kind",
    "plan",
    "type_fault",
]
