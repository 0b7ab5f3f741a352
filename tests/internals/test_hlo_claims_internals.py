"""Properties of internal modules; `tests/test_hlo_claims.py` tests the public interface."""

from __future__ import annotations

import csv
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from symlayout import hlo, parse, prove, xla
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.layouts.xla import reader
from symlayout.programs.hlo.bitcasts import describe
from symlayout.programs.hlo.claims import module_claims

DATA = Path(__file__).parents[1] / "data"

MODULES = sorted((DATA / "hlo").iterdir())

BITCASTS = list(csv.DictReader((DATA / "tpu_bitcasts.csv").open(newline="")))


def judged(claim):
    return getattr(prove, claim.word)(*claim.arguments, **dict(claim.options))


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_every_claim_of_every_printed_module_is_proved(file):
    began = process_time()
    made = module_claims(file.read_text(), file.name)
    assert made.problems == ()
    assert made.claims or file.name.startswith("conv_nchw.stablehlo")
    for claim in made.claims:
        verdict = judged(claim)
        assert verdict.status == "proved", (claim, verdict.reason)
        assert claim.words or claim.word != "reinterpret", claim
        assert claim.word in CLAIMS
        assert claim.source[claim.column - 1 :][: claim.width].strip()
    assert process_time() - began < 3


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_a_claims_text_reads_as_the_value_that_it_carries(file):
    for claim in module_claims(file.read_text(), file.name, max_padding=2).claims:
        for text in claim.arguments:
            if claim.word == "instruction":
                assert parts(hlo.read_instruction(str(text))) == parts(text.value), text
            elif text != "2":
                again = parse(str(text))
                assert (again, again.explicit) == (text.value, text.value.explicit)


def parts(i):
    return i.opcode, i.shape, [o.shape for o in i.operands], dict(i.attributes)


def test_no_shape_of_a_module_is_read_again(monkeypatch):
    claims = module_claims((DATA / "hlo" / "permute_chain.tpu_v5e.hlo").read_text()).claims
    assert {c.word for c in claims} == {"valid", "reinterpret", "equal", "instruction"}
    monkeypatch.setattr(reader, "_Shapes", None)  # what reads any shape
    assert {judged(claim).status for claim in claims} == {"proved"}


def test_identical_claims_are_one():
    made = module_claims((DATA / "hlo" / "fft2.tpu_v5e.hlo").read_text())
    said = [(c.word, c.arguments, c.options) for c in made.claims]
    assert len(set(said)) == len(said)
    assert sum(c.uses for c in made.claims) > 200
    assert all((f"and {c.uses - 1} more" in c.name) == (c.uses > 1) for c in made.claims)


def test_places_are_those_of_the_file():
    text = "\nENTRY e {\n  x = f32[2,3]{1,0} parameter(0)\n  y = f32[2,3]{0,1} copy(x)\n}\n"
    made = module_claims(text)
    assert [(c.word, c.line, c.column, c.width) for c in made.claims] == [
        ("valid", 3, 7, 13),
        ("valid", 4, 7, 13),
        ("instruction", 4, 3, 1),
    ]


def test_broadcasts_of_both_dialects():
    text = "ENTRY e {\n  x = f32[3] parameter(0)\n  y = f32[2,3] broadcast(x), dimensions={1}\n}"
    (claim,) = [c for c in module_claims(text).claims if c.word == "broadcast"]
    assert claim.options == (("dims", "1"), ("dialect", "hlo"))
    text = (
        "func.func @f(%a: tensor<1x3xf32>) -> tensor<2x3xf32> {\n  %0 = stablehlo.broadcast_in_dim "
        "%a, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>\n}"
    )
    (claim,) = module_claims(text).claims
    assert claim.options == (("dims", "0,1"), ("dialect", "stablehlo"))
    assert judged(claim).status == "proved"


def test_a_defect_in_a_module_is_refuted_with_its_place():
    text = (DATA / "hlo" / "window_partition.cpu.hlo").read_text()
    wrong = text.replace("dimensions={0,1,3,2,4,5}", "dimensions={0,2,1,3,4,5}")
    assert wrong != text
    refuted = [(c, judged(c)) for c in module_claims(wrong).claims if not judged(c).proved]
    assert len(refuted) == 1
    claim, verdict = refuted[0]
    assert claim.word == "instruction"
    assert claim.source.lstrip().startswith("%transpose")
    assert "dimension 2 of the operand and dimension 1 of the result: 2 and 4" in verdict.reason


