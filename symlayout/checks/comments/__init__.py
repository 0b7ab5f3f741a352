"""Claims in comments of source code, checked against the index expression that follows them.

    # symlayout: formula "f16[M,K]{1,0:T(16,16)}" coords row, col where K % 16 == 0
    offset = (row // 16 * (K // 16) + col // 16) * 256 + row % 16 * 16 + col % 16

One module reads the comment, one finds Python's expressions and one those of C, C++ and CUDA.
"""
