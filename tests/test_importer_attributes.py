"""Importers pass nothing over: every attribute that a class has changes the reading or is refused.

Attributes that say nothing of places are listed with each class.  The classes stand for those of
Triton's Gluon, TVM, JAX, CuTe, NumPy and Pallas, with the attributes that these have today.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import symlayout as sl
from symlayout import parse, prove
from symlayout.errors import LayoutError


class Case(NamedTuple):
    """A class: its attributes, another value of each, and those that say nothing of places."""

    own: dict[str, Any]
    other: dict[str, Any]
    silent: tuple[str, ...] = ()


def one(**parts: Any) -> SimpleNamespace:
    """An object with these attributes."""
    return SimpleNamespace(**parts)


class Axis:
    """An axis of TVM's tile layouts."""

    def __init__(self, name: str) -> None:
        self.name = name


def steps(extent: int, stride: int, axis: str) -> SimpleNamespace:
    """One digit of TVM's tile layouts."""
    return one(extent=extent, stride=stride, axis=one(name=axis))


TILING = one(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)

VARIABLES = [one(name="i", dtype="int64"), one(name="j", dtype="int64")]

CASES = {
    "Gluon's PaddedSharedLayout": Case(
        {"interval_padding_pairs": [[8, 1]], "cga_layout": [], "shape": [8, 4],
         "offset_bases": [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]]},
        {"interval_padding_pairs": [[8, 2]], "cga_layout": [[8, 0]], "shape": [4, 8],
         "offset_bases": [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]},
    ),
    "Gluon's SharedLinearLayout": Case(
        {"offset_bases": [[0, 1], [1, 0]], "block_bases": [], "alignment": 16, "shape": [2, 2]},
        {"offset_bases": [[1, 0], [0, 1]], "block_bases": [[2, 0]], "alignment": 32, "shape": [2, 4]},
    ),
    "Gluon's DistributedLinearLayout": Case(
        {"reg_bases": [[0, 1]], "lane_bases": [[1, 0]], "warp_bases": [[2, 0]], "block_bases": [[4, 0]],
         "shape": [8, 2]},
        {"reg_bases": [[0, 0]], "lane_bases": [[1, 1]], "warp_bases": [[4, 0]], "block_bases": [[0, 0]],
         "shape": [8, 4]},
    ),
    "Triton's LinearLayout": Case(
        {"bases": [("register", [[1]])], "out_dims": [("dim0", 2)], "num_in_dims": 1,
         "num_out_dims": 1},
        {"bases": [("lane", [[1]])], "out_dims": [("dim0", 4)], "num_in_dims": 2, "num_out_dims": 2},
        ("num_in_dims", "num_out_dims"),
    ),
    "TVM's IndexMap": Case(
        {"initial_indices": VARIABLES, "final_indices": ["i // 4", "j", "i % 4"],
         "inverse_index_map": None},
        {"initial_indices": VARIABLES[::-1], "final_indices": ["j", "i // 4", "i % 4"],
         "inverse_index_map": one(initial_indices=[])},
    ),
    "TVM's TileLayout": Case(
        {"shard": [steps(8, 4, "m")], "replica": [steps(2, 32, "m")], "offset": {}},
        {"shard": [steps(8, 1, "m")], "replica": [], "offset": {Axis("m"): 4}},
    ),
    "CuTe's Layout": Case({"shape": (4, 2), "stride": (2, 1)}, {"shape": (2, 4), "stride": (1, 4)}),
    "CuTe's ComposedLayout": Case(
        {"inner": "S<2,0,2>", "offset": 0, "outer": "(4,4):(4,1)"},
        {"inner": "S<1,0,2>", "offset": 4, "outer": "(4,4):(1,4)"},
    ),
    "an array with a format": Case(
        {"shape": (16, 256), "dtype": "bfloat16", "format": one(layout=TILING, sharding=None),
         "weak_type": False},
        {"shape": (16, 128), "dtype": "float32",
         "format": one(layout=one(major_to_minor=(1, 0)), sharding=None), "weak_type": True},
        ("weak_type",),
    ),
    "JAX's ShapeDtypeStruct": Case(
        {"shape": (2, 3), "dtype": "float32", "sharding": None, "weak_type": False, "is_ref": False,
         "manual_axis_type": None},
        {"shape": (3, 2), "dtype": "float16", "sharding": "NamedSharding(x)", "weak_type": True,
         "is_ref": True, "manual_axis_type": "varying"},
        ("weak_type", "is_ref", "manual_axis_type"),
    ),
    "an array with strides": Case(
        {"shape": (2, 3), "dtype": "float32", "strides": (12, 4), "itemsize": 4, "nbytes": 24},
        {"shape": (2, 2), "dtype": "int32", "strides": (4, 8), "itemsize": 2, "nbytes": 48},
        ("nbytes",),
    ),
}  # fmt: skip


