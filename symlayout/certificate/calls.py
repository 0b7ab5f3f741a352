"""Calls of functions of layouts in a claim's text, whose values `applied` knows."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from symlayout.certificate.asking import Points
from symlayout.certificate.definitions import Law
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Expr

VALUES = "symlayout.certificate.applied"  # imported where a text has a call


class Meant:
    """The values of calls; `demands` says where all of them so far are defined."""

    def __init__(self, points: Points = ()) -> None:
        self.points = points
        self.demands: list[Relation] = []
        self.laws: list[Law] = []

    def __call__(self, call: Any, read: Callable[[str], Expr]) -> Expr:
        value: Expr = import_module(VALUES).value(self, call, read)
        return value
