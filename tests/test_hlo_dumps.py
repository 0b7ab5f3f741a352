"""Modules of JAX programs for CPU and TPU: read whole, nothing refuted, bytes as compilers count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symlayout import hlo, prove
from symlayout.__main__ import main

DUMPS = Path(__file__).parent / "data" / "dumps"

COUNTS = json.loads((DUMPS / "memory.json").read_text())

EMPTY = """HloModule m
ENTRY e { x = token[] parameter(0)
  ROOT y = token[] custom-call(x), custom_call_target="f" }"""


def test_nothing_checked_is_an_error_that_can_be_allowed(tmp_path, capsys):
    (tmp_path / "m.hlo").write_text(EMPTY)
    for path in (tmp_path, tmp_path / "m.hlo"):
        assert main(["check", str(path), "--no-cache"]) == 2
        assert "SL602" in capsys.readouterr().err
        assert main(["check", str(path), "--no-cache", "--allow-empty"]) == 0
        assert "1 custom-call" in capsys.readouterr().out
    (tmp_path / "none").mkdir()
    assert main(["check", str(tmp_path / "none"), "--no-cache"]) == 2
    assert main(["check", str(tmp_path / "none"), "--no-cache", "--json"]) == 2
    assert "SL602" in capsys.readouterr().out


def test_a_dump_folder(tmp_path, capsys):
    text = (DUMPS / "whilecond.cpu.hlo").read_text()
    head = "module_0001.jit_f.cpu"
    (tmp_path / f"{head}_after_optimizations.txt").write_text(text)
    (tmp_path / f"{head}_after_optimizations-buffer-assignment.txt").write_text(
        "BufferAssignment:\n"
    )
    (tmp_path / f"{head}_after_optimizations-memory-usage-report.txt").write_text(
        "Total bytes: 1\n"
    )
    (tmp_path / "module_0001.jit_f.before_optimizations.txt").write_text("HloModule broken {")
    (tmp_path / "notes.txt").write_text("nothing\n")
    assert main(["check", str(tmp_path), "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert "the last stage of each module is taken; left out: " in out
    assert "before_optimizations.txt" in out
    assert "in 1 file" in out
    assert main(["check", str(tmp_path), "--no-cache", "--json"]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    assert (module["name"], module["stage"]) == ("jit__lambda", "cpu_after_optimizations")
    assert module["arguments"] == COUNTS["whilecond.cpu"]["argument_size_in_bytes"]
    beside = next(tmp_path.glob("*-buffer-assignment.txt"))
    assert main(["check", str(beside), "--no-cache"]) == 2
    assert "beside" in capsys.readouterr().err


LEFT = """HloModule m
ENTRY e {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} frobnicate(x)
  ROOT z = f32[4]{0} frobnicate(y)
}
"""

SAID = {
    "full": "not checked in {file}: 2 frobnicate",
    "concise": "{file}:1:1: not checked: 2 frobnicate in m",
    "github": "::notice file={file},line=1,col=1,title=not checked::2 frobnicate in m",
    "junit": '<skipped message="not checked: 2 frobnicate in m"/>',
    "sarif": '"text": "2 frobnicate in m"',
    "json": '"frobnicate": 2',
}


@pytest.mark.parametrize("form", SAID)
def test_what_is_not_checked_is_said_in_every_format(form, tmp_path, capsys):
    file = tmp_path / "m.hlo"
    file.write_text(LEFT)
    assert main(["check", str(file), "--format", form, "--no-cache"]) == 0
    assert SAID[form].format(file=file) in capsys.readouterr().out
    file.write_text(LEFT.replace("{0}", ""))
    assert main(["check", str(file), "--format", form, "--no-cache"]) == 2
    both = "".join(capsys.readouterr())
    assert "no claims found in" in both
    assert "frobnicate" in both


DUMPED = """HloModule m, is_scheduled=true
ENTRY e {
  p = f32[2,4]{1,0} parameter(0)
  ROOT y = f32[2,4]{1,0} negate(p)
}
"""

ASSIGNED = """BufferAssignment:
allocation 0: 0x5f00, size 32, color 1, maybe-live-out:
 value: <2 y @0> (size=32,offset=0): f32[2,4]{1,0}
allocation 1: size BYTES, parameter 0, shape |f32[2,4]| at ShapeIndex {}:
 value: <1 p @0> (size=32,offset=0): f32[2,4]{1,0}
allocation 2: size 640, thread-local:
"""

REPORT = """Memory Space: default (color=0)
Total bytes: 96 (96B)

