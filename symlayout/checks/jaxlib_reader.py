"""Writes the text of a module that is given as bytes: `python -P jaxlib_reader.py TASK < FILE`.

It runs with `python -P` in a process of its own and imports nothing of this package.  TASK is "hlo"
for an HloModuleProto, "artifact" for a portable artifact of StableHLO, "mlir" for MLIR bytecode.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


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


def main(task: str) -> int:
    """Reads the standard input and writes the text; a failure is one line."""
    try:
        text = TASKS[task](sys.stdin.buffer.read())
    except Exception as error:  # what the reader says is all that is known
        print(" ".join(str(error).split()) or type(error).__name__, file=sys.stderr)
        return 1
    sys.stdout.buffer.write(text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
