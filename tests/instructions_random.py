"""Instructions with mistakes: texts whose types, sizes, groups and attributes are changed at random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

DATA = Path(__file__).parent / "data"
RIGHT = (DATA / "instructions_right.txt").read_text().strip().splitlines()
WRONG = (DATA / "instructions_wrong.txt").read_text().strip().splitlines()

TYPES = [
    *("pred", "s4", "s8", "s32", "s64", "u8", "u16", "u32", "u64"),
    *("f16", "bf16", "f32", "f64", "f8e5m2", "c64", "c128"),
]
TYPE = rf"\b(?:{'|'.join(TYPES)})"
GROUPS = (
    "{} {{}} {{0}} {{0,1}} {{0,1},{2}} {{0,1},{2,3}} {{1,2}} {{0,1},{}} {{0,-1}} {{0,0}} [4]<=[4] "
    "[1,2]<=[2] [2,2]<=[4] [2,2]<=[2] [2,2]<=[2,2]T(1,0) [2,2]<=[2,2]T(1,1) [0,2]<=[0] [2,0]<=[0]"
)
MORE = (
    *("channel_id=1", "use_global_device_ids=true", "left_side=true", "index=0", "k=2", "k=-1"),
    *("replica_groups={{0,1}}", "dimensions={0}", "feature_group_count=2", "batch_group_count=2"),
    *("distribution=rng_normal", "distribution=other", "direction=XX", "kind=other"),
    *("to_apply=(f32[], f32[])->f32[]", "called=(f32[2])->f32[2]", "outfeed_shape=f32[2]"),
    *("split_dimension=0, concat_dimension=0", "broadcast_dimensions={0}", "window={size=1}"),
)
# what is changed, and to what: & stands for what was there
CHANGES = [
    (rf"{TYPE}(?=\[)", TYPES),
    (r"(?<=[\[,])\d+(?=[,\]])", ["0", "1", "2", "3", "4", "8", "N", "2*N", "<=8", "<=N", "?"]),
    (r"\[\d*(?:,\d+)*\](?!<)", ["[]", "[1]", "[2]", "[2,2]", "[N]", "[3,N]"]),
    (rf"{TYPE}\[[^\]]*\]|token\[\]", ["token[]", "(&)", "&, &", "f32[]", "u32[]", "s32[2]", "()"]),
    (rf", (?:{TYPE}\[[^\]]*\]|token\[\])", [""]),
    (r", \w+=(?:(?!, \w+=).)*", [""]),
    (r"(?<=replica_groups=)(?:(?!, \w+=).)+", GROUPS.split()),
    (r"(?<==)\{[\d,]*\}", ["{}", "{0}", "{1}", "{2}", "{0,1}", "{1,0}", "{0,0}", "{-1}"]),
    (r"(?<=[=x_])-?\d+(?![*\d])", ["0", "1", "2", "3", "-1"]),
    (r"$", [f", {word}" for word in MORE]),
]


def changed(text: str) -> Iterator[str]:
    """The instruction with each single change."""
    for pattern, words in CHANGES:
        for hit in re.finditer(pattern, text):
            for word in words:
                yield text[: hit.start()] + word.replace("&", hit[0]) + text[hit.end() :]


@st.composite
def mistaken(draw: st.DrawFn) -> str:
    """An instruction that was right or wrong, with two or three changes."""
    text = draw(st.sampled_from(RIGHT + WRONG))
    for _ in range(draw(st.integers(2, 3))):
        pattern, words = draw(st.sampled_from(CHANGES))
        hits = list(re.finditer(pattern, text))
        if hits:
            hit = hits[draw(st.integers(0, len(hits) - 1))]
            word = draw(st.sampled_from(words)).replace("&", hit[0])
            text = text[: hit.start()] + word + text[hit.end() :]
    return text
