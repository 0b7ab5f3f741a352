"""`derive`: the steps of layouts and broadcasts, and the calls that make layouts of layouts."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xla_random import shapes

from symlayout import LayoutError, parse, prove, tla
from symlayout.__main__ import main
from symlayout.certificate.kernel import recheck
from symlayout.checks.cli.derive import derivation
from symlayout.expr.terms import value
from symlayout.layouts import xla
from symlayout.programs.hlo import broadcast

TEXTS = (
    "f32[M,N]{1,0:T(s,t)}",
    "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
    "zN(f16,R,C)",
    "PaddingRowMajor(f16,R,C,a,b)",
    "((4,2),(4,3)):((4,16),(1,32))",
    "add(f32[M,3,1], f32[1,2]), broadcast_dimensions={1,2}",
    "add(f32[M,N], f32[]), broadcast_dimensions={}",
    "broadcast_in_dim(zN(f16,R,C), dims=(2,0), to=f16[C,2,R])",
    "strided f32[2,3] strides(3,1)",
)


@pytest.mark.parametrize("text", TEXTS)
def test_every_door_shows_the_steps_and_the_proof(text, capsys):
    assert main(["derive", text]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("proved: ")
    assert main(["derive", text, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["proof"]["verdict"] == "proved"
    assert data.get("terms") or data.get("steps")
    assert main(["derive", text, "--emit", "latex"]) == 0
    out = capsys.readouterr().out
    assert out.count("{") - out.count(r"\{") == out.count("}") - out.count(r"\}")


def test_the_intermediate_shape_of_the_composed_example():
    made = derivation("add(f32[M,3,1], f32[1,2]), broadcast_dimensions={1,2}")
    assert [str(d) for d in made.intermediate] == ["M", "1", "2"]
    assert [str(d) for d in made.result] == ["M", "3", "2"]
    verdict = prove.broadcast("f32[4,3,1]", "f32[1,2]", [1, 2])
    assert verdict.details["intermediate"] == "f32[4,1,2]"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_steps_of_a_broadcast_are_numpys(data):
    large = data.draw(st.lists(st.integers(1, 3), max_size=3))
    dims = [k for k in range(len(large)) if data.draw(st.booleans())]
    small = [data.draw(st.sampled_from([1, large[d], 2])) for d in dims]
    for k, d in enumerate(dims):
        if small[k] != 1 and large[d] != small[k]:
            large[d] = 1
    made = broadcast.derive(large, small, dims)
    array = np.arange(int(np.prod(small, dtype=int))).reshape(small)
    ones = [1] * len(large)
    for k, d in enumerate(dims):
        ones[d] = small[k]
    wanted = np.broadcast_to(array.reshape(ones), made.result)
    for side in made.sides():
        for c in product(*map(range, made.result)):
            assert side.offset(*c) == wanted[c]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_modes_of_a_layout_add_up_to_its_offset(data):
    n = data.draw(st.integers(1, 3))
    sizes = [
        tuple(data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))) for _ in range(n)
    ]
    steps = [tuple(data.draw(st.integers(0, 20)) for _ in mode) for mode in sizes]
    layout = tla.Layout(tuple(sizes), tuple(steps))
    made = tla.derive(layout)
    for c in product(*map(range, made.shape)):
        env = {s.name: x for s, x in zip(made.coords, c)}
        assert sum(value(t.coordinate * int(t.stride), env) for t in made.terms) == layout(*c)


@settings(max_examples=60, deadline=None)
@given(shapes(least=1))
def test_calls_read_back_what_they_print(shape):
    made = parse(f"pad_reshape_transpose({shape})")
    assert parse(str(made)) == made
    assert made.index_map().shape == shape.index_map().shape
    dims = tuple(range(1, shape.rank + 1))
    wide = xla.Shape(shape.dtype, (2, *shape.dims))
    spread = parse(f"broadcast_in_dim({shape}, dims=({','.join(map(str, dims))}), to={wide})")
    assert parse(str(spread)) == spread
    first = tuple(d - 1 for d in shape.dims)
    assert spread.index_map().offset(1, *first) == shape.index_map().offset(*first)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pad_reshape_transpose()", "SL101"),
        ("pad_reshape_transpose(f32[4]", "SL101"),
        ("pad_reshape_transpose(f32[4]]", "SL101"),
        ("pad_reshape_transpose(f32[4]{0:T(0)})", "SL102"),
        ("pad_reshape_transpose((2,3):(3,1))", "SL100"),
        ("pad_reshape_transpose(f32[4], f32[4])", "SL101"),
        ("pad_reshape_transpose(f32[4]) x", "SL101"),
        ("pad_reshape_transpose", "SL100"),
        ("broadcast_in_dim(f32[3], to=f32[2,3])", "SL101"),
        ("broadcast_in_dim(f32[3], dim=(1), to=f32[2,3])", "SL101"),
        ("broadcast_in_dim(f32[3], dims=(1), dims=(1), to=f32[2,3])", "SL101"),
        ("broadcast_in_dim(f32[3], dims=(x), to=f32[2,3])", "SL700"),
        ("broadcast_in_dim(f32[3], dims=(1,1), to=f32[2,3])", "SL702"),
        ("broadcast_in_dim(f32[3], dims=(-1), to=f32[2,3])", "SL703"),
        ("broadcast_in_dim(f32[3], dims=(2), to=f32[2,3])", "SL704"),
        ("broadcast_in_dim(f32[3,3], dims=(1,1), to=f32[2,3])", "SL711"),
        ("broadcast_in_dim(f32[3], dims=(0), to=f32[2,3])", "SL713"),
        ("broadcast_in_dim(f32[N], dims=(0), to=f32[M,3])", "SL713"),
        ("broadcast_in_dim(f32[3], dims=(1), to=bf16[2,3])", "SL717"),
        ("broadcast_in_dim(f32[3], dims=(1), to=f32[2,3]{0,1})", "SL106"),
        ("broadcast_in_dim(f32[3], dims=(1), to=f32[?,3])", "SL700"),
        ("broadcast_in_dim(" * 300 + "f32[3]", "SL101"),
    ],
)
def test_calls_that_mean_nothing(text, code):
    with pytest.raises(LayoutError) as caught:
        parse(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "text", ["(f32[2], f32[3])", "token[]", "add(f32[2,3], f32[2])", "f32[2,?]", "negate(f32[2])"]
)
def test_what_has_no_derivation(text):
    with pytest.raises(LayoutError):
        derivation(text)


@pytest.mark.parametrize(
    "claim",
    [
        (
            "equal",
            "pad_reshape_transpose(bf16[M,N]{1,0:T(8,128)(2,1)})",
            "bf16[M,N]{1,0:T(8,128)(2,1)}",
        ),
        ("formula", "broadcast_in_dim(f32[N]{0:T(8)}, dims=(1), to=f32[M,N])", "j"),
        ("instruction", "add(f32[M,3,1], f32[1,2]), broadcast_dimensions={1,2}"),
    ],
)
def test_proofs_about_calls_have_certificates(claim):
    word, *arguments = claim
    verdict = getattr(prove, word)(*arguments)
    assert verdict.proved
    made = recheck(json.loads(json.dumps(verdict.certificate)))
    assert made.ok, made.failures
