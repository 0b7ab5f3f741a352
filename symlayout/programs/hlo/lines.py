"""An instruction as compilers print it, names for its operands: one pattern reads it whole.

What does not match is not a mistake: the reader goes on step by step there.
"""

from __future__ import annotations

from symlayout.programs.hlo.attributes import APART, ONE
from symlayout.programs.hlo.instruction import COMPUTATIONS
from symlayout.programs.hlo.nesting import bracket_pattern
from symlayout.text.patterns import regex

ARRAY = r"[A-Za-z]\w*+\[[^\[\]]*+\](?:(?>\{[^{}]*+\}))?+"
APARTS = "|".join(sorted(APART))
# a computation in place of its name is read step by step
BODIES = rf"(?:{'|'.join(sorted(COMPUTATIONS))})\s*+=\s*+\{{"
LINE = regex(
    r"\s*+(?P<root>(?>ROOT\s++))?+(?P<name>%?[\w.\-]++)\s*+=\s*+"
    rf"(?P<shape>{ARRAY}|{bracket_pattern(6, '(', ')')})\s++(?P<opcode>[A-Za-z][\w\-]*+)"
    rf"\((?P<operands>(?:(?>[^()\[\]{{}}\"]++|{bracket_pattern(8, '{', '}')}))*+)\)"
    rf"(?P<plain>(?:(?>\s*+,\s*+(?!(?:{APARTS})\s*+=|{BODIES})[\w.\-]++\s*+=\s*+(?:{ONE})))*+)"
    rf"(?P<apart>(?:(?>\s*+,\s*+(?:{APARTS})\s*+=\s*+(?:{ONE})))*+)(?=\s++[\w%}}]|\}}|\s*+\Z)"
)
