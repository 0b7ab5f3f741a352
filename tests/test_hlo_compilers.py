"""What compilers of today print: right modules are proved, wrong ones refuted."""

# ruff: noqa: E501

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symlayout import hlo, prove

FOLDERS = Path(__file__).parent / "data" / "dumps" / "folders"

STORED = sorted(FOLDERS.glob("*/*after_optimizations.txt"))


def refutations(text: str) -> list[str]:
    """The claims of a module that are not proved; it is read whole."""
    made = hlo.claims_of(hlo.read_module(text))
    assert made.problems == ()
    verdicts = [(c, getattr(prove, c.word)(*c.arguments, **dict(c.options))) for c in made.claims]
    return [f"{c.word} {c.arguments}: {v.reason}" for c, v in verdicts if not v.proved]


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_nothing_of_a_stored_dump_is_refuted(file):
    assert refutations(file.read_text()) == []


CONSTRAINED = """HloModule m, is_scheduled=true
ENTRY e {{ x = {operand} parameter(0)
  ROOT y = f32[8]{{0}} custom-call(x), custom_call_target="g", operand_layout_constraints={{{wish}}} }}"""


@pytest.mark.parametrize(
    ("operand", "wish", "good"),
    [
        # a constraint is older than tiles and memory spaces
        ("f32[64,128]{1,0:T(8,128)}", "f32[64,128]{1,0}", True),
        ("bf16[64,128]{1,0:T(8,128)(2,1)S(1)}", "bf16[64,128]{1,0}", True),
        ("s4[64,128]{1,0:T(64,128)(8,1)E(4)}", "s4[64,128]{1,0}", True),
        ("f32[]{:T(128)S(6)}", "f32[]", True),
        ("f32[3,5,7]{0,2,1:T(8,128)}", "f32[3,5,7]{0,2,1}", True),
        ("(f32[4,6]{1,0:T(4,128)}, s32[3]{0:T(128)S(1)})", "(f32[4,6]{1,0}, s32[3]{0})", True),
        # an order of dimensions of which one alone has elements side by side
        ("f32[1,128]{0,1:T(1,128)}", "f32[1,128]{1,0}", True),
        ("f32[5,1,1]{0,1,2:T(1,128)}", "f32[5,1,1]{2,1,0}", True),
        # what has tiles asks for them, in any memory space
        ("f32[64,128]{1,0:T(8,128)S(1)}", "f32[64,128]{1,0:T(8,128)}", True),
        ("f32[64,128]{1,0:T(8,128)}", "f32[64,128]{1,0:T(8,128)S(5)}", True),
        ("f32[64,200]{1,0:T(4,128)}", "f32[64,200]{1,0:T(8,128)}", False),
        ("f32[64,200]{1,0}", "f32[64,200]{1,0:T(8,128)}", False),
        # another order
        ("f32[64,128]{0,1:T(8,128)}", "f32[64,128]{1,0}", False),
        ("f32[64,128]{1,0:T(8,128)S(1)}", "f32[64,128]{0,1}", False),
        ("f32[3,5,7]{0,1,2}", "f32[3,5,7]{2,1,0}", False),
        ("(f32[4,6]{1,0:T(4,128)}, s32[3,2]{0,1})", "(f32[4,6]{1,0}, s32[3,2]{1,0})", False),
    ],
)
def test_a_constraint_is_about_the_order_of_dimensions(operand, wish, good):
    text = CONSTRAINED.format(operand=operand, wish=wish)
    hits = refutations(text)
    assert (hits == []) is good, hits
    assert all(line.startswith("equal") for line in hits)
    before = text.replace("is_scheduled=true", "is_scheduled=false")
    assert refutations(before) == []


