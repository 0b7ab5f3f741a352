"""Elements of tuples as operands (`%while.1#2`), and what is known of a module in part."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symlayout.__main__ import main

DUMPS = Path(__file__).parent / "data" / "dumps"

ELEMENT = re.compile(
    r"^ *(?P<root>ROOT )?(?P<name>%[\w.\-]+) = .*? get-tuple-element\(.*?(?P<of>%[\w.\-]+)\)"
    r".*?index=(?P<index>\d+).*\n",
    re.M,
)


def shortened(text: str) -> str:
    """The module as new compilers print it: elements of tuples stand where they are read."""
    names = {m["name"]: f"{m['of']}#{m['index']}" for m in ELEMENT.finditer(text) if not m["root"]}

    def whole(name: str) -> str:
        short = names.get(name)
        if short is None:
            return name
        base, mark, index = short.partition("#")
        return whole(base) + mark + index

    body = ELEMENT.sub(lambda m: m[0] if m["root"] else "", text)
    return re.sub(r"%[\w.\-]+", lambda m: whole(m[0]), body)


def test_the_short_form_is_there_to_be_compared():
    texts = [shortened(file.read_text()) for file in DUMPS.glob("whilecond*.hlo")]
    assert len(texts) == 3
    assert all(re.search(r"%[\w.\-]+#\d", text) for text in texts)


# -- what could not be read takes nothing else with it --------------------------------------------

WHOLE = """HloModule m, is_scheduled=true

body {
  p = (f32[1000]{0}, s32[]) parameter(0)
  x = f32[1000]{0} get-tuple-element(p), index=0
  y = f32[1000]{0} negate(x)
  i = s32[] get-tuple-element(p), index=1
  ROOT r = (f32[1000]{0}, s32[]) tuple(y, i)
}

cond {
  p = (f32[1000]{0}, s32[]) parameter(0)
  ROOT c = pred[] constant(true)
}

ENTRY e {
  a = f32[1000]{0} parameter(0)
  z = s32[] constant(0)
  t = (f32[1000]{0}, s32[]) tuple(a, z)
  w = (f32[1000]{0}, s32[]) while(t), condition=cond, body=body
  ROOT o = f32[1000]{0} get-tuple-element(w), index=0
}
"""

BROKEN = {
    "an operand": ("negate(x)", "negate(@x)", 1, 4000, 4000),
    "an attribute": ("condition=cond", "condition==cond", 1, 4000, 4000),
    "a shape": ("y = f32[1000]{0}", "y = f33[1000]{0}", 1, 4000, 4000),
    "an opcode": ("z = s32[] constant(0)", "z = s32[] ?constant(0)", 1, 4000, 4000),
    "a parameter's operand": ("a = f32[1000]{0} parameter(0)", "a = f32[1000]{0} parameter(0), =",
                              1, 4000, 4000),
    "a parameter's shape": ("a = f32[1000]{0}", "a = f32[1000]{1}", 1, None, 4000),
    "the result's shape": ("ROOT o = f32[1000]{0}", "ROOT o = f32[1000]{7}", 1, 4000, None),
    "a name": ("z = s32[]", "= s32[]", 2, 4000, 4000),
    "a whole computation": ("cond {", "cond ]{", 2, 4000, 4000),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_memory_is_reported_without_what_could_not_be_read(name, tmp_path, capsys):
    old, new, left, arguments, outputs = BROKEN[name]
    file = tmp_path / "m.hlo"
    file.write_text(WHOLE.replace(old, new))
    assert main(["check", str(file), "--no-cache"]) == 2
    out = capsys.readouterr().out
    assert "memory of " in out
    words = "1 instruction" if left == 1 else f"{left} instructions"
    assert f"computed without {words} that could not be read" in out
    assert main(["check", str(file), "--no-cache", "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    (module,) = report["modules"]
    assert module["left_out"] == left
    assert (module["arguments"], module["outputs"]) == (arguments, outputs)
    assert module["spaces"]["0"]["peak"] is not None
    assert report["summary"]["refuted"] == 0


def test_memory_without_the_entry_is_unknown(tmp_path, capsys):
    file = tmp_path / "m.hlo"
    file.write_text(WHOLE.replace("ENTRY e {", "ENTRY e ("))
    assert main(["check", str(file), "--no-cache"]) == 2
    assert "unknown, because the entry computation could not be read" in capsys.readouterr().out
