"""The table of notations, and `parse`, which finds out which of them a text is in.

A notation is a row here and the module of its reader; everything that must know all notations asks
the table: `parse`, the process that workers are forked from, the checker (which brings a definition
of its own for each row), the pages of the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, overload, runtime_checkable

from symlayout.layouts.doors import operations
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap


@runtime_checkable
class Layout(Protocol):
    """What every notation's reader gives: `str` of it is a text that reads back as the same."""

    def index_map(self) -> IndexMap:
        """The map from coordinates to offsets; its `reference` is the definition in integers."""

    def _repr_html_(self) -> str: ...


class Notation(NamedTuple):
    """A way to write layouts: how a text in it begins, and which function reads it.

    `reader` is a module of this room and a function there, imported when a text needs it; `example`
    and `more` are what the documentation shows.  `of_layouts`: its arguments are layouts;
    `functions`: its values are index functions.
    """

    name: str
    begins: Callable[[str], object]
    reader: str
    example: str
    more: str = ""
    of_layouts: bool = False
    functions: bool = False

    @property
    def module(self) -> str:
        """The module of the reader."""
        return f"symlayout.layouts.{self.reader.partition(':')[0]}"

    def read(self, text: str, **options: bool) -> Any:
        """The layout that a text in this notation spells."""
        return getattr(import_module(self.module), self.reader.partition(":")[2])(text, **options)


def _starts(text: str, flags: int = 0) -> Callable[[str], object]:
    """Whether a text starts so."""
    pattern = regex(text, flags)
    return lambda text: pattern.match(text)


def _word(text: str) -> Callable[[str], object]:
    return _starts(rf"\s*{text}\b")


REMEMBERED = 512  # layouts whose texts are ...
SHORT = 256  # ... no longer than this

_CUTE = _starts(
    r"\s*(?!b\(|\(\s*\)(?!\s*:)|\(.*\[)(?:[-+(\d_]|[A-Za-z]\w*\s*\(|[A-Za-z][^\[{]*:)", re.S
)
_CALL = regex(r"\s*([A-Za-z]\w*)\s*\(")
_CPP = _starts(
    r"\s*(?:const|auto|(?:\w+\s*::\s*)*(?:Layout|Shape|Stride|TileView|Get\w+|[Mm]ake_?[A-Za-z]\w*)\b)",
)
_SWIZZLE = _starts(r"\s*(?:Swizzle\b|Sw?\s*<)")
_OBJECT = _starts(r"\s*(?:Swizzle|Sw?)\s*<[^<>]*>\s*\{\s*\}\s*o\b")
_POINTER = _starts(r"\s*(?:Swizzle|Sw?)\s*<[^<>]*>\s*o\s*smem_ptr\s*\[")
_DIRECTION = _starts(r"[^:]*:.*(?:\w\s*@\s*\d|\bE\s*[<(])", re.S)
_MAP = _starts(r"\s*map\s+[\w(-]")
_PROTO = _starts(r"\s*(?:[a-z_]+\s*[:{]|#)")


def _begins_format(text: str) -> bool:
    from symlayout.expr.reader import FUNCTIONS

    named = _CALL.match(text)
    return named is not None and named[1] not in FUNCTIONS and _CUTE(text) is not None


def _begins_cpp(text: str) -> bool:
    if _CPP(text) is None:
        return False
    from symlayout.layouts.cute.cpp import is_cpp

    return is_cpp(text)


def _begins_proto(text: str) -> bool:
    if _PROTO(text) is None:
        return False
    from symlayout.layouts.xla.proto import is_proto

    return is_proto(text)


