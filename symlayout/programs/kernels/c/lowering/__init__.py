"""C's functions as Python's syntax tree, which the kernels' reader follows.

What C has and Python has not becomes a call whose name begins with `@`: `@load`, `@store`, `@place`
(a pointer moved by elements), `@as` (a cast), `@data` (a value that is not followed).
"""
