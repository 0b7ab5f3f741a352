"""Compiler modules: HLO and StableHLO text, what they claim, and what their layouts waste.

>>> from symlayout.programs.hlo.reader import read_module
>>> module = read_module('''HloModule small
... ENTRY main {
...   x = f32[2,3]{1,0} parameter(0)
...   ROOT y = f32[3,2]{1,0} transpose(x), dimensions={1,0}
... }''')
>>> [i.opcode for i in module.instructions]
['parameter', 'transpose']
"""
