"""C's functions as programs of `kernels/program`, which the interpreter follows."""
