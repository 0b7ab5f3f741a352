"""Z3's own check of what the prover has proved, for all sizes."""
