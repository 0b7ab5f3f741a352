"""C's types as far as addresses need them: integers, elements of arrays, pointers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from symlayout.expr.machine import BOOL, INT, INT64, UINT32, UINT64, Machine
from symlayout.text.patterns import regex

BYTE, SHORT = Machine(8), Machine(16)
INTEGERS: dict[str, Machine] = {
    "bool": BOOL,
    **dict.fromkeys(["char", "int8_t", "signed char", "int_least8_t"], BYTE),
    **dict.fromkeys(["uint8_t", "uchar", "unsigned char", "char8_t"], Machine(8, False)),
    **dict.fromkeys(["u_int8_t", "u_char", "uint_least8_t"], Machine(8, False)),
    **dict.fromkeys(["short", "int16_t", "int_least16_t"], SHORT),
    **dict.fromkeys(["uint16_t", "ushort", "unsigned short", "char16_t"], Machine(16, False)),
    **dict.fromkeys(["u_int16_t", "u_short", "uint_least16_t"], Machine(16, False)),
    **dict.fromkeys(["int", "int32_t", "signed", "int_least32_t"], INT),
    **dict.fromkeys(["unsigned", "uint", "uint32_t", "unsigned int", "dim3"], UINT32),
    **dict.fromkeys(["char32_t", "u_int32_t", "u_int", "uint_least32_t"], UINT32),
    **dict.fromkeys(["long", "long long", "int64_t", "ptrdiff_t", "ssize_t", "intptr_t"], INT64),
    **dict.fromkeys(["intmax_t", "int_least64_t", "clock_t"], INT64),
    **dict.fromkeys(["size_t", "unsigned long", "unsigned long long", "uint64_t"], UINT64),
    **dict.fromkeys(["uintptr_t", "ulong", "u_int64_t", "uintmax_t", "uint_least64_t"], UINT64),
}
FLOATS = {  # with their bits, 0 where those are not the same everywhere
    **dict.fromkeys(["half", "__half", "__fp16", "_Float16", "float16_t"], 16),
    **dict.fromkeys(["nv_bfloat16", "__nv_bfloat16", "bfloat", "hip_bfloat16", "__bf16"], 16),
    **dict.fromkeys(["__hip_bfloat16", "bfloat16_t", "c10::Half", "at::Half"], 16),
    **dict.fromkeys(["c10::BFloat16", "at::BFloat16"], 16),
    **dict.fromkeys(["__nv_fp8_e4m3", "__nv_fp8_e5m2", "__nv_fp8_storage_t"], 8),
    **dict.fromkeys(["float", "half2", "__half2", "__nv_bfloat162", "nv_bfloat162"], 32),
    **dict.fromkeys(["__hip_bfloat162", "float32_t"], 32),
    **dict.fromkeys(["double", "float64_t", "cuFloatComplex", "cuComplex"], 64),
    "cuDoubleComplex": 128,
    "long double": 0,
}
STORED = {"bool": 8, "void": 8}  # bits in memory of what is not as wide as its numbers
HANDLES_WORDS = """
cudaTextureObject_t cudaSurfaceObject_t hipTextureObject_t hipSurfaceObject_t
image1d_t image1d_buffer_t image1d_array_t image2d_t image2d_array_t image3d_t sampler_t sampler
"""
# of the language: what is made of them does nothing by itself
HANDLES = frozenset(HANDLES_WORDS.split())
GROUP = regex(
    r"(?:(?:cg|cooperative_groups)::)?"
    r"(?:thread_group|thread_block|grid_group|coalesced_group|cluster_group|thread_block_tile\s*<.*>|"
    r"(?:plus|less|greater|bit_and|bit_or|bit_xor)\s*<.*>)"
)
VECTOR = regex(r"(u?(?:char|short|int|long|longlong)|float|double|half)(1|2|3|4|8|16)")
LANES = {"char": 8, "short": 16, "int": 32, "float": 32, "half": 16}
TENSOR = regex(r"(?:AscendC\s*::\s*)?GlobalTensor\s*<\s*(.+?)\s*>")
SPACES = regex(r"(?:::)?\s*(?:(?:cuda\s*::\s*)?std|metal)\s*::\s*|::\s*")
NOISE = regex(
    r"\b(?:const|volatile|constexpr|static|inline|struct|class|enum|typename|register|extern|mutable)\b"
    r"|__restrict__|__restrict|\brestrict\b|__device__|__shared__|__constant__|__align__\(\w+\)"
)
UNKNOWN = "?"  # begins the word of a type that no declaration here explains
UNSETTLED = "~"  # of one that is a float's in each way of an `#if`
PIXEL = "__pixel"  # of an image of OpenCL
PROMOTED_WORD = "a promoted number"
NUMBER = "a number"  # of a function of the language that returns one


@dataclass(frozen=True)
class CType:
    """A type: its word, how many times it is a pointer, and the sizes of an array of it."""

    word: str
    depth: int = 0
    array: int = 0  # axes of an array that is no parameter
    reference: bool = False
    constant: bool = False
    tensor: bool = False  # AscendC's, in global memory

    @property
    def machine(self) -> Machine | None:
        """The integer type that is declared; None for what is not an integer that is known.

        >>> [str(CType(word).machine) for word in ("int", "unsigned", "uint8_t", "size_t", "float")]
        ['int32', 'uint32', 'uint8', 'uint64', 'None']
        """
        return None if self.depth or self.array else INTEGERS.get(self.word)

    @property
    def computed(self) -> Machine | None:
        """The integer type that arithmetic has its values in.

        >>> str(CType("uint8_t").computed)
        'int32'
        """
        return self.machine and self.machine.promoted

    @property
    def unsigned(self) -> bool:
        """Whether arithmetic has its values in a type without a sign."""
        return self.computed in (UINT32, UINT64)

    @property
    def is_wide(self) -> bool:
        """Whether it is an integer of 64 bits."""
        return self.computed in (INT64, UINT64)

    @property
    def narrow(self) -> Machine | None:
        """The type of an integer that is narrower than `int`, and not a truth value."""
        small = self.machine not in (None, BOOL, self.computed)
        return self.machine if small else None

    @property
    def small(self) -> range | None:
        """The numbers of an integer that is narrower than `int`, or of a truth value.

        >>> CType("short").small, CType("bool").small
        (range(-32768, 32768), range(0, 2))
        """
        kind = self.machine
        if kind is None or kind == self.computed:
            return None
        if self.word == "char":  # of which a compiler says whether it has a sign
            return range(-128, 256)
        return range(kind.low, kind.high + 1)

    @property
    def bits(self) -> int:
        """The bits of a value; 0 where they are not known."""
        if self.depth:
            return 64
        if self.word in STORED:
            return STORED[self.word]
        if self.word in FLOATS:
            return FLOATS[self.word]
        if self.word in INTEGERS:
            return INTEGERS[self.word].bits
        match = VECTOR.fullmatch(self.word.removeprefix("packed_"))
        if match is not None:
            one = LANES.get(match[1].removeprefix("u"), 64)
            return one * int(match[2])
        return 0

    def packed(self, padded: bool) -> CType:
        """The type with the size that it has where vectors of three are `padded` to four.

        >>> CType("float3").packed(True).bits, CType("packed_float3").packed(True).bits
        (128, 96)
        """
        three = padded and not self.depth and VECTOR.fullmatch(self.word) is not None
        return replace(self, word=f"{self.word[:-1]}4") if three and self.word[-1] == "3" else self

    @property
    def element(self) -> CType:
        """What a pointer points to, or an array has."""
        if self.array:
            return replace(self, array=self.array - 1, reference=False)
        return replace(self, depth=max(self.depth - 1, 0), reference=False, tensor=False)

    @property
    def is_plain(self) -> bool:
        """Whether it is a number's of the language, a vector's of them, or an address's.

        >>> [CType(w).is_plain for w in ("int", "c10::Half", "Accessor<float>")]
        [True, True, False]
        """
        number = (
            self.word in INTEGERS or self.word in FLOATS or self.word in (NUMBER, PROMOTED_WORD)
        )
        vector = VECTOR.fullmatch(self.word.removeprefix("packed_")) is not None
        return self.is_address or number or vector or self.word.startswith(UNSETTLED)

    @property
    def is_float(self) -> bool:
        """Whether its values are numbers that are no integers, or vectors of them.

        >>> [CType(w).is_float for w in ("float", "half2", "int4", "T")]
        [True, True, False, False]
        """
        vector = VECTOR.fullmatch(self.word.removeprefix("packed_"))
        lanes = vector is not None and vector[1] in FLOATS
        known = self.word in FLOATS or self.word.startswith(UNSETTLED)
        return not self.is_address and (known or lanes)

    @property
    def lane(self) -> CType | None:
        """The type of one number of a vector.

        >>> CType("float4").lane.word, CType("ulonglong2").lane.word, CType("int").lane
        ('float', 'unsigned long long', None)
        """
        match = VECTOR.fullmatch(self.word.removeprefix("packed_"))
        if match is None or self.is_address:
            return None
        word = match[1].replace("longlong", "long long")
        unsigned = word.startswith("u")
        return CType(f"unsigned {word[1:]}" if unsigned else word)

    @property
    def is_unknown(self) -> bool:
        """Whether no declaration here says what it is."""
        return self.word.startswith(UNKNOWN)

    @property
    def spelling(self) -> str:
        """The type's name, for people."""
        return self.word.removeprefix(UNKNOWN).removeprefix(UNSETTLED)

    @property
    def is_class(self) -> bool:
        """Whether it certainly is no number: one of a template, or that is written like a class."""
        last = self.spelling.partition("<")[0].split("::")[-1].strip()
        written = "<" in self.word or (last[:1].isupper() and len(last) > 1)
        return written and not self.is_plain

    @property
    def pointer(self) -> CType:
        """A pointer to it."""
        return replace(self, depth=self.depth + 1, reference=False)

    @property
    def is_address(self) -> bool:
        """Whether it is a pointer or an array."""
        return self.depth > 0 or self.array > 0


