"""Threads of NumPy in a process of ours: nothing here multiplies matrices."""

from __future__ import annotations

import os

LIBRARIES = ("OPENBLAS", "OMP", "MKL", "VECLIB")


def start_none() -> None:
    """Has it start none of its own: each takes processor time, and a fork would not take it along."""
    for library in LIBRARIES:
        os.environ[f"{library}_NUM_THREADS"] = "1"