class Composed(SimpleNamespace):
    """A composed layout, which prints all that it has."""

    def __str__(self) -> str:
        swizzle = f"Swizzle({self.inner[2:-1]})"
        return f"{swizzle} o {self.offset} o {self.outer}"


def made(name: str, **parts: Any) -> Any:
    """The object of a class."""
    return (Composed if "Composed" in name else SimpleNamespace)(**parts)


def said(x: Any) -> str:
    """What is read, as a text; "refused" for an error."""
    try:
        return str(parse(x))
    except LayoutError as error:
        return f"refused: {error.code}"


def reading(name: str, **parts: Any) -> str:
    """What is read of the object of a class."""
    return said(made(name, **parts))


@pytest.mark.parametrize(
    ("name", "attribute"), [(n, a) for n, case in CASES.items() for a in case.own]
)
def test_every_attribute_changes_the_reading_or_is_refused(name: str, attribute: str) -> None:
    case = CASES[name]
    first = reading(name, **case.own)
    assert not first.startswith("refused")
    other = reading(name, **{**case.own, attribute: case.other[attribute]})
    assert (other == first) == (attribute in case.silent)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("extra", ["pads", "_swizzle", "interval", "offset_map"])
def test_an_attribute_that_is_not_known_is_refused(name: str, extra: str) -> None:
    own = CASES[name].own
    for value in (4, True, False, 0, "xor", [[8, 1]]):
        with pytest.raises(LayoutError, match=f"{extra} is not read") as error:
            parse(made(name, **own, **{extra: value}))
        assert error.value.code == "SL107"
        assert error.value.help
    for nothing in (None, [], (), {}):
        assert str(parse(made(name, **own, **{extra: nothing}))) == str(parse(made(name, **own)))


def test_attributes_are_found_wherever_a_class_has_them() -> None:
    class Slots:
        __slots__ = ("pads", "shape", "stride")

        def __init__(self) -> None:
            self.shape, self.stride, self.pads = (4,), (1,), 2

    class Derived:
        shape, stride = (4,), (1,)

        @property
        def pads(self) -> int:
            return 2

    class Constant:
        shape, stride, pads = (4,), (1,), 2

    class Row(NamedTuple):
        shape: tuple[int, ...] = (4,)
        stride: tuple[int, ...] = (1,)
        pads: int = 2

    class Inherited(Slots):
        pass

    for one_of in (Slots(), Derived(), Constant(), Row(), Inherited()):
        with pytest.raises(LayoutError, match="pads is not read"):
            parse(one_of)


def test_two_paddings_are_two_layouts() -> None:
    own = CASES["Gluon's PaddedSharedLayout"].own
    a, b = one(**own), one(**{**own, "interval_padding_pairs": [[4, 1]]})
    assert prove.equal(a, a).proved
    assert prove.equal(a, b).refuted
    padded = parse(a)
    for row in range(8):
        for column in range(4):
            number = {0: 0, 1: 4, 2: 1, 3: 5, 4: 2, 5: 6, 6: 3, 7: 7}[row] * 4 + column
            assert padded.at((row, column), {}) == (number + number // 8,)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("shard.0.extent", 4), ("shard.0.stride", 2), ("shard.0.axis.name", "n"),
        ("shard.0.axis.scope", "thread"), ("shard.0.swizzle", 1), ("replica.0.extent", 4),
        ("replica.0.stride", 8),
    ],
)  # fmt: skip
def test_every_part_of_a_tile_layout_counts(path: str, value: Any) -> None:
    def tiles() -> SimpleNamespace:
        return one(shard=[steps(8, 4, "m")], replica=[steps(2, 32, "m")], offset={})

    first, changed = tiles(), tiles()
    at: Any = changed
    *inner, last = path.split(".")
    for word in inner:
        at = at[int(word)] if word.isdigit() else getattr(at, word)
    setattr(at, last, value)
    assert said(changed) != said(first)
    assert not said(first).startswith("refused")


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("major_to_minor", (1, 0)), ("tiling", None), ("tiling", ((4, 128),)),
     ("sub_byte_element_size_in_bits", 4), ("padding", 8)],
)  # fmt: skip
def test_every_part_of_a_format_counts(attribute: str, value: Any) -> None:
    def array(**parts: Any) -> SimpleNamespace:
        layout = one(**{**vars(TILING), **parts})
        return one(shape=(16, 256), dtype="int8", format=one(layout=layout, sharding=None))

    assert said(array(**{attribute: value})) != str(parse(array()))


