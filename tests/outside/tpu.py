"""Programs that libtpu compiles ahead of time, without a TPU: `python tests/outside/tpu.py NAME`.

It prints what the compiler counts, or its error, and the module's text as JSON.  With `--xla_dump_to`
in `XLA_FLAGS` there is a folder too.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

os.environ.update(JAX_PLATFORMS="cpu", TPU_SKIP_MDS_QUERY="1")

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

F32, BF16, I32 = jnp.float32, jnp.bfloat16, jnp.int32
CHIP = "v5e:2x2"
Lowered = Any


@cache
def devices() -> list[Any]:
    return topologies.get_topology_desc(platform="tpu", topology_name=CHIP).devices


def array(shape: tuple[int, ...], dtype: Any = F32, place: Any = None) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype, sharding=place or SingleDeviceSharding(devices()[0]))


def pallas() -> Lowered:
    """A kernel of Pallas between operations of XLA."""
    from jax.experimental import pallas as pl

    def kernel(x: Any, y: Any, o: Any) -> None:
        o[...] = x[...] @ y[...]

    def program(x: Any, y: Any) -> Any:
        product = pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct((512, 256), F32),
            grid=(4, 2),
            in_specs=[
                pl.BlockSpec((128, 512), lambda i, j: (i, 0)),
                pl.BlockSpec((512, 128), lambda i, j: (0, j)),
            ],
            out_specs=pl.BlockSpec((128, 128), lambda i, j: (i, j)),
        )(x, y)
        return jnp.tanh(product).T

    return jax.jit(program).lower(array((512, 512)), array((512, 256)))


def sharded() -> Lowered:
    """Two products over four chips."""
    mesh = Mesh(np.array(devices()[:4]).reshape(2, 2), ("x", "y"))

    def over(*axes: str | None) -> NamedSharding:
        return NamedSharding(mesh, PartitionSpec(*axes))

    def program(x: Any, w1: Any, w2: Any) -> Any:
        h = jax.nn.gelu(x @ w1)
        return h @ w2, (h * 2).sum(0)

    jitted = jax.jit(program, out_shardings=(over("x", None), over("y")))
    sizes = (
        ((64, 100), over("x", None)),
        ((100, 400), over(None, "y")),
        ((400, 100), over("y", None)),
    )
    return jitted.lower(*(array(shape, place=place) for shape, place in sizes))


def oom() -> Lowered:
    """More than the chip has: every state of a loop is kept."""

    def program(x: Any, w: Any) -> Any:
        def body(c: Any, _: Any) -> Any:
            y = jnp.tanh(c @ w)
            return y, jnp.sin(y)

        return jax.lax.scan(body, x, None, length=64)

    return jax.jit(program).lower(array((16384, 8192)), array((8192, 8192)))


def offload() -> Lowered:
    """An argument and an output in the host's memory."""
    chip = SingleDeviceSharding(devices()[0])
    device, host = (chip.with_memory_kind(kind) for kind in ("device", "pinned_host"))

    def program(x: Any, w: Any) -> Any:
        z = x @ jax.device_put(w, device)
        return z, jax.device_put(z * 2, host)

    jitted = jax.jit(program, out_shardings=(device, host))
    return jitted.lower(array((256, 300)), array((300, 100), place=host))


def donated() -> Lowered:
    """Parameters that are written over."""

    def program(p: Any, m: Any, g: Any) -> Any:
        m = jax.tree.map(lambda a, b: 0.9 * a + b, m, g)
        return jax.tree.map(lambda a, b: a - 0.1 * b, p, m), m

    tree = {"w": array((300, 200)), "b": array((200,)), "e": array((1000, 7), BF16)}
    return jax.jit(program, donate_argnums=(0, 1)).lower(tree, tree, tree)


def ragged() -> Lowered:
    """A product of groups."""
    sizes = array((64, 256), BF16), array((4, 256, 128), BF16), array((4,), I32)
    return jax.jit(jax.lax.ragged_dot).lower(*sizes)


def stacked(merged: bool) -> Lowered:
    """A loop whose every state is kept."""

    def body(c: Any, _: Any) -> Any:
        c = jnp.sin(c) * 1.1
        return c, (c.reshape(-1) if merged else c)

    def program(x: Any) -> Any:
        return jax.lax.scan(body, x, None, length=50_000)[1].sum(0)

    return jax.jit(program).lower(array((8, 50)))


def elementwise(shape: tuple[int, ...]) -> Lowered:
    """Arguments that nothing treats apart."""

    def program(x: Any, y: Any) -> Any:
        return jnp.tanh(x) * y

    return jax.jit(program).lower(array(shape), array(shape))


def updated(shape: tuple[int, ...]) -> Lowered:
    """A cache that is written in part."""

    def program(cache: Any, new: Any, at: Any) -> Any:
        return jax.lax.dynamic_update_slice(cache, new, (at, *[0] * (len(shape) - 1)))

    sizes = array(shape, BF16), array((8, *shape[1:]), BF16), array((), I32)
    return jax.jit(program).lower(*sizes)


def distances() -> Lowered:
    """The nearest of many points with three coordinates each."""

    def program(x: Any, y: Any) -> Any:
        return jnp.einsum("bnd,bmd->bnm", x, y).max(-1)

    return jax.jit(program).lower(array((64, 2000, 3)), array((64, 2000, 3)))


def rotated(product: bool) -> Lowered:
    """Many points with three coordinates each, turned."""

    def program(r: Any, x: Any) -> Any:
        if product:
            return jnp.einsum("bij,bnj->bni", r, x)
        return (r[:, None] * x[:, :, None]).sum(-1)

    return jax.jit(program).lower(array((4096, 3, 3)), array((4096, 500, 3)))


PROGRAMS: dict[str, Callable[[], Lowered]] = {
    "pallas": pallas,
    "sharded": sharded,
    "oom": oom,
    "offload": offload,
    "donated": donated,
    "ragged": ragged,
    # programs with padding, and what the suggestion makes of them
    "stacked": lambda: stacked(merged=False),
    "stacked.better": lambda: stacked(merged=True),
    "elementwise": lambda: elementwise((5000, 6, 50)),
    "elementwise.better": lambda: elementwise((5000, 300)),
    "updated": lambda: updated((4096, 4, 40)),
    "updated.better": lambda: updated((4096, 160)),
    "distances": distances,
    "rotated": lambda: rotated(product=True),
    "rotated.better": lambda: rotated(product=False),
}


def main(name: str) -> None:
    report: dict[str, Any] = {"memory": {}, "error": "", "text": ""}
    try:
        compiled = PROGRAMS[name]().compile()
        counts = compiled.memory_analysis()
        names = [k for k in dir(counts) if k.endswith("in_bytes")]
        report["memory"] = {k: getattr(counts, k) for k in names}
        report["text"] = compiled.as_text()
    except jax.errors.JaxRuntimeError as error:
        report["error"] = str(error)
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
