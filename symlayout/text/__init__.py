"""Limits on what is read, and escapes for what is printed."""
