"""The table of assumptions: how large sizes are, and what a launch may be.

Nothing heavy is imported: reports print the policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

SIZE = 1 << 30  # of 32-bit parameters, and of extents that are not parameters
WIDE_SIZE = 1 << 36  # of 64-bit parameters
ELEMENTS = 1 << 36  # of one array
COPIED = 32  # bytes in a block of AscendC's `DataCopy`
BLOCK = 1 << 20  # numbers in one block of Triton's: TRITON_MAX_TENSOR_NUMEL


class LaunchLimits(NamedTuple):
    """The most programs along each axis, the most threads along each, and in a block.

    `along` is what programs times threads along one axis is at most.
    """

    grid: tuple[int | None, ...] = (None, None, None)
    block: tuple[int | None, ...] = (None, None, None)
    threads: int | None = None
    along: int | None = None


CUDA_GRID = ((1 << 31) - 1, 65_535, 65_535)
CUDA_BLOCK = 1024  # threads
LOG = "log2_"  # begins the name of the logarithm of a block's size
LAUNCH_LIMITS = {
    # CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
    "cuda": LaunchLimits(CUDA_GRID, (CUDA_BLOCK, CUDA_BLOCK, 64), CUDA_BLOCK),
    # Triton launches through CUDA's driver; its own limit is that of a block's numbers
    "triton": LaunchLimits(CUDA_GRID),
    # HIP's launch functions: no axis has gridDim * blockDim >= 2**32 work-items; LLVM's user guide for
    # AMDGPU, "amdgpu-flat-work-group-size": a work-group has at most 1024
    "hip": LaunchLimits(block=(1024, 1024, 1024), threads=1024, along=(1 << 32) - 1),
    # Metal Feature Set Tables, "Maximum threads per threadgroup": 1024, on old families 512
    "metal": LaunchLimits(block=(1024, 1024, 1024), threads=1024),
    # OpenCL's specification has no number: CL_DEVICE_MAX_WORK_GROUP_SIZE and CL_DEVICE_ADDRESS_BITS
    # are what a device says
    "opencl": LaunchLimits(),
    # Ascend C's operator development guide on <<<blockDim, l2ctrl, stream>>>: blockDim in [1, 65535]
    "ascend": LaunchLimits((65_535, None, None)),
}
WORDS = ("default", "none")  # what may be assumed
POLICY = (
    "assumed where a contract gives no bound: 32-bit sizes <= 2**30, 64-bit sizes <= 2**36,"
    " at most 2**36 elements in an array, and the limits of a launch"
    " (`--assume none` assumes nothing)"
)


Remember = Callable[[str, Callable[[], str]], str]


def at_once(content: str, make: Callable[[], str]) -> str:
    """The text that is made for a content, where nothing is remembered."""
    return make()


def memory() -> Remember:
    """What is made for each content once, for as long as nobody forgets the function."""
    texts: dict[str, str] = {}

    def remember(content: str, make: Callable[[], str]) -> str:
        if content not in texts:
            texts[content] = make()
        return texts[content]

    return remember


class Settings(NamedTuple):
    """What contracts are read under.

    Whether sizes without a bound get one, the facts that all claims are under, and who keeps the
    texts that are made for a content: each is made once.
    """

    sizes: bool = True  # unless `assume none` is said
    facts: tuple[str, ...] = ()
    remember: Remember = at_once


USUAL = Settings()
