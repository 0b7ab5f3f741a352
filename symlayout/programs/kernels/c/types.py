"""C's types as far as addresses need them: integers, elements of arrays, pointers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from symlayout.text.patterns import regex

INTEGERS = {
    **dict.fromkeys(["int", "int32_t", "signed", "ptrdiff32_t"], 32),
    **dict.fromkeys(["bool", "char", "short", "int8_t", "int16_t", "uint8_t", "uint16_t"], 32),
    **dict.fromkeys(["uchar", "ushort", "signed char", "unsigned char", "unsigned short"], 32),
    **dict.fromkeys(["unsigned", "uint", "uint32_t", "unsigned int", "dim3"], 33),
    **dict.fromkeys(["long", "long long", "int64_t", "ptrdiff_t", "ssize_t", "intptr_t"], 64),
    **dict.fromkeys(["size_t", "unsigned long", "unsigned long long", "uint64_t"], 65),
    **dict.fromkeys(["uintptr_t", "ulong"], 65),
}
NARROW = {  # bits, and whether there is a sign
    **dict.fromkeys(["char", "int8_t", "signed char"], (8, True)),
    **dict.fromkeys(["uint8_t", "uchar", "unsigned char"], (8, False)),
    **dict.fromkeys(["short", "int16_t"], (16, True)),
    **dict.fromkeys(["uint16_t", "ushort", "unsigned short"], (16, False)),
}
SMALL = {
    **dict.fromkeys(["bool", "char", "int8_t", "uint8_t", "uchar", "signed char"], 8),
    **dict.fromkeys(["unsigned char", "__nv_fp8_e4m3", "__nv_fp8_e5m2", "void"], 8),
    **dict.fromkeys(["short", "int16_t", "uint16_t", "ushort", "unsigned short"], 16),
    **dict.fromkeys(["half", "__half", "nv_bfloat16", "__nv_bfloat16", "bfloat"], 16),
}
VECTOR = regex(r"(u?(?:char|short|int|long|longlong)|float|double|half)(1|2|3|4|8|16)")
LANES = {"char": 8, "short": 16, "int": 32, "float": 32, "half": 16}
TENSOR = regex(r"(?:AscendC )?GlobalTensor\s*<\s*(.+?)\s*>")
NOISE = regex(
    r"\b(?:const|volatile|constexpr|static|inline|struct|typename|register|std|extern|mutable)\b"
    r"|::|__restrict__|__restrict|restrict|__device__|__shared__|__constant__|__align__\(\w+\)"
)


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
    def width(self) -> int:
        """The key of an integer's width; 0 for what is no integer that is known.

        >>> [CType(word).width for word in ("int", "unsigned", "int64_t", "size_t", "float")]
        [32, 33, 64, 65, 0]
        """
        return 0 if self.depth or self.array else INTEGERS.get(self.word, 0)

    @property
    def narrow(self) -> tuple[int, bool] | None:
        """Of an integer that is narrower than `int` its bits, and whether it has a sign."""
        return None if self.depth or self.array else NARROW.get(self.word)

    @property
    def small(self) -> range | None:
        """The numbers of an integer that is narrower than `int`, or of a truth value.

        >>> CType("short").small, CType("bool").small
        (range(-32768, 32768), range(0, 2))
        """
        if self.word == "bool" and not self.is_address:
            return range(2)
        if self.narrow is None:
            return None
        bits, signed = self.narrow
        return range(-(1 << bits - 1) * signed, 1 << bits - signed)

    @property
    def bits(self) -> int:
        """The bits of a value; 0 where they are not known."""
        if self.depth:
            return 64
        if self.word in SMALL:
            return SMALL[self.word]
        if self.word in INTEGERS:
            return INTEGERS[self.word] // 32 * 32
        match = VECTOR.fullmatch(self.word.removeprefix("packed_"))
        if match is not None:
            one = LANES.get(match[1].removeprefix("u"), 64)
            return one * int(match[2])
        table = {"float": 32, "double": 64, "half2": 32, "__half2": 32, "__nv_bfloat162": 32}
        return table.get(self.word, 0)

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
        """Whether it is a number's, or an address's.

        >>> [CType(w).is_plain for w in ("int", "c10 Half", "Accessor<float>")]
        [True, True, False]
        """
        named = FLOATING.search(self.word.partition("<")[0]) is not None
        return self.is_address or named or bool(self.bits or self.width)

    @property
    def is_float(self) -> bool:
        """Whether its values are numbers that are no integers, or vectors of them.

        >>> [CType(w).is_float for w in ("float", "half2", "int", "T")]
        [True, True, False, False]
        """
        return not self.is_address and not self.width and FLOATING.search(self.word) is not None

    @property
    def is_class(self) -> bool:
        """Whether it certainly is no number: one of a template, or that is written like a class."""
        last = self.word.partition("<")[0].replace("::", " ").split(" ")[-1]
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


FLOATING = regex(r"(?i)half|float|double|complex|fp\d+|e\dm\d")  # in the names of types of numbers
PIXEL = "pixel"  # of an image of OpenCL
PROMOTED = CType("promoted")  # of arithmetic: `int`, or what its value has that is no narrower
UNDEDUCED = CType("undeduced")  # of a template, or of `auto`


def read_type(text: str, aliases: Mapping[str, str] = {}) -> CType:
    """The type of its specifiers, with the stars behind them.

    >>> read_type("const unsigned  long long*").word, read_type("std::int64_t").width
    ('unsigned long long', 64)
    """
    constant = re.search(r"\bconst\b", text) is not None
    word = " ".join(NOISE.sub(" ", text).split())
    tensor = TENSOR.fullmatch(word.rstrip("& "))
    if tensor is not None:
        return replace(read_type(tensor[1], aliases).pointer, tensor=True)
    depth = word.count("*") if "<" not in word else len(word) - len(word.rstrip("* "))
    reference = word.rstrip().endswith("&")
    word = word.strip("*& ") if depth or reference else word
    for _ in range(8):  # an alias of an alias
        if word not in aliases:
            break
        word = " ".join(NOISE.sub(" ", aliases[word]).split())
        if word.endswith("*"):
            depth, word = depth + word.count("*"), word.rstrip("* ")
    words = word.split()
    if set(words) <= {"unsigned", "signed", "int", "long", "short", "char"} and words:
        word = _integer(words)
    return CType(word, depth, 0, reference, constant)


def _integer(words: list[str]) -> str:
    """One spelling for C's integers."""
    size = next((w for w in ("char", "short") if w in words), "")
    size = size or (
        "long long" if words.count("long") > 1 else "long" if "long" in words else "int"
    )
    if "unsigned" in words:
        return f"unsigned {size}"
    return "signed char" if size == "char" and "signed" in words else size
