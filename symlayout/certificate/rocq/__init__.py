"""Claims and their certificates as theorems for Rocq: what a statement says, and the proof."""
