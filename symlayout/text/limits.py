"""How much is read and made of any input: one table, so that nothing hangs and no memory is lost.

`docs/limitations.md` shows every row; a test keeps the two alike.
"""

from __future__ import annotations

from typing import Final

# files
FILE_BYTES: Final = 10_000_000  # sources
CERTIFICATE_BYTES: Final = 4_000_000  # certificates
CLAIMS_BYTES: Final = 4_000_000  # claims files and settings
MODULE_BYTES: Final = 100_000_000  # compiler modules
INDEX_BYTES: Final = 100_000_000  # the index of a git repository
INDEX_NAME: Final = 4_096  # bytes of a name in it
# what .gitignore and --exclude leave out
IGNORE_PATTERNS: Final = 100_000  # patterns of one file
IGNORE_WILDCARDS: Final = 1_000  # patterns with wildcards that apply to one directory
IGNORE_CHARACTERS: Final = 100_000  # of patterns with wildcards in one file
# TOML
TOML_NESTING: Final = 50  # nested brackets
KEY_PARTS: Final = 20  # dotted names
VALUES: Final = 500_000  # tokens of one file
WORD_CHARACTERS: Final = 1_000  # a number, a date or a bare key
# claims files
INCLUDES: Final = 200  # files that one claims file includes, counted each time
INCLUDE_DEPTH: Final = 20  # nested includes
FOR_ROWS: Final = 10_000  # claims from one `for`
FILE_CLAIMS: Final = 100_000  # claims of one file, after `for`
CLAIM_CHARACTERS: Final = 20_000_000  # characters in all claims of one file, after `for`
# comments in code
SOURCE_CHARACTERS: Final = 500_000  # characters of a source file with claims
STATEMENT_PARTS: Final = 1_000  # names, numbers and operators of a statement below a claim
# kernels
READ_FILES: Final = 40  # files of its project that one file with kernels takes functions from
READ_CHARACTERS: Final = 3_000_000  # of these files together
# the command line
NUMBER_DIGITS: Final = 30  # of a ratio's numerator and denominator; its exponent has two
JOBS: Final = 1_024  # processes that share the claims
BUDGET: Final = 4_000_000_000  # the solver's rlimit
ROWS_SHOWN: Final = 1_000_000  # of a module's padding report
MESSAGE_CHARACTERS: Final = 2_000  # a line of a message; a longer one is cut
# texts and expressions
CHARACTERS: Final = 1_000_000  # of a text
NESTING: Final = 100  # nested parentheses, tuples or signs
OPERATORS: Final = 2_000  # of one expression in a text
DIGITS: Final = 1_000  # digits of a written number
BITS: Final = 4_096  # digits of a computed number: below Python's limit on printing
DEGREE: Final = 256  # of an expression, in all its symbols together
TERMS: Final = 100_000  # of an expression multiplied out
FACTORS: Final = 1_500_000  # symbols of an expression multiplied out, each as often as it occurs
DEPTH: Final = 60  # nested operations
COMPARISONS: Final = 100  # comparisons in the conditions of one text
WEIGHT: Final = 2_000  # parts of a conditional, each comparison written out
DIVISIONS: Final = 200  # divisions of one expression in a text
RANK: Final = 64  # dimensions or modes of a layout
SWIZZLE: Final = 256  # bits that a swizzle reads or changes, and those below
VALUE_BITS: Final = 14_000  # of a value at one assignment: what Python prints
LARGEST_PRODUCT: Final = 8_000_000  # symbols that one product of polynomials writes