# a text is in the last notation that it begins like: what is special stands below what is general
_ROWS = (
    Notation(
        "XLA",
        lambda text: True,
        "xla.reader:read_shape",
        "bf16[M,N]{1,0:T(8,128)(2,1)}",
        "tiles of every kind, `L(n)`, `E(n)`, `PAD(...)`",
    ),
    Notation(
        "shape:stride",
        _CUTE,
        "cute.reader:read_strides",
        "((16,R),(16,C)):((16,256),(1,256*R))",
        "as CuTe and TLA write it",
    ),
    Notation(
        "format",
        _begins_format,
        "cute.reader:read_layout",
        "zN(f16,R,C)",
        "and the other formats of CATLASS",
    ),
    Notation(
        "swizzled",
        lambda text: _SWIZZLE(text) and (_CUTE(text) or _OBJECT(text) or _POINTER(text)),
        "cute.reader:read_layout",
        "Swizzle(3,3,3) o 0 o (8,64):(64,1)",
    ),
    Notation(
        "strided",
        _word("strided"),
        "strided:read_strided",
        "strided f32[M,N] strides(S,1) offset 4",
    ),
    Notation(
        "protocol buffer",
        _begins_proto,
        "xla.proto:read_array",
        "element_type: F32 dimensions: [M, N] layout { minor_to_major: [1, 0] }",
    ),
    Notation(
        "C++",
        _begins_cpp,
        "cute.cpp:read_cpp",
        "MakeLayout(MakeShape(Int<2>{}, N), MakeStride(N, Int<1>{}))",
    ),
    Notation(
        "broadcast_in_dim",
        _word("broadcast_in_dim"),
        "functions:read_call",
        "broadcast_in_dim(f32[N], dims=(1), to=f32[M,N])",
        of_layouts=True,
    ),
    Notation(
        "pad_reshape_transpose",
        _word("pad_reshape_transpose"),
        "functions:read_call",
        "pad_reshape_transpose(f32[M,N]{1,0:T(8,128)})",
        "a tiled layout by literal steps",
        of_layouts=True,
    ),
    Notation(
        "map",
        _MAP,
        "maps.reader:read_map",
        "map i < M, j < N: i*N + j in M*N",
        "an index function over a domain, see docs/maps.md",
        functions=True,
    ),
    Notation(
        "memref",
        _starts(r"\s*(?:memref|tensor|vector)\s*<"),
        "doors.mlir:read_memref",
        "memref<4x?xf32, strided<[?, 1], offset: 3>>",
        "MLIR's, and its tensors, row-major; `?` in dimension 1 is the size `dim1`",
    ),
    Notation(
        "affine map",
        _word("affine_map"),
        "doors.mlir:read_affine_map",
        "affine_map<(d0, d1)[s0] -> (d0 floordiv 8, d1 mod 128 + s0)>",
        "MLIR's, over a box of sizes `D0`, `D1`",
        functions=True,
    ),
    Notation(
        "indexing map",
        _starts(r"\s*\([\w\s,]*\)\s*(?:(?:\{[\w\s,]*\}|\[[\w\s,]*\])\s*){0,2}->"),
        "doors.indexing:read_indexing_map",
        "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 63]",
        "XLA's, its constraints are the guard",
        functions=True,
    ),
    Notation(
        "einops",
        _word("einops"),
        "doors.einops:read_einops",
        "einops b (h d) n -> b n (h d)",
        "which element of the input goes where; sizes follow it: `, h=8`",
        functions=True,
    ),
    Notation(
        "linear",
        _starts(r"\s*linear\s+[A-Za-z_]\w*\s*\["),
        "doors.linear_reader:read_linear",
        "linear register [[0,1],[0,2]], lane [[1,0],[2,1]] -> dim0 4, dim1 4",
        "over F2: the vector of each bit of an input, and the coordinates' sizes; `V*2**k` is k bits",
        functions=True,
    ),
    Notation(
        "Triton",
        _starts(r"\s*(?:(?:tensor|!\s*ttg\s*\.\s*memdesc)\s*<[^#]*)?#\s*(?:ttg|triton_gpu)\s*\."),
        "doors.triton:read_encoded",
        "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}> on 4x8",
        "its encodings on a shape, or `tensor<4x8xf16, #ttg.blocked<{...}>>`",
        functions=True,
    ),
    Notation(
        "thread-value",
        _starts(r"\s*(?:tv\s*[(\d_]|atom\s+[A-Za-z])"),
        "doors.tv:read_tv",
        "tv ((4,8),(2,2)):((32,1),(16,8)) on (16,8)",
        "coordinates by thread and value; `atom SM80_16x8x16_F32F16F16F32_TN A` by name",
        functions=True,
    ),
    Notation(
        "directions",
        lambda text: _CUTE(text) and _DIRECTION(text) and not _MAP(text),
        "doors.directions:read_directions",
        "(4,(2,3)):(1@0,(1@0@1,2@1@1))",
        "CuTe's coordinate tensors: `1@0` or `E<0>` is a step along coordinate 0",
        functions=True,
    ),
    Notation(
        "algebra",
        operations.begins,
        "doors.algebra:read_algebra",
        "zipped_divide((8*M,4*N):(4*N,1), (8,4))",
        "CuTe's operations, nested as well",
        of_layouts=True,
    ),
)
NOTATIONS: dict[str, Notation] = {row.name: row for row in _ROWS}