def test_a_sharded_array_is_refused() -> None:
    def array(sharding: Any) -> SimpleNamespace:
        return one(shape=(16, 256), dtype="int8", format=one(layout=TILING, sharding=sharding))

    assert parse(array(one(is_fully_replicated=True))) == parse(array(None))
    for sharding in (one(is_fully_replicated=False), "x", one()):
        with pytest.raises(LayoutError, match="the array is sharded"):
            parse(array(sharding))


# -- tables ---------------------------------------------------------------------------------------

INTERFACE = {"shape": (2, 3), "typestr": "<f4", "strides": (12, 4), "version": 3, "data": (0, False),
             "descr": [("", "<f4")]}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [("shape", (2, 2)), ("typestr", "<f2"), ("strides", (4, 8)), ("mask", np.zeros(3)), ("offset", 4),
     ("version", 2), ("descr", [("a", "<i2"), ("b", "<i2")]), ("layout", "F")],
)  # fmt: skip
def test_every_key_of_an_array_interface_counts(key: str, value: Any) -> None:
    first = str(parse(one(__array_interface__=INTERFACE)))
    assert said(one(__array_interface__={**INTERFACE, key: value})) != first


@pytest.mark.parametrize("key", ["data", "version"])
def test_what_an_array_interface_says_of_its_memory_is_no_place(key: str) -> None:
    rest = {k: v for k, v in INTERFACE.items() if k != key}
    assert parse(one(__array_interface__=rest)) == parse(one(__array_interface__=INTERFACE))


PROTO = (
    "element_type: F32 dimensions: 16 dimensions: 24 is_dynamic_dimension: false "
    "is_dynamic_dimension: true layout { minor_to_major: 1 minor_to_major: 0 "
    "tiles { dimensions: 8 dimensions: 4 } tail_padding_alignment_in_elements: 2 "
    "element_size_in_bits: 64 memory_space: 1 dynamic_shape_metadata_prefix_bytes: 4 }"
)


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("F32", "S32"), ("dimensions: 16", "dimensions: 32"), ("_dimension: true", "_dimension: false"),
        ("_dimension: true", "_dimension: yes"), ("_dimension: true", "_dimension: True"),
        ("minor_to_major: 1 minor_to_major: 0", "minor_to_major: 0 minor_to_major: 1"),
        ("dimensions: 8", "dimensions: 4"), ("elements: 2", "elements: 4"), ("bits: 64", "bits: 32"),
        ("space: 1", "space: 2"), ("bytes: 4", "bytes: 8"), ("tiles {", "tiles { more: 1 "),
        ("layout {", "layout { padding: 1 "), ("element_type", "more: 1 element_type"),
        ("layout {", "layout { dim_level_types: DIM_DENSE "),
        ("layout {", "layout { index_primitive_type: U32 "),
        ("layout {", "layout { physical_shape { element_type: F32 } "),
    ],
)  # fmt: skip
def test_every_field_of_a_protocol_buffer_counts(field: str, other: str) -> None:
    assert field in PROTO
    assert said(PROTO.replace(field, other, 1)) != str(parse(PROTO))


BLOCKED = ("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], "
           "order = [1, 0]%s}>")  # fmt: skip

MMA = ("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], "
       "instrShape = [16, 8]}>")  # fmt: skip

MFMA = ("#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], "
        "isTransposed = true, tilesPerWarp = [1, 1], elementBitWidth = 32}>")  # fmt: skip

WMMA = ("#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {register = [[0, 1]], "
        "warp = [[1, 0]]}, instrShape = [16, 16, 16]}>")  # fmt: skip

