"""What the real parsers say of a module: XLA's reader of HLO text and MLIR's of StableHLO.

XLA's reader looks at no shapes; its compiler for CPUs does, which takes longer.  All come with
jaxlib.  They run in a process of their own, because some texts end it.
"""

from __future__ import annotations

import multiprocessing
import os
from importlib.util import find_spec
from multiprocessing.connection import Connection

SECONDS = 30.0


def installed() -> bool:
    """Whether jaxlib can be asked."""
    return find_spec("jaxlib") is not None


class Judge:
    """Asks jaxlib, in a process that is begun anew when a text has ended it."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._begin()

    def _begin(self) -> None:
        self._here, there = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(there,), daemon=True)
        self._process.start()
        there.close()

    def refusal(self, text: str, mlir: bool) -> str | None:
        """Why the text does not parse, "" if it does, None if there is no answer in time."""
        return self._answer(text, "mlir" if mlir else "hlo")

    def compilation(self, text: str) -> str | None:
        """Why HLO text does not compile for a CPU; "" and None as above."""
        return self._answer(text, "compile")

    def _answer(self, text: str, task: str) -> str | None:
        answer: str | None = "it ends the process of the parser"
        try:
            self._here.send((text, task))
            if self._here.poll(SECONDS):
                return str(self._here.recv())
            answer = None
        except (EOFError, ConnectionError):
            pass
        self._process.kill()
        self._process.join()
        self._begin()
        return answer


def compile_hlo(text: str) -> None:
    """Compiles HLO text for a CPU; raises what the compiler says."""
    import jax  # type: ignore[import-not-found]
    from jax._src.interpreters.mlir import make_ir_context  # type: ignore[import-not-found]
    from jaxlib import _hlo, _jax, xla_client  # type: ignore[import-not-found]
    from jaxlib.mlir import ir  # type: ignore[import-not-found]

    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    source = _jax.mlir.xla_computation_to_mlir_module(computation)
    device = jax.devices("cpu")[0]
    device.client.compile_and_load(
        ir.Module.parse(source, context=make_ir_context()),
        xla_client.DeviceList((device,)),
        xla_client.CompileOptions(),
    )


def serve(pipe: Connection) -> None:
    """Answers as long as somebody asks."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # stack traces of the parser's own
    from jaxlib import _hlo  # type: ignore[import-not-found]
    from jaxlib.mlir import ir  # type: ignore[import-not-found]
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext  # type: ignore[import-not-found]
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo  # type: ignore[import-not-found]

    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (chlo, sdy, stablehlo):
        dialect.register_dialect(context)
    while True:
        try:
            text, task = pipe.recv()
        except EOFError:
            return
        try:
            if task == "mlir":
                ir.Module.parse(text, context=context)
            elif task == "hlo":
                _hlo.hlo_module_from_text(text)
            else:
                compile_hlo(text)
            pipe.send("")
        except Exception as error:  # whatever it is, the text is refused
            pipe.send(str(error) or "refused")
