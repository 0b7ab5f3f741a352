"""Objects of other libraries as layouts, by what they offer: nothing of theirs is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.reader import any_name, read_expression
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.reader import read_layout
from symlayout.layouts.doors.attributes import only
from symlayout.layouts.doors.encoding import Encoding
from symlayout.layouts.doors.linear import Linear
from symlayout.layouts.doors.mlir import read_affine_map
from symlayout.layouts.doors.padding import Padded
from symlayout.layouts.doors.triton import encoded
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import read_map
from symlayout.layouts.strided import Strided, row_major
from symlayout.layouts.xla.dtypes import help_for, known_as
from symlayout.layouts.xla.shape import Shape
from symlayout.text.patterns import regex

SYMBOLIC = ("_DimExpr", "SymInt")  # of JAX and of PyTorch
NATIVE = "<" if sys.byteorder == "little" else ">"
TYPE = regex(r"(?P<order>[<>|=])(?P<kind>[biufc])(?P<width>\d{1,3})")
CONSTANT = regex(r"\bT\.int(?:32|64)\((-?\d+)\)")
# what classes have beside what says where elements lie
OF_VALUES = ("type", "value", "context", "location", "owner", "uses", "max_alignment", "_CAPIPtr")
SHARED = ("interval_padding_pairs", "cga_layout", "alignment")  # beside vectors, in Gluon's
OF_TVM = ("reg_dict", "kPSUMMaxElemPerBank", "kPSUMBankNum", "span")
VARIABLE = """
name byte_offset sub shape strides elem_offset data_alignment offset_factor layout allocated_addr
dtype data ty
"""
ARRAY = """
dtype itemsize strides nbytes ndim size device flags base data T mT real imag flat at
sharding _sharding weak_type aval
"""
STRUCTURE = """
shape dtype format sharding size ndim weak_type is_ref manual_axis_type vma _dll _sharding
"""
_KINDS = {"b": "pred", "i": "s", "u": "u", "f": "f", "c": "c"}


def from_array(array: Any) -> Strided:
    """The layout of a NumPy or PyTorch array (or anything with their attributes) in its own memory.

    >>> import numpy as np
    >>> print(from_array(np.zeros((3, 4), np.float32).T))
    strided f32[4,3] strides(1,4)

    PyTorch's storage offset is the offset.  A NumPy view with negative strides begins where its
    first element lies, counted from its lowest address.  Raises `LayoutError` for an array without
    strides, with an unknown element type, or with strides that are no whole elements.
    """
    kind = str(getattr(array, "layout", None) or "")
    if kind.startswith("torch.") and kind != "torch.strided":
        raise LayoutError("SL107", f"a tensor of the layout {kind} has no strides")
    dims, dtype = _sizes(array.shape, "sizes"), getattr(array, "dtype", None)
    if callable(getattr(array, "stride", None)):  # PyTorch counts in elements
        strides = _sizes(array.stride(), "strides")
        if not callable(getattr(array, "storage_offset", None)):
            raise LayoutError("SL107", f"{type(array).__name__} has no storage offset")
        (offset,) = _sizes((array.storage_offset(),), "offsets")
        return Strided(dtype_name(dtype), dims, strides, offset)
    steps = getattr(array, "strides", None)
    width = getattr(array, "itemsize", 0)
    if not any(c.__module__ == "numpy" for c in type(array).__mro__):
        only(array, "shape", *ARRAY.split())
    if steps is None or not width:
        raise LayoutError("SL107", f"{type(array).__name__} has no strides")
    return _of_steps(dtype_name(dtype), dims, steps, width)


def _sizes(values: Any, what: str) -> tuple[Size, ...]:
    """Whole numbers, and the expressions that JAX's and PyTorch's sizes without a number print."""
    values = tuple(values) if isinstance(values, Iterable) else values
    if not isinstance(values, tuple) or not any(type(v).__name__ in SYMBOLIC for v in values):
        return _whole(values, what)
    texts = [str(v) for v in values]
    return tuple(as_size(read_expression(text, any_name, language="python")) for text in texts)


def _whole(values: Any, what: str) -> tuple[int, ...]:
    """Whole numbers; raises `LayoutError` (SL107) for anything else, as `int` would cut 3.5 to 3."""
    try:
        return tuple(map(index, values))
    except TypeError:
        text = str(values)[:60]
        raise LayoutError("SL107", f"the {what} {text} are no whole numbers") from None


def _of_steps(dtype: str, dims: tuple[int, ...], steps: Sequence[int], width: int) -> Strided:
    """Strides in bytes; where they are negative the first element lies above the lowest address."""
    steps = _whole(steps, "strides")
    if any(s % width for s in steps):
        raise LayoutError("SL107", f"strides {tuple(steps)} are no multiples of {width} bytes")
    strides = tuple(s // width for s in steps)
    start = 0 if 0 in dims else sum((1 - d) * s for d, s in zip(dims, strides) if s < 0)
    return Strided(dtype, dims, strides, start)


def dtype_name(dtype: Any) -> str:
    kind, width = getattr(dtype, "kind", None), getattr(dtype, "itemsize", 0)
    in_order(getattr(dtype, "isnative", True) is not False, str(dtype))
    name = getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]
    if kind == "b":
        return "pred"
    if kind in _KINDS and name.rstrip("0123456789") in ("int", "uint", "float", "complex"):
        return f"{_KINDS[kind]}{8 * width}"
    if dtype is None:
        help = "numpy.asarray(x) has one"
        raise LayoutError("SL103", "the object says no element type", help=help)
    known = known_as(name)
    if known is None:
        message = f"the element type {name!r} is not known"
        raise LayoutError("SL103", message, help=help_for(name))
    return known


def in_order(native: bool, dtype: str) -> None:
    """Raises `LayoutError` (SL103) for numbers whose bytes are not in this machine's order."""
    if not native:
        message = f"the bytes of {dtype} are not in this machine's order"
        raise LayoutError("SL103", message, help="x.astype(x.dtype.newbyteorder('=')) swaps them")