# an encoding on a shape, and each field with another value; those marked "" say nothing of places
ENCODINGS = {
    BLOCKED % ", CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]": {
        "sizePerThread = [1, 2]": "sizePerThread = [2, 1]",
        "threadsPerWarp = [8, 4]": "threadsPerWarp = [4, 8]",
        "warpsPerCTA = [2, 1]": "warpsPerCTA = [1, 2]", ", order = [1, 0]": ", order = [0, 1]",
        "CTAsPerCGA = [2, 1]": "CTAsPerCGA = [4, 1]", "CTASplitNum = [2, 1]": "CTASplitNum = [1, 1]",
        "CTAOrder = [1, 0]": "CTAOrder = [1, 1]",
    },
    BLOCKED % ", CGALayout = [[1, 0]]": {
        "CGALayout = [[1, 0]]": "CGALayout = [[0, 1]]",
        "CGALayout = [[1, 0]]}": "CGALayout = [[1, 0]], CTAsPerCGA = [2, 1]}",
    },
    f"#ttg.slice<{{dim = 1, parent = {BLOCKED % ''}}}>": {
        "dim = 1": "dim = 0", "parent = #ttg.blocked": "parent = #ttg.other",
        "[8, 4]": "[4, 8]", "order = [1, 0]}": "order = [1, 0], pads = [1]}",
    },
    "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [[2, 0]], block = [[4, 0]]}>": {
        "register = [[0, 1]]": "register = [[0, 2]]", "lane = [[1, 0]]": "lane = [[8, 0]]",
        "warp = [[2, 0]]": "warp = [[8, 0]]", "block = [[4, 0]]": "block = [[0, 0]]",
    },
    MMA: {
        "versionMajor = 2": "versionMajor = 1", "warpsPerCTA = [2, 1]": "warpsPerCTA = [1, 2]",
        "instrShape = [16, 8]": "instrShape = [8, 8]", "versionMinor = 0": "",
    },
    MFMA: {
        "warpsPerCTA = [2, 1]": "warpsPerCTA = [1, 2]", "[32, 32, 8]": "[16, 16, 16]",
        "isTransposed = true": "isTransposed = false", "tilesPerWarp = [1, 1]": "tilesPerWarp = [2, 1]",
        "elementBitWidth = 32": "elementBitWidth = 64", "version = 3": "",
    },
    WMMA: {
        "version = 2": "version = 1", "isTranspose = false": "isTranspose = true",
        "register = [[0, 1]]": "register = [[0, 2]]", "warp = [[1, 0]]": "warp = [[0, 2]]",
        "ctaLayout = {": "ctaLayout = {lane = [[1, 0]], ", "[16, 16, 16]": "[32, 16, 16]",
    },
    f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 2}}>": {
        "opIdx = 0": "opIdx = 1", "kWidth = 2": "kWidth = 4", "[2, 1]": "[1, 2]",
        "versionMajor = 2": "versionMajor = 2, more = 1",
    },
    "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>": {
        "vec = 2": "vec = 4", "perPhase = 1": "perPhase = 2", "maxPhase = 4": "maxPhase = 2",
        "order = [1, 0]": "order = [0, 1]",
    },
    "#ttg.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0], hasLeadingOffset = false}>": {
        "hasLeadingOffset = false": "hasLeadingOffset = true", "vec = 2": "vec = 8",
    },
    "#ttg.amd_rotating_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>": {
        "vec = 2": "vec = 4", "perPhase = 1": "perPhase = 2", "maxPhase = 4": "maxPhase = 8",
    },
    "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, "
    "fp4Padded = false, rank = 2}>": {
        "swizzlingByteWidth = 64": "swizzlingByteWidth = 32", "transposed = false": "transposed = true",
        "elementBitWidth = 16": "elementBitWidth = 32", "fp4Padded = false": "fp4Padded = true",
        "rank = 2": "rank = 3",
    },
    "#ttg.padded_shared<[8:+1] {order = [1, 0], shape = [32, 64]}>": {
        "[8:+1]": "[8:+2]", "8:+1": "4:+1", "order = [1, 0]": "order = [0, 1]",
        "shape = [32, 64]": "shape = [64, 32]", "[8:+1] ": "[8:+1, 16:+2] ",
        "shape = [32, 64]}": "shape = [32, 64], CGALayout = [[1, 0]]}",
        "{order": "{offset = [[0, 1]], order",
    },
}  # fmt: skip

ROWS = [(text, field, other) for text, row in ENCODINGS.items() for field, other in row.items()]


def elements(text: str) -> Any:
    """Where elements are: of a linear layout the vectors of its bits, else the map's results."""
    try:
        layout = parse(text)
    except LayoutError as error:
        return error.code
    return layout.ins if hasattr(layout, "ins") else (layout.results, layout.box)


@pytest.mark.parametrize(("text", "field", "other"), ROWS)
def test_every_field_of_an_encoding_counts(text: str, field: str, other: str) -> None:
    assert field in text
    shape = " on 32x64" if "linear<" not in text else " on 8x2"
    if "slice<" in text:
        shape = " on 64"
    first = elements(text + shape)
    assert not isinstance(first, str), first
    if other:
        assert elements(text.replace(field, other, 1) + shape) != first
    else:  # it says nothing of places
        assert elements(text.replace(field[-1], "1", 1) + shape) == first


