"""Properties of internal modules; `tests/test_hlo_elements.py` tests the public interface."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("module_0001.jit_f.cl_7/module.mlir", "given"),
        ("module_0001.jit_f/module.mlir", "given"),
        ("module_0001.jit_f.cl_7.oom_intermediate_module.txt", "cl_7.oom_intermediate_module"),
    ],
)
def test_what_libtpu_writes_into_a_folder_is_one_module(name, rank):
    from symlayout.text.dumps import best_stages, stage_of

    assert stage_of(name) == rank
    best = "module_0001.jit_f.cl_7.after_optimizations.txt"
    assert best_stages([name, best]) == ([best], [name])
    early = "module_0001.jit_f.cl_7.before_optimizations.txt"
    kept = [name] if "oom" in name else [early]
    assert best_stages([early, name])[0] == kept
