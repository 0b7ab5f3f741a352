"""Kernels read as programs: every access with its domain, guard, offset and integer types.

One reader a language, one intermediate form.  Nothing of what is read is ever run.
"""
