"""Compiler modules: HLO and StableHLO text, what they claim, and what their layouts waste.

>>> from symlayout import hlo
>>> (module,) = hlo.modules_of('''HloModule small
... ENTRY main {
...   x = f32[2,3]{1,0} parameter(0)
...   ROOT y = f32[3,2]{1,0} transpose(x), dimensions={1,0}
... }''')
>>> [i.opcode for i in module.instructions]
['parameter', 'transpose']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symlayout.programs.hlo.claims import claims_of, modules_of
    from symlayout.programs.hlo.differences import difference
    from symlayout.programs.hlo.lives import live_ranges
    from symlayout.programs.hlo.memory import footprint
    from symlayout.programs.hlo.module import Instruction, Module
    from symlayout.programs.hlo.padding import padding_report
    from symlayout.programs.hlo.reader import read_instruction, read_module
    from symlayout.programs.hlo.stablehlo import read_stablehlo

__all__ = [
    "Instruction",
    "Module",
    "claims_of",
    "difference",
    "footprint",
    "live_ranges",
    "modules_of",
    "padding_report",
    "read_instruction",
    "read_module",
    "read_stablehlo",
]

# loaded on first use: a broadcast needs no reader of modules
_HOMES = {
    "Instruction": "module",
    "Module": "module",
    "claims_of": "claims",
    "difference": "differences",
    "footprint": "memory",
    "live_ranges": "lives",
    "modules_of": "claims",
    "padding_report": "padding",
    "read_instruction": "reader",
    "read_module": "reader",
    "read_stablehlo": "stablehlo",
}

if not TYPE_CHECKING:  # to a type checker a misspelt name is none

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        raise AttributeError(f"module 'symlayout.hlo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