PROMOTED = CType(PROMOTED_WORD)  # of arithmetic: `int`, or what its value has that is no narrower
UNDEDUCED = CType("an undeduced type")  # of a template, or of `auto`
Find = Callable[[str], CType | None]


def is_builtin(word: str) -> bool:
    """Whether a language or its own library has a type of that name.

    >>> is_builtin("uint16_t"), is_builtin("float4"), is_builtin("idx_t")
    (True, True, False)
    """
    if CType(word).is_plain or word in HANDLES or GROUP.fullmatch(word):
        return True
    return word in ("void", "auto", PIXEL)


def _nothing(word: str) -> CType | None:
    """No name is declared."""
    return None


def read_type(text: str, find: Find = _nothing) -> CType:
    """The type of its specifiers, with the stars behind them; `find` says what a name means.

    >>> read_type("const unsigned  long long*").word, str(read_type("std::int64_t").machine)
    ('unsigned long long', 'int64')
    >>> read_type("idx_t").is_unknown
    True
    """
    constant = re.search(r"\bconst\b", text) is not None
    word = " ".join(NOISE.sub(" ", text).split())
    tensor = TENSOR.fullmatch(word.rstrip("& "))
    if tensor is not None:
        return replace(read_type(tensor[1], find).pointer, tensor=True)
    depth = word.count("*") if "<" not in word else len(word) - len(word.rstrip("* "))
    reference = word.rstrip().endswith("&")
    word = word.strip("*& ") if depth or reference else word
    word = re.sub(r"\s*::\s*", "::", word)
    meaning = find(word)
    if meaning is not None:
        depth, word = depth + meaning.depth, meaning.word
        return CType(word, depth, 0, reference, constant, meaning.tensor)
    words = word.split()
    if set(words) <= {"unsigned", "signed", "int", "long", "short", "char"} and words:
        return CType(_integer(words), depth, 0, reference, constant)
    plain = SPACES.sub("", word) if SPACES.match(word) else word
    word = plain if is_builtin(plain) and not is_builtin(word) else word
    return CType(word if is_builtin(word) else UNKNOWN + word, depth, 0, reference, constant)


def _integer(words: list[str]) -> str:
    """One spelling for C's integers."""
    size = next((w for w in ("char", "short") if w in words), "")
    size = size or (
        "long long" if words.count("long") > 1 else "long" if "long" in words else "int"
    )
    if "unsigned" in words:
        return f"unsigned {size}"
    return "signed char" if size == "char" and "signed" in words else size
