"""What judges claims, imported once by the process that workers are forked from.

Nothing is judged before it is there, so what few claims need is left to the worker that meets one.
NumPy starts no threads of its own here: a fork would not take them along.  Z3 is left to the workers.
"""

from __future__ import annotations

import gc
from importlib import import_module

from symlayout import prove
from symlayout.layouts.notation import NOTATIONS
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.text.garbage import collect_rarely
from symlayout.text.threads import start_none

collect_rarely()
start_none()
import_module("numpy")

for _notation in NOTATIONS.values():
    import_module(_notation.module)
for _room in ("checks.jobs", "programs.hlo.broadcast", "prove.search", "prove.when.course"):
    import_module(f"symlayout.{_room}")
for _word, _row in CLAIMS.items():
    if _row.home != "instructions":  # with the rules of all opcodes
        getattr(prove, _word)
gc.freeze()  # what is imported here stays: no worker looks at it again
