"""Follows Triton's kernels: an `Interpreter` has what is known of one.

A statement or an expression of a new kind is a row of `table.py` and a function; a function of Triton's
language is a row of `words/table.py` and a function.
"""
