"""TLA and CuTe layouts: `shape:stride` with nested, symbolic modes."""

from symlayout.tla.coordinates import crd2offset, idx2crd
from symlayout.tla.inttuple import Static, depth, flatten, get, product, rank
from symlayout.tla.layout import Layout
from symlayout.tla.reader import read_inttuple, read_layout

crd2idx = crd2offset

__all__ = [
    "Layout",
    "Static",
    "crd2idx",
    "crd2offset",
    "depth",
    "flatten",
    "get",
    "idx2crd",
    "product",
    "rank",
    "read_inttuple",
    "read_layout",
]