def test_the_title_promises_the_layouts_of_the_entry():
    file = DATA / "hlo" / "bf16_reshapes.tpu_v5e.hlo"
    promises = [c for c in module_claims(file.read_text()).claims if c.word == "equal"]
    assert [c.arguments[0] for c in promises] == [
        "bf16[64,128]{1,0:T(8,128)(2,1)}",
        "bf16[4,2048]{1,0:T(4,128)(2,1)}",
        "bf16[512,16]{0,1:T(8,128)(2,1)}",
    ]
    head = (
        "HloModule m, is_scheduled=true, "
        "entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}\n"
    )
    body = "ENTRY e {\n  ROOT x = f32[2,3]{1,0} parameter(0)\n}\n"
    found = [judged(c).status for c in module_claims(head + body).claims if c.word == "equal"]
    assert found == ["refuted", "proved"]
    early = module_claims((head + body).replace("is_scheduled=true, ", ""))  # a wish, no layout yet
    assert [c.word for c in early.claims] == ["valid"]
    broken = module_claims(head.replace("{0,1}", "{0,0}") + body)
    assert [p.code for p in broken.problems] == ["SL104"]
    assert broken.module.line_of(broken.problems[0].at)[0] == 1
    fewer = module_claims(head.replace("f32[2,3]{0,1}", "") + body)
    assert [p.code for p in fewer.problems] == ["SL723"]


def test_padding_claims():
    text = (DATA / "hlo" / "transpose3d.tpu_v5e.hlo").read_text()
    found = {
        c.arguments: judged(c).status
        for c in module_claims(text, max_padding=20).claims
        if c.word == "padding"
    }
    assert found == {
        ("f32[3,4,5]{2,1,0:T(4,128)}", "20"): "refuted",
        ("f32[5,12]{0,1:T(8,128)S(1)}", "20"): "refuted",
        ("f32[12,5]{0,1:T(8,128)}", "20"): "proved",
    }


# -- bitcasts in words -------------------------------------------------------------------------------


def carried_out(words, numbers, shape):
    """The array of numbers after the steps that the words tell."""
    for step in words.split(", then "):
        if "transpose" in step:
            numbers = numbers.transpose(listed(step))
        elif "reshape" in step:
            numbers = numbers.reshape(
                listed(step.removesuffix(" that only adds or drops sizes of 1"))
            )
    return numbers.reshape(shape)


def listed(step):
    inner = step.strip("]}").replace("{", "[").rpartition("[")[2]
    return [int(w) for w in inner.split(",")] if inner else []


def places(shape):
    """The row-major number of the element at each place of the buffer."""
    made = np.full(int(shape.buffer_size), -1)
    if not shape.dims:
        made[0] = 0
        return made
    numbers = np.arange(int(np.prod(shape.dims)))
    made[shape.index_map().evaluate(*np.unravel_index(numbers, shape.dims))] = numbers
    return made


def test_words_say_what_the_buffers_do():
    described = 0
    for row in BITCASTS:
        a, b = xla.read_shape(row["source"]), xla.read_shape(row["target"])
        words = describe(a, b)
        same = row["same_size"] == row["same_padding"] == "True"
        assert (words is not None) == same, row
        if words is None:
            continue
        described += 1
        before = np.arange(int(np.prod(a.dims, dtype=int))).reshape(a.dims)
        moved = carried_out(words, before, b.dims).ravel()
        first, second = places(a), places(b)
        held = second >= 0
        assert ((first >= 0) == held).all()
        assert (moved[second[held]] == first[held]).all(), (row, words)
        in_order = "transpose" not in words
        assert in_order == (row["same_elements_row_major"] == "True")
    assert described > 100


ONES = "that only adds or drops sizes of 1"


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("f32[8,128]{1,0}", "f32[8,128]{1,0:S(1)}", "the same array"),
        ("f32[8,128]{1,0}", "f32[128,8]{0,1}", "a transpose with dimensions={1,0}"),
        (
            "f32[4,5]{1,0}",
            "f32[4,1,5]{2,1,0}",
            "a reshape to [4,1,5] that only adds or drops sizes of 1",
        ),
        ("f32[4,6]{1,0}", "f32[2,12]{1,0}", "a reshape to [2,12]"),
        (
            "f32[8,1,128]{2,1,0}",
            "f32[1,8,128]{2,1,0}",
            f"a reshape to [1,8,128] {ONES}",
        ),
        (
            "f32[6]{0}",
            "f32[3,2]{0,1}",
            "a reshape to [2,3], then a transpose with dimensions={1,0}",
        ),
        ("f32[M,8]{1,0}", "f32[M,8]{1,0}", None),
        ("f32[6]{0}", "f32[5]{0}", None),
        ("f32[6]{0}", "bf16[6]{0}", None),
    ],
)
def test_words_by_name(source, target, words):
    assert describe(xla.read_shape(source), xla.read_shape(target)) == words