Memory Space: other (color=1)
Total bytes: 32 (32B)
"""


@pytest.mark.parametrize(
    ("ending", "beside", "spaces", "arguments", "said"),
    [
        ("buffer-assignment", ASSIGNED.replace("BYTES", "32"), {"0": 32, "1": 32}, 32, "the same"),
        ("buffer-assignment", ASSIGNED.replace("BYTES", "40"), {"0": 40, "1": 32}, 40, "32 here"),
        (
            "memory-usage-report",
            REPORT,
            {"0": 96, "1": 32},
            None,
            "in S(0); 64 are needed (66.7 %)",
        ),
    ],
)
def test_what_the_compiler_counts_stands_beside_our_counts(
    ending, beside, spaces, arguments, said, tmp_path, capsys
):
    stem = tmp_path / "module_0001.jit_f.cpu_after_optimizations"
    file = Path(f"{stem}.txt")
    file.write_text(DUMPED)
    cache = ["--cache-dir", str(tmp_path / "cache")]
    assert main(["check", str(file), *cache]) == 0
    assert "the compiler" not in capsys.readouterr().out
    Path(f"{stem}-{ending}.txt").write_text(beside)
    given = tmp_path / "module_0001.jit_f" / "module.mlir"
    given.parent.mkdir()
    given.write_text("func.func @main() { %0 = stablehlo.constant dense<1> : tensor<i32> return }")
    assert main(["check", str(tmp_path), *cache]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert f"left out: {given}" in out
    assert main(["check", str(tmp_path), "--json", *cache]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    assert module["compiler"]["spaces"] == spaces
    assert module["compiler"]["arguments"] == arguments


OPEN = {"custom-call"}


@pytest.mark.parametrize("file", sorted(DUMPS.glob("*.[hm]l*")), ids=lambda f: f.name)
def test_every_dump(file):
    (module,) = hlo.modules_of(file.read_text(), file.name)
    made = hlo.claims_of(module)
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
    made = hlo.footprint(hlo.read_module(file.read_text()))
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
    (module,) = hlo.modules_of(text)
    made = hlo.claims_of(module)
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
        assert [p.code for p in hlo.claims_of(hlo.modules_of(wrong)[0]).problems] == [code]


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
        made = hlo.claims_of(hlo.modules_of(text)[0])
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
    made = hlo.claims_of(hlo.modules_of(text)[0])
    assert made.not_checked == {"transpose": 1}


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
    lives = hlo.live_ranges(hlo.read_module(text))
    # argument, counter, what goes through the loop, and what its body needs for itself
    assert lives.peak[0] == 256 + 4 + 256 + 1024
    assert lives.where[0] == "w"
    assert hlo.live_ranges(hlo.read_module(text.replace("true\n", "false\n"))) is None
    for file in sorted(DUMPS.glob("*.hlo")):
        made = hlo.footprint(hlo.read_module(file.read_text()))
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
    made = hlo.footprint(hlo.read_module(LOOP % (title, body)))
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
    assert hlo.footprint(hlo.read_module(text)).spaces[0].peak // 4000 == arrays


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
    assert hlo.footprint(hlo.read_module(CALLED % body)).spaces[0].peak // 4000 == arrays


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
    assert hlo.footprint(hlo.read_module(REUSED % body)).spaces[0].peak // 4000 == arrays


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
    problems = hlo.read_module(text).problems
    assert len(problems) == len(said)
    for problem, words in zip(problems, said):
        assert problem.code == "SL725"
        assert words in problem.message
        assert text[problem.at :].startswith("input_output_alias")


def test_traffic_is_what_only_changes_a_layout():
    module = hlo.read_module((DUMPS / "gather.v5e.hlo").read_text())
    made = hlo.footprint(module)
    assert [t.name for t in made.traffic] == ["copy.5", "copy.10", "copy.11"]
    assert made.moved == sum(t.bytes for t in made.traffic) == 1_684_480


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
    made = hlo.footprint(hlo.read_module(ASYNC + body + " }"))
    assert made.spaces[0].bytes == bytes
    assert made.spaces[0].peak == peak
    assert made.unsized == 0


def test_a_program_whose_beginning_cannot_be_read_has_no_figures():
    """The last computation that is left may be a part of a fusion."""
    text = """HloModule m, is_scheduled=true
    fused { p = f32[10] parameter(0) ROOT n = f32[10] negate(p) }
    ENTRY e { x = f32[10] parameter(0) %s ROOT y = f32[10] fusion(x), kind=kLoop, calls=fused }"""
    whole, broken = (hlo.read_module(text % word) for word in ("", "f32[[ "))
    assert hlo.footprint(whole).spaces[0].bytes == 80
    made = hlo.footprint(broken)
    assert broken.problems
    assert (made.arguments, made.outputs, made.spaces) == (None, None, {})
    assert hlo.padding_report(broken).rows == ()
    plain = hlo.footprint(hlo.read_module(text.replace("ENTRY ", "") % ""))
    assert (plain.arguments, plain.spaces) == (40, hlo.footprint(whole).spaces)
