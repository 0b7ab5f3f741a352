"""Certificates: made from a proof, and verified without the prover."""