def test_a_pallas_kernel_has_constraints_that_are_compared():
    (file,) = (FOLDERS / "v5e.pallas").glob("*after_optimizations.txt")
    text = file.read_text()
    assert "operand_layout_constraints" in text
    words = [c.word for c in hlo.claims_of(hlo.read_module(text)).claims]
    assert "equal" in words
    other = text.replace("={f32[512,512]{1,0}", "={f32[512,512]{0,1}")
    assert other != text
    (line,) = refutations(other)
    assert line.startswith("equal")


def test_the_folders_of_the_stored_dumps_are_counted():
    counts = json.loads((FOLDERS / "memory.json").read_text())
    assert {f.parent.name for f in STORED} == set(counts)


UNCOVERED = """HloModule m, is_scheduled=true

part {{
  q = f32[10,24,7]{{2,1,0:T(8,128)}} parameter(0)
  ROOT s = f32[10,{inner},7]{{2,1,0:T(8,128)}} slice(q), slice={{[0:10], [0:{inner}], [0:7]}}
}}

ENTRY e {{
  x = f32[10,18,7]{{2,1,0:T(8,128)}} parameter(0)
  y = f32[10,24,7]{{2,1,0:T(8,128)}} bitcast(x)
  {rest}
}}
"""

SLICE = "{root}s{n} = f32[10,{size},7]{{2,1,0:T(8,128)}} slice({of}), slice={{[0:10], [0:{size}], [0:7]}}"

FUSED = "{root}f = f32[10,{size},7]{{2,1,0:T(8,128)}} fusion(y), kind=kLoop, calls=part"


def uncovered(*rest: str, inner: int = 18) -> str:
    return UNCOVERED.format(inner=inner, rest="\n  ".join(rest))


def a_slice(size: int, n: int = 0, root: str = "ROOT ", of: str = "y") -> str:
    return SLICE.format(size=size, n=n, root=root, of=of)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (uncovered(a_slice(18)), True),
        (uncovered(a_slice(5)), True),
        (uncovered(a_slice(18, 1, ""), a_slice(17)), True),
        (uncovered(FUSED.format(root="ROOT ", size=18)), True),
        (uncovered(FUSED.format(root="", size=18), a_slice(3)), True),
        (uncovered(a_slice(19)), False),
        (uncovered(a_slice(24)), False),
        (uncovered(a_slice(18, 1, ""), a_slice(20)), False),
        (uncovered(FUSED.format(root="ROOT ", size=20), inner=20), False),
        (uncovered("ROOT n = f32[10,24,7]{2,1,0:T(8,128)} negate(y)"), False),
        (uncovered(a_slice(18, 1, ""), "ROOT n = f32[10,24,7]{2,1,0:T(8,128)} negate(y)"), False),
        (uncovered().replace("  y = ", "  ROOT y = "), False),
    ],
)
def test_padding_that_is_uncovered_and_sliced_away_is_a_note(text, good):
    hits = refutations(text)
    assert (hits == []) is good, hits
    names = [c.name for c in hlo.claims_of(hlo.read_module(text)).claims if "uncovered" in c.name]
    assert (len(names) == 1) is good
    if good:
        assert "padding of dimension 1 is uncovered, which slice s" in names[0]
    else:
        assert "padding is uncovered, whose content is undefined" in hits[0]


MIXED = """HloModule m
fused {{
  p = {operand} parameter(0)
  {line}
}}
ENTRY e {{
  x = {operand} parameter(0)
  ROOT f = {result} fusion(x), kind=kLoop, calls=fused
}}
"""

