"""What the modules behind `tests/test_hlo_dumps.py` promise each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_hlo_dumps import COUNTS, DUMPS

from symlayout import prove
from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.claims import claims_of, module_claims, modules_of
from symlayout.programs.hlo.lives import live_ranges
from symlayout.programs.hlo.memory import footprint
from symlayout.programs.hlo.metadata import op_name, source
from symlayout.programs.hlo.padding import padding_report
from symlayout.programs.hlo.places import Leaf, Places
from symlayout.programs.hlo.reader import read_module
from symlayout.programs.hlo.summary import summary

OPEN = {"custom-call"}


@pytest.mark.parametrize("file", sorted(DUMPS.glob("*.[hm]l*")), ids=lambda f: f.name)
def test_every_dump(file):
    (module,) = modules_of(file.read_text(), file.name)
    made = claims_of(module)
    assert made.problems == ()
    assert set(made.not_checked) <= OPEN
    for claim in made.claims:
        verdict = getattr(prove, claim.word)(*claim.arguments, **dict(claim.options))
        assert verdict.status == "proved", (claim, verdict.reason)


# a table of pointers stands in front of a tuple: 4 bytes an entry on a TPU, in units of the chip
TABLES = {"v5e": (4, 512), "v6e": (4, 32), "cpu": (8, 1)}


@pytest.mark.parametrize("file", sorted(DUMPS.glob("*.hlo")), ids=lambda f: f.name)
def test_bytes_are_those_of_the_compiler(file):
    name = file.name.removesuffix(".hlo")
    made = footprint(read_module(file.read_text()))
    assert made.arguments == COUNTS[name]["argument_size_in_bytes"]
    entry, unit = TABLES[name.split(".")[1]]
    table = -(-made.pointers * entry // unit) * unit
    assert made.outputs + table == COUNTS[name]["output_size_in_bytes"]


def test_names_of_regions_may_come_again():
    text = """func.func @main(%a: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1> loc("a")
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<4xf32>
  }
  %1 = "stablehlo.slice"(%0#1) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>,
      strides = dense<1> : tensor<1xi64>}> :
      (tensor<4xf32>) -> tensor<2xf32> loc(#loc)
  return %a : tensor<4xf32>
} loc(unknown)
#loc = loc("b")
"""
    (module,) = modules_of(text)
    made = claims_of(module)
    assert made.problems == ()
    assert made.not_checked == {}
    assert all(prove.instruction(c.arguments[0]).proved for c in made.claims)
    assert any(c.arguments[0].startswith("(s32[], f32[4]) while(") for c in made.claims)
    for wrong, code in (
        (text.replace("%1 = stablehlo.negate %x", "%1 = stablehlo.negate %y"), "SL722"),
        (text.replace("negate %x : tensor<4xf32>", "negate %x : tensor<5xf32>"), "SL723"),
        (text.replace("%1 = stablehlo.negate", "%x = stablehlo.negate"), "SL724"),
        (text.replace("stablehlo.negate %x", "%"), "SL720"),
    ):
        assert [p.code for p in claims_of(modules_of(wrong)[0]).problems] == [code]


def test_regions_are_judged():
    text = """func.func @main(%a: tensor<4x5xf32>, %z: tensor<f32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "stablehlo.if"(%c) ({
    stablehlo.return %0 : tensor<4xf32>
  }, {
    stablehlo.return %0 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""

    def refuted(text):
        made = claims_of(modules_of(text)[0])
        assert made.problems == (), made.problems
        return [c for c in made.claims if not prove.instruction(c.arguments[0]).proved]

    assert refuted(text) == []
    assert len(refuted(text.replace("stablehlo.return %1 : tensor<f32>", "stablehlo.return"))) == 1
    wrong = text.replace("}) : (tensor<i1>) -> tensor<4xf32>", "}) : (tensor<i1>) -> tensor<5xf32>")
    wrong = wrong.replace("return %2 : tensor<4xf32>", "return %0 : tensor<4xf32>")
    assert len(refuted(wrong)) == 1
    assert len(refuted(text.replace("array<i64: 1>", "array<i64: 0>"))) == 1


@pytest.mark.parametrize(
    "attribute",
    ["permutation = #other.thing<1>", "permutation = dense<[1.5, 0.0]> : tensor<2xf32>"],
)
def test_an_attribute_that_is_not_understood_is_not_checked(attribute):
    text = (
        "func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {\n"
        f'  %0 = "stablehlo.transpose"(%a) {{{attribute}}} : (tensor<2x3xf32>) -> tensor<3x2xf32>\n'
        "  return %0 : tensor<3x2xf32>\n}\n"
    )
    made = claims_of(modules_of(text)[0])
    assert made.not_checked == {"transpose": 1}


def test_places_in_the_source():
    module = read_module((DUMPS / "sharded.v5e.hlo").read_text())
    found = {(op_name(i), source(module, i)) for i in module.instructions}
    assert ("jit(sh)/dot_general", "programs.py:55") in found


def test_live_ranges():
    text = """HloModule m, is_scheduled=true
body { p = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[64] get-tuple-element(p), index=1 t = f32[256] broadcast(i), dimensions={}
  ROOT r = (s32[], f32[64]) tuple(i, x) }
cond { p = (s32[], f32[64]) parameter(0) ROOT c = pred[] constant(true) }
ENTRY e { a = f32[64] parameter(0) z = s32[] constant(0) b = f32[64] negate(a)
  t = (s32[], f32[64]) tuple(z, b)
  w = (s32[], f32[64]) while(t), condition=cond, body=body
  g = f32[64] get-tuple-element(w), index=1 ROOT o = f32[64] negate(g) }"""
    lives = live_ranges(read_module(text))
    # argument, counter, what goes through the loop, and what its body needs for itself
    assert lives.peak[0] == 256 + 4 + 256 + 1024
    assert lives.where[0] == "w"
    assert live_ranges(read_module(text.replace("true\n", "false\n"))) is None
    for file in sorted(DUMPS.glob("*.hlo")):
        made = footprint(read_module(file.read_text()))
        for space in made.spaces.values():
            assert 0 < space.peak <= space.bytes
        assert made.spaces[0].peak >= max(made.arguments, made.outputs)


LOOP = """HloModule m, is_scheduled=true%s
fused { p = f32[1000] parameter(0) u = f32[10] parameter(1) k = s32[] parameter(2)
  ROOT r = f32[1000] dynamic-update-slice(p, u, k) }
body { p = (s32[], f32[1000], f32[10]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[1000] get-tuple-element(p), index=1 u = f32[10] get-tuple-element(p), index=2
  one = s32[] constant(1) %s n = s32[] add(i, one)
  ROOT r = (s32[], f32[1000], f32[10]) tuple(n, y, u) }
cond { p = (s32[], f32[1000], f32[10]) parameter(0) ROOT c = pred[] constant(true) }
ENTRY e { a = f32[1000] parameter(0) u = f32[10] parameter(1) z = s32[] constant(0)
  t = (s32[], f32[1000], f32[10]) tuple(z, a, u)
  w = (s32[], f32[1000], f32[10]) while(t), condition=cond, body=body
  ROOT o = f32[1000] get-tuple-element(w), index=1 }"""

DONATED = ", input_output_alias={ {}: (0, {}, may-alias) }"


@pytest.mark.parametrize(
    ("title", "body", "arrays"),
    [
        ("", "y = f32[1000] dynamic-update-slice(x, u, i)", 1),
        ("", "y = f32[1000] fusion(x, u, i), kind=kLoop, calls=fused", 1),
        # written twice in place, and what is not the loop's own array
        ("", "v = f32[1000] fusion(x, u, i), kind=kLoop, calls=fused "
         "y = f32[1000] dynamic-update-slice(v, u, i)", 1),
        ("", "v = f32[1000] negate(x) y = f32[1000] dynamic-update-slice(v, u, i)", 1),
        # the old array is read once more: both are there
        ("", "y = f32[1000] dynamic-update-slice(x, u, i) v = f32[1000] add(x, x)", 3),
        # what the loop's step has for itself, beside the array that goes round
        ("", "v = f32[1000] negate(x) v2 = f32[1000] negate(v) y = f32[1000] negate(v2)", 1),
        ("", "v = f32[1000] reverse(x), dimensions={0} y = f32[1000] negate(v)", 2),
    ],
)  # fmt: skip
def test_what_goes_round_a_loop_is_one_buffer(title, body, arrays):
    made = footprint(read_module(LOOP % (title, body)))
    assert made.spaces[0].peak // 4000 == arrays


@pytest.mark.parametrize(
    ("title", "body", "arrays"),
    [
        ("", "ROOT y = f32[1000] negate(a)", 2),
        (DONATED, "ROOT y = f32[1000] negate(a)", 1),
        (DONATED, "v = f32[1000] negate(a) ROOT y = f32[1000] negate(v)", 1),
        # its room is free until the output is made: for what comes in between, smaller or not
        (DONATED, "v = f32[1000] negate(a) w = f32[1000] reverse(v), dimensions={0} "
         "ROOT y = f32[1000] negate(w)", 2),
        (DONATED, "v = f32[500] slice(a), slice={[0:500]} w = f32[500] reverse(v), dimensions={0} "
         "x = f32[500] reverse(w), dimensions={0} z = f32[] constant(0) "
         "ROOT y = f32[1000] pad(x, z), padding=0_500", 1),
        ("", "v = f32[500] slice(a), slice={[0:500]} w = f32[500] reverse(v), dimensions={0} "
         "x = f32[500] reverse(w), dimensions={0} z = f32[] constant(0) "
         "ROOT y = f32[1000] pad(x, z), padding=0_500", 2),
        (DONATED, "v = f32[1000] reverse(a), dimensions={0} ROOT y = f32[1000] reverse(v), "
         "dimensions={0}", 2),
        # the argument is read behind its output: a compiler would have copied it
        (DONATED, "t = f32[1000] negate(a) v = f32[1000] add(a, a) ROOT y = f32[1000] bitcast(t)", 3),
        # an argument that is not donated is never written over
        ("", "u = f32[10] parameter(1) k = s32[] constant(0) "
         "ROOT y = f32[1000] dynamic-update-slice(a, u, k)", 2),
        (DONATED, "u = f32[10] parameter(1) k = s32[] constant(0) "
         "ROOT y = f32[1000] dynamic-update-slice(a, u, k)", 1),
        # two outputs of one buffer lie over two arguments: both of these are there
        (", input_output_alias={ {0}: (0, {}), {1}: (1, {}) }", "b = f32[1000] parameter(1) "
         "v = f32[1000] negate(a) ROOT y = (f32[1000], f32[1000]) tuple(v, v)", 2),
        ("", "c = f32[1000] copy(a) ROOT y = f32[1000] custom-call(c), custom_call_target=g, "
         "output_to_operand_aliasing={{}: (0, {})}", 2),
    ],
)  # fmt: skip
def test_an_output_lies_over_the_argument_that_is_donated(title, body, arrays):
    text = f"HloModule m, is_scheduled=true{title} ENTRY e {{ a = f32[1000] parameter(0) {body} }}"
    assert footprint(read_module(text)).spaces[0].peak // 4000 == arrays


CALLED = """HloModule m, is_scheduled=true
body { p = f32[1000] parameter(0) ROOT y = f32[1000] negate(p) }
cond { p = f32[1000] parameter(0) ROOT c = pred[] constant(true) }
loop { p = f32[1000] parameter(0) ROOT w = f32[1000] while(p), condition=cond, body=body }
twice { p = f32[1000] parameter(0) q = f32[1000] parameter(1) c = f32[1000] call(q), to_apply=loop
  ROOT t = (f32[1000], f32[1000]) tuple(c, p) }
new { p = f32[1000] parameter(0) ROOT y = f32[1000] negate(p) }
ENTRY e { a = f32[1000] parameter(0) b = f32[1000] copy(a) %s }"""


@pytest.mark.parametrize(
    ("body", "arrays"),
    [
        ("ROOT y = f32[1000] call(b), to_apply=loop", 2),
        ("c = f32[1000] copy(a) t = (f32[1000], f32[1000]) call(b, c), to_apply=twice "
         "ROOT y = f32[1000] get-tuple-element(t), index=1", 3),
        ("ROOT y = f32[1000] call(b), to_apply=new", 3),
    ],
)  # fmt: skip
def test_what_a_call_passes_on_is_the_buffer_that_it_is_given(body, arrays):
    assert footprint(read_module(CALLED % body)).spaces[0].peak // 4000 == arrays


@given(st.data())
def test_what_lies_in_one_place_is_there_at_different_times(data):
    """Pairs of neighbours alone are looked at; here all are, after what is joined at random."""
    numbers = st.integers(0, 12)
    leaves = []
    for k in range(data.draw(st.integers(2, 9))):
        begin = data.draw(numbers)
        shape = Shape("f32", (data.draw(st.integers(1, 3)),))
        leaves.append(Leaf(shape, f"v{k}", begin, begin + data.draw(st.integers(0, 4))))
        if data.draw(st.booleans()):
            leaves[-1].holds.append((begin, begin + data.draw(st.integers(0, 6))))
    pairs = data.draw(
        st.lists(st.tuples(st.sampled_from(leaves), st.sampled_from(leaves)), max_size=9)
    )
    places = Places(pairs)
    places.write_over(pairs)
    rooms = list({id(x.room): x.room for x in leaves}.values())
    before = {id(r): r.size for r in rooms}
    hosts = [r for r in rooms if data.draw(st.booleans())]
    places.fill(hosts, [r for r in rooms if all(r is not h for h in hosts)])
    meeting = {(id(new), id(old)) for new, old in pairs}
    for leaf in leaves:
        assert sum(other is leaf for other in leaf.room.parts) == 1
        for other in leaf.room.parts:
            if other is leaf or other.begin < leaf.begin:
                continue
            read = max([leaf.used, *(end for begin, end in leaf.holds if begin != other.begin)])
            assert leaf.begin < other.begin
            assert read < other.begin or (read == other.begin and (id(other), id(leaf)) in meeting)
    for host in hosts:
        assert all(leaf.room is host for leaf in host.parts)
        assert host.size == before[id(host)]


REUSED = """HloModule m, is_scheduled=true
scaled { p = f32[1000] parameter(0) s = f32[1] parameter(1) r = f32[] reshape(s)
  b = f32[1000] broadcast(r), dimensions={} ROOT m = f32[1000] multiply(p, b) }
turned { p = f32[1000] parameter(0) n = f32[1000] negate(p) r = f32[1000] reverse(p), dimensions={0}
  ROOT m = f32[1000] multiply(n, r) }
placed { p = f32[1000] parameter(0) s = f32[1] parameter(1) z = s32[] constant(3)
  n = f32[1000] negate(p) d = f32[1000] dynamic-update-slice(n, s, z) ROOT c = f32[1000] sine(d) }
moved { p = f32[1000] parameter(0) z = s32[] constant(0) s = f32[9] slice(p), slice={[5:14]}
  n = f32[1000] negate(p) ROOT d = f32[1000] dynamic-update-slice(n, s, z) }
lt { p = f32[] parameter(0) q = f32[] parameter(1) ROOT c = pred[] compare(p, q), direction=LT }
ENTRY e { a = f32[1000] parameter(0) u = f32[1] parameter(1)
  v = f32[1000] reverse(a), dimensions={0} %s }"""


@pytest.mark.parametrize(
    ("body", "arrays"),
    [
        ("ROOT y = f32[1000] negate(v)", 2),
        ("w = f32[1000] negate(v) ROOT y = f32[1000] sine(w)", 2),
        ("ROOT y = f32[1000] fusion(v, u), kind=kLoop, calls=scaled", 2),
        ("ROOT y = f32[1000] fusion(v, u), kind=kLoop, calls=placed", 2),
        ("ROOT y = f32[1000] sort(v), dimensions={0}, to_apply=lt", 2),
        # another place is read, the fusion is not known to go by places, the operand is read twice
        ("ROOT y = f32[1000] reverse(v), dimensions={0}", 3),
        ("ROOT y = f32[1000] fusion(v), kind=kLoop, calls=turned", 3),
        ("ROOT y = f32[1000] fusion(v), kind=kLoop, calls=moved", 3),
        ("ROOT y = f32[1000] fusion(v, u), kind=kCustom, calls=scaled", 3),
        # the operand is read later, is a result, is of another type, is an argument
        ("w = f32[1000] negate(v) r = f32[1000] reverse(v), dimensions={0} "
         "ROOT y = (f32[1000], f32[1000]) tuple(w, r)", 4),
        ("w = f32[1000] negate(v) ROOT y = (f32[1000], f32[1000]) tuple(v, w)", 3),
        ("ROOT y = s32[1000] convert(v)", 3),
        ("w = f32[1000] negate(a) ROOT y = (f32[1000], f32[1000]) tuple(v, w)", 3),
    ],
)  # fmt: skip
def test_what_goes_by_places_lies_over_an_operand_that_is_read_no_more(body, arrays):
    """As XLA's own assignment for CPUs does."""
    assert footprint(read_module(REUSED % body)).spaces[0].peak // 4000 == arrays


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ("{0}: (0, {}, may-alias)", []),
        ("{0}: (0, {}), {1}: (1, {1}, must-alias)", []),
        # a second pair of one output is passed over, as compilers do
        ("{0}: (0, {}), {0}: (7, {})", []),
        ("{3}: (0, {})", ["is not an array of the result"]),
        ("{}: (0, {})", ["is not an array of the result"]),
        ("{0}: (2, {})", ["lies over parameter 2, and there are 2"]),
        ("{0}: (0, {1})", ["which is not an array"]),
        ("{0}: (1, {})", ["which is not an array"]),
        (
            "{1}: (0, {})",
            ["output {1} of input_output_alias, f32[5], is not as large as part {} of parameter 0"],
        ),
        ("{0}: (0, {}), {2}: (0, {})", ["two outputs"]),
        ("{0}: zork", ["is a list of"]),
        ("{0}: (0, {}, zork)", ["is a list of"]),
    ],
)
def test_the_outputs_that_lie_over_arguments_are_there_and_as_large(pairs, said):
    text = f"""HloModule m, input_output_alias={{ {pairs} }}
ENTRY e {{ a = f32[4] parameter(0) b = (f32[4], f32[5]) parameter(1)
  c = f32[4] negate(a) d = f32[5] get-tuple-element(b), index=1
  ROOT t = (f32[4], f32[5], f32[4]) tuple(c, d, c) }}"""
    problems = read_module(text).problems
    assert len(problems) == len(said)
    for problem, words in zip(problems, said):
        assert problem.code == "SL725"
        assert words in problem.message
        assert text[problem.at :].startswith("input_output_alias")


def test_traffic_is_what_only_changes_a_layout():
    module = read_module((DUMPS / "gather.v5e.hlo").read_text())
    made = footprint(module)
    assert [t.name for t in made.traffic] == ["copy.5", "copy.10", "copy.11"]
    assert made.moved == sum(t.bytes for t in made.traffic) == 1_684_480


def test_an_attribute_that_nobody_knows_leaves_its_instruction_unchecked():
    text = "HloModule m\n\nENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] add(a, a)%s\n}\n"
    for extra, left in (("", {}), (", metadata={}", {}), (", zork={1}", {"add": 1})):
        assert module_claims(text % extra).not_checked == left


ASYNC = """HloModule m, is_scheduled=true
add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }
inner { p = f32[1000] parameter(0) t = f32[1000] negate(p) u = f32[1000] multiply(t, p)
  ROOT r = f32[1000] negate(u) }
unused { p = f32[1000] parameter(0) ROOT r = f32[1000] negate(p) }
ENTRY e { x = f32[1000] parameter(0) t = token[] after-all()
"""


@pytest.mark.parametrize(
    ("body", "bytes", "peak"),
    [
        # the result of a call is one buffer, whoever makes room for it
        ("ROOT c = f32[1000] call(x), to_apply=inner", 16_000, 8_000),
        # what begins a reduction has made room for what ends it
        (
            "s = f32[1000] all-reduce-start(x), replica_groups={}, to_apply=add\n"
            "ROOT c = f32[1000] all-reduce-done(s)",
            8_000,
            8_000,
        ),
        # what is reduced is read until then, and the result is written over what nobody else reads
        (
            "s = f32[1000] all-reduce-start(x), replica_groups={}, to_apply=add\n"
            "y = f32[1000] reverse(x), dimensions={0} d = f32[1000] all-reduce-done(s)\n"
            "ROOT c = f32[1000] reverse(y), dimensions={0}",
            16_000,
            12_000,
        ),
        (
            "v = f32[1000] reverse(x), dimensions={0}\n"
            "s = f32[1000] all-reduce-start(v), replica_groups={}, to_apply=add\n"
            "y = f32[1000] reverse(x), dimensions={0} d = f32[1000] all-reduce-done(s)\n"
            "ROOT c = f32[1000] reverse(x), dimensions={0}",
            20_000,
            12_000,
        ),
        # two that read one array at once: neither may be written over it
        (
            "v = f32[1000] reverse(x), dimensions={0}\n"
            "s = f32[1000] all-reduce-start(v), replica_groups={}, to_apply=add\n"
            "r = f32[1000] all-reduce-start(v), replica_groups={}, to_apply=add\n"
            "d = f32[1000] all-reduce-done(s) ROOT c = f32[1000] all-reduce-done(r)",
            16_000,
            16_000,
        ),
        (
            "v = f32[1000] reverse(x), dimensions={0}\n"
            "s = f32[1000] all-reduce-start(v), replica_groups={}, to_apply=add\n"
            "y = f32[1000] negate(v) d = f32[1000] all-reduce-done(s)\n"
            "ROOT c = f32[1000] reverse(y), dimensions={0}",
            20_000,
            16_000,
        ),
        # what is sent is the operand; what is received stays as long as it is read
        (
            "s = (f32[1000], u32[], token[]) send(x, t), channel_id=1\n"
            "d = token[] send-done(s), channel_id=1\n"
            "r = (f32[1000], u32[], token[]) recv(d), channel_id=2\n"
            "h = (f32[1000], token[]) recv-done(r), channel_id=2\n"
            "y = f32[1000] get-tuple-element(h), index=0\n"
            "z = f32[1000] negate(y) ROOT c = f32[1000] negate(y)",
            16_008,
            12_000,
        ),
        # a call that runs beside other instructions needs its buffers until it ends
        (
            "s = ((f32[1000]), f32[1000], u32[]) call-start(x), to_apply=inner\n"
            "y = f32[1000] negate(x) ROOT c = f32[1000] call-done(s)",
            20_004,
            12_004,
        ),
        # a bound is the room for a size that is less at run time
        ("ROOT y = f32[<=2000] custom-call(x), custom_call_target=g", 12_000, 12_000),
    ],
)
def test_buffers_of_calls_and_transfers(body, bytes, peak):
    made = footprint(read_module(ASYNC + body + " }"))
    assert made.spaces[0].bytes == bytes
    assert made.spaces[0].peak == peak
    assert made.unsized == 0


def test_bounded_sizes_are_looked_at_and_others_are_counted():
    text = "HloModule m ENTRY e { x = f32[<=8,3]{1,0:T(8,128)} parameter(0)\n %s }"
    made = claims_of(read_module(text % "y = f32[?,3]{1,0:T(8,128)} parameter(1)"), 2)
    assert [(c.word, c.arguments) for c in made.claims] == [
        ("valid", ("f32[8,3]{1,0:T(8,128)}",)),
        ("padding", ("f32[8,3]{1,0:T(8,128)}", "2")),
    ]
    memory = footprint(made.module)
    assert memory.spaces[0].bytes == 4096
    assert memory.unsized == 1
    waste = padding_report(made.module)
    assert [(r.shape, r.wasted) for r in waste.rows] == [("f32[<=8,3]{1,0:T(8,128)}", 4000)]
    assert "without 1 array whose sizes are no numbers" in summary("m", made, memory, waste, 0)


def test_a_program_whose_beginning_cannot_be_read_has_no_figures():
    """The last computation that is left may be a part of a fusion."""
    text = """HloModule m, is_scheduled=true
    fused { p = f32[10] parameter(0) ROOT n = f32[10] negate(p) }
    ENTRY e { x = f32[10] parameter(0) %s ROOT y = f32[10] fusion(x), kind=kLoop, calls=fused }"""
    whole, broken = (read_module(text % word) for word in ("", "f32[[ "))
    assert footprint(whole).spaces[0].bytes == 80
    made = footprint(broken)
    assert broken.problems
    assert (made.arguments, made.outputs, made.spaces) == (None, None, {})
    assert padding_report(broken).rows == ()
    plain = footprint(read_module(text.replace("ENTRY ", "") % ""))
    assert (plain.arguments, plain.spaces) == (40, footprint(whole).spaces)
