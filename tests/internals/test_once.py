"""What an object works out once: the law of `cached_property`, whichever Python runs it."""

import re
from pathlib import Path

import pytest

import symlayout
from symlayout.text.once import cached_property

FUNCTOOLS = re.compile(r"from functools import[^\n]*\bcached_property\b|functools\.cached_property")


class Counted:
    def __init__(self, value):
        self.value, self.asked = value, 0

    @cached_property
    def doubled(self):
        """Twice the value."""
        self.asked += 1
        return 2 * self.value


def test_it_is_worked_out_once_for_each_object():
    a, b = Counted(3), Counted(None)
    assert [a.doubled, a.doubled, a.asked] == [6, 6, 1]
    for count in (1, 2):  # what raises is asked again
        with pytest.raises(TypeError):
            assert b.doubled
        assert b.asked == count
    assert Counted.doubled.__doc__ == "Twice the value."


def test_what_is_kept_may_be_forgotten_and_set():
    a = Counted(3)
    a.doubled = 5
    assert a.doubled == 5
    del a.doubled
    assert a.doubled == 6


def test_the_package_has_no_other():
    folder = Path(symlayout.__file__).parent
    files = [f for f in folder.rglob("*.py") if f.name != "once.py"]
    assert [str(f) for f in files if FUNCTOOLS.search(f.read_text(encoding="utf-8"))] == []
