"""`derive`: the steps of layouts and broadcasts, and the calls that make layouts of layouts."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xla_random import shapes

from symlayout import LayoutError, broadcast, parse, prove, recheck, xla
from symlayout.__main__ import main

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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("strided f32[M,N] strides(S,1) offset 4", "+ 4      the first element"),
        ("strided f32[3] strides(-1) offset 2", "+ 2       the first element"),
        ("Swizzle(3,3,3) o 0 o (8,64):(64,1)", "bit 5 ^= bit 8"),
        (
            "Swizzle(2,0,-3) o P o (M,N):(N,1)",
            "Swizzle(2,0,-3) of x, that sum: x ^ ((x & 0b11) << 3)",
        ),
    ],
)
def test_offsets_and_swizzles_are_shown_and_proved(text, shown, capsys):
    assert main(["derive", text]) == 0
    out = capsys.readouterr().out
    assert shown in out
    assert "\nproved: the offset is" in out
    assert main(["derive", text, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data.get("swizzle", "Swizzle(3,3,3)").startswith("Swizzle(")
    assert "start" in data


@pytest.mark.parametrize(
    ("text", "fact", "shown"),
    [
        ("f32[M,N]{1,0:T(8,128)}", "N % 128 == 0", "= i//8   * 8*N"),
        ("f32[M,N]{1,0:T(8,128)}", "N == 256", "[ceildiv(M, 8), 8, 2, 128]"),
        ("f32[M,N]{1,0:T(8,128)}", "N <= 128", "coordinates  (i//8, 0, i%8, j)"),
        ("zN(f16,R,C)", "R % 16 == 0", "+ j//16 * 16*R"),
        ("add(f32[M,N], f32[K]), broadcast_dimensions={1}", "K == 1", "element (0) of [1]"),
        ("add(f32[M,N], f32[K]), broadcast_dimensions={1}", "N == 1", "element (i, 0) of [M, 1]"),
    ],
)
def test_what_is_shown_is_as_short_as_the_facts_make_it(text, fact, shown, capsys):
    assert main(["derive", text, "--where", fact]) == 0
    out = capsys.readouterr().out
    assert shown in out
    assert f"where {fact.replace(' % ', '%')}" in out


CONDITIONAL = "broadcast_in_dim(f32[N], dims=(0), to=f32[M,3])"


@pytest.mark.parametrize(("fact", "offset"), [("N == M", "i"), ("N == 1", "0"), ("M == 1", "0")])
def test_a_size_that_may_be_1_or_the_results(fact, offset):
    assert str(parse(CONDITIONAL).index_map().formula) == "i%N"
    undefined = prove.formula(CONDITIONAL, "i%N")
    assert undefined.counterexample.left == "undefined"
    assert "neither 1 nor M, at M = 1, N = 2; add N == M" in undefined.reason
    made = prove.formula(CONDITIONAL, offset, where=[fact])
    assert made.status == ("refuted" if fact == "M == 1" else "proved")  # N may be larger
    if made.proved:
        assert recheck(json.loads(json.dumps(made.certificate))).ok


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (CONDITIONAL, "N == M"),
        ("add(f32[M,N], f32[K]), broadcast_dimensions={1}", "K == N"),
        ("add(f32[M,N], f32[M,K])", "K == 1"),
        ("broadcast_in_dim(f32[N], dims=(0), to=f32[N+1,3])", "N == 1"),
    ],
)
def test_steps_of_sizes_that_may_not_match_say_what_is_missing(text, fact, capsys):
    assert main(["derive", text]) == 1
    assert "\nrefuted: " in capsys.readouterr().out
    assert main(["derive", text, "--where", fact]) == 0


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


@settings(max_examples=30, deadline=None)
@given(shapes(least=1))
def test_facts_change_how_steps_are_written_not_what_they_are(shape):
    names = [f"n{k}" for k in range(shape.rank)]
    plain = xla.derive(shape)
    symbolic = xla.Shape(shape.dtype, names, shape.minor_to_major, shape.tiles)
    facts = [f"{n} == {d}" for n, d in zip(names, shape.dims)]
    if shape.padded_dimensions is None and shape.tail_alignment == 1:
        made = xla.derive(symbolic, facts)
        assert [s.sizes for s in made.steps] == [s.sizes for s in plain.steps]