def of_object(x: Any) -> Any:
    """The layout that an object of another library has, or is.

    >>> import numpy as np
    >>> print(of_object(np.zeros((4, 6), np.float32)[:, ::2]))
    strided f32[4,3] strides(6,2)

    Read are, in this order: what gives an `index_map()`; index maps and tile layouts (TVM); linear
    layouts with `bases` and `out_dims`, or with `reg_bases` or `offset_bases` (Triton, Gluon); composed
    layouts (CuTe); arrays and tensors with a format of tiles (JAX); those with strides (NumPy, PyTorch,
    `__array_interface__`); layouts with `shape` and `stride` (CuTe); shapes with an element type
    (`ShapeDtypeStruct`), row-major; sizes without a number (JAX's and PyTorch's) are what they print.
    Raises `LayoutError` (SL107) for anything else.
    """
    try:
        return _read(x)
    except RuntimeError as error:  # a tensor that has no strides, or no sizes
        reason = str(error).partition("\n")[0][:100]
        message = f"{type(x).__name__} does not say where its elements lie: {reason}"
        raise LayoutError("SL107", message) from None


def _read(x: Any) -> Any:
    if callable(getattr(x, "index_map", None)) and not hasattr(x, "block_shape"):
        return x
    if hasattr(x, "initial_indices") and hasattr(x, "final_indices"):
        return _of_indices(x)
    if hasattr(x, "shard") and hasattr(x, "replica"):
        return _of_tiles(x)
    linear = _of_vectors(x)
    if linear is not None:
        return linear
    if all(hasattr(x, part) for part in ("inner", "offset", "outer")):  # a composed layout
        only(x, "inner", "offset", "outer", "shape", "stride", "is_normal", *OF_VALUES)
        return read_layout(str(x))
    tiled = _of_format(x)
    if tiled is not None:
        return tiled
    if hasattr(x, "shape") and (_strides(x) is not None or callable(getattr(x, "stride", None))):
        return from_array(x)
    interface = getattr(x, "__array_interface__", None)
    if isinstance(interface, dict):
        return _of_interface(interface)
    if hasattr(x, "shape") and hasattr(x, "stride"):
        return of_modes(x)
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        only(x, *STRUCTURE.split())
        _on_one_device(getattr(x, "sharding", None))
        dims = _sizes(x.shape, "sizes")
        return Strided(dtype_name(x.dtype), dims, row_major(dims))
    if callable(x):
        hint = "symlayout.index_map(function, {'i': 'M', 'j': 'N'}) says over what domain"
        raise LayoutError("SL107", "a function has no domain of its own", help=hint)
    help = "give a text such as 'f32[M,N]{1,0}' or '(M,N):(N,1)', or an array"
    message = f"{type(x).__name__} is not a layout and has no shape and strides"
    raise LayoutError("SL107", message, help=help)


