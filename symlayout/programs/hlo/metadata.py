"""Where an instruction comes from: `op_name`, and the line of the source."""

from __future__ import annotations

import re

from symlayout.programs.hlo.module import Instruction, Module
from symlayout.programs.hlo.nesting import STRING
from symlayout.text.patterns import regex

TEXT = regex(rf"(?P<key>op_name|source_file)=(?P<text>{STRING})")
NUMBER = regex(r"(?P<key>source_line|stack_frame_id)=(?P<number>\d+)")
FIELD = regex(r"(\w+)=(\d+)")


def op_name(i: Instruction) -> str:
    """The name of the operation in the program that was compiled, empty where none is known."""
    names = {m["key"]: m["text"] for m in TEXT.finditer(i.attributes.get("metadata", ""))}
    return _plain_text(names.get("op_name", ""))


def source(module: Module, i: Instruction) -> str:
    """The file and line of the program, empty where they are not known.

    >>> from symlayout.programs.hlo.reader import read_module
    >>> m = read_module('ENTRY e { x = f32[] iota(), metadata={source_file="a.py" source_line=7} }')
    >>> source(m, m.entry.root)
    'a.py:7'
    """
    text = i.attributes.get("metadata", "")
    file = {m["key"]: m["text"] for m in TEXT.finditer(text)}.get("source_file", "")
    numbers = {m["key"]: m["number"] for m in NUMBER.finditer(text)}
    if file:
        return f"{_plain_text(file)}:{numbers.get('source_line', '')}".rstrip(":")
    return _frame(module, numbers.get("stack_frame_id", ""))


def _frame(module: Module, number: str) -> str:
    """The file and line of a row of the module's table of stack frames."""
    frame = dict(FIELD.findall(module.sources.get(f"StackFrames {number}", "")))
    place = module.sources.get(f"FileLocations {frame.get('file_location_id', '')}", "")
    fields = dict(FIELD.findall(place))
    file = module.sources.get(f"FileNames {fields.get('file_name_id', '')}", "")
    return f"{_plain_text(file)}:{fields.get('line', '')}" if file else ""


def _plain_text(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text else ""
