"""Kernels over rows: a copy, softmax and layer norm, each under its contract.

Below each stands the same kernel with one mistake, which the contract refutes at the line that has it.
"""

import triton
import triton.language as tl


# symlayout: kernel grid (cdiv(n, BLOCK),)
#   x_ptr is f32[n]
#   y_ptr is f32[n] written once
@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)


# symlayout: kernel grid (cdiv(n, BLOCK),)
#   x_ptr is f32[n]
#   y_ptr is f32[n] written once
@triton.jit
def copy_without_mask(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    # symlayout: expect refuted "in bounds", "written once: store"
    #   because "the last block may be a part of one"
    tl.store(y_ptr + offsets, x)


# symlayout: kernel grid (rows,)
#   x_ptr is f32[rows,columns] strides(x_stride, 1)
#   y_ptr is f32[rows,columns] strides(y_stride, 1) written once
#   where BLOCK >= columns, x_stride >= columns, y_stride >= columns
@triton.jit
def softmax(x_ptr, y_ptr, x_stride, y_stride, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * x_stride + offsets, mask=inside, other=-float("inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_stride + offsets, x / tl.sum(x, axis=0), mask=inside)


# symlayout: kernel grid (rows,)
#   x_ptr is f32[rows,columns] strides(x_stride, 1)
#   y_ptr is f32[rows,columns] strides(y_stride, 1) written once
#   where BLOCK >= columns, x_stride >= columns, y_stride >= columns
@triton.jit
def softmax_in_32_bits(x_ptr, y_ptr, x_stride, y_stride, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    # symlayout: expect refuted "no overflow"
    #   because "row * x_stride is a product of 32-bit integers"
    x = tl.load(x_ptr + row * x_stride + offsets, mask=inside, other=-float("inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    y_row = y_ptr + row.to(tl.int64) * y_stride
    tl.store(y_row + offsets, x / tl.sum(x, axis=0), mask=inside)


# symlayout: kernel grid (rows,)
#   x_ptr is f16[rows,columns]
#   weight_ptr is f16[columns]
#   bias_ptr is f16[columns]
#   y_ptr is f16[rows,columns] written once
#   mean_ptr is f32[rows] written once
@triton.jit
def layer_norm(
    x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rows, columns, eps, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    tl.store(mean_ptr + row, mean)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        w = tl.load(weight_ptr + at, mask=at < columns)
        b = tl.load(bias_ptr + at, mask=at < columns)
        x = tl.load(x_ptr + row * columns + at, mask=at < columns)
        tl.store(y_ptr + row * columns + at, (x - mean) * w + b, mask=at < columns)


# symlayout: kernel grid (rows,)
#   x_ptr is f16[rows,columns]
#   y_ptr is f16[rows,columns] written once
@triton.jit
def layer_norm_whole_blocks(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for block in range(columns // BLOCK):
        at = block * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + at, mask=at < columns)
        # the last columns % BLOCK columns are left out
        # symlayout: expect refuted "written once: store"
        #   because "the last columns % BLOCK columns are left out"
        tl.store(y_ptr + row * columns + at, x, mask=at < columns)
