"""Random claims of every kind and notation, judged by plain integers from the definitions."""
