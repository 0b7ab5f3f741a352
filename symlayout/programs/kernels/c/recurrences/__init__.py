"""Loops of C by what their counters are: start, step and end, or powers, or neither."""