LINES = [
    ("bf16[]", "f32[8]", "ROOT r = f32[8] broadcast(p), dimensions={}"),
    ("f32[]", "bf16[8]", "ROOT r = bf16[8] broadcast(p), dimensions={}"),
    ("bf16[8]", "f32[8,3]", "ROOT r = f32[8,3] broadcast(p), dimensions={0}"),
    ("bf16[2,4]", "f32[8]", "ROOT r = f32[8] reshape(p)"),
    (
        "f32[8]", "bf16[8]",
        "k = s32[] constant(0) ROOT r = bf16[8] dynamic-update-slice(p, p, k)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("operand", "result", "line"), LINES)
def test_precision_may_change_inside_a_fusion(operand, result, line):
    text = MIXED.format(operand=operand, result=result, line=line)
    assert refutations(text) == []
    assert sum(hlo.claims_of(hlo.read_module(text)).not_checked.values()) == 1
    whole = f"HloModule m ENTRY e {{ p = {operand} parameter(0) {line} }}"
    assert len(refutations(whole)) == 1
    wrong = text.replace("bf16", "s32")
    assert refutations(wrong) != []


@pytest.mark.parametrize(
    ("line", "good"),
    [
        # what XLA's verifier looks at, and what not
        ("ROOT r = f32[4,2] all-reduce(p), replica_groups={{0},{1}}, channel_id=1, to_apply=array", True),
        ("ROOT r = f32[4,2] all-reduce(p), replica_groups={{0,1}}, to_apply=whole", True),
        ("ROOT r = f32[2,2] reduce-scatter(p), dimensions={0}, replica_groups={{0,1}}, to_apply=array", True),
        ("ROOT r = f32[4,2] map(p), dimensions={1,0}, to_apply=one", True),
        ("ROOT r = s32[4,4] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}", True),
        ("ROOT r = token[] after-all(p)", True),
        ("z = f32[] constant(0) ROOT r = (f32[2]) reduce(p, z), dimensions={0}, to_apply=single", True),
        ("ROOT r = f32[8,2] all-gather(p), dimensions={0}, replica_groups={{0,1}}, channel_id=0, "
         "use_global_device_ids=true", True),
        ("ROOT r = f32[8,2] all-gather(p), dimensions={0}, replica_groups={{0,1}}, "
         "use_global_device_ids=true", False),
        ("ROOT r = f32[4,2] all-reduce(p), replica_groups={{0,1}}, channel_id=0, to_apply=sum", False),
        ("ROOT r = f32[4,3] all-reduce(p), replica_groups={{0,1}}, to_apply=sum", False),
        ("ROOT r = f32[3,2] reduce-scatter(p), dimensions={0}, replica_groups={{0,1}}, to_apply=sum", False),
        ("ROOT r = f32[4,3] map(p), dimensions={0,1}, to_apply=one", False),
        ("ROOT r = s32[4,2] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}", False),
        ("ROOT r = f32[] after-all(p)", False),
        ("z = f32[] constant(0) ROOT r = f32[2] reduce(p, z), dimensions={0}, to_apply=single", False),
        ("z = f32[] constant(0) ROOT r = (f32[2]) reduce(p, z), dimensions={0}, to_apply=sum", False),
    ],
)  # fmt: skip
def test_what_the_verifier_of_hlo_looks_at(line, good):
    text = f"""HloModule m
sum {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }}
whole {{ a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }}
single {{ a = f32[] parameter(0) b = f32[] parameter(1) s = f32[] add(a, b) ROOT r = (f32[]) tuple(s) }}
array {{ a = f32[4,2] parameter(0) b = f32[4,2] parameter(1) ROOT r = f32[4,2] add(a, b) }}
one {{ a = f32[] parameter(0) ROOT r = f32[] negate(a) }}
ENTRY e {{ p = f32[4,2] parameter(0) {line} }}"""
    hits = refutations(text)
    assert (hits == []) is good, hits


def test_buffers_are_alike_without_their_layouts():
    text = """HloModule m
async { p = b(f32[4]) parameter(0) ROOT r = b(f32[4]) custom-call(p), custom_call_target="g" }
ENTRY e { x = b(f32[4]{0}) parameter(0)
  s = ((b(f32[4]{0})), b(f32[4]{0}), s32[]) async-start(x), calls=async
  ROOT d = b(f32[4]{0}) async-done(s) }"""
    assert refutations(text) == []
    assert refutations(text.replace("b(f32[4]{0}) async-done", "b(f32[5]{0}) async-done")) != []
