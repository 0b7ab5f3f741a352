"""Properties of internal modules; `tests/test_formats_of_cann.py` tests the public interface."""

from __future__ import annotations

import pytest
from certificates import seal
from test_formats_of_cann import NAMES

from symlayout import parse, prove, recheck
from symlayout.errors import LayoutError
from symlayout.layouts.cute.formats import FORMATS, help_with_name
from symlayout.tla import make_format


@pytest.mark.parametrize("name", [n for n in NAMES if n not in FORMATS])
def test_an_alias_is_the_format_of_the_same_order_for_all_sizes(name: str) -> None:
    for other in ("zN", "nZ", "zZ", "nN"):
        verdict = prove.equal(f"{name}(f16,R,C)", f"{other}(f16,R,C)")
        assert verdict.proved == (NAMES[name] == NAMES[other])
        if verdict.proved:
            assert recheck(verdict.certificate).ok
            texts = [f"{name}(f16,R,C)", f"{other[::-1].swapcase()}(f16,R,C)"]
            claim = {**verdict.certificate["claim"], "arguments": texts}
            forged = {**verdict.certificate, "claim": claim}
            right = NAMES[other[::-1].swapcase()] == NAMES[name]
            assert recheck({**forged, "seal": seal(forged)}).ok == right


@pytest.mark.parametrize("name", ["NZ", "ZN", "nz", "zn", "Nz", "Zn"])
def test_no_hint_leads_to_the_transposed_format(name: str) -> None:
    if name in ("Nz", "Zn"):
        assert make_format(name, "f16", 32, 32) == make_format(name[::-1], "f16", 32, 32)
        return
    with pytest.raises(LayoutError) as error:
        parse(f"{name}(f16,M,N)")
    assert ("did you mean" in str(error.value.help)) == (name == "ZN")  # which says both
    right = {"NZ": "zN", "ZN": "nZ", "nz": "nZ", "zn": "zN"}[name]
    assert right in str(error.value.help)


def test_other_slips_have_the_nearest_name() -> None:
    assert help_with_name("zz") == "did you mean 'zZ'?"
    assert help_with_name("RowMajr") == "did you mean 'RowMajor'?"
