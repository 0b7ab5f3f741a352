"""Reporters: one module a format, each a function `render(report, colour) -> str`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symlayout.checks.result import Report

FORMATS = ("full", "concise", "json", "github", "sarif", "junit", "markdown")


def render(report: Report, format: str, *, colour: bool = False) -> str:
    """The report in that format, ending in a line break."""
    module = import_module(f"symlayout.checks.report.{format}")
    text: str = module.render(report, colour)
    return text
