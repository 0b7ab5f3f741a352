"""Formulas in other languages, and pictures."""
