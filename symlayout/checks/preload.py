"""What judges claims, imported once by the process that workers are forked from.

NumPy and Z3 are left to the workers: a fork takes no threads along, and they may start some.
"""

from __future__ import annotations

import gc
from importlib import import_module

from symlayout import prove
from symlayout.layouts.notation import NOTATIONS
from symlayout.text.garbage import collect_rarely

collect_rarely()

for _notation in NOTATIONS.values():
    import_module(_notation.module)
for _room in (
    "tla",
    "programs.hlo.broadcast",
    "programs.hlo.rules",
    "prove.search",
    "prove.when.course",
):
    import_module(f"symlayout.{_room}")
for _word in dir(prove):
    getattr(prove, _word)
gc.freeze()  # what is imported here stays: no worker looks at it again
