"""Values of other packages against what their doors read: random ones, as many as are asked for.

    python benchmarks/doors.py [COUNT] [--only NAME]

Each peer that is installed is compared (NumPy, JAX, PyTorch, MLIR's bindings in jaxlib, einops,
tensor-layouts, CuTe DSL, Triton, TVM); the others are left out, and the package itself needs none.
The last line says how many differ.  `same` counts values that were looked at point by point or vector
by vector; `refused` those that one side has no answer for.
"""

from __future__ import annotations

import argparse
import importlib
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

import support  # noqa: F401 - finds tests/support

from symlayout import parse, tla
from symlayout.layouts.doors.linear import Linear

Tally = Counter[str]
Door = Callable[[random.Random, int], Tally]


def compared(pairs: Iterator[tuple[Any, Any]]) -> Tally:
    """How many pairs of answers are the same; the first differences are printed."""
    tally: Tally = Counter()
    for ours, theirs in pairs:
        if ours is None or theirs is None:
            tally["refused"] += 1
            continue
        tally["same" if ours == theirs else "differ"] += 1
        if ours != theirs and tally["differ"] <= 3:
            print(f"  ours {str(ours)[:150]}\n  theirs {str(theirs)[:90]}")
    return tally


def offsets(layout: Any, shape: tuple[int, ...]) -> list[int]:
    """Our offsets, coordinate by coordinate."""
    m = layout.index_map()
    return [int(m.offset(*p)) for p in product(*map(range, shape))]


# -- arrays -----------------------------------------------------------------------------------------


def _view(rng: random.Random, module: Any, flip: bool = True) -> Any:
    """A random view: axes exchanged, every so many elements of each."""
    rank = rng.randint(1, 4)
    array = module.zeros(tuple(rng.randint(1, 4) for _ in range(rank)), dtype=module.float32)
    axes = rng.sample(range(rank), rank)
    view = array.permute(*axes) if hasattr(array, "permute") else array.transpose(axes)
    steps = [1, 2, -1] if flip else [1, 2]
    return view[tuple(slice(None, None, rng.choice(steps)) for _ in axes)]


