"""Modules that are written as bytes: what such a file is, and its text where jaxlib is installed.

jaxlib reads them in a process of its own, because some bytes end it.  That process imports nothing
from the working directory, and bounds its own memory and time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING

from symlayout.checks import jaxlib_reader
from symlayout.errors import LayoutError
from symlayout.text.limits import MODULE_BYTES
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from subprocess import CompletedProcess

SECONDS = 120.0
BYTECODE = b"ML\xefR"
PRODUCER = regex(
    rb"ML\xefR.{1,9}?StableHLO_v(\d{1,9}\.\d{1,9}\.\d{1,9})\0", 16
)  # a dot is any byte
COMPRESSED = {b"\x1f\x8b": ("gzip", "gunzip"), b"\x28\xb5\x2f\xfd": ("Zstandard", "unzstd")}
NAME = regex(rb"[\w.\-+<>:]{1,1000}")
EXPORTED_AT = 4096  # bytes before the module in what `jax.export` writes
VARINT, FIXED64, MESSAGE, FIXED32 = 0, 1, 2, 5  # types of fields in a protocol buffer
FIELDS = 1000  # of a protocol buffer that are looked at; those that tell what it is come first
REASON = 500  # characters of what jaxlib says


@dataclass(frozen=True)
class Binary:
    """What a file is, how its text is made elsewhere, and the part of it that a reader takes.

    `reader` is the task of `jaxlib_reader`, "" for what it cannot read.
    """

    words: str
    cure: str
    reader: str = ""
    data: bytes = b""


def kind_of(data: bytes) -> Binary | None:
    """What the bytes are, by how they begin; None for a text, and for what is not known.

    >>> kind_of(b"ML\\xefR\\rStableHLO_v1.13.0\\0").words
    'a StableHLO 1.13.0 portable artifact'
    >>> kind_of(b"HloModule m") is None
    True
    """
    if _is_text(data):
        return None
    for magic, (name, tool) in COMPRESSED.items():
        if data.startswith(magic):
            return Binary(f"compressed by {name}", f"unpack it with {tool}")
    if data.startswith(BYTECODE):
        return _bytecode(data)
    at = data.find(BYTECODE, 4, EXPORTED_AT)
    if at > 0:
        size = int.from_bytes(data[at - 4 : at], "little")
        hit = _bytecode(data[at : at + size])
        cure = "print(jax.export.deserialize(data).mlir_module()) prints the text"
        return Binary(
            f"a serialized jax.export program, {hit.words} inside", cure, hit.reader, hit.data
        )
    return _protocol_buffer(data)


def text_of(file: str, data: bytes) -> tuple[str, str]:
    """The text of a module that is written as bytes, and what the file is; "" twice for a text.

    Raises `LayoutError`: SL601 for what cannot be read, SL509 where jaxlib is missing.
    """
    binary = kind_of(data)
    if binary is None:
        return "", ""
    message = f"{file} is not text: it is {binary.words}"
    if not binary.reader:
        raise LayoutError("SL601", message, help=binary.cure)
    if find_spec("jaxlib") is None:
        help = f"`pip install 'symlayout[jax]'` lets symlayout read it; or: {binary.cure}"
        raise LayoutError("SL509", message, help=help)
    run = _run(message, binary)
    if run.returncode or len(run.stdout) > MODULE_BYTES:
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1][:REASON] if lines and run.returncode == 1 else "the process ended"
        reason = reason if run.returncode else f"its text has more than {MODULE_BYTES:,} bytes"
        raise LayoutError(
            "SL601", f"{message}; jaxlib does not read it: {reason}", help=binary.cure
        )
    return run.stdout.decode("utf-8", "replace"), binary.words


def _run(message: str, binary: Binary) -> CompletedProcess[bytes]:
    """The process that asks jaxlib, when it has ended.

    It starts in the root folder, so that an entry of `PYTHONPATH` such as `.` is not the checkout.
    """
    import subprocess

    flags = ["-P", *["-E"] * sys.flags.ignore_environment, *["-s"] * sys.flags.no_user_site]
    script = os.path.abspath(jaxlib_reader.__file__)
    command = [sys.executable, *flags, script, binary.reader, str(MODULE_BYTES), str(int(SECONDS))]
    env = {**os.environ, "JAX_PLATFORMS": "cpu"}
    env.pop("XLA_FLAGS", None)  # which would write dumps, or refuse to start
    try:
        return subprocess.run(
            command,
            input=binary.data,
            capture_output=True,
            timeout=SECONDS,
            env=env,
            cwd=os.path.abspath(os.sep),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = "it takes too long" if isinstance(error, subprocess.TimeoutExpired) else str(error)
        raise LayoutError("SL601", f"{message}; jaxlib does not read it: {reason}") from None


def _is_text(data: bytes) -> bool:
    """Whether the bytes are UTF-8 without zeros; a character may be cut at the end."""
    if b"\0" in data:
        return False
    for cut in range(4):
        try:
            data[: len(data) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return True
    return False


def _bytecode(data: bytes) -> Binary:
    match = PRODUCER.match(data)
    if match is not None:
        words = f"a StableHLO {match[1].decode()} portable artifact"
        cure = "stablehlo-translate --deserialize FILE prints the text"
        return Binary(words, cure, "artifact", data)
    cure = "stablehlo-opt FILE prints the text"
    return Binary("MLIR bytecode", cure, "mlir", data)


def _protocol_buffer(data: bytes) -> Binary | None:
    """An HloModuleProto, or an HloProto or HloSnapshot with it in the first field."""
    words = ("an HloModuleProto", "an HloProto", "an HloSnapshot")
    cure = "XLA_FLAGS=--xla_dump_hlo_as_text writes the text into the dump folder"
    for word in words:
        first: dict[int, bytes] = {}
        for number, value in islice(_fields(data), FIELDS):
            if value is not None:
                first.setdefault(number, value)
        names = [NAME.fullmatch(first.get(k) or b"") for k in (1, 2)]
        if all(names) and first.get(3):
            return Binary(word, cure, "hlo", data)
        if not first.get(1):
            return None
        data = first[1]
    return None


def _fields(data: bytes) -> Iterator[tuple[int, bytes | None]]:
    """The fields with their numbers, and their bytes; it ends where the data are no fields.

    The bytes of a number are None.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind, number = tag & 7, tag >> 3
        if not number or kind not in (VARINT, FIXED64, MESSAGE, FIXED32):
            return
        if kind == MESSAGE:
            size, at = _varint(data, at)
            yield number, data[at : at + size]
            at += size
            continue
        at = _varint(data, at)[1] if kind == VARINT else at + (8 if kind == FIXED64 else 4)
        yield number, None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, the lowest first, and where it ends."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
    return 0, len(data)
