"""Properties of internal modules; `tests/test_hlo_compilers.py` tests the public interface."""

from __future__ import annotations

from test_hlo_compilers import refutations

from symlayout import hlo


def test_a_late_result_has_room_from_its_update_on():
    from symlayout.programs.hlo.memory import footprint

    text = """HloModule m, is_scheduled=true
call { p = f32[1000]{0} parameter(0) ROOT r = f32[2000]{0} concatenate(p, p), dimensions={0} }
ENTRY e { x = f32[1000]{0} parameter(0)
  s = ((), (), s32[]) async-start(), calls=call
  u = ((f32[1000]{0}), f32[2000]{0}, s32[]) async-update(s, x)
  d = f32[2000]{0} async-done(u)
  ROOT n = f32[2000]{0} reverse(d), dimensions={0} }"""
    assert refutations(text) == []
    peak = footprint(hlo.read_module(text)).spaces[0].peak
    assert peak == 4000 + 8000 + 8000 + 0 or peak == 4000 + 8000 + 8000 + 4
