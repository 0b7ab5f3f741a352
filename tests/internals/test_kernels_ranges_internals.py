"""Properties of internal modules; `tests/test_kernels_ranges.py` tests the public interface."""

from __future__ import annotations

from test_kernels_ranges import HEAD

from symlayout.programs.kernels.triton import read_kernel, read_module


def test_what_is_left_of_a_block_has_its_sizes() -> None:
    text = HEAD + (
        "    s = tl.sum(tl.load(x + i[:, None] * n + i[None, :]), axis=1)\n"
        "    tl.store(y + i, s, mask=s > 0)\n"
    )
    module = read_module(text)
    kernel = read_kernel(module, module.functions["f"])
    assert len(kernel.accesses[-1].shape) == 1
    assert kernel.skipped == {}
