"""Adapters for other projects' own test-suites, read from a checkout; nothing of them is kept."""
