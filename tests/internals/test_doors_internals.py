"""Properties of internal modules; `tests/test_doors.py` tests the public interface."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import symlayout as sl
from symlayout import LayoutError, prove
from symlayout.layouts.doors.objects import of_object


def test_objects_are_read_by_what_they_offer() -> None:
    spec = SimpleNamespace(shape=(4, 8), dtype=np.dtype("float32"))
    tensor = SimpleNamespace(
        shape=(4, 8), stride=lambda: (1, 4), storage_offset=lambda: 2, dtype="torch.bfloat16"
    )
    tvm = SimpleNamespace(
        initial_indices=[SimpleNamespace(name="i"), SimpleNamespace(name="j")],
        final_indices=["i // T.int64(4)", "i % T.int64(4) + j"],
    )
    assert str(of_object(tvm)) == "map i < I, j < J: (i//4, j + i%4)"
    cute = SimpleNamespace(shape=(4, (2, 2)), stride=(4, (1, 2)))
    tiled = SimpleNamespace(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)))
    jax = SimpleNamespace(shape=(16, 256), dtype="bfloat16", format=SimpleNamespace(layout=tiled))
    assert str(of_object(spec)) == "strided f32[4,8] strides(8,1)"
    assert str(of_object(tensor)) == "strided bf16[4,8] strides(1,4) offset 2"
    assert str(of_object(cute)) == "(4,(2,2)):(4,(1,2))"
    assert str(of_object(jax)) == "bf16[16,256]{1,0:T(8,128)(2,1)}"
    assert prove.equal(spec, "f32[4,8]").proved
    with pytest.raises(LayoutError, match="index_map"):
        sl.parse(lambda i: i)
    with pytest.raises(LayoutError, match="not a layout"):
        sl.parse(object())
