"""Compiler modules: HLO and StableHLO text, what they claim, and what their layouts waste.

>>> from symlayout.programs.hlo import read_module
>>> module = read_module('''HloModule small
... ENTRY main {
...   x = f32[2,3]{1,0} parameter(0)
...   ROOT y = f32[3,2]{1,0} transpose(x), dimensions={1,0}
... }''')
>>> [i.opcode for i in module.instructions]
['parameter', 'transpose']
"""

from symlayout.programs.hlo.claims import ModuleClaim, ModuleClaims, module_claims
from symlayout.programs.hlo.module import Computation, Instruction, Module, Operand
from symlayout.programs.hlo.padding import padding_report
from symlayout.programs.hlo.reader import read_instruction, read_module
from symlayout.programs.hlo.stablehlo import read_stablehlo

__all__ = [
    "Computation",
    "Instruction",
    "Module",
    "ModuleClaim",
    "ModuleClaims",
    "Operand",
    "module_claims",
    "padding_report",
    "read_instruction",
    "read_module",
    "read_stablehlo",
]
