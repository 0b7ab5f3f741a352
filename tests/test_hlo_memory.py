"""Memory as compilers count it: needed bytes, the host's part, who is alive at the peak, columns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symlayout.__main__ import main

FOLDERS = Path(__file__).parent / "data" / "dumps" / "folders"

KEPT = """HloModule m, is_scheduled=true
ENTRY e {
  p = f32[1024]LAYOUT parameter(0)
  a = f32[1024]LAYOUT reverse(p), dimensions={0}
  b = f32[3072]LAYOUT custom-call(a), custom_call_target=g
  c = f32[1024]LAYOUT reverse(a), dimensions={0}
  ROOT d = f32[1024]LAYOUT LAST
}"""

# -- the report -----------------------------------------------------------------------------------


def report(tmp_path, capsys, text, *options):
    file = tmp_path / "m.hlo"
    file.write_text(text)
    main(["check", str(file), "--no-cache", *options])
    return capsys.readouterr().out


def test_the_list_of_the_peak_needs_no_padding_and_has_a_length(tmp_path, capsys):
    text = KEPT.replace("LAST", "custom-call(p, a, b, c), custom_call_target=g")
    text = text.replace("LAYOUT", "{0}")
    out = report(tmp_path, capsys, text, "--top", "2")
    assert "padding of" not in out
    lines = out.partition("m.hlo, at d:\n")[2].splitlines()
    assert lines[0] == "  12,288  12.0 KiB  temporary  b  f32[3072]{0}"
    assert lines[2] == "  and 3 more with 12,288 bytes (12.0 KiB)"
    assert "alive at" not in report(tmp_path, capsys, text, "--top", "0")
    assert "alive at" not in report(tmp_path, capsys, text.replace("is_scheduled=true", ""))


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("v5e.scan", ["S(0) HBM", "S(1) VMEM", "S(2) semaphores", "S(6) scalars"]),
        ("v5e.offload", ["S(0) HBM", "S(1) VMEM", "S(2) semaphores", "S(5) host"]),
        ("v3.scan", ["S(0) HBM", "S(6) scalars"]),
        ("cpu.scan", ["S(0)"]),
    ],
)
def test_memories_have_names(file, words, capsys):
    assert main(["check", str(FOLDERS / file), "--no-cache"]) == 0
    out = capsys.readouterr().out
    rows = [
        re.split("  +", line.strip())[0]
        for line in out.splitlines()
        if re.match(r"  S\(\d\)( \w+)?  ", line)
    ]
    assert rows == words


def test_offsets_and_gaps_of_the_assignment(capsys):
    assert main(["check", str(FOLDERS / "v5e.oom"), "--no-cache", "--top", "4"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"%copy\.13 +at 536,870,912  f32\[16384,8192\]", out)
    assert re.search(r"%copy\.15 +at 0 +f32\[16384,8192\]", out)
    lost = "temporaries take 1,207,976,448 bytes (1.1 GiB), of which 15,360 bytes (15.0 KiB) are"
    assert lost in out
    whole = "allocates 36,373,057,024 bytes (33.9 GiB) in S(0); 36,373,038,592 are needed (100.0 %)"
    assert whole in out
    assert main(["check", str(FOLDERS / "v5e.oom"), "--no-cache", "--json"]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    rows = {b["name"]: b.get("offset") for b in module["spaces"]["0"]["alive"]}
    assert (rows["copy.13"], rows["copy.15"], rows["custom-call"]) == (536_870_912, 0, None)
    assert module["compiler"]["temporaries"] == {"0": 1_207_976_448, "1": 32_768, "6": 512}


# -- what only changes a layout -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "operation", "moves"),
    [
        # reshapes that leave every byte where it is
        ("f32[8,128]{1,0}", "f32[1024]{0}", "reshape(x)", False),
        ("f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}", "reshape(x)", False),
        ("f32[8,1,128]{2,1,0}", "f32[8,128]{1,0}", "reshape(x)", False),
        ("f32[4,6]{0,1}", "f32[2,2,6]{1,0,2}", "reshape(x)", False),
        ("f32[8,128]{0,1}", "f32[1024]{0}", "reshape(x)", True),
        ("f32[7,128]{1,0:T(8,128)}", "f32[896]{0:T(1024)}", "reshape(x)", False),
        ("f32[7,100]{1,0:T(8,128)}", "f32[700]{0:T(1024)}", "reshape(x)", True),
        ("f32[4,6]{0,1}", "f32[2,2,6]{0,1,2}", "reshape(x)", True),
        ("f32[16,64]{1,0:T(8,128)}", "f32[8,128]{1,0:T(8,128)}", "reshape(x)", True),
        # transposes
        ("f32[4,6]{1,0}", "f32[6,4]{0,1}", "transpose(x), dimensions={1,0}", False),
        ("f32[4,6]{1,0}", "f32[6,4]{1,0}", "transpose(x), dimensions={1,0}", True),
        ("f32[4,4]{1,0}", "f32[4,4]{1,0}", "transpose(x), dimensions={1,0}", True),
        ("f32[4,1,6]{2,1,0}", "f32[1,4,6]{2,1,0}", "transpose(x), dimensions={1,0,2}", False),
        ("f32[4,5,6]{2,1,0}", "f32[5,6,4]{1,0,2}", "transpose(x), dimensions={1,2,0}", False),
        ("f32[4,5,6]{2,1,0}", "f32[6,4,5]{1,0,2}", "transpose(x), dimensions={2,0,1}", True),
        # copies
        ("f32[4,6]{1,0}", "f32[4,6]{0,1}", "copy(x)", True),
        ("f32[1,6]{1,0}", "f32[1,6]{0,1}", "copy(x)", False),
        ("f32[4,6]{1,0}", "f32[4,6]{1,0:S(1)}", "copy(x)", False),
        # fusions of them
        ("f32[8,128]{1,0}", "f32[1024]{0}", "fusion(x), kind=kLoop, calls=still", False),
        ("f32[4,6]{1,0}", "f32[6,4]{1,0}", "fusion(x), kind=kLoop, calls=turned", True),
    ],
)
def test_only_what_moves_bytes_is_listed(source, target, operation, moves, tmp_path, capsys):
    text = (
        "HloModule m\n\nstill { p = f32[8,128]{1,0} parameter(0) "
        "ROOT q = f32[1024]{0} reshape(p) }\nturned { p = f32[4,6]{1,0} parameter(0) "
        "ROOT q = f32[6,4]{1,0} transpose(p), dimensions={1,0} }\n"
        f"ENTRY e {{\n  x = {source} parameter(0)\n  ROOT y = {target} {operation}\n}}\n"
    )
    out = report(tmp_path, capsys, text)
    assert ("only changes layouts" in out) is moves
    if operation == "reshape(x)":  # what `prove bitcast` says of it
        assert main(["prove", "instruction", f"{target} bitcast({source})"]) == 0 or moves


# -- differences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("top", "cut"), [("0", 20), ("5", 15), ("12", 8), ("20", 0), ("99", 0)])
def test_a_difference_says_what_it_cut(top, cut, tmp_path, capsys):
    lines = "".join(f"  x{k} = f32[{k + 8},128]{{1,0}} parameter({k})\n" for k in range(20))
    new = re.sub(r" (x\d+) = (\S+?)\{1,0\} parameter\((\d+)\)",
                 r" \1 = \2{0,1} parameter(\3)", lines)  # fmt: skip
    for name, body in (("a.hlo", lines), ("b.hlo", new)):
        copies = "".join(f"  c{k} = f32[{k + 8},128]{{1,0}} copy(x{k})\n" for k in range(20))
        (tmp_path / name).write_text(f"HloModule m\n\nENTRY e {{\n{body}{copies}}}\n")
    paths = str(tmp_path / "a.hlo"), str(tmp_path / "b.hlo")
    assert main(["diff", *paths, "--top", top]) == 0
    out = capsys.readouterr().out
    if cut:
        assert f"... and {cut} changes more: --top 20 shows all" in out
        assert f"... and {cut} copies that came more: --top 20 shows all" in out
    else:
        assert "--top" not in out
    assert out.count("copy came: ") == 20 - cut
    assert main(["diff", *paths, "--top", "many"]) == 2
    assert "--top" in capsys.readouterr().err
    if top == "12":
        assert main(["diff", *paths]) == 0
        assert capsys.readouterr().out == out
