"""The shape rules of instructions against what NumPy does."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import prove

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


def text(shape):
    return f"f32[{','.join(map(str, shape))}]"


def judged(result, call):
    """Proved for NumPy's shape, refuted for that shape with one size changed."""
    assert prove.instruction(f"{text(result)} {call}").status == "proved", (result, call)
    for k in range(len(result)):
        wrong = (*result[:k], result[k] + 1, *result[k + 1 :])
        verdict = prove.instruction(f"{text(wrong)} {call}")
        assert verdict.status == "refuted", (wrong, call)
        assert verdict.counterexample.left != verdict.counterexample.right


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_transpose(data):
    shape = data.draw(SHAPES)
    perm = data.draw(st.permutations(range(len(shape))))
    result = np.zeros(shape).transpose(perm).shape
    judged(result, f"transpose({text(shape)}), dimensions={{{','.join(map(str, perm))}}}")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_slice(data):
    shape = data.draw(SHAPES)
    windows = []
    for d in shape:
        start = data.draw(st.integers(0, d - 1))
        windows.append((start, data.draw(st.integers(start + 1, d)), data.draw(st.integers(1, 3))))
    result = np.zeros(shape)[tuple(slice(*w) for w in windows)].shape
    written = ", ".join(f"[{a}:{b}:{c}]" for a, b, c in windows)
    judged(result, f"slice({text(shape)}), slice={{{written}}}")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_pad(data):
    shape = data.draw(SHAPES)
    widths = [(data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))) for _ in shape]
    result = np.pad(np.zeros(shape), widths).shape
    written = "x".join(f"{low}_{high}" for low, high in widths)
    judged(result, f"pad({text(shape)}, f32[]), padding={written}")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_concatenate(data):
    shape = data.draw(SHAPES)
    axis = data.draw(st.integers(0, len(shape) - 1))
    others = [
        (*shape[:axis], data.draw(st.integers(1, 4)), *shape[axis + 1 :])
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    result = np.concatenate([np.zeros(s) for s in (shape, *others)], axis).shape
    given_text = ", ".join(map(text, (shape, *others)))
    judged(result, f"concatenate({given_text}), dimensions={{{axis}}}")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_reduce(data):
    shape = data.draw(SHAPES)
    gone = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1)))))
    result = np.zeros(shape).sum(axis=gone).shape
    judged(result, f"reduce({text(shape)}, f32[]), dimensions={{{','.join(map(str, gone))}}}")


@settings(max_examples=40, deadline=None)
@given(st.tuples(*[st.integers(1, 4)] * 4))
def test_dot(sizes):
    b, m, n, k = sizes
    result = np.einsum("bmk,bnk->bmn", np.zeros((b, m, k)), np.zeros((b, n, k))).shape
    dims = (
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}"
    )
    judged(result, f"dot({text((b, m, k))}, {text((b, n, k))}), {dims}")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_reshape(data):
    shape = data.draw(SHAPES)
    result = (int(np.prod(shape)), 1)
    judged(result[:1], f"reshape({text(shape)})")
    assert prove.instruction(f"{text(result)} reshape({text(shape)})").status == "proved"