@pytest.mark.parametrize("text", ENCODINGS)
def test_a_field_that_is_not_known_is_refused(text: str) -> None:
    shape = " on 64" if "slice<" in text else " on 8x2" if "linear<" in text else " on 32x64"
    for brace in re.finditer(r"\}", text):
        for extra in (", more = 1", ", interval = [[8, 1]]", ", orders = [1, 0]"):
            with pytest.raises(LayoutError):
                parse(text[: brace.start()] + extra + text[brace.start() :] + shape)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("!ttg.memdesc<32x64xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, "
         "order = [1, 0]}>, #smem, mutable, 2x32x64>", ""),
        ("!ttg.memdesc<32x64xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, "
         "order = [1, 0]}>, #ttg.shared_memory>", ""),
        ("!ttg.memdesc<32x64xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, "
         "order = [1, 0]}>, #smem, mutable, 64x128>", "SL107"),
        ("!ttg.memdesc<32x64xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, "
         "order = [1, 0]}>, #smem, padded>", "SL101"),
        ("!ttg.memdesc<32x64xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, "
         "order = [1, 0]}>, pads = 4>", "SL101"),
        ("tensor<32x64xfoo, #ttg.linear<{register = [[0, 1]]}>>", "SL103"),
        ("memref<4x8xf32, #my.memory_swizzle<4>>", "SL107"),
        ("memref<4x8xf32, #my.storage<4>>", "SL107"),
        ("tensor<4x8xf32, #stablehlo.padding<4>>", "SL107"),
        ("tensor<4x8xf32, #stablehlo.bounds<4, 8>>", ""),
    ],
)  # fmt: skip
def test_what_stands_beside_an_encoding_is_read_or_refused(text: str, code: str) -> None:
    if not code:
        parse(text)
        return
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code


# -- Pallas ---------------------------------------------------------------------------------------


class Element(SimpleNamespace):
    """A dimension whose index counts elements."""


class BoundedSlice(SimpleNamespace):
    """A dimension with a slice for an index."""


class Strange(SimpleNamespace):
    """A dimension of a kind that is not known."""


def claimed(**parts: Any) -> list[str]:
    """The claims of one spec, or that it is refused."""
    spec = {"block_shape": (8,), "index_map": lambda i: (i,), "memory_space": None,
            "pipeline_mode": None} | parts  # fmt: skip
    try:
        rows = sl.pallas.claims(grid=(4,), out_specs=[one(**spec)], out_shapes=[(32,)])
    except LayoutError:
        return ["refused"]
    return [str(c) for c in rows]


@pytest.mark.parametrize(
    "parts",
    [
        {"block_shape": (4,)}, {"index_map": lambda i: (2 * i,)}, {"pads": 4},
        {"pipeline_mode": one(buffer_count=2, revisit=one(name="ANY"))},
        {"pipeline_mode": one(buffer_count=2, skew=1)}, {"indexing_mode": one(padding=1)},
        {"block_shape": (Element(block_size=8, padding=(0, 0)),)},
        {"block_shape": (Element(block_size=8, padding=(1, 0)),)},
        {"block_shape": (Element(block_size=8, stride=2),)},
        {"block_shape": (BoundedSlice(block_size=8),)}, {"block_shape": (Strange(block_size=8),)},
        {"block_shape": None},
    ],
)  # fmt: skip
def test_every_attribute_of_a_block_spec_counts(parts: dict[str, Any]) -> None:
    assert claimed() != ["refused"]
    assert claimed(**parts) != claimed()


def test_how_a_block_is_buffered_and_where_changes_no_claim() -> None:
    buffered = one(buffer_count=2, use_lookahead=True, revisit=None)
    assert claimed(pipeline_mode=buffered) == claimed()
    assert claimed(memory_space=one(name="VMEM")) == claimed()


def test_a_slice_is_no_larger_than_its_block() -> None:
    def spec(size: Any, **more: Any) -> SimpleNamespace:
        slices = one(start=0, size=size, stride=1, **more)
        return one(block_shape=(BoundedSlice(block_size=8),), index_map=lambda i: (slices,))

    def ask(one_spec: Any) -> Any:
        return sl.pallas.claims(grid=(4,), in_specs=[one_spec], in_shapes=[(32,)])

    assert ask(spec(8))
    for wrong in (spec(9), spec("n"), spec(8, swizzle=1)):
        with pytest.raises(LayoutError):
            ask(wrong)
