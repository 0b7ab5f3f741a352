"""How much is read and made of any input: one table, so that nothing hangs and no memory is lost."""

from __future__ import annotations

from typing import Final

# files
FILE_BYTES: Final = 10_000_000  # claims files, sources, certificates, settings
MODULE_BYTES: Final = 100_000_000  # compiler modules

# texts and expressions
CHARACTERS: Final = 1_000_000  # of a text
NESTING: Final = 100  # parentheses, tuples or signs inside one another
OPERATORS: Final = 2_000  # of one expression in a text
DIGITS: Final = 1_000  # of a number as it is written
BITS: Final = 4_096  # of a number: fewer digits than Python's own limit on printing one
DEGREE: Final = 256  # of an expression, in all its symbols together
TERMS: Final = 100_000  # of an expression multiplied out
DEPTH: Final = 60  # operations inside one another
