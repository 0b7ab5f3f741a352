"""The launches of a kernel in its own file: grid, block, and what host code says of the arguments."""

from symlayout.programs.kernels.launches.launch import Fact, Launch

__all__ = ["Fact", "Launch"]
