"""What Python prints as a claim can be pasted behind `symlayout prove`, and asks the same."""

from __future__ import annotations

import json
import shlex
import subprocess

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import Claim, LayoutError, prove
from symlayout.__main__ import main

M, N = sl.sizes("M N")
TILED = sl.parse("f32[M,N]{1,0:T(8,128)}")
MAP = TILED.index_map()
PLAIN = sl.IndexMap.row_major((M, N))

# whatever stands for a two-dimensional layout in Python
LAYOUTS = [
    "f32[M, N]{1,0}",
    TILED,
    MAP,
    MAP.named("r,c"),
    MAP.transpose((1, 0)),
    MAP.resized(M * N),
    MAP.slice((0, 0), (M, 1)),
    PLAIN,
    PLAIN.transpose((1, 0)),
    PLAIN.tile((2, 2)),
    TILED.index_map().pad((M, N)),
    sl.IndexMap.strided((M, N), (1, sympy.Max(M, 3))),
    sl.IndexMap.strided((M, N), (-N, 1), M * N - N),
    sl.IndexMap.row_major((sympy.Integer(2), N + 1)),
    sl.tla.Layout((M, N), (N, 1)),
    sl.tla.Layout(((2, M), N), ((1, 2), 2 * M)),
    np.zeros((2, 3), dtype=np.float32).T,
    sl.index_map(lambda i, j: (i, j + N), {"i": M, "j": N}, box=(M, 2 * N)),
    sl.index_map(lambda i, j: i * N + j, {"i": M, "j": N}, box=M * N, guard="i > j"),
]
FACTS = [
    sympy.Eq(sympy.Mod(N, 4), 0),
    M > 2,
    "N % 128 == 0",
    "M != 3 and N <= 2**4",
    sympy.Ne(M, N),
    sympy.floor(N / 2) >= 1,
]


@st.composite
def asked(draw):
    word = draw(st.sampled_from(["injective", "onto", "bounded", "equal", "formula", "tiles"]))
    one, other = (draw(st.sampled_from(range(len(LAYOUTS)))) for _ in "ab")
    args = [LAYOUTS[one]]
    if word == "equal":
        args.append(LAYOUTS[other])
    if word == "tiles":
        args.append(draw(st.sampled_from(["2,2", (1, 2), [M, 1]])))
    if word == "formula":
        i, j = sympy.symbols("i j")
        args.append(draw(st.sampled_from(["i*N + j", i * N + j, "j*M+i", sympy.floor(i / 2) + j])))
    facts = draw(st.lists(st.sampled_from(range(len(FACTS))), max_size=2, unique=True))
    return word, args, [FACTS[k] for k in facts]


@pytest.mark.explore
@settings(max_examples=60)
@given(asked())
def test_what_is_printed_asks_the_same_and_gets_the_same_answer(drawn):
    word, args, where = drawn
    try:
        verdict = getattr(prove, word)(*args, where=where)
    except LayoutError:  # a claim that these layouts do not have
        return
    first = str(verdict).split("\n")[0]
    assert first.startswith(verdict.status)
    assert f": {word} " in first
    pasted = shlex.split(first.partition(": ")[2])
    assert pasted == shlex.split(verdict.command)[2:] or set(pasted) == set(
        shlex.split(verdict.command)[2:]
    )
    read = Claim.parse(shlex.join(pasted))
    again = getattr(prove, read.word)(*read.arguments, where=list(read.facts), **dict(read.options))
    assert again.status == verdict.status, first
    assert str(again).split("\n")[0] == first
    if verdict.refuted:
        assert again.counterexample.sizes == verdict.counterexample.sizes


@pytest.mark.parametrize("layout", LAYOUTS, ids=range(len(LAYOUTS)))
def test_the_command_line_takes_it(layout, capsys):
    verdict = prove.injective(layout, where="N > 1" if "N" in str(layout) else ())
    code = main([*shlex.split(verdict.command)[1:], "--json"])
    claim = json.loads(capsys.readouterr().out)["claims"][0]
    assert (claim["verdict"], code) == (verdict.status, 0 if verdict.proved else 1)


WILD = ["--1 < M", "-h", "--json", "M*$x", "`a`", 'a"b', "a\\b", "!x", "a'b", "\x1b", "é", "\n", ""]


@pytest.mark.parametrize("text", WILD)
def test_a_shell_hands_over_every_letter(text):
    claim = Claim("bounded", ("f32[4]", text), (), ("N > 1", text))
    for line in (claim.quoted, str(claim)):
        script = f"printf '%s\\0' {line}"
        made = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
        words = made.stdout.decode().split("\0")[:-1]
        assert [w for w in words if w == text], (line, words)
        assert words[0] == "bounded"
        if text.startswith("-"):
            assert "--" in words[: words.index(text)] or line != claim.quoted
