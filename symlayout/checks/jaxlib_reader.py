"""Writes the text of a module that is given as bytes.

`python -P jaxlib_reader.py TASK BYTES SECONDS < FILE` runs in a process of its own and imports
nothing of this package.  TASK is "hlo" for an HloModuleProto, "artifact" for a portable artifact of
StableHLO, "mlir" for MLIR bytecode.  The process writes at most one byte more than BYTES.  It bounds
its memory, and its processor time by SECONDS for each core.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

MEMORY = 8 << 30  # bytes of address space; jaxlib's libraries alone take less than one GiB
REASON = 2000  # characters of an error


def hlo(data: bytes) -> str:
    """The text of an HloModuleProto."""
    for name in ("jaxlib._hlo", "jaxlib._jax", "jaxlib.xla_extension"):  # newer ones first
        try:
            reader = import_module(name).HloModule
        except (ImportError, AttributeError):
            continue
        return str(reader.from_serialized_hlo_module_proto(data).to_string())
    raise ImportError("jaxlib has no reader of HLO")


def context() -> Any:
    """A context of MLIR with the dialects of JAX's programs."""
    ir = import_module("jaxlib.mlir.ir")
    registry = ir.DialectRegistry()
    import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext").register_dialects(registry)
    hit = ir.Context()
    hit.append_dialect_registry(registry)
    hit.load_all_available_dialects()
    for name in ("chlo", "sdy", "stablehlo"):
        import_module(f"jaxlib.mlir.dialects.{name}").register_dialect(hit)
    return hit


def mlir(data: bytes) -> str:
    """The text of MLIR bytecode."""
    return str(import_module("jaxlib.mlir.ir").Module.parse(data, context=context()))


def artifact(data: bytes) -> str:
    """The text of a portable artifact of StableHLO."""
    dialect = import_module("jaxlib.mlir.dialects.stablehlo")
    return str(dialect.deserialize_portable_artifact(context(), data))


TASKS: dict[str, Callable[[bytes], str]] = {"hlo": hlo, "mlir": mlir, "artifact": artifact}


def bound(seconds: int) -> None:
    """Limits the memory and the processor time of this process, where the system can do so."""
    try:
        import resource
    except ImportError:  # on Windows
        return
    limits = {
        "RLIMIT_AS": MEMORY,
        "RLIMIT_CPU": seconds * (os.cpu_count() or 1),
        "RLIMIT_CORE": 0,
    }
    for name, value in limits.items():
        with suppress(AttributeError, ValueError, OSError):
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (most, most))


def main(task: str, most: str, seconds: str) -> int:
    """Reads the standard input and writes the text; a failure is one line."""
    bound(int(seconds))
    try:
        data = TASKS[task](sys.stdin.buffer.read()).encode()
    except Exception as error:  # what the reader says is all that is known
        print(" ".join(str(error)[:REASON].split()) or type(error).__name__, file=sys.stderr)
        return 1
    sys.stdout.buffer.write(data[: int(most) + 1])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