def notation_of(text: str, *, of_layouts: bool = True) -> Notation:
    """The notation that a text is in; without those whose arguments are layouts, if so wanted.

    >>> notation_of("(M,N):(N,1)").name, notation_of("zN(f16, R, C)").name
    ('shape:stride', 'format')
    """
    return (_noticed if len(text) <= SHORT else _notation)(str(text), of_layouts)


def _notation(text: str, of_layouts: bool) -> Notation:
    rows = [n for n in reversed(_ROWS) if of_layouts or not n.of_layouts]
    return next(n for n in rows if n.begins(text))


_noticed = lru_cache(maxsize=REMEMBERED)(_notation)


def read_plain(text: str, *, lenient: bool = False) -> Any:
    """The layout that a text spells, its arguments being no layouts themselves.

    >>> print(read_plain("(M,N):(N,1)"))
    (M,N):(N,1)

    Raises `LayoutError` with the place of the mistake.
    """
    return _read(notation_of(text, of_layouts=False), text, lenient)


def _read(notation: Notation, text: str, lenient: bool) -> Any:
    return notation.read(text, lenient=lenient) if notation.name == "XLA" else notation.read(text)


class Text(str):
    """A text that keeps what was read of it, so that it is read once whoever is given it.

    >>> text = Text("f32[M,N]")
    >>> parse(text) is parse(text)
    True
    >>> parse(Text.of(parse(text))) is parse(text)
    True
    """

    value: Any

    def __new__(cls, text: str, value: Any = None) -> Text:
        """The text, and its value where that is known."""
        result = super().__new__(cls, text)
        result.value = value
        return result

    @staticmethod
    def of(value: Any) -> Text:
        """The text of a value."""
        return Text(str(value), value)

    def read(self) -> Any:
        """What it says."""
        return _layout(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)  # another process reads it for itself


class AnyLayout(Layout, Protocol):
    """A layout of some notation, which says what else it has."""

    def __getattr__(self, name: str) -> Any: ...


Own = TypeVar("Own", bound=Layout)


@overload
def parse(text: str, *, lenient: bool = False) -> AnyLayout: ...


@overload  # whatever has an index map is its own
def parse(text: Own, *, lenient: bool = False) -> Own: ...  # type: ignore[overload-overlap]


@overload
def parse(text: object, *, lenient: bool = False) -> AnyLayout: ...


def parse(text: Any, *, lenient: bool = False) -> Any:
    """The layout that a text spells, in whatever notation, or that an object has: `.index_map()`.

    >>> parse("f32[3,5]{1,0:T(2,2)}").index_map().offset(2, 3)
    17
    >>> parse("(M,N):(N,1)").index_map().formula
    N*i + j

    XLA (`bf16[M,N]{1,0:T(8,128)(2,1)}`), TLA and CuTe (`((16,2),(16,3)):((16,256),(1,512))` and
    format names such as `zN(f16, R, C)`), strided (`strided f32[M,N] strides(N,1) offset 4`);
    layouts in C++ (`MakeLayout(...)`) and shapes as protocol-buffer text (`element_type: F32 ...`);
    layouts made of them: `pad_reshape_transpose(...)`, `broadcast_in_dim(...)`;
    index functions (`map i < M*N: (i//N, i%N) in (M, N)`).
    `lenient` reads what XLA's own parser reads.  Raises `LayoutError` with the place of the mistake.
    """
    if not isinstance(text, str):
        from symlayout.layouts.doors.objects import of_object

        return of_object(text)
    if lenient:
        return _read(notation_of(text), text, True)
    if not isinstance(text, Text):
        return _layout(text)
    if text.value is None:
        text.value = text.read()
    return text.value


def _layout(text: str) -> Any:
    return _remembered(text) if len(text) <= SHORT else _read(notation_of(text), text, False)


@lru_cache(maxsize=REMEMBERED)
def _remembered(text: str) -> Any:
    """The layout of a text, and what was derived of it: most layouts are in several claims."""
    return _read(notation_of(text), text, False)
