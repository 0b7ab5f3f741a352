"""Properties of internal modules; `tests/test_importer_attributes.py` tests the public interface."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from test_importer_attributes import ENCODINGS

from symlayout.errors import LayoutError
from symlayout.layouts.doors import attributes, objects
from symlayout.layouts.doors.triton import _KINDS as KINDS

ROOT = Path(objects.__file__).parents[2]


def test_the_table_has_every_kind_and_every_field() -> None:
    texts = " ".join(ENCODINGS) + " offset block alignment"
    assert {*KINDS} - {"shared_linear"} <= {*re.findall(r"#ttg\.(\w+)", texts)}
    for kind in KINDS.values():
        assert {*kind.fields.split()} <= {*re.findall(r"\w+", texts)}


TRIED = (Path(__file__), Path(__file__).parents[1] / "test_importer_attributes.py")

# -- the tables are whole -------------------------------------------------------------------------

READERS = [
    ROOT / "layouts" / "doors" / "objects.py",
    ROOT / "programs" / "kernels" / "block_specs.py",
]


def asked(path: Path) -> set[str]:
    """The attributes that a reader asks for by name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        call = node if isinstance(node, ast.Call) else None
        if call is not None and isinstance(call.func, ast.Name) and len(call.args) > 1:
            name = call.args[1]
            if call.func.id in ("getattr", "hasattr") and isinstance(name, ast.Constant):
                names.add(str(name.value))
    return names


@pytest.mark.parametrize("path", READERS, ids=lambda p: p.name)
def test_every_attribute_that_is_read_is_tried(path: Path) -> None:
    text = "".join(f.read_text() for f in TRIED)
    methods = {
        "index_map",
        "stride",
        "storage_offset",
        "layout",
        "kind",
        "isnative",
        "name",
        "dtype",
    }
    unknown = {n for n in asked(path) - methods if not n.startswith("__")}
    assert not {n for n in unknown if not re.search(rf"\b{n}\b", text)}


def test_nothing_of_an_object_is_looked_at_but_its_data() -> None:
    class Loud:
        shape, stride = (4,), (1,)

        def method(self) -> None:
            raise AssertionError

        @property
        def pads(self) -> int:
            raise RuntimeError

    with pytest.raises((LayoutError, RuntimeError)):
        attributes.only(Loud(), "shape", "stride")
