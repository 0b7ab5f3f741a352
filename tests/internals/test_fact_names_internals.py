"""Properties of internal modules; `tests/test_fact_names.py` tests the public interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout.checks.config import read_config
from symlayout.layouts.naming import has_size


@pytest.mark.parametrize(
    ("text", "sizes", "words"),
    [
        ("strided f32[M,N] strides(S,1) offset 4", "MNS", ("strided", "offset", "f32")),
        ("Swizzle<2,0,3> o (M,1):(1,S)", "MS", ("Swizzle", "o")),
        ("bf16[M,N]{1,0:T(8,128)}", "MN", ("T", "bf16")),
        ("zN(f16,R,C)", "RC", ("zN", "f16")),
        ("map i < M if i < K: q = i; q in N", "MKN", ("map", "if", "in", "i", "q")),
        ("linear i [[1]*2**k] -> x 2**k", "k", ("linear",)),
        ("einops b (h d) -> b h d, h=H, b=B, d=D", "", ("einops",)),
    ],
)
def test_words_of_a_notation_are_no_sizes(text: str, sizes: str, words: tuple[str, ...]) -> None:
    assert all(has_size(text, n) for n in sizes)
    assert not any(has_size(text, w) for w in words)


def test_settings_have_symbols(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.symlayout]\nsymbols = ["B"]\n')
    assert [o.text for o in read_config(tmp_path).where] == ["symbol B"]