def of_modes(x: Any) -> Layout:
    """CuTe's layout: nested tuples or integers as `.shape` and `.stride`."""
    only(x, "shape", "stride", "_shape", "_stride", *OF_VALUES)
    return Layout(it.as_tuple(x.shape), it.as_tuple(x.stride))


def _of_indices(x: Any) -> IndexFunction:
    """TVM's index map, over a box of sizes named as its variables in capitals."""
    only(x, "initial_indices", "final_indices", *OF_TVM)
    for v in x.initial_indices:
        only(v, *VARIABLE.split(), *OF_TVM)
    names = [str(v.name) for v in x.initial_indices]
    results = [CONSTANT.sub(r"\1", str(e)) for e in x.final_indices]
    return read_affine_map(f"affine_map<({', '.join(names)}) -> ({', '.join(results)})>")


def _of_tiles(x: Any) -> IndexFunction:
    """TVM's tile layout: digits and copies to how far each goes along an axis."""

    def text(e: Any) -> str:
        return CONSTANT.sub(r"\1", str(e))

    only(x, "shard", "replica", "offset", *OF_TVM)
    for one in (*x.shard, *x.replica):
        only(one, "extent", "stride", "axis", *OF_TVM)
        only(one.axis, "name", *OF_TVM)
    ranges, steps = list[str](), dict[str, list[str]]()
    for letter, iters in (("i", x.shard), ("r", x.replica)):
        for k, one in enumerate(iters):
            ranges.append(f"{letter}{k} < {text(one.extent)}")
            step = f"{letter}{k}*({text(one.stride)})"
            steps.setdefault(str(one.axis.name), []).append(step)
    for axis, offset in dict(getattr(x, "offset", None) or {}).items():
        steps.setdefault(str(axis.name), []).append(f"({text(offset)})")
    if not ranges:
        raise LayoutError("SL403", "a tile layout without digits has nothing to be asked about")
    sums = [" + ".join(terms) for terms in steps.values()]
    return read_map(f"map {', '.join(ranges)}: ({', '.join(sums)},)")


def _of_vectors(x: Any) -> Linear | Padded | None:
    """A linear layout by the vectors of its inputs' bits; one with padding."""
    outs = getattr(x, "out_dims", None)
    if outs is not None and hasattr(x, "bases"):
        only(x, "bases", "out_dims", "num_in_dims", "num_out_dims")
        return Linear.of({str(n): vs for n, vs in x.bases}, {str(n): int(d) for n, d in outs})
    if getattr(x, "offset_bases", None) is not None:
        return _of_offsets(x)
    rows = {"register": getattr(x, "reg_bases", None)}
    rows |= {n: getattr(x, f"{n}_bases", None) for n in ("lane", "warp", "block")}
    if rows["register"] is None:
        return None
    only(x, "reg_bases", "lane_bases", "warp_bases", "block_bases", "shape", "rank", "type")
    sizes = {f"dim{k}": int(d) for k, d in enumerate(x.shape)}
    return Linear.of({n: vs for n, vs in rows.items() if vs is not None}, sizes)


