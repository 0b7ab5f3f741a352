"""Properties of internal modules; `tests/test_hlo_dumps.py` tests the public interface."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from test_hlo_dumps import DUMPS

from symlayout import hlo, xla
from symlayout.programs.hlo.claims import module_claims
from symlayout.programs.hlo.metadata import op_name, source
from symlayout.programs.hlo.places import Leaf, Places
from symlayout.programs.hlo.summary import summary


def test_places_in_the_source():
    module = hlo.read_module((DUMPS / "sharded.v5e.hlo").read_text())
    found = {(op_name(i), source(module, i)) for i in module.instructions}
    assert ("jit(sh)/dot_general", "programs.py:55") in found


@given(st.data())
def test_what_lies_in_one_place_is_there_at_different_times(data):
    """Pairs of neighbours alone are looked at; here all are, after what is joined at random."""
    numbers = st.integers(0, 12)
    leaves = []
    for k in range(data.draw(st.integers(2, 9))):
        begin = data.draw(numbers)
        shape = xla.Shape("f32", (data.draw(st.integers(1, 3)),))
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


def test_an_attribute_that_nobody_knows_leaves_its_instruction_unchecked():
    text = "HloModule m\n\nENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] add(a, a)%s\n}\n"
    for extra, left in (("", {}), (", metadata={}", {}), (", zork={1}", {"add": 1})):
        assert module_claims(text % extra).not_checked == left


def test_bounded_sizes_are_looked_at_and_others_are_counted():
    text = "HloModule m ENTRY e { x = f32[<=8,3]{1,0:T(8,128)} parameter(0)\n %s }"
    made = hlo.claims_of(hlo.read_module(text % "y = f32[?,3]{1,0:T(8,128)} parameter(1)"), 2)
    assert [(c.word, c.arguments) for c in made.claims] == [
        ("valid", ("f32[8,3]{1,0:T(8,128)}",)),
        ("padding", ("f32[8,3]{1,0:T(8,128)}", "2")),
    ]
    memory = hlo.footprint(made.module)
    assert memory.spaces[0].bytes == 4096
    assert memory.unsized == 1
    waste = hlo.padding_report(made.module)
    assert [(r.shape, r.wasted) for r in waste.rows] == [("f32[<=8,3]{1,0:T(8,128)}", 4000)]
    assert "without 1 array whose sizes are no numbers" in summary("m", made, memory, waste, 0)
