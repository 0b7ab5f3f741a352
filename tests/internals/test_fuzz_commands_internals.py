"""Properties of internal modules; `tests/test_fuzz_commands.py` tests the public interface."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from test_fuzz_commands import ends_well, quick

from symlayout.checks.cli.main import COMMANDS, FORMATS
from symlayout.layouts.vocabulary import CLAIMS

LAYOUTS = ["f32[M,N]{1,0:T(8,128)}", "(4,N):(N,1)", "strided f32[3] strides(2)", "f32[", "", "\0"]

OPTIONS = ["--where", "--json", "--at", "--budget", "--top", "--tag", "--size", "--svg", "--claim"]

WORDS = st.one_of(
    st.sampled_from([*CLAIMS, *LAYOUTS, *OPTIONS, *FORMATS, "--", "-h", "N > 0", "1", "-1", "1e9"]),
    st.text(max_size=6),
)


@quick
@given(
    st.sampled_from([c for c in COMMANDS if c not in ("check", "lsp")]), st.lists(WORDS, max_size=5)
)
def test_arguments(command: str, words: list[str]) -> None:
    if "--certificate" not in words:
        ends_well([command, *words])


@quick
@given(st.lists(WORDS, max_size=4))
def test_arguments_of_check(words: list[str]) -> None:
    ends_well(["check", *words, "--no-cache", "/nowhere"])
