"""How much is read and made of any input: one table, so that nothing hangs and no memory is lost."""

from __future__ import annotations

from typing import Final

# files
FILE_BYTES: Final = 10_000_000  # claims files, sources, certificates, settings
MODULE_BYTES: Final = 100_000_000  # compiler modules