def _of_offsets(x: Any) -> Linear | Padded:
    """Gluon's layouts of shared memory as Triton's encodings: linear ones, and those with padding."""
    only(x, "offset_bases", "block_bases", "shape", "rank", "type", *SHARED)
    pads, block, cga = (getattr(x, n, None) for n in (*SHARED[:1], "block_bases", "cga_layout"))
    fields: dict[str, Any] = {
        "offset": tuple(map(tuple, x.offset_bases)),
        "block": tuple(map(tuple, [*(block or ()), *(cga or ())])),
    }
    if pads:
        fields = {"pads": tuple(tuple(_whole(p, "paddings")) for p in pads), **fields}
    elif getattr(x, "alignment", None) is not None:
        fields["alignment"] = index(x.alignment)
    kind = "padded_shared" if pads else "shared_linear"
    return encoded(Encoding(kind, tuple(fields.items())), _whole(x.shape, "sizes"))


def _strides(x: Any) -> Any:
    """Strides in bytes, as NumPy has them."""
    strides = getattr(x, "strides", None)
    return strides if isinstance(strides, (tuple, list)) and hasattr(x, "itemsize") else None


def _of_interface(interface: dict[str, Any]) -> Strided:
    """NumPy's array interface: a shape, strides in bytes or none, an element type such as `<f4`."""
    dims, typestr = _whole(interface.get("shape"), "sizes"), interface.get("typestr")
    typed = TYPE.fullmatch(typestr) if isinstance(typestr, str) else None
    if typed is None:
        raise LayoutError("SL103", f"the element type {str(typestr)[:60]!r} is not known")
    plain = {"version": 3, "descr": [("", typestr)], "offset": 0}
    for key in {*interface} - {"shape", "typestr", "strides", "data"}:
        value, known = interface[key], plain.get(key)
        if value is not None and not (type(value) is type(known) and value == known):
            message = f"{str(key)[:60]!r} of the array interface is not read"
            raise LayoutError("SL107", f"{message}, and may say where elements lie")
    width = int(typed["width"])
    in_order(width == 1 or typed["order"] in (NATIVE, "|", "="), typed[0])
    dtype = "pred" if typed["kind"] == "b" else f"{_KINDS[typed['kind']]}{8 * width}"
    steps = interface.get("strides")
    if steps is None:
        return Strided(dtype, dims, row_major(dims))
    return _of_steps(dtype, dims, steps, width)


def _of_format(x: Any) -> Shape | None:
    """A JAX array's layout: the order of its dimensions and its tiles, both as XLA has them."""
    layout = getattr(getattr(x, "format", None), "layout", None)
    order = getattr(layout, "major_to_minor", None)
    if order is None or not hasattr(x, "dtype"):
        return None
    if type(x).__module__.partition(".")[0] != "jaxlib":  # whose arrays have what they have
        only(x, *STRUCTURE.split(), *ARRAY.split())
    only(x.format, "layout", "sharding")
    only(layout, "major_to_minor", "tiling", "sub_byte_element_size_in_bits", "AUTO")
    _on_one_device(getattr(x.format, "sharding", None))
    tiles: Sequence[Sequence[int]] = getattr(layout, "tiling", None) or ()
    (bits,) = _whole([getattr(layout, "sub_byte_element_size_in_bits", 0)], "bits")
    dims = _whole(x.shape, "sizes")
    minor = tuple(reversed(tuple(order)))
    rows = tuple(map(tuple, tiles))
    return Shape(dtype_name(x.dtype), dims, minor, _tiles=rows, element_bits=bits)


def _on_one_device(sharding: Any) -> None:
    """Raises `LayoutError` (SL107) for an array in parts, each of which has a layout of its own."""
    whole = getattr(sharding, "is_fully_replicated", False)
    if sharding is not None and not (isinstance(whole, bool) and whole):
        message = f"the array is sharded: {str(sharding)[:60]}"
        raise LayoutError("SL107", message, help="give the layout of one shard, by its shape")
