"""Follows the lowered functions of a C file: an `Interpreter` has what is known of a kernel.

A statement or an expression of a new kind is a row of `table.py` and a function.
"""