def numpy(rng: random.Random, count: int) -> Tally:
    """Views by their addresses."""
    import numpy as np

    def pairs() -> Iterator[tuple[Any, Any]]:
        for _ in range(count):
            view = _view(rng, np)
            places = product(*map(range, view.shape))
            found = [sum(i * s for i, s in zip(p, view.strides)) // 4 for p in places]
            low = min(found, default=0)
            yield offsets(parse(view), view.shape), [x - low for x in found]

    return compared(pairs())


def torch(rng: random.Random, count: int) -> Tally:
    """Views by the address of each element."""
    module = importlib.import_module("torch")

    def pairs() -> Iterator[tuple[Any, Any]]:
        for _ in range(count):
            view = _view(rng, module, flip=False)
            base = view.untyped_storage().data_ptr()
            shape = tuple(view.shape)
            every = [view[p].data_ptr() - base for p in product(*map(range, shape))]
            yield offsets(parse(view), shape), [x // 4 for x in every]

    return compared(pairs())


def jax(rng: random.Random, count: int) -> Tally:
    """Arrays by the order of their dimensions, specifications by their shape."""
    module = importlib.import_module("jax")

    def pairs() -> Iterator[tuple[Any, Any]]:
        for _ in range(count):
            shape = tuple(rng.randint(1, 5) for _ in range(rng.randint(0, 3)))
            kind = rng.choice(["float32", "bfloat16", "int8", "bool"])
            spec = module.ShapeDtypeStruct(shape, kind)
            given = module.numpy.zeros(shape, kind) if rng.random() < 0.2 else spec
            yield offsets(parse(given), shape), list(range(prod(shape)))

    return compared(pairs())


# -- texts ------------------------------------------------------------------------------------------


def iree(rng: random.Random, count: int) -> Tally:
    """The same of IREE's bindings."""
    return mlir(rng, count, "iree.compiler.ir")


def mlir(rng: random.Random, count: int, bindings: str = "jaxlib.mlir.ir") -> Tally:
    """Memrefs by their strides and offset, affine maps by their value at a point."""
    from soundness import doors

    ir = importlib.import_module(bindings)

    def pairs() -> Iterator[tuple[Any, Any]]:
        for k in range(count):
            if k % 2:
                dims = [rng.randint(1, 9) for _ in range(rng.randint(1, 4))]
                steps = [rng.randint(-4, 40) for _ in dims]
                tail = f", strided<{steps}, offset: {rng.randint(0, 9)}>" if k % 4 == 1 else ""
                text = f"memref<{'x'.join(map(str, dims))}xf32{tail}>"
                strides, start = ir.MemRefType(ir.Type.parse(text)).get_strides_and_offset()
                read = parse(text)
                yield (list(read.strides), read.start), (strides, start)
                continue
            f = doors.affine(rng)
            attribute = ir.Attribute.parse(f.text)
            theirs = ir.AffineMapAttr(attribute).value
            printed = str(attribute) if k % 4 else f.text  # as MLIR prints it
            point = tuple(rng.choice(r) for r in f.domain)
            given = [n for name, n in f.sizes.items() if not name.startswith("D")]
            sizes = f.sizes | {f"s{i}": n for i, n in enumerate(given)}  # as MLIR calls them
            given = [*point, *given]
            at = ir.AffineMap.get(0, 0, [ir.AffineConstantExpr.get(x) for x in given])
            moved = list(theirs.results)
            if len(given) > len(point):  # a symbol is one more dimension of the constants
                moved = [_as_dimension(ir, e, len(point), len(given)) for e in moved]
            values = [ir.AffineConstantExpr(e.compose(at)).value for e in moved]
            yield list(parse(printed).at(point, sizes)), values

    with ir.Context():
        return compared(pairs())


def _as_dimension(ir: Any, e: Any, rank: int, many: int) -> Any:
    """The expression with its symbols as dimensions behind the others."""
    text = re.sub(r"s(\d+)", lambda m: f"d{rank + int(m[1])}", str(e))
    names = ", ".join(f"d{k}" for k in range(many))
    made = ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<({names}) -> ({text})>")).value
    return made.results[0]


def einops(rng: random.Random, count: int) -> Tally:
    """Rearrangements of an array of numbers."""
    import numpy as np
    from soundness import doors

    rearrange, made = importlib.import_module("einops").rearrange, [0]

    def pairs() -> Iterator[tuple[Any, Any]]:
        for f in iter(lambda: doors.einops(rng), None):
            if made[0] == count:
                return
            pattern = f.text.removeprefix("einops ")
            array = np.arange(prod(map(len, f.domain))).reshape([len(r) for r in f.domain])
            left, right = (set(re.findall(r"[a-z]\w*", s)) for s in pattern.split("->"))
            if left != right:
                continue  # a reduction moves no single element
            made[0] += 1
            out, read = rearrange(array, pattern, **f.sizes), parse(f.text)
            points = list(product(*f.domain))
            yield [int(out[read.at(p, f.sizes)]) for p in points], [int(array[p]) for p in points]

    return compared(pairs())


# -- layouts ----------------------------------------------------------------------------------------


def _nested(rng: random.Random, most: int = 4) -> tuple[Any, Any]:
    """A random shape of up to so many modes in two levels, and strides."""
    modes = [
        tuple(rng.choice([1, 2, 3, 4, 8]) for _ in range(rng.randint(1, 2)))
        for _ in range(rng.randint(1, most // 2))
    ]
    flat = [n for m in modes for n in m]
    strides, below = [0] * len(flat), 1
    for k in rng.sample(range(len(flat)), len(flat)):
        strides[k] = below if rng.random() < 0.8 else rng.choice([1, 2, 16, 3])
        below *= flat[k]
    steps = [tuple(strides.pop(0) for _ in m) for m in modes]

    def plain(parts: list[Any]) -> Any:
        made = tuple(p[0] if len(p) == 1 else p for p in parts)
        return made[0] if len(made) == 1 else made

    return plain(modes), plain(steps)


def answer(f: Callable[[], Any]) -> Any:
    """What a call gives; None where it is refused."""
    try:
        return f()
    except Exception:
        return None


OPERATIONS: dict[str, tuple[str, int]] = {  # theirs, and how many layouts it takes
    "coalesce": ("coalesce", 1),
    "right_inverse": ("right_inverse", 1),
    "left_inverse": ("left_inverse", 1),
    "composition": ("compose", 2),
    "logical_divide": ("logical_divide", 2),
    "zipped_divide": ("zipped_divide", 2),
    "logical_product": ("logical_product", 2),
}


def values(layout: Any) -> list[int] | None:
    """A layout's function on its numbers."""
    if layout is None:
        return None
    made = tla.Layout(layout.shape, layout.stride)
    return [int(made(k)) for k in range(int(made.size))]


def tensor_layouts(rng: random.Random, count: int) -> Tally:
    """Layouts as they are, and what the operations of both give."""
    peer = importlib.import_module("tensor_layouts")

    def pairs() -> Iterator[tuple[Any, Any]]:
        for k in range(count):
            given = [_nested(rng) for _ in range(2)]
            theirs = [peer.Layout(*g) for g in given]
            mine = [parse(t) for t in theirs]
            if k % 4 == 0:
                numbers = range(peer.size(theirs[0]))
                yield values(mine[0]), [theirs[0](n) for n in numbers]
                continue
            name, (other, many) = rng.choice(list(OPERATIONS.items()))
            ours = answer(lambda: getattr(tla, name)(*mine[:many]))  # noqa: B023
            found = answer(lambda: getattr(peer, other)(*theirs[:many]))  # noqa: B023
            yield judged(name, mine, ours, None if found is None else parse(found))

    return compared(pairs())


def judged(name: str, given: list[Any], ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Both answers as values; of an inverse, which has several, whether ours is one at all."""
    a, b = values(ours), values(theirs)
    if a is None or b is None or a == b:
        return a, b
    inner = values(given[0]) or []
    if name == "right_inverse" and all(inner[x] == k for k, x in enumerate(a)):
        return len(a) >= len(b), True
    if name == "left_inverse" and all(ours(y) == k for k, y in enumerate(inner)):
        return True, True
    reach = values(given[1]) or [0]
    if name != "logical_product" and max(reach) >= len(inner):
        return None, None  # where the first is not defined, each goes on in its own way
    both = [inner, reach] if name == "logical_product" else [reach]
    if name != "composition" and any(len(set(v)) < len(v) for v in both):
        return None, None  # there is no complement of what meets itself
    texts = " and ".join(map(str, given[: OPERATIONS[name][1]]))
    return f"{name} of {texts}: {ours}", f"{theirs}"


def cute(rng: random.Random, count: int) -> Tally:
    """Layouts of CuTe's Python, plain and swizzled, and what its operations give."""
    peer = importlib.import_module("cutlass.cute")
    found: list[tuple[Any, Any]] = []

    def work() -> None:
        for k in range(count):
            (shape, stride), second = _nested(rng), _nested(rng)
            theirs = peer.make_layout(shape, stride=stride)
            if k % 4 == 0:
                read = parse(theirs)
                found.append((str(read).replace(" ", ""), str(theirs).replace(" ", "")))
            elif k % 4 == 1:
                bits = rng.randint(1, 3), rng.randint(0, 4), rng.randint(3, 4)
                composed = peer.make_composed_layout(peer.make_swizzle(*bits), 0, theirs)
                named = f"Swizzle({','.join(map(str, bits))}) o 0 o {theirs}"
                found.append((str(parse(composed)), str(parse(named))))
            else:
                name, (_, many) = rng.choice(list(OPERATIONS.items())[:4])  # products crash it
                both = [theirs, peer.make_layout(second[0], stride=second[1])]
                ours = answer(lambda: getattr(tla, name)(*map(parse, both[:many])))  # noqa: B023
                other = answer(lambda: parse(getattr(peer, name)(*both[:many])))  # noqa: B023
                found.append(judged(name, [*map(parse, both)], ours, other))

    peer.jit(lambda: work())()
    return compared(iter(found))


# -- bits -------------------------------------------------------------------------------------------


def _split(rng: random.Random, bits: int, rank: int) -> list[int]:
    made = [1] * rank
    for _ in range(bits):
        made[rng.randrange(rank)] *= 2
    return made


def _encoding(rng: random.Random, peer: Any) -> tuple[str, Any, int]:
    """A text, Triton's own value, and how many dimensions it has."""
    kind, rank = rng.choice(["blocked", "mma", "hopper", "dot", "shared", "slice"]), 2
    if kind in ("blocked", "slice", "shared"):
        rank = rng.randint(1, 3) if kind == "blocked" else 2
    if kind == "shared":
        order = rng.sample(range(rank), rank)
        sizes = [2 ** rng.randint(0, 3) for _ in range(3)]
        fields = dict(zip(("vec", "perPhase", "maxPhase"), sizes))
        text = ", ".join(f"{k} = {v}" for k, v in fields.items())
        value = peer.SwizzledSharedLayout(*sizes, order)
        return f"#ttg.swizzled_shared<{{{text}, order = {order}}}>", value, rank
    if kind in ("blocked", "slice"):
        own = [_split(rng, n, rank) for n in (rng.randint(0, 4), 5, rng.randint(0, 3))]
        order = rng.sample(range(rank), rank)
        names = zip(("sizePerThread", "threadsPerWarp", "warpsPerCTA"), own)
        text = ", ".join(f"{k} = {v}" for k, v in names)
        text, value = (
            f"#ttg.blocked<{{{text}, order = {order}}}>",
            peer.BlockedLayout(*own, order),
        )
    else:
        warps = [4, rng.choice([1, 2])] if kind == "hopper" else _split(rng, rng.randint(0, 3), 2)
        version = 3 if kind == "hopper" else 2
        instr = [16, rng.choice([8, 32, 128]), 16] if kind == "hopper" else [16, 8]
        text = f"versionMajor = {version}, versionMinor = 0, warpsPerCTA = {warps}"
        text = f"#ttg.nvidia_mma<{{{text}, instrShape = {instr}}}>"
        value = peer.NVMMADistributedLayout([version, 0], warps, instr)
    if kind == "dot":
        index, width = rng.randrange(2), rng.choice([1, 2, 4, 8])
        text = f"#ttg.dot_op<{{opIdx = {index}, parent = {text}, kWidth = {width}}}>"
        value = peer.DotOperandLayout(index, value, width)
    if kind == "slice":
        dim, rank = rng.randrange(2), 1
        text, value = f"#ttg.slice<{{dim = {dim}, parent = {text}}}>", peer.SliceLayout(dim, value)
    return text, value, rank


def _matrix_unit(rng: random.Random) -> tuple[str, Any, list[int]]:
    """A text of an encoding of AMD's matrix units, and its value."""
    peer = importlib.import_module("triton.experimental.gluon.language._layouts")
    amd = importlib.import_module("triton.experimental.gluon.language.amd._layouts")
    rank = rng.choice([2, 2, 3])
    shape = [2 ** rng.randint(0, 3) for _ in range(rank - 2)]
    shape += [2 ** rng.randint(3, 8) for _ in range(2)]
    across = rng.random() < 0.5
    kind = rng.choice(["mfma", "wmma"])
    if kind == "mfma":
        instr = rng.choice([[32, 32, 8], [16, 16, 16], [4, 64, 4], [64, 4, 4]])
        across = across or instr[0] == 64
        warps, tiles = _split(rng, rng.randint(0, 3), rank), [1] * rank
        if rng.random() < 0.3:
            tiles[-2:] = 2 ** rng.randint(0, 1), 2 ** rng.randint(0, 1)
        wide = 64 if rng.random() < 0.2 and 4 not in instr else 32
        text = f"version = 3, warpsPerCTA = {warps}, instrShape = {instr}"
        text += f", isTransposed = {str(across).lower()}, tilesPerWarp = {tiles}"
        text += f", elementBitWidth = {wide}" * (wide == 64)
        text = f"#ttg.amd_mfma<{{{text}}}>"
        value = amd.AMDMFMALayout(3, instr, across, warps, wide, tiles)
        widths, reach = [4, 8, 16], instr[:2]
    else:
        version = rng.choice([1, 2, 3])
        instr = [16, 16, rng.choice([32, 64, 128]) if version == 3 else 16]
        units, bases = [0] * rank, []
        for _ in range(rng.randint(0, 3)):
            d = rng.randrange(rank - 2, rank)
            bases.append([2 ** units[d] if k == d else 0 for k in range(rank)])
            units[d] += 1
        cut = rng.randint(0, len(bases))
        rows = {"register": bases[:cut], "warp": bases[cut:]}
        table = ", ".join(f"{k} = {v}" for k, v in rows.items() if v)
        text = f"version = {version}, isTranspose = {str(across).lower()}, ctaLayout = {{{table}}}"
        text = f"#ttg.amd_wmma<{{{text}, instrShape = {instr}}}>"
        value = amd.AMDWMMALayout(version, across, bases[cut:], bases[:cut], instr, rank=rank)
        widths, reach = [16] if version == 1 else [4, 8, 16], instr[:2]
    if kind == "wmma":  # the package's own asserts stop at smaller tensors
        shape[-2:] = (max(n, r) for n, r in zip(shape[-2:], reach))
    if rng.random() < 0.4:
        index, width = rng.randrange(2), rng.choice(widths)
        text = f"#ttg.dot_op<{{opIdx = {index}, parent = {text}, kWidth = {width}}}>"
        value = peer.DotOperandLayout(index, value, width)
        shape[-2:] = (max(n, 64) for n in shape[-2:])
    return text, value, shape


def _shared_tile(rng: random.Random) -> tuple[str, Any, list[int]]:
    """A text of shared memory for NVIDIA's matrix units, at times of a cluster, and its value."""
    peer = importlib.import_module("triton.experimental.gluon.language._layouts")
    rank, width = rng.choice([2, 2, 3]), rng.choice([0, 32, 64, 128])
    bits, across = rng.choice([8, 16, 32, 64]), rank == 2 and rng.random() < 0.5
    padding = (width, bits) == (128, 8) and not across and rng.random() < 0.5
    shape = [2 ** rng.randint(0, 3) for _ in range(rank - 2)]
    shape += [2 ** rng.randint(4, 8) for _ in range(2)]
    first = 0 if across else rank - 1
    shape[first] = max(shape[first], 2 * 8 * width // bits)
    whole = rng.randrange(rank)
    cluster = [[int(d == whole) for d in range(rank)]] if rng.random() < 0.4 else []
    text = f"swizzlingByteWidth = {width}, transposed = {str(across).lower()}"
    text += f", elementBitWidth = {bits}" + ", fp4Padded = true" * padding
    text += f", rank = {rank}" * (rank != 2) + f", CGALayout = {cluster}" * bool(cluster)
    value = peer.NVMMASharedLayout(width, bits, rank, across, padding, cluster)
    return f"#ttg.nvmma_shared<{{{text}}}>", value, shape


def _linear_layouts(found: Callable[[], tuple[str, Any, list[int]]], count: int) -> Tally:
    """Encodings on shapes as the linear layouts that Triton makes of them."""
    lib = importlib.import_module("triton._C.libtriton")
    context = lib.ir.context()
    lib.ir.load_dialects(context)
    builder = lib.gluon_ir.GluonOpBuilder(context)

    def pairs() -> Iterator[tuple[Any, Any]]:
        for _ in range(count):
            text, value, shape = found()
            theirs = answer(lambda: builder.to_linear_layout(value._to_ir(builder), shape))  # noqa: B023
            read = parse(f"{text} on {'x'.join(map(str, shape))}")
            yield read.ins, None if theirs is None else parse(theirs).ins

    return compared(pairs())


def triton_units(rng: random.Random, count: int) -> Tally:
    """Encodings of matrix units."""
    return _linear_layouts(lambda: _matrix_unit(rng), count)


def triton_shared(rng: random.Random, count: int) -> Tally:
    """Shared memory as NVIDIA's matrix units read it."""
    return _linear_layouts(lambda: _shared_tile(rng), count)


def triton(rng: random.Random, count: int) -> Tally:
    """Encodings of blocks, of NVIDIA's registers and of shared memory."""
    peer = importlib.import_module("triton.experimental.gluon.language._layouts")

    def found() -> tuple[str, Any, list[int]]:
        text, value, rank = _encoding(rng, peer)
        return text, value, [2 ** rng.randint(0, 7) for _ in range(rank)]

    return _linear_layouts(found, count)


CONVERSION = """#a = {a}
#b = {b}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, ttg.target = "cuda:80",
                   "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @f(%p: tensor<{dims}x!tt.ptr<f32>, #a>, %q: tensor<{dims}x!tt.ptr<f32>, #b>) {{
    %v = tt.load %p : tensor<{dims}x!tt.ptr<f32>, #a>
    %w = ttg.convert_layout %v : tensor<{dims}xf32, #a> -> tensor<{dims}xf32, #b>
    tt.store %q, %w : tensor<{dims}x!tt.ptr<f32>, #b>
    tt.return
  }}
}}
"""


def triton_conversions(rng: random.Random, count: int) -> Tally:
    """What it takes from one encoding to another: what Triton's compiler makes of it, without a GPU.

    Where lanes of a warp can exchange the elements, or have them in registers that depend on the lane,
    the compiler takes shuffles or shared memory.
    """
    from symlayout import conversion

    lib = importlib.import_module("triton._C.libtriton")
    context = lib.ir.context()
    lib.ir.load_dialects(context)
    lib.nvidia.load_dialects(context)

    def made(a: str, b: str, shape: list[int], warps: int) -> tuple[bool, bool]:
        """Whether the compiler takes shared memory, and whether it takes shuffles."""
        dims = "x".join(map(str, shape))
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(CONVERSION.format(a=a, b=b, dims=dims, warps=warps))
            file.flush()
            module = lib.ir.parse_mlir_module(file.name, context)
        for add in ("add_allocate_shared_memory_nv", "add_to_llvmir"):
            manager = lib.ir.pass_manager(context)
            getattr(lib.nvidia.passes.ttgpuir, add)(manager, 80, 80)
            manager.run(module, add)
        return bool(module.get_int_attr("ttg.shared")), "shfl" in str(module)

    def pairs() -> Iterator[tuple[Any, Any]]:
        for _ in range(count):
            warps, shape = rng.randint(0, 2), [2 ** rng.randint(2, 6) for _ in range(2)]
            a, b = _held(rng, warps, shape)
            dims = "x".join(map(str, shape))
            needs = conversion(f"{a} on {dims}", f"{b} on {dims}").needs
            memory, shuffles = made(a, b, shape, 1 << warps)
            fits = {
                "nothing": not memory and not shuffles,
                "registers": not memory and not shuffles,
                "selection": memory or shuffles,
                "shuffles": memory or shuffles,
                "shared memory": memory,
            }
            yield (a, b, needs, True), (a, b, needs, fits.get(needs, False))

    return compared(pairs())


def _held(rng: random.Random, warps: int, shape: list[int]) -> tuple[str, str]:
    """Two encodings of registers, near to one another at times."""

    def blocked() -> str:
        own = [_split(rng, n, 2) for n in (rng.randint(0, 3), 5, warps)]
        names = zip(("sizePerThread", "threadsPerWarp", "warpsPerCTA"), own)
        text = ", ".join(f"{k} = {v}" for k, v in names)
        return f"#ttg.blocked<{{{text}, order = {rng.sample(range(2), 2)}}}>"

    def vectors(ins: dict[str, list[Any]]) -> str:
        rows = {n: [list(v) for v in vs] for n, vs in ins.items()}
        return f"#ttg.linear<{{{', '.join(f'{n} = {v}' for n, v in rows.items())}}}>"

    a = blocked()
    if rng.random() < 0.3:
        return a, blocked()
    rows = {n: list(v) for n, v in parse(f"{a} on {shape[0]}x{shape[1]}").ins}
    changed = {n: list(v) for n, v in rows.items()}
    for _ in range(rng.randint(0, 3)):  # bits exchanged, within an input or between two
        x, y = (rng.choice([n for n in rows if changed[n]] or ["lane"]) for _ in "xy")
        i, j = rng.randrange(len(changed[x])), rng.randrange(len(changed[y]))
        changed[x][i], changed[y][j] = changed[y][j], changed[x][i]
    return vectors(rows), vectors(changed)


def triton_linear(rng: random.Random, count: int) -> Tally:
    """Random linear layouts: ranks, composition, inverse, and the value at a point."""
    lib = importlib.import_module("triton._C.libtriton.linear_layout").LinearLayout

    def of(a: Linear) -> Any:
        rows = [(n, [list(v) for v in vs]) for n, vs in a.ins]
        return lib.from_bases(rows, [n for n, _ in a.outs], [d for _, d in a.outs], False)

    def pairs() -> Iterator[tuple[Any, Any]]:
        for k in range(count):
            a = _linear(rng, ("x", "y"), ("p", "q"))
            b = Linear.of({n: [tuple(rng.randrange(4) for _ in "uv") for _ in range(d.bit_length() - 1)]
                           for n, d in a.outs}, {"u": 4, "v": 4})  # fmt: skip
            theirs = of(a)
            if k % 3 == 0:
                told = theirs.is_injective(), theirs.is_surjective(), theirs.is_invertible()
                yield (a.injective, a.onto, a.invertible), told
            elif k % 3 == 1:
                yield b.compose(a).ins, parse(theirs.compose(of(b))).ins
            elif a.invertible:
                yield a.inverse().ins, parse(theirs.invert()).ins
            else:
                point = {n: rng.randrange(1 << len(v)) for n, v in a.ins}
                yield a.at(tuple(point.values()), {}), tuple(theirs.apply(point).values())

    return compared(pairs())


def _linear(rng: random.Random, ins: tuple[str, ...], outs: tuple[str, ...]) -> Linear:
    sizes = {n: 2 ** rng.randint(0, 3) for n in outs}
    units = [
        tuple(2**k if n == m else 0 for m in outs)
        for n, d in sizes.items()
        for k in range(d.bit_length() - 1)
    ]
    rng.shuffle(units)
    if rng.random() < 0.4:
        units = [tuple(rng.randrange(sizes[n]) for n in outs) for _ in range(rng.randint(0, 6))]
    cut = rng.randint(0, len(units))
    return Linear.of(dict(zip(ins, (units[:cut], units[cut:]))), sizes)


def tvm(rng: random.Random, count: int) -> Tally:
    """Index maps by their value at a point."""
    peer = importlib.import_module("tvm.tirx").IndexMap

    def pairs() -> Iterator[tuple[Any, Any]]:
        for _ in range(count):
            n, m, t = rng.randint(1, 8), rng.randint(1, 8), rng.randint(1, 5)
            made = peer.from_func(
                rng.choice(
                    [
                        lambda i, j: (i // n, j // m, i % n, j % m),  # noqa: B023
                        lambda i, j: (i * t + j, j % m),  # noqa: B023
                        lambda i, j: ((i + j * t) // n, (i - j) % m),  # noqa: B023
                        lambda i, j: (i * n + j,),  # noqa: B023
                    ]
                )
            )
            point = rng.randint(0, 40), rng.randint(0, 40)
            theirs = [int(x) for x in made.map_indices(list(point))]
            sizes = dict.fromkeys(("I", "J"), 41)
            yield list(parse(made).at(point, sizes)), theirs

    return compared(pairs())


def tvm_tiles(rng: random.Random, count: int) -> Tally:
    """Tile layouts by what they give for each element: how far along each axis."""
    peer = importlib.import_module("tvm.tirx.layout")

    def pairs() -> Iterator[tuple[Any, Any]]:
        for _ in range(count):
            axes = rng.sample(["laneid", "warpid", "m", "tx"], rng.randint(1, 3))
            row = [(rng.randint(1, 4), rng.randint(0, 9), rng.choice(axes)) for _ in range(3)]
            row = row[: rng.randint(1, 3)]
            start = {rng.choice(axes): rng.randint(0, 9)} if rng.random() < 0.4 else {}
            copies = [(2, rng.randint(1, 5), rng.choice(axes))] if rng.random() < 0.3 else []
            iters = [[peer.Iter(*i) for i in part] for part in (row, copies)]
            theirs = peer.TileLayout.from_iters(*iters, start)
            read = parse(theirs)
            names = list(dict.fromkeys([a for *_, a in (*row, *copies)]))
            names = list(dict.fromkeys([*names, *start]))
            shape = [n for n, *_ in row]
            points = list(product(*map(range, shape)))
            found = [theirs.apply(*p, shape=shape) for p in points]
            expected = [[int(dict(f).get(a, 0)) for a in names] for f in found]
            yield [list(read.at((*p, *[0] * len(copies)), {})) for p in points], expected

    return compared(pairs())


def atoms(rng: random.Random, count: int) -> Tally:
    """Instructions that tensor-layouts lists by the same name: which element each thread holds."""
    from symlayout.layouts.doors.tv import atoms as known

    peer = importlib.import_module("tensor_layouts.atoms_nv")

    def pairs() -> Iterator[tuple[Any, Any]]:
        for name, atom in known().items():
            theirs = getattr(peer, name, None)
            both = theirs is not None and hasattr(theirs, "a_layout") and max(atom.shape) <= 64
            for operand in "ABC" if both and "_SS" not in name else "":
                layout = parse(getattr(theirs, f"{operand.lower()}_layout"))
                ours, other = values(parse(atom.layouts[operand])), values(layout)
                if len(set(other or [])) != prod(atom.tiles[operand]):
                    print(f"  {name} {operand}: {layout} leaves elements of the tile out")
                    ours = None
                yield (ours, other) if ours is None else ((name, ours), (name, other))

    return compared(pairs())


DOORS: dict[str, tuple[str, Door]] = {
    "NumPy: views": ("numpy", numpy),
    "PyTorch: views": ("torch", torch),
    "JAX: arrays and specifications": ("jax", jax),
    "MLIR: memrefs and affine maps": ("jaxlib.mlir.ir", mlir),
    "MLIR as IREE has it": ("iree.compiler.ir", iree),
    "einops: rearrangements": ("einops", einops),
    "tensor-layouts: layouts and operations": ("tensor_layouts", tensor_layouts),
    "tensor-layouts: NVIDIA's instructions": ("tensor_layouts", atoms),
    "CuTe DSL: layouts and operations": ("cutlass.cute", cute),
    "Triton: encodings": ("triton", triton),
    "Triton: encodings of matrix units": ("triton", triton_units),
    "Triton: tiles of shared memory": ("triton", triton_shared),
    "Triton: conversions between encodings": ("triton", triton_conversions),
    "Triton: linear layouts": ("triton", triton_linear),
    "TVM: index maps": ("tvm.tirx", tvm),
    "TVM: tile layouts": ("tvm.tirx.layout", tvm_tiles),
}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=500)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print(f"{'door':42}{'same':>6}{'differ':>8}{'refused':>9}{'seconds':>9}")
    different = 0
    for name, (module, door) in DOORS.items():
        if args.only.lower() not in name.lower():
            continue
        try:
            importlib.import_module(module)
        except ImportError:
            print(f"{name:42}  (not installed)")
            continue
        start = time.perf_counter()
        tally = door(random.Random(name), args.count)
        took = time.perf_counter() - start
        different += tally["differ"]
        print(f"{name:42}{tally['same']:6}{tally['differ']:8}{tally['refused']:9}{took:9.1f}")
    print(f"{different} differ")


if __name__ == "__main__":
    main()
